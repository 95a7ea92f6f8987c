/* Two versions of a program compared by reports on runs of them: which problems are gone, new, better or
 * worse, and whether that is more than two runs of the same program differ by. */
#ifndef WS_DIAGNOSIS_COMPARE_H
#define WS_DIAGNOSIS_COMPARE_H

#include "diagnosis/again.h"

/* What two runs of the same program are taken to differ by where there are not several to tell it: percent of
 * the greater of two times (docs/report.md). */
#define WS_NOISE_PERCENT 20.0

struct ws_side { /* runs of one version; the first is shown */
    const struct ws_diagnosis *runs;
    const char *const *paths;
    size_t count;
};
struct ws_compare_options {
    double noise_percent;     /* < 0: WS_NOISE_PERCENT */
    double threshold_percent; /* of the ranks' time: less is not told of a problem, and no clear change.  < 0:
                                 WS_THRESHOLD_PERCENT */
};

struct ws_change {
    double before_s, after_s; /* means over the runs of a side */
    double gain_s;            /* before - after */
    double noise_s;           /* by which two runs of the same program may differ */
    bool clear;               /* the change is greater than that */
};

enum ws_status { WS_GONE, WS_NEW, WS_BETTER, WS_WORSE, WS_SAME, WS_STATUS_COUNT };
extern const char *const ws_status_names[WS_STATUS_COUNT];

struct ws_problem_side {              /* a problem on one side */
    const struct ws_problem *problem; /* in the first run that tells it; NULL: in none */
    size_t index;                     /* in the first run's report, or WS_NOT_AGAIN */
    double percent;                   /* severity, as the mean over the runs */
    double at_most_s; /* what of it reports may not tell, since they tell nothing below a threshold */
};
struct ws_compared_problem {
    enum ws_status status;
    const char *id, *name;
    struct ws_problem_side before, after;
    struct ws_change change;
    enum ws_again_by by; /* where both sides have it */
};

struct ws_side_sum { /* means over the runs of a side */
    double wall_s, total_s, waiting_s;
};

struct ws_comparison {
    struct ws_arena arena;
    struct ws_side before, after; /* borrowed */
    struct ws_side_sum before_sum, after_sum;
    struct ws_change wall, waiting;
    bool per_rank; /* times of waiting are those of one rank, since there are not as many on both sides */
    bool measured; /* the noise is told by several runs of one side */
    double noise_percent; /* where it is not */
    double threshold_percent;
    struct ws_compared_problem *problems; /* the greatest change first */
    size_t problem_count;
    size_t counts[WS_STATUS_COUNT];
    size_t small_count; /* below the threshold on both sides */
    const char **warnings;
    size_t warning_count;
};

/* Each side has one run at least.  Never fails. */
void ws_compare_sides(const struct ws_side *before, const struct ws_side *after,
                      const struct ws_compare_options *options, struct ws_comparison *comparison);
void ws_comparison_free(struct ws_comparison *comparison);

/* Student's t for 19 of 20 cases, two-sided. */
double ws_student(size_t degrees);

#endif
