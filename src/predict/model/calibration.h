/* What the calibration kernels do, as data: counted once by `whyslow profile` on each kernel, kept in
 * share/whyslow/predict/kernels.json.
 *
 *     {"format": 1, "kind": "whyslow-kernels", "kernels": [{"name": …, "counts": {…}, "cache": {…}, "io":
 * {…}}]}
 *
 * with the members of a run of PROGRAM.json. */
#ifndef WS_PREDICT_CALIBRATION_H
#define WS_PREDICT_CALIBRATION_H

#include "predict/model/estimate.h"
#include "predict/program.h"

#define WS_CALIBRATION_FORMAT 1
#define WS_CALIBRATION_KIND "whyslow-kernels"

/* -1 with *error (WS_BAD_INPUT), which names the place.  ws_calibration_free, also after an error. */
int ws_calibration_read(const char *path, struct ws_calibration *kernels, struct ws_error *error);
void ws_calibration_free(struct ws_calibration *kernels);

/* The columns of what a run did. */
void ws_work_of_run(const struct ws_program_run *run, struct ws_work *work);
/* A program as the models want it, its runs in the order of the file; in the arena, texts borrowed from it.
 */
void ws_subject_of_program(const struct ws_program *program, struct ws_arena *arena,
                           struct ws_subject *subject);

#endif
