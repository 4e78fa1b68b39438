// The kernels of a step of the CUDA solver; included by core.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void Core::setStates(const std::vector<std::uint32_t>& state,
                            const std::vector<float>& restTime)
{
    if (particleBlocks_ == 0)
        return;
    now().state.upload(state.data(), particleBlocks_);
    now().restTime.upload(restTime.data(), particleBlocks_);
    markStates();
    if (found_.active == particleBlocks_)
        return;
    FLOE_LAUNCH(putToRest, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                now().view());
    device_.checkLaunch("putToRest");
    step_.dt = 0;
    step_.dx = dx_;
    updateMaterials(0, true); // stress without the viscous part
}

inline std::uint32_t Core::guard(float forget, float wakeSpeed)
{
    if (found_.boundary == 0)
        return 0;
    own_.need(std::size_t(particleBlocks_) * kArenaNodes);
    resting_.need(std::size_t(blockCount_) * kBlockNodes);
    resting_.fill(0, std::size_t(blockCount_) * kBlockNodes);
    restingGain_.need(3 * std::size_t(particleBlocks_));
    FLOE_LAUNCH(startGuard, 1, 1, 0, device_.stream(), report_.data());
    const RestingMass resting{own_.data(), resting_.data()};
    FLOE_LAUNCH(findRestingMass, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                now().view(), resting, step_);
    FLOE_LAUNCH(findPush, particleBlocks_, kThreads, 0, device_.stream(), particles(), now().view(),
                grid(), resting, forget, wakeSpeed, restingGain_.data(), report_.data());
    device_.checkLaunch("findPush");
    found_ = readReport();
    if (found_.woken > 0)
        markStates();
    else
        FLOE_LAUNCH(keepGain, groups(particleBlocks_, 128), 128, 0, device_.stream(), now().view(),
                    restingGain_.data());
    return found_.woken;
}

inline void Core::toGrid(float dt, const Environment& environment, bool wait)
{
    chooseUnits(dt);
    sums_.need(std::size_t(blockCount_) * 4 * kBlockNodes);
    velocities_.need(std::size_t(blockCount_) * 3 * kBlockNodes);
    sums_.fill(0, std::size_t(blockCount_) * 4 * kBlockNodes);
    found_.maxNodeComponent = 0;
    found_.badNodes = 0;
    if (particleBlocks_ == 0)
        return;
    tell(found_);
    FLOE_LAUNCH(scatter, particleBlocks_, kThreads, 0, device_.stream(), particles(), now().view(),
                grid(), step_);
    device_.checkLaunch("scatter");
    FLOE_LAUNCH(updateNodes, blockCount_, kBlockNodes, 0, device_.stream(), now().view(), grid(),
                step_, environment, report_.data());
    device_.checkLaunch("updateNodes");
    if (wait)
        found_ = readReport();
}

inline Core::HostNodes Core::downloadNodes()
{
    HostNodes nodes;
    const std::size_t count = std::size_t(blockCount_) * kBlockNodes;
    nodes.velocity = velocities_.download(3 * count);
    nodes.coordinate = now().coordinate.download(3 * std::size_t(blockCount_));
    const auto sums = sums_.download(4 * count);
    nodes.mass.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        nodes.mass[i] = static_cast<float>(
            step_.massUnit * static_cast<double>(static_cast<long long>(
                                 sums[i / kBlockNodes * 4 * kBlockNodes + i % kBlockNodes])));
    return nodes;
}

inline void Core::toParticles(const Environment& environment, bool particleContact, float restSpeed,
                              std::int32_t chance)
{
    step_.chance = chance;
    Report fresh{};
    fresh.notFinite = ~0ull;
    fresh.maxNodeComponent = found_.maxNodeComponent;
    fresh.active = found_.active;
    fresh.boundary = found_.boundary;
    if (particleBlocks_ == 0) {
        found_ = fresh;
        return;
    }
    tell(fresh);
    FLOE_LAUNCH(gather, particleBlocks_, kThreads, 0, device_.stream(), particles(), now().view(),
                grid(), step_, restSpeed, report_.data());
    device_.checkLaunch("gather");
    if (particleContact) {
        FLOE_LAUNCH(contactParticles, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), cellSize_, environment, report_.data());
        device_.checkLaunch("contactParticles");
    }
    updateMaterials(0, false);
    bin();
}

inline void Core::chooseUnits(float dt)
{
    const auto exponent = [](double bound) {
        int above = 0;
        std::frexp(std::max(bound, 1e-30) * 1.001, &above); // bound < 2^above
        return 62 - 24 + 1 - above;
    };
    const auto real = [](int bits) {
        return static_cast<double>(std::bit_cast<float>(bits));
    };
    step_.dt = dt;
    step_.dx = dx_;
    step_.cellSize = cellSize_;
    step_.massExponent = exponent(real(found_.maxMass));
    step_.momentumExponent =
        exponent(real(found_.maxMomentum) + double(dt) * real(found_.maxForce));
    step_.massUnit = std::ldexp(1.0, -step_.massExponent);
    step_.velocityUnit = std::ldexp(1.0, step_.massExponent - step_.momentumExponent);
}

inline void Core::updateMaterials(std::uint64_t firstId, bool still)
{
    for (std::uint32_t m = 0; m < materials_.size(); ++m)
        physics::visitLaw(materials_[m], [&](const auto& law) {
            using Law = std::remove_cvref_t<decltype(law)>;
            FLOE_LAUNCH((updateMaterial<Law>), particleBlocks_, kThreads, 0, device_.stream(),
                        particles(), now().view(), law, m, step_, firstId, still, report_.data());
            device_.checkLaunch("updateMaterial");
        });
}

inline void Core::markStates()
{
    found_.active = found_.boundary = 0;
    if (particleBlocks_ == 0)
        return;
    found_.particleBlocks = particleBlocks_;
    tell(found_);
    FLOE_LAUNCH(markBoundary, groups(particleBlocks_, 128), 128, 0, device_.stream(), now().view(),
                report_.data());
    FLOE_LAUNCH(boundStill, std::min(particleBlocks_, kMostBoundBlocks), kThreads, 0,
                device_.stream(), particles(), now().view(), dx_, report_.data());
    device_.checkLaunch("boundStill");
    found_ = readReport();
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
