/* What is added up while the trace is read, before tables are made of it. */
#ifndef WS_EXCHANGE_COLLECT_H
#define WS_EXCHANGE_COLLECT_H

#include "exchange/cells.h"
#include "exchange/groups.h"
#include "exchange/moves.h"

struct ws_names_list { /* number -> name */
    const char **list;
    size_t count, capacity;
};
struct ws_collection {
    struct ws_exchange *exchange;
    const struct ws_exchange_options *options;
    struct ws_trace *trace;
    const struct ws_trace_info *info;
    struct ws_moves moves;
    struct ws_member_groups groups;
    struct ws_cells cells, times; /* times: by slot, phase and kind; of pairs without `from` */
    struct ws_names_list types, phases;
    struct ws_map type_numbers, name_numbers, site_numbers, phase_numbers;
    struct ws_map peer_numbers; /* of a process and a communicator */
    struct ws_peers {
        const int32_t *ranks;
        uint32_t count;
    } * peers;
    size_t peer_count, peer_capacity;
    int64_t *sites; /* of the trace, by number */
    size_t site_count, site_capacity;
    int64_t begin_ns, slot_ns;
};

/* Reads all events. */
int ws_collect(struct ws_collection *collection, struct ws_error *error);
void ws_collection_free(struct ws_collection *collection);

/* Makes the tables of `exchange`. */
void ws_tabulate(struct ws_collection *collection);

#endif
