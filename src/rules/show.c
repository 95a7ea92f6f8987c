/* A problem type as a card for reading: what is lost, how the events are formed, what is recorded. */
#include "rules/internal.h"

#include "util/file.h"
#include "util/wrap.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100
#define LABEL 13 /* columns of a label with the space behind it, its indentation not counted */

struct card {
    const struct ws_kb *kb;
    const struct ws_scope *scope;
    struct ws_text *out;
    bool *used; /* by index of the event type: does the problem type rest on it? */
};

/* ---- paragraphs ---- */

/* Adds `label`, then the text broken at spaces, all lines beginning in the same column. */
static void paragraph(struct card *card, int indent, const char *label, const char *text)
{
    size_t left = (size_t)indent + (label ? LABEL : 0);

    ws_text_printf(card->out, "%*s%-*s", indent, "", label ? LABEL : 0, label ? label : "");
    ws_wrap(card->out, text, left, left, WIDTH);
    ws_text_puts(card->out, "\n");
}

static void paragraph_of(struct card *card, int indent, const char *label, struct ws_text *text)
{
    paragraph(card, indent, label, ws_text_string(text));
    ws_text_free(text);
}

static void heading(struct card *card, const char *title)
{
    ws_text_printf(card->out, "\n%s\n", title);
}

/* "a, b and c" grows by one name. */
static void add_listed(struct ws_text *text, const char *name, size_t index, size_t count)
{
    ws_text_printf(text, "%s%s", index == 0 ? "" : index + 1 < count ? ", " : " and ", name);
}

/* ---- which types are used ---- */

static void use_type(struct card *card, const struct ws_event_type *type)
{
    if (!type || card->used[type->index])
        return;
    card->used[type->index] = true;
    if (type->rule)
        for (size_t i = 0; i < type->rule->member_count; i++)
            use_type(card, type->rule->members[i].type);
}

static void use_all(struct card *card)
{
    for (size_t i = 0; i < card->scope->problem_count; i++)
        use_type(card, card->scope->problems[i]->on);
    for (size_t i = 0; i < card->scope->composite_count; i++)
        use_type(card, card->scope->composites[i]->type);
}

/* ---- problems ---- */

/* An expression of a problem rule, or of a composite rule (problem NULL). */
static void add_expression(struct ws_text *text, const struct ws_problem_rule *problem,
                           const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    if (problem)
        ws_problem_expr_print(problem, expr, text);
    else
        ws_expr_print(rule, expr, text);
}

/* The parts of a condition that `and` joins, each on its own line. */
static void add_condition(struct ws_text *text, const struct ws_problem_rule *problem,
                          const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    if (expr->op == WS_OP_AND) {
        for (size_t i = 0; i < expr->arg_count; i++)
            add_condition(text, problem, rule, expr->args[i]);
        return;
    }
    ws_text_puts(text, text->length ? "\nand " : "");
    ws_text_puts(text, expr->op == WS_OP_OR ? "(" : "");
    add_expression(text, problem, rule, expr);
    ws_text_puts(text, expr->op == WS_OP_OR ? ")" : "");
}

static void show_condition(struct card *card, const struct ws_problem_rule *problem,
                           const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    struct ws_text text = {0};

    if (!expr)
        return;
    if (expr->op == WS_OP_AND)
        add_condition(&text, problem, rule, expr);
    else
        add_expression(&text, problem, rule, expr);
    paragraph_of(card, 4, "when", &text);
}

static void show_expression(struct card *card, const char *label, const struct ws_problem_rule *problem,
                            const struct ws_composite_rule *rule, const struct ws_expr *expr)
{
    struct ws_text text = {0};

    if (!expr)
        return;
    add_expression(&text, problem, rule, expr);
    paragraph_of(card, 4, label, &text);
}

static void show_problem(struct card *card, const struct ws_problem_rule *problem, size_t number)
{
    ws_text_printf(card->out, "  %zu. %s, for each %s", number, problem->name, problem->on->name);
    if (problem->group_member != UINT32_MAX)
        ws_text_printf(card->out, " and each %s in it",
                       problem->on->rule->members[problem->group_member].name);
    ws_text_puts(card->out, "\n");
    show_condition(card, problem, NULL, problem->condition);
    show_expression(card, "time lost", problem, NULL, problem->duration);
    show_expression(card, "from", problem, NULL, problem->from);
    show_expression(card, "waits", problem, NULL, problem->waiting);
    show_expression(card, "cause", problem, NULL, problem->cause);
    if (problem->remedy != WS_REMEDY_NONE)
        paragraph(card, 4, "remedy", ws_remedies[problem->remedy]);
    if (problem->description)
        paragraph(card, 4, "description", problem->description->source);
    if (problem->advice)
        paragraph(card, 4, "advice", problem->advice->source);
}

static void show_problems(struct card *card)
{
    const struct ws_scope *scope = card->scope;

    if (!scope->problem_count)
        return;
    heading(card, scope->problem_count > 1 ? "Problem (the first rule that holds applies)" : "Problem");
    for (size_t i = 0; i < scope->problem_count; i++)
        show_problem(card, scope->problems[i], i + 1);
}

/* ---- composite events ---- */

/* "one send (sender) and one recv (receiver)" */
static void show_members(struct card *card, const struct ws_composite_rule *rule)
{
    struct ws_text text = {0}, name = {0};

    for (size_t i = 0; i < rule->member_count; i++) {
        ws_text_clear(&name);
        ws_text_printf(&name, "one %s (%s)", rule->members[i].type->name, rule->members[i].name);
        add_listed(&text, name.bytes, i, rule->member_count);
    }
    ws_text_free(&name);
    paragraph_of(card, 4, "made of", &text);
}

static void show_group(struct card *card, const struct ws_composite_rule *rule)
{
    const struct ws_member *member = &rule->members[0];
    struct ws_text text = {0};

    ws_text_printf(&text, "all %s (each is %s) that agree in ", member->type->name, member->name);
    for (size_t i = 0; i < member->by_count; i++) {
        struct ws_text key = {0};
        ws_expr_print(rule, member->by[i], &key);
        add_listed(&text, ws_text_string(&key), i, member->by_count);
        ws_text_free(&key);
    }
    paragraph_of(card, 4, "made of", &text);
    show_expression(card, "only where", NULL, rule, member->where);
    if (member->expect)
        show_expression(card, member->every ? "every" : "complete at", NULL, rule, member->expect);
    else
        paragraph(card, 4, "complete", "at the end of the trace");
}

static void show_fate(struct card *card, const struct ws_composite_rule *rule)
{
    struct ws_text consumed = {0}, shared = {0};
    size_t total[2] = {0}, count[2] = {0};

    for (size_t i = 0; i < rule->member_count; i++)
        total[rule->members[i].shared]++;
    for (size_t i = 0; i < rule->member_count; i++) {
        bool is_shared = rule->members[i].shared;
        add_listed(is_shared ? &shared : &consumed, rule->members[i].name, count[is_shared]++,
                   total[is_shared]);
    }
    if (consumed.length)
        ws_text_printf(&consumed, " belong%s to this event only", total[0] == 1 ? "s" : "");
    if (shared.length)
        ws_text_printf(&consumed, "%s%s may belong to others too", consumed.length ? "; " : "", shared.bytes);
    ws_text_free(&shared);
    paragraph_of(card, 4, "members", &consumed);
}

static void show_composite(struct card *card, const struct ws_event_type *type)
{
    const struct ws_composite_rule *rule = type->rule;

    ws_text_printf(
        card->out, "  %s%s\n", type->name,
        type->scope && type->scope->common && !card->scope->common ? "   (common to all problem types)" : "");
    if (rule->member_count && rule->members[0].group)
        show_group(card, rule);
    else
        show_members(card, rule);
    show_condition(card, NULL, rule, rule->condition);
    show_fate(card, rule);
    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        struct ws_text text = {0};
        ws_text_printf(&text, "%s = ", type->slots[i].name);
        if (type->slots[i].value)
            ws_expr_print(rule, type->slots[i].value, &text);
        ws_text_printf(&text, "   (%s)", ws_type_name(type->slots[i].type));
        paragraph_of(card, 4, i == type->attribute_count ? "carries" : "", &text);
    }
}

static void show_composites(struct card *card)
{
    const struct ws_kb *kb = card->kb;

    heading(card, "Composite events");
    for (size_t i = kb->simple_count; i < kb->type_count; i++)
        if (card->used[i] && kb->types[i]->rule)
            show_composite(card, kb->types[i]);
}

/* ---- what is recorded ---- */

static void show_params(struct card *card, const struct ws_event_type *type)
{
    struct ws_text text = {0};

    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        const struct ws_param *slot = &type->slots[i];
        ws_text_printf(&text, "%s%s (%s)", text.length ? ", " : "", slot->name,
                       slot->format ? slot->format : "counted");
    }
    paragraph_of(card, 4, "parameters", &text);
}

static void show_number(struct card *card, const struct ws_number *number, const char *event)
{
    struct ws_text text = {0};

    ws_text_printf(&text, "%s: ", number->name);
    if (number->of)
        ws_text_printf(&text, "how many %s so far", number->of);
    else
        ws_text_printf(&text, "which %s of its process", event);
    ws_text_puts(&text, " with the same ");
    for (size_t i = 0; i < number->by_count; i++)
        add_listed(&text, number->by[i], i, number->by_count);
    if (number->plus)
        ws_text_printf(&text, ", plus %d", number->plus);
    if (!number->of)
        ws_text_puts(&text, ", in order of posting");
    paragraph_of(card, 4, "", &text);
}

static void add_functions(struct ws_text *text, const struct ws_trace_rule *rule)
{
    for (size_t k = 0; k < rule->function_count; k++)
        if (!rule->functions[k]->large_of) /* said with the function that it is the twin of */
            ws_text_printf(text, "%s%s", text->length ? " " : "", rule->functions[k]->name);
}

/* The functions whose calls give records of this type in this role. */
static void show_functions(struct card *card, const char *label, const struct ws_event_type *type,
                           enum ws_role role)
{
    const struct ws_kb *kb = card->kb;
    struct ws_text text = {0};

    for (size_t i = 0; i < kb->trace_rule_count; i++)
        if (kb->trace_rules[i]->type == type && kb->trace_rules[i]->role == role)
            add_functions(&text, kb->trace_rules[i]);
    if (text.length)
        paragraph_of(card, 4, label, &text);
}

/* The functions whose calls form such events and move what those of `rule` do, from rule `first` on; whether
 * they are all that form such events in *all. */
static void add_movers(struct ws_text *text, const struct card *card, size_t first, bool *all)
{
    const struct ws_trace_rule *const *rules = (const struct ws_trace_rule *const *)card->kb->trace_rules;

    *all = true;
    for (size_t i = 0; i < card->kb->trace_rule_count; i++)
        if (rules[i]->type != rules[first]->type)
            continue;
        else if (ws_same_transfers(rules[i], rules[first]))
            add_functions(text, rules[i]);
        else
            *all = false;
}

static bool shown_before(const struct card *card, size_t index)
{
    struct ws_trace_rule *const *rules = card->kb->trace_rules;

    for (size_t i = 0; i < index; i++)
        if (rules[i]->type == rules[index]->type && ws_same_transfers(rules[i], rules[index]))
            return true;
    return false;
}

/* What such events move, for each set of functions whose calls move the same. */
static void show_transfers(struct card *card, const struct ws_event_type *type)
{
    bool first = true, all;

    for (size_t i = 0; i < card->kb->trace_rule_count; i++) {
        const struct ws_trace_rule *rule = card->kb->trace_rules[i];
        struct ws_text functions = {0};
        if (rule->type != type || !rule->transfer_count || shown_before(card, i))
            continue;
        add_movers(&functions, card, i, &all);
        for (size_t k = 0; k < rule->transfer_count; k++, first = false) {
            struct ws_text text = {0};
            ws_transfer_print(&rule->transfers[k], &text);
            if (!all)
                ws_text_printf(&text, " (%s)", ws_text_string(&functions));
            paragraph_of(card, 4, first ? "moves" : "", &text);
        }
        ws_text_free(&functions);
    }
}

static void show_simple(struct card *card, const struct ws_event_type *type)
{
    const struct ws_trace_rule *rule = ws_type_rule(card->kb, type);

    ws_text_printf(card->out, "  %s\n", type->name);
    if (type->slot_count > type->attribute_count)
        show_params(card, type);
    for (size_t i = 0; rule && i < rule->number_count; i++)
        show_number(card, &rule->numbers[i], type->name);
    show_functions(card, "calls", type, WS_ROLE_PLAIN);
    show_functions(card, "started by", type, WS_ROLE_START);
    show_functions(card, "prepared by", type, WS_ROLE_INIT);
    show_transfers(card, type);
}

/* ---- requests ---- */

/* The kinds of handles that the operations of a problem type have: MPI_Request, MPI_Message. */
struct handles {
    const char **kinds; /* C types as declared */
    size_t count, capacity;
};

/* "MPI_Request" in "const MPI_Request *" */
static const char *bare_type(const char *type, size_t *length)
{
    static const char qualifier[] = "const ";

    type += strspn(type, " ");
    if (strncmp(type, qualifier, strlen(qualifier)) == 0)
        type += strlen(qualifier);
    *length = strcspn(type, " *[");
    return type;
}

static bool is_kind(const char *left, const char *right)
{
    size_t left_length, right_length;

    left = bare_type(left, &left_length);
    right = bare_type(right, &right_length);
    return left_length == right_length && strncmp(left, right, left_length) == 0;
}

/* Does a C expression name this argument? */
static bool names_argument(const char *source, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length;

    for (; *source; source += length ? length : 1) {
        length = strspn(source, letters);
        if (length == strlen(name) && strncmp(source, name, length) == 0)
            return true;
    }
    return false;
}

/* The C type of the handle that a record's parameter is read from, or NULL. */
static const char *handle_kind(const struct ws_trace_rule *rule, const char *param)
{
    const struct ws_function *function = rule->function_count ? rule->functions[0] : NULL;

    for (size_t i = 0; function && i < rule->param_count; i++)
        for (size_t k = 0; strcmp(rule->params[i].name, param) == 0 && k < function->argument_count; k++)
            if (names_argument(rule->params[i].source, function->arguments[k].name))
                return function->arguments[k].type;
    return NULL;
}

/* Where it cannot be told, yes. */
static bool has_kind(const struct handles *handles, const char *kind)
{
    for (size_t i = 0; kind && i < handles->count; i++)
        if (is_kind(handles->kinds[i], kind))
            return true;
    return !kind;
}

static bool add_kind(struct handles *handles, const char *kind)
{
    if (has_kind(handles, kind))
        return false;
    WS_PUSH(handles->kinds, handles->count, handles->capacity) = kind;
    return true;
}

/* Those of the operations used, and what they are continued as. */
static void find_handles(struct card *card, struct handles *handles)
{
    const struct ws_kb *kb = card->kb;
    bool more;

    for (size_t i = 0; i < kb->trace_rule_count; i++)
        if (kb->trace_rules[i]->role != WS_ROLE_PLAIN && kb->trace_rules[i]->type &&
            card->used[kb->trace_rules[i]->type->index])
            add_kind(handles, handle_kind(kb->trace_rules[i], "request"));
    do {
        more = false;
        for (size_t i = 0; i < kb->trace_rule_count; i++)
            if (kb->trace_rules[i]->role == WS_ROLE_CONTINUE &&
                has_kind(handles, handle_kind(kb->trace_rules[i], "from")))
                more |= add_kind(handles, handle_kind(kb->trace_rules[i], "request"));
    } while (more);
}

/* The functions that do this to handles of these kinds. */
static void show_fates(struct card *card, const char *label, const struct handles *handles, enum ws_role role)
{
    const char *param = role == WS_ROLE_CONTINUE ? "from" : "request";
    const struct ws_kb *kb = card->kb;
    struct ws_text text = {0};

    for (size_t i = 0; i < kb->trace_rule_count; i++)
        if (kb->trace_rules[i]->role == role && has_kind(handles, handle_kind(kb->trace_rules[i], param)))
            add_functions(&text, kb->trace_rules[i]);
    if (text.length)
        paragraph_of(card, 4, label, &text);
}

static bool uses_role(const struct card *card, enum ws_role role)
{
    for (size_t i = 0; i < card->kb->trace_rule_count; i++) {
        const struct ws_trace_rule *rule = card->kb->trace_rules[i];
        if (rule->role == role && rule->type && card->used[rule->type->index])
            return true;
    }
    return false;
}

static void show_requests(struct card *card)
{
    struct handles handles = {0};

    find_handles(card, &handles);
    ws_text_puts(card->out, "  requests\n");
    if (uses_role(card, WS_ROLE_INIT))
        show_fates(card, "restarted by", &handles, WS_ROLE_RESTART);
    show_fates(card, "received by", &handles, WS_ROLE_CONTINUE);
    show_fates(card, "ended by", &handles, WS_ROLE_COMPLETE);
    show_fates(card, "freed by", &handles, WS_ROLE_FREE);
    free(handles.kinds);
}

static void show_recorded(struct card *card)
{
    heading(card, "Recorded events (each with t, d, end, process, site, function and the other attributes)");
    for (size_t i = 0; i < card->kb->simple_count; i++)
        if (card->used[i])
            show_simple(card, card->kb->types[i]);
    if (uses_role(card, WS_ROLE_START) || uses_role(card, WS_ROLE_INIT))
        show_requests(card);
}

/* ---- the card ---- */

static void show_folder(struct card *card, const char *folder)
{
    char **names = ws_folder_names(folder, "", NULL);

    ws_text_printf(card->out, "  %s\n", folder);
    for (size_t i = 0; names && names[i]; i++) {
        struct ws_text path = {0};
        ws_text_printf(&path, "%s/%s", folder, names[i]);
        if (ws_is_file(path.bytes))
            ws_text_printf(card->out, "    %s\n", names[i]);
        ws_text_free(&path);
    }
    ws_names_free(names);
}

static void show_files(struct card *card)
{
    heading(card, "Files");
    show_folder(card, card->scope->folder);
    if (card->scope->shared)
        show_folder(card, card->scope->shared);
}

void ws_kb_show(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out)
{
    struct card card = {kb, scope, out, ws_alloc_array(kb->type_count, sizeof *card.used)};

    use_all(&card);
    ws_text_printf(out, "%s%s%s\n", scope->id, scope->problem_count ? " - " : "",
                   scope->problem_count ? scope->problems[0]->name : "");
    show_problems(&card);
    show_composites(&card);
    show_recorded(&card);
    show_files(&card);
    free(card.used);
}
