/* Plugins that go wrong while being loaded, one for each FLOE_TEST_<FAULT>. */
#include "floe/sdk/floe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Leaves a trace of having been loaded in the file that the environment names. */
static void leave_trace(void)
{
    const char* path = getenv("FLOE_TEST_TRACE");
    FILE* file = path ? fopen(path, "a") : NULL;
    if (file) {
        fputs("loaded\n", file);
        fclose(file);
    }
}

static floe_status initialise(const floe_host* host)
{
    (void)host;
    leave_trace();
#if defined(FLOE_TEST_CRASH)
    raise(SIGSEGV);
#elif defined(FLOE_TEST_NULL_WRITE)
    *(volatile int*)(size_t)getenv("FLOE_TEST_NO_SUCH_VARIABLE") = 1;
#elif defined(FLOE_TEST_HANG)
    for (;;)
        pause();
#elif defined(FLOE_TEST_STUBBORN_HANG)
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (;;)
        sleep(1);
#elif defined(FLOE_TEST_KILLED)
    /* As the system does to a process when memory runs out: the first so many times. */
    static const char* const kTimes = "FLOE_TEST_KILLS";
    FILE* trace = fopen(getenv("FLOE_TEST_TRACE"), "r");
    int loads = 0;
    for (int c; trace && (c = fgetc(trace)) != EOF;)
        loads += c == '\n';
    if (trace)
        fclose(trace);
    if (getenv(kTimes) && loads <= atoi(getenv(kTimes)))
        raise(SIGKILL);
#elif defined(FLOE_TEST_STOPPED)
    raise(SIGSTOP);
#elif defined(FLOE_TEST_ABORT)
    fputs("the heap is broken\n", stderr);
    abort();
#elif defined(FLOE_TEST_EXIT)
    exit(0);
#elif defined(FLOE_TEST_FAIL)
    host->log(FLOE_LEVEL_ERROR, "the licence server does not answer");
    return FLOE_FAILED;
#elif defined(FLOE_TEST_FLOOD)
    char line[4096];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 4096; ++i)
        if (write(1, line, sizeof line) < 0 || write(3, line, sizeof line) < 0)
            break;
#elif defined(FLOE_TEST_LEFT_BEHIND)
    if (fork() == 0)
        for (;;)
            pause();
#endif
    return FLOE_OK;
}

static void shut_down(void)
{
#if defined(FLOE_TEST_CRASH_AT_END)
    raise(SIGSEGV);
#endif
}

#if defined(FLOE_TEST_CRASH_IN_CONSTRUCTOR)
__attribute__((constructor)) static void on_load(void)
{
    raise(SIGBUS);
}
#endif

static floe_status create(const floe_host* host, void** node)
{
    *node = (void*)host;
    return FLOE_OK;
}
static void destroy(void* node)
{
    (void)node;
}
static floe_status cook(void* node, const floe_context* context)
{
    (void)node;
    (void)context;
    return FLOE_OK;
}

static const floe_node_class kNode = {
    .struct_size = sizeof(floe_node_class),
    .type = "test.scan.node",
    .create = create,
    .destroy = destroy,
    .cook = cook,
};
static const floe_node_class* const kNodes[] = {&kNode};

static const floe_plugin kPlugin = {
#if defined(FLOE_TEST_TRUNCATED)
    .struct_size = 8,
#else
    .struct_size = sizeof(floe_plugin),
#endif
#if defined(FLOE_TEST_WRONG_MAJOR)
    .abi_major = FLOE_ABI_MAJOR + 1,
#else
    .abi_major = FLOE_ABI_MAJOR,
#endif
    .abi_minor = FLOE_ABI_MINOR,
    .id = "test.scan",
    .version = "1.0.0",
    .node_class_count = 1,
    .node_classes = kNodes,
    .initialise = initialise,
    .shut_down = shut_down,
};

#if defined(FLOE_TEST_MISSING_SYMBOL)
FLOE_EXPORT const floe_plugin* another_entry(void)
#else
FLOE_EXPORT const floe_plugin* floe_plugin_entry(void)
#endif
{
    return &kPlugin;
}
