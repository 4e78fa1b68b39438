#include "canvas/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace floe::editor {

namespace {
constexpr double kColumnGap = 60, kRowGap = 24;

struct Layers {
    std::vector<int> layer;            ///< of each node
    std::vector<std::vector<int>> row; ///< nodes of each layer, top to bottom
};

/// Layers by the longest path to a node that nobody uses, so that sources sit next to their users.
Layers layersOf(std::size_t count, const std::vector<std::vector<int>>& before,
                const std::vector<std::vector<int>>& after)
{
    std::vector<int> open(count), order;
    for (std::size_t i = 0; i < count; ++i) {
        open[i] = int(after[i].size());
        if (open[i] == 0)
            order.push_back(int(i));
    }
    std::vector<int> height(count, 0);
    for (std::size_t head = 0; head < order.size(); ++head)
        for (const int source : before[std::size_t(order[head])]) {
            auto& h = height[std::size_t(source)];
            h = std::max(h, height[std::size_t(order[head])] + 1);
            if (--open[std::size_t(source)] == 0)
                order.push_back(source);
        }
    const int highest = count ? *std::max_element(height.begin(), height.end()) : 0;
    Layers result;
    result.layer.resize(count);
    result.row.resize(std::size_t(highest) + 1);
    for (std::size_t i = 0; i < count; ++i) {
        result.layer[i] = highest - height[i];
        result.row[std::size_t(result.layer[i])].push_back(int(i));
    }
    return result;
}
} // namespace

std::vector<QPointF> tidyLayout(const std::vector<QSizeF>& sizes,
                                const std::vector<std::pair<int, int>>& links)
{
    const std::size_t count = sizes.size();
    std::vector<std::vector<int>> before(count), after(count);
    for (const auto& [from, to] : links)
        if (from != to) {
            before[std::size_t(to)].push_back(from);
            after[std::size_t(from)].push_back(to);
        }
    Layers layers = layersOf(count, before, after);

    // Order within columns: several sweeps of barycentres.
    std::vector<double> rank(count);
    const auto number = [&] {
        for (const auto& row : layers.row)
            for (std::size_t i = 0; i < row.size(); ++i)
                rank[std::size_t(row[i])] = double(i) - double(row.size()) / 2;
    };
    number();
    const auto mean = [&](const std::vector<int>& nodes, double otherwise) {
        if (nodes.empty())
            return otherwise;
        double sum = 0;
        for (const int node : nodes)
            sum += rank[std::size_t(node)];
        return sum / double(nodes.size());
    };
    for (int sweep = 0; sweep < 12; ++sweep) {
        const auto& side = sweep % 2 ? before : after;
        for (std::size_t k = 0; k < layers.row.size(); ++k) {
            auto& row = layers.row[sweep % 2 ? k : layers.row.size() - 1 - k];
            std::vector<double> key(count);
            for (const int node : row)
                key[std::size_t(node)] = mean(side[std::size_t(node)], rank[std::size_t(node)]);
            std::stable_sort(row.begin(), row.end(), [&](int a, int b) {
                return key[std::size_t(a)] < key[std::size_t(b)];
            });
            for (std::size_t i = 0; i < row.size(); ++i)
                rank[std::size_t(row[i])] = double(i) - double(row.size()) / 2;
        }
    }

    // Heights: pack the columns, then pull nodes towards their neighbours without overlaps.
    std::vector<QPointF> place(count);
    double x = 0;
    for (auto& row : layers.row) {
        double width = 0, y = 0;
        for (const int node : row)
            width = std::max(width, sizes[std::size_t(node)].width());
        for (const int node : row) {
            place[std::size_t(node)] = {x, y};
            y += sizes[std::size_t(node)].height() + kRowGap;
        }
        for (const int node : row)
            place[std::size_t(node)].ry() -= y / 2;
        x += width + kColumnGap;
    }
    const auto middle = [&](int node) {
        return place[std::size_t(node)].y() + sizes[std::size_t(node)].height() / 2;
    };
    for (int pass = 0; pass < 8; ++pass)
        for (std::size_t k = 0; k < layers.row.size(); ++k) {
            const auto& row = layers.row[pass % 2 ? k : layers.row.size() - 1 - k];
            std::vector<double> wish;
            for (const int node : row) {
                double sum = 0;
                const auto& near = pass % 2 ? before[std::size_t(node)] : after[std::size_t(node)];
                for (const int other : near)
                    sum += middle(other);
                wish.push_back((near.empty() ? middle(node) : sum / double(near.size())) -
                               sizes[std::size_t(node)].height() / 2);
            }
            // Blocks that would overlap are merged and share their mean wish.
            struct Block {
                std::size_t first;
                double sum, count, height;
                double top() const { return sum / count; }
            };
            std::vector<Block> blocks;
            for (std::size_t i = 0; i < row.size(); ++i) {
                blocks.push_back({i, wish[i], 1, sizes[std::size_t(row[i])].height() + kRowGap});
                while (blocks.size() > 1 &&
                       blocks[blocks.size() - 2].top() + blocks[blocks.size() - 2].height >
                           blocks.back().top()) {
                    const Block last = blocks.back();
                    blocks.pop_back();
                    Block& block = blocks.back();
                    block.sum += last.sum - last.count * block.height;
                    block.count += last.count;
                    block.height += last.height;
                }
            }
            for (std::size_t b = 0; b < blocks.size(); ++b) {
                double y = blocks[b].top();
                const std::size_t end = b + 1 < blocks.size() ? blocks[b + 1].first : row.size();
                for (std::size_t i = blocks[b].first; i < end; ++i) {
                    place[std::size_t(row[i])].setY(y);
                    y += sizes[std::size_t(row[i])].height() + kRowGap;
                }
            }
        }
    double top = 1e30;
    for (const QPointF& point : place)
        top = std::min(top, point.y());
    for (QPointF& point : place)
        point = {std::round(point.x()), std::round(point.y() - top)};
    return place;
}

} // namespace floe::editor
