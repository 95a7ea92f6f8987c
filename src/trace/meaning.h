/* What the event types of a knowledge base mean to viewers and to a replay of the run.  They know messages,
 * collective operations and remote memory access, each with parameters of its own; whatever is none of these is
 * a call with named values. */
#ifndef WS_TRACE_MEANING_H
#define WS_TRACE_MEANING_H

#include "trace/schema.h"
#include "util/value.h"

enum ws_means {
    WS_MEANS_CALL,
    WS_MEANS_SEND,
    WS_MEANS_RECV,
    WS_MEANS_COLLECTIVE, /* all processes of a communicator take part */
    WS_MEANS_PART,       /* of one: what is given to some of them */
    WS_MEANS_COMMUNICATOR, /* makes one */
    WS_MEANS_COMMUNICATOR_FREE,
    WS_MEANS_LOCK,
    WS_MEANS_UNLOCK,
    WS_MEANS_FLUSH,
    WS_MEANS_RMA,
    WS_MEANS_PROBE,
    WS_MEANS_POST, /* exposes memory to an origin, which has a start and a complete; the target's wait ends it */
    WS_MEANS_START,
    WS_MEANS_COMPLETE,
    WS_MEANS_EXPOSURE_WAIT,
    WS_MEANS_WINDOW, /* makes one */
    WS_MEANS_WINDOW_FREE,
    WS_MEANS_FENCE,
    WS_MEANS_FILE, /* a file is opened, closed, read, written or changed */
};
/* Who waits for whom where several processes take part in an operation. */
enum ws_flow {
    WS_FLOW_NONE,
    WS_FLOW_ALL,       /* nobody leaves before the last has come */
    WS_FLOW_TO_ROOT,   /* the root waits for all others */
    WS_FLOW_FROM_ROOT, /* all others wait for the root */
    WS_FLOW_PREFIX,    /* each waits for those of lower rank */
};
enum ws_known_param {
    WS_KNOWN_PEER,
    WS_KNOWN_TAG,
    WS_KNOWN_COMM,
    WS_KNOWN_BYTES,
    WS_KNOWN_N,
    WS_KNOWN_SIZE,
    WS_KNOWN_NEW_COMM,
    WS_KNOWN_FIRST,
    WS_KNOWN_PARTS,
    WS_KNOWN_ROOT,
    WS_KNOWN_IS_ROOT,
    WS_KNOWN_WINDOW,
    WS_KNOWN_TARGET,
    WS_KNOWN_ORIGIN,
    WS_KNOWN_EXCLUSIVE,
    WS_KNOWN_SYNCHRONOUS,
    WS_KNOWN_EXPOSED,
    WS_KNOWN_TAKEN,
    WS_KNOWN_GIVEN,
    WS_KNOWN_COUNT
};
struct ws_meaning {
    enum ws_means means;
    enum ws_flow flow;
    const char *type;
    int slot[WS_KNOWN_COUNT]; /* in ws_event.value; -1: the type has no such parameter */
};

/* [type_count] of the schema (free()). */
struct ws_meaning *ws_meanings_make(const struct ws_schema *schema);
/* The value of a parameter that the type has; else `otherwise`. */
int64_t ws_known(const struct ws_meaning *meaning, const struct ws_event *event, enum ws_known_param param,
                 int64_t otherwise);

#endif
