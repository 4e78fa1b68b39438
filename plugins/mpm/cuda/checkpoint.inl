// Saving and loading the state of the CUDA backend; included by cuda_backend.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

namespace state_detail {

inline constexpr char kMagic[8] = {'f', 'l', 'o', 'e', 'c', 'u', 'd', '6'};

/// The saved state: this, then the laws (LawNumbers), then particles by id (values channel by
/// channel, block, material, id), then blocks (coordinate, state, speed, rest time, push
/// speed, gain).
struct Header {
    char magic[8];
    double cellSize, time, lastStep;
    std::uint64_t emitted, alive, leftDomain, deletedByCollider, nextId;
    std::uint64_t particles, blocks, laws;
    Report found;
};

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
    HostParticles all = core_.download();
    HostBlocks blocks = core_.blocks();
    if (ranks()) {
        gatherParticles(*ranks(), all);
        gatherBlocks(*ranks(), blocks);
        if (ranks()->rank() > 0)
            return {};
    }
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

    Header h{};
    std::memcpy(h.magic, kMagic, sizeof kMagic);
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
    h.found = core_.found();
    h.found.left = static_cast<unsigned>(core_.totals().left);
    h.found.taken = static_cast<unsigned>(core_.totals().taken);
    // Found again when blocks are made.
    h.found.blocks = h.found.particleBlocks = h.found.overflow = 0;
    h.found.active = h.found.boundary = h.found.pushed = 0;
    std::vector<unsigned char> bytes;
    bytes.reserve(sizeof h + all.count * (kChannels * 4 + 24) + h.blocks * 28);
    put(bytes, &h, 1);
    for (const SolverMaterial& material : materials_) {
        const LawNumbers numbers = lawNumbers(material.law);
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
    return bytes;
}

inline Clock CudaBackend::load(std::span<const unsigned char> bytes)
{
    core_.device().makeCurrent();
    using namespace state_detail;
    const auto refuse = [](const char* why) {
        throw std::runtime_error(std::string("the solver's saved state ") + why);
    };
    Header h;
    take(bytes, &h, 1);
    if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0)
        refuse(std::memcmp(h.magic, kMagic, sizeof kMagic - 1) == 0
                   ? "was written by another version of the solver; run the simulation from its "
                     "start"
                   : "is not one, or is of a run on the CPU");
    if (h.cellSize != settings_.cellSize)
        refuse("is of another cell size");
    if (!std::isfinite(h.time) || !std::isfinite(h.lastStep) || h.time < 0 || h.lastStep < 0)
        refuse("holds numbers that make no sense");
    if (h.laws > materials_.size())
        refuse("is of other materials");
    bool changed = false; // since then, by animation: its stress is that of other laws
    for (std::size_t m = 0; m < h.laws; ++m) {
        LawNumbers numbers;
        take(bytes, &numbers, 1);
        const LawNumbers now = lawNumbers(materials_[m].law);
        if (numbers[0] != now[0])
            refuse("is of other materials");
        changed = changed || numbers != now;
    }
    constexpr std::size_t perParticle = (kChannels - kPosition) * 4 + 12 + 4 + 8,
                          perBlock = 12 + 4 + 12 + 12;
    if (h.particles > bytes.size() / perParticle || h.blocks > bytes.size() / perBlock ||
        h.particles * perParticle + h.blocks * perBlock != bytes.size() || h.alive != h.particles)
        refuse("does not add up");
    HostParticles all;
    all.resize(h.particles);
    take(bytes, all.values.data() + kPosition * h.particles, (kChannels - kPosition) * h.particles);
    take(bytes, all.block.data(), all.block.size());
    take(bytes, all.material.data(), all.material.size());
    take(bytes, all.id.data(), all.id.size());
    HostBlocks blocks;
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

    left_ = h.found.left;
    taken_ = h.found.taken;
    if (ranks()) { // on any number of them: who owns what is decided anew
        divideSaved(all);
        all = ownOf(all, [&](const BlockCoordinate& block) { return ownership_.isGiven(block); });
        if (ranks()->rank() > 0) // counted once
            h.found.left = h.found.taken = 0;
    }
    core_.restore(all, blocks, h.found);
    deletedPlaces_ = 0;
    deleted_ = {};
    begun_ = 0;
    if (changed)
        core_.findStress();
    Clock clock;
    clock.time = h.time;
    clock.lastStep = h.lastStep;
    clock.nextId = h.nextId;
    clock.counts.emitted = h.emitted;
    clock.counts.alive = h.alive;
    clock.counts.leftDomain = h.leftDomain;
    clock.counts.deletedByCollider = h.deletedByCollider;
    return clock;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
