#include "particle_parts.hpp"

#include "floe/io/particles.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace floe::io {

namespace fs = std::filesystem;

namespace {

struct Part {
    fs::path path;
    std::uint64_t particles = 0, bytes = 0;
};

std::vector<Part> partsIn(const fs::path& index)
{
    const auto refuse = [&](const std::string& what) {
        throw IoError({.file = index.string()}, what,
                      "name a .parts.json that Export particles wrote");
    };
    const Json json = loadJson(index.string());
    if (!json.is_object() || json.value("format", Json()) != "floe.parts")
        refuse("is not an index of particles in parts");
    if (json.value("version", Json()) != 1)
        refuse("is an index of a newer version");
    std::vector<Part> parts;
    const Json list = json.value("parts", Json());
    for (const Json& entry : list.is_array() ? list : Json::array()) {
        const auto text = [&](const char* name) {
            return entry.is_object() && entry.contains(name) && entry[name].is_string()
                       ? entry[name].get<std::string>()
                       : std::string();
        };
        const auto number = [&](const char* name) {
            if (!entry.is_object() || !entry.contains(name) || !entry[name].is_number_unsigned())
                refuse(std::string("has a part without '") + name + "'");
            return entry[name].get<std::uint64_t>();
        };
        const fs::path name = text("file");
        if (name.empty() || name != name.filename())
            refuse("names a part that is not a file beside it");
        parts.push_back({index.parent_path() / name, number("particles"), number("bytes")});
    }
    if (parts.empty())
        refuse("names no parts");
    return parts;
}

bool sameAttributes(const ParticlesValue& a, const ParticlesValue& b)
{
    return std::ranges::equal(a.attributes(), b.attributes(),
                              [](const Attribute& one, const Attribute& other) {
                                  return one.name == other.name && one.element == other.element &&
                                         one.components == other.components;
                              });
}

} // namespace

fs::path partsIndexOf(const fs::path& file)
{
    return fs::path(file).replace_extension(".parts.json");
}

Ref<const ParticlesValue> readParts(const fs::path& index, const std::function<bool()>& cancelled)
{
    const std::vector<Part> parts = partsIn(index);
    std::uint64_t count = 0;
    for (const Part& part : parts)
        count += part.particles;
    Ref<ParticlesValue> all;
    Ref<const ParticlesValue> first;
    Ref<const ParticlesValue> like; // a part that has particles: some formats lose what none has
    std::uint64_t before = 0;
    std::vector<char*> to;
    for (const Part& part : parts) {
        std::error_code error;
        const std::uint64_t bytes = fs::file_size(part.path, error);
        if (!error && bytes != part.bytes)
            throw IoError({.file = part.path.string()},
                          "is not the part that " + index.filename().string() + " names",
                          "write the frame again");
        const Ref<const ParticlesValue> read = readParticles(part.path, cancelled);
        if (read->count() != part.particles)
            throw IoError({.file = part.path.string()},
                          "holds other particles than " + index.filename().string() + " says",
                          "write the frame again");
        if (!first)
            first = read;
        if (read->count() == 0)
            continue;
        if (!all) {
            like = read;
            all = make<ParticlesValue>(count);
            for (const Attribute& attribute : read->attributes())
                to.push_back(static_cast<char*>(
                    all->add(attribute.name, attribute.element, attribute.components)));
            for (const auto& [name, value] : first->fields().list())
                all->setField(name, value);
        } else if (!sameAttributes(*like, *read)) {
            throw IoError({.file = part.path.string()},
                          "has other attributes than the parts before it", "write the frame again");
        }
        for (std::size_t a = 0; a < to.size(); ++a) {
            const Attribute& attribute = read->attributes()[a];
            const std::uint64_t each = elementBytes(attribute.element) * attribute.components;
            std::memcpy(to[a] + before * each, attribute.data.data(), read->count() * each);
        }
        before += read->count();
    }
    if (!all)
        return first;
    all->seal();
    return all;
}

} // namespace floe::io
