/* Problem rules: alternatives, of which the first that holds counts. */
#include "engine/native/native.h"

struct duration { /* the last one computed: alternatives mostly agree in it */
    size_t number;
    bool positive;
    int64_t ns;
};

static bool lasts(struct ws_native *native, const struct ws_native_problem *problem,
                  struct duration *duration)
{
    union ws_value value = {.i = 0};

    if (duration->number != problem->duration_number) {
        duration->number = problem->duration_number;
        duration->positive = ws_formula_value(&problem->duration, native->frames, &value) && value.i > 0;
        duration->ns = value.i;
    }
    return duration->positive;
}

/* An event of the problem; true where it is defined, or the rule names none. */
static bool role(struct ws_native *native, bool named, const struct ws_formula *formula,
                 struct ws_live **live)
{
    union ws_value value;

    if (!named)
        return true;
    if (!ws_formula_value(formula, native->frames, &value))
        return false;
    *live = ws_live_of(value.e);
    return true;
}

static void apply(struct ws_native *native, const struct ws_native_problem *problems, size_t count)
{
    struct duration duration = {.number = SIZE_MAX, .ns = 0};

    for (size_t i = 0; i < count; i++) {
        const struct ws_native_problem *problem = &problems[i];
        struct ws_judgement judgement = {.problem = problem->problem, .has_from = problem->has_from};
        union ws_value from = {0};
        if (!lasts(native, problem, &duration) || !ws_formula_holds(&problem->condition, native->frames) ||
            (problem->has_from && !ws_formula_value(&problem->from, native->frames, &from)) ||
            !role(native, problem->has_waiting, &problem->waiting, &judgement.waiting) ||
            !role(native, problem->has_cause, &problem->cause, &judgement.cause))
            continue;
        judgement.duration_ns = duration.ns;
        judgement.from_ns = from.i;
        ws_report_problem(&native->analysis, &judgement);
        return;
    }
}

int ws_native_arrive(void *matcher, const struct ws_use *use, struct ws_live *live, struct ws_error *error)
{
    struct ws_native *native = matcher;
    const struct ws_native_use *compiled = &native->uses[use->index];

    (void)error;
    native->frames[WS_FRAME_MEMBERS] = ws_live_event(live)->value;
    apply(native, compiled->problems, compiled->plain_count);
    return 0;
}

int ws_native_judge(void *matcher, const struct ws_use *use, struct ws_live *composite,
                    struct ws_live *element, struct ws_error *error)
{
    struct ws_native *native = matcher;
    const struct ws_native_use *compiled = &native->uses[use->index];

    (void)error;
    native->frames[WS_FRAME_MEMBERS] = ws_live_event(composite)->value;
    native->frames[WS_FRAME_MEMBERS + 1] = ws_live_event(element)->value;
    apply(native, compiled->problems + compiled->plain_count,
          compiled->problem_count - compiled->plain_count);
    return 0;
}
