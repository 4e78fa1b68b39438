#pragma once

#include "linear.hpp"

#include <cstdint>

namespace floe::render {

using Float4 = std::array<float, 4>;

/// The uniform block `Frame` of shaders/frame.glsl, field by field.
struct FrameBlock {
    ShaderMatrix projection;
    ShaderMatrix shadow;
    Float4 right, up, forward, eye, size, shift, depthTerms;
    Float4 sunDirection, sunColour, shadowSize;
    Float4 skyZenith, skyHorizon, skyGround;
    Float4 backgroundTop, backgroundHorizon;
    Float4 ground, groundColour, lineColour;
    Float4 occlusion, tone, clear, gaussians, cut;
    Float4 environment; ///< with `irradiance` by EnvironmentMap::describe()
    std::array<Float4, 9> irradiance;
    std::array<Float4, kMaxPointLights> pointPosition;
    std::array<Float4, kMaxPointLights> pointColour;
};

/// How the ground is seen. The values are those of frame.ground.w.
enum class GroundView {
    Nothing = 0,
    Plane = 1,
    Grid = -1 ///< in its place a grid behind everything, across the line of sight
};

/// Along a horizontal axis or from below, without perspective, one looks at a grid.
GroundView groundView(const Scene& scene);

/// Computes the block for a scene.
/// @param width, height size of the sample buffers: pixels times samples per side
/// @param casters   bounds of shadow casters (may be empty)
/// @param maxRadius largest radius of the particle sets; 0 without particles
/// @param clearRadius largest radius of clear particles; 0 without any
/// @param anyClear  there is clear matter: particles or meshes
FrameBlock frameBlock(const Scene& scene, std::uint32_t width, std::uint32_t height,
                      int samplesASide, const Bounds& casters, float maxRadius, float clearRadius,
                      bool anyClear);

/// Samples, from left and top, that geometry within `bounds` may cover.
struct SampleRectangle {
    std::uint32_t x, y, width, height;
};
SampleRectangle coveredSamples(const Scene& scene, const FrameBlock& block, const Bounds& bounds);

} // namespace floe::render
