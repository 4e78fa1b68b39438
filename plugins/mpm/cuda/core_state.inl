// Adding, removing and reading particles of the CUDA solver; included by core.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void Core::setMaterials(std::vector<physics::Material> materials,
                               std::vector<CustomMaterial> custom)
{
    const bool grew = materials.size() != materials_.size();
    settle();
    bool changed = custom != custom_;
    for (std::size_t m = 0; m < std::min(materials.size(), materials_.size()); ++m)
        changed = changed || lawNumbers(materials[m]) != lawNumbers(materials_[m]);
    const bool holds = particles_ > 0 || halo_;
    if (grew && holds)
        writeBlockCoordinates();
    materials_ = std::move(materials);
    usesNearMass_ = anyTense_ = false;
    for (const physics::Material& material : materials_)
        if (material.isLiquid()) {
            usesNearMass_ = usesNearMass_ || usesNearMass(material.liquid);
            anyTense_ = anyTense_ || material.liquid.surfaceTension > 0;
        }
    if (usesNearMass_ && particles_ > 0)
        makeRoom(particles_, false);
    custom_ = std::move(custom);
    laws_.need(materials_.size());
    laws_.upload(materials_.data(), materials_.size());
    if (grew && holds)
        rebuild(particles_);
    if (changed)
        findStress();
}

inline void Core::setReach(int blocks)
{
    if (!halo_ || blocks == halo_->reach())
        return;
    settle();
    halo_->setReach(blocks);
    writeBlockCoordinates();
    rebuild(particles_);
}

inline void Core::findStress()
{
    if (particles_ == 0 && !halo_)
        return;
    settle();
    scatteredStep_ = 0;
    step_.dt = 0;
    step_.dx = dx_;
    found_.maxWave = 0;
    found_.maxForce = 0;
    tell(found_);
    launchFindStress(0, false);
    found_ = readReport();
}

inline void Core::add(const HostParticles& more, bool passive)
{
    if (more.count == 0 && !halo_)
        return;
    settle();
    const std::uint64_t before = particles_;
    try {
        append(more);
        rebuild(before, passive);
    } catch (...) {
        particles_ = before; // the earlier particles are unchanged
        throw;
    }
    step_.dt = 0;
    step_.dx = dx_;
    const Report old = found_;
    Report fresh{};
    fresh.notFinite = ~0ull;
    fresh.left = old.left;
    fresh.taken = old.taken;
    fresh.minMass = old.minMass;
    tell(fresh);
    if (more.count > 0)
        launchFindStress(*std::min_element(more.id.begin(), more.id.end()), false);
    found_ = readOwnReport();
    for (std::uint64_t p = 0; p < more.count; ++p) {
        const int mass = std::bit_cast<int>(more.at(kMass, p));
        found_.minMass = found_.minMass == 0 ? mass : std::min(found_.minMass, mass);
    }
    found_.maxComponent = old.maxComponent;
    found_.maxGradient = std::max(found_.maxGradient, old.maxGradient);
    for (std::uint64_t p = 0; p < more.count; ++p)
        for (unsigned axis = 0; axis < 3; ++axis)
            found_.maxComponent = std::max(
                found_.maxComponent, std::bit_cast<int>(std::abs(more.at(kVelocity + axis, p))));
    found_.maxSpeed = std::max(found_.maxSpeed, old.maxSpeed);
    found_.maxWave = std::max(found_.maxWave, old.maxWave);
    found_.maxMomentum = std::max(found_.maxMomentum, old.maxMomentum);
    found_.maxForce = std::max(found_.maxForce, old.maxForce);
    found_.maxMass = std::max(found_.maxMass, old.maxMass);
    found_ = shared(found_);
    HostBlocks made = blocks();
    std::map<std::array<std::int32_t, 3>, std::size_t> at;
    for (std::size_t b = 0; b < made.state.size(); ++b)
        at[{made.coordinate[3 * b], made.coordinate[3 * b + 1], made.coordinate[3 * b + 2]}] = b;
    for (std::uint64_t p = 0; p < more.count; ++p) {
        const auto block =
            at.find({more.block[3 * p], more.block[3 * p + 1], more.block[3 * p + 2]});
        if (block == at.end())
            continue;
        const float speed =
            std::hypot(more.at(kVelocity, p), more.at(kVelocity + 1, p), more.at(kVelocity + 2, p));
        made.speed[block->second] = std::max(made.speed[block->second], speed);
        made.restTime[block->second] = 0;
    }
    now().speed.upload(made.speed.data(), made.speed.size());
    now().restTime.upload(made.restTime.data(), made.restTime.size());
    markStates();
}

inline void Core::restore(const HostParticles& all, const HostBlocks& states, const Report& found)
{
    found_ = found;
    pending_ = false;
    drift_ = movedFor_ = 0;
    scatteredStep_ = 0;
    particles_ = 0;
    forgetBlocks();
    if (all.count == 0 && !halo_)
        return;
    append(all);
    rebuild(0);
    // Blocks were rebuilt in another order: match them by coordinate.
    HostBlocks made = blocks();
    const auto key = [](const std::int32_t* c) {
        return std::array<std::int32_t, 3>{c[0], c[1], c[2]};
    };
    std::map<std::array<std::int32_t, 3>, std::size_t> saved;
    for (std::size_t i = 0; i < states.state.size(); ++i)
        saved[key(states.coordinate.data() + 3 * i)] = i;
    for (std::size_t i = 0; i < made.state.size(); ++i) {
        const auto at = saved.find(key(made.coordinate.data() + 3 * i));
        if (at == saved.end())
            continue;
        made.state[i] = states.state[at->second];
        made.speed[i] = states.speed[at->second];
        made.restTime[i] = states.restTime[at->second];
        made.pushSpeed[i] = states.pushSpeed[at->second];
        std::copy_n(states.gain.begin() + std::ptrdiff_t(3 * at->second), 3,
                    made.gain.begin() + std::ptrdiff_t(3 * i));
    }
    now().state.upload(made.state.data(), made.state.size());
    now().speed.upload(made.speed.data(), made.speed.size());
    now().restTime.upload(made.restTime.data(), made.restTime.size());
    now().pushSpeed.upload(made.pushSpeed.data(), made.pushSpeed.size());
    now().gain.upload(made.gain.data(), made.gain.size());
    markStates();
}

inline void Core::compact()
{
    if (particles_ == 0 && !halo_)
        return;
    settle();
    writeBlockCoordinates();
    const auto count = static_cast<std::uint32_t>(particles_);
    if (count == 0) { // the others call these, too
        rebuild(0);
        markStates();
        return;
    }
    bin_.need(particles_);
    rank_.need(particles_ + 1);
    FLOE_LAUNCH(markLiving, groups(count, 128), 128, 0, device_.stream(), particles(), count,
                bin_.data());
    scan(bin_.data(), particles_, rank_.data());
    std::uint32_t living = 0;
    device_.download(&living, rank_.data() + particles_, sizeof living);
    if (living == count && !halo_)
        return;
    spareCoordinates_.need(3 * std::size_t(living));
    DeviceArray<std::uint32_t>& index = next().order; // belongs to blocks that are rebuilt below
    index.need(particles_);
    FLOE_LAUNCH(listLiving, groups(count, 128), 128, 0, device_.stream(), bin_.data(), rank_.data(),
                index.data(), count);
    if (living > 0) {
        FLOE_LAUNCH(takeValues<BlockCoordinates>, groups(living, 128), 128, 0, device_.stream(),
                    reinterpret_cast<const BlockCoordinates*>(coordinates_.data()),
                    reinterpret_cast<BlockCoordinates*>(spareCoordinates_.data()), index.data(),
                    living);
        takeAll(index.data(), living);
    }
    device_.checkLaunch("listLiving");
    std::swap(coordinates_, spareCoordinates_);
    particles_ = living;
    if (living > 0 || halo_)
        rebuild(living);
    else
        forgetBlocks();
    markStates();
}

inline HostParticles Core::download()
{
    settle();
    HostParticles all;
    all.resize(particles_);
    if (particles_ == 0)
        return all;
    writeBlockCoordinates();
    std::vector<std::uint32_t> id(particles_);
    downloadChannels(all.material.data(), kMaterial);
    downloadChannels(id.data(), kId);
    downloadChannels(&all.at(kPosition, 0), kPosition, channels_ - kPosition);
    all.block = coordinates_.download(3 * particles_);
    all.id.assign(id.begin(), id.end());
    return all;
}

inline HostPlaces Core::downloadPlaces()
{
    settle();
    HostPlaces all;
    all.count = particles_;
    if (particles_ == 0)
        return all;
    all.position.resize(3 * particles_);
    all.mass.resize(particles_);
    writeBlockCoordinates();
    downloadChannels(all.position.data(), kPosition, 3);
    downloadChannels(all.mass.data(), kMass);
    all.block = coordinates_.download(3 * particles_);
    return all;
}

inline HostBlocks Core::blocks()
{
    settle();
    HostBlocks all;
    all.coordinate = now().coordinate.download(3 * std::size_t(particleBlocks_));
    all.state = now().state.download(particleBlocks_);
    all.speed = now().speed.download(particleBlocks_);
    all.restTime = now().restTime.download(particleBlocks_);
    all.pushSpeed = now().pushSpeed.download(particleBlocks_);
    all.gain = now().gain.download(3 * std::size_t(particleBlocks_));
    all.particles.resize(std::size_t(particleBlocks_) * materialCount_);
    if (particleBlocks_ > 0) {
        const auto start = now().start.download(std::size_t(particleBlocks_) * materialCount_ + 1);
        for (std::size_t i = 0; i < all.particles.size(); ++i)
            all.particles[i] = start[i + 1] - start[i];
    }
    return all;
}

inline std::vector<std::uint64_t> Core::occupiedCells()
{
    if (particleBlocks_ == 0)
        return {};
    settle();
    occupied_.need(particleBlocks_);
    FLOE_LAUNCH(findOccupiedCells, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                now().view(), occupied_.data());
    device_.checkLaunch("findOccupiedCells");
    const auto cells = occupied_.download(particleBlocks_);
    return {cells.begin(), cells.end()};
}

inline void Core::addOthers(HostBlocks& blocks)
{
    if (!halo_ || halo_->ghosts().empty())
        return;
    const std::vector<std::uint32_t> states = halo_->ghostStates(now().view());
    const auto coordinates = now().coordinate.download(3 * std::size_t(blockCount_));
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto first = coordinates.begin() + std::ptrdiff_t(3 * halo_->ghosts()[i]);
        blocks.coordinate.insert(blocks.coordinate.end(), first, first + 3);
        blocks.state.push_back(states[i]);
    }
}

inline void Core::makeRoom(std::uint64_t count, bool first)
{
    if (count >= 0xFFFFFF00ull)
        throw std::bad_alloc();
    const bool liquids =
        std::all_of(materials_.begin(), materials_.end(),
                    [](const physics::Material& material) { return material.isLiquid(); });
    const unsigned channels = std::max<unsigned>(channels_, !custom_.empty() ? kChannels
                                                            : !liquids       ? kSolidChannels
                                                            : usesNearMass_  ? kNearChannels
                                                                             : kLiquidChannels);
    if (count <= room_ && channels <= channels_)
        return;
    // The first particles are often the only ones; later ones are seldom the last.
    const std::uint64_t wanted = std::max(room_, first ? count : count + count / 4);
    const std::uint64_t room = (wanted + kGroup - 1) / kGroup * kGroup;
    DeviceArray<float> larger(device_);
    larger.needExactly((channels + kSpare) * room);
    if (particles_ > 0 && channels > channels_)
        larger.fill(0, (channels + kSpare) * room);
    if (particles_ > 0)
        FLOE_LAUNCH(copyParticles, groups(particles_, 128), 128, 0, device_.stream(), particles(),
                    channels_, particlesFrom(larger.data(), channels, 0), channels,
                    static_cast<std::uint32_t>(particles_));
    device_.checkLaunch("copyParticles");
    values_ = std::move(larger);
    shift_ = 0;
    room_ = room;
    channels_ = channels;
}

inline void Core::append(const HostParticles& more)
{
    const std::uint64_t before = particles_, after = before + more.count;
    makeRoom(after, before == 0);
    if (before > 0)
        writeBlockCoordinates();
    if (more.count == 0)
        return;
    coordinates_.grow(3 * after, 3 * before);
    coordinates_.upload(more.block.data(), 3 * more.count, 3 * before);
    rank_.need(more.count);
    auto* const row = reinterpret_cast<float*>(rank_.data());
    const auto enqueue = [&](unsigned channel, const auto* from) {
        static_assert(sizeof *from == sizeof(float));
        device_.enqueueUpload(row, from, more.count * sizeof(float));
        FLOE_LAUNCH(writeChannel, groups(more.count, 128), 128, 0, device_.stream(), particles(),
                    channel, static_cast<std::uint32_t>(before),
                    static_cast<std::uint32_t>(more.count), row);
    };
    const std::vector<std::uint32_t> id(more.id.begin(), more.id.end());
    enqueue(kMaterial, more.material.data());
    for (const std::uint32_t one : id)
        maxId_ = std::max(maxId_, one);
    enqueue(kId, id.data());
    for (unsigned channel = kPosition; channel < channels_; ++channel)
        enqueue(channel, more.values.data() + channel * more.count);
    device_.synchronise(); // the lifetime of `id` ends here
    particles_ = after;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
