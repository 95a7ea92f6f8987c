/* From a trace to the script of its replay.  The reader gives what all ranks did in one order; here it is put
 * together again as calls, rank by rank.  A receive's partner is the one it had, wildcards included. */
#include "simulate/simulate.h"

#include "simulate/shim/ops.h"
#include "trace/meaning.h"
#include "trace/places.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- collectives ---- */

/* By the function's name without MPI_, MPIX_, I and what stands behind it. */
static const char *const collective_names[WS_COLLECTIVES] = {
    [WS_BARRIER] = "barrier",
    [WS_REDUCE] = "reduce",
    [WS_GATHER] = "gather",
    [WS_GATHERV] = "gatherv",
    [WS_BCAST] = "bcast",
    [WS_SCATTER] = "scatter",
    [WS_SCATTERV] = "scatterv",
    [WS_ALLREDUCE] = "allreduce",
    [WS_REDUCE_SCATTER] = "reduce_scatter",
    [WS_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [WS_ALLGATHER] = "allgather",
    [WS_ALLGATHERV] = "allgatherv",
    [WS_ALLTOALL] = "alltoall",
    [WS_ALLTOALLV] = "alltoallv",
    [WS_SCAN] = "scan",
    [WS_EXSCAN] = "exscan",
};

/* An event of the call at hand, or the start of an operation. */
struct piece {
    uint32_t type, mark;
    bool started;
    const char *maker;
    int64_t value[WS_KNOWN_COUNT];
};

/* An operation that is under way. */
struct open {
    uint32_t mark;
    int64_t op; /* -1: a message that a probe took, whose receive is still to come */
    int64_t slot;
};

struct rank {
    struct ws_op *ops;
    size_t count, capacity;
    int64_t last_ns; /* the end of the call before */
    /* the call at hand */
    bool in_call;
    int64_t t_ns, d_ns, site;
    const char *function;
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    /* requests */
    struct open *open;
    size_t open_count, open_capacity;
    int64_t *free_slots;
    size_t free_count, free_capacity;
    int64_t slots;
    /* collective operations on each communicator so far */
    uint32_t *instances;
    size_t instance_count, instance_capacity;
};

struct comm {
    int64_t identity;
    const int32_t *members; /* by their rank in it; NULL: as in the world */
    uint32_t size;
    int32_t *inverse; /* by rank in the world; NULL likewise */
    bool made, usable;
};

struct window {
    int64_t identity, comm;
};

/* One call of a collective of vectors on all its members: the bytes of each, or of each to each. */
struct vector {
    int64_t comm, instance, which;
    uint32_t members;
    int64_t *bytes; /* members, or members * members: row by giver */
    int64_t list;   /* -1: not written yet */
};

struct builder {
    struct ws_trace *trace;
    const struct ws_trace_info *info;
    const struct ws_schema *schema;
    const double *factors;
    size_t factor_count;
    struct ws_meaning *meanings; /* by type */
    struct rank *ranks;
    struct comm *comms;
    size_t comm_count, comm_capacity, last_comm;
    struct window *windows;
    size_t window_count, window_capacity;
    struct vector *vectors;
    size_t vector_count, vector_capacity;
    int64_t *numbers;
    size_t number_count, number_capacity;
    int64_t most_bytes;
    uint64_t calls;
    struct ws_script_summary *summary;
    struct ws_error *error;
};

static int refuse(struct builder *b, const char *what)
{
    return ws_fail(b->error, WS_BAD_INPUT, "this run cannot be replayed: %s", what);
}

static void note(struct builder *b, const char *text)
{
    struct ws_script_summary *summary = b->summary;

    for (size_t i = 0; i < summary->note_count; i++)
        if (strcmp(summary->notes[i], text) == 0)
            return;
    WS_PUSH(summary->notes, summary->note_count, summary->note_capacity) =
        ws_arena_strdup(&summary->arena, text);
}

/* ---- communicators ---- */

/* Members in the order of their ranks there. */
static int describe_comm(struct builder *b, uint32_t rank, struct comm *comm)
{
    const int32_t *members;
    uint32_t size = ws_trace_peers(b->trace, rank, comm->identity, &members);
    bool own = false;

    if (size == 0)
        return refuse(b, "a communicator is used whose members the trace does not tell");
    comm->size = size;
    comm->usable = true;
    if (!members)
        return 0;
    comm->members = members;
    comm->inverse = ws_arena_alloc(&b->summary->arena, b->info->ranks * sizeof *comm->inverse);
    memset(comm->inverse, -1, b->info->ranks * sizeof *comm->inverse);
    for (uint32_t i = 0; i < size; i++) {
        if (members[i] < 0 || (uint32_t)members[i] >= b->info->ranks)
            return refuse(b, "it speaks with processes of another world");
        comm->inverse[members[i]] = (int32_t)i;
        own |= (uint32_t)members[i] == rank;
    }
    return own ? 0 : refuse(b, "it uses an intercommunicator, which SimGrid's SMPI has none of");
}

/* Of one that is known; else its place would be after the last. */
static int64_t comm_index(const struct builder *b, int64_t identity)
{
    size_t i = 0;

    while (i < b->comm_count && b->comms[i].identity != identity)
        i++;
    return (int64_t)i;
}

/* The number of a communicator in the script; -1 with the cause. */
static int64_t comm_of(struct builder *b, uint32_t rank, int64_t identity)
{
    struct comm *comm;
    size_t i = b->last_comm;

    if (b->comms[i].identity != identity)
        for (i = 0; i < b->comm_count && b->comms[i].identity != identity; i++)
            continue;
    if (i == b->comm_count)
        WS_PUSH(b->comms, b->comm_count, b->comm_capacity) = (struct comm){.identity = identity};
    comm = &b->comms[i];
    if (!comm->usable && describe_comm(b, rank, comm) != 0)
        return -1;
    b->last_comm = i;
    return (int64_t)i;
}

/* A rank of the world in a communicator; -1: it is none of its. */
static int64_t rank_in(const struct builder *b, int64_t comm, int64_t world)
{
    const struct comm *c = &b->comms[comm];

    if (comm == 1)
        return 0;
    if (world < 0 || world >= b->info->ranks)
        return -1;
    return c->inverse ? c->inverse[world] : world;
}

static int64_t window_of(struct builder *b, int64_t identity)
{
    for (size_t i = b->window_count; i-- > 0;)
        if (b->windows[i].identity == identity)
            return (int64_t)i;
    return -1;
}

/* ---- operations ---- */

static struct ws_op *add_op(struct builder *b, uint32_t rank, enum ws_op_kind kind)
{
    struct rank *r = &b->ranks[rank];
    double factor = b->factors[rank < b->factor_count ? rank : b->factor_count - 1];
    int64_t before_ns = r->t_ns > r->last_ns ? r->t_ns - r->last_ns : 0;
    struct ws_op *op;

    WS_PUSH(r->ops, r->count, r->capacity) = (struct ws_op){.kind = kind};
    op = &r->ops[r->count - 1];
    op->place = r->site;
    op->compute_ns = (int64_t)((double)before_ns * factor);
    op->slot = -1;
    b->summary->compute_ns = ws_add_ns(b->summary->compute_ns, before_ns);
    r->last_ns = r->t_ns > r->last_ns ? r->t_ns : r->last_ns;
    return op;
}

static int64_t take_slot(struct rank *r)
{
    return r->free_count ? r->free_slots[--r->free_count] : r->slots++;
}

static void need_bytes(struct builder *b, int64_t bytes, int64_t times)
{
    int64_t all;

    if (__builtin_mul_overflow(bytes, times > 0 ? times : 1, &all))
        all = INT64_MAX;
    b->most_bytes = all > b->most_bytes ? all : b->most_bytes;
}

static int fits(struct builder *b, int64_t bytes)
{
    return bytes >= 0 && bytes <= INT_MAX
               ? 0
               : refuse(b, "a single message or collective operation has more than 2^31 - 1 bytes");
}

static enum ws_means kind_of(const struct builder *b, const struct piece *piece)
{
    return b->meanings[piece->type].means;
}

/* Message's other side in the communicator; *comm is its number. */
static int find_peer(struct builder *b, uint32_t rank, const struct piece *piece, struct ws_op *op)
{
    int64_t comm = comm_of(b, rank, piece->value[WS_KNOWN_COMM]);

    if (comm < 0)
        return -1;
    op->comm = comm;
    op->peer = rank_in(b, comm, piece->value[WS_KNOWN_PEER]);
    op->tag = piece->value[WS_KNOWN_TAG];
    op->bytes = kind_of(b, piece) == WS_MEANS_PROBE ? 0 : piece->value[WS_KNOWN_BYTES];
    op->mode = piece->value[WS_KNOWN_SYNCHRONOUS] > 0;
    need_bytes(b, op->bytes, 1);
    return fits(b, op->bytes);
}

static void open_request(struct builder *b, uint32_t rank, uint32_t mark, struct ws_op *op)
{
    struct rank *r = &b->ranks[rank];

    op->slot = take_slot(r);
    WS_PUSH(r->open, r->open_count, r->open_capacity) = (struct open){mark, (int64_t)r->count - 1, op->slot};
}

static bool takes_message(const char *maker)
{
    return strcmp(maker, "MPI_Mprobe") == 0 || strcmp(maker, "MPI_Improbe") == 0;
}

static int add_message(struct builder *b, uint32_t rank, const struct piece *piece)
{
    struct rank *r = &b->ranks[rank];
    bool sends = kind_of(b, piece) == WS_MEANS_SEND;
    struct ws_op *op;

    if (piece->started && !sends && takes_message(piece->maker)) {
        WS_PUSH(r->open, r->open_count, r->open_capacity) = (struct open){piece->mark, -1, -1};
        return 0;
    }
    op = add_op(b, rank,
                piece->started ? (sends ? WS_OP_ISEND : WS_OP_IRECV) : (sends ? WS_OP_SEND : WS_OP_RECV));
    if (piece->started)
        open_request(b, rank, piece->mark, op);
    return find_peer(b, rank, piece, op);
}

/* ---- collectives ---- */

static int which_collective(const char *function)
{
    char name[64];
    size_t length;

    function += strncmp(function, "MPIX_", 5) == 0 ? 5 : strncmp(function, "MPI_", 4) == 0 ? 4 : 0;
    function += function[0] == 'I' && function[1] >= 'a';
    snprintf(name, sizeof name, "%s", function);
    for (char *c = name; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, "_c") == 0)
        name[length -= 2] = '\0';
    if (length > 5 && strcmp(name + length - 5, "_init") == 0)
        name[length - 5] = '\0';
    if (strcmp(name, "alltoallw") == 0)
        return WS_ALLTOALLV;
    for (int i = 0; i < WS_COLLECTIVES; i++)
        if (strcmp(collective_names[i], name) == 0)
            return i;
    return -1;
}

static bool has_vector(int64_t which)
{
    return which == WS_GATHERV || which == WS_SCATTERV || which == WS_ALLGATHERV ||
           which == WS_REDUCE_SCATTER || which == WS_ALLTOALLV;
}

#define MOST_PAIRS ((uint32_t)2048) /* members of an all-to-all of vectors: a square of numbers */

/* The instance that this is on its communicator. */
static uint32_t next_instance(struct rank *r, int64_t comm)
{
    while (r->instance_count <= (size_t)comm)
        WS_PUSH(r->instances, r->instance_count, r->instance_capacity) = 0;
    return r->instances[comm]++;
}

static struct vector *vector_of(struct builder *b, int64_t comm, int64_t instance, int64_t which)
{
    uint32_t members = comm == 1 ? 1 : b->comms[comm].size;
    size_t numbers = which == WS_ALLTOALLV ? (size_t)members * members : members;

    for (size_t i = b->vector_count; i-- > 0;)
        if (b->vectors[i].comm == comm && b->vectors[i].instance == instance)
            return &b->vectors[i];
    WS_PUSH(b->vectors, b->vector_count, b->vector_capacity) =
        (struct vector){comm, instance, which, members, ws_alloc_array(numbers, sizeof(int64_t)), -1};
    return &b->vectors[b->vector_count - 1];
}

/* What this rank gives to each, of an all-to-all whose parts are pieces of the same call. */
static void take_parts(struct builder *b, struct rank *r, struct vector *vector, int64_t own)
{
    for (size_t i = 0; i < r->piece_count; i++) {
        const struct piece *part = &r->pieces[i];
        if (kind_of(b, part) != WS_MEANS_PART)
            continue;
        for (int64_t k = part->value[WS_KNOWN_FIRST] > 0 ? part->value[WS_KNOWN_FIRST] : 0;
             k < part->value[WS_KNOWN_FIRST] + part->value[WS_KNOWN_PARTS] && k < vector->members; k++)
            vector->bytes[own * vector->members + k] = part->value[WS_KNOWN_BYTES];
    }
}

static int add_vector(struct builder *b, uint32_t rank, struct ws_op *op, uint32_t instance)
{
    struct rank *r = &b->ranks[rank];
    int64_t own = rank_in(b, op->comm, rank);
    struct vector *vector;

    if (op->tag == WS_ALLTOALLV && b->comms[op->comm].size > MOST_PAIRS)
        return refuse(b, "it has an MPI_Alltoallv among more than 2048 ranks");
    vector = vector_of(b, op->comm, instance, op->tag);
    if (vector->which != op->tag || own < 0 || own >= vector->members)
        return refuse(b, "ranks called different collective operations on one communicator");
    if (op->tag == WS_ALLTOALLV)
        take_parts(b, r, vector, own);
    else if (op->tag == WS_REDUCE_SCATTER) /* shares of it are equal, as far as the trace tells */
        vector->bytes[own] = op->bytes / vector->members;
    else
        vector->bytes[own] = op->bytes;
    op->list = vector - b->vectors; /* the list's number, until it is written */
    op->list_count = -1;
    return 0;
}

static int add_collective(struct builder *b, uint32_t rank, const struct piece *piece)
{
    int which = which_collective(piece->maker);
    int64_t comm = comm_of(b, rank, piece->value[WS_KNOWN_COMM]);
    uint32_t members;
    struct ws_op *op;

    if (comm < 0)
        return -1;
    if (which < 0)
        return refuse(b, "it calls a collective operation that SimGrid's SMPI has not");
    op = add_op(b, rank, WS_OP_COLLECTIVE);
    op->comm = comm;
    op->tag = which;
    op->bytes = which == WS_BARRIER ? 0 : piece->value[WS_KNOWN_BYTES];
    op->peer = piece->value[WS_KNOWN_ROOT] >= 0 ? rank_in(b, comm, piece->value[WS_KNOWN_ROOT]) : 0;
    members = comm == 1 ? 1 : b->comms[comm].size;
    need_bytes(b, op->bytes, which == WS_ALLTOALL || which == WS_ALLTOALLV ? 1 : members);
    if (piece->started)
        open_request(b, rank, piece->mark, op);
    if (fits(b, op->bytes) != 0)
        return -1;
    return has_vector(which) ? add_vector(b, rank, op, next_instance(&b->ranks[rank], comm))
                             : (next_instance(&b->ranks[rank], comm), 0);
}

/* ---- communicators made and freed ---- */

/* A Cartesian topology of all ranks in their order, which SMPI makes without a message. */
static bool keeps_ranks(const struct builder *b, const struct piece *piece, int64_t made)
{
    int64_t parent;

    if (strcmp(piece->maker, "MPI_Cart_create") != 0 || made < 0)
        return false;
    parent = comm_index(b, piece->value[WS_KNOWN_COMM]);
    for (uint32_t i = 0; i < b->comms[made].size; i++)
        if (rank_in(b, parent, b->comms[made].members ? b->comms[made].members[i] : (int64_t)i) != (int64_t)i)
            return false;
    return true;
}

static int add_communicator(struct builder *b, uint32_t rank, const struct piece *piece)
{
    bool dup =
        strncmp(piece->maker, "MPI_Comm_dup", 12) == 0 || strncmp(piece->maker, "MPI_Comm_idup", 13) == 0;
    int64_t comm, made = -1;
    struct ws_op *op;

    if (piece->value[WS_KNOWN_NEW_COMM] == piece->value[WS_KNOWN_COMM])
        return refuse(b, "it makes a communicator that not all of another's ranks call for");
    if ((comm = comm_of(b, rank, piece->value[WS_KNOWN_COMM])) < 0 ||
        (piece->value[WS_KNOWN_NEW_COMM] > 0 &&
         (made = comm_of(b, rank, piece->value[WS_KNOWN_NEW_COMM])) < 0))
        return -1;
    op = add_op(b, rank, dup ? WS_OP_DUP : WS_OP_SPLIT);
    op->comm = comm;
    op->slot = made;
    op->from = made;
    op->from_tag = made < 0 ? 0 : rank_in(b, made, rank);
    if (keeps_ranks(b, piece, made)) {
        op->kind = WS_OP_CART;
        op->from = b->comms[made].size;
    }
    return 0;
}

/* ---- one-sided communication ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The ranks that the pieces of the call name, as a list. */
static void list_ranks(struct builder *b, struct rank *r, enum ws_known_param param, struct ws_op *op)
{
    op->list = (int64_t)b->number_count;
    for (size_t i = 0; i < r->piece_count; i++) {
        WS_PUSH(b->numbers, b->number_count, b->number_capacity) = r->pieces[i].value[param];
        op->list_count++;
    }
}

static int add_one_sided(struct builder *b, uint32_t rank, const struct piece *piece)
{
    static const enum ws_op_kind op_kinds[] = {[WS_MEANS_WINDOW_FREE] = WS_OP_WINDOW_FREE,
                                               [WS_MEANS_FENCE] = WS_OP_FENCE,
                                               [WS_MEANS_LOCK] = WS_OP_LOCK,
                                               [WS_MEANS_UNLOCK] = WS_OP_UNLOCK,
                                               [WS_MEANS_FLUSH] = WS_OP_FLUSH,
                                               [WS_MEANS_POST] = WS_OP_POST,
                                               [WS_MEANS_START] = WS_OP_START,
                                               [WS_MEANS_COMPLETE] = WS_OP_COMPLETE,
                                               [WS_MEANS_EXPOSURE_WAIT] = WS_OP_EXPOSURE_WAIT,
                                               [WS_MEANS_RMA] = WS_OP_ACCUMULATE};
    enum ws_means kind = kind_of(b, piece);
    int64_t window = window_of(b, piece->value[WS_KNOWN_WINDOW]);
    struct rank *r = &b->ranks[rank];
    struct ws_op *op;
    bool all = ends_with(piece->maker, "_all");

    if (window < 0)
        return refuse(b, "it uses a window that was made before recording began");
    op = add_op(b, rank, op_kinds[kind]);
    op->slot = window;
    op->mode = piece->value[WS_KNOWN_EXCLUSIVE] > 0;
    if (all && (kind == WS_MEANS_LOCK || kind == WS_MEANS_UNLOCK || kind == WS_MEANS_FLUSH))
        op->kind = kind == WS_MEANS_LOCK     ? WS_OP_LOCK_ALL
                   : kind == WS_MEANS_UNLOCK ? WS_OP_UNLOCK_ALL
                                             : WS_OP_FLUSH_ALL;
    if (kind == WS_MEANS_POST || kind == WS_MEANS_START)
        list_ranks(b, r, kind == WS_MEANS_POST ? WS_KNOWN_ORIGIN : WS_KNOWN_TARGET, op);
    if (kind == WS_MEANS_RMA) {
        op->kind = ends_with(piece->maker, "put")   ? WS_OP_PUT
                   : ends_with(piece->maker, "Put") ? WS_OP_PUT
                   : ends_with(piece->maker, "get") ? WS_OP_GET
                   : ends_with(piece->maker, "Get") ? WS_OP_GET
                                                    : WS_OP_ACCUMULATE;
        op->bytes = piece->value[WS_KNOWN_BYTES];
        need_bytes(b, op->bytes, 1);
    }
    op->peer = rank_in(b, b->windows[window].comm, piece->value[WS_KNOWN_TARGET]);
    return fits(b, op->bytes);
}

static int add_window(struct builder *b, uint32_t rank, const struct piece *piece)
{
    int64_t comm = comm_of(b, rank, piece->value[WS_KNOWN_COMM]),
            window = window_of(b, piece->value[WS_KNOWN_WINDOW]);
    struct ws_op *op;

    if (comm < 0)
        return -1;
    if (window < 0) {
        window = (int64_t)b->window_count;
        WS_PUSH(b->windows, b->window_count, b->window_capacity) =
            (struct window){piece->value[WS_KNOWN_WINDOW], comm};
    }
    op = add_op(b, rank, WS_OP_WINDOW);
    op->comm = comm;
    op->slot = window;
    return 0;
}

/* ---- a call ---- */

static struct open *find_open(struct rank *r, uint32_t mark)
{
    for (size_t i = r->open_count; i-- > 0;)
        if (r->open[i].mark == mark)
            return &r->open[i];
    return NULL;
}

/* The operation has an end: who was on the other side of it, and what is waited for. */
static int complete(struct builder *b, uint32_t rank, const struct piece *piece, int64_t *slot)
{
    struct rank *r = &b->ranks[rank];
    struct open *open = find_open(r, piece->mark);
    struct open was;

    *slot = -1;
    if (!open)
        return 0;
    was = *open;
    *open = r->open[--r->open_count];
    if (was.op < 0)
        return find_peer(b, rank, piece, add_op(b, rank, WS_OP_RECV));
    *slot = was.slot;
    WS_PUSH(r->free_slots, r->free_count, r->free_capacity) = was.slot;
    return kind_of(b, piece) == WS_MEANS_RECV || kind_of(b, piece) == WS_MEANS_SEND
               ? find_peer(b, rank, piece, &r->ops[was.op])
               : 0;
}

static int add_completions(struct builder *b, uint32_t rank)
{
    struct rank *r = &b->ranks[rank];
    int64_t first = (int64_t)b->number_count, slot;
    bool again = r->piece_count > 0;

    for (size_t i = 0; i < r->piece_count; i++) {
        const struct piece *piece = &r->pieces[i];
        if (piece->started || piece->mark == 0 || kind_of(b, piece) == WS_MEANS_PART)
            continue;
        if (complete(b, rank, piece, &slot) != 0)
            return -1;
        if (slot >= 0)
            WS_PUSH(b->numbers, b->number_count, b->number_capacity) = slot;
    }
    if (again && (int64_t)b->number_count > first) {
        struct ws_op *op = add_op(b, rank, WS_OP_WAIT);
        op->list = first;
        op->list_count = (int64_t)b->number_count - first;
    }
    return 0;
}

/* Both halves of MPI_Sendrecv, or the one that there is. */
static int add_exchange(struct builder *b, uint32_t rank)
{
    struct rank *r = &b->ranks[rank];
    struct ws_op received = {0}, *op;

    if (r->piece_count != 2)
        return r->piece_count ? add_message(b, rank, &r->pieces[0]) : 0;
    op = add_op(b, rank, WS_OP_SENDRECV);
    for (size_t i = 0; i < 2; i++)
        if (find_peer(b, rank, &r->pieces[i], kind_of(b, &r->pieces[i]) == WS_MEANS_SEND ? op : &received) !=
            0)
            return -1;
    op->from = received.peer;
    op->from_tag = received.tag;
    op->from_bytes = received.bytes;
    return 0;
}

/* Time passes as it did. */
static void add_time(struct builder *b, uint32_t rank)
{
    struct rank *r = &b->ranks[rank];

    add_op(b, rank, WS_OP_NOTHING);
    WS_PUSH(r->ops, r->count, r->capacity) = (struct ws_op){.kind = WS_OP_NOTHING, .compute_ns = r->d_ns};
    b->summary->opaque_ns = ws_add_ns(b->summary->opaque_ns, r->d_ns);
}

static int add_piece(struct builder *b, uint32_t rank, const struct piece *piece, bool first)
{
    switch (kind_of(b, piece)) {
    case WS_MEANS_SEND:
    case WS_MEANS_RECV:
        return add_message(b, rank, piece);
    case WS_MEANS_PROBE: {
        struct ws_op *op = add_op(b, rank, WS_OP_PROBE);
        return find_peer(b, rank, piece, op);
    }
    case WS_MEANS_COLLECTIVE:
        return add_collective(b, rank, piece);
    case WS_MEANS_PART:
        return 0;
    case WS_MEANS_COMMUNICATOR:
        return add_communicator(b, rank, piece);
    case WS_MEANS_COMMUNICATOR_FREE: {
        int64_t comm = piece->value[WS_KNOWN_COMM] > 0 ? comm_of(b, rank, piece->value[WS_KNOWN_COMM]) : 0;
        if (comm < 0)
            return -1;
        if (comm > 1)
            add_op(b, rank, WS_OP_COMM_FREE)->comm = comm;
        return 0;
    }
    case WS_MEANS_WINDOW:
        return add_window(b, rank, piece);
    case WS_MEANS_CALL:
    case WS_MEANS_FILE:
        if (first) {
            char text[256];
            snprintf(text, sizeof text, "%.64s is replayed as the time that it took",
                     b->ranks[rank].function);
            note(b, text);
            add_time(b, rank);
        }
        return 0;
    default:
        /* MPI_Win_lock_all, _post and such have an event for each of a group. */
        return first || kind_of(b, piece) == WS_MEANS_RMA ? add_one_sided(b, rank, piece) : 0;
    }
}

/* The call at hand is complete. */
static int end_call(struct builder *b, uint32_t rank)
{
    struct rank *r = &b->ranks[rank];
    size_t before = r->count;
    bool first = true;
    int result = 0;

    if (!r->in_call)
        return 0;
    if (strncmp(r->function, "MPI_Sendrecv", 12) == 0)
        result = add_exchange(b, rank);
    else
        for (size_t i = 0; result == 0 && i < r->piece_count; i++) {
            const struct piece *piece = &r->pieces[i];
            if (!piece->started && piece->mark != 0 && kind_of(b, piece) != WS_MEANS_PART)
                continue;
            result = add_piece(b, rank, piece, first);
            first = false;
        }
    if (result == 0)
        result = add_completions(b, rank);
    if (result == 0 && r->count == before && r->piece_count > 0)
        add_time(b, rank);
    if (strncmp(r->function, "MPI_Test", 8) == 0)
        note(b, "tests that succeeded are replayed as waiting for the same operations; those in vain count "
                "as computation");
    r->last_ns = r->t_ns + r->d_ns > r->last_ns ? r->t_ns + r->d_ns : r->last_ns;
    r->in_call = false;
    r->piece_count = 0;
    return result;
}

/* ---- the trace ---- */

/* All of a script is in memory, about 100 bytes for a call. */
#define MOST_CALLS UINT64_C(20000000)

static int begin_call(struct builder *b, uint32_t rank, const struct ws_event *event)
{
    struct rank *r = &b->ranks[rank];

    if (end_call(b, rank) != 0)
        return -1;
    if (++b->calls > MOST_CALLS)
        return refuse(b, "it has more than 20 million calls");
    if (event->value[WS_ATTR_CALL].i >> 32 != 0)
        return refuse(b, "several threads of a rank communicate");
    r->in_call = true;
    r->t_ns = event->value[WS_ATTR_T].i;
    r->d_ns = event->value[WS_ATTR_D].i;
    r->site = event->value[WS_ATTR_SITE].i;
    r->function = event->value[WS_ATTR_FUNCTION].s;
    return 0;
}

static int take_event(struct builder *b, const struct ws_event *event)
{
    uint32_t rank = (uint32_t)event->value[WS_ATTR_PROCESS].i;
    struct piece piece = {.mark = event->mark};

    if (rank >= b->info->ranks)
        return 0;
    if (event->type == WS_TRACE_CALL)
        return begin_call(b, rank, event);
    piece.started = event->type & WS_TRACE_STARTED;
    piece.type = event->type & ~WS_TRACE_STARTED;
    if (piece.type >= b->schema->type_count)
        return 0;
    piece.maker = ws_trace_maker(b->trace, event);
    if (!piece.maker)
        piece.maker = event->value[WS_ATTR_FUNCTION].s;
    for (int i = 0; i < WS_KNOWN_COUNT; i++)
        piece.value[i] = ws_known(&b->meanings[piece.type], event, (enum ws_known_param)i, -1);
    WS_PUSH(b->ranks[rank].pieces, b->ranks[rank].piece_count, b->ranks[rank].piece_capacity) = piece;
    return 0;
}

/* Receives that nobody completed met nothing that is known. */
static void drop_open(struct rank *r)
{
    for (size_t i = 0; i < r->open_count; i++)
        if (r->open[i].op >= 0 && r->ops[r->open[i].op].kind == WS_OP_IRECV)
            r->ops[r->open[i].op].kind = WS_OP_NOTHING;
}

static int end_ranks(struct builder *b)
{
    for (uint32_t i = 0; i < b->info->ranks; i++) {
        struct rank *r = &b->ranks[i];
        if (end_call(b, i) != 0)
            return -1;
        drop_open(r);
        r->t_ns = b->info->rank[i].end_ns;
        r->site = 0;
        add_op(b, i, WS_OP_NOTHING);
    }
    return 0;
}

static int check(struct builder *b)
{
    char text[128];

    for (uint32_t i = 0; i < b->info->ranks; i++) {
        const struct ws_trace_rank *rank = &b->info->rank[i];
        const char *why = !rank->present     ? "was not recorded"
                          : !rank->finished  ? "did not come to MPI_Finalize"
                          : rank->lost       ? "has lost records"
                          : rank->stopped_ns ? "was recorded in part only"
                                             : NULL;
        if (!why)
            continue;
        snprintf(text, sizeof text, "rank %" PRIu32 " %s", i, why);
        return refuse(b, text);
    }
    if (b->info->counted_count)
        return refuse(b, "calls were left out of the recording (--sample)");
    return 0;
}

static void prepare(struct builder *b)
{
    b->ranks = ws_alloc_array(b->info->ranks, sizeof *b->ranks);
    for (uint32_t i = 0; i < b->info->ranks; i++)
        b->ranks[i].last_ns = b->info->rank[i].begin_ns;
    WS_PUSH(b->comms, b->comm_count, b->comm_capacity) =
        (struct comm){.identity = 1, .size = b->info->ranks, .usable = true};
    WS_PUSH(b->comms, b->comm_count, b->comm_capacity) =
        (struct comm){.identity = 2, .size = 1, .usable = true};
    b->meanings = ws_meanings_make(b->schema);
}

static int read_events(struct builder *b)
{
    const struct ws_event *event;
    int got;

    ws_trace_tell_calls(b->trace);
    while ((got = ws_trace_next(b->trace, &event, b->error)) > 0)
        if (take_event(b, event) != 0)
            return -1;
    return got < 0 ? -1 : end_ranks(b);
}

/* Everybody has somebody on the other side, by now. */
static int check_peers(struct builder *b)
{
    for (uint32_t i = 0; i < b->info->ranks; i++)
        for (size_t k = 0; k < b->ranks[i].count; k++) {
            const struct ws_op *op = &b->ranks[i].ops[k];
            bool speaks = op->kind >= WS_OP_SEND && op->kind <= WS_OP_PROBE;
            if (speaks && (op->peer < 0 || (op->kind == WS_OP_SENDRECV && op->from < 0)))
                return refuse(b, "it speaks with processes that are not in its world");
        }
    return 0;
}

/* ---- lists of vectors ---- */

/* One list for all members; of an all-to-all one for each: what it gives, then what it takes. */
static void write_vector(struct builder *b, struct ws_op *op, uint32_t rank)
{
    struct vector *vector = &b->vectors[op->list];
    int64_t own = rank_in(b, vector->comm, rank), first = (int64_t)b->number_count;
    uint32_t n = vector->members;

    if (vector->which != WS_ALLTOALLV && vector->list >= 0) {
        op->list = vector->list;
        op->list_count = n;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        WS_PUSH(b->numbers, b->number_count, b->number_capacity) =
            vector->bytes[vector->which == WS_ALLTOALLV ? own * n + i : i];
    for (uint32_t i = 0; vector->which == WS_ALLTOALLV && i < n; i++)
        WS_PUSH(b->numbers, b->number_count, b->number_capacity) = vector->bytes[(int64_t)i * n + own];
    vector->list = first;
    op->list = first;
    op->list_count = (int64_t)b->number_count - first;
}

static void write_vectors(struct builder *b)
{
    for (uint32_t i = 0; i < b->info->ranks; i++)
        for (size_t k = 0; k < b->ranks[i].count; k++)
            if (b->ranks[i].ops[k].kind == WS_OP_COLLECTIVE && b->ranks[i].ops[k].list_count < 0)
                write_vector(b, &b->ranks[i].ops[k], i);
}

/* ---- the file ---- */

static int write_file(struct builder *b, const char *path)
{
    struct ws_script_header header = {.magic = WS_SCRIPT_MAGIC,
                                      .ranks = b->info->ranks,
                                      .comms = (int64_t)b->comm_count,
                                      .windows = (int64_t)b->window_count,
                                      .most_bytes = b->most_bytes,
                                      .numbers = (int64_t)b->number_count};
    struct ws_script_part part = {0};
    FILE *file = fopen(path, "we");
    bool ok = file != NULL;

    for (uint32_t i = 0; i < b->info->ranks; i++) {
        header.operations += (int64_t)b->ranks[i].count;
        header.slots = b->ranks[i].slots > header.slots ? b->ranks[i].slots : header.slots;
    }
    b->summary->operations = (uint64_t)header.operations;
    ok = ok && fwrite(&header, sizeof header, 1, file) == 1;
    for (uint32_t i = 0; ok && i < b->info->ranks; i++) {
        part.count = (int64_t)b->ranks[i].count;
        ok = fwrite(&part, sizeof part, 1, file) == 1;
        part.first += part.count;
    }
    for (uint32_t i = 0; ok && i < b->info->ranks; i++)
        ok = fwrite(b->ranks[i].ops, sizeof *b->ranks[i].ops, b->ranks[i].count, file) == b->ranks[i].count;
    if (ok && b->number_count)
        ok = fwrite(b->numbers, sizeof *b->numbers, b->number_count, file) == b->number_count;
    ok = file && fclose(file) == 0 && ok;
    return ok ? 0 : ws_fail(b->error, WS_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
}

/* The sites of the trace, by the numbers that the replay tells its recorder. */
static void write_places(struct builder *b, const char *module, struct ws_text *places)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < b->info->ranks; i++)
        for (size_t k = 0; k < b->ranks[i].count; k++)
            most = b->ranks[i].ops[k].place > most ? b->ranks[i].ops[k].place : most;
    ws_places_begin(places);
    for (int64_t site = 0; site <= most; site++) {
        struct ws_site place = *ws_trace_site(b->trace, site);
        place.module = module;
        place.offset = (uint64_t)site;
        ws_places_add(places, &place);
    }
}

static void take_wall(struct builder *b)
{
    int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;

    for (uint32_t i = 0; i < b->info->ranks; i++) {
        begin_ns = b->info->rank[i].begin_ns < begin_ns ? b->info->rank[i].begin_ns : begin_ns;
        end_ns = b->info->rank[i].end_ns > end_ns ? b->info->rank[i].end_ns : end_ns;
    }
    b->summary->ranks = b->info->ranks;
    b->summary->wall_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static void drop(struct builder *b)
{
    for (uint32_t i = 0; b->ranks && i < b->info->ranks; i++) {
        free(b->ranks[i].ops);
        free(b->ranks[i].pieces);
        free(b->ranks[i].open);
        free(b->ranks[i].free_slots);
        free(b->ranks[i].instances);
    }
    for (size_t i = 0; i < b->vector_count; i++)
        free(b->vectors[i].bytes);
    free(b->ranks);
    free(b->comms);
    free(b->windows);
    free(b->vectors);
    free(b->numbers);
    free(b->meanings);
    if (b->trace)
        ws_trace_close(b->trace);
}

int ws_script_write(const char *directory, const struct ws_kb *kb, const double *factors, size_t factor_count,
                    const char *path, const char *module, struct ws_text *places,
                    struct ws_script_summary *summary, struct ws_error *error)
{
    struct ws_schema schema = {0};
    struct builder b = {.schema = &schema,
                        .factors = factors,
                        .factor_count = factor_count,
                        .summary = summary,
                        .error = error};
    int result = -1;

    *summary = (struct ws_script_summary){0};
    if (ws_schema_from_kb(kb, &schema, error) != 0)
        return -1;
    b.trace = ws_trace_open(directory, &schema, error);
    if (b.trace) {
        b.info = ws_trace_info(b.trace);
        take_wall(&b);
        result = check(&b);
    }
    if (result == 0) {
        prepare(&b);
        result = read_events(&b);
    }
    if (result == 0)
        result = check_peers(&b);
    if (result == 0) {
        write_vectors(&b);
        write_places(&b, module, places);
        result = write_file(&b, path);
    }
    drop(&b);
    ws_schema_free(&schema);
    return result;
}

void ws_script_free(struct ws_script_summary *summary)
{
    free(summary->notes);
    ws_arena_free(&summary->arena);
}
