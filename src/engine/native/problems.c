/* Problem rules: alternatives, of which the first that holds counts. */
#include "engine/native/native.h"

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

/* The problem's condition holds: reports it, if all else is defined. */
static bool found(struct ws_native *native, const struct ws_native_problem *problem, int64_t duration_ns)
{
    struct ws_judgement judgement = {
        .problem = problem->problem, .duration_ns = duration_ns, .has_from = problem->has_from};
    union ws_value from = {0};

    if ((problem->has_from && !ws_formula_value(&problem->from, native->frames, &from)) ||
        !role(native, problem->has_waiting, &problem->waiting, &judgement.waiting) ||
        !role(native, problem->has_cause, &problem->cause, &judgement.cause))
        return false;
    judgement.from_ns = from.i;
    ws_report_problem(&native->analysis, &judgement);
    return true;
}

/* Alternatives mostly agree in the duration, which is computed once for all in a row that do. */
static void apply(struct ws_native *native, const struct ws_native_problem *problems, size_t count)
{
    size_t number = SIZE_MAX;
    union ws_value duration_ns = {.i = 0};

    for (const struct ws_native_problem *problem = problems; problem < problems + count; problem++) {
        if (problem->duration_number != number) {
            number = problem->duration_number;
            if (!ws_formula_value(&problem->duration, native->frames, &duration_ns))
                duration_ns.i = 0;
        }
        if (duration_ns.i > 0 && ws_formula_holds(&problem->condition, native->frames) &&
            found(native, problem, duration_ns.i))
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
