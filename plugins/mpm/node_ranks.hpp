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
    /// Returns whether rank 0 is another one, which has the particles of all.
    bool follows() const { return ranks_ && ranks_->rank() > 0; }
    /// Returns what a backend of this rank owns; valid as long as this.
    Ownership ownership() const;
    /// Says how many blocks have moved between ranks before this frame.
    void moved(std::uint64_t blocks) { moved_ = blocks; }
    /// Reports what each rank did in a frame: `rank0.processorSeconds` and so on.
    /// @param seconds  of this rank's processor time, waiting included, which is taken off
    void report(sdk::Context& context, double seconds);

private:
    std::optional<Ranks> ranks_;
    sdk::grid::Partitioner divide_;
    bool byParticles_ = false;
    floe_ranks_traffic reported_{};
    std::uint64_t moved_ = 0;
};

} // namespace floe::mpm
