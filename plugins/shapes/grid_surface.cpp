#include "grid_openvdb.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>
#pragma GCC diagnostic pop

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace floe::shapes {

namespace {

struct VdbMesh {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
};

/// Tells OpenVDB whether the run is being stopped.
class CancelledBy final : public openvdb::util::NullInterrupter {
public:
    explicit CancelledBy(const sdk::Context& context) : context_(context) {}
    bool wasInterrupted(int) override { return context_.cancelled(); }

private:
    const sdk::Context& context_;
};

/// Converts to OpenVDB's types, after checking that the grid fits into memory.
VdbMesh vdbMesh(const Surface& surface, double voxelSize, double width)
{
    VdbMesh mesh;
    mesh.points.reserve(surface.pointCount());
    for (std::size_t i = 0; i < surface.points.size(); i += 3)
        mesh.points.emplace_back(surface.points[i], surface.points[i + 1], surface.points[i + 2]);
    mesh.triangles.reserve(surface.triangleCount());
    // Voxels of the band: those near the area, plus those along edges for slivers without area.
    double voxels = 0;
    for (std::size_t i = 0; i < surface.triangles.size(); i += 3) {
        const openvdb::Vec3I t(surface.triangles[i], surface.triangles[i + 1],
                               surface.triangles[i + 2]);
        const openvdb::Vec3d a = mesh.points[t[0]], b = mesh.points[t[1]], c = mesh.points[t[2]];
        const double area = 0.5 * (b - a).cross(c - a).length();
        const double edge = std::max({(b - a).length(), (c - a).length(), (c - b).length()});
        voxels += area / (voxelSize * voxelSize) * width;
        if (edge > voxelSize)
            voxels += edge / voxelSize * width;
        mesh.triangles.push_back(t);
    }
    checkVoxelCount(voxels, voxelSize);
    for (const auto& point : mesh.points)
        for (int axis = 0; axis < 3; ++axis)
            if (!(std::fabs(point[axis]) / voxelSize < 1e9))
                throw sdk::Failure("the shape reaches more than 1e9 voxels from the origin; move "
                                   "it closer or give a larger voxelSize",
                                   FLOE_BAD_ARGUMENT);
    return mesh;
}

} // namespace

GridRef gridFromSurface(const sdk::Context& context, const Surface& surface, double voxelSize,
                        double outer, double inner)
{
    const VdbMesh mesh = vdbMesh(surface, voxelSize, outer + inner);
    CancelledBy cancelled(context);
    openvdb::util::NullInterrupter& interrupter = cancelled; // the type that OpenVDB is built for
    auto grid = openvdb::tools::meshToSignedDistanceField<openvdb::FloatGrid>(
        interrupter, *latticeOf(voxelSize), mesh.points, mesh.triangles, {},
        static_cast<float>(outer), static_cast<float>(inner));
    context.throwIfCancelled();
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    return std::make_shared<Grid>(grid);
}

GridRef gridFromOpenSurface(const sdk::Context& context, const Surface& surface, double voxelSize,
                            const std::function<double(const Point&)>& windingNumber)
{
    const VdbMesh mesh = vdbMesh(surface, voxelSize, kOutside + kInside);
    const auto transform = latticeOf(voxelSize);
    auto grid = openvdb::tools::meshToUnsignedDistanceField<openvdb::FloatGrid>(
        *transform, mesh.points, mesh.triangles, {}, static_cast<float>(kOutside));

    // Inside is where the winding number is at least one half, also across holes (Jacobson et al.
    // 2013), so every voxel of the box is evaluated.
    auto box = grid->evalActiveVoxelBoundingBox();
    checkVoxelCount(static_cast<double>(box.volume()), voxelSize, 3);
    const float background = grid->background();
    openvdb::FloatGrid signedGrid(background);
    const auto first = box.min();
    const auto size = box.dim();
    const auto rowCount = static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]);
    std::vector<float> values(rowCount * static_cast<std::size_t>(size[2]));
    tbb::parallel_for(std::size_t{0}, rowCount, [&](std::size_t row) {
        context.throwIfCancelled();
        const auto distances = grid->getConstAccessor();
        const auto x = first[0] + static_cast<int>(row / static_cast<std::size_t>(size[1]));
        const auto y = first[1] + static_cast<int>(row % static_cast<std::size_t>(size[1]));
        for (int z = 0; z < size[2]; ++z) {
            const openvdb::Coord at(x, y, first[2] + z);
            const double winding =
                windingNumber({at.x() * voxelSize, at.y() * voxelSize, at.z() * voxelSize});
            const float distance = distances.getValue(at);
            // Far from triangles the field changes sign across holes, smoothly.
            const float gap = static_cast<float>(std::clamp(2 - 4 * winding, -1.0, 1.0));
            values[row * static_cast<std::size_t>(size[2]) + static_cast<std::size_t>(z)] =
                distance < background ? (winding > 0.5 ? -distance : distance) : gap * background;
        }
    });
    auto accessor = signedGrid.getAccessor();
    std::size_t n = 0;
    for (int x = 0; x < size[0]; ++x)
        for (int y = 0; y < size[1]; ++y)
            for (int z = 0; z < size[2]; ++z)
                accessor.setValueOn(first + openvdb::Coord(x, y, z), values[n++]);
    signedGrid.setTransform(transform);
    return rebuilt(context, Grid(openvdb::FloatGrid::Ptr(new openvdb::FloatGrid(signedGrid))),
                   voxelSize);
}

Surface surfaceOf(const Grid& grid, double iso)
{
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(*grid.vdb, points, triangles, quads, iso);
    if (points.size() > 0xffffffffu / 4)
        throw sdk::Failure("the surface has too many points; use larger voxels",
                           FLOE_OUT_OF_MEMORY);

    Surface surface;
    surface.points.reserve(points.size() * 3);
    for (const auto& point : points)
        surface.addPoint(point[0], point[1], point[2]);
    surface.triangles.reserve(triangles.size() * 3 + quads.size() * 6);
    // OpenVDB winds clockwise seen from outside.
    for (const auto& t : triangles)
        surface.addTriangle(t[0], t[2], t[1]);
    for (const auto& q : quads) {
        surface.addTriangle(q[0], q[2], q[1]);
        surface.addTriangle(q[0], q[3], q[2]);
    }
    return surface;
}

GridRef rebuilt(const sdk::Context& context, const Grid& grid, double voxelSize, double iso,
                double outer, double inner)
{
    return gridFromSurface(context, surfaceOf(grid, iso), voxelSize, outer, inner);
}

double enclosedVolume(const Surface& surface)
{
    double volume = 0;
    const auto point = [&](uint32_t i) {
        return openvdb::Vec3d(surface.points[3 * i], surface.points[3 * i + 1],
                              surface.points[3 * i + 2]);
    };
    if (surface.points.empty())
        return 0;
    const openvdb::Vec3d origin = point(0); // near the mesh, for precision
    for (std::size_t i = 0; i < surface.triangles.size(); i += 3)
        volume += (point(surface.triangles[i]) - origin)
                      .dot((point(surface.triangles[i + 1]) - origin)
                               .cross(point(surface.triangles[i + 2]) - origin));
    return volume / 6;
}

} // namespace floe::shapes
