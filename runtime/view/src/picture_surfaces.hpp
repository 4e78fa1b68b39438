#pragma once

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/render/scene.hpp"
#include "floe/view/kept_surfaces.hpp"

#include <functional>
#include <optional>

namespace floe::view {

/// Returns whether particles of a material, a record "material", are drawn as one smooth surface:
/// those of liquids, pastes and solids that hold together, by its law. What crumbles is grains.
bool hasSurface(const RecordValue& material);

/// How many edges of its own volume the edge of a particle's matter has: 1 unless the set is
/// thinned out, see kThinning.
double strideOf(const ParticlesValue& particles);

/// Returns the smooth surface of the particles of one material, with velocities, of the animation's
/// seconds, where they have some and are not merged; null where they do not say how large they are.
/// @param particles  with `x`, and `volume` or a field `cellSize`, in host memory
/// @param material   their attribute `material`
/// @param cut        particles that it takes away are left out: the surface is closed there
/// @throws CancelledError
Ref<const MeshValue> surfaceOfMaterial(const ParticlesValue& particles, std::uint32_t material,
                                       const std::optional<render::Cut>& cut,
                                       const SurfaceDetail& detail,
                                       const std::function<bool()>& cancelled);

} // namespace floe::view
