#include "floe/io/surface.hpp"
#include "floe/io/volume.hpp"

#include "isolated_read.hpp"
#include "particle_formats.hpp"

#include "floe/base/error.hpp"

namespace floe::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* kWhy = "this Floe was built without OpenVDB";

[[noreturn]] void refuse(const fs::path& path)
{
    throw IoError({.file = path.string()}, kWhy, "particles can go to .ply, .bgeo and .floe files");
}

} // namespace

Ref<const VolumeValue> readVolume(const fs::path& path, const std::string&, std::function<bool()>)
{
    refuse(path);
}
void writeVolumes(const fs::path& path, std::span<const NamedVolume>)
{
    refuse(path);
}
void writeVolume(const fs::path& path, const std::string&, const Ref<const VolumeValue>&)
{
    refuse(path);
}
void writeVdbParticles(const fs::path& path, const ParticlesValue&)
{
    refuse(path);
}
ValueRef readIsolated(const fs::path& path, std::vector<std::string>, const IsolatedReadSettings&)
{
    refuse(path);
}
Ref<const VolumeValue> surfaceOf(std::span<const Ref<const ParticlesValue>>, const SurfaceSettings&)
{
    throw InputError({}, kWhy);
}
Ref<const MeshValue> meshOf(const Ref<const VolumeValue>&, double, double)
{
    throw InputError({}, kWhy);
}

} // namespace floe::io
