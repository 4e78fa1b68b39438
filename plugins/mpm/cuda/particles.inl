// Adding and reading particles of the CUDA backend; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline void CudaBackend::setMaterials(std::span<const SolverMaterial> materials)
{
    core_.device().makeCurrent();
    materials_.assign(materials.begin(), materials.end());
    std::vector<physics::Material> laws;
    std::vector<CustomMaterial> custom;
    for (const SolverMaterial& material : materials_) {
        if (material.custom) {
            physics::Material stressless;
            stressless.density = material.law.density;
            custom.push_back({static_cast<std::uint32_t>(laws.size()),
                              material.name,
                              material.custom,
                              {},
                              false});
            std::copy_n(material.initialState, 4, custom.back().initialState);
            laws.push_back(stressless);
        } else {
            laws.push_back(material.law);
        }
    }
    core_.setMaterials(std::move(laws), std::move(custom));
    setPairs();
}

inline void CudaBackend::setPairs()
{
    if (!core_.meetings())
        return;
    std::vector<double> friction;
    std::vector<float> sound;
    for (const SolverMaterial& one : materials_) {
        sound.push_back(soundSpeed(one));
        for (const SolverMaterial& other : materials_)
            friction.push_back(frictionBetween(one, other));
    }
    core_.meetings()->setPairs(friction, sound);
}

inline void CudaBackend::compact()
{
    core_.compact();
    deletedPlaces_ = 0;
}

inline HostParticles CudaBackend::hostParticles(const NewParticles& p, std::uint32_t firstId,
                                                const std::uint64_t* numbers) const
{
    const SolverMaterial& material = materials_[p.material];
    const float initialState =
        material.custom
            ? material.initialState[0]
            : physics::visitLaw(material.law, [](const auto& law) { return law.initialState(); });
    HostParticles added;
    added.resize(p.count);
    const double inverse = 1 / settings_.cellSize;
    for (std::uint64_t i = 0; i < added.count; ++i) {
        BlockCoordinate block;
        for (unsigned axis = 0; axis < 3; ++axis) {
            const LocalPosition place = localPosition(p.x[3 * i + axis] * inverse);
            block[axis] = place.block;
            added.at(kPosition + axis, i) = place.local;
            added.at(kVelocity + axis, i) = p.v ? p.v[3 * i + axis] : 0;
        }
        const BlockCoordinate kept = ownership_.period.wrapped(block);
        std::copy(kept.begin(), kept.end(), added.block.begin() + std::ptrdiff_t(3 * i));
        const float density = material.law.density * (p.densityScale ? p.densityScale[i] : 1);
        added.at(kState, i) = p.state ? p.state[i] : initialState;
        for (unsigned k = 0; k < 3 && material.custom; ++k)
            added.at(kMoreState + k, i) = material.initialState[k + 1];
        for (unsigned k = 0; k < 9 && p.strain; ++k)
            added.at(kElastic + k, i) = p.strain[9 * i + k];
        added.at(kMass, i) = density * p.volume[i];
        added.at(kVolume, i) = p.volume[i];
        added.at(kStiffness, i) = p.stiffnessScale ? p.stiffnessScale[i] : 1;
        added.material[i] = p.material;
        added.id[i] = firstId + (numbers ? numbers[i] : i);
    }
    return added;
}

inline void CudaBackend::add(const NewParticles& p, std::uint32_t firstId)
{
    core_.device().makeCurrent();
    rebin();
    const bool passive = settings_.startsPassive && materials_[p.material].sleeps;
    HostParticles all = hostParticles(p, firstId, nullptr);
    if (!ranks()) {
        core_.add(all, passive);
        return;
    }
    // Every rank is given all of them, and keeps its own. The first ones decide whose is what.
    if (undivided()) {
        std::vector<sdk::grid::BlockCost> costs(p.count);
        for (std::size_t i = 0; i < p.count; ++i)
            costs[i] = {blockOfParticle(p.x + 3 * i, settings_.cellSize), 1};
        ownership_.divideBy(std::move(costs));
        core_.halo()->forget();
    }
    core_.add(ownOf(all, [&](const BlockCoordinate& block) { return ownership_.isGiven(block); }),
              passive);
}

inline void CudaBackend::addPart(const NewParticles& p, std::uint32_t firstId,
                                 const Numbering& numbering)
{
    core_.device().makeCurrent();
    rebin();
    core_.add(hostParticles(p, firstId, numbering.number.data()),
              settings_.startsPassive && materials_[p.material].sleeps);
}

inline void CudaBackend::findOccupied(CellSet& cells)
{
    core_.device().makeCurrent();
    const HostPlaces all = core_.downloadPlaces();
    for (std::uint64_t p = 0; p < all.count; ++p) {
        if (!(all.mass[p] > 0))
            continue;
        std::int64_t c[3];
        for (unsigned axis = 0; axis < 3; ++axis)
            c[axis] = ownership_.period.wrappedCell(
                axis,
                std::int64_t{kBlockEdge} * all.block[3 * p + axis] +
                    static_cast<std::int64_t>(std::floor(all.position[axis * all.count + p])));
        cells.add(c[0], c[1], c[2]);
    }
}

inline std::optional<std::uint16_t> CudaBackend::findNotFinite()
{
    core_.device().makeCurrent();
    const auto find = [this]() -> std::optional<std::uint16_t> {
        const HostParticles all = core_.download();
        for (std::uint64_t p = 0; p < all.count; ++p)
            for (unsigned channel = kPosition; channel < kChannels; ++channel)
                if (!std::isfinite(all.at(channel, p)))
                    return static_cast<std::uint16_t>(all.material[p]);
        return {};
    };
    return firstMaterial(ranks(), find());
}

inline void CudaBackend::snapshotOnDevice(const Snapshot& to)
{
    core_.device().makeCurrent();
    rebin();
    unsigned long long liquids = 0;
    for (std::size_t m = 0; m < materials_.size(); ++m)
        if (!materials_[m].custom && materials_[m].law.isLiquid())
            liquids |= 1ull << m;
    core_.snapshot(to, liquids);
}

inline void CudaBackend::snapshotPart(const Snapshot& to)
{
    Device& device = core_.device();
    device.makeCurrent();
    rebin();
    const std::size_t count = core_.particleCount();
    Snapshot on;
    std::vector<DeviceArray<unsigned char>> arrays;
    std::vector<std::pair<void*, std::size_t>> targets;
    const auto ask = [&](auto* host, auto*& there, std::size_t components) {
        if (!host || count == 0)
            return;
        const std::size_t bytes = count * components * sizeof *host;
        arrays.emplace_back(device).need(bytes);
        targets.emplace_back(host, bytes);
        there = reinterpret_cast<decltype(host)>(arrays.back().data());
    };
    ask(to.x, on.x, 3);
    ask(to.v, on.v, 3);
    ask(to.F, on.F, 9);
    ask(to.C, on.C, 9);
    ask(to.J, on.J, 1);
    ask(to.stress, on.stress, 6);
    ask(to.state, on.state, 1);
    ask(to.volume, on.volume, 1);
    ask(to.mass, on.mass, 1);
    ask(to.material, on.material, 1);
    ask(to.id, on.id, 1);
    ask(to.activation, on.activation, 1);
    snapshotOnDevice(on);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        device.enqueueDownload(targets[i].first, arrays[i].data(), targets[i].second);
    device.synchronise();
    if (to.rank)
        std::fill_n(to.rank, count, static_cast<float>(ownership_.rank()));
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
