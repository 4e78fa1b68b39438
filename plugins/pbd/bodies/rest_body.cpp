#include "rest_body.hpp"

#include "merging.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

constexpr int kPadding = 2; // what the published counts of merging imply

/// Mass, centre and inertia of the cubes; moves the offsets to the centre.
void weigh(RestBody& body)
{
    body.mass = 0;
    body.center = {0, 0, 0};
    std::vector<Vec3d> at;
    for (const RestParticle& particle : body.particles) {
        at.push_back({particle.offset.x, particle.offset.y, particle.offset.z});
        body.mass += particle.mass;
        body.center = body.center + double{particle.mass} * at.back();
    }
    body.center = (1 / body.mass) * body.center;
    body.inertia = {};
    for (std::size_t i = 0; i < at.size(); ++i) {
        RestParticle& particle = body.particles[i];
        const Vec3d q = at[i] - body.center;
        particle.offset = {static_cast<float>(q.x), static_cast<float>(q.y),
                           static_cast<float>(q.z)};
        const double m = particle.mass, own = m * 4 * particle.radius * particle.radius / 6;
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                body.inertia[row][column] +=
                    (row == column ? m * physics::dot(q, q) + own : 0) - m * q[row] * q[column];
    }
}

/// Nearest particles by trying all: meshes of bodies are small, and this happens once.
void bindSkin(RestBody& body, sdk::parallel::Executor& executor)
{
    constexpr int kNearest = RestBody::kSkinParticles;
    body.skin.resize(body.meshPoints.size());
    body.skinShare.resize(body.meshPoints.size());
    executor.parallelFor(body.meshPoints.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            std::array<float, kNearest> square;
            square.fill(INFINITY);
            auto& nearest = body.skin[p];
            nearest.fill(0);
            for (std::size_t i = 0; i < body.particles.size(); ++i) {
                const Vec3f d = body.particles[i].offset - body.meshPoints[p];
                const float s = physics::dot(d, d);
                int slot = kNearest;
                for (; slot > 0 && s < square[static_cast<std::size_t>(slot - 1)]; --slot)
                    if (slot < kNearest) {
                        square[static_cast<std::size_t>(slot)] =
                            square[static_cast<std::size_t>(slot - 1)];
                        nearest[static_cast<std::size_t>(slot)] =
                            nearest[static_cast<std::size_t>(slot - 1)];
                    }
                if (slot < kNearest) {
                    square[static_cast<std::size_t>(slot)] = s;
                    nearest[static_cast<std::size_t>(slot)] = static_cast<std::uint32_t>(i);
                }
            }
            float sum = 0;
            const float least = body.boundaryRadius * body.boundaryRadius * 1e-4f;
            for (std::size_t k = 0; k < kNearest; ++k)
                sum += body.skinShare[p][k] = 1 / std::max(square[k], least);
            for (float& share : body.skinShare[p])
                share /= sum;
        }
    });
}

} // namespace

RestBody makeRestBody(const Triangles& mesh, const BodySettings& settings,
                      sdk::parallel::Executor& executor)
{
    const VoxelGrid grid = placeGrid(mesh, settings.voxel, kPadding);
    const VoxelSet voxels = voxelise(mesh, grid, executor);
    if (voxels.count() == 0)
        throw std::invalid_argument(
            "no voxel has its centre inside a body's mesh; choose smaller voxels");
    const DistanceField field = signedDistances(voxels, executor);
    const double edge = grid.edge;
    RestBody body{};
    body.boundaryRadius = static_cast<float>(0.5 * edge);
    for (const MergedVoxel& cube :
         mergeVoxels(voxels, field, static_cast<float>(settings.mergeThreshold))) {
        const double size = edge * (1 << cube.level);
        RestParticle particle{};
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            particle.offset[axis] = static_cast<float>(grid.origin[a] + size * (cube.at[a] + 0.5));
        }
        particle.radius = static_cast<float>(0.5 * size);
        particle.mass = static_cast<float>(settings.density * size * size * size);
        particle.distance = static_cast<float>(edge * cube.distance);
        particle.gradient = cube.gradient;
        particle.boundary = cube.boundary;
        body.particles.push_back(particle);
    }
    weigh(body);
    for (const RestParticle& particle : body.particles)
        body.reach =
            std::max(body.reach, physics::length(particle.offset) + 1.75f * particle.radius);
    for (std::size_t i = 0; i + 2 < mesh.points.size(); i += 3) {
        body.meshPoints.push_back({static_cast<float>(mesh.points[i] - body.center.x),
                                   static_cast<float>(mesh.points[i + 1] - body.center.y),
                                   static_cast<float>(mesh.points[i + 2] - body.center.z)});
    }
    body.triangles.assign(mesh.corners.begin(), mesh.corners.end());
    if (settings.skinned)
        bindSkin(body, executor);
    return body;
}

} // namespace floe::pbd
