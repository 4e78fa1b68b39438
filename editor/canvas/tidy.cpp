#include "canvas/tidy.hpp"

#include <QRectF>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace floe::editor {

namespace {
constexpr double kColumnGap = 60, kRowGap = 20, kLaneHeight = 4;
constexpr double kRim = 80;             // around it in a window
constexpr double kLargeEnough = 0.8;    // zoom; everything can be read then
constexpr double kHidden = 0.5;         // what it costs if every wire passes behind a card
constexpr int kMaxColumns = 14;         // into which everything is split
constexpr std::size_t kManyNodes = 500; // beyond, no picture shows them all legibly

struct Layers {
    std::vector<int> layer;            ///< of each node
    std::vector<std::vector<int>> row; ///< nodes of each layer, top to bottom
};

/// Layers from right to left: a node stands as close to its users as the height of columns allows
/// (Coffman and Graham 1972, with the longest way up before it as the order).
Layers layersOf(const std::vector<QSizeF>& sizes, const std::vector<std::vector<int>>& before,
                const std::vector<std::vector<int>>& after, double height)
{
    const std::size_t count = sizes.size();
    std::vector<int> waiting(count), depth(count, 0), order, ready;
    for (std::size_t i = 0; i < count; ++i)
        if ((waiting[i] = int(before[i].size())) == 0)
            order.push_back(int(i));
    for (std::size_t head = 0; head < order.size(); ++head)
        for (const int user : after[std::size_t(order[head])]) {
            auto& d = depth[std::size_t(user)];
            d = std::max(d, depth[std::size_t(order[head])] + 1);
            if (--waiting[std::size_t(user)] == 0)
                order.push_back(user);
        }
    std::vector<int> layer(count, 0), least(count, 0);
    std::vector<double> used;
    for (std::size_t i = 0; i < count; ++i)
        if ((waiting[i] = int(after[i].size())) == 0)
            ready.push_back(int(i));
    while (!ready.empty()) {
        // What is closest to the right first; there, what has most before it.
        const auto next = std::min_element(ready.begin(), ready.end(), [&](int a, int b) {
            const auto x = std::size_t(a), y = std::size_t(b);
            return least[x] != least[y]   ? least[x] < least[y]
                   : depth[x] != depth[y] ? depth[x] > depth[y]
                                          : a < b;
        });
        const auto node = std::size_t(*next);
        ready.erase(next);
        auto at = std::size_t(least[node]);
        const double room = sizes[node].height() + kRowGap;
        while (at < used.size() && used[at] > 0 && used[at] + room > height)
            ++at;
        used.resize(std::max(used.size(), at + 1), 0);
        used[at] += room;
        layer[node] = int(at);
        for (const int source : before[node]) {
            auto& low = least[std::size_t(source)];
            low = std::max(low, int(at) + 1);
            if (--waiting[std::size_t(source)] == 0)
                ready.push_back(source);
        }
    }
    Layers result;
    const int highest = count ? *std::max_element(layer.begin(), layer.end()) : 0;
    result.layer.resize(count);
    result.row.resize(std::size_t(highest) + 1);
    for (std::size_t i = 0; i < count; ++i) { // cycles are in the last column
        result.layer[i] = highest - layer[i];
        result.row[std::size_t(result.layer[i])].push_back(int(i));
    }
    return result;
}

/// Wires over more than one column get a lane in those between: they run beside cards, not behind
/// them. Lanes are nodes after the others, without width; wires of a node share them.
void reserveLanes(Layers& layers, const std::vector<std::vector<int>>& users,
                  std::vector<QSizeF>& sizes, std::vector<std::vector<int>>& before,
                  std::vector<std::vector<int>>& after)
{
    const std::size_t nodes = sizes.size();
    before.resize(nodes);
    after.resize(nodes);
    const auto join = [&](int from, int to) {
        after[std::size_t(from)].push_back(to);
        before[std::size_t(to)].push_back(from);
    };
    for (std::size_t node = 0; node < nodes; ++node) {
        std::map<int, int> lanes; // by layer
        for (const int user : users[node]) {
            int last = int(node);
            for (int at = layers.layer[node] + 1;
                 at < layers.layer[std::size_t(user)] && nodes <= kManyNodes; ++at) {
                const auto [lane, isNew] = lanes.try_emplace(at, int(sizes.size()));
                if (isNew) {
                    sizes.emplace_back(0, kLaneHeight);
                    before.emplace_back();
                    after.emplace_back();
                    layers.layer.push_back(at);
                    layers.row[std::size_t(at)].push_back(lane->second);
                    join(last, lane->second);
                }
                last = lane->second;
            }
            join(last, user);
        }
    }
}

std::vector<QPointF> layOut(const std::vector<QSizeF>& nodes,
                            const std::vector<std::vector<int>>& usedBy,
                            const std::vector<std::vector<int>>& users, double height)
{
    Layers layers = layersOf(nodes, usedBy, users, height);
    std::vector<QSizeF> sizes = nodes;
    std::vector<std::vector<int>> before, after;
    reserveLanes(layers, users, sizes, before, after);
    const std::size_t count = sizes.size();

    // Order within columns: several sweeps of barycentres.
    std::vector<double> rank(count);
    const auto number = [&] {
        for (const auto& row : layers.row)
            for (std::size_t i = 0; i < row.size(); ++i)
                rank[std::size_t(row[i])] = double(i) - double(row.size()) / 2;
    };
    number();
    const auto mean = [&](const std::vector<int>& others, double otherwise) {
        if (others.empty())
            return otherwise;
        double sum = 0;
        for (const int other : others)
            sum += rank[std::size_t(other)];
        return sum / double(others.size());
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
    place.resize(nodes.size());
    double top = 1e30;
    for (const QPointF& point : place)
        top = std::min(top, point.y());
    for (QPointF& point : place)
        point = {std::round(point.x()), std::round(point.y() - top)};
    return place;
}

/// How often a wire passes behind a card.
int hiddenWires(const std::vector<QSizeF>& sizes, const std::vector<QPointF>& places,
                const std::vector<std::pair<int, int>>& links)
{
    int hidden = 0;
    for (const auto& [from, to] : links) {
        const auto a = std::size_t(from), b = std::size_t(to);
        const QPointF start = places[a] + QPointF(sizes[a].width(), sizes[a].height() / 2);
        const QPointF end = places[b] + QPointF(0, sizes[b].height() / 2);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const double x = places[i].x() + sizes[i].width() / 2;
            if (i == a || i == b || x <= start.x() || x >= end.x())
                continue;
            const double y =
                start.y() + (end.y() - start.y()) * (x - start.x()) / (end.x() - start.x());
            hidden += y > places[i].y() && y < places[i].y() + sizes[i].height();
        }
    }
    return hidden;
}
} // namespace

std::vector<QPointF> tidyLayout(const std::vector<QSizeF>& sizes,
                                const std::vector<std::pair<int, int>>& links, QSizeF window)
{
    const std::size_t count = sizes.size();
    std::vector<std::vector<int>> before(count), after(count);
    for (const auto& [from, to] : links)
        if (from != to) {
            before[std::size_t(to)].push_back(from);
            after[std::size_t(from)].push_back(to);
        }
    double total = 0;
    for (const QSizeF& size : sizes)
        total += size.height() + kRowGap;
    std::vector<QPointF> best;
    double bestScore = 0;
    for (int columns = 1; columns <= kMaxColumns; ++columns) {
        if (columns > 1 && count > kManyNodes)
            break;
        std::vector<QPointF> places = layOut(sizes, before, after, total / columns);
        QRectF all;
        for (std::size_t i = 0; i < count; ++i)
            all |= QRectF(places[i], sizes[i]);
        const double zoom = std::min({window.width() / (all.width() + kRim),
                                      window.height() / (all.height() + kRim), kLargeEnough});
        const double score = zoom / (1 + kHidden * hiddenWires(sizes, places, links) /
                                             std::max(1.0, double(links.size())));
        if (best.empty() || score > 1.02 * bestScore) {
            best = std::move(places);
            bestScore = score;
        }
    }
    return best;
}

} // namespace floe::editor
