#include "canvas/tidy.hpp"
#include "canvas/scene.hpp"

#include <QPainterPath>
#include <QPolygonF>
#include <QRectF>

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <tuple>

namespace floe::editor {

namespace {
constexpr double kColumnGap = 60, kWidestGap = 140;
constexpr double kSteepness = 16; // a gap is at least this part of its highest wire's rise
constexpr double kRowGap = 20, kLaneGap = 10, kNoteGap = 12;
constexpr double kSmallest = 0.25; // zoom; a column is not higher than a window shows then
constexpr int kMaxAligned = 4000;  // nodes of which siblings are aligned
constexpr std::size_t kMaxLanes = 4000;
constexpr int kPieces = 48; // of a wire where it is looked for behind cards
constexpr int kSweeps = 16;
constexpr std::size_t kMaxCounted = 500; // wires of which crossings are counted
constexpr double kLaneWeight = 4;        // how much rather a lane is straight than a short wire

using Neighbours = std::vector<std::vector<int>>;

/// Which nodes feed and use each node. Links in cycles are left out.
struct Links {
    Neighbours before, after;
};

Links linksOf(std::size_t count, const std::vector<TidyWire>& wires)
{
    std::vector<int> unused(count, 0);
    Neighbours sources(count);
    for (const TidyWire& wire : wires) {
        sources[std::size_t(wire.to)].push_back(wire.from);
        ++unused[std::size_t(wire.from)];
    }
    std::vector<int> order;
    for (std::size_t i = 0; i < count; ++i)
        if (unused[i] == 0)
            order.push_back(int(i));
    for (std::size_t head = 0; head < order.size(); ++head)
        for (const int source : sources[std::size_t(order[head])])
            if (--unused[std::size_t(source)] == 0)
                order.push_back(source);
    Links links{Neighbours(count), Neighbours(count)};
    for (const TidyWire& wire : wires)
        if (!unused[std::size_t(wire.from)] || !unused[std::size_t(wire.to)]) {
            links.before[std::size_t(wire.to)].push_back(wire.from);
            links.after[std::size_t(wire.from)].push_back(wire.to);
        }
    return links;
}

/// Nodes with all their users before them.
std::vector<int> usersFirst(const Links& links)
{
    std::vector<int> waiting, order;
    for (std::size_t i = 0; i < links.after.size(); ++i) {
        waiting.push_back(int(links.after[i].size()));
        if (waiting.back() == 0)
            order.push_back(int(i));
    }
    for (std::size_t head = 0; head < order.size(); ++head)
        for (const int source : links.before[std::size_t(order[head])])
            if (--waiting[std::size_t(source)] == 0)
                order.push_back(source);
    return order;
}

/// Moves the node to a layer at least this far left, and what feeds it before it.
void moveLeft(int node, int layer, const Links& links, std::vector<int>& layers)
{
    if (layers[std::size_t(node)] >= layer)
        return;
    layers[std::size_t(node)] = layer;
    for (const int source : links.before[std::size_t(node)])
        moveLeft(source, layer + 1, links, layers);
}

/// The sources of a node that feed no other source of it.
Neighbours siblingsOf(const Links& links, const std::vector<int>& order)
{
    const std::size_t count = order.size();
    std::vector<std::vector<bool>> leadsTo(count, std::vector<bool>(count));
    for (const int node : order)
        for (const int user : links.after[std::size_t(node)]) {
            auto& reached = leadsTo[std::size_t(node)];
            reached[std::size_t(user)] = true;
            for (std::size_t i = 0; i < count; ++i)
                if (leadsTo[std::size_t(user)][i])
                    reached[i] = true;
        }
    Neighbours siblings(count);
    for (std::size_t node = 0; node < count; ++node) {
        const std::vector<int>& sources = links.before[node];
        for (const int source : sources)
            if (std::none_of(sources.begin(), sources.end(), [&](int other) {
                    return leadsTo[std::size_t(source)][std::size_t(other)];
                }))
                siblings[node].push_back(source);
    }
    return siblings;
}

/// Layers, counted from the right: a node stands just before its users (longest path); siblings
/// then move left to the farthest of them, and ends of short branches to what feeds them.
std::vector<int> layersOf(const Links& links)
{
    const std::vector<int> order = usersFirst(links);
    std::vector<int> layers(order.size(), 0);
    for (const int node : order)
        for (const int user : links.after[std::size_t(node)])
            layers[std::size_t(node)] =
                std::max(layers[std::size_t(node)], layers[std::size_t(user)] + 1);
    if (order.empty() || order.size() > kMaxAligned)
        return layers;

    const int farthest = *std::max_element(layers.begin(), layers.end());
    const Neighbours siblings = siblingsOf(links, order);
    for (bool changed = true; changed;) {
        changed = false;
        for (const int node : order) {
            const std::vector<int>& group = siblings[std::size_t(node)];
            int common = 0;
            for (const int source : group)
                common = std::max(common, layers[std::size_t(source)]);
            std::vector<int> moved = layers;
            for (const int source : group)
                moveLeft(source, common, links, moved);
            // Never more columns than the longest path has; this also ends the loop.
            if (moved != layers && *std::max_element(moved.begin(), moved.end()) <= farthest) {
                layers = std::move(moved);
                changed = true;
            }
        }
    }

    // Branches that end and join no others.
    std::vector<bool> branch(order.size());
    for (const int node : order) {
        const std::vector<int>& users = links.after[std::size_t(node)];
        branch[std::size_t(node)] = std::all_of(users.begin(), users.end(), [&](int user) {
            return branch[std::size_t(user)] && links.before[std::size_t(user)].size() == 1;
        });
    }
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        const std::vector<int>& sources = links.before[std::size_t(*node)];
        if (!branch[std::size_t(*node)] || sources.empty())
            continue;
        int nearest = farthest;
        for (const int source : sources)
            nearest = std::min(nearest, layers[std::size_t(source)]);
        layers[std::size_t(*node)] = nearest - 1;
    }
    return layers;
}

/// The layout while it is made: nodes, and after them lanes of wires that pass a column.
class Columns {
public:
    Columns(const std::vector<QSizeF>& sizes, const std::vector<TidyWire>& wires, double tallest)
        : nodes_(sizes.size()), wires_(wires), sizes_(sizes)
    {
        const Links links = linksOf(nodes_, wires);
        std::vector<int> layers = layersOf(links);
        split(layers, links, tallest);
        const int highest = nodes_ ? *std::max_element(layers.begin(), layers.end()) : 0;
        rows_.resize(std::size_t(highest) + 1);
        for (std::size_t i = 0; i < nodes_; ++i) {
            layer_.push_back(highest - layers[i]);
            rows_[std::size_t(layer_[i])].push_back(int(i));
        }
        addLanes();
        order();
        straighten();
        spread();
    }

    TidyLayout result() const
    {
        TidyLayout layout{{}, std::vector<std::vector<QPointF>>(wires_.size())};
        layout.places.assign(places_.begin(), places_.begin() + std::ptrdiff_t(nodes_));
        for (std::size_t i = 0; i < lanes_.size(); ++i)
            if (!lanes_[i].empty() && isHidden(wires_[i]))
                layout.bends[i] = bendsAlong(lanes_[i]);
        return layout;
    }

private:
    struct Joint {
        int other;
        double ownHeight, otherHeight; ///< of the wire's ends below the tops
    };

    bool isLane(int item) const { return std::size_t(item) >= nodes_; }
    double gap(int item) const { return isLane(item) ? kLaneGap : kRowGap; }
    double height(int item) const { return sizes_[std::size_t(item)].height() + gap(item); }

    /// Layers that are too high become several. Nodes of one user stay together.
    void split(std::vector<int>& layers, const Links& links, double tallest) const
    {
        const int highest = nodes_ ? *std::max_element(layers.begin(), layers.end()) : 0;
        std::vector<std::vector<int>> nodes(std::size_t(highest) + 1);
        for (std::size_t i = 0; i < nodes_; ++i)
            nodes[std::size_t(layers[i])].push_back(int(i));
        int next = 0;
        for (std::vector<int>& row : nodes) {
            double total = 0;
            for (const int node : row)
                total += height(node);
            const double part = total / std::ceil(total / tallest);
            std::stable_sort(row.begin(), row.end(), [&](int a, int b) {
                return links.after[std::size_t(a)] < links.after[std::size_t(b)];
            });
            double used = 0;
            for (const int node : row) {
                if (used >= part) {
                    used = 0;
                    ++next;
                }
                used += height(node);
                layers[std::size_t(node)] = next;
            }
            ++next;
        }
    }

    /// Joins neighbours in columns, with lanes for the wires between that pass others. Wires of one
    /// output share them.
    void addLanes()
    {
        before_.resize(nodes_);
        after_.resize(nodes_);
        lanes_.resize(wires_.size());
        std::map<std::tuple<int, double, int>, int> shared; // node, output, layer
        const auto join = [&](int from, double fromHeight, int to, double toHeight) {
            after_[std::size_t(from)].push_back({to, fromHeight, toHeight});
            before_[std::size_t(to)].push_back({from, toHeight, fromHeight});
        };
        for (std::size_t i = 0; i < wires_.size(); ++i) {
            const TidyWire& wire = wires_[i];
            int last = wire.from;
            double lastHeight = wire.fromHeight;
            for (int at = layer_[std::size_t(wire.from)] + 1; at < layer_[std::size_t(wire.to)];
                 ++at) {
                if (sizes_.size() - nodes_ >= kMaxLanes)
                    break;
                const auto [lane, isNew] =
                    shared.try_emplace({wire.from, wire.fromHeight, at}, int(sizes_.size()));
                if (isNew) {
                    sizes_.emplace_back(0, 0);
                    before_.emplace_back();
                    after_.emplace_back();
                    layer_.push_back(at);
                    rows_[std::size_t(at)].push_back(lane->second);
                    join(last, lastHeight, lane->second, 0);
                }
                last = lane->second;
                lastHeight = 0;
                lanes_[i].push_back(last);
            }
            join(last, lastHeight, wire.to, wire.toHeight);
        }
    }

    /// Order within columns: several sweeps of barycentres, of the sockets rather than the nodes.
    /// The sweep with the fewest crossings counts.
    void order()
    {
        std::vector<double> rank(sizes_.size()), key(sizes_.size());
        const auto number = [&](const std::vector<int>& row) {
            for (std::size_t i = 0; i < row.size(); ++i)
                rank[std::size_t(row[i])] = double(i) - double(row.size()) / 2;
        };
        for (const auto& row : rows_)
            number(row);
        const bool counts = wires_.size() <= kMaxCounted;
        std::vector<std::vector<int>> best = rows_;
        int fewest = INT_MAX;
        for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
            const bool fromLeft = sweep % 2;
            for (std::size_t k = 0; k < rows_.size(); ++k) {
                auto& row = rows_[fromLeft ? k : rows_.size() - 1 - k];
                for (const int item : row) {
                    const auto& joints = (fromLeft ? before_ : after_)[std::size_t(item)];
                    double sum = 0;
                    for (const Joint& joint : joints)
                        sum += rank[std::size_t(joint.other)] +
                               joint.otherHeight / height(joint.other);
                    key[std::size_t(item)] =
                        joints.empty() ? rank[std::size_t(item)] : sum / double(joints.size());
                }
                std::stable_sort(row.begin(), row.end(), [&](int a, int b) {
                    return key[std::size_t(a)] < key[std::size_t(b)];
                });
                number(row);
            }
            if (const int now = counts ? crossings(rank) : 0; !counts || now < fewest) {
                fewest = counts ? now : fewest;
                best = rows_;
            }
        }
        rows_ = std::move(best);
    }

    /// How often wires between neighbouring columns cross.
    int crossings(const std::vector<double>& rank) const
    {
        int count = 0;
        for (const auto& row : rows_) {
            std::vector<std::pair<double, double>> ends;
            for (const int item : row)
                for (const Joint& joint : after_[std::size_t(item)])
                    ends.emplace_back(rank[std::size_t(item)] + joint.ownHeight / height(item),
                                      rank[std::size_t(joint.other)] +
                                          joint.otherHeight / height(joint.other));
            for (std::size_t a = 0; a < ends.size(); ++a)
                for (std::size_t b = 0; b < a; ++b)
                    count +=
                        (ends[a].first - ends[b].first) * (ends[a].second - ends[b].second) < 0;
        }
        return count;
    }

    /// Heights: packs the columns, then pulls items towards their neighbours without overlaps.
    void straighten()
    {
        places_.resize(sizes_.size());
        for (const auto& row : rows_) {
            double total = 0;
            for (const int item : row)
                total += height(item);
            double y = -total / 2;
            for (const int item : row) {
                places_[std::size_t(item)].setY(y + gap(item) / 2);
                y += height(item);
            }
        }
        for (int pass = 0; pass < 12; ++pass)
            for (std::size_t k = 0; k < rows_.size(); ++k)
                pull(rows_[pass % 2 ? k : rows_.size() - 1 - k], pass % 2 ? before_ : after_);
    }

    void pull(const std::vector<int>& row, const std::vector<std::vector<Joint>>& sides)
    {
        // Blocks that would overlap are merged and share their mean wish.
        struct Block {
            std::size_t first;
            double sum, weight, height;
            double top() const { return sum / weight; }
        };
        std::vector<Block> blocks;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto& joints = sides[std::size_t(row[i])];
            double wish = joints.empty() ? places_[std::size_t(row[i])].y() : 0;
            for (const Joint& joint : joints)
                wish +=
                    (places_[std::size_t(joint.other)].y() + joint.otherHeight - joint.ownHeight) /
                    double(joints.size());
            const double weight = isLane(row[i]) ? kLaneWeight : 1;
            blocks.push_back({i, weight * (wish - gap(row[i]) / 2), weight, height(row[i])});
            while (blocks.size() > 1 &&
                   blocks[blocks.size() - 2].top() + blocks[blocks.size() - 2].height >
                       blocks.back().top()) {
                const Block last = blocks.back();
                blocks.pop_back();
                Block& block = blocks.back();
                block.sum += last.sum - last.weight * block.height;
                block.weight += last.weight;
                block.height += last.height;
            }
        }
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            double y = blocks[b].top();
            const std::size_t end = b + 1 < blocks.size() ? blocks[b + 1].first : row.size();
            for (std::size_t i = blocks[b].first; i < end; ++i) {
                places_[std::size_t(row[i])].setY(y + gap(row[i]) / 2);
                y += height(row[i]);
            }
        }
    }

    /// Columns side by side; wires that rise far have more room.
    void spread()
    {
        double top = 1e30, x = 0;
        for (std::size_t i = 0; i < nodes_; ++i)
            top = std::min(top, places_[i].y());
        for (QPointF& place : places_)
            place.setY(std::round(place.y() - top));
        for (const auto& row : rows_) {
            double width = 0, rise = 0;
            for (const int item : row) {
                const auto i = std::size_t(item);
                places_[i].setX(std::round(x));
                width = std::max(width, sizes_[i].width());
                for (const Joint& joint : after_[i])
                    rise = std::max(rise, std::abs(places_[i].y() + joint.ownHeight -
                                                   places_[std::size_t(joint.other)].y() -
                                                   joint.otherHeight));
            }
            widths_.push_back(width);
            x += width + std::clamp(rise / kSteepness, kColumnGap, kWidestGap);
        }
    }

    /// True when it would run behind a card without bends.
    bool isHidden(const TidyWire& wire) const
    {
        const auto from = std::size_t(wire.from), to = std::size_t(wire.to);
        const QPainterPath path =
            Scene::curve(places_[from] + QPointF(sizes_[from].width(), wire.fromHeight),
                         places_[to] + QPointF(0, wire.toHeight), {});
        const QPolygonF line = Scene::pieces(path, kPieces);
        const QRectF around = path.controlPointRect().adjusted(0, -1, 0, 1);
        for (std::size_t i = 0; i < nodes_; ++i) {
            const QRectF card(places_[i], sizes_[i]);
            if (i != from && i != to && card.intersects(around) &&
                std::any_of(line.begin(), line.end(), [&](QPointF point) {
                    return card.adjusted(-4, -4, 4, 4).contains(point);
                }))
                return true;
        }
        return false;
    }

    /// At both sides of the columns that it passes; none in between where the lane is straight.
    std::vector<QPointF> bendsAlong(const std::vector<int>& lanes) const
    {
        std::vector<QPointF> bends;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const QPointF place = places_[std::size_t(lanes[i])];
            if (i > 0 && std::abs(bends.back().y() - place.y()) < 0.5)
                bends.pop_back();
            else
                bends.push_back(place);
            bends.push_back(place +
                            QPointF(widths_[std::size_t(layer_[std::size_t(lanes[i])])], 0));
        }
        return bends;
    }

    std::size_t nodes_;
    const std::vector<TidyWire>& wires_;
    std::vector<QSizeF> sizes_;           ///< of nodes, then of lanes
    std::vector<int> layer_;              ///< of each, from the left
    std::vector<std::vector<int>> rows_;  ///< those of each layer, top to bottom
    std::vector<std::vector<int>> lanes_; ///< of each wire
    std::vector<std::vector<Joint>> before_, after_;
    std::vector<QPointF> places_;
    std::vector<double> widths_; ///< of the columns
};
double distance(const QRectF& a, const QRectF& b)
{
    return std::hypot(std::max({a.left() - b.right(), b.left() - a.right(), 0.0}),
                      std::max({a.top() - b.bottom(), b.top() - a.bottom(), 0.0}));
}

/// The place nearest to a note's where it covers nothing.
QPointF freePlace(const QRectF& note, const std::vector<QRectF>& taken)
{
    constexpr double kLeast = kNoteGap - 0.5; // between what lies exactly one gap apart
    const auto isFree = [&](QPointF corner) {
        const QRectF there(corner, note.size());
        return std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) {
            return there.intersects(other.adjusted(-kLeast, -kLeast, kLeast, kLeast));
        });
    };
    if (isFree(note.topLeft()))
        return note.topLeft();
    // Beside the others' edges; above all of them it is free in any case.
    std::vector<QPointF> places;
    for (const QRectF& other : taken) {
        for (const double y : {other.top() - kNoteGap - note.height(), other.bottom() + kNoteGap})
            places.emplace_back(note.x(), y);
        for (const double x : {other.left() - kNoteGap - note.width(), other.right() + kNoteGap})
            places.emplace_back(x, note.y());
    }
    const auto way = [&](QPointF place) {
        const QPointF d = place - note.topLeft();
        return std::hypot(d.x(), d.y());
    };
    std::stable_sort(places.begin(), places.end(),
                     [&](QPointF a, QPointF b) { return way(a) < way(b); });
    const auto found = std::find_if(places.begin(), places.end(), isFree);
    return found == places.end() ? note.topLeft() : *found;
}
} // namespace

std::vector<QPointF> tidyNotes(const std::vector<QRectF>& notes, const std::vector<QRectF>& before,
                               const std::vector<QRectF>& after)
{
    std::vector<QRectF> taken = after;
    std::vector<QPointF> places;
    for (QRectF note : notes) {
        const auto nearest =
            std::min_element(before.begin(), before.end(), [&](const QRectF& a, const QRectF& b) {
                const QPointF middle = note.center();
                return std::pair(distance(a, note), (a.center() - middle).manhattanLength()) <
                       std::pair(distance(b, note), (b.center() - middle).manhattanLength());
            });
        if (nearest != before.end())
            note.translate(after[std::size_t(nearest - before.begin())].topLeft() -
                           nearest->topLeft());
        note.moveTopLeft(freePlace(note, taken));
        places.push_back(note.topLeft());
        taken.push_back(note);
    }
    return places;
}

TidyLayout tidyLayout(const std::vector<QSizeF>& sizes, const std::vector<TidyWire>& wires,
                      QSizeF window)
{
    // Very many nodes fill the window's shape.
    double area = 0;
    for (const QSizeF& size : sizes)
        area += (size.width() + kColumnGap) * (size.height() + kRowGap);
    const double square = std::sqrt(area * window.height() / window.width());
    return Columns(sizes, wires, std::max(window.height() / kSmallest, square)).result();
}

} // namespace floe::editor
