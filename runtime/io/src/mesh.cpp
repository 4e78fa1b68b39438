#include "floe/io/mesh.hpp"

#include "extension.hpp"
#include "file_content.hpp"
#include "mesh_formats.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

namespace floe::io {

namespace {

constexpr std::uint64_t kLargestFile = 4ull << 30;
constexpr const char* kExtensions = "use .obj, .ply or .stl";

} // namespace

Ref<const MeshValue> readMesh(const std::filesystem::path& path, std::function<bool()> cancelled)
{
    const std::string extension = extensionOf(path);
    MeshData (*parse)(std::string_view, const std::string&, Cancellation&) =
        extension == ".obj"   ? parseObj
        : extension == ".ply" ? parsePlyMesh
        : extension == ".stl" ? parseStl
                              : nullptr;
    if (!parse)
        throw IoError({.file = path.string()}, "is not a mesh file that Floe reads", kExtensions);
    Cancellation stop(std::move(cancelled), path.string());
    const FileContent content(path, kLargestFile, stop);
    const MeshData mesh = parse(content.bytes(), path.string(), stop);
    const Ref<MeshValue> value =
        make<MeshValue>(mesh.points, mesh.triangles, mesh.velocities, mesh.colours);
    value->seal();
    return value;
}

void writeMesh(const std::filesystem::path& path, const MeshValue& mesh)
{
    const std::string extension = extensionOf(path);
    std::string (*format)(const MeshValue&) = extension == ".obj"   ? formatObj
                                              : extension == ".ply" ? formatPly
                                              : extension == ".stl" ? formatStl
                                                                    : nullptr;
    if (!format)
        throw IoError({.file = path.string()}, "is not a mesh file that Floe writes", kExtensions);
    writeFileAtomically(path, format(mesh));
}

} // namespace floe::io
