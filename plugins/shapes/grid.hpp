#pragma once

#include "point.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// Level sets while they are worked on. OpenVDB is included by grid*.cpp only, for the sake of
/// compile times; nodes see this header. Lengths are metres, positions world space, unless said
/// otherwise. Failures are sdk::Failure; functions that take a context stop when it is cancelled.
namespace floe::shapes {

/// A triangle mesh. Closed ones are oriented counter-clockwise seen from outside.
struct Surface {
    std::vector<float> points;       ///< 3 a point
    std::vector<uint32_t> triangles; ///< 3 a triangle

    uint32_t addPoint(double x, double y, double z)
    {
        points.push_back(static_cast<float>(x));
        points.push_back(static_cast<float>(y));
        points.push_back(static_cast<float>(z));
        return static_cast<uint32_t>(pointCount() - 1);
    }
    void addTriangle(uint32_t a, uint32_t b, uint32_t c)
    {
        triangles.push_back(a);
        triangles.push_back(b);
        triangles.push_back(c);
    }
    std::size_t pointCount() const { return points.size() / 3; }
    std::size_t triangleCount() const { return triangles.size() / 3; }
};

/// An OpenVDB level set: signed distance, negative inside.
class Grid;
using GridRef = std::shared_ptr<Grid>;

/// Voxels that hold distances outside and inside of the surface, at least. A collider is asked for
/// normals a solver cell or two below its surface: four voxels, and one more to blend between.
inline constexpr double kOutside = 3;
inline constexpr double kInside = 6;
/// Refused beyond this many voxels, about 2 GB with the tree around them.
inline constexpr double kMaximumVoxels = 4e8;

/// @throws Failure about `voxels` of them are too many: says what voxel size would do
/// @param exponent how the number grows with 1 / voxelSize: 2 for a band, 3 for a solid
void checkVoxelCount(double voxels, double voxelSize, double exponent = 2);

double voxelSizeOf(const Grid& grid);

/// The level set of an exact signed distance function, which may be asked from several threads.
/// Small shapes get exact distances throughout their inside, others in the band only.
/// @param low, high  box around the surface
GridRef gridFromDistance(const std::function<double(const Point&)>& distance, const Point& low,
                         const Point& high, double voxelSize);

/// Distance to a closed surface. Parts inside of other parts count as inside.
/// @param outer, inner  band width outside and inside [voxels]
GridRef gridFromSurface(const sdk::Context& context, const Surface& surface, double voxelSize,
                        double outer = kOutside, double inner = kInside);

/// As gridFromSurface, with the inside decided by `isInside` instead of by what the surface shuts
/// in; asked from several threads for every voxel around the surface.
GridRef gridFromOpenSurface(const sdk::Context& context, const Surface& surface, double voxelSize,
                            const std::function<double(const Point&)>& windingNumber);

/// The surface where the distance is `iso`.
Surface surfaceOf(const Grid& grid, double iso = 0);

/// Exact distances again, to the surface at `iso`, in bands of other widths or voxels.
GridRef rebuilt(const sdk::Context& context, const Grid& grid, double voxelSize, double iso = 0,
                double outer = kOutside, double inner = kInside);

enum class Combination { Union, Intersection, Difference };

/// @param smooth radius over which edges between the two are blended [m]; 0: sharp
GridRef combined(const sdk::Context& context, Combination how, const Grid& a, const Grid& b,
                 double voxelSize, double smooth);

/// Adds `amount(position)` to the distances: moves the surface by as much, at most by `reach`.
GridRef displaced(const sdk::Context& context, const Grid& grid, double reach,
                  const std::function<double(const Point&)>& amount);

/// The same shape elsewhere, without loss: only the place of the voxels changes.
GridRef translated(const Grid& grid, const Point& offset);

/// Volume enclosed [m^3], from the surface.
double enclosedVolume(const Surface& surface);

/// A NanoVDB volume for the wires.
sdk::Value volumeValue(const Grid& grid);
sdk::Value meshValue(const Surface& surface);
/// @throws Failure not a signed distance field with cubic voxels
GridRef gridFromValue(const sdk::Value& volume, const char* socket);

} // namespace floe::shapes
