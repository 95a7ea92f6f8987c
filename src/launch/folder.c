#include "launch/folder.h"

#include "util/alloc.h"
#include "util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a trace consists of. */
static const char *const own_files[] = {"trace.json", "run.json", "rank-*.problem", "clock-*",
                                        "trace.json.*.tmp", "run.json.*.tmp"};
/* What Whyslow writes beside a trace: gone with it, but in a folder without one it is somebody else's. */
static const char *const own_pages[] = {"report.html", "report.html.*.tmp", "places", "places.*.tmp"};
static const char *const own_streams[] = {"metadata", "metadata.*.tmp", "rank-*.thread-*"};

#define STREAM_GLOB "rank-*.thread-*"
#define LONGEST_PROBLEM ((size_t)65536)

static bool any_glob(const char *const *globs, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], name, FNM_PERIOD) == 0)
            return true;
    return false;
}
#define ANY_GLOB(globs, name) any_glob(globs, sizeof(globs) / sizeof *(globs), name)

static DIR *open_folder(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !folder)
        close(fd);
    return folder;
}

static const char *next_name(DIR *folder)
{
    struct dirent *entry;

    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    return NULL;
}

/* Deletes the streams; what else is in ctf/ stops the run, since it would be read as part of the trace. */
static int clear_streams(int at, const char *path, struct ws_error *error)
{
    DIR *folder = open_folder(at, "ctf");
    const char *name;
    int result = 0;

    if (!folder)
        return errno == ENOENT ? 0 : ws_fail(error, WS_ENVIRONMENT, "%s/ctf: %s", path, strerror(errno));
    while (result == 0 && (name = next_name(folder)))
        if (!ANY_GLOB(own_streams, name))
            result = ws_fail(error, WS_USAGE,
                             "%s/ctf/%s is no part of a trace; choose another folder with -o", path, name);
    rewinddir(folder);
    while (result == 0 && (name = next_name(folder)))
        if (unlinkat(dirfd(folder), name, 0) != 0)
            result =
                ws_fail(error, WS_ENVIRONMENT, "%s/ctf/%s: cannot delete: %s", path, name, strerror(errno));
    closedir(folder);
    return result;
}

/* Empty, or has a trace in it? */
static int check_ours(DIR *folder, const char *path, struct ws_error *error)
{
    bool trace = false;
    char foreign[NAME_MAX + 1] = "";
    const char *name;

    while ((name = next_name(folder))) {
        if (strcmp(name, "trace.json") == 0)
            trace = true;
        else if (!ANY_GLOB(own_files, name) && strcmp(name, "ctf") != 0)
            snprintf(foreign, sizeof foreign, "%s", name);
    }
    if (foreign[0] && !trace)
        return ws_fail(
            error, WS_USAGE,
            "%s holds other things (%s) and no trace; nothing was touched: choose another folder with -o",
            path, foreign);
    return 0;
}

static int clear(DIR *folder, const char *path, struct ws_error *error)
{
    const char *name;

    rewinddir(folder);
    if (clear_streams(dirfd(folder), path, error) != 0)
        return -1;
    while ((name = next_name(folder)))
        if ((ANY_GLOB(own_files, name) || ANY_GLOB(own_pages, name)) && unlinkat(dirfd(folder), name, 0) != 0)
            return ws_fail(error, WS_ENVIRONMENT, "%s/%s: cannot delete: %s", path, name, strerror(errno));
    return 0;
}

int ws_folder_prepare(const char *path, struct ws_error *error)
{
    DIR *folder;
    int fd, result;

    if (access(path, F_OK) == 0 && !ws_is_folder(path))
        return ws_fail(error, WS_USAGE, "%s is not a folder; choose another name with -o", path);
    if (ws_make_folder(path, error) != 0)
        return -1;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return ws_fail(error, WS_ENVIRONMENT, "%s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        return ws_fail(error, WS_USAGE,
                       "another run is writing its trace to %s; choose another folder with -o", path);
    }
    folder = open_folder(fd, ".");
    result = folder ? check_ours(folder, path, error)
                    : ws_fail(error, WS_ENVIRONMENT, "%s: %s", path, strerror(errno));
    if (result == 0)
        result = clear(folder, path, error);
    if (folder)
        closedir(folder);
    if (result != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

size_t ws_folder_ranks(const char *path, uint64_t *bytes)
{
    struct ws_text ctf = {0};
    char **names;
    size_t count = 0;

    *bytes = 0;
    ws_text_printf(&ctf, "%s/ctf", path);
    names = ws_folder_names(ctf.bytes, "", NULL);
    for (size_t i = 0; names && names[i]; i++) {
        struct ws_text file = {0};
        struct stat info;
        if (fnmatch(STREAM_GLOB, names[i], 0) != 0)
            continue;
        ws_text_printf(&file, "%s/%s", ctf.bytes, names[i]);
        if (stat(file.bytes, &info) == 0)
            *bytes += (uint64_t)info.st_size;
        ws_text_free(&file);
        /* Names are sorted, so that the threads of a rank follow each other. */
        if (i == 0 || strncmp(names[i], names[i - 1], strcspn(names[i], ".") + 1) != 0)
            count++;
    }
    ws_names_free(names);
    ws_text_free(&ctf);
    return count;
}

/* ---- problems ---- */

struct problem {
    long rank;
    char *text;
};

static int by_text_and_rank(const void *a, const void *b)
{
    const struct problem *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : (left->rank > right->rank) - (left->rank < right->rank);
}

/* Reads one file: its lines, made printable. */
static void read_problem(const char *folder, const char *name, struct problem **list, size_t *count,
                         size_t *capacity)
{
    struct ws_text path = {0};
    char *text, *rest, *line;

    ws_text_printf(&path, "%s/%s", folder, name);
    text = ws_file_read(path.bytes, LONGEST_PROBLEM, NULL, NULL);
    ws_text_free(&path);
    if (!text)
        return;
    for (rest = text; (line = strtok_r(rest, "\n", &rest));) {
        for (char *byte = line; *byte; byte++)
            if ((unsigned char)*byte < ' ')
                *byte = ' ';
        WS_PUSH(*list, *count, *capacity) =
            (struct problem){strtol(name + strlen("rank-"), NULL, 10), ws_strdup(line)};
    }
    free(text);
}

/* "rank 3: ", "ranks 0, 2-5: " for the `count` first, which have one text. */
static void print_ranks(const struct problem *list, size_t count, struct ws_text *out)
{
    ws_text_puts(out, count == 1 ? "rank " : "ranks ");
    for (size_t i = 0; i < count;) {
        size_t last = i;
        while (last + 1 < count && list[last + 1].rank <= list[last].rank + 1)
            last++;
        ws_text_printf(out, "%s%ld", i ? ", " : "", list[i].rank);
        if (last > i)
            ws_text_printf(out, "-%ld", list[last].rank);
        i = last + 1;
    }
    ws_text_printf(out, ": %s\n", list[0].text);
}

void ws_folder_problems(const char *path, struct ws_text *out)
{
    char **names = ws_folder_names(path, ".problem", NULL);
    struct problem *list = NULL;
    size_t count = 0, capacity = 0;

    for (size_t i = 0; names && names[i]; i++)
        if (strncmp(names[i], "rank-", 5) == 0)
            read_problem(path, names[i], &list, &count, &capacity);
    ws_names_free(names);
    if (count)
        qsort(list, count, sizeof *list, by_text_and_rank);
    for (size_t i = 0; i < count;) {
        size_t same = 1;
        while (i + same < count && strcmp(list[i].text, list[i + same].text) == 0)
            same++;
        print_ranks(list + i, same, out);
        i += same;
    }
    for (size_t i = 0; i < count; i++)
        free(list[i].text);
    free(list);
}
