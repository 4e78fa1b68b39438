#include "grid.hpp"
#include "hollows.hpp"
#include "mesh_repair.hpp"
#include "nodes.hpp"
#include "self_intersection.hpp"
#include "winding_number.hpp"

#include "floe/sdk/io.h"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace floe::shapes {

namespace {

constexpr std::size_t kMaximumRows = 4096;
constexpr double kMaxAsked = 1e7; // voxels whose winding number is computed

/// Heights between 0 and 1 of an image, bilinear; (u, v) in [0, 1], v from the top.
class ImageHeights {
public:
    explicit ImageHeights(const floe_image& image) : image_(image) {}

    double at(double u, double v) const
    {
        const double x = std::clamp(u, 0.0, 1.0) * (image_.width - 1);
        const double y = std::clamp(v, 0.0, 1.0) * (image_.height - 1);
        const auto x0 = static_cast<uint32_t>(x), y0 = static_cast<uint32_t>(y);
        const uint32_t x1 = std::min(x0 + 1, image_.width - 1);
        const uint32_t y1 = std::min(y0 + 1, image_.height - 1);
        const double a = x - x0, b = y - y0;
        return (1 - b) * ((1 - a) * pixel(x0, y0) + a * pixel(x1, y0)) +
               b * ((1 - a) * pixel(x0, y1) + a * pixel(x1, y1));
    }

private:
    double pixel(uint32_t x, uint32_t y) const
    {
        const double value = image_.pixels[(std::size_t{y} * image_.width + x) * image_.channels];
        return std::isfinite(value) ? value : 0;
    }

    floe_image image_;
};

/// The solid between a terrain and a flat floor below it.
/// @param height above the floor at column i, row k; > 0
template <class Height>
Surface terrain(const Point& corner, double sizeX, double sizeZ, std::size_t columns,
                std::size_t rows, const Height& height)
{
    Surface surface;
    const std::size_t layer = (columns + 1) * (rows + 1);
    surface.points.reserve(6 * layer);
    for (int top = 0; top < 2; ++top)
        for (std::size_t k = 0; k <= rows; ++k)
            for (std::size_t i = 0; i <= columns; ++i) {
                const double x = corner[0] + sizeX * static_cast<double>(i) / columns;
                const double z = corner[2] + sizeZ * static_cast<double>(k) / rows;
                const double y = corner[1] + (top ? height(x, z) : 0);
                surface.addPoint(x, y, z);
            }
    const auto point = [&](bool top, std::size_t i, std::size_t k) {
        return static_cast<uint32_t>((top ? layer : 0) + k * (columns + 1) + i);
    };
    const auto quad = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        surface.addTriangle(a, b, c);
        surface.addTriangle(a, c, d);
    };
    for (std::size_t k = 0; k < rows; ++k)
        for (std::size_t i = 0; i < columns; ++i) {
            quad(point(true, i, k), point(true, i, k + 1), point(true, i + 1, k + 1),
                 point(true, i + 1, k));
            quad(point(false, i, k), point(false, i + 1, k), point(false, i + 1, k + 1),
                 point(false, i, k + 1));
        }
    for (std::size_t i = 0; i < columns; ++i) {
        quad(point(false, i, 0), point(true, i, 0), point(true, i + 1, 0), point(false, i + 1, 0));
        quad(point(false, i, rows), point(false, i + 1, rows), point(true, i + 1, rows),
             point(true, i, rows));
    }
    for (std::size_t k = 0; k < rows; ++k) {
        quad(point(false, 0, k), point(false, 0, k + 1), point(true, 0, k + 1), point(true, 0, k));
        quad(point(false, columns, k), point(true, columns, k), point(true, columns, k + 1),
             point(false, columns, k + 1));
    }
    return surface;
}

/// Scales, rotates and moves a surface by the mesh node's parameters.
void place(const sdk::Context& context, Surface& surface)
{
    Point low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::size_t i = 0; i < surface.points.size(); ++i) {
        low[i % 3] = std::min<double>(low[i % 3], surface.points[i]);
        high[i % 3] = std::max<double>(high[i % 3], surface.points[i]);
    }
    double scale = context.number("scale");
    Point origin{};
    const double fit = context.number("fit");
    if (fit > 0) {
        const double longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
        scale *= fit / longest;
        for (std::size_t axis = 0; axis < 3; ++axis)
            origin[axis] = (low[axis] + high[axis]) / 2;
    }
    const auto rotation = sdk::fromEuler(context.vector("rotation"));
    const Point center = context.vector("center");
    for (std::size_t i = 0; i < surface.points.size(); i += 3) {
        Point p;
        for (std::size_t axis = 0; axis < 3; ++axis)
            p[axis] = scale * (surface.points[i + axis] - origin[axis]);
        p = sdk::rotate(rotation, p);
        for (std::size_t axis = 0; axis < 3; ++axis)
            surface.points[i + axis] = static_cast<float>(p[axis] + center[axis]);
    }
}

double boxVolumeOf(const Surface& surface)
{
    Point low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::size_t i = 0; i < surface.points.size(); ++i) {
        low[i % 3] = std::min<double>(low[i % 3], surface.points[i]);
        high[i % 3] = std::max<double>(high[i % 3], surface.points[i]);
    }
    return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
}

double areaOf(const Surface& surface)
{
    double area = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
        std::array<Point, 3> p;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                p[i][axis] = surface.points[3 * std::size_t{surface.triangles[t + i]} + axis];
        double square = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
            const double n = (p[1][b] - p[0][b]) * (p[2][c] - p[0][c]) -
                             (p[1][c] - p[0][c]) * (p[2][b] - p[0][b]);
            square += n * n;
        }
        area += std::sqrt(square) / 2;
    }
    return area;
}

std::string counted(std::size_t count, const char* one, const char* many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace

void HeightFieldNode::cook(sdk::Context& context)
{
    const Point center = context.vector("center");
    const double sizeX = context.number("sizeX"), sizeZ = context.number("sizeZ");
    const double depth = context.number("depth");
    const double amount = context.number("height");
    const double voxelSize = context.number("voxelSize");
    const auto divisions = [&](double size) {
        return std::clamp<std::size_t>(static_cast<std::size_t>(size / voxelSize), 4, kMaximumRows);
    };
    checkVoxelCount(sizeX * sizeZ / (voxelSize * voxelSize) * 2 * (kOutside + kInside), voxelSize);

    // Heights are above `center`; the floor lies `depth` below the lowest possible height.
    const Point corner = {center[0] - sizeX / 2, 0, center[2] - sizeZ / 2};
    Surface surface;
    if (context.string("source") == "image") {
        const std::string path = context.string("image");
        if (path.empty())
            throw sdk::Failure("'image' is empty; name a PNG or EXR file", FLOE_BAD_ARGUMENT);
        const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
        floe_value* loaded = nullptr;
        sdk::Context::require(io.read_image(context.raw(), path.c_str(), 1, &loaded));
        const sdk::Value image = sdk::Value::own(loaded);
        const ImageHeights heights(image.image());
        const double floor = center[1] - depth + std::min(amount, 0.0);
        surface = terrain({corner[0], floor, corner[2]}, sizeX, sizeZ, divisions(sizeX),
                          divisions(sizeZ), [&](double x, double z) {
                              const double h =
                                  heights.at((x - corner[0]) / sizeX, (z - corner[2]) / sizeZ);
                              return center[1] - floor + amount * std::clamp(h, -1.0, 1.0);
                          });
    } else {
        const double wavelength = context.number("wavelength");
        const double roughness = context.number("roughness");
        const int octaves = static_cast<int>(context.integer("octaves"));
        const auto seed = static_cast<uint64_t>(context.integer("seed"));
        const double floor = center[1] - depth - std::fabs(amount);
        surface = terrain({corner[0], floor, corner[2]}, sizeX, sizeZ, divisions(sizeX),
                          divisions(sizeZ), [&](double x, double z) {
                              const double h = sdk::fractalNoise(
                                  x / wavelength, 0.37, z / wavelength, seed, octaves, roughness);
                              return center[1] - floor + amount * std::clamp(h, -1.0, 1.0);
                          });
    }
    context.throwIfCancelled();
    context.setOutput("shape", volumeValue(*gridFromSurface(context, surface, voxelSize)));
    context.setOutput("mesh", meshValue(surface));
}

void MeshNode::cook(sdk::Context& context)
{
    sdk::Value given = context.input("mesh");
    if (!given) {
        const std::string path = context.string("path");
        if (path.empty())
            throw sdk::Failure("'path' is empty and nothing is linked to 'mesh'; name an OBJ, PLY "
                               "or STL file",
                               FLOE_BAD_ARGUMENT);
        const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
        floe_value* loaded = nullptr;
        sdk::Context::require(io.read_mesh(context.raw(), path.c_str(), &loaded));
        given = sdk::Value::own(loaded);
    }
    const double voxelSize = context.number("voxelSize");
    MeshFaults faults;
    Surface surface = closedSurface(given.mesh(), faults);
    place(context, surface);
    if (faults.holes > 0)
        context.warn("the mesh has " + counted(faults.holes, "hole", "holes") +
                     ", closed with flat patches");
    if (faults.branches > 0)
        context.warn("more than two triangles of the mesh meet at " +
                     counted(faults.branches, "edge", "edges") +
                     "; whatever the surface shuts in is filled");
    if (intersectsItself(surface, surface.triangleCount() - faults.patches))
        context.warn("parts of the mesh cut through each other; everything that they enclose is "
                     "filled");
    context.progress(0.2);
    context.throwIfCancelled();

    GridRef grid;
    for (const Layer& layer : layersOf(surface)) {
        GridRef next = gridFromSurface(context, layer.surface, voxelSize);
        grid = !grid
                   ? next
                   : combined(context, layer.hollow ? Combination::Difference : Combination::Union,
                              *grid, *next, voxelSize, 0);
    }
    context.progress(0.7);
    context.throwIfCancelled();
    Surface result = surfaceOf(*grid);
    double filled = enclosedVolume(result);
    const double expected = std::fabs(enclosedVolume(surface));
    const bool leaks = filled < 0.5 * expected;
    if (leaks) {
        // The triangles do not enclose a volume: gaps between unconnected pieces.
        const bool flipped = enclosedVolume(surface) < 0;
        const WindingNumber winding(surface);
        // Every voxel of the box is evaluated, so their number is limited.
        const double coarse = std::max(voxelSize, std::cbrt(boxVolumeOf(surface) / kMaxAsked));
        GridRef better = gridFromOpenSurface(context, surface, coarse, [&](const Point& p) {
            return flipped ? -winding.at(p) : winding.at(p);
        });
        Surface betterSurface = surfaceOf(*better);
        if (enclosedVolume(betterSurface) > filled) {
            grid = coarse > voxelSize ? rebuilt(context, *better, voxelSize) : better;
            result = std::move(betterSurface);
            filled = enclosedVolume(result);
            context.warn("the mesh is not closed; its inside was guessed from the way its "
                         "triangles face");
        }
    }
    if (!(filled > 0.05 * areaOf(surface) * voxelSize)) // a plate a tenth of a voxel thick
        throw sdk::Failure("the mesh encloses nothing at this voxelSize; it may be open or thinner "
                           "than 2 voxels",
                           FLOE_BAD_ARGUMENT);
    context.setOutput("shape", volumeValue(*grid));
    context.setOutput("mesh", leaks ? meshValue(result) : meshValue(surface));
}

} // namespace floe::shapes
