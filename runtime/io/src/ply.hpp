#pragma once

/// Stanford PLY: the header and rows of numbers, independent of their meaning. Text and binary
/// files of either byte order are read alike.

#include "bytes.hpp"
#include "text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floe::io {

enum class PlyType { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };

std::size_t sizeOf(PlyType type);

struct PlyProperty {
    std::string name;
    PlyType type;
    std::optional<PlyType> listCount; ///< set: each row has a list, its length of this type
};

struct PlyElement {
    std::string name; ///< "vertex", "face", ...
    std::uint64_t count = 0;
    std::vector<PlyProperty> properties;

    /// Returns the index of a property that is not a list; -1: none of that name.
    int find(std::string_view property) const;
};

/// One entry of an element: the value of each property (lists: their length), exact in a double,
/// and the contents of the lists one after the other.
struct PlyRow {
    std::vector<double> values;
    std::vector<std::vector<double>> lists; ///< by property; empty for plain ones
};

class PlyReader {
public:
    /// Reads the header. `bytes` and `stop` must outlive the reader. @throws IoError
    PlyReader(std::string_view bytes, const std::string& file, Cancellation& stop);

    const std::vector<PlyElement>& elements() const { return elements_; }
    /// Reads the elements in the file's order; passes each row to `row`, with the element's index.
    /// @throws IoError, CancelledError
    void read(const std::function<void(std::size_t element, const PlyRow& row)>& row);
    /// @throws IoError with the current position
    [[noreturn]] void fail(const std::string& cause) const;

private:
    void readHeader();
    void checkCount(const PlyElement& element) const;
    double scalar(PlyType type);
    std::uint64_t listLength(const PlyProperty& property);

    std::string file_;
    Cancellation& stop_;
    TextReader text_;
    ByteReader binary_;
    std::string_view bytes_;
    bool isText_ = false;
    std::vector<PlyElement> elements_;
};

} // namespace floe::io
