/// The formats behind readGaussians() and writeGaussians().
#pragma once

#include "files/file.hpp"
#include "files/input_file.hpp"

#include "floe/sdk/output_file.hpp"

#include <cstdint>

namespace floe::gaussians {

using sdk::OutputFile;

/// What rows of a file are taken in at a time.
inline constexpr std::uint64_t kRowsAtOnce = 16384;

FileContent readPly(InputFile& file, const Checkpoint& checkpoint);
void writePly(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint);

FileContent readSplat(InputFile& file, const Checkpoint& checkpoint);
void writeSplat(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint);

void writeGlb(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint);

#ifdef FLOE_GAUSSIANS_SPZ
FileContent readSpz(InputFile& file, const Checkpoint& checkpoint);
void writeSpz(OutputFile& file, const GaussianSet& set, const Checkpoint& checkpoint);
#endif

} // namespace floe::gaussians
