#include "report/timeline/events.h"

#include "report/timeline/columns.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define NO_GROUP UINT32_MAX

void ws_shown_init(struct ws_shown_events *events, const struct ws_kb *kb, const struct ws_waits *waits,
                   size_t most)
{
    *events = (struct ws_shown_events){.kb = kb, .waits = waits, .most = most};
    ws_meets_init(&events->meets, kb);
}

void ws_shown_free(struct ws_shown_events *events)
{
    struct ws_numbered *lists[] = {&events->functions, &events->strings, &events->sites};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ws_map_free(&lists[i]->places);
        free(lists[i]->list);
    }
    free(events->list);
    free(events->values);
    free(events->sends);
    free(events->receives);
    ws_meets_free(&events->meets);
    *events = (struct ws_shown_events){0};
}

/* ---- names by number ---- */

static uint32_t place_of(struct ws_numbered *numbered, uint64_t key, union ws_value value)
{
    struct ws_map_entry *entry = ws_map_reach(&numbered->places, key);

    if (!entry->value) {
        WS_PUSH(numbered->list, numbered->count, numbered->capacity) = value;
        entry->value = numbered->count;
    }
    return (uint32_t)entry->value - 1;
}

/* Equal texts of a trace have one address. */
static uint32_t text_place(struct ws_numbered *numbered, const char *text)
{
    text = text ? text : "";
    return place_of(numbered, (uintptr_t)text, (union ws_value){.s = text});
}

static uint32_t site_place(struct ws_shown_events *events, int64_t site)
{
    if (events->sites.count == 0) /* the unknown one is always there */
        place_of(&events->sites, 0, (union ws_value){.i = 0});
    return place_of(&events->sites, (uint64_t)site, (union ws_value){.i = site});
}

/* ---- which ones ---- */

/* Any waiting counts more than any length. */
static uint64_t importance(const struct ws_shown *shown)
{
    if (shown->waited_ns > 0)
        return UINT64_C(1) << 63 | (uint64_t)shown->waited_ns;
    return shown->duration_ns > 0 ? (uint64_t)shown->duration_ns : 0;
}

struct rank { /* of an event among the others */
    uint64_t importance;
    uint32_t order;
};

static int most_important_first(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;

    if (a->importance != b->importance)
        return a->importance > b->importance ? -1 : 1;
    return ws_three_way(a->order, b->order);
}

/* The last one that stays. */
static struct rank last_to_stay(const struct ws_shown_events *events)
{
    struct rank *ranks = ws_alloc_array(events->count, sizeof *ranks), last;

    for (size_t i = 0; i < events->count; i++)
        ranks[i] = (struct rank){importance(&events->list[i]), events->list[i].order};
    qsort(ranks, events->count, sizeof *ranks, most_important_first);
    last = ranks[events->most - 1];
    free(ranks);
    return last;
}

static size_t param_count(const struct ws_shown_events *events, uint32_t type)
{
    const struct ws_event_type *of = events->kb->types[type];
    return of->slot_count - of->attribute_count;
}

static void leave_out(struct ws_shown_events *events)
{
    struct rank last = last_to_stay(events);
    size_t count = 0, value_count = 0;

    for (size_t i = 0; i < events->count; i++) {
        struct ws_shown shown = events->list[i];
        struct rank rank = {importance(&shown), shown.order};
        size_t params = param_count(events, shown.type);
        if (most_important_first(&rank, &last) > 0)
            continue;
        memmove(events->values + value_count, events->values + shown.values, params * sizeof *events->values);
        shown.values = value_count;
        value_count += params;
        events->list[count++] = shown;
    }
    events->count = count;
    events->value_count = value_count;
    events->least = last.importance + 1;
}

/* ---- taking an event ---- */

/* Waits are by number, as events come. */
static void take_wait(struct ws_shown_events *events, uint32_t order, struct ws_shown *shown)
{
    const struct ws_waits *waits = events->waits;

    shown->group = NO_GROUP;
    while (events->next_wait < waits->event_count && waits->events[events->next_wait].event < order)
        events->next_wait++;
    if (events->next_wait < waits->event_count && waits->events[events->next_wait].event == order) {
        shown->waited_ns = waits->events[events->next_wait].duration_ns;
        shown->group = waits->events[events->next_wait].group;
    }
}

static union ws_value param_value(struct ws_shown_events *events, enum ws_type type, union ws_value value)
{
    if (type == WS_TYPE_STRING)
        return (union ws_value){.i = text_place(&events->strings, value.s)};
    if (type == WS_TYPE_SITE)
        return (union ws_value){.i = site_place(events, value.i)};
    return value;
}

static void keep_params(struct ws_shown_events *events, const struct ws_event *event)
{
    const struct ws_event_type *type = events->kb->types[event->type];

    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        union ws_value value = param_value(events, type->slots[i].type, event->value[i]);
        WS_PUSH(events->values, events->value_count, events->value_capacity) = value;
    }
}

static void fill(struct ws_shown_events *events, const struct ws_event *event, struct ws_shown *shown)
{
    const union ws_value *value = event->value;
    bool same_call = value[WS_ATTR_POSTED].i == value[WS_ATTR_T].i;

    shown->key = ws_meets_key(&events->meets, event);
    shown->type = event->type;
    shown->call = value[WS_ATTR_CALL].i;
    shown->posted_ns = value[WS_ATTR_POSTED].i;
    shown->function = text_place(&events->functions, value[WS_ATTR_FUNCTION].s);
    shown->site = site_place(events, value[WS_ATTR_SITE].i);
    shown->posted_function = shown->function;
    shown->posted_site = shown->site;
    if (!same_call) {
        shown->posted_function = text_place(&events->functions, value[WS_ATTR_POSTED_FUNCTION].s);
        shown->posted_site = site_place(events, value[WS_ATTR_POSTED_SITE].i);
    }
    shown->values = events->value_count;
    keep_params(events, event);
}

void ws_shown_add(struct ws_shown_events *events, const struct ws_event *event)
{
    uint64_t rank = (uint64_t)event->value[WS_ATTR_PROCESS].i;
    struct ws_shown shown = {.order = (uint32_t)events->seen++,
                             .t_ns = event->value[WS_ATTR_T].i,
                             .duration_ns = event->value[WS_ATTR_D].i,
                             .row = rank < events->waits->ranks ? events->waits->row_of[rank] : UINT32_MAX};

    take_wait(events, shown.order, &shown);
    if (shown.row == UINT32_MAX || events->most == 0 || importance(&shown) < events->least)
        return;
    fill(events, event, &shown);
    WS_PUSH(events->list, events->count, events->capacity) = shown;
    if (events->count > events->most + events->most / 4 + 1024)
        leave_out(events);
}

/* ---- the order of the page ---- */

static int by_row_and_start(const void *left, const void *right)
{
    const struct ws_shown *a = left, *b = right;

    if (a->row != b->row)
        return ws_three_way(a->row, b->row);
    if (a->t_ns != b->t_ns)
        return a->t_ns < b->t_ns ? -1 : 1;
    return ws_three_way(a->order, b->order);
}

struct side { /* of a meeting */
    uint64_t key;
    uint32_t event;
    bool second;
};

static int by_key(const void *left, const void *right)
{
    const struct side *a = left, *b = right;

    if (a->key != b->key)
        return ws_three_way(a->key, b->key);
    if (a->second != b->second)
        return a->second ? 1 : -1;
    return ws_three_way(a->event, b->event);
}

static void add_message(struct ws_shown_events *events, uint32_t send, uint32_t receive)
{
    if (events->message_count == events->message_capacity) {
        size_t capacity = events->message_capacity ? 2 * events->message_capacity : 1024;
        events->sends = ws_realloc_array(events->sends, capacity, sizeof *events->sends);
        events->receives = ws_realloc_array(events->receives, capacity, sizeof *events->receives);
        events->message_capacity = capacity;
    }
    events->sends[events->message_count] = send;
    events->receives[events->message_count++] = receive;
}

/* Both sides of a key; a third one, in a damaged trace, meets nobody. */
static void find_messages(struct ws_shown_events *events)
{
    struct side *sides = ws_alloc_array(events->count + 1, sizeof *sides);
    size_t count = 0;

    for (size_t i = 0; i < events->count; i++)
        if (events->list[i].key)
            sides[count++] = (struct side){events->list[i].key, (uint32_t)i,
                                           events->meets.of_type[events->list[i].type].second};
    qsort(sides, count, sizeof *sides, by_key);
    for (size_t i = 0; i + 1 < count; i++)
        if (sides[i].key == sides[i + 1].key && !sides[i].second && sides[i + 1].second)
            add_message(events, sides[i].event, sides[i + 1].event);
    free(sides);
}

static int by_send(const void *left, const void *right)
{
    return ws_three_way(*(const uint64_t *)left, *(const uint64_t *)right);
}

static void sort_messages(struct ws_shown_events *events)
{
    uint64_t *both = ws_alloc_array(events->message_count + 1, sizeof *both);

    for (size_t i = 0; i < events->message_count; i++)
        both[i] = (uint64_t)events->sends[i] << 32 | events->receives[i];
    qsort(both, events->message_count, sizeof *both, by_send);
    for (size_t i = 0; i < events->message_count; i++) {
        events->sends[i] = (uint32_t)(both[i] >> 32);
        events->receives[i] = (uint32_t)both[i];
    }
    free(both);
}

void ws_shown_finish(struct ws_shown_events *events)
{
    if (events->count > events->most)
        leave_out(events);
    if (events->count)
        qsort(events->list, events->count, sizeof *events->list, by_row_and_start);
    find_messages(events);
    sort_messages(events);
    text_place(&events->functions, "");
    site_place(events, 0);
}

/* ---- columns ---- */

enum column { GAPS, DURA, TYPE, FUNC, SITE, POST, PFUN, PSIT, WAIT, PROB, ORDR, COLUMNS };
static const char tags[COLUMNS][5] = {"GAPS", "DURA", "TYPE", "FUNC", "SITE", "POST",
                                      "PFUN", "PSIT", "WAIT", "PROB", "ORDR"};

struct page_view {
    const struct ws_shown_events *events;
    int64_t begin_ns;
    const uint8_t *problems;
    size_t groups;
};

/* Times of a damaged trace may be any: a difference is at most INT64_MAX, and never negative. */
static int64_t since(int64_t from_ns, int64_t to_ns)
{
    int64_t ns;
    return from_ns >= to_ns ? 0 : __builtin_sub_overflow(to_ns, from_ns, &ns) ? INT64_MAX : ns;
}

static int64_t start_of(const struct page_view *view, const struct ws_shown *shown)
{
    return shown->t_ns > view->begin_ns ? shown->t_ns : view->begin_ns;
}

static int64_t problem_of(const struct page_view *view, const struct ws_shown *shown)
{
    if (shown->group == NO_GROUP)
        return WS_CELL_NONE;
    return shown->group < view->groups ? view->problems[shown->group] : WS_CELL_SMALL;
}

static int64_t cell(const struct page_view *view, enum column column, size_t i)
{
    const struct ws_shown *shown = &view->events->list[i];

    switch (column) {
    case GAPS:
        return since(i > 0 && shown[-1].row == shown->row ? start_of(view, &shown[-1]) : view->begin_ns,
                     start_of(view, shown));
    case DURA:
        return shown->duration_ns;
    case TYPE:
        return shown->type;
    case FUNC:
        return shown->function;
    case SITE:
        return shown->site;
    case POST:
        return since(shown->posted_ns, shown->t_ns);
    case PFUN:
        return shown->posted_function;
    case PSIT:
        return shown->posted_site;
    case WAIT:
        return shown->waited_ns;
    case PROB:
        return problem_of(view, shown);
    case ORDR:
        return shown->call;
    case COLUMNS:
        break;
    }
    return 0;
}

static void write_rows(const struct ws_shown_events *events, uint32_t rows, int64_t *values,
                       struct ws_zip *zip)
{
    size_t i = 0;

    for (uint32_t row = 0; row <= rows; row++) {
        while (i < events->count && events->list[i].row < row)
            i++;
        values[row] = (int64_t)i;
    }
    ws_column_write(zip, "ROWS", 0, 0, values, (size_t)rows + 1);
}

/* The events of each type, those of type t from begins[t] to before begins[t + 1] (free() both). */
static uint32_t *sort_by_type(const struct ws_shown_events *events, size_t **begins)
{
    uint32_t *sorted = ws_alloc_array(events->count + 1, sizeof *sorted);
    size_t *next = ws_alloc_array(events->kb->simple_count + 2, sizeof *next);

    for (size_t i = 0; i < events->count; i++)
        next[events->list[i].type + 2]++;
    for (size_t t = 2; t < events->kb->simple_count + 2; t++)
        next[t] += next[t - 1];
    for (size_t i = 0; i < events->count; i++)
        sorted[next[events->list[i].type + 1]++] = (uint32_t)i;
    *begins = next;
    return sorted;
}

static void write_param(const struct ws_shown_events *events, uint32_t type, uint32_t param,
                        const uint32_t *of_type, size_t count, union ws_value *values, struct ws_zip *zip)
{
    const struct ws_event_type *of = events->kb->types[type];

    for (size_t i = 0; i < count; i++)
        values[i] = events->values[events->list[of_type[i]].values + param];
    if (of->slots[of->attribute_count + param].type == WS_TYPE_REAL)
        ws_column_write_reals(zip, "PARM", type, param, &values->r, count);
    else
        ws_column_write(zip, "PARM", type, param, &values->i, count);
}

static void write_params(const struct ws_shown_events *events, union ws_value *values, struct ws_zip *zip)
{
    size_t *begins;
    uint32_t *sorted = sort_by_type(events, &begins);

    for (uint32_t type = 0; type < events->kb->simple_count; type++)
        for (uint32_t param = 0; begins[type + 1] > begins[type] && param < param_count(events, type);
             param++)
            write_param(events, type, param, sorted + begins[type], begins[type + 1] - begins[type], values,
                        zip);
    free(sorted);
    free(begins);
}

static void write_messages(const struct ws_shown_events *events, int64_t *values, struct ws_zip *zip)
{
    for (size_t i = 0; i < events->message_count; i++)
        values[i] = events->sends[i];
    ws_column_write(zip, "MSGS", 0, 0, values, events->message_count);
    for (size_t i = 0; i < events->message_count; i++)
        values[i] = events->receives[i];
    ws_column_write(zip, "MSGR", 0, 0, values, events->message_count);
}

void ws_shown_write(const struct ws_shown_events *events, uint32_t rows, int64_t begin_ns,
                    const uint8_t *problems, size_t groups, struct ws_zip *zip)
{
    const struct page_view view = {events, begin_ns, problems, groups};
    union ws_value *values = ws_alloc_array(events->count + rows + 1, sizeof *values);

    write_rows(events, rows, &values->i, zip);
    for (enum column column = 0; column < COLUMNS; column++) {
        for (size_t i = 0; i < events->count; i++)
            values[i].i = cell(&view, column, i);
        ws_column_write(zip, tags[column], 0, 0, &values->i, events->count);
    }
    write_params(events, values, zip);
    write_messages(events, &values->i, zip);
    free(values);
}
