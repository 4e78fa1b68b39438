#include "floe/io/smooth_surface.hpp"

#include "field_mesh.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace floe::io {

namespace {

constexpr double kVoxel = 0.62; ///< [spacings]
constexpr double kEvened = 2.5; ///< standard deviation of the low-pass filter [spacings]

double squaredLength(const std::array<double, 3>& a, const std::array<double, 3>& b)
{
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/// Quads as triangles, split along the shorter diagonal.
Ref<const MeshValue> trianglesOf(const FieldMesh& mesh)
{
    if (mesh.points.size() > std::numeric_limits<std::uint32_t>::max())
        throw InputError({}, "the mesh has more than 4294967295 points", "use larger voxels");
    compute::Array<float> points(3 * mesh.points.size()), velocities(3 * mesh.velocities.size());
    compute::Array<std::uint32_t> corners(6 * mesh.quads.size());
    for (std::size_t p = 0; p < mesh.points.size(); ++p)
        for (std::size_t k = 0; k < 3; ++k)
            points[3 * p + k] = static_cast<float>(mesh.points[p][k]);
    for (std::size_t p = 0; p < mesh.velocities.size(); ++p)
        for (std::size_t k = 0; k < 3; ++k)
            velocities[3 * p + k] = mesh.velocities[p][k];
    std::uint32_t* to = corners.data();
    for (const auto& q : mesh.quads) {
        const std::size_t turn = squaredLength(mesh.points[q[0]], mesh.points[q[2]]) <=
                                         squaredLength(mesh.points[q[1]], mesh.points[q[3]])
                                     ? 0
                                     : 1;
        for (const std::size_t corner : {0, 1, 2, 0, 2, 3})
            *to++ = q[(corner + turn) % 4];
    }
    const Ref<MeshValue> made =
        make<MeshValue>(std::move(points), std::move(corners), std::move(velocities));
    made->seal();
    return made;
}

} // namespace

Ref<const MeshValue> smoothSurface(const Matter& matter, const SmoothSettings& settings)
{
    if (matter.positions.empty())
        return trianglesOf({});
    const auto check = [&settings] {
        if (settings.cancelled && settings.cancelled())
            throw CancelledError({}, "stopped");
    };
    const double spacing = *std::ranges::min_element(matter.spacing);
    const double voxel = settings.voxelSize > 0 ? settings.voxelSize : kVoxel * spacing;
    const MatterCells cells(matter, check);
    FieldMesh mesh = [&] {
        const std::vector<Kernel> kernels = cells.kernels(check);
        return meshOf(KernelField(kernels, cells, matter, voxel, check), check);
    }();
    if (settings.even)
        even(mesh, kEvened * spacing, voxel, check);
    return trianglesOf(mesh);
}

} // namespace floe::io
