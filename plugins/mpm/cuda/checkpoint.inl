// Saving and loading the state of the CUDA backend; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

namespace state_detail {

using saved::DeviceHead;
using saved::kDeviceMagic;
static_assert(saved::kDeviceChannels == kChannels - kPosition);
static_assert(saved::kDeviceLawBytes == sizeof(LawNumbers));

/// Of a plugin's law, all that is known is that it is one.
inline LawNumbers savedNumbers(const SolverMaterial& material)
{
    LawNumbers numbers{};
    numbers[0] = -1;
    return material.custom ? numbers : lawNumbers(material.law);
}

template <class T>
void put(std::vector<unsigned char>& bytes, const T* data, std::size_t count)
{
    const std::size_t before = bytes.size();
    bytes.resize(before + count * sizeof(T));
    if (count > 0)
        std::memcpy(bytes.data() + before, data, count * sizeof(T));
}
template <class T>
void take(std::span<const unsigned char>& left, T* data, std::size_t count)
{
    if (count > left.size() / sizeof(T))
        throw std::runtime_error("the solver's saved state is cut short");
    if (count > 0)
        std::memcpy(static_cast<void*>(data), left.data(), count * sizeof(T));
    left = left.subspan(count * sizeof(T));
}

} // namespace state_detail

inline std::vector<unsigned char> CudaBackend::save(const Clock& clock)
{
    core_.device().makeCurrent();
    using namespace state_detail;
    rebin();
    const HostParticles all = core_.download();
    const HostBlocks blocks = core_.blocks();
    // By id, and blocks by coordinate: the same state gives the same bytes.
    std::vector<std::size_t> order(all.count), blockOrder(blocks.state.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    for (std::size_t i = 0; i < blockOrder.size(); ++i)
        blockOrder[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return all.id[a] < all.id[b]; });
    std::sort(blockOrder.begin(), blockOrder.end(), [&](std::size_t a, std::size_t b) {
        return std::lexicographical_compare(blocks.coordinate.begin() + std::ptrdiff_t(3 * a),
                                            blocks.coordinate.begin() + std::ptrdiff_t(3 * a + 3),
                                            blocks.coordinate.begin() + std::ptrdiff_t(3 * b),
                                            blocks.coordinate.begin() + std::ptrdiff_t(3 * b + 3));
    });

    DeviceHead h{};
    std::memcpy(h.magic, kDeviceMagic, sizeof kDeviceMagic);
    h.cellSize = settings_.cellSize;
    h.time = clock.time;
    h.lastStep = clock.lastStep;
    h.emitted = clock.counts.emitted;
    h.alive = clock.counts.alive;
    h.leftDomain = clock.counts.leftDomain;
    h.deletedByCollider = clock.counts.deletedByCollider;
    h.nextId = clock.nextId;
    h.particles = all.count;
    h.blocks = blocks.state.size();
    h.laws = materials_.size();
    h.reportBytes = sizeof(Report);
    h.support = static_cast<std::uint64_t>(core_.support());
    h.periodLow = ownership_.period.low();
    h.periodCount = ownership_.period.count();
    Report found = core_.found();
    found.left = found.taken = 0;
    if (ownership_.rank() == 0) {
        found.left = static_cast<unsigned>(core_.totals().left);
        found.taken = static_cast<unsigned>(core_.totals().taken);
    }
    // Found again when blocks are made.
    found.blocks = found.particleBlocks = found.overflow = 0;
    found.active = found.boundary = found.pushed = 0;
    std::vector<unsigned char> bytes;
    bytes.reserve(sizeof h + all.count * (kChannels * 4 + 24) + h.blocks * 28);
    put(bytes, &h, 1);
    put(bytes, &found, 1);
    for (const SolverMaterial& material : materials_) {
        const LawNumbers numbers = savedNumbers(material);
        put(bytes, &numbers, 1);
    }
    for (unsigned channel = kPosition; channel < kChannels; ++channel)
        for (const std::size_t p : order) {
            const float value = all.at(channel, p);
            put(bytes, &value, 1);
        }
    for (const std::size_t p : order)
        put(bytes, all.block.data() + 3 * p, 3);
    for (const std::size_t p : order)
        put(bytes, &all.material[p], 1);
    for (const std::size_t p : order)
        put(bytes, &all.id[p], 1);
    for (const std::size_t b : blockOrder)
        put(bytes, blocks.coordinate.data() + 3 * b, 3);
    for (const std::size_t b : blockOrder)
        put(bytes, &blocks.state[b], 1);
    for (const auto* values : {&blocks.speed, &blocks.restTime, &blocks.pushSpeed})
        for (const std::size_t b : blockOrder)
            put(bytes, &(*values)[b], 1);
    for (const std::size_t b : blockOrder)
        put(bytes, blocks.gain.data() + 3 * b, 3);
    if (ranks()) { // of this one alone
        const saved::PartHeader header = saved::makePartHeader(ranks()->rank(), ranks()->size());
        const auto* front = reinterpret_cast<const unsigned char*>(&header);
        bytes.insert(bytes.begin(), front, front + sizeof header);
    }
    return bytes;
}

inline Clock CudaBackend::load(std::span<const unsigned char> bytes)
{
    if (!ranks())
        return restore(bytes, {}, nullptr);
    saved::SourceInMemory source(bytes);
    const saved::Extent whole{0, bytes.size()};
    if (!saved::isOfDevice(source, whole))
        return restore(bytes, {}, nullptr); // which says what it is
    return loadOwn(saved::takeOwnOfDevice(source, {&whole, 1}, false, ownership_));
}

inline Clock CudaBackend::loadOwn(const saved::OwnState& own)
{
    return restore(own.bytes, own.live, own.partition);
}

/// @param live  particles in it; nothing: all of them
inline Clock CudaBackend::restore(std::span<const unsigned char> bytes,
                                  std::optional<std::uint64_t> live,
                                  const sdk::grid::PartitionPointer& partition)
{
    std::optional<std::string> failure;
    Loaded loaded;
    try {
        loaded = read(bytes, live);
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    if (anywhere(ranks(), failure.has_value())) // else the others would wait for this one
        throw std::runtime_error(
            failure.value_or("the solver's saved state is damaged, as another rank has found"));
    core_.device().makeCurrent();
    left_ = taken_ = 0;
    ownership_.partition = partition;
    if (core_.halo())
        core_.halo()->forget();
    core_.restore(loaded.particles, loaded.blocks, loaded.found);
    bounds();
    deletedPlaces_ = 0;
    deleted_ = {};
    begun_ = 0;
    if (loaded.changed)
        core_.findStress();
    return loaded.clock;
}

inline CudaBackend::Loaded CudaBackend::read(std::span<const unsigned char> bytes,
                                             std::optional<std::uint64_t> live) const
{
    using namespace state_detail;
    const auto refuse = [](const char* why) {
        throw std::runtime_error(std::string("the solver's saved state ") + why);
    };
    DeviceHead h;
    take(bytes, &h, 1);
    if (std::memcmp(h.magic, kDeviceMagic, sizeof kDeviceMagic) != 0)
        refuse(std::memcmp(h.magic, kDeviceMagic, sizeof kDeviceMagic - 1) == 0
                   ? "was written by another version of the solver; run the simulation from its "
                     "start"
                   : "is not one, or is of a run on the CPU");
    if (h.cellSize != settings_.cellSize)
        refuse("is of another cell size");
    if (Period(h.periodLow, h.periodCount) != ownership_.period)
        refuse("is of a domain with other periodic sides");
    if (!std::isfinite(h.time) || !std::isfinite(h.lastStep) || h.time < 0 || h.lastStep < 0)
        refuse("holds numbers that make no sense");
    Loaded loaded;
    loaded.changed = h.support != static_cast<std::uint64_t>(core_.support());
    if (h.reportBytes != sizeof(Report))
        refuse("was written by another version of the solver; run the simulation from its start");
    take(bytes, &loaded.found, 1);
    if (h.laws > materials_.size())
        refuse("is of other materials");
    for (std::size_t m = 0; m < h.laws; ++m) {
        LawNumbers numbers;
        take(bytes, &numbers, 1);
        const LawNumbers now = savedNumbers(materials_[m]);
        if (numbers[0] != now[0])
            refuse("is of other materials");
        loaded.changed = loaded.changed || numbers != now;
    }
    constexpr std::size_t perParticle = (kChannels - kPosition) * 4 + 12 + 4 + 8,
                          perBlock = 12 + 4 + 12 + 12;
    if (h.particles > bytes.size() / perParticle || h.blocks > bytes.size() / perBlock ||
        h.particles * perParticle + h.blocks * perBlock != bytes.size() ||
        live.value_or(h.alive) != h.particles)
        refuse("does not add up");
    HostParticles& all = loaded.particles;
    all.resize(h.particles);
    take(bytes, all.values.data() + kPosition * h.particles, (kChannels - kPosition) * h.particles);
    take(bytes, all.block.data(), all.block.size());
    take(bytes, all.material.data(), all.material.size());
    take(bytes, all.id.data(), all.id.size());
    HostBlocks& blocks = loaded.blocks;
    blocks.coordinate.resize(3 * h.blocks);
    blocks.state.resize(h.blocks);
    blocks.speed.resize(h.blocks);
    blocks.restTime.resize(h.blocks);
    blocks.pushSpeed.resize(h.blocks);
    blocks.gain.resize(3 * h.blocks);
    take(bytes, blocks.coordinate.data(), blocks.coordinate.size());
    take(bytes, blocks.state.data(), blocks.state.size());
    take(bytes, blocks.speed.data(), blocks.speed.size());
    take(bytes, blocks.restTime.data(), blocks.restTime.size());
    take(bytes, blocks.pushSpeed.data(), blocks.pushSpeed.size());
    take(bytes, blocks.gain.data(), blocks.gain.size());
    for (const float value : all.values)
        if (!std::isfinite(value))
            refuse("holds numbers that make no sense");
    for (std::uint64_t p = 0; p < all.count; ++p) {
        if (all.material[p] >= materials_.size())
            refuse("is of other materials");
        for (unsigned axis = 0; axis < 3; ++axis) {
            const float x = all.at(kPosition + axis, p);
            if (x < kMinLocal || x > kMaxLocal ||
                std::abs(all.block[3 * p + axis]) > kMaxCoordinate - 2)
                refuse("holds particles out of range");
        }
        if (!(all.at(kMass, p) > 0) || all.id[p] >= h.nextId)
            refuse("is damaged");
    }
    for (const std::uint32_t state : blocks.state)
        if (state > kBoundary)
            refuse("is damaged");

    if (ownership_.rank() > 0) // counted once
        loaded.found.left = loaded.found.taken = 0;
    Clock& clock = loaded.clock;
    clock.time = h.time;
    clock.lastStep = h.lastStep;
    clock.nextId = h.nextId;
    clock.counts.emitted = h.emitted;
    clock.counts.alive = h.alive;
    clock.counts.leftDomain = h.leftDomain;
    clock.counts.deletedByCollider = h.deletedByCollider;
    return loaded;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
