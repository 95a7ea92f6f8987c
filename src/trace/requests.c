#include "trace/requests.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

void ws_requests_init(struct ws_requests *requests, const struct ws_binding *binding,
                      void (*lost)(void *, const struct ws_operation *), void *context)
{
    *requests = (struct ws_requests){.most_numbers = binding->most_numbers, .lost = lost, .context = context};
    requests->operation_bytes = sizeof(struct ws_operation) + binding->most_numbers * sizeof(int64_t) +
                                binding->most_fields * sizeof(union ws_value);
}

/* Of a handle's operations the entry holds the last, whose next is the first.  The only one that ended stays
 * there until the handle comes again. */
static struct ws_operation *last_of(const struct ws_map_entry *entry)
{
    struct ws_operation *last = entry ? (struct ws_operation *)(uintptr_t)entry->value : NULL;

    return last && !last->ended ? last : NULL;
}

static struct ws_operation *first_of(const struct ws_map_entry *entry)
{
    struct ws_operation *last = last_of(entry);

    return last ? last->next : NULL;
}

static void release(struct ws_requests *requests, struct ws_operation *operation)
{
    for (; operation; operation = operation->joined) {
        operation->next = requests->free;
        requests->free = operation;
    }
}

/* Takes out handles whose operation has ended, once most are such: they may never come again. */
static void sweep(struct ws_requests *requests)
{
    struct ws_map *map = &requests->by_handle, old = *map;

    *map = (struct ws_map){0};
    for (size_t i = 0; i < old.capacity; i++) {
        struct ws_operation *last = (struct ws_operation *)(uintptr_t)old.entries[i].value;
        if (last && last->ended)
            release(requests, last);
        else if (last)
            ws_map_put(map, old.entries[i].key, old.entries[i].value);
    }
    free(old.entries);
    requests->until_sweep = 64 + 2 * map->count;
}

static struct ws_map_entry *reach(struct ws_requests *requests, uint64_t handle)
{
    if (requests->by_handle.count >= requests->until_sweep)
        sweep(requests);
    return ws_map_reach(&requests->by_handle, handle);
}

/* The caller may look at it until the next call. */
static void unlink_first(struct ws_requests *requests, struct ws_map_entry *entry)
{
    struct ws_operation *last = last_of(entry), *first = last->next;

    if (first == last) {
        last->ended = true;
    } else {
        last->next = first->next;
        release(requests, first);
    }
}

static bool shares(const struct ws_operation *operation)
{
    return !operation->persistent && !operation->record->resolves;
}

/* Gives the operation its handle: behind those that it may share it with, in place of all others. */
static void link_last(struct ws_requests *requests, struct ws_operation *operation,
                      struct ws_map_entry *entry)
{
    struct ws_operation *last = last_of(entry), *first,
                        *there = (struct ws_operation *)(uintptr_t)entry->value;

    if (there && there != last && there != operation)
        release(requests, there);
    while (last && !(shares(first = last->next) && shares(operation))) {
        if (first->active)
            requests->lost(requests->context, first);
        if (first == last)
            last = NULL;
        else
            last->next = first->next;
        release(requests, first);
    }
    operation->ended = false;
    operation->next = last ? last->next : operation;
    if (last)
        last->next = operation;
    entry->value = (uintptr_t)operation;
}

/* Joins the operation to another that the same call made of this handle. */
static bool join(struct ws_operation *operation, const struct ws_map_entry *entry)
{
    struct ws_operation *last = last_of(entry);

    if (!last || last->made != operation->made || last->persistent != operation->persistent)
        return false;
    while (last->joined)
        last = last->joined;
    last->joined = operation;
    return true;
}

/* One that is not in use: the entry's own, if that has ended. */
static struct ws_operation *unused(struct ws_requests *requests, const struct ws_map_entry *entry)
{
    struct ws_operation *operation = (struct ws_operation *)(uintptr_t)entry->value;

    if (operation && operation->ended) {
        release(requests, operation->joined);
        return operation;
    }
    operation = requests->free;
    if (operation)
        requests->free = operation->next;
    else
        operation = ws_alloc(requests->operation_bytes);
    operation->values = (union ws_value *)(operation->numbers + requests->most_numbers);
    return operation;
}

static struct ws_operation *make(struct ws_requests *requests, const struct ws_bound_record *record,
                                 const uint8_t *fields, const union ws_value *values,
                                 const struct ws_call *call, const struct ws_map_entry *entry)
{
    struct ws_operation *operation = unused(requests, entry);

    operation->record = record;
    operation->persistent = record->role == WS_ROLE_INIT;
    operation->active = !operation->persistent;
    operation->made_by = call->function;
    operation->made = call->number;
    operation->joined = NULL;
    operation->posting = 0;
    operation->fields = fields;
    if (!fields)
        memcpy(operation->values, values, record->record->field_count * sizeof *values);
    return operation;
}

static enum ws_outcome start(struct ws_requests *requests, const struct ws_bound_record *record,
                             const uint8_t *fields, const union ws_value *values, const struct ws_call *call,
                             uint64_t handle, struct ws_operation **operation)
{
    struct ws_map_entry *entry = reach(requests, handle);

    *operation = make(requests, record, fields, values, call, entry);
    if (!join(*operation, entry))
        link_last(requests, *operation, entry);
    return (*operation)->active ? WS_POSTED : WS_NOTHING;
}

static enum ws_outcome restart(struct ws_requests *requests, uint64_t handle, struct ws_operation **operation)
{
    struct ws_operation *first = first_of(ws_map_find(&requests->by_handle, handle));

    if (!first || !first->persistent)
        return WS_NOTHING;
    if (first->active)
        requests->lost(requests->context, first);
    first->active = true;
    *operation = first;
    return WS_POSTED;
}

/* Ends the first operation of a handle; a persistent one stays, inactive, unless it is let go of. */
static enum ws_outcome end(struct ws_requests *requests, uint64_t handle, bool let_go, bool drop,
                           struct ws_operation **operation)
{
    struct ws_map_entry *entry = ws_map_find(&requests->by_handle, handle);
    struct ws_operation *first = first_of(entry);
    bool active;

    if (!first)
        return WS_NOTHING;
    active = first->active;
    first->active = false;
    if (let_go || !first->persistent)
        unlink_first(requests, entry);
    *operation = first;
    if (!active)
        return WS_NOTHING;
    return drop || (let_go && first->record->resolves) ? WS_DROPPED : WS_FORMED;
}

struct ws_operation *ws_requests_take_out(struct ws_requests *requests, const struct ws_bound_record *record,
                                          const union ws_value *values)
{
    struct ws_map_entry *entry;
    struct ws_operation *first;

    if (record->from < 0 || record->request < 0)
        return NULL;
    entry = ws_map_find(&requests->by_handle, (uint64_t)values[record->from].i);
    first = first_of(entry);
    if (!first || !first->active || first->persistent)
        return NULL;
    if (first == last_of(entry))
        ws_map_take_out(&requests->by_handle, entry);
    else
        last_of(entry)->next = first->next;
    return first;
}

enum ws_outcome ws_requests_apply(struct ws_requests *requests, const struct ws_bound_record *record,
                                  const uint8_t *fields, const union ws_value *values,
                                  const struct ws_call *call, struct ws_operation **operation)
{
    uint64_t handle;
    bool cancelled;

    if (record->request < 0)
        return WS_NOTHING;
    handle = (uint64_t)values[record->request].i;
    switch (record->role) {
    case WS_ROLE_PLAIN:
    case WS_ROLE_COUNT:
        break;
    case WS_ROLE_START:
    case WS_ROLE_INIT:
        return start(requests, record, fields, values, call, handle, operation);
    case WS_ROLE_RESTART:
        return restart(requests, handle, operation);
    case WS_ROLE_COMPLETE:
        cancelled = record->cancelled >= 0 && values[record->cancelled].i != 0;
        return end(requests, handle, false, cancelled, operation);
    case WS_ROLE_FREE:
        return end(requests, handle, true, false, operation);
    case WS_ROLE_CONTINUE:
        if (*operation)
            link_last(requests, *operation, reach(requests, handle));
        break;
    }
    return WS_NOTHING;
}

void ws_requests_finish(struct ws_requests *requests)
{
    for (size_t i = 0; i < requests->by_handle.capacity; i++) {
        struct ws_operation *last = (struct ws_operation *)(uintptr_t)requests->by_handle.entries[i].value;
        struct ws_operation *operation = last ? last->next : NULL;
        while (operation) {
            struct ws_operation *next = operation == last ? NULL : operation->next;
            if (operation->active)
                requests->lost(requests->context, operation);
            release(requests, operation);
            operation = next;
        }
    }
    while (requests->free) {
        struct ws_operation *next = requests->free->next;
        free(requests->free);
        requests->free = next;
    }
    ws_map_free(&requests->by_handle);
}
