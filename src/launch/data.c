/* The folders that Whyslow reads its data from and keeps its recorders in. */
#include "launch/launch.h"

#include "util/file.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fits(char *path, size_t size, const char *first, const char *second)
{
    return (size_t)snprintf(path, size, "%s%s", first, second) < size;
}

int ws_data_folder(char *path, size_t size, struct ws_error *error)
{
    const char *given = getenv("WHYSLOW_DATA");
    char executable[PATH_MAX];
    ssize_t length;

    if (given && *given) {
        char *real = realpath(given, NULL);
        bool ok = real && ws_is_folder(real) && fits(path, size, real, "");
        free(real);
        return ok ? 0 : ws_fail(error, WS_ENVIRONMENT, "WHYSLOW_DATA=%s is not a folder", given);
    }
    length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (length < 0)
        return ws_fail(error, WS_ENVIRONMENT,
                       "cannot find Whyslow's own folder; set WHYSLOW_DATA to the folder "
                       "of kb and recorder");
    executable[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(executable, '/');
        if (!slash)
            break;
        *slash = '\0';
        if (fits(path, size, executable, "/share/whyslow") && ws_is_folder(path))
            return 0;
    }
    return ws_fail(error, WS_ENVIRONMENT,
                   "there is no share/whyslow beside or above the program; set WHYSLOW_DATA "
                   "to the folder of kb and recorder");
}

/* The folder that the user names; NULL: none.  The standard says: a relative one is to be ignored. */
static const char *named_cache(void)
{
    const char *cache = getenv("XDG_CACHE_HOME");

    return cache && *cache == '/' ? cache : NULL;
}

/* LD_PRELOAD separates by colons and spaces and knows no quoting. */
bool ws_preloadable(const char *path)
{
    return !path[strcspn(path, ": \t\n")];
}

int ws_cache_path(char *path, size_t size, struct ws_error *error)
{
    const char *cache = named_cache(), *home = getenv("HOME");
    bool ok;

    if (cache) {
        ok = fits(path, size, cache, "/whyslow");
    } else {
        if (!home || *home != '/') {
            const struct passwd *user = getpwuid(getuid());
            home = user ? user->pw_dir : "/nonexistent";
        }
        ok = fits(path, size, home, "/.cache/whyslow");
    }
    return ok ? 0 : ws_fail(error, WS_ENVIRONMENT, "the path of the cache folder is too long");
}

static int make_writable(const char *path, struct ws_error *error)
{
    struct ws_error cause;

    if (ws_make_folder(path, &cause) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "%s; set XDG_CACHE_HOME to a folder that is writable",
                       cause.text);
    if (access(path, W_OK | X_OK) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "%s: not writable; set XDG_CACHE_HOME to a folder that is",
                       path);
    return 0;
}

/* A folder of this user's own in the one for temporary files, where others may write too: what lies there is
 * loaded into programs, so nobody else may own it or write to it. */
static int make_private(char *path, size_t size)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp"};
    struct stat info;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!folders[i] || *folders[i] != '/' || !ws_preloadable(folders[i]) ||
            (size_t)snprintf(path, size, "%s/whyslow-%lu", folders[i], (unsigned long)geteuid()) >= size)
            continue;
        (void)mkdir(path, 0700); /* it may be there */
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
            (info.st_mode & 022) == 0 && access(path, W_OK | X_OK) == 0)
            return 0;
    }
    return -1;
}

int ws_cache_folder(char *path, size_t size, struct ws_error *error)
{
    char own[PATH_MAX];

    if (ws_cache_path(path, size, error) != 0)
        return -1;
    if ((ws_preloadable(path) || named_cache()) && make_writable(path, error) == 0)
        return 0;
    if (named_cache() || make_private(own, sizeof own < size ? sizeof own : size) != 0)
        return make_writable(path, error);
    strcpy(path, own);
    return 0;
}
