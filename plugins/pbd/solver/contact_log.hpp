/// Who pushed whom: impulses of contacts, summed over the substeps of a frame.
#pragma once

#include "contacts.hpp"

#include "floe/sdk/contact_cells.hpp"

#include <compare>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace floe::pbd {

/// Sums up contacts by the two that touch, and by cells. Not recorded: free particles among
/// themselves, and what moves overlaps apart, which gives no speed.
class ContactLog {
public:
    enum class Kind : std::uint8_t { body = 0, particles = 1, collider = 2, wall = 3 };
    struct Side {
        Kind kind = Kind::body;
        std::uint32_t number = 0; ///< of the body, material, collider, or wall (low x, high x, ...)
        auto operator<=>(const Side&) const = default;
    };
    /// What `a` got from `b`, which comes after it; `b` got the opposite.
    struct Entry {
        Side a, b;
        Vec3d point{0, 0, 0};   ///< mean, weighted by how hard they push [m]
        Vec3d normal{0, 0, 0};  ///< mean, from b to a, unit
        Vec3d impulse{0, 0, 0}; ///< normal and friction [N s]
        Vec3d couple{0, 0, 0};  ///< the angular impulse about the point [N m s]
    };

    /// Begins anew.
    void clear(sdk::ContactCells cells = {});
    const sdk::ContactCells& cells() const { return cells_; }
    /// Adds a substep's contacts, before its motion is carried out. Impulses are those of the
    /// masses in contact, which mass scaling changes.
    void add(const Scene& scene, std::span<const Contact> contacts, double dt);
    /// In the order of a, b and cells: sdk::kMaxContacts at most, the first that touched.
    std::vector<Entry> entries() const;

private:
    struct Sum {
        Vec3d origin{0, 0, 0};                 ///< the first point; others relative to it
        double weight = 0;                     ///< of normal impulses [N s]
        Vec3d point{0, 0, 0}, normal{0, 0, 0}; ///< times the weight
        Vec3d impulse{0, 0, 0}, moment{0, 0, 0};
    };
    sdk::ContactCells cells_;
    std::map<std::tuple<Side, Side, sdk::ContactCells::Cell>, Sum> sums_;
};

} // namespace floe::pbd
