#pragma once

#include <cstddef>
#include <vector>

namespace floe::test {

/// The bytes of a NanoVDB level set of a sphere. In grids.cpp, since NanoVDB's builders take long
/// to compile.
/// @param radius, voxelSize  [m]
/// @param center             of the sphere on every axis [m]; around 0 the tree has 8 branches
std::vector<std::byte> sphereGrid(double radius, double voxelSize, double center = 0);

} // namespace floe::test
