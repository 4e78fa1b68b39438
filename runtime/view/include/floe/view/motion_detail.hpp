#pragma once

#include "floe/view/kept_surfaces.hpp"

#include <cstdint>

namespace floe::view {

/// How much of a view's quality its pictures keep in motion: what this machine drew quickly enough
/// in the last pictures. Everything becomes coarser, step by step, before anything is left out:
/// surfaces are given up for spheres, and clear matter for opaque, in the last step only.
class MotionDetail {
public:
    static constexpr int kLastDrawing = 6; ///< the steps of drawing are 0, the finest, to this
    static constexpr int kLastSurfaces = 4;

    explicit MotionDetail(int drawing = 0) : drawing_(drawing) {}

    /// The particles and the pixels are 1 / 2^reduction() of the most.
    int reduction() const;
    bool shadows() const;
    bool clear() const; ///< clear matter is drawn clear
    SurfaceDetail surfaces() const;

    /// Takes notice of how long a picture of a prepared scene took [ms].
    void drew(double milliseconds);
    /// Takes notice of how long its surfaces took to be made [ms], where they were.
    /// @param particles  of the scene
    void madeSurfaces(double milliseconds, std::uint64_t particles);
    /// Takes notice of a scene without surfaces: of many fewer particles than were too many, or
    /// after a while, they are tried again.
    void madeSpheres(std::uint64_t particles);

private:
    int drawing_, surfaces_ = 1;
    int quickPictures_ = 0, slowPictures_ = 0, quickSurfaces_ = 0, slowSurfaces_ = 0,
        spheres_ = 0;           ///< consecutive ones
    std::uint64_t tooMany_ = 0; ///< particles whose coarsest surfaces took too long
};

} // namespace floe::view
