#include "diagnosis/set.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct ws_set *set, size_t word)
{
    size_t count = set->word_count ? set->word_count : 1;

    if (word < set->word_count)
        return;
    while (count <= word)
        count *= 2;
    set->words = ws_realloc_array(set->words, count, sizeof *set->words);
    memset(set->words + set->word_count, 0, (count - set->word_count) * sizeof *set->words);
    set->word_count = count;
}

void ws_set_add(struct ws_set *set, int64_t number)
{
    size_t word = (size_t)number / 64;
    uint64_t bit = UINT64_C(1) << (number & 63);

    if (number < 0 || number >= WS_SET_MOST)
        return;
    if (word < set->word_count && set->words[word] & bit)
        return;
    make_room(set, word);
    set->count += !(set->words[word] & bit);
    set->words[word] |= bit;
}

uint32_t *ws_set_numbers(const struct ws_set *set)
{
    uint32_t *numbers = ws_alloc_array(set->count, sizeof *numbers);
    size_t n = 0;

    for (size_t w = 0; w < set->word_count; w++)
        for (uint64_t rest = set->words[w]; rest; rest &= rest - 1)
            numbers[n++] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(rest);
    return numbers;
}

void ws_set_free(struct ws_set *set)
{
    free(set->words);
    memset(set, 0, sizeof *set);
}
