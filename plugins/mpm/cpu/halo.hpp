/// What several ranks exchange in a step, so that each computes its blocks as one rank would.
///
/// The arena of a block is sent to every rank that owns a block beside it, occupied or not: a ghost
/// there. So a rank has all contributions to the nodes that its particles feel, and to those of its
/// own blocks, of which it may hold no particle. Arenas travel unsummed and are added in the order
/// of neighbours, as at home; every node that matters has the same bits on each rank that computes
/// it. No velocities travel.
///
/// Ghosts have the state of their block: those that are passive send no arena. Where some block
/// sleeps, blocks one further away are ghosts too, without arenas: whether nodes beside a boundary
/// block take part in a step, and whether a passive block overlaps them, depends on these.
///
/// Where ranks keep the particles that they were given (Ownership::byParticles), each of several
/// may hold some in a block. Then all tell all where they hold some, arenas go to those that hold
/// some within reach, and those of one block are added up first, in the order of ranks: the nodes
/// that particles feel have the same bits on each rank again.
///
/// Particles that change blocks travel in the migration buffer of their old block, and arrive in
/// the order of these.
#pragma once

#include "block_grid.hpp"
#include "cpu_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm {

class Halo {
public:
    Halo(CpuState& state, BlockGrid& grid) : state_(&state), grid_(&grid) {}

    // -- who needs what; while blocks hold other particles than before

    /// Tells the others which blocks hold particles near theirs and which of them are active, and
    /// marks ghosts. @return whether there are new ones, without neighbours yet
    bool exchangeGhosts();
    /// Gives ghosts the states of their blocks. Other ranks do the same at this moment.
    void shareStates();
    /// Implements Backend::shareMarks().
    bool shareMarks(std::span<std::uint8_t> marks);
    /// Counts the blocks of all ranks.
    void count();
    std::size_t active() const { return active_; }
    std::size_t inactive() const { return inactive_; }
    /// Prepares the exchange of arenas. Call when the lists of a step are up to date.
    void plan();
    /// Sends the particles that have left for blocks of other ranks, and adds buffers for ghosts.
    void exchangeMigrants(std::vector<MigrationBuffer>& buffers);

    // -- a step's arenas

    /// Returns slots of scatterList: first those whose arenas are sent, and others near them.
    const std::vector<std::int32_t>& order() const { return order_; }
    std::size_t firstBlocks() const { return firstBlocks_; } ///< all before arenas are sent
    /// Makes room for what others need. Call before packArenas().
    /// @param each  arenas of a block
    void prepareArenas(std::size_t each);
    /// Copies from a block's arenas what others need of them; those of the first blocks may be
    /// copied concurrently, each while it is in the cache.
    /// @param arenas  of scatterList, then of ghostList
    void packArenas(std::size_t slot, const float* arenas, std::size_t each);
    /// Sends what has been packed.
    void sendArenas();
    /// All of that.
    void beginArenas(const float* arenas, std::size_t each);
    /// Fills the arenas of ghosts, and completes those that others hold particles of, too.
    void takeArenas(float* arenas, std::size_t each);
    /// Waits for arenas that nobody will use.
    void dropArenas();

    // -- bounds

    /// Makes the bounds those of all ranks. @throws RanksFailure  one of them is to end
    /// @param deleted  whether those of CpuState::deleted are this rank's; they, too, become those
    ///                 of all
    void shareBounds(bool deleted);

private:
    /// Nodes of an arena, [low, high) along each axis.
    struct Box {
        int low[3], high[3];
        std::size_t nodes() const;
    };
    struct Piece {
        std::int32_t slot; ///< of the arena
        Box box;
        std::size_t before; ///< nodes of the pieces before it
    };
    /// A piece that is sent.
    struct Sent {
        std::uint32_t peer, piece;
    };
    /// What goes to, or comes from, one rank.
    struct Peer {
        int rank;
        std::vector<BlockCoordinate> blocks; ///< in the order of the sender's
        std::vector<Piece> pieces;           ///< of those whose arenas are near and not at rest
        std::size_t nodes = 0;               ///< of all pieces
        std::vector<float> buffer;           ///< of a step
    };

    void shareHolders();
    bool isInside(const Block& block) const;
    template <class Function>
    void forOwners(const BlockCoordinate& block, const Reach& reach, const Function& f) const;
    Box boxFor(const BlockCoordinate& block, const Reach& reach, int rank) const;
    void addArenas(float* arenas, std::size_t each);
    void planPieces(std::vector<Peer>& peers, bool sending);
    void shareDeleted();
    template <class Read, class Write>
    void exchangeBytes(const Read& read, const Write& write);

    CpuState* state_;
    BlockGrid* grid_;
    std::vector<Peer> out_, in_;
    // of ranks that keep their particles: who holds some where
    BlockMap holdersOf_; ///< indices of holders_
    std::vector<std::vector<int>> holders_;
    std::vector<Sent> sent_;               ///< by slot
    std::vector<std::uint32_t> sentBegin_; ///< of each slot and of one more, in sent_
    std::vector<std::int32_t> order_;
    std::size_t firstBlocks_ = 0;
    std::size_t active_ = 0, inactive_ = 0; ///< blocks of all ranks
    std::size_t cleared_ = 0; ///< arenas of a ghost that are zero outside of its piece
    sdk::parallel::RanksWork arenas_;
};

} // namespace floe::mpm
