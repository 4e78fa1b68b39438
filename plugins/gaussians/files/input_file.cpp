#include "files/input_file.hpp"

#include "floe/sdk/node.hpp"

#include <filesystem>

namespace floe::gaussians {

InputFile::InputFile(const std::string& path) : path_(path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (path.empty())
        throw sdk::Failure("no file is chosen: set the parameter 'path'", FLOE_IO_FAILED);
    if (!std::filesystem::exists(status))
        fail("there is no such file");
    if (!std::filesystem::is_regular_file(status))
        fail("is not a file");
    remaining_ = std::filesystem::file_size(path, error);
    stream_.open(path, std::ios::binary);
    if (error || !stream_)
        fail("cannot be opened for reading");
}

void InputFile::read(void* to, std::size_t bytes)
{
    if (bytes > remaining_)
        fail("is cut off: " + std::to_string(bytes - remaining_) + " bytes are missing");
    stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!stream_)
        fail("cannot be read to its end");
    remaining_ -= bytes;
}

std::string InputFile::line()
{
    std::string text;
    for (char next = 0; remaining_ > 0; text += next) {
        read(&next, 1);
        if (next == '\n')
            break;
        if (text.size() == 4096)
            fail("has a line of more than 4096 characters in its header");
    }
    if (!text.empty() && text.back() == '\r')
        text.pop_back();
    return text;
}

std::string_view InputFile::word()
{
    const auto isSpace = [](int c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    };
    word_.clear();
    for (; remaining_ > 0; --remaining_) {
        const int next = stream_.get();
        if (next == std::char_traits<char>::eof())
            fail("cannot be read to its end");
        if (!isSpace(next))
            word_ += static_cast<char>(next);
        else if (!word_.empty()) {
            --remaining_;
            return word_;
        }
        if (word_.size() > 64)
            fail("has a number of more than 64 characters");
    }
    if (word_.empty())
        fail("is cut off: numbers are missing");
    return word_;
}

void InputFile::skip(std::uint64_t bytes)
{
    if (bytes > remaining_)
        fail("is cut off: " + std::to_string(bytes - remaining_) + " bytes are missing");
    stream_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
    if (!stream_)
        fail("cannot be read to its end");
    remaining_ -= bytes;
}

void InputFile::fail(const std::string& fault) const
{
    throw sdk::Failure(path_ + ": " + fault, FLOE_IO_FAILED);
}

} // namespace floe::gaussians
