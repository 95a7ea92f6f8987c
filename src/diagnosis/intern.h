/* Numbers for byte strings: equal bytes get one number, counted from 0 in order of first appearance.
 * Makes keys of groups, call sites and strings cheap to compare and to store. */
#ifndef WS_DIAGNOSIS_INTERN_H
#define WS_DIAGNOSIS_INTERN_H

#include "util/alloc.h"

#include <stdint.h>

struct ws_intern_item {
    const char *bytes; /* terminated copy, owned by the table */
    size_t length;
    uint64_t hash;
};
struct ws_interned { /* a zeroed struct is empty */
    struct ws_arena arena;
    struct ws_intern_item *items;
    size_t count, capacity;
    uint32_t *slots; /* open addressing: number + 1, 0 for free */
    size_t slot_count;
};

uint32_t ws_intern(struct ws_interned *table, const void *bytes, size_t length);
void ws_intern_free(struct ws_interned *table);

#endif
