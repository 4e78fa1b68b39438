/// What matter gives to colliders that it does not move, for those who ask: sums over the steps
/// that were taken.
#pragma once

#include "backend.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace floe::mpm {

class ContactRecord {
public:
    /// Sums are by these cells; nothing: there are none.
    void choose(const std::optional<sdk::ContactCells>& cells);
    bool isOn() const { return cells_.has_value(); }

    /// Begins a step in which `slots` blocks have nodes; what an earlier try has found is
    /// forgotten.
    void begin(std::size_t slots);
    /// More blocks have nodes; call before their contact is applied.
    void grow(std::size_t slots);
    /// Forgets what a block's nodes have given: contact is applied to them anew.
    void forget(std::size_t slot);
    /// Adds what contact with a collider has changed. Blocks may be processed concurrently.
    /// @param before, after  a block's nodes
    void add(std::size_t slot, std::uint32_t collider, const ColliderSample& sample,
             const PointBatch& before, const PointBatch& after);
    /// Adds an impulse [kg m/s] that matter got at a place. @param normal  the collider's there
    void add(std::size_t slot, std::uint32_t collider, const Vec3d& at,
             const sdk::world::Vec3f& normal, const Vec3d& impulse);
    /// Adds the step's sums to the frame's, in the order of slots.
    void endStep();
    /// Returns the sums since the last call, by collider, then cell, and begins anew. There are
    /// sdk::kMaxContacts at most, of the first that touched.
    std::vector<ColliderPush> take();

private:
    std::optional<sdk::ContactCells> cells_;
    std::vector<std::vector<ColliderPush>> steps_; ///< by grid slot
    std::map<std::pair<std::uint32_t, sdk::ContactCells::Cell>, ColliderPush> sums_;
};

} // namespace floe::mpm
