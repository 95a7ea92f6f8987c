#include "engine/engine.h"

#include "util/text.h"

#include <string.h>

#ifdef WHYSLOW_CLIPS
extern const struct ws_engine_ops ws_engine_clips;
#endif

extern const struct ws_engine_ops ws_engine_native;

/* The first is the default. */
static const struct ws_engine_ops *const engines[] = {
    &ws_engine_native,
#ifdef WHYSLOW_CLIPS
    &ws_engine_clips,
#endif
    NULL,
};

void ws_engine_names(struct ws_text *out)
{
    for (size_t i = 0; engines[i]; i++)
        ws_text_printf(out, "%s%s", i ? ", " : "", engines[i]->name);
}

const struct ws_engine_ops *ws_engine_find(const char *name, struct ws_error *error)
{
    struct ws_text known = {0};

    for (size_t i = 0; engines[i]; i++)
        if (!name || strcmp(engines[i]->name, name) == 0)
            return engines[i];
    ws_engine_names(&known);
    ws_fail(error, WS_USAGE, "no engine \"%s\": this build has %s", name, known.bytes);
    ws_text_free(&known);
    return NULL;
}
