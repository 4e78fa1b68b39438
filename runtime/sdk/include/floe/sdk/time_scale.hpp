/// How the time of a solver runs beside that of the animation.
#pragma once

#include "floe/sdk/node.hpp"

namespace floe::sdk {

/// Says on particles that their velocities are those of slow or fast motion, by the field
/// `timeScale`: seconds of the solver in a second of the animation, absent where it is 1. Who shows
/// motion by the animation's seconds multiplies velocities by it.
/// @pre the node has the parameter `timeScale`, > 0
inline void setTimeScale(Value& particles, const Context& context)
{
    if (const double scale = context.number("timeScale"); scale != 1)
        particles.set("timeScale", makeNumber(scale));
}

} // namespace floe::sdk
