/* What events move, checked and printed. */
#include "rules/internal.h"
#include "rules/xml.h"

#include "util/format.h"

#include <stdlib.h>
#include <string.h>

const char *const ws_transfer_kinds[WS_TRANSFER_KINDS] = {"message", "put", "get", "atomic", "collective"};

/* What a quantity is given by. */
static const struct {
    const char *attribute, *wants;
    enum ws_format formats[5]; /* ended by WS_FORMAT_COUNT */
    bool literal;
} quantities[WS_MOVES_QUANTITIES] = {
#define PLACE                                                                                                \
    "a process", {WS_FORMAT_RANK, WS_FORMAT_INT, WS_FORMAT_UINT, WS_FORMAT_LONG, WS_FORMAT_COUNT}, true
#define NUMBER                                                                                               \
    "a number", {WS_FORMAT_BYTES, WS_FORMAT_INT, WS_FORMAT_UINT, WS_FORMAT_LONG, WS_FORMAT_COUNT}, true
    [WS_MOVES_FROM] = {"from", PLACE},
    [WS_MOVES_TO] = {"to", PLACE},
    [WS_MOVES_MEMBERS] = {"members", "a communicator", {WS_FORMAT_COMM, WS_FORMAT_COUNT}, false},
    [WS_MOVES_GIVERS] = {"givers", "a communicator", {WS_FORMAT_COMM, WS_FORMAT_COUNT}, false},
    [WS_MOVES_FIRST] = {"first", NUMBER},
    [WS_MOVES_COUNT] = {"count", NUMBER},
    [WS_MOVES_BYTES] = {"bytes", NUMBER},
    [WS_MOVES_TOTAL] = {"total", NUMBER},
    [WS_MOVES_REPLY] = {"reply", NUMBER},
    [WS_MOVES_MESSAGES] = {"messages", NUMBER},
    [WS_MOVES_TYPE] = {"type",
                       "a whole number or a string",
                       {WS_FORMAT_INT, WS_FORMAT_UINT, WS_FORMAT_LONG, WS_FORMAT_STRING, WS_FORMAT_COUNT},
                       false},
};

/* ---- printing ---- */

static void print_quantity(const struct ws_quantity *quantity, struct ws_text *out)
{
    if (quantity->param)
        ws_text_puts(out, quantity->param);
    else
        ws_text_printf(out, "%lld", (long long)quantity->literal);
}

static void print_part(const struct ws_transfer *transfer, enum ws_transfer_quantity which,
                       const char *before, struct ws_text *out)
{
    const struct ws_quantity *quantity = &transfer->quantities[which];

    if (!quantity->given)
        return;
    ws_text_puts(out, before);
    print_quantity(quantity, out);
}

void ws_transfer_print(const struct ws_transfer *transfer, struct ws_text *out)
{
    bool shares = transfer->quantities[WS_MOVES_TOTAL].given;

    ws_text_puts(out, ws_transfer_kinds[transfer->kind]);
    print_part(transfer, WS_MOVES_FROM, " from ", out);
    print_part(transfer, WS_MOVES_GIVERS, " from each of ", out);
    print_part(transfer, WS_MOVES_TO, " to ", out);
    print_part(transfer, WS_MOVES_MEMBERS, " to each of ", out);
    print_part(transfer, WS_MOVES_FIRST, " from number ", out);
    print_part(transfer, WS_MOVES_COUNT, " on, as many as ", out);
    print_part(transfer, WS_MOVES_BYTES, ": ", out);
    print_part(transfer, WS_MOVES_TOTAL, ": an equal part of ", out);
    ws_text_puts(out, shares || transfer->quantities[WS_MOVES_BYTES].param ? "" : " bytes");
    print_part(transfer, WS_MOVES_REPLY, ", back ", out);
    print_part(transfer, WS_MOVES_MESSAGES, ", messages ", out);
    print_part(transfer, WS_MOVES_TYPE, ", type ", out);
}

/* ---- comparing ---- */

static bool same_transfer(const struct ws_transfer *a, const struct ws_transfer *b)
{
    if (a->kind != b->kind)
        return false;
    for (size_t i = 0; i < WS_MOVES_QUANTITIES; i++) {
        const struct ws_quantity *x = &a->quantities[i], *y = &b->quantities[i];
        if (x->given != y->given || x->literal != y->literal || !ws_same_text(x->param, y->param))
            return false;
    }
    return true;
}

bool ws_same_transfers(const struct ws_trace_rule *a, const struct ws_trace_rule *b)
{
    if (a->transfer_count != b->transfer_count)
        return false;
    for (size_t i = 0; i < a->transfer_count; i++)
        if (!same_transfer(&a->transfers[i], &b->transfers[i]))
            return false;
    return true;
}

/* ---- one transfer ---- */

struct check {
    const struct ws_kb *kb;
    struct ws_diagnostics *diagnostics;
    const struct ws_trace_rule *rule;
    struct ws_transfer *transfer;
};

static bool given(const struct check *check, enum ws_transfer_quantity which)
{
    return check->transfer->quantities[which].given;
}

static struct ws_pos attribute_pos(const struct check *check, const char *attribute)
{
    return ws_xml_pos(check->diagnostics, (struct ws_xml_place){check->transfer->pos, attribute}, 0);
}

static const struct ws_param *find_param(const struct ws_trace_rule *rule, const char *name)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (strcmp(rule->params[i].name, name) == 0 && strcmp(name, "request") != 0)
            return &rule->params[i];
    return NULL;
}

static void tell_unknown(const struct check *check, const char *attribute, const char *name)
{
    const struct ws_trace_rule *rule = check->rule;
    const char **names = ws_alloc_array(rule->param_count + 1, sizeof *names);

    for (size_t i = 0; i < rule->param_count; i++)
        names[i] = rule->params[i].name;
    ws_mistake(check->diagnostics, attribute_pos(check, attribute), ws_word_width(name),
               ws_suggest(name, names, rule->param_count),
               "events '%s' have no parameter '%s' to take %s from", rule->event, name, attribute);
    free(names);
}

static bool fits(enum ws_transfer_quantity which, const char *format)
{
    const enum ws_format *formats = quantities[which].formats;

    for (size_t i = 0; formats[i] != WS_FORMAT_COUNT; i++)
        if (strcmp(ws_formats[formats[i]].name, format) == 0)
            return true;
    return ws_format_find(format) == WS_FORMAT_COUNT; /* told where it stands */
}

static void check_quantity(const struct check *check, enum ws_transfer_quantity which)
{
    struct ws_quantity *quantity = &check->transfer->quantities[which];
    const char *attribute = quantities[which].attribute;
    const struct ws_param *param;

    if (!quantity->given)
        return;
    if (!quantity->param) {
        if (!quantities[which].literal)
            ws_mistake(check->diagnostics, attribute_pos(check, attribute), 1, NULL,
                       "%s names a parameter that holds %s", attribute, quantities[which].wants);
        return;
    }
    param = find_param(check->rule, quantity->param);
    if (!param)
        tell_unknown(check, attribute, quantity->param);
    else if (!fits(which, param->format))
        ws_mistake(check->diagnostics, attribute_pos(check, attribute), ws_word_width(quantity->param), NULL,
                   "%s is taken from a parameter that holds %s: '%s' has format %s", attribute,
                   quantities[which].wants, param->name, param->format);
    else if (check->rule->type)
        quantity->slot = (uint32_t)ws_type_slot(check->rule->type, quantity->param);
}

/* What makes no sense together; NULL where it does.  *attribute: where to point. */
static const char *contradiction(const struct check *check, const char **attribute)
{
    static const enum ws_transfer_quantity of_members[] = {WS_MOVES_FIRST, WS_MOVES_COUNT, WS_MOVES_TOTAL};
    bool to = given(check, WS_MOVES_TO), from = given(check, WS_MOVES_FROM),
         members = given(check, WS_MOVES_MEMBERS), givers = given(check, WS_MOVES_GIVERS);

    *attribute = NULL;
    if (!to && !from && !members && !givers)
        return "a transfer goes to=\"...\" another process or to members=\"...\", or comes from=\"...\" one or from "
               "givers=\"...\"";
    if (given(check, WS_MOVES_BYTES) == given(check, WS_MOVES_TOTAL))
        return "a transfer has either bytes=\"...\", what each receiver gets, or total=\"...\", which they "
               "share";
    if (check->transfer->kind == WS_TRANSFER_GET && !from)
        return "a get brings data from=\"...\" the process whose memory is read";
    *attribute = "members";
    if (members && to)
        return "the members are the receivers: to=\"...\" names another one";
    *attribute = "givers";
    if (givers && (from || members))
        return "the givers give to one process: from=\"...\" and members=\"...\" say otherwise";
    *attribute = "reply";
    if ((members || givers) && given(check, WS_MOVES_REPLY))
        return "a reply goes between two processes, not among members=\"...\" or givers=\"...\"";
    for (size_t i = 0; i < sizeof of_members / sizeof *of_members; i++) {
        *attribute = quantities[of_members[i]].attribute;
        if (!members && given(check, of_members[i]))
            return "this has a meaning only with members=\"...\"";
    }
    return NULL;
}

static void check_transfer(const struct check *check)
{
    const char *attribute, *text = contradiction(check, &attribute);

    if (text)
        ws_mistake(check->diagnostics, attribute ? attribute_pos(check, attribute) : check->transfer->pos,
                   attribute ? 1 : 9, NULL, "%s", text);
    for (size_t i = 0; i < WS_MOVES_QUANTITIES; i++)
        check_quantity(check, (enum ws_transfer_quantity)i);
}

/* ---- all of them ---- */

static const struct ws_function *common_function(const struct ws_trace_rule *a, const struct ws_trace_rule *b)
{
    for (size_t i = 0; i < a->function_count; i++)
        for (size_t k = 0; k < b->function_count; k++)
            if (a->functions[i] == b->functions[k])
                return a->functions[i];
    return NULL;
}

/* An event is known by its type and by the function that was called: so these say what it moves. */
static void check_agreement(const struct check *check, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        const struct ws_trace_rule *other = check->kb->trace_rules[i];
        const struct ws_function *common;
        if (!check->rule->type || other->type != check->rule->type || ws_same_transfers(other, check->rule))
            continue;
        common = common_function(other, check->rule);
        if (!common)
            continue;
        ws_mistake(check->diagnostics, check->rule->event_pos, 6, NULL,
                   "%s makes events '%s' by the rule in %s:%d too, which has other transfers", common->name,
                   check->rule->event, other->pos.file, other->pos.line);
        return;
    }
}

static void check_rule(const struct check *check, size_t index)
{
    const struct ws_trace_rule *rule = check->rule;
    struct check one = *check;

    if (rule->transfer_count && rule->role > WS_ROLE_INIT) {
        ws_mistake(
            check->diagnostics, rule->transfers[0].pos, 9, NULL,
            "an event with request=\"%s\" moves nothing: the transfer belongs to the event that it completes",
            ws_role_names[rule->role]);
        return;
    }
    for (size_t i = 0; i < rule->transfer_count; i++) {
        one.transfer = &rule->transfers[i];
        check_transfer(&one);
    }
    check_agreement(check, index);
}

void ws_transfers_check(struct ws_kb *kb, struct ws_diagnostics *diagnostics)
{
    struct check check = {.kb = kb, .diagnostics = diagnostics};
    bool mistaken = false;

    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        size_t before = diagnostics->mistakes;
        check.rule = kb->trace_rules[i];
        if ((mistaken && check.rule->again) || (before > 0 && check.rule->repeated))
            continue;
        check_rule(&check, i);
        mistaken = diagnostics->mistakes > before;
    }
}
