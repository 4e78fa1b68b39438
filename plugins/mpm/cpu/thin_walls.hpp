/// Colliders of triangles, which may be thinner than a cell or open: matter stays on its side.
///
/// A particle does not see the nodes behind a wall. What it scatters there, and what it gathers,
/// belongs to a second field of those nodes, that of all who do not see them (compare the
/// compatibility of Hu et al. 2018, section 5, whose hidden nodes have no velocity of their own).
/// There the wall is a collider, and the node inside it: the wall that a particle meets on its way
/// to the node, since one that has two surfaces would hold it from both sides; in the field of
/// those who see it, a node less than a cell before the wall meets it too. Both get the normal
/// velocity that matter farther from the wall has, in proportion to the distance, hidden ones with
/// the other sign: on the wall, wherever it lies between nodes, there is none. So pressure acts on
/// each side alone. No particle passes a triangle: its way in each step is stopped there.
///
/// Blocks away from walls cost nothing.
#pragma once

#include "block_grid.hpp"
#include "contact_record.hpp"
#include "cpu_state.hpp"
#include "liquid_volume.hpp"

#include <floe/sdk/world/mirror.hpp>
#include <floe/sdk/world/surface_collider.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace floe::mpm {

class ThinWalls {
public:
    /// The fields of a node, as BodyFields numbers them.
    static constexpr std::uint16_t kSeen = 0, kHidden = 1;

    ThinWalls(CpuState& state, const BlockGrid& grid) : state_(&state), grid_(&grid) {}

    /// Takes the walls among the colliders, which outlive the call.
    /// @return whether they are others, or elsewhere: particles have to be scattered anew
    bool set(std::span<const std::shared_ptr<Collider>> colliders);
    bool any() const { return !walls_.empty(); }
    /// Returns whether none of them moves.
    bool rest() const;

    // -- a step: find() and hide() when it is scattered, apply() on its nodes, then the move

    /// Finds the scattered blocks that walls pass, or may while the lists of the step hold.
    void find();
    /// @param slot  in the list of scattered blocks
    bool isNear(std::size_t slot) const { return blocks_[slot].near; }
    /// Finds which nodes walls hide from a block's particles at the moment.
    /// @return as ScatterTask::hidden, valid until the next call for this block
    const std::uint64_t* hide(std::size_t slot);
    /// What hide() has found.
    const std::uint64_t* hidden(std::size_t slot) const { return blocks_[slot].hidden.data(); }
    /// As GatherTask::open.
    const float* open(std::size_t slot) const
    {
        return blocks_[slot].open.empty() ? nullptr : blocks_[slot].open.data();
    }

    /// Returns velocity and mass of a node in field kSeen, by steps from its block's first node, -4
    /// to 7.
    using Reader = std::function<sdk::world::NodeValue(int, int, int)>;
    /// Applies contact to the nodes of one field of a block.
    /// @param seen   as they are before any contact with walls
    /// @param slot   under which the record keeps what they give
    /// @param nodes  in and out, four floats each: velocity and mass
    void apply(const Block& block, std::uint16_t field, const Reader& seen, ContactRecord& record,
               std::size_t slot, float* nodes) const;

    /// Notes where a block's particles are before a step moves them.
    void beginMove(std::size_t slot);
    /// Stops those whose way crosses a wall. @return the number of those that cross all the same
    std::uint64_t endMove(std::size_t slot);
    /// The step is over: the walls are where it has moved them.
    void endStep();

private:
    struct Wall {
        std::shared_ptr<const sdk::world::SurfaceCollider> collider;
        floe_transform_key pose; ///< at the particles' present time
        std::uint32_t number;    ///< of the collider
    };
    /// The particle nearest to a node that is hidden from it.
    struct Watcher {
        float x[3] = {0, 0, 0};                                ///< in its block [cells]
        float square = std::numeric_limits<float>::infinity(); ///< of the distance; infinite: none
    };
    /// A scattered block.
    struct Beside {
        bool near = false, crosses = false; ///< crosses: walls may come to it within the step
        std::vector<std::uint64_t> hidden;  ///< kLanes per bin
        std::vector<Watcher> watchers;      ///< of the nodes of its arena
        std::vector<float> open;            ///< empty where volume by position is off
        std::vector<float> before;          ///< positions, as in bins: 3 kLanes per bin
    };
    /// What a wall is to a node.
    struct Side {
        std::size_t wall;
        Vec3d at; ///< [m]
        Vec3d v;  ///< of the wall [m/s]
        sdk::world::SurfacePoint point;
    };
    void watch(const float (&x)[3], std::uint64_t hidden, std::vector<Watcher>& watchers) const;
    std::optional<Vec3d> watcherOf(const Block& block, const int (&place)[3]) const;
    std::optional<Vec3d> meetingPlace(const Vec3d& from, const Vec3d& to) const;
    void addSides(const Vec3d& x, const Vec3d& from, const Vec3d& corner, const Reader& seen,
                  std::vector<Side>& sides) const;
    double growthBefore(const Side& side, const Vec3d& corner, const Reader& seen) const;
    void addSides(std::size_t number, const Vec3d& x, double within,
                  std::vector<Side>& sides) const;
    OpenPart openPart(const Vec3d& corner, const float (&x)[3]) const;
    void meet(std::size_t wall, std::uint16_t field, std::span<const Side> sides, int n,
              PointBatch& nodes, ColliderSample& sample) const;
    bool passes(const Wall& wall, const floe_transform_key& pose, const Block& block) const;
    std::uint64_t hiddenFrom(const Wall& wall, const Vec3d& corner, const float (&x)[3]) const;
    bool stop(const Vec3d& from, Vec3d& to, float (&v)[3]) const;

    CpuState* state_;
    const BlockGrid* grid_;
    std::vector<Wall> walls_;
    std::vector<Beside> blocks_; ///< by scattered block
};

} // namespace floe::mpm
