/* Reading an OTF2 archive by OTF2's own library.
 *   otf2.c         the archive as a whole; what it does not tell
 *   definitions.c  processes, regions, communicators, windows
 *   outcomes.c     a first reading of a process: what becomes of its requests
 *   events.c       a second one: its calls become records
 *   meetings.c     whether the clocks of the processes agree */
#ifndef WS_IMPORT_OTF2_H
#define WS_IMPORT_OTF2_H

#include "import/fields.h"
#include "import/import.h"
#include "trace/map.h"
#include "trace/places.h"
#include "trace/strings.h"

#include <otf2/otf2.h>

int ws_otf2_import(const char *anchor, const struct ws_kb *kb, const char *directory,
                   const struct ws_import_options *options, struct ws_error *error);

/* ---- definitions ---- */

struct ws_otf2_region {
    const char *name, *file;
    uint32_t line;
    int function; /* of the schema, or -1: none that is recorded */
};
struct ws_otf2_group {
    const uint64_t *members;
    uint32_t size;
    OTF2_GroupType type;
};
struct ws_otf2_comm {
    OTF2_CommRef self;
    OTF2_GroupRef group_ref, other_ref;
    const struct ws_otf2_group *group, *other; /* other: of an intercommunicator, else NULL */
    uint32_t identity;                         /* of the trace */
    bool is_world;                             /* MPI_COMM_WORLD: the first with all ranks in order */
};
struct ws_otf2_window {
    OTF2_CommRef comm;
    uint32_t identity;
};
struct ws_otf2_context {
    OTF2_RegionRef region;
    OTF2_SourceCodeLocationRef place;
    OTF2_CallingContextRef parent;
};
struct ws_otf2_line {
    const char *file;
    uint32_t line;
};
struct ws_otf2_node {
    const char *name, *class;
    OTF2_SystemTreeNodeRef parent;
};
struct ws_otf2_host {
    OTF2_SystemTreeNodeRef node;
};
struct ws_otf2_location {
    OTF2_LocationRef self;
    OTF2_LocationGroupRef group;
    uint64_t events;
    int64_t rank; /* of its process; -1: of none that takes part in MPI */
    uint32_t thread;
    const char *node;
};
/* Where our own export keeps what OTF2 has no room for: attributes of these names. */
#define WS_OTF2_CALLER "Whyslow: caller"       /* of Enter, string: the function that calls */
#define WS_OTF2_CALL_SITE "Whyslow: call site" /* of Enter, source code location */
#define WS_OTF2_EVENT                                                                                        \
    "Whyslow: event" /* a parameter, string: an event of this type, which OTF2 does not know ... */
#define WS_OTF2_PARAM "Whyslow: "          /* ... with its parameters as attributes of these names */
#define WS_OTF2_EXPOSED "Whyslow: exposed" /* of RmaPut, RmaGet */

struct ws_otf2_definitions {
    const struct ws_schema *schema;
    struct ws_strings strings;
    struct ws_arena arena;
    struct ws_map texts, regions, groups, comms, windows, contexts, lines, nodes,
        hosts;                /* by reference, to pointers */
    struct ws_map attributes; /* enum ws_field_name + 1 of those that hold parameters */
    OTF2_AttributeRef caller, call_site;
    OTF2_ParameterRef event;
    struct ws_otf2_location *locations;
    size_t location_count, location_capacity;
    struct ws_otf2_group world;      /* locations by rank */
    struct ws_map ranks;             /* location -> rank + 1 */
    uint64_t resolution, offset;     /* ticks per second; at the begin */
    struct ws_otf2_comm **comm_list; /* as they were defined */
    size_t comm_count, comm_capacity;
    uint32_t window_count;
    bool is_eztrace; /* which does not name itself but for a region */
};
int ws_otf2_define(OTF2_Reader *reader, struct ws_otf2_definitions *definitions, struct ws_error *error);
void ws_otf2_definitions_free(struct ws_otf2_definitions *definitions);
const char *ws_otf2_text(const struct ws_otf2_definitions *definitions,
                         OTF2_StringRef text); /* "" for none */
/* What a reference stands for, or NULL. */
#define WS_OTF2_GET(definitions, kind, ref)                                                                  \
    ((const struct ws_otf2_##kind *)(uintptr_t)ws_map_get(&(definitions)->kind##s, (uint64_t)(ref)))
int64_t ws_otf2_ns(const struct ws_otf2_definitions *definitions, OTF2_TimeStamp ticks);
/* World rank of a rank in a group, -1 where there is none; and the group whose ranks messages name: of an
 * intercommunicator the one that this process is not in. */
int64_t ws_otf2_world_rank(const struct ws_otf2_definitions *definitions, const struct ws_otf2_group *group,
                           uint32_t rank, int64_t own);
const struct ws_otf2_group *ws_otf2_peers(const struct ws_otf2_definitions *definitions,
                                          const struct ws_otf2_comm *comm, int64_t own);

/* ---- what becomes of requests ---- */

struct ws_otf2_outcome {
    bool done, cancelled, collective;
    OTF2_CommRef comm;
    uint32_t peer, tag; /* of a collective: root, operation */
    uint64_t sent, received;
};
struct ws_otf2_outcomes {
    struct ws_otf2_outcome
        *list; /* of the process's starts, in the order of its locations and their events */
    size_t count, capacity, next; /* next: to be asked for */
    struct ws_map open;           /* request -> its start's place + 1 */
    struct ws_map early;          /* request -> place + 1 of an end that was read before its start, in ends */
    struct ws_otf2_outcome *ends;
    bool several; /* the process has several threads: one may end what another started */
    size_t end_count, end_capacity;
    OTF2_TimeStamp first, last, begin,
        end; /* of all events; after MPI_Init, before MPI_Finalize; 0: not seen */
    const struct ws_otf2_definitions *definitions;
};
int ws_otf2_find_outcomes(OTF2_Reader *reader, const struct ws_otf2_definitions *definitions,
                          const struct ws_otf2_location *location, struct ws_otf2_outcomes *outcomes,
                          struct ws_error *error);
void ws_otf2_outcomes_free(struct ws_otf2_outcomes *outcomes);

/* ---- calls ---- */

/* What the archive did not tell, counted. */
struct ws_otf2_gaps {
    uint64_t receives, collectives; /* started, the end of which is not told */
    uint64_t sends;                 /* the same: taken as over when they were started */
    uint64_t homeless;              /* communication in no region of an MPI function that is known */
    bool has_sites, has_callers;
};
/* Blocking operations in which all wait for all. */
struct ws_otf2_series;
struct ws_otf2_meetings {
    struct ws_otf2_series *list;
    size_t count, capacity;
    struct ws_map by_key;
    int64_t off_ns;      /* the most by which somebody left one before somebody came to it; 0: nobody did */
    uint32_t left, came; /* these two */
};
/* key: the kind of the operation and its communicator.  In the order of a process. */
void ws_otf2_meet(struct ws_otf2_meetings *meetings, uint64_t key, int64_t rank, int64_t t_ns,
                  int64_t end_ns);
void ws_otf2_meetings_free(struct ws_otf2_meetings *meetings);

/* The places that calls come from. */
struct ws_otf2_places {
    struct ws_text file;
    struct ws_map by_hash; /* of function, file, line: number + 1 */
    uint32_t count;
    const char *module;
};
void ws_otf2_places_free(struct ws_otf2_places *places);
struct ws_otf2_target {
    const struct ws_otf2_definitions *definitions;
    const struct ws_fields *fields;
    struct ws_otf2_outcomes *outcomes;
    struct ws_otf2_places *places;
    struct ws_otf2_gaps *gaps;
    struct ws_otf2_meetings *meetings;
    struct ws_writer *writer;
    /* Of the process, kept from one location to the next. */
    struct ws_map *comms, *windows, *sites; /* index in the stream by reference or place */
    struct ws_map *epochs;                  /* windows in which accesses have been started by MPI_Win_start */
};
int ws_otf2_write(OTF2_Reader *reader, const struct ws_otf2_location *location, struct ws_otf2_target *target,
                  struct ws_error *error);
/* Reads the events of one location with these callbacks. */
int ws_otf2_read(OTF2_Reader *reader, OTF2_LocationRef location, OTF2_EvtReaderCallbacks *callbacks,
                 void *user, struct ws_error *error);

#endif
