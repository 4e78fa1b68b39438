/// The sparse world: blocks of 4x4x4 cells, found through a hash table, alive only where particles
/// are and one block around them.
#pragma once

#include "layout.hpp"
#include "world.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace floe::mpm {

/// Coordinates of a block: its first cell / 4. Within +-kMostCoordinate.
using BlockCoordinate = std::array<std::int32_t, 3>;
inline constexpr std::int32_t kMostCoordinate = (1 << 20) - 2;

/// Same numbers as the activation interface of the SDK.
enum class BlockState : std::uint8_t { passive = 0, active = 1, boundary = 2 };

/// Offsets (-1..1)^3 are numbered 0 to 26, z fastest; 13 is the block itself.
inline constexpr int kSelf = 13;
constexpr int offsetNumber(int dx, int dy, int dz)
{
    return (dx + 1) * 9 + (dy + 1) * 3 + dz + 1;
}

/// What a block that does not move scatters, which stays the same from step to step.
struct Frozen {
    alignas(64) float arena[kArenaNodes * kNodeFloats]; ///< momentum of a step of 1 s, and mass
    float octantMass[8];    ///< of its nodes, by halves of x, y and z, z fastest [kg]
    float signalSpeed;      ///< of its fastest wave [m/s]
    std::uint32_t material; ///< whose it is
};

/// What a collider that rests says of a block's nodes.
struct RestingContact {
    std::uint64_t collider;       ///< Collider::id
    Pooled<ColliderSample> nodes; ///< null: none of them is inside
};

struct Block {
    BlockCoordinate coordinate{};
    std::vector<BinRef> bins; ///< ordered by isBefore; full except for the last of each kind
    std::array<std::int32_t, 27>
        neighbour{};             ///< indices, -1: none. Complete for blocks that hold particles
    std::uint32_t particles = 0; ///< those about to arrive included
    BlockState state = BlockState::active;
    float speed = 0;     ///< of the fastest particle after the last step [m/s]
    float restTime = 0;  ///< how long `speed` has been below the rest speed [s]
    float pushSpeed = 0; ///< boundary blocks: that its particles would have (guard.cpp) [m/s]
    std::array<float, 3> gain{}; ///< boundary blocks: velocity they would have gained [m/s]
    Pooled<Frozen> frozen;       ///< boundary blocks, once scattered
    std::vector<RestingContact> contacts;
    std::int32_t arena = -1; ///< slots of this step's lists, -1: not in them
    std::int32_t nodes = -1;
    std::int32_t keptNodes = -1; ///< slot in the nodes that the last step left; -1: not in them
    std::int32_t outbox = -1;    ///< while particles change their blocks (outbox.hpp)
};

/// C of those of a block's bins that keep none, while a thread is busy with that block.
class AffineScratch {
public:
    /// Makes room for as many bins; what is in it is lost. Uninitialised.
    void resize(std::size_t bins)
    {
        if (bins > size_)
            rows_ = std::make_unique_for_overwrite<AffineRows[]>(size_ = bins);
    }
    AffineRows* data() const { return rows_.get(); }

private:
    std::unique_ptr<AffineRows[]> rows_;
    std::size_t size_ = 0;
};

/// Finds blocks by coordinate. Open addressing, power-of-two capacity, at most half full.
class BlockMap {
public:
    void clear();
    void reserve(std::size_t blocks);
    /// -1 when there is none.
    std::int32_t find(const BlockCoordinate& coordinate) const;
    /// The coordinate must be new.
    void insert(const BlockCoordinate& coordinate, std::int32_t index);

private:
    struct Slot {
        std::uint64_t key = kEmpty;
        std::int32_t index = -1;
    };
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
    std::size_t place(std::uint64_t key) const;

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

/// Memory for bins, a pool for each layout.
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
/// The next free lane among a block's bins of one kind, which counts as taken; a new bin where none
/// is. @throws std::bad_alloc
std::pair<BinRef*, int> freeLane(Block& block, BinPool& pool, std::uint16_t material, Layout layout,
                                 const float* initialState);

/// Fills lane `lane` of a bin with "no particle": undeformed, without mass.
void clearLane(const BinRef& bin, int lane, const float initialState[4]);

} // namespace floe::mpm
