#pragma once

/// What several ranks exchange, so that each computes its blocks as one rank would.
///
/// Every rank scatters its own particles. The sums at nodes are integers, so ranks whose particles
/// reach the same block of nodes send each other what they have there, and all add the same number
/// whatever the order: once a step, while kernels work on blocks that nobody else reaches.
///
/// Particles that have left for blocks of other ranks travel when blocks are made anew. Where
/// something sleeps, ranks tell each other the states of blocks beside each other's.

#include "border.cuh"
#include "ownership.hpp"

#include <floe/sdk/device_memory.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;
using sdk::cuda::PinnedArray;

/// Numbers of all ranks together.
struct Totals {
    std::uint64_t left = 0, taken = 0; ///< Report's
    std::uint64_t particleBlocks = 0, active = 0, boundary = 0, pushed = 0;
};

class Halo {
public:
    /// @param ownership  of one rank among several  Both outlive this.
    Halo(Device& device, const Ownership& ownership)
        : device_(device), ownership_(ownership), listed_(device), counter_(device), index_(device),
          values_(device), nodes_(device), packed_(device), received_(device), exits_(device),
          leavers_(device), records_(device), out_(device), in_(device), packedAll_(device)
    {
        counter_.need(1);
    }

    const Ranks& ranks() const { return *ownership_.ranks; }
    int rank() const { return ranks().rank(); }

    /// Makes a report that of all ranks, its counts excepted, which are this rank's.
    /// @throws RanksFailure  the run is to end
    Report share(Report own);
    /// As the last share() found them.
    const Totals& totals() const { return totals_; }

    // -- blocks

    /// Sets how many blocks away from its particles' blocks a rank needs what is at nodes.
    /// Call before blocks are made.
    void setReach(int blocks)
    {
        reach_.reach = blocks;
        forget();
    }
    int reach() const { return reach_.reach; }
    /// Space is divided in another way from now on: call before blocks are made.
    void forget()
    {
        around_.clear();
        aroundOf_.clear();
        knowsNothing_ = true;
    }
    /// Gives new blocks what is known of their places.
    void inherit(const Blocks& old, const Blocks& made, unsigned room, const Report* report)
    {
        FLOE_LAUNCH(inheritBorder, room, 128, 0, device_.stream(), old, made, knowsNothing_,
                    report);
        device_.checkLaunch("inheritBorder");
    }
    /// Call when blocks have been made: finds out whose nodes are whose.
    /// @param count  of particle blocks
    void plan(const Blocks& blocks, std::uint32_t count);
    /// Tells the others the states of blocks beside theirs, and takes theirs.
    void shareStates(const Blocks& blocks);
    /// Blocks beside this rank's where another holds particles, as of the last shareStates().
    const std::vector<std::uint32_t>& ghosts() const { return ghosts_; }
    std::vector<std::uint32_t> ghostStates(const Blocks& blocks);
    /// Implements Backend::shareMarks(): marks of particle blocks, then of ghosts().
    bool shareMarks(std::span<std::uint8_t> marks, std::uint32_t particleBlocks);

    // -- nodes

    /// Values of all blocks of nodes.
    struct NodeValues {
        unsigned long long* values;
        std::uint32_t each; ///< numbers of a block
    };
    /// Packs values of blocks of nodes that others reach, too; what is enqueued afterwards may
    /// compute others meanwhile.
    void begin(std::span<const NodeValues> arrays);
    /// Adds those of the others.
    void finish(std::span<const NodeValues> arrays);

    // -- particles

    /// Takes out particles that have left for blocks of other ranks, and keeps those that arrive.
    /// @param channels  of particles
    void exchangeMovers(const Particles& particles, const Blocks& blocks, unsigned channels,
                        Report* report);
    std::uint32_t left() const { return left_; }
    std::uint32_t arrived() const
    {
        return static_cast<std::uint32_t>(arrivals_.size() / kRecordWords);
    }
    /// Returns the largest id among those that arrive.
    std::uint32_t largestId() const
    {
        std::uint32_t largest = 0;
        for (std::size_t i = kId; i < arrivals_.size(); i += kRecordWords)
            largest = std::max(largest, arrivals_[i]);
        return largest;
    }
    /// Writes those that arrive, from `first` on.
    void place(const Particles& particles, unsigned channels, std::uint32_t first,
               std::int32_t* coordinates);

private:
    /// The ranks around a block.
    struct Around {
        std::array<std::int32_t, 27> owner;
        std::vector<int> peers; ///< others that own blocks within reach
    };
    /// What one rank and this one have in common.
    struct Peer {
        int rank;
        std::uint32_t first, count; ///< of the list
    };
    struct Node {
        BlockCoordinate block;
        std::uint32_t index;
    };
    /// A block at the border, for the others.
    struct Beside {
        BlockCoordinate block;
        std::uint32_t index;
        std::int32_t around; ///< index of around_
    };
    using Lists = std::vector<std::vector<std::uint32_t>>; ///< by rank

    static unsigned groups(std::size_t threads)
    {
        return static_cast<unsigned>((threads + 127) / 128);
    }
    BlockCoordinate blockAt(const BlockCoordinate& from, int n) const;
    std::int32_t around(const BlockCoordinate& block);
    bool isAtBorder(const BlockCoordinate& block);
    std::vector<BorderBlock> list(const Blocks& blocks, std::uint32_t count);
    void setAll(std::uint32_t* to, const std::vector<std::uint32_t>& index,
                const std::vector<std::uint32_t>& values);
    std::vector<std::uint32_t> getAll(const std::uint32_t* from,
                                      const std::vector<std::uint32_t>& index);
    void planNodes(std::vector<std::vector<Node>>& shared);
    void planGhosts();
    static std::uint32_t eachOf(std::span<const NodeValues> arrays)
    {
        std::uint32_t each = 0;
        for (const NodeValues& array : arrays)
            each += array.each;
        return each;
    }
    template <class Value, class Read, class Write>
    void exchangeOfGhosts(const Read& read, const Write& write);
    floe_ranks_part part(const Peer& peer, unsigned long long* data, std::uint32_t each) const
    {
        return Ranks::part(static_cast<std::size_t>(peer.rank),
                           data + std::size_t(peer.first) * each,
                           std::size_t(peer.count) * each * sizeof(unsigned long long));
    }

    Device& device_;
    const Ownership& ownership_;
    Totals totals_;

    BlocksAround reach_;
    // who owns what around; it stays as long as space is divided in the same way
    BlockMap aroundOf_;
    std::vector<Around> around_;
    bool knowsNothing_ = false; ///< about the places of present blocks

    // blocks
    DeviceArray<BorderBlock> listed_;
    DeviceArray<std::uint32_t> counter_, index_, values_;
    std::vector<Beside> beside_; ///< blocks that have one of another rank beside them
    BlockMap nodeOf_;            ///< blocks around those at the border
    Lists ghostsOut_, ghostsIn_; ///< kNoBlock: not beside this rank's
    std::vector<std::uint32_t> ghosts_;
    BlockMap ghostOf_; ///< places in ghosts_, by coordinate
    bool ghostsKnown_ = false;

    // nodes
    std::vector<Peer> peers_;
    std::uint32_t shared_ = 0;         ///< entries of nodes_
    DeviceArray<std::uint32_t> nodes_; ///< blocks of nodes, of one peer after the other
    DeviceArray<unsigned long long> packed_, received_;

    // particles
    std::uint32_t exitCount_ = 0;
    DeviceArray<Exits> exits_;
    DeviceArray<Leaver> leavers_;
    DeviceArray<std::uint32_t> records_;
    std::uint32_t left_ = 0;
    std::vector<std::uint32_t> arrivals_; ///< records

    PinnedArray<unsigned long long> out_, in_;
    Device::Event packedAll_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda

#include "halo.inl"
