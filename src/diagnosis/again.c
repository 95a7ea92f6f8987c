/* First the call sites of both reports are paired: those of one function that call the same MPI function are
 * taken in the order of their lines, moved by as many lines as agrees with most of them.  Then the problems
 * at them. */
#include "diagnosis/again.h"

#include "util/text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VOTES ((size_t)1 << 20) /* beyond, lines are taken not to have moved */
#define MOST_STEPS ((size_t)1 << 24) /* beyond, calls are paired as they come */

const struct ws_place *ws_problem_waits_at(const struct ws_problem *problem)
{
    for (size_t i = 0; i < problem->place_count; i++)
        if (problem->places[i].waiting)
            return &problem->places[i];
    return NULL;
}

const struct ws_place *ws_problem_caused_at(const struct ws_problem *problem)
{
    for (size_t i = 0; i < problem->place_count; i++)
        if (problem->places[i].cause)
            return &problem->places[i];
    return NULL;
}

/* ---- call sites ---- */

#define NOWHERE SIZE_MAX

struct spot { /* a call site of one report */
    const struct ws_place *place;
    const char *source, *base; /* its file, or its module where the lines are not known; without the folder */
    int64_t position;          /* the line, or the offset */
    size_t partner;            /* in the other report, or NOWHERE */
    enum ws_again_by by;
};
struct spots {
    struct spot *items;
    size_t count;
    const char **functions; /* [count], sorted */
    size_t *waits, *causes; /* [problem]: the number of its call site, or NOWHERE */
};

static int by_position(const struct spot *a, const struct spot *b)
{
    return (a->position > b->position) - (a->position < b->position);
}

static int by_place(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    int order = strcmp(a->source, b->source);

    order = order ? order : strcmp(a->place->function, b->place->function);
    order = order ? order : strcmp(a->place->called, b->place->called);
    return order ? order : by_position(a, b);
}

static struct spot spot_of(const struct ws_place *place)
{
    bool lined = place->file[0] && place->line > 0;
    const char *source = place->file[0] ? place->file : place->module;

    return (struct spot){.place = place,
                         .source = source,
                         .base = ws_base_name(source),
                         .position = lined ? place->line : (int64_t)place->offset,
                         .partner = NOWHERE};
}

static size_t number_of(const struct spots *spots, const struct ws_place *place)
{
    struct spot wanted;
    const struct spot *found;

    if (!place)
        return NOWHERE;
    wanted = spot_of(place);
    found = bsearch(&wanted, spots->items, spots->count, sizeof wanted, by_place);
    return (size_t)(found - spots->items);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The call sites of a report, each once, in the order of by_place. */
static struct spots spots_of(const struct ws_problem *const *problems, size_t count)
{
    struct spots spots = {.waits = ws_alloc_array(count, sizeof(size_t)),
                          .causes = ws_alloc_array(count, sizeof(size_t))};
    size_t capacity = 0, kept = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < problems[i]->place_count; k++)
            WS_PUSH(spots.items, spots.count, capacity) = spot_of(&problems[i]->places[k]);
    if (spots.count)
        qsort(spots.items, spots.count, sizeof *spots.items, by_place);
    for (size_t i = 0; i < spots.count; i++)
        if (i == 0 || by_place(&spots.items[i], &spots.items[kept - 1]) != 0)
            spots.items[kept++] = spots.items[i];
    spots.count = kept;
    spots.functions = ws_alloc_array(kept, sizeof *spots.functions);
    for (size_t i = 0; i < kept; i++)
        spots.functions[i] = spots.items[i].place->function;
    qsort(spots.functions, kept, sizeof *spots.functions, by_name);
    for (size_t i = 0; i < count; i++) {
        spots.waits[i] = number_of(&spots, ws_problem_waits_at(problems[i]));
        spots.causes[i] = number_of(&spots, ws_problem_caused_at(problems[i]));
    }
    return spots;
}

static void free_spots(struct spots *spots)
{
    free(spots->items);
    free(spots->functions);
    free(spots->waits);
    free(spots->causes);
}

/* ---- which of them may be the same: in steps, the surest first ---- */

struct rung {
    enum ws_again_by by;
    bool folder, file, function; /* what must be the same besides the function that is called */
};
static const struct rung rungs[] = {
    {WS_AGAIN_MOVED, true, true, true},
    {WS_AGAIN_MOVED, false, true, true}, /* the program lies in another folder */
    {WS_AGAIN_FILE_RENAMED, false, false, true},
    {WS_AGAIN_FUNCTION_RENAMED, false, true, false},
};

/* Of one family are the spots of one function, or of what is left of it to compare on this rung. */
static int by_family(const struct rung *rung, const struct spot *a, const struct spot *b)
{
    int order =
        rung->file ? strcmp(rung->folder ? a->source : a->base, rung->folder ? b->source : b->base) : 0;
    return order || !rung->function ? order : strcmp(a->place->function, b->place->function);
}

static int by_class(const struct rung *rung, const struct spot *a, const struct spot *b)
{
    int order = by_family(rung, a, b);
    return order ? order : strcmp(a->place->called, b->place->called);
}

static int in_rung(const void *left, const void *right, void *context)
{
    const struct spot *a = *(struct spot *const *)left, *b = *(struct spot *const *)right;
    int order = by_class(context, a, b);
    return order ? order : by_position(a, b);
}

/* The spots that have no partner yet, in the order of the rung. */
struct left_over {
    struct spot **items;
    size_t count;
};

static bool has_function(const struct spots *spots, const char *function)
{
    return bsearch(&function, spots->functions, spots->count, sizeof *spots->functions, by_name) != NULL;
}

/* May the spot be paired on this rung?  A function is another one's new name only where it is itself not in
 * the other report. */
static bool is_for(const struct rung *rung, const struct spot *spot, const struct spots *other)
{
    bool named = spot->place->function[0] != '\0';

    if (spot->partner != NOWHERE)
        return false;
    if (!rung->file)
        return named;
    return rung->function || (named && !has_function(other, spot->place->function));
}

static struct left_over left_over(const struct rung *rung, struct spots *spots, const struct spots *other)
{
    struct left_over left = {ws_alloc_array(spots->count, sizeof *left.items), 0};

    for (size_t i = 0; i < spots->count; i++)
        if (is_for(rung, &spots->items[i], other))
            left.items[left.count++] = &spots->items[i];
    if (left.count)
        qsort_r(left.items, left.count, sizeof *left.items, in_rung, (void *)rung);
    return left;
}

/* The first from `begin` on of another family or class. */
typedef int comparison(const struct rung *rung, const struct spot *a, const struct spot *b);
static size_t end_of(const struct rung *rung, comparison *compare, const struct left_over *left, size_t begin)
{
    size_t end = begin + 1;

    while (end < left->count && compare(rung, left->items[begin], left->items[end]) == 0)
        end++;
    return end;
}

/* ---- by how many lines a function moved ---- */

struct votes {
    int64_t *moves;
    size_t count, capacity;
};

static int by_move(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Each pair of spots of one class votes for what lies between them; less far is better of equally many. */
static int64_t most_votes(struct votes *votes)
{
    int64_t best = 0;
    size_t most = 0;

    if (votes->count)
        qsort(votes->moves, votes->count, sizeof *votes->moves, by_move);
    for (size_t begin = 0, end; begin < votes->count; begin = end) {
        int64_t move = votes->moves[begin];
        for (end = begin; end < votes->count && votes->moves[end] == move;)
            end++;
        if (end - begin > most || (end - begin == most && llabs(move) < llabs(best))) {
            most = end - begin;
            best = move;
        }
    }
    return best;
}

/* A stretch of both lists: of one family, or one class. */
struct stretch {
    size_t before, before_end, after, after_end;
};

static void vote(const struct left_over *before, const struct left_over *after, const struct stretch *class,
                 struct votes *votes)
{
    size_t pairs = (class->before_end - class->before) * (class->after_end - class->after);

    if (pairs > MOST_VOTES - votes->count)
        return;
    for (size_t i = class->before; i < class->before_end; i++)
        for (size_t k = class->after; k < class->after_end; k++)
            WS_PUSH(votes->moves, votes->count, votes->capacity) =
                after->items[k]->position - before->items[i]->position;
}

/* ---- pairing a class ---- */

static void pair(const struct rung *rung, struct spot *before, struct spot *after,
                 const struct spots *befores, const struct spots *afters)
{
    bool same = strcmp(before->source, after->source) == 0 && before->position == after->position;

    before->partner = (size_t)(after - afters->items);
    after->partner = (size_t)(before - befores->items);
    before->by = rung->by == WS_AGAIN_MOVED && same ? WS_AGAIN_SAME_LINES : rung->by;
}

static double distance(const struct spot *before, const struct spot *after, int64_t moved)
{
    double lines = (double)after->position - (double)before->position - (double)moved;
    return lines < 0 ? -lines : lines;
}

/* All of the fewer ones get a partner of the more, in order, so that the distances come to the least:
 * partners[few]. */
static void align(struct spot *const *few, size_t few_count, struct spot *const *more, size_t more_count,
                  int64_t moved, size_t *partners)
{
    size_t width = more_count + 1, row;
    bool *taken = ws_alloc_array(few_count + 1, width * sizeof *taken);
    double *costs = ws_alloc_array(2 * width, sizeof *costs), *above = costs, *here = costs + width, *swapped;

    for (size_t i = 1; i <= few_count; i++) {
        for (size_t k = i; k <= more_count - (few_count - i); k++) {
            double take = above[k - 1] + distance(few[i - 1], more[k - 1], moved);
            taken[i * width + k] = k == i || take < here[k - 1];
            here[k] = taken[i * width + k] ? take : here[k - 1];
        }
        swapped = above;
        above = here;
        here = swapped;
    }
    row = few_count;
    for (size_t k = more_count; row > 0; k--)
        if (taken[row * width + k])
            partners[--row] = k - 1;
    free(taken);
    free(costs);
}

static void pair_class(const struct rung *rung, const struct left_over *before, const struct left_over *after,
                       const struct stretch *class, int64_t moved, const struct spots *befores,
                       const struct spots *afters)
{
    size_t before_count = class->before_end - class->before, after_count = class->after_end - class->after;
    bool turned = before_count > after_count;
    struct spot *const *few = turned ? after->items + class->after : before->items + class->before;
    struct spot *const *more = turned ? before->items + class->before : after->items + class->after;
    size_t few_count = turned ? after_count : before_count, more_count = turned ? before_count : after_count;
    size_t *partners = ws_alloc_array(few_count, sizeof *partners);

    for (size_t i = 0; i < few_count; i++)
        partners[i] = i;
    if (few_count * more_count <= MOST_STEPS)
        align(few, few_count, more, more_count, turned ? -moved : moved, partners);
    for (size_t i = 0; i < few_count; i++)
        pair(rung, turned ? more[partners[i]] : few[i], turned ? few[i] : more[partners[i]], befores, afters);
    free(partners);
}

/* Calls `each` for the stretches that both lists have within another one. */
struct walk {
    const struct rung *rung;
    const struct left_over *before, *after;
    const struct spots *befores, *afters;
    struct votes votes;
    int64_t moved;
};
static void for_stretches(struct walk *walk, comparison *compare, const struct stretch *within,
                          void (*each)(struct walk *walk, const struct stretch *stretch))
{
    struct stretch stretch = *within;

    while (stretch.before < within->before_end && stretch.after < within->after_end) {
        int order =
            compare(walk->rung, walk->before->items[stretch.before], walk->after->items[stretch.after]);
        stretch.before_end = end_of(walk->rung, compare, walk->before, stretch.before);
        stretch.after_end = end_of(walk->rung, compare, walk->after, stretch.after);
        if (order == 0)
            each(walk, &stretch);
        if (order <= 0)
            stretch.before = stretch.before_end;
        if (order >= 0)
            stretch.after = stretch.after_end;
    }
}

static void vote_class(struct walk *walk, const struct stretch *class)
{
    vote(walk->before, walk->after, class, &walk->votes);
}

static void pair_one_class(struct walk *walk, const struct stretch *class)
{
    pair_class(walk->rung, walk->before, walk->after, class, walk->moved, walk->befores, walk->afters);
}

static void pair_family(struct walk *walk, const struct stretch *family)
{
    walk->votes.count = 0;
    for_stretches(walk, by_class, family, vote_class);
    walk->moved = most_votes(&walk->votes);
    for_stretches(walk, by_class, family, pair_one_class);
}

static void pair_spots(struct spots *befores, struct spots *afters)
{
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++) {
        struct left_over before = left_over(&rungs[r], befores, afters),
                         after = left_over(&rungs[r], afters, befores);
        struct walk walk = {&rungs[r], &before, &after, befores, afters, {0}, 0};
        const struct stretch all = {0, before.count, 0, after.count};
        for_stretches(&walk, by_family, &all, pair_family);
        free(walk.votes.moves);
        free(before.items);
        free(after.items);
    }
}

/* ---- problems ---- */

struct keyed { /* a problem by what it must have in common with another */
    const char *id, *function;
    size_t waits, causes;
    size_t problem;
};

static int by_key(const struct keyed *a, const struct keyed *b)
{
    int order = strcmp(a->id, b->id);

    order = order ? order : strcmp(a->function, b->function);
    if (order == 0 && a->waits != b->waits)
        return a->waits < b->waits ? -1 : 1;
    return order ? order : (a->causes > b->causes) - (a->causes < b->causes);
}

/* Problems are in the order of their durations: so of several the greatest finds the greatest. */
static int by_key_and_place(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    int order = by_key(a, b);
    return order ? order : (a->problem > b->problem) - (a->problem < b->problem);
}

struct report { /* one side */
    const struct ws_problem *const *problems;
    size_t count;
    struct spots spots;
    const bool *found;         /* [problem]: has its counterpart */
    const struct spot *spaced; /* the spots whose numbers are compared: of BEFORE their partners' */
};

/* On each step less must be the same. */
enum step { WAITS_AND_CAUSE, WAITS, FUNCTION };

static size_t common_number(const struct report *report, size_t spot)
{
    return spot == NOWHERE || !report->spaced ? spot : report->spaced[spot].partner;
}

/* False: on this step the problem has no counterpart. */
static bool key_of(const struct report *report, size_t problem, enum step step, struct keyed *key)
{
    size_t waits = report->spots.waits[problem], causes = report->spots.causes[problem];
    const struct ws_place *place = ws_problem_waits_at(report->problems[problem]);

    *key = (struct keyed){report->problems[problem]->id, "", NOWHERE, NOWHERE, problem};
    if (step == FUNCTION) {
        key->function = place ? place->function : "";
        return key->function[0] != '\0';
    }
    key->waits = common_number(report, waits);
    if (step == WAITS)
        return key->waits != NOWHERE;
    key->causes = common_number(report, causes);
    return (waits == NOWHERE) == (key->waits == NOWHERE) && (causes == NOWHERE) == (key->causes == NOWHERE);
}

static struct keyed *keys_of(const struct report *report, enum step step, size_t *count)
{
    struct keyed *keys = ws_alloc_array(report->count, sizeof *keys);

    *count = 0;
    for (size_t i = 0; i < report->count; i++)
        if (!report->found[i] && key_of(report, i, step, &keys[*count]))
            ++*count;
    if (*count)
        qsort(keys, *count, sizeof *keys, by_key_and_place);
    return keys;
}

static enum ws_again_by by_of(const struct report *before, size_t problem, enum step step)
{
    size_t waits = before->spots.waits[problem], causes = before->spots.causes[problem];
    enum ws_again_by by = WS_AGAIN_SAME_LINES;

    if (step != WAITS_AND_CAUSE)
        return step == WAITS ? WS_AGAIN_OTHER_CAUSE : WS_AGAIN_OTHER_CALL;
    if (waits != NOWHERE && before->spots.items[waits].by > by)
        by = before->spots.items[waits].by;
    if (causes != NOWHERE && before->spots.items[causes].by > by)
        by = before->spots.items[causes].by;
    return by;
}

static void find_on(enum step step, const struct report *before, const struct report *after,
                    bool *before_found, bool *after_found, struct ws_again *again)
{
    size_t before_count, after_count, i = 0, k = 0;
    struct keyed *befores = keys_of(before, step, &before_count),
                 *afters = keys_of(after, step, &after_count);

    while (i < before_count && k < after_count) {
        int order = by_key(&befores[i], &afters[k]);
        if (order == 0) {
            again[befores[i].problem] =
                (struct ws_again){afters[k].problem, by_of(before, befores[i].problem, step)};
            before_found[befores[i].problem] = after_found[afters[k].problem] = true;
        }
        i += order <= 0;
        k += order >= 0;
    }
    free(befores);
    free(afters);
}

void ws_find_again(const struct ws_problem *const *before, size_t before_count,
                   const struct ws_problem *const *after, size_t after_count, struct ws_again *again)
{
    bool *before_found = ws_alloc_array(before_count, sizeof *before_found);
    bool *after_found = ws_alloc_array(after_count, sizeof *after_found);
    struct report befores = {before, before_count, spots_of(before, before_count), before_found, NULL};
    struct report afters = {after, after_count, spots_of(after, after_count), after_found, NULL};

    befores.spaced = befores.spots.items;
    pair_spots(&befores.spots, &afters.spots);
    for (size_t i = 0; i < before_count; i++)
        again[i] = (struct ws_again){.after = WS_NOT_AGAIN};
    for (enum step step = WAITS_AND_CAUSE; step <= FUNCTION; step++)
        find_on(step, &befores, &afters, before_found, after_found, again);
    free_spots(&befores.spots);
    free_spots(&afters.spots);
    free(before_found);
    free(after_found);
}
