#pragma once

#include "floe/base/descriptor.hpp"

#include <cstddef>
#include <string>

namespace floe::io {

/// A file without a name, in memory, for what a child process says.
class MemoryFile {
public:
    MemoryFile();
    int get() const { return descriptor_.get(); }
    /// By which it can be opened once more, from its beginning.
    std::string path() const;
    /// Its beginning.
    std::string text(std::size_t longest) const;

private:
    Descriptor descriptor_;
};

} // namespace floe::io
