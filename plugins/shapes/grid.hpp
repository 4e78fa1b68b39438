#pragma once

#include "point.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// Level sets under construction. Only grid*.cpp include OpenVDB, to keep compile times short;
/// nodes see this header. Lengths are metres, positions in world space, unless stated otherwise.
/// Failures are sdk::Failure; functions that take a context stop when it is cancelled.
namespace floe::shapes {

/// A triangle mesh. Closed ones are oriented counter-clockwise seen from outside.
struct Surface {
    std::vector<float> points;       ///< 3 per point
    std::vector<uint32_t> triangles; ///< 3 per triangle

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

/// Minimum width of the band outside and inside [voxels]. Colliders must give normals one or two
/// solver cells below the surface: four voxels, and one more for interpolation.
inline constexpr double kOutside = 3;
inline constexpr double kInside = 6;
/// Larger grids are refused; this takes about 2 GB including the tree.
inline constexpr double kMaximumVoxels = 4e8;

/// @throws Failure `voxels` are too many; the message suggests a voxel size
/// @param exponent growth of the number with 1 / voxelSize: 2 for a band, 3 for a solid
void checkVoxelCount(double voxels, double voxelSize, double exponent = 2);

double voxelSizeOf(const Grid& grid);

/// Makes the level set of an exact signed distance function, which may be called from several
/// threads. Small shapes get exact distances throughout their inside, others in the band only.
/// @param low, high  box around the surface
GridRef gridFromDistance(const std::function<double(const Point&)>& distance, const Point& low,
                         const Point& high, double voxelSize);

/// Computes the distance to a closed surface. Parts inside other parts count as inside.
/// @param outer, inner  band width outside and inside [voxels]
GridRef gridFromSurface(const sdk::Context& context, const Surface& surface, double voxelSize,
                        double outer = kOutside, double inner = kInside);

/// Like gridFromSurface, but `isInside` decides the inside; it is called from several threads for
/// every voxel around the surface.
GridRef gridFromOpenSurface(const sdk::Context& context, const Surface& surface, double voxelSize,
                            const std::function<double(const Point&)>& windingNumber);

/// Returns the surface where the distance is `iso`.
Surface surfaceOf(const Grid& grid, double iso = 0);

/// Recomputes exact distances to the surface at `iso`, with other band widths or voxels.
GridRef rebuilt(const sdk::Context& context, const Grid& grid, double voxelSize, double iso = 0,
                double outer = kOutside, double inner = kInside);

enum class Combination { Union, Intersection, Difference };

/// @param smooth radius of the blend between the two [m]; 0: sharp
GridRef combined(const sdk::Context& context, Combination how, const Grid& a, const Grid& b,
                 double voxelSize, double smooth);

/// Adds `amount(position)` to the distances: moves the surface by that amount, at most by `reach`.
GridRef displaced(const sdk::Context& context, const Grid& grid, double reach,
                  const std::function<double(const Point&)>& amount);

/// Translates a shape without loss: only the transform of the voxels changes.
GridRef translated(const Grid& grid, const Point& offset);

/// Returns the enclosed volume of a surface [m^3].
double enclosedVolume(const Surface& surface);

/// Makes a NanoVDB volume to output.
sdk::Value volumeValue(const Grid& grid);
sdk::Value meshValue(const Surface& surface);
/// Makes a grid from a volume. @throws Failure not a signed distance field with cubic voxels
GridRef gridFromValue(const sdk::Value& volume, const char* socket);

} // namespace floe::shapes
