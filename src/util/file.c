#include "util/file.h"

#include "util/alloc.h"
#include "util/text.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *ws_file_read(const char *path, size_t most, size_t *length, struct ws_error *error)
{
    struct ws_text text = {0};
    char chunk[65536];
    size_t got;
    FILE *file;

    if (ws_is_folder(path)) {
        ws_fail(error, WS_BAD_INPUT, "%s: is a folder, not a file", path);
        return NULL;
    }
    file = fopen(path, "rbe");
    if (!file) {
        ws_fail(error, WS_BAD_INPUT, "%s: cannot read: %s", path, strerror(errno));
        return NULL;
    }
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0 && text.length <= most)
        ws_text_add(&text, chunk, got);
    if (ferror(file) || text.length > most) {
        if (ferror(file))
            ws_fail(error, WS_BAD_INPUT, "%s: cannot read: %s", path, strerror(errno));
        else
            ws_fail(error, WS_BAD_INPUT, "%s: larger than %zu bytes, which no such file needs", path, most);
        fclose(file);
        ws_text_free(&text);
        return NULL;
    }
    fclose(file);
    if (length)
        *length = text.length;
    return text.bytes ? text.bytes : ws_strdup("");
}

int ws_file_write(const char *path, const char *bytes, size_t length, struct ws_error *error)
{
    struct ws_text temporary = {0};
    FILE *file;
    int result = 0;

    ws_text_printf(&temporary, "%s.%ld.tmp", path, (long)getpid());
    file = fopen(temporary.bytes, "wbe");
    if (!file || fwrite(bytes, 1, length, file) != length)
        result = -1;
    if (file && fclose(file) != 0)
        result = -1;
    if (result == 0 && rename(temporary.bytes, path) != 0)
        result = -1;
    if (result != 0) {
        ws_fail(error, WS_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
        unlink(temporary.bytes);
    }
    ws_text_free(&temporary);
    return result;
}

int ws_make_folder(const char *path, struct ws_error *error)
{
    char *copy = ws_strdup(path);
    int result = 0;

    for (char *slash = copy; result == 0 && slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            result = ws_fail(error, WS_ENVIRONMENT, "%s: cannot create folder: %s", copy, strerror(errno));
        if (slash)
            *slash = '/';
    }
    if (result == 0 && !ws_is_folder(path))
        result = ws_fail(error, WS_ENVIRONMENT, "%s: exists and is not a folder", path);
    free(copy);
    return result;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void ws_remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool ws_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool ws_is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n >= m && strcmp(name + n - m, suffix) == 0;
}

char **ws_folder_names(const char *path, const char *suffix, struct ws_error *error)
{
    size_t count = 0, capacity = 0;
    char **names = NULL;
    struct dirent *entry;
    DIR *folder = opendir(path);

    if (!folder) {
        ws_fail(error, WS_BAD_INPUT, "%s: cannot read folder: %s", path, strerror(errno));
        return NULL;
    }
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.' && ends_in(entry->d_name, suffix))
            WS_PUSH(names, count, capacity) = ws_strdup(entry->d_name);
    closedir(folder);
    if (count)
        qsort(names, count, sizeof *names, compare_names);
    WS_PUSH(names, count, capacity) = NULL;
    return names;
}

void ws_names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

const char *ws_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && *folder ? folder : "/tmp";
}
