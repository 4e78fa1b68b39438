/// Record "floe.pbd.sheet": a cloth or a rope.
#pragma once

#include "bodies/rest_sheet.hpp"
#include "solver/scene.hpp"

#include "floe/sdk/node.hpp"

#include <memory>
#include <string>

namespace floe::pbd {

/* record "floe.pbd.sheet"
 *   name        string   shown in legends
 *   color       vector   linear RGB
 *   mesh?       mesh     cloth: own space [m]
 *   line?       particles  rope: attribute x, in order [m]
 *   pinned      string   none | top | corners | left | box | start | end | both
 *   pinCenter, pinSize   vector   box: own space [m]
 *   density     number   cloth: [kg/m^2]; rope: [kg/m]
 *   radius      number   of its particles, 0: half the mean edge; of a rope [m]
 *   stretch, shear, bend number   as SheetStiffness
 *   meetsItself? number  1: it collides with itself; 0 or missing: it does not
 *   damping     number   [1/s]
 *   tear        number   strain, 0: never
 *   friction, slidingFriction   number
 *   position, rotation, velocity   vector   [m], [degrees], [m/s]
 */

/// What a record says, checked.
struct SheetDescription {
    Material material;
    Scene::Placed placed;
    float damping = 0, tear = 0;

    /// @throws Failure  a field is missing or out of its range
    explicit SheetDescription(const sdk::Value& record);
    /// @throws Failure
    std::shared_ptr<const Cloth> make(const sdk::Value& record) const;
};

} // namespace floe::pbd
