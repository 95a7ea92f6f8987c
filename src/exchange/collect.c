/* Reads the events of a trace and adds up what they move. */
#include "exchange/collect.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TYPES 4096 /* that are told apart */
#define ELSEWHERE (-1)  /* a process of another world; below: nobody */

/* The event at hand and what it moves. */
struct move {
    struct ws_collection *collection;
    const struct ws_event *event;
    const struct ws_moves_by *by;
    const struct ws_transfer *transfer;
    uint64_t times; /* how many calls it stands for */
    bool counted;   /* they were only counted: `bytes` are all that is known of their sizes */
    uint64_t bytes;
    struct ws_cell_key key;
};

static int64_t quantity(const struct move *move, enum ws_transfer_quantity which, int64_t otherwise)
{
    return ws_quantity(move->transfer, which, move->event, otherwise);
}

static bool is_given(const struct move *move, enum ws_transfer_quantity which)
{
    return move->transfer->quantities[which].given;
}

/* ---- numbers for names ---- */

static uint32_t number_of(struct ws_names_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->list[i] == name || strcmp(names->list[i], name) == 0)
            return (uint32_t)i;
    WS_PUSH(names->list, names->count, names->capacity) = name;
    return (uint32_t)names->count - 1;
}

/* The number of a type by its name; beyond the most that are told apart it is that of "other". */
static uint32_t named_type(struct ws_collection *c, const char *name)
{
    struct ws_map_entry *entry = ws_map_reach(&c->name_numbers, ws_hash(WS_HASH_START, name, strlen(name)));

    if (!entry->value && c->types.count < MOST_TYPES)
        WS_PUSH(c->types.list, c->types.count, c->types.capacity) =
            ws_arena_strdup(&c->exchange->arena, name);
    if (!entry->value)
        entry->value = c->types.count < MOST_TYPES ? c->types.count : number_of(&c->types, "other") + 1;
    return (uint32_t)entry->value - 1;
}

/* "tag 7", the name that the process gave to this value, or the string itself. */
static uint32_t new_type(struct move *move, const char *param, union ws_value value, bool is_text)
{
    struct ws_collection *c = move->collection;
    uint32_t process = (uint32_t)move->event->value[WS_ATTR_PROCESS].i, number;
    const char *name = is_text ? value.s : ws_trace_name(c->trace, process, param, value.i);
    struct ws_text text = {0};

    if (name)
        return named_type(c, name);
    ws_text_printf(&text, "%s %lld", param, (long long)value.i);
    number = named_type(c, text.bytes);
    ws_text_free(&text);
    return number;
}

static uint32_t type_number(struct move *move)
{
    const struct ws_quantity *type = &move->transfer->quantities[WS_MOVES_TYPE];
    struct ws_collection *c = move->collection;
    const union ws_value *values = move->event->value;
    struct ws_map_entry *entry;
    uint64_t hash;

    if (!type->param || (move->counted && !ws_quantity_is_counted(move->by->rule, type)))
        return 0;
    hash = ws_hash(WS_HASH_START, &values[type->slot], sizeof *values); /* equal strings have one address */
    hash = ws_hash(hash, type->param, strlen(type->param));
    hash = ws_hash(hash, &values[WS_ATTR_PROCESS], sizeof *values); /* each process has its own names */
    entry = ws_map_reach(&c->type_numbers, hash);
    if (!entry->value)
        entry->value = new_type(move, type->param, values[type->slot],
                                move->by->rule->type->slots[type->slot].type == WS_TYPE_STRING) +
                       1;
    return (uint32_t)entry->value - 1;
}

static uint32_t site_number(struct ws_collection *c, int64_t site)
{
    struct ws_map_entry *entry = ws_map_reach(&c->site_numbers, (uint64_t)site);

    if (!entry->value) {
        WS_PUSH(c->sites, c->site_count, c->site_capacity) = site;
        entry->value = c->site_count;
    }
    return (uint32_t)entry->value - 1;
}

/* ---- time ---- */

static uint32_t phase_number(struct ws_collection *c, const char *name)
{
    struct ws_map_entry *entry = ws_map_reach(&c->phase_numbers, (uint64_t)(uintptr_t)name);

    if (!entry->value)
        entry->value = number_of(&c->phases, name) + 1;
    return (uint32_t)entry->value - 1;
}

static uint32_t slot_at(const struct ws_collection *c, int64_t ns)
{
    int64_t slot = ns > c->begin_ns ? (ns - c->begin_ns) / c->slot_ns : 0;

    return slot < (int64_t)c->exchange->slot_count ? (uint32_t)slot : (uint32_t)c->exchange->slot_count - 1;
}

static void add_time(struct move *move, struct ws_sum sum)
{
    struct ws_collection *c = move->collection;
    const union ws_value *value = move->event->value;
    struct ws_cell_key key = {
        .to = move->key.to, .from = WS_NOBODY, .group = move->key.group, .kind = move->key.kind};

    if (key.group)
        key.from = move->key.from;
    key.function = slot_at(c, value[WS_ATTR_POSTED].i);
    key.type = phase_number(
        c, ws_trace_phase_at(c->info, (uint32_t)value[WS_ATTR_PROCESS].i, value[WS_ATTR_POSTED].i));
    ws_cells_add(&c->times, &key, sum);
}

/* ---- adding up ---- */

/* So much from one to another, or for each member of a group. */
static void add(struct move *move, uint32_t from, uint32_t to, uint32_t group, struct ws_sum sum)
{
    move->key.from = from;
    move->key.to = to;
    move->key.group = group;
    move->key.size = ws_size_class(sum.messages ? sum.bytes / sum.messages : sum.bytes);
    ws_cells_add(&move->collection->cells, &move->key, sum);
    add_time(move, sum);
}

static bool is_place(const struct move *move, int64_t place)
{
    return place >= 0 && place < move->collection->exchange->places;
}

static void add_pair(struct move *move, int64_t from, int64_t to, struct ws_sum sum)
{
    bool collective = move->transfer->kind == WS_TRANSFER_COLLECTIVE;

    if (from < ELSEWHERE || to < ELSEWHERE || (collective && (from == to || sum.bytes == 0)))
        return;
    if (is_place(move, from) && is_place(move, to))
        add(move, (uint32_t)from, (uint32_t)to, 0, sum);
    else
        ws_sum_add(&move->collection->exchange->elsewhere, sum);
}

/* The peers of the event's process on a communicator, remembered. */
static uint32_t peers_of(struct move *move, int64_t comm, const int32_t **ranks)
{
    struct ws_collection *c = move->collection;
    uint64_t process = (uint64_t)move->event->value[WS_ATTR_PROCESS].i;
    struct ws_map_entry *entry;

    *ranks = NULL;
    if (comm <= 0 || comm > UINT32_MAX)
        return 0;
    entry = ws_map_reach(&c->peer_numbers, process << 32 | (uint64_t)comm);
    if (!entry->value) {
        struct ws_peers *peers = &WS_PUSH(c->peers, c->peer_count, c->peer_capacity);
        peers->count = ws_trace_peers(c->trace, (uint32_t)process, comm, &peers->ranks);
        entry->value = c->peer_count;
    }
    *ranks = c->peers[entry->value - 1].ranks;
    return c->peers[entry->value - 1].count;
}

static void add_unplaced(struct move *move, struct ws_sum sum)
{
    ws_sum_add(&move->collection->exchange->unplaced, sum);
}

/* To each of some members of a communicator from the giver, or from each to the receiver. */
static void add_group(struct move *move, struct ws_sum sum)
{
    bool giving = is_given(move, WS_MOVES_MEMBERS);
    int64_t own = move->event->value[WS_ATTR_PROCESS].i, first, count;
    int64_t comm = quantity(move, giving ? WS_MOVES_MEMBERS : WS_MOVES_GIVERS, 0);
    int64_t one = quantity(move, giving ? WS_MOVES_FROM : WS_MOVES_TO, own);
    const int32_t *ranks;
    uint32_t peers = peers_of(move, comm, &ranks), number;

    if (comm == 0) /* none: there is nobody */
        return;
    if (peers == 0) {
        add_unplaced(move, sum);
        return;
    }
    first = quantity(move, WS_MOVES_FIRST, 0);
    first = first < 0 ? 0 : first > peers ? peers : first;
    count = quantity(move, WS_MOVES_COUNT, peers);
    count = count < 0 ? 0 : count > peers - first ? peers - first : count;
    if (is_given(move, WS_MOVES_TOTAL))
        sum.bytes /= peers;
    if (count == 0 || sum.bytes == 0 || !is_place(move, one))
        return;
    number = ws_groups_number(&move->collection->groups, ranks, (uint32_t)first, (uint32_t)count);
    add(move, giving ? (uint32_t)one : WS_NOBODY, giving ? WS_NOBODY : (uint32_t)one, number, sum);
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;

    return __builtin_mul_overflow(a, b, &result) || result > INT64_MAX ? INT64_MAX : result;
}

static uint64_t not_negative(int64_t number)
{
    return number < 0 ? 0 : (uint64_t)number;
}

/* All bytes of the calls that the event stands for, for one receiver (or all, where they share them). */
static uint64_t bytes_of(const struct move *move, enum ws_transfer_quantity which)
{
    const struct ws_quantity *bytes = &move->transfer->quantities[which];

    if (!move->counted || !bytes->param)
        return product(move->times, not_negative(quantity(move, which, 0)));
    return strcmp(bytes->param, "bytes") == 0 ? move->bytes : 0;
}

/* Of calls that were only counted it may not be known who took part. */
static bool is_placed(const struct move *move)
{
    for (size_t i = WS_MOVES_FROM; move->counted && i <= WS_MOVES_COUNT; i++)
        if (!ws_quantity_is_counted(move->by->rule, &move->transfer->quantities[i]))
            return false;
    return true;
}

static void take_pair(struct move *move, struct ws_sum sum)
{
    int64_t own = move->event->value[WS_ATTR_PROCESS].i;
    int64_t from = quantity(move, WS_MOVES_FROM, own), to = quantity(move, WS_MOVES_TO, own);
    uint64_t reply = bytes_of(move, WS_MOVES_REPLY);

    if (sum.bytes || !reply)
        add_pair(move, from, to, sum);
    if (reply)
        add_pair(move, to, from, (struct ws_sum){sum.messages, reply});
}

static void take(struct move *move)
{
    bool group = is_given(move, WS_MOVES_MEMBERS) || is_given(move, WS_MOVES_GIVERS);
    struct ws_sum sum = {
        .messages = product(move->times, not_negative(quantity(move, WS_MOVES_MESSAGES, 1))),
        .bytes = bytes_of(move, is_given(move, WS_MOVES_TOTAL) ? WS_MOVES_TOTAL : WS_MOVES_BYTES),
    };

    if (!is_placed(move)) {
        add_unplaced(move, sum);
        return;
    }
    move->key = (struct ws_cell_key){
        .function = move->by->number,
        .type = type_number(move),
        .site = site_number(move->collection, move->event->value[WS_ATTR_POSTED_SITE].i),
        .kind = move->transfer->kind,
    };
    if (group)
        add_group(move, sum);
    else
        take_pair(move, sum);
}

/* ---- events ---- */

/* A call that was only counted has no records of its parts: what they moved is known of all together. */
static bool has_parts(const struct ws_kb *kb, const char *function)
{
    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        const struct ws_trace_rule *rule = kb->trace_rules[i];
        for (size_t k = 0; rule->each && rule->transfer_count && k < rule->function_count; k++)
            if (strcmp(rule->functions[k]->name, function) == 0)
                return true;
    }
    return false;
}

static bool is_wanted(const struct ws_collection *c, const struct ws_event *event, const char *function)
{
    const struct ws_exchange_options *options = c->options;

    if (options->function && strcmp(options->function, function) != 0)
        return false;
    return !options->phase ||
           strcmp(options->phase, ws_trace_phase_at(c->info, (uint32_t)event->value[WS_ATTR_PROCESS].i,
                                                    event->value[WS_ATTR_POSTED].i)) == 0;
}

static void take_event(struct ws_collection *c, const struct ws_event *event)
{
    bool counted = event->type & WS_TRACE_COUNTED;
    struct move move = {.collection = c, .event = event, .counted = counted, .times = 1};

    c->exchange->recording.events++;
    if (counted) {
        move.times = not_negative(event->value[WS_ATTR_CALL].i);
        move.bytes = not_negative(event->value[WS_ATTR_BEFORE_D].i);
    }
    move.by = ws_moves_find(&c->moves, event->type & ~WS_TRACE_COUNTED, ws_trace_maker(c->trace, event));
    if (!move.by->rule || !is_wanted(c, event, move.by->function))
        return;
    if (counted && !move.by->rule->transfer_count && has_parts(c->moves.kb, move.by->function))
        add_unplaced(&move, (struct ws_sum){move.times, move.bytes});
    for (size_t i = 0; i < move.by->rule->transfer_count; i++) {
        move.transfer = &move.by->rule->transfers[i];
        if (!c->options->kinds || (c->options->kinds >> move.transfer->kind & 1))
            take(&move);
    }
}

/* How much has been read, by time, now and then. */
static void tell_progress(const struct ws_collection *c, const struct ws_event *event)
{
    int64_t all_ns = c->slot_ns * (int64_t)c->exchange->slot_count;
    int64_t here_ns = event->value[WS_ATTR_END].i - c->begin_ns;

    if (c->options->progress && c->exchange->recording.events % 65536 == 0 && here_ns >= 0 &&
        here_ns < all_ns)
        c->options->progress((double)here_ns / (double)all_ns, c->options->context);
}

int ws_collect(struct ws_collection *c, struct ws_error *error)
{
    const struct ws_event *event;
    int result;

    named_type(c, "");
    number_of(&c->phases, "");
    site_number(c, 0);
    ws_trace_tell_counted(c->trace);
    while ((result = ws_trace_next(c->trace, &event, error)) == 1) {
        take_event(c, event);
        tell_progress(c, event);
    }
    return result < 0 ? -1 : 0;
}

void ws_collection_free(struct ws_collection *c)
{
    ws_moves_free(&c->moves);
    ws_member_groups_free(&c->groups);
    ws_cells_free(&c->cells);
    ws_cells_free(&c->times);
    ws_map_free(&c->type_numbers);
    ws_map_free(&c->name_numbers);
    ws_map_free(&c->site_numbers);
    ws_map_free(&c->phase_numbers);
    ws_map_free(&c->peer_numbers);
    free(c->peers);
    free(c->types.list);
    free(c->phases.list);
    free(c->sites);
}
