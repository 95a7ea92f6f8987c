/* What the event types of a knowledge base mean to viewers.  They know messages, collective operations and
 * remote memory access, each with parameters of its own; whatever is none of these is a call with named
 * values. */
#ifndef WS_EXPORT_MEANING_H
#define WS_EXPORT_MEANING_H

#include "trace/schema.h"
#include "util/value.h"

enum ws_means {
    WS_MEANS_CALL,
    WS_MEANS_SEND,
    WS_MEANS_RECV,
    WS_MEANS_COLLECTIVE, /* all processes of a communicator take part */
    WS_MEANS_LOCK,
    WS_MEANS_UNLOCK,
    WS_MEANS_RMA,
    WS_MEANS_EPOCH,  /* post, start, complete, wait */
    WS_MEANS_WINDOW, /* makes one */
    WS_MEANS_WINDOW_FREE,
    WS_MEANS_FENCE,
};
enum ws_known_param {
    WS_KNOWN_PEER,
    WS_KNOWN_TAG,
    WS_KNOWN_COMM,
    WS_KNOWN_BYTES,
    WS_KNOWN_N,
    WS_KNOWN_ROOT,
    WS_KNOWN_IS_ROOT,
    WS_KNOWN_WINDOW,
    WS_KNOWN_TARGET,
    WS_KNOWN_ORIGIN,
    WS_KNOWN_EXCLUSIVE,
    WS_KNOWN_TAKEN,
    WS_KNOWN_GIVEN,
    WS_KNOWN_COUNT
};
struct ws_meaning {
    enum ws_means means;
    const char *type;
    int slot[WS_KNOWN_COUNT]; /* in ws_event.value; -1: the type has no such parameter */
};

/* [type_count] of the schema (free()). */
struct ws_meaning *ws_meanings_make(const struct ws_schema *schema);
/* The value of a parameter that the type has; else `otherwise`. */
int64_t ws_known(const struct ws_meaning *meaning, const struct ws_event *event, enum ws_known_param param,
                 int64_t otherwise);

#endif
