#include "import/otf2/otf2.h"

#include "trace/layout.h"
#include "util/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DONE OTF2_CALLBACK_SUCCESS
#define SEEN                                                                                                 \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,                           \
        OTF2_AttributeList *attributes
#define UNUSED_SEEN (void)location, (void)time, (void)position, (void)attributes
#define NO_PEER (-1)

/* What came of the present call, until its end is known. */
struct item {
    const char *type; /* NULL: the end of an operation that an earlier call started */
    enum ws_role role;
    struct ws_facts_of facts;
    uint64_t meeting; /* all wait for all: its key; else 0 */
};
struct frame {
    const struct ws_otf2_region *region; /* NULL: not defined */
};
struct place {
    const char *function, *file;
    uint32_t line;
};
struct reading {
    struct ws_otf2_target *target;
    const struct ws_otf2_definitions *definitions;
    int64_t rank;
    struct frame *stack; /* the regions that have been entered */
    size_t depth, stack_capacity;
    size_t call_depth; /* of the stack with the call; 0: there is none */
    int64_t call_ns, now_ns;
    struct place caller;
    uint32_t new_comm; /* that the call has made: its index */
    bool begun;        /* a collective operation, whose end is not yet told */
    struct item *items;
    size_t item_count, item_capacity;
};

/* ---- what the stream must define ---- */

static uint32_t comm_index(struct reading *reading, OTF2_CommRef ref)
{
    const struct ws_otf2_definitions *definitions = reading->definitions;
    const struct ws_otf2_comm *comm = WS_OTF2_GET(definitions, comm, ref);
    const struct ws_otf2_group *peers;
    struct ws_map *known = reading->target->comms;
    uint32_t index = (uint32_t)ws_map_get(known, (uint64_t)ref);
    int32_t *ranks;

    if (!comm || index)
        return index;
    if (comm->group->type == OTF2_GROUP_TYPE_COMM_SELF)
        return WS_COMM_SELF_ID;
    if (comm->is_world)
        return WS_COMM_WORLD_ID;
    index = (uint32_t)known->count + WS_COMM_SELF_ID + 1;
    ws_map_put(known, (uint64_t)ref, index);
    peers = ws_otf2_peers(definitions, comm, reading->rank);
    ranks = ws_alloc_array(peers->size, sizeof *ranks);
    for (uint32_t i = 0; i < peers->size; i++)
        ranks[i] = (int32_t)ws_otf2_world_rank(definitions, peers, i, reading->rank);
    ws_writer_comm(reading->target->writer, reading->now_ns, index, comm->identity, ranks, peers->size);
    free(ranks);
    return index;
}

static uint32_t window_index(struct reading *reading, OTF2_RmaWinRef ref)
{
    const struct ws_otf2_window *window = WS_OTF2_GET(reading->definitions, window, ref);
    struct ws_map *known = reading->target->windows;
    uint32_t index = (uint32_t)ws_map_get(known, (uint64_t)ref);

    if (!window || index)
        return index;
    index = (uint32_t)known->count + 1;
    ws_map_put(known, (uint64_t)ref, index);
    ws_writer_window(reading->target->writer, reading->now_ns, index, window->identity,
                     comm_index(reading, window->comm));
    return index;
}

void ws_otf2_places_free(struct ws_otf2_places *places)
{
    ws_text_free(&places->file);
    ws_map_free(&places->by_hash);
}

static uint32_t place_number(struct ws_otf2_places *places, const struct place *place)
{
    uint64_t hash = ws_hash(WS_HASH_START, place->function, strlen(place->function) + 1);
    uint64_t known;

    hash = ws_hash(hash, place->file, strlen(place->file) + 1);
    hash = ws_hash(hash, &place->line, sizeof place->line);
    known = ws_map_get(&places->by_hash, hash);
    if (known)
        return (uint32_t)known - 1;
    ws_places_add(&places->file, &(struct ws_site){.module = places->module,
                                                   .offset = places->count,
                                                   .function = place->function,
                                                   .file = place->file,
                                                   .line = place->line > INT32_MAX ? 0 : (int)place->line});
    ws_map_put(&places->by_hash, hash, ++places->count);
    return places->count - 1;
}

/* The site of the present call: where nobody is known to call, that of the function alone. */
static uint32_t site_index(struct reading *reading, int function)
{
    struct ws_otf2_target *target = reading->target;
    size_t functions = reading->definitions->schema->function_count;
    uint32_t place, site;
    uint64_t key;

    if (!*reading->caller.function && !*reading->caller.file)
        return (uint32_t)function;
    place = place_number(target->places, &reading->caller);
    key = (uint64_t)place << 16 | (uint64_t)function;
    site = (uint32_t)ws_map_get(target->sites, key);
    if (!site) {
        site = (uint32_t)(functions + target->sites->count);
        ws_map_put(target->sites, key, site);
        ws_writer_site(target->writer, reading->now_ns, site, (uint16_t)function, target->places->module,
                       place);
    }
    return site;
}

/* ---- calls ---- */

static const struct ws_otf2_region *called(const struct reading *reading)
{
    return reading->stack[reading->call_depth - 1].region;
}

/* The source location and the function that are told of the caller, by attributes of the call. */
static void take_caller(struct reading *reading, OTF2_AttributeList *attributes)
{
    const struct ws_otf2_definitions *definitions = reading->definitions;
    OTF2_SourceCodeLocationRef site;
    OTF2_StringRef caller;

    if (OTF2_AttributeList_GetNumberOfElements(attributes) == 0)
        return;
    if (definitions->caller != OTF2_UNDEFINED_ATTRIBUTE &&
        OTF2_AttributeList_GetStringRef(attributes, definitions->caller, &caller) == OTF2_SUCCESS)
        reading->caller.function = ws_otf2_text(definitions, caller);
    if (definitions->call_site != OTF2_UNDEFINED_ATTRIBUTE &&
        OTF2_AttributeList_GetSourceCodeLocationRef(attributes, definitions->call_site, &site) ==
            OTF2_SUCCESS) {
        const struct ws_otf2_line *line = WS_OTF2_GET(definitions, line, site);
        reading->caller.file = line ? line->file : "";
        reading->caller.line = line ? line->line : 0;
        reading->target->gaps->has_sites = true;
    }
}

/* The region around the call says where its function begins; one with a file and no line is a tool's own. */
static void take_surroundings(struct reading *reading)
{
    const struct ws_otf2_region *around =
        reading->depth > 1 ? reading->stack[reading->depth - 2].region : NULL;

    reading->caller = (struct place){"", "", 0};
    if (!around || around->function >= 0 || (*around->file && !around->line))
        return;
    reading->caller = (struct place){around->name, around->file, around->line};
    reading->target->gaps->has_callers = true;
}

static void enter(struct reading *reading, const struct ws_otf2_region *region)
{
    WS_PUSH(reading->stack, reading->depth, reading->stack_capacity) = (struct frame){region};
    if (reading->call_depth || !region || region->function < 0)
        return;
    reading->call_depth = reading->depth;
    reading->call_ns = reading->now_ns;
    reading->item_count = 0;
    reading->new_comm = 0;
    reading->begun = false;
    take_surroundings(reading);
}

static void write_call(struct reading *reading)
{
    struct ws_writer *writer = reading->target->writer;
    uint32_t site;

    if (!reading->item_count)
        return;
    site = site_index(reading, called(reading)->function);
    ws_writer_call(writer, reading->call_ns, reading->now_ns, site);
    for (size_t i = 0; i < reading->item_count; i++) {
        const struct item *item = &reading->items[i];
        ws_fields_write(reading->target->fields, writer, item->type, item->role, &item->facts);
        if (item->meeting)
            ws_otf2_meet(reading->target->meetings, item->meeting, reading->rank, reading->call_ns,
                         reading->now_ns);
    }
}

static void leave(struct reading *reading)
{
    if (!reading->depth)
        return;
    if (reading->depth == reading->call_depth) {
        reading->target->gaps->collectives += reading->begun;
        write_call(reading);
        reading->call_depth = 0;
    }
    reading->depth--;
}

static OTF2_CallbackCode see_enter(SEEN, OTF2_RegionRef region)
{
    struct reading *reading = user;

    UNUSED_SEEN;
    reading->now_ns = ws_otf2_ns(reading->definitions, time);
    enter(reading, WS_OTF2_GET(reading->definitions, region, region));
    if (reading->call_depth == reading->depth)
        take_caller(reading, attributes);
    return DONE;
}

static OTF2_CallbackCode see_leave(SEEN, OTF2_RegionRef region)
{
    struct reading *reading = user;

    UNUSED_SEEN, (void)region;
    reading->now_ns = ws_otf2_ns(reading->definitions, time);
    leave(reading);
    return DONE;
}

/* A calling context is a place in a tree of calls: its own place is where it was called. */
static OTF2_CallbackCode see_context_enter(SEEN, OTF2_CallingContextRef ref, uint32_t distance)
{
    struct reading *reading = user;
    const struct ws_otf2_definitions *definitions = reading->definitions;
    const struct ws_otf2_context *context = WS_OTF2_GET(definitions, context, ref), *parent;
    const struct ws_otf2_region *region, *around;
    const struct ws_otf2_line *line;

    UNUSED_SEEN, (void)distance;
    reading->now_ns = ws_otf2_ns(definitions, time);
    enter(reading, context ? WS_OTF2_GET(definitions, region, context->region) : NULL);
    if (!context || reading->call_depth != reading->depth)
        return DONE;
    parent = WS_OTF2_GET(definitions, context, context->parent);
    around = parent ? WS_OTF2_GET(definitions, region, parent->region) : NULL;
    line = WS_OTF2_GET(definitions, line, context->place);
    region = called(reading);
    if (around && around != region)
        reading->caller.function = around->name;
    if (line) {
        reading->caller.file = line->file;
        reading->caller.line = line->line;
        reading->target->gaps->has_sites = true;
    }
    return DONE;
}

static OTF2_CallbackCode see_context_leave(SEEN, OTF2_CallingContextRef context)
{
    (void)context;
    return see_leave(location, time, position, user, attributes, OTF2_UNDEFINED_REGION);
}

/* One more thing that came of the call; NULL: there is no call that it could be of. */
static struct item *add(struct reading *reading, const char *type, enum ws_role role)
{
    struct item *item;

    if (!reading->call_depth) {
        reading->target->gaps->homeless++;
        return NULL;
    }
    item = &WS_PUSH(reading->items, reading->item_count, reading->item_capacity);
    *item = (struct item){.type = type, .role = role};
    return item;
}
#define FACT(item, name) ((item)->facts.value[WS_FIELD_##name])

/* ---- messages ---- */

static void fill_message(struct reading *reading, struct item *item, uint32_t peer, OTF2_CommRef ref,
                         uint32_t tag, uint64_t bytes)
{
    const struct ws_otf2_comm *comm = WS_OTF2_GET(reading->definitions, comm, ref);
    const char *function = called(reading)->name;

    FACT(item, comm) = comm_index(reading, ref);
    FACT(item, tag) = (int32_t)tag;
    FACT(item, bytes) = (int64_t)bytes;
    FACT(item, synchronous) = strstr(function, "ssend") || strstr(function, "Ssend");
    FACT(item, source) = (int32_t)peer;
    FACT(item, peer) = NO_PEER;
    if (comm)
        FACT(item, peer) =
            ws_otf2_world_rank(reading->definitions, ws_otf2_peers(reading->definitions, comm, reading->rank),
                               peer, reading->rank);
}

static OTF2_CallbackCode see_send(SEEN, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct item *item = add(user, "send", WS_ROLE_PLAIN);

    UNUSED_SEEN;
    if (item)
        fill_message(user, item, receiver, comm, tag, bytes);
    return DONE;
}

static OTF2_CallbackCode see_recv(SEEN, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct item *item = add(user, "recv", WS_ROLE_PLAIN);

    UNUSED_SEEN;
    if (item)
        fill_message(user, item, sender, comm, tag, bytes);
    return DONE;
}

/* What the first reading found out of the start that is seen now. */
static const struct ws_otf2_outcome *next_outcome(struct reading *reading)
{
    static const struct ws_otf2_outcome none;
    struct ws_otf2_outcomes *outcomes = reading->target->outcomes;

    return outcomes->next < outcomes->count ? &outcomes->list[outcomes->next++] : &none;
}

/* A send whose end is not told counts as over when it is started. */
static OTF2_CallbackCode see_isend(SEEN, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                   uint64_t request)
{
    struct reading *reading = user;
    const struct ws_otf2_outcome *outcome = next_outcome(reading);
    struct item *item = add(reading, "send", outcome->done ? WS_ROLE_START : WS_ROLE_PLAIN);

    UNUSED_SEEN;
    reading->target->gaps->sends += !outcome->done;
    if (item) {
        fill_message(reading, item, receiver, comm, tag, bytes);
        FACT(item, request) = (int64_t)request;
    }
    return DONE;
}

/* Of a receive its start says nothing: its end does. */
static OTF2_CallbackCode see_irecv_request(SEEN, uint64_t request)
{
    struct reading *reading = user;
    const struct ws_otf2_outcome *outcome = next_outcome(reading);
    struct item *item;

    UNUSED_SEEN;
    reading->target->gaps->receives += !outcome->done;
    if (!outcome->done || outcome->cancelled)
        return DONE;
    item = add(reading, "recv", WS_ROLE_START);
    if (item) {
        fill_message(reading, item, outcome->peer, outcome->comm, outcome->tag, outcome->received);
        FACT(item, request) = (int64_t)request;
    }
    return DONE;
}

static OTF2_CallbackCode see_irecv(SEEN, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                   uint64_t request)
{
    struct item *item = add(user, NULL, WS_ROLE_COMPLETE);

    UNUSED_SEEN;
    if (item) {
        fill_message(user, item, sender, comm, tag, bytes);
        FACT(item, request) = (int64_t)request;
    }
    return DONE;
}

static OTF2_CallbackCode see_end(struct reading *reading, uint64_t request, bool cancelled)
{
    struct item *item = add(reading, NULL, WS_ROLE_COMPLETE);

    if (item) {
        FACT(item, request) = (int64_t)request;
        FACT(item, cancelled) = cancelled;
    }
    return DONE;
}

static OTF2_CallbackCode see_isend_complete(SEEN, uint64_t request)
{
    UNUSED_SEEN;
    return see_end(user, request, false);
}

static OTF2_CallbackCode see_cancelled(SEEN, uint64_t request)
{
    UNUSED_SEEN;
    return see_end(user, request, true);
}

/* ---- collective operations ---- */

static const struct {
    const char *type;
    bool takes; /* its bytes are those that a process takes, else those that it gives (kb/mpi/collective.xml)
                 */
} collectives[] = {
    [OTF2_COLLECTIVE_OP_BARRIER] = {"barrier", false},
    [OTF2_COLLECTIVE_OP_BCAST] = {"broadcast", true},
    [OTF2_COLLECTIVE_OP_GATHER] = {"reduce", false},
    [OTF2_COLLECTIVE_OP_GATHERV] = {"reduce", false},
    [OTF2_COLLECTIVE_OP_SCATTER] = {"broadcast", true},
    [OTF2_COLLECTIVE_OP_SCATTERV] = {"broadcast", true},
    [OTF2_COLLECTIVE_OP_ALLGATHER] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_ALLGATHERV] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_ALLTOALL] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_ALLTOALLV] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_ALLTOALLW] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_ALLREDUCE] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_REDUCE] = {"reduce", false},
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = {"nxn", false},
    [OTF2_COLLECTIVE_OP_SCAN] = {"scan", false},
    [OTF2_COLLECTIVE_OP_EXSCAN] = {"scan", false},
    [OTF2_COLLECTIVE_OP_CREATE_HANDLE] = {"communicator", false},
    [OTF2_COLLECTIVE_OP_DESTROY_HANDLE] = {"communicator_free", false},
};
#define COLLECTIVES (sizeof collectives / sizeof *collectives)

static int64_t root_of(const struct reading *reading, const struct ws_otf2_comm *comm, uint32_t root)
{
    if (root == OTF2_COLLECTIVE_ROOT_SELF)
        return reading->rank;
    if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        return NO_PEER;
    return ws_otf2_world_rank(reading->definitions, ws_otf2_peers(reading->definitions, comm, reading->rank),
                              root, reading->rank);
}

/* This process's rank in a communicator; -1: none. */
static int64_t own_rank(const struct reading *reading, const struct ws_otf2_comm *comm)
{
    const struct ws_otf2_group *group = comm->group;

    if (comm->is_world)
        return reading->rank;
    if (ws_otf2_peers(reading->definitions, comm, reading->rank) == group && comm->other)
        group = comm->other;
    for (uint32_t i = 0; i < group->size; i++)
        if (ws_otf2_world_rank(reading->definitions, group, i, reading->rank) == reading->rank)
            return i;
    return group->type == OTF2_GROUP_TYPE_COMM_SELF ? 0 : -1;
}

static struct item *add_collective(struct reading *reading, enum ws_role role, uint32_t operation,
                                   OTF2_CommRef ref, uint32_t root, uint64_t sent, uint64_t received)
{
    const struct ws_otf2_comm *comm = WS_OTF2_GET(reading->definitions, comm, ref);
    struct item *item = NULL;

    if (comm && operation < COLLECTIVES && collectives[operation].type)
        item = add(reading, collectives[operation].type, role);
    if (!item)
        return NULL;
    FACT(item, comm) = comm_index(reading, ref);
    FACT(item, new_comm) = reading->new_comm;
    FACT(item, size) = comm->group->size + (comm->other ? comm->other->size : 0);
    FACT(item, root) = root_of(reading, comm, root);
    FACT(item, is_root) = FACT(item, root) == reading->rank;
    FACT(item, bytes) = (int64_t)(collectives[operation].takes ? received : sent);
    if (operation == OTF2_COLLECTIVE_OP_SCAN || operation == OTF2_COLLECTIVE_OP_EXSCAN)
        FACT(item, next) = own_rank(reading, comm) + 1;
    if (operation == OTF2_COLLECTIVE_OP_REDUCE_SCATTER ||
        operation == OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK)
        FACT(item, taken) = (int64_t)received;
    if (role == WS_ROLE_PLAIN &&
        (operation == OTF2_COLLECTIVE_OP_BARRIER || operation == OTF2_COLLECTIVE_OP_ALLREDUCE))
        item->meeting = (uint64_t)comm->identity << 32 | (operation + 1);
    return item;
}

static OTF2_CallbackCode see_collective_begin(SEEN)
{
    UNUSED_SEEN;
    ((struct reading *)user)->begun = true;
    return DONE;
}

static OTF2_CallbackCode see_collective(SEEN, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
                                        uint64_t sent, uint64_t received)
{
    UNUSED_SEEN;
    ((struct reading *)user)->begun = false;
    add_collective(user, WS_ROLE_PLAIN, operation, comm, root, sent, received);
    return DONE;
}

static OTF2_CallbackCode see_collective_request(SEEN, uint64_t request)
{
    struct reading *reading = user;
    const struct ws_otf2_outcome *outcome = next_outcome(reading);
    struct item *item;

    UNUSED_SEEN;
    reading->target->gaps->collectives += !outcome->done;
    if (!outcome->done || outcome->cancelled)
        return DONE;
    item = add_collective(reading, WS_ROLE_START, outcome->tag, outcome->comm, outcome->peer, outcome->sent,
                          outcome->received);
    if (item)
        FACT(item, request) = (int64_t)request;
    return DONE;
}

static OTF2_CallbackCode see_collective_complete(SEEN, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                                 uint32_t root, uint64_t sent, uint64_t received,
                                                 uint64_t request)
{
    UNUSED_SEEN, (void)operation, (void)comm, (void)root, (void)sent, (void)received;
    return see_end(user, request, false);
}

static OTF2_CallbackCode see_comm_create(SEEN, OTF2_CommRef comm)
{
    struct reading *reading = user;

    UNUSED_SEEN;
    reading->new_comm = comm_index(reading, comm);
    return DONE;
}

/* ---- remote memory access ---- */

static struct item *add_of_window(struct reading *reading, const char *type, OTF2_RmaWinRef ref)
{
    const struct ws_otf2_window *window = WS_OTF2_GET(reading->definitions, window, ref);
    const struct ws_otf2_comm *comm = window ? WS_OTF2_GET(reading->definitions, comm, window->comm) : NULL;
    struct item *item = comm ? add(reading, type, WS_ROLE_PLAIN) : NULL;

    if (!item)
        return NULL;
    FACT(item, window) = window_index(reading, ref);
    FACT(item, comm) = comm_index(reading, window->comm);
    FACT(item, size) = comm->group->size;
    return item;
}

static int64_t rank_in_window(const struct reading *reading, OTF2_RmaWinRef ref, uint32_t remote)
{
    const struct ws_otf2_window *window = WS_OTF2_GET(reading->definitions, window, ref);
    const struct ws_otf2_comm *comm = WS_OTF2_GET(reading->definitions, comm, window->comm);

    return ws_otf2_world_rank(reading->definitions, comm->group, remote, reading->rank);
}

static OTF2_CallbackCode see_window_create(SEEN, OTF2_RmaWinRef window)
{
    UNUSED_SEEN;
    add_of_window(user, "window", window);
    return DONE;
}

static OTF2_CallbackCode see_window_destroy(SEEN, OTF2_RmaWinRef window)
{
    UNUSED_SEEN;
    add_of_window(user, "window_free", window);
    return DONE;
}

static OTF2_CallbackCode see_window_collective(SEEN, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                               OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
                                               uint64_t received)
{
    struct reading *reading = user;

    UNUSED_SEEN, (void)operation, (void)level, (void)root, (void)sent, (void)received;
    if (reading->call_depth && strcmp(called(reading)->name, "MPI_Win_fence") == 0)
        add_of_window(reading, "fence", window);
    return DONE;
}

/* For one target, or where it names none for all. */
static void add_lock(struct reading *reading, const char *type, OTF2_RmaWinRef window, uint32_t remote,
                     bool exclusive)
{
    const struct ws_otf2_window *found = WS_OTF2_GET(reading->definitions, window, window);
    const struct ws_otf2_comm *comm = found ? WS_OTF2_GET(reading->definitions, comm, found->comm) : NULL;
    bool all = remote == OTF2_UNDEFINED_UINT32;

    for (uint32_t r = all ? 0 : remote; comm && (all ? r < comm->group->size : r == remote); r++) {
        struct item *item = add_of_window(reading, type, window);
        if (!item)
            return;
        FACT(item, target) = rank_in_window(reading, window, r);
        FACT(item, exclusive) = exclusive;
    }
}

static OTF2_CallbackCode see_lock(SEEN, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock,
                                  OTF2_LockType type)
{
    UNUSED_SEEN, (void)lock;
    add_lock(user, "lock", window, remote, type == OTF2_LOCK_EXCLUSIVE);
    return DONE;
}

static OTF2_CallbackCode see_unlock(SEEN, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
{
    UNUSED_SEEN, (void)lock;
    add_lock(user, "unlock", window, remote, false);
    return DONE;
}

static const struct {
    const char *function, *type;
    bool accesses; /* it is about targets, else about origins */
} epochs[] = {
    {"MPI_Win_post", "post", false},          {"MPI_Win_start", "start", true},
    {"MPI_Win_complete", "complete", true},   {"MPI_Win_wait", "exposure_wait", false},
    {"MPI_Win_test", "exposure_wait", false},
};

static void add_epoch(struct reading *reading, size_t kind, OTF2_RmaWinRef window,
                      const struct ws_otf2_group *group)
{
    for (uint32_t i = 0; i < group->size; i++) {
        struct item *item = add_of_window(reading, epochs[kind].type, window);
        if (!item)
            return;
        FACT(item, target) = FACT(item, origin) =
            ws_otf2_world_rank(reading->definitions, group, i, reading->rank);
    }
    if (strcmp(epochs[kind].type, "start") == 0)
        ws_map_put(reading->target->epochs, (uint64_t)window, 1);
    else if (epochs[kind].accesses)
        ws_map_remove(reading->target->epochs, (uint64_t)window);
}

static OTF2_CallbackCode see_group_sync(SEEN, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                        OTF2_GroupRef ref)
{
    struct reading *reading = user;
    const struct ws_otf2_group *group = WS_OTF2_GET(reading->definitions, group, ref);

    UNUSED_SEEN, (void)level;
    for (size_t i = 0; group && reading->call_depth && i < sizeof epochs / sizeof *epochs; i++)
        if (strcmp(called(reading)->name, epochs[i].function) == 0)
            add_epoch(reading, i, window, group);
    return DONE;
}

static OTF2_CallbackCode see_access(struct reading *reading, OTF2_RmaWinRef window, uint32_t remote,
                                    uint64_t bytes, uint64_t given)
{
    struct item *item = add_of_window(reading, "rma", window);

    if (item) {
        FACT(item, target) = rank_in_window(reading, window, remote);
        FACT(item, bytes) = (int64_t)bytes;
        FACT(item, given) = (int64_t)given;
        FACT(item, exposed) = ws_map_get(reading->target->epochs, (uint64_t)window) != 0;
    }
    return DONE;
}

static OTF2_CallbackCode see_put(SEEN, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes,
                                 uint64_t matching)
{
    UNUSED_SEEN, (void)matching;
    return see_access(user, window, remote, bytes, 0);
}

static OTF2_CallbackCode see_atomic(SEEN, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type,
                                    uint64_t sent, uint64_t received, uint64_t matching)
{
    UNUSED_SEEN, (void)type, (void)matching;
    return received ? see_access(user, window, remote, received, sent)
                    : see_access(user, window, remote, sent, 0);
}

/* ---- events that OTF2 does not know, as our export writes them ---- */

static int64_t attribute_value(struct reading *reading, OTF2_Type type, OTF2_AttributeValue value)
{
    if (type == OTF2_TYPE_COMM)
        return comm_index(reading, value.commRef);
    if (type == OTF2_TYPE_RMA_WIN)
        return window_index(reading, value.rmaWinRef);
    return type == OTF2_TYPE_INT64 ? value.int64 : 0;
}

static OTF2_CallbackCode see_parameter(SEEN, OTF2_ParameterRef parameter, OTF2_StringRef text)
{
    struct reading *reading = user;
    struct item *item;

    UNUSED_SEEN;
    if (parameter != reading->definitions->event)
        return DONE;
    item = add(reading, ws_otf2_text(reading->definitions, text), WS_ROLE_PLAIN);
    for (uint32_t i = 0; item && i < OTF2_AttributeList_GetNumberOfElements(attributes); i++) {
        OTF2_AttributeRef attribute;
        OTF2_AttributeValue value;
        OTF2_Type type;
        uint64_t field;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) != OTF2_SUCCESS)
            break;
        field = ws_map_get(&reading->definitions->attributes, attribute);
        if (field)
            item->facts.value[field - 1] = attribute_value(reading, type, value);
    }
    return DONE;
}

/* ---- a location ---- */

static OTF2_EvtReaderCallbacks *callbacks(void)
{
    OTF2_EvtReaderCallbacks *see = OTF2_EvtReaderCallbacks_New();

    OTF2_EvtReaderCallbacks_SetEnterCallback(see, see_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(see, see_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(see, see_context_enter);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(see, see_context_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(see, see_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(see, see_recv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(see, see_isend);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(see, see_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(see, see_irecv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(see, see_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(see, see_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(see, see_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(see, see_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(see, see_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(see, see_collective_complete);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(see, see_comm_create);
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(see, see_window_create);
    OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(see, see_window_destroy);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(see, see_window_collective);
    OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(see, see_lock);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(see, see_unlock);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(see, see_group_sync);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(see, see_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(see, see_put);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(see, see_atomic);
    OTF2_EvtReaderCallbacks_SetParameterStringCallback(see, see_parameter);
    return see;
}

int ws_otf2_write(OTF2_Reader *reader, const struct ws_otf2_location *location, struct ws_otf2_target *target,
                  struct ws_error *error)
{
    struct reading reading = {.target = target, .definitions = target->definitions, .rank = location->rank};
    OTF2_EvtReaderCallbacks *see = callbacks();
    int result = ws_otf2_read(reader, location->self, see, &reading, error);

    OTF2_EvtReaderCallbacks_Delete(see);
    free(reading.stack);
    free(reading.items);
    return result;
}
