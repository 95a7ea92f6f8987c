/* The analysis on CLIPS: the rules are converted to CLIPS constructs; then, until the trace ends, the next
 * event is converted to a fact, CLIPS runs, and what its rules report is built, taken out as a problem, kept
 * or deleted by the analysis (engine/analysis.c).
 *
 * Budget of an event: one fact asserted and retracted for each scope that uses its type (about 1 us), one
 * run of the agenda where it is not empty (about 1 us for each rule that fires). */
#include "engine/clips/clips_print.h"
#include "engine/clips/context.h"

#include <stdlib.h>
#include <string.h>

extern const struct ws_engine_ops ws_engine_clips;

/* ---- what CLIPS prints is kept for error messages ---- */

#define MOST_MESSAGES ((size_t)4096)

static int is_printed(void *env, const char *name)
{
    (void)env;
    return strncmp(name, "w", 1) == 0 || strcmp(name, "stdout") == 0 || strcmp(name, "t") == 0;
}

static int print(void *env, const char *name, const char *text)
{
    struct ws_clips *clips = ws_clips_of(env);

    (void)name;
    if (clips->messages.length < MOST_MESSAGES)
        ws_text_puts(&clips->messages, text);
    return 1;
}

/* One line, so that it can be part of a message. */
static const char *messages(struct ws_clips *clips)
{
    for (char *c = clips->messages.bytes; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    return ws_text_string(&clips->messages);
}

/* The construct that CLIPS complains about: the longest name that it mentions. */
static const struct ws_clips_construct *accused(const struct ws_clips *clips)
{
    const struct ws_clips_construct *found = NULL;

    for (size_t i = 0; i < clips->program.construct_count; i++) {
        const struct ws_clips_construct *construct = &clips->program.constructs[i];
        if (strstr(ws_text_string(&clips->messages), construct->name) &&
            (!found || strlen(construct->name) > strlen(found->name)))
            found = construct;
    }
    return found;
}

/* An error inside CLIPS is a fault of ours; it names the rule, so that the expert can go on without it. */
static int broken(struct ws_clips *clips, const struct ws_clips_construct *construct, struct ws_error *error)
{
    if (!construct)
        construct = accused(clips);
    if (!construct)
        return ws_fail(error, WS_ENVIRONMENT, "the CLIPS engine fails: %.900s", messages(clips));
    return ws_fail(error, WS_ENVIRONMENT, "%s:%d: this rule fails in the CLIPS engine, as %s: %.900s",
                   construct->pos.file ? construct->pos.file : "built in", construct->pos.line,
                   construct->name, messages(clips));
}

/* ---- facts ---- */

struct occasion { /* what a fact is made from besides its event */
    const struct ws_live *composite;
    uint64_t group;
};

static union ws_value slot_value(struct ws_clips *clips, const struct ws_clips_slot *slot,
                                 const struct ws_live *live, const struct occasion *occasion, bool *defined)
{
    union ws_value value = {0};

    switch (slot->source) {
    case WS_CLIPS_ORDER:
        value.e = ws_live_event(live);
        break;
    case WS_CLIPS_OF:
        value.e = ws_live_event(occasion->composite);
        break;
    case WS_CLIPS_SLOT:
        value = ws_live_event(live)->value[slot->index];
        break;
    case WS_CLIPS_GROUP:
        value.i = (int64_t)occasion->group;
        break;
    case WS_CLIPS_VALUE:
        clips->frames[WS_FRAME_MEMBERS] = ws_live_event(live)->value;
        *defined = ws_formula_value(&slot->formula, clips->frames, &value);
        break;
    }
    return value;
}

/* CLIPS matches at once.  After an error the halt is sticky, so it is taken back first. */
static struct fact *assert_fact(struct ws_clips *clips, const struct ws_clips_template *made,
                                const struct ws_live *live, const struct occasion *occasion)
{
    struct fact *fact = EnvCreateFact(clips->env, made->handle);

    SetHaltExecution(clips->env, FALSE);
    SetEvaluationError(clips->env, FALSE);
    for (size_t i = 0; fact && i < made->slot_count; i++) {
        struct field *field = &fact->theProposition.theFields[i];
        bool defined = true;
        union ws_value value = slot_value(clips, &made->slots[i], live, occasion, &defined);
        if (defined) {
            ws_clips_put(clips, made->slots[i].type, value, field);
        } else {
            field->type = SYMBOL;
            field->value = clips->undefined;
        }
    }
    return fact ? EnvAssert(clips->env, fact) : NULL;
}

static int run(struct ws_clips *clips, struct ws_error *error)
{
    if (EnvGetNextActivation(clips->env, NULL))
        EnvRun(clips->env, -1);
    if (GetEvaluationError(clips->env) || GetHaltExecution(clips->env) || clips->broken)
        return broken(clips, NULL, error);
    return 0;
}

/* ---- the matcher ---- */

static int arrive(void *matcher, const struct ws_use *use, struct ws_live *live, struct ws_error *error)
{
    struct ws_clips *clips = matcher;
    struct fact *fact = assert_fact(clips, &clips->program.events[use->index], live, NULL);

    clips->use = use;
    ws_analysis_presence(&clips->analysis, use, live)->handle = fact;
    return fact ? run(clips, error) : broken(clips, NULL, error);
}

static void leave(void *matcher, const struct ws_use *use, struct ws_live *live)
{
    struct ws_clips *clips = matcher;
    struct ws_presence *presence = ws_analysis_presence(&clips->analysis, use, live);

    if (presence->handle)
        EnvRetract(clips->env, presence->handle);
    presence->handle = NULL;
}

static int judge(void *matcher, const struct ws_use *use, struct ws_live *composite, struct ws_live *element,
                 struct ws_error *error)
{
    struct ws_clips *clips = matcher;
    const struct occasion occasion = {.composite = composite};
    struct fact *fact = assert_fact(clips, &clips->program.waiting[use->index], element, &occasion);

    clips->use = use;
    if (!fact || run(clips, error) != 0)
        return fact ? -1 : broken(clips, NULL, error);
    EnvRetract(clips->env, fact);
    return 0;
}

/* The rules that put it in its group retract the fact themselves. */
static int enter(void *matcher, const struct ws_plan_rule *rule, struct ws_live *live, struct ws_error *error)
{
    struct ws_clips *clips = matcher;
    struct fact *fact = assert_fact(clips, &clips->program.elements[rule->number], live, NULL);

    clips->group_rule = rule;
    if (!fact || run(clips, error) != 0)
        return fact ? -1 : broken(clips, NULL, error);
    if (!clips->analysis.entered)
        EnvRetract(clips->env, fact);
    return 0;
}

static int close_group(void *matcher, struct ws_group *group, struct ws_error *error)
{
    struct ws_clips *clips = matcher;
    const struct occasion occasion = {.group = group->key};

    clips->group_rule = group->rule;
    clips->groups[group->key] = NULL;
    WS_PUSH(clips->free_groups, clips->free_count, clips->free_capacity) = (uint32_t)group->key;
    if (!assert_fact(clips, &clips->program.closes[group->rule->number], NULL, &occasion))
        return broken(clips, NULL, error);
    return run(clips, error);
}

static const struct ws_matcher_ops matcher_ops = {
    .arrive = arrive, .judge = judge, .enter = enter, .close = close_group, .leave = leave};

/* ---- the engine ---- */

static void find_templates(struct ws_clips *clips, struct ws_clips_template *templates, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (templates[i].name)
            templates[i].handle = EnvFindDeftemplate(clips->env, templates[i].name);
}

/* CLIPS takes them one by one, so an error belongs to one rule. */
static int load(struct ws_clips *clips, struct ws_error *error)
{
    struct ws_clips_program *program = &clips->program;

    for (size_t i = 0; i < program->construct_count; i++)
        if (!EnvBuild(clips->env, program->constructs[i].text))
            return broken(clips, &program->constructs[i], error);
    find_templates(clips, program->events, program->use_count);
    find_templates(clips, program->waiting, program->use_count);
    find_templates(clips, program->elements, program->rule_count);
    find_templates(clips, program->closes, program->rule_count);
    return 0;
}

static int set_up(struct ws_clips *clips, struct ws_error *error)
{
    SetEnvironmentContext(clips->env, clips);
    EnvAddRouter(clips->env, "whyslow", 100, is_printed, print, NULL, NULL, NULL);
    EnvSetFactDuplication(clips->env, TRUE);           /* none are equal: no need to look */
    EnvSetStaticConstraintChecking(clips->env, FALSE); /* takes a slot that may be `undefined` for an error */
    clips->undefined = EnvAddSymbol(clips->env, "undefined");
    IncrementSymbolCount(clips->undefined);
    if (ws_clips_define_arithmetic(clips->env) != 0 || ws_clips_define_reports(clips->env) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "CLIPS does not take the functions of the rule language");
    if (ws_clips_convert(&clips->program, &clips->analysis.plan, NULL, error) != 0)
        return -1;
    clips->frames[WS_FRAME_CONSTANTS] = clips->program.formulas.constants;
    clips->frames[WS_FRAME_TEMPORARIES] = ws_arena_alloc(
        &clips->program.arena, clips->program.formulas.temporary_count * sizeof(union ws_value));
    return load(clips, error);
}

static void destroy(struct ws_engine *engine)
{
    struct ws_clips *clips = (struct ws_clips *)engine;

    DestroyEnvironment(clips->env);
    ws_clips_program_free(&clips->program);
    ws_analysis_free(&clips->analysis);
    ws_text_free(&clips->messages);
    free(clips->groups);
    free(clips->free_groups);
    free(clips->members);
    free(clips);
}

static struct ws_engine *create(const struct ws_kb *kb, const bool *scopes, const struct ws_sink *sink,
                                struct ws_error *error)
{
    struct ws_clips *clips = ws_alloc(sizeof *clips);

    clips->ops = &ws_engine_clips;
    ws_analysis_init(&clips->analysis, kb, scopes, sink, &matcher_ops, clips);
    clips->env = CreateEnvironment();
    if (set_up(clips, error) != 0) {
        destroy((struct ws_engine *)clips);
        return NULL;
    }
    return (struct ws_engine *)clips;
}

static int feed(struct ws_engine *engine, const struct ws_event *event, int64_t low_ns,
                struct ws_error *error)
{
    return ws_analysis_feed(&((struct ws_clips *)engine)->analysis, event, low_ns, error);
}

static void held(const struct ws_engine *engine, ws_see_held *see, void *context)
{
    ws_analysis_held(&((const struct ws_clips *)engine)->analysis, see, context);
}

static int finish(struct ws_engine *engine, struct ws_engine_stats *stats, struct ws_error *error)
{
    return ws_analysis_finish(&((struct ws_clips *)engine)->analysis, stats, error);
}

const struct ws_engine_ops ws_engine_clips = {"clips", create, feed, held, finish, destroy, ws_clips_print};
