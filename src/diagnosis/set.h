/* A set of small numbers: ranks, or numbers of strings and spots. */
#ifndef WS_DIAGNOSIS_SET_H
#define WS_DIAGNOSIS_SET_H

#include "util/alloc.h"

#include <stdbool.h>
#include <stdint.h>

/* Greater ones are left out: a damaged trace may claim any rank, and a set takes a bit for each up to its
 * greatest. */
#define WS_SET_MOST (UINT32_C(1) << 24)

struct ws_set { /* a zeroed struct is empty */
    uint64_t *words;
    size_t word_count;
    size_t count; /* numbers in it */
};

static inline bool ws_set_has(const struct ws_set *set, int64_t number)
{
    uint64_t word = (uint64_t)number / 64;
    return word < set->word_count && set->words[word] >> (number & 63) & 1;
}

void ws_set_add(struct ws_set *set, int64_t number);
uint32_t *ws_set_numbers(const struct ws_set *set); /* [count], sorted; free() */
void ws_set_free(struct ws_set *set);

#endif
