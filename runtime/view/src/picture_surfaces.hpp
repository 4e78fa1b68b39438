#pragma once

#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"

#include <functional>

namespace floe::view {

/// Returns whether particles of a material, a record "material", are drawn as one smooth surface:
/// those of liquids, pastes and solids that hold together, by its law. What crumbles is grains.
bool hasSurface(const RecordValue& material);

/// Returns the smooth surface of the particles of one material, with velocities, of the animation's
/// seconds, where they have some; null where they do not say how large they are.
/// @param particles  with `x`, and `volume` or a field `cellSize`, in host memory
/// @param material   their attribute `material`
/// @throws CancelledError
Ref<const MeshValue> surfaceOfMaterial(const ParticlesValue& particles, std::uint32_t material,
                                       const std::function<bool()>& cancelled);

} // namespace floe::view
