/* The problems of one report found again in another, of a later version of the program: by the calls at which
 * they wait, whose lines, files and functions may have changed meanwhile. */
#ifndef WS_DIAGNOSIS_AGAIN_H
#define WS_DIAGNOSIS_AGAIN_H

#include "diagnosis/diagnosis.h"

/* How a problem was found again, the surest first. */
enum ws_again_by {
    WS_AGAIN_SAME_LINES,
    WS_AGAIN_MOVED,            /* the same calls of the same functions, in other lines */
    WS_AGAIN_FILE_RENAMED,     /* the same, in another file */
    WS_AGAIN_FUNCTION_RENAMED, /* the same calls in a function that has another name now */
    WS_AGAIN_OTHER_CAUSE,      /* the same call waits, for another one */
    WS_AGAIN_OTHER_CALL,       /* another call of the same function waits */
    WS_AGAIN_COUNT,
};
#define WS_NOT_AGAIN SIZE_MAX

struct ws_again {
    size_t after; /* index in the other report, or WS_NOT_AGAIN */
    enum ws_again_by by;
};

/* Fills again[before_count].  Each problem of the other report is found by one at most. */
void ws_find_again(const struct ws_problem *const *before, size_t before_count,
                   const struct ws_problem *const *after, size_t after_count, struct ws_again *again);

/* The call that waits, and the one that causes it (perhaps the same); NULL: not known. */
const struct ws_place *ws_problem_waits_at(const struct ws_problem *problem);
const struct ws_place *ws_problem_caused_at(const struct ws_problem *problem);

#endif
