#include "view.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace floe::render {
namespace {

constexpr float kDegrees = std::numbers::pi_v<float> / 180;
constexpr float kNarrowFov = 0.1f; // [degrees]: 570 times as far away as the picture is high

Float4 extended(const Float3& v, float w = 0)
{
    return {v[0], v[1], v[2], w};
}

/// 1, 2 or 5 times a power of ten, not above `x`.
float roundDown(float x)
{
    const float power = std::pow(10.0f, std::floor(std::log10(x)));
    const float rest = x / power;
    return power * (rest >= 5 ? 5.0f : rest >= 2 ? 2.0f : 1.0f);
}

/// The part of the casters that matters: near the camera's target. A single particle that flew
/// away must not blow the map up.
Bounds shadowRegion(const Scene& scene, const Bounds& casters, float distance)
{
    Bounds region = casters;
    const float reach = 5 * distance;
    for (int i = 0; i < 3; ++i) {
        region.low[i] = std::max(region.low[i], scene.camera.target[i] - reach);
        region.high[i] = std::min(region.high[i], scene.camera.target[i] + reach);
        if (region.low[i] > region.high[i])
            return kNoBounds;
    }
    return region;
}

/// The distance that sizes derived from the view go by: that at which a lens of usual width sees
/// as much.
float viewDistance(const Camera& camera)
{
    const float distance = length(subtract(camera.target, camera.eye));
    constexpr float kUsualFov = 40;
    return camera.orthographic ? distance * std::tan(0.5f * camera.verticalFov * kDegrees) /
                                     std::tan(0.5f * kUsualFov * kDegrees)
                               : distance;
}

void placeShadow(FrameBlock& block, const Scene& scene, const Bounds& casters, float distance)
{
    const Bounds region = isEmpty(casters) ? kNoBounds : shadowRegion(scene, casters, distance);
    if (!scene.sun.shadow || scene.sun.intensity <= 0 || isEmpty(region))
        return;
    const Float3 toSun = {block.sunDirection[0], block.sunDirection[1], block.sunDirection[2]};
    const Float3 right =
        normalized(cross(std::abs(toSun[1]) < 0.95f ? Float3{0, 1, 0} : Float3{1, 0, 0}, toSun));
    const Float3 up = cross(toSun, right);
    Bounds inLight = kNoBounds;
    for (int i = 0; i < 8; ++i) {
        const Float3 p = subtract(corner(region, i), scene.camera.eye);
        include(inLight, {dot(p, right), dot(p, up), -dot(p, toSun)});
    }
    // A margin, so that soft edges do not look beyond the map.
    const float side = 1.16f * std::max({inLight.high[0] - inLight.low[0],
                                         inLight.high[1] - inLight.low[1], 1e-6f * distance});
    const float depth = 1.02f * std::max(inLight.high[2] - inLight.low[2], 1e-6f * distance);
    const Float3 middle = {0.5f * (inLight.low[0] + inLight.high[0]),
                           0.5f * (inLight.low[1] + inLight.high[1]),
                           0.5f * (inLight.low[2] + inLight.high[2])};
    block.shadow = forShader({right[0] / side, right[1] / side, right[2] / side,
                              0.5f - middle[0] / side, //
                              up[0] / side, up[1] / side, up[2] / side,
                              0.5f - middle[1] / side, //
                              -toSun[0] / depth, -toSun[1] / depth, -toSun[2] / depth,
                              0.5f - middle[2] / depth, //
                              0, 0, 0, 1});
    const float texels = static_cast<float>(scene.effects.shadowMapSize);
    block.shadowSize = {texels, 1 / texels, side / texels, depth};
    block.sunColour[3] = 1;
}

} // namespace

Camera lensOf(const Camera& camera)
{
    if (!camera.orthographic || camera.verticalFov <= kNarrowFov)
        return camera;
    Camera lens = camera;
    const float ratio =
        std::tan(0.5f * camera.verticalFov * kDegrees) / std::tan(0.5f * kNarrowFov * kDegrees);
    lens.eye = add(camera.target, scaled(subtract(camera.eye, camera.target), ratio));
    lens.verticalFov = kNarrowFov;
    return lens;
}

Camera frameCamera(const Bounds& bounds, float aspect, float verticalFov)
{
    Camera camera;
    camera.verticalFov = verticalFov;
    const Float3 middle = scaled(add(bounds.low, bounds.high), 0.5f);
    float radius = 0.5f * length(subtract(bounds.high, bounds.low));
    if (!finite(middle) || !std::isfinite(radius))
        return camera;
    radius = std::max(radius, 1e-3f);
    const float half = std::tan(0.5f * verticalFov * kDegrees) * std::min(1.0f, aspect);
    const float distance = radius / std::sin(std::atan(half)) * 1.02f;
    camera.target = middle;
    camera.eye = add(middle, scaled(normalized({0.55f, 0.38f, 1.0f}), distance));
    return camera;
}

FrameBlock frameBlock(const Scene& scene, std::uint32_t width, std::uint32_t height,
                      int samplesASide, const Bounds& casters, float maxRadius, float clearRadius,
                      bool anyClear)
{
    FrameBlock block{};
    const Camera& camera = scene.camera;
    const Float3 view = subtract(camera.target, camera.eye);
    const float distance = viewDistance(camera);
    const Float3 forward = normalized(view);
    const Float3 right = normalized(cross(forward, camera.up));
    const Float3 up = cross(right, forward);
    const float tanHalf = std::tan(0.5f * camera.verticalFov * kDegrees);
    const float aspect = static_cast<float>(scene.width) / static_cast<float>(scene.height);
    const float samples = static_cast<float>(samplesASide);

    // depth = x + y / distance: 1 at the near plane, 0 at the far plane or at infinity.
    const float nearPlane = camera.nearPlane > 0 ? camera.nearPlane : 1e-3f * distance;
    const float farPlane = camera.farPlane;
    const float x = farPlane > 0 ? -nearPlane / (farPlane - nearPlane) : 0.0f;
    const float y = farPlane > 0 ? nearPlane * farPlane / (farPlane - nearPlane) : nearPlane;
    const float sx = 1 / (tanHalf * aspect);
    const float sy = -1 / tanHalf; // Vulkan's y points down
    const Float3 across = add(scaled(right, sx), scaled(forward, camera.shift[0]));
    const Float3 down = add(scaled(up, sy), scaled(forward, camera.shift[1]));
    block.projection = forShader({across[0], across[1], across[2], 0,                //
                                  down[0], down[1], down[2], 0,                      //
                                  x * forward[0], x * forward[1], x * forward[2], y, //
                                  forward[0], forward[1], forward[2], 0});
    block.right = extended(scaled(right, tanHalf * aspect));
    block.up = extended(scaled(up, tanHalf));
    block.forward = extended(forward, 0.5f * static_cast<float>(height) / tanHalf);
    block.eye = extended(camera.eye);
    block.size = {static_cast<float>(width), static_cast<float>(height),
                  1 / static_cast<float>(width), 1 / static_cast<float>(height)};
    block.shift = {camera.shift[0], camera.shift[1], scene.effects.noiseShift,
                   camera.orthographic ? distance / length(view) : 1.0f};
    block.depthTerms = {x, y, std::max(maxRadius, 1e-20f), nearPlane};

    block.sunDirection = extended(normalized(scaled(scene.sun.direction, -1)),
                                  std::tan(0.5f * scene.sun.angularDiameter * kDegrees));
    block.sunColour = extended(scaled(scene.sun.colour, scene.sun.intensity));
    placeShadow(block, scene, casters, distance);
    block.skyZenith = extended(scaled(scene.sky.zenith, scene.sky.intensity));
    block.skyHorizon = extended(scaled(scene.sky.horizon, scene.sky.intensity));
    block.skyGround = extended(scaled(scene.sky.ground, scene.sky.intensity));
    block.backgroundTop =
        extended(scene.background.top, scene.background.transparent ? 1.0f : 0.0f);
    block.backgroundHorizon = extended(scene.background.horizon);

    const Float3 toTarget = subtract(camera.target, camera.eye);
    const float spacing =
        scene.ground.spacing > 0 ? scene.ground.spacing : roundDown(distance / 10);
    const float fade = scene.ground.fade > 0 ? scene.ground.fade : 3.5f * distance;
    const GroundView seen = groundView(scene);
    block.ground = {seen == GroundView::Grid ? length(toTarget)
                                             : scene.ground.height - camera.eye[1],
                    spacing, fade, static_cast<float>(seen)};
    block.groundColour = extended(scene.ground.colour, toTarget[0]);
    block.lineColour = extended(scene.ground.lineColour, toTarget[2]);

    const float radius = scene.effects.occlusionRadius > 0
                             ? scene.effects.occlusionRadius
                             : std::max(0.08f * distance, 6 * maxRadius);
    // Samples share the occlusion of their pixel when there are several.
    block.occlusion = {scene.effects.ambientOcclusion, radius, 14.0f, samples};
    block.tone = {std::exp2(scene.effects.exposure),
                  scene.effects.toneMap == ToneMap::Filmic ? 1.0f : 0.0f, samples,
                  static_cast<float>(scene.points.size())};
    block.clear = {clearRadius, samples, 2 * samples, anyClear ? 1.0f : 0.0f};
    const bool hasGaussians =
        std::any_of(scene.gaussians.begin(), scene.gaussians.end(),
                    [](const GaussianSet& set) { return !set.positions.empty(); });
    // Kerbl et al. 2023: 0.3 pixels^2.
    block.gaussians = {0.3f * samples * samples,
                       scene.effects.gaussianFilter == GaussianFilter::Conserve ? 1.0f : 0.0f,
                       hasGaussians ? 1.0f : 0.0f, 0};
    block.cut = {0, 0, 0, std::numeric_limits<float>::max()};
    if (scene.cut) {
        const Float3 normal = normalized(scene.cut->normal);
        block.cut = extended(normal, scene.cut->offset / length(scene.cut->normal) -
                                         dot(normal, camera.eye));
    }
    for (std::size_t i = 0; i < scene.points.size(); ++i) {
        const PointLight& light = scene.points[i];
        block.pointPosition[i] = extended(subtract(light.position, camera.eye));
        block.pointColour[i] = extended(scaled(light.colour, light.intensity));
    }
    return block;
}

GroundView groundView(const Scene& scene)
{
    if (!scene.ground.visible)
        return GroundView::Nothing;
    if (!scene.camera.orthographic)
        return GroundView::Plane;
    const Float3 forward = normalized(subtract(scene.camera.target, scene.camera.eye));
    constexpr float kAlong = 1e-6f; // a tenth of a degree
    const float along = std::max({std::abs(forward[0]), forward[1], std::abs(forward[2])});
    if (along > 1 - kAlong)
        return GroundView::Grid;
    // Parallel rays along the ground would see it as a wall.
    constexpr float kGrazing = 0.01f;
    return std::abs(forward[1]) > kGrazing ? GroundView::Plane : GroundView::Nothing;
}

SampleRectangle coveredSamples(const Scene& scene, const FrameBlock& block, const Bounds& bounds)
{
    const SampleRectangle all = {0, 0, static_cast<std::uint32_t>(block.size[0]),
                                 static_cast<std::uint32_t>(block.size[1])};
    if (isEmpty(bounds))
        return {0, 0, 0, 0};
    std::array<float, 2> low = {1, 1}, high = {0, 0}; // of the picture, 0..1
    for (int i = 0; i < 8; ++i) {
        const Float3 p = subtract(corner(bounds, i), scene.camera.eye);
        const ShaderMatrix& m = block.projection;
        const float w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2];
        if (!(w > 1e-6f * length(p)))
            return all; // reaches behind the camera
        for (int k = 0; k < 2; ++k) {
            const float place = 0.5f + 0.5f * (m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2]) / w;
            low[k] = std::min(low[k], place);
            high[k] = std::max(high[k], place);
        }
    }
    SampleRectangle part{};
    for (int k = 0; k < 2; ++k) {
        const float size = block.size[k];
        const auto begin =
            static_cast<std::uint32_t>(std::clamp(std::floor(low[k] * size) - 1, 0.0f, size));
        const auto end =
            static_cast<std::uint32_t>(std::clamp(std::ceil(high[k] * size) + 1, 0.0f, size));
        (k == 0 ? part.x : part.y) = begin;
        (k == 0 ? part.width : part.height) = end > begin ? end - begin : 0;
    }
    return part;
}

} // namespace floe::render
