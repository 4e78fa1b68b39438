#pragma once

#include "files/file.hpp"
#include "files/formats.hpp"
#include "files/ply_header.hpp"

#include <algorithm>
#include <vector>

namespace floe::gaussians {

/// Reads the next rows of an element into the layout that it describes, little-endian.
/// @param to  rows times element.rowBytes
/// @throws sdk::Failure  the file is cut off, or has no number where one should be
void readRows(InputFile& file, PlyEncoding encoding, const PlyElement& element, std::uint64_t rows,
              unsigned char* to);

/// Calls body(number, row) for all rows of an element.
template <class Body>
void forEachRow(InputFile& file, PlyEncoding encoding, const PlyElement& element,
                const Checkpoint& checkpoint, const Body& body)
{
    std::vector<unsigned char> rows(element.rowBytes * std::min(element.count, kRowsAtOnce));
    for (std::uint64_t first = 0; first < element.count; first += kRowsAtOnce) {
        checkpoint();
        const std::uint64_t taken = std::min(kRowsAtOnce, element.count - first);
        readRows(file, encoding, element, taken, rows.data());
        for (std::uint64_t i = 0; i < taken; ++i)
            body(first + i, rows.data() + i * element.rowBytes);
    }
}

/// Passes over all rows of an element.
void skipRows(InputFile& file, PlyEncoding encoding, const PlyElement& element,
              const Checkpoint& checkpoint);

} // namespace floe::gaussians
