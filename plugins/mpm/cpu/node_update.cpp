// The grid part of a step: sums of arenas at nodes, contact, and walls that mirror.

#include "cost_clock.hpp"
#include "nodes_around.hpp"
#include "transfer.hpp"

#include <floe/sdk/physics/pack.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace floe::mpm {

namespace {

/// Returns the largest of a list, at least 0.
template <class T>
T largestOf(const std::vector<T>& all)
{
    T largest = 0;
    for (const T a : all)
        largest = std::max(largest, a);
    return largest;
}

} // namespace

void Transfers::updateGrid(double time, double dt)
{
    const std::vector<std::int32_t>& list = grid_->gridList;
    takeArenas();
    makeNodes(0);
    findMirrored();
    if (bodies_.on())
        bodies_.measure();
    contact_->record().begin(nodesCount());
    if (contact_->coupled().any())
        moveCoupled(time, dt);
    const auto contactsOf = [&](std::size_t slot) -> const std::vector<StaticContact>& {
        return grid_->blocks[list[slot]].contacts;
    };
    state_->executor->parallelFor(list.size(), 16, [&](std::size_t begin, std::size_t end) {
        std::optional<CostClock> clock;
        if (state_->timesPasses())
            clock.emplace();
        for (std::size_t slot = begin; slot < end; ++slot) {
            // Contacts lie in memory in the order in which blocks were created or woken.
            if (slot + 2 < end)
                __builtin_prefetch(contactsOf(slot + 2).data());
            if (slot + 1 < end)
                for (const StaticContact& contact : contactsOf(slot + 1))
                    for (int i = 0; contact.nodes && i < kBlockNodes; i += kLanes)
                        __builtin_prefetch(contact.nodes->distance + i);
            updateNodesOf(slot, time, dt);
        }
        const float each = clock ? clock->lap() / static_cast<float>(end - begin) : 0;
        for (std::size_t slot = begin; clock && slot < end; ++slot)
            grid_->blocks[list[slot]].spent += each;
    });
    if (mirrorsAny())
        updateMirrored(time, dt);
    if (walls_->any())
        meetThinWalls();
    summariseNodes();
}

/// Finds the velocities of bodies that nodes push, from the sums of the nodes near them.
void Transfers::moveCoupled(double time, double dt)
{
    CoupledContact& coupled = contact_->coupled();
    coupled.begin(nodesCount());
    const double h = state_->settings.cellSize;
    std::vector<std::size_t> near;
    for (std::size_t slot = 0; slot < grid_->gridList.size(); ++slot) {
        const Vec3d corner = state_->cornerOf(grid_->blocks[grid_->gridList[slot]]);
        if (coupled.mayTouch(corner + (1.5 * h) * Vec3d{1, 1, 1}, 1.5 * std::sqrt(3.0) * h * 1.001))
            near.push_back(slot);
    }
    std::vector<std::vector<CoupledContact::Node>> nodes(near.size());
    state_->executor->parallelFor(near.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            sumNodesOf(near[i], dt);
            forFieldsOf(near[i], [&](std::uint16_t, std::size_t own) {
                contact_->findCoupled(grid_->blocks[grid_->gridList[near[i]]],
                                      nodes_.data() + own * kBlockFloats, time, dt, nodes[i]);
            });
        }
    });
    coupled.solve(nodes);
}

void Transfers::updateNodes(std::span<const std::int32_t> slots, std::size_t kept, double time,
                            double dt)
{
    makeNodes(kept);
    findMirrored();
    contact_->coupled().grow(nodesCount());
    contact_->record().grow(nodesCount());
    state_->executor->parallelFor(slots.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            updateNodesOf(static_cast<std::size_t>(slots[i]), time, dt);
    });
    // What mirrored nodes were summed from is no longer there: those of all blocks are made anew.
    if (mirrorsAny()) {
        forMirrored([&](std::size_t slot) { sumNodesOf(slot, dt); });
        updateMirrored(time, dt);
    }
    summariseNodes();
}

std::size_t Transfers::nodesCount() const
{
    return bodies_.on() ? bodies_.nodesCount() : grid_->gridList.size();
}

template <class Work>
void Transfers::forFieldsOf(std::size_t slot, const Work& work) const
{
    // Nodes that nobody reaches are nobody's, and have to be cleared all the same.
    if (!bodies_.on() || bodies_.fieldsOf(slot).empty()) {
        work(std::uint16_t{0}, slot);
        return;
    }
    for (const BodyFields::Field& field : bodies_.fieldsOf(slot))
        work(field.body, static_cast<std::size_t>(field.nodes));
}

/// Returns the number of a body's nodes in a block; -1: none.
std::int32_t Transfers::nodesOf(const Block& block, std::uint16_t body) const
{
    return block.nodes < 0 || !bodies_.on() ? block.nodes : bodies_.nodesOf(block.nodes, body);
}

void Transfers::makeNodes(std::size_t kept)
{
    const std::size_t floats = nodesCount() * kBlockFloats;
    const std::size_t largest = std::max(floats, grid_->blocks.size() * kBlockFloats);
    nodes_.reserve(floats, kept * kBlockFloats, largest);
    if (state_->blendsFlip())
        before_.reserve(floats, kept * kBlockFloats, largest);
    nodeComponent_.resize(nodesCount());
    nodeFinite_.resize(nodesCount());
}

GridTask Transfers::gridTask(const Block& block) const
{
    GridTask task{};
    const std::size_t each = arenasEach(), stride = each * kArenaFloats;
    const float* const first = arenas_.data();
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        const std::int32_t from = n < 0 ? -1 : grid_->blocks[n].arena;
        task.arenas[o] = from < 0 ? nullptr : first + static_cast<std::size_t>(from) * stride;
    }
    for (int o = 0; each == 2 && o < 27; ++o)
        task.arenasBefore[o] = task.arenas[o] ? task.arenas[o] + kArenaFloats : nullptr;
    return task;
}

/// The same of one body's arenas.
GridTask Transfers::gridTask(const Block& block, std::uint16_t body) const
{
    GridTask task{};
    for (int o = 0; o < 27; ++o) {
        const std::int32_t n = block.neighbour[o];
        const std::int32_t slot = n < 0 ? -1 : grid_->blocks[n].arena;
        const std::int32_t from = slot < 0 ? -1 : bodies_.arenaOf(slot, body);
        if (from < 0)
            continue;
        task.arenas[o] = arena(static_cast<std::size_t>(from));
        task.arenasBefore[o] = arenaBefore(static_cast<std::size_t>(from));
    }
    return task;
}

void Transfers::sumNodesOf(std::size_t slot, double dt)
{
    const Block& block = grid_->blocks[grid_->gridList[slot]];
    if (held_.on && held_.placeOf[slot] >= 0) {
        sumSharedOf(slot, dt);
        return;
    }
    if (!bodies_.isShared(slot)) {
        sumNodesOf(gridTask(block), slot, dt);
        return;
    }
    forFieldsOf(slot, [&](std::uint16_t body, std::size_t own) {
        sumNodesOf(gridTask(block, body), own, dt);
    });
}

/// @param nodes  their number among those of all blocks
void Transfers::sumNodesOf(const GridTask& arenas, std::size_t nodes, double dt)
{
    const SolverSettings& settings = state_->settings;
    GridTask task = arenas;
    task.nodes = nodes_.data() + nodes * kBlockFloats;
    task.before = state_->blendsFlip() ? before_.data() + nodes * kBlockFloats : nullptr;
    for (int axis = 0; axis < 3; ++axis)
        task.velocityChange[axis] = static_cast<float>(settings.gravity[axis] * dt);
    state_->kernels().grid(task);
}

void Transfers::updateNodesOf(std::size_t slot, double time, double dt)
{
    sumNodesOf(slot, dt);
    if (mirrored_[slot])
        return;
    meetNodesOf(slot, 0, time, dt);
    const Block& block = grid_->blocks[grid_->gridList[slot]];
    forFieldsOf(slot, [&](std::uint16_t, std::size_t own) { measureNodesOf(block, own); });
}

void Transfers::findMirrored()
{
    mirror_ = MirrorWalls(state_->surroundings.domain, state_->settings.cellSize);
    surfacesMirror_ = state_->surfacesMirror();
    mirrored_.assign(grid_->gridList.size(), 0);
    if (!mirrorsAny())
        return;
    state_->executor->parallelFor(mirrored_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            const BlockCoordinate& at = grid_->blocks[grid_->gridList[slot]].coordinate;
            mirrored_[slot] =
                mirror_.concern(at.data()) || (surfacesMirror_ && images_.concern(at));
        }
    });
}

template <class Work>
void Transfers::forMirrored(const Work& work)
{
    state_->executor->parallelFor(mirrored_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot)
            if (mirrored_[slot] == 1)
                work(slot);
    });
}

void Transfers::updateMirrored(double time, double dt)
{
    if (surfacesMirror_)
        foldSurfaces();
    forMirrored([&](std::size_t slot) { foldNodesOf(slot, time, dt); });
    if (surfacesMirror_)
        forFieldsAround(images_.reached(),
                        [&](std::size_t slot, std::size_t own, const NodesAround& around) {
                            images_.extend(slot, own, around, nodes_.data() + own * kBlockFloats);
                        });
    forMirrored([&](std::size_t slot) {
        const Block& block = grid_->blocks[grid_->gridList[slot]];
        const bool walls = mirror_.any() && mirror_.concern(block.coordinate.data());
        forFieldsOf(slot, [&](std::uint16_t body, std::size_t own) {
            if (walls)
                extendNodesOf(block, body, nodes_.data() + own * kBlockFloats);
            measureNodesOf(block, own);
        });
    });
}

/// Calls work(slot, number of a body's nodes, these and those around) for some blocks.
template <class Work>
void Transfers::forFieldsAround(std::span<const std::uint32_t> slots, const Work& work)
{
    state_->executor->parallelFor(slots.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (const std::uint32_t slot : slots.subspan(begin, end - begin)) {
            const Block& block = grid_->blocks[grid_->gridList[slot]];
            forFieldsOf(slot, [&](std::uint16_t body, std::size_t own) {
                work(slot, own, NodesAround(block, *grid_, nodes_.data(), [&](const Block& beside) {
                         return nodesOf(beside, body);
                     }));
            });
        }
    });
}

/// Nodes before surfaces that mirror take the mass of their images.
void Transfers::foldSurfaces()
{
    images_.begin(grid_->gridList.size(), nodesCount());
    forMirrored([&](std::size_t slot) {
        float mass[kBlockNodes] = {};
        forFieldsOf(slot, [&](std::uint16_t, std::size_t own) {
            const sdk::grid::Block<const Nodes> values(nodes_.data(), own);
            for (int n = 0; n < kBlockNodes; ++n)
                mass[n] += values.at<Mass>(n);
        });
        images_.find(slot, mass);
    });
    images_.list(mirrored_);
    forFieldsAround(images_.near(),
                    [&](std::size_t slot, std::size_t own, const NodesAround& around) {
                        images_.choose(slot, own, around);
                    });
    forFieldsAround(images_.reached(),
                    [&](std::size_t, std::size_t own, const NodesAround& around) {
                        images_.fold(own, around, nodes_.data() + own * kBlockFloats);
                    });
}

namespace {

/// Calls f(node's number, its place, its MirrorStencil) for each node of a block.
/// @param stencilOf  AxisStencil(const MirrorAxis&, double node)
template <class StencilOf, class Function>
void forEachMirrored(const MirrorWalls& mirror, const BlockCoordinate& block, StencilOf&& stencilOf,
                     Function&& f)
{
    AxisStencil stencil[3][kBlockEdge];
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < kBlockEdge; ++i)
            stencil[axis][i] = stencilOf(
                mirror.axis(axis), MirrorWalls::nodeAt(block[static_cast<std::size_t>(axis)], i));
    for (int n = 0; n < kBlockNodes; ++n) {
        const int place[3] = {n / 16, n / 4 % 4, n % 4};
        f(n, place,
          MirrorStencil{{stencil[0][place[0]], stencil[1][place[1]], stencil[2][place[2]]}});
    }
}

} // namespace

/// Nodes before the walls take the mass of their images, and contact. In place: nodes before walls
/// read nodes behind them, which are left as they are.
void Transfers::foldNodesOf(std::size_t slot, double time, double dt)
{
    Block& block = grid_->blocks[grid_->gridList[slot]];
    std::uint64_t behind = 0;
    const bool walls = mirror_.any() && mirror_.concern(block.coordinate.data());
    if (walls)
        forFieldsOf(slot, [&](std::uint16_t body, std::size_t own) {
            behind = foldImages(block, body, nodes_.data() + own * kBlockFloats);
        });
    meetNodesOf(slot, behind, time, dt);
    if (walls)
        forFieldsOf(slot, [&](std::uint16_t, std::size_t own) {
            holdNodes(block, behind, nodes_.data() + own * kBlockFloats);
        });
}

/// Applies contact to a block's nodes: of bodies with each other, with forces, colliders, walls.
/// @param left  a bit for each node that is left as it is
void Transfers::meetNodesOf(std::size_t slot, std::uint64_t left, double time, double dt)
{
    Block& block = grid_->blocks[grid_->gridList[slot]];
    if (bodies_.isShared(slot) && !walls_->any())
        bodies_.meet(slot, nodes_.data(), left, dt);
    forFieldsOf(slot, [&](std::uint16_t, std::size_t own) {
        float* const nodes = nodes_.data() + own * kBlockFloats;
        contact_->apply(block, nodes, own, time, dt, left,
                        surfacesMirror_ && mirrored_[slot] ? images_.samplesOf(slot)
                                                           : std::span<const MovingSample>());
    });
}

/// @return a bit for each node behind a wall
std::uint64_t Transfers::foldImages(const Block& block, std::uint16_t body, float* nodes) const
{
    const sdk::grid::Block<Nodes> values(nodes);
    const NodesAround around(block, *grid_, nodes_.data(),
                             [&](const Block& beside) { return nodesOf(beside, body); });
    std::uint64_t behind = 0;
    forEachMirrored(
        mirror_, block.coordinate,
        [](const MirrorAxis& axis, double node) { return axis.fold(node); },
        [&](int n, const int(&place)[3], const MirrorStencil& images) {
            if (images.isEmpty()) {
                behind |= std::uint64_t{1} << n;
                return;
            }
            const auto at = [&](int x, int y, int z) {
                return around.at(place[0] + x, place[1] + y, place[2] + z);
            };
            const MirrorStencil stencil = images.where(at);
            if (stencil.isTrivial())
                return;
            const auto v = stencil.folded(at);
            for (int axis = 0; axis < 3; ++axis)
                values.at<Velocity>(n, axis) = v[axis];
        });
    return behind;
}

/// Applies contact with thin walls, which look at nodes around a block: all first, then all change.
void Transfers::meetThinWalls()
{
    std::vector<std::size_t> shared, first;
    std::size_t count = 0;
    for (std::size_t slot = 0; slot < grid_->gridList.size(); ++slot)
        if (bodies_.isShared(slot)) {
            shared.push_back(slot);
            first.push_back(count);
            count += bodies_.fieldsOf(slot).size();
        }
    metNodes_.resize(count * kBlockFloats);
    const auto forShared = [&](const auto& work) {
        state_->executor->parallelFor(shared.size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                float* met = metNodes_.data() + first[i] * kBlockFloats;
                for (const BodyFields::Field& field : bodies_.fieldsOf(shared[i])) {
                    const auto own = static_cast<std::size_t>(field.nodes);
                    work(grid_->blocks[grid_->gridList[shared[i]]], field.body, own, met);
                    met += kBlockFloats;
                }
            }
        });
    };
    forShared([&](const Block& block, std::uint16_t field, std::size_t own, float* met) {
        const NodesAround around(block, *grid_, nodes_.data(), [&](const Block& beside) {
            return nodesOf(beside, ThinWalls::kSeen);
        });
        std::copy_n(nodes_.data() + own * kBlockFloats, kBlockFloats, met);
        walls_->apply(
            block, field, [&](int x, int y, int z) { return around.at(x, y, z); },
            contact_->record(), own, met);
    });
    forShared([&](const Block& block, std::uint16_t, std::size_t own, const float* met) {
        std::copy_n(met, kBlockFloats, nodes_.data() + own * kBlockFloats);
        measureNodesOf(block, own);
    });
}

/// Takes from nodes on walls what these take.
void Transfers::holdNodes(const Block& block, std::uint64_t behind, float* nodes) const
{
    const sdk::grid::Block<Nodes> values(nodes);
    for (int n = 0; n < kBlockNodes; ++n) {
        const sdk::world::Vec3f v{values.at<Velocity>(n, 0), values.at<Velocity>(n, 1),
                                  values.at<Velocity>(n, 2)};
        if (behind >> n & 1)
            continue;
        const auto held = mirror_.hold(block.coordinate.data(), n / 16, n / 4 % 4, n % 4, v);
        for (int axis = 0; axis < 3; ++axis)
            values.at<Velocity>(n, axis) = held[axis];
    }
}

/// Nodes behind walls continue those before them.
void Transfers::extendNodesOf(const Block& block, std::uint16_t body, float* nodes) const
{
    const sdk::grid::Block<Nodes> values(nodes);
    const NodesAround around(block, *grid_, nodes_.data(),
                             [&](const Block& beside) { return nodesOf(beside, body); });
    forEachMirrored(
        mirror_, block.coordinate,
        [](const MirrorAxis& axis, double node) { return axis.extend(node); },
        [&](int n, const int(&place)[3], const MirrorStencil& images) {
            if (images.isTrivial() || !(values.at<Mass>(n) > 0))
                return;
            const auto at = [&](int x, int y, int z) {
                return around.at(place[0] + x, place[1] + y, place[2] + z);
            };
            const auto v = images.where(at).extended(at);
            for (int axis = 0; axis < 3; ++axis)
                values.at<Velocity>(n, axis) = v[axis];
        });
}

/// Gives nodes the mass that they would have if the mirror image of all matter were behind the
/// walls. First nodes before them, which read nodes behind, then those, which read nodes before.
void Transfers::completeMasses()
{
    for (const bool behind : {false, true})
        forMirrored([&](std::size_t slot) {
            const Block& block = grid_->blocks[grid_->gridList[slot]];
            forFieldsOf(slot, [&](std::uint16_t body, std::size_t own) {
                completeMassesOf(block, body, behind, nodes_.data() + own * kBlockFloats);
            });
        });
}

/// @param behind  whether nodes behind walls are meant, or those before and on them
void Transfers::completeMassesOf(const Block& block, std::uint16_t body, bool behind,
                                 float* nodes) const
{
    const sdk::grid::Block<Nodes> values(nodes);
    const NodesAround around(block, *grid_, nodes_.data(),
                             [&](const Block& beside) { return nodesOf(beside, body); });
    forEachMirrored(
        mirror_, block.coordinate,
        [&](const MirrorAxis& axis, double node) {
            return behind ? axis.wholeBehind(node) : axis.whole(node);
        },
        [&](int n, const int(&place)[3], const MirrorStencil& images) {
            bool deep = false;
            for (int axis = 0; axis < 3; ++axis)
                deep = deep || mirror_.axis(axis).isDeep(MirrorWalls::nodeAt(
                                   block.coordinate[static_cast<std::size_t>(axis)], place[axis]));
            if (deep ||
                mirror_.isBehind(block.coordinate.data(), place[0], place[1], place[2]) != behind)
                return;
            const auto at = [&](int x, int y, int z) {
                return around.at(place[0] + x, place[1] + y, place[2] + z);
            };
            values.at<Mass>(n) = images.where(at).mass(at);
        });
}

/// The fastest node of a block. @param slot  of its nodes among those of all blocks and bodies
void Transfers::measureNodesOf(const Block& block, std::size_t slot)
{
    if (block.owner != state_->ownership.rank()) {
        nodeComponent_[slot] = 0; // its owner knows
        nodeFinite_[slot] = 1;
        return;
    }
    // A node's four numbers at once, of which the last is the mass.
    using Node = physics::Pack<float, kNodeFloats>;
    const float* const nodes = nodes_.data() + slot * kBlockFloats;
    Node largest(0.0f), finite(1.0f);
    const std::uint64_t known = state_->ownership.byParticles ? grid_->feltNodes(block) : ~0ull;
    for (int n = 0; n < kBlockNodes; ++n) {
        if (!(known >> n & 1))
            continue;
        const Node a = abs(Node::load(nodes + kNodeFloats * n));
        largest = select(a > largest, a, largest); // not where it is not a number
        finite = select(a < Node(1e30f), finite, Node(0.0f));
    }
    nodeComponent_[slot] = std::max({largest[0], largest[1], largest[2]});
    nodeFinite_[slot] = finite[0] > 0 && finite[1] > 0 && finite[2] > 0;
}

void Transfers::summariseNodes()
{
    Bounds& bounds = state_->bounds;
    bounds.nodeComponent = largestOf(nodeComponent_);
    bounds.nodesFinite = std::find(nodeFinite_.begin(), nodeFinite_.end(), 0) == nodeFinite_.end();
}

void Transfers::measureNodes()
{
    for (std::size_t i = 0; i < grid_->gridList.size(); ++i)
        measureNodesOf(grid_->blocks[grid_->gridList[i]], i);
    summariseNodes();
}

} // namespace floe::mpm
