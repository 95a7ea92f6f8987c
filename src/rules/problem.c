/* One problem rule: who waits for what, how long, and what is said about it. */
#include "rules/append.h"
#include "rules/check.h"
#include "rules/expr.h"

#include <string.h>

enum part {
    PART_NAME,
    PART_DESCRIPTION,
    PART_ADVICE,
    PART_DURATION,
    PART_FROM,
    PART_WAITING,
    PART_CAUSE,
    PART_REMEDY,
    PART_COUNT
};
static const struct {
    const char *name;
    bool text;
    const char *missing; /* of a part that every problem has: what to write */
} parts[PART_COUNT] = {
    [PART_NAME] = {"name", true, "name = \"Late sender\""},
    [PART_DESCRIPTION] = {"description", true, NULL},
    [PART_ADVICE] = {"advice", true, "advice = \"Post the receive before {waiting.site} ...\""},
    [PART_DURATION] = {"duration", false, "duration = how long it waits, a time"},
    [PART_FROM] = {"from", false, NULL},
    [PART_WAITING] = {"waiting", false, NULL},
    [PART_CAUSE] = {"cause", false, NULL},
    [PART_REMEDY] = {"remedy", false, NULL},
};
const char *const ws_remedies[WS_REMEDIES] = {"none", "balance", "earlier", "later", "drop"};

/* The parts as written; NULL where there is none. */
struct written {
    const struct ws_tree_param *part[PART_COUNT];
};

/* ---- which parts there are ---- */

static int find_part(const char *name)
{
    for (int i = 0; i < PART_COUNT; i++)
        if (strcmp(parts[i].name, name) == 0)
            return i;
    return -1;
}

static void unknown_part(struct ws_checker *checker, struct ws_declaration *declaration,
                         const struct ws_word *word)
{
    const char *candidates[PART_COUNT];

    for (int i = 0; i < PART_COUNT; i++)
        candidates[i] = parts[i].name;
    ws_mistake(checker->diagnostics, word->pos, word->width, ws_suggest(word->text, candidates, PART_COUNT),
               "a problem has no parameter '%s'", word->text);
    declaration->damaged = true; /* it was perhaps meant as one that now seems to be missing */
}

static struct written find_parts(struct ws_checker *checker, struct ws_declaration *declaration)
{
    struct written written = {0};

    for (size_t i = 0; i < declaration->param_count; i++) {
        const struct ws_tree_param *param = &declaration->params[i];
        const struct ws_word *word = &param->name;
        int part = find_part(word->text);
        if (part < 0) {
            unknown_part(checker, declaration, word);
        } else if (written.part[part]) {
            ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                       "two parameters have the name '%s': the other one in line %d", word->text,
                       written.part[part]->name.pos.line);
        } else {
            written.part[part] = param;
            if (parts[part].text && param->value)
                ws_mistake(checker->diagnostics, param->value->pos, param->value->width, NULL,
                           "'%s' needs a text in double quotes", word->text);
        }
    }
    return written;
}

static void check_missing(struct ws_checker *checker, const struct ws_declaration *declaration,
                          const struct written *written)
{
    for (int i = 0; i < PART_COUNT && !declaration->damaged; i++)
        if (parts[i].missing && !written->part[i])
            ws_mistake(checker->diagnostics, declaration->name.pos, declaration->name.width, NULL,
                       "this problem has no %s: write %s", parts[i].name, parts[i].missing);
}

/* A text that every problem has says something. */
static void check_empty(struct ws_checker *checker, const struct written *written)
{
    for (int i = 0; i < PART_COUNT; i++) {
        const struct ws_tree_param *param = written->part[i];
        if (parts[i].missing && param && param->text &&
            strspn(param->text->bytes, " \t\n") == param->text->length)
            ws_mistake(checker->diagnostics, param->name.pos, param->name.width, NULL,
                       "the %s of a problem is empty: write %s", parts[i].name, parts[i].missing);
    }
}

/* ---- the type ---- */

static struct ws_event_type *find_type(struct ws_checker *checker, const struct ws_declaration *declaration)
{
    const struct ws_word *word = &declaration->name;
    struct ws_declaration *composite = ws_find_composite(checker, declaration->scope, word->text);

    if (composite) {
        composite->used = true;
        return composite->type;
    }
    if (ws_find_simple(checker->kb, word->text))
        ws_mistake(
            checker->diagnostics, word->pos, word->width, NULL,
            "'%s' is a simple event, and problems are found for composite events: declare one with the "
            "member '%s as x'",
            word->text, word->text);
    else
        ws_unknown_type(checker, declaration->scope, word);
    return NULL;
}

/* ---- events ---- */

/* An event that is a call: composite events wait for nothing themselves. */
static struct ws_expr *simple_event(const struct ws_names *names, struct ws_expr *event, struct ws_pos pos,
                                    int width, const char *what)
{
    const struct ws_event_type *type = ws_event_of_problem(names->rule, event);

    if (!type || !type->composite)
        return event;
    ws_mistake(names->checker->diagnostics, pos, width, NULL,
               "'%s' needs a simple event, and this is the composite event '%s': let '%s' carry a simple "
               "event of it "
               "as a parameter",
               what, type->name, names->rule->type->name);
    return ws_expr_mistaken(names, pos);
}

static struct ws_expr *check_event(const struct ws_names *names, const struct ws_tree_param *param)
{
    struct ws_expr *event;
    char what[20] = "'";

    strncat(what, param->name.text, 10);
    strcat(what, "'");
    if (!param->value)
        return ws_expr_mistaken(names, param->name.pos);
    event = ws_check_typed(names, param->value, WS_TYPE_EVENT, what);
    return simple_event(names, event, param->value->pos, param->value->width, param->name.text);
}

/* Does the problem run through the elements of a group: `waiting = b`, or b by default? */
static bool is_each(const struct ws_composite_rule *rule, const struct ws_tree_param *waiting)
{
    const struct ws_tree_expr *tree = waiting ? waiting->value : NULL;

    if (rule->member_count != 1 || !rule->members[0].group)
        return false;
    if (!waiting)
        return true;
    return tree && tree->kind == WS_TREE_PATH && !tree->attribute.text && rule->members[0].name &&
           strcmp(tree->name.text, rule->members[0].name) == 0 &&
           ws_type_slot(rule->type, tree->name.text) < 0;
}

static struct ws_expr *check_waiting(const struct ws_names *names, const struct ws_tree_param *param)
{
    const struct ws_composite_rule *rule = names->rule;
    const struct ws_word *at = &names->declaration->name, nothing = {0};
    struct ws_word first = *at;
    struct ws_expr *event;

    if (param)
        return check_event(names, param);
    if (rule->member_count == 0 || !rule->members[0].type || !rule->members[0].name)
        return ws_expr_mistaken(names, at->pos);
    first.text = rule->members[0].name;
    event = ws_check_problem_member(names, &first, &nothing, 0);
    return simple_event(names, event, at->pos, at->width, "waiting");
}

static struct ws_expr *check_cause(const struct ws_names *names, const struct ws_tree_param *param,
                                   const struct ws_expr *waiting)
{
    struct ws_expr *cause = check_event(names, param);

    if (cause->type != WS_TYPE_NONE && ws_expr_equal(cause, waiting))
        ws_mistake(names->checker->diagnostics, param->value->pos, param->value->width, NULL,
                   "an event cannot be the cause of its own waiting");
    return cause;
}

/* ---- times ---- */

static struct ws_expr *check_duration(const struct ws_names *names, const struct ws_tree_param *param)
{
    struct ws_expr *duration = ws_check_typed(names, param->value, WS_TYPE_TIME, "'duration'");
    union ws_value value;

    if (duration->type == WS_TYPE_TIME && ws_fold(duration, &value) == WS_CONSTANT && value.i <= 0)
        ws_mistake(names->checker->diagnostics, param->value->pos, param->value->width, NULL,
                   "this problem never lasts: its duration is not greater than 0");
    return duration;
}

/* ---- the remedy ---- */

/* A word of the list, not a name of something. */
static enum ws_remedy check_remedy(struct ws_checker *checker, const struct ws_tree_param *param)
{
    const struct ws_tree_expr *tree = param ? param->value : NULL;
    const char *word = tree && tree->kind == WS_TREE_PATH && !tree->attribute.text ? tree->name.text : NULL;

    if (!tree)
        return WS_REMEDY_NONE;
    for (int i = 0; word && i < WS_REMEDIES; i++)
        if (strcmp(ws_remedies[i], word) == 0)
            return (enum ws_remedy)i;
    ws_mistake(checker->diagnostics, tree->pos, tree->width,
               word ? ws_suggest(word, (const char **)(uintptr_t)ws_remedies, WS_REMEDIES) : NULL,
               "'remedy' is one of none, balance, earlier, later, drop");
    return WS_REMEDY_NONE;
}

/* ---- the rule ---- */

static struct ws_template *empty_template(struct ws_checker *checker)
{
    struct ws_template *template = ws_arena_alloc(checker->arena, sizeof *template);
    template->source = "";
    return template;
}

static struct ws_template *check_text(struct ws_checker *checker, const struct ws_names *names,
                                      const struct ws_problem_rule *problem,
                                      const struct ws_tree_param *param)
{
    if (!param || !param->text)
        return empty_template(checker);
    return ws_check_template(checker, names, problem, param->text);
}

/* Does `earlier` apply wherever `later` would? */
static bool covers(struct ws_arena *arena, const struct ws_problem_rule *earlier,
                   const struct ws_problem_rule *later)
{
    size_t needed, given;
    struct ws_expr **conditions = ws_conjuncts(arena, earlier->condition, &needed);
    struct ws_expr **known = ws_conjuncts(arena, later->condition, &given);

    if (earlier->on != later->on || earlier->group_member != later->group_member ||
        !ws_expr_equal(earlier->duration, later->duration))
        return false;
    for (size_t i = 0; i < needed; i++) {
        size_t k = 0;
        while (k < given && !ws_expr_equal(conditions[i], known[k]))
            k++;
        if (k == given)
            return false;
    }
    return true;
}

static void check_reachable(struct ws_checker *checker, const struct ws_problem_rule *problem,
                            const struct ws_word *word)
{
    for (size_t i = 0; i < problem->scope->problem_count; i++) {
        const struct ws_problem_rule *earlier = problem->scope->problems[i];
        if (!earlier->duration || !problem->duration || !covers(checker->arena, earlier, problem))
            continue;
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "this problem rule never applies: the one in line %d (%s) always comes before it",
                   earlier->pos.line, earlier->pos.file);
        return;
    }
}

static void check_expressions(struct ws_names *names, const struct written *written,
                              struct ws_problem_rule *problem)
{
    struct ws_checker *checker = names->checker;
    const struct ws_declaration *declaration = names->declaration;

    names->each = is_each(names->rule, written->part[PART_WAITING]);
    problem->group_member = names->each ? 0 : UINT32_MAX;
    problem->waiting = check_waiting(names, written->part[PART_WAITING]);
    if (written->part[PART_CAUSE])
        problem->cause = check_cause(names, written->part[PART_CAUSE], problem->waiting);
    if (declaration->condition) {
        problem->condition = ws_check_typed(names, declaration->condition, WS_TYPE_BOOLEAN, "'when'");
        ws_check_contradiction(checker, NULL, problem, problem->condition);
    }
    if (written->part[PART_DURATION] && written->part[PART_DURATION]->value)
        problem->duration = check_duration(names, written->part[PART_DURATION]);
    if (written->part[PART_FROM] && written->part[PART_FROM]->value)
        problem->from = ws_check_typed(names, written->part[PART_FROM]->value, WS_TYPE_TIME, "'from'");
}

static struct ws_problem_rule *new_problem(struct ws_checker *checker,
                                           const struct ws_declaration *declaration)
{
    struct ws_problem_rule *problem = ws_arena_alloc(checker->arena, sizeof *problem);

    problem->scope = declaration->scope;
    problem->pos = declaration->name.pos;
    problem->group_member = UINT32_MAX;
    problem->name = "";
    return problem;
}

void ws_check_problem(struct ws_checker *checker, struct ws_declaration *declaration)
{
    struct written written = find_parts(checker, declaration);
    struct ws_problem_rule *problem = new_problem(checker, declaration);
    struct ws_names names = {.checker = checker, .within = WS_IN_PROBLEM, .declaration = declaration};
    const struct ws_word *word = &declaration->name;
    const struct ws_names *known;

    problem->on = find_type(checker, declaration);
    if (declaration->scope->common)
        ws_mistake(checker->diagnostics, word->pos, word->width, NULL,
                   "a problem is declared in the folder of its problem type, not among the common rules");
    check_missing(checker, declaration, &written);
    check_empty(checker, &written);
    if (written.part[PART_NAME] && written.part[PART_NAME]->text)
        problem->name = written.part[PART_NAME]->text->bytes;
    if (problem->on) {
        names.rule = problem->on->rule;
        check_expressions(&names, &written, problem);
    }
    problem->remedy = check_remedy(checker, written.part[PART_REMEDY]);
    known = problem->on ? &names : NULL;
    problem->description = check_text(checker, known, problem, written.part[PART_DESCRIPTION]);
    problem->advice = check_text(checker, known, problem, written.part[PART_ADVICE]);
    if (!problem->on || declaration->damaged)
        return;
    check_reachable(checker, problem, word);
    problem->index = (uint32_t)declaration->scope->problem_count;
    WS_APPEND(checker->arena, declaration->scope->problems, declaration->scope->problem_count) = problem;
}
