#pragma once

#include "floe/render/colour_map.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floe::render {

class ExternalBuffer;

/// Right-handed world, y up, metres. Colours are linear RGB.
using Float4x4 = std::array<float, 16>; ///< row by row; points are columns, translation in 3, 7, 11
inline constexpr Float4x4 kIdentity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

struct Bounds {
    Float3 low;
    Float3 high;
};

/// Location of an array: in the caller's memory, which must live until render() returns, or in a
/// buffer of the renderer that another program on the same device fills (see ExternalBuffer).
template <class T>
struct Source {
    std::span<const T> host;
    std::shared_ptr<const ExternalBuffer> device; ///< replaces `host` when set
    std::uint64_t offset = 0;                     ///< [bytes] into `device`, a multiple of 256
    std::uint64_t count = 0;                      ///< elements in `device`

    Source() = default;
    Source(std::span<const T> values) : host(values) {}
    Source(const std::vector<T>& values) : host(values) {}
    Source(std::vector<T>&&) = delete; ///< would not live long enough
    std::uint64_t size() const { return device ? count : host.size(); }
};

struct Camera {
    Float3 eye = {3, 2, 4};
    Float3 target = {0, 0.5f, 0};
    Float3 up = {0, 1, 0};
    float verticalFov = 40; ///< [degrees], 1 to 170
    float nearPlane = 0;    ///< [m]; 0: a thousandth of the distance from eye to target
    float farPlane = 0;     ///< [m]; 0: no limit
    /// Moves the picture to the right and down, in halves of its width and height, -1 to 1: a lens
    /// beside the middle of its sensor.
    std::array<float, 2> shift = {0, 0};

    /// Rays are parallel, as near as numbers allow: the picture is everywhere as high as
    /// verticalFov makes it at the target. What lies behind the eye is seen too.
    bool orthographic = false;

    float aperture = 0; ///< diameter of the lens [m]; see exposure.hpp
    float focus = 0;    ///< distance along the view of what is sharp [m]; 0: that of the target
};

/// Returns what draws an orthographic camera: a lens so narrow and so far away that a point as far
/// before or behind the target as the picture is high moves by less than a thousandth of its
/// distance from the middle. Other cameras are returned as they are.
Camera lensOf(const Camera& camera);

/// Returns a camera that shows all of `bounds` from the front right, slightly from above.
/// @param aspect width / height of the picture
Camera frameCamera(const Bounds& bounds, float aspect, float verticalFov = 35);

/// Directional light with a shadow that softens with the distance from its caster
/// (percentage-closer soft shadows, Fernando 2005).
struct Sun {
    Float3 direction = {0.68f, -0.70f,
                        -0.36f}; ///< direction of travel of the light; any length but 0
    Float3 colour = {1.0f, 0.94f, 0.85f};
    float intensity =
        1.75f; ///< radiance of a white surface facing it, relative to a screen's white
    float angularDiameter = 1.5f; ///< [degrees], 0 to 20; the real sun's is 0.53
    bool shadow = true;
};

/// Ambient light: from above `zenith`, from the sides `horizon`, from below `ground`.
struct Sky {
    Float3 zenith = {0.60f, 0.76f, 1.0f};
    Float3 horizon = {0.75f, 0.82f, 0.92f};
    Float3 ground = {0.32f, 0.30f, 0.28f};
    float intensity = 0.48f;
};

/// Light from a picture of all that is around (equirectangular): in place of the sky and of the
/// background. It throws no shadows; a sun beside it does.
struct Environment {
    /// Red, green and blue of each pixel, linear, row by row from straight up to straight down. The
    /// middle of a row looks along -z, what follows it to the right along +x. Empty: there is none.
    /// What is no number or below 0 is dark.
    std::span<const float> pixels;
    int width = 0; ///< [pixels]
    int height = 0;
    float rotation = 0; ///< about the vertical, counter-clockwise seen from above [degrees]
    float intensity = 1;
    std::uint64_t revision = 0; ///< as in ParticleSet, of `pixels`
};

/// Point light, falling off with the squared distance; casts no shadow.
struct PointLight {
    Float3 position = {0, 2, 0};
    Float3 colour = {1, 1, 1};
    float intensity = 1; ///< of a white surface facing it at 1 m
};

inline constexpr std::size_t kMaxPointLights = 16;

/// Reflection and transmission of light by a surface.
struct Look {
    Float3 colour = {0.7f, 0.7f, 0.7f};
    float roughness = 0.8f;  ///< 0.05 mirror-like to 1 matt (GGX)
    float specular = 0.04f;  ///< reflectance facing the viewer, 0 to 1
    float translucency = 0;  ///< 0 to 1: light wrapping around the terminator into shade
    float smoothing = 0.5f;  ///< 0: every particle a ball, 1: particles merge into one surface and
                             ///< are up to 1.35 times as large, to close it
    float variation = 0.06f; ///< relative change of brightness from particle to particle

    /// Below 1, it is matter that light enters: what is inside and behind appears refracted and
    /// tinted. 0: no scattering; higher: milkier. Meshes of clear matter are closed.
    float opacity = 1;
    /// Distance in clear matter after which white light has `colour` (Beer-Lambert) [m], > 0.
    float colourDepth = 0.5f;

    /// Opaque particles show grains of this diameter [m]; 0, and where it is larger than they are:
    /// none. They fade where they are smaller than a sample.
    float grain = 0;
    float sparkle = 0; ///< 0 to 1: share of the grains that glint in the sun, for snow and crystals

    bool hidden = false; ///< particles are not drawn: a mesh shows them
};

/// Returns the look of a material by name: snow, soil, mud, concrete, metal, jello, rubber, water,
/// honey, sand; anything else is a neutral grey.
Look lookOf(std::string_view material);

/// Returns the looks of the activation states 0 passive, 1 active, 2 boundary.
std::vector<Look> activationLooks();

enum class ColourBy {
    Constant, ///< `look` for all particles
    Index,    ///< palette[indices[i]], the last entry for larger numbers
    Scalar    ///< `map` of scalars[i] between `low` and `high`; the rest from `look`
};

/// Particles drawn as spheres with a depth in every pixel. NaN positions are skipped.
struct ParticleSet {
    Source<Float3> positions; ///< [m]
    float radius = 0.01f;     ///< [m], > 0
    std::uint32_t every = 1;  ///< draws the first of each group of this many, > 0

    ColourBy colourBy = ColourBy::Constant;
    Look look;
    Source<std::uint8_t> indices;
    std::vector<Look> palette; ///< 1 to 256 entries when colouring by index
    Source<float> scalars;
    ColourMap map = ColourMap::Viridis;
    float low = 0;
    float high = 1;

    /// Numbers that follow a particle when arrays are reordered; they select its variation. Empty:
    /// the array index is used.
    Source<std::uint32_t> ids;

    /// Bounds of the positions. Computed for positions in host memory, required otherwise.
    std::optional<Bounds> bounds;

    /// Nonzero: the contents of the set at this place of the scene are the same as when this number
    /// was last rendered, so they are not copied to the device again.
    std::uint64_t revision = 0;
};

/// Triangles, lit from both sides.
struct Mesh {
    std::span<const Float3> points; ///< [m], before `transform`
    std::span<const std::array<std::uint32_t, 3>> triangles;
    std::span<const Float3> colours; ///< of the points, linear, in place of the look's; or empty
    Float4x4 transform = kIdentity;
    Look look = {.colour = {0.42f, 0.44f, 0.47f}, .roughness = 0.55f, .specular = 0.04f};
    std::uint64_t revision = 0; ///< as in ParticleSet; the others may change freely
    bool shadow = true;         ///< casts a shadow; marks in the picture (boxes, lines) do not
    bool smooth = false;        ///< else edges sharper than 40 degrees stay sharp
    bool whole = false;         ///< Scene::cut leaves it as it is
};

/// 3D Gaussians (Kerbl et al. 2023), drawn as they were captured: their colours are those of a
/// screen and change with the direction of sight; light and exposure do not touch them, but the
/// shadows that other things cast onto them (Effects::gaussianShadows). They hide what lies behind
/// and are hidden by opaque things; clear matter is drawn behind them. Those that are not numbers
/// are skipped.
struct GaussianSet {
    std::span<const Float3> positions;               ///< [m]
    std::span<const Float3> scales;                  ///< standard deviations along own axes [m]
    std::span<const std::array<float, 4>> rotations; ///< own axes to world, x, y, z, w
    std::span<const float> opacities;                ///< 0 to 1
    std::span<const float> harmonics; ///< (degree + 1)^2 coefficients each, red, green, blue
    int degree = 0;                   ///< of the spherical harmonics, 0 to 3
    /// How colours have turned with their Gaussian since they were captured, x, y, z, w; empty:
    /// not.
    std::span<const std::array<float, 4>> turns;
    bool shadow = true;         ///< what is more than half opaque casts a shadow
    std::uint64_t revision = 0; ///< as in ParticleSet
    /// The same for the harmonics alone, most of the data: of a set that moves they stay.
    std::uint64_t harmonicsRevision = 0;
};

/// How Gaussians smaller than a pixel stay visible.
enum class GaussianFilter {
    Dilate,  ///< all grow by 0.3 pixels^2: as most captures were fitted (Kerbl et al. 2023)
    Conserve ///< they also fade by as much as they grow: fine detail does not thicken in the
             ///< distance (Yu et al. 2024)
};

/// Unbounded horizontal plane with grid lines that fade out in the distance. Invisible from below.
/// A camera without perspective that looks along a horizontal axis, or straight up, sees grid lines
/// of the same spacing behind everything instead, in the plane across its line of sight.
struct Ground {
    bool visible = true;
    float height = 0; ///< [m]
    Float3 colour = {0.27f, 0.28f, 0.295f};
    Float3 lineColour = {0.16f, 0.17f, 0.185f};
    float spacing = 0; ///< between lines [m]; 0: derived from the view; every tenth is stronger
    float fade = 0;    ///< distance from the camera's target where half has faded [m]; 0: derived
};

/// The background: a gradient from the horizon up.
struct Background {
    Float3 top = {0.24f, 0.33f, 0.45f};
    Float3 horizon = {0.66f, 0.72f, 0.78f};
    bool transparent = false; ///< coverage becomes the picture's alpha
};

/// A bar of the colour map with numbers, or one line per entry when there are entries.
struct Legend {
    bool visible = false;
    std::string title; ///< with its unit: "speed [m/s]"
    ColourMap map = ColourMap::Viridis;
    float low = 0;
    float high = 1;
    struct Entry {
        std::string label;
        Float3 colour;
    };
    std::vector<Entry> entries; ///< at most 12 are drawn
};

enum class ToneMap {
    Filmic, ///< ACES, fit by Stephen Hill: highlights roll off softly
    None    ///< clamped
};

struct Effects {
    float ambientOcclusion = 0.9f; ///< 0 none to 1
    float occlusionRadius = 0;     ///< [m]; 0: derived from the scene's size
    float exposure = 0;            ///< [stops]
    ToneMap toneMap = ToneMap::Filmic;
    bool clear =
        true; ///< draw clear matter (Look::opacity) clear; false: all opaque, which is quicker
    int shadowMapSize = 2048; ///< 256 to 8192 texels per side
    GaussianFilter gaussianFilter = GaussianFilter::Dilate;
    /// Shadows of opaque particles, meshes and other sets darken Gaussians, at their middle, as
    /// they darken the ground. A set throws none onto itself: its colours have them.
    bool gaussianShadows = true;
    float noiseShift = 0; ///< [pixels] of the noise in shadows and occlusion, 0 to 4096
};

/// Parts of Image to compute.
struct Outputs {
    bool display = true;
    bool linear = false;
    bool depth = false;
};

/// Cuts a picture's scene open: what lies before a plane is not drawn and throws no shadow.
/// Particles and Gaussians go or stay as a whole, by their middles; meshes are cut through.
struct Cut {
    Float3 normal = {0, 0, 1}; ///< any length but 0
    float offset = 0;          ///< points x with dot(normal, x) > offset are cut away
    bool operator==(const Cut&) const = default;
};

inline bool isCut(const Cut& cut, const Float3& x)
{
    return cut.normal[0] * x[0] + cut.normal[1] * x[1] + cut.normal[2] * x[2] > cut.offset;
}

/// All inputs of a picture.
struct Scene {
    int width = 1280; ///< 1 to 16384 [pixels]
    int height = 720;
    int samples = 4; ///< per pixel: 1, 4, 9 or 16

    Camera camera;
    std::optional<Cut> cut;
    Sun sun;
    Sky sky;
    Environment environment;
    std::vector<PointLight> points; ///< at most kMaxPointLights
    Background background;
    Ground ground;
    std::vector<ParticleSet> particles;
    std::vector<Mesh> meshes;
    std::vector<GaussianSet> gaussians; ///< sorted together

    Legend legend;
    std::string caption; ///< drawn at the lower left; Latin letters, digits, punctuation
    Effects effects;
    Outputs outputs;
};

} // namespace floe::render
