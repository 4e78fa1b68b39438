#pragma once

#include "floe/data/mesh.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace floe::view {

/// How finely the surface of particles is found.
struct SurfaceDetail {
    bool any = true; ///< false: particles are drawn as spheres
    /// Edge of the cells whose particles are taken as one piece of matter first, in edges of a
    /// particle's volume. 0: all particles are taken as they are.
    double cell = 0;
};

/// Surfaces of the particles of frames, each kept as finely as it was made: what a still view or an
/// earlier pass of playback made, the next picture of that frame need not make again.
class KeptSurfaces {
public:
    struct Key {
        std::string node; ///< that the particles are of
        std::uint32_t material;
        auto operator<=>(const Key&) const = default;
    };
    /// Returns the surface of a frame, if it is as fine as `detail` or finer; else null.
    Ref<const MeshValue> find(int frame, const Key& key, const SurfaceDetail& detail) const;
    /// Keeps a surface in place of a coarser one; those of the farthest frames make room for it.
    void keep(int frame, const Key& key, const SurfaceDetail& detail, Ref<const MeshValue> mesh);
    /// Drops the surfaces of a frame whose values have changed; of all frames without an argument.
    void forget(std::optional<int> frame);

private:
    struct Kept {
        double cell = 0;
        Ref<const MeshValue> mesh;
    };
    std::map<int, std::map<Key, Kept>> frames_;
    std::uint64_t bytes_ = 0;
};

} // namespace floe::view
