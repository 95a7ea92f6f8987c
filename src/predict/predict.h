/* `whyslow predict`: programs that were profiled on a reference node, estimated on target nodes. */
#ifndef WS_PREDICT_PREDICT_H
#define WS_PREDICT_PREDICT_H

#include "predict/model/estimate.h"

#include <stdio.h>

struct ws_prediction_request {
    const char *reference; /* files: NODE.json, … */
    const char *const *targets;
    size_t target_count;
    const char *const *programs; /* PROGRAM.json */
    size_t program_count;
    const double *sizes; /* none: all that were measured */
    size_t size_count;
    const char *kernels; /* what the calibration kernels do */
    struct ws_estimate_options options;
};

/* All of it lives in the arena and the nodes. */
struct ws_prediction {
    struct ws_arena arena;
    struct ws_calibration kernels;
    struct ws_node reference, *targets;
    struct ws_pair *pairs; /* one for each target */
    size_t target_count;
    struct ws_estimate *estimates;
    size_t count, capacity;
};

/* Estimates every program on every target.  -1 with *error where a file is not what it should be, or does not
 * fit the question.  ws_prediction_free, also after an error. */
int ws_predict(const struct ws_prediction_request *request, struct ws_prediction *prediction,
               struct ws_error *error);
void ws_prediction_free(struct ws_prediction *prediction);
/* How many of the estimates were refused. */
size_t ws_prediction_refused(const struct ws_prediction *prediction);

/* For people; `explain`: also what each kind of work costs on both nodes.  And for programs
 * (docs/prediction.md). */
void ws_prediction_write_text(const struct ws_prediction *prediction, bool explain, FILE *out);
void ws_prediction_write_json(const struct ws_prediction *prediction, FILE *out);

#endif
