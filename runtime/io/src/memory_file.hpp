#pragma once

#include "floe/base/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace floe::io {

/// An unnamed file in memory for the output of a child process.
class MemoryFile {
public:
    MemoryFile();
    int get() const { return descriptor_.get(); }
    /// Path that opens the file again from its start.
    std::string path() const;
    std::uint64_t bytes() const; ///< its size
    /// Returns its first bytes.
    std::string text(std::size_t longest) const;

private:
    Descriptor descriptor_;
};

} // namespace floe::io
