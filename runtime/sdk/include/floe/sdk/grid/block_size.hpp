/// How large a block is. Includes nothing, for code that is compiled for several instruction sets.
#pragma once

namespace floe::sdk::grid {

inline constexpr int kBlockEdge = 4; ///< [cells]
inline constexpr int kBlockNodes = kBlockEdge * kBlockEdge * kBlockEdge;

} // namespace floe::sdk::grid
