#include "floe/view/motion_detail.hpp"

#include <algorithm>
#include <array>

namespace floe::view {

namespace {

constexpr double kTooSlow = 90; // a picture [ms]
constexpr double kQuick = 35;   // [ms]: twice as long is still acceptable
constexpr int kSlowOnes = 2;    // consecutive ones: a single one may wait for the disk or a driver
constexpr int kQuickOnes = 5;   // more of them than this: better ones are tried
constexpr int kShadowsUpTo = 3; // step of drawing
constexpr double kSlowToMake = 45;  // surfaces [ms]: with a picture's 35, 12 pictures a second
constexpr double kQuickToMake = 12; // [ms]: the next finer ones take two to three times as long
constexpr int kSpheresAWhile = 200; // pictures until surfaces are tried again

/// Edges of cells [spacings] by step; in the last one there are no surfaces.
constexpr std::array<double, MotionDetail::kLastSurfaces> kCells = {0, 1.6, 2.2, 3.2};

} // namespace

int MotionDetail::reduction() const
{
    return std::min(drawing_, kLastDrawing - 1);
}

bool MotionDetail::shadows() const
{
    return drawing_ <= kShadowsUpTo;
}

bool MotionDetail::clear() const
{
    return drawing_ < kLastDrawing;
}

SurfaceDetail MotionDetail::surfaces() const
{
    return surfaces_ < kLastSurfaces
               ? SurfaceDetail{.cell = kCells[static_cast<std::size_t>(surfaces_)]}
               : SurfaceDetail{.any = false};
}

void MotionDetail::drew(double milliseconds)
{
    quickPictures_ = milliseconds < kQuick ? quickPictures_ + 1 : 0;
    slowPictures_ = milliseconds > kTooSlow ? slowPictures_ + 1 : 0;
    if (slowPictures_ >= kSlowOnes) {
        slowPictures_ = 0;
        drawing_ = std::min(drawing_ + (milliseconds > 3 * kTooSlow ? 2 : 1), kLastDrawing);
    } else if (quickPictures_ > kQuickOnes && drawing_ > 0) {
        --drawing_;
        quickPictures_ = 0;
    }
}

void MotionDetail::madeSurfaces(double milliseconds, std::uint64_t particles)
{
    quickSurfaces_ = milliseconds < kQuickToMake ? quickSurfaces_ + 1 : 0;
    slowSurfaces_ = milliseconds > kSlowToMake ? slowSurfaces_ + 1 : 0;
    if (slowSurfaces_ >= kSlowOnes) {
        slowSurfaces_ = 0;
        surfaces_ = std::min(surfaces_ + 1, kLastSurfaces);
        tooMany_ = particles;
        spheres_ = 0;
    } else if (quickSurfaces_ > kQuickOnes && surfaces_ > 0) {
        --surfaces_;
        quickSurfaces_ = 0;
    }
}

void MotionDetail::madeSpheres(std::uint64_t particles)
{
    if (surfaces_ < kLastSurfaces)
        return;
    if (particles < tooMany_ / 2 || ++spheres_ > kSpheresAWhile)
        surfaces_ = kLastSurfaces - 1;
}

} // namespace floe::view
