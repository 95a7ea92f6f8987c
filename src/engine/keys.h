/* Keys of a set of scopes: for each event type expressions that are equal for all events that can meet
 * (engine/partition.h). */
#ifndef WS_ENGINE_KEYS_H
#define WS_ENGINE_KEYS_H

#include "rules/kb.h"

#define WS_MOST_KEYS 8

/* What is known of a type in these scopes. */
struct ws_type_keys {
    bool used;          /* some rule at work takes it */
    bool meets;         /* some rule puts it together with others, so that it needs a key */
    uint32_t component; /* types that rules connect have one */
    const struct ws_expr *keys[WS_MOST_KEYS]; /* over an event of the type; NULL beyond the last */
};
/* What is known of a component: its keys are keys[0 .. key_count - 1] of each of its types that meets. */
struct ws_component {
    size_t key_count;
    bool meets;
    /* keys[0] is the event's own process for some type: the key is a rank, and events of that type stay
     * where they are read. */
    bool by_rank;
    bool narrow; /* nothing but communicators and the like: few values, so few members would work */
};
struct ws_keys {
    struct ws_type_keys *types; /* [type index] */
    struct ws_component *components;
    size_t component_count;
    bool found; /* each component that meets has a key */
};

/* wanted: by scope index.  *keys is freed by ws_keys_free. */
void ws_keys_find(struct ws_keys *keys, const struct ws_kb *kb, const bool *wanted);
void ws_keys_free(struct ws_keys *keys);

#endif
