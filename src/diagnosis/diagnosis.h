/* From problem instances to a ranked list: waiting time counted once, grouped by call sites. */
#ifndef WS_DIAGNOSIS_DIAGNOSIS_H
#define WS_DIAGNOSIS_DIAGNOSIS_H

#include "engine/engine.h"
#include "team/team.h"
#include "trace/trace.h"

struct ws_rank_share {
    uint32_t rank;
    int64_t duration_ns;
    uint64_t count;
};
struct ws_place { /* a call site in a role */
    const char *role;      /* member name: "receiver" */
    const char *called;    /* "MPI_Recv" */
    const char *function, *file, *module; /* of the source; "" when unknown */
    int line;
    uint64_t offset;
    bool waiting, cause;
};
/* Where waiting began: the delay that other ranks' waiting comes from, directly or through others that waited
 * (docs/critical-path.md). */
struct ws_way { /* of the waiting, from rank to rank */
    uint32_t rank;
    struct ws_place place; /* where it waits */
    int64_t wait_ns;
};
struct ws_origin {
    const char *kind;                 /* "computation", "io", "call", "wavefront" */
    const struct ws_place *from, *to; /* a computation lies between two calls; NULL: begin, end of the recording; a call is
                                         `to`; of a wavefront `from` receives what `to` sends */
    struct ws_rank_share *ranks;      /* where it began, and what it cost; the greatest first */
    size_t rank_count;
    int64_t duration_ns;              /* of waiting that it cost */
    int64_t direct_ns;                /* of that, by those that waited for one of these ranks itself */
    struct ws_way *way;               /* that most of it took, at the greatest of the ranks */
    size_t way_count;
    struct { /* of a wavefront: in its longest sweep `ranks`, from `first` to `last` */
        uint32_t ranks, first, last;
        uint64_t sweeps;
        int64_t stage_ns, period_ns;  /* each rank adds the first; from sweep to sweep, 0: there is one */
    } wave;
};
/* One entry per problem and call-site group. */
struct ws_problem {
    const char *id, *name, *description, *advice;
    double severity_percent;     /* of the ranks' total time */
    int64_t duration_ns;         /* summed over ranks, each moment of a rank once */
    uint64_t count;
    struct ws_rank_share *waiting; /* by rank */
    size_t waiting_count;
    struct ws_rank_share *causing; /* by rank: whose lateness cost how much */
    size_t causing_count;
    struct ws_place *places;     /* waiting first, then cause, then others */
    size_t place_count;
    uint32_t group;              /* its number for ws_diagnosis_options.waited */
    struct ws_origin *began;     /* where this waiting began, by cost; where ws_diagnosis.gains are known */
    size_t began_count;
    int64_t began_ns;            /* all that was traced to where it began */
    enum ws_remedy remedy;       /* what the advice comes to */
    int64_t gain_ns;             /* of the run's time, if that was done; where ws_diagnosis.gains are known */
    int64_t balanced_ns;         /* ... if the work was balanced among those that meet, or all, whatever the remedy */
    int64_t removed_ns;          /* ... if this waiting were not, and nothing else changed */
};
/* How much of the run was useful work (diagnosis/efficiency.h): shares, 0 to 1. */
struct ws_efficiency {
    bool known;
    double parallel, load_balance, communication;
    bool replayed; /* the run on an ideal network is known, and so are the two parts of communication: */
    double serialisation, transfer;
};
/* The problems of a phase that the program marked: those whose waiting begins in it, on the rank that waits. */
struct ws_phase_problems {
    const char *name;
    int64_t total_ns; /* sum over ranks of their time in it */
    struct ws_efficiency efficiency;
    struct ws_problem *problems;
    size_t problem_count;
};
/* Calls of one site that were only counted: it had had its share of what is recorded (--sample). */
struct ws_counted_site {
    struct ws_place place; /* no role */
    uint64_t calls, bytes;
    int64_t total_ns, longest_ns;
};
/* What replaying the run tells (replay/gain.h). */
struct ws_gains {
    bool known;
    bool too_long;               /* it was not replayed since it has too many calls */
    int64_t replayed_ns;         /* the run's time as the replay gives it back */
    int64_t together_ns;         /* gained if all problems of the report were remedied */
    uint64_t unmatched, disordered; /* operations whose waiting the replay does not know */
};
struct ws_diagnosis {
    struct ws_arena arena;
    struct ws_problem *problems; /* by duration, greatest first; at or above the threshold */
    size_t problem_count;
    size_t small_count;          /* groups below the threshold */
    int64_t small_ns;
    double threshold_percent;
    struct ws_phase_problems *phases; /* where they were asked for: in the order in which they first begin */
    size_t phase_count;
    /* the run */
    const char *command, *mpi;
    const char *runtime, *process; /* "MPI", "rank"; NULL: these */
    uint32_t ranks, ranks_recorded;
    double wall_s;               /* of the recorded part: first BEGIN to last END */
    int64_t total_ns;            /* sum over ranks of their recorded time */
    int64_t call_ns;             /* of that inside recorded calls */
    int64_t stopped_ns;          /* sum over ranks of the time in which recording was stopped: not in total_ns */
    struct ws_efficiency efficiency;
    struct ws_gains gains;
    uint64_t events, bytes, lost, unmatched, clock_violations;
    uint64_t counted;            /* calls that were only counted, of these sites; by total time, greatest first */
    struct ws_counted_site *counted_sites;
    size_t counted_site_count;
    uint32_t clocks;             /* that the ranks' times are of; corrected to rank 0's */
    double clock_error_s;        /* greatest error of a comparison of two */
    double cost_s;               /* summed over ranks */
    int exit_code;               /* of the program; -1 unknown (see run.json) */
    const char **warnings;
    size_t warning_count;
};

/* A time of a rank that counts as waiting; such times of one rank do not overlap.  It is all that counts of one
 * finding. */
struct ws_waited {
    uint32_t group;               /* ws_problem.group of its entry in the report */
    uint32_t event;               /* the operation that waits: the mark of its event (ws_trace_next) */
    uint32_t rank, cause_rank;    /* cause_rank UINT32_MAX: it waits for nobody in particular */
    int64_t from_ns, to_ns;
    const char *id, *name;        /* of the problem; as long as the knowledge base lives */
};

#define WS_THRESHOLD_PERCENT 1.0 /* where none is asked for */

struct ws_diagnosis_options {
    const char *engine;              /* NULL: default */
    struct ws_team *team;            /* every member calls ws_diagnose; member 0 gets the diagnosis, all the
                                        same error.  NULL: alone */
    double threshold_percent;        /* < 0: default */
    bool by_phase;                   /* fill phases; not with a team */
    bool growing;                    /* the run goes on: the trace as it stands */
    /* Called now and then with the share of the run that is read, 0 to 1.  NULL: not called. */
    void (*progress)(double share, void *context);
    void *context;
    /* Called for each time that is counted, in no certain order; what it is told of adds up to the problems, also those
     * below the threshold.  Not with a team, nor by phase.  NULL: not called. */
    void (*waited)(const struct ws_waited *waited, void *context);
    void *waited_context;
};
/* Is the folder there, and one that holds a trace?  Tells what is there instead (WS_BAD_INPUT). */
int ws_diagnosis_check(const char *directory, struct ws_error *error);
int ws_diagnose(const char *directory, const struct ws_kb *kb, const struct ws_diagnosis_options *options,
                struct ws_diagnosis *diagnosis, struct ws_error *error);
void ws_diagnosis_free(struct ws_diagnosis *diagnosis);
/* How much of the recorded run lies before a moment, from 0 to 1: for those who tell how far they are. */
double ws_share_before(const struct ws_trace_info *info, int64_t ns);

#endif
