// Activation of blocks: sleeping and waking.

#include "stepper.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

/// Returns the moving colliders at their present positions.
Colliders Stepper::movingNow()
{
    moveColliders(lastStep_ > 0 ? lastStep_ : settings_.longestStep);
    return movingOf(surroundings_.colliders);
}

/// Returns whether matter of a block feels a collider that moves faster than `speed` [m/s] before
/// the collider has travelled `reach` [m].
bool Stepper::isNear(const BlockView& blocks, std::size_t block, const Colliders& moving,
                     double reach, double speed) const
{
    const double h = settings_.cellSize, edge = kBlockEdge * h;
    const BlockCoordinate c = blocks.coordinate(block);
    const Vec3d center = Vec3d{c[0] * edge, c[1] * edge, c[2] * edge} + (2.5 * h) * Vec3d{1, 1, 1};
    // Particles that colliders touch are within reach anyway.
    const double radius = (3.5 * std::sqrt(3.0) + 1) * h + reach;
    if (std::none_of(moving.begin(), moving.end(), [&](const std::shared_ptr<Collider>& collider) {
            return collider->mayTouch(center, radius);
        }))
        return false;
    const auto enough = static_cast<float>(speed);
    return speedAtNodes(moving, h, c, reach, blocks.feltNodes(block), enough) > enough;
}

/// Adds to a list of blocks that are or become active the blocks connected to them through stiff
/// material.
void Stepper::spreadThroughStiff(const BlockView& blocks, std::vector<std::int32_t>& active) const
{
    if (settings_.stiffSpeed <= 0)
        return;
    const auto isStiff = [&](std::int32_t block) {
        const auto b = static_cast<std::size_t>(block);
        return blocks.particles(b) > 0 && blocks.matter(b).soundSpeed >= settings_.stiffSpeed;
    };
    std::vector<std::uint8_t> seen(blocks.size()), stiff(blocks.size()); // both: reached and stiff
    for (const std::int32_t block : active)
        seen[static_cast<std::size_t>(block)] = 1;
    const auto reachBeside = [&](std::int32_t block) {
        for (int o = 0; o < kOffsets; ++o) {
            const std::int32_t n = blocks.neighbour(static_cast<std::size_t>(block), o);
            if (n < 0 || seen[static_cast<std::size_t>(n)] || !isStiff(n))
                continue;
            seen[static_cast<std::size_t>(n)] = 1;
            active.push_back(n);
        }
    };
    std::size_t i = 0;
    do {
        for (std::size_t b = 0; b < stiff.size(); ++b)
            if (stiff[b] && blocks.particles(b) == 0) // another rank's
                reachBeside(static_cast<std::int32_t>(b));
        for (; i < active.size(); ++i) {
            if (!isStiff(active[i]))
                continue;
            stiff[static_cast<std::size_t>(active[i])] = 1;
            reachBeside(active[i]);
        }
    } while (backend_->shareMarks(stiff));
}

/// With a guard, wakes blocks that a moving collider is about to reach; resting material beyond the
/// boundary blocks would not feel it. Checks do not shorten steps, so contacts, which depend on the
/// step, are those of a world that never slept; steps are shortened only where nothing moves yet
/// and steps cost nothing.
/// @param longest  of the coming step [s]
/// @return the same, or less
double Stepper::wakeBeforeColliders(double longest)
{
    if (settings_.wakeSpeed <= 0 || backend_->sleepingBlocks() == 0)
        return longest;
    const auto next = [&] {
        const double scattered = backend_->scatteredStep();
        return scattered > 0 ? std::min(scattered, longest)
                             : chooseStep(longest, receive().component);
    };
    moveColliders(next());
    const double fastest = fastestOf(surroundings_.colliders);
    if (fastest <= settings_.wakeSpeed)
        return longest;
    // The speed of a deforming collider is unknown: check every step.
    const double interval = lookInterval(settings_, fastest);
    if (backend_->activeBlocks() == 0 && interval > 0)
        longest = std::min(longest, interval);
    const double window = std::max(interval, next());
    collidersFree_ = std::min(collidersFree_, time_ + window);
    if (time_ + next() <= collidersFree_ + 1e-9 * window)
        return longest;
    collidersFree_ = time_ + window;
    const double reach = lookReach(settings_, fastest, window);
    const Colliders moving = movingOf(surroundings_.colliders);
    const BlockView& blocks = backend_->blocks();
    std::vector<std::uint8_t> reached(blocks.size());
    executor_->parallelFor(blocks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            reached[b] = blocks.particles(b) > 0 && blocks.state(b) != BlockState::active &&
                         isNear(blocks, b, moving, reach, settings_.wakeSpeed);
    });
    std::vector<std::int32_t> woken;
    for (std::size_t b = 0; b < reached.size(); ++b)
        if (reached[b])
            woken.push_back(static_cast<std::int32_t>(b));
    if (anywhere(!woken.empty()))
        wake(woken, backend_->scatteredStep(), false);
    return longest;
}

/// Returns the blocks that are not active although matter moves with bodies there, or may within
/// `window` [s]. An inactive block does not support the bodies on it.
std::vector<std::int32_t> Stepper::asleepUnderBodies(const BlockView& blocks, double window) const
{
    const double fastest = fastestOf(bodies_) + physics::length(settings_.gravity) * window;
    const double reach = lookReach(settings_, fastest, window);
    std::vector<std::uint8_t> near(blocks.size());
    executor_->parallelFor(blocks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            near[b] = blocks.particles(b) > 0 && blocks.state(b) != BlockState::active &&
                      isNear(blocks, b, bodies_, reach, 0);
    });
    std::vector<std::int32_t> found;
    for (std::size_t b = 0; b < near.size(); ++b)
        if (near[b])
            found.push_back(static_cast<std::int32_t>(b));
    return found;
}

/// Wakes what coupled bodies touch or are about to.
/// @param longest  of the coming step [s]
void Stepper::wakeUnderBodies(double longest)
{
    if (backend_->sleepingBlocks() == 0 || time_ + longest <= bodiesFree_)
        return;
    moveColliders(longest);
    const double window = std::max(lookInterval(settings_, fastestOf(bodies_)), longest);
    const auto found = asleepUnderBodies(backend_->blocks(), window);
    bodiesFree_ = time_ + window;
    if (!found.empty())
        wake(found, backend_->scatteredStep(), false);
}

/// Wakes boundary blocks that are pushed faster than the wake speed.
void Stepper::guard(double dt)
{
    for (;;) {
        std::vector<std::int32_t> pushed;
        {
            Stopwatch watch(statistics_.gridSeconds);
            pushed = backend_->findPushed(dt, settings_.wakeSpeed);
        }
        if (pushed.empty() && !backend_->pushedElsewhere())
            return;
        wake(pushed, dt, true);
        const Bounds& bounds = receive();
        if (!bounds.nodesExact)
            return;
        if (!bounds.nodesFinite)
            failNotANumber();
    }
}

/// Wakes blocks and those connected to them through stiff material.
/// @param dt, update  as Backend::wake()
void Stepper::wake(std::vector<std::int32_t> blocks, double dt, bool update)
{
    if (settings_.stiffSpeed > 0) {
        const BlockView& view = backend_->blocks();
        spreadThroughStiff(view, blocks);
        std::erase_if(blocks, [&](std::int32_t b) {
            return view.state(static_cast<std::size_t>(b)) == BlockState::active;
        });
    }
    statistics_.guardWakes += blocks.size();
    Stopwatch watch(statistics_.gridSeconds);
    backend_->wake(blocks, time_, dt, update);
}

SpeedField Stepper::speedField()
{
    const BlockView& blocks = backend_->blocks(true);
    Colliders moving;
    if (settings_.wakeSpeed <= 0)
        moving = movingNow();
    // Blocks of matter and, where colliders move, their neighbours.
    struct Entry {
        BlockCoordinate coordinate;
        std::int32_t block; ///< -1: no matter
        CellSpeeds speed;
    };
    std::vector<Entry> entries;
    std::vector<std::uint8_t> listed(blocks.size());
    BlockMap beside;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (blocks.particles(b) == 0)
            continue;
        if (moving.empty() && blocks.state(b) != BlockState::active)
            continue;
        if (!listed[b])
            entries.push_back({blocks.coordinate(b), static_cast<std::int32_t>(b), {}});
        listed[b] = 1;
        for (int o = 0; o < kOffsets && !moving.empty(); ++o) {
            const std::int32_t n = blocks.neighbour(b, o);
            const BlockCoordinate c = neighbourOf(blocks.coordinate(b), o);
            if (n >= 0) {
                const auto at = static_cast<std::size_t>(n);
                if (!listed[at] && !blocks.isOthers(at))
                    entries.push_back({c, n, {}});
                listed[at] = 1;
            } else if (beside.find(c) < 0) {
                beside.insert(c, 0);
                entries.push_back({c, -1, {}});
            }
        }
    }
    executor_->parallelFor(entries.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Entry& entry = entries[i];
            const auto b = static_cast<std::size_t>(entry.block);
            if (entry.block >= 0 && blocks.particles(b) > 0 &&
                blocks.state(b) == BlockState::active)
                blocks.cellSpeeds(b, entry.speed);
            raiseToColliders(moving, settings_.cellSize, entry.coordinate, settings_.cellSize,
                             entry.speed);
        }
    });
    std::erase_if(entries, [](const Entry& entry) {
        return !(*std::max_element(entry.speed.begin(), entry.speed.end()) > 0);
    });
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.coordinate < b.coordinate; });
    SpeedField field;
    for (const Entry& entry : entries) {
        field.block.insert(field.block.end(), entry.coordinate.begin(), entry.coordinate.end());
        field.speed.insert(field.speed.end(), entry.speed.begin(), entry.speed.end());
    }
    return ofAllRanks(backend_->ranks(), std::move(field));
}

void Stepper::applyActivation(const ActivationRequest& request)
{
    const BlockView& blocks = backend_->blocks();
    std::vector<std::int32_t> full, active;
    std::vector<std::uint8_t> wanted; // state of each
    BlockMap asked;                   // of all ranks
    asked.reserve(request.state.size());
    for (std::size_t i = 0; i < request.state.size(); ++i) {
        const BlockCoordinate c{request.block[3 * i], request.block[3 * i + 1],
                                request.block[3 * i + 2]};
        if (asked.find(c) < 0)
            asked.insert(c, static_cast<std::int32_t>(i));
    }
    bool known = true;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (blocks.particles(b) == 0)
            continue;
        const std::int32_t at = asked.find(blocks.coordinate(b));
        known = known && at >= 0;
        full.push_back(static_cast<std::int32_t>(b));
        wanted.push_back(at >= 0 ? request.state[static_cast<std::size_t>(at)] : std::uint8_t{0});
    }
    if (!known || (!backend_->ranks() && full.size() != request.state.size()))
        throw std::invalid_argument("activation states are for another set of blocks");
    const auto isMoving = [&](std::int32_t block) {
        return blocks.state(static_cast<std::size_t>(block)) == BlockState::active;
    };
    for (std::size_t i = 0; i < full.size(); ++i)
        if (wanted[i] == static_cast<std::uint8_t>(BlockState::active) ||
            blocks.matter(static_cast<std::size_t>(full[i])).mustMove)
            active.push_back(full[i]);
    std::vector<std::uint8_t> isActive(blocks.size());
    const auto mark = [&] {
        for (const std::int32_t block : active)
            isActive[static_cast<std::size_t>(block)] = 1;
    };
    mark();
    // What a collider is about to reach would wake in the coming step, but without its motion.
    if (settings_.wakeSpeed > 0 && active.size() < full.size()) {
        const Colliders moving = movingNow();
        const double fastest = fastestOf(moving);
        const double reach = lookReach(settings_, fastest, lookInterval(settings_, fastest));
        for (const std::int32_t block : full) {
            const auto b = static_cast<std::size_t>(block);
            if (!moving.empty() && !isActive[b] && isMoving(block) &&
                isNear(blocks, b, moving, reach, settings_.wakeSpeed))
                active.push_back(block);
        }
    }
    if (!bodies_.empty() && active.size() < full.size()) {
        moveColliders(lastStep_ > 0 ? lastStep_ : settings_.longestStep);
        const double reach =
            lookReach(settings_, fastestOf(bodies_), lookInterval(settings_, fastestOf(bodies_)));
        for (const std::int32_t block : full) {
            const auto b = static_cast<std::size_t>(block);
            if (!isActive[b] && isNear(blocks, b, bodies_, reach, 0))
                active.push_back(block);
        }
        mark();
    }
    spreadThroughStiff(blocks, active);
    mark();
    std::vector<std::int32_t> wakes, sleeps;
    for (const std::int32_t block : full)
        if (isActive[static_cast<std::size_t>(block)] != isMoving(block))
            (isMoving(block) ? sleeps : wakes).push_back(block);
    if (!anywhere(!wakes.empty() || !sleeps.empty()))
        return;
    collidersFree_ = bodiesFree_ = 0; // check for what has become passive since
    backend_->setStates(wakes, sleeps);
}

} // namespace floe::mpm
