/* Makes calls of the C library fail, for a program that is started with LD_PRELOAD set to this:
 * FLOE_FAULT="CALL FROM COUNT ERROR" has COUNT calls of open, write, fsync, rename, mkdir, malloc
 * or fork fail with that errno, from the FROM-th on; only of files whose path begins with
 * FLOE_FAULT_FOLDER. Calls are counted over all threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char call[16];
static long from = -1, count, error;
static const char* folder;
static atomic_long calls;

__attribute__((constructor)) static void begin(void)
{
    const char* fault = getenv("FLOE_FAULT");
    folder = getenv("FLOE_FAULT_FOLDER");
    if (!fault || !folder || sscanf(fault, "%15s %ld %ld %ld", call, &from, &count, &error) != 4)
        from = -1;
}

/* Whether this call is one of those that fail; errno is set then. */
static int fails(const char* name, const char* path)
{
    if (from < 0 || strcmp(name, call) != 0 || !path || strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    const long number = atomic_fetch_add(&calls, 1);
    if (number < from || number - from >= count)
        return 0;
    errno = (int)error;
    return 1;
}

static const char* path_of(int descriptor, char* path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Opening for writing; what is only read has faults of its own. */
static int opens(const char* path, int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY && fails("open", path);
}
int open(const char* path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return opens(path, flags) ? -1 : REAL(open)(path, flags, mode);
}
int open64(const char* path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return opens(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}
FILE* fopen(const char* path, const char* mode)
{
    return mode[0] != 'r' && fails("open", path) ? NULL : REAL(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode)
{
    return mode[0] != 'r' && fails("open", path) ? NULL : REAL(fopen64)(path, mode);
}
ssize_t write(int descriptor, const void* data, size_t bytes)
{
    char path[PATH_MAX];
    return from >= 0 && fails("write", path_of(descriptor, path))
               ? -1
               : REAL(write)(descriptor, data, bytes);
}
ssize_t writev(int descriptor, const struct iovec* pieces, int number)
{
    char path[PATH_MAX];
    return from >= 0 && fails("write", path_of(descriptor, path))
               ? -1
               : REAL(writev)(descriptor, pieces, number);
}
int fsync(int descriptor)
{
    char path[PATH_MAX];
    return from >= 0 && fails("fsync", path_of(descriptor, path)) ? -1 : REAL(fsync)(descriptor);
}
int rename(const char* old, const char* new)
{
    return fails("rename", new) ? -1 : REAL(rename)(old, new);
}
int mkdir(const char* path, mode_t mode)
{
    return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}
