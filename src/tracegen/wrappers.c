/* The wrappers in C.  What they call is in recorder/hot.h, what they know of the runtime in the knowledge
 * base's support.h.  Names that begin with ws_ are ours; all others are arguments of the wrapped function, so
 * that the rules' expressions stand as they were written, under #line of their file. */
#include "tracegen/internal.h"

#include "trace/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Thread scratch of a wrapper: arrays of `in` values and statuses.  support.c uses the ones above. */
#define SCRATCH_SLOTS 13

struct generator {
    const struct ws_kb *kb;
    const struct ws_schema *schema;
    struct ws_text *out;
    size_t counted; /* bytes of `out` whose lines are counted */
    int line;
    struct ws_error *error;
    /* the function being written */
    const struct ws_function *function;
    const struct ws_trace_rule **rules;
    size_t rule_count;
    bool before, after; /* hooks */
    int slots;          /* scratch given out */
};

#define PUT(generator, ...) ws_text_printf((generator)->out, __VA_ARGS__)

/* ---- places ---- */

/* The compiler speaks of the rule's file from here on. */
static void at_rule(struct generator *g, struct ws_pos pos)
{
    if (!pos.file)
        return;
    PUT(g, "#line %d \"", pos.line > 0 ? pos.line : 1);
    for (const char *c = pos.file; *c; c++)
        PUT(g, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    PUT(g, "\"\n");
}

/* ... and of the generated file again. */
static void at_home(struct generator *g, struct ws_pos pos)
{
    if (!pos.file)
        return;
    for (; g->counted < g->out->length; g->counted++)
        g->line += g->out->bytes[g->counted] == '\n';
    PUT(g, "#line %d \"wrappers.c\"\n", g->line + 2);
}

/* ---- the function ---- */

static void put_parameters(struct generator *g)
{
    for (size_t i = 0; i < g->function->argument_count; i++) {
        const struct ws_argument *argument = &g->function->arguments[i];
        size_t length = strlen(argument->type);
        PUT(g, "%s%s%s%s", i ? ", " : "", argument->type,
            length && argument->type[length - 1] == '*' ? "" : " ", argument->name);
    }
    if (g->function->argument_count == 0)
        PUT(g, "void");
}

static void put_arguments(struct generator *g, const char *first)
{
    const char *comma = *first ? ", " : "";

    PUT(g, "(%s", first);
    for (size_t i = 0; i < g->function->argument_count; i++) {
        PUT(g, "%s%s", comma, g->function->arguments[i].name);
        comma = ", ";
    }
    PUT(g, ")");
}

static bool returns(const struct generator *g)
{
    return strcmp(g->function->return_type, "void") != 0;
}

static void put_call(struct generator *g, const char *indent)
{
    PUT(g, "%s%sws_next_%s", indent, returns(g) ? "ws_result = " : "", g->function->name);
    put_arguments(g, "");
    PUT(g, ";\n");
}

static void put_before(struct generator *g, const char *indent, const char *condition)
{
    if (!g->before)
        return;
    PUT(g, "%s%sws_before_%s", indent, condition, g->function->name);
    put_arguments(g, "");
    PUT(g, ";\n");
}

static void put_after(struct generator *g, const char *indent, const char *condition)
{
    if (!g->after)
        return;
    PUT(g, "%s%sws_after_%s", indent, condition, g->function->name);
    put_arguments(g, returns(g) ? "ws_result" : "");
    PUT(g, ";\n");
}

/* A call that is not recorded: it was made within a recorded one, or nothing is. */
static void put_plain_call(struct generator *g, const char *indent)
{
    put_before(g, indent, "if (ws_outer) ");
    put_call(g, indent);
    put_after(g, indent, "if (ws_outer) ");
    PUT(g, "%sreturn%s;\n", indent, returns(g) ? " ws_result" : "");
}

/* Does any kind of `has` hold for a rule of the function? */
static bool any_rule(const struct generator *g, bool (*has)(const struct ws_trace_rule *rule))
{
    for (size_t i = 0; i < g->rule_count; i++)
        if (has(g->rules[i]))
            return true;
    return false;
}

static bool completes(const struct ws_trace_rule *rule)
{
    return rule->role == WS_ROLE_COMPLETE;
}

static bool has_in(const struct ws_trace_rule *rule)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (rule->params[i].kind == WS_PARAM_IN)
            return true;
    return false;
}

static bool needs_scratch(const struct ws_trace_rule *rule)
{
    return rule->each && has_in(rule);
}

static bool buffers(const struct generator *g)
{
    for (size_t i = 0; i < g->function->argument_count; i++)
        if (g->function->arguments[i].ignore && g->function->arguments[i].length)
            return true;
    return false;
}

/* ---- before the call ---- */

/* The number of a scratch array, or -1. */
static int take_slot(struct generator *g)
{
    if (g->slots == SCRATCH_SLOTS)
        return ws_fail(
            g->error, WS_BAD_INPUT,
            "the trace rules of %s need more than %d arrays of values that are read before the call",
            g->function->name, SCRATCH_SLOTS);
    return g->slots++;
}

/* The function gets a buffer where the program wants no status. */
static int put_substitutes(struct generator *g)
{
    for (size_t i = 0; i < g->function->argument_count; i++) {
        const struct ws_argument *argument = &g->function->arguments[i];
        int slot;
        if (!argument->ignore)
            continue;
        if (!argument->length) {
            PUT(g, "    __typeof__(*%s) ws_own_%s = {0};\n", argument->name, argument->name);
            PUT(g, "    if (%s == %s)\n        %s = &ws_own_%s;\n", argument->name, argument->ignore,
                argument->name, argument->name);
            continue;
        }
        if ((slot = take_slot(g)) < 0)
            return -1;
        PUT(g, "    if (%s == %s) {\n", argument->name, argument->ignore);
        PUT(g, "        %s = ws_scratch(ws_me, %d, (%s), sizeof *%s);\n", argument->name, slot,
            argument->length, argument->name);
        PUT(g, "        if (!%s) {\n            %s = %s;\n            goto ws_plain;\n        }\n    }\n",
            argument->name, argument->name, argument->ignore);
    }
    return 0;
}

static const struct ws_field *field_of(const struct generator *g, const struct ws_trace_rule *rule,
                                       size_t index)
{
    return &g->schema->records[ws_tracegen_record(g->schema, rule)].fields[index];
}

/* The declaration of a constant for a field. */
static void declare(char *buffer, size_t size, const struct ws_field *field, const char *prefix,
                    const char *name)
{
    const char *c_type = ws_formats[field->format].c_type;

    snprintf(buffer, size, "%s%s%s%s%.200s", field->format == WS_FORMAT_STRING ? "" : "const ", c_type,
             c_type[strlen(c_type) - 1] == '*' ? "" : " ", prefix, name);
}

/* A value of a source, converted as it is stored. */
static void put_source(struct generator *g, const struct ws_trace_rule *rule, size_t index,
                       const char *indent, const char *left)
{
    const struct ws_param *param = &rule->params[index];
    bool boolean = field_of(g, rule, index)->format == WS_FORMAT_BOOL;

    at_rule(g, param->pos);
    PUT(g, "%s%s = %s(%s);\n", indent, left, boolean ? "(uint8_t)!!" : "", param->source);
    at_home(g, param->pos);
}

static int put_in_array(struct generator *g, const struct ws_trace_rule *rule, size_t number, size_t index)
{
    const struct ws_param *param = &rule->params[index];
    const char *c_type = ws_formats[field_of(g, rule, index)->format].c_type;
    char left[512];
    int slot;

    if ((slot = take_slot(g)) < 0)
        return -1;
    PUT(g, "    %s%s*ws_in%zu_%s = ws_scratch(ws_me, %d, ws_of%zu, sizeof *ws_in%zu_%s);\n", c_type,
        c_type[strlen(c_type) - 1] == '*' ? "" : " ", number, param->name, slot, number, number, param->name);
    PUT(g, "    if (!ws_in%zu_%s)\n        goto ws_plain;\n", number, param->name);
    PUT(g, "    for (int i = 0; i < ws_of%zu; i++)\n", number);
    snprintf(left, sizeof left, "ws_in%zu_%.200s[i]", number, param->name);
    put_source(g, rule, index, "        ", left);
    return 0;
}

static int put_in_values(struct generator *g, const struct ws_trace_rule *rule, size_t number)
{
    char left[512], prefix[64];

    if (!has_in(rule))
        return 0;
    if (rule->each) {
        at_rule(g, rule->event_pos);
        PUT(g, "    const int ws_of%zu = (%s);\n", number, rule->of ? rule->of : rule->each);
        at_home(g, rule->event_pos);
    }
    for (size_t i = 0; i < rule->param_count; i++) {
        if (rule->params[i].kind != WS_PARAM_IN)
            continue;
        if (!rule->each) {
            snprintf(prefix, sizeof prefix, "ws_in%zu_", number);
            declare(left, sizeof left, field_of(g, rule, i), prefix, rule->params[i].name);
            put_source(g, rule, i, "    ", left);
        } else if (put_in_array(g, rule, number, i) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- after the call ---- */

static void put_values(struct generator *g, const struct ws_trace_rule *rule, size_t number,
                       const char *indent)
{
    char left[512];

    for (size_t i = 0; i < rule->param_count; i++) {
        const struct ws_param *param = &rule->params[i];
        const struct ws_field *field = field_of(g, rule, i);
        declare(left, sizeof left, field, "ws_value_", param->name);
        if (param->kind == WS_PARAM_OUT)
            put_source(g, rule, i, indent, left);
        else
            PUT(g, "%s%s = ws_in%zu_%s%s;\n", indent, left, number, param->name,
                rule->each ? "[ws_from]" : "");
        if (field->format == WS_FORMAT_STRING)
            PUT(g, "%sconst size_t ws_length_%s = ws_text_length(ws_value_%s);\n", indent, param->name,
                param->name);
    }
}

static void put_record(struct generator *g, const struct ws_trace_rule *rule, const char *indent)
{
    size_t record = ws_tracegen_record(g->schema, rule), size = 0;
    const struct ws_field *fields = g->schema->records[record].fields;

    for (size_t i = 0; i < rule->param_count; i++)
        size += fields[i].format == WS_FORMAT_STRING ? 1 : ws_formats[fields[i].format].size_bytes;
    PUT(g, "%sws_at = ws_record(ws_me, %zu, %zu", indent, record + WS_FIRST_RECORD, size);
    for (size_t i = 0; i < rule->param_count; i++)
        if (fields[i].format == WS_FORMAT_STRING)
            PUT(g, " + ws_length_%s", fields[i].name);
    PUT(g, ");\n%sif (ws_at) {\n", indent);
    for (size_t i = 0; i < rule->param_count; i++)
        if (fields[i].format == WS_FORMAT_STRING)
            PUT(g, "%s    ws_at = ws_put_text(ws_at, ws_value_%s, ws_length_%s);\n", indent, fields[i].name,
                fields[i].name);
        else
            PUT(g, "%s    WS_PUT(ws_at, ws_value_%s);\n", indent, fields[i].name);
    PUT(g, "%s    ws_record_end(ws_me, ws_at);\n%s}\n", indent, indent);
}

/* Waiting for a request that is none completes nothing. */
static bool skips_no_request(const struct ws_trace_rule *rule)
{
    return rule->role == WS_ROLE_COMPLETE || rule->role == WS_ROLE_RESTART || rule->role == WS_ROLE_FREE;
}

static void put_condition(struct generator *g, const struct ws_trace_rule *rule, const char *indent)
{
    if (!rule->condition)
        return;
    at_rule(g, rule->event_pos);
    PUT(g, "%sif (%s)\n", indent, rule->condition);
    at_home(g, rule->event_pos);
}

static const struct ws_param *in_request(const struct ws_trace_rule *rule)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (rule->params[i].kind == WS_PARAM_IN && strcmp(rule->params[i].name, "request") == 0)
            return &rule->params[i];
    return NULL;
}

/* "if" and a block that writes the record. */
static void put_guarded_record(struct generator *g, const struct ws_trace_rule *rule, size_t number,
                               const char *indent, const char *inner)
{
    if (skips_no_request(rule) && in_request(rule))
        PUT(g, "%sif (ws_in%zu_request%s != WS_NO_REQUEST)\n", indent, number, rule->each ? "[ws_from]" : "");
    put_condition(g, rule, indent);
    PUT(g, "%s{\n", indent);
    put_values(g, rule, number, inner);
    put_record(g, rule, inner);
    PUT(g, "%s}\n", indent);
}

static void put_each(struct generator *g, const struct ws_trace_rule *rule, size_t number)
{
    at_rule(g, rule->event_pos);
    PUT(g, "        const int ws_each%zu = (%s);\n", number, rule->each);
    at_home(g, rule->event_pos);
    PUT(g, "        for (int i = 0; i < ws_each%zu; i++) {\n", number);
    if (has_in(rule)) {
        at_rule(g, rule->event_pos);
        PUT(g, "            const int ws_from = (%s);\n", rule->index ? rule->index : "i");
        at_home(g, rule->event_pos);
        PUT(g, "            if (ws_from < 0 || ws_from >= ws_of%zu)\n                continue;\n", number);
    }
    put_guarded_record(g, rule, number, "            ", "                ");
    PUT(g, "        }\n");
}

/* The results of the call with which a rule's event is recorded. */
static const char *outcome(const struct ws_trace_rule *rule)
{
    return completes(rule) ? "WS_COMPLETED" : "WS_SUCCEEDED";
}

static bool has_despite(const struct ws_trace_rule *rule)
{
    return rule->despite != NULL;
}

/* Whether a call that failed did for a rule what it is recorded for. */
static void put_despite(struct generator *g)
{
    for (size_t i = 0; i < g->rule_count; i++) {
        const struct ws_trace_rule *rule = g->rules[i];
        if (!rule->despite)
            continue;
        at_rule(g, rule->event_pos);
        PUT(g, "    const bool ws_despite%zu = !%s(ws_result) && (%s);\n", i, outcome(rule), rule->despite);
        at_home(g, rule->event_pos);
    }
}

static void put_rule(struct generator *g, const struct ws_trace_rule *rule, size_t number)
{
    bool stricter = returns(g) && g->rule_count > 1 &&
                    (any_rule(g, has_despite) || (any_rule(g, completes) && !completes(rule)));

    PUT(g, "        /* %s */\n", g->schema->records[ws_tracegen_record(g->schema, rule)].name);
    if (stricter)
        PUT(g, "        if (%s(ws_result)", outcome(rule));
    if (stricter && rule->despite)
        PUT(g, " || ws_despite%zu", number);
    if (stricter)
        PUT(g, ") {\n");
    if (rule->each)
        put_each(g, rule, number);
    else
        put_guarded_record(g, rule, number, "        ", "            ");
    if (stricter)
        PUT(g, "        }\n");
}

static void put_records(struct generator *g)
{
    const char *open = g->before ? "ws_me->packet && " : ""; /* the hook may have ended the recording */
    const char *test = any_rule(g, completes) ? "WS_COMPLETED" : "WS_SUCCEEDED";
    bool grouped = *open && any_rule(g, has_despite);

    if (returns(g)) {
        PUT(g, "    ws_me->result = (int)ws_result;\n");
        put_despite(g);
        PUT(g, "    if (%s%s%s(ws_result)", open, grouped ? "(" : "", test);
        for (size_t i = 0; i < g->rule_count; i++)
            if (g->rules[i]->despite)
                PUT(g, " || ws_despite%zu", i);
        PUT(g, "%s) {\n", grouped ? ")" : "");
    } else {
        PUT(g, "    if (%s1) {\n", open);
    }
    PUT(g, "        unsigned char *ws_at;\n");
    PUT(g, "        ws_call(ws_me, %zu, ws_begin, ws_end, ws_place);\n",
        ws_tracegen_function(g->schema, g->function->name));
    for (size_t i = 0; i < g->rule_count; i++)
        put_rule(g, g->rules[i], i);
    PUT(g, "    }\n");
}

static int put_recorded_call(struct generator *g)
{
    PUT(g, "    void *const ws_place = ws_call_site();\n");
    PUT(g, "    struct ws_stream *const ws_me = ws_enter();\n    uint64_t ws_begin, ws_end;\n");
    PUT(g, "    if (!ws_me) {\n");
    put_plain_call(g, "        ");
    PUT(g, "    }\n");
    if (put_substitutes(g) != 0)
        return -1;
    for (size_t i = 0; i < g->rule_count; i++)
        if (put_in_values(g, g->rules[i], i) != 0)
            return -1;
    put_before(g, "    ", "");
    PUT(g, "    ws_begin = ws_clock_ns();\n");
    put_call(g, "    ");
    PUT(g, "    ws_end = ws_clock_ns();\n");
    put_records(g);
    put_after(g, "    ", "");
    PUT(g, "    ws_leave(ws_me);\n    return%s;\n", returns(g) ? " ws_result" : "");
    if (any_rule(g, needs_scratch) || buffers(g)) {
        PUT(g, "ws_plain:\n    ws_leave(ws_me);\n");
        put_plain_call(g, "    ");
    }
    return 0;
}

/* Fortran knows no case, so its compilers choose one. */
static void put_in_case(struct generator *g, int (*convert)(int))
{
    for (const char *c = g->function->name; *c; c++)
        PUT(g, "%c", convert((unsigned char)*c));
}

static void put_fortran_names(struct generator *g)
{
    PUT(g, "WS_FORTRAN_NAMES(");
    put_in_case(g, tolower);
    PUT(g, ", ");
    put_in_case(g, toupper);
    PUT(g, ")\n");
}

static int put_wrapper(struct generator *g)
{
    const struct ws_function *function = g->function;

    PUT(g, "\n");
    if (function->optional)
        PUT(g, "#if WS_HAVE_ALL || defined WS_HAVE_%s\n", function->name);
    PUT(g, "static __typeof__(&%s) ws_next_%s;\n", function->name, function->name);
    at_rule(g, function->pos);
    PUT(g, "WS_EXPORT %s %s(", function->return_type, function->name);
    put_parameters(g);
    PUT(g, ")\n{\n");
    at_home(g, function->pos);
    if (returns(g))
        PUT(g, "    %s ws_result;\n", function->return_type);
    if (g->before || g->after)
        PUT(g, "    const bool ws_outer = !ws_inside();\n");
    PUT(g, "    WS_RESOLVE(ws_next_%s, WS_SYMBOL(%s));\n", function->name, function->name);
    if (g->rule_count == 0)
        put_plain_call(g, "    ");
    else if (put_recorded_call(g) != 0)
        return -1;
    PUT(g, "}\nWS_SECOND_NAME(%s)\n", function->name);
    if (g->rule_count)
        put_fortran_names(g);
    if (function->optional)
        PUT(g, "#endif\n");
    return 0;
}

/* ---- all of them ---- */

/* The support code wants to hear of a call by a function with this name, whether a rule names the call or
 * not. */
static bool has_hook(const struct ws_kb *kb, const char *when, const char *function)
{
    size_t length = strlen(when);

    for (size_t i = 0; i < kb->helper_count; i++)
        if (strncmp(kb->helpers[i], when, length) == 0 && strcmp(kb->helpers[i] + length, function) == 0)
            return true;
    return false;
}

static bool applies(const struct ws_trace_rule *rule, const struct ws_function *function)
{
    for (size_t i = 0; i < rule->function_count; i++)
        if (rule->functions[i] == function)
            return true;
    return false;
}

static int put_function(struct generator *g, const struct ws_function *function)
{
    g->function = function;
    g->rule_count = 0;
    for (size_t i = 0; i < g->kb->trace_rule_count; i++)
        if (applies(g->kb->trace_rules[i], function))
            g->rules[g->rule_count++] = g->kb->trace_rules[i];
    g->before = has_hook(g->kb, "ws_before_", function->name);
    g->after = has_hook(g->kb, "ws_after_", function->name);
    g->slots = 0;
    return g->rule_count || g->before || g->after ? put_wrapper(g) : 0;
}

int ws_tracegen_wrappers(const struct ws_kb *kb, const struct ws_schema *schema, struct ws_text *out,
                         struct ws_error *error)
{
    struct generator g = {.kb = kb, .schema = schema, .out = out, .counted = out->length, .error = error};
    int result = 0;

    g.rules = ws_alloc_array(kb->trace_rule_count + 1, sizeof *g.rules);
    PUT(&g,
        "/* Recorder of the runtime '%s', made by Whyslow from its knowledge base. */\n"
        "#include \"recorder/hot.h\"\n#include \"support.h\"\n",
        kb->runtime);
    for (size_t i = 0; result == 0 && i < kb->function_count; i++)
        result = put_function(&g, kb->functions[i]);
    free(g.rules);
    return result;
}
