/* The events that a page shows one by one: at most a given number, of which those with the longest waiting
 * come first, then the longest. */
#ifndef WS_REPORT_TIMELINE_EVENTS_H
#define WS_REPORT_TIMELINE_EVENTS_H

#include "report/timeline/meets.h"
#include "report/timeline/waits.h"

/* Names and call sites by number, in order of first appearance. */
struct ws_numbered {
    struct ws_map places; /* address or site -> place + 1 */
    union ws_value *list;
    size_t count, capacity;
};

struct ws_shown { /* an event */
    int64_t t_ns, duration_ns, posted_ns;
    int64_t call, waited_ns;
    uint64_t key;   /* what it meets (ws_meets_key) */
    size_t values;  /* its first parameter in ws_shown_events.values */
    uint32_t order; /* of the trace */
    uint32_t row, type;
    uint32_t function, site, posted_function, posted_site; /* places in the lists */
    uint32_t group;                                        /* of the waiting */
};
struct ws_shown_events {
    const struct ws_kb *kb;
    const struct ws_waits *waits;
    struct ws_meets meets;
    size_t most, next_wait;
    uint64_t seen;         /* all events so far */
    struct ws_shown *list; /* after ws_shown_finish by row, start and order */
    size_t count, capacity;
    union ws_value *values; /* parameters; of strings and sites the place in a list */
    size_t value_count, value_capacity;
    uint64_t least; /* once something was left out: importance below which nothing is taken */
    struct ws_numbered functions, strings, sites;
    uint32_t *sends, *receives; /* [message_count]: events that meet, after ws_shown_finish */
    size_t message_count, message_capacity;
};

/* Borrows kb and waits, after ws_waits_finish. */
void ws_shown_init(struct ws_shown_events *events, const struct ws_kb *kb, const struct ws_waits *waits,
                   size_t most);
/* The next event of the trace; its texts are borrowed. */
void ws_shown_add(struct ws_shown_events *events, const struct ws_event *event);
void ws_shown_finish(struct ws_shown_events *events);
/* All columns.  rows: how many there are; problems: place of each group in the report's list (levels.h). */
void ws_shown_write(const struct ws_shown_events *events, uint32_t rows, int64_t begin_ns,
                    const uint8_t *problems, size_t groups, struct ws_zip *zip);
void ws_shown_free(struct ws_shown_events *events);

#endif
