#include "import/otf2/otf2.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define DONE OTF2_CALLBACK_SUCCESS
#define SEEN                                                                                                 \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,                           \
        OTF2_AttributeList *attributes
#define UNUSED_SEEN (void)location, (void)position, (void)attributes

/* ---- reading ---- */

/* OTF2 wants a number. */
#define EVENTS_AT_ONCE UINT64_C(1048576)

int ws_otf2_read(OTF2_Reader *reader, OTF2_LocationRef location, OTF2_EvtReaderCallbacks *callbacks,
                 void *user, struct ws_error *error)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    uint64_t read = 0;

    if (events && OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, user) == OTF2_SUCCESS)
        do
            code = OTF2_Reader_ReadLocalEvents(reader, events, EVENTS_AT_ONCE, &read);
        while (code == OTF2_SUCCESS && read == EVENTS_AT_ONCE);
    if (events)
        OTF2_Reader_CloseEvtReader(reader, events);
    if (code != OTF2_SUCCESS)
        return ws_fail(error, WS_BAD_INPUT, "the events of location %llu cannot be read",
                       (unsigned long long)location);
    return 0;
}

/* ---- requests ---- */

static void see_time(struct ws_otf2_outcomes *outcomes, OTF2_TimeStamp time)
{
    outcomes->first = time < outcomes->first ? time : outcomes->first;
    outcomes->last = time > outcomes->last ? time : outcomes->last;
}

static void start(struct ws_otf2_outcomes *outcomes, uint64_t request, bool collective)
{
    uint64_t early = ws_map_get(&outcomes->early, request);
    struct ws_otf2_outcome *outcome = &WS_PUSH(outcomes->list, outcomes->count, outcomes->capacity);

    *outcome = (struct ws_otf2_outcome){.collective = collective};
    if (early) { /* another thread's end of it, which was read before */
        *outcome = outcomes->ends[early - 1];
        ws_map_remove(&outcomes->early, request);
        return;
    }
    ws_map_put(&outcomes->open, request, outcomes->count);
}

static void end(struct ws_otf2_outcomes *outcomes, uint64_t request, struct ws_otf2_outcome outcome)
{
    uint64_t open = ws_map_get(&outcomes->open, request);

    outcome.done = true;
    if (open) {
        outcome.collective = outcomes->list[open - 1].collective;
        outcomes->list[open - 1] = outcome;
        ws_map_remove(&outcomes->open, request);
    } else if (outcomes->several) {
        WS_PUSH(outcomes->ends, outcomes->end_count, outcomes->end_capacity) = outcome;
        ws_map_put(&outcomes->early, request, outcomes->end_count);
    }
}

static OTF2_CallbackCode see_isend(SEEN, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                   uint64_t request)
{
    UNUSED_SEEN, (void)receiver, (void)comm, (void)tag, (void)bytes;
    see_time(user, time);
    start(user, request, false);
    return DONE;
}

static OTF2_CallbackCode see_request(SEEN, uint64_t request)
{
    UNUSED_SEEN;
    see_time(user, time);
    start(user, request, false);
    return DONE;
}

static OTF2_CallbackCode see_collective_request(SEEN, uint64_t request)
{
    UNUSED_SEEN;
    see_time(user, time);
    start(user, request, true);
    return DONE;
}

static OTF2_CallbackCode see_sent(SEEN, uint64_t request)
{
    UNUSED_SEEN;
    see_time(user, time);
    end(user, request, (struct ws_otf2_outcome){0});
    return DONE;
}

static OTF2_CallbackCode see_cancelled(SEEN, uint64_t request)
{
    UNUSED_SEEN;
    see_time(user, time);
    end(user, request, (struct ws_otf2_outcome){.cancelled = true, .comm = OTF2_UNDEFINED_COMM});
    return DONE;
}

static OTF2_CallbackCode see_received(SEEN, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                      uint64_t request)
{
    UNUSED_SEEN;
    see_time(user, time);
    end(user, request, (struct ws_otf2_outcome){.comm = comm, .peer = sender, .tag = tag, .received = bytes});
    return DONE;
}

static OTF2_CallbackCode see_collective(SEEN, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
                                        uint64_t sent, uint64_t received, uint64_t request)
{
    UNUSED_SEEN;
    see_time(user, time);
    end(user, request,
        (struct ws_otf2_outcome){
            .comm = comm, .peer = root, .tag = operation, .sent = sent, .received = received});
    return DONE;
}

/* ---- the begin and the end of the process ---- */

static const char *name_of(const struct ws_otf2_outcomes *outcomes, OTF2_RegionRef region)
{
    const struct ws_otf2_region *found = WS_OTF2_GET(outcomes->definitions, region, region);
    return found ? found->name : "";
}

static OTF2_CallbackCode see_enter(SEEN, OTF2_RegionRef region)
{
    struct ws_otf2_outcomes *outcomes = user;

    UNUSED_SEEN;
    see_time(outcomes, time);
    if (strcmp(name_of(outcomes, region), "MPI_Finalize") == 0)
        outcomes->end = time;
    return DONE;
}

static OTF2_CallbackCode see_leave(SEEN, OTF2_RegionRef region)
{
    struct ws_otf2_outcomes *outcomes = user;
    const char *name = name_of(outcomes, region);

    UNUSED_SEEN;
    see_time(outcomes, time);
    if (strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0)
        outcomes->begin = time;
    return DONE;
}

static OTF2_RegionRef region_of(const struct ws_otf2_outcomes *outcomes, OTF2_CallingContextRef context)
{
    const struct ws_otf2_context *found = WS_OTF2_GET(outcomes->definitions, context, context);
    return found ? found->region : OTF2_UNDEFINED_REGION;
}

static OTF2_CallbackCode see_context_enter(SEEN, OTF2_CallingContextRef context, uint32_t distance)
{
    (void)distance;
    return see_enter(location, time, position, user, attributes, region_of(user, context));
}

static OTF2_CallbackCode see_context_leave(SEEN, OTF2_CallingContextRef context)
{
    return see_leave(location, time, position, user, attributes, region_of(user, context));
}

int ws_otf2_find_outcomes(OTF2_Reader *reader, const struct ws_otf2_definitions *definitions,
                          const struct ws_otf2_location *location, struct ws_otf2_outcomes *outcomes,
                          struct ws_error *error)
{
    OTF2_EvtReaderCallbacks *see = OTF2_EvtReaderCallbacks_New();
    int result;

    outcomes->definitions = definitions;
    OTF2_EvtReaderCallbacks_SetEnterCallback(see, see_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(see, see_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(see, see_context_enter);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(see, see_context_leave);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(see, see_isend);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(see, see_request);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(see, see_sent);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(see, see_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(see, see_received);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(see, see_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(see, see_collective);
    result = ws_otf2_read(reader, location->self, see, outcomes, error);
    OTF2_EvtReaderCallbacks_Delete(see);
    return result;
}

void ws_otf2_outcomes_free(struct ws_otf2_outcomes *outcomes)
{
    free(outcomes->list);
    free(outcomes->ends);
    ws_map_free(&outcomes->open);
    ws_map_free(&outcomes->early);
    *outcomes = (struct ws_otf2_outcomes){0};
}
