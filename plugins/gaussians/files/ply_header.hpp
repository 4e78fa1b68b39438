#pragma once

#include "files/input_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace floe::gaussians {

/// One number of each row of an element.
struct PlyProperty {
    enum class Type { Int8, Uint8, Int16, Uint16, Int32, Uint32, Float32, Float64 };
    std::string name;
    Type type;
    std::size_t offset; ///< in a row [bytes]

    /// Returns the number in a row. Bytes are little-endian, as on all machines Floe runs on.
    double in(const unsigned char* row) const;
    /// Size of the number in a row.
    std::size_t bytes() const;
};

struct PlyElement {
    std::string name;
    std::uint64_t count;
    std::vector<PlyProperty> properties;
    std::size_t rowBytes = 0; ///< at least 1
    bool hasLists = false;    ///< so its rows are of unknown lengths, and it is not read

    const PlyProperty* find(std::string_view property) const;
    /// @throws sdk::Failure  there is none: names the file
    const PlyProperty& require(const InputFile& file, std::string_view property) const;
};

enum class PlyEncoding { LittleEndian, BigEndian, Text };

struct PlyHeader {
    PlyEncoding encoding = PlyEncoding::LittleEndian;
    std::vector<PlyElement> elements; ///< numbers of text are Float64, whatever it says
};

/// Reads the header of a PLY file. The rows of all elements follow in order.
/// @throws sdk::Failure  another kind of file, it is shorter than it says, or rows of lists come
///                       before the end of what is read: they could not be skipped
PlyHeader readPlyHeader(InputFile& file);

} // namespace floe::gaussians
