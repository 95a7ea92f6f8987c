/* Replays the script of a run under SimGrid's SMPI: computes, and calls what was called.  A program of its
 * own, compiled by smpicc and started by smpirun; the recorder records it like any other. */
#include "simulate/shim/ops.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The recorder's: where the next call is to have been made. */
extern void whyslow_place(uint64_t place) __attribute__((weak));

static struct ws_script_header script;
static const struct ws_op *ops;
static int64_t op_count;
static const int64_t *numbers;
static MPI_Comm *comms;
static MPI_Win *windows;
static MPI_Request *slots;
static char *in, *out; /* what is sent and received does not matter */
static int rank, size;

static void fail(const char *what)
{
    fprintf(stderr, "whyslow: replay: %s\n", what);
    exit(3);
}

static void *memory(int64_t count, size_t each)
{
    void *bytes = calloc((size_t)count + 1, each);

    if (!bytes)
        fail("out of memory");
    return bytes;
}

/* All ranks map the one file. */
static void read_script(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    const struct ws_script_part *parts;
    const char *bytes;
    struct stat info;

    if (file < 0 || fstat(file, &info) != 0 || info.st_size < (off_t)sizeof script)
        fail("the script is not there");
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        fail("the script cannot be read");
    memcpy(&script, bytes, sizeof script);
    if (script.magic != WS_SCRIPT_MAGIC || script.ranks != size)
        fail("this is no script for so many ranks");
    parts = (const struct ws_script_part *)(bytes + sizeof script);
    ops = (const struct ws_op *)(parts + size) + parts[rank].first;
    op_count = parts[rank].count;
    numbers = (const int64_t *)((const struct ws_op *)(parts + size) + script.operations);
    comms = memory(script.comms, sizeof *comms);
    windows = memory(script.windows, sizeof *windows);
    slots = memory(script.slots, sizeof *slots);
    for (int64_t i = 0; i < script.slots; i++)
        slots[i] = MPI_REQUEST_NULL;
    comms[0] = MPI_COMM_WORLD;
    comms[1] = MPI_COMM_SELF;
    /* Shared memory of the simulation is not copied, and is there once for all. */
    in = SMPI_SHARED_MALLOC((size_t)script.most_bytes + 1);
    out = SMPI_SHARED_MALLOC((size_t)script.most_bytes + 1);
}

/* ---- collectives ---- */

static int *counts, *places;
static int counts_size;

/* A part of the list as counts for a collective of vectors. */
static void make_counts(const struct ws_op *op, int64_t first, int members)
{
    if (members > counts_size) {
        free(counts);
        free(places);
        counts = memory(2 * members, sizeof *counts);
        places = memory(2 * members, sizeof *places);
        counts_size = members;
    }
    for (int i = 0; i < members; i++) {
        counts[i] = (int)(first + i < op->list_count ? numbers[op->list + first + i] : 0);
        places[i] = 0; /* they may lie over each other */
    }
}

static void blocking(const struct ws_op *op, MPI_Comm comm, int n, int bytes, int root)
{
    MPI_Datatype byte = MPI_BYTE;

    switch (op->tag) {
    case WS_BARRIER:
        MPI_Barrier(comm);
        break;
    case WS_REDUCE:
        MPI_Reduce(out, in, bytes, byte, MPI_BOR, root, comm);
        break;
    case WS_GATHER:
        MPI_Gather(out, bytes, byte, in, bytes, byte, root, comm);
        break;
    case WS_GATHERV:
        make_counts(op, 0, n);
        MPI_Gatherv(out, bytes, byte, in, counts, places, byte, root, comm);
        break;
    case WS_BCAST:
        MPI_Bcast(in, bytes, byte, root, comm);
        break;
    case WS_SCATTER:
        MPI_Scatter(out, bytes, byte, in, bytes, byte, root, comm);
        break;
    case WS_SCATTERV:
        make_counts(op, 0, n);
        MPI_Scatterv(out, counts, places, byte, in, bytes, byte, root, comm);
        break;
    case WS_ALLREDUCE:
        MPI_Allreduce(out, in, bytes, byte, MPI_BOR, comm);
        break;
    case WS_REDUCE_SCATTER:
        make_counts(op, 0, n);
        MPI_Reduce_scatter(out, in, counts, byte, MPI_BOR, comm);
        break;
    case WS_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(out, in, bytes / n, byte, MPI_BOR, comm);
        break;
    case WS_ALLGATHER:
        MPI_Allgather(out, bytes, byte, in, bytes, byte, comm);
        break;
    case WS_ALLGATHERV:
        make_counts(op, 0, n);
        MPI_Allgatherv(out, bytes, byte, in, counts, places, byte, comm);
        break;
    case WS_ALLTOALL:
        MPI_Alltoall(out, bytes / n, byte, in, bytes / n, byte, comm);
        break;
    case WS_ALLTOALLV: { /* what this rank gives to each, then what it takes from each */
        int *given = memory(n, sizeof *given);
        make_counts(op, 0, n);
        memcpy(given, counts, (size_t)n * sizeof *given);
        make_counts(op, n, n);
        MPI_Alltoallv(out, given, places, byte, in, counts, places, byte, comm);
        free(given);
        break;
    }
    case WS_SCAN:
        MPI_Scan(out, in, bytes, byte, MPI_BOR, comm);
        break;
    case WS_EXSCAN:
        MPI_Exscan(out, in, bytes, byte, MPI_BOR, comm);
        break;
    default:
        fail("an unknown collective operation");
    }
}

static void started(const struct ws_op *op, MPI_Comm comm, int n, int bytes, int root, MPI_Request *request)
{
    MPI_Datatype byte = MPI_BYTE;

    switch (op->tag) {
    case WS_BARRIER:
        MPI_Ibarrier(comm, request);
        break;
    case WS_REDUCE:
        MPI_Ireduce(out, in, bytes, byte, MPI_BOR, root, comm, request);
        break;
    case WS_GATHER:
        MPI_Igather(out, bytes, byte, in, bytes, byte, root, comm, request);
        break;
    case WS_GATHERV:
        make_counts(op, 0, n);
        MPI_Igatherv(out, bytes, byte, in, counts, places, byte, root, comm, request);
        break;
    case WS_BCAST:
        MPI_Ibcast(in, bytes, byte, root, comm, request);
        break;
    case WS_SCATTER:
        MPI_Iscatter(out, bytes, byte, in, bytes, byte, root, comm, request);
        break;
    case WS_SCATTERV:
        make_counts(op, 0, n);
        MPI_Iscatterv(out, counts, places, byte, in, bytes, byte, root, comm, request);
        break;
    case WS_ALLREDUCE:
        MPI_Iallreduce(out, in, bytes, byte, MPI_BOR, comm, request);
        break;
    case WS_REDUCE_SCATTER:
        make_counts(op, 0, n);
        MPI_Ireduce_scatter(out, in, counts, byte, MPI_BOR, comm, request);
        break;
    case WS_REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(out, in, bytes / n, byte, MPI_BOR, comm, request);
        break;
    case WS_ALLGATHER:
        MPI_Iallgather(out, bytes, byte, in, bytes, byte, comm, request);
        break;
    case WS_ALLGATHERV:
        make_counts(op, 0, n);
        MPI_Iallgatherv(out, bytes, byte, in, counts, places, byte, comm, request);
        break;
    case WS_ALLTOALL:
        MPI_Ialltoall(out, bytes / n, byte, in, bytes / n, byte, comm, request);
        break;
    case WS_SCAN:
        MPI_Iscan(out, in, bytes, byte, MPI_BOR, comm, request);
        break;
    case WS_EXSCAN:
        MPI_Iexscan(out, in, bytes, byte, MPI_BOR, comm, request);
        break;
    default:
        fail("an unknown collective operation");
    }
}

static void collective(const struct ws_op *op)
{
    MPI_Comm comm = comms[op->comm];
    int n;

    MPI_Comm_size(comm, &n);
    if (op->slot < 0)
        blocking(op, comm, n, (int)op->bytes, (int)op->peer);
    else
        started(op, comm, n, (int)op->bytes, (int)op->peer, &slots[op->slot]);
}

/* ---- the others ---- */

static void wait_for(const struct ws_op *op)
{
    MPI_Request *requests;

    if (op->list_count == 1) {
        MPI_Wait(&slots[numbers[op->list]], MPI_STATUS_IGNORE);
        return;
    }
    requests = memory(op->list_count, sizeof *requests);
    for (int64_t i = 0; i < op->list_count; i++)
        requests[i] = slots[numbers[op->list + i]];
    MPI_Waitall((int)op->list_count, requests, MPI_STATUSES_IGNORE);
    for (int64_t i = 0; i < op->list_count; i++)
        slots[numbers[op->list + i]] = MPI_REQUEST_NULL;
    free(requests);
}

static void split(const struct ws_op *op)
{
    MPI_Comm made;
    int members = (int)op->from, periodic = 0;

    if (op->kind == WS_OP_DUP)
        MPI_Comm_dup(comms[op->comm], &made);
    else if (op->kind == WS_OP_CART)
        MPI_Cart_create(comms[op->comm], 1, &members, &periodic, 0, &made);
    else
        MPI_Comm_split(comms[op->comm], op->slot < 0 ? MPI_UNDEFINED : (int)op->from, (int)op->from_tag,
                       &made);
    if (op->slot >= 0)
        comms[op->slot] = made;
}

static void expose(const struct ws_op *op)
{
    MPI_Group world, group;
    int *ranks = memory(op->list_count, sizeof *ranks);

    for (int64_t i = 0; i < op->list_count; i++)
        ranks[i] = (int)numbers[op->list + i];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, (int)op->list_count, ranks, &group);
    if (op->kind == WS_OP_POST)
        MPI_Win_post(group, 0, windows[op->slot]);
    else
        MPI_Win_start(group, 0, windows[op->slot]);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(ranks);
}

static void one_sided(const struct ws_op *op)
{
    MPI_Win *window = &windows[op->slot];
    int peer = (int)op->peer, bytes = (int)op->bytes;

    switch (op->kind) {
    case WS_OP_WINDOW:
        MPI_Win_create(in, script.most_bytes, 1, MPI_INFO_NULL, comms[op->comm], window);
        break;
    case WS_OP_WINDOW_FREE:
        MPI_Win_free(window);
        break;
    case WS_OP_FENCE:
        MPI_Win_fence(0, *window);
        break;
    case WS_OP_LOCK:
        MPI_Win_lock(op->mode ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, peer, 0, *window);
        break;
    case WS_OP_UNLOCK:
        MPI_Win_unlock(peer, *window);
        break;
    case WS_OP_LOCK_ALL:
        MPI_Win_lock_all(0, *window);
        break;
    case WS_OP_UNLOCK_ALL:
        MPI_Win_unlock_all(*window);
        break;
    case WS_OP_FLUSH:
        MPI_Win_flush(peer, *window);
        break;
    case WS_OP_FLUSH_ALL:
        MPI_Win_flush_all(*window);
        break;
    case WS_OP_POST:
    case WS_OP_START:
        expose(op);
        break;
    case WS_OP_COMPLETE:
        MPI_Win_complete(*window);
        break;
    case WS_OP_EXPOSURE_WAIT:
        MPI_Win_wait(*window);
        break;
    case WS_OP_PUT:
        MPI_Put(out, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, *window);
        break;
    case WS_OP_GET:
        MPI_Get(out, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, *window);
        break;
    case WS_OP_ACCUMULATE:
        MPI_Accumulate(out, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, MPI_BOR, *window);
        break;
    default:
        fail("an unknown operation");
    }
}

static void call(const struct ws_op *op)
{
    int bytes = (int)op->bytes, peer = (int)op->peer, tag = (int)op->tag;

    switch (op->kind) {
    case WS_OP_NOTHING:
        break;
    case WS_OP_SEND:
        if (op->mode)
            MPI_Ssend(out, bytes, MPI_BYTE, peer, tag, comms[op->comm]);
        else
            MPI_Send(out, bytes, MPI_BYTE, peer, tag, comms[op->comm]);
        break;
    case WS_OP_ISEND:
        if (op->mode)
            MPI_Issend(out, bytes, MPI_BYTE, peer, tag, comms[op->comm], &slots[op->slot]);
        else
            MPI_Isend(out, bytes, MPI_BYTE, peer, tag, comms[op->comm], &slots[op->slot]);
        break;
    case WS_OP_RECV:
        MPI_Recv(in, bytes, MPI_BYTE, peer, tag, comms[op->comm], MPI_STATUS_IGNORE);
        break;
    case WS_OP_IRECV:
        MPI_Irecv(in, bytes, MPI_BYTE, peer, tag, comms[op->comm], &slots[op->slot]);
        break;
    case WS_OP_SENDRECV:
        MPI_Sendrecv(out, bytes, MPI_BYTE, peer, tag, in, (int)op->from_bytes, MPI_BYTE, (int)op->from,
                     (int)op->from_tag, comms[op->comm], MPI_STATUS_IGNORE);
        break;
    case WS_OP_PROBE:
        MPI_Probe(peer, tag, comms[op->comm], MPI_STATUS_IGNORE);
        break;
    case WS_OP_WAIT:
        wait_for(op);
        break;
    case WS_OP_COLLECTIVE:
        collective(op);
        break;
    case WS_OP_SPLIT:
    case WS_OP_DUP:
    case WS_OP_CART:
        split(op);
        break;
    case WS_OP_COMM_FREE:
        MPI_Comm_free(&comms[op->comm]);
        break;
    default:
        one_sided(op);
    }
}

__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2)
        fail("no script");
    read_script(argv[1]);
    for (int64_t i = 0; i < op_count; i++) {
        if (ops[i].compute_ns > 0)
            smpi_execute_benched((double)ops[i].compute_ns * 1e-9);
        if (ops[i].kind != WS_OP_NOTHING && whyslow_place)
            whyslow_place((uint64_t)ops[i].place);
        call(&ops[i]);
    }
    for (int64_t i = 0; i < script.slots; i++)
        if (slots[i] != MPI_REQUEST_NULL)
            MPI_Wait(&slots[i], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
