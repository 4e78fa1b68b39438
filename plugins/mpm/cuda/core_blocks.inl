// Rebuilds the CUDA solver's blocks after changes of the particles; included by core.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void Core::prepareBlocks(std::uint32_t wanted)
{
    BlockArrays& made = next();
    made.materials = materialCount_;
    made.particleBlocks = 0;
    made.inOrder = false;
    made.capacity = std::max({made.capacity, wanted, 64u});
    // Kernels count starts and neighbours in 32 bits.
    if (std::uint64_t(made.capacity) * std::max(materialCount_, 27u) >= 0xFFFFFF00ull) {
        made.capacity = 0;
        throw std::bad_alloc();
    }
    made.coordinate.need(3 * std::size_t(made.capacity));
    made.start.need(std::size_t(made.capacity) * materialCount_ + 1);
    made.neighbour.need(27 * std::size_t(made.capacity));
    made.state.need(made.capacity);
    if (halo_)
        made.border.need(made.capacity);
    made.speed.need(made.capacity);
    made.restTime.need(made.capacity);
    made.pushSpeed.need(made.capacity);
    made.gain.need(3 * std::size_t(made.capacity));
    made.order.need(particles_);
    made.state.fill(0, made.capacity);
    std::uint32_t slots = 256;
    while (slots < 2 * made.capacity)
        slots *= 2;
    made.key.need(slots);
    made.keyBlock.need(slots);
    made.tableMask = slots - 1;
    made.key.fill(0xFF, slots);
    made.keyBlock.fill(0xFF, slots);
    count_.need(std::size_t(made.capacity) * materialCount_);
    count_.fill(0, std::size_t(made.capacity) * materialCount_);
    bin_.need(particles_);
    rank_.need(particles_);
    FLOE_LAUNCH(startBlocks, 1, 1, 0, device_.stream(), report_.data());
}

inline bool Core::finishBlocks(std::uint64_t moved, bool passive)
{
    // Only the device knows the number of blocks until the end: launches cover as many as fit.
    BlockArrays& made = next();
    const unsigned room = groups(made.capacity, 128);
    FLOE_LAUNCH(closeBlocks, 1, 1, 0, device_.stream(), report_.data());
    scan(count_.data(), std::uint64_t(made.capacity) * materialCount_, made.start.data());
    FLOE_LAUNCH(linkNeighbours, groups(27 * std::uint64_t(made.capacity), 128), 128, 0,
                device_.stream(), made.view(), report_.data());
    if (halo_ && halo_->reach() > 1)
        FLOE_LAUNCH(makeOuter, groups(BlocksAround::kMax * std::uint64_t(made.capacity), 128), 128,
                    0, device_.stream(), made.view(), report_.data());
    device_.checkLaunch("linkNeighbours");
    FLOE_LAUNCH(inheritBlocks, room, 128, 0, device_.stream(), now().view(), made.view(),
                static_cast<std::uint32_t>(passive ? kPassive : kActive), report_.data());
    if (halo_)
        halo_->inherit(now().view(), made.view(), room, report_.data());
    if (moved > 0 && particleBlocks_ > 0)
        FLOE_LAUNCH(placeMoved, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), made.view(), bin_.data(), rank_.data(), report_.data());
    if (moved < particles_)
        FLOE_LAUNCH(placeParticles, groups(particles_ - moved, 128), 128, 0, device_.stream(),
                    particles(), made.view(), bin_.data(), rank_.data(),
                    static_cast<std::uint32_t>(moved), static_cast<std::uint32_t>(particles_),
                    report_.data());
    device_.checkLaunch("placeParticles");
    if (!halo_) { // what others hold matters
        FLOE_LAUNCH(markBoundary, room, 128, 0, device_.stream(), made.view(), report_.data());
        device_.checkLaunch("markBoundary");
        // If all blocks were active, all still are.
        if (moved == 0 || found_.active != particleBlocks_)
            launchBoundStill(made.capacity, made.view());
        device_.checkLaunch("boundStill");
    }
    found_ = readOwnReport();
    pending_ = false;
    scatteredStep_ = 0;
    if (moved > 0 && found_.notFinite != ~0ull)
        return true; // blocks stay as they were
    if (found_.overflow)
        return false;
    made.particleBlocks = found_.particleBlocks;
    particleBlocks_ = made.particleBlocks;
    blockCount_ = found_.blocks;
    current_ = 1 - current_;
    if (meetings_)
        meetings_->forget();
    drift_ = movedFor_ = 0;
    return true;
}

inline void Core::bin()
{
    const std::uint64_t stayed = particles_; // those that leave included
    std::uint32_t wanted = blockCount_;
    if (halo_) {
        halo_->exchangeMovers(particles(), now().view(), channels_, report_.data());
        makeRoom(stayed + halo_->arrived(), stayed == 0);
        particles_ += halo_->arrived();
        coordinates_.need(3 * particles_);
        halo_->place(particles(), channels_, static_cast<std::uint32_t>(stayed),
                     coordinates_.data());
        maxId_ = std::max(maxId_, halo_->largestId());
        inheritNothing();
    }
    do {
        prepareBlocks(wanted);
        if (particleBlocks_ > 0)
            FLOE_LAUNCH(countBins, particleBlocks_, kThreads,
                        54 * materialCount_ * sizeof(unsigned), device_.stream(), particles(),
                        now().view(), next().view(), count_.data(), bin_.data(), rank_.data(),
                        report_.data());
        device_.checkLaunch("countBins");
        launchCountAnew(stayed, stayed, false);
        wanted = 2 * next().capacity;
    } while (!finishBlocks(stayed, false));
    if (found_.notFinite != ~0ull)
        return;
    // Moving particles costs all of them, and serves those that are awake.
    disorder_ += double(found_.active) / std::max(1u, particleBlocks_);
    const bool anyMoved = halo_ && halo_->left() + halo_->arrived() > 0;
    if (anyMoved)
        particles_ -= halo_->left();
    if (disorder_ >= 1 || anyMoved)
        reorder();
    joinOthers();
}

inline void Core::inheritNothing()
{
    if (particleBlocks_ > 0)
        return;
    prepareBlocks(64);
    current_ = 1 - current_;
}

inline void Core::launchCountAnew(std::uint64_t first, std::uint64_t firstNew, bool passive)
{
    if (first == particles_)
        return;
    FLOE_LAUNCH(countAnew, groups(particles_ - first, 128), 128, 0, device_.stream(), particles(),
                next().view(), coordinates_.data(), static_cast<std::uint32_t>(first),
                static_cast<std::uint32_t>(particles_), static_cast<std::uint32_t>(firstNew),
                passive, count_.data(), bin_.data(), rank_.data(), report_.data());
    device_.checkLaunch("countAnew");
}

inline void Core::joinOthers()
{
    if (!halo_)
        return;
    device_.fill(now().state.data() + particleBlocks_, 0xFF,
                 (now().capacity - particleBlocks_) * sizeof(std::uint32_t));
    halo_->plan(now().view(), particleBlocks_);
    found_ = shared(found_);
    markStates();
}

inline void Core::rebuild(std::uint64_t firstNew, bool passive)
{
    tell(found_);
    materialCount_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(materials_.size()));
    inheritNothing();
    std::uint32_t wanted =
        std::max<std::uint32_t>(blockCount_, static_cast<std::uint32_t>(particles_ / 128) + 64);
    do {
        prepareBlocks(wanted);
        launchCountAnew(0, firstNew, passive);
        wanted = 2 * next().capacity;
    } while (!finishBlocks(0, passive));
    reorder();
    joinOthers();
}

inline void Core::scan(const std::uint32_t* values, std::uint64_t count, std::uint32_t* sums)
{
    const std::uint32_t tiles = scanTiles(count);
    tiles_.need(tiles);
    FLOE_LAUNCH(sumTiles, tiles, kScanThreads, 0, device_.stream(), values, count, tiles_.data());
    FLOE_LAUNCH(scanTileSums, 1, kScanThreads, 0, device_.stream(), tiles_.data(), tiles);
    FLOE_LAUNCH(scanTileValues, tiles, kScanThreads, 0, device_.stream(), values, count,
                tiles_.data(), sums);
    device_.checkLaunch("scan");
}

inline void Core::reorder()
{
    const auto count = static_cast<std::uint32_t>(particles_);
    disorder_ = 0;
    if (particleBlocks_ == 0)
        return;
    FLOE_LAUNCH(interleave, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                now().view(), bin_.data(), rank_.data());
    device_.checkLaunch("interleave");
    takeAll(now().order.data(), count);
    now().inOrder = true;
}

inline void Core::takeAll(const std::uint32_t* index, std::uint32_t count)
{
    const unsigned moved = kSpare - shift_;
    const Particles from = particles(), to = particlesFrom(values_.data(), channels_, moved);
    for (unsigned done = 0; done < channels_; done += kSpare) {
        const unsigned channels = std::min(kSpare, channels_ - done);
        const unsigned first = moved > 0 ? channels_ - done - channels : done;
        FLOE_LAUNCH(takeChannels, groups(count, 128), 128, 0, device_.stream(), from, to, first,
                    channels, index, count);
    }
    device_.checkLaunch("takeChannels");
    shift_ = moved;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
