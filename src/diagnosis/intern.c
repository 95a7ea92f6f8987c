#include "diagnosis/intern.h"

#include <stdlib.h>
#include <string.h>

/* By words of eight bytes: many keys are numbers. */
static uint64_t hash_of(const void *bytes, size_t length)
{
    const char *at = bytes;
    uint64_t hash = length, word;

    for (; length >= sizeof word; at += sizeof word, length -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    if (length) {
        word = 0;
        memcpy(&word, at, length);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

static uint32_t *slot_of(const struct ws_interned *table, const void *bytes, size_t length, uint64_t hash)
{
    size_t at = (size_t)hash & (table->slot_count - 1);

    while (table->slots[at]) {
        const struct ws_intern_item *name = &table->items[table->slots[at] - 1];
        if (name->hash == hash && name->length == length && memcmp(name->bytes, bytes, length) == 0)
            break;
        at = (at + 1) & (table->slot_count - 1);
    }
    return &table->slots[at];
}

/* Keeps the table at most half full. */
static void make_room(struct ws_interned *table)
{
    if (2 * (table->count + 1) <= table->slot_count)
        return;
    table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
    free(table->slots);
    table->slots = ws_alloc_array(table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < table->count; i++) {
        const struct ws_intern_item *name = &table->items[i];
        *slot_of(table, name->bytes, name->length, name->hash) = (uint32_t)i + 1;
    }
}

uint32_t ws_intern(struct ws_interned *table, const void *bytes, size_t length)
{
    uint64_t hash = hash_of(bytes, length);
    uint32_t *slot;

    make_room(table);
    slot = slot_of(table, bytes, length, hash);
    if (!*slot) {
        WS_PUSH(table->items, table->count, table->capacity) =
            (struct ws_intern_item){ws_arena_strndup(&table->arena, bytes, length), length, hash};
        *slot = (uint32_t)table->count;
    }
    return *slot - 1;
}

void ws_intern_free(struct ws_interned *table)
{
    ws_arena_free(&table->arena);
    free(table->items);
    free(table->slots);
    memset(table, 0, sizeof *table);
}
