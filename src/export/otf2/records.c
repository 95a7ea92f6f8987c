#include "export/otf2/otf2.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

OTF2_LocationRef ws_otf2_location_ref(uint32_t rank, uint32_t thread)
{
    return (uint64_t)thread << 32 | rank;
}

void ws_otf2_check(struct ws_otf2_archive *archive, OTF2_ErrorCode code)
{
    archive->failed |= code != OTF2_SUCCESS;
}

OTF2_TimeStamp ws_otf2_tick(const struct ws_otf2_archive *archive, struct ws_otf2_location *location,
                            int64_t ns)
{
    int64_t since = ws_since(archive->out, ns);
    OTF2_TimeStamp tick = since < 0 ? 0 : (OTF2_TimeStamp)since;

    location->last = tick > location->last ? tick : location->last;
    return location->last;
}

/* An event on its way into a record. */
struct step {
    struct ws_otf2_archive *archive;
    OTF2_EvtWriter *writer;
    OTF2_TimeStamp tick;
    const struct ws_shown_call *call;
    const struct ws_event *event;
    const struct ws_meaning *meaning;
};

static int64_t param(const struct step *step, enum ws_known_param known)
{
    return ws_known(step->meaning, step->event, known, 0);
}

static OTF2_CommRef comm_of(const struct step *step)
{
    return ws_otf2_comm(step->archive, step->call->rank, param(step, WS_KNOWN_COMM));
}

/* ---- messages ---- */

static OTF2_ErrorCode send(const struct step *step)
{
    OTF2_CommRef comm = comm_of(step);
    uint32_t peer = ws_otf2_rank_in(step->archive, comm, param(step, WS_KNOWN_PEER));
    uint32_t tag = (uint32_t)param(step, WS_KNOWN_TAG);
    uint64_t bytes = (uint64_t)param(step, WS_KNOWN_BYTES);

    if (ws_is_start(step->event))
        return OTF2_EvtWriter_MpiIsend(step->writer, NULL, step->tick, peer, comm, tag, bytes,
                                       step->event->mark);
    if (step->event->mark)
        return OTF2_EvtWriter_MpiIsendComplete(step->writer, NULL, step->tick, step->event->mark);
    return OTF2_EvtWriter_MpiSend(step->writer, NULL, step->tick, peer, comm, tag, bytes);
}

static OTF2_ErrorCode receive(const struct step *step)
{
    OTF2_CommRef comm;
    uint32_t peer, tag = (uint32_t)param(step, WS_KNOWN_TAG);
    uint64_t bytes = (uint64_t)param(step, WS_KNOWN_BYTES);

    if (ws_is_start(step->event))
        return OTF2_EvtWriter_MpiIrecvRequest(step->writer, NULL, step->tick, step->event->mark);
    comm = comm_of(step);
    peer = ws_otf2_rank_in(step->archive, comm, param(step, WS_KNOWN_PEER));
    if (step->event->mark)
        return OTF2_EvtWriter_MpiIrecv(step->writer, NULL, step->tick, peer, comm, tag, bytes,
                                       step->event->mark);
    return OTF2_EvtWriter_MpiRecv(step->writer, NULL, step->tick, peer, comm, tag, bytes);
}

/* ---- collective operations ---- */

static const struct {
    const char *name;
    OTF2_CollectiveOp operation;
} operations[] = {
    {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"gather", OTF2_COLLECTIVE_OP_GATHER},
    {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"scan", OTF2_COLLECTIVE_OP_SCAN},
    {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
    /* types of events, where the function is MPI_Start */
    {"broadcast", OTF2_COLLECTIVE_OP_BCAST},
    {"nxn", OTF2_COLLECTIVE_OP_ALLREDUCE},
};

static bool find_operation(const char *name, OTF2_CollectiveOp *operation)
{
    size_t length = strlen(name);

    if (length > 2 && strcmp(name + length - 2, "_c") == 0)
        length -= 2;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strlen(operations[i].name) == length && strncasecmp(operations[i].name, name, length) == 0) {
            *operation = operations[i].operation;
            return true;
        }
    return false;
}

/* By the function that started it: MPI_Ibcast is a broadcast. */
static OTF2_CollectiveOp operation_of(const struct step *step)
{
    const char *function = step->event->value[WS_ATTR_POSTED_FUNCTION].s;
    const char *name = strchr(function, '_') ? strchr(function, '_') + 1 : function;
    OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;

    if (!find_operation(name, &operation) && !(*name == 'I' && find_operation(name + 1, &operation)))
        find_operation(step->meaning->type, &operation);
    return operation;
}

static bool takes_bytes(const struct step *step)
{
    return strcmp(step->meaning->type, "broadcast") == 0;
}

static OTF2_ErrorCode collective(const struct step *step)
{
    OTF2_CommRef comm;
    uint64_t bytes = (uint64_t)param(step, WS_KNOWN_BYTES), sent = bytes, received = bytes;
    uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;

    if (ws_is_start(step->event))
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(step->writer, NULL, step->tick, step->event->mark);
    comm = comm_of(step);
    if (step->meaning->slot[WS_KNOWN_ROOT] >= 0 && param(step, WS_KNOWN_ROOT) >= 0) {
        root = ws_otf2_rank_in(step->archive, comm, param(step, WS_KNOWN_ROOT));
        if (!param(step, WS_KNOWN_IS_ROOT))
            *(takes_bytes(step) ? &sent : &received) = 0;
    }
    if (param(step, WS_KNOWN_TAKEN))
        received = (uint64_t)param(step, WS_KNOWN_TAKEN);
    if (step->event->mark)
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(step->writer, NULL, step->tick,
                                                            operation_of(step), comm, root, sent, received,
                                                            step->event->mark);
    return OTF2_EvtWriter_MpiCollectiveEnd(step->writer, NULL, step->tick, operation_of(step), comm, root,
                                           sent, received);
}

/* ---- remote memory access ---- */

static OTF2_RmaWinRef window_of(const struct step *step)
{
    return ws_otf2_window(step->archive, param(step, WS_KNOWN_WINDOW));
}

/* The rank in the window's communicator. */
static uint32_t target_of(const struct step *step, enum ws_known_param known)
{
    OTF2_RmaWinRef window = window_of(step);
    OTF2_CommRef comm = step->archive->windows[window].comm;

    return comm == OTF2_UNDEFINED_COMM ? (uint32_t)param(step, known)
                                       : ws_otf2_rank_in(step->archive, comm, param(step, known));
}

static OTF2_ErrorCode make_window(const struct step *step)
{
    ws_otf2_window_made(step->archive, param(step, WS_KNOWN_WINDOW), comm_of(step));
    return OTF2_EvtWriter_RmaWinCreate(step->writer, NULL, step->tick, window_of(step));
}

static OTF2_ErrorCode access_memory(const struct step *step)
{
    const char *function = step->event->value[WS_ATTR_POSTED_FUNCTION].s;
    OTF2_RmaWinRef window = window_of(step);
    uint32_t target = target_of(step, WS_KNOWN_TARGET);
    uint64_t bytes = (uint64_t)param(step, WS_KNOWN_BYTES), number = ++step->archive->accesses;

    if (strcmp(function, "MPI_Get") == 0 || strcmp(function, "MPI_Rget") == 0)
        return OTF2_EvtWriter_RmaGet(step->writer, NULL, step->tick, window, target, bytes, number);
    if (strcmp(function, "MPI_Put") == 0 || strcmp(function, "MPI_Rput") == 0)
        return OTF2_EvtWriter_RmaPut(step->writer, NULL, step->tick, window, target, bytes, number);
    if (strcmp(function, "MPI_Accumulate") == 0 || strcmp(function, "MPI_Raccumulate") == 0)
        return OTF2_EvtWriter_RmaAtomic(step->writer, NULL, step->tick, window, target,
                                        OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, bytes, 0, number);
    return OTF2_EvtWriter_RmaAtomic(step->writer, NULL, step->tick, window, target,
                                    OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                                    (uint64_t)param(step, WS_KNOWN_GIVEN), bytes, number);
}

static OTF2_ErrorCode epoch(const struct step *step)
{
    bool accesses = step->meaning->slot[WS_KNOWN_TARGET] >= 0;
    int64_t peer = param(step, accesses ? WS_KNOWN_TARGET : WS_KNOWN_ORIGIN);

    return OTF2_EvtWriter_RmaGroupSync(step->writer, NULL, step->tick, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                       window_of(step), ws_otf2_group_of_one(step->archive, peer));
}

static OTF2_ErrorCode fence(const struct step *step)
{
    OTF2_ErrorCode code = OTF2_EvtWriter_RmaCollectiveBegin(step->writer, NULL, step->tick);

    if (code != OTF2_SUCCESS)
        return code;
    return OTF2_EvtWriter_RmaCollectiveEnd(step->writer, NULL, step->tick, OTF2_COLLECTIVE_OP_BARRIER,
                                           OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                           window_of(step), OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

/* ---- what OTF2 does not know ---- */

/* A parameter of the call's region, with the event's parameters as attributes. */
static OTF2_ErrorCode other(const struct step *step)
{
    const struct ws_schema_type *type = &step->archive->out->schema->types[ws_type_of(step->event)];

    ws_otf2_add_params(step->archive, step->call->rank, ws_type_of(step->event), step->event);
    return OTF2_EvtWriter_ParameterString(step->writer, step->archive->attributes, step->tick, 0,
                                          ws_otf2_string(step->archive, type->name));
}

/* What OTF2 has records for; of the rest the call tells its parameters. */
static OTF2_ErrorCode window_or_other(const struct step *step)
{
    switch (step->meaning->means) {
    case WS_MEANS_WINDOW:
        return make_window(step);
    case WS_MEANS_WINDOW_FREE:
        return OTF2_EvtWriter_RmaWinDestroy(step->writer, NULL, step->tick, window_of(step));
    case WS_MEANS_LOCK:
        return OTF2_EvtWriter_RmaAcquireLock(
            step->writer, NULL, step->tick, window_of(step), target_of(step, WS_KNOWN_TARGET), 0,
            param(step, WS_KNOWN_EXCLUSIVE) ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
    case WS_MEANS_UNLOCK:
        return OTF2_EvtWriter_RmaReleaseLock(step->writer, NULL, step->tick, window_of(step),
                                             target_of(step, WS_KNOWN_TARGET), 0);
    case WS_MEANS_RMA:
        return access_memory(step);
    case WS_MEANS_FENCE:
        return fence(step);
    case WS_MEANS_POST:
    case WS_MEANS_START:
    case WS_MEANS_COMPLETE:
    case WS_MEANS_EXPOSURE_WAIT:
        return epoch(step);
    default:
        return other(step);
    }
}

/* ---- all ---- */

/* Whether an event is told where its call begins: what is done there, not what has come of it. */
static bool is_of_begin(const struct ws_meaning *meaning, const struct ws_event *event)
{
    if (ws_is_start(event))
        return true;
    return (meaning->means == WS_MEANS_SEND && !event->mark) || meaning->means == WS_MEANS_RMA;
}

static OTF2_ErrorCode write_event(const struct step *step)
{
    switch (step->meaning->means) {
    case WS_MEANS_SEND:
        return send(step);
    case WS_MEANS_RECV:
        return receive(step);
    case WS_MEANS_COLLECTIVE:
        return collective(step);
    default:
        return ws_is_start(step->event) ? OTF2_SUCCESS : window_or_other(step);
    }
}

void ws_otf2_write_events(struct ws_otf2_archive *archive, struct ws_otf2_location *location,
                          const struct ws_shown_call *call, bool at_begin)
{
    struct step step = {.archive = archive,
                        .writer = location->writer,
                        .tick = ws_otf2_tick(archive, location, at_begin ? call->t_ns : call->end_ns),
                        .call = call};

    for (size_t i = 0; i < call->event_count; i++) {
        step.event = call->events[i];
        step.meaning = &archive->out->meanings[ws_type_of(step.event)];
        if (at_begin && step.meaning->means == WS_MEANS_COLLECTIVE && !step.event->mark)
            ws_otf2_check(archive, OTF2_EvtWriter_MpiCollectiveBegin(location->writer, NULL, step.tick));
        if (is_of_begin(step.meaning, step.event) == at_begin)
            ws_otf2_check(archive, write_event(&step));
    }
}
