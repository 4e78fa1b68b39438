#include "blocks_in_band.hpp"

#include <cmath>
#include <cstdio>

namespace floe::shapes {

namespace {

// Levels of OpenVDB's default tree, from leaves to the root's children [voxels along an edge].
constexpr std::array<int, 3> kBlockEdge = {8, 128, 4096};
// Up to this many leaves, the whole inside stores distances (16 MB).
constexpr std::size_t kFullInsideLeaves = 8192;

/// Finds the blocks of the tree that overlap the band, from the largest down.
class BlockSearch {
public:
    BlockSearch(const std::function<double(const Point&)>& distance, double voxelSize, double band,
                double depth)
        : distance_(distance), voxelSize_(voxelSize), band_(band), depth_(depth)
    {}

    void visit(const Voxel& origin, int level)
    {
        const int edge = kBlockEdge[static_cast<std::size_t>(level)];
        const double half = 0.5 * (edge - 1);
        const Point center = {(origin[0] + half) * voxelSize_, (origin[1] + half) * voxelSize_,
                              (origin[2] + half) * voxelSize_};
        const double reach = std::sqrt(3.0) * half * voxelSize_;
        const double distance = distance_(center);
        if (distance > reach + band_)
            return;
        if (distance < -reach - depth_) {
            inside.push_back({origin, level});
            return;
        }
        if (level == 0) {
            leaves.push_back(origin);
            checkVoxelCount(512.0 * static_cast<double>(leaves.size()), voxelSize_);
            return;
        }
        const int step = kBlockEdge[static_cast<std::size_t>(level - 1)];
        for (int x = 0; x < edge; x += step)
            for (int y = 0; y < edge; y += step)
                for (int z = 0; z < edge; z += step)
                    visit({origin[0] + x, origin[1] + y, origin[2] + z}, level - 1);
    }

    std::vector<Voxel> leaves;
    std::vector<std::pair<Voxel, int>> inside; ///< blocks wholly inside, and their level

private:
    const std::function<double(const Point&)>& distance_;
    double voxelSize_;
    double band_;  ///< outside [m]
    double depth_; ///< inside [m]
};

} // namespace

void checkVoxelCount(double voxels, double voxelSize, double exponent)
{
    if (voxels <= kMaximumVoxels)
        return;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "voxels of %.3g m would take about %.3g GB for this shape; give a voxelSize of at "
        "least %.2g m",
        voxelSize, voxels * 5e-9,
        voxelSize * 1.1 * std::pow(voxels / kMaximumVoxels, 1 / exponent));
    throw sdk::Failure(text, FLOE_OUT_OF_MEMORY);
}

BlocksInBand blocksInBand(const std::function<double(const Point&)>& distance, const Point& low,
                          const Point& high, double voxelSize)
{
    const double band = kOutside * voxelSize;
    const double depth = kInside * voxelSize;
    double faces = 0;
    Voxel boxLow, boxHigh;
    for (std::size_t a = 0; a < 3; ++a) {
        const double first = std::floor((low[a] - band) / voxelSize) - 1;
        const double last = std::ceil((high[a] + band) / voxelSize) + 1;
        if (!(std::fabs(first) < 1e9 && std::fabs(last) < 1e9))
            throw sdk::Failure("the shape reaches more than 1e9 voxels from the origin; move it "
                               "closer or give a larger voxelSize",
                               FLOE_BAD_ARGUMENT);
        boxLow[a] = static_cast<int>(first);
        boxHigh[a] = static_cast<int>(last);
        const std::size_t b = (a + 1) % 3;
        faces += 2 * (high[a] - low[a]) * (high[b] - low[b]) / (voxelSize * voxelSize);
    }
    // A convex shape, as all of these nearly are, has at most the area of its box. The search below
    // counts exactly; this check avoids starting a hopeless one.
    checkVoxelCount(faces * (kOutside + kInside) / 4, voxelSize);

    BlockSearch search(distance, voxelSize, band, depth);
    constexpr int top = kBlockEdge[2];
    const auto aligned = [](int i) {
        return i & ~(top - 1);
    };
    for (int x = aligned(boxLow[0]); x <= boxHigh[0]; x += top)
        for (int y = aligned(boxLow[1]); y <= boxHigh[1]; y += top)
            for (int z = aligned(boxLow[2]); z <= boxHigh[2]; z += top)
                search.visit({x, y, z}, 2);

    std::size_t insideLeaves = search.leaves.size();
    for (const auto& [origin, level] : search.inside)
        insideLeaves += level == 0 ? 1 : level == 1 ? 4096 : kFullInsideLeaves + 1;
    if (insideLeaves <= kFullInsideLeaves) {
        for (const auto& [origin, level] : search.inside) {
            const int edge = kBlockEdge[static_cast<std::size_t>(level)];
            for (int x = 0; x < edge; x += 8)
                for (int y = 0; y < edge; y += 8)
                    for (int z = 0; z < edge; z += 8)
                        search.leaves.push_back({origin[0] + x, origin[1] + y, origin[2] + z});
        }
        search.inside.clear();
    }
    return {std::move(search.leaves), std::move(search.inside)};
}

} // namespace floe::shapes
