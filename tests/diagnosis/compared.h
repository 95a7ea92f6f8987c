/* Made-up problems at call sites, for the tests that compare reports. */
#ifndef TESTS_DIAGNOSIS_COMPARED_H
#define TESTS_DIAGNOSIS_COMPARED_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diagnosis/compare.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

struct call {
    const char *called, *function, *file;
    int line;
};
struct made { /* a problem: who waits where, for whom (called NULL: the same call) */
    const char *id;
    struct call waits, causes;
    int64_t ms;
};

static inline struct ws_place made_place(const struct call *call, bool waiting, bool cause)
{
    bool lined = call->line > 0; /* else the offset stands there, negative */

    return (struct ws_place){.role = waiting ? "receiver" : "sender",
                             .called = call->called,
                             .function = call->function,
                             .file = lined ? call->file : "",
                             .module = lined ? "/bin/app" : call->file,
                             .line = lined ? call->line : 0,
                             .offset = lined ? 7 : (uint64_t)-call->line,
                             .waiting = waiting,
                             .cause = cause};
}

/* The problems with their places; free_problems. */
static inline struct ws_problem *made_problems(const struct made *made, size_t count)
{
    struct ws_problem *problems = ws_alloc_array(count, sizeof *problems);

    for (size_t i = 0; i < count; i++) {
        struct ws_place *places = ws_alloc_array(2, sizeof *places);
        problems[i] = (struct ws_problem){.id = made[i].id,
                                          .name = made[i].id,
                                          .description = "",
                                          .advice = "",
                                          .duration_ns = made[i].ms * MS,
                                          .count = 10,
                                          .places = places};
        places[0] = made_place(&made[i].waits, true, !made[i].causes.called);
        problems[i].place_count = made[i].causes.called ? 2 : 1;
        if (made[i].causes.called)
            places[1] = made_place(&made[i].causes, false, true);
    }
    return problems;
}

static inline void free_problems(struct ws_problem *problems, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(problems[i].places);
    free(problems);
}

#endif
