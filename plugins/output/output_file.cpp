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

namespace {

int64_t firstFrame(const sdk::Context& context)
{
    return std::llround(context.raw()->range_start);
}

int64_t framesBetweenFiles(const sdk::Context& context)
{
    return std::max<int64_t>(context.integer("every"), 1);
}

std::string fileAtFrame(const sdk::Context& context, int64_t frame)
{
    const std::string pattern = filePattern(context);
    const std::string path = sdk::numberedPath(pattern, frame);
    if (path == pattern && context.raw()->range_start != context.raw()->range_end)
        throw sdk::Failure("parameter 'path' is '" + context.string("path") +
                           "', which is the same for every frame; put %04d or #### where the "
                           "number goes");
    return path;
}

} // namespace

bool isDue(const sdk::Context& context)
{
    return (std::llround(context.frame()) - firstFrame(context)) % framesBetweenFiles(context) == 0;
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
    return fileAtFrame(context, std::llround(context.frame()));
}

std::string nameOfAll(const std::string& pattern, const std::string& otherwise,
                      const std::string& extension)
{
    std::string stem = fs::path(pattern).stem().string();
    stem = stem.substr(0, stem.find_first_of("%#"));
    while (!stem.empty() && (stem.back() == '.' || stem.back() == '_' || stem.back() == '-'))
        stem.pop_back();
    return (fs::path(pattern).parent_path() / ((stem.empty() ? otherwise : stem) + extension))
        .string();
}

std::vector<std::string> writtenFiles(const sdk::Context& context, const std::string& layer)
{
    return requireWritten(context, [&](const std::string& file) {
        std::vector<std::string> files = {file};
        if (!layer.empty())
            files.push_back(fs::path(file).replace_extension(layer).string());
        return files;
    });
}

std::vector<std::string>
requireWritten(const sdk::Context& context,
               const std::function<std::vector<std::string>(const std::string& file)>& of)
{
    std::vector<std::string> files;
    std::size_t missing = 0;
    std::string firstMissing;
    for (int64_t frame = firstFrame(context); frame <= std::llround(context.frame());
         frame += framesBetweenFiles(context)) {
        files.push_back(fileAtFrame(context, frame));
        for (const std::string& file : of(files.back())) {
            std::error_code error;
            if (!fs::is_regular_file(file, error) && missing++ == 0)
                firstMissing = file;
        }
    }
    if (missing > 0)
        throw sdk::Failure(
            firstMissing +
                (missing > 1 ? " and " + std::to_string(missing - 1) + " more files are" : " is") +
                " not there: not written, or removed since; run again from an earlier checkpoint "
                "with --resume-from, or without --resume",
            FLOE_IO_FAILED);
    return files;
}

} // namespace floe::output
