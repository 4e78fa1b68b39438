#pragma once

/// Particles in parts: of several ranks each writes a file of its own, and the first an index of
/// them, which appears when all are there.

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace floe::output {

/// Names for the file "snow.0010.vdb": "snow.0010.parts.json" and "snow.0010.rank2.vdb".
std::string partsIndexOf(const std::string& file);
std::string partOf(const std::string& file, int rank);

/// Returns the index, and the parts that it names.
std::vector<std::string> filesInParts(const std::string& file);

/// Removes what killed runs have left beside a file. @pre no part is being written
void removeReceipts(const std::string& file);

/// The ranks of a run, as far as files go; one where there are no others.
struct PartWriters {
    int rank = 0, size = 1;
    std::string run = "0"; ///< floe_ranks::run

    PartWriters();
};

/// Writes this rank's part, and at rank 0 the index, once the others have written theirs. What
/// another run has left of the frame is removed: a whole file, and before any part is written its
/// index.
/// @param file  without a number of a rank
/// @throws sdk::Failure  a file cannot be written, another rank is gone, or the run is cancelled
void writePart(const sdk::Context& context, const std::string& file, const sdk::Value& particles);

} // namespace floe::output
