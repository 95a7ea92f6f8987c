/* How long a program that was measured on a reference node takes on a target node, or for another input size:
 * by which model, within which interval, what it is made of, and what simpler guesses say. */
#ifndef WS_PREDICT_ESTIMATE_H
#define WS_PREDICT_ESTIMATE_H

#include "predict/model/pair.h"
#include "predict/model/paper.h"

/* A run on the reference node. */
struct ws_measured {
    double size;           /* of its input, > 0; 0: not told */
    double time_s, spread; /* CPU seconds; spread relative */
    double processes;
    bool has_work; /* what it did was counted; else only the times are known */
    struct ws_work work;
    double parameters[WS_PARAMETERS]; /* h1..h11 */
};

struct ws_subject {
    const char *program;      /* its command, for people */
    const char *path;         /* the file that tells of it, for messages */
    const char *architecture; /* on which it ran; "": not told */
    struct ws_measured *runs; /* in order of their sizes */
    size_t run_count;
};

enum ws_model {
    WS_MODEL_DEFAULT, /* kernels; where a node ran none, the characteristics; where nothing was counted, one
                         factor */
    WS_MODEL_PAPER,   /* the methodology as printed */
};

struct ws_estimate_options {
    enum ws_model model;
    double coverage;              /* of the intervals, 0..1 */
    double request_s;             /* what the user asked for; 0: nothing */
    double anchor_size, anchor_s; /* a run on the target; anchor_s 0: none */
};
#define WS_ESTIMATE_DEFAULTS                                                                                 \
    {                                                                                                        \
        .coverage = 0.9                                                                                      \
    }

struct ws_share {
    const char *name;
    double share; /* of the estimate; all of them sum up to 1 */
};

#define WS_MOST_ESTIMATE_WARNINGS 16

struct ws_estimate {
    const char *program, *reference, *target;
    double size;         /* 0: not told */
    const char *model;   /* "kernels", "characteristics", "node factor", "paper" */
    const char *refusal; /* why there is no estimate; NULL: there is one */
    double estimate_s, low_s, high_s;
    double coverage;      /* of the interval; 0 where nothing measured says how good it is */
    double reference_s;   /* measured, or followed to this size; 0: not known */
    double exponent;      /* lambda of the correction */
    double correction;    /* measured / theoretical time on the reference */
    double anchor_factor; /* by which the run on the target moved the estimate; 1: none */
    struct ws_share shares[WS_COLUMNS + 1];
    size_t share_count;
    double outside;        /* share of the work that the kernels do not span */
    const char *size_form; /* how it was followed to this size; NULL: it was measured */
    bool by_counts, extrapolated;
    double size_error; /* ln, mean over sizes left out; NAN: not known */
    double clock_ratio_s, node_factor_s, power_law_s, request_s; /* simpler guesses; 0: not known */
    const char *warnings[WS_MOST_ESTIMATE_WARNINGS];
    size_t warning_count;
};

/* Estimates the run of this size (0: the only one, or all of them: *count estimates, one for each run), into
 * the arena. pair: the nodes compared by kernels; pair->kernel_count below WS_LEAST_KERNELS where they were
 * not.  What cannot be estimated has a refusal.  -1 with *error (WS_BAD_INPUT) where the subject does not fit
 * the question: sizes that are not known, runs of another architecture than the reference's. */
int ws_estimate(const struct ws_subject *subject, const struct ws_pair *pair, double size,
                const struct ws_estimate_options *options, struct ws_arena *arena,
                struct ws_estimate **estimates, size_t *count, struct ws_error *error);

#endif
