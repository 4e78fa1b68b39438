#include "output_file.hpp"

#include "floe/sdk/file_pattern.hpp"

#include <cmath>
#include <filesystem>

namespace floe::output {

namespace fs = std::filesystem;

const floe_io& files()
{
    const auto* table = static_cast<const floe_io*>(sdk::host().extension(FLOE_IO_EXTENSION));
    if (!table)
        throw sdk::Failure("this host cannot write files", FLOE_UNSUPPORTED);
    return *table;
}

bool isDue(const sdk::Context& context)
{
    const auto every = context.integer("every");
    const auto passed = std::llround(context.frame() - context.raw()->range_start);
    return passed % std::max<int64_t>(every, 1) == 0;
}

std::string filePattern(const sdk::Context& context)
{
    const std::string name = context.string("path");
    const fs::path path = fs::path(name).lexically_normal();
    if (name.empty() || path.is_absolute() || *path.begin() == "..")
        throw sdk::Failure("parameter 'path' is '" + name +
                           "', must be a name within the output folder, such as "
                           "particles/snow.%04d.vdb");
    return (fs::path(context.outputFolder()) / path).string();
}

std::string fileAtFrame(const sdk::Context& context)
{
    const std::string pattern = filePattern(context);
    const auto frame = std::llround(context.frame());
    const std::string path = sdk::numberedPath(pattern, frame);
    if (path == pattern && context.raw()->range_start != context.raw()->range_end)
        throw sdk::Failure("parameter 'path' is '" + context.string("path") +
                           "', which is the same for every frame; put %04d or #### where the "
                           "number goes");
    return path;
}

} // namespace floe::output
