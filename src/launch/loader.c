#include "launch/loader.h"

#include "launch/elf.h"
#include "util/alloc.h"
#include "util/file.h"
#include "util/text.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_FILE "/etc/ld.so.cache"
#define CACHE_MOST ((size_t)64 << 20)
#define MOST_LIBRARIES 1024

static const char *const usual_folders[] = {
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
};

/* ---- one library ---- */

static bool is_library(const char *path)
{
    return ws_elf_kind(path) == WS_ELF_OURS;
}

/* Looks in a list of folders separated by colons; `origin` stands for $ORIGIN. */
static bool find_in_list(const char *list, const char *origin, const char *soname, char *path, size_t size)
{
    static const char *const names[] = {"$ORIGIN", "${ORIGIN}"};

    while (*list) {
        size_t length = strcspn(list, ":;");
        const char *before = "";
        const char *folder = list;
        size_t rest = length;
        for (size_t i = 0; i < 2; i++) {
            size_t n = strlen(names[i]);
            if (length >= n && strncmp(list, names[i], n) == 0) {
                before = origin;
                folder = list + n;
                rest = length - n;
            }
        }
        if (length && rest < INT_MAX &&
            (size_t)snprintf(path, size, "%s%.*s/%s", before, (int)rest, folder, soname) < size &&
            is_library(path))
            return true;
        list += length + (list[length] != '\0');
    }
    return false;
}

/* The cache of glibc 2.2 and later: a header, entries, strings.  An older table may precede it. */
struct cache_header {
    char magic[20]; /* "glibc-ld.so.cache" "1.1" */
    uint32_t count, strings_size;
    uint32_t unused[5];
};
struct cache_entry {
    int32_t flags;
    uint32_t key, value; /* offsets of the strings from the header */
    uint32_t version;
    uint64_t capabilities;
};
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_FLAGS_MASK 0xff00
#if defined __x86_64__
#define CACHE_FLAGS_OURS 0x0300
#elif defined __aarch64__
#define CACHE_FLAGS_OURS 0x0a00
#else
#define CACHE_FLAGS_OURS -1 /* not compared */
#endif

static const char *string_at(const char *bytes, size_t length, uint32_t offset)
{
    return offset < length && memchr(bytes + offset, '\0', length - offset) ? bytes + offset : NULL;
}

const char *ws_loader_cache_find(const char *bytes, size_t length, const char *soname)
{
    const char *start = memmem(bytes, length, CACHE_MAGIC, strlen(CACHE_MAGIC));
    struct cache_header header;
    size_t left;

    if (!start || (left = length - (size_t)(start - bytes)) < sizeof header)
        return NULL;
    memcpy(&header, start, sizeof header);
    if (header.count > (left - sizeof header) / sizeof(struct cache_entry))
        return NULL;
    for (uint32_t i = 0; i < header.count; i++) {
        struct cache_entry entry;
        const char *key, *value;
        memcpy(&entry, start + sizeof header + i * sizeof entry, sizeof entry);
        if (CACHE_FLAGS_OURS != -1 && (entry.flags & CACHE_FLAGS_MASK) != CACHE_FLAGS_OURS)
            continue;
        key = string_at(start, left, entry.key);
        value = string_at(start, left, entry.value);
        if (key && value && strcmp(key, soname) == 0)
            return value;
    }
    return NULL;
}

static bool find_in_cache(const char *soname, char *path, size_t size)
{
    size_t length;
    char *bytes = ws_file_read(CACHE_FILE, CACHE_MOST, &length, NULL);
    const char *found = bytes ? ws_loader_cache_find(bytes, length, soname) : NULL;
    bool fits = found && (size_t)snprintf(path, size, "%s", found) < size && is_library(path);

    free(bytes);
    return fits;
}

static bool find_usual(const char *soname, char *path, size_t size)
{
    if (find_in_cache(soname, path, size))
        return true;
    for (size_t i = 0; i < sizeof usual_folders / sizeof *usual_folders; i++)
        if ((size_t)snprintf(path, size, "%s/%s", usual_folders[i], soname) < size && is_library(path))
            return true;
    return false;
}

bool ws_loader_find(const char *soname, char *path, size_t size)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    return (list && find_in_list(list, "", soname, path, size)) || find_usual(soname, path, size);
}

/* ---- all that a program needs ---- */

struct entry {
    char *path;
    char *rpath; /* of the libraries that asked for it, which the linker searches too */
};
struct walk {
    struct entry *entries; /* found so far; those from `next` on are still to be read */
    size_t count, capacity, next;
    const struct ws_runtime *runtime; /* whose library is looked for; NULL: an MPI */
    const struct ws_family *family;   /* of the MPI found */
};

static void folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* The linker's order: RPATH (unless there is a RUNPATH), LD_LIBRARY_PATH, RUNPATH, the usual places. */
static bool find_needed(const char *soname, const struct ws_elf *elf, const struct entry *by, char *path,
                        size_t size)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    char origin[PATH_MAX];

    if (strchr(soname, '/'))
        return (size_t)snprintf(path, size, "%s", soname) < size && is_library(path);
    folder_of(by->path, origin, sizeof origin);
    if (!*elf->runpath && (find_in_list(elf->rpath, origin, soname, path, size) ||
                           find_in_list(by->rpath, origin, soname, path, size)))
        return true;
    return (list && find_in_list(list, origin, soname, path, size)) ||
           find_in_list(elf->runpath, origin, soname, path, size) || find_usual(soname, path, size);
}

static void add_entry(struct walk *walk, const char *path, const char *own, const char *inherited)
{
    struct ws_text rpath = {0};

    for (size_t i = 0; i < walk->count; i++)
        if (strcmp(walk->entries[i].path, path) == 0)
            return;
    if (walk->count >= MOST_LIBRARIES)
        return;
    ws_text_printf(&rpath, "%s%s%s", own, *own && *inherited ? ":" : "", inherited);
    WS_PUSH(walk->entries, walk->count, walk->capacity) =
        (struct entry){ws_strdup(path), ws_strdup(ws_text_string(&rpath))};
    ws_text_free(&rpath);
}

static void real_path(const char *path, char *real, size_t size)
{
    char *resolved = realpath(path, NULL);
    snprintf(real, size, "%s", resolved ? resolved : path);
    free(resolved);
}

static bool is_wanted(struct walk *walk, const char *soname)
{
    if (!walk->runtime)
        return (walk->family = ws_family_by_soname(soname)) != NULL;
    for (const char *const *glob = walk->runtime->libraries; *glob; glob++)
        if (fnmatch(*glob, soname, 0) == 0)
            return true;
    return false;
}

static int not_here(const struct walk *walk, const char *program, const char *soname, struct ws_error *error)
{
    const char *package = walk->runtime ? walk->runtime->package : walk->family->launcher_package;

    return ws_fail(error, WS_ENVIRONMENT, "%s needs %s (%s), which is not on this machine%s%s", program,
                   soname, walk->runtime ? walk->runtime->title : walk->family->name,
                   package ? "; on Debian: apt-get install " : "", package ? package : "");
}

/* Reads one library: 1 where it needs what is looked for itself, 0 after its needs were added to the walk. */
static int visit(struct walk *walk, size_t index, char *library, size_t size, struct ws_error *error)
{
    struct entry by = walk->entries[index];
    struct ws_elf elf;
    int result = 0;

    if (ws_elf_read(by.path, &elf, error) != 0)
        return -1;
    for (size_t i = 0; result == 0 && i < elf.needed_count; i++) {
        char path[PATH_MAX];
        const char *soname = elf.needed[i];
        bool there = find_needed(soname, &elf, &by, path, sizeof path), wanted = is_wanted(walk, soname);
        if (wanted && there) {
            real_path(path, library, size);
            result = 1;
        } else if (wanted) {
            result = not_here(walk, by.path, soname, error);
        } else if (there) {
            add_entry(walk, path, elf.rpath, by.rpath);
        }
    }
    ws_elf_free(&elf);
    return result;
}

static int look_through(struct walk *walk, const char *program, char *library, size_t size,
                        struct ws_error *error)
{
    struct ws_error damage;
    int result = 0;

    add_entry(walk, program, "", "");
    while (result == 0 && walk->next < walk->count) {
        size_t index = walk->next++;
        result = visit(walk, index, library, size, &damage);
        /* A damaged library further down is for the linker to tell. */
        if (result < 0 && damage.code == WS_BAD_INPUT && index > 0)
            result = 0;
    }
    if (result < 0)
        ws_fail(error, damage.code, "%s", damage.text);
    for (size_t i = 0; i < walk->count; i++) {
        free(walk->entries[i].path);
        free(walk->entries[i].rpath);
    }
    free(walk->entries);
    return result;
}

int ws_loader_mpi(const char *program, const struct ws_family **family, char *library, size_t size,
                  struct ws_error *error)
{
    struct walk walk = {0};
    int result = look_through(&walk, program, library, size, error);

    *family = walk.family;
    return result;
}

int ws_loader_runtime(const char *program, const struct ws_runtime *runtime, char *library, size_t size,
                      struct ws_error *error)
{
    struct walk walk = {.runtime = runtime};

    return look_through(&walk, program, library, size, error);
}
