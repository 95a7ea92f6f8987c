/* Trace rules, checked: each pattern is matched against the declared functions, each C expression against
 * their arguments, and the rules of one name are made one event type. */
#include "rules/append.h"
#include "rules/c_expression.h"
#include "rules/xml.h"

#include "util/format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a role asks of its record's parameters. */
struct wanted {
    const char *name, *format;
    int kind; /* enum ws_param_kind, or -1: either */
};
#define WANTED_MOST 6
static const struct {
    bool forms_type; /* its records are events */
    struct wanted params[WANTED_MOST];
} roles[] = {
    [WS_ROLE_PLAIN] = {true, {{0}}},
    [WS_ROLE_START] = {true, {{"request", "request", WS_PARAM_OUT}}},
    [WS_ROLE_INIT] = {true, {{"request", "request", WS_PARAM_OUT}}},
    [WS_ROLE_RESTART] = {false, {{"request", "request", -1}}},
    [WS_ROLE_COMPLETE] = {false,
                          {{"request", "request", WS_PARAM_IN},
                           {"source", "comm_rank", WS_PARAM_OUT},
                           {"tag", "int", WS_PARAM_OUT},
                           {"bytes", "bytes", WS_PARAM_OUT},
                           {"cancelled", "bool", WS_PARAM_OUT}}},
    [WS_ROLE_FREE] = {false, {{"request", "request", WS_PARAM_IN}}},
    [WS_ROLE_CONTINUE] = {false, {{"from", "request", WS_PARAM_IN}, {"request", "request", WS_PARAM_OUT}}},
};

struct check {
    struct ws_kb *kb;
    struct ws_diagnostics *diagnostics;
};

static struct ws_pos attribute_pos(struct check *check, struct ws_pos element, const char *attribute)
{
    return ws_xml_pos(check->diagnostics, (struct ws_xml_place){element, attribute}, 0);
}

/* ---- patterns ---- */

/* Does the glob (`length` bytes; * and ?) match the whole text? */
static bool glob(const char *pattern, size_t length, const char *text)
{
    size_t p = 0, star = length, mark = 0, t = 0;

    while (text[t]) {
        if (p < length && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < length && (pattern[p] == '?' || pattern[p] == text[t])) {
            p++;
            t++;
        } else if (star < length) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < length && pattern[p] == '*')
        p++;
    return p == length;
}

static struct ws_pos pattern_pos(struct check *check, const struct ws_trace_rule *rule, size_t offset)
{
    return ws_xml_pos(check->diagnostics, (struct ws_xml_place){rule->pos, rule->pattern_attribute}, offset);
}

/* The declared function that was perhaps meant.  What all functions of a runtime begin with ("MPI_") makes
 * no two of them near. */
static const char *nearest_function(const struct ws_kb *kb, const char *word)
{
    const char **names = ws_alloc_array(kb->function_count, sizeof *names), *rest = strchr(word, '_'), *near;
    size_t prefix = rest ? (size_t)(rest - word) + 1 : 0, count = 0;

    for (size_t i = 0; i < kb->function_count; i++)
        if (strncmp(kb->functions[i]->name, word, prefix) == 0)
            names[count++] = kb->functions[i]->name + prefix;
    near = ws_suggest(word + prefix, names, count);
    if (near)
        near -= prefix;
    else if (count == 0) { /* the prefix itself may be misspelt */
        for (size_t i = 0; i < kb->function_count; i++)
            names[i] = kb->functions[i]->name;
        near = ws_suggest(word, names, kb->function_count);
    }
    free(names);
    return near;
}

static void tell_no_match(struct check *check, const struct ws_trace_rule *rule, size_t begin, size_t length)
{
    char *word = ws_arena_strndup(&check->diagnostics->arena, rule->pattern + begin, length);
    const char *near = nearest_function(check->kb, word);

    ws_mistake(check->diagnostics, pattern_pos(check, rule, begin), ws_word_width(word), near,
               "no declared function matches '%.100s'%s", word,
               near || strpbrk(word, "*?") ? "" : ": declare it with <function>");
}

/* Marks the functions that one alternative matches. */
static void match_alternative(struct check *check, const struct ws_trace_rule *rule, size_t begin,
                              size_t length, bool *matched)
{
    const struct ws_kb *kb = check->kb;
    const char *pattern = rule->pattern + begin;
    bool any = false;

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)pattern[i]) && !strchr("_*?", pattern[i])) {
            ws_mistake(check->diagnostics, pattern_pos(check, rule, begin + i), 1, NULL,
                       "a pattern is made of names with * and ?, and | between alternatives");
            return;
        }
    for (size_t i = 0; i < kb->function_count; i++)
        if (glob(pattern, length, kb->functions[i]->name))
            any = matched[i] = true;
    if (length == 0)
        ws_mistake(check->diagnostics, pattern_pos(check, rule, begin), 1, NULL, "an alternative is empty");
    else if (!any)
        tell_no_match(check, rule, begin, length);
}

static void match_pattern(struct check *check, struct ws_trace_rule *rule)
{
    const struct ws_kb *kb = check->kb;
    bool *matched = ws_alloc_array(kb->function_count, sizeof *matched);
    const char *pattern = rule->pattern;
    size_t begin = 0, end, next;

    for (;; begin = next + 1) {
        next = begin + strcspn(pattern + begin, "|");
        end = next;
        while (begin < end && pattern[begin] == ' ')
            begin++;
        while (end > begin && pattern[end - 1] == ' ')
            end--;
        match_alternative(check, rule, begin, end - begin, matched);
        if (!pattern[next])
            break;
    }
    for (size_t i = 1; i < kb->function_count; i++)
        matched[i] |= kb->functions[i]->large_of == kb->functions[i - 1] && matched[i - 1];
    for (size_t i = 0; i < kb->function_count; i++)
        if (matched[i])
            WS_APPEND(&check->kb->arena, rule->functions, rule->function_count) = kb->functions[i];
    free(matched);
}

/* ---- C expressions ---- */

static void check_expression(struct check *check, const struct ws_trace_rule *rule, const char *text,
                             const char *attribute, bool index)
{
    struct ws_c_context context = {
        .kb = check->kb,
        .functions = rule->functions,
        .function_count = rule->function_count,
        .index = index,
        .what = attribute,
        .place = {rule->event_pos, attribute},
    };
    if (text)
        ws_c_expression_check(check->diagnostics, &context, text);
}

static void check_source(struct check *check, const struct ws_trace_rule *rule, const struct ws_param *param)
{
    char what[WS_NAME_MOST + 32];
    struct ws_c_context context = {
        .kb = check->kb,
        .functions = rule->functions,
        .function_count = rule->function_count,
        .index = rule->each != NULL,
        .what = what,
        .place = {param->source_pos, NULL},
    };
    snprintf(what, sizeof what, "source of '%s'", param->name);
    ws_c_expression_check(check->diagnostics, &context, param->source);
}

/* What the program calls within the call uses the same memory for its own. */
static void check_calls_back(struct check *check, const struct ws_trace_rule *rule)
{
    for (size_t i = 0; rule->each && i < rule->function_count; i++)
        for (size_t k = 0; rule->functions[i]->calls_back && k < rule->param_count; k++)
            if (rule->params[k].kind == WS_PARAM_IN) {
                ws_mistake(check->diagnostics, attribute_pos(check, rule->params[k].pos, "kind"), 4, "out",
                           "values of each=\"...\" cannot be kept over a call of %s, which runs code of the program",
                           rule->functions[i]->name);
                return;
            }
}

static void check_expressions(struct check *check, const struct ws_trace_rule *rule)
{
    check_expression(check, rule, rule->condition, "if", rule->each != NULL);
    check_expression(check, rule, rule->each, "each", false);
    check_expression(check, rule, rule->of, "of", false);
    check_expression(check, rule, rule->index, "index", true);
    check_expression(check, rule, rule->despite, "despite", false);
    for (size_t i = 0; i < rule->param_count; i++)
        check_source(check, rule, &rule->params[i]);
    check_calls_back(check, rule);
}

static void check_lengths(struct check *check, struct ws_function *function)
{
    for (size_t i = 0; i < function->argument_count; i++) {
        struct ws_c_context context = {
            .kb = check->kb,
            .functions = &function,
            .function_count = 1,
            .what = "length",
            .place = {function->arguments[i].pos, "length"},
        };
        if (function->arguments[i].length)
            ws_c_expression_check(check->diagnostics, &context, function->arguments[i].length);
    }
}

/* ---- parameters of one rule ---- */

static struct ws_param *find_param(const struct ws_trace_rule *rule, const char *name)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (strcmp(rule->params[i].name, name) == 0)
            return &rule->params[i];
    return NULL;
}

static bool forms_type(const struct ws_trace_rule *rule)
{
    return roles[rule->role].forms_type;
}

static bool is_request(const struct ws_param *param)
{
    return strcmp(param->name, "request") == 0;
}

static const char *nearest_format(const char *name)
{
    const char *names[WS_FORMAT_COUNT];

    for (size_t i = 0; i < WS_FORMAT_COUNT; i++)
        names[i] = ws_formats[i].name;
    return ws_suggest(name, names, WS_FORMAT_COUNT);
}

static void check_format(struct check *check, const struct ws_trace_rule *rule, struct ws_param *param)
{
    enum ws_format format = ws_format_find(param->format);

    param->type = format == WS_FORMAT_COUNT ? WS_TYPE_INTEGER : ws_formats[format].type;
    if (format == WS_FORMAT_COMM_RANK && rule->role != WS_ROLE_COMPLETE)
        ws_mistake(check->diagnostics, attribute_pos(check, param->pos, "format"), 9, "rank",
                   "comm_rank is for the records of completions, where the communicator is not known");
    if (format == WS_FORMAT_COUNT && *param->format)
        ws_mistake(check->diagnostics, attribute_pos(check, param->pos, "format"),
                   ws_word_width(param->format), nearest_format(param->format), "unknown format '%.100s'",
                   param->format);
}

static void check_wanted(struct check *check, const struct ws_trace_rule *rule, const struct wanted *wanted)
{
    const struct ws_param *param = find_param(rule, wanted->name);

    if (!param) {
        ws_mistake(check->diagnostics, rule->event_pos, 6, NULL,
                   "an event with request=\"%s\" needs a parameter '%s' of format %s",
                   ws_role_names[rule->role], wanted->name, wanted->format);
        return;
    }
    if (strcmp(param->format, wanted->format) != 0)
        ws_mistake(check->diagnostics, attribute_pos(check, param->pos, "format"),
                   ws_word_width(param->format), wanted->format,
                   "'%s' of an event with request=\"%s\" has format %s", param->name,
                   ws_role_names[rule->role], wanted->format);
    if (wanted->kind >= 0 && (int)param->kind != wanted->kind)
        ws_mistake(check->diagnostics, attribute_pos(check, param->pos, "kind"), ws_word_width("in"),
                   wanted->kind == WS_PARAM_IN ? "in" : "out",
                   "'%s' of an event with request=\"%s\" is known %s the call", param->name,
                   ws_role_names[rule->role], wanted->kind == WS_PARAM_IN ? "before" : "after");
}

static void check_role(struct check *check, const struct ws_trace_rule *rule)
{
    const struct ws_param *request = find_param(rule, "request");

    for (size_t i = 0; i < WANTED_MOST && roles[rule->role].params[i].name; i++)
        check_wanted(check, rule, &roles[rule->role].params[i]);
    if (rule->role == WS_ROLE_PLAIN && request)
        ws_mistake(
            check->diagnostics, attribute_pos(check, request->pos, "name"), 7, NULL,
            "'request' is for events with request=\"...\": a call that is the whole operation has none");
    for (size_t i = 0; i < rule->param_count; i++)
        if (rule->params[i].final && rule->role != WS_ROLE_START && rule->role != WS_ROLE_INIT)
            ws_mistake(check->diagnostics, attribute_pos(check, rule->params[i].pos, "final"),
                       ws_word_width(rule->params[i].final), NULL,
                       "final is for operations that another call completes: request=\"start\" or \"init\"");
    if (!forms_type(rule) && rule->number_count)
        ws_mistake(
            check->diagnostics, rule->numbers[0].pos, 7, NULL,
            "an event with request=\"%s\" is not counted: the number belongs to the event that it completes",
            ws_role_names[rule->role]);
}

/* ---- event types ---- */

static void add_slot(struct ws_kb *kb, struct ws_event_type *type, struct ws_param slot)
{
    WS_APPEND(&kb->arena, type->slots, type->slot_count) = slot;
}

static struct ws_event_type *make_type(struct check *check, const struct ws_trace_rule *rule)
{
    struct ws_kb *kb = check->kb;
    struct ws_event_type *type = ws_arena_alloc(&kb->arena, sizeof *type);

    type->name = rule->event;
    type->index = (uint32_t)kb->type_count;
    type->attribute_count = WS_ATTR_COUNT;
    type->pos = rule->pos;
    for (size_t i = 0; i < WS_ATTR_COUNT; i++)
        add_slot(kb, type, (struct ws_param){.name = ws_attributes[i].name, .type = ws_attributes[i].type});
    for (size_t i = 0; i < rule->param_count; i++)
        if (!is_request(&rule->params[i]))
            add_slot(kb, type, rule->params[i]);
    for (size_t i = 0; i < rule->number_count; i++)
        add_slot(kb, type,
                 (struct ws_param){
                     .name = rule->numbers[i].name, .type = WS_TYPE_INTEGER, .pos = rule->numbers[i].pos});
    WS_APPEND(&kb->arena, kb->types, kb->type_count) = type;
    return type;
}

/* The `index`-th parameter that is stored in the event; NULL after the last. */
static const struct ws_param *stored_param(const struct ws_trace_rule *rule, size_t index)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (!is_request(&rule->params[i]) && index-- == 0)
            return &rule->params[i];
    return NULL;
}

static void compare_params(struct check *check, const struct ws_trace_rule *rule,
                           const struct ws_trace_rule *first)
{
    for (size_t i = 0;; i++) {
        const struct ws_param *a = stored_param(first, i), *b = stored_param(rule, i);
        if (!a && !b)
            return;
        if (!b)
            ws_mistake(check->diagnostics, rule->event_pos, 6, NULL,
                       "events '%s' have a parameter '%s' (%s:%d), which is missing here", rule->event,
                       a->name, a->pos.file, a->pos.line);
        else if (!a)
            ws_mistake(check->diagnostics, attribute_pos(check, b->pos, "name"), ws_word_width(b->name), NULL,
                       "events '%s' have no parameter '%s' (%s:%d): all rules of one event type agree",
                       rule->event, b->name, first->pos.file, first->pos.line);
        else if (strcmp(a->name, b->name) != 0)
            ws_mistake(check->diagnostics, attribute_pos(check, b->pos, "name"), ws_word_width(b->name),
                       a->name, "parameter %zu of events '%s' is '%s' (%s:%d), not '%s'", i + 1, rule->event,
                       a->name, a->pos.file, a->pos.line, b->name);
        else if (strcmp(a->format, b->format) != 0)
            ws_mistake(check->diagnostics, attribute_pos(check, b->pos, "format"), ws_word_width(b->format),
                       a->format, "the format of '%s' in events '%s' is %s (%s:%d), not %s", a->name,
                       rule->event, a->format, a->pos.file, a->pos.line, b->format);
        else
            continue;
        return; /* what follows is shifted: one mistake is enough */
    }
}

static bool same_number(const struct ws_number *a, const struct ws_number *b)
{
    if (strcmp(a->name, b->name) != 0 || a->by_count != b->by_count || a->plus != b->plus ||
        !a->of != !b->of || (a->of && strcmp(a->of, b->of) != 0))
        return false;
    for (size_t i = 0; i < a->by_count; i++)
        if (strcmp(a->by[i], b->by[i]) != 0)
            return false;
    return true;
}

static void compare_numbers(struct check *check, const struct ws_trace_rule *rule,
                            const struct ws_trace_rule *first)
{
    for (size_t i = 0; i < rule->number_count && i < first->number_count; i++)
        if (!same_number(&rule->numbers[i], &first->numbers[i])) {
            ws_mistake(check->diagnostics, rule->numbers[i].pos, 7, NULL,
                       "the number '%s' of events '%s' is counted otherwise in %s:%d", rule->numbers[i].name,
                       rule->event, first->numbers[i].pos.file, first->numbers[i].pos.line);
            return;
        }
    if (rule->number_count < first->number_count) {
        const struct ws_number *number = &first->numbers[rule->number_count];
        ws_mistake(check->diagnostics, rule->event_pos, 6, NULL,
                   "events '%s' have a number '%s' (%s:%d), which is missing here", rule->event, number->name,
                   number->pos.file, number->pos.line);
    } else if (rule->number_count > first->number_count) {
        const struct ws_number *number = &rule->numbers[first->number_count];
        ws_mistake(check->diagnostics, number->pos, 7, NULL, "events '%s' have no number '%s' (%s:%d)",
                   rule->event, number->name, first->pos.file, first->pos.line);
    }
}

static void join_type(struct check *check, struct ws_trace_rule *rule)
{
    struct ws_event_type *type = (struct ws_event_type *)ws_kb_type(check->kb, rule->event);
    const struct ws_trace_rule *first;

    if (!*rule->event || !forms_type(rule))
        return;
    if (!type) {
        rule->type = make_type(check, rule);
        return;
    }
    first = ws_type_rule(check->kb, type);
    rule->type = type;
    compare_params(check, rule, first);
    compare_numbers(check, rule, first);
}

/* ---- what needs all types ---- */

static const char *nearest_param(const struct ws_trace_rule *rule, const char *name)
{
    const char **names = ws_alloc_array(rule->param_count, sizeof *names);
    const char *near;

    for (size_t i = 0; i < rule->param_count; i++)
        names[i] = rule->params[i].name;
    near = ws_suggest(name, names, rule->param_count);
    free(names);
    return near;
}

/* Where name `index` stands in by="peer tag comm". */
static struct ws_pos by_pos(struct check *check, const struct ws_number *number, size_t index)
{
    size_t offset = 0;

    /* The names are separated as in the file by one space most of the time; the first name is always exact.
     */
    for (size_t i = 0; i < index; i++)
        offset += strlen(number->by[i]) + 1;
    return ws_xml_pos(check->diagnostics, (struct ws_xml_place){number->pos, "by"}, offset);
}

static void check_by(struct check *check, const struct ws_trace_rule *rule, const struct ws_number *number)
{
    for (size_t i = 0; i < number->by_count; i++) {
        const struct ws_param *param = find_param(rule, number->by[i]);
        if (!param || is_request(param))
            ws_mistake(check->diagnostics, by_pos(check, number, i), ws_word_width(number->by[i]),
                       nearest_param(rule, number->by[i]), "events '%s' have no parameter '%s' to count by",
                       rule->event, number->by[i]);
    }
}

static const char *nearest_type(const struct ws_kb *kb, const char *name)
{
    const char **names = ws_alloc_array(kb->type_count, sizeof *names);
    const char *near;

    for (size_t i = 0; i < kb->type_count; i++)
        names[i] = kb->types[i]->name;
    near = ws_suggest(name, names, kb->type_count);
    free(names);
    return near;
}

static bool keys_agree(const struct ws_trace_rule *rule, const struct ws_number *number,
                       const struct ws_trace_rule *other_rule, const struct ws_number *other)
{
    if (other->of || other->by_count != number->by_count)
        return false;
    for (size_t i = 0; i < number->by_count; i++) {
        const struct ws_param *a = find_param(rule, number->by[i]), *b = find_param(other_rule, other->by[i]);
        if (a && b && a->type != b->type)
            return false;
    }
    return true;
}

static void check_of(struct check *check, const struct ws_trace_rule *rule, const struct ws_number *number)
{
    const struct ws_event_type *type = ws_kb_type(check->kb, number->of);
    const struct ws_trace_rule *other;

    if (!type) {
        ws_mistake(check->diagnostics, attribute_pos(check, number->pos, "of"), ws_word_width(number->of),
                   nearest_type(check->kb, number->of), "unknown event type '%s'", number->of);
        return;
    }
    other = ws_type_rule(check->kb, type);
    for (size_t i = 0; other && i < other->number_count; i++)
        if (keys_agree(rule, number, other, &other->numbers[i]))
            return;
    ws_mistake(check->diagnostics, attribute_pos(check, number->pos, "of"), ws_word_width(number->of), NULL,
               "events '%s' are not counted by %zu parameter%s of these types", number->of, number->by_count,
               number->by_count == 1 ? "" : "s");
}

static void check_final(struct check *check, const struct ws_trace_rule *rule, const struct ws_param *param)
{
    const struct ws_kb *kb = check->kb;
    struct ws_pos pos = attribute_pos(check, param->pos, "final");
    const struct ws_param *comm = find_param(rule, "comm");
    size_t completions = 0;

    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        const struct ws_trace_rule *completion = kb->trace_rules[i];
        const struct ws_param *given;
        if (completion->role != WS_ROLE_COMPLETE)
            continue;
        completions++;
        given = find_param(completion, param->final);
        if (!given || is_request(given)) {
            ws_mistake(check->diagnostics, pos, ws_word_width(param->final),
                       nearest_param(completion, param->final),
                       "the completion in %s:%d has no parameter '%s'", completion->pos.file,
                       completion->pos.line, param->final);
            return;
        }
        if (given->type != param->type ||
            (strcmp(given->format, "comm_rank") == 0 &&
             (!comm || strcmp(comm->format, "comm") != 0 || strcmp(param->format, "rank") != 0))) {
            ws_mistake(check->diagnostics, pos, ws_word_width(param->final), NULL,
                       "'%s' of the completion has format %s: it %s", param->final, given->format,
                       strcmp(given->format, "comm_rank") == 0
                           ? "gives a parameter of format rank, in an event with a parameter 'comm'"
                           : "does not fit this parameter");
            return;
        }
    }
    if (completions == 0)
        ws_mistake(check->diagnostics, pos, ws_word_width(param->final), NULL,
                   "no event with request=\"complete\" could give the final value");
}

static void check_references(struct check *check, struct ws_trace_rule *rule)
{
    const struct ws_event_type *clash = forms_type(rule) ? NULL : ws_kb_type(check->kb, rule->event);

    for (size_t i = 0; forms_type(rule) && i < rule->number_count; i++) {
        check_by(check, rule, &rule->numbers[i]);
        if (rule->numbers[i].of && *rule->numbers[i].of)
            check_of(check, rule, &rule->numbers[i]);
    }
    if (rule->role == WS_ROLE_START || rule->role == WS_ROLE_INIT)
        for (size_t i = 0; i < rule->param_count; i++)
            if (rule->params[i].final && *rule->params[i].final)
                check_final(check, rule, &rule->params[i]);
    if (clash)
        ws_mistake(check->diagnostics, attribute_pos(check, rule->pos, "name"), ws_word_width(rule->event),
                   NULL,
                   "'%s' is an event type (%s:%d), but events with request=\"%s\" are none of their own: "
                   "choose another name",
                   rule->event, clash->pos.file, clash->pos.line, ws_role_names[rule->role]);
}

/* ---- one rule given twice ---- */

static bool same_rule(const struct ws_trace_rule *a, const struct ws_trace_rule *b)
{
    if (a->role != b->role || a->param_count != b->param_count || a->number_count != b->number_count ||
        strcmp(a->event, b->event) != 0 || strcmp(a->pattern, b->pattern) != 0 ||
        !ws_same_text(a->condition, b->condition) || !ws_same_text(a->each, b->each) ||
        !ws_same_text(a->of, b->of) || !ws_same_text(a->index, b->index) ||
        !ws_same_text(a->despite, b->despite))
        return false;
    for (size_t i = 0; i < a->param_count; i++) {
        const struct ws_param *x = &a->params[i], *y = &b->params[i];
        if (strcmp(x->name, y->name) != 0 || strcmp(x->format, y->format) != 0 || x->kind != y->kind ||
            !ws_same_text(x->source, y->source) || !ws_same_text(x->final, y->final))
            return false;
    }
    for (size_t i = 0; i < a->number_count; i++)
        if (!same_number(&a->numbers[i], &b->numbers[i]))
            return false;
    return true;
}

/* The same rule may stand in several files (each problem type's folder can be complete by itself) and
 * counts once; twice in one file it is a slip. */
static void drop_repetitions(struct check *check)
{
    struct ws_kb *kb = check->kb;
    size_t kept = 0;

    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        struct ws_trace_rule *rule = kb->trace_rules[i];
        const struct ws_trace_rule *same = NULL;
        for (size_t k = 0; !same && k < kept; k++)
            if (same_rule(kb->trace_rules[k], rule))
                same = kb->trace_rules[k];
        if (!same)
            kb->trace_rules[kept++] = rule;
        else if (strcmp(same->pos.file, rule->pos.file) == 0)
            ws_mistake(check->diagnostics, rule->pos, 14, NULL, "this rule stands in line %d already",
                       same->pos.line);
        else if (!ws_same_transfers(same, rule))
            ws_mistake(check->diagnostics, rule->event_pos, 6, NULL,
                       "this rule stands in %s:%d too, with other transfers", same->pos.file, same->pos.line);
    }
    kb->trace_rule_count = kept;
}

static void check_rule(struct check *check, struct ws_trace_rule *rule)
{
    for (size_t i = 0; i < rule->param_count; i++)
        check_format(check, rule, &rule->params[i]);
    match_pattern(check, rule);
    check_role(check, rule);
    check_expressions(check, rule);
    join_type(check, rule);
}

/* An event that is written once for several kinds of calls, or with several words, is checked for each, up to
 * the first in which there is a mistake: the others may have it too. */
static void check_rules(struct check *check, void (*part)(struct check *, struct ws_trace_rule *))
{
    bool mistaken = false;

    for (size_t i = 0; i < check->kb->trace_rule_count; i++) {
        const struct ws_trace_rule *rule = check->kb->trace_rules[i];
        size_t before = check->diagnostics->mistakes;
        if ((mistaken && rule->again) || (before > 0 && rule->repeated))
            continue;
        part(check, check->kb->trace_rules[i]);
        mistaken = check->diagnostics->mistakes > before;
    }
}

void ws_trace_rules_check(struct ws_kb *kb, struct ws_diagnostics *diagnostics)
{
    struct check check = {kb, diagnostics};

    for (size_t i = 0; i < kb->function_count; i++)
        check_lengths(&check, kb->functions[i]);
    drop_repetitions(&check);
    check_rules(&check, check_rule);
    kb->simple_count = kb->type_count;
    check_rules(&check, check_references);
    ws_transfers_check(kb, diagnostics);
}
