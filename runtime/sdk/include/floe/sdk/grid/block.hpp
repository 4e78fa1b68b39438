/// Blocks of 4x4x4 cells, and of as many nodes: the unit of the sparse world.
#pragma once

namespace floe::sdk::grid {

inline constexpr int kBlockEdge = 4;
inline constexpr int kBlockNodes = kBlockEdge * kBlockEdge * kBlockEdge;

} // namespace floe::sdk::grid
