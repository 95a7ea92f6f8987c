#include "engine/engine.h"

#include "util/text.h"

#include <string.h>

#ifdef WHYSLOW_CLIPS
extern const struct ws_engine_ops ws_engine_clips;
#endif

/* The first is the default. */
static const struct ws_engine_ops *const engines[] = {
#ifdef WHYSLOW_CLIPS
    &ws_engine_clips,
#endif
    NULL,
};

const struct ws_engine_ops *ws_engine_find(const char *name, struct ws_error *error)
{
    struct ws_text known = {0};

    for (size_t i = 0; engines[i]; i++) {
        if (!name || strcmp(engines[i]->name, name) == 0)
            return engines[i];
        ws_text_printf(&known, "%s%s", i ? ", " : "", engines[i]->name);
    }
    ws_fail(error, name ? WS_USAGE : WS_ENVIRONMENT, "no engine \"%s\": this build has %s",
            name ? name : "default", known.length ? known.bytes : "none");
    ws_text_free(&known);
    return NULL;
}
