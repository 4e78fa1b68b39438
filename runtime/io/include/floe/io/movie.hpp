#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace floe::io {

/// Returns whether ffmpeg is installed (found through PATH); movies need it.
bool canWriteMovies();

/// Joins numbered PNG files into one movie with ffmpeg (H.264 if available, else MPEG-4), started
/// directly, without a shell. Blocks until done.
///
/// Numbers may have gaps (every second frame, say). Pictures left from an earlier, longer run are
/// ignored: the movie ends before the first file that is older than its predecessor.
/// @param path     of the movie; the extension (.mp4, .mov, .mkv) chooses the container
/// @param pattern  "folder/name.%04d.png" or "folder/name.####.png"
/// @param first    smallest number
/// @param fps      pictures per second, > 0
/// @throws IoError      no such pictures, or ffmpeg failed, with its message
/// @throws DeviceError  ffmpeg is not installed
void writeMovie(const std::filesystem::path& path, const std::string& pattern, int first,
                double fps);

/// Joins these PNG files, in this order; else as above.
void writeMovie(const std::filesystem::path& path, std::span<const std::filesystem::path> pictures,
                double fps);

} // namespace floe::io
