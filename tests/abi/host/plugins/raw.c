/* A plugin in plain C, and through macros every way in which one can be wrong. */
#ifdef FROZEN
#include "floe_1_0.h" /* floe/sdk/floe.h of version 1.0 */
#else
#include "floe/sdk/floe.h"
#endif

#include <stdlib.h>

#ifndef TYPE
#define TYPE "test.raw"
#endif
#ifndef ENTRY_MAJOR
#define ENTRY_MAJOR FLOE_ABI_MAJOR
#endif
#ifdef NO_SAVE
#define SAVE NULL
#define LOAD NULL
#else
#define SAVE save
#define LOAD load
#endif

#ifdef UNRESOLVED
extern int a_function_that_nobody_has(void);
#endif

typedef struct counter {
    int32_t cooks;
} counter;

static const floe_host* host;

static floe_status create(const floe_host* given, void** node)
{
    counter* self = calloc(1, sizeof *self);
    if (!self)
        return FLOE_OUT_OF_MEMORY;
    (void)given;
    *node = self;
    return FLOE_OK;
}

static void destroy(void* node)
{
    free(node);
}

/* out = 2 * in + how often this object was cooked */
static floe_status cook(void* node, const floe_context* context)
{
    counter* self = node;
    double number = 0;
    floe_value* result;
    floe_status status;
    if (context->input_count(context, "in") == 1) {
        status = host->values->get_number(context->input(context, "in", 0), &number);
        if (status != FLOE_OK)
            return status;
    }
    result = host->values->make_number(2 * number + ++self->cooks);
    if (!result)
        return FLOE_OUT_OF_MEMORY;
    status = context->set_output(context, "out", result);
    host->values->release(result);
    return status;
}

#ifndef NO_SAVE
static floe_status save(void* node, const floe_context* context, floe_writer* writer)
{
    (void)context;
    return writer->write(writer, node, sizeof(counter));
}

static floe_status load(void* node, const floe_context* context, floe_reader* reader)
{
    (void)context;
    return reader->read(reader, node, sizeof(counter));
}
#endif

static floe_status migrate(const floe_host* given, uint32_t from_version, const char* json,
                           floe_writer* upgraded)
{
    (void)given;
    (void)json;
    if (from_version != 1)
        return FLOE_FAILED;
    return upgraded->write(upgraded, "{\"new\": 1}", 10);
}

static floe_status initialise(const floe_host* given)
{
    host = given;
#ifdef UNRESOLVED
    return a_function_that_nobody_has();
#elif defined(INIT_FAILS)
    given->log(FLOE_LEVEL_ERROR, "no licence found");
    return FLOE_FAILED;
#else
    return FLOE_OK;
#endif
}

#ifdef CLASS_SIZE
#define SIZE_OF_CLASS CLASS_SIZE
#else
#define SIZE_OF_CLASS sizeof(node_class)
#endif
#ifdef ENTRY_SIZE
#define SIZE_OF_ENTRY ENTRY_SIZE
#else
#define SIZE_OF_ENTRY sizeof(plugin)
#endif

#ifdef NEWER
/* What a later minor version appends. */
static struct newer_class {
    floe_node_class base;
    void (*something_new)(void);
} node_class;
static struct newer_plugin {
    floe_plugin base;
    const char* something_new;
} plugin;
#define CLASS node_class.base
#define PLUGIN plugin.base
#define MINOR (FLOE_ABI_MINOR + 1)
#else
static floe_node_class node_class;
static floe_plugin plugin;
#define CLASS node_class
#define PLUGIN plugin
#define MINOR FLOE_ABI_MINOR
#endif

static const floe_node_class* classes[1];

#ifndef NO_ENTRY
const floe_plugin* floe_plugin_entry(void)
#else
const floe_plugin* another_name(void);
const floe_plugin* another_name(void)
#endif
{
    CLASS.struct_size = SIZE_OF_CLASS;
    CLASS.type = TYPE;
    CLASS.create = create;
    CLASS.destroy = destroy;
    CLASS.cook = cook;
    CLASS.save = SAVE;
    CLASS.load = LOAD;
    CLASS.migrate = migrate;
    classes[0] = &CLASS;
    PLUGIN.struct_size = SIZE_OF_ENTRY;
    PLUGIN.abi_major = ENTRY_MAJOR;
    PLUGIN.abi_minor = MINOR;
    PLUGIN.id = PLUGIN_ID;
    PLUGIN.version = "1.2.3";
    PLUGIN.node_class_count = 1;
    PLUGIN.node_classes = classes;
    PLUGIN.initialise = initialise;
#ifdef NULL_ENTRY
    return NULL;
#else
    return &PLUGIN;
#endif
}
