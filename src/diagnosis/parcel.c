/* Findings as bytes.  A parcel is
 *   strings spots groups parts instances
 * each a count and that many entries; what stands later names what stands before by its place.  Only what is
 * named is in it: names get their places when they are first written. */
#include "diagnosis/findings.h"

#include "util/pack.h"

#include <stdlib.h>
#include <string.h>

/* ---- numbers and texts ---- */

static void put_text(struct ws_text *out, const char *text)
{
    size_t length = strlen(text);

    ws_pack_number(out, length);
    ws_text_add(out, text, length);
}

/* A number below `limit`. */
static uint32_t get_below(struct ws_unpack *reader, size_t limit)
{
    uint64_t number = ws_unpack_number(reader);

    if (number < limit && number <= UINT32_MAX)
        return (uint32_t)number;
    reader->broken = true;
    return 0;
}

static int64_t get_duration(struct ws_unpack *reader)
{
    int64_t duration_ns = ws_unpack_signed(reader);

    reader->broken |= duration_ns < 0;
    return reader->broken ? 0 : duration_ns;
}

/* How many entries follow: each takes a byte at least. */
static size_t get_count(struct ws_unpack *reader)
{
    uint64_t count = ws_unpack_number(reader);

    if (count <= reader->left)
        return (size_t)count;
    reader->broken = true;
    return 0;
}

static const char *get_text(struct ws_unpack *reader, struct ws_arena *arena)
{
    size_t length = get_count(reader);
    const char *bytes = ws_unpack_bytes(reader, length);

    return ws_arena_strndup(arena, bytes ? bytes : "", bytes ? length : 0);
}

/* ---- writing ---- */

struct places { /* number in the findings -> place in the parcel + 1 */
    uint32_t *place;
    uint32_t count;
    struct ws_text text; /* the entries */
};
struct parcel {
    const struct ws_findings *findings;
    bool sums; /* with what is added up */
    struct places strings, spots, groups, parts;
    struct ws_text instances;
    size_t instance_count;
};

static void begin(struct parcel *parcel, const struct ws_findings *findings, bool sums)
{
    const struct ws_names *names = &findings->names;

    *parcel = (struct parcel){.findings = findings, .sums = sums};
    parcel->strings.place = ws_alloc_array(names->strings.count, sizeof(uint32_t));
    parcel->spots.place = ws_alloc_array(names->spot_count, sizeof(uint32_t));
    parcel->groups.place = ws_alloc_array(findings->group_count, sizeof(uint32_t));
    parcel->parts.place = ws_alloc_array(findings->part_count, sizeof(uint32_t));
}

/* True where the number has its first place now: its entry is to be written. */
static bool is_new(struct places *places, uint32_t number, uint32_t *place)
{
    bool added = places->place[number] == 0;

    if (added)
        places->place[number] = ++places->count;
    *place = places->place[number] - 1;
    return added;
}

static uint32_t place_string(struct parcel *parcel, uint32_t number)
{
    uint32_t place;

    if (is_new(&parcel->strings, number, &place))
        put_text(&parcel->strings.text, ws_names_text(&parcel->findings->names, number));
    return place;
}

static uint32_t place_spot(struct parcel *parcel, uint32_t number)
{
    const struct ws_site *spot = &parcel->findings->names.spots[number];
    struct ws_text *out = &parcel->spots.text;
    uint32_t place;

    if (is_new(&parcel->spots, number, &place)) {
        put_text(out, spot->function);
        put_text(out, spot->file);
        put_text(out, spot->module);
        ws_pack_signed(out, spot->line);
        ws_pack_number(out, spot->offset);
    }
    return place;
}

static void put_call(struct parcel *parcel, struct ws_text *out, const struct ws_call_place *call)
{
    ws_pack_number(out, call->position);
    ws_pack_number(out, place_string(parcel, call->role));
    ws_pack_number(out, place_string(parcel, call->called));
    ws_pack_number(out, place_spot(parcel, call->spot));
}

static void put_shares(struct ws_text *out, const struct ws_shares *shares)
{
    struct ws_arena arena = {0};
    const struct ws_rank_share *list = ws_shares_list(shares, &arena);

    ws_pack_number(out, shares->count);
    for (size_t i = 0; i < shares->count; i++) {
        ws_pack_number(out, list[i].rank);
        ws_pack_signed(out, list[i].duration_ns);
        ws_pack_number(out, list[i].count);
    }
    ws_arena_free(&arena);
}

static uint32_t place_group(struct parcel *parcel, uint32_t number)
{
    const struct ws_findings *findings = parcel->findings;
    const struct ws_group *group = &findings->groups[number];
    const struct ws_group_sum empty = {0};
    const struct ws_group_sum *sum = parcel->sums && number < findings->ledger.group_count
                                         ? &findings->ledger.groups[number]
                                         : &empty;
    struct ws_text *out = &parcel->groups.text;
    uint32_t place;

    if (!is_new(&parcel->groups, number, &place))
        return place;
    ws_pack_number(out, group->scope);
    ws_pack_number(out, place_string(parcel, group->phase));
    ws_pack_number(out, group->has_cause);
    put_call(parcel, out, &group->waiting);
    if (group->has_cause)
        put_call(parcel, out, &group->cause);
    ws_pack_number(out, group->other_count);
    for (size_t i = 0; i < group->other_count; i++)
        put_call(parcel, out, &group->others[i]);
    put_shares(out, &sum->waiting); /* the sums are those of its parts */
    put_shares(out, &sum->causing);
    return place;
}

/* A value that stands for a name by the name's place in the parcel. */
static uint32_t place_name(struct parcel *parcel, enum ws_names_of of, uint32_t number)
{
    return of == WS_OF_STRINGS ? place_string(parcel, number)
           : of == WS_OF_SPOTS ? place_spot(parcel, number)
                               : number;
}

static void put_real_sum(struct ws_text *out, const struct ws_exact *sum)
{
    ws_pack_number(out, sum != NULL);
    for (size_t i = 0; sum && i < WS_EXACT_LIMBS; i++)
        ws_pack_signed(out, sum->limb[i]);
    for (size_t i = 0; sum && i < 2; i++)
        ws_pack_number(out, sum->infinite[i]);
}

static void put_fold(struct parcel *parcel, struct ws_text *out, const struct ws_fold *fold, enum ws_names_of of)
{
    uint32_t *numbers = ws_set_numbers(&fold->set);

    ws_pack_number(out, fold->count);
    ws_pack_signed(out, fold->least.i);
    ws_pack_signed(out, fold->greatest.i);
    ws_pack_number(out, (uint64_t)fold->sum);
    ws_pack_signed(out, (int64_t)(fold->sum >> 64));
    put_real_sum(out, fold->real_sum);
    ws_pack_number(out, fold->set.count);
    for (size_t i = 0; i < fold->set.count; i++)
        ws_pack_number(out, place_name(parcel, of, numbers[i]));
    free(numbers);
}

static uint32_t place_part(struct parcel *parcel, uint32_t number)
{
    const struct ws_findings *findings = parcel->findings;
    const struct ws_part *part = &findings->parts[number];
    const struct ws_part_sum empty = {0};
    const struct ws_part_sum *sum =
        parcel->sums && number < findings->ledger.part_count ? &findings->ledger.parts[number] : &empty;
    struct ws_text *out = &parcel->parts.text;
    uint32_t place;

    if (!is_new(&parcel->parts, number, &place))
        return place;
    ws_pack_number(out, place_group(parcel, part->group));
    ws_pack_number(out, part->ruling);
    ws_pack_signed(out, sum->duration_ns);
    ws_pack_number(out, sum->count);
    for (size_t i = 0; sum->count && i < sum->fold_count; i++)
        put_fold(parcel, out, &sum->folds[i], findings->rulings[part->ruling].names[i]);
    return place;
}

static void put_instance(struct parcel *parcel, const struct ws_instance *instance)
{
    const struct ws_findings *findings = parcel->findings;
    const struct ws_ruling *ruling = &findings->rulings[findings->parts[instance->part].ruling];
    struct ws_text *out = &parcel->instances;

    ws_pack_number(out, place_part(parcel, instance->part));
    ws_pack_number(out, instance->rank);
    ws_pack_number(out, instance->cause_rank);
    ws_pack_signed(out, instance->from_ns);
    ws_pack_signed(out, instance->duration_ns);
    for (size_t i = 0; i < ruling->place_count; i++) {
        union ws_value value = findings->values[instance->values + i];
        enum ws_names_of of = ruling->names[i];
        if (of != WS_OF_RANKS && value.i != WS_UNDEFINED)
            value.i = place_name(parcel, of, (uint32_t)value.i);
        ws_pack_signed(out, value.i);
    }
    parcel->instance_count++;
}

static void finish_places(struct places *places, struct ws_text *out)
{
    ws_pack_number(out, places->count);
    if (places->text.length)
        ws_text_add(out, places->text.bytes, places->text.length);
    ws_text_free(&places->text);
    free(places->place);
}

static void finish(struct parcel *parcel, struct ws_text *out)
{
    finish_places(&parcel->strings, out);
    finish_places(&parcel->spots, out);
    finish_places(&parcel->groups, out);
    finish_places(&parcel->parts, out);
    ws_pack_number(out, parcel->instance_count);
    if (parcel->instances.length)
        ws_text_add(out, parcel->instances.bytes, parcel->instances.length);
    ws_text_free(&parcel->instances);
}

void ws_findings_take(struct ws_findings *findings, bool (*wanted)(void *context, uint32_t rank),
                      void *context, struct ws_text *out)
{
    struct parcel parcel;

    begin(&parcel, findings, false);
    for (size_t i = 0; i < findings->count; i++)
        if (wanted(context, findings->instances[i].rank)) {
            put_instance(&parcel, &findings->instances[i]);
            findings->instances[i].rank = WS_NO_RANK;
        }
    finish(&parcel, out);
    ws_findings_compact(findings);
}

void ws_findings_pack(const struct ws_findings *findings, struct ws_text *out)
{
    struct parcel parcel;

    begin(&parcel, findings, true);
    for (uint32_t i = 0; i < findings->part_count; i++)
        place_part(&parcel, i);
    for (size_t i = 0; i < findings->count; i++)
        put_instance(&parcel, &findings->instances[i]);
    finish(&parcel, out);
}

/* ---- reading ---- */

/* Place in the parcel -> number in the findings. */
struct numbers {
    uint32_t *number;
    size_t count;
};
struct arrival {
    struct ws_findings *findings;
    struct ws_unpack reader;
    struct ws_arena arena;
    struct numbers strings, spots, groups, parts;
};

static uint32_t get_number(struct arrival *arrival, const struct numbers *numbers)
{
    uint32_t place = get_below(&arrival->reader, numbers->count);
    return arrival->reader.broken ? 0 : numbers->number[place];
}

static bool begin_numbers(struct arrival *arrival, struct numbers *numbers)
{
    numbers->count = get_count(&arrival->reader);
    numbers->number = ws_alloc_array(numbers->count, sizeof *numbers->number);
    return !arrival->reader.broken;
}

static void get_strings(struct arrival *arrival)
{
    struct ws_unpack *reader = &arrival->reader;

    if (!begin_numbers(arrival, &arrival->strings))
        return;
    for (size_t i = 0; i < arrival->strings.count && !reader->broken; i++)
        arrival->strings.number[i] =
            ws_names_string(&arrival->findings->names, get_text(reader, &arrival->arena));
}

static void get_spots(struct arrival *arrival)
{
    struct ws_unpack *reader = &arrival->reader;

    if (!begin_numbers(arrival, &arrival->spots))
        return;
    for (size_t i = 0; i < arrival->spots.count && !reader->broken; i++) {
        struct ws_site site;
        site.function = get_text(reader, &arrival->arena);
        site.file = get_text(reader, &arrival->arena);
        site.module = get_text(reader, &arrival->arena);
        site.line = (int)ws_unpack_signed(reader);
        site.offset = ws_unpack_number(reader);
        if (!reader->broken)
            arrival->spots.number[i] = ws_names_spot(&arrival->findings->names, &site);
    }
}

static struct ws_call_place get_call(struct arrival *arrival)
{
    struct ws_call_place call;

    call.position = get_below(&arrival->reader, UINT32_MAX);
    call.role = get_number(arrival, &arrival->strings);
    call.called = get_number(arrival, &arrival->strings);
    call.spot = get_number(arrival, &arrival->spots);
    return call;
}

static void get_shares(struct ws_unpack *reader, struct ws_shares *shares)
{
    size_t count = get_count(reader);

    for (size_t i = 0; i < count && !reader->broken; i++) {
        uint32_t rank = get_below(reader, WS_NO_RANK);
        int64_t duration_ns = get_duration(reader);
        uint64_t waits = ws_unpack_number(reader);
        if (!reader->broken)
            ws_shares_add(shares, rank, duration_ns, waits);
    }
}

static void get_group(struct arrival *arrival, uint32_t *number)
{
    struct ws_unpack *reader = &arrival->reader;
    struct ws_group group = {.scope = get_below(reader, arrival->findings->kb->scope_count)};
    struct ws_group_sum *sum;

    group.phase = get_number(arrival, &arrival->strings);
    if (!arrival->findings->phase) /* here they are not told apart */
        group.phase = ws_names_string(&arrival->findings->names, "");
    group.has_cause = get_below(reader, 2);
    group.waiting = get_call(arrival);
    if (group.has_cause)
        group.cause = get_call(arrival);
    group.other_count = get_below(reader, WS_MOST_OTHERS + 1);
    for (size_t i = 0; i < group.other_count; i++)
        group.others[i] = get_call(arrival);
    if (reader->broken)
        return;
    *number = ws_findings_enter_group(arrival->findings, &group);
    sum = ws_ledger_group(&arrival->findings->ledger, *number);
    get_shares(reader, &sum->waiting);
    get_shares(reader, &sum->causing);
}

static void get_real_sum(struct ws_unpack *reader, struct ws_fold *fold)
{
    if (!get_below(reader, 2))
        return;
    fold->real_sum = ws_alloc(sizeof *fold->real_sum);
    for (size_t i = 0; i < WS_EXACT_LIMBS; i++) {
        int64_t limb = ws_unpack_signed(reader);
        bool last = i == WS_EXACT_LIMBS - 1;
        reader->broken |= limb > UINT32_MAX || limb < (last ? -(int64_t)UINT32_MAX : 0);
        fold->real_sum->limb[i] = reader->broken ? 0 : limb;
    }
    for (size_t i = 0; i < 2; i++)
        fold->real_sum->infinite[i] = ws_unpack_number(reader);
}

static uint32_t get_name(struct arrival *arrival, enum ws_names_of of)
{
    return of == WS_OF_STRINGS ? get_number(arrival, &arrival->strings)
           : of == WS_OF_SPOTS ? get_number(arrival, &arrival->spots)
                               : get_below(&arrival->reader, WS_SET_MOST);
}

static void get_fold(struct arrival *arrival, struct ws_fold *into, enum ws_fold_kind kind, enum ws_names_of of)
{
    struct ws_unpack *reader = &arrival->reader;
    struct ws_fold fold = {.count = ws_unpack_number(reader)};
    uint64_t low;
    size_t count;

    fold.least.i = ws_unpack_signed(reader);
    fold.greatest.i = ws_unpack_signed(reader);
    low = ws_unpack_number(reader);
    fold.sum = (__int128)((unsigned __int128)(uint64_t)ws_unpack_signed(reader) << 64 | low);
    get_real_sum(reader, &fold);
    count = get_count(reader);
    for (size_t i = 0; i < count && !reader->broken; i++)
        ws_set_add(&fold.set, get_name(arrival, of));
    if (!reader->broken)
        ws_fold_merge(into, kind, &fold);
    ws_fold_free(&fold);
}

static void get_part(struct arrival *arrival, uint32_t *number)
{
    struct ws_findings *findings = arrival->findings;
    struct ws_unpack *reader = &arrival->reader;
    uint32_t group = get_number(arrival, &arrival->groups);
    uint32_t rule = get_below(reader, findings->ruling_count);
    int64_t duration_ns = get_duration(reader);
    uint64_t count = ws_unpack_number(reader);
    const struct ws_ruling *ruling = &findings->rulings[rule];
    struct ws_group_sum *group_sum;
    struct ws_part_sum *sum;

    if (reader->broken)
        return;
    group_sum = ws_ledger_group(&findings->ledger, group);
    group_sum->duration_ns = ws_add_ns(group_sum->duration_ns, duration_ns);
    group_sum->count += count;
    *number = ws_findings_enter_part(findings, group, rule);
    sum = ws_ledger_part(&findings->ledger, *number, ruling->place_count);
    sum->duration_ns = ws_add_ns(sum->duration_ns, duration_ns);
    sum->count += count;
    for (size_t i = 0; count && i < ruling->place_count && !reader->broken; i++)
        get_fold(arrival, &sum->folds[i], ruling->kinds[i], ruling->names[i]);
}

static void get_instance(struct arrival *arrival)
{
    struct ws_findings *findings = arrival->findings;
    struct ws_unpack *reader = &arrival->reader;
    struct ws_instance instance = {.part = get_number(arrival, &arrival->parts),
                                   .values = findings->value_count};
    const struct ws_ruling *ruling;

    instance.rank = get_below(reader, WS_NO_RANK);
    instance.cause_rank = get_below(reader, (size_t)WS_NO_RANK + 1);
    instance.from_ns = ws_unpack_signed(reader);
    instance.duration_ns = get_duration(reader);
    if (reader->broken)
        return;
    ruling = &findings->rulings[findings->parts[instance.part].ruling];
    for (size_t i = 0; i < ruling->place_count; i++) {
        enum ws_names_of of = ruling->names[i];
        union ws_value value = {.i = ws_unpack_signed(reader)};
        const struct numbers *names = of == WS_OF_STRINGS ? &arrival->strings : &arrival->spots;
        if (of != WS_OF_RANKS && value.i != WS_UNDEFINED) {
            reader->broken |= value.i < 0 || (uint64_t)value.i >= names->count;
            value.i = reader->broken ? WS_UNDEFINED : names->number[value.i];
        }
        WS_PUSH(findings->values, findings->value_count, findings->value_capacity) = value;
    }
    WS_PUSH(findings->instances, findings->count, findings->capacity) = instance;
}

int ws_findings_merge(struct ws_findings *findings, const struct ws_text *in, struct ws_error *error)
{
    struct arrival arrival = {.findings = findings, .reader = ws_unpack_begin(in)};
    struct ws_unpack *reader = &arrival.reader;
    size_t instances;

    get_strings(&arrival);
    if (!reader->broken)
        get_spots(&arrival);
    if (!reader->broken && begin_numbers(&arrival, &arrival.groups))
        for (size_t i = 0; i < arrival.groups.count && !reader->broken; i++)
            get_group(&arrival, &arrival.groups.number[i]);
    if (!reader->broken && begin_numbers(&arrival, &arrival.parts))
        for (size_t i = 0; i < arrival.parts.count && !reader->broken; i++)
            get_part(&arrival, &arrival.parts.number[i]);
    instances = reader->broken ? 0 : get_count(reader);
    for (size_t i = 0; i < instances && !reader->broken; i++)
        get_instance(&arrival);
    reader->broken |= reader->left != 0;
    free(arrival.strings.number);
    free(arrival.spots.number);
    free(arrival.groups.number);
    free(arrival.parts.number);
    ws_arena_free(&arrival.arena);
    return reader->broken ? ws_fail(error, WS_BAD_INPUT, "findings of another analyser are damaged") : 0;
}
