#include "floe/io/image.hpp"

#include "floe/base/error.hpp"

namespace floe::io {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path)
{
    throw IoError({.file = path.string()}, "this Floe was built without pictures");
}

} // namespace

void writePng(const std::filesystem::path& path, int, int, int, std::span<const std::uint8_t>,
              const ImageRemarks&)
{
    refuse(path);
}
void writePng(const std::filesystem::path& path, int, int, int, std::span<const std::uint16_t>,
              const ImageRemarks&)
{
    refuse(path);
}
void writeExr(const std::filesystem::path& path, int, int, const std::vector<ExrChannel>&,
              const ImageRemarks&)
{
    refuse(path);
}
LoadedImage readPng(const std::filesystem::path& path)
{
    refuse(path);
}
LoadedImage readExr(const std::filesystem::path& path)
{
    refuse(path);
}

} // namespace floe::io
