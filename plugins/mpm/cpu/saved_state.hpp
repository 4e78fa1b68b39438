/// The format of the CPU backend's saved states.
#pragma once

#include "block.hpp"
#include "layout.hpp"
#include "rest_grid.hpp"
#include "saved_source.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace floe::mpm::saved {

// The last character is the version: 4 has no period, and is read, too; it stores the nodes of
// liquids instead of their C; 3 stored all C; 2 stored F and J instead of F - I and J - 1.
inline constexpr char kMagic[8] = {'f', 'l', 'o', 'e', 'm', 'p', 'm', '5'};

/// Returns whether a state that begins so can be read.
inline bool isKnown(const char (&magic)[sizeof kMagic])
{
    constexpr std::size_t kVersion = sizeof kMagic - 1;
    return std::memcmp(magic, kMagic, kVersion) == 0 &&
           (magic[kVersion] == kMagic[kVersion] || magic[kVersion] == '4');
}

struct Header {
    char magic[8];
    double cellSize, time, strainStep, lastStep, drift, topComponent, topSpeed, topGradient,
        signalSpeed;
    std::uint64_t emitted, alive, leftDomain, deletedByCollider, blocks;
    std::uint32_t signalMaterial, nextId;
    std::uint32_t deleted; ///< since particles were binned
    std::uint32_t newFrom;
    std::uint64_t nodeBlocks;
    BlockCoordinate periodLow, periodCount; ///< Period
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

class Reader {
public:
    explicit Reader(std::span<const unsigned char> bytes) : left_(bytes) {}
    void get(void* data, std::size_t size)
    {
        const auto from = take(size);
        std::memcpy(data, from.data(), size);
    }
    std::span<const unsigned char> take(std::size_t size)
    {
        if (size > left_.size())
            refuse("is cut short");
        const auto taken = left_.first(size);
        left_ = left_.subspan(size);
        return taken;
    }
    bool empty() const { return left_.empty(); }
    std::size_t left() const { return left_.size(); }

private:
    std::span<const unsigned char> left_;
};

inline std::size_t bytesOf(Layout layout)
{
    return sizeof(float) * kLanes * static_cast<std::size_t>(rowsOf(layout));
}

inline void writeBlock(Writer& out, const Block& block)
{
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
        out.put(bin.data, bytesOf(bin.layout));
    }
}

/// The places at rest of bodies that stay whole follow all else.
inline void writeRest(Writer& out, std::span<const RestGrid::Body> bodies)
{
    const auto count = [&](std::size_t size) {
        const auto number = static_cast<std::uint32_t>(size);
        out.put(&number, sizeof number);
    };
    count(bodies.size());
    for (const RestGrid::Body& body : bodies) {
        count(body.material);
        count(body.firstId);
        count(body.parts.size());
        out.put(body.parts.data(), body.parts.size() * sizeof body.parts[0]);
        out.put(body.local.data(), body.local.size() * sizeof(float));
        count(body.displacement.size());
        out.put(body.displacement.data(), body.displacement.size() * sizeof(float));
    }
}

inline std::vector<RestGrid::Body> readRest(Reader& in, std::size_t materials)
{
    const auto count = [&] {
        std::uint32_t number = 0;
        in.get(&number, sizeof number);
        return number;
    };
    std::vector<RestGrid::Body> bodies;
    for (std::uint32_t left = count(); left > 0; --left) {
        RestGrid::Body& body = bodies.emplace_back();
        body.material = count();
        body.firstId = count();
        const std::uint64_t parts = count();
        if (body.material >= materials || parts == 0 || parts > in.left() / sizeof body.parts[0])
            refuse("is damaged");
        body.parts.resize(parts);
        in.get(body.parts.data(), parts * sizeof body.parts[0]);
        std::uint64_t particles = 0;
        for (std::size_t i = 0; i < parts; ++i) {
            const RestGrid::Body::Part& part = body.parts[i];
            particles += part.count;
            for (const std::int32_t a : part.block)
                if (part.count == 0 || a < -kMaxCoordinate || a > kMaxCoordinate)
                    refuse("is damaged");
            if (i > 0 && mortonOrder(body.parts[i - 1].block) >= mortonOrder(part.block))
                refuse("is damaged");
        }
        if (particles > in.left() / (3 * sizeof(float)))
            refuse("is cut short");
        body.local.resize(3 * particles);
        in.get(body.local.data(), body.local.size() * sizeof(float));
        const std::uint64_t moves = count();
        if (moves > in.left() / sizeof(float))
            refuse("is cut short");
        body.displacement.resize(moves);
        in.get(body.displacement.data(), moves * sizeof(float));
    }
    return bodies;
}

/// A block as far as others have to know it.
struct BlockSummary {
    BlockCoordinate coordinate{};
    std::uint64_t particles = 0; ///< those deleted since the last binning included
    std::uint64_t live = 0;
    bool gathersAffine = false; ///< some of its bins keep no C
    BlockState state = BlockState::active;
};

/// Passes over a block. @return what it is
template <class In>
BlockSummary skipBlock(In& in)
{
    BlockHeader b;
    in.get(&b, sizeof b);
    if (b.state > static_cast<std::uint32_t>(BlockState::boundary))
        refuse("is damaged");
    BlockSummary block{{b.coordinate[0], b.coordinate[1], b.coordinate[2]},
                       0,
                       0,
                       false,
                       static_cast<BlockState>(b.state)};
    for (std::uint32_t k = 0; k < b.bins; ++k) {
        BinHeader n;
        in.get(&n, sizeof n);
        if (n.layout >= kLayouts || n.count < 1 || n.count > kLanes)
            refuse("is of other materials");
        const auto layout = static_cast<Layout>(n.layout);
        const std::span<const unsigned char> data = in.take(bytesOf(layout));
        float mass[kLanes];
        std::memcpy(mass, data.data() + sizeof mass * row::mass, sizeof mass);
        for (int lane = 0; lane < n.count; ++lane)
            block.live += mass[lane] > 0;
        block.particles += n.count;
        block.gathersAffine = block.gathersAffine || !keepsAffine(layout);
    }
    return block;
}

/// @tparam In  Reader or Cursor
template <class In>
Header readHeader(In& in)
{
    constexpr std::size_t kWithoutPeriod = offsetof(Header, periodLow);
    Header h{};
    in.get(&h, kWithoutPeriod);
    if (!isKnown(h.magic))
        refuse(std::memcmp(h.magic, kMagic, sizeof kMagic - 1) == 0
                   ? "was written by another version of the solver, which kept particles in "
                     "another form; run the simulation from its start"
                   : "is not one, or is of a run on a GPU");
    if (std::memcmp(h.magic, kMagic, sizeof kMagic) == 0)
        in.get(&h.periodLow, sizeof h - kWithoutPeriod);
    std::memcpy(h.magic, kMagic, sizeof kMagic);
    if (!Period::isPossible(h.periodLow, h.periodCount))
        refuse("holds numbers that make no sense");
    const double scalars[] = {h.time,     h.strainStep,  h.lastStep,    h.drift,
                              h.topSpeed, h.topGradient, h.signalSpeed, h.topComponent};
    for (const double a : scalars)
        if (!std::isfinite(a) || a < 0)
            refuse("holds numbers that make no sense");
    return h;
}

} // namespace floe::mpm::saved
