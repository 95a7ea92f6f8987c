/* A run as it can be replayed: for each thread of each rank its recorded calls and what it computed between them,
 * and for each call what it had to wait for.  Everything lies in flat arrays; a step, a need and a meeting are
 * known by their numbers there. */
#ifndef WS_REPLAY_GRAPH_H
#define WS_REPLAY_GRAPH_H

#include "rules/kb.h"
#include "trace/meaning.h"
#include "trace/trace.h"

#define WS_NOTHING UINT32_MAX

/* A recorded call.  Steps are ordered by their ends as recorded, so that whatever a step needs, but for what a
 * damaged clock makes of it, comes before it. */
struct ws_step {
    int64_t enter_ns, exit_ns; /* as recorded */
    int64_t own_ns;            /* from the moment at which all that it needs was there (or it was called) to its end */
    int64_t local_ns;          /* how long it would take if all was there when it is called */
    int64_t site;              /* ws_trace_site */
    const char *function;
    uint32_t lane;             /* the thread it was made by */
    uint32_t before;           /* the call before it on its lane, or WS_NOTHING */
    uint32_t first_need;       /* its needs end where those of the next step begin */
    bool io;                   /* it reads, writes, opens or changes a file */
};

enum ws_need_kind {
    WS_NEED_MESSAGE,    /* a receive needs its send to be started */
    WS_NEED_RECEIVER,   /* a send that is not buffered needs its receive to be posted */
    WS_NEED_MEETING,    /* a collective operation needs others to have come */
    WS_NEED_EXPOSURE,   /* access to memory needs it to be exposed */
    WS_NEED_COMPLETION, /* the end of an exposure needs the accesses to be complete */
    WS_NEED_LOCK,       /* a lock needs the one before it to be given back */
};
/* A step does not end before a moment of another one. */
struct ws_need {
    uint32_t on;         /* the step; of kind MEETING the attendant that waits */
    uint32_t event;      /* whose operation this is: its number in the order of the trace */
    enum ws_need_kind kind;
    bool of_exit;        /* the moment is the end of `on`, not its begin */
    bool buffered;       /* a message that needs no receiver: all of it travels as soon as it is sent */
    int64_t compute_ns;  /* computed before `on` since its thread last had to wait (WS_ATTR_COMPUTE) */
    int64_t early_ns;    /* by so much, which clocks may err, the step ended before that moment; or 0 */
};

/* A collective operation: its attendants, by their ranks. */
struct ws_meeting {
    uint32_t first, end; /* in ws_graph.attendants */
    uint32_t root;       /* the attendant that it is, or WS_NOTHING */
    uint32_t last;       /* the attendant that came last, as recorded */
    enum ws_flow flow;
};
struct ws_attendant {
    uint32_t meeting, rank;
    uint32_t step;       /* with whose begin it came */
    uint32_t done;       /* in which it left, or WS_NOTHING */
    uint32_t event;      /* WS_NOTHING where it never left */
    int64_t compute_ns;  /* as in a need */
};

struct ws_lane {
    uint32_t rank, thread;
    uint32_t last;               /* its last step, or WS_NOTHING */
    int64_t begin_ns, end_ns;    /* of the rank's recorded time */
};

struct ws_graph {
    struct ws_trace *trace; /* names and sites; closed with the graph */
    struct ws_schema schema;
    const struct ws_trace_info *info;
    struct ws_step *steps; /* [step_count + 1]; the last one only ends the needs */
    uint32_t step_count;
    struct ws_need *needs;
    uint32_t need_count;
    struct ws_meeting *meetings;
    uint32_t meeting_count;
    struct ws_attendant *attendants;
    uint32_t attendant_count;
    struct ws_lane *lanes;
    uint32_t lane_count;
    uint32_t *event_steps; /* [event_count]: the step in which an event's operation ended, by ws_waited.event */
    uint32_t event_count;
    int64_t begin_ns, end_ns; /* of the run */
    uint64_t unmatched;       /* receives, probes and epochs of which the other side is missing: nobody waits there */
    uint64_t disordered;      /* needs left out since by the clocks what is needed came after */
};

/* Up to so many calls are replayed without being asked to: they take about a second and 100 MB. */
#define WS_GRAPH_CALLS 1000000

/* Who is told now and then what share of the run is read, 0 to 1. */
struct ws_graph_watcher {
    void (*progress)(double share, void *context); /* NULL: not told */
    void *context;
};

/* Reads the trace of a folder.  watcher NULL: nobody watches.  Gives 0; 1 where it has more calls than `most` (0: any
 * number that fits), or lasts for decades: then the graph holds nothing; -1 on error.  ws_graph_free in every case. */
int ws_graph_read(const char *directory, const struct ws_kb *kb, uint32_t most, const struct ws_graph_watcher *watcher,
                  struct ws_graph *graph, struct ws_error *error);
void ws_graph_free(struct ws_graph *graph);
/* What was computed on the lane between the call before and this one. */
int64_t ws_step_compute_ns(const struct ws_graph *graph, uint32_t step);
/* The step of another thread that a need is on: of a meeting, that with which the last one awaited came. */
uint32_t ws_need_step(const struct ws_graph *graph, const struct ws_need *need);
/* The moment, as recorded, before which a step cannot end because of a need. */
int64_t ws_need_moment_ns(const struct ws_graph *graph, const struct ws_need *need);
/* For how long a step had to wait: until the last of its needs was there, not longer than it lasted. */
int64_t ws_step_wait_ns(const struct ws_graph *graph, uint32_t step);
/* For whom an attendant of a meeting waits: the attendants from *from to *end - 1, but not itself. */
void ws_attendant_waits(const struct ws_graph *graph, uint32_t attendant, uint32_t *from, uint32_t *end);

#endif
