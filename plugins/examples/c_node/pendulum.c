/* A node in C: the motion of a pendulum, as a transform for colliders and emitters. */
#include "floe/sdk/floe.h"

#include <math.h>
#include <stdlib.h>

static const double kPi = 3.14159265358979323846;
static const double kMaxKeys = 1e6; /* a few hours of film; beyond it, a slip of the keyboard */

struct settings {
    double length;   /* pivot to bob [m] */
    double angle;    /* at the first frame, from hanging straight down [rad] */
    double heading;  /* of the plane it swings in, about y [rad] */
    double gravity;  /* [m/s^2] */
    double damping;  /* [1/s] */
    double pivot[3]; /* [m] */
    int64_t keys_per_frame;
};

static floe_status read_settings(const floe_context* context, struct settings* settings)
{
    const double frame = context->frame;
    floe_status status = context->number(context, "length", frame, &settings->length);
    if (status == FLOE_OK)
        status = context->number(context, "angle", frame, &settings->angle);
    if (status == FLOE_OK)
        status = context->number(context, "heading", frame, &settings->heading);
    if (status == FLOE_OK)
        status = context->number(context, "gravity", frame, &settings->gravity);
    if (status == FLOE_OK)
        status = context->number(context, "damping", frame, &settings->damping);
    if (status == FLOE_OK)
        status = context->vector(context, "pivot", frame, settings->pivot);
    if (status == FLOE_OK)
        status = context->integer(context, "keysPerFrame", frame, &settings->keys_per_frame);
    settings->angle *= kPi / 180;
    settings->heading *= kPi / 180;
    return status;
}

static double acceleration(const struct settings* settings, double angle, double speed)
{
    return -settings->gravity / settings->length * sin(angle) - settings->damping * speed;
}

/* One step of the classic Runge-Kutta method. */
static void step(const struct settings* settings, double h, double* angle, double* speed)
{
    const double a1 = *speed;
    const double s1 = acceleration(settings, *angle, *speed);
    const double a2 = *speed + h / 2 * s1;
    const double s2 = acceleration(settings, *angle + h / 2 * a1, a2);
    const double a3 = *speed + h / 2 * s2;
    const double s3 = acceleration(settings, *angle + h / 2 * a2, a3);
    const double a4 = *speed + h * s3;
    const double s4 = acceleration(settings, *angle + h * a3, a4);
    *angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    *speed += h / 6 * (s1 + 2 * s2 + 2 * s3 + s4);
}

/* The bob hangs at the origin of its own space, turned about z by the angle, then about y. */
static floe_transform_key key_of(const struct settings* settings, double frame, double angle)
{
    const double out = settings->length * sin(angle);
    const double ch = cos(settings->heading / 2), sh = sin(settings->heading / 2);
    const double ca = cos(angle / 2), sa = sin(angle / 2);
    floe_transform_key key;
    key.frame = frame;
    key.position[0] = settings->pivot[0] + out * cos(settings->heading);
    key.position[1] = settings->pivot[1] - settings->length * cos(angle);
    key.position[2] = settings->pivot[2] - out * sin(settings->heading);
    key.rotation[0] = sh * sa;
    key.rotation[1] = sh * ca;
    key.rotation[2] = ch * sa;
    key.rotation[3] = ch * ca;
    key.scale = 1;
    return key;
}

static floe_status cook(void* node, const floe_context* context)
{
    struct settings settings = {0};
    floe_status status = read_settings(context, &settings);
    if (status != FLOE_OK)
        return status; /* the host has said why */
    (void)node;

    /* One frame more at both ends: a solver asks for the motion since the frame before. */
    const double first = context->range_start - 1;
    const double count =
        floor((context->range_end + 1 - first) * (double)settings.keys_per_frame) + 1;
    if (!(count >= 1 && count <= kMaxKeys)) {
        context->message(context, FLOE_LEVEL_ERROR,
                         "the frame range needs more than a million keys; give fewer keys a frame");
        return FLOE_FAILED;
    }
    floe_transform_key* keys = malloc((size_t)count * sizeof *keys);
    if (keys == NULL)
        return FLOE_OUT_OF_MEMORY;

    /* At rest until the first frame of the range, then let go. 64 steps a radian of the small
     * swing keep the error of the angle below 1e-7. */
    const double interval = 1 / ((double)settings.keys_per_frame * context->fps);
    const double rate = sqrt(settings.gravity / settings.length) + settings.damping;
    const double steps = fmin(ceil(interval * rate * 64) + 1, 1e4);
    double angle = settings.angle, speed = 0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        const double frame = first + (double)i / (double)settings.keys_per_frame;
        if (frame > context->range_start)
            for (int k = 0; k < (int)steps; ++k)
                step(&settings, interval / steps, &angle, &speed);
        keys[i] = key_of(&settings, frame, angle);
    }

    const floe_value_api* values = context->host->values;
    floe_value* motion = values->make_transform(keys, (uint32_t)count);
    free(keys);
    if (motion == NULL) {
        context->message(context, FLOE_LEVEL_ERROR, "the motion could not be stored");
        return FLOE_OUT_OF_MEMORY;
    }
    status = context->set_output(context, "transform", motion); /* takes its own reference */
    values->release(motion);
    return status;
}

/* The node keeps nothing between calls: every object may be the same one. */
static int nothing;
static floe_status create(const floe_host* host, void** node)
{
    (void)host;
    *node = &nothing;
    return FLOE_OK;
}
static void destroy(void* node)
{
    (void)node;
}

static const floe_node_class kPendulum = {
    .struct_size = sizeof(floe_node_class),
    .type = "example.motion.pendulum",
    .create = create,
    .destroy = destroy,
    .cook = cook,
};
static const floe_node_class* const kNodes[] = {&kPendulum};
static const floe_plugin kPlugin = {
    .struct_size = sizeof(floe_plugin),
    .abi_major = FLOE_ABI_MAJOR,
    .abi_minor = FLOE_ABI_MINOR,
    .id = "example.motion",
    .version = "1.0.0",
    .node_class_count = 1,
    .node_classes = kNodes,
};

FLOE_EXPORT const floe_plugin* floe_plugin_entry(void)
{
    return &kPlugin;
}
