/* The model of A. G. Feoktistov, O. Yu. Basharina, "Methods for dynamic analysis of program execution time in
 * heterogeneous distributed computing environments" (2018), exactly as printed: equations (1)-(16) and the
 * interpolation of stage X.  docs/prediction.md says where the print contradicts itself. */
#ifndef WS_PREDICT_PAPER_H
#define WS_PREDICT_PAPER_H

#include "predict/node.h"

/* h1..h11 of a run. */
enum ws_parameter {
    WS_INSTRUCTIONS,   /* h1 */
    WS_L1_ACCESSES,    /* h2 */
    WS_L2_ACCESSES,    /* h3 */
    WS_L1_MISSES,      /* h4 */
    WS_L2_MISSES,      /* h5 */
    WS_INTEGER_SHARE,  /* h6, of the instructions, 0..1 */
    WS_FLOAT_SHARE,    /* h7 */
    WS_READ_SESSIONS,  /* h8 */
    WS_WRITE_SESSIONS, /* h9 */
    WS_BYTES_READ,     /* h10 */
    WS_BYTES_WRITTEN,  /* h11 */
    WS_PARAMETERS
};

/* Seconds of each component of the theoretical time on a node. */
struct ws_paper_time {
    double cpu_s;                /* t1, (3) and (10) */
    double l1_s, l2_s, memory_s; /* tc1, tc2, tm: (6)-(8), (13)-(15); t2 is their sum */
    double disk_s;               /* t3, (5) and (12) */
    double total_s;              /* T~, (9) and (16) */
};
struct ws_paper_time ws_paper_theory(const double characteristics[WS_CHARACTERISTICS],
                                     const double parameters[WS_PARAMETERS]);

/* Stage IX, equation (2): the time on the target, of the time measured on the reference and both theoretical
 * ones. 0 where the theory gives no time at all. */
double ws_paper_transfer(double reference_s, double theory_reference_s, double theory_target_s);

/* Stage X: the power law through the estimates at the smallest and the largest size, x0 < x1, times > 0. */
double ws_paper_power_law(double x0, double time0_s, double x1, double time1_s, double x);

#endif
