/* The binary interface between Floe and its plugins. C11, no dependencies.
 *
 * A plugin is a folder with a manifest, `plugin.json`, and a shared library that exports one
 * symbol, `floe_plugin_entry`. The manifest describes the node types (sockets, parameters, help);
 * the library cooks them. C++ plugins include `floe/sdk/node.hpp` instead of this file.
 *
 * Rules that hold everywhere, unless a function says otherwise:
 *  - Every struct starts with its size in bytes, set by whoever allocates it. Structs grow only at
 *    the end; a field is present when `struct_size` reaches past it (FLOE_HAS).
 *  - `abi_major` of plugin and host must be equal. `abi_minor` may differ both ways: what a newer
 *    side adds, an older one does not see.
 *  - Strings are UTF-8 and zero-terminated. Pointers passed in are borrowed for the call only;
 *    pointers handed out stay valid as long as the object they came from.
 *  - No C++ exception may leave a function of this interface, in either direction.
 *  - Functions return a floe_status. On failure the callee has given the reason through
 *    `floe_context::message` where it had a context.
 *  - Units are SI; angles in radians; frames are numbers of the graph's frame range and may be
 *    fractional; y is up; matrices are row-major; quaternions are (x, y, z, w).
 */
#ifndef FLOE_SDK_FLOE_H
#define FLOE_SDK_FLOE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLOE_ABI_MAJOR 1
#define FLOE_ABI_MINOR 0

#if defined(_WIN32)
#define FLOE_EXPORT __declspec(dllexport)
#else
#define FLOE_EXPORT __attribute__((visibility("default")))
#endif

/* True when the struct that `pointer` points to is new enough to have `field`. */
#define FLOE_HAS(pointer, field)                                                                   \
    ((pointer)->struct_size >=                                                                     \
     (size_t)((const char*)&(pointer)->field - (const char*)(pointer)) + sizeof((pointer)->field))

/* ---------------------------------------------------------------------------------- statuses */

typedef int32_t floe_status;
enum {
    FLOE_OK = 0,
    FLOE_FAILED = 1,        /* any failure without a code of its own; the message says which */
    FLOE_BAD_ARGUMENT = 2,  /* the caller broke this interface's rules */
    FLOE_NOT_FOUND = 3,     /* no parameter, socket, field or attribute of that name */
    FLOE_WRONG_KIND = 4,    /* it exists but is of another kind or type */
    FLOE_OUT_OF_MEMORY = 5, /* host or device memory */
    FLOE_DEVICE_FAILED = 6, /* a kernel or the driver */
    FLOE_CANCELLED = 7,     /* stopped because `cancelled` said so */
    FLOE_UNSUPPORTED = 8,   /* not on this device or in this build */
    FLOE_IO_FAILED = 9,     /* a file could not be read or written */
    FLOE_DIVERGED = 10      /* the simulation left the range of meaningful numbers */
};

/* ------------------------------------------------------------------------------------ values */

/* A value that flows along a wire: immutable and reference-counted. Whoever makes a value owns one
 * reference. A value is writable by its maker only until it is first given to `set_output`,
 * `set_field` or an interface's caller; from then on any thread may read it. */
typedef struct floe_value floe_value;

typedef int32_t floe_kind;
enum {
    FLOE_KIND_NUMBER = 1,
    FLOE_KIND_VECTOR = 2, /* 3 doubles; also colours (linear RGB) */
    FLOE_KIND_STRING = 3,
    FLOE_KIND_BOOLEAN = 4,
    FLOE_KIND_TRANSFORM = 5, /* keys over frames */
    FLOE_KIND_CURVE = 6,
    FLOE_KIND_MESH = 7,
    FLOE_KIND_VOLUME = 8, /* one NanoVDB grid */
    FLOE_KIND_IMAGE = 9,
    FLOE_KIND_PARTICLES = 10, /* named attribute arrays */
    FLOE_KIND_RECORD = 11,    /* named fields with a schema, see records.h */
    FLOE_KIND_INTERFACE = 12  /* a table of functions, see records.h */
};

/* Where memory lies. */
enum { FLOE_SPACE_HOST = 0, FLOE_SPACE_CUDA = 1 };

typedef int32_t floe_element;
enum { FLOE_FLOAT32 = 1, FLOE_INT32 = 2, FLOE_UINT32 = 3, FLOE_UINT8 = 4, FLOE_UINT64 = 5 };

typedef struct floe_mesh {
    uint32_t struct_size;
    uint32_t point_count;
    const float* points; /* 3 a point [m] */
    uint32_t triangle_count;
    const uint32_t* triangles; /* 3 a triangle, counter-clockwise seen from outside */
    const float* velocities;   /* 3 a point [m/s], or NULL */
    const float* colours;      /* 3 a point, linear RGB from 0 to 1, or NULL */
} floe_mesh;

typedef struct floe_volume {
    uint32_t struct_size;
    int32_t space;
    const void* grid; /* a NanoVDB grid (float or Vec3f), 32-byte aligned; floats are signed
                         distances [m], negative inside, in world space */
    uint64_t bytes;
} floe_volume;

typedef struct floe_image {
    uint32_t struct_size;
    uint32_t width;
    uint32_t height;
    uint32_t channels;   /* 1 to 4 */
    const float* pixels; /* row by row from the top, linear light */
} floe_image;

typedef struct floe_attribute {
    uint32_t struct_size;
    floe_element element;
    uint32_t components; /* elements a particle: particle i starts at i * components */
    int32_t space;
    const char* name;
    const void* data;
} floe_attribute;

typedef struct floe_transform_key {
    double frame;
    double position[3]; /* [m] */
    double rotation[4]; /* unit quaternion x, y, z, w */
    double scale;       /* uniform, > 0 */
} floe_transform_key;

typedef struct floe_device floe_device;

/* Making and reading values. Thread-safe, except that two threads must not write one value at once.
 * `make_*` return NULL when memory runs out or the contents are unusable (sizes that do not
 * fit together, numbers that are not finite); they copy what they are given. `get_*` fill a struct
 * whose struct_size the caller has set; what it points to lives as long as the value. */
typedef struct floe_value_api {
    uint32_t struct_size;

    void (*retain)(const floe_value* value);
    void (*release)(const floe_value* value); /* NULL is allowed */
    floe_kind (*kind)(const floe_value* value);

    floe_value* (*make_number)(double number);
    floe_status (*get_number)(const floe_value* value, double* number);
    floe_value* (*make_vector)(const double vector[3]);
    floe_status (*get_vector)(const floe_value* value, double vector[3]);
    floe_value* (*make_boolean)(int32_t boolean);
    floe_status (*get_boolean)(const floe_value* value, int32_t* boolean);
    floe_value* (*make_string)(const char* string);
    floe_status (*get_string)(const floe_value* value, const char** string);

    /* Keys in increasing order of frame, at least one. */
    floe_value* (*make_transform)(const floe_transform_key* keys, uint32_t count);
    floe_status (*get_transform)(const floe_value* value, const floe_transform_key** keys,
                                 uint32_t* count);
    /* Points (x, y) in increasing order of x. */
    floe_value* (*make_curve)(const float* points, uint32_t count);
    floe_status (*get_curve)(const floe_value* value, const float** points, uint32_t* count);

    floe_value* (*make_mesh)(const floe_mesh* mesh);
    floe_status (*get_mesh)(const floe_value* value, floe_mesh* mesh);
    /* `grid`: a complete NanoVDB grid in host memory; its header and size are checked. */
    floe_value* (*make_volume)(const void* grid, uint64_t bytes);
    floe_status (*get_volume)(const floe_value* value, floe_volume* volume);
    floe_value* (*make_image)(const floe_image* image);
    floe_status (*get_image)(const floe_value* value, floe_image* image);

    /* Particles without attributes in the device's memory; NULL for host memory. */
    floe_value* (*make_particles)(uint64_t count, const floe_device* device);
    /* Adds an attribute and hands out its uninitialised memory for the maker to fill. Names in use:
     * x position [m], v velocity [m/s], F deformation gradient (9), J, material (index),
     * id (UINT64), state (activation: 0 passive, 1 active, 2 boundary), stiffnessScale,
     * densityScale, volume [m^3]. */
    floe_status (*add_attribute)(floe_value* particles, const char* name, floe_element element,
                                 uint32_t components, void** data);
    floe_status (*get_particles)(const floe_value* value, uint64_t* count,
                                 uint32_t* attribute_count);
    floe_status (*get_attribute_at)(const floe_value* value, uint32_t index,
                                    floe_attribute* attribute);
    floe_status (*get_attribute)(const floe_value* value, const char* name,
                                 floe_attribute* attribute);

    floe_value* (*make_record)(const char* schema);
    /* Fields of records, and of particles, for data common to all of them (a solver gives them
     * `materials`, a record of material records named by index, and `cellSize`). The owner takes
     * a reference of its own. Setting a name twice replaces the field. */
    floe_status (*set_field)(floe_value* record, const char* name, const floe_value* value);
    const char* (*record_schema)(const floe_value* record); /* NULL: not a record */
    uint32_t (*field_count)(const floe_value* record);
    const char* (*field_name)(const floe_value* record, uint32_t index);
    /* Borrowed; NULL when the record has no such field. */
    const floe_value* (*field)(const floe_value* record, const char* name);

    /* `id` is "name/revision" and says what `table` points to. `destroy(self)` is called once, when
     * the last reference goes; may be NULL. The table must outlive the value. */
    floe_value* (*make_interface)(const char* id, const void* table, void* self,
                                  void (*destroy)(void* self));
    floe_status (*get_interface)(const floe_value* value, const char* id, const void** table,
                                 void** self);
} floe_value_api;

/* ------------------------------------------------------------------------------------ device */

enum { FLOE_DEVICE_CPU = 0, FLOE_DEVICE_CUDA = 1 };
enum { FLOE_COPY_TO_DEVICE = 1, FLOE_COPY_TO_HOST = 2, FLOE_COPY_ON_DEVICE = 3 };

/* The device of a node. On CUDA a plugin links the CUDA runtime statically, enqueues on `stream`
 * and never synchronises the whole device. */
struct floe_device {
    uint32_t struct_size;
    int32_t kind;    /* FLOE_DEVICE_* */
    int32_t ordinal; /* CUDA device number */
    uint32_t reserved;
    void* stream; /* cudaStream_t; NULL on the CPU */
    void* self;   /* the host's */
    floe_status (*allocate)(const floe_device* device, uint64_t bytes, void** memory);
    void (*release)(const floe_device* device, void* memory);
    /* Enqueued on the stream; immediate on the CPU. */
    floe_status (*copy)(const floe_device* device, void* to, const void* from, uint64_t bytes,
                        int32_t direction);
    floe_status (*synchronise)(const floe_device* device); /* the stream only */
};

/* -------------------------------------------------------------------------------------- host */

enum { FLOE_LEVEL_DEBUG = 0, FLOE_LEVEL_INFO = 1, FLOE_LEVEL_WARNING = 2, FLOE_LEVEL_ERROR = 3 };

/* Lives as long as the plugin is loaded. Thread-safe. */
typedef struct floe_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    const char* name;    /* "floe" */
    const char* version; /* of the program */
    const floe_value_api* values;
    /* Returns a table of functions beyond this header, by "floe.<name>/<revision>" (io.h,
     * render.h); NULL when this host does not have it. */
    const void* (*extension)(const char* id);
    void (*log)(int32_t level, const char* message);
} floe_host;

/* Handed to every call of a node; valid during that call. Functions marked (any thread) may be
 * called from the threads that `parallel_for` uses. */
typedef struct floe_context floe_context;
struct floe_context {
    uint32_t struct_size;
    int32_t start; /* solver: 1 when this frame begins the simulation (nothing to advance from) */
    const floe_host* host;
    const floe_device* device;
    const char* node_name;     /* in the graph, "debris/ball" */
    const char* output_folder; /* where this run writes; absolute */
    double frame;              /* frame being cooked; a solver advances from frame - 1 to frame */
    double fps;                /* frames a second, > 0 */
    double range_start;        /* first and last frame of the graph */
    double range_end;
    void* self; /* the host's */

    /* Parameters by name, at any (fractional) frame: give `context->frame` where nothing finer is
     * needed. (any thread) FLOE_NOT_FOUND, FLOE_WRONG_KIND: manifest and code disagree;
     * FLOE_FAILED: an expression has no value there. */
    floe_status (*number)(const floe_context*, const char* name, double frame, double* value);
    floe_status (*integer)(const floe_context*, const char* name, double frame, int64_t* value);
    floe_status (*boolean)(const floe_context*, const char* name, double frame, int32_t* value);
    floe_status (*vector)(const floe_context*, const char* name, double frame, double value[3]);
    /* string, choice and path parameters; paths are absolute. Valid during the call. */
    floe_status (*string)(const floe_context*, const char* name, double frame, const char** value);

    /* Values on an input socket, in link order; borrowed. (any thread) */
    uint32_t (*input_count)(const floe_context*, const char* socket);
    const floe_value* (*input)(const floe_context*, const char* socket, uint32_t index);
    /* The host takes a reference of its own. */
    floe_status (*set_output)(const floe_context*, const char* socket, const floe_value* value);

    int32_t (*cancelled)(const floe_context*);                              /* (any thread) */
    void (*progress)(const floe_context*, double fraction);                 /* 0 to 1 */
    void (*message)(const floe_context*, int32_t level, const char*);       /* (any thread) */
    void (*statistic)(const floe_context*, const char* name, double value); /* of this frame */

    /* Calls body(user, begin, end) over disjoint ranges that cover [0, count), at most `grain` long
     * when grain > 0, on the host's threads; returns when all are done. body must not fail. */
    void (*parallel_for)(const floe_context*, uint64_t count, uint64_t grain,
                         void (*body)(void* user, uint64_t begin, uint64_t end), void* user);
};

/* ------------------------------------------------------------------------------------- nodes */

/* Byte streams for a solver's state. FLOE_IO_FAILED ends it. */
typedef struct floe_writer floe_writer;
struct floe_writer {
    uint32_t struct_size;
    void* self;
    floe_status (*write)(floe_writer*, const void* data, uint64_t bytes);
};
typedef struct floe_reader floe_reader;
struct floe_reader {
    uint32_t struct_size;
    void* self;
    uint64_t remaining;                                            /* bytes left; kept current */
    floe_status (*read)(floe_reader*, void* data, uint64_t bytes); /* all of them, or failure */
    /* Goes to this byte of the whole: what is passed over is not read from the disk. */
    floe_status (*seek)(floe_reader*, uint64_t position);
};

/* One node type. A node object is made for every node of a running graph. Calls for one object
 * never overlap; objects of one type may be used from different threads at once.
 *
 * role value:  cook computes outputs from parameters and inputs alone; results are cached.
 * role solver: cook is called for consecutive frames and keeps state in the object. To start again
 *              the host makes a new object.
 * role sink:   cook is called once a frame, in order, on a thread of its own; then finish once. */
typedef struct floe_node_class {
    uint32_t struct_size;
    const char* type; /* as in the manifest */
    floe_status (*create)(const floe_host* host, void** node);
    void (*destroy)(void* node);
    floe_status (*cook)(void* node, const floe_context* context);
    /* Solvers: writes everything needed to continue bit for bit. Required for role solver.
     * One that several ranks simulate (ranks.h) saves a part on each of them, and load() is given
     * the parts of all, one behind the other in the order of ranks, on any number of ranks: it
     * reads what it needs, and ends behind the last part. */
    floe_status (*save)(void* node, const floe_context* context, floe_writer* writer);
    floe_status (*load)(void* node, const floe_context* context, floe_reader* reader);
    /* Sinks: after the last frame, unless cancelled; see the README on resuming. May be NULL. */
    floe_status (*finish)(void* node, const floe_context* context);
    /* Converts parameters (a JSON object, as in the graph file) saved by an older node version, for
     * changes that the manifest's "upgrades" cannot express (these are already applied). May be
     * NULL.
     */
    floe_status (*migrate)(const floe_host* host, uint32_t from_version, const char* json,
                           floe_writer* upgraded_json);
} floe_node_class;

typedef struct floe_plugin {
    uint32_t struct_size;
    uint16_t abi_major; /* FLOE_ABI_MAJOR */
    uint16_t abi_minor; /* FLOE_ABI_MINOR */
    const char* id;     /* as in the manifest */
    const char* version;
    uint32_t node_class_count;
    const floe_node_class* const* node_classes;
    floe_status (*initialise)(const floe_host* host); /* once, after loading; may be NULL */
    void (*shut_down)(void);                          /* once, before unloading; may be NULL */
} floe_plugin;

/* The one exported symbol. Returns static data; called before anything else. */
FLOE_EXPORT const floe_plugin* floe_plugin_entry(void);
typedef const floe_plugin* (*floe_plugin_entry_function)(void);

#ifdef __cplusplus
}
#endif

#endif
