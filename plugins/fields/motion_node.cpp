#include "lattice.hpp"
#include "nearest_seed.hpp"
#include "nodes.hpp"

#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace floe::fields {

namespace {

using sdk::world::PointBatch;

/// The box around a collider in the world, at a frame.
struct Box {
    Point low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};

    void add(const sdk::Value& shape, const floe_transform_key& pose)
    {
        const sdk::LevelSet levelSet(shape.volume());
        if (levelSet.empty())
            return;
        const auto box = levelSet.bounds();
        for (unsigned n = 0; n < 8; ++n) {
            const Point corner =
                sdk::toWorld(pose, Point{box[n >> 2][0], box[n >> 1 & 1][1], box[n & 1][2]});
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], corner[axis]);
                high[axis] = std::max(high[axis], corner[axis]);
            }
        }
    }
    bool empty() const { return !(low[0] <= high[0]); }
};

/// What is known of every voxel inside a collider.
struct Inside {
    explicit Inside(const Lattice& lattice)
        : velocity(3 * lattice.count()), depth(lattice.count()), seed(lattice.count(), kNoSeed)
    {}
    std::vector<float> velocity; ///< 3 [m/s]
    std::vector<float> depth;    ///< below the surface [m]
    std::vector<int32_t> seed;   ///< the voxel's own number; kNoSeed outside
};

void fillInside(const sdk::Context& context, const sdk::world::Collider& collider,
                const Lattice& lattice, Inside& inside)
{
    forEachPlane(context, lattice.size[0], [&](std::size_t i) {
        const auto batch = std::make_unique<PointBatch>();
        const auto found = std::make_unique<sdk::world::ColliderSample>();
        for (std::size_t first = 0; first < lattice.planeCount(); first += PointBatch::kMax) {
            const std::size_t count =
                std::min<std::size_t>(PointBatch::kMax, lattice.planeCount() - first);
            batch->count = static_cast<int>(count);
            for (std::size_t n = 0; n < count; ++n) {
                const std::size_t at = first + n;
                const Point p = lattice.at(i, at / lattice.size[2], at % lattice.size[2]);
                if (n == 0)
                    batch->corner = {p[0], p[1], p[2]};
                for (std::size_t axis = 0; axis < 3; ++axis)
                    batch->x[axis][n] =
                        static_cast<float>(p[axis] - batch->corner[static_cast<int>(axis)]);
                batch->mass[n] = 1;
            }
            collider.sample(*batch, *found);
            for (std::size_t n = 0; n < count; ++n) {
                const std::size_t voxel = i * lattice.planeCount() + first + n;
                if (found->distance[n] > 0)
                    continue;
                inside.seed[voxel] = static_cast<int32_t>(voxel);
                inside.depth[voxel] = -found->distance[n];
                for (std::size_t axis = 0; axis < 3; ++axis)
                    inside.velocity[3 * voxel + axis] = found->v[axis][n];
            }
        }
    });
}

} // namespace

void MotionNode::cook(sdk::Context& context)
{
    const double voxelSize = context.number("voxelSize"), reach = context.number("reach");
    // The field acts from the last frame to this one: the motion in the middle between the two.
    sdk::world::FrameClock clock;
    clock.fps = context.fps();
    clock.first = context.frame() - 1;
    const double middle = 0.5 / clock.fps, instant = 1e-3 / clock.fps;

    std::vector<std::shared_ptr<sdk::world::Collider>> colliders;
    Box box;
    for (const sdk::Value& record : context.inputs("colliders")) {
        colliders.push_back(sdk::world::colliderOf(record, clock));
        colliders.back()->moveTo(middle, instant);
        const floe_transform_key pose =
            sdk::interpolate(record.require("transform").transform(), clock.frameAt(middle));
        box.add(record.require("shape"), pose);
        if (const sdk::Value next = record.field("nextShape"))
            box.add(next, pose);
    }
    if (box.empty())
        throw sdk::Failure("the colliders are empty: there is no motion", FLOE_BAD_ARGUMENT);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] -= reach;
        box.high[axis] += reach;
    }
    const Lattice lattice = latticeIn(box.low, box.high, voxelSize);
    Inside inside(lattice);
    for (const auto& collider : colliders)
        fillInside(context, *collider, lattice, inside);
    context.progress(0.4);
    std::vector<int32_t>& nearest = inside.seed;
    if (std::ranges::all_of(nearest, [](int32_t seed) { return seed == kNoSeed; }))
        throw sdk::Failure("the colliders are thinner than a voxel; make 'voxelSize' smaller",
                           FLOE_BAD_ARGUMENT);
    findNearestSeeds(context, lattice, nearest);
    context.progress(0.6);

    std::vector<float> velocity(3 * lattice.count());
    forEachPlane(context, lattice.size[0], [&](std::size_t i) {
        for (std::size_t j = 0; j < lattice.size[1]; ++j)
            for (std::size_t k = 0; k < lattice.size[2]; ++k) {
                const std::size_t voxel = lattice.indexOf(i, j, k);
                const auto seed = static_cast<std::size_t>(nearest[voxel]);
                const Point at = lattice.at(i, j, k);
                const Point from =
                    lattice.at(seed / lattice.planeCount(),
                               seed / lattice.size[2] % lattice.size[1], seed % lattice.size[2]);
                const double distance =
                    std::hypot(at[0] - from[0], at[1] - from[1], at[2] - from[2]) -
                    static_cast<double>(inside.depth[seed]);
                const double left = std::clamp(1 - distance / reach, 0.0, 1.0);
                const double share = left * left * (3 - 2 * left);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    velocity[3 * voxel + axis] =
                        static_cast<float>(share * inside.velocity[3 * seed + axis]);
            }
    });
    context.setOutput("volume", vectorVolume(context, lattice, velocity));
}

} // namespace floe::fields
