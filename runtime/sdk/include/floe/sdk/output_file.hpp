#pragma once

#include <cstddef>
#include <string>

namespace floe::gaussians {

/// A file that appears whole or not at all: written beside its place, synchronised, then renamed.
class OutputFile {
public:
    /// Makes the folder if need be. @throws sdk::Failure  FLOE_IO_FAILED, as all functions
    explicit OutputFile(const std::string& path);
    ~OutputFile(); ///< removes what was not committed
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void commit();

private:
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    std::string part_;
    int file_ = -1;
};

} // namespace floe::gaussians
