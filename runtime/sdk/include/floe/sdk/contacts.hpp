/// Particles "contacts" of records.h, from a solver: who pushed whom within a frame, and how hard.
#pragma once

#include "floe/sdk/contact_cells.hpp"
#include "floe/sdk/node.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace floe::sdk {

/// What the number of one who touches counts.
enum class ContactKind : std::uint8_t { body = 0, particles = 1, collider = 2, wall = 3 };

/// What `a` got from `b` within a frame, in one place or all in all; `b` got the opposite.
struct ContactRow {
    ContactKind aKind, bKind;
    std::uint32_t a, b;
    std::array<double, 3> point;   ///< mean, by the size of pushes [m]
    std::array<double, 3> normal;  ///< from b to a, unit
    std::array<double, 3> impulse; ///< [N s]
    std::array<double, 3> couple;  ///< angular impulse about `point` [N m s]
};

/// What a solver has recorded.
struct ContactScope {
    double seconds = 0; ///< the frame's duration [s]
    /// How many there are of those that are recorded; 0 of those that are not.
    std::uint32_t bodies = 0, colliders = 0, walls = 0;
    ContactCells cells{}; ///< that rows are sums of
};

/// The value of an output.
/// @param scope  nothing: nobody recorded
/// @throws Failure  there is not enough memory; there are kMaxContacts rows, so some are missing
inline Value makeContacts(std::span<const ContactRow> rows,
                          const std::optional<ContactScope>& scope)
{
    if (rows.size() >= kMaxContacts)
        throw Failure("there are contacts in " + std::to_string(kMaxContacts) +
                          " places or more in this frame; give the log larger cells",
                      FLOE_BAD_ARGUMENT);
    Value contacts = makeParticles(rows.size());
    const auto x = contacts.addAttribute<float>("x", 3),
               normal = contacts.addAttribute<float>("normal", 3),
               impulse = contacts.addAttribute<float>("impulse", 3),
               couple = contacts.addAttribute<float>("couple", 3);
    const auto a = contacts.addAttribute<std::uint32_t>("a", 1),
               b = contacts.addAttribute<std::uint32_t>("b", 1);
    const auto aKind = contacts.addAttribute<std::uint8_t>("aKind", 1),
               bKind = contacts.addAttribute<std::uint8_t>("bKind", 1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const ContactRow& row = rows[k];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            x[3 * k + axis] = static_cast<float>(row.point[axis]);
            normal[3 * k + axis] = static_cast<float>(row.normal[axis]);
            impulse[3 * k + axis] = static_cast<float>(row.impulse[axis]);
            couple[3 * k + axis] = static_cast<float>(row.couple[axis]);
        }
        a[k] = row.a;
        b[k] = row.b;
        aKind[k] = static_cast<std::uint8_t>(row.aKind);
        bKind[k] = static_cast<std::uint8_t>(row.bKind);
    }
    if (scope)
        contacts.set("seconds", makeNumber(scope->seconds))
            .set("bodies", makeNumber(scope->bodies))
            .set("colliders", makeNumber(scope->colliders))
            .set("walls", makeNumber(scope->walls))
            .set("cell", makeNumber(scope->cells.edge));
    return contacts;
}

} // namespace floe::sdk
