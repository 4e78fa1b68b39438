#include "files/file.hpp"

#include "files/formats.hpp"

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <filesystem>

namespace floe::gaussians {

namespace {

struct Format {
    const char* extension;
    bool yDown;
    FileContent (*read)(InputFile&, const Checkpoint&); ///< null: for writing alone
    void (*write)(OutputFile&, const GaussianSet&, const Checkpoint&);
};

constexpr Format kFormats[] = {
    {".ply", true, readPly, writePly},
    {".splat", true, readSplat, writeSplat},
    {".glb", false, nullptr, writeGlb},
#ifdef FLOE_GAUSSIANS_SPZ
    {".spz", false, readSpz, writeSpz},
#endif
};

const Format* formatOf(const std::string& extension)
{
    for (const Format& format : kFormats)
        if (extension == format.extension)
            return &format;
    return nullptr;
}

const Format& knownFormat(const std::string& path)
{
    const std::string extension = extensionOf(path);
    if (const Format* format = formatOf(extension))
        return *format;
    if (extension == ".spz")
        throw sdk::Failure(path + ": this build of Floe has no zlib, which .spz needs",
                           FLOE_UNSUPPORTED);
    throw sdk::Failure(path + ": Gaussians are kept in files .ply, .splat or .spz",
                       FLOE_BAD_ARGUMENT);
}

} // namespace

std::string extensionOf(const std::string& path)
{
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
    });
    return extension;
}

bool isWritable(const std::string& extension)
{
    return formatOf(extension) != nullptr;
}

bool isYDown(const std::string& extension)
{
    const Format* format = formatOf(extension);
    return format && format->yDown;
}

FileContent readGaussians(const std::string& path, const Checkpoint& checkpoint)
{
    InputFile file(path);
    const Format& format = knownFormat(path);
    if (!format.read)
        file.fail("is a format that is only written; read .ply, .splat or .spz");
    FileContent content = format.read(file, checkpoint);
    content.yDown = format.yDown;
    return content;
}

void writeGaussians(const std::string& path, const GaussianSet& set, const Checkpoint& checkpoint)
{
    const Format& format = knownFormat(path);
    OutputFile file(path);
    format.write(file, set, checkpoint);
    file.commit();
}

} // namespace floe::gaussians
