#pragma once

#include "pass.hpp"

/// The compiled shaders of shaders/, part of the program.
namespace floe::render::shader {

extern const Spirv kClearVert;
extern const Spirv kClearFrag;
extern const Spirv kClearMeshFrag;
extern const Spirv kClearMeshSkinFrag;
extern const Spirv kClearMeshVolumeFrag;
extern const Spirv kClearMeshVolumeVert;
extern const Spirv kClearMeshShadowVert;
extern const Spirv kClearMeshShadowFrag;
extern const Spirv kClearNormalFrag;
extern const Spirv kClearShadowVert;
extern const Spirv kClearShadowFrag;
extern const Spirv kClearSkinFrag;
extern const Spirv kClearSmoothFrag;
extern const Spirv kClearVolumeFrag;
extern const Spirv kClearVolumeBlurFrag;
extern const Spirv kCoverVert;
extern const Spirv kCoverReduceFrag;
extern const Spirv kFullscreenVert;
extern const Spirv kGridFrag;
extern const Spirv kGroundFrag;
extern const Spirv kImmersedFrag;
extern const Spirv kImmersedDepthFrag;
extern const Spirv kLightFrag;
extern const Spirv kMeshVert;
extern const Spirv kMeshFrag;
extern const Spirv kMeshShadowVert;
extern const Spirv kOcclusionFrag;
extern const Spirv kOcclusionBlurFrag;
extern const Spirv kParticleVert;
extern const Spirv kParticleFrag;
extern const Spirv kParticleShadowVert;
extern const Spirv kDiscFrag;
extern const Spirv kResolveFrag;
extern const Spirv kSmoothFrag;
extern const Spirv kSplatVert;
extern const Spirv kSplatFrag;
extern const Spirv kSplatCountComp;
extern const Spirv kSplatProjectComp;
extern const Spirv kSplatScanComp;
extern const Spirv kSplatScatterComp;
extern const Spirv kSplatShadowVert;
extern const Spirv kVisibleMeshVert;
extern const Spirv kVisibleMeshFrag;
extern const Spirv kVisibleParticleVert;
extern const Spirv kVisibleParticleFrag;

} // namespace floe::render::shader
