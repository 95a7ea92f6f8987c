/* Open addressing.  A key stays in its slot for ever, so that a reader never loses its way; what is removed
 * loses its value only.  When the slots run short they are copied without what was removed; the old ones are
 * kept, since someone may still be reading there. */
#include "recorder/recorder.h"

struct ws_table_slots {
    size_t count, used; /* count: a power of two; used: slots with a key */
    struct slot {
        uint64_t key; /* 0: free */
        void *value;  /* NULL: removed */
    } slot[];
};

#define FIRST_COUNT 64

static size_t hash(uint64_t key, size_t count)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (count - 1);
}

/* The slot of a key, or the free one where it would go. */
static struct slot *find_slot(struct ws_table_slots *slots, uint64_t key)
{
    for (size_t i = hash(key, slots->count);; i = (i + 1) & (slots->count - 1)) {
        uint64_t found = __atomic_load_n(&slots->slot[i].key, __ATOMIC_ACQUIRE);
        if (found == key || found == 0)
            return &slots->slot[i];
    }
}

void *ws_table_get(const struct ws_table *table, uint64_t key)
{
    struct ws_table_slots *slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE);
    struct slot *slot;

    if (!slots || key == 0)
        return NULL;
    slot = find_slot(slots, key);
    return __atomic_load_n(&slot->value, __ATOMIC_ACQUIRE);
}

static bool make_room(struct ws_table *table)
{
    struct ws_table_slots *old = table->slots, *slots;
    size_t live = 0, count = FIRST_COUNT;

    if (old && old->used < old->count / 2)
        return true;
    for (size_t i = 0; old && i < old->count; i++)
        live += old->slot[i].value != NULL;
    while (count < 4 * (live + 1))
        count *= 2;
    slots = ws_keep(sizeof *slots + count * sizeof *slots->slot);
    if (!slots)
        return false;
    slots->count = count;
    for (size_t i = 0; old && i < old->count; i++)
        if (old->slot[i].value) {
            *find_slot(slots, old->slot[i].key) = old->slot[i];
            slots->used++;
        }
    __atomic_store_n(&table->slots, slots, __ATOMIC_RELEASE);
    return true;
}

bool ws_table_put(struct ws_table *table, uint64_t key, void *value)
{
    struct slot *slot;

    if (key == 0 || !make_room(table))
        return false;
    slot = find_slot(table->slots, key);
    __atomic_store_n(&slot->value, value, __ATOMIC_RELEASE);
    if (slot->key == 0) {
        __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
        table->slots->used++;
    }
    return true;
}

void *ws_table_remove(struct ws_table *table, uint64_t key)
{
    void *value = ws_table_get(table, key);

    if (value)
        __atomic_store_n(&find_slot(table->slots, key)->value, NULL, __ATOMIC_RELEASE);
    return value;
}
