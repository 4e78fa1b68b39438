#include "axes.hpp"
#include "files/file.hpp"
#include "nodes.hpp"
#include "set_value.hpp"

#include "floe/sdk/file_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace floe::gaussians {

namespace {

namespace fs = std::filesystem;

int64_t firstFrame(const sdk::Context& context)
{
    return std::llround(context.raw()->range_start);
}

int64_t framesBetweenFiles(const sdk::Context& context)
{
    return std::max<int64_t>(context.integer("every"), 1);
}

std::string fileAt(const sdk::Context& context, int64_t frame)
{
    const std::string name = context.string("path");
    const fs::path path = fs::path(name).lexically_normal();
    if (name.empty() || path.is_absolute() || *path.begin() == "..")
        throw sdk::Failure("parameter 'path' is '" + name +
                           "', must be a name within the output folder, such as "
                           "gaussians/fox.%04d.ply");
    if (!isWritable(extensionOf(name)))
        throw sdk::Failure("parameter 'path' is '" + name +
                           "', must end in .ply, .splat, .spz or .glb");
    const std::string pattern = (fs::path(context.outputFolder()) / path).string();
    const std::string file = sdk::numberedPath(pattern, frame);
    if (file == pattern && context.raw()->range_start != context.raw()->range_end)
        throw sdk::Failure("parameter 'path' is '" + name +
                           "', which is the same for every frame; put %04d or #### where the "
                           "number goes");
    return file;
}

} // namespace

void WriteGaussians::cook(sdk::Context& context)
{
    const int64_t frame = std::llround(context.frame());
    const sdk::Value gaussians = context.input("gaussians");
    if (!gaussians || (frame - firstFrame(context)) % framesBetweenFiles(context) != 0)
        return;
    const std::string path = fileAt(context, frame);
    GaussianSet set = setOf(gaussians, "gaussians");
    removeUnusable(set);
    Placement placement;
    placement.rotation = inverse(uprightFrom(context.string("up"), isYDown(extensionOf(path))));
    place(set, placement);
    writeGaussians(path, set, [&] { context.throwIfCancelled(); });
    context.statistic("gaussians written", static_cast<double>(set.count()));
}

void WriteGaussians::finish(sdk::Context& context)
{
    for (int64_t frame = firstFrame(context); frame <= std::llround(context.frame());
         frame += framesBetweenFiles(context)) {
        const std::string file = fileAt(context, frame);
        std::error_code error;
        if (!fs::is_regular_file(file, error))
            throw sdk::Failure(file + " is not there: not written, or removed since; run again "
                                      "from an earlier checkpoint with --resume-from, or without "
                                      "--resume",
                               FLOE_IO_FAILED);
    }
}

} // namespace floe::gaussians
