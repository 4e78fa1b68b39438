// A step of the CUDA backend; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline const mpm::Bounds& CudaBackend::bounds()
{
    core_.device().makeCurrent();
    core_.receive();
    const Report& found = core_.found();
    bounds_.signalSpeed = real(found.maxWave);
    bounds_.signalMaterial = materials_.empty() ? 0 : materialOf(found.maxWave);
    bounds_.component = real(found.maxComponent);
    bounds_.speed = real(found.maxSpeed);
    bounds_.gradient = real(found.maxGradient);
    bounds_.finite = found.notFinite == ~0ull && found.tooFar == 0;
    bounds_.nodeComponent = hostComponent_ >= 0 ? hostComponent_ : real(found.maxNodeComponent);
    bounds_.nodesFinite = found.badNodes == 0 && std::isfinite(hostComponent_);
    bounds_.nodesExact = core_.sumsHold();
    if (found.forceFaults > 0 && !faultAsked_) {
        faultAsked_ = true; // the run ends with what is found
        askForcesOnHost(surroundings_, surroundings_.forParticles().mirror, core_,
                        surroundings_.forParticles().time, surroundings_.forParticles().dt,
                        settings_.cellSize);
    }
    const Totals totals = core_.totals();
    const std::uint64_t left = totals.left - left_, taken = totals.taken - taken_;
    left_ = totals.left;
    taken_ = totals.taken;
    deleted_.leftDomain += left;
    deleted_.byCollider += taken;
    deletedPlaces_ += left + taken;
    return bounds_;
}

inline bool CudaBackend::surfacesMirror() const
{
    bool any = surroundings_.anyCollider(
        [](const Collider& collider) { return mirrors(collider.contact); });
    for (int face = 0; face < 6; ++face)
        any = any || mirrors(surroundings_.domain(), face);
    return any && !settings_.localTimeSteps;
}

inline void CudaBackend::bringUpToDate()
{
    core_.device().makeCurrent();
    core_.settle();
}

inline void CudaBackend::scatter(double dt)
{
    core_.device().makeCurrent();
    core_.scatter(static_cast<float>(dt));
    begun_ = dt;
}

inline void CudaBackend::updateGrid(double time, double dt)
{
    core_.device().makeCurrent();
    // The guard needs valid sums.
    const bool asksGuard =
        core_.isKnown() && core_.totals().boundary > 0 && !surroundings_.needsHost();
    hostComponent_ = -1;
    pushKnown_ = false;
    const Environment environment =
        surroundings_.forNodes(time, dt, settings_.gravity, settings_.cellSize);
    const Environment* mirrors = surfacesMirror() ? &surroundings_.forParticles() : nullptr;
    core_.updateNodes(environment, mirrors);
    if (!surroundings_.needsHost()) {
        core_.extendNodes(environment, mirrors);
        if (asksGuard)
            findPushOnDevice(dt);
        return;
    }
    core_.receive();
    if (core_.sumsHold() && core_.found().badNodes == 0)
        hostComponent_ = fastestOnAll(
            applyOnHost(surroundings_, environment.mirror, core_, time, dt, settings_.cellSize));
    core_.extendNodes(environment, mirrors);
}

inline void CudaBackend::gather(const GatherRequest& request)
{
    core_.device().makeCurrent();
    const double moved = bounds().nodeComponent * request.dt / settings_.cellSize;
    core_.toParticles(surroundings_.forParticles(), surroundings_.particleContact(),
                      static_cast<float>(settings_.restSpeed), physics::roundingSeed(request.time),
                      static_cast<float>(request.next), moved,
                      static_cast<float>(settings_.flipOver(request.dt)),
                      static_cast<float>(request.volumeTime));
    begun_ = request.next;
    ++steps_;
}

inline void CudaBackend::rebin()
{
    core_.device().makeCurrent();
    core_.settle();
    bounds();
    if (deletedPlaces_ > 0)
        compact();
}

inline void CudaBackend::findPushOnDevice(double dt)
{
    core_.findPush(rules::keptGain(dt, settings_.guardMemory),
                   static_cast<float>(settings_.wakeSpeed));
    pushKnown_ = true;
}

inline std::vector<std::int32_t> CudaBackend::findPushed(double dt, double wakeSpeed)
{
    core_.device().makeCurrent();
    core_.receive();
    std::vector<std::int32_t> pushed;
    pushedElsewhere_ = false;
    if (core_.totals().boundary == 0)
        return pushed;
    if (!pushKnown_)
        findPushOnDevice(dt);
    core_.receive();
    if (core_.totals().pushed == 0) {
        core_.keepGain();
        return pushed;
    }
    pushedElsewhere_ = core_.totals().pushed > core_.found().pushed;
    const std::vector<float> speed = core_.pushSpeeds();
    const std::vector<std::uint32_t> state = core_.states();
    for (std::size_t b = 0; b < state.size(); ++b)
        if (state[b] == kBoundary && rules::isPushed(speed[b], static_cast<float>(wakeSpeed)))
            pushed.push_back(static_cast<std::int32_t>(b));
    return pushed;
}

inline void CudaBackend::wake(std::span<const std::int32_t> blocks, double time, double dt,
                              bool update)
{
    core_.device().makeCurrent();
    core_.wake(blocks);
    if (dt > 0)
        scatter(dt);
    if (update)
        updateGrid(time, dt);
}

inline void CudaBackend::setStates(std::span<const std::int32_t> active,
                                   std::span<const std::int32_t> passive)
{
    core_.device().makeCurrent();
    const HostBlocks blocks = core_.blocks();
    std::vector<std::uint32_t> state = blocks.state;
    std::vector<float> restTime = blocks.restTime;
    const auto set = [&](std::span<const std::int32_t> which, std::uint32_t to) {
        for (const std::int32_t b : which) {
            state[static_cast<std::size_t>(b)] = to;
            restTime[static_cast<std::size_t>(b)] = 0;
        }
    };
    set(active, kActive);
    set(passive, kPassive);
    core_.setStates(state, restTime);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
