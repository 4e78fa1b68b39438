#include "grid_openvdb.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#include <nanovdb/util/NanoToOpenVDB.h>
#include <nanovdb/util/OpenToNanoVDB.h>
#pragma GCC diagnostic pop

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace floe::shapes {

using LeafNode = openvdb::FloatTree::LeafNodeType;

namespace {

// Levels of OpenVDB's default tree, from leaves to the root's children [voxels along an edge].
constexpr std::array<int, 3> kBlockEdge = {8, 128, 4096};
// Up to this many leaves, distances are kept in the whole inside (16 MB).
constexpr std::size_t kFullInsideLeaves = 8192;

/// Finds which blocks of the tree hold the band, from the largest down.
class BlockSearch {
public:
    BlockSearch(const std::function<double(const Point&)>& distance, double voxelSize, double band,
                double depth)
        : distance_(distance), voxelSize_(voxelSize), band_(band), depth_(depth)
    {}

    void visit(const openvdb::Coord& origin, int level)
    {
        const int edge = kBlockEdge[static_cast<std::size_t>(level)];
        const double half = 0.5 * (edge - 1);
        const Point center = {(origin.x() + half) * voxelSize_, (origin.y() + half) * voxelSize_,
                              (origin.z() + half) * voxelSize_};
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
                    visit(origin + openvdb::Coord(x, y, z), level - 1);
    }

    std::vector<openvdb::Coord> leaves;
    std::vector<std::pair<openvdb::Coord, int>> inside; ///< blocks wholly inside, and their level

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

double voxelSizeOf(const Grid& grid)
{
    return grid.vdb->voxelSize()[0];
}

GridRef gridFromDistance(const std::function<double(const Point&)>& distance, const Point& low,
                         const Point& high, double voxelSize)
{
    const double band = kOutside * voxelSize;
    const double depth = kInside * voxelSize;
    double faces = 0;
    openvdb::CoordBBox box;
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double first = std::floor((low[a] - band) / voxelSize) - 1;
        const double last = std::ceil((high[a] + band) / voxelSize) + 1;
        if (!(std::fabs(first) < 1e9 && std::fabs(last) < 1e9))
            throw sdk::Failure("the shape reaches more than 1e9 voxels from the origin; move it "
                               "closer or give a larger voxelSize",
                               FLOE_BAD_ARGUMENT);
        box.min()[axis] = static_cast<int>(first);
        box.max()[axis] = static_cast<int>(last);
        const std::size_t b = (a + 1) % 3;
        faces += 2 * (high[a] - low[a]) * (high[b] - low[b]) / (voxelSize * voxelSize);
    }
    // A shape that is convex, as all of these nearly are, has at most the area of its box. The
    // search below counts exactly; this stops it from starting on something hopeless.
    checkVoxelCount(faces * (kOutside + kInside) / 4, voxelSize);

    BlockSearch search(distance, voxelSize, band, depth);
    const int top = kBlockEdge[2];
    const auto aligned = [top](int i) {
        return i & ~(top - 1);
    };
    for (int x = aligned(box.min().x()); x <= box.max().x(); x += top)
        for (int y = aligned(box.min().y()); y <= box.max().y(); y += top)
            for (int z = aligned(box.min().z()); z <= box.max().z(); z += top)
                search.visit({x, y, z}, 2);

    std::size_t insideLeaves = search.leaves.size();
    for (const auto& [origin, level] : search.inside)
        insideLeaves += level == 0 ? 1 : level == 1 ? 4096 : kFullInsideLeaves + 1;
    const bool full = insideLeaves <= kFullInsideLeaves;
    if (full) {
        for (const auto& [origin, level] : search.inside) {
            const int edge = kBlockEdge[static_cast<std::size_t>(level)];
            for (int x = 0; x < edge; x += 8)
                for (int y = 0; y < edge; y += 8)
                    for (int z = 0; z < edge; z += 8)
                        search.leaves.push_back(origin + openvdb::Coord(x, y, z));
        }
    }

    const auto background = static_cast<float>(band);
    const auto deepest = static_cast<float>(-depth);
    std::vector<std::unique_ptr<LeafNode>> leaves(search.leaves.size());
    tbb::parallel_for(std::size_t{0}, leaves.size(), [&](std::size_t n) {
        auto leaf = std::make_unique<LeafNode>(search.leaves[n], background);
        for (openvdb::Index voxel = 0; voxel < LeafNode::SIZE; ++voxel) {
            const openvdb::Coord at = leaf->offsetToGlobalCoord(voxel);
            const auto value = static_cast<float>(
                distance({at.x() * voxelSize, at.y() * voxelSize, at.z() * voxelSize}));
            if (value >= background)
                leaf->setValueOff(voxel, background);
            else if (full || value > deepest)
                leaf->setValueOn(voxel, value);
            else
                leaf->setValueOff(voxel, deepest);
        }
        leaves[n] = std::move(leaf);
    });

    auto grid = openvdb::FloatGrid::create(background);
    grid->setTransform(latticeOf(voxelSize));
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    for (auto& leaf : leaves)
        grid->tree().addLeaf(leaf.release());
    if (!full)
        for (const auto& [origin, level] : search.inside)
            grid->tree().addTile(static_cast<openvdb::Index>(level + 1), origin, deepest, false);
    return std::make_shared<Grid>(grid);
}

GridRef translated(const Grid& grid, const Point& offset)
{
    // Shares the voxels; nobody writes to a finished grid.
    auto moved = std::make_shared<Grid>(Grid{grid.vdb->copy()});
    auto transform = grid.vdb->transform().copy();
    transform->postTranslate({offset[0], offset[1], offset[2]});
    moved->vdb->setTransform(transform);
    return moved;
}

sdk::Value volumeValue(const Grid& grid)
{
    grid.vdb->setName("surface");
    const auto handle = nanovdb::openToNanoVDB(*grid.vdb);
    return sdk::makeVolume(handle.data(), handle.size());
}

sdk::Value meshValue(const Surface& surface)
{
    return sdk::makeMesh(surface.points, surface.triangles);
}

GridRef gridFromValue(const sdk::Value& volume, const char* socket)
{
    const floe_volume view = volume.volume();
    const std::string name = std::string("input '") + socket + "'";
    const auto* nano = static_cast<const nanovdb::NanoGrid<float>*>(view.grid);
    if (view.space != FLOE_SPACE_HOST || nano->gridType() != nanovdb::GridType::Float)
        throw sdk::Failure(name + " is not a grid of distances", FLOE_WRONG_KIND);
    GridRef grid = std::make_shared<Grid>(nanovdb::nanoToOpenVDB(*nano));
    const auto voxel = grid->vdb->voxelSize();
    if (!grid->vdb->hasUniformVoxels() || !(voxel[0] > 0) || !(grid->vdb->background() > 0))
        throw sdk::Failure(name + " is not a level set with cubic voxels; make one with the mesh, "
                                  "file or resample node",
                           FLOE_WRONG_KIND);
    grid->vdb->setGridClass(openvdb::GRID_LEVEL_SET);
    return grid;
}

} // namespace floe::shapes
