/// Files of simulated frames: one folder per frame.
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

/// Solver node -> hash of everything that led to its state.
using FrameHistory = std::map<std::string, Hash>;

/// Returns the size of the files in a folder, without subfolders; 0 when it does not exist.
std::uint64_t bytesIn(const std::filesystem::path& folder);
std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder);

/// Written after a frame's values, so its presence shows that they are complete. @throws IoError
void writeHistory(const std::filesystem::path& folder, int frame, const FrameHistory& history);
/// Reads the history and the frame's number.
/// @throws IoError, Json::exception  the file is missing or damaged
std::pair<int, FrameHistory> readHistory(const std::filesystem::path& folder);

/// Reads the values of a frame from the files that session::FrameCache wrote into a folder.
/// @throws IoError one of them is damaged
FrameValues valuesIn(const std::filesystem::path& folder,
                     const std::vector<std::filesystem::path>& files, const FrameHistory& history,
                     int frame);

} // namespace floe::serve
