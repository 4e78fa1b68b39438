// A node in C++: a gear as a level set.
#include "gear.hpp"

#include "floe/sdk/node.hpp"

#include <nanovdb/util/GridBuilder.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace {

namespace sdk = floe::sdk;

constexpr double kBand = 3;        // voxels on either side of the surface that hold distances
constexpr double kMaxVoxels = 3e8; // to evaluate; a minute's work
constexpr double kDegree = std::numbers::pi / 180;

class GearNode final : public sdk::Node {
public:
    static constexpr const char* kType = "example.shape.gear";

    void cook(sdk::Context& context) override
    {
        Gear::Settings settings;
        settings.teeth = static_cast<int>(context.integer("teeth"));
        settings.radius = context.number("radius");
        settings.toothDepth = context.number("toothDepth");
        settings.hole = context.number("hole");
        settings.thickness = context.number("thickness");
        settings.twist = context.number("twist") * kDegree;
        context.setOutput("shape", levelSet(Gear(settings), settings, context));
    }

private:
    static sdk::Value levelSet(const Gear& gear, const Gear::Settings& settings,
                               const sdk::Context& context)
    {
        const double voxel = context.number("voxelSize");
        const sdk::Vector center = context.vector("center");
        const double across = settings.radius / voxel + kBand + 1;
        const double up = settings.thickness / 2 / voxel + kBand + 1;
        if (8 * across * across * up > kMaxVoxels)
            throw sdk::Failure("the gear would take more than 300 million voxels; "
                               "give a larger voxelSize");

        // Distances of the voxels near the surface, one slice of equal x at a time.
        struct Sample {
            nanovdb::Coord voxel;
            float distance;
        };
        const int n = static_cast<int>(across), h = static_cast<int>(up);
        const double background = kBand * voxel;
        std::vector<std::vector<Sample>> sheets(2 * static_cast<std::size_t>(n) + 1);
        std::atomic<bool> outOfMemory{false};
        context.parallelFor(sheets.size(), 1, [&](uint64_t begin, uint64_t end) {
            try {
                for (uint64_t s = begin; s < end && !context.cancelled(); ++s) {
                    const int i = static_cast<int>(s) - n;
                    for (int j = -h; j <= h; ++j)
                        for (int k = -n; k <= n; ++k) {
                            const double d = gear.distance(i * voxel, j * voxel, k * voxel);
                            if (std::abs(d) < background)
                                sheets[s].push_back({{i, j, k}, static_cast<float>(d)});
                        }
                }
            } catch (const std::bad_alloc&) {
                outOfMemory = true; // an exception must not leave a host thread
            }
        });
        context.throwIfCancelled();
        if (outOfMemory)
            throw std::bad_alloc();

        nanovdb::GridBuilder<float> builder(static_cast<float>(background));
        auto accessor = builder.getAccessor();
        for (const std::vector<Sample>& sheet : sheets)
            for (const Sample& sample : sheet)
                accessor.setValue(sample.voxel, sample.distance);
        builder.sdfToLevelSet(); // the inside beyond the band becomes -background
        const auto grid =
            builder.getHandle(voxel, nanovdb::Vec3d(center[0], center[1], center[2]), "gear");
        return sdk::makeVolume(grid.data(), grid.size());
    }
};

} // namespace

FLOE_PLUGIN("example.shapes", "1.0.0", GearNode)
