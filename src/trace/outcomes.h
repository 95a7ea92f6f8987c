/* Which operations of a process end otherwise than their start said: the exceptions of its numbers
 * (trace/numbers.h).
 *
 * Where one thread started all, each was completed once, and none was cancelled or let go of, a completion
 * with values ends what its handle was started for last, and all others may be passed over.  Whether that is
 * so shows at the end of the reading.  If not, the process is read once more, and each request followed
 * (trace/requests.h). */
#ifndef WS_TRACE_OUTCOMES_H
#define WS_TRACE_OUTCOMES_H

#include "trace/process.h"

/* What a handle was started or made for last. */
struct ws_started {
    const struct ws_bound_record *record;
    int64_t made;     /* the number of the call */
    uint64_t posting; /* first of its places among the process's numbered postings */
    bool persistent;
    const uint8_t *fields; /* of its record, if that is quick; else its values are kept: */
    union ws_value values[];
};

#define WS_RECENT_HANDLES 16
/* A zeroed struct is the beginning. */
struct ws_outcomes {
    struct {
        uint64_t handle;
        struct ws_started *started; /* NULL: none */
    } recent[WS_RECENT_HANDLES];    /* by a quick hash */
    struct ws_map by_handle;        /* -> struct ws_started */
    const struct ws_stream *stream; /* in which operations are started; NULL: none was yet */
    int64_t open;                   /* operations started and not completed */
    bool failed;                    /* it is not so */
};

/* Takes the thread's record, the slow way: it is no whole operation. */
void ws_outcomes_follow(struct ws_outcomes *outcomes, struct ws_process *process,
                        const struct ws_thread *thread);
/* Takes the thread's record. */
static inline void ws_outcomes_take(struct ws_outcomes *outcomes, struct ws_process *process,
                                    const struct ws_thread *thread)
{
    const struct ws_bound_record *record = thread->cursor.record;

    if (record->ends)
        outcomes->open--;
    else if (record->role != WS_ROLE_PLAIN)
        ws_outcomes_follow(outcomes, process, thread);
}
/* At the end of a reading: the process's numbers know all exceptions, and it how many operations are
 * incomplete. */
void ws_outcomes_conclude(struct ws_outcomes *outcomes, struct ws_process *process);

#endif
