/// A bounding volume hierarchy over spheres, built by their Morton codes.
#pragma once

#include "pairs.hpp"

#include <vector>

namespace floe::pbd {

/// A binary radix tree (Karras 2012) with boxes. Node i < count - 1 is internal, 0 the root; the
/// leaf of rank r is node count - 1 + r.
class Bvh {
public:
    /// Codes have 21 bits an axis over the box of all centres.
    Bvh(const Spheres& spheres, sdk::parallel::Executor& executor);

    std::size_t size() const { return order_.size(); }
    /// Appends the pairs of the sphere of a rank with those of higher rank: up from its leaf, into
    /// every sibling on the right whose box it meets and that is not all of its own group.
    void findAbove(std::size_t rank, std::vector<Pair>& pairs) const;

private:
    struct Box {
        Vec3f low, high;
    };
    void link(std::size_t node, const std::vector<std::uint64_t>& codes);
    void fit(std::size_t rank);
    Box boxOf(std::uint32_t sphere) const;

    Spheres spheres_;
    std::vector<std::uint32_t> order_; ///< sphere of each rank
    std::vector<std::uint32_t> left_, right_, parent_;
    std::vector<Box> box_;             ///< of all nodes
    std::vector<std::uint32_t> group_; ///< of all nodes; kNoGroup: several
    std::vector<std::uint32_t> visits_;
};

} // namespace floe::pbd
