#include "rest_body.hpp"

#include "fracture.hpp"
#include "merging.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

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

// Of a region's edge, in diameters of its particles. Neighbours are a diameter apart: in regions
// smaller than that nothing would tie them.
constexpr float kRegionWidth = 1.5f;

/// What voxels may be merged to where a body has regions.
int largestLevel(const VoxelSet& voxels, int regions)
{
    if (regions < 2)
        return 30;
    const auto [nx, ny, nz] = voxels.size();
    const int longest = std::max({nx, ny, nz}) - 2 * kPadding - 3; // layers that may be empty
    int level = 0;
    while (kRegionWidth * static_cast<float>((2 << level) * regions) <= static_cast<float>(longest))
        ++level;
    return level;
}

/// Particles of voxels, in the mesh's space.
std::vector<RestParticle> particlesOf(const VoxelSet& voxels, const VoxelGrid& grid,
                                      const DistanceField& field, const BodySettings& settings,
                                      sdk::parallel::Executor& executor)
{
    std::vector<RestParticle> particles;
    for (const MergedVoxel& cube :
         mergeVoxels(voxels, field, static_cast<float>(settings.mergeThreshold), executor,
                     largestLevel(voxels, settings.regions))) {
        const double size = grid.edge * (1 << cube.level);
        RestParticle particle{};
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            particle.offset[axis] = static_cast<float>(grid.origin[a] + size * (cube.at[a] + 0.5));
        }
        particle.radius = static_cast<float>(0.5 * size);
        particle.mass = static_cast<float>(settings.density * size * size * size);
        particle.distance = static_cast<float>(grid.edge * cube.distance);
        particle.gradient = cube.gradient;
        particle.boundary = cube.boundary;
        particles.push_back(particle);
    }
    return particles;
}

/// Hats on a lattice: a particle belongs to the eight nodes around it, the more the nearer they are
/// (in the manner of Rivers and James 2007).
void divideIntoRegions(RestBody& body, int along)
{
    Vec3f low = body.particles.front().offset, high = low;
    float largest = 0;
    for (const RestParticle& particle : body.particles) {
        largest = std::max(largest, 2 * particle.radius);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], particle.offset[axis]);
            high[axis] = std::max(high[axis], particle.offset[axis]);
        }
    }
    const Vec3f size = high - low;
    const float spacing = std::max({size.x, size.y, size.z}) / static_cast<float>(along);
    if (spacing < kRegionWidth * largest)
        throw std::invalid_argument("its " + std::to_string(along) +
                                    " regions along its longest side are smaller than one and a "
                                    "half voxels; choose fewer regions or smaller voxels");
    const float inverse = 1 / spacing;
    std::map<std::array<int, 3>, std::uint32_t> numbers;
    body.regionsOf.resize(body.particles.size());
    body.regionShare.resize(body.particles.size());
    for (std::uint32_t i = 0; i < body.particles.size(); ++i) {
        const RestParticle& particle = body.particles[i];
        std::array<int, 3> cell;
        float part[3];
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            const float at = inverse * (particle.offset[axis] - low[axis]);
            cell[a] = static_cast<int>(at);
            part[a] = at - static_cast<float>(cell[a]);
        }
        body.regionsOf[i].fill(0);
        body.regionShare[i].fill(0);
        for (std::size_t k = 0; k < RestBody::kRegionsOfParticle; ++k) {
            float share = 1;
            std::array<int, 3> node = cell;
            for (std::size_t a = 0; a < 3; ++a) {
                const bool next = k >> a & 1;
                share *= next ? part[a] : 1 - part[a];
                node[a] += next;
            }
            if (share <= 0)
                continue;
            const auto [found, added] =
                numbers.insert({node, static_cast<std::uint32_t>(body.regions.size())});
            if (added)
                body.regions.push_back({{}, {0, 0, 0}, 0});
            Region& region = body.regions[found->second];
            const float mass = share * particle.mass;
            region.members.push_back({i, mass});
            region.mass += double{mass};
            region.center =
                region.center +
                double{mass} * Vec3d{particle.offset.x, particle.offset.y, particle.offset.z};
            body.regionsOf[i][k] = found->second;
            body.regionShare[i][k] = share;
        }
    }
    for (Region& region : body.regions)
        region.center = (1 / region.mass) * region.center;
}

/// What a piece's particle is in the whole: distance and gradient as merging would have them there.
void placeInWhole(RestParticle& particle, const VoxelSet& voxels, const VoxelGrid& grid,
                  const DistanceField& field)
{
    int low[3];
    const auto width = static_cast<int>(std::lround(2 * double{particle.radius} / grid.edge));
    for (int axis = 0; axis < 3; ++axis)
        low[axis] =
            static_cast<int>(std::lround((double{particle.offset[axis]} - double{particle.radius} -
                                          grid.origin[static_cast<std::size_t>(axis)]) /
                                         grid.edge));
    std::size_t outermost = voxels.number(low[0], low[1], low[2]);
    for (int z = low[2]; z < low[2] + width; ++z)
        for (int y = low[1]; y < low[1] + width; ++y)
            for (int x = low[0]; x < low[0] + width; ++x)
                if (const std::size_t i = voxels.number(x, y, z);
                    field.distance[i] > field.distance[outermost])
                    outermost = i;
    double inwards = 0;
    for (int size = 2; size <= width; size *= 2)
        inwards += std::sqrt(3.0) * 0.25 * size;
    particle.distance = static_cast<float>(grid.edge * (field.distance[outermost] - inwards));
    particle.gradient = field.gradient[outermost];
    particle.boundary = width == 1 && touchesEmpty(voxels, low[0], low[1], low[2]);
}

/// What is left to do once particles are known. They and the mesh are in the mesh's space.
RestBody finished(std::vector<RestParticle> particles, double edge)
{
    RestBody body{};
    body.boundaryRadius = static_cast<float>(0.5 * edge);
    body.particles = std::move(particles);
    weigh(body);
    for (const RestParticle& particle : body.particles)
        body.reach =
            std::max(body.reach, physics::length(particle.offset) + 1.75f * particle.radius);
    return body;
}

/// A body of voxels and the pieces that it breaks into, without its mesh.
/// @param out  its particles in the mesh's space
RestBody bodyOf(const VoxelSet& voxels, const VoxelGrid& grid, const Surface& mesh,
                const BodySettings& settings, sdk::parallel::Executor& executor,
                std::vector<RestParticle>& out)
{
    const DistanceField field = signedDistances(voxels, executor);
    const std::size_t most = voxels.count() / kVoxelsOfPiece;
    const int pieces =
        static_cast<int>(std::min(most, static_cast<std::size_t>(std::max(settings.pieces, 0))));
    if (!settings.parts && (pieces < 2 || settings.generations < 1)) {
        out = particlesOf(voxels, grid, field, settings, executor);
        return finished(out, grid.edge);
    }
    struct Piece {
        RestBody body;
        std::vector<RestParticle> particles;
    };
    std::vector<Piece> parts;
    const std::vector<Cell> cells =
        settings.parts ? partsOf(voxels, grid, *settings.parts, executor)
                       : voronoiCells(voxels, grid, mesh, pieces, settings.seed, executor);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Cell& cell = cells[k];
        BodySettings own = settings;
        own.generations = settings.parts ? 0 : settings.generations - 1;
        own.parts = nullptr;
        own.seed = sdk::hashPoint(settings.seed, static_cast<std::int64_t>(k), 0, 0);
        Piece piece;
        piece.body = bodyOf(cell.voxels, cell.grid, cell.mesh, own, executor, piece.particles);
        for (const Vec3d& x : cell.mesh.points) {
            const Vec3d q = x - piece.body.center;
            piece.body.meshPoints.push_back(
                {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)});
        }
        piece.body.triangles = cell.mesh.corners;
        parts.push_back(std::move(piece));
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Piece& l, const Piece& r) { return l.body.mass > r.body.mass; });
    out.clear();
    for (const Piece& piece : parts)
        out.insert(out.end(), piece.particles.begin(), piece.particles.end());
    for (RestParticle& particle : out)
        placeInWhole(particle, voxels, grid, field);
    RestBody body = finished(out, grid.edge);
    for (Piece& piece : parts)
        body.pieces.push_back(std::make_shared<const RestBody>(std::move(piece.body)));
    return body;
}

} // namespace

RestBody makeRestBody(const Triangles& mesh, const BodySettings& settings,
                      sdk::parallel::Executor& executor)
{
    const VoxelGrid grid = placeGrid(mesh, settings.voxel, kPadding);
    const VoxelSet voxels = voxelise(mesh, grid, executor);
    const std::size_t count = voxels.count();
    if (count == 0)
        throw std::invalid_argument(
            "no voxel has its centre inside a body's mesh; choose smaller voxels");
    const bool breaks = settings.pieces > 1 && !settings.parts;
    if (breaks && count / kVoxelsOfPiece < static_cast<std::size_t>(settings.pieces))
        throw std::invalid_argument(
            "it has " + std::to_string(count) + " voxels and cannot break into " +
            std::to_string(settings.pieces) + " pieces, which take " +
            std::to_string(kVoxelsOfPiece) + " each; choose smaller voxels or fewer pieces");
    std::vector<RestParticle> particles;
    RestBody body =
        bodyOf(voxels, grid, breaks ? welded(mesh) : Surface{}, settings, executor, particles);
    for (std::size_t i = 0; i + 2 < mesh.points.size(); i += 3) {
        body.meshPoints.push_back({static_cast<float>(mesh.points[i] - body.center.x),
                                   static_cast<float>(mesh.points[i + 1] - body.center.y),
                                   static_cast<float>(mesh.points[i + 2] - body.center.z)});
    }
    body.triangles.assign(mesh.corners.begin(), mesh.corners.end());
    if (settings.skinned)
        bindSkin(body, executor);
    if (settings.regions > 1)
        divideIntoRegions(body, settings.regions);
    return body;
}

} // namespace floe::pbd
