/// A block of the sparse world and the bins of its particles.
#pragma once

#include "layout.hpp"
#include "world.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace floe::mpm {

/// What a boundary block scatters; it does not change from step to step.
struct CachedScatter {
    alignas(64) float arena[kArenaNodes * kNodeFloats]; ///< momentum for a step of 1 s, and mass
    float octantMass[8];    ///< of its nodes, by halves of x, y and z, z fastest [kg]
    float signalSpeed;      ///< of its fastest wave [m/s]
    std::uint32_t material; ///< material of that wave
};

/// A resting collider's samples at a block's nodes.
struct StaticContact {
    std::uint64_t collider;       ///< Collider::id
    Pooled<ColliderSample> nodes; ///< null: no node is inside
};

struct Block {
    BlockCoordinate coordinate{};
    std::vector<BinRef> bins; ///< sorted by isBefore; full except for the last of each kind
    /// Indices, -1: none. Complete for blocks that hold particles.
    std::array<std::int32_t, 27> neighbour{};
    std::uint32_t particles = 0; ///< including those about to arrive
    BlockState state = BlockState::active;
    float speed = 0;    ///< of the fastest particle after the last step [m/s]
    float restTime = 0; ///< how long `speed` has been below the rest speed [s]

    // where blocks take steps of their own (held_nodes.hpp)
    bool slow = false;    ///< takes the long step
    float strainStep = 0; ///< CpuState::strainStep of its own [s]

    // of boundary blocks (boundary_blocks.cpp)
    float pushSpeed = 0;          ///< that its particles would have [m/s]
    std::array<float, 3> gain{};  ///< velocity they would have gained [m/s]
    Pooled<CachedScatter> cached; ///< once scattered

    std::vector<StaticContact> contacts;
    // slots of this step's lists, -1: not in them
    std::int32_t arena = -1;
    std::int32_t nodes = -1;
    std::int32_t keptNodes = -1; ///< among the nodes kept from the last step
    std::int32_t migration = -1; ///< buffer while particles change blocks (migration.hpp)

    // with several ranks
    std::int32_t owner = 0; ///< rank (ownership.hpp)
    bool ghost = false;     ///< holds particles on other ranks, and none here (halo.hpp)
    bool near = false;      ///< a ghost: its arena reaches nodes that matter here
    // what its passes take (balance.cpp)
    float seconds = 0;        ///< in a step, of the frames before; 0: not measured [s]
    float spent = 0;          ///< in the timed steps since [s]
    std::uint32_t passes = 0; ///< the number of these
};

/// Memory for bins, one pool per layout.
class BinPool {
public:
    explicit BinPool(MemorySource& source);

    float* take(Layout layout) { return pools_[static_cast<int>(layout)].take(); }
    void give(Layout layout, float* bin) { pools_[static_cast<int>(layout)].give(bin); }
    std::size_t bytes() const;

private:
    std::array<FloatPool, kLayouts> pools_;
};

/// The order of a block's bins: by material, then layout.
inline bool isBefore(const BinRef& a, const BinRef& b)
{
    return a.material != b.material ? a.material < b.material : a.layout < b.layout;
}
/// Takes the next free lane among a block's bins of one kind; adds a bin when there is none.
/// @throws std::bad_alloc
std::pair<BinRef*, int> freeLane(Block& block, BinPool& pool, std::uint16_t material, Layout layout,
                                 const float* initialState);

/// Marks lane `lane` of a bin as empty: undeformed, without mass.
void clearLane(const BinRef& bin, int lane, const float initialState[4]);

} // namespace floe::mpm
