#include "file_writer.hpp"
#include "particle_formats.hpp"

#include "floe/base/error.hpp"
#include "floe/base/json.hpp"

#include <cmath>
#include <cstdio>

namespace floe::io {

namespace {

constexpr std::uint64_t kMaxParticles = 1'000'000; // beyond, text is of no use to anybody

template <class T>
void writeNumber(FileWriter& file, T value)
{
    char text[32];
    int size = 0;
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value))
            return file.text("null"); // JSON has no other word for it
        size = std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
        size = std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    } else {
        size = std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
    }
    file.text({text, static_cast<std::size_t>(size)});
}

void writeAttribute(FileWriter& file, const Attribute& attribute, std::uint64_t count)
{
    visitElement(attribute.element, [&]<class T>(T*) {
        const T* values = static_cast<const T*>(attribute.data.data());
        for (std::uint64_t i = 0; i < count; ++i) {
            file.text(i == 0 ? "" : ", ");
            if (attribute.components > 1)
                file.text("[");
            for (std::uint32_t c = 0; c < attribute.components; ++c) {
                file.text(c == 0 ? "" : ", ");
                writeNumber(file, values[i * attribute.components + c]);
            }
            if (attribute.components > 1)
                file.text("]");
        }
    });
}

} // namespace

void writeJsonParticles(const std::filesystem::path& path, const ParticlesValue& particles)
{
    if (particles.count() > kMaxParticles)
        throw IoError({.file = path.string()}, "would hold more than a million particles as text",
                      "use .vdb, .ply, .bgeo or .floe");
    FileWriter::replace(path, [&](FileWriter& file) {
        file.text("{\n  \"count\": " + std::to_string(particles.count()) +
                  ",\n  \"attributes\": {");
        const char* separator = "\n";
        for (const Attribute& attribute : particles.attributes()) {
            file.text(separator);
            file.text("    " + Json(attribute.name).dump() + ": [");
            writeAttribute(file, attribute, particles.count());
            file.text("]");
            separator = ",\n";
        }
        file.text("\n  }\n}\n");
    });
}

} // namespace floe::io
