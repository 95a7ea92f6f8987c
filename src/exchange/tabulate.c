/* Makes tables of what was added up. */
#include "exchange/collect.h"

#include <stdlib.h>
#include <string.h>

/* Groups stand for their pairs up to so many of them. */
#define MOST_PAIRS ((uint64_t)1 << 23)      /* of the whole, all kinds together */
#define MOST_PART_PAIRS ((uint64_t)1 << 22) /* of all parts */
#define MOST_SPAN_STEPS ((uint64_t)1 << 28) /* to know what each place received in each span */
#define MOST_SPAN_CELLS ((uint64_t)1 << 22)

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t result;

    return __builtin_mul_overflow(a, b, &result) || result > INT64_MAX ? INT64_MAX : result;
}

/* ---- groups ---- */

/* Of a cell the place that gives to a group, or gets from it. */
static uint32_t single(const struct ws_cell_key *key)
{
    return key->from == WS_NOBODY ? key->to : key->from;
}

/* How many pairs of places the cell stands for. */
static uint64_t pairs_of(const struct ws_collection *c, const struct ws_cell_key *key)
{
    const struct ws_members *group = key->group ? ws_groups_at(&c->groups, key->group) : NULL;
    int32_t own = (int32_t)single(key);
    uint64_t count = 0;

    if (!group)
        return 1;
    if (!group->ranks)
        return group->count - ((uint32_t)own >= group->first && (uint32_t)own < group->first + group->count);
    for (uint32_t i = 0; i < group->count; i++) {
        int32_t place = ws_member_place(group, i);
        count += place >= 0 && place != own && (uint32_t)place < c->exchange->places;
    }
    return count;
}

/* All pairs that a cell stands for, one by one. */
struct walk {
    const struct ws_collection *c;
    const struct ws_cell *cell;
    uint32_t next;
};

static bool next_pair(struct walk *walk, uint32_t *from, uint32_t *to)
{
    const struct ws_cell_key *key = &walk->cell->key;
    const struct ws_members *group = key->group ? ws_groups_at(&walk->c->groups, key->group) : NULL;
    uint32_t own = single(key);

    *from = key->from;
    *to = key->to;
    if (!group)
        return walk->next++ == 0;
    while (walk->next < group->count) {
        int32_t place = ws_member_place(group, walk->next++);
        if (place < 0 || (uint32_t)place == own || (uint32_t)place >= walk->c->exchange->places)
            continue;
        *(key->from == WS_NOBODY ? from : to) = (uint32_t)place;
        return true;
    }
    return false;
}

static struct ws_sum sum_of(const struct ws_collection *c, const struct ws_cell *cell)
{
    uint64_t pairs = pairs_of(c, &cell->key);

    return (struct ws_sum){times(cell->sum.messages, pairs), times(cell->sum.bytes, pairs)};
}

/* Members of a group that are of another world. */
static void add_elsewhere(struct ws_collection *c, const struct ws_cell *cell)
{
    const struct ws_members *group = cell->key.group ? ws_groups_at(&c->groups, cell->key.group) : NULL;

    for (uint32_t i = 0; group && group->ranks && i < group->count; i++)
        if (ws_member_place(group, i) == -1 || ws_member_place(group, i) >= (int32_t)c->exchange->places)
            ws_sum_add(&c->exchange->elsewhere, cell->sum);
}

/* ---- totals ---- */

/* Sums on the way, of which something is taken away again: wide enough for any. */
struct wide {
    unsigned __int128 messages, bytes;
};

static void widen(struct wide *wide, struct ws_sum sum)
{
    wide->messages += sum.messages;
    wide->bytes += sum.bytes;
}

static struct ws_sum narrow(struct wide wide)
{
    return (struct ws_sum){wide.messages > INT64_MAX ? INT64_MAX : (uint64_t)wide.messages,
                           wide.bytes > INT64_MAX ? INT64_MAX : (uint64_t)wide.bytes};
}

/* What a cell's group would have given to the cell's own place. */
static void take_own(struct ws_collection *c, const struct ws_cell *cell, struct wide *by_place)
{
    const struct ws_members *group = ws_groups_at(&c->groups, cell->key.group);
    uint32_t own = single(&cell->key);

    for (uint32_t k = 0; k < group->count; k++)
        if (ws_member_place(group, k) == (int32_t)own) {
            by_place[own].messages -= cell->sum.messages;
            by_place[own].bytes -= cell->sum.bytes;
        }
}

/* Adds what all of a group's cells together give to (or get from) each member, then takes away what a place
 * would so have given to itself. */
static void add_members(struct ws_collection *c, struct wide *by_group, bool giving, struct wide *by_place)
{
    for (size_t i = 0; i < c->cells.count; i++) {
        const struct ws_cell *cell = &c->cells.list[i];
        if (cell->key.group && (cell->key.from != WS_NOBODY) == giving)
            widen(&by_group[cell->key.group - 1], cell->sum);
    }
    for (size_t g = 0; g < c->groups.count; g++)
        for (uint32_t i = 0; by_group[g].messages && i < c->groups.list[g]->count; i++) {
            int32_t place = ws_member_place(c->groups.list[g], i);
            if (place < 0 || (uint32_t)place >= c->exchange->places)
                continue;
            by_place[place].messages += by_group[g].messages;
            by_place[place].bytes += by_group[g].bytes;
        }
    for (size_t i = 0; i < c->cells.count; i++)
        if (c->cells.list[i].key.group && (c->cells.list[i].key.from != WS_NOBODY) == giving)
            take_own(c, &c->cells.list[i], by_place);
}

/* What each place gave, or got. */
static struct ws_sum *sum_places(struct ws_collection *c, bool got)
{
    struct ws_sum *sums = ws_arena_alloc(&c->exchange->arena, (c->exchange->places + 1) * sizeof *sums);
    struct wide *by_place = ws_alloc_array(c->exchange->places + 1, sizeof *by_place);
    struct wide *by_group = ws_alloc_array(c->groups.count + 1, sizeof *by_group);

    for (size_t i = 0; i < c->cells.count; i++) {
        const struct ws_cell *cell = &c->cells.list[i];
        uint32_t place = got ? cell->key.to : cell->key.from;
        if (place != WS_NOBODY)
            widen(&by_place[place], sum_of(c, cell));
    }
    add_members(c, by_group, got, by_place);
    for (uint32_t i = 0; i < c->exchange->places; i++)
        sums[i] = narrow(by_place[i]);
    free(by_place);
    free(by_group);
    return sums;
}

static void make_totals(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;

    for (size_t i = 0; i < c->cells.count; i++) {
        const struct ws_cell *cell = &c->cells.list[i];
        struct ws_sum sum = sum_of(c, cell);
        ws_sum_add(&exchange->sum, sum);
        ws_sum_add(&exchange->kinds[cell->key.kind], sum);
        add_elsewhere(c, cell);
    }
    exchange->sent = sum_places(c, false);
    exchange->received = sum_places(c, true);
}

/* ---- pairs ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct ws_pair *x = a, *y = b;

    return x->from != y->from ? ws_three_way(x->from, y->from) : ws_three_way(x->to, y->to);
}

/* Sorts pairs and makes one of equal ones; their number. */
static size_t merge_pairs(struct ws_pair *pairs, size_t count)
{
    size_t kept = 0;

    if (count)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++)
        if (kept && compare_pairs(&pairs[kept - 1], &pairs[i]) == 0)
            ws_sum_add(&pairs[kept - 1].sum, pairs[i].sum);
        else
            pairs[kept++] = pairs[i];
    return kept;
}

/* The pairs that cells stand for; groups only where `spread`. */
static struct ws_pair *list_pairs(struct ws_collection *c, const struct ws_cell *cells, size_t cell_count,
                                  bool spread, size_t *count)
{
    struct ws_arena *arena = &c->exchange->arena;
    uint64_t most = 0;
    struct ws_pair *pairs;

    for (size_t i = 0; i < cell_count; i++)
        if (spread || !cells[i].key.group)
            most += pairs_of(c, &cells[i].key);
    pairs = ws_arena_alloc(arena, (most + 1) * sizeof *pairs);
    *count = 0;
    for (size_t i = 0; i < cell_count; i++) {
        struct walk walk = {c, &cells[i], 0};
        uint32_t from, to;
        while ((spread || !cells[i].key.group) && next_pair(&walk, &from, &to))
            pairs[(*count)++] = (struct ws_pair){from, to, cells[i].sum};
    }
    *count = merge_pairs(pairs, *count);
    return pairs;
}

/* All kinds, functions … together: each place speaks to each group once. */
static void make_pairs(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    struct ws_cells whole = {0};
    uint64_t pairs = 0;

    for (size_t i = 0; i < c->cells.count; i++) {
        const struct ws_cell *cell = &c->cells.list[i];
        struct ws_cell_key key = {.from = cell->key.from, .to = cell->key.to, .group = cell->key.group};
        ws_cells_add(&whole, &key, cell->sum);
    }
    for (size_t i = 0; i < whole.count; i++)
        if (whole.list[i].key.group)
            pairs += pairs_of(c, &whole.list[i].key);
    exchange->pairs_left_out = pairs > MOST_PAIRS;
    exchange->pairs =
        list_pairs(c, whole.list, whole.count, !exchange->pairs_left_out, &exchange->pair_count);
    ws_cells_free(&whole);
}

/* ---- parts ---- */

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct ws_cell_key *x = &((const struct ws_cell *)a)->key, *y = &((const struct ws_cell *)b)->key;
    const struct ws_collection *c = context;
    int order = ws_three_way(x->kind, y->kind);

    if (order == 0 && x->function != y->function)
        order = strcmp(c->moves.functions[x->function], c->moves.functions[y->function]);
    if (order == 0 && x->type != y->type)
        order = strcmp(c->types.list[x->type], c->types.list[y->type]);
    order = order ? order : ws_three_way(x->site, y->site);
    order = order ? order : ws_three_way(x->size, y->size);
    return order;
}

static void make_part(struct ws_collection *c, const struct ws_cell *cells, size_t count, bool spread,
                      struct ws_part *part)
{
    const struct ws_cell_key *key = &cells->key;

    *part = (struct ws_part){
        .kind = (enum ws_transfer_kind)key->kind,
        .function = ws_arena_strdup(&c->exchange->arena, c->moves.functions[key->function]),
        .type = c->types.list[key->type],
        .site = key->site,
        .size = key->size,
    };
    for (size_t i = 0; i < count; i++)
        ws_sum_add(&part->sum, sum_of(c, &cells[i]));
    part->pairs = list_pairs(c, cells, count, spread, &part->pair_count);
    if (!spread)
        for (size_t i = 0; i < count; i++)
            if (cells[i].key.group)
                part->pairs = NULL;
}

static void make_parts(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    struct ws_cell *cells = c->cells.list;
    size_t next, capacity = 0;
    uint64_t pairs = 0;

    for (size_t i = 0; i < c->cells.count; i++)
        pairs += pairs_of(c, &cells[i].key);
    if (c->cells.count)
        qsort_r(cells, c->cells.count, sizeof *cells, compare_keys, c);
    for (size_t i = 0; i < c->cells.count; i = next) {
        for (next = i + 1; next < c->cells.count && compare_keys(&cells[i], &cells[next], c) == 0;)
            next++;
        make_part(c, &cells[i], next - i, pairs <= MOST_PART_PAIRS,
                  &WS_PUSH(exchange->parts, exchange->part_count, capacity));
    }
}

const struct ws_pair *ws_part_pair(const struct ws_part *part, uint32_t from, uint32_t to)
{
    const struct ws_pair key = {.from = from, .to = to};

    if (!part->pairs)
        return NULL;
    return bsearch(&key, part->pairs, part->pair_count, sizeof key, compare_pairs);
}

static void make_sites(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    struct ws_site *sites = ws_arena_alloc(&exchange->arena, c->site_count * sizeof *sites);

    for (size_t i = 0; i < c->site_count; i++) {
        const struct ws_site *site = ws_trace_site(c->trace, c->sites[i]);
        sites[i] = *site;
        sites[i].function = ws_arena_strdup(&exchange->arena, site->function);
        sites[i].file = ws_arena_strdup(&exchange->arena, site->file);
        sites[i].module = ws_arena_strdup(&exchange->arena, site->module);
    }
    exchange->sites = sites;
    exchange->site_count = c->site_count;
}

/* ---- spans of time ---- */

static void make_slots(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;

    exchange->slots = ws_arena_alloc(&exchange->arena, exchange->slot_count * sizeof *exchange->slots);
    for (size_t i = 0; i < exchange->slot_count; i++) {
        exchange->slots[i].begin_ns = (int64_t)i * c->slot_ns;
        exchange->slots[i].end_ns = exchange->slots[i].begin_ns + c->slot_ns;
    }
}

/* When a phase of this name first begins, on any place. */
static int64_t first_begin(const struct ws_trace_info *info, const char *name)
{
    int64_t begin_ns = *name ? INT64_MAX : INT64_MIN;

    for (uint32_t r = 0; r < info->ranks; r++)
        for (size_t p = 0; p < info->rank[r].phase_count; p++)
            if (strcmp(info->rank[r].phases[p].name, name) == 0 &&
                info->rank[r].phases[p].begin_ns < begin_ns)
                begin_ns = info->rank[r].phases[p].begin_ns;
    return begin_ns;
}

static int compare_spans(const void *a, const void *b)
{
    const struct ws_span *x = a, *y = b;

    return x->begin_ns != y->begin_ns ? (x->begin_ns < y->begin_ns ? -1 : 1) : strcmp(x->name, y->name);
}

static bool has_phases(const struct ws_trace_info *info)
{
    for (uint32_t r = 0; r < info->ranks; r++)
        if (info->rank[r].phase_count)
            return true;
    return false;
}

static void make_phases(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;

    exchange->phases = ws_arena_alloc(&exchange->arena, (c->phases.count + 1) * sizeof *exchange->phases);
    exchange->phase_count = has_phases(c->info) ? c->phases.count : 0;
    for (size_t i = 0; i < exchange->phase_count; i++) {
        exchange->phases[i].name = ws_arena_strdup(&exchange->arena, c->phases.list[i]);
        exchange->phases[i].begin_ns = first_begin(c->info, c->phases.list[i]);
    }
}

static void add_span(struct ws_collection *c, struct ws_span *span, const struct ws_cell *cell,
                     struct ws_sum sum)
{
    struct walk walk = {c, cell, 0};
    uint32_t from, to;

    ws_sum_add(&span->sum, sum);
    ws_sum_add(&span->kinds[cell->key.kind], sum);
    while (span->received && next_pair(&walk, &from, &to)) {
        struct ws_sum received = {0, span->received[to]};
        ws_sum_add(&received, cell->sum);
        span->received[to] = received.bytes;
    }
}

static void give_received(struct ws_collection *c, struct ws_span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++)
        spans[i].received =
            ws_arena_alloc(&c->exchange->arena, (c->exchange->places + 1) * sizeof *spans[i].received);
}

static void make_spans(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    uint64_t steps = 0, spans;

    make_slots(c);
    make_phases(c);
    for (size_t i = 0; i < c->times.count; i++)
        steps += pairs_of(c, &c->times.list[i].key);
    spans = exchange->slot_count + exchange->phase_count;
    if (steps <= MOST_SPAN_STEPS && times(spans, exchange->places) <= MOST_SPAN_CELLS) {
        give_received(c, exchange->slots, exchange->slot_count);
        give_received(c, exchange->phases, exchange->phase_count);
    }
    for (size_t i = 0; i < c->times.count; i++) {
        const struct ws_cell *cell = &c->times.list[i];
        struct ws_sum sum = sum_of(c, cell);
        add_span(c, &exchange->slots[cell->key.function], cell, sum);
        if (exchange->phase_count)
            add_span(c, &exchange->phases[cell->key.type], cell, sum);
    }
    if (exchange->phase_count)
        qsort(exchange->phases, exchange->phase_count, sizeof *exchange->phases, compare_spans);
}

/* ---- nodes ---- */

static void make_nodes(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    struct ws_names_list hosts = {0};

    exchange->node_of = ws_arena_alloc(&exchange->arena, (exchange->places + 1) * sizeof *exchange->node_of);
    for (uint32_t r = 0; r < exchange->places; r++) {
        const char *host = c->info->rank[r].host ? c->info->rank[r].host : "";
        size_t i = hosts.count; /* most often that of the place before */
        while (i > 0 && strcmp(hosts.list[i - 1], host) != 0)
            i--;
        if (i == 0) {
            WS_PUSH(hosts.list, hosts.count, hosts.capacity) = ws_arena_strdup(&exchange->arena, host);
            i = hosts.count;
        }
        exchange->node_of[r] = (uint32_t)i - 1;
    }
    exchange->node_count = (uint32_t)hosts.count;
    exchange->nodes = ws_arena_alloc(&exchange->arena, (hosts.count + 1) * sizeof *exchange->nodes);
    if (hosts.count)
        memcpy(exchange->nodes, hosts.list, hosts.count * sizeof *hosts.list);
    free(hosts.list);
}

void ws_tabulate(struct ws_collection *c)
{
    make_totals(c);
    make_pairs(c);
    make_parts(c);
    make_sites(c);
    make_spans(c);
    make_nodes(c);
}
