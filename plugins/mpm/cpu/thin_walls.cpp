#include "thin_walls.hpp"

#include <floe/sdk/world/thin_wall.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace floe::mpm {

namespace {

using physics::dot, physics::length;
using sdk::world::rotate;
using sdk::world::toOwn;
using sdk::world::toWorld;
using sdk::world::TriangleSurface;
using sdk::world::Vec3f;

/// Nodes nearer to a wall than this take part in contact though they are seen [cells].
constexpr double kWithin = 1;
/// Where it is seen how fast matter comes to a wall: this far before it [cells].
constexpr double kSample = 1.5;
/// How near to a wall a particle may come [cells].
constexpr double kGap = 1e-3;
/// Nodes are looked for beside where they are, all in one direction, so that one that lies in a
/// wall is on one side of all of its triangles [cells].
constexpr Vec3d kBeside{0.5e-3, 0.3e-3, 0.7e-3};
/// Where a hidden node meets its wall: before it, this far [cells].
constexpr double kBefore = 1e-2;
constexpr double kRounding = 1e-12; ///< of volumes that are compared with nothing
constexpr double kSame = 0.9;       ///< cosine of sides that count as one
/// Walls farther from a particle than this take next to nothing of the mass around it [cells].
constexpr double kTakes = 2.2;

Vec3f toFloat(const Vec3d& v)
{
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3d toDouble(const Vec3f& v)
{
    return {double{v.x}, double{v.y}, double{v.z}};
}

/// Returns the first node of a particle's stencil along an axis, from its position [cells].
int firstNode(Kernel kernel, float x)
{
    return static_cast<int>(kernel == Kernel::cubic ? std::floor(x) - 1 : std::floor(x - 0.5f));
}

/// A box of world space in a wall's own, or what holds it there.
struct Box {
    Vec3d low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};

    void add(const Vec3d& point)
    {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], point[axis]);
            high[axis] = std::max(high[axis], point[axis]);
        }
    }
};

/// A number that grows evenly from node to node.
struct Linear {
    double at, along[3];

    Linear(const Vec3d& slope, const Vec3d& origin, const Vec3d (&step)[3])
        : at(dot(slope, origin)), along{dot(slope, step[0]), dot(slope, step[1]),
                                        dot(slope, step[2])}
    {}
    double operator()(int i, int j, int k) const
    {
        return at + i * along[0] + j * along[1] + k * along[2];
    }
    /// Its least and greatest, at nodes 0 to `last` along each axis.
    double least(int last) const
    {
        return at +
               last * (std::min(along[0], 0.0) + std::min(along[1], 0.0) + std::min(along[2], 0.0));
    }
    double greatest(int last) const
    {
        return at +
               last * (std::max(along[0], 0.0) + std::max(along[1], 0.0) + std::max(along[2], 0.0));
    }
};

/// Returns a bit for each node of a stencil, z fastest, to which the way crosses a triangle: as
/// TriangleSurface::meeting(), for all of them at once.
/// @param origin, step  the first node, and from one to the next along each axis
std::uint64_t crossedWays(const TriangleSurface::Corners& corners, const Vec3d& from,
                          const Vec3d& origin, const Vec3d (&step)[3], int support)
{
    using physics::cross;
    const auto& [a, b, c] = corners;
    const Vec3d n = cross(b - a, c - a);
    const double before = dot(n, from - a);
    const Linear after(n, origin - a, step);
    const int last = support - 1;
    if (before > 0 ? after.least(last) > 0 : after.greatest(last) < 0)
        return 0;
    // Volumes over the edges have one sign where the way goes through.
    const Vec3d p = a - from, q = b - from, r = c - from, way = origin - from;
    const Linear u(cross(p, q), way, step), v(cross(q, r), way, step), w(cross(r, p), way, step);
    const double far = std::max({length(p), length(q), length(r)});
    const double longest =
        length(way) + last * (length(step[0]) + length(step[1]) + length(step[2]));
    const double rounding = kRounding * far * far * longest;
    std::uint64_t crossed = 0;
    for (int i = 0, node = 0; i < support; ++i)
        for (int j = 0; j < support; ++j)
            for (int k = 0; k < support; ++k, ++node) {
                const double behind = after(i, j, k);
                if (!((before > 0 && behind <= 0) || (before < 0 && behind >= 0)))
                    continue;
                const double x = u(i, j, k), y = v(i, j, k), z = w(i, j, k);
                if (std::min({x, y, z}) >= -rounding || std::max({x, y, z}) <= rounding)
                    crossed |= std::uint64_t{1} << node;
            }
    return crossed;
}

} // namespace

bool ThinWalls::set(std::span<const std::shared_ptr<Collider>> colliders)
{
    const std::vector<Wall> before = std::move(walls_);
    walls_.clear();
    for (std::size_t c = 0; c < colliders.size(); ++c)
        if (auto surface =
                std::dynamic_pointer_cast<const sdk::world::SurfaceCollider>(colliders[c]))
            if (surface->surface().size() > 0) {
                const floe_transform_key pose = surface->now();
                walls_.push_back({std::move(surface), pose, static_cast<std::uint32_t>(c)});
            }
    state_->thinWalls = any();
    return !std::equal(before.begin(), before.end(), walls_.begin(), walls_.end(),
                       [](const Wall& a, const Wall& b) {
                           return &a.collider->surface() == &b.collider->surface() &&
                                  a.collider->rests() && b.collider->rests() &&
                                  sdk::world::samePose(a.pose, b.pose);
                       });
}

bool ThinWalls::rest() const
{
    return std::all_of(walls_.begin(), walls_.end(),
                       [](const Wall& wall) { return wall.collider->rests(); });
}

/// Returns whether a wall, where it is in a pose, comes to the nodes of a block's arena.
bool ThinWalls::passes(const Wall& wall, const floe_transform_key& pose, const Block& block) const
{
    const double h = state_->settings.cellSize;
    const Vec3d corner = state_->cornerOf(block);
    Box box;
    for (int n = 0; n < 8; ++n)
        box.add(toOwn(
            pose, corner + h * Vec3d{n & 1 ? 6.1 : -1.1, n & 2 ? 6.1 : -1.1, n & 4 ? 6.1 : -1.1}));
    bool any = false;
    wall.collider->surface().near(box.low, box.high, [&](std::uint32_t) { any = true; });
    return any;
}

void ThinWalls::find()
{
    const std::vector<std::int32_t>& list = grid_->scatterList;
    blocks_.resize(list.size());
    state_->executor->parallelFor(list.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            const Block& block = grid_->blocks[list[slot]];
            blocks_[slot].near = std::any_of(walls_.begin(), walls_.end(), [&](const Wall& wall) {
                return passes(wall, wall.pose, block);
            });
        }
    });
}

/// @param x  of a particle in its block [cells]
std::uint64_t ThinWalls::hiddenFrom(const Wall& wall, const Vec3d& corner,
                                    const float (&x)[3]) const
{
    const double h = state_->settings.cellSize;
    const int support = state_->settings.kernel == Kernel::cubic ? 4 : 3;
    Vec3d first; // its first node
    for (int axis = 0; axis < 3; ++axis)
        first[axis] = firstNode(state_->settings.kernel, x[axis]);
    const Vec3d from = toOwn(wall.pose, corner + h * Vec3d{x[0], x[1], x[2]});
    const Vec3d origin = toOwn(wall.pose, corner + h * (first + kBeside));
    Vec3d step[3];
    for (int axis = 0; axis < 3; ++axis) {
        Vec3d next = first + kBeside;
        next[axis] += 1;
        step[axis] = toOwn(wall.pose, corner + h * next) - origin;
    }
    const double last = support - 1;
    Box box;
    box.add(from);
    for (int n = 0; n < 8; ++n)
        box.add(origin + (n & 1 ? last : 0) * step[0] + (n & 2 ? last : 0) * step[1] +
                (n & 4 ? last : 0) * step[2]);
    std::uint64_t hidden = 0;
    const TriangleSurface& surface = wall.collider->surface();
    surface.near(box.low, box.high, [&](std::uint32_t triangle) {
        hidden |= crossedWays(surface.corners(triangle), from, origin, step, support);
    });
    return hidden;
}

const std::uint64_t* ThinWalls::hide(std::size_t slot)
{
    const Block& block = grid_->blocks[grid_->scatterList[slot]];
    std::vector<std::uint64_t>& hidden = blocks_[slot].hidden;
    hidden.assign(block.bins.size() * kLanes, 0);
    blocks_[slot].watchers.assign(kArenaNodes, Watcher{});
    std::vector<float>& open = blocks_[slot].open;
    open.assign(state_->mayUseNearMass() ? block.bins.size() * 4 * kLanes : 0, 0);
    const Vec3d corner = state_->cornerOf(block);
    for (std::size_t b = 0; b < block.bins.size(); ++b)
        for (int lane = 0; lane < block.bins[b].count; ++lane) {
            float x[3];
            for (int axis = 0; axis < 3; ++axis)
                x[axis] = block.bins[b].rowAt(row::x + axis)[lane];
            std::uint64_t& from = hidden[b * kLanes + static_cast<std::size_t>(lane)];
            for (const Wall& wall : walls_)
                from |= hiddenFrom(wall, corner, x);
            watch(x, from, blocks_[slot].watchers);
            if (!isLiquid(block.bins[b].layout) || open.empty())
                continue;
            const OpenPart part = openPart(corner, x);
            float* const to = open.data() + b * 4 * kLanes + lane;
            to[0] = part.perShare;
            for (int axis = 0; axis < 3; ++axis)
                to[(axis + 1) * kLanes] = part.slope[axis];
        }
    return hidden.data();
}

/// @param x  of a particle in its block [cells]
OpenPart ThinWalls::openPart(const Vec3d& corner, const float (&x)[3]) const
{
    constexpr std::size_t kMax = 6;
    const double h = state_->settings.cellSize;
    const Vec3d at = corner + h * Vec3d{x[0], x[1], x[2]};
    std::vector<Side> sides;
    for (std::size_t w = 0; w < walls_.size(); ++w)
        addSides(w, at, kTakes, sides);
    std::array<rules::WallBeside, kMax> beside;
    std::size_t count = 0;
    for (const Side& side : sides) {
        const Vec3d n = toDouble(side.point.normal);
        const bool isFirst = count < kMax && !meetingPlace(at, side.at + (kGap * 0.5 * h) * n);
        const bool isKnown =
            std::any_of(beside.begin(), beside.begin() + static_cast<std::ptrdiff_t>(count),
                        [&](const auto& other) { return dot(toDouble(other.normal), n) > kSame; });
        if (isFirst && !isKnown)
            beside[count++] = {side.point.normal, static_cast<float>(dot(n, at - side.at) / h)};
    }
    if (count == 0)
        return {};
    const Vec3f from{x[0], x[1], x[2]};
    return state_->settings.kernel == Kernel::cubic
               ? rules::openPart<4>(from, beside.data(), static_cast<int>(count))
               : rules::openPart<3>(from, beside.data(), static_cast<int>(count));
}

/// Lets a particle watch the nodes that are hidden from it.
void ThinWalls::watch(const float (&x)[3], std::uint64_t hidden,
                      std::vector<Watcher>& watchers) const
{
    const Kernel kernel = state_->settings.kernel;
    const int support = kernel == Kernel::cubic ? 4 : 3;
    for (; hidden != 0; hidden &= hidden - 1) {
        const int node = std::countr_zero(hidden);
        const int steps[3] = {node / (support * support), node / support % support, node % support};
        std::size_t number = 0;
        float square = 0;
        bool reached = true;
        for (int axis = 0; axis < 3; ++axis) {
            const int at = firstNode(kernel, x[axis]) + steps[axis];
            reached = reached && at >= -1 && at < kArenaEdge - 1;
            square += (static_cast<float>(at) - x[axis]) * (static_cast<float>(at) - x[axis]);
            number = kArenaEdge * number + static_cast<std::size_t>(at + 1);
        }
        if (reached && square < watchers[number].square)
            watchers[number] = {{x[0], x[1], x[2]}, square};
    }
}

/// Returns where the nearest particle is from which a node is hidden.
/// @param place  of the node in its block
std::optional<Vec3d> ThinWalls::watcherOf(const Block& block, const int (&place)[3]) const
{
    float nearest = INFINITY;
    std::optional<Vec3d> found;
    for (int o = 0; o < 27; ++o) {
        const std::int32_t number = block.neighbour[o];
        if (number < 0 || grid_->blocks[number].arena < 0)
            continue;
        const Block& beside = grid_->blocks[number];
        const Beside& other = blocks_[static_cast<std::size_t>(beside.arena)];
        const int offset[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
        std::size_t node = 0;
        bool reaches = other.near;
        for (int axis = 0; axis < 3; ++axis) {
            const int at = place[axis] - kBlockEdge * offset[axis] + 1;
            reaches = reaches && at >= 0 && at < kArenaEdge;
            node = kArenaEdge * node + static_cast<std::size_t>(at);
        }
        if (!reaches || !(other.watchers[node].square < nearest))
            continue;
        const Watcher& watcher = other.watchers[node];
        nearest = watcher.square;
        found = state_->cornerOf(beside) +
                state_->settings.cellSize * Vec3d{watcher.x[0], watcher.x[1], watcher.x[2]};
    }
    return found;
}

void ThinWalls::apply(const Block& block, std::uint16_t field, const Reader& seen,
                      ContactRecord& record, std::size_t slot, float* nodes) const
{
    const double h = state_->settings.cellSize;
    PointBatch after;
    after.count = kBlockNodes;
    after.corner = state_->cornerOf(block);
    const sdk::grid::Block<Nodes> values(nodes);
    std::vector<Side> sides;
    std::array<std::size_t, kBlockNodes + 1> first{}; // of each node's sides
    for (int n = 0; n < kBlockNodes; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        const Vec3d place{static_cast<double>(index[0]), static_cast<double>(index[1]),
                          static_cast<double>(index[2])};
        for (int axis = 0; axis < 3; ++axis) {
            after.x[axis][n] = static_cast<float>(place[axis] * h);
            after.v[axis][n] = values.at<Velocity>(n, axis);
        }
        after.mass[n] = values.at<Mass>(n);
        const Vec3d x = after.corner + h * (place + kBeside);
        if (after.mass[n] > 0 && field == kSeen)
            addSides(x, x, after.corner, seen, sides);
        else if (const auto watcher = after.mass[n] > 0 ? watcherOf(block, index) : std::nullopt)
            if (const auto from = meetingPlace(*watcher, x))
                addSides(x, *from, after.corner, seen, sides);
        first[static_cast<std::size_t>(n) + 1] = sides.size();
    }
    for (std::size_t w = 0; w < walls_.size() && !sides.empty(); ++w) {
        const PointBatch before = after;
        ColliderSample sample;
        for (int n = 0; n < kBlockNodes; ++n) {
            const auto node = static_cast<std::size_t>(n);
            meet(w, field, std::span(sides).subspan(first[node], first[node + 1] - first[node]), n,
                 after, sample);
        }
        if (record.isOn())
            record.add(slot, walls_[w].number, sample, before, after);
    }
    for (int n = 0; n < kBlockNodes; ++n)
        if (after.mass[n] > 0)
            for (int axis = 0; axis < 3; ++axis)
                values.at<Velocity>(n, axis) = after.v[axis][n];
}

/// Lets a node meet one wall. @param sample  out, the side that it meets first
void ThinWalls::meet(std::size_t wall, std::uint16_t field, std::span<const Side> sides, int n,
                     PointBatch& nodes, ColliderSample& sample) const
{
    constexpr int kRounds = 3; // what one side of a corner does changes what another has to do
    const auto& collider = *walls_[wall].collider;
    // Who sees a node may slide along the wall there: only what is hidden has gone too far.
    const Contact contact =
        field == kSeen && collider.contact == Contact::stick ? Contact::slip : collider.contact;
    sample.distance[n] = 1;
    for (int round = 0; round < kRounds; ++round)
        for (const Side& side : sides) {
            if (side.wall != wall)
                continue;
            if (sample.distance[n] > 0)
                sample.set(n, side.point);
            nodes.setVelocity(n, sdk::world::contactVelocity(nodes.velocity(n), side.point, contact,
                                                             collider.friction));
        }
}

/// Returns the place just before the first wall on a way; nothing: there is none.
std::optional<Vec3d> ThinWalls::meetingPlace(const Vec3d& from, const Vec3d& to) const
{
    double share = INFINITY;
    for (const Wall& wall : walls_)
        share = std::min(
            share,
            wall.collider->surface().crossed(toOwn(wall.pose, from), toOwn(wall.pose, to)).share);
    if (!(share <= 1))
        return {};
    const double before = kBefore * state_->settings.cellSize / length(to - from);
    return from + std::max(share - before, 0.0) * (to - from);
}

/// Adds the sides that walls turn to a node in one of its fields.
/// @param x       where it is looked for [m]
/// @param from    where who has this field of it meets walls: there, or on the way to it [m]
/// @param corner  of its block
void ThinWalls::addSides(const Vec3d& x, const Vec3d& from, const Vec3d& corner, const Reader& seen,
                         std::vector<Side>& sides) const
{
    const std::size_t first = sides.size();
    for (std::size_t w = 0; w < walls_.size(); ++w)
        addSides(w, from, kWithin, sides);
    for (std::size_t s = first; s < sides.size(); ++s) {
        Side& side = sides[s];
        const double growth = growthBefore(side, corner, seen);
        const Vec3d n = toDouble(side.point.normal);
        side.point.v = toFloat(side.v + (growth * dot(n, x - side.at)) * n);
    }
}

/// Returns how the normal velocity of matter relative to a wall grows with the distance from it
/// [1/s]; 0: there is none near.
double ThinWalls::growthBefore(const Side& side, const Vec3d& corner, const Reader& seen) const
{
    const double h = state_->settings.cellSize;
    const Vec3d n = toDouble(side.point.normal);
    const Vec3d x = side.at + (kSample * h) * n;
    const Wall& wall = walls_[side.wall];
    if (wall.collider->surface().crossed(toOwn(wall.pose, side.at + (kBefore * h) * n),
                                         toOwn(wall.pose, x)))
        return 0;
    int base[3];
    double f[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double place = (x[axis] - corner[axis]) / h;
        base[axis] = static_cast<int>(std::floor(place));
        f[axis] = place - base[axis];
        if (base[axis] < -kBlockEdge || base[axis] + 1 >= 2 * kBlockEdge)
            return 0;
    }
    double speed = 0, distance = 0;
    for (int corner8 = 0; corner8 < 8; ++corner8) {
        const int i[3] = {base[0] + (corner8 & 1), base[1] + (corner8 >> 1 & 1),
                          base[2] + (corner8 >> 2 & 1)};
        const double weight = (corner8 & 1 ? f[0] : 1 - f[0]) * (corner8 & 2 ? f[1] : 1 - f[1]) *
                              (corner8 & 4 ? f[2] : 1 - f[2]);
        const auto [v, mass] = seen(i[0], i[1], i[2]);
        const Vec3d at = corner + h * Vec3d{static_cast<double>(i[0]), static_cast<double>(i[1]),
                                            static_cast<double>(i[2])};
        const double far = dot(n, at - side.at);
        if (!(mass > 0) || far < kWithin * h)
            continue;
        speed += weight * dot(n, toDouble(v) - side.v);
        distance += weight * far;
    }
    return distance > 0.1 * h ? speed / distance : 0;
}

/// Adds the sides of a wall near a point, the nearest first.
/// @param within  how near [cells]
void ThinWalls::addSides(std::size_t number, const Vec3d& x, double within,
                         std::vector<Side>& sides) const
{
    const Wall& wall = walls_[number];
    const TriangleSurface& surface = wall.collider->surface();
    const Vec3d own = toOwn(wall.pose, x);
    const double reach = within * state_->settings.cellSize / wall.pose.scale;
    const auto nearest = surface.nearestTo(own, reach);
    if (!(nearest.distance > 0 && nearest.distance <= reach))
        return;
    const std::size_t first = sides.size();
    const auto add = [&](const Vec3d& at, double distance) {
        const Vec3d n = rotate(wall.pose.rotation, (1 / distance) * (own - at));
        const bool known = std::any_of(
            sides.begin() + static_cast<std::ptrdiff_t>(first), sides.end(),
            [&](const Side& side) { return dot(toDouble(side.point.normal), n) > kSame; });
        if (!known)
            sides.push_back({number,
                             toWorld(wall.pose, at),
                             wall.collider->velocityAt(at),
                             {-1, toFloat(n), {0, 0, 0}}});
    };
    add(nearest.x, nearest.distance);
    // Behind the nearest only faces are sides of their own: edges beside it are its edges.
    const Vec3d around{reach, reach, reach};
    surface.near(own - around, own + around, [&](std::uint32_t triangle) {
        const auto at = surface.nearestOn(triangle, own);
        const double distance = length(own - at.x);
        if (at.inside && distance > 0 && distance <= reach)
            add(at.x, distance);
    });
}

void ThinWalls::beginMove(std::size_t slot)
{
    Beside& beside = blocks_[slot];
    const Block& block = grid_->blocks[grid_->scatterList[slot]];
    beside.crosses = beside.near || std::any_of(walls_.begin(), walls_.end(), [&](const Wall& w) {
                         return !w.collider->rests() && passes(w, w.collider->later(), block);
                     });
    if (!beside.crosses)
        return;
    beside.before.resize(block.bins.size() * 3 * kLanes);
    for (std::size_t b = 0; b < block.bins.size(); ++b)
        std::copy_n(block.bins[b].rowAt(row::x), 3 * kLanes, beside.before.data() + b * 3 * kLanes);
}

/// @param from, to  a particle's way in the world [m]
/// @return whether it was stopped
bool ThinWalls::stop(const Vec3d& from, Vec3d& to, float (&v)[3]) const
{
    constexpr int kRounds = 3; // walls that move towards each other may hand it back
    const double gap = kGap * state_->settings.cellSize;
    bool stopped = false, again = true;
    for (int round = 0; round < kRounds && again; ++round) {
        again = false;
        for (const Wall& wall : walls_) {
            const auto& collider = *wall.collider;
            const floe_transform_key& later = collider.later();
            const auto end = sdk::world::stoppedBy(collider.surface(), toOwn(wall.pose, from),
                                                   toOwn(later, to), gap / later.scale);
            if (!end)
                continue;
            to = toWorld(later, end->x);
            const Vec3d n = rotate(later.rotation, end->normal), u = collider.velocityAt(end->at);
            const Vec3f kept = sdk::world::contactVelocity(
                Vec3f{v[0], v[1], v[2]}, {0, toFloat(n), toFloat(u)},
                collider.contact == Contact::stick ? Contact::stick : Contact::separate,
                collider.friction);
            for (int axis = 0; axis < 3; ++axis)
                v[axis] = kept[axis];
            stopped = again = true;
        }
    }
    return stopped;
}

std::uint64_t ThinWalls::endMove(std::size_t slot)
{
    const Beside& beside = blocks_[slot];
    if (!beside.crosses)
        return 0;
    const double h = state_->settings.cellSize;
    const Block& block = grid_->blocks[grid_->scatterList[slot]];
    const Vec3d corner = state_->cornerOf(block);
    std::uint64_t leaked = 0;
    for (std::size_t b = 0; b < block.bins.size(); ++b) {
        const BinRef& bin = block.bins[b];
        for (int lane = 0; lane < bin.count; ++lane) {
            if (!(bin.rowAt(row::mass)[lane] > 0))
                continue;
            Vec3d from, to;
            float v[3];
            for (int axis = 0; axis < 3; ++axis) {
                const auto at = b * 3 * kLanes + static_cast<std::size_t>(axis * kLanes + lane);
                from[axis] = corner[axis] + h * double{beside.before[at]};
                to[axis] = corner[axis] + h * double{bin.rowAt(row::x + axis)[lane]};
                v[axis] = bin.rowAt(row::v + axis)[lane];
            }
            if (!stop(from, to, v))
                continue;
            for (int axis = 0; axis < 3; ++axis) {
                const auto x = static_cast<float>((to[axis] - corner[axis]) / h);
                bin.rowAt(row::x + axis)[lane] = x;
                bin.rowAt(row::v + axis)[lane] = v[axis];
                to[axis] = corner[axis] + h * double{x};
            }
            leaked += std::any_of(walls_.begin(), walls_.end(), [&](const Wall& wall) {
                return bool(wall.collider->surface().crossed(toOwn(wall.pose, from),
                                                             toOwn(wall.collider->later(), to)));
            });
        }
    }
    return leaked;
}

void ThinWalls::endStep()
{
    for (Wall& wall : walls_)
        wall.pose = wall.collider->later();
}

} // namespace floe::mpm
