// Checkpoints of the CPU backend's state.

#include "cpu_backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace floe::mpm {

namespace {

// The last character is the version: 4 stores the nodes of liquids instead of their C; 3 stored all
// C; 2 stored F and J instead of F - I and J - 1.
constexpr char kMagic[8] = {'f', 'l', 'o', 'e', 'm', 'p', 'm', '4'};

struct Header {
    char magic[8];
    double cellSize, time, strainStep, lastStep, drift, topComponent, topSpeed, topGradient,
        signalSpeed;
    std::uint64_t emitted, alive, leftDomain, deletedByCollider, blocks;
    std::uint32_t signalMaterial, nextId;
    std::uint32_t deleted; ///< since particles were binned
    std::uint32_t newFrom;
    std::uint64_t nodeBlocks;
};
struct BlockHeader {
    std::int32_t coordinate[3];
    std::uint32_t state;
    float speed, restTime, pushSpeed, gain[3];
    std::uint32_t bins;
};
struct BinHeader {
    std::uint16_t material;
    std::uint8_t layout, count;
};
/// The nodes of a block after the last step, from which liquids may have to gather C again.
struct KeptNodes {
    std::int32_t coordinate[3];
    float nodes[kBlockNodes * kNodeFloats];
};

class Writer {
public:
    std::vector<unsigned char> bytes;
    void put(const void* data, std::size_t size)
    {
        const auto* from = static_cast<const unsigned char*>(data);
        bytes.insert(bytes.end(), from, from + size);
    }
};
[[noreturn]] void refuse(const char* why)
{
    throw std::runtime_error(std::string("the solver's saved state ") + why);
}

} // namespace

class CpuBackend::Reader {
public:
    explicit Reader(std::span<const unsigned char> bytes) : left_(bytes) {}
    void get(void* data, std::size_t size)
    {
        if (size > left_.size())
            throw std::runtime_error("the solver's saved state is cut short");
        std::memcpy(data, left_.data(), size);
        left_ = left_.subspan(size);
    }
    bool empty() const { return left_.empty(); }

private:
    std::span<const unsigned char> left_;
};

namespace {

template <class Reader>
Header readHeader(Reader& in, double cellSize)
{
    Header h;
    in.get(&h, sizeof h);
    if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0)
        refuse(std::memcmp(h.magic, kMagic, sizeof kMagic - 1) == 0
                   ? "was written by another version of the solver, which kept particles in "
                     "another form; run the simulation from its start"
                   : "is not one, or is of a run on a GPU");
    if (h.cellSize != cellSize)
        refuse("is of another cell size");
    const double scalars[] = {h.time,     h.strainStep,  h.lastStep,    h.drift,
                              h.topSpeed, h.topGradient, h.signalSpeed, h.topComponent};
    for (const double a : scalars)
        if (!std::isfinite(a) || a < 0)
            refuse("holds numbers that make no sense");
    return h;
}

} // namespace

std::vector<unsigned char> CpuBackend::save(const Clock& clock)
{
    Writer out;
    std::size_t full = 0, bins = 0;
    for (const Block& block : grid_.blocks) {
        full += block.particles > 0;
        bins += block.bins.size();
    }
    out.bytes.reserve(sizeof(Header) + full * sizeof(BlockHeader) +
                      bins * (sizeof(BinHeader) + kMaxRows * kLanes * sizeof(float)));
    Header h{};
    std::memcpy(h.magic, kMagic, sizeof kMagic);
    h.cellSize = state_.settings.cellSize;
    h.time = clock.time;
    h.strainStep = state_.strainStep;
    h.lastStep = state_.lastStep;
    h.drift = state_.drift;
    h.topComponent = state_.bounds.component;
    h.topSpeed = state_.bounds.speed;
    h.topGradient = state_.bounds.gradient;
    h.signalSpeed = state_.bounds.signalSpeed;
    h.emitted = clock.counts.emitted;
    h.alive = clock.counts.alive;
    h.leftDomain = clock.counts.leftDomain;
    h.deletedByCollider = clock.counts.deletedByCollider;
    h.blocks = full;
    h.signalMaterial = state_.bounds.signalMaterial;
    h.nextId = static_cast<std::uint32_t>(clock.nextId);
    h.deleted = static_cast<std::uint32_t>(std::min<std::uint64_t>(clock.deleted, 0xffffffffu));
    h.newFrom = state_.newFrom;
    const auto isNeeded = [this](const Block& block) { // by a liquid that keeps no C
        return block.keptNodes >= 0 &&
               std::any_of(block.neighbour.begin(), block.neighbour.end(), [this](std::int32_t n) {
                   return n >= 0 &&
                          std::any_of(grid_.blocks[n].bins.begin(), grid_.blocks[n].bins.end(),
                                      [](const BinRef& b) { return !keepsAffine(b.layout); });
               });
    };
    h.nodeBlocks = static_cast<std::uint64_t>(
        std::count_if(grid_.blocks.begin(), grid_.blocks.end(), isNeeded));
    out.put(&h, sizeof h);
    for (const Block& block : grid_.blocks) {
        if (block.particles == 0)
            continue;
        BlockHeader b{};
        std::copy(block.coordinate.begin(), block.coordinate.end(), b.coordinate);
        b.state = static_cast<std::uint32_t>(block.state);
        b.speed = block.speed;
        b.restTime = block.restTime;
        b.pushSpeed = block.pushSpeed;
        std::copy(block.gain.begin(), block.gain.end(), b.gain);
        b.bins = static_cast<std::uint32_t>(block.bins.size());
        out.put(&b, sizeof b);
        for (const BinRef& bin : block.bins) {
            const BinHeader n{bin.material, static_cast<std::uint8_t>(bin.layout), bin.count};
            out.put(&n, sizeof n);
            out.put(bin.data, sizeof(float) * kLanes * rowsOf(bin.layout));
        }
    }
    for (const Block& block : grid_.blocks) {
        if (!isNeeded(block))
            continue;
        KeptNodes k;
        std::copy(block.coordinate.begin(), block.coordinate.end(), k.coordinate);
        std::memcpy(k.nodes,
                    transfers_.keptNodes().data() +
                        block.keptNodes * (sizeof k.nodes / sizeof(float)),
                    sizeof k.nodes);
        out.put(&k, sizeof k);
    }
    return std::move(out.bytes);
}

Clock CpuBackend::load(std::span<const unsigned char> bytes)
{
    Reader in(bytes);
    grid_.clear();
    state_.nextId = 0;
    state_.scatteredStep = 0;
    const Header h = readHeader(in, state_.settings.cellSize);
    std::vector<BlockCoordinate> nodesOf;
    try {
        std::uint64_t alive = 0;
        for (std::uint64_t i = 0; i < h.blocks; ++i)
            alive += readBlock(in);
        for (std::uint64_t i = 0; i < h.nodeBlocks; ++i) {
            KeptNodes k;
            in.get(&k, sizeof k);
            constexpr std::size_t kFloats = sizeof k.nodes / sizeof(float);
            transfers_.keptNodes().reserve((i + 1) * kFloats, i * kFloats);
            std::memcpy(transfers_.keptNodes().data() + i * kFloats, k.nodes, sizeof k.nodes);
            nodesOf.push_back({k.coordinate[0], k.coordinate[1], k.coordinate[2]});
        }
        if (alive != h.alive || !in.empty())
            refuse("does not add up");
    } catch (...) {
        grid_.clear();
        throw;
    }
    state_.strainStep = h.strainStep;
    state_.lastStep = h.lastStep;
    state_.drift = h.drift;
    state_.bounds.component = h.topComponent;
    state_.bounds.speed = h.topSpeed;
    state_.bounds.gradient = h.topGradient;
    state_.bounds.signalSpeed = h.signalSpeed;
    state_.bounds.signalMaterial =
        h.signalMaterial < state_.materials.size() ? h.signalMaterial : 0;
    state_.nextId = h.nextId;
    state_.newFrom = h.newFrom;
    grid_.rebuildTopology();
    for (std::size_t i = 0; i < nodesOf.size(); ++i)
        if (const std::int32_t block = grid_.map.find(nodesOf[i]); block >= 0)
            grid_.blocks[block].keptNodes = static_cast<std::int32_t>(i);
    if (!state_.dropsAffine())
        transfers_.keepAffine();
    Clock clock;
    clock.time = h.time;
    clock.lastStep = h.lastStep;
    clock.nextId = h.nextId;
    // Saved with a wider drift than this kernel allows: bin particles first.
    clock.deleted = h.drift > maxDrift() ? h.alive : h.deleted;
    clock.counts.emitted = h.emitted;
    clock.counts.alive = h.alive;
    clock.counts.leftDomain = h.leftDomain;
    clock.counts.deletedByCollider = h.deletedByCollider;
    return clock;
}

/// Reads a block. @return how many particles it holds
std::uint64_t CpuBackend::readBlock(Reader& in)
{
    BlockHeader b;
    in.get(&b, sizeof b);
    Block block;
    std::copy(b.coordinate, b.coordinate + 3, block.coordinate.begin());
    for (const std::int32_t a : block.coordinate)
        if (a < -kMaxCoordinate || a > kMaxCoordinate)
            refuse("holds blocks out of range");
    if (b.state > 2 || grid_.map.find(block.coordinate) >= 0)
        refuse("is damaged");
    block.state = static_cast<BlockState>(b.state);
    block.speed = b.speed;
    block.restTime = b.restTime;
    block.pushSpeed = b.pushSpeed;
    std::copy(b.gain, b.gain + 3, block.gain.begin());
    block.neighbour.fill(-1);
    grid_.map.insert(block.coordinate, static_cast<std::int32_t>(grid_.blocks.size()));
    Block& added = grid_.blocks.emplace_back(std::move(block));
    std::uint64_t alive = 0;
    for (std::uint32_t k = 0; k < b.bins; ++k) {
        BinHeader n;
        in.get(&n, sizeof n);
        const auto layout = static_cast<Layout>(n.layout);
        if (n.material >= state_.materials.size() || n.count < 1 || n.count > kLanes)
            refuse("is of other materials");
        const Layout usual = state_.materials.layoutOf(n.material, 1, state_.dropsAffine());
        if (layout != usual && !(isLiquid(usual) && isLiquid(layout)))
            refuse("is of other materials");
        float* data = grid_.pool.take(layout);
        added.bins.push_back({data, n.material, layout, n.count});
        in.get(data, sizeof(float) * kLanes * rowsOf(layout));
        added.particles += n.count;
        for (int lane = 0; lane < n.count; ++lane)
            alive += data[row::mass * kLanes + lane] > 0;
    }
    if (added.particles == 0)
        refuse("holds an empty block");
    return alive;
}

} // namespace floe::mpm
