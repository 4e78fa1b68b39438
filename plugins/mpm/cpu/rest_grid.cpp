#include "rest_grid.hpp"

#include "saved_source.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace floe::mpm {

namespace {

/// The share of velocity that nodes at rest cannot represent, taken out in a step.
constexpr float kSmoothing = 0.1f;
constexpr std::size_t kPositions = std::size_t{3} * kLanes; ///< floats of a bin

} // namespace

RestGrid::RestGrid(CpuState& state, const BlockGrid& grid, MemorySource& memory)
    : state_(&state), grid_(&grid), arenas_(memory), nodes_(memory)
{}

void RestGrid::clear()
{
    bodies_.clear();
    blocks_.clear();
    full_.clear();
    positions_.clear();
    displacement_.clear();
    particles_.clear();
    motion_.reset();
    found_ = due_ = false;
    signalSpeed_ = 0;
}

std::size_t RestGrid::bytes() const
{
    return arenas_.bytes() + nodes_.bytes() +
           (positions_.capacity() + displacement_.capacity()) * sizeof(float) +
           particles_.size() * (sizeof(float*) + sizeof(RestMotion)) +
           blocks_.capacity() * sizeof(RestBlock);
}

std::vector<std::uint32_t> RestGrid::add(const NewParticles& p, std::uint32_t firstId)
{
    const double h = state_->settings.cellSize;
    std::vector<BlockCoordinate> block(p.count);
    std::vector<std::uint32_t> order(p.count), place(p.count);
    for (std::size_t i = 0; i < p.count; ++i)
        block[i] = blockOfParticle(p.x + 3 * i, h);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return mortonOrder(block[a]) < mortonOrder(block[b]);
    });
    Body body{p.material, firstId, {}, {}, {}};
    auto next = static_cast<std::uint32_t>(particles_.size());
    for (const std::uint32_t i : order) {
        if (body.parts.empty() || body.parts.back().block != block[i]) {
            next = (next + kLanes - 1) / kLanes * kLanes;
            body.parts.push_back({block[i], 0});
        }
        ++body.parts.back().count;
        place[i] = next++;
        for (std::size_t axis = 0; axis < 3; ++axis)
            body.local.push_back(localPosition(p.x[3 * i + axis] / h).local);
    }
    restore(body);
    return place;
}

void RestGrid::restore(const Body& body)
{
    const std::size_t first = blocks_.size();
    const auto index = static_cast<std::uint32_t>(bodies_.size());
    bodies_.push_back({static_cast<std::uint16_t>(body.material), body.firstId});
    BlockMap map;
    const float* local = body.local.data();
    for (const Body::Part& part : body.parts) {
        map.insert(part.block, static_cast<std::int32_t>(blocks_.size()));
        RestBlock& block = blocks_.emplace_back();
        block.coordinate = part.block;
        block.arena = static_cast<std::int32_t>(full_.size());
        block.firstBin = static_cast<std::uint32_t>(positions_.size() / kPositions);
        block.particles = part.count;
        full_.push_back(static_cast<std::int32_t>(blocks_.size() - 1));
        const std::size_t begin = positions_.size();
        positions_.resize(begin + block.bins() * kPositions, 1.5f);
        for (std::size_t i = 0; i < part.count; ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                positions_[begin + i / kLanes * kPositions + axis * kLanes + i % kLanes] = *local++;
    }
    const std::size_t full = blocks_.size();
    for (std::size_t b = first; b < full; ++b)
        for (int o = 0; o < kOffsets; ++o) {
            const BlockCoordinate beside = neighbourOf(blocks_[b].coordinate, o);
            if (map.find(beside) >= 0)
                continue;
            map.insert(beside, static_cast<std::int32_t>(blocks_.size()));
            blocks_.emplace_back().coordinate = beside;
        }
    for (std::size_t b = first; b < blocks_.size(); ++b) {
        blocks_[b].body = index;
        for (int o = 0; o < kOffsets; ++o)
            blocks_[b].neighbour[static_cast<std::size_t>(o)] =
                map.find(neighbourOf(blocks_[b].coordinate, o));
    }
    const std::size_t moves = displacement_.size();
    displacement_.resize(blocks_.size() * kBlockFloats);
    if (!body.displacement.empty() && body.displacement.size() != displacement_.size() - moves)
        saved::refuse("is damaged");
    if (!body.displacement.empty())
        std::copy(body.displacement.begin(), body.displacement.end(),
                  displacement_.begin() + static_cast<std::ptrdiff_t>(moves));
    particles_.assign(positions_.size() / 3, nullptr);
    motion_ = std::make_unique<RestMotion[]>(particles_.size());
    arenas_.reserve(full_.size() * kArenaFloats, 0);
    nodes_.reserve(blocks_.size() * kBlockFloats, 0);
    found_ = false;
    due_ = true;
}

std::vector<RestGrid::Body> RestGrid::save() const
{
    std::vector<Body> saved;
    for (const BodyInfo& body : bodies_)
        saved.push_back({body.material, body.firstId, {}, {}, {}});
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        std::vector<float>& to = saved[blocks_[b].body].displacement;
        const auto from = displacement_.begin() + static_cast<std::ptrdiff_t>(b * kBlockFloats);
        to.insert(to.end(), from, from + kBlockFloats);
    }
    for (const std::int32_t b : full_) {
        const RestBlock& block = blocks_[static_cast<std::size_t>(b)];
        saved[block.body].parts.push_back({block.coordinate, block.particles});
        const float* const rows = positions_.data() + block.firstBin * kPositions;
        for (std::size_t i = 0; i < block.particles; ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                saved[block.body].local.push_back(
                    rows[i / kLanes * kPositions + axis * kLanes + i % kLanes]);
    }
    return saved;
}

bool RestGrid::isConsistent() const
{
    constexpr std::uint32_t kNobody = ~0u;
    std::vector<std::uint32_t> materialAt(particles_.size(), kNobody);
    for (const std::int32_t b : full_) {
        const RestBlock& block = blocks_[static_cast<std::size_t>(b)];
        std::fill_n(materialAt.begin() + std::ptrdiff_t{block.firstBin} * kLanes, block.particles,
                    bodies_[block.body].material);
    }
    for (const Block& block : grid_->blocks)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; bin.layout == Layout::whole && lane < bin.count; ++lane) {
                const auto place = std::bit_cast<std::uint32_t>(bin.rowAt(row::rest)[lane]);
                if (!(bin.rowAt(row::mass)[lane] > 0))
                    continue;
                if (place >= materialAt.size() || materialAt[place] != bin.material)
                    return false;
                materialAt[place] = kNobody;
            }
    return true;
}

void RestGrid::findParticles()
{
    std::fill(particles_.begin(), particles_.end(), nullptr);
    for (const Block& block : grid_->blocks)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; bin.layout == Layout::whole && lane < bin.count; ++lane)
                if (bin.rowAt(row::mass)[lane] > 0)
                    particles_[std::bit_cast<std::uint32_t>(bin.rowAt(row::rest)[lane])] =
                        bin.data + lane;
    found_ = true;
}

/// Returns the time for which a body's velocity has not yet been applied to F [s].
float RestGrid::strainStepOf(const RestBlock& block) const
{
    const bool moved = bodies_[block.body].firstId < state_->newFrom;
    return moved ? static_cast<float>(state_->strainStep) : 0;
}

RestTask RestGrid::taskOf(const RestBlock& block) const
{
    const BodyInfo& body = bodies_[block.body];
    RestTask task{};
    task.positions = positions_.data() + block.firstBin * kPositions;
    task.particles = particles_.data() + std::size_t{block.firstBin} * kLanes;
    task.binCount = block.bins();
    task.material = state_->materials.kernels() + body.material;
    task.cellSize = static_cast<float>(state_->settings.cellSize);
    task.strainStep = strainStepOf(block);
    task.smoothing = task.strainStep > 0 ? kSmoothing : 0;
    task.affine = state_->settings.transfer == Transfer::apic;
    for (std::size_t o = 0; o < 27; ++o)
        task.nodes[o] =
            block.neighbour[o] < 0
                ? nullptr
                : nodes_.data() + static_cast<std::size_t>(block.neighbour[o]) * kBlockFloats;
    task.arena = arenas_.data() + static_cast<std::size_t>(block.arena) * kArenaFloats;
    task.motion = motion_.get() + std::size_t{block.firstBin} * kLanes;
    return task;
}

/// Gives the nodes that are in what they stick to its velocity, and moves all. Nodes of this grid
/// are the body's own, so what holds some of them holds it without slip however far it is
/// stretched.
void RestGrid::holdNodes(std::size_t b)
{
    const RestBlock& block = blocks_[b];
    const double h = state_->settings.cellSize;
    PointBatch nodes;
    nodes.count = kBlockNodes;
    const double edge = h * kBlockEdge;
    nodes.corner = {block.coordinate[0] * edge, block.coordinate[1] * edge,
                    block.coordinate[2] * edge};
    float* const values = nodes_.data() + b * kBlockFloats;
    float* const moves = displacement_.data() + b * kBlockFloats;
    Vec3d low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    for (int n = 0; n < kBlockNodes; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        nodes.mass[n] = values[4 * n + 3];
        for (int axis = 0; axis < 3; ++axis) {
            nodes.x[axis][n] = static_cast<float>(index[axis] * h) + moves[4 * n + axis];
            nodes.v[axis][n] = values[4 * n + axis];
            low[axis] = std::min(low[axis], double{nodes.x[axis][n]});
            high[axis] = std::max(high[axis], double{nodes.x[axis][n]});
        }
        moves[4 * n + 3] = 0;
    }
    const Vec3d center = nodes.corner + 0.5 * (low + high);
    const double radius = 0.5 * physics::length(high - low) * 1.001;
    const auto hold = [&](int n, const sdk::world::Vec3f& v) {
        moves[4 * n + 3] = 1;
        for (int axis = 0; axis < 3; ++axis)
            values[4 * n + axis] = v[axis];
    };
    for (const auto& collider : state_->surroundings.colliders) {
        if (collider->contact != Contact::stick || !collider->mayTouch(center, radius) ||
            dynamic_cast<const sdk::world::CoupledBodies*>(collider.get()))
            continue;
        ColliderSample sample;
        collider->sample(nodes, sample);
        for (int n = 0; n < kBlockNodes; ++n)
            if (nodes.mass[n] > 0 && !(sample.distance[n] > 0))
                hold(n, sample.at(n).v);
    }
    const Domain& domain = state_->surroundings.domain;
    for (int face = 0; face < 6 && domain.nearWall(center, radius); ++face) {
        if (!domain.isWall(face) || domain.faces[face] != Contact::stick)
            continue;
        const sdk::world::Wall wall(domain, face, nodes.corner);
        for (int n = 0; n < kBlockNodes; ++n)
            if (nodes.mass[n] > 0 && !(wall.distance(nodes.offset(n)) > 1e-3 * h))
                hold(n, {0, 0, 0});
    }
    const float dt = strainStepOf(block);
    for (int n = 0; n < kBlockNodes; ++n)
        for (int axis = 0; axis < 3; ++axis)
            moves[4 * n + axis] += dt * values[4 * n + axis];
}

/// @param finish  called with each block once its nodes are summed
template <class Finish>
void RestGrid::sumNodes(const Finish& finish)
{
    state_->executor->parallelFor(blocks_.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            GridTask task{};
            for (std::size_t o = 0; o < 27; ++o) {
                const std::int32_t n = blocks_[b].neighbour[o];
                const std::int32_t from = n < 0 ? -1 : blocks_[static_cast<std::size_t>(n)].arena;
                if (from >= 0)
                    task.arenas[o] = arenas_.data() + static_cast<std::size_t>(from) * kArenaFloats;
            }
            task.nodes = nodes_.data() + b * kBlockFloats;
            state_->kernels().grid(task);
            finish(b);
        }
    });
}

void RestGrid::update()
{
    if (!any() || (found_ && !due_))
        return;
    if (!found_)
        findParticles();
    const RestKernels& kernels = *state_->kernels().rest;
    const auto forFull = [&](const auto& work) {
        state_->executor->parallelFor(full_.size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                work(i, taskOf(blocks_[static_cast<std::size_t>(full_[i])]));
        });
    };
    forFull([&](std::size_t, const RestTask& task) { kernels.momentum(task); });
    sumNodes([&](std::size_t b) { holdNodes(b); });
    std::vector<float> speed(full_.size());
    forFull([&](std::size_t i, const RestTask& task) { speed[i] = kernels.force(task); });
    sumNodes([&](std::size_t b) {
        float* const nodes = nodes_.data() + b * kBlockFloats;
        const float* const moves = displacement_.data() + b * kBlockFloats;
        for (int n = 0; n < kBlockNodes; ++n)
            for (int axis = 0; axis < 3 && moves[4 * n + 3] != 0; ++axis)
                nodes[4 * n + axis] = 0;
    });
    forFull([&](std::size_t, const RestTask& task) { kernels.motion(task); });
    const auto fastest = std::max_element(speed.begin(), speed.end());
    const auto block = static_cast<std::size_t>(full_[std::size_t(fastest - speed.begin())]);
    signalSpeed_ = static_cast<double>(*fastest);
    signalMaterial_ = bodies_[blocks_[block].body].material;
    due_ = false;
}

} // namespace floe::mpm
