// What activation strategies are asked and how their answers are carried out.

#include "activation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace floe::mpm {

ActivationRequest Solver::activationRequest() const
{
    ActivationRequest request;
    for (const Block& block : blocks_) {
        if (block.particles == 0)
            continue;
        const bool boundary = block.state == BlockState::boundary;
        request.block.insert(request.block.end(), block.coordinate.begin(), block.coordinate.end());
        request.maxSpeed.push_back(block.state == BlockState::active ? block.speed : 0);
        request.restTime.push_back(block.restTime);
        request.pushKnown.push_back(boundary);
        request.pushSpeed.push_back(boundary ? block.pushSpeed : 0);
        float sound = 0;
        std::uint32_t liquid = 0;
        for (const BinRef& bin : block.bins) {
            sound = std::max(sound, materialSound_[bin.material]);
            liquid += isLiquid(bin.layout) ? bin.count : 0u;
        }
        request.soundSpeed.push_back(sound);
        request.liquidShare.push_back(static_cast<float>(liquid) /
                                      static_cast<float>(block.particles));
        request.cells.push_back(block.state == BlockState::active ? 0 : occupiedCells(block));
        request.state.push_back(static_cast<std::uint8_t>(block.state));
    }
    return request;
}

/// The colliders that move, where they are now.
std::vector<std::shared_ptr<Collider>> Solver::movingNow() const
{
    for (const auto& collider : colliders_)
        collider->moveTo(time_, lastStep_ > 0 ? lastStep_ : settings_.longestStep);
    return movingOf(colliders_);
}

SpeedField Solver::speedField() const
{
    std::vector<std::array<float, kBlockNodes>> cells(blocks_.size());
    std::vector<std::uint8_t> moves(blocks_.size());
    std::vector<std::shared_ptr<Collider>> moving;
    if (settings_.wakeSpeed <= 0)
        moving = movingNow();
    executor_->parallelFor(blocks_.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            cells[i] = {};
            if (blocks_[i].state == BlockState::active)
                findCellSpeeds(blocks_[i], cells[i]);
            raiseToColliders(moving, settings_.cellSize, blocks_[i].coordinate, settings_.cellSize,
                             cells[i]);
            moves[i] = *std::max_element(cells[i].begin(), cells[i].end()) > 0;
        }
    });
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (moves[i])
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blocks_[a].coordinate < blocks_[b].coordinate;
    });
    SpeedField field;
    for (const std::size_t i : order) {
        const BlockCoordinate& c = blocks_[i].coordinate;
        field.block.insert(field.block.end(), c.begin(), c.end());
        field.speed.insert(field.speed.end(), cells[i].begin(), cells[i].end());
    }
    return field;
}

namespace {

/// A cell is centred on a node: cell 0 is [0.5, 1.5) from the block's first node, so that a block's
/// particles are those of its cells.
int cellOf(const BinRef& bin, int lane)
{
    int cell = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float x = bin.rowAt(row::x + axis)[lane] - 0.5f;
        cell = 4 * cell + static_cast<int>(std::min(3.0f, std::max(0.0f, x)));
    }
    return cell;
}

} // namespace

/// The mean speed of the particles of each cell, by mass.
void Solver::findCellSpeeds(const Block& block, std::array<float, kBlockNodes>& speed) const
{
    std::array<float, kBlockNodes> mass{};
    for (const BinRef& bin : block.bins) {
        float momentum[kLanes];
        int cells[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) { // free lanes have no mass
            float v2 = 0;
            for (int axis = 0; axis < 3; ++axis)
                v2 += bin.rowAt(row::v + axis)[lane] * bin.rowAt(row::v + axis)[lane];
            cells[lane] = cellOf(bin, lane);
            momentum[lane] = bin.rowAt(row::mass)[lane] * std::sqrt(v2);
        }
        for (int lane = 0; lane < bin.count; ++lane) {
            const auto cell = static_cast<std::size_t>(cells[lane]);
            mass[cell] += bin.rowAt(row::mass)[lane];
            speed[cell] += momentum[lane];
        }
    }
    for (int cell = 0; cell < kBlockNodes; ++cell)
        speed[cell] = mass[cell] > 0 ? speed[cell] / mass[cell] : 0;
}

std::vector<std::shared_ptr<Collider>>
movingOf(std::span<const std::shared_ptr<Collider>> colliders)
{
    std::vector<std::shared_ptr<Collider>> moving;
    for (const auto& collider : colliders)
        if (collider->topSpeed() > 0)
            moving.push_back(collider);
    return moving;
}

double fastestOf(std::span<const std::shared_ptr<Collider>> colliders)
{
    double fastest = 0;
    for (const auto& collider : colliders)
        fastest = std::max(fastest, collider->topSpeed());
    return fastest;
}

void raiseToColliders(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                      const BlockCoordinate& block, double reach,
                      std::array<float, kBlockNodes>& speed)
{
    const double h = cellSize, edge = kBlockEdge * h;
    const Vec3d corner{block[0] * edge, block[1] * edge, block[2] * edge};
    const Vec3d center = corner + (2.5 * h) * Vec3d{1, 1, 1};
    const double radius = 1.5 * std::sqrt(3.0) * h * 1.001 + reach;
    PointBatch batch;
    batch.count = 0;
    for (const auto& collider : colliders) {
        if (!collider->mayTouch(center, radius))
            continue;
        if (batch.count == 0) {
            batch.count = kBlockNodes;
            batch.corner = corner;
            for (int n = 0; n < kBlockNodes; ++n) {
                const int index[3] = {n / 16, n / 4 % 4, n % 4};
                for (int axis = 0; axis < 3; ++axis) {
                    batch.x[axis][n] = static_cast<float>((index[axis] + 1) * h);
                    batch.v[axis][n] = 0;
                }
                batch.mass[n] = 1;
            }
        }
        float near[kBlockNodes];
        collider->speedNear(batch, reach, near);
        for (int n = 0; n < kBlockNodes; ++n)
            speed[n] = std::max(speed[n], near[n]);
    }
}

float speedAtNodes(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                   const BlockCoordinate& block, double reach, const ArenaSet& nodes, float enough)
{
    const double h = cellSize, edge = kBlockEdge * h;
    PointBatch batch;
    batch.corner = {block[0] * edge, block[1] * edge, block[2] * edge};
    const Vec3d center = batch.corner + (2.5 * h) * Vec3d{1, 1, 1};
    float most = 0;
    for (const auto& collider : colliders) {
        // No particle is farther from the nearest of its nodes than half a cell's diagonal.
        const double far =
            reach + (collider->particles == ParticleContact::none ? 0 : std::sqrt(0.75) * h);
        if (!collider->mayTouch(center, 3.5 * std::sqrt(3.0) * h * 1.001 + far))
            continue;
        batch.count = 0;
        for (int n = 0; n < kArenaNodes && most <= enough; ++n) {
            if (nodes[static_cast<std::size_t>(n)]) {
                const int index[3] = {n / 64 - 1, n / 8 % 8 - 1, n % 8 - 1};
                for (int axis = 0; axis < 3; ++axis) {
                    batch.x[axis][batch.count] = static_cast<float>(index[axis] * h);
                    batch.v[axis][batch.count] = 0;
                }
                batch.mass[batch.count++] = 1;
            }
            if (batch.count < PointBatch::kMax && n + 1 < kArenaNodes)
                continue;
            float near[PointBatch::kMax];
            collider->speedNear(batch, far, near);
            for (int i = 0; i < batch.count; ++i)
                most = std::max(most, near[i]);
            batch.count = 0;
        }
    }
    return most;
}

float largestSpeed(const std::array<float, kBlockNodes>& speed, std::uint64_t cells)
{
    float most = 0;
    for (unsigned cell = 0; cell < kBlockNodes; ++cell)
        if (cells >> cell & 1)
            most = std::max(most, speed[cell]);
    return most;
}

float soundSpeed(const SolverMaterial& m)
{
    const double modulus =
        m.custom ? m.custom->waveModulus
                 : physics::visitLaw(m.law, [](const auto& law) { return law.restModulus(); });
    return static_cast<float>(std::sqrt(modulus / m.law.density));
}

/// With a guard, wakes what a moving collider is about to reach; resting material beyond the ring
/// of boundary blocks would not feel it. Steps stay as long as if nobody looked, lest contacts,
/// which depend on them, differ from those of a world that never slept; only where nothing moves
/// yet, and steps cost nothing, they are shortened.
/// @param longest  of the step to come [s]
/// @return the same, or less
double Solver::wakeBeforeColliders(double longest)
{
    if (settings_.wakeSpeed <= 0)
        return longest;
    if (listsStale_) {
        rebuildLists();
        scatteredStep_ = 0;
    }
    if (asleep_ == 0)
        return longest;
    const auto next = [&] {
        return scatteredStep_ > 0 ? std::min(scatteredStep_, longest)
                                  : chooseStep(longest, topComponent_);
    };
    for (const auto& collider : colliders_)
        collider->moveTo(time_, next());
    const double fastest = fastestOf(colliders_);
    if (fastest <= settings_.wakeSpeed)
        return longest;
    // A deforming collider's speed is not known: one look a step.
    const double interval = lookInterval(settings_, fastest);
    if (gatherList_.empty() && interval > 0)
        longest = std::min(longest, interval);
    const double window = std::max(interval, next());
    collidersFree_ = std::min(collidersFree_, time_ + window);
    if (time_ + next() <= collidersFree_ + 1e-9 * window)
        return longest;
    collidersFree_ = time_ + window;
    const double reach = lookReach(settings_, fastest, window);
    std::vector<std::uint8_t> reached(blocks_.size());
    const auto moving = movingOf(colliders_);
    executor_->parallelFor(blocks_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            reached[i] = blocks_[i].particles > 0 && blocks_[i].state != BlockState::active &&
                         isNear(blocks_[i], moving, reach);
    });
    std::vector<std::int32_t> woken;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (reached[i])
            woken.push_back(static_cast<std::int32_t>(i));
    if (woken.empty())
        return longest;
    spreadThroughStiff(woken);
    std::erase_if(woken,
                  [&](std::int32_t index) { return blocks_[index].state == BlockState::active; });
    if (scatteredStep_ > 0) {
        enlist(woken, scatteredStep_);
        return longest;
    }
    statistics_.guardWakes += woken.size();
    for (const std::int32_t index : woken)
        wake(blocks_[index]);
    markBoundary();
    return longest;
}

/// The cells of a block that hold particles, as ActivationRequest::cells.
std::uint64_t Solver::occupiedCells(const Block& block)
{
    std::uint64_t cells = 0;
    for (const BinRef& bin : block.bins)
        for (int lane = 0; lane < bin.count; ++lane)
            cells |= std::uint64_t{bin.rowAt(row::mass)[lane] > 0} << cellOf(bin, lane);
    return cells;
}

/// The nodes that a block's particles feel.
ArenaSet Solver::feltNodes(const Block& block) const
{
    const bool cubic = settings_.spline == Spline::cubic;
    const int width = cubic ? 4 : 3;
    const float before = cubic ? 1.0f : 0.5f; // from the lowest node of its stencil, at least
    ArenaSet lowest, nodes;
    for (const BinRef& bin : block.bins)
        for (int lane = 0; lane < bin.count; ++lane) {
            if (!(bin.rowAt(row::mass)[lane] > 0))
                continue;
            int node = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const float x = bin.rowAt(row::x + axis)[lane] - before;
                node = kArenaEdge * node +
                       std::clamp(static_cast<int>(std::floor(x)) + 1, 0, kArenaEdge - width);
            }
            lowest.set(static_cast<std::size_t>(node));
        }
    for (std::size_t n = 0; n < kArenaNodes; ++n)
        for (int i = 0; lowest[n] && i < width * width * width; ++i)
            nodes.set(n +
                      static_cast<std::size_t>(
                          kArenaEdge * (kArenaEdge * (i / (width * width)) + i / width % width) +
                          i % width));
    return nodes;
}

/// Whether matter of a block feels a collider that moves faster than the wake speed before that has
/// gone `reach` [m].
bool Solver::isNear(const Block& block, std::span<const std::shared_ptr<Collider>> moving,
                    double reach) const
{
    const double h = settings_.cellSize; // particles that colliders touch are in reach anyhow
    const Vec3d center = cornerOf(block) + (2.5 * h) * Vec3d{1, 1, 1};
    const double radius = (3.5 * std::sqrt(3.0) + 1) * h + reach;
    if (std::none_of(moving.begin(), moving.end(), [&](const std::shared_ptr<Collider>& c) {
            return c->mayTouch(center, radius);
        }))
        return false;
    const auto enough = static_cast<float>(settings_.wakeSpeed);
    return speedAtNodes(moving, h, block.coordinate, reach, feltNodes(block), enough) > enough;
}

void Solver::wake(Block& block)
{
    block.state = BlockState::active;
    block.restTime = 0;
    block.speed = 0;
    block.gain = {};
    block.frozen.reset();
}

bool Solver::isStiff(const Block& block) const
{
    return std::any_of(block.bins.begin(), block.bins.end(), [&](const BinRef& bin) {
        return materialSound_[bin.material] >= settings_.stiffSpeed;
    });
}

/// Adds to a list of active blocks those connected to them through stiff material.
void Solver::spreadThroughStiff(std::vector<std::int32_t>& active) const
{
    if (settings_.stiffSpeed <= 0)
        return;
    std::vector<std::uint8_t> seen(blocks_.size());
    for (const std::int32_t index : active)
        seen[index] = 1;
    for (std::size_t i = 0; i < active.size(); ++i) {
        if (!isStiff(blocks_[active[i]]))
            continue;
        for (const std::int32_t n : blocks_[active[i]].neighbour) {
            if (n < 0 || seen[n] || blocks_[n].particles == 0 || !isStiff(blocks_[n]))
                continue;
            seen[n] = 1;
            active.push_back(n);
        }
    }
}

void Solver::applyActivation(const ActivationRequest& request)
{
    std::vector<std::int32_t> full, active;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (blocks_[i].particles > 0)
            full.push_back(static_cast<std::int32_t>(i));
    if (full.size() != request.state.size())
        throw std::invalid_argument("activation states are for another set of blocks");
    for (std::size_t i = 0; i < full.size(); ++i) {
        const auto& bins = blocks_[full[i]].bins;
        if (request.state[i] == static_cast<std::uint8_t>(BlockState::active) ||
            std::any_of(bins.begin(), bins.end(),
                        [&](const BinRef& bin) { return !materials_[bin.material].sleeps; }))
            active.push_back(full[i]);
    }
    spreadThroughStiff(active);
    std::vector<std::uint8_t> isActive(blocks_.size());
    for (const std::int32_t index : active)
        isActive[index] = 1;
    // What a collider is about to reach would wake in the step to come, only without its motion.
    std::vector<std::shared_ptr<Collider>> moving;
    if (settings_.wakeSpeed > 0 && active.size() < full.size())
        moving = movingNow();
    const double fastest = fastestOf(moving);
    const double reach = lookReach(settings_, fastest, lookInterval(settings_, fastest));
    bool changed = false;
    for (const std::int32_t index : full) {
        Block& block = blocks_[index];
        if (isActive[index] == (block.state == BlockState::active))
            continue;
        if (!isActive[index] && !moving.empty() && isNear(block, moving, reach))
            continue;
        changed = true;
        wake(block);
        if (isActive[index])
            continue;
        block.state = BlockState::passive;
        // Put to rest in memory too: what is scattered, shown and woken later is one and the same.
        for (const BinRef& bin : block.bins) {
            std::memset(bin.rowAt(row::v), 0, sizeof(float) * kLanes * 3);
            if (keepsAffine(bin.layout))
                std::memset(bin.rowAt(row::C), 0, sizeof(float) * kLanes * 9);
        }
    }
    if (changed) {
        collidersFree_ = 0; // of what has fallen asleep since the last look
        scatteredStep_ = 0;
        markBoundary();
    }
}

} // namespace floe::mpm
