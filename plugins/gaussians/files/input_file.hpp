#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace floe::gaussians {

/// A regular file that is read from front to back.
class InputFile {
public:
    /// @throws sdk::Failure  it is not there, not a regular file, or cannot be read
    explicit InputFile(const std::string& path);

    std::uint64_t remaining() const { return remaining_; }
    /// @throws sdk::Failure  fewer bytes are left, or the disk failed
    void read(void* to, std::size_t bytes);
    /// Returns text up to and without the next newline. @throws sdk::Failure it is longer than 4096
    std::string line();
    /// Returns the next characters up to white space, which is passed over before and after.
    /// @throws sdk::Failure  there are none, or more than 64
    std::string_view word();
    void skip(std::uint64_t bytes);

    /// @throws sdk::Failure  "PATH: FAULT"
    [[noreturn]] void fail(const std::string& fault) const;

private:
    std::string path_;
    std::ifstream stream_;
    std::string word_;
    std::uint64_t remaining_ = 0;
};

} // namespace floe::gaussians
