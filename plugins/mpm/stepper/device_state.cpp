#include "device_state.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace floe::mpm::saved {

namespace {

/// The columns of a state, in their order: bytes of an entry.
constexpr std::array<std::uint64_t, 3> kAfterChannels = {12, 4, 8}; // block, material, id
constexpr std::array<std::uint64_t, 6> kOfBlocks = {12, 4, 4, 4, 4, 12};
constexpr std::size_t kParticleColumns = kDeviceChannels + kAfterChannels.size();
constexpr std::size_t kBlockColumn = kDeviceChannels, kIdColumn = kDeviceChannels + 2;

constexpr std::uint64_t bytesOf(std::size_t column)
{
    return column < kDeviceChannels ? 4 : kAfterChannels[column - kDeviceChannels];
}
constexpr std::uint64_t kOfParticle =
    4 * kDeviceChannels + kAfterChannels[0] + kAfterChannels[1] + kAfterChannels[2];
constexpr std::uint64_t kOfBlock = std::accumulate(kOfBlocks.begin(), kOfBlocks.end(), 0ull);

/// A state in the source, whose size adds up.
struct Located {
    DeviceHead head;
    std::uint64_t front;     ///< offset of report and laws
    std::uint64_t particles; ///< offset of their first column
    std::uint64_t blocks;

    std::uint64_t column(std::size_t number) const
    {
        std::uint64_t at = particles;
        for (std::size_t i = 0; i < number; ++i)
            at += bytesOf(i) * head.particles;
        return at;
    }
};

Located locate(Source& source, const Extent& extent, std::size_t part, std::size_t parts)
{
    Cursor in(source, extent);
    if (parts > 0)
        requirePart(in, static_cast<std::uint32_t>(part), parts);
    Located found;
    in.get(&found.head, sizeof found.head);
    const DeviceHead& h = found.head;
    if (std::memcmp(h.magic, kDeviceMagic, sizeof kDeviceMagic) != 0)
        refuse("is of parts that do not belong to each other");
    found.front = in.at();
    in.pass(h.reportBytes);
    if (h.laws > in.left() / kDeviceLawBytes)
        refuse("is cut short");
    in.pass(h.laws * kDeviceLawBytes);
    found.particles = in.at();
    if (h.particles > in.left() / kOfParticle)
        refuse("is cut short");
    in.pass(h.particles * kOfParticle);
    found.blocks = in.at();
    if (h.blocks > in.left() / kOfBlock || h.blocks * kOfBlock != in.left())
        refuse("does not add up");
    return found;
}

/// Reads entries of a column in pieces. @param take  with (number of the first, bytes)
template <class Take>
void readColumn(Source& source, std::uint64_t offset, std::uint64_t count, std::uint64_t each,
                const Take& take)
{
    constexpr std::uint64_t kPiece = 65536;
    std::vector<unsigned char> piece;
    for (std::uint64_t first = 0; first < count; first += kPiece) {
        const std::uint64_t now = std::min(kPiece, count - first);
        piece.resize(now * each);
        source.read(offset + first * each, piece.data(), piece.size());
        take(first, std::span<const unsigned char>(piece));
    }
}

BlockCoordinate blockAt(const unsigned char* bytes)
{
    BlockCoordinate block;
    std::memcpy(block.data(), bytes, sizeof block);
    for (const std::int32_t c : block)
        if (c < -kMaxCoordinate || c > kMaxCoordinate)
            refuse("holds particles out of range");
    return block;
}

/// An entry of a state that is taken.
struct Taken {
    std::uint32_t state;
    std::uint64_t entry;
};

/// Reads the entries of a column that are taken. @param taken  by state, then entry
std::vector<unsigned char> readTaken(Source& source, std::span<const Located> states,
                                     const std::vector<Taken>& taken, std::uint64_t each,
                                     const auto& offsetOf, const auto& countOf)
{
    std::vector<unsigned char> values(taken.size() * each);
    std::size_t next = 0;
    for (std::uint32_t s = 0; s < states.size(); ++s)
        readColumn(source, offsetOf(states[s]), countOf(states[s]), each,
                   [&](std::uint64_t first, std::span<const unsigned char> piece) {
                       const std::uint64_t end = first + piece.size() / each;
                       for (; next < taken.size() && taken[next].state == s &&
                              taken[next].entry < end;
                            ++next)
                           std::memcpy(values.data() + next * each,
                                       piece.data() + (taken[next].entry - first) * each, each);
                   });
    return values;
}

/// Appends entries in another order.
void append(std::vector<unsigned char>& to, const std::vector<unsigned char>& values,
            std::span<const std::size_t> order, std::uint64_t each)
{
    for (const std::size_t i : order)
        to.insert(to.end(), values.begin() + static_cast<std::ptrdiff_t>(i * each),
                  values.begin() + static_cast<std::ptrdiff_t>((i + 1) * each));
}

template <class Key>
std::vector<std::size_t> orderOf(const std::vector<Key>& keys)
{
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return order;
}

} // namespace

bool isOfDevice(Source& source, const Extent& state)
{
    Cursor in(source, state);
    if (isPart(partHeaderIn(in)))
        return in.left() >= sizeof kDeviceMagic && isOfDevice(source, {in.at(), in.left()});
    char magic[sizeof kDeviceMagic] = {};
    if (state.bytes >= sizeof magic)
        source.read(state.offset, magic, sizeof magic);
    return std::memcmp(magic, kDeviceMagic, sizeof magic) == 0;
}

OwnState takeOwnOfDevice(Source& source, std::span<const Extent> extents, bool asParts,
                         const Ownership& all)
{
    std::vector<Located> states;
    for (std::size_t i = 0; i < extents.size(); ++i)
        states.push_back(locate(source, extents[i], i, asParts ? extents.size() : 0));
    DeviceHead head = states.at(0).head;
    std::uint64_t particles = 0;
    for (const Located& state : states) {
        const DeviceHead& h = state.head;
        if (h.cellSize != head.cellSize || h.time != head.time || h.lastStep != head.lastStep ||
            h.emitted != head.emitted || h.alive != head.alive || h.nextId != head.nextId ||
            h.laws != head.laws || h.reportBytes != head.reportBytes ||
            h.periodLow != head.periodLow || h.periodCount != head.periodCount)
            refuse("is of parts that do not belong to each other");
        particles += h.particles;
    }
    if (particles != head.alive)
        refuse("does not add up");

    const auto blocksOf = [&](const auto& take) {
        for (std::uint32_t s = 0; s < states.size(); ++s)
            readColumn(source, states[s].column(kBlockColumn), states[s].head.particles,
                       bytesOf(kBlockColumn),
                       [&](std::uint64_t first, std::span<const unsigned char> piece) {
                           for (std::uint64_t i = 0; i < piece.size() / 12; ++i)
                               take(Taken{s, first + i}, blockAt(piece.data() + 12 * i));
                       });
    };
    Ownership ownership = all;
    if (!ownership.alone() && particles > 0) { // who owns what is decided anew
        BlockMap known;
        std::vector<sdk::grid::BlockCost> costs;
        blocksOf([&](const Taken&, const BlockCoordinate& block) {
            std::int32_t at = known.find(block);
            if (at < 0) {
                at = static_cast<std::int32_t>(costs.size());
                known.insert(block, at);
                costs.push_back({block, 0});
            }
            ++costs[static_cast<std::size_t>(at)].cost;
        });
        ownership.partition = ownership.divide(std::move(costs), ownership.ranks->size(), nullptr);
    }
    const auto isOwn = [&](const BlockCoordinate& block) {
        return ownership.alone() || (ownership.partition && ownership.isGiven(block));
    };
    std::vector<Taken> taken;
    blocksOf([&](const Taken& entry, const BlockCoordinate& block) {
        if (isOwn(block))
            taken.push_back(entry);
    });

    OwnState own;
    own.partition = ownership.partition;
    own.live = taken.size();
    head.particles = taken.size();
    std::vector<unsigned char> front(head.reportBytes + head.laws * kDeviceLawBytes);
    source.read(states[0].front, front.data(), front.size());
    own.bytes.resize(sizeof head);
    own.bytes.insert(own.bytes.end(), front.begin(), front.end());
    const auto column = [&](std::size_t number) {
        return readTaken(
            source, states, taken, bytesOf(number),
            [&](const Located& state) { return state.column(number); },
            [](const Located& state) { return state.head.particles; });
    };
    const std::vector<unsigned char> idBytes = column(kIdColumn);
    std::vector<std::uint64_t> ids(taken.size());
    if (!ids.empty())
        std::memcpy(ids.data(), idBytes.data(), idBytes.size());
    const std::vector<std::size_t> order = orderOf(ids);
    own.bytes.reserve(own.bytes.size() + taken.size() * kOfParticle);
    for (std::size_t number = 0; number < kParticleColumns; ++number)
        append(own.bytes, column(number), order, bytesOf(number));

    // What is known of blocks that several ranks held is the same, or of no use without particles.
    std::vector<Taken> blocks;
    std::vector<BlockCoordinate> coordinates;
    for (std::uint32_t s = 0; s < states.size(); ++s)
        readColumn(source, states[s].blocks, states[s].head.blocks, kOfBlocks[0],
                   [&](std::uint64_t first, std::span<const unsigned char> piece) {
                       for (std::uint64_t i = 0; i < piece.size() / 12; ++i)
                           if (const BlockCoordinate block = blockAt(piece.data() + 12 * i);
                               isOwn(block)) {
                               blocks.push_back({s, first + i});
                               coordinates.push_back(block);
                           }
                   });
    head.blocks = blocks.size();
    const std::vector<std::size_t> blockOrder = orderOf(coordinates);
    std::uint64_t before = 0; // bytes of a block in earlier columns
    for (const std::uint64_t each : kOfBlocks) {
        append(own.bytes,
               readTaken(
                   source, states, blocks, each,
                   [&](const Located& state) { return state.blocks + before * state.head.blocks; },
                   [](const Located& state) { return state.head.blocks; }),
               blockOrder, each);
        before += each;
    }
    std::memcpy(own.bytes.data(), &head, sizeof head);
    return own;
}

} // namespace floe::mpm::saved
