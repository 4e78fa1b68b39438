#include "file_writer.hpp"
#include "particle_formats.hpp"

#include "floe/base/error.hpp"
#include "floe/data/scalars.hpp"
#include "floe/sdk/npz.hpp"

#include <stdexcept>
#include <vector>

namespace floe::io {

void writeNpzParticles(const std::filesystem::path& path, const ParticlesValue& particles)
{
    sdk::Npz arrays;
    try {
        for (const Attribute& attribute : particles.attributes())
            visitElement(attribute.element, [&]<class T>(T*) {
                std::vector<std::size_t> shape = {particles.count()};
                if (attribute.components > 1)
                    shape.push_back(attribute.components);
                arrays.add<T>(attribute.name,
                              {static_cast<const T*>(attribute.data.data()),
                               particles.count() * attribute.components},
                              shape);
            });
        for (const Field& field : particles.fields().list()) {
            if (particles.find(field.name))
                continue;
            if (const auto* number = as<NumberValue>(field.value.get()))
                arrays.add(field.name, std::vector<double>{number->number()}, {});
            else if (const auto* vector = as<VectorValue>(field.value.get()))
                arrays.add(field.name,
                           std::vector<double>(vector->vector().begin(), vector->vector().end()),
                           {3});
        }
    } catch (const std::length_error&) {
        throw IoError({.file = path.string()}, "would be larger than 4 GB",
                      "use .vdb, .ply, .bgeo or .floe");
    }
    FileWriter::replace(path, [&](FileWriter& file) {
        arrays.write([&](const void* data, std::size_t size) { file.bytes(data, size); });
    });
}

} // namespace floe::io
