#include "diagnosis/wire.h"

#include "util/alloc.h"
#include "util/pack.h"

#include <stdlib.h>

/* A piece begins with one byte: what it is. */
enum piece { PIECE_STRING, PIECE_SITE, PIECE_EVENT };

/* ---- what is in the slots ---- */

void ws_wire_types_init(struct ws_wire_types *types, const struct ws_kb *kb)
{
    *types = (struct ws_wire_types){.kb = kb};
    types->slots = ws_alloc_array(kb->simple_count, sizeof *types->slots);
    for (size_t t = 0; t < kb->simple_count; t++) {
        const struct ws_event_type *type = kb->types[t];
        types->slots[t] = ws_alloc_array(type->slot_count, sizeof *types->slots[t]);
        for (size_t s = 0; s < type->slot_count; s++)
            types->slots[t][s] = type->slots[s].type;
        types->most_slots = type->slot_count > types->most_slots ? type->slot_count : types->most_slots;
    }
}

void ws_wire_types_free(struct ws_wire_types *types)
{
    for (size_t t = 0; types->slots && t < types->kb->simple_count; t++)
        free(types->slots[t]);
    free(types->slots);
    *types = (struct ws_wire_types){0};
}

static size_t put_number(char *at, int64_t value)
{
    return ws_number_bytes(at, ws_fold_sign(value));
}

static bool take_number(struct ws_unpack *in, int64_t *value)
{
    *value = ws_unpack_signed(in);
    return !in->broken;
}

static void add_piece(struct ws_text *out, enum piece piece)
{
    char byte = (char)piece;
    ws_text_add(out, &byte, 1);
}

/* ---- out ---- */

/* Describes a string that is new on this way. */
static uint64_t string_number(struct ws_wire_out *wire, const char *string, struct ws_text *out)
{
    uint64_t number = ws_map_get(&wire->strings, (uintptr_t)string);

    if (!number) {
        number = ++wire->string_count;
        ws_map_put(&wire->strings, (uintptr_t)string, number);
        add_piece(out, PIECE_STRING);
        ws_pack_text(out, string);
    }
    return number - 1;
}

static uint64_t site_number(struct ws_wire_out *wire, const struct ws_trace *trace, int64_t site,
                            struct ws_text *out)
{
    uint64_t number = ws_map_get(&wire->sites, (uint64_t)site), offset;

    if (!number) {
        const char *module = ws_trace_site_place(trace, site, &offset);
        number = ++wire->site_count;
        ws_map_put(&wire->sites, (uint64_t)site, number);
        add_piece(out, PIECE_SITE);
        ws_pack_text(out, module);
        ws_pack_u64(out, offset);
    }
    return number - 1;
}

/* A moment lies near the event's end, which goes first. */
static int64_t relative(size_t slot, int64_t end_ns, int64_t value)
{
    bool moment = slot == WS_ATTR_T || slot == WS_ATTR_POSTED;
    return moment ? (int64_t)((uint64_t)end_ns - (uint64_t)value) : value;
}

void ws_wire_put(struct ws_wire_out *wire, const struct ws_wire_types *types, const struct ws_trace *trace,
                 const struct ws_event *event, const uint32_t *units, size_t unit_count, struct ws_text *out)
{
    const enum ws_type *kinds = types->slots[event->type];
    size_t slots = types->kb->types[event->type]->slot_count, length = 0;
    int64_t end_ns = event->value[WS_ATTR_END].i;
    char *at;

    /* What it names comes first. */
    for (size_t s = 0; s < slots; s++) {
        if (kinds[s] == WS_TYPE_STRING)
            string_number(wire, event->value[s].s, out);
        else if (kinds[s] == WS_TYPE_SITE)
            site_number(wire, trace, event->value[s].i, out);
    }
    ws_text_reserve(out, 1 + (4 + slots) * WS_MOST_NUMBER_BYTES + unit_count * sizeof *units);
    at = out->bytes + out->length;
    at[length++] = PIECE_EVENT;
    length += put_number(at + length, event->type);
    length += put_number(at + length, event->mark);
    length += put_number(at + length, (int64_t)unit_count);
    memcpy(at + length, units, unit_count * sizeof *units);
    length += unit_count * sizeof *units;
    length += put_number(at + length, end_ns);
    for (size_t s = 0; s < slots; s++) {
        int64_t value = event->value[s].i;
        if (kinds[s] == WS_TYPE_STRING)
            value = (int64_t)ws_map_get(&wire->strings, (uintptr_t)event->value[s].s) - 1;
        else if (kinds[s] == WS_TYPE_SITE)
            value = (int64_t)ws_map_get(&wire->sites, (uint64_t)value) - 1;
        if (s != WS_ATTR_END)
            length += put_number(at + length, relative(s, end_ns, value));
    }
    out->length += length;
    out->bytes[out->length] = '\0';
}

void ws_wire_out_free(struct ws_wire_out *wire)
{
    ws_map_free(&wire->strings);
    ws_map_free(&wire->sites);
    *wire = (struct ws_wire_out){0};
}

/* ---- in ---- */

struct ws_event *ws_wire_room(const struct ws_wire_types *types, struct ws_arena *arena)
{
    return ws_arena_alloc(arena, sizeof(struct ws_event) + types->most_slots * sizeof(union ws_value));
}

static void learn_string(struct ws_wire_in *wire, struct ws_trace *trace, struct ws_unpack *in)
{
    WS_PUSH(wire->strings, wire->string_count, wire->string_capacity) =
        ws_trace_string(trace, ws_unpack_text(in));
}

static void learn_site(struct ws_wire_in *wire, struct ws_trace *trace, struct ws_unpack *in)
{
    const char *module = ws_unpack_text(in);
    uint64_t offset = ws_unpack_u64(in);

    WS_PUSH(wire->sites, wire->site_count, wire->site_capacity) = ws_trace_site_add(trace, module, offset);
}

static bool take_slot(const struct ws_wire_in *wire, enum ws_type kind, size_t slot, int64_t end_ns,
                      struct ws_unpack *in, union ws_value *value)
{
    int64_t number;

    if (!take_number(in, &number))
        return false;
    number = relative(slot, end_ns, number);
    if (kind == WS_TYPE_STRING) {
        if ((uint64_t)number >= wire->string_count)
            return false;
        value->s = wire->strings[number];
    } else if (kind == WS_TYPE_SITE) {
        if ((uint64_t)number >= wire->site_count)
            return false;
        value->i = wire->sites[number];
    } else {
        value->i = number;
    }
    return true;
}

static bool take_event(const struct ws_wire_in *wire, const struct ws_wire_types *types, struct ws_unpack *in,
                       struct ws_wire_event *event)
{
    int64_t type, mark, count, end_ns;

    if (!take_number(in, &type) || !take_number(in, &mark) || !take_number(in, &count) ||
        (uint64_t)type >= types->kb->simple_count || (uint64_t)count > in->left / sizeof(uint32_t))
        return false;
    event->event->type = (uint32_t)type;
    event->event->mark = (uint32_t)mark;
    event->unit_count = (size_t)count;
    event->units = (const void *)ws_unpack_bytes(in, (size_t)count * sizeof(uint32_t));
    if (!take_number(in, &end_ns))
        return false;
    for (size_t s = 0; s < types->kb->types[type]->slot_count; s++) {
        union ws_value *value = &event->event->value[s];
        if (s == WS_ATTR_END)
            value->i = end_ns;
        else if (!take_slot(wire, types->slots[type][s], s, end_ns, in, value))
            return false;
    }
    return true;
}

int ws_wire_take(struct ws_wire_in *wire, const struct ws_wire_types *types, struct ws_trace *trace,
                 struct ws_unpack *in, struct ws_wire_event *event)
{
    while (in->left && !in->broken) {
        const char *piece = ws_unpack_bytes(in, 1);
        if (*piece == PIECE_STRING)
            learn_string(wire, trace, in);
        else if (*piece == PIECE_SITE)
            learn_site(wire, trace, in);
        else if (*piece == PIECE_EVENT)
            return take_event(wire, types, in, event) ? 1 : -1;
        else
            return -1;
    }
    return in->broken ? -1 : 0;
}

void ws_wire_in_free(struct ws_wire_in *wire)
{
    free(wire->strings);
    free(wire->sites);
    *wire = (struct ws_wire_in){0};
}
