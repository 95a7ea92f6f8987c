/* The folders that Whyslow reads its data from and keeps its recorders in. */
#include "launch/launch.h"

#include "util/file.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int ws_cache_path(char *path, size_t size, struct ws_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool ok;

    if (cache && *cache == '/') { /* the standard says: a relative one is to be ignored */
        ok = fits(path, size, cache, "/whyslow");
    } else {
        if (!home || !*home) {
            const struct passwd *user = getpwuid(getuid());
            home = user ? user->pw_dir : "/tmp";
        }
        ok = fits(path, size, home, "/.cache/whyslow");
    }
    return ok ? 0 : ws_fail(error, WS_ENVIRONMENT, "the path of the cache folder is too long");
}

int ws_cache_folder(char *path, size_t size, struct ws_error *error)
{
    struct ws_error cause;

    if (ws_cache_path(path, size, error) != 0)
        return -1;
    if (ws_make_folder(path, &cause) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "%s; set XDG_CACHE_HOME to a folder that is writable",
                       cause.text);
    if (access(path, W_OK | X_OK) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "%s: not writable; set XDG_CACHE_HOME to a folder that is",
                       path);
    return 0;
}
