/* A sparse table of sums: only what was moved has a cell. */
#ifndef WS_EXCHANGE_CELLS_H
#define WS_EXCHANGE_CELLS_H

#include "exchange/exchange.h"

#define WS_NOBODY UINT32_MAX /* a cell's `from` or `to` where a group stands for it */

/* Who moves what.  Of a group's members each gives or gets what the cell holds. */
struct ws_cell_key {
    uint32_t from, to;
    uint32_t group; /* number of a group (exchange/groups.h); 0: from and to are places */
    uint32_t function, type,
        site; /* numbers; in a table of times the slot and the phase stand in function and type */
    uint32_t kind, size;
};
struct ws_cell {
    struct ws_cell_key key;
    struct ws_sum sum;
};
struct ws_cells { /* a zeroed struct is empty */
    struct ws_cell *list;
    uint32_t *index; /* place in list + 1, by hash; 0: free */
    size_t count, capacity, index_capacity;
};

void ws_cells_add(struct ws_cells *cells, const struct ws_cell_key *key, struct ws_sum sum);
void ws_cells_free(struct ws_cells *cells);

#endif
