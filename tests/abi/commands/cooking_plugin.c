/* Node types that go wrong in one way each, and one that does not. */
#include "floe/sdk/floe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct counter {
    double value;
};

static floe_status create(const floe_host* host, void** node)
{
    (void)host;
    *node = calloc(1, sizeof(struct counter));
    return *node ? FLOE_OK : FLOE_OUT_OF_MEMORY;
}

static void destroy(void* node)
{
    free(node);
}

static floe_status give(const floe_context* context, const char* socket, double number)
{
    const floe_value_api* values = context->host->values;
    floe_value* value = values->make_number(number);
    const floe_status status =
        value ? context->set_output(context, socket, value) : FLOE_OUT_OF_MEMORY;
    values->release(value);
    return status;
}

static floe_status cook_fine(void* node, const floe_context* context)
{
    (void)node;
    puts("a plugin talks");
    fflush(stdout);
    double factor = 0, number = 1;
    const floe_status status = context->number(context, "factor", context->frame, &factor);
    if (status != FLOE_OK)
        return status;
    const floe_value* input = context->input(context, "number", 0);
    if (input)
        context->host->values->get_number(input, &number);
    return give(context, "number", factor * number);
}

static floe_status cook_crash(void* node, const floe_context* context)
{
    (void)node;
    (void)context;
    raise(SIGSEGV);
    return FLOE_OK;
}

static floe_status cook_leave(void* node, const floe_context* context)
{
    (void)node;
    (void)context;
    _exit(0);
}

static floe_status cook_wrong_kind(void* node, const floe_context* context)
{
    (void)node;
    const double vector[3] = {1, 2, 3};
    floe_value* value = context->host->values->make_vector(vector);
    const floe_status status = context->set_output(context, "number", value);
    context->host->values->release(value);
    return status;
}

static floe_status cook_undeclared(void* node, const floe_context* context)
{
    (void)node;
    double number = 0;
    return context->number(context, "noSuchParameter", context->frame, &number);
}

static floe_status cook_count(void* node, const floe_context* context)
{
    struct counter* counter = node;
    counter->value += 1;
    return give(context, "number", counter->value);
}

static floe_status save(void* node, const floe_context* context, floe_writer* writer)
{
    (void)context;
    return writer->write(writer, node, sizeof(struct counter));
}

static floe_status load(void* node, const floe_context* context, floe_reader* reader)
{
    (void)context;
    return reader->read(reader, node, sizeof(struct counter));
}

static floe_status forget(void* node, const floe_context* context, floe_reader* reader)
{
    struct counter ignored;
    (void)node;
    (void)context;
    return reader->read(reader, &ignored, sizeof ignored);
}

#define FLOE_TEST_NODE(name, cook_function, ...)                                                   \
    static const floe_node_class name = {.struct_size = sizeof(floe_node_class),                   \
                                         .type = "test.cooking." #name,                            \
                                         .create = create,                                         \
                                         .destroy = destroy,                                       \
                                         .cook = cook_function,                                    \
                                         __VA_ARGS__}
FLOE_TEST_NODE(fine, cook_fine, .save = NULL);
FLOE_TEST_NODE(crash, cook_crash, .save = NULL);
FLOE_TEST_NODE(leave, cook_leave, .save = NULL);
FLOE_TEST_NODE(wrongKind, cook_wrong_kind, .save = NULL);
FLOE_TEST_NODE(undeclared, cook_undeclared, .save = NULL);
FLOE_TEST_NODE(counter, cook_count, .save = save, .load = load);
FLOE_TEST_NODE(forgetful, cook_count, .save = save, .load = forget);

static const floe_node_class* const kNodes[] = {&fine,       &crash,   &leave,    &wrongKind,
                                                &undeclared, &counter, &forgetful};
static const floe_plugin kPlugin = {
    .struct_size = sizeof(floe_plugin),
    .abi_major = FLOE_ABI_MAJOR,
    .abi_minor = FLOE_ABI_MINOR,
    .id = "test.cooking",
    .version = "1.0.0",
    .node_class_count = sizeof kNodes / sizeof kNodes[0],
    .node_classes = kNodes,
};

FLOE_EXPORT const floe_plugin* floe_plugin_entry(void)
{
    return &kPlugin;
}
