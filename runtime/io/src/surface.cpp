#include "floe/io/surface.hpp"

#include "openvdb_grids.hpp"

#include "floe/io/smooth_surface.hpp"

#include "floe/base/error.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/parallel_for.h>

namespace floe::io {

namespace vdb = openvdb;

namespace {

constexpr double kHalfWidth = 3;        // of the narrow band [voxels]
constexpr double kSmallestRadius = 1.5; // OpenVDB's minimum for spheres [voxels]
constexpr double kLargestRadius = 100;
constexpr double kFarthest = 5e8; // larger coordinates could overflow an int [voxels]
constexpr double kDefaultRadius = 0.1;
// Neighbouring particles are at most two radii of their volume apart; twice that radius also
// overlaps along a cell's diagonal.
constexpr double kOverlap = 2;

struct Interrupter {
    const std::function<bool()>& cancelled;
    void start(const char* = nullptr) {}
    void end() {}
    bool wasInterrupted(int = -1) const { return cancelled && cancelled(); }
};

/// The particles in the form that OpenVDB's rasteriser needs.
struct Spheres {
    using PosType = vdb::Vec3R;

    std::vector<vdb::Vec3f> centers;
    std::vector<float> radii; // one for all, or one each

    std::size_t size() const { return centers.size(); }
    void getPos(std::size_t n, vdb::Vec3R& position) const { position = centers[n]; }
    void getPosRad(std::size_t n, vdb::Vec3R& position, vdb::Real& radius) const
    {
        position = centers[n];
        radius = radii.size() == 1 ? radii[0] : radii[n];
    }
};

void require(bool condition, const char* parameter, const std::string& cause)
{
    if (!condition)
        throw InputError({.parameter = parameter}, cause);
}

void checkSettings(const SurfaceSettings& settings)
{
    require(settings.radius >= 0 && std::isfinite(settings.radius), "radius",
            "must be 0 or larger");
    require(settings.voxelSize >= 0 && std::isfinite(settings.voxelSize), "voxelSize",
            "must be 0 or larger");
    require(settings.closing >= 0 && std::isfinite(settings.closing), "closing",
            "must be 0 or larger");
    require(std::isfinite(settings.erosion), "erosion", "must be a finite number");
    require(settings.smoothingSteps >= 0 && settings.smoothingSteps <= 100, "smoothingSteps",
            "must be between 0 and 100");
}

Spheres spheresOf(std::span<const Ref<const ParticlesValue>> sets, double radius)
{
    Spheres spheres;
    for (const auto& given : sets) {
        const Ref<const ParticlesValue> set = inHostMemory(given);
        const auto positions = set->get<float>("x", 3);
        const auto volumes = set->get<float>("volume", 1);
        for (std::uint64_t i = 0; i < positions.size() / 3; ++i) {
            const vdb::Vec3f center(&positions[3 * i]);
            if (!center.isFinite())
                continue;
            spheres.centers.push_back(center);
            if (radius > 0)
                continue;
            const double own = volumes.empty()
                                   ? kDefaultRadius
                                   : kOverlap * std::cbrt(volumes[i] * 0.75 / std::numbers::pi);
            spheres.radii.push_back(static_cast<float>(own));
        }
    }
    if (radius > 0)
        spheres.radii.assign(1, static_cast<float>(radius));
    return spheres;
}

double checkedVoxelSize(const Spheres& spheres, double asked)
{
    const auto [low, high] = std::ranges::minmax_element(spheres.radii);
    require(*low > 0 && std::isfinite(*high), "radius",
            "particles have a volume that is 0 or not finite; give a radius");
    const double voxel = asked > 0 ? asked : *low / 2;
    require(*low >= kSmallestRadius * voxel, "voxelSize",
            "is too large for particles of radius " + std::to_string(*low) +
                " m; must be at most " + std::to_string(*low / kSmallestRadius));
    require(*high <= kLargestRadius * voxel, "voxelSize",
            "is too small for particles of radius " + std::to_string(*high) +
                " m; must be at least " + std::to_string(*high / kLargestRadius));
    for (const vdb::Vec3f& center : spheres.centers)
        for (int k = 0; k < 3; ++k)
            require(std::abs(center[k]) < kFarthest * voxel, "voxelSize",
                    "is too small for a particle at " + std::to_string(center[k]) + " m");
    return voxel;
}

using Filter = vdb::tools::LevelSetFilter<vdb::FloatGrid, vdb::FloatGrid, Interrupter>;

void smooth(Filter& filter, const SurfaceSettings& settings)
{
    for (int i = 0; i < settings.smoothingSteps; ++i) {
        if (settings.cancelled && settings.cancelled())
            throw CancelledError({}, "stopped");
        switch (settings.smoothing) {
        case Smoothing::none:
            return;
        case Smoothing::gaussian:
            filter.gaussian();
            break;
        case Smoothing::laplacian:
            filter.laplacian();
            break;
        case Smoothing::meanCurvature:
            filter.meanCurvature();
            break;
        }
    }
}

void fillWithBalls(vdb::FloatGrid& grid, const Spheres& spheres, const SurfaceSettings& settings)
{
    Interrupter interrupter{settings.cancelled};
    vdb::tools::ParticlesToLevelSet<vdb::FloatGrid, void, Interrupter> rasterizer(grid,
                                                                                  &interrupter);
    rasterizer.setRmin(0);
    rasterizer.setRmax(2 * kLargestRadius);
    if (spheres.radii.size() == 1)
        rasterizer.rasterizeSpheres(spheres, spheres.radii[0]);
    else
        rasterizer.rasterizeSpheres(spheres);
    rasterizer.finalize(true);
}

/// Returns the level set of the particles' smooth surface.
vdb::FloatGrid::Ptr smoothLevelSet(const Spheres& spheres, double voxel,
                                   const SurfaceSettings& settings)
{
    Matter matter;
    for (const vdb::Vec3f& center : spheres.centers)
        matter.positions.push_back({center.x(), center.y(), center.z()});
    const double perRadius = std::cbrt(4 * std::numbers::pi / 3) / kOverlap;
    for (const float radius : spheres.radii)
        matter.spacing.push_back(static_cast<float>(perRadius * radius));
    const auto mesh = smoothSurface(matter, {.voxelSize = voxel, .cancelled = settings.cancelled});
    std::vector<vdb::Vec3s> points(mesh->pointCount());
    std::vector<vdb::Vec3I> triangles(mesh->triangleCount());
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = vdb::Vec3s(&mesh->points()[3 * i]);
    for (std::size_t i = 0; i < triangles.size(); ++i)
        triangles[i] = vdb::Vec3I(&mesh->triangles()[3 * i]);
    Interrupter interrupter{settings.cancelled};
    return vdb::tools::meshToLevelSet<vdb::FloatGrid>(
        interrupter, *vdb::math::Transform::createLinearTransform(voxel), points, triangles,
        static_cast<float>(kHalfWidth));
}

} // namespace

Ref<const VolumeValue> surfaceOf(std::span<const Ref<const ParticlesValue>> particles,
                                 const SurfaceSettings& settings)
{
    startOpenVdb();
    checkSettings(settings);
    const Spheres spheres = spheresOf(particles, settings.radius);
    const double voxel = spheres.size() == 0
                             ? (settings.voxelSize > 0 ? settings.voxelSize : kDefaultRadius)
                             : checkedVoxelSize(spheres, settings.voxelSize);
    const bool smoothed = settings.kernel == SurfaceKernel::anisotropic;
    auto grid = vdb::createLevelSet<vdb::FloatGrid>(voxel, kHalfWidth);
    if (spheres.size() > 0) {
        if (smoothed)
            grid = smoothLevelSet(spheres, voxel, settings);
        else
            fillWithBalls(*grid, spheres, settings);
        Interrupter interrupter{settings.cancelled};
        if (interrupter.wasInterrupted())
            throw CancelledError({}, "stopped");
        Filter filter(*grid, &interrupter);
        if (settings.closing > 0)
            filter.offset(static_cast<float>(-settings.closing));
        if (!smoothed)
            smooth(filter, settings);
        const double shrink = settings.closing + settings.erosion;
        if (shrink != 0)
            filter.offset(static_cast<float>(shrink));
        if (interrupter.wasInterrupted())
            throw CancelledError({}, "stopped");
    }
    grid->setName("surface");
    return fromOpenVdb(grid);
}

Ref<const MeshValue> meshOf(const Ref<const VolumeValue>& volume, double isoValue,
                            double adaptivity)
{
    require(volume && !volume->info().isVector, "volume",
            "must be a level set, not a vector field");
    require(std::isfinite(isoValue), "isoValue", "must be a finite number");
    require(adaptivity >= 0 && adaptivity <= 1, "adaptivity", "must be between 0 and 1");
    const auto grid = vdb::gridPtrCast<vdb::FloatGrid>(toOpenVdb(*volume));
    std::vector<vdb::Vec3s> points;
    std::vector<vdb::Vec3I> triangles;
    std::vector<vdb::Vec4I> quads;
    vdb::tools::volumeToMesh(*grid, points, triangles, quads, isoValue, adaptivity);
    if (points.size() > std::numeric_limits<std::uint32_t>::max())
        throw InputError({}, "the mesh has more than 4294967295 points", "use larger voxels");

    // OpenVDB's polygons are clockwise seen from outside; quads are split at their first corner.
    compute::Array<float> positions(3 * points.size());
    compute::Array<std::uint32_t> corners(3 * (triangles.size() + 2 * quads.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
        for (int k = 0; k < 3; ++k)
            positions[3 * i + k] = points[i][k];
    std::uint32_t* to = corners.data();
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        *to++ = a;
        *to++ = c;
        *to++ = b;
    };
    for (const vdb::Vec3I& t : triangles)
        add(t[0], t[1], t[2]);
    for (const vdb::Vec4I& q : quads) {
        add(q[0], q[1], q[2]);
        add(q[0], q[2], q[3]);
    }
    const Ref<MeshValue> mesh = make<MeshValue>(std::move(positions), std::move(corners));
    mesh->seal();
    return mesh;
}

} // namespace floe::io
