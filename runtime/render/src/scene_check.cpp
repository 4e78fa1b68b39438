#include "scene_check.hpp"

#include "floe/base/error.hpp"
#include "linear.hpp"

#include <string>

namespace floe::render {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& cause,
                         const std::string& cure = {})
{
    throw InputError({.parameter = what}, cause, cure);
}

void inRange(const std::string& what, float value, float low, float high)
{
    const auto text = [](float v) {
        std::string s = std::to_string(v);
        s.erase(s.find_last_not_of('0') + 1);
        if (s.back() == '.')
            s.pop_back();
        return s;
    };
    if (!(value >= low && value <= high))
        refuse(what, "is " + text(value), "must be between " + text(low) + " and " + text(high));
}

void isFinite(const std::string& what, const Float3& value)
{
    if (!finite(value))
        refuse(what, "is not finite");
}

void isColour(const std::string& what, const Float3& value)
{
    for (const float c : value)
        inRange(what, c, 0, 1e6f);
}

void checkLook(const std::string& what, const Look& look)
{
    isColour(what + ".colour", look.colour);
    inRange(what + ".roughness", look.roughness, 0, 1);
    inRange(what + ".specular", look.specular, 0, 1);
    inRange(what + ".translucency", look.translucency, 0, 1);
    inRange(what + ".smoothing", look.smoothing, 0, 1);
    inRange(what + ".variation", look.variation, 0, 1);
    inRange(what + ".opacity", look.opacity, 0, 1);
    inRange(what + ".grain", look.grain, 0, 1e9f);
    inRange(what + ".sparkle", look.sparkle, 0, 1);
    inRange(what + ".colourDepth", look.colourDepth, 1e-6f, 1e9f);
}

template <class T>
void checkLength(const std::string& what, const Source<T>& source, std::uint64_t count)
{
    if (source.size() != count)
        refuse(what, "has " + std::to_string(source.size()) + " values for " +
                         std::to_string(count) + " particles");
}

void checkParticles(const std::string& what, const ParticleSet& set)
{
    const std::uint64_t count = set.positions.size();
    if (count > 1'400'000'000)
        refuse(what, "has " + std::to_string(count) + " particles", "at most 1.4e9 can be drawn");
    if (!(set.radius > 0 && set.radius < 1e12f))
        refuse(what + ".radius", "is " + std::to_string(set.radius), "must be above 0");
    if (set.every == 0)
        refuse(what + ".every", "is 0", "must be above 0");
    checkLook(what + ".look", set.look);
    if (set.colourBy == ColourBy::Index) {
        checkLength(what + ".indices", set.indices, count);
        if (set.palette.empty() || set.palette.size() > 256)
            refuse(what + ".palette", "has " + std::to_string(set.palette.size()) + " entries",
                   "must have 1 to 256");
        for (const Look& look : set.palette)
            checkLook(what + ".palette", look);
    }
    if (set.colourBy == ColourBy::Scalar) {
        checkLength(what + ".scalars", set.scalars, count);
        if (!std::isfinite(set.low) || !std::isfinite(set.high))
            refuse(what, "the range of the colour map is not finite");
    }
    if (set.ids.size() != 0)
        checkLength(what + ".ids", set.ids, count);
    if (set.positions.device && !set.bounds)
        refuse(what + ".bounds", "are needed for positions that only the device sees");
    if (set.bounds && (!finite(set.bounds->low) || !finite(set.bounds->high)))
        refuse(what + ".bounds", "are not finite");
}

void checkMesh(const std::string& what, const Mesh& mesh)
{
    for (const auto& triangle : mesh.triangles)
        for (const std::uint32_t point : triangle)
            if (point >= mesh.points.size())
                refuse(what, "a triangle names point " + std::to_string(point) + " of " +
                                 std::to_string(mesh.points.size()));
    if (!mesh.colours.empty() && mesh.colours.size() != mesh.points.size())
        refuse(what + ".colours", "are not as many as its points");
    for (const float value : mesh.transform)
        if (!std::isfinite(value))
            refuse(what + ".transform", "is not finite");
    if (mesh.triangles.size() > 100'000'000)
        refuse(what, "has more than 1e8 triangles");
    checkLook(what + ".look", mesh.look);
}

void checkGaussians(const std::string& what, const GaussianSet& set)
{
    const std::size_t count = set.positions.size();
    if (set.degree < 0 || set.degree > 3)
        refuse(what + ".degree", "is " + std::to_string(set.degree), "must be between 0 and 3");
    const std::size_t terms = 3 * static_cast<std::size_t>((set.degree + 1) * (set.degree + 1));
    if (set.scales.size() != count || set.rotations.size() != count ||
        set.opacities.size() != count || set.harmonics.size() != terms * count ||
        (!set.turns.empty() && set.turns.size() != count))
        refuse(what, "has arrays of different lengths");
}

void checkCamera(const Camera& camera)
{
    isFinite("camera.eye", camera.eye);
    isFinite("camera.target", camera.target);
    isFinite("camera.up", camera.up);
    inRange("camera.verticalFov", camera.verticalFov, camera.orthographic ? 0.05f : 1, 170);
    inRange("camera.nearPlane", camera.nearPlane, 0, 1e12f);
    inRange("camera.farPlane", camera.farPlane, 0, 1e15f);
    isFinite("camera.shift", {camera.shift[0], camera.shift[1], 0});
    inRange("camera.aperture", camera.aperture, 0, 1e6f);
    inRange("camera.focus", camera.focus, 0, 1e12f);
    const Float3 view = subtract(camera.target, camera.eye);
    if (length(view) < 1e-9f)
        refuse("camera", "eye and target are the same point");
    if (camera.farPlane > 0 && camera.farPlane <= camera.nearPlane)
        refuse("camera.farPlane", "is not beyond the near plane");
    if (length(cross(normalized(view), normalized(camera.up, {0, 0, 0}))) < 1e-5f)
        refuse("camera.up", "points along the viewing direction", "choose another direction");
}

} // namespace

void checkScene(const Scene& scene)
{
    for (const auto& [name, side] : {std::pair("width", scene.width), {"height", scene.height}})
        if (side < 1 || side > 16384)
            refuse(name, "is " + std::to_string(side) + " pixels", "must be between 1 and 16384");
    if (scene.samples != 1 && scene.samples != 4 && scene.samples != 9 && scene.samples != 16)
        refuse("samples", "is " + std::to_string(scene.samples), "must be 1, 4, 9 or 16");
    checkCamera(scene.camera);
    if (scene.cut) {
        isFinite("cut", {scene.cut->offset, 0, 0});
        isFinite("cut.normal", scene.cut->normal);
        if (length(scene.cut->normal) < 1e-9f)
            refuse("cut.normal", "has no length");
    }
    isFinite("sun.direction", scene.sun.direction);
    if (length(scene.sun.direction) < 1e-9f)
        refuse("sun.direction", "has no length");
    isColour("sun.colour", scene.sun.colour);
    inRange("sun.intensity", scene.sun.intensity, 0, 1e6f);
    inRange("sun.angularDiameter", scene.sun.angularDiameter, 0, 20);
    isColour("sky.zenith", scene.sky.zenith);
    isColour("sky.horizon", scene.sky.horizon);
    isColour("sky.ground", scene.sky.ground);
    inRange("sky.intensity", scene.sky.intensity, 0, 1e6f);
    const Environment& around = scene.environment;
    if (around.width < 0 || around.height < 0 ||
        around.pixels.size() !=
            3 * static_cast<std::size_t>(around.width) * static_cast<std::size_t>(around.height))
        refuse("environment", "has " + std::to_string(around.pixels.size()) + " numbers for " +
                                  std::to_string(around.width) + " x " +
                                  std::to_string(around.height) + " pixels");
    inRange("environment.rotation", around.rotation, -1e6f, 1e6f);
    inRange("environment.intensity", around.intensity, 0, 1e6f);
    if (scene.points.size() > kMaxPointLights)
        refuse("points", "has " + std::to_string(scene.points.size()) + " lights",
               "at most " + std::to_string(kMaxPointLights) + " are drawn");
    for (const PointLight& light : scene.points) {
        isFinite("points.position", light.position);
        isColour("points.colour", light.colour);
        inRange("points.intensity", light.intensity, 0, 1e9f);
    }
    isColour("background.top", scene.background.top);
    isColour("background.horizon", scene.background.horizon);
    isFinite("ground.height", {scene.ground.height, 0, 0});
    isColour("ground.colour", scene.ground.colour);
    isColour("ground.lineColour", scene.ground.lineColour);
    inRange("ground.spacing", scene.ground.spacing, 0, 1e9f);
    inRange("ground.fade", scene.ground.fade, 0, 1e12f);
    inRange("effects.ambientOcclusion", scene.effects.ambientOcclusion, 0, 1);
    inRange("effects.occlusionRadius", scene.effects.occlusionRadius, 0, 1e9f);
    inRange("effects.noiseShift", scene.effects.noiseShift, 0, 4096);
    inRange("effects.exposure", scene.effects.exposure, -20, 20);
    if (scene.effects.shadowMapSize < 256 || scene.effects.shadowMapSize > 8192)
        refuse("effects.shadowMapSize", "is " + std::to_string(scene.effects.shadowMapSize),
               "must be between 256 and 8192");
    for (std::size_t i = 0; i < scene.particles.size(); ++i)
        checkParticles("particles[" + std::to_string(i) + "]", scene.particles[i]);
    for (std::size_t i = 0; i < scene.meshes.size(); ++i)
        checkMesh("meshes[" + std::to_string(i) + "]", scene.meshes[i]);
    for (std::size_t i = 0; i < scene.gaussians.size(); ++i)
        checkGaussians("gaussians[" + std::to_string(i) + "]", scene.gaussians[i]);
}

} // namespace floe::render
