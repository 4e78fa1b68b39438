// The kernels of a step of the CUDA solver; included by core.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void Core::setStates(const std::vector<std::uint32_t>& state,
                            const std::vector<float>& restTime)
{
    if (particleBlocks_ == 0 && !halo_)
        return;
    scatteredStep_ = 0;
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
    launchFindStress(0, true); // stress without the viscous part
}

inline void Core::findPush(float kept, float wakeSpeed)
{
    own_.need(std::size_t(particleBlocks_) * (cubic_ ? kInactiveNodes<4> : kInactiveNodes<3>));
    resting_.need(std::size_t(blockCount_) * kBlockNodes);
    resting_.fill(0, std::size_t(blockCount_) * kBlockNodes);
    inactiveGain_.need(3 * std::size_t(particleBlocks_));
    FLOE_LAUNCH(startGuard, 1, 1, 0, device_.stream(), report_.data());
    const InactiveMass inactive{own_.data(), resting_.data()};
    if (particleBlocks_ > 0)
        withSupport([&]<int kSupport>() {
            FLOE_LAUNCH((findInactiveMass<kSupport>), particleBlocks_, kThreads, 0,
                        device_.stream(), particles(), now().view(), inactive, step_);
        });
    if (halo_) {
        const Halo::NodeValues resting[] = {{resting_.data(), kBlockNodes}};
        halo_->begin(resting);
        halo_->finish(resting);
    }
    if (particleBlocks_ > 0)
        withSupport([&]<int kSupport>() {
            FLOE_LAUNCH((cuda::findPush<kSupport>), particleBlocks_, kThreads, 0, device_.stream(),
                        now().view(), grid(), inactive, kept, wakeSpeed, inactiveGain_.data(),
                        report_.data());
        });
    device_.checkLaunch("findPush");
    pending_ = true;
}

inline void Core::keepGain()
{
    if (particleBlocks_ == 0)
        return;
    FLOE_LAUNCH(cuda::keepGain, groups(particleBlocks_, 128), 128, 0, device_.stream(),
                now().view(), inactiveGain_.data());
    device_.checkLaunch("keepGain");
}

inline void Core::wake(std::span<const std::int32_t> blocks)
{
    if (blocks.empty() && !halo_)
        return;
    scatteredStep_ = 0;
    const std::vector<std::uint32_t> wakes(blocks.begin(), blocks.end());
    wakes_.need(wakes.size());
    wakes_.upload(wakes.data(), wakes.size());
    tell(found_);
    if (!wakes.empty())
        FLOE_LAUNCH(startMoving, static_cast<unsigned>(wakes.size()), kThreads, 0, device_.stream(),
                    particles(), now().view(), wakes_.data(), report_.data());
    device_.checkLaunch("startMoving");
    found_ = readReport();
    markStates();
}

inline void Core::scatter(float dt)
{
    receive();
    scatteredStep_ = dt;
    chooseUnits(dt, 1);
    if (particleBlocks_ == 0)
        return;
    clearGrid();
    launchParts(true, [&](Part part) { launchScatter(part); });
}

inline void Core::launchScatter(Part part)
{
    withScheme([&]<class Scheme>() {
        const Blocks blocks = parts();
        FLOE_LAUNCH((cuda::scatter<Scheme>), blocks.particleBlocks, kThreads, 0, device_.stream(),
                    particles(), blocks, grid(), step_, part);
    });
    device_.checkLaunch("scatter");
}

template <class Launch>
void Core::withScheme(const Launch& launch)
{
    if (cubic_)
        flips_ ? launch.template operator()<Scheme<4, true>>()
               : launch.template operator()<Scheme<4, false>>();
    else
        flips_ ? launch.template operator()<Scheme<3, true>>()
               : launch.template operator()<Scheme<3, false>>();
}

template <class Launch>
void Core::withSupport(const Launch& launch)
{
    if (cubic_)
        launch.template operator()<4>();
    else
        launch.template operator()<3>();
}

template <class Launch>
void Core::launchParts(bool sums, const Launch& launch)
{
    if (!halo_ || !sums) {
        launch(Part::all);
        return;
    }
    const auto of = []<class Values>(const DeviceArray<unsigned char>& array, Values) {
        return Halo::NodeValues{reinterpret_cast<unsigned long long*>(array.data()),
                                Values::kBytes / sizeof(unsigned long long)};
    };
    const Halo::NodeValues all[] = {of(sums_, NodeSums{}), of(sumsBefore_, MomentumBefore{})};
    const std::span summed(all, flips_ ? 2 : 1);
    launch(Part::border);
    halo_->begin(summed);
    launch(Part::interior);
    halo_->finish(summed);
}

template <bool kColliders, bool kForces, bool kMirror>
void Core::launchUpdateNodes(const Environment& environment)
{
    FLOE_LAUNCH((cuda::updateNodes<kColliders, kForces, kMirror>), blockCount_, kBlockNodes, 0,
                device_.stream(), now().view(), grid(), step_, environment, report_.data());
}

/// Gives nodes before surfaces that mirror what their images have, or takes it back.
inline void Core::foldImages(const Environment& environment, bool back)
{
    const std::uint32_t count = nodeBlocks();
    const Blocks blocks = now().view();
    const Images all = images();
    if (!back) {
        if (meetings_) {
            FLOE_LAUNCH(findImagesOfBodies, count, kBlockNodes, 0, device_.stream(), blocks, grid(),
                        meetings_->nodes(), step_, environment, all);
            FLOE_LAUNCH(spreadImagesOfBodies, count, kBlockNodes, 0, device_.stream(), blocks,
                        meetings_->nodes(), all);
            FLOE_LAUNCH(foldImagesOfBodies, count, kBlockNodes, 0, device_.stream(), blocks, grid(),
                        meetings_->nodes(), step_, environment.gravity, all);
        } else {
            FLOE_LAUNCH(findImages, count, kBlockNodes, 0, device_.stream(), blocks, grid(), step_,
                        environment, all);
            FLOE_LAUNCH(spreadImages, count, kBlockNodes, 0, device_.stream(), blocks, all);
            FLOE_LAUNCH(cuda::foldImages, count, kBlockNodes, 0, device_.stream(), blocks, grid(),
                        step_, environment.gravity, all);
        }
        FLOE_LAUNCH(finishImages, count, kBlockNodes, 0, device_.stream(), grid(), step_,
                    environment.gravity, all);
    }
    FLOE_LAUNCH(addImages, count, kBlockNodes, 0, device_.stream(), grid(), all, back ? -1 : 1);
    device_.checkLaunch("foldImages");
}

inline void Core::updateNodes(const Environment& environment, const Environment* mirrors)
{
    if (particleBlocks_ == 0 && !halo_) {
        found_.maxNodeComponent = 0;
        found_.badNodes = 0;
        return;
    }
    if (!pending_) {
        found_.maxNodeComponent = 0;
        found_.forceFaults = 0;
        found_.badNodes = 0;
        tell(found_);
    }
    if (particleBlocks_ == 0)
        mirrors = nullptr;
    if (mirrors)
        foldImages(*mirrors, false);
    const auto launch = [&]<bool kForces, bool kMirror>() {
        if (particleBlocks_ == 0)
            return;
        if (environment.colliderCount > 0)
            launchUpdateNodes<true, kForces, kMirror>(environment);
        else
            launchUpdateNodes<false, kForces, kMirror>(environment);
    };
    const bool forces = environment.forceCount > 0;
    if (environment.mirror.any() && meetings_)
        meetings_->updateAlone(now().view(), grid(), step_, environment, report_.data());
    else if (environment.mirror.any())
        forces ? launch.template operator()<true, true>()
               : launch.template operator()<false, true>();
    else
        forces ? launch.template operator()<true, false>()
               : launch.template operator()<false, false>();
    device_.checkLaunch("updateNodes");
    if (meetings_ && particleBlocks_ > 0)
        meetings_->meet(particles(), now().view(), grid(), step_, environment, report_.data());
    if (mirrors)
        foldImages(*mirrors, true);
    pending_ = true;
}

inline void Core::extendNodes(const Environment& environment, const Environment* mirrors)
{
    if (particleBlocks_ > 0 && mirrors) {
        if (meetings_)
            FLOE_LAUNCH(extendImagesOfBodies, nodeBlocks(), kBlockNodes, 0, device_.stream(),
                        now().view(), grid(), meetings_->nodes(), step_, mirrors->gravity,
                        images());
        else
            FLOE_LAUNCH(extendImages, blockCount_, kBlockNodes, 0, device_.stream(), now().view(),
                        grid(), step_, mirrors->gravity, images());
        device_.checkLaunch("extendImages");
    }
    if (particleBlocks_ == 0 || !environment.mirror.any())
        return;
    if (meetings_)
        FLOE_LAUNCH(extendNodesOfBodies, nodeBlocks(), kBlockNodes, 0, device_.stream(),
                    now().view(), grid(), meetings_->nodes(), environment);
    else
        FLOE_LAUNCH(cuda::extendNodes, blockCount_, kBlockNodes, 0, device_.stream(), now().view(),
                    grid(), environment);
    device_.checkLaunch("extendNodes");
}

inline void Core::clearGrid()
{
    if (meetings_)
        meetings_->begin(now().view(), blockCount_,
                         [&](const std::uint32_t* values, std::uint64_t count,
                             std::uint32_t* sums) { scan(values, count, sums); });
    const std::size_t nodes = nodeBlocks();
    sums_.need(nodes * NodeSums::kBytes);
    velocities_.need(nodes * NodeVelocities::kBytes);
    sums_.fill(0, nodes * NodeSums::kBytes);
    if (flips_) {
        sumsBefore_.need(nodes * MomentumBefore::kBytes);
        velocitiesBefore_.need(nodes * NodeVelocities::kBytes);
        sumsBefore_.fill(0, nodes * MomentumBefore::kBytes);
    }
}

inline Core::HostNodes Core::downloadNodes()
{
    HostNodes nodes;
    const std::size_t count = nodeBlocks();
    nodes.velocity = velocities_.download(count * NodeVelocities::kBytes);
    nodes.coordinate = now().coordinate.download(3 * std::size_t(blockCount_));
    if (meetings_)
        for (const std::uint32_t b : meetings_->sharedBlocks())
            for (std::size_t axis = 0; axis < 3; ++axis)
                nodes.coordinate.push_back(nodes.coordinate[3 * std::size_t(b) + axis]);
    const auto sums = sums_.download(count * NodeSums::kBytes);
    nodes.mass.reserve(count * kBlockNodes);
    for (std::size_t b = 0; b < count; ++b) {
        const sdk::grid::Block<const NodeSums> block(sums.data(), b);
        for (int n = 0; n < kBlockNodes; ++n)
            nodes.mass.push_back(static_cast<float>(
                step_.massUnit * static_cast<double>(static_cast<long long>(block.at<Mass>(n)))));
    }
    return nodes;
}

inline void Core::toParticles(const Environment& environment, bool particleContact, float restSpeed,
                              std::int32_t roundingSeed, float next, double moved, float flip,
                              float volumeTime)
{
    Report fresh{};
    fresh.notFinite = ~0ull;
    fresh.left = found_.left;
    fresh.taken = found_.taken;
    fresh.active = found_.active;
    fresh.boundary = found_.boundary;
    fresh.minMass = found_.minMass;
    if (particleBlocks_ == 0 && !halo_) {
        found_ = fresh;
        return;
    }
    StepNumbers now = step_;
    now.roundingSeed = roundingSeed;
    now.flip = flip;
    now.volumeTime = volumeTime;
    scatteredStep_ = next;
    if (flips_ && particleBlocks_ > 0) {
        FLOE_LAUNCH(findVelocitiesBefore, nodeBlocks(), kBlockNodes, 0, device_.stream(), grid(),
                    now.velocityUnit);
        device_.checkLaunch("findVelocitiesBefore");
    }
    if ((anyTense_ || (usesNearMass_ && volumeTime > 0)) && particleBlocks_ > 0)
        findNearMass(now, environment);
    if (next > 0) {
        chooseUnits(next, kRoom);
        if (particleBlocks_ > 0)
            clearGrid();
    } else {
        step_.dt = 0;
    }
    driftBefore_ = drift_;
    movedFor_ = flips_ ? 0 : now.dt;
    drift_ += moved;
    tell(fresh);
    const bool oneLaw =
        std::all_of(materials_.begin(), materials_.end(), [&](const physics::Material& material) {
            return material.kind == materials_[0].kind;
        });
    pending_ = true;
    if (particleBlocks_ == 0)
        return;
    StepNumbers fused = step_;
    if (!custom_.empty()) // stress comes between
        fused.dt = 0;
    const auto move = [&](Part part) {
        if (particleContact || flips_ || cubic_ || !oneLaw)
            withScheme([&]<class Scheme>() {
                if (particleContact)
                    launchMove<Scheme, true, AnyLaw>(now, fused, environment, restSpeed, part);
                else
                    launchMove<Scheme, false, AnyLaw>(now, fused, environment, restSpeed, part);
            });
        else
            physics::visitLaw(materials_[0], [&](const auto& law) {
                launchMove<Scheme<3, false>, false, std::remove_cvref_t<decltype(law)>>(
                    now, fused, environment, restSpeed, part);
            });
    };
    if (custom_.empty()) {
        launchParts(next > 0, move);
        if (meetings_)
            meetings_->end(this->now().view());
        return;
    }
    move(Part::all);
    if (meetings_)
        meetings_->end(this->now().view());
    askModels(Asked::moved, 0, now.dt);
    if (!(next > 0))
        return;
    withSupport([&]<int kSupport>() {
        FLOE_LAUNCH((boundBoundary<kSupport>), particleBlocks_, kThreads, 0, device_.stream(),
                    particles(), this->now().view(), dx_, report_.data());
    });
    launchParts(true, [&](Part part) { launchScatter(part); });
}

inline void Core::findNearMass(const StepNumbers& step, const Environment& environment)
{
    if (environment.mirror.any() && meetings_) {
        FLOE_LAUNCH(completeMassesOfBodies<false>, nodeBlocks(), kBlockNodes, 0, device_.stream(),
                    now().view(), grid(), meetings_->nodes(), environment.mirror);
        FLOE_LAUNCH(completeMassesOfBodies<true>, nodeBlocks(), kBlockNodes, 0, device_.stream(),
                    now().view(), grid(), meetings_->nodes(), environment.mirror);
    } else if (environment.mirror.any()) {
        FLOE_LAUNCH(completeMasses<false>, blockCount_, kBlockNodes, 0, device_.stream(),
                    now().view(), grid(), environment.mirror);
        FLOE_LAUNCH(completeMasses<true>, blockCount_, kBlockNodes, 0, device_.stream(),
                    now().view(), grid(), environment.mirror);
    }
    withSupport([&]<int kSupport>() {
        const Blocks blocks = parts();
        FLOE_LAUNCH((cuda::findNearMass<kSupport>), blocks.particleBlocks, kThreads, 0,
                    device_.stream(), particles(), blocks, grid(), laws_.data(), step, environment);
    });
    device_.checkLaunch("findNearMass");
}

template <class Scheme, bool kContact, class Law>
void Core::launchMove(const StepNumbers& step, const StepNumbers& next,
                      const Environment& environment, float restSpeed, Part part)
{
    const Blocks blocks = parts();
    FLOE_LAUNCH((moveParticles<Scheme, kContact, Law>), blocks.particleBlocks, kThreads, 0,
                device_.stream(), particles(), blocks, grid(), laws_.data(), step, next,
                environment, restSpeed, part, report_.data());
    device_.checkLaunch("moveParticles");
}

inline void Core::chooseUnits(float dt, double room)
{
    const auto exponent = [](double bound) {
        int above = 0;
        std::frexp(std::max(bound, 1e-30) * 1.001, &above); // bound < 2^above
        return 62 - 24 + 1 - above;
    };
    step_.dt = dt;
    step_.dx = dx_;
    step_.cellSize = cellSize_;
    momentumBound_ = room * (real(found_.maxMomentum) + double(dt) * real(found_.maxForce));
    step_.massExponent = exponent(real(found_.maxMass));
    step_.momentumExponent = exponent(momentumBound_);
    step_.negligibleMass =
        static_cast<long long>(std::ldexp(kNegligible * real(found_.minMass), step_.massExponent));
    step_.massUnit = std::ldexp(1.0, -step_.massExponent);
    step_.velocityUnit = std::ldexp(1.0, step_.massExponent - step_.momentumExponent);
}

inline void Core::launchFindStress(std::uint64_t firstId, bool inactive)
{
    if (particleBlocks_ == 0)
        return;
    withSupport([&]<int kSupport>() {
        FLOE_LAUNCH((cuda::findStress<kSupport>), particleBlocks_, kThreads, 0, device_.stream(),
                    particles(), now().view(), laws_.data(), step_, firstId, inactive,
                    report_.data());
    });
    device_.checkLaunch("findStress");
    askModels(inactive ? Asked::atRest : Asked::all, firstId, 0);
}

inline void Core::launchBoundStill(std::uint32_t most, const Blocks& blocks)
{
    withSupport([&]<int kSupport>() {
        FLOE_LAUNCH((boundStill<kSupport>), std::min(most, kMaxBoundBlocks), kThreads, 0,
                    device_.stream(), particles(), blocks, dx_, report_.data());
    });
}

inline void Core::markStates()
{
    found_.active = found_.boundary = 0;
    if (particleBlocks_ == 0 && !halo_)
        return;
    found_.particleBlocks = particleBlocks_;
    tell(found_);
    if (halo_) {
        if (particleBlocks_ > 0)
            FLOE_LAUNCH(countActive, groups(particleBlocks_, 128), 128, 0, device_.stream(),
                        now().view(), report_.data());
        found_ = readReport();
        if (halo_->totals().active == halo_->totals().particleBlocks)
            return;
        halo_->shareStates(now().view());
        found_.active = 0;
        tell(found_);
    }
    if (particleBlocks_ > 0)
        FLOE_LAUNCH(markBoundary, groups(particleBlocks_, 128), 128, 0, device_.stream(),
                    now().view(), report_.data());
    if (halo_)
        halo_->shareStates(now().view()); // boundary blocks are known now
    if (particleBlocks_ > 0)
        launchBoundStill(particleBlocks_, now().view());
    device_.checkLaunch("boundStill");
    found_ = readReport();
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
