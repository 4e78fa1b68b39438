/// The solver node's view of the ranks that simulate with this one.
#pragma once

#include "ownership.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <optional>

namespace floe::mpm {

class NodeRanks {
public:
    /// Finds out whether there are others; then refuses what they cannot do together. Call in every
    /// call of the node. @throws sdk::Failure
    void join(const sdk::Context& context);
    /// The same, without asking what the node is to do.
    void use(const sdk::Context& context);

    bool several() const { return ranks_.has_value(); }
    /// Returns whether each rank keeps the particles that it was given.
    bool byParticles() const { return byParticles_; }
    int rank() const { return ranks_ ? ranks_->rank() : 0; }
    int size() const { return ranks_ ? ranks_->size() : 1; }
    /// Returns whether rank 0 is another one, which has the particles of all.
    bool follows() const { return ranks_ && ranks_->rank() > 0; }
    /// Returns whether each rank is to give its own part of an output, not rank 0 the whole.
    bool inParts(const sdk::Context& context, const char* output) const;
    /// Returns what a backend of this rank owns; valid as long as this.
    Ownership ownership() const;
    /// Says how many blocks have moved between ranks before this frame.
    void moved(std::uint64_t blocks) { moved_ = blocks; }
    /// Says how many particles emitters have given to this rank for this frame, at most at a time.
    void given(std::uint64_t particles) { given_ = particles; }
    /// Reports what each rank did in a frame: `rank0.processorSeconds` and so on.
    /// @param seconds  of this rank's processor time, waiting included, which is taken off
    /// @param bytes    that this rank's solver holds
    void report(sdk::Context& context, double seconds, std::uint64_t bytes);

private:
    const floe_ranks* table_ = nullptr;
    std::optional<Ranks> ranks_;
    sdk::grid::Partitioner divide_;
    bool byParticles_ = false;
    CostBy costBy_ = CostBy::time;
    floe_ranks_traffic before_{}; ///< this cook
    std::uint64_t moved_ = 0, given_ = 0;
};

} // namespace floe::mpm
