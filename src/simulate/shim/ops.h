/* The script of a run that is to be replayed: what each rank did, call by call.  Written by
 * simulate/script.c, read by shim/replay.c.  All numbers are 64-bit and of this machine: the file lives no
 * longer than the replay.
 *
 * A header, then for each rank where its operations begin and how many they are, then the operations, then
 * the lists of numbers that operations refer to. */
#ifndef WS_SIMULATE_OPS_H
#define WS_SIMULATE_OPS_H

#include <stdint.h>

#define WS_SCRIPT_MAGIC INT64_C(0x31797072776f6c73)

struct ws_script_header {
    int64_t magic, ranks, comms, windows, slots; /* slots: the most requests that a rank has at a time */
    int64_t most_bytes;                          /* of a buffer */
    int64_t operations, numbers;                 /* in the file */
};
struct ws_script_part {
    int64_t first, count; /* operations of a rank */
};

enum ws_op_kind {
    WS_OP_NOTHING,     /* computation alone */
    WS_OP_SEND,        /* peer, tag, comm, bytes, mode */
    WS_OP_ISEND,       /* the same, slot */
    WS_OP_RECV,        /* peer, tag, comm, bytes */
    WS_OP_IRECV,       /* the same, slot */
    WS_OP_SENDRECV,    /* peer, tag, comm, bytes; from, from_tag, from_bytes */
    WS_OP_PROBE,       /* peer, tag, comm */
    WS_OP_WAIT,        /* list of slots */
    WS_OP_COLLECTIVE,  /* which, comm, root, bytes, slot (-1: blocking); list of bytes of each member */
    WS_OP_SPLIT,       /* comm, new comm (-1: none), color, key */
    WS_OP_DUP,         /* comm, new comm */
    WS_OP_CART,        /* the same; its size in from */
    WS_OP_COMM_FREE,   /* comm */
    WS_OP_WINDOW,      /* comm, window */
    WS_OP_WINDOW_FREE, /* window; so for all below */
    WS_OP_FENCE,
    WS_OP_LOCK,   /* peer, mode (1: exclusive) */
    WS_OP_UNLOCK, /* peer */
    WS_OP_LOCK_ALL,
    WS_OP_UNLOCK_ALL,
    WS_OP_FLUSH, /* peer */
    WS_OP_FLUSH_ALL,
    WS_OP_POST,  /* list of the group's ranks in the world */
    WS_OP_START, /* the same */
    WS_OP_COMPLETE,
    WS_OP_EXPOSURE_WAIT,
    WS_OP_PUT, /* peer, bytes */
    WS_OP_GET, /* the same */
    WS_OP_ACCUMULATE,
};

enum ws_collective {
    WS_BARRIER,
    WS_REDUCE,
    WS_GATHER,
    WS_GATHERV,
    WS_BCAST,
    WS_SCATTER,
    WS_SCATTERV,
    WS_ALLREDUCE,
    WS_REDUCE_SCATTER,
    WS_REDUCE_SCATTER_BLOCK,
    WS_ALLGATHER,
    WS_ALLGATHERV,
    WS_ALLTOALL,
    WS_ALLTOALLV,
    WS_SCAN,
    WS_EXSCAN,
    WS_COLLECTIVES
};

struct ws_op {
    int64_t kind;
    int64_t place;      /* of the call, as the trace that is replayed numbers it */
    int64_t compute_ns; /* before it */
    int64_t comm, peer, tag, bytes, mode, slot;
    int64_t from, from_tag, from_bytes;
    int64_t list, list_count; /* its list: first number, how many */
};
/* The other fields' uses: `which` of a collective is in `tag`, its root in `peer`; a new communicator is in
 * `slot`, color and key in `from` and `from_tag`; a window is in `slot`. */

#endif
