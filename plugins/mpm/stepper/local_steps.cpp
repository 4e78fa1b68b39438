// Local time steps: soft matter takes long steps while stiff matter takes several
// (cpu/held_nodes.hpp; after Fang et al. 2018).
//
// A long step begins and ends between steps of all blocks: the first and the last step of what
// advance() is asked for, and the one before particles are rebinned, are such. So particles never
// change blocks within a long step, and between frames all blocks are at the same place.

#include "stepper.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

namespace {

constexpr double kMaxRatio = 32;  ///< of a long step to the others
constexpr double kMinGain = 1.15; ///< less is not worth it
constexpr double kMargin = 0.8;   ///< of what a long step may use of a limit, when it is planned
/// What a step costs beside the passes over its particles, as a share of these passes: the nodes
/// of all blocks that fast ones reach.
constexpr double kNodeCost = 0.1;

} // namespace

std::optional<std::string> Stepper::whyNotLocal() const
{
    if (auto why = backend_->localRefusal())
        return why;
    if (!bodies_.empty())
        return "bodies that matter pushes need all steps";
    return {};
}

/// Plans the long step that saves most, as if particles were binned before it.
/// @param rest       time left after the present step [s]
/// @param component  largest velocity component of any particle [m/s]
Stepper::LocalPlan Stepper::planLocal(double rest, double component)
{
    LocalPlan best;
    if (!settings_.localTimeSteps || whyNotLocal() || backend_->sleepingBlocks() > 0)
        return best;
    const double h = settings_.cellSize, wave = 0.95 * settings_.materialLimit * h;
    std::vector<double> speeds = backend_->signalSpeeds();
    std::sort(speeds.begin(), speeds.end());
    speeds.erase(std::unique(speeds.begin(), speeds.end()), speeds.end());
    const double fastest = std::max(speeds.back(), backend_->bounds().signalSpeed);
    if (!(fastest > 0))
        return best;
    const double fast = wave / fastest;
    // The last step of what the caller wants is one of all blocks.
    double longest = std::min({settings_.longestStep, rest - fast, kMaxRatio * fast});
    if (!(longest >= 2 * fast))
        return best;
    component += physics::length(settings_.gravity) * longest;
    if (component > 0)
        longest = std::min(longest, kMargin * advectionLimit() * h / component);
    if (const double gradient = backend_->bounds().gradient; gradient > 0)
        longest = std::min(longest, 0.5 / gradient);
    double gain = kMinGain;
    const auto all = static_cast<double>(counts_.alive);
    for (const double speed : speeds) {
        if (speed == 0 || speed == speeds.back())
            continue;
        const double whole = std::min(longest, wave / speed);
        const double steps = std::ceil(whole / fast * (1 - 1e-9));
        if (!(steps >= 2))
            continue;
        const auto slow = static_cast<double>(backend_->split(speed));
        const double ratio = steps * all / (steps * (1 + kNodeCost) * (all - slow) + slow);
        if (ratio <= gain)
            continue;
        gain = ratio;
        best.whole = whole;
        best.speed = speed;
    }
    if (best.whole == 0)
        return best;
    const double fill = rest - fast;
    best.whole = fill / std::ceil(fill / best.whole * (1 - 1e-9));
    best.first = best.whole / std::ceil(best.whole / fast * (1 - 1e-9));
    return best;
}

/// Returns whether particles may move in a long step without being binned before.
/// @param component  the largest of their velocity components [m/s]
bool Stepper::hasRoomFor(const LocalPlan& plan, double component)
{
    component += physics::length(settings_.gravity) * plan.whole;
    return backend_->drift() + component * plan.whole / (kMargin * settings_.cellSize) <=
           backend_->maxDrift();
}

/// Ends a step of all blocks, and scatters for a long step that follows.
void Stepper::beginLocal(double dt, const LocalPlan& plan)
{
    {
        Stopwatch watch(statistics_.transferSeconds);
        backend_->gather({time_, dt, 0, false});
    }
    finishStep(dt);
    const double component = receive().component;
    if (!hasRoomFor(plan, component))
        rebin();
    scatterLocal(plan);
}

void Stepper::scatterLocal(LocalPlan plan)
{
    plan.slow = backend_->split(plan.speed);
    local_ = plan;
    Stopwatch watch(statistics_.transferSeconds);
    backend_->scatterSplit(plan.first, plan.whole);
}

/// Takes the long step that has been scattered for, and the steps of fast blocks within it.
/// @param whole  total time that the caller wants [s]
/// @return its length; 0: it would break a limit or does not fit, and nothing has happened
double Stepper::advanceLocal(double whole)
{
    const double h = settings_.cellSize, wave = settings_.materialLimit * h;
    double longStep = backend_->scatteredWhole(), dt = local_.first;
    const Bounds& bounds = receive();
    const double drift = backend_->drift();
    /// Whether nodes as fast as this may move particles for this time.
    const auto fits = [&](double component, double time) {
        return component * time <= advectionLimit() * h &&
               drift + component * time / h <= backend_->maxDrift();
    };
    const auto giveUp = [&](bool redone) {
        statistics_.redone += redone;
        backend_->dropSplit();
        return 0.0;
    };
    if (longStep > settings_.longestStep * (1 + 1e-9) || longStep > whole * (1 - 1e-9) ||
        whyNotLocal() || backend_->sleepingBlocks() > 0)
        return giveUp(false);
    if (!std::isfinite(bounds.signalSpeed) || !std::isfinite(bounds.slowSignalSpeed))
        failNotANumber();
    if (bounds.slowSignalSpeed * longStep > wave || bounds.signalSpeed * dt > wave)
        return giveUp(true);
    {
        Stopwatch watch(statistics_.gridSeconds);
        moveColliders(longStep);
        backend_->updateSlowOnly(time_, longStep, false);
    }
    if (!bounds.nodesFinite)
        failNotANumber();
    if (!fits(bounds.nodeComponent, longStep))
        return giveUp(true);

    const std::uint64_t fast = counts_.alive - local_.slow;
    double elapsed = 0, fastest = 0;
    std::uint64_t steps = 0;
    for (;;) {
        const double left = longStep - elapsed;
        if (bounds.signalSpeed * dt > wave) {
            ++statistics_.redone;
            if (!std::isfinite(bounds.signalSpeed))
                failNotANumber();
            dt = left / std::ceil(left / (0.95 * wave / bounds.signalSpeed) * (1 - 1e-9));
            if (dt < settings_.shortestStep)
                failStep(dt);
            Stopwatch watch(statistics_.transferSeconds);
            backend_->scatterFast(dt);
            continue;
        }
        {
            Stopwatch watch(statistics_.gridSeconds);
            moveColliders(dt, elapsed);
            backend_->updateShared(time_ + elapsed, dt);
        }
        if (!bounds.nodesFinite)
            failNotANumber();
        fastest = std::max(fastest, bounds.nodeComponent);
        if (!fits(fastest, elapsed + dt)) {
            if (steps == 0)
                return giveUp(true);
            // What slow blocks have given so far is what they give in a step of this length.
            ++statistics_.redone;
            longStep = elapsed;
            backend_->undoShared();
            Stopwatch watch(statistics_.gridSeconds);
            moveColliders(longStep);
            backend_->updateSlowOnly(time_, longStep, true);
            break;
        }
        ++steps;
        elapsed += dt;
        const double begun = time_ + elapsed - dt;
        const bool last = longStep - elapsed <= 1e-9 * longStep;
        const double next = last ? 0 : chooseStep(longStep - elapsed, bounds.nodeComponent);
        {
            Stopwatch watch(statistics_.transferSeconds);
            backend_->gatherFast({begun, dt, next, false});
        }
        receive();
        countStep(dt, fast);
        if (last)
            break;
        dt = next;
    }
    {
        Stopwatch watch(statistics_.transferSeconds);
        backend_->gatherSlow(time_, longStep);
    }
    receive();
    lastStep_ = dt;
    time_ += longStep;
    ++statistics_.longSteps;
    statistics_.stepsInLong += steps;
    statistics_.slowParticles += local_.slow;
    statistics_.particlesInLong += fast + local_.slow;
    statistics_.particleSteps += local_.slow;
    statistics_.particleStepsSaved += (steps - 1) * local_.slow;
    const double rest = whole - longStep, component = bounds.component;
    const LocalPlan plan = planLocal(rest, component);
    if (plan.whole > 0 && hasRoomFor(plan, component)) {
        scatterLocal(plan);
        return longStep;
    }
    // Particles are binned after a step of all blocks.
    Stopwatch watch(statistics_.transferSeconds);
    backend_->scatter(std::max(chooseStep(std::min(rest, settings_.longestStep), component),
                               settings_.shortestStep));
    return longStep;
}

} // namespace floe::mpm
