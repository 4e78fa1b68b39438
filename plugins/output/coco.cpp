#include "coco.hpp"

#include "floe/sdk/output_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

namespace floe::output::coco {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& about()
{
    static const Json info = {
        {"description",
         "Labels of a simulated scene, exact for each pixel. Segmentations are run lengths, column "
         "by column. 'object' numbers what is linked to the camera sensor."},
        {"contributor", "Floe"}};
    return info;
}

/// The number of the first object of the same name, and 1: COCO's are above 0.
std::map<uint32_t, uint32_t> categoryOfObject(const Frame& frame)
{
    std::map<std::string, uint32_t> first;
    std::map<uint32_t, uint32_t> category;
    for (const Frame::Category& one : frame.categories)
        category[one.object] = first.try_emplace(one.name, one.object + 1).first->second;
    return category;
}

Json annotationOf(const Frame& frame, const Frame::Object& object, uint32_t category,
                  std::size_t number)
{
    uint32_t left = frame.width, right = 0, top = frame.height, bottom = 0;
    for (const uint32_t place : object.places) {
        const uint32_t column = place / frame.height, row = place % frame.height;
        left = std::min(left, column);
        right = std::max(right, column + 1);
        top = std::min(top, row);
        bottom = std::max(bottom, row + 1);
    }
    return {{"id", number},
            {"image_id", frame.number},
            {"category_id", category},
            {"object", object.number},
            {"bbox", {left, top, right - left, bottom - top}},
            {"area", object.places.size()},
            {"iscrowd", 0},
            {"segmentation",
             {{"size", {frame.height, frame.width}},
              {"counts", packedRuns(object.places, frame.width * frame.height)}}}};
}

Json load(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    Json file = Json::parse(stream, nullptr, false);
    const bool whole = file.is_object() && file.contains("images") && file.contains("categories") &&
                       file.contains("annotations") && file["images"].is_array() &&
                       file["categories"].is_array() && file["annotations"].is_array();
    if (!whole)
        throw sdk::Failure(path + " is not the labels that were written there; run again from an "
                                  "earlier checkpoint with --resume-from, or without --resume",
                           FLOE_IO_FAILED);
    return file;
}

} // namespace

std::string packedRuns(const std::vector<uint32_t>& places, uint32_t size)
{
    std::vector<int64_t> runs;
    uint32_t end = 0; // of what the runs cover
    for (const uint32_t place : places) {
        if (place == end && !runs.empty()) {
            ++runs.back();
        } else {
            runs.push_back(place - end);
            runs.push_back(1);
        }
        end = place + 1;
    }
    if (end < size || runs.empty())
        runs.push_back(size - end);
    // From the fourth on as the difference to the one before the last; five bits a character, the
    // low ones first, the sixth where more follow.
    std::string packed;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        int64_t left = i > 2 ? runs[i] - runs[i - 2] : runs[i];
        for (bool more = true; more;) {
            int64_t bits = left & 0x1f;
            left >>= 5;
            more = bits & 0x10 ? left != -1 : left != 0;
            packed.push_back(static_cast<char>((more ? bits | 0x20 : bits) + '0'));
        }
    }
    return packed;
}

std::string text(const Frame& frame)
{
    const auto category = categoryOfObject(frame);
    Json categories = Json::array(), annotations = Json::array();
    for (const Frame::Category& one : frame.categories)
        if (category.at(one.object) == one.object + 1)
            categories.push_back(
                {{"id", one.object + 1}, {"name", one.name}, {"supercategory", "object"}});
    for (const Frame::Object& object : frame.objects)
        annotations.push_back(
            annotationOf(frame, object, category.at(object.number), annotations.size() + 1));
    const Json image = {{"id", frame.number},
                        {"width", frame.width},
                        {"height", frame.height},
                        {"file_name", frame.picture}};
    return dumped({{"info", about()},
                   {"licenses", Json::array()},
                   {"images", Json::array({image})},
                   {"categories", categories},
                   {"annotations", annotations}}) +
           "\n";
}

void join(const std::vector<std::string>& files, const std::string& to)
{
    std::string images;
    std::map<uint64_t, std::string> categories;
    try {
        for (const std::string& path : files) {
            const Json file = load(path);
            for (const Json& image : file["images"])
                images += (images.empty() ? "\n" : ",\n") + dumped(image);
            for (const Json& category : file["categories"])
                categories[category.at("id").get<uint64_t>()] = dumped(category);
        }
        sdk::OutputFile file(to);
        const auto put = [&](const std::string& text) {
            file.write(text.data(), text.size());
        };
        put("{\"info\":" + dumped(about()) + ",\"licenses\":[],\"images\":[" + images +
            "],\n\"categories\":[");
        const char* before = "\n";
        for (const auto& [id, category] : categories) {
            put(before + category);
            before = ",\n";
        }
        put("],\n\"annotations\":[");
        uint64_t number = 0;
        for (const std::string& path : files) {
            Json labels = load(path);
            for (Json& annotation : labels["annotations"]) {
                annotation["id"] = ++number;
                put((number == 1 ? "\n" : ",\n") + dumped(annotation));
            }
        }
        put("]}\n");
        file.commit();
    } catch (const nlohmann::json::exception& error) {
        throw sdk::Failure(
            to + ": the labels of the single frames cannot be joined: " + error.what(),
            FLOE_IO_FAILED);
    }
}

} // namespace floe::output::coco
