#pragma once

/// Labels of pictures in the format of the COCO data set: https://cocodataset.org/#format-data

#include <cstdint>
#include <string>
#include <vector>

namespace floe::output::coco {

inline constexpr uint32_t kMaxSide = 16384; ///< of a picture: width * height fits 32 bits

/// What one picture shows.
struct Frame {
    struct Category {
        uint32_t object; ///< the first with this name
        std::string name;
    };
    struct Object {
        uint32_t number;
        std::vector<uint32_t>
            places; ///< of its pixels, column * height + row, ascending, not empty
    };
    int64_t number = 0; ///< the picture's, as `image_id`
    uint32_t width = 0, height = 0;
    std::string picture;              ///< its file name
    std::vector<Category> categories; ///< two of one name are one
    std::vector<Object> objects;      ///< those that have a category
};

/// Lengths of runs of 0 and 1 in turn, from 0 on, as COCO packs them into text.
/// @param places  ascending, of a mask of `size` places
std::string packedRuns(const std::vector<uint32_t>& places, uint32_t size);

/// A COCO file of one picture.
std::string text(const Frame& frame);

/// Writes one COCO file of what `text` gave for several pictures. Annotations are numbered from 1
/// on. Holds one picture's labels in memory at a time.
/// @throws sdk::Failure  a file cannot be read or written, or is another's
void join(const std::vector<std::string>& files, const std::string& to);

} // namespace floe::output::coco
