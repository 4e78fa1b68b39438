#include "curl_noise.hpp"
#include "nearest_seed.hpp"
#include "nodes.hpp"

#include "floe/sdk/level_set.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace floe::fields {

namespace {

/// 0 at a boundary, 1 at one or more, with zero slope there (Bridson et al. 2007, equation 5).
double ramp(double distance)
{
    const double r = std::clamp(distance, 0.0, 1.0);
    return r * (15 - r * r * (10 - 3 * r * r)) / 8;
}

/// Distances outside a solid, also where its level set only says "far": from the nearest voxel
/// that it knows onwards.
class SolidDistance {
public:
    /// @param lattice  of the positions that will be asked for
    SolidDistance(const sdk::Context& context, const sdk::LevelSet& solid, const Lattice& lattice)
        : lattice_(lattice), distance_(lattice.count())
    {
        std::vector<int32_t> nearest(lattice.count(), kNoSeed);
        forEachPlane(context, lattice.size[0], [&](std::size_t i) {
            const auto sampler = solid.sampler();
            std::size_t voxel = i * lattice.planeCount();
            for (std::size_t j = 0; j < lattice.size[1]; ++j)
                for (std::size_t k = 0; k < lattice.size[2]; ++k, ++voxel) {
                    distance_[voxel] = sampler.distance(lattice.at(i, j, k));
                    if (distance_[voxel] < 0.999f * solid.background())
                        nearest[voxel] = static_cast<int32_t>(voxel);
                }
        });
        const std::vector<float> known = distance_;
        findNearestSeeds(context, lattice, nearest);
        for (std::size_t voxel = 0; voxel < distance_.size(); ++voxel)
            if (nearest[voxel] == kNoSeed)
                distance_[voxel] = HUGE_VALF; // it is nowhere near this box
            else if (const auto seed = static_cast<std::size_t>(nearest[voxel]); seed != voxel)
                distance_[voxel] = known[seed] + static_cast<float>(lengthBetween(voxel, seed) *
                                                                    lattice.voxelSize);
    }
    double at(const Point& p) const
    {
        std::array<std::size_t, 3> index;
        for (std::size_t axis = 0; axis < 3; ++axis)
            index[axis] = static_cast<std::size_t>(std::llround(p[axis] / lattice_.voxelSize) -
                                                   lattice_.low[axis]);
        return static_cast<double>(distance_[lattice_.indexOf(index[0], index[1], index[2])]);
    }

private:
    double lengthBetween(std::size_t a, std::size_t b) const
    {
        const auto along = [&](std::size_t voxel) {
            return std::array<double, 3>{
                static_cast<double>(voxel / lattice_.planeCount()),
                static_cast<double>(voxel / lattice_.size[2] % lattice_.size[1]),
                static_cast<double>(voxel % lattice_.size[2])};
        };
        const auto p = along(a), q = along(b);
        return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    }

    Lattice lattice_;
    std::vector<float> distance_;
};

} // namespace

void CurlNoiseNode::cook(sdk::Context& context)
{
    CurlNoiseSettings settings;
    settings.speed = context.number("speed");
    settings.eddySize = context.number("eddySize");
    settings.octaves = static_cast<int>(context.integer("octaves"));
    settings.roughness = context.number("roughness");
    settings.rate = context.number("rate");
    settings.drift = context.vector("drift");
    settings.seed = static_cast<uint64_t>(context.integer("seed"));
    const Lattice lattice = latticeOf(context);
    const int resolved = resolvedOctaves(settings, lattice.voxelSize);
    if (resolved < settings.octaves && !std::exchange(warned_, true))
        context.warn("eddies smaller than four voxels are left out: " + std::to_string(resolved) +
                     " of " + std::to_string(settings.octaves) +
                     " sizes remain; a smaller 'voxelSize' keeps more");

    const double width = context.number("boundaryWidth");
    const bool closed = context.boolean("closed");
    const sdk::Value obstacle = context.input("obstacle");
    const sdk::LevelSet solid(obstacle ? obstacle.volume() : floe_volume{});
    if (obstacle && !solid.valid())
        throw sdk::Failure("input 'obstacle' is not a grid of distances", FLOE_WRONG_KIND);
    std::optional<SolidDistance> around;
    if (obstacle)
        around.emplace(context, solid, widened(lattice));
    const Point first = lattice.at(0, 0, 0);
    const Point last = lattice.at(lattice.size[0] - 1, lattice.size[1] - 1, lattice.size[2] - 1);
    std::function<double(const Point&)> share;
    if (closed || obstacle)
        share = [&](const Point& at) {
            double distance = 1; // to the nearest boundary, as a share of its width
            for (std::size_t axis = 0; axis < 3 && closed; ++axis)
                distance = std::min(
                    {distance, (at[axis] - first[axis]) / width, (last[axis] - at[axis]) / width});
            if (around)
                distance = std::min(distance, around->at(at) / width);
            return ramp(distance);
        };

    const double time = (context.frame() - context.raw()->range_start) / context.fps();
    std::vector<float> velocity = curlNoise(context, lattice, settings, time, share);
    context.progress(0.7);
    const Point mean = context.vector("mean");
    if (mean != Point{})
        for (std::size_t i = 0; i < velocity.size(); ++i)
            velocity[i] += static_cast<float>(mean[i % 3]);
    context.setOutput("volume", vectorVolume(context, lattice, velocity));
}

} // namespace floe::fields
