#include "predict/predict.h"

#include "predict/model/calibration.h"
#include "util/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static bool has_kernels(const struct ws_prediction *prediction)
{
    for (size_t i = 0; i < prediction->target_count; i++)
        if (prediction->targets[i].kernel_count && prediction->reference.kernel_count)
            return true;
    return false;
}

static int read_nodes(const struct ws_prediction_request *request, struct ws_prediction *prediction,
                      struct ws_error *error)
{
    if (ws_node_read(request->reference, &prediction->reference, error) != 0)
        return -1;
    prediction->targets = ws_alloc_array(request->target_count + 1, sizeof *prediction->targets);
    prediction->pairs = ws_alloc_array(request->target_count + 1, sizeof *prediction->pairs);
    for (size_t i = 0; i < request->target_count; i++) {
        prediction->target_count++;
        if (ws_node_read(request->targets[i], &prediction->targets[i], error) != 0)
            return -1;
    }
    return 0;
}

/* Kernels that nobody ran need no data. */
static int compare_nodes(const struct ws_prediction_request *request, struct ws_prediction *prediction,
                         struct ws_error *error)
{
    if (request->options.model == WS_MODEL_DEFAULT && has_kernels(prediction) &&
        ws_calibration_read(request->kernels, &prediction->kernels, error) != 0)
        return -1;
    for (size_t i = 0; i < prediction->target_count; i++)
        ws_pair_fit(&prediction->kernels, &prediction->reference, &prediction->targets[i],
                    request->options.coverage, &prediction->pairs[i]);
    return 0;
}

/* ---- programs ---- */

static int estimate(const struct ws_subject *subject, const struct ws_pair *pair, double size,
                    const struct ws_prediction_request *request, struct ws_prediction *prediction,
                    struct ws_error *error)
{
    struct ws_estimate *estimates;
    size_t count;

    if (ws_estimate(subject, pair, size, &request->options, &prediction->arena, &estimates, &count, error) !=
        0)
        return -1;
    for (size_t i = 0; i < count; i++)
        WS_PUSH(prediction->estimates, prediction->count, prediction->capacity) = estimates[i];
    return 0;
}

static int estimate_program(const struct ws_subject *subject, const struct ws_prediction_request *request,
                            struct ws_prediction *prediction, struct ws_error *error)
{
    for (size_t i = 0; i < prediction->target_count; i++) {
        if (!request->size_count &&
            estimate(subject, &prediction->pairs[i], 0, request, prediction, error) != 0)
            return -1;
        for (size_t j = 0; j < request->size_count; j++)
            if (estimate(subject, &prediction->pairs[i], request->sizes[j], request, prediction, error) != 0)
                return -1;
    }
    return 0;
}

static int read_and_estimate(const char *path, const struct ws_prediction_request *request,
                             struct ws_prediction *prediction, struct ws_error *error)
{
    struct ws_program program;
    struct ws_subject subject;
    int result = ws_program_read(path, &program, error);

    if (result == 0) {
        ws_subject_of_program(&program, &prediction->arena, &subject);
        subject.program = ws_arena_strdup(&prediction->arena, program.command);
        result = estimate_program(&subject, request, prediction, error);
    }
    ws_program_free(&program);
    return result;
}

int ws_predict(const struct ws_prediction_request *request, struct ws_prediction *prediction,
               struct ws_error *error)
{
    memset(prediction, 0, sizeof *prediction);
    if (read_nodes(request, prediction, error) != 0 || compare_nodes(request, prediction, error) != 0)
        return -1;
    for (size_t i = 0; i < request->program_count; i++)
        if (read_and_estimate(request->programs[i], request, prediction, error) != 0)
            return -1;
    return 0;
}

void ws_prediction_free(struct ws_prediction *prediction)
{
    for (size_t i = 0; i < prediction->target_count; i++) {
        ws_pair_free(&prediction->pairs[i]);
        ws_node_free(&prediction->targets[i]);
    }
    ws_node_free(&prediction->reference);
    ws_calibration_free(&prediction->kernels);
    free(prediction->targets);
    free(prediction->pairs);
    free(prediction->estimates);
    ws_arena_free(&prediction->arena);
    memset(prediction, 0, sizeof *prediction);
}

size_t ws_prediction_refused(const struct ws_prediction *prediction)
{
    size_t refused = 0;

    for (size_t i = 0; i < prediction->count; i++)
        refused += prediction->estimates[i].refusal != NULL;
    return refused;
}
