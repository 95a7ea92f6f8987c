/* Values of the rule languages, and the attributes that every simple event has.  Shared by the rooms
 * that define them (rules) and that carry them (trace, engine). */
#ifndef WS_UTIL_VALUE_H
#define WS_UTIL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct ws_event;

enum ws_type {
    WS_TYPE_NONE,
    WS_TYPE_INTEGER, /* 64-bit signed; overflow makes an expression undefined */
    WS_TYPE_REAL,
    WS_TYPE_TIME, /* nanoseconds, 64-bit signed: a moment of the corrected clock or a duration */
    WS_TYPE_BOOLEAN,
    WS_TYPE_STRING,
    WS_TYPE_SITE,  /* a call site: index into the trace's site table */
    WS_TYPE_EVENT, /* a reference to an event: for `waiting`, `cause` and advice only */
};

union ws_value {
    int64_t i;                /* INTEGER, TIME, BOOLEAN (0, 1), SITE */
    double r;                 /* REAL */
    const char *s;            /* STRING: interned, compare with strcmp */
    const struct ws_event *e; /* EVENT */
};

/* The sum of two durations, at most INT64_MAX: a damaged trace may claim any.  Both not negative. */
static inline int64_t ws_add_ns(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* -1, 0, 1 as a is less than b, equal to it or greater: for sorting. */
static inline int ws_three_way(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

const char *ws_type_name(enum ws_type type); /* "integer", "time" ... */

/* Attributes of every simple event, in the slots before its own parameters. */
enum ws_attribute {
    WS_ATTR_T,           /* time: start of the call in which the operation completed */
    WS_ATTR_D,           /* time: duration of that call */
    WS_ATTR_END,         /* time: t + d */
    WS_ATTR_PROCESS,     /* integer: rank in MPI_COMM_WORLD */
    WS_ATTR_SITE,        /* site of that call */
    WS_ATTR_FUNCTION,    /* string: name of that call's function */
    WS_ATTR_POSTED,      /* time: start of the call that started the operation; t where it is the same call */
    WS_ATTR_POSTED_SITE, /* site of the call that started the operation */
    WS_ATTR_POSTED_FUNCTION,
    WS_ATTR_COMPUTE,  /* time spent outside recorded calls from the last recorded call that could wait (one
                         that does more than start operations) to the starting call */
    WS_ATTR_BEFORE,   /* string: event type of that last call; "" at the start */
    WS_ATTR_BEFORE_D, /* time: duration of that call; then the name of its function, or "" */
    WS_ATTR_BEFORE_FUNCTION,
    WS_ATTR_CALL,     /* integer: number of the call on its process; events of one call share it */
    WS_ATTR_COUNT
};
/* Attributes of every composite event. */
enum ws_composite_attribute {
    WS_CATTR_BEGIN, /* time: the least t of its simple events */
    WS_CATTR_END,   /* time: the greatest t + d of its simple events */
    WS_CATTR_COUNT
};
struct ws_attribute_info {
    const char *name;
    enum ws_type type;
    const char *meaning; /* one line, for `kb show` and docs */
};
extern const struct ws_attribute_info ws_attributes[WS_ATTR_COUNT];
extern const struct ws_attribute_info ws_composite_attributes[WS_CATTR_COUNT];

/* An event, simple or composite.  `type` indexes ws_kb.types (simple types first, in the same order as
 * the schema's).  value[] holds the attributes (WS_ATTR_COUNT or WS_CATTR_COUNT of them), then the
 * declared parameters in order. */
struct ws_event {
    uint32_t type;
    uint32_t mark;  /* of a simple event, whatever its feeder wants to know it by; engines only keep it */
    uint64_t order; /* place in the order of arrival; unique among all events of an analysis */
    union ws_value value[];
};

#endif
