// Checkpoints of the CPU backend's state.

#include "cpu_backend.hpp"
#include "saved_state.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace floe::mpm {

using namespace saved;

/// Returns whether liquids, present in a block or beside it, need its nodes to gather C again.
bool CpuBackend::needsNodes(const Block& block) const
{
    return block.keptNodes >= 0 &&
           std::any_of(block.neighbour.begin(), block.neighbour.end(), [this](std::int32_t n) {
               return n >= 0 &&
                      std::any_of(grid_.blocks[n].bins.begin(), grid_.blocks[n].bins.end(),
                                  [](const BinRef& b) { return !keepsAffine(b.layout); });
           });
}

/// Adds a block's nodes after the last step.
void CpuBackend::writeKeptNodes(saved::Writer& out, const Block& block) const
{
    KeptNodes k;
    std::copy(block.coordinate.begin(), block.coordinate.end(), k.coordinate);
    std::memcpy(k.nodes,
                transfers_.keptNodes().data() +
                    static_cast<std::size_t>(block.keptNodes) * kBlockFloats,
                sizeof k.nodes);
    out.put(&k, sizeof k);
}

std::vector<unsigned char> CpuBackend::save(const Clock& clock)
{
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
    h.signalMaterial = signalMaterial();
    h.nextId = static_cast<std::uint32_t>(clock.nextId);
    h.deleted = static_cast<std::uint32_t>(std::min<std::uint64_t>(clock.deleted, 0xffffffffu));
    h.newFrom = state_.newFrom;
    h.periodLow = state_.period().low();
    h.periodCount = state_.period().count();
    // Of several ranks, who needs the nodes is known when the parts are read.
    const auto keeps = [this](const Block& block) {
        return halo_ ? block.keptNodes >= 0 && block.owner == state_.ownership.rank()
                     : needsNodes(block);
    };
    std::size_t bins = 0;
    for (const Block& block : grid_.blocks) {
        h.blocks += block.particles > 0;
        h.nodeBlocks += keeps(block);
        bins += block.bins.size();
    }
    Writer out;
    out.bytes.reserve(sizeof(Header) + h.blocks * sizeof(BlockHeader) +
                      bins * (sizeof(BinHeader) + kMaxRows * kLanes * sizeof(float)) +
                      h.nodeBlocks * sizeof(KeptNodes));
    out.put(&h, sizeof h);
    for (const Block& block : grid_.blocks)
        if (block.particles > 0)
            writeBlock(out, block);
    for (const Block& block : grid_.blocks)
        if (keeps(block))
            writeKeptNodes(out, block);
    if (rest_.any())
        writeRest(out, rest_.save());
    if (!halo_)
        return std::move(out.bytes);
    const Ownership& ownership = state_.ownership;
    return makePart(std::move(out.bytes), ownership.rank(), ownership.ranks->size());
}

Clock CpuBackend::load(std::span<const unsigned char> bytes)
{
    if (halo_) {
        clear();
        SourceInMemory source(bytes);
        const Extent whole[] = {{0, bytes.size()}};
        return loadOwn(takeOwn(source, whole, state_.ownership));
    }
    return restore(bytes, {}, nullptr);
}

Clock CpuBackend::loadOwn(const OwnState& own)
{
    return restore(own.bytes, own.live, own.partition);
}

void CpuBackend::clear()
{
    grid_.clear();
    rest_.clear();
    state_.nextId = 0;
    state_.scatteredStep = 0;
    boundsOfOwn_ = false;
    stepToDrift_ = 0;
    state_.ownership.partition.reset();
}

/// @param live  particles that there are to be; nothing: as the state says
Clock CpuBackend::restore(std::span<const unsigned char> bytes, std::optional<std::uint64_t> live,
                          const sdk::grid::PartitionPointer& partition)
{
    Reader in(bytes);
    clear();
    const Header h = readHeader(in);
    if (h.cellSize != state_.settings.cellSize)
        refuse("is of another cell size");
    if (Period(h.periodLow, h.periodCount) != state_.period())
        refuse("is of a domain with other periodic sides");
    state_.ownership.partition = partition;
    std::vector<BlockCoordinate> nodesOf;
    std::optional<std::string> failure;
    try {
        std::uint64_t alive = 0;
        for (std::uint64_t i = 0; i < h.blocks; ++i)
            alive += readBlock(in);
        nodesOf = readKeptNodes(in, h.nodeBlocks, 0);
        if (!in.empty() && !halo_)
            for (const RestGrid::Body& body : readRest(in, state_.materials.size()))
                rest_.restore(body);
        if (!rest_.isConsistent())
            refuse("is damaged");
        if (alive != live.value_or(h.alive) || !in.empty())
            refuse("does not add up");
    } catch (const std::runtime_error& error) {
        failure = error.what();
    } catch (...) {
        clear();
        throw;
    }
    if (anywhere(ranks(), failure.has_value())) { // else the others would wait for this one
        clear();
        throw std::runtime_error(
            failure.value_or("the solver's saved state is damaged, as another rank has found"));
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
    state_.ownSignal = {};
    grid_.rebuildTopology();
    if (halo_)
        updateGhosts();
    linkKeptNodes(nodesOf, 0);
    transfers_.growLiquids(state_.dropsAffine());
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

/// Reads nodes into the slots from `first` on, those that matter to this rank.
/// @return the blocks that they belong to
std::vector<BlockCoordinate> CpuBackend::readKeptNodes(saved::Reader& in, std::uint64_t count,
                                                       std::size_t first)
{
    std::vector<BlockCoordinate> blocks;
    for (std::uint64_t i = 0; i < count; ++i) {
        KeptNodes k;
        in.get(&k, sizeof k);
        const BlockCoordinate c{k.coordinate[0], k.coordinate[1], k.coordinate[2]};
        if (halo_ && !isBesideOwn(c))
            continue;
        const std::size_t slot = first + blocks.size();
        transfers_.keptNodes().reserve((slot + 1) * kBlockFloats, slot * kBlockFloats);
        std::memcpy(transfers_.keptNodes().data() + slot * kBlockFloats, k.nodes, sizeof k.nodes);
        blocks.push_back(c);
    }
    return blocks;
}

void CpuBackend::linkKeptNodes(std::span<const BlockCoordinate> blocks, std::size_t first)
{
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (const std::int32_t block = grid_.map.find(blocks[i]); block >= 0)
            grid_.blocks[block].keptNodes = static_cast<std::int32_t>(first + i);
}

/// Reads a bin's particles into a block that holds others. @return how many are alive
std::uint64_t CpuBackend::addBin(Block& block, saved::Reader& in, std::uint16_t material,
                                 Layout layout, int count)
{
    std::vector<float> data(bytesOf(layout) / sizeof(float));
    in.get(data.data(), bytesOf(layout));
    std::uint64_t alive = 0;
    for (int from = 0; from < count; ++from) {
        const auto [bin, lane] =
            freeLane(block, grid_.pool, material, layout, state_.materials.initialState(material));
        for (int r = 0; r < rowsOf(layout); ++r)
            bin->rowAt(r)[lane] = data[static_cast<std::size_t>(r * kLanes + from)];
        alive += bin->rowAt(row::mass)[lane] > 0;
        ++block.particles;
    }
    return alive;
}

/// Reads a block of this rank. @return how many particles it holds
std::uint64_t CpuBackend::readBlock(saved::Reader& in)
{
    BlockHeader b;
    in.get(&b, sizeof b);
    const BlockCoordinate coordinate{b.coordinate[0], b.coordinate[1], b.coordinate[2]};
    for (const std::int32_t a : coordinate)
        if (a < -kMaxCoordinate || a > kMaxCoordinate)
            refuse("holds blocks out of range");
    if (halo_ && !state_.ownership.isGiven(coordinate))
        refuse("is damaged");
    Block& added = grid_.at(coordinate);
    // Parts of a block that several ranks held follow each other.
    const bool more = added.particles > 0;
    if (b.state > 2)
        refuse("is damaged");
    added.state = more && added.state == BlockState::active ? BlockState::active
                                                            : static_cast<BlockState>(b.state);
    added.speed = more ? std::max(added.speed, b.speed) : b.speed;
    added.restTime = more ? std::min(added.restTime, b.restTime) : b.restTime;
    added.pushSpeed = b.pushSpeed;
    std::copy(b.gain, b.gain + 3, added.gain.begin());
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
        if (more) {
            alive += addBin(added, in, n.material, layout, n.count);
            continue;
        }
        float* data = grid_.pool.take(layout);
        added.bins.push_back({data, n.material, layout, n.count});
        in.get(data, bytesOf(layout));
        added.particles += n.count;
        for (int lane = 0; lane < n.count; ++lane)
            alive += data[row::mass * kLanes + lane] > 0;
    }
    if (added.particles == 0)
        refuse("holds an empty block");
    return alive;
}

} // namespace floe::mpm
