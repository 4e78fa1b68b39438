#pragma once

/// The particle formats, one function per direction. Particles to write are in host memory.

#include "cancellation.hpp"

#include "floe/data/particles.hpp"

#include <array>
#include <filesystem>
#include <string_view>

namespace floe::io {

Ref<const ParticlesValue> parsePlyParticles(std::string_view bytes, const std::string& file,
                                            Cancellation& stop);
Ref<const ParticlesValue> parseBgeo(std::string_view bytes, const std::string& file,
                                    Cancellation& stop);

void writeVdbParticles(const std::filesystem::path& path, const ParticlesValue& particles);
void writePlyParticles(const std::filesystem::path& path, const ParticlesValue& particles);
void writeJsonParticles(const std::filesystem::path& path, const ParticlesValue& particles);
void writeNpzParticles(const std::filesystem::path& path, const ParticlesValue& particles);
void writeBgeo(const std::filesystem::path& path, const ParticlesValue& particles);

/// Returns the positions. @throws InputError there are none
std::span<const float> positionsOf(const ParticlesValue& particles,
                                   const std::filesystem::path& path);
/// Returns radii of spheres of the particles' volume [m]; empty without volumes or with `pscale`.
std::vector<float> radiiOf(const ParticlesValue& particles);

/// Calls `visit` with a null pointer of the attribute's element type.
template <class Visit>
decltype(auto) visitElement(Element element, Visit&& visit)
{
    switch (element) {
    case Element::float32:
        return visit(static_cast<float*>(nullptr));
    case Element::int32:
        return visit(static_cast<std::int32_t*>(nullptr));
    case Element::uint32:
        return visit(static_cast<std::uint32_t*>(nullptr));
    case Element::uint8:
        return visit(static_cast<std::uint8_t*>(nullptr));
    case Element::uint64:
        break;
    }
    return visit(static_cast<std::uint64_t*>(nullptr));
}

} // namespace floe::io
