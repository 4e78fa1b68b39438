#include "surface_velocity.hpp"

#include "floe/sdk/level_set.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/NodeManager.h>
#pragma GCC diagnostic pop

#include <cmath>

namespace floe::colliders {

sdk::Value surfaceVelocity(const sdk::Value& from, const sdk::Value& to, double fps)
{
    const sdk::LevelSet before(from.volume()), after(to.volume());
    const auto beforeAt = before.sampler(), afterAt = after.sampler();
    const float beforeLimit = 0.999f * before.background(),
                afterLimit = 0.999f * after.background();

    nanovdb::GridBuilder<nanovdb::Vec3f> builder(nanovdb::Vec3f(0));
    auto target = builder.getAccessor();
    const auto nodes = nanovdb::createNodeManager(after.grid());
    const auto* manager = nodes.mgr<float>();
    for (uint32_t n = 0; n < manager->nodeCount(0); ++n) {
        const auto& leaf = manager->leaf(n);
        for (uint32_t voxel = 0; voxel < 512; ++voxel) {
            if (!leaf.isActive(voxel))
                continue;
            const auto at = leaf.offsetToGlobalCoord(voxel);
            const auto place = after.grid().indexToWorld(nanovdb::Vec3d(at[0], at[1], at[2]));
            const std::array<double, 3> world = {place[0], place[1], place[2]};
            const float phi0 = beforeAt.distance(world), phi1 = leaf.getValue(voxel);
            if (std::fabs(phi0) > beforeLimit || std::fabs(phi1) > afterLimit)
                continue;
            const auto normal = afterAt.gradient(world);
            const double square =
                normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
            if (square < 1e-6)
                continue;
            const double speed = -(phi1 - phi0) * fps / square;
            target.setValue(at, nanovdb::Vec3f(static_cast<float>(speed * normal[0]),
                                               static_cast<float>(speed * normal[1]),
                                               static_cast<float>(speed * normal[2])));
        }
    }
    const auto handle = builder.getHandle(after.grid().map(), "velocity");
    return sdk::makeVolume(handle.data(), handle.size());
}

} // namespace floe::colliders
