/// What both integrators step with.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace floe::mpm {

/// The longest step, at most dt, of which a whole number makes `whole`.
inline double dividing(double whole, double dt)
{
    return whole / std::ceil(whole / dt * (1 - 1e-9));
}

/// For messages.
inline std::string number(double a)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", a);
    return text;
}

} // namespace floe::mpm
