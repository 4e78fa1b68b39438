#include "saved_parts.hpp"

#include "block_cost.hpp"
#include "device_state.hpp"
#include "saved_state.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace floe::mpm::saved {

namespace {

// A part: its header, the state of its blocks as a whole one, and lists of what is in that.

/// A block in the state.
struct Listed {
    std::int32_t coordinate[3];
    std::uint32_t state, particles, live;
    std::uint32_t gathersAffine, unused;
    std::uint64_t bytes;
};
using ListedNodes = std::array<std::int32_t, 3>;

void requireInRange(const std::int32_t* coordinate)
{
    for (int axis = 0; axis < 3; ++axis)
        if (coordinate[axis] < -kMaxCoordinate || coordinate[axis] > kMaxCoordinate)
            refuse("holds blocks out of range");
}

/// Something of the state: a block's particles, or its nodes.
struct Found {
    BlockCoordinate block;
    std::uint32_t part;
    std::uint64_t offset, bytes; ///< in the source
};
struct FoundBlock : Found {
    std::uint32_t particles, live;
    bool gathersAffine;
    BlockState state;
};
struct Content {
    Header header{}; ///< of the first part
    std::vector<FoundBlock> blocks;
    std::vector<Found> nodes;
};

/// Passes over all blocks of a state without lists. @param in  behind its header
void findInWhole(Cursor& in, Content& content)
{
    for (std::uint64_t i = 0; i < content.header.blocks; ++i) {
        const std::uint64_t from = in.at();
        const BlockSummary block = skipBlock(in);
        requireInRange(block.coordinate.data());
        content.blocks.push_back({{block.coordinate, 0, from, in.at() - from},
                                  static_cast<std::uint32_t>(block.particles),
                                  static_cast<std::uint32_t>(block.live),
                                  block.gathersAffine,
                                  block.state});
    }
    for (std::uint64_t i = 0; i < content.header.nodeBlocks; ++i) {
        const std::uint64_t from = in.at();
        BlockCoordinate block;
        in.get(block.data(), sizeof block);
        requireInRange(block.data());
        in.pass(sizeof(KeptNodes) - sizeof block);
        content.nodes.push_back({block, 0, from, sizeof(KeptNodes)});
    }
    if (in.left() > 0)
        refuse("does not add up");
}

void findInPart(Source& source, const Extent& extent, std::uint32_t part, std::size_t parts,
                Content& content)
{
    Cursor in(source, extent);
    requirePart(in, part, parts);
    const Header header = readHeader(in);
    if (part == 0)
        content.header = header;
    const auto common = [](const Header& h) {
        return std::tuple(h.cellSize, h.time, h.strainStep, h.lastStep, h.topComponent, h.topSpeed,
                          h.alive, h.nextId, h.periodLow, h.periodCount);
    };
    if (common(header) != common(content.header))
        refuse("is of parts that do not belong to each other");
    if (header.blocks > in.left() / sizeof(Listed) ||
        header.nodeBlocks > in.left() / sizeof(KeptNodes))
        refuse("is cut short");
    const std::uint64_t lists =
        header.blocks * sizeof(Listed) + header.nodeBlocks * sizeof(ListedNodes);
    if (lists > in.left())
        refuse("is cut short");
    Cursor listed(source, {extent.offset + extent.bytes - lists, lists});
    std::uint64_t at = in.at(), left = in.left() - lists;
    const auto next = [&](std::uint64_t bytes) {
        if (bytes > left)
            refuse("does not add up");
        left -= bytes;
        return std::exchange(at, at + bytes);
    };
    for (std::uint64_t i = 0; i < header.blocks; ++i) {
        Listed b;
        listed.get(&b, sizeof b);
        requireInRange(b.coordinate);
        if (b.state > static_cast<std::uint32_t>(BlockState::boundary))
            refuse("is damaged");
        content.blocks.push_back(
            {{{b.coordinate[0], b.coordinate[1], b.coordinate[2]}, part, next(b.bytes), b.bytes},
             b.particles,
             b.live,
             b.gathersAffine != 0,
             static_cast<BlockState>(b.state)});
    }
    for (std::uint64_t i = 0; i < header.nodeBlocks; ++i) {
        ListedNodes block;
        listed.get(block.data(), sizeof block);
        requireInRange(block.data());
        content.nodes.push_back({block, part, next(sizeof(KeptNodes)), sizeof(KeptNodes)});
    }
    if (left > 0)
        refuse("does not add up");
}

/// Parts of a block that several ranks held follow each other.
void sortByPlace(auto& found)
{
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return std::tuple(mortonOrder(a.block), a.part, a.offset) <
               std::tuple(mortonOrder(b.block), b.part, b.offset);
    });
}

/// Leaves the nodes from which liquids beside them may have to gather C again, and which matter to
/// this rank.
void keepNeeded(Content& content, const Ownership& ownership)
{
    BlockMap gathering;
    for (const FoundBlock& block : content.blocks)
        if (block.gathersAffine && gathering.find(block.block) < 0)
            gathering.insert(block.block, 0);
    std::erase_if(content.nodes, [&](const Found& nodes) {
        bool needed = false, own = ownership.alone();
        for (int o = 0; o < kOffsets; ++o) {
            const BlockCoordinate beside = ownership.period.neighbourOf(nodes.block, o);
            needed = needed || gathering.find(beside) >= 0;
            own = own || ownership.isGiven(beside);
        }
        return !needed || !own;
    });
}

} // namespace

std::vector<unsigned char> makePart(std::vector<unsigned char> own, int rank, int ranks)
{
    SourceInMemory source(own);
    const PartHeader header = makePartHeader(rank, ranks);
    const auto* front = reinterpret_cast<const unsigned char*>(&header);
    if (isOfDevice(source, {0, own.size()})) {
        own.insert(own.begin(), front, front + sizeof header);
        return own;
    }
    Cursor in(source, {0, own.size()});
    Content content;
    in.get(&content.header, sizeof content.header);
    findInWhole(in, content);
    Writer lists;
    for (const FoundBlock& block : content.blocks) {
        Listed b{};
        std::copy(block.block.begin(), block.block.end(), b.coordinate);
        b.state = static_cast<std::uint32_t>(block.state);
        b.particles = block.particles;
        b.live = block.live;
        b.gathersAffine = block.gathersAffine;
        b.bytes = block.bytes;
        lists.put(&b, sizeof b);
    }
    for (const Found& nodes : content.nodes)
        lists.put(nodes.block.data(), sizeof nodes.block);
    own.reserve(own.size() + sizeof header + lists.bytes.size());
    own.insert(own.begin(), front, front + sizeof header);
    own.insert(own.end(), lists.bytes.begin(), lists.bytes.end());
    return own;
}

std::uint32_t partsOf(Source& source, const Extent& first)
{
    Cursor in(source, first);
    const PartHeader header = partHeaderIn(in);
    if (!isPart(header))
        return 0;
    if (header.part != 0 || header.parts == 0)
        refuse("is of parts that do not belong to each other");
    return header.parts;
}

bool isWhole(Source& source, const Extent& state)
{
    char magic[sizeof kMagic] = {};
    if (state.bytes >= sizeof magic)
        source.read(state.offset, magic, sizeof magic);
    return isKnown(magic) || isOfDevice(source, state);
}

OwnState takeOwn(Source& source, std::span<const Extent> parts, const Ownership& all)
{
    const bool asParts = parts.size() > 1 || partsOf(source, parts[0]) > 0;
    if (isOfDevice(source, parts[0]))
        return takeOwnOfDevice(source, parts, asParts, all);
    Content content;
    if (!asParts) {
        Cursor in(source, parts[0]);
        content.header = readHeader(in);
        findInWhole(in, content);
    } else {
        for (std::size_t part = 0; part < parts.size(); ++part)
            findInPart(source, parts[part], static_cast<std::uint32_t>(part), parts.size(),
                       content);
    }
    std::uint64_t live = 0;
    for (const FoundBlock& block : content.blocks)
        live += block.live;
    if (live != content.header.alive)
        refuse("does not add up");

    Ownership ownership = all;
    ownership.period = Period(content.header.periodLow, content.header.periodCount);
    sortByPlace(content.blocks);
    sortByPlace(content.nodes);
    if (!ownership.alone() &&
        !content.blocks.empty()) { // on any number of ranks: who owns what is decided anew
        std::vector<sdk::grid::BlockCost> costs;
        for (const FoundBlock& block : content.blocks)
            costs.push_back({block.block, costBySize(block.particles, block.state)});
        ownership.partition = ownership.divide(std::move(costs), ownership.ranks->size(), nullptr);
    }
    keepNeeded(content, ownership);
    if (!ownership.alone())
        std::erase_if(content.blocks,
                      [&](const FoundBlock& b) { return !ownership.isGiven(b.block); });

    OwnState own;
    own.partition = ownership.partition;
    content.header.blocks = content.blocks.size();
    content.header.nodeBlocks = content.nodes.size();
    struct Copy {
        std::uint64_t offset, bytes, to;
    };
    std::vector<Copy> copies;
    std::uint64_t size = sizeof content.header;
    for (const FoundBlock& block : content.blocks) {
        copies.push_back({block.offset, block.bytes, size});
        size += block.bytes;
        own.live += block.live;
    }
    for (const Found& nodes : content.nodes) {
        copies.push_back({nodes.offset, nodes.bytes, size});
        size += nodes.bytes;
    }
    own.bytes.resize(size);
    std::memcpy(own.bytes.data(), &content.header, sizeof content.header);
    content = {};
    std::sort(copies.begin(), copies.end(), // as they lie on the disk
              [](const Copy& a, const Copy& b) { return a.offset < b.offset; });
    for (const Copy& copy : copies)
        source.read(copy.offset, own.bytes.data() + copy.to, copy.bytes);
    return own;
}

} // namespace floe::mpm::saved
