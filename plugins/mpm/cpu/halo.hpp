/// What several ranks exchange in a step, so that each computes its blocks as one rank would.
///
/// The arena of a block is sent to every rank that owns a block beside it, occupied or not: a ghost
/// there. So a rank has all contributions to the nodes that its particles feel, and to those of its
/// own blocks, of which it may hold no particle. Arenas travel unsummed and are added in the order
/// of neighbours, as at home; every node that matters has the same bits on each rank that computes
/// it. No velocities travel.
///
/// Particles that change blocks travel in the migration buffer of their old block, and arrive in
/// the order of these.
#pragma once

#include "block_grid.hpp"
#include "cpu_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::mpm {

inline constexpr std::size_t kArenaFloats = std::size_t{kArenaNodes} * kNodeFloats;

class Halo {
public:
    Halo(CpuState& state, BlockGrid& grid) : state_(&state), grid_(&grid) {}

    // -- who needs what; while blocks hold other particles than before

    /// Tells the others which blocks hold particles near theirs, and marks ghosts.
    /// @return whether there are new ones, without neighbours yet
    bool exchangeGhosts();
    /// Prepares the exchange of arenas. Call when the lists of a step are up to date.
    void plan();
    /// Sends the particles that have left for blocks of other ranks, and adds buffers for ghosts.
    void exchangeMigrants(std::vector<MigrationBuffer>& buffers);

    // -- a step's arenas

    /// Returns slots of scatterList: first those whose arenas are sent.
    const std::vector<std::int32_t>& order() const { return order_; }
    std::size_t sentBlocks() const { return sentBlocks_; }
    /// @param arenas  of scatterList, then of ghostList  @param each  arenas of a block
    void beginArenas(const float* arenas, std::size_t each);
    /// Fills the arenas of ghosts.
    void takeArenas(float* arenas, std::size_t each);
    /// Waits for arenas that nobody will use.
    void dropArenas();

    // -- bounds

    /// Makes the bounds those of all ranks. @throws RanksFailure  one of them is to end
    void shareBounds();
    void shareDeleted();

private:
    /// Nodes of an arena, [low, high) along each axis.
    struct Box {
        int low[3], high[3];
        std::size_t nodes() const;
    };
    struct Piece {
        std::int32_t slot; ///< of the arena
        Box box;
    };
    /// What goes to, or comes from, one rank.
    struct Peer {
        int rank;
        std::vector<BlockCoordinate> blocks; ///< in the order of the sender's
        std::vector<Piece> pieces;           ///< one for each
        std::size_t nodes = 0;               ///< of all pieces
        std::vector<float> buffer;           ///< of a step
    };

    using Reach = std::array<int, 3>; ///< in blocks, along each axis
    Reach reachOf(const BlockCoordinate& block, const MirrorWalls& mirror) const;
    template <class Function>
    void forOwners(const BlockCoordinate& block, const Reach& reach, const Function& f) const;
    Box boxFor(const BlockCoordinate& block, const Reach& reach, int rank) const;
    void planPieces(std::vector<Peer>& peers, bool sending);

    CpuState* state_;
    BlockGrid* grid_;
    std::vector<Peer> out_, in_;
    std::vector<std::int32_t> order_;
    std::size_t sentBlocks_ = 0;
    std::size_t cleared_ = 0; ///< arenas of a ghost that are zero outside of its piece
    sdk::parallel::RanksWork arenas_;
};

} // namespace floe::mpm
