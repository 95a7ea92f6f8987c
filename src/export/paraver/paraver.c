#include "export/paraver/paraver.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define RUNNING 1

static int by_time(const void *left, const void *right)
{
    const struct ws_prv_record *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int add(struct ws_paraver *paraver, struct ws_prv_record *record)
{
    int64_t end_ns = record->kind == WS_PRV_STATE ? record->end_ns : record->ns;

    record->order = paraver->order++;
    if (end_ns > paraver->last_ns)
        paraver->last_ns = end_ns;
    return ws_sorter_add(&paraver->sorter, record, paraver->out->error);
}

/* ---- names ---- */

static uint32_t function_number(struct ws_paraver *paraver, const char *function)
{
    uint32_t number = ws_dictionary_text(paraver->functions, function);

    if (number == paraver->function_type_count)
        WS_PUSH(paraver->function_types, paraver->function_type_count, paraver->function_type_capacity) =
            ws_paraver_type(function);
    return number;
}

/* "12 (solve.c)", as Extrae writes it. */
static uint32_t line_number(struct ws_paraver *paraver, const struct ws_site *site)
{
    struct ws_text text = {0};
    uint32_t number;

    ws_text_printf(&text, "%d (%s)", site->line, ws_base_name(site->file));
    number = ws_dictionary_text(paraver->lines, text.bytes) + 1;
    ws_text_free(&text);
    return number;
}

static uint32_t comm_number(struct ws_paraver *paraver, uint32_t rank, int64_t identity)
{
    uint32_t number = ws_dictionary_put(paraver->comm_names, &identity, sizeof identity), kept = 0;
    uint32_t world = paraver->out->info->ranks;
    struct ws_prv_comm *comm;
    const int32_t *ranks;

    if (number < paraver->comm_count)
        return number + 1;
    comm = &WS_PUSH(paraver->comms, paraver->comm_count, paraver->comm_capacity);
    *comm = (struct ws_prv_comm){.identity = identity,
                                 .size = ws_trace_peers(paraver->out->trace, rank, identity, &ranks)};
    comm->ranks = ws_alloc_array(comm->size, sizeof *comm->ranks);
    for (uint32_t i = 0; i < comm->size; i++) {
        int64_t member = ranks ? ranks[i] : (int64_t)i;
        if (member >= 0 && member < world)
            comm->ranks[kept++] = (uint32_t)member;
    }
    comm->size = kept;
    return number + 1;
}

/* ---- calls ---- */

static struct ws_prv_thread *thread_of(struct ws_paraver *paraver, uint32_t rank, uint32_t thread)
{
    struct ws_prv_thread **threads = &paraver->threads[rank];

    if (thread >= paraver->thread_counts[rank]) {
        *threads = ws_realloc_array(*threads, (size_t)thread + 1, sizeof **threads);
        for (uint32_t t = paraver->thread_counts[rank]; t <= thread; t++)
            (*threads)[t].free_ns = paraver->out->info->rank[rank].begin_ns;
        paraver->thread_counts[rank] = thread + 1;
    }
    return &(*threads)[thread];
}

static int add_state(struct ws_paraver *paraver, uint32_t rank, uint32_t thread, int64_t from_ns,
                     int64_t to_ns, unsigned state)
{
    struct ws_prv_record record = {
        .ns = from_ns, .kind = WS_PRV_STATE, .rank = rank, .thread = thread, .end_ns = to_ns, .state = state};

    return to_ns > from_ns ? add(paraver, &record) : 0;
}

static void push_value(struct ws_prv_record *record, uint32_t type, uint64_t value)
{
    record->values[record->value_count++] =
        (struct ws_prv_value){type, value > UINT32_MAX ? UINT32_MAX : (uint32_t)value};
}

/* What the call is, where it was made, and of a collective operation what it is about. */
static int add_call(struct ws_paraver *paraver, const struct ws_shown_call *call)
{
    uint32_t function = function_number(paraver, call->function), type = paraver->function_types[function];
    const struct ws_site *site = ws_trace_site(paraver->out->trace, call->site);
    struct ws_prv_record record = {
        .ns = call->t_ns, .kind = WS_PRV_EVENT, .rank = call->rank, .thread = call->thread};

    push_value(&record, type, (uint64_t)function + 1);
    if (*site->function)
        push_value(&record, WS_PRV_CALLER,
                   (uint64_t)ws_dictionary_text(paraver->callers, site->function) + 1);
    if (*site->file)
        push_value(&record, WS_PRV_CALLER_LINE, line_number(paraver, site));
    for (size_t i = 0; i < call->event_count; i++) {
        const struct ws_event *event = call->events[i];
        const struct ws_meaning *meaning = &paraver->out->meanings[ws_type_of(event)];
        if (meaning->means != WS_MEANS_COLLECTIVE)
            continue;
        push_value(&record, WS_PRV_BYTES, (uint64_t)ws_known(meaning, event, WS_KNOWN_BYTES, 0));
        push_value(&record, WS_PRV_COMMUNICATOR,
                   comm_number(paraver, call->rank, ws_known(meaning, event, WS_KNOWN_COMM, 0)));
        break;
    }
    if (add(paraver, &record) != 0)
        return -1;
    for (size_t i = 0; i < record.value_count; i++)
        record.values[i].value = 0;
    record.ns = call->end_ns;
    return add(paraver, &record);
}

/* ---- messages ---- */

static void keep_end(struct ws_paraver *paraver, uint64_t message, struct ws_prv_end end)
{
    uint32_t place;

    if (paraver->free_count) {
        place = paraver->free_ends[--paraver->free_count];
    } else {
        place = (uint32_t)paraver->end_count;
        (void)WS_PUSH(paraver->ends, paraver->end_count, paraver->end_capacity);
    }
    paraver->ends[place] = end;
    ws_map_put(&paraver->pending, message, (uint64_t)place + 1);
}

/* Whichever end comes first waits for the other. */
static int add_message(struct ws_paraver *paraver, const struct ws_meaning *meaning,
                       const struct ws_event *event, const struct ws_prv_end *end)
{
    uint64_t message = ws_message_id(meaning, event), found = ws_map_get(&paraver->pending, message);
    struct ws_prv_record record = {.kind = WS_PRV_MESSAGE};
    const struct ws_prv_end *other;

    if (!found) {
        keep_end(paraver, message, *end);
        return 0;
    }
    other = &paraver->ends[found - 1];
    record.sent = meaning->means == WS_MEANS_SEND ? *end : *other;
    record.received = meaning->means == WS_MEANS_SEND ? *other : *end;
    record.ns = record.sent.logical_ns;
    record.bytes = (uint64_t)ws_known(meaning, event, WS_KNOWN_BYTES, 0);
    record.tag = ws_known(meaning, event, WS_KNOWN_TAG, 0);
    ws_map_remove(&paraver->pending, message);
    WS_PUSH(paraver->free_ends, paraver->free_count, paraver->free_capacity) = (uint32_t)found - 1;
    return add(paraver, &record);
}

static int add_messages(struct ws_paraver *paraver, const struct ws_shown_call *call)
{
    for (size_t i = 0; i < call->event_count; i++) {
        const struct ws_event *event = call->events[i];
        const struct ws_meaning *meaning = &paraver->out->meanings[ws_type_of(event)];
        bool sends = meaning->means == WS_MEANS_SEND;
        bool wanted = sends ? ws_is_start(event) || event->mark == 0
                            : meaning->means == WS_MEANS_RECV && !ws_is_start(event);
        struct ws_prv_end end = {call->rank, call->thread, event->value[WS_ATTR_POSTED].i,
                                 sends ? call->t_ns : call->end_ns};
        if (wanted && ws_known(meaning, event, WS_KNOWN_PEER, -1) >= 0 &&
            add_message(paraver, meaning, event, &end) != 0)
            return -1;
    }
    return 0;
}

static int write_call(struct ws_export *out, const struct ws_shown_call *call)
{
    struct ws_paraver *paraver = out->state;
    struct ws_prv_thread *thread = thread_of(paraver, call->rank, call->thread);

    if (add_state(paraver, call->rank, call->thread, thread->free_ns, call->t_ns, RUNNING) != 0 ||
        add_state(paraver, call->rank, call->thread, call->t_ns, call->end_ns,
                  ws_paraver_state(call->function)) != 0 ||
        add_call(paraver, call) != 0)
        return -1;
    thread->free_ns = call->end_ns;
    return add_messages(paraver, call);
}

/* ---- waiting ---- */

static int write_waited(struct ws_export *out, const struct ws_waited *waited)
{
    struct ws_paraver *paraver = out->state;
    struct ws_prv_record record = {.ns = waited->from_ns, .kind = WS_PRV_EVENT, .rank = waited->rank};

    thread_of(paraver, waited->rank, 0);
    push_value(&record, WS_PRV_WAITING, (uint64_t)ws_dictionary_text(paraver->problems, waited->name) + 1);
    if (add(paraver, &record) != 0)
        return -1;
    record.values[0].value = 0;
    record.ns = waited->to_ns;
    return add(paraver, &record);
}

/* ---- begin and end ---- */

static int begin(struct ws_export *out)
{
    struct ws_paraver *paraver = out->state = ws_alloc(sizeof *paraver);

    paraver->out = out;
    paraver->last_ns = out->end_ns;
    paraver->sorter = (struct ws_sorter){
        .record_bytes = sizeof(struct ws_prv_record), .compare = by_time, .near = out->path};
    paraver->functions = ws_dictionary_new();
    paraver->callers = ws_dictionary_new();
    paraver->lines = ws_dictionary_new();
    paraver->problems = ws_dictionary_new();
    paraver->comm_names = ws_dictionary_new();
    paraver->threads = ws_alloc_array(out->info->ranks, sizeof *paraver->threads);
    paraver->thread_counts = ws_alloc_array(out->info->ranks, sizeof *paraver->thread_counts);
    for (uint32_t r = 0; r < out->info->ranks; r++)
        thread_of(paraver, r, 0);
    return 0;
}

static int add_last_states(struct ws_paraver *paraver)
{
    for (uint32_t r = 0; r < paraver->out->info->ranks; r++)
        for (uint32_t t = 0; t < paraver->thread_counts[r]; t++)
            if (paraver->out->info->rank[r].present &&
                add_state(paraver, r, t, paraver->threads[r][t].free_ns, paraver->out->info->rank[r].end_ns,
                          RUNNING) != 0)
                return -1;
    return 0;
}

static int end(struct ws_export *out, bool failed)
{
    struct ws_paraver *paraver = out->state;
    int result = 0;

    if (!failed)
        result = add_last_states(paraver) == 0 ? ws_paraver_write(paraver) : -1;
    ws_sorter_free(&paraver->sorter);
    ws_dictionary_free(paraver->functions);
    ws_dictionary_free(paraver->callers);
    ws_dictionary_free(paraver->lines);
    ws_dictionary_free(paraver->problems);
    ws_dictionary_free(paraver->comm_names);
    free(paraver->function_types);
    for (size_t c = 0; c < paraver->comm_count; c++)
        free(paraver->comms[c].ranks);
    free(paraver->comms);
    for (uint32_t r = 0; r < out->info->ranks; r++)
        free(paraver->threads[r]);
    free(paraver->threads);
    free(paraver->thread_counts);
    ws_map_free(&paraver->pending);
    free(paraver->ends);
    free(paraver->free_ends);
    free(paraver);
    return result;
}

const struct ws_export_ops ws_export_paraver = {
    .format = {.name = "paraver",
               .line = "a folder with .prv, .pcf and .row for Paraver",
               .suffix = "-paraver",
               .folder = true},
    .begin = begin,
    .call = write_call,
    .waited = write_waited,
    .end = end,
};
