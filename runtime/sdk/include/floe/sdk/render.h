/* Host extension: pictures. The host owns the Vulkan device. Thread-safe; calls are queued. */
#ifndef FLOE_SDK_RENDER_H
#define FLOE_SDK_RENDER_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOE_RENDER_EXTENSION "floe.render/1"

/* clang-format off */
/* What to draw. Arrays may be empty; a missing camera frames everything, missing lights are a sun
 * and a sky. Particles with attributes `x` (3), `scale` (3 standard deviations [m]), `rotation` (own
 * axes to world: x, y, z, w), `opacity` (0 to 1) and `sh` (spherical harmonics of degree 0 to 3, each
 * coefficient red, green, blue), all FLOAT32, are drawn as 3D Gaussians unless colorBy names one of
 * their attributes; `shRotation` (4) turns their colours. `settings` is a record "render"; those marked ? may be missing:
 *
 *   width height              number   [pixels]
 *   samples                   number   1, 4 or 16 samples a pixel
 *   colorBy                   string   material (the particles' field `materials`) | speed | state |
 *                                      any attribute of one float component
 *   colorMap                  string   viridis | inferno | turbo | grey | coolwarm | ice
 *   mapMin mapMax             number   range of the map; equal: from the particles
 *   legend                    boolean
 *   surfaces?                 string   smooth | spheres: particles of liquids and solids, by their
 *                                      material's law, where colorBy is material
 *   particleRadius            number   [m]; 0: from the particles' volume attribute
 *   background backgroundTop  vector
 *   ground                    boolean  draw a ground plane at groundHeight
 *   groundHeight              number   [m]
 *   groundColor               vector
 *   sleepColor?               vector   of particles that sleep, where colorBy is state
 *   ambientOcclusion          number   0 to 1
 *   exposure                  number   stops
 *   caption?                  string   drawn in a corner
 *   gaussianFilter?           string   dilate | conserve: see floe.output.render
 *   gaussianShadows?          boolean  other things cast shadows onto Gaussians
 *   exposures?                number   1 to 1024 pictures that are averaged: seen from all over the
 *                                      camera's aperture, at moments of the shutter's time, with soft
 *                                      shadows
 *   shutter?                  number   how long it is open [frames], 0 to 10, around the frame
 */
/* clang-format on */
typedef struct floe_render_scene {
    uint32_t struct_size;
    uint32_t particle_count;
    const floe_value* const* particles;
    uint32_t mesh_count;
    const floe_value* const* meshes; /* values of kind mesh, in world space */
    uint32_t collider_count;
    uint32_t light_count;
    const floe_value* const* colliders; /* records "collider", drawn by their mesh at `frame` */
    const floe_value* const* lights;
    const floe_value* camera;
    const floe_value* settings;
    double frame;
} floe_render_scene;

typedef struct floe_render {
    uint32_t struct_size;
    /* RGBA, linear, tone-mapped. FLOE_UNSUPPORTED: no Vulkan device. */
    floe_status (*draw)(const floe_context*, const floe_render_scene* scene, floe_value** image);
    /* What a camera measures, without light: particles (balls of their radius) and meshes;
     * Gaussians have no surface. Of `settings`, width, height and particleRadius count. Gives a
     * value of kind particles with one for each pixel that shows something, row by row from the
     * upper left:
     *
     *   x         3 float32   the point that is seen [m]
     *   normal    3 float32   of the surface there, turned to the camera
     *   depth     1 float32   along the viewing direction [m]
     *   v         3 float32   of the point, in the world: of its particle, its mesh, or its
     *                         collider's motion [m/s]
     *   flow      2 float32   where it is in the picture less where it was in the picture of the
     *                         frame before, to the right and down [pixels]: its own motion and the
     *                         camera's (`before` of its record). Not a number: it was behind the
     *                         camera
     *   pixel     1 uint32    row * width + column
     *   object    1 uint32    place among particles, then meshes, then colliders
     *   element   1 uint32    particle or triangle of it
     *   material  1 int32     of the particle; -1: none
     *
     * and the fields width, height, focal (numbers, [pixels]; the middle of the picture lies on the
     * viewing direction), eye, right, down, forward (vectors: the camera's place and axes).
     * FLOE_UNSUPPORTED: no Vulkan device. */
    floe_status (*measure)(const floe_context*, const floe_render_scene* scene,
                           floe_value** pixels);
} floe_render;

#ifdef __cplusplus
}
#endif

#endif
