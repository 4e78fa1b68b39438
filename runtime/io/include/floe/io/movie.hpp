#pragma once

#include <filesystem>
#include <string>

namespace floe::io {

/// True when ffmpeg is installed (found through PATH), without which there are no movies.
bool canWriteMovies();

/// Joins numbered PNG files into one movie (H.264 where ffmpeg has it, else MPEG-4) with ffmpeg,
/// which is started directly, without a shell. Blocks until it is done.
///
/// Numbers may have gaps (every second frame, say). Pictures of an earlier, longer run that lie
/// behind this one's are left out: the movie ends before the first file that is older than the one
/// before it.
/// @param path     of the movie; the extension (.mp4, .mov, .mkv) chooses the container
/// @param pattern  "folder/name.%04d.png" or "folder/name.####.png"
/// @param first    smallest number
/// @param fps      pictures a second, > 0
/// @throws IoError      no such pictures, or ffmpeg failed: its own words
/// @throws DeviceError  ffmpeg is not installed
void writeMovie(const std::filesystem::path& path, const std::string& pattern, int first,
                double fps);

} // namespace floe::io
