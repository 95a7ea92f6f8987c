#include "engine/partition.h"

#include "engine/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- units ---- */

static bool *no_scopes(struct ws_partition *partition)
{
    return ws_arena_alloc(&partition->arena, partition->kb->scope_count * sizeof(bool));
}

static size_t narrow_components(const struct ws_keys *keys)
{
    size_t count = 0;

    for (size_t c = 0; c < keys->component_count; c++)
        count += keys->components[c].meets && keys->components[c].narrow;
    return count;
}

/* How many components of these scopes have few values only; SIZE_MAX: they have no keys. */
static size_t narrowness(const struct ws_partition *partition, const bool *scopes)
{
    struct ws_keys keys;
    size_t narrow;

    ws_keys_find(&keys, partition->kb, scopes);
    narrow = keys.found ? narrow_components(&keys) : SIZE_MAX;
    ws_keys_free(&keys);
    return narrow;
}

static struct ws_unit *add_unit(struct ws_partition *partition, bool whole)
{
    struct ws_unit *unit = &partition->units[partition->unit_count];

    *unit = (struct ws_unit){
        .scopes = no_scopes(partition), .whole = whole, .member = (uint32_t)partition->unit_count};
    partition->unit_count++;
    return unit;
}

/* All scopes that have keys of their own in one unit, if that costs none of them its keys. */
static bool join_all(struct ws_partition *partition, const size_t *narrow)
{
    bool *all = no_scopes(partition);
    size_t most = 0;

    for (size_t s = 0; s < partition->kb->scope_count; s++) {
        all[s] = narrow[s] != SIZE_MAX;
        most += all[s] ? narrow[s] : 0;
    }
    if (narrowness(partition, all) > most)
        return false;
    add_unit(partition, false)->scopes = all;
    return true;
}

/* Each in the first unit that it does not narrow. */
static void join_one_by_one(struct ws_partition *partition, const size_t *narrow)
{
    size_t *of_unit = ws_alloc_array(partition->kb->scope_count, sizeof *of_unit);

    for (size_t s = 0; s < partition->kb->scope_count; s++) {
        size_t u = 0;
        if (narrow[s] == SIZE_MAX)
            continue;
        for (; u < partition->unit_count; u++) {
            struct ws_unit *unit = &partition->units[u];
            size_t joined;
            unit->scopes[s] = true;
            joined = narrowness(partition, unit->scopes);
            if (joined != SIZE_MAX && joined <= of_unit[u] + narrow[s]) {
                of_unit[u] = joined;
                break;
            }
            unit->scopes[s] = false;
        }
        if (u == partition->unit_count) {
            add_unit(partition, false)->scopes[s] = true;
            of_unit[u] = narrow[s];
        }
    }
    free(of_unit);
}

static void make_units(struct ws_partition *partition)
{
    const size_t count = partition->kb->scope_count;
    size_t *narrow = ws_alloc_array(count, sizeof *narrow);

    for (size_t s = 0; s < count; s++) {
        bool *scopes = ws_alloc_array(count, sizeof *scopes);
        scopes[s] = true;
        narrow[s] = narrowness(partition, scopes);
        free(scopes);
    }
    if (!join_all(partition, narrow))
        join_one_by_one(partition, narrow);
    for (size_t s = 0; s < count; s++)
        if (narrow[s] == SIZE_MAX)
            add_unit(partition, true)->scopes[s] = true;
    free(narrow);
}

/* ---- routes ---- */

static void add_route(struct ws_partition *partition, uint32_t type, struct ws_route route)
{
    partition->routes[type][partition->route_counts[type]++] = route;
}

static void route_by_keys(struct ws_partition *partition, uint32_t type, struct ws_route route,
                          const struct ws_type_keys *keys, const struct ws_component *component)
{
    if (!keys->meets) {
        add_route(partition, type, route);
        return;
    }
    route.kind = component->by_rank ? WS_ROUTE_RANK : WS_ROUTE_HASH;
    route.key_count = component->by_rank ? 1 : component->key_count;
    route.keys = ws_arena_alloc(&partition->arena, route.key_count * sizeof *route.keys);
    memcpy(route.keys, keys->keys, route.key_count * sizeof *route.keys);
    route.codes = ws_arena_alloc(&partition->arena, route.key_count * sizeof *route.codes);
    for (size_t k = 0; k < route.key_count; k++)
        route.codes[k] = ws_formula_of(
            &partition->pool, &(struct ws_formula_scene){.one = partition->kb->types[type]}, route.keys[k]);
    add_route(partition, type, route);
}

static void add_routes(struct ws_partition *partition, uint32_t number)
{
    const struct ws_unit *unit = &partition->units[number];
    struct ws_route route = {.unit = number, .kind = unit->whole ? WS_ROUTE_WHOLE : WS_ROUTE_LOCAL};
    struct ws_keys keys;

    ws_keys_find(&keys, partition->kb, unit->scopes);
    for (uint32_t t = 0; t < partition->kb->simple_count; t++) {
        if (!keys.types[t].used)
            continue;
        if (unit->whole)
            add_route(partition, t, route);
        else
            route_by_keys(partition, t, route, &keys.types[t], &keys.components[keys.types[t].component]);
    }
    ws_keys_free(&keys);
}

void ws_partition_init(struct ws_partition *partition, const struct ws_kb *kb, bool alone)
{
    struct ws_arena *arena = &partition->arena;

    *partition = (struct ws_partition){.kb = kb};
    partition->units = ws_arena_alloc(arena, (kb->scope_count + 1) * sizeof *partition->units);
    partition->routes = ws_arena_alloc(arena, (kb->simple_count + 1) * sizeof *partition->routes);
    partition->route_counts = ws_arena_alloc(arena, (kb->simple_count + 1) * sizeof(size_t));
    if (alone)
        memset(add_unit(partition, true)->scopes, true, kb->scope_count * sizeof(bool));
    else
        make_units(partition);
    for (size_t t = 0; t < kb->simple_count; t++)
        partition->routes[t] =
            ws_arena_alloc(arena, (partition->unit_count + 1) * sizeof *partition->routes[t]);
    for (uint32_t u = 0; u < partition->unit_count; u++)
        add_routes(partition, u);
    partition->temporaries =
        ws_arena_alloc(arena, (partition->pool.temporary_count + 1) * sizeof *partition->temporaries);
}

void ws_partition_free(struct ws_partition *partition)
{
    ws_formula_pool_free(&partition->pool);
    ws_arena_free(&partition->arena);
    *partition = (struct ws_partition){0};
}

/* ---- places ---- */

/* The high bits of the product, so that neighbours spread. */
static uint32_t spread(uint64_t hash, uint32_t members)
{
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)((hash >> 32) * members >> 32);
}

uint32_t ws_owner(const struct ws_owners *owners, int64_t rank)
{
    uint32_t low = 0, high = owners->members;

    if (rank < 0 || rank >= owners->first[owners->members])
        return spread((uint64_t)rank, owners->members);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (owners->first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool value_of(const struct ws_partition *partition, const struct ws_formula *code,
                     const struct ws_event *event, union ws_value *value)
{
    union ws_value *const frames[] = {
        [WS_FRAME_TEMPORARIES] = partition->temporaries,
        [WS_FRAME_CONSTANTS] = partition->pool.constants,
        [WS_FRAME_MEMBERS] = (union ws_value *)(uintptr_t)event->value,
    };

    return ws_formula_value(code, frames, value);
}

/* Events whose key is undefined meet no other. */
static uint64_t hash_of(const struct ws_partition *partition, const struct ws_route *route,
                        const struct ws_event *event)
{
    uint64_t hash = WS_HASH_START;

    for (size_t k = 0; k < route->key_count; k++) {
        union ws_value value;
        if (!value_of(partition, &route->codes[k], event, &value))
            continue;
        if (route->keys[k]->type == WS_TYPE_STRING)
            hash = ws_hash(hash, value.s, strlen(value.s));
        else
            hash = (hash ^ (uint64_t)value.i) * UINT64_C(0xFF51AFD7ED558CCD);
        hash ^= hash >> 32;
    }
    return hash;
}

uint32_t ws_partition_place(const struct ws_partition *partition, const struct ws_route *route,
                            const struct ws_event *event, const struct ws_owners *owners)
{
    union ws_value rank;

    switch (route->kind) {
    case WS_ROUTE_WHOLE:
        return partition->units[route->unit].member % owners->members;
    case WS_ROUTE_HASH:
        return spread(hash_of(partition, route, event), owners->members);
    case WS_ROUTE_RANK:
        if (value_of(partition, &route->codes[0], event, &rank))
            return ws_owner(owners, rank.i);
        break;
    case WS_ROUTE_LOCAL:
        break;
    }
    return ws_owner(owners, event->value[WS_ATTR_PROCESS].i);
}

/* ---- in words ---- */

static void print_key(const struct ws_event_type *type, const struct ws_expr *key, struct ws_text *out)
{
    if (key->op == WS_OP_SLOT)
        ws_text_puts(out, type->slots[key->slot].name);
    else
        ws_text_puts(out, "an expression");
}

static void print_route(const struct ws_partition *partition, uint32_t type, const struct ws_route *route,
                        struct ws_text *out)
{
    static const char *const words[] = {[WS_ROUTE_LOCAL] = "stays where it is read",
                                        [WS_ROUTE_RANK] = "to the owner of rank ",
                                        [WS_ROUTE_HASH] = "by ",
                                        [WS_ROUTE_WHOLE] = "to the unit's member"};

    ws_text_printf(out, "  %s: %s", partition->kb->types[type]->name, words[route->kind]);
    for (size_t k = 0; k < route->key_count; k++) {
        ws_text_puts(out, k ? ", " : "");
        print_key(partition->kb->types[type], route->keys[k], out);
    }
    ws_text_puts(out, "\n");
}

void ws_partition_print(const struct ws_partition *partition, struct ws_text *out)
{
    for (size_t u = 0; u < partition->unit_count; u++) {
        const struct ws_unit *unit = &partition->units[u];
        ws_text_puts(out, unit->whole ? "whole on one member:" : "on all members:");
        for (size_t s = 0; s < partition->kb->scope_count; s++)
            if (unit->scopes[s])
                ws_text_printf(out, " %s", partition->kb->scopes[s]->id);
        ws_text_puts(out, "\n");
        for (uint32_t t = 0; t < partition->kb->simple_count; t++)
            for (size_t r = 0; r < partition->route_counts[t]; r++)
                if (partition->routes[t][r].unit == u)
                    print_route(partition, t, &partition->routes[t][r], out);
    }
}
