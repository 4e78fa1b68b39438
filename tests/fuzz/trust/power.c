/* A disk that keeps only what was synchronised, for a program that is started with LD_PRELOAD set
 * to this: of FLOE_POWER_FOLDER and what is in it, FLOE_POWER_DISK gets a copy of each file's
 * content when the file is synchronised (content/ITEM), and of each folder's names when the folder
 * is (names/ITEM, a line "KIND ITEM NAME" each). ITEM is a file's or folder's number and time of
 * birth. After the program was killed, what follows the names from the folder around
 * FLOE_POWER_FOLDER (names/root) is what a power cut would have left. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder, *disk;
static atomic_long copies;

__attribute__((constructor)) static void begin(void)
{
    folder = getenv("FLOE_POWER_FOLDER");
    disk = getenv("FLOE_POWER_DISK");
}

static int item_of(int at, const char* name, char* item, size_t bytes, int* is_folder)
{
    struct statx about;
    if (statx(at, name, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME,
              &about) != 0 ||
        !(S_ISREG(about.stx_mode) || S_ISDIR(about.stx_mode)))
        return 0;
    *is_folder = S_ISDIR(about.stx_mode);
    snprintf(item, bytes, "%llu-%lld.%u", (unsigned long long)about.stx_ino,
             (long long)about.stx_btime.tv_sec, about.stx_btime.tv_nsec);
    return 1;
}

/* Opens a file that keep() gives its name. */
static FILE* begin_copy(char* temporary)
{
    snprintf(temporary, PATH_MAX, "%s/.%d-%ld", disk, (int)getpid(), atomic_fetch_add(&copies, 1));
    return fopen(temporary, "w");
}

/* A kill leaves the copy before or this one. */
static void keep(FILE* copy, const char* temporary, const char* kind, const char* item)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", disk, kind, item);
    fclose(copy);
    rename(temporary, path);
}

static void keep_content(const char* path, const char* item)
{
    char temporary[PATH_MAX], buffer[1 << 16];
    FILE* from = fopen(path, "r");
    FILE* copy = from ? begin_copy(temporary) : NULL;
    for (size_t count; copy && (count = fread(buffer, 1, sizeof buffer, from)) > 0;)
        fwrite(buffer, 1, count, copy);
    if (copy)
        keep(copy, temporary, "content", item);
    if (from)
        fclose(from);
}

/* @param only  the one name that counts; NULL: all do */
static void keep_names(const char* path, const char* item, const char* only)
{
    char temporary[PATH_MAX], other[64];
    DIR* names = opendir(path);
    FILE* copy = names ? begin_copy(temporary) : NULL;
    for (struct dirent* name; copy && (name = readdir(names));) {
        int is_folder;
        if (strcmp(name->d_name, ".") != 0 && strcmp(name->d_name, "..") != 0 &&
            (!only || strcmp(name->d_name, only) == 0) &&
            item_of(dirfd(names), name->d_name, other, sizeof other, &is_folder))
            fprintf(copy, "%s %s %s\n", is_folder ? "folder" : "file", other, name->d_name);
    }
    if (copy)
        keep(copy, temporary, "names", item);
    if (names)
        closedir(names);
}

static void synchronised(int descriptor)
{
    char link[64], path[PATH_MAX], item[64];
    int is_folder;
    if (!folder || !disk)
        return;
    const int reason = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char* own = strrchr(folder, '/');
    const size_t whole = strlen(folder);
    if (strncmp(path, folder, whole) == 0 && (path[whole] == '/' || path[whole] == '\0')) {
        if (item_of(descriptor, "", item, sizeof item, &is_folder)) {
            if (is_folder)
                keep_names(path, item, NULL);
            else
                keep_content(link, item);
        }
    } else if (own && strlen(path) == (size_t)(own - folder) &&
               strncmp(path, folder, (size_t)(own - folder)) == 0) {
        keep_names(path, "root", own + 1);
    }
    errno = reason;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int descriptor)
{
    const int result = REAL(fsync)(descriptor);
    if (result == 0)
        synchronised(descriptor);
    return result;
}
int fdatasync(int descriptor)
{
    const int result = REAL(fdatasync)(descriptor);
    if (result == 0)
        synchronised(descriptor);
    return result;
}
