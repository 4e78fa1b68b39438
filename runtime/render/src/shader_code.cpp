#include "shader_code.hpp"

#include <cstdint>

namespace floe::render::shader {

// Each included file is a list of words made by glslc.
static const std::uint32_t clearVert[] = {
#include "clear.vert.inc"
};
static const std::uint32_t clearFrag[] = {
#include "clear.frag.inc"
};
static const std::uint32_t clearMeshFrag[] = {
#include "clear_mesh.frag.inc"
};
static const std::uint32_t clearMeshSkinFrag[] = {
#include "clear_mesh_skin.frag.inc"
};
static const std::uint32_t clearMeshVolumeVert[] = {
#include "clear_mesh_volume.vert.inc"
};
static const std::uint32_t clearMeshVolumeFrag[] = {
#include "clear_mesh_volume.frag.inc"
};
static const std::uint32_t clearMeshShadowVert[] = {
#include "clear_mesh_shadow.vert.inc"
};
static const std::uint32_t clearMeshShadowFrag[] = {
#include "clear_mesh_shadow.frag.inc"
};
static const std::uint32_t clearNormalFrag[] = {
#include "clear_normal.frag.inc"
};
static const std::uint32_t clearShadowVert[] = {
#include "clear_shadow.vert.inc"
};
static const std::uint32_t clearShadowFrag[] = {
#include "clear_shadow.frag.inc"
};
static const std::uint32_t clearSkinFrag[] = {
#include "clear_skin.frag.inc"
};
static const std::uint32_t clearSmoothFrag[] = {
#include "clear_smooth.frag.inc"
};
static const std::uint32_t clearVolumeFrag[] = {
#include "clear_volume.frag.inc"
};
static const std::uint32_t clearVolumeBlurFrag[] = {
#include "clear_volume_blur.frag.inc"
};
static const std::uint32_t coverVert[] = {
#include "cover.vert.inc"
};
static const std::uint32_t coverReduceFrag[] = {
#include "cover_reduce.frag.inc"
};
static const std::uint32_t fullscreenVert[] = {
#include "fullscreen.vert.inc"
};
static const std::uint32_t gridFrag[] = {
#include "grid.frag.inc"
};
static const std::uint32_t groundFrag[] = {
#include "ground.frag.inc"
};
static const std::uint32_t immersedFrag[] = {
#include "immersed.frag.inc"
};
static const std::uint32_t immersedDepthFrag[] = {
#include "immersed_depth.frag.inc"
};
static const std::uint32_t lightFrag[] = {
#include "light.frag.inc"
};
static const std::uint32_t meshVert[] = {
#include "mesh.vert.inc"
};
static const std::uint32_t meshFrag[] = {
#include "mesh.frag.inc"
};
static const std::uint32_t meshShadowVert[] = {
#include "mesh_shadow.vert.inc"
};
static const std::uint32_t occlusionFrag[] = {
#include "occlusion.frag.inc"
};
static const std::uint32_t occlusionBlurFrag[] = {
#include "occlusion_blur.frag.inc"
};
static const std::uint32_t particleVert[] = {
#include "particle.vert.inc"
};
static const std::uint32_t particleFrag[] = {
#include "particle.frag.inc"
};
static const std::uint32_t particleShadowVert[] = {
#include "particle_shadow.vert.inc"
};
static const std::uint32_t discFrag[] = {
#include "disc.frag.inc"
};
static const std::uint32_t resolveFrag[] = {
#include "resolve.frag.inc"
};
static const std::uint32_t smoothFrag[] = {
#include "smooth.frag.inc"
};
static const std::uint32_t splatVert[] = {
#include "splat.vert.inc"
};
static const std::uint32_t splatFrag[] = {
#include "splat.frag.inc"
};
static const std::uint32_t splatCountComp[] = {
#include "splat_count.comp.inc"
};
static const std::uint32_t splatProjectComp[] = {
#include "splat_project.comp.inc"
};
static const std::uint32_t splatScanComp[] = {
#include "splat_scan.comp.inc"
};
static const std::uint32_t splatScatterComp[] = {
#include "splat_scatter.comp.inc"
};
static const std::uint32_t splatShadowVert[] = {
#include "splat_shadow.vert.inc"
};
static const std::uint32_t visibleMeshVert[] = {
#include "visible_mesh.vert.inc"
};
static const std::uint32_t visibleMeshFrag[] = {
#include "visible_mesh.frag.inc"
};
static const std::uint32_t visibleParticleVert[] = {
#include "visible_particle.vert.inc"
};
static const std::uint32_t visibleParticleFrag[] = {
#include "visible_particle.frag.inc"
};

const Spirv kClearVert = clearVert;
const Spirv kClearFrag = clearFrag;
const Spirv kClearMeshFrag = clearMeshFrag;
const Spirv kClearMeshSkinFrag = clearMeshSkinFrag;
const Spirv kClearMeshVolumeFrag = clearMeshVolumeFrag;
const Spirv kClearMeshVolumeVert = clearMeshVolumeVert;
const Spirv kClearMeshShadowVert = clearMeshShadowVert;
const Spirv kClearMeshShadowFrag = clearMeshShadowFrag;
const Spirv kClearNormalFrag = clearNormalFrag;
const Spirv kClearShadowVert = clearShadowVert;
const Spirv kClearShadowFrag = clearShadowFrag;
const Spirv kClearSkinFrag = clearSkinFrag;
const Spirv kClearSmoothFrag = clearSmoothFrag;
const Spirv kClearVolumeFrag = clearVolumeFrag;
const Spirv kClearVolumeBlurFrag = clearVolumeBlurFrag;
const Spirv kCoverVert = coverVert;
const Spirv kCoverReduceFrag = coverReduceFrag;
const Spirv kFullscreenVert = fullscreenVert;
const Spirv kGridFrag = gridFrag;
const Spirv kGroundFrag = groundFrag;
const Spirv kImmersedFrag = immersedFrag;
const Spirv kImmersedDepthFrag = immersedDepthFrag;
const Spirv kLightFrag = lightFrag;
const Spirv kMeshVert = meshVert;
const Spirv kMeshFrag = meshFrag;
const Spirv kMeshShadowVert = meshShadowVert;
const Spirv kOcclusionFrag = occlusionFrag;
const Spirv kOcclusionBlurFrag = occlusionBlurFrag;
const Spirv kParticleVert = particleVert;
const Spirv kParticleFrag = particleFrag;
const Spirv kParticleShadowVert = particleShadowVert;
const Spirv kDiscFrag = discFrag;
const Spirv kResolveFrag = resolveFrag;
const Spirv kSmoothFrag = smoothFrag;
const Spirv kSplatVert = splatVert;
const Spirv kSplatFrag = splatFrag;
const Spirv kSplatCountComp = splatCountComp;
const Spirv kSplatProjectComp = splatProjectComp;
const Spirv kSplatScanComp = splatScanComp;
const Spirv kSplatScatterComp = splatScatterComp;
const Spirv kSplatShadowVert = splatShadowVert;
const Spirv kVisibleMeshVert = visibleMeshVert;
const Spirv kVisibleMeshFrag = visibleMeshFrag;
const Spirv kVisibleParticleVert = visibleParticleVert;
const Spirv kVisibleParticleFrag = visibleParticleFrag;

} // namespace floe::render::shader
