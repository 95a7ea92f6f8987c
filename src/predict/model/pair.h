/* Two nodes compared by the calibration kernels: what each class of work costs on both (non-negative least
 * squares on relative error), and how a time measured on the one is carried to the other,
 *
 *     T = T~target (Tref / T~ref)^lambda
 *
 * where T~ are the sums of costs; of this and of one factor for both nodes the geometric mean, weighed by
 * omega, is taken.  What is chosen (lambda, omega, how far the target's costs are drawn to those of the
 * reference times one factor, which pages count) is what estimates each kernel best from all others. */
#ifndef WS_PREDICT_PAIR_H
#define WS_PREDICT_PAIR_H

#include "predict/model/work.h"

/* The calibration kernels: what each asks of a node. */
struct ws_calibration {
    struct ws_arena arena;
    const char **names;
    struct ws_work *works;
    size_t count;
};

struct ws_side {
    const struct ws_node *node;
    bool huge_pages;
    double costs[WS_COLUMNS]; /* seconds for each unit of a column */
};

struct ws_pair {
    struct ws_side reference, target;
    size_t kernel_count; /* that both nodes have measured and whose work is known */
    double exponent;     /* lambda */
    double prior;        /* weight of "as on the reference, times one factor" in the target's fit */
    double detail;       /* omega: weight of the costs against the node factor alone, 0..1 */
    double node_factor;  /* geometric mean over the kernels of target / reference */
    double error;        /* of a kernel estimated from the others: mean of |ln(estimate / measured)| */
    double half_width;   /* ln: so far from its estimate is at most the share `coverage` of kernels */
    double factor_error, factor_half_width; /* the same for the node factor alone */
    double coverage;
    double *spans; /* kernel_count * WS_COLUMNS: nominal seconds by column, for ws_pair_outside */
};

/* Fewer kernels in common than this compare nothing. */
#define WS_LEAST_KERNELS 20

/* Compares two nodes; false where they have too few kernels in common.  The nodes are borrowed. ws_pair_free.
 */
bool ws_pair_fit(const struct ws_calibration *kernels, const struct ws_node *reference,
                 const struct ws_node *target, double coverage, struct ws_pair *pair);
void ws_pair_free(struct ws_pair *pair);

/* Seconds of each column on a side; returns their sum, T~. */
double ws_side_time_s(const struct ws_side *side, const struct ws_work *work, double shares_s[WS_COLUMNS]);
/* The kernel whose time is that of a process which does nothing.  What the program does beside is compared by
 * the others. */
#define WS_START_KERNEL "process_start"
/* Seconds of `time_s` that starting so many processes takes on a side, at most 90 %; 0 where the node does
 * not tell. */
double ws_pair_start_s(const struct ws_side *side, double processes, double time_s);
/* The estimate on the target; 0 where the model knows no cost for any of the work. */
double ws_pair_transfer_s(const struct ws_pair *pair, const struct ws_work *work, double processes,
                          double reference_s);

/* Which share of the work (0..1, by nominal costs on the reference) is of kinds, or in proportions, that no
 * mixture of the kernels has; *column is the kind that is missing most. */
double ws_pair_outside(const struct ws_pair *pair, const struct ws_work *work, enum ws_column *column);

#endif
