#include "import/import.h"

#include "util/alloc.h"
#include "util/file.h"
#include "util/text.h"

#ifdef WHYSLOW_OTF2
#include "import/otf2/otf2.h"
#endif

#include <stdio.h>
#include <string.h>

/* What an anchor file begins with: the byte order, then OTF2 spelled "BOTF2". */
static bool is_anchor(const char *path)
{
    char bytes[7] = {0};
    FILE *file = ws_is_file(path) ? fopen(path, "rbe") : NULL;
    bool named = strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".otf2") == 0;

    if (!file)
        return false;
    if (fread(bytes, 1, sizeof bytes, file) == 0)
        bytes[0] = 0;
    fclose(file);
    return named || memcmp(bytes + 1, "BOTF2", 5) == 0;
}

/* The only anchor file in a folder that is none of our traces. */
static char *anchor_in(const char *folder)
{
    char **names = ws_folder_names(folder, ".otf2", NULL), *found = NULL;
    struct ws_text path = {0};

    if (names && names[0] && !names[1]) {
        ws_text_printf(&path, "%s/%s", folder, names[0]);
        if (is_anchor(path.bytes))
            found = ws_strdup(path.bytes);
    }
    ws_text_free(&path);
    ws_names_free(names);
    return found;
}

char *ws_import_find(const char *path)
{
    struct ws_text own = {0};
    bool is_own;

    if (is_anchor(path))
        return ws_strdup(path);
    if (!ws_is_folder(path))
        return NULL;
    ws_text_printf(&own, "%s/trace.json", path);
    is_own = ws_is_file(own.bytes);
    ws_text_free(&own);
    return is_own ? NULL : anchor_in(path);
}

bool ws_import_has_otf2(void)
{
#ifdef WHYSLOW_OTF2
    return true;
#else
    return false;
#endif
}

int ws_import(const char *anchor, const struct ws_kb *kb, const char *directory,
              const struct ws_import_options *options, struct ws_error *error)
{
#ifdef WHYSLOW_OTF2
    return ws_otf2_import(anchor, kb, directory, options, error);
#else
    (void)kb;
    (void)directory;
    (void)options;
    return ws_fail(
        error, WS_ENVIRONMENT,
        "%s: this whyslow was built without OTF2: install its library (Debian: libotf2-trace-dev) and build "
        "whyslow again",
        anchor);
#endif
}
