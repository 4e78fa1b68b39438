// Which voxels are inside a mesh: exactly, also where edges pass through their centres.
#include "meshes.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace floe::pbd {
namespace {

using test::Mesh;
using test::ThreadExecutor;

sdk::parallel::SerialExecutor serial;

bool same(const VoxelSet& a, const VoxelSet& b)
{
    for (int z = 0; z < a.size()[2]; ++z)
        for (int y = 0; y < a.size()[1]; ++y)
            for (int x = 0; x < a.size()[0]; ++x)
                if (a.test(x, y, z) != b.test(x, y, z))
                    return false;
    return a.size() == b.size();
}

/// Inside by the solid angle that the mesh fills: 4 pi inside, 0 outside (van Oosterom and Strackee
/// 1983).
double solidAngle(const Mesh& mesh, const std::array<double, 3>& from)
{
    double sum = 0;
    for (std::size_t t = 0; t < mesh.corners.size(); t += 3) {
        double r[3][3], size[3];
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                r[k][axis] = mesh.points[3 * mesh.corners[t + k] + axis] - from[axis];
            size[k] = std::hypot(r[k][0], r[k][1], r[k][2]);
        }
        const auto dot = [&](int a, int b) {
            return r[a][0] * r[b][0] + r[a][1] * r[b][1] + r[a][2] * r[b][2];
        };
        const double triple = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
                              r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
                              r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        sum += 2 * std::atan2(triple, size[0] * size[1] * size[2] + dot(0, 1) * size[2] +
                                          dot(1, 2) * size[0] + dot(2, 0) * size[1]);
    }
    return sum;
}

/// Voxels whose solid angle says otherwise.
int differences(const Mesh& mesh, const VoxelGrid& grid, const VoxelSet& voxels)
{
    int different = 0;
    for (int z = 0; z < grid.size[2]; ++z)
        for (int y = 0; y < grid.size[1]; ++y)
            for (int x = 0; x < grid.size[0]; ++x) {
                const std::array<double, 3> at = {grid.origin[0] + grid.edge * (x + 0.5),
                                                  grid.origin[1] + grid.edge * (y + 0.5),
                                                  grid.origin[2] + grid.edge * (z + 0.5)};
                different += voxels.test(x, y, z) != (solidAngle(mesh, at) > 2 * 3.14159265);
            }
    return different;
}

} // namespace

TEST(Voxeliser, ABoxFillsItsVoxels)
{
    const Mesh box = test::gridBox({0, 0, 0}, {32, 32, 32});
    const VoxelGrid grid = placeGrid(box.view(), 1, 2);
    EXPECT_EQ(grid.size, (VoxelSize{36, 36, 36}));
    const VoxelSet voxels = voxelise(box.view(), grid, serial);
    EXPECT_EQ(voxels.count(), 32768u);
    EXPECT_TRUE(voxels.test(2, 2, 2) && voxels.test(33, 33, 33));
    EXPECT_FALSE(voxels.test(1, 2, 2) || voxels.test(34, 33, 33));
}

// The thesis's failing case: a regular mesh with every vertex, edge and diagonal on centres of
// voxels. Each row must have a whole number of crossings, and neighbours must tile space.
TEST(Voxeliser, RegularMeshOnCentresOfVoxels)
{
    const Mesh box = test::gridBox({2.5, 2.5, 2.5}, {10.5, 10.5, 10.5}, 8);
    const VoxelGrid grid{{0, 0, 0}, 1, {16, 16, 16}};
    const VoxelSet voxels = voxelise(box.view(), grid, serial);
    // Of two opposite faces through centres exactly one owns them: 8^3 voxels.
    EXPECT_EQ(voxels.count(), 512u);
    for (int z = 0; z < 16; ++z)
        for (int y = 0; y < 16; ++y)
            EXPECT_FALSE(voxels.test(0, y, z) || voxels.test(15, y, z));
    // Two boxes side by side share no voxel, and leave none out.
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<double, 3> low{2.5, 2.5, 2.5}, high{10.5, 10.5, 10.5};
        high[axis] = 6.5;
        const VoxelSet left = voxelise(test::gridBox(low, high, 4).view(), grid, serial);
        low[axis] = 6.5, high[axis] = 10.5;
        const VoxelSet right = voxelise(test::gridBox(low, high, 4).view(), grid, serial);
        EXPECT_EQ(left.count() + right.count(), 512u);
        for (int z = 0; z < 16; ++z)
            for (int y = 0; y < 16; ++y)
                for (int x = 0; x < 16; ++x)
                    EXPECT_EQ(left.test(x, y, z) != right.test(x, y, z), voxels.test(x, y, z));
    }
}

TEST(Voxeliser, AgreesWithTheSolidAngleOfAScannedMesh)
{
    const auto spot = test::readModel("spot.obj");
    if (!spot)
        GTEST_SKIP() << "spot.obj is not in the folder that FLOE_TEST_MODELS names";
    const VoxelGrid grid = placeGrid(spot->view(), 0.0931, 1);
    const VoxelSet voxels = voxelise(spot->view(), grid, serial);
    EXPECT_GT(voxels.count(), 300u);
    EXPECT_EQ(differences(*spot, grid, voxels), 0);
}

TEST(Voxeliser, ASlantedPrismMeetsItsSolidAngle)
{
    Mesh mesh; // an irregular tetrahedron
    mesh.add(0.1, 0.2, 0.3), mesh.add(9.7, 1.1, 0.4), mesh.add(2.3, 8.8, 1.9),
        mesh.add(3.1, 2.7, 9.2);
    mesh.corners = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const VoxelGrid grid = placeGrid(mesh.view(), 0.37, 1);
    const VoxelSet voxels = voxelise(mesh.view(), grid, serial);
    EXPECT_GT(voxels.count(), 1000u);
    EXPECT_EQ(differences(mesh, grid, voxels), 0);
}

TEST(VoxeliserThreads, ChangeNothing)
{
    const Mesh box = test::gridBox({-1, -1, -1}, {1, 1.3, 1.1}, 40);
    const VoxelGrid grid = placeGrid(box.view(), 0.031, 2);
    ThreadExecutor one(1), four(4);
    EXPECT_TRUE(same(voxelise(box.view(), grid, one), voxelise(box.view(), grid, four)));
}

TEST(Voxeliser, RefusesWhatItCannotFill)
{
    const Mesh box = test::cube(1);
    Mesh open = box;
    open.corners.resize(open.corners.size() - 3);
    EXPECT_THROW(voxelise(open.view(), placeGrid(open.view(), 0.1, 2), serial),
                 std::invalid_argument);
    EXPECT_THROW(placeGrid(box.view(), 1e-4, 2), std::invalid_argument);
    EXPECT_THROW(placeGrid(box.view(), 0, 2), std::invalid_argument);
    EXPECT_THROW(placeGrid({}, 0.1, 2), std::invalid_argument);
    Mesh broken = box;
    broken.corners[0] = 1000;
    EXPECT_THROW(placeGrid(broken.view(), 0.1, 2), std::invalid_argument);
    broken = box;
    broken.points[0] = NAN;
    EXPECT_THROW(placeGrid(broken.view(), 0.1, 2), std::invalid_argument);
    EXPECT_THROW(voxelise(box.view(), {{0, 0, 0}, 0.1, {4, 4, 4}}, serial), std::invalid_argument);
}

} // namespace floe::pbd
