#include "particle_formats.hpp"

#include "floe/base/error.hpp"

#include <cmath>
#include <numbers>

namespace floe::io {

std::span<const float> positionsOf(const ParticlesValue& particles,
                                   const std::filesystem::path& path)
{
    const auto positions = particles.get<float>("x", 3);
    if (positions.empty() && particles.count() > 0)
        throw InputError({.file = path.string()}, "the particles to write have no positions",
                         "give them an attribute x of 3 float32");
    return positions;
}

std::vector<float> radiiOf(const ParticlesValue& particles)
{
    const auto volumes = particles.get<float>("volume", 1);
    std::vector<float> radii;
    if (volumes.empty() || particles.find("pscale"))
        return radii;
    radii.reserve(volumes.size());
    for (const float volume : volumes)
        radii.push_back(std::cbrt(volume * static_cast<float>(0.75 / std::numbers::pi)));
    return radii;
}

} // namespace floe::io
