/* Texts with places to fill in, over all instances of a part: a place shows its value, the range of its
 * values, or the set of them. */
#include "diagnosis/findings.h"
#include "diagnosis/ranges.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- reading the values of one finding ---- */

static union ws_value undefined(enum ws_type type)
{
    if (type == WS_TYPE_REAL)
        return (union ws_value){.r = NAN};
    if (type == WS_TYPE_STRING)
        return (union ws_value){.s = NULL};
    return (union ws_value){.i = WS_UNDEFINED};
}

/* A problem rule sees its members as parameters that the composite event carries; the element of a group
 * is the event that waits. */
static void read_event(struct ws_reading *reading, const struct ws_problem_rule *rule, const struct ws_expr *expr)
{
    reading->of_event = true;
    if (expr == rule->waiting || expr->op == WS_OP_MEMBER) {
        reading->from = WS_FROM_WAITING;
    } else if (expr == rule->cause) {
        reading->from = WS_FROM_CAUSE;
    } else if (expr->op == WS_OP_SLOT) {
        reading->from = expr->member == 0 ? WS_FROM_COMPOSITE : WS_FROM_WAITING;
        reading->through = true;
        reading->event_slot = expr->slot;
    }
}

/* Does a parameter of the composite event name a simple event, whatever it is? */
static bool names_simple(const struct ws_problem_rule *rule, uint32_t slot)
{
    const struct ws_event_type *type = rule->on;
    const struct ws_expr *value = type->slots[slot].value;

    while (value && value->op == WS_OP_SLOT) {
        type = type->rule->members[value->member].type;
        value = type->slots[value->slot].value;
    }
    if (value && value->op == WS_OP_AGGREGATE)
        value = type->rule->aggregates[value->aggregate].value;
    return value && value->op == WS_OP_MEMBER && !type->rule->members[value->member].type->composite;
}

static bool same_slot(const struct ws_expr *a, const struct ws_expr *b)
{
    return a && b && a->op == WS_OP_SLOT && b->op == WS_OP_SLOT && a->member == b->member &&
           a->slot == b->slot;
}

/* Is it a call of who waits or of the cause?  These are what a finding is recognised by. */
static bool is_settled(const struct ws_problem_rule *rule, const struct ws_expr *expr,
                       const struct ws_reading *reading)
{
    bool call = reading->slot == WS_ATTR_FUNCTION || reading->slot == WS_ATTR_SITE ||
                reading->slot == WS_ATTR_POSTED_FUNCTION || reading->slot == WS_ATTR_POSTED_SITE;

    if (!call || !reading->through)
        return call && (reading->from == WS_FROM_WAITING || reading->from == WS_FROM_CAUSE);
    return reading->from == WS_FROM_COMPOSITE &&
           (same_slot(expr, rule->waiting) || same_slot(expr, rule->cause)) &&
           names_simple(rule, reading->event_slot);
}

static struct ws_reading reading_of(const struct ws_problem_rule *rule, const struct ws_piece *piece)
{
    struct ws_reading reading = {
        .from = WS_FROM_CONSTANT, .type = type_of(piece), .constant = undefined(type_of(piece))};
    int attribute = attribute_of(piece);
    const struct ws_expr *expr = piece->expr;

    if (attribute >= 0) {
        reading.slot = (uint32_t)attribute;
        read_event(&reading, rule, expr);
        reading.settled = is_settled(rule, expr, &reading);
    } else if (expr->op == WS_OP_CONSTANT) {
        reading.constant = expr->value;
    } else if (expr->op == WS_OP_SLOT) {
        reading.from = expr->member == 0 ? WS_FROM_COMPOSITE : WS_FROM_WAITING;
        reading.slot = expr->slot;
    }
    return reading;
}

void ws_template_readings(const struct ws_problem_rule *rule, const struct ws_template *text,
                          struct ws_reading *readings)
{
    for (size_t i = 0; text && i < text->count; i++)
        if (is_place(&text->pieces[i]))
            *readings++ = reading_of(rule, &text->pieces[i]);
}

/* Strings and sites become numbers: the events are gone when the text is filled. */
static inline union ws_value keep(struct ws_names *names, enum ws_type type, union ws_value value)
{
    if (type == WS_TYPE_STRING)
        return (union ws_value){.i = value.s ? ws_names_lasting(names, value.s) : WS_UNDEFINED};
    if (type == WS_TYPE_SITE && value.i != WS_UNDEFINED)
        return (union ws_value){.i = ws_names_site(names, value.i)};
    return value;
}

void ws_template_read(struct ws_names *names, const struct ws_kb *kb, const struct ws_reading *readings,
                      size_t count, const struct ws_finding *finding, union ws_value *values)
{
    const struct ws_event *const events[] = {[WS_FROM_COMPOSITE] = finding->composite,
                                             [WS_FROM_WAITING] = finding->waiting,
                                             [WS_FROM_CAUSE] = finding->cause,
                                             [WS_FROM_CONSTANT] = NULL};

    for (size_t i = 0; i < count; i++) {
        const struct ws_reading *reading = &readings[i];
        const struct ws_event *event = events[reading->from];
        bool known;
        if (reading->through)
            event = event->value[reading->event_slot].e;
        known = event && (!reading->of_event || event->type < kb->simple_count);
        values[reading->place] =
            keep(names, reading->type, known ? event->value[reading->slot] : reading->constant);
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

/* ---- what is kept of its values ---- */

static enum ws_fold_kind kind_of(const struct ws_problem_rule *rule, const struct ws_piece *piece)
{
    bool sums = piece->function == WS_PIECE_SUM || piece->function == WS_PIECE_MEAN;

    switch (type_of(piece)) {
    case WS_TYPE_STRING:
    case WS_TYPE_SITE:
        return WS_FOLD_SET;
    case WS_TYPE_REAL:
        return sums ? WS_FOLD_REAL_SUM : WS_FOLD_REAL;
    case WS_TYPE_BOOLEAN:
        return WS_FOLD_INTEGER;
    default:
        return place_is_rank(rule, piece) ? WS_FOLD_SET : WS_FOLD_INTEGER;
    }
}

size_t ws_template_places(const struct ws_problem_rule *rule, const struct ws_template *text,
                          enum ws_fold_kind *kinds)
{
    size_t places = 0;

    for (size_t i = 0; text && i < text->count; i++)
        if (is_place(&text->pieces[i])) {
            if (kinds)
                kinds[places] = kind_of(rule, &text->pieces[i]);
            places++;
        }
    return places;
}

enum ws_names_of ws_template_names(const struct ws_template *text, size_t place)
{
    for (size_t i = 0; text && i < text->count; i++)
        if (is_place(&text->pieces[i]) && place-- == 0) {
            enum ws_type type = type_of(&text->pieces[i]);
            return type == WS_TYPE_STRING ? WS_OF_STRINGS : type == WS_TYPE_SITE ? WS_OF_SPOTS : WS_OF_RANKS;
        }
    return WS_OF_RANKS;
}

/* ---- a place over many values ---- */

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

static int64_t nearest(__int128 sum)
{
    return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
}

static void fill_number(struct ws_text *out, const struct ws_piece *piece, const struct ws_fold *fold)
{
    enum ws_type type = type_of(piece);
    struct ws_text low = {0}, high = {0};
    bool real = type == WS_TYPE_REAL;
    double sum = !real ? (double)fold->sum : fold->real_sum ? ws_exact_value(fold->real_sum) : 0;
    double mean = sum / (double)fold->count;

    switch (piece->function) {
    case WS_PIECE_SUM:
        add_value(out, type, sum, nearest(fold->sum));
        break;
    case WS_PIECE_MEAN: /* of integers too a real number */
        add_value(out, type == WS_TYPE_INTEGER ? WS_TYPE_REAL : type, mean, ws_round(mean));
        break;
    case WS_PIECE_MIN:
        add_value(out, type, fold->least.r, fold->least.i);
        break;
    case WS_PIECE_MAX:
        add_value(out, type, fold->greatest.r, fold->greatest.i);
        break;
    case WS_PIECE_RANGE:
        add_value(&low, type, fold->least.r, fold->least.i);
        add_value(&high, type, fold->greatest.r, fold->greatest.i);
        add_range(out, low.bytes, high.bytes);
        ws_text_free(&low);
        ws_text_free(&high);
        break;
    }
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

/* "jacobi.c:57"; the whole path stands with the problem's call sites. */
static const char *spot_text(const struct ws_site *spot, struct ws_arena *arena)
{
    if (spot->file[0] && spot->line > 0)
        return ws_arena_printf(arena, "%s:%d", ws_base_name(spot->file), spot->line);
    if (spot->file[0])
        return ws_arena_printf(arena, "%s", ws_base_name(spot->file));
    if (spot->module[0])
        return ws_arena_printf(arena, "%s+0x%" PRIx64, ws_base_name(spot->module), spot->offset);
    return "an unknown place";
}

static void fill_names(const struct ws_names *names, enum ws_type type, struct ws_text *out,
                       const uint32_t *numbers, size_t count, struct ws_arena *arena)
{
    const char **texts = ws_alloc_array(count, sizeof *texts);

    for (size_t i = 0; i < count; i++)
        texts[i] = type == WS_TYPE_STRING ? ws_names_text(names, numbers[i])
                                          : spot_text(&names->spots[numbers[i]], arena);
    add_texts(out, texts, count);
    free(texts);
}

/* Does the place name the event that waits? */
static bool is_waiting(const struct ws_problem_rule *rule, const struct ws_expr *expr)
{
    const struct ws_expr *waiting = rule->waiting;

    return expr == waiting || expr->op == WS_OP_MEMBER || same_slot(expr, waiting);
}

/* Where the text ends in this word and a space: the word's begin; else SIZE_MAX. */
static size_t ends_in(const struct ws_text *text, const char *word)
{
    size_t length = strlen(word), begin = text->length - length - 1;

    if (text->length <= length || text->bytes[text->length - 1] != ' ' ||
        strncasecmp(text->bytes + begin, word, length) != 0 ||
        (begin > 0 && isalnum((unsigned char)text->bytes[begin - 1])))
        return SIZE_MAX;
    return begin;
}

/* Whether a word that begins here begins a sentence: some have a capital letter anywhere ("PE"). */
static bool is_capital(const struct ws_text *text, size_t begin, const char *process)
{
    bool first = begin == 0 || (begin >= 2 && text->bytes[begin - 2] == '.');

    return isupper((unsigned char)text->bytes[begin]) && (first || !isupper((unsigned char)process[0]));
}

/* Texts speak of one rank: "Rank {receiver.process} waits", or, in rules for several runtimes, of a process, which the
 * reader knows as place or PE.  With several ranks in its place such a sentence stays a sentence: "Each of ranks 0–2
 * waits for one of ranks 3, 4". */
static void fill_ranks(const char *process, const struct ws_problem_rule *rule, const struct ws_piece *piece,
                       struct ws_text *out, const uint32_t *ranks, size_t count)
{
    size_t begin = ends_in(out, process);
    bool capital;

    if (begin == SIZE_MAX)
        begin = ends_in(out, "process");
    if (begin < SIZE_MAX) {
        capital = is_capital(out, begin, process);
        out->length = begin;
        if (count > 1)
            ws_text_printf(out, "%s of %ss ",
                           is_waiting(rule, piece->expr) ? capital ? "Each" : "each"
                           : capital                     ? "One"
                                                         : "one",
                           process);
        else
            ws_text_printf(out, "%c%s ", capital ? toupper((unsigned char)process[0]) : process[0], process + 1);
    }
    ws_ranges_add(out, ranks, count);
}

static void fill_boolean(struct ws_text *out, const struct ws_fold *fold)
{
    if (fold->least.i != fold->greatest.i)
        ws_text_puts(out, "partly");
    else
        ws_text_puts(out, fold->least.i ? "yes" : "no");
}

static void fill_set(const struct ws_names *names, const struct ws_problem_rule *rule,
                     const struct ws_piece *piece, const struct ws_fold *fold, struct ws_arena *arena,
                     struct ws_text *out)
{
    enum ws_type type = type_of(piece);
    uint32_t *numbers = ws_set_numbers(&fold->set);

    if (type == WS_TYPE_STRING || (type == WS_TYPE_SITE && fold->set.count))
        fill_names(names, type, out, numbers, fold->set.count, arena);
    else if (fold->set.count)
        fill_ranks(names->process ? names->process : "rank", rule, piece, out, numbers, fold->set.count);
    else
        ws_text_puts(out, "?");
    free(numbers);
}

static void fill_place(const struct ws_names *names, const struct ws_problem_rule *rule,
                       const struct ws_piece *piece, const struct ws_fold *fold, struct ws_arena *arena,
                       struct ws_text *out)
{
    if (kind_of(rule, piece) == WS_FOLD_SET)
        fill_set(names, rule, piece, fold, arena, out);
    else if (fold->count == 0)
        ws_text_puts(out, "?");
    else if (type_of(piece) == WS_TYPE_BOOLEAN)
        fill_boolean(out, fold);
    else
        fill_number(out, piece, fold);
}

const char *ws_template_fill(const struct ws_names *names, const struct ws_problem_rule *rule,
                             const struct ws_template *text, const struct ws_fold *folds,
                             struct ws_arena *arena)
{
    struct ws_text out = {0};
    const char *filled;

    for (size_t i = 0; text && i < text->count; i++) {
        if (is_place(&text->pieces[i]))
            fill_place(names, rule, &text->pieces[i], folds++, arena, &out);
        else
            ws_text_puts(&out, text->pieces[i].text);
    }
    filled = ws_arena_strdup(arena, ws_text_string(&out));
    ws_text_free(&out);
    return filled;
}
