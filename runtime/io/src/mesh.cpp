#include "floe/io/mesh.hpp"

#include "extension.hpp"
#include "mesh_formats.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <algorithm>

namespace floe::io {

namespace {

constexpr std::uint64_t kLargestFile = 4ull << 30;
constexpr const char* kExtensions = "use .obj, .ply or .stl";

void check(const std::filesystem::path& path, const MeshView& mesh)
{
    const Place place{.file = path.string()};
    if (mesh.points.size() % 3 != 0 || mesh.triangles.size() % 3 != 0 ||
        (!mesh.velocities.empty() && mesh.velocities.size() != mesh.points.size()))
        throw InputError(place, "the mesh's arrays do not fit together");
    const std::size_t count = mesh.points.size() / 3;
    if (std::ranges::any_of(mesh.triangles, [&](std::uint32_t index) { return index >= count; }))
        throw InputError(place, "a triangle of the mesh names a point that is not there");
}

} // namespace

MeshData readMesh(const std::filesystem::path& path)
{
    const std::string extension = extensionOf(path);
    MeshData (*parse)(std::string_view, const std::string&) = extension == ".obj"   ? parseObj
                                                              : extension == ".ply" ? parsePlyMesh
                                                              : extension == ".stl" ? parseStl
                                                                                    : nullptr;
    if (!parse)
        throw IoError({.file = path.string()}, "is not a mesh file that Floe reads", kExtensions);
    return parse(readFile(path, kLargestFile), path.string());
}

void writeMesh(const std::filesystem::path& path, const MeshView& mesh)
{
    const std::string extension = extensionOf(path);
    std::string (*format)(const MeshView&) = extension == ".obj"   ? formatObj
                                             : extension == ".ply" ? formatPly
                                             : extension == ".stl" ? formatStl
                                                                   : nullptr;
    if (!format)
        throw IoError({.file = path.string()}, "is not a mesh file that Floe writes", kExtensions);
    check(path, mesh);
    writeFileAtomically(path, format(mesh));
}

} // namespace floe::io
