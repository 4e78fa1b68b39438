/* Host extension: reading and writing files. Thread-safe. Paths are absolute or relative to the
 * working folder; the format follows from the extension. Failures are explained through the
 * context's message, naming the file. Files appear whole or not at all. */
#ifndef FLOE_SDK_IO_H
#define FLOE_SDK_IO_H

#include "floe/sdk/floe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOE_IO_EXTENSION "floe.io/1"

enum {
    FLOE_SMOOTH_NONE = 0,
    FLOE_SMOOTH_GAUSSIAN = 1,
    FLOE_SMOOTH_LAPLACIAN = 2,
    FLOE_SMOOTH_MEAN_CURVATURE = 3
};

enum {
    FLOE_KERNEL_ROUND = 0, /* balls of the radius */
    FLOE_KERNEL_ANISOTROPIC =
        1 /* ellipsoids that follow the neighbours: smooth; not smoothed again */
};

/* How particles are wrapped into a level set; lengths in metres. */
typedef struct floe_surface {
    uint32_t struct_size;
    int32_t smoothing; /* FLOE_SMOOTH_* */
    int32_t smoothing_steps;
    int32_t kernel;    /* FLOE_KERNEL_* */
    double radius;     /* of every particle; 0: from their volume attribute */
    double voxel_size; /* 0: half the smallest radius */
    double closing;    /* grow by this before smoothing, shrink by it after: fills gaps */
    double erosion;    /* shrink at the end; negative grows */
} floe_surface;

typedef struct floe_io {
    uint32_t struct_size;
    /* .obj .ply .stl; polygons are split into triangles. */
    floe_status (*read_mesh)(const floe_context*, const char* path, floe_value** mesh);
    /* .vdb (a float or Vec3f grid by name, NULL or "" for the first) or .nvdb. */
    floe_status (*read_volume)(const floe_context*, const char* path, const char* grid,
                               floe_value** volume);
    /* .png or .exr; PNG samples are converted to linear light unless `raw` is 1. */
    floe_status (*read_image)(const floe_context*, const char* path, int32_t raw,
                              floe_value** image);
    /* .vdb (point grid) .ply .bgeo (classic, version 5) .floe (lossless cache) */
    floe_status (*read_particles)(const floe_context*, const char* path, floe_value** particles);
    /* The same, .npz (NumPy), .json, and .exr for the pixels that floe.render/1 measures. */
    floe_status (*write_particles)(const floe_context*, const char* path, const floe_value*);
    /* .obj .ply .stl */
    floe_status (*write_mesh)(const floe_context*, const char* path, const floe_value*);
    /* .vdb .nvdb */
    floe_status (*write_volume)(const floe_context*, const char* path, const char* grid,
                                const floe_value*);
    /* .png (sRGB, 8 bit) or .exr (linear, half float) */
    floe_status (*write_image)(const floe_context*, const char* path, const floe_value*);
    /* Numbered PNG files "folder/name.%04d.png" from `first` on into one movie with ffmpeg;
     * FLOE_UNSUPPORTED when ffmpeg is not installed. */
    floe_status (*write_movie)(const floe_context*, const char* path, const char* pattern,
                               int32_t first, double fps);
    /* One level set around the spheres of all `count` sets of particles. */
    floe_status (*make_surface)(const floe_context*, const floe_value* const* particles,
                                uint32_t count, const floe_surface*, floe_value** volume);
    /* The surface of a level set at the distance `iso_value` as triangles; `adaptivity` from 0 to 1
     * simplifies flat places. */
    floe_status (*make_surface_mesh)(const floe_context*, const floe_value* volume,
                                     double iso_value, double adaptivity, floe_value** mesh);
    int32_t (*can_write_movies)(void); /* 1: ffmpeg is installed */
    /* These PNG files, all of them and in this order, into one movie; else as write_movie. */
    floe_status (*join_pictures)(const floe_context*, const char* path, const char* const* pictures,
                                 uint32_t count, double fps);
} floe_io;

#ifdef __cplusplus
}
#endif

#endif
