/* Texts with places to fill in, over all instances of a group: a place shows its value, the range of its
 * values, or the set of them. */
#include "diagnosis/findings.h"
#include "diagnosis/ranges.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values that no event has stand for "undefined" in the stored rows. */
#define UNDEFINED_INTEGER INT64_MIN

static bool is_place(const struct ws_piece *piece)
{
    return piece->text == NULL;
}

/* A place that names an event without an attribute shows its call site. */
static int attribute_of(const struct ws_piece *piece)
{
    return piece->attribute < 0 && piece->expr->type == WS_TYPE_EVENT ? WS_ATTR_SITE : piece->attribute;
}

static enum ws_type type_of(const struct ws_piece *piece)
{
    int attribute = attribute_of(piece);
    return attribute >= 0 ? ws_attributes[attribute].type : piece->expr->type;
}

size_t ws_template_places(const struct ws_template *text)
{
    size_t places = 0;
    for (size_t i = 0; text && i < text->count; i++)
        places += is_place(&text->pieces[i]);
    return places;
}

/* ---- reading the values of one finding ---- */

static union ws_value undefined(enum ws_type type)
{
    if (type == WS_TYPE_REAL)
        return (union ws_value){.r = NAN};
    if (type == WS_TYPE_STRING)
        return (union ws_value){.s = NULL};
    return (union ws_value){.i = UNDEFINED_INTEGER};
}

static bool is_undefined(enum ws_type type, union ws_value value)
{
    if (type == WS_TYPE_REAL)
        return isnan(value.r);
    if (type == WS_TYPE_STRING)
        return value.s == NULL;
    return value.i == UNDEFINED_INTEGER;
}

/* A problem rule sees its members as parameters that the composite event carries; the element of a group
 * is the event that waits. */
static const struct ws_event *event_of(const struct ws_finding *finding, const struct ws_expr *expr)
{
    if (expr == finding->rule->waiting || expr->op == WS_OP_MEMBER)
        return finding->waiting;
    if (expr == finding->rule->cause)
        return finding->cause;
    if (expr->op == WS_OP_SLOT)
        return (expr->member == 0 ? finding->composite : finding->waiting)->value[expr->slot].e;
    return NULL;
}

static union ws_value read_place(struct ws_findings *findings, const struct ws_finding *finding,
                                 const struct ws_piece *piece)
{
    int attribute = attribute_of(piece);
    const struct ws_expr *expr = piece->expr;

    if (attribute >= 0) {
        const struct ws_event *event = event_of(finding, expr);
        if (event && event->type < findings->kb->type_count && !findings->kb->types[event->type]->composite)
            return event->value[attribute];
        return undefined(type_of(piece));
    }
    if (expr->op == WS_OP_CONSTANT)
        return expr->value;
    if (expr->op == WS_OP_SLOT)
        return (expr->member == 0 ? finding->composite : finding->waiting)->value[expr->slot];
    return undefined(type_of(piece));
}

/* Strings are kept by this room, sites become spots: the events are gone when the text is filled. */
static union ws_value keep(struct ws_findings *findings, enum ws_type type, union ws_value value)
{
    if (is_undefined(type, value))
        return value;
    if (type == WS_TYPE_STRING) {
        uint32_t number = ws_intern(&findings->strings, value.s, strlen(value.s));
        return (union ws_value){.s = findings->strings.items[number].bytes};
    }
    if (type == WS_TYPE_SITE)
        return (union ws_value){.i = ws_findings_spot(findings, value.i)};
    return value;
}

void ws_template_read(struct ws_findings *findings, const struct ws_template *text,
                      const struct ws_finding *finding, union ws_value *values)
{
    for (size_t i = 0; text && i < text->count; i++)
        if (is_place(&text->pieces[i])) {
            const struct ws_piece *piece = &text->pieces[i];
            *values++ = keep(findings, type_of(piece), read_place(findings, finding, piece));
        }
}

/* ---- does a number stand for a rank? ---- */

static bool is_rank(const struct ws_event_type *type, const struct ws_composite_rule *rule,
                    const struct ws_expr *expr);

/* Follows a slot to where its value comes from. */
static bool is_rank_slot(const struct ws_event_type *type, uint32_t slot)
{
    if (!type || slot >= type->slot_count)
        return false;
    if (!type->composite)
        return slot == WS_ATTR_PROCESS ||
               (type->slots[slot].format && strcmp(type->slots[slot].format, "rank") == 0);
    return type->slots[slot].value && is_rank(NULL, type->rule, type->slots[slot].value);
}

/* type: of member 0 where it is not a member of the rule. */
static bool is_rank(const struct ws_event_type *type, const struct ws_composite_rule *rule,
                    const struct ws_expr *expr)
{
    if (expr->op == WS_OP_AGGREGATE && rule && expr->aggregate < rule->aggregate_count) {
        const struct ws_aggregate *aggregate = &rule->aggregates[expr->aggregate];
        return aggregate->value && is_rank(NULL, rule, aggregate->value);
    }
    if (expr->op != WS_OP_SLOT)
        return false;
    if (type)
        return is_rank_slot(type, expr->slot);
    return rule && expr->member < rule->member_count &&
           is_rank_slot(rule->members[expr->member].type, expr->slot);
}

static bool place_is_rank(const struct ws_problem_rule *rule, const struct ws_piece *piece)
{
    const struct ws_event_type *type = rule->on;

    if (attribute_of(piece) >= 0)
        return attribute_of(piece) == WS_ATTR_PROCESS;
    if (type_of(piece) != WS_TYPE_INTEGER || piece->function != WS_PIECE_RANGE)
        return false;
    if (piece->expr->op == WS_OP_SLOT && piece->expr->member == 1 && type->rule &&
        rule->group_member < type->rule->member_count)
        type = type->rule->members[rule->group_member].type;
    return is_rank(type, NULL, piece->expr);
}

/* ---- a place over the rows ---- */

static void add_value(struct ws_text *out, enum ws_type type, double number, int64_t exact)
{
    char buffer[32];

    if (type == WS_TYPE_TIME)
        ws_text_puts(out, ws_format_ns(exact, buffer));
    else if (type == WS_TYPE_REAL)
        ws_text_printf(out, "%.3g", number);
    else
        ws_text_printf(out, "%" PRId64, exact);
}

/* "20 ms" and "40 ms" make "20–40 ms"; "900 us" and "1.2 ms" keep both units. */
static void add_range(struct ws_text *out, const char *low, const char *high)
{
    const char *low_unit = strchr(low, ' '), *high_unit = strchr(high, ' ');

    if (strcmp(low, high) == 0)
        ws_text_puts(out, low);
    else if (low_unit && high_unit && strcmp(low_unit, high_unit) == 0)
        ws_text_printf(out, "%.*s–%s", (int)(low_unit - low), low, high);
    else
        ws_text_printf(out, "%s–%s", low, high);
}

struct extent {
    size_t count;
    int64_t least, greatest;
    double least_real, greatest_real, sum;
};

static struct extent extent_of(enum ws_type type, const union ws_value *const *rows, size_t count,
                               size_t column)
{
    struct extent extent = {0};

    for (size_t i = 0; i < count; i++) {
        union ws_value value = rows[i][column];
        int64_t exact = type == WS_TYPE_REAL ? 0 : value.i;
        double real = type == WS_TYPE_REAL ? value.r : (double)value.i;
        if (is_undefined(type, value))
            continue;
        if (extent.count == 0 || real < extent.least_real || exact < extent.least) {
            extent.least = exact;
            extent.least_real = real;
        }
        if (extent.count == 0 || real > extent.greatest_real || exact > extent.greatest) {
            extent.greatest = exact;
            extent.greatest_real = real;
        }
        extent.sum += real;
        extent.count++;
    }
    return extent;
}

static void fill_number(struct ws_text *out, enum ws_piece_function function, enum ws_type type,
                        const struct extent *extent)
{
    struct ws_text low = {0}, high = {0};
    double mean = extent->sum / (double)extent->count;

    switch (function) {
    case WS_PIECE_SUM:
        add_value(out, type, extent->sum, ws_round(extent->sum));
        break;
    case WS_PIECE_MEAN: /* of integers too a real number */
        add_value(out, type == WS_TYPE_INTEGER ? WS_TYPE_REAL : type, mean, ws_round(mean));
        break;
    case WS_PIECE_MIN:
        add_value(out, type, extent->least_real, extent->least);
        break;
    case WS_PIECE_MAX:
        add_value(out, type, extent->greatest_real, extent->greatest);
        break;
    case WS_PIECE_RANGE:
        add_value(&low, type, extent->least_real, extent->least);
        add_value(&high, type, extent->greatest_real, extent->greatest);
        add_range(out, low.bytes, high.bytes);
        ws_text_free(&low);
        ws_text_free(&high);
        break;
    }
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The distinct defined values of a column that fit a number from 0 on, sorted (free()). */
static uint32_t *distinct_numbers(enum ws_type type, const union ws_value *const *rows, size_t count,
                                  size_t column, size_t *distinct)
{
    uint32_t *numbers = ws_alloc_array(count, sizeof *numbers);
    size_t n = 0;

    *distinct = 0;
    for (size_t i = 0; i < count; i++) {
        union ws_value value = rows[i][column];
        if (!is_undefined(type, value) && value.i >= 0 && value.i < WS_NO_RANK)
            numbers[n++] = (uint32_t)value.i;
    }
    qsort(numbers, n, sizeof *numbers, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[(*distinct)++] = numbers[i];
    return numbers;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* "a", "a and b", "a, b and 3 more".  Sorts the texts. */
static void add_texts(struct ws_text *out, const char **texts, size_t count)
{
    size_t distinct = 0, most = 4;

    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(texts[i], texts[distinct - 1]) != 0)
            texts[distinct++] = texts[i];
    for (size_t i = 0; i < distinct; i++) {
        bool rest = i + 1 == most && distinct > most, last = i + 1 == distinct;
        ws_text_puts(out, i == 0 ? "" : rest || last ? " and " : ", ");
        if (rest) {
            ws_text_printf(out, "%zu more", distinct - i);
            return;
        }
        ws_text_puts(out, texts[i][0] ? texts[i] : "nothing");
    }
}

static void fill_strings(struct ws_text *out, const union ws_value *const *rows, size_t count, size_t column)
{
    const char **texts = ws_alloc_array(count, sizeof *texts);
    size_t n = 0;

    for (size_t i = 0; i < count; i++) /* kept strings: equal ones are one pointer, and mostly neighbours */
        if (rows[i][column].s && (n == 0 || texts[n - 1] != rows[i][column].s))
            texts[n++] = rows[i][column].s;
    add_texts(out, texts, n);
    free(texts);
}

/* "jacobi.c:57"; the whole path stands with the problem's call sites. */
static const char *spot_text(const struct ws_spot *spot, struct ws_arena *arena)
{
    if (spot->file[0] && spot->line > 0)
        return ws_arena_printf(arena, "%s:%d", ws_base_name(spot->file), spot->line);
    if (spot->file[0])
        return ws_arena_printf(arena, "%s", ws_base_name(spot->file));
    if (spot->module[0])
        return ws_arena_printf(arena, "%s+0x%" PRIx64, ws_base_name(spot->module), spot->offset);
    return "an unknown place";
}

static void fill_spots(const struct ws_findings *findings, struct ws_text *out, const uint32_t *spots,
                       size_t count, struct ws_arena *arena)
{
    const char **texts = ws_alloc_array(count, sizeof *texts);

    for (size_t i = 0; i < count; i++)
        texts[i] = spot_text(&findings->spots[spots[i] < findings->spot_count ? spots[i] : 0], arena);
    add_texts(out, texts, count);
    free(texts);
}

/* Does the place name the event that waits? */
static bool is_waiting(const struct ws_problem_rule *rule, const struct ws_expr *expr)
{
    const struct ws_expr *waiting = rule->waiting;

    return expr == waiting || expr->op == WS_OP_MEMBER ||
           (waiting && expr->op == WS_OP_SLOT && waiting->op == WS_OP_SLOT && expr->slot == waiting->slot &&
            expr->member == waiting->member);
}

/* Texts speak of one rank: "Rank {receiver.process} waits".  With several ranks in its place such a sentence
 * stays a sentence: "Each of ranks 0–2 waits for one of ranks 3, 4". */
static void fill_ranks(const struct ws_problem_rule *rule, const struct ws_piece *piece, struct ws_text *out,
                       const uint32_t *ranks, size_t count)
{
    static const char word[] = "rank ";
    size_t length = sizeof word - 1, begin = out->length - length;
    bool after_word = out->length >= length && strncasecmp(out->bytes + begin, word, length) == 0 &&
                      (begin == 0 || !isalnum((unsigned char)out->bytes[begin - 1]));

    if (after_word && count > 1) {
        bool capital = out->bytes[begin] == 'R';
        out->length = begin;
        if (is_waiting(rule, piece->expr))
            ws_text_puts(out, capital ? "Each of ranks " : "each of ranks ");
        else
            ws_text_puts(out, capital ? "One of ranks " : "one of ranks ");
    }
    ws_ranges_add(out, ranks, count);
}

static void fill_boolean(struct ws_text *out, const struct extent *extent)
{
    if (extent->least != extent->greatest)
        ws_text_puts(out, "partly");
    else
        ws_text_puts(out, extent->least ? "yes" : "no");
}

static void fill_place(const struct ws_findings *findings, const struct ws_problem_rule *rule,
                       const struct ws_piece *piece, const union ws_value *const *rows, size_t row_count,
                       size_t column, struct ws_arena *arena, struct ws_text *out)
{
    enum ws_type type = type_of(piece);
    struct extent extent = {0};
    uint32_t *numbers;
    size_t distinct;

    if (type == WS_TYPE_STRING) {
        fill_strings(out, rows, row_count, column);
        return;
    }
    extent = extent_of(type, rows, row_count, column);
    if (extent.count == 0)
        ws_text_puts(out, "?");
    else if (type == WS_TYPE_BOOLEAN)
        fill_boolean(out, &extent);
    else if (type != WS_TYPE_SITE && !place_is_rank(rule, piece))
        fill_number(out, piece->function, type, &extent);
    else {
        numbers = distinct_numbers(type, rows, row_count, column, &distinct);
        if (type == WS_TYPE_SITE)
            fill_spots(findings, out, numbers, distinct, arena);
        else if (distinct)
            fill_ranks(rule, piece, out, numbers, distinct);
        else
            ws_text_puts(out, "?");
        free(numbers);
    }
}

const char *ws_template_fill(const struct ws_findings *findings, const struct ws_problem_rule *rule,
                             const struct ws_template *text, const union ws_value *const *rows,
                             size_t row_count, size_t first, struct ws_arena *arena)
{
    struct ws_text out = {0};
    const char *filled;

    for (size_t i = 0; text && i < text->count; i++) {
        if (is_place(&text->pieces[i]))
            fill_place(findings, rule, &text->pieces[i], rows, row_count, first++, arena, &out);
        else
            ws_text_puts(&out, text->pieces[i].text);
    }
    filled = ws_arena_strdup(arena, ws_text_string(&out));
    ws_text_free(&out);
    return filled;
}
