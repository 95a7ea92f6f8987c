#include "exchange/cells.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(const struct ws_cells *cells, const struct ws_cell_key *key)
{
    const uint32_t *words = (const uint32_t *)(const void *)key;
    uint64_t hash = 0;

    for (size_t i = 0; i < sizeof *key / sizeof *words; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15), hash ^= hash >> 29;
    return (size_t)(hash >> 20) & (cells->index_capacity - 1);
}

/* Where the key's number is, or is to be. */
static uint32_t *find(const struct ws_cells *cells, const struct ws_cell_key *key)
{
    size_t at = place_of(cells, key);

    while (cells->index[at] && memcmp(&cells->list[cells->index[at] - 1].key, key, sizeof *key) != 0)
        at = (at + 1) & (cells->index_capacity - 1);
    return &cells->index[at];
}

static void grow(struct ws_cells *cells)
{
    cells->index_capacity = cells->index_capacity ? 2 * cells->index_capacity : 256;
    free(cells->index);
    cells->index = ws_alloc_array(cells->index_capacity, sizeof *cells->index);
    for (size_t i = 0; i < cells->count; i++)
        *find(cells, &cells->list[i].key) = (uint32_t)i + 1;
}

void ws_cells_add(struct ws_cells *cells, const struct ws_cell_key *key, struct ws_sum sum)
{
    uint32_t *number;

    if (2 * cells->count >= cells->index_capacity)
        grow(cells);
    number = find(cells, key);
    if (!*number) {
        if (cells->count == UINT32_MAX - 1)
            ws_out_of("room for more pairs of processes");
        WS_PUSH(cells->list, cells->count, cells->capacity) = (struct ws_cell){.key = *key};
        *number = (uint32_t)cells->count;
    }
    ws_sum_add(&cells->list[*number - 1].sum, sum);
}

void ws_cells_free(struct ws_cells *cells)
{
    free(cells->list);
    free(cells->index);
    *cells = (struct ws_cells){0};
}
