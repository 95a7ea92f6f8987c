/* Paraver's traces: three text files.  Records of the .prv are in order of time, so all of them go through a
 * sorter. paraver.c  calls, messages and waiting become records files.c    records become lines; names and
 * colours (.pcf), what the lines are called (.row) */
#ifndef WS_EXPORT_PARAVER_H
#define WS_EXPORT_PARAVER_H

#include "export/dictionary.h"
#include "export/formats.h"
#include "export/sorter.h"
#include "trace/map.h"

/* Types of events: those of Extrae, so that Paraver's own views fit, and one of ours. */
enum ws_prv_type {
    WS_PRV_POINT_TO_POINT = 50000001,
    WS_PRV_COLLECTIVE = 50000002,
    WS_PRV_OTHER = 50000003,
    WS_PRV_ONE_SIDED = 50000004,
    WS_PRV_BYTES = 50100001, /* of a collective operation */
    WS_PRV_COMMUNICATOR = 50100004,
    WS_PRV_CALLER = 70000001,
    WS_PRV_CALLER_LINE = 80000001,
    WS_PRV_WAITING = 90000001,
};
#define WS_PRV_FIRST_CALL WS_PRV_POINT_TO_POINT
#define WS_PRV_CALL_TYPES 4

#define WS_PRV_MOST_VALUES 5
struct ws_prv_value {
    uint32_t type;
    uint32_t value;
};
struct ws_prv_end { /* of a message */
    uint32_t rank, thread;
    int64_t logical_ns, physical_ns;
};
enum ws_prv_kind { WS_PRV_STATE = 1, WS_PRV_EVENT = 2, WS_PRV_MESSAGE = 3 }; /* as the lines begin */
struct ws_prv_record {
    int64_t ns;
    uint64_t order; /* of equal moments: as they were made */
    enum ws_prv_kind kind;
    uint32_t rank, thread;
    union {
        struct {
            int64_t end_ns;
            unsigned state;
        };
        struct {
            struct ws_prv_value values[WS_PRV_MOST_VALUES];
            size_t value_count;
        };
        struct {
            struct ws_prv_end sent, received;
            uint64_t bytes;
            int64_t tag;
        };
    };
};
struct ws_prv_comm {
    int64_t identity;
    uint32_t *ranks, size;
};
struct ws_prv_thread {
    int64_t free_ns; /* since when it is outside of calls */
};
struct ws_paraver {
    struct ws_export *out;
    struct ws_sorter sorter;
    uint64_t order;
    int64_t last_ns; /* no record ends later */
    struct ws_dictionary *functions, *callers, *lines, *problems; /* numbers + 1 are values */
    uint32_t *function_types;                                     /* by function */
    size_t function_type_count, function_type_capacity;
    struct ws_dictionary *comm_names;
    struct ws_prv_comm *comms;
    size_t comm_count, comm_capacity;
    struct ws_prv_thread **threads; /* [ranks]: by thread */
    uint32_t *thread_counts;
    struct ws_map pending; /* message -> place in ends + 1 */
    struct ws_prv_end *ends;
    size_t end_count, end_capacity;
    uint32_t *free_ends;
    size_t free_count, free_capacity;
};

/* files.c: writes the three files of all that was gathered. */
int ws_paraver_write(struct ws_paraver *paraver);
unsigned ws_paraver_state(const char *function);
uint32_t ws_paraver_type(const char *function);

#endif
