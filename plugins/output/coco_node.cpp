#include "coco.hpp"
#include "nodes.hpp"
#include "output_file.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/output_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace floe::output {

namespace {

/// "snow, , wedge" as {"snow", "", "wedge"}.
std::vector<std::string> namesIn(const std::string& list)
{
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= list.size() && !list.empty();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::size_t first = list.find_first_not_of(" \t", begin);
        const std::size_t last = list.find_last_not_of(" \t", end > begin ? end - 1 : begin);
        names.push_back(first < end && last >= first ? list.substr(first, last - first + 1) : "");
        begin = end + 1;
    }
    return names;
}

uint32_t sideOf(const sdk::Value& pixels, const char* name)
{
    const sdk::Value field = pixels.field(name);
    const double side = field ? field.number() : 0;
    if (!(side >= 1 && side <= coco::kMaxSide && side == std::floor(side)))
        throw sdk::Failure("what is linked to 'pixels' was not measured by a camera sensor; link "
                           "the sensor's output 'pixels'",
                           FLOE_BAD_ARGUMENT);
    return static_cast<uint32_t>(side);
}

/// Numbers of objects' pixels, column by column from the left, ascending.
std::map<uint32_t, std::vector<uint32_t>> columnsOf(const sdk::Value& pixels, uint32_t width,
                                                    uint32_t height)
{
    const auto pixel = pixels.attribute<uint32_t>("pixel", 1);
    const auto object = pixels.attribute<uint32_t>("object", 1);
    if (pixel.size() != pixels.particleCount() || object.size() != pixel.size())
        throw sdk::Failure("the pixels lack 'pixel' or 'object'; link a camera sensor's output "
                           "'pixels'",
                           FLOE_BAD_ARGUMENT);
    std::map<uint32_t, std::vector<uint32_t>> columns;
    for (std::size_t i = 0; i < pixel.size(); ++i) {
        if (pixel[i] >= width * height)
            throw sdk::Failure("a pixel lies outside the picture", FLOE_BAD_ARGUMENT);
        columns[object[i]].push_back(pixel[i] % width * height + pixel[i] / width);
    }
    for (auto& [number, places] : columns)
        std::sort(places.begin(), places.end());
    return columns;
}

} // namespace

void ExportCoco::cook(sdk::Context& context)
{
    const sdk::Value pixels = context.input("pixels");
    if (!pixels || !isDue(context))
        return;
    const std::string path = fileAtFrame(context);
    const std::vector<std::string> names = namesIn(context.string("names"));
    coco::Frame frame;
    frame.number = std::llround(context.frame());
    frame.width = sideOf(pixels, "width");
    frame.height = sideOf(pixels, "height");
    frame.picture = sdk::numberedPath(context.string("pictures"), frame.number);
    for (std::size_t k = 0; k < names.size(); ++k)
        if (!names[k].empty())
            frame.categories.push_back({static_cast<uint32_t>(k), names[k]});
    for (auto& [number, places] : columnsOf(pixels, frame.width, frame.height)) {
        if (names.empty())
            frame.categories.push_back({number, "object " + std::to_string(number)});
        else if (number >= names.size() || names[number].empty())
            continue;
        frame.objects.push_back({number, std::move(places)});
    }
    const std::string text = coco::text(frame);
    sdk::OutputFile file(path);
    file.write(text.data(), text.size());
    file.commit();
    context.statistic("objects labelled", static_cast<double>(frame.objects.size()));
}

void ExportCoco::finish(sdk::Context& context)
{
    const std::vector<std::string> written = writtenFiles(context);
    const std::string all = nameOfAll(filePattern(context), "labels", ".json");
    if (!context.cancelled() && (written.size() != 1 || written.front() != all))
        coco::join(written, all);
}

} // namespace floe::output
