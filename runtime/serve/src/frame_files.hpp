/// The files of simulated frames: a folder a frame.
#pragma once

#include "floe/base/hash.hpp"
#include "floe/view/frame_values.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace floe::serve {

using view::FrameValues;

/// Solver node -> hash of all that led to its state.
using FrameHistory = std::map<std::string, Hash>;

/// What the files in a folder take, without those in folders below it; 0 when there is none.
std::uint64_t bytesIn(const std::filesystem::path& folder);
std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder);

/// Written after a frame's values: where it is, they are whole. @throws IoError
void writeHistory(const std::filesystem::path& folder, int frame, const FrameHistory& history);
/// @return the frame's number too
/// @throws IoError, Json::exception  there is none, or it is damaged
std::pair<int, FrameHistory> readHistory(const std::filesystem::path& folder);

/// The values of a frame from the files that session::FrameCache wrote into a folder.
/// @throws IoError one of them is damaged
FrameValues valuesIn(const std::filesystem::path& folder,
                     const std::vector<std::filesystem::path>& files, const FrameHistory& history,
                     int frame);

} // namespace floe::serve
