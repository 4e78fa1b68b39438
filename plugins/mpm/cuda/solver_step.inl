// A step of the CUDA solver; included by solver.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void CudaSolver::check(const NewParticles& p) const
{
    const double reach = 4.0 * (kMostCoordinate - 2);
    const auto refuse = [&](std::size_t i, const char* what) {
        throw std::invalid_argument("new particle " + std::to_string(i) + " of material '" +
                                    materials_[p.material].name + "' has " + what);
    };
    const auto usable = [](float a) {
        return a > 0 && a < 1e30f;
    };
    for (std::size_t i = 0; i < p.count; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!(std::abs(p.x[3 * i + axis] / settings_.cellSize) < reach))
                refuse(i, "a position that is not a number or too far from the origin");
            if (p.v && !(std::abs(p.v[3 * i + axis]) < 1e8f))
                refuse(i, "a velocity that is not a number or absurdly large");
        }
        if (!usable(p.volume[i]) || (p.stiffnessScale && !usable(p.stiffnessScale[i])) ||
            (p.densityScale && !usable(p.densityScale[i])))
            refuse(i, "a volume, stiffness or density factor that is not above zero");
    }
}

/// A tenth below what the last step allows, so that steps are seldom redone.
/// @param component  largest velocity component of any particle [m/s]
inline double CudaSolver::chooseStep(double longest, double component) const
{
    const double h = settings_.cellSize;
    double dt = longest;
    component += physics::length(settings_.gravity) * lastStep_;
    if (component > 0)
        dt = std::min(dt, 0.9 * settings_.advectionLimit * h / component);
    if (waveSpeed() > 0)
        dt = std::min(dt, 0.95 * settings_.materialLimit * h / waveSpeed());
    // Nothing may lose more than half of its length in one step.
    if (const double gradient = real(core_.found().maxGradient); gradient > 0)
        dt = std::min(dt, 0.5 / gradient);
    return dividing(longest, dt);
}

/// Counts what the device has deleted.
/// @throws Diverged  where it found a number that is none
inline void CudaSolver::takeFindings()
{
    const Report& found = core_.found();
    if (found.notFinite != ~0ull || found.tooFar > 0)
        failNotANumber();
    const std::uint32_t left = found.left - left_, eaten = found.eaten - eaten_;
    left_ = found.left;
    eaten_ = found.eaten;
    counts_.leftDomain += left;
    counts_.deletedByCollider += eaten;
    counts_.alive -= left + eaten;
    deleted_ += left + eaten;
}

inline double CudaSolver::advance(double longest)
{
    core_.device().makeCurrent();
    if (!positive(longest))
        throw std::invalid_argument("a step must be longer than zero");
    const double h = settings_.cellSize;
    const double whole = longest;
    longest = std::min(longest, settings_.longestStep);
    if (counts_.alive == 0) {
        settle();
        if (deleted_ > 0)
            compact();
        time_ += longest;
        ++statistics_.steps;
        return longest;
    }
    if (deleted_ > counts_.alive / 64)
        compact();

    longest = wakeBeforeColliders(longest);

    double dt = beginning(longest);
    if (dt == 0) {
        core_.receive();
        takeFindings();
        dt = chooseStep(longest, real(core_.found().maxComponent));
    }
    double nodes = 0;
    for (;;) {
        if (!(dt >= settings_.shortestStep) && dt < longest)
            failStep(dt);
        // What has not ended is the transfer.
        const Stopwatch watch(core_.isKnown() ? statistics_.gridSeconds
                                              : statistics_.transferSeconds);
        // A guard is not to be asked about sums that may not hold.
        const bool wait =
            surroundings_.needsHost() || core_.found().boundary == 0 || !core_.isKnown();
        core_.toGrid(static_cast<float>(dt), surroundings_.forNodes(time_, dt, settings_.gravity),
                     wait);
        takeFindings();
        if (waveSpeed() * dt > settings_.materialLimit * h) {
            ++statistics_.redone;
            dt = dividing(longest, 0.95 * settings_.materialLimit * h / waveSpeed());
            continue;
        }
        if (!core_.sumsHold()) {
            ++statistics_.redone;
            core_.forgetSums();
            continue;
        }
        double fromHost = 0;
        if (core_.found().badNodes == 0 && surroundings_.needsHost())
            fromHost = applyOnHost(surroundings_, core_, time_, dt, h);
        if (core_.found().badNodes > 0 || !std::isfinite(fromHost))
            failNotANumber();
        const auto forget = static_cast<float>(std::exp(-dt / settings_.guardMemory));
        const std::uint32_t woken = core_.guard(forget, static_cast<float>(settings_.wakeSpeed));
        if (core_.found().badNodes > 0)
            failNotANumber();
        nodes = surroundings_.needsHost() ? fromHost : real(core_.found().maxNodeComponent);
        if (woken > 0) {
            statistics_.guardWakes += woken;
            spreadThroughStiff();
            continue;
        }
        if (nodes * dt <= settings_.advectionLimit * h)
            break;
        ++statistics_.redone;
        dt = std::min(0.5 * dt, 0.9 * settings_.advectionLimit * h / nodes);
        dt = dividing(longest, dt);
    }
    const Stopwatch watch(statistics_.transferSeconds);
    // What may follow at once: the scatter of the next step.
    lastStep_ = dt;
    begun_ = whole - dt > 1e-9 * whole
                 ? chooseStep(std::min(whole - dt, settings_.longestStep), nodes)
                 : 0;
    if (begun_ < settings_.shortestStep)
        begun_ = 0;
    core_.toParticles(surroundings_.forParticles(), surroundings_.particleContact(),
                      static_cast<float>(settings_.restSpeed), physics::chanceOfStep(time_),
                      static_cast<float>(begun_), nodes * dt / h);
    if (core_.isKnown()) {
        ++statistics_.regroupings;
        takeFindings();
    }
    time_ += dt;

    if (statistics_.steps == 0)
        statistics_.shortest = statistics_.longest = dt;
    ++statistics_.steps;
    statistics_.shortest = std::min(statistics_.shortest, dt);
    statistics_.longest = std::max(statistics_.longest, dt);
    statistics_.topSpeed = topSpeed();
    return dt;
}

/// The step that the last one has scattered for, if it may be taken; else 0.
inline double CudaSolver::beginning(double longest) const
{
    // Rounding of the caller's clock must not cost a second scatter.
    const bool stands = core_.scatteredStep() > 0 &&
                        core_.scatteredStep() == static_cast<float>(begun_) &&
                        begun_ <= longest * (1 + 1e-9);
    return stands ? std::min(begun_, longest) : 0;
}

inline void CudaSolver::failNotANumber()
{
    const HostParticles all = core_.download();
    for (std::uint64_t p = 0; p < all.count; ++p)
        for (unsigned channel = kPosition; channel < kChannels; ++channel)
            if (!std::isfinite(all.at(channel, p)))
                throw Diverged("material '" + materials_[all.material[p]].name +
                               "' produced a value that is not a number at " + number(time_) +
                               " s; lower the solver's material limit or its stiffness");
    throw Diverged("velocities became infinite at " + number(time_) + " s (stiffest material: '" +
                   nameOf(core_.found().maxWave) +
                   "'); lower the solver's material limit or the stiffness");
}

inline void CudaSolver::failStep(double dt)
{
    const double nodes = real(core_.found().maxNodeComponent);
    if (nodes <= waveSpeed())
        throw Diverged(
            "material '" + nameOf(core_.found().maxWave) + "' needs a time step of " + number(dt) +
            " s at " + number(time_) + " s (its waves run at " + number(waveSpeed()) +
            " m/s); lower its stiffness or hardening, raise its density, or use larger cells");
    throw Diverged("material '" + nameOf(core_.found().maxSpeed) + "' reached an absurd speed of " +
                   number(std::max(nodes, topSpeed())) + " m/s at " + number(time_) +
                   " s; lower the initial speed, the stiffness or the solver's material limit");
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
