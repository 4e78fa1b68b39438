/// Record "floe.pbd.joint": what ties two bodies, or one to the world.
#pragma once

#include "solver/joints.hpp"

#include "floe/sdk/node.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace floe::pbd {

/* record "floe.pbd.joint"
 *   name        string
 *   kind        string   ball | hinge | fixed
 *   a, b?       record   "floe.pbd.body" or "floe.pbd.sheet", as linked to the solver; without b
 *                        the world
 *   copyA, copyB  number  which of a body's copies, from 0
 *   anchor      vector   in the world, at the start [m]
 *   axis        vector   hinge: in the world, at the start
 *   motor       boolean  hinge
 *   speed       number   [degrees/s]
 *   torque      number   [N m]
 *   strength    number   [N]; 0: it never breaks
 */

/// What a solver knows of a record on its input "bodies".
struct LinkedBody {
    const floe_value* record;
    std::uint32_t first, count; ///< its bodies in the scene: one a copy
};

/// Makes a joint of bodies as they lie at the start of the simulation.
/// @param start  the scene's bodies and particles as they were added
/// @throws Failure  a body that is not linked to the solver, or a field out of its range
Joint jointOf(const sdk::Value& record, const std::vector<LinkedBody>& linked, const Scene& start);

/// Reads again what may change from frame to frame: speed, torque, strength.
void readMotor(Joint& joint, const sdk::Value& record);

} // namespace floe::pbd
