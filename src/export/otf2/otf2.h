/* Writing an OTF2 archive by OTF2's own library.
 *   otf2.c         the archive, its locations and calls
 *   records.c      what came of a call, as OTF2's records
 *   definitions.c  what the records refer to, written at the end */
#ifndef WS_EXPORT_OTF2_H
#define WS_EXPORT_OTF2_H

#include "export/dictionary.h"
#include "export/formats.h"

#include <otf2/otf2.h>

/* Names under which what OTF2 has no room for is kept, so that our own import finds it
 * (src/import/otf2/otf2.h). */
#define WS_OTF2_CALLER "Whyslow: caller"
#define WS_OTF2_CALL_SITE "Whyslow: call site"
#define WS_OTF2_EVENT "Whyslow: event"
#define WS_OTF2_PARAM "Whyslow: "

struct ws_otf2_place { /* a line of a file */
    OTF2_StringRef file;
    uint32_t line;
};
struct ws_otf2_group { /* of communicators; then its members as ranks in the world, uint64_t */
    uint64_t type;
};
struct ws_otf2_comm {
    int64_t identity;
    OTF2_GroupRef group;
};
struct ws_otf2_window {
    int64_t identity;
    OTF2_CommRef comm; /* OTF2_UNDEFINED_COMM until it is seen to be made */
};
struct ws_otf2_location {
    OTF2_EvtWriter *writer;
    OTF2_TimeStamp last; /* no record is earlier */
};

struct ws_otf2_archive {
    struct ws_export *out;
    OTF2_Archive *archive;
    OTF2_MarkerWriter *markers;
    OTF2_AttributeList *attributes;
    struct ws_text words; /* OTF2's own on the first thing that went wrong */
    OTF2_ErrorCallback callback_before;
    struct ws_dictionary *texts, *regions, *places, *groups, *problems;
    struct ws_dictionary *params; /* names of parameters, each with its type in OTF2 before it */
    struct ws_dictionary *comm_names, *window_names; /* of identities */
    struct ws_otf2_comm *comms;
    struct ws_otf2_window *windows;
    size_t comm_count, comm_capacity, window_count, window_capacity;
    struct ws_otf2_location **ranks; /* [ranks]: by thread */
    uint32_t *threads;               /* [ranks]: how many */
    uint64_t accesses;               /* so far: remote memory accesses have a number each */
    bool failed;                     /* OTF2 refused something */
};

/* ---- definitions ---- */
OTF2_StringRef ws_otf2_string(struct ws_otf2_archive *archive, const char *text);
OTF2_RegionRef ws_otf2_region(struct ws_otf2_archive *archive, const char *function);
OTF2_SourceCodeLocationRef ws_otf2_place(struct ws_otf2_archive *archive, const char *file, int line);
OTF2_CommRef ws_otf2_comm(struct ws_otf2_archive *archive, uint32_t rank, int64_t identity);
OTF2_RmaWinRef ws_otf2_window(struct ws_otf2_archive *archive, int64_t identity);
void ws_otf2_window_made(struct ws_otf2_archive *archive, int64_t identity, OTF2_CommRef comm);
OTF2_GroupRef ws_otf2_group_of_one(struct ws_otf2_archive *archive, int64_t rank);
/* The rank in a communicator of a rank in the world; 0 where it is not known. */
uint32_t ws_otf2_rank_in(struct ws_otf2_archive *archive, OTF2_CommRef comm, int64_t rank);
/* Fills `attributes` with an event's parameters. */
void ws_otf2_add_params(struct ws_otf2_archive *archive, uint32_t rank, uint32_t type,
                        const struct ws_event *event);
enum { WS_OTF2_CALLER_ATTRIBUTE, WS_OTF2_CALL_SITE_ATTRIBUTE, WS_OTF2_FIRST_PARAM };
int ws_otf2_write_definitions(struct ws_otf2_archive *archive);

/* ---- records ---- */
OTF2_LocationRef ws_otf2_location_ref(uint32_t rank, uint32_t thread);
/* Of all that came of a call: what is told at its begin, or at its end. */
void ws_otf2_write_events(struct ws_otf2_archive *archive, struct ws_otf2_location *location,
                          const struct ws_shown_call *call, bool at_begin);
/* The moment in ticks, which never go back at a location. */
OTF2_TimeStamp ws_otf2_tick(const struct ws_otf2_archive *archive, struct ws_otf2_location *location,
                            int64_t ns);
void ws_otf2_check(struct ws_otf2_archive *archive, OTF2_ErrorCode code);

#endif
