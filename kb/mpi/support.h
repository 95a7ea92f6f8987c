/* What the sources of this folder's trace rules may call, and what the generated wrappers need to know of
 * MPI. Part of the recorder library for MPI; every function here is called within a recorded call. */
#ifndef WS_KB_MPI_SUPPORT_H
#define WS_KB_MPI_SUPPORT_H

#include "recorder/hot.h"

#ifdef WS_SIMULATED /* SMPI lacks a `const` where the standard has one */
#define MPI_Comm_spawn_multiple ws_smpi_comm_spawn_multiple
#define MPI_Compare_and_swap ws_smpi_compare_and_swap
#endif
#include <mpi.h>
#ifdef WS_SIMULATED
#undef MPI_Comm_spawn_multiple
#undef MPI_Compare_and_swap
int MPI_Comm_spawn_multiple(int count, char **commands, char ***arguments, const int *most,
                            const MPI_Info *infos, int root, MPI_Comm comm, MPI_Comm *other, int *errors);
int MPI_Compare_and_swap(const void *origin, const void *compared, void *result, MPI_Datatype type, int rank,
                         MPI_Aint displacement, MPI_Win win);
#endif
#if defined OPEN_MPI && __has_include(<mpi-ext.h>)
#include <mpi-ext.h> /* MPIX_: what it has of later standards */
#endif

/* ---- for the generated wrappers ---- */

/* The names that the MPIs' Fortran layers give it, as gfortran and others write them: for mpif.h and
 * `use mpi`, and for mpi_f08 (MPICH has some with descriptors, "ts", and some for large counts).  None with
 * PMPI_: the layers call those themselves. */
#define WS_FORTRAN_NAMES(lower, upper)                                                                       \
    WS_TRAMPOLINE(lower)                                                                                     \
    WS_TRAMPOLINE(lower##_)                                                                                  \
    WS_TRAMPOLINE(lower##__)                                                                                 \
    WS_TRAMPOLINE(upper)                                                                                     \
    WS_TRAMPOLINE(lower##_f08_)                                                                              \
    WS_TRAMPOLINE(lower##_f08ts_)                                                                            \
    WS_TRAMPOLINE(lower##_f08_large_)                                                                        \
    WS_TRAMPOLINE(lower##_f08ts_large_)
/* Whether the header declares F, where not every MPI does: told by -DWS_HAVE_F with -DWS_PROBED, or else
 * guessed by the standard's version. */
#if !defined WS_PROBED && MPI_VERSION >= 4
#define WS_HAVE_ALL 1
#else
#define WS_HAVE_ALL 0
#endif
#ifdef WS_SIMULATED
/* SMPI's MPI_X does what its PMPI_X leaves undone (error handlers), so it is that which is called on:
 * programs that call PMPI_X themselves are not seen. */
#define WS_ORIGINAL(prefix, name) name
#define WS_SECOND_NAME(name, second)
/* It ends the program that asks for what it does not have. */
enum { ws_has_topologies = 0, ws_may_be_spawned = 0 };
typedef int ws_element_count;
#define ws_get_elements PMPI_Get_count
#else
enum { ws_has_topologies = 1, ws_may_be_spawned = 1 };
typedef MPI_Count ws_element_count;
#define ws_get_elements PMPI_Get_elements_x
#define WS_ORIGINAL(prefix, name) prefix name
#define WS_SECOND_NAME(name, second)                                                                         \
    extern __typeof__(name) second __attribute__((alias(#name), visibility("default")));
#endif
#define WS_SUCCEEDED(result) ((result) == MPI_SUCCESS)
#define WS_COMPLETED(result) ((result) == MPI_SUCCESS || ws_in_status(result))
#define WS_NO_REQUEST ws_request(MPI_REQUEST_NULL)

/* SMPI takes the time that the program computes between its calls for simulated time.  What the recorder does
 * at start and end is not to be part of it: first what the program has computed is taken into account, then
 * it begins anew. */
void ws_bench_pause(void);
void ws_bench_resume(void);

/* Called around F on the program's calls of it, recorded or not. */
void ws_before_MPI_Init(int *argc, char ***argv);
void ws_before_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
void ws_after_MPI_Init(int result, int *argc, char ***argv);
void ws_after_MPI_Init_thread(int result, int *argc, char ***argv, int required, int *provided);
void ws_before_MPI_Finalize(void);
void ws_before_MPI_Comm_free(MPI_Comm *comm);
void ws_before_MPI_Comm_disconnect(MPI_Comm *comm);
#ifdef WS_HAVE_MPI_Session_init
void ws_before_MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
void ws_after_MPI_Session_init(int result, MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
void ws_before_MPI_Session_finalize(MPI_Session *session);
#endif
void ws_before_MPI_File_close(MPI_File *fh);
void ws_before_MPI_Win_free(MPI_Win *win);
void ws_after_MPI_Cancel(int result, MPI_Request *request);
void ws_after_MPI_Win_complete(int result, MPI_Win win);
void ws_after_MPI_Win_wait(int result, MPI_Win win);
void ws_after_MPI_Win_test(int result, MPI_Win win, int *flag);

/* ---- communicators ---- */

/* The processes of a communicator, as peers of a call on it are numbered: those of the remote group for an
 * intercommunicator. */
struct ws_group {
    uint64_t hash;
    int32_t size;
    int32_t known;         /* of these, in this process's world */
    const int32_t *world;  /* rank in MPI_COMM_WORLD by rank, -1 in another world; NULL: the same */
    struct ws_group *next; /* with the same hash */
};
struct ws_comm_info {
    uint32_t id;    /* the same on all its processes */
    uint32_t index; /* on this process */
    int32_t rank; /* own */
    int32_t size; /* of both groups together, in this process's world */
    bool inter;
    uint32_t children;             /* how many windows and files there have been */
    int32_t sources, destinations; /* neighbours in its topology; -1: not asked for yet */
    uint32_t destination_group;    /* the latter as a communicator: its index, 0: none */
    const struct ws_group *peers;
    struct ws_comm_info *next; /* in the list of free ones */
};
extern struct ws_comm_info ws_world;

struct ws_comm_info *ws_comm_find(MPI_Comm comm); /* NULL: MPI_COMM_NULL, or out of memory */
int32_t ws_group_peer(const struct ws_group *peers, int rank);

static inline uint64_t ws_comm_key(MPI_Comm comm)
{
    return (uint64_t)(uintptr_t)comm;
}

/* The process's index of a communicator, as its stream defines it; 0: none. */
static inline uint32_t ws_comm(MPI_Comm comm)
{
    const struct ws_comm_info *info;

    if (comm == MPI_COMM_WORLD)
        return WS_COMM_WORLD_ID;
    info = ws_comm_find(comm);
    return info ? info->index : 0;
}

/* Number of processes that take part in a collective call. */
static inline int32_t ws_size(MPI_Comm comm)
{
    const struct ws_comm_info *info = comm == MPI_COMM_WORLD ? &ws_world : ws_comm_find(comm);

    return info ? info->size : 0;
}

/* The world rank of a peer; -1 for MPI_PROC_NULL, -2 for MPI_ANY_SOURCE. */
static inline int32_t ws_peer(MPI_Comm comm, int rank)
{
    const struct ws_comm_info *info;

    if (rank < 0)
        return rank == MPI_ANY_SOURCE ? -2 : -1;
    if (comm == MPI_COMM_WORLD)
        return rank;
    info = ws_comm_find(comm);
    return info ? ws_group_peer(info->peers, rank) : -1;
}

/* Of a communicator that may be none any more: 0 where it is not known. */
uint32_t ws_comm_known(MPI_Comm comm);
int32_t ws_size_known(MPI_Comm comm);
/* How many neighbours in the communicator's topology give data to this process and get data from it. */
int32_t ws_sources(MPI_Comm comm);
int32_t ws_destinations(MPI_Comm comm);
/* The latter's index as of a communicator that has them alone, in their order. */
uint32_t ws_destination_group(MPI_Comm comm);
/* The process's rank, and the size of its group. */
static inline int32_t ws_rank(MPI_Comm comm)
{
    const struct ws_comm_info *info = comm == MPI_COMM_WORLD ? &ws_world : ws_comm_find(comm);

    return info ? info->rank : 0;
}
int32_t ws_local_size(MPI_Comm comm);

/* The world rank of a collective's root, -1 where this process cannot know it (MPI_PROC_NULL). */
int32_t ws_root(MPI_Comm comm, int root);
bool ws_is_root(MPI_Comm comm, int root);

/* Makes a new communicator known that was made from `parent` (MPI_COMM_NULL: of none alone); its index. */
uint32_t ws_comm_new(MPI_Comm comm, MPI_Comm parent);
/* The same for one that is still being made with the parent's processes (MPI_Comm_idup). */
uint32_t ws_comm_new_like(MPI_Comm comm, MPI_Comm parent);

/* ---- bytes ---- */

/* Of `count` elements. */
uint64_t ws_bytes(int64_t count, MPI_Datatype type);
/* A list of counts, as the wrapped function takes it: int, or MPI_Count in a large-count twin. */
struct ws_counts {
    const void *list;
    size_t each; /* bytes of a count */
};
#define WS_COUNTS(list) ((struct ws_counts){(list), sizeof *(list)})
/* Of the first `size` counts, with one type or a type each. */
uint64_t ws_list_bytes(struct ws_counts counts, MPI_Datatype type, int32_t size);
uint64_t ws_lists_bytes(struct ws_counts counts, const MPI_Datatype *types, int32_t size);
uint64_t ws_own_bytes(struct ws_counts counts, MPI_Datatype type, MPI_Comm comm);
/* How many counts a vector collective has: one for each process that data go to or come from. */
int32_t ws_peer_count(MPI_Comm comm);
#define ws_bytes_list(counts, type, size) ws_list_bytes(WS_COUNTS(counts), type, size)
#define ws_bytes_lists(counts, types, size) ws_lists_bytes(WS_COUNTS(counts), types, size)
/* Of `count` elements for each process of the communicator; of counts[0..]; of the own place in counts. */
uint64_t ws_bytes_all(int64_t count, MPI_Datatype type, MPI_Comm comm);
#define ws_bytes_v(counts, type, comm) ws_list_bytes(WS_COUNTS(counts), type, ws_peer_count(comm))
#define ws_bytes_w(counts, types, comm) ws_lists_bytes(WS_COUNTS(counts), types, ws_peer_count(comm))
#define ws_bytes_own(counts, type, comm) ws_own_bytes(WS_COUNTS(counts), type, comm)
/* Parts of a vector collective: a list of counts, of which equal ones that follow each other are one.  Gives their
 * number; ws_part_… tells of part i until the next list. */
int ws_make_parts_v(struct ws_counts counts, MPI_Datatype type, MPI_Comm comm);
int ws_make_parts_w(struct ws_counts counts, const MPI_Datatype *types, MPI_Comm comm);
int ws_make_parts_list(struct ws_counts counts, MPI_Datatype type, int32_t size);
int ws_make_parts_lists(struct ws_counts counts, const MPI_Datatype *types, int32_t size);
#define ws_parts_v(counts, type, comm) ws_make_parts_v(WS_COUNTS(counts), type, comm)
#define ws_parts_w(counts, types, comm) ws_make_parts_w(WS_COUNTS(counts), types, comm)
#define ws_parts_list(counts, type, size) ws_make_parts_list(WS_COUNTS(counts), type, size)
#define ws_parts_lists(counts, types, size) ws_make_parts_lists(WS_COUNTS(counts), types, size)
int32_t ws_part_first(int i);
int32_t ws_part_count(int i);
uint64_t ws_part_bytes(int i);
/* What this process gives to (Gather) or takes from (Scatter) the root. */
uint64_t ws_bytes_rooted(MPI_Comm comm, int root, bool in_place, int64_t count, MPI_Datatype type,
                         int64_t root_count, MPI_Datatype root_type);
uint64_t ws_rooted_list_bytes(MPI_Comm comm, int root, bool in_place, int64_t count, MPI_Datatype type,
                              struct ws_counts root_counts, MPI_Datatype root_type);
#define ws_bytes_rooted_v(comm, root, in_place, count, type, root_counts, root_type)                         \
    ws_rooted_list_bytes(comm, root, in_place, count, type, WS_COUNTS(root_counts), root_type)
/* Of a reduction or a broadcast: none for a process of the root's group that is not the root. */
uint64_t ws_bytes_from(MPI_Comm comm, int root, int64_t count, MPI_Datatype type);

/* ---- requests and statuses ---- */

/* A handle's value: an address on some MPIs, an int on others, whose sign is not to be drawn out. */
#define WS_HANDLE(handle)                                                                                    \
    (sizeof(handle) == sizeof(uint32_t) ? (uint64_t)(uint32_t)(uintptr_t)(handle)                            \
                                        : (uint64_t)(uintptr_t)(handle))

static inline uint64_t ws_request(MPI_Request request)
{
    return WS_HANDLE(request);
}

static inline uint64_t ws_message(MPI_Message message)
{
    return WS_HANDLE(message);
}

/* Whether a call failed for some of its requests only, and whether it succeeded for this one. */
bool ws_in_status(int result);
bool ws_done(const MPI_Status *status);
/* Whether the call failed because a message was longer than its buffer: it was received nevertheless. */
bool ws_truncated(void);

/* Rank in the communicator; -1, -2 as for ws_peer. */
static inline int32_t ws_source(const MPI_Status *status)
{
    return status->MPI_SOURCE >= 0 ? status->MPI_SOURCE : status->MPI_SOURCE == MPI_ANY_SOURCE ? -2 : -1;
}

/* Bytes received. */
uint64_t ws_received(const MPI_Status *status);
bool ws_cancelled(const MPI_Status *status);

/* ---- windows ---- */

/* A group of an epoch: that of the processes it is exposed to, or that it accesses. */
struct ws_epoch {
    int32_t count;
    int32_t capacity;
    int32_t *world;
};
struct ws_window_info {
    uint32_t index;
    const struct ws_group *peers;
    struct ws_epoch access, exposure;
    struct ws_window_info *next; /* in the list of free ones */
};
struct ws_window_info *ws_window_find(MPI_Win win); /* NULL: not known */

/* The process's index of a window, as its stream defines it; 0: not known. */
static inline uint32_t ws_window(MPI_Win win)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? info->index : 0;
}

/* Makes a new window known; its index. */
uint32_t ws_window_new(MPI_Win win, MPI_Comm comm);
int32_t ws_window_size(MPI_Win win);  /* of this process's world */
int32_t ws_window_peers(MPI_Win win); /* of all */
/* The world rank of a target; -1 for MPI_PROC_NULL. */
int32_t ws_target(MPI_Win win, int rank);
/* Whether the calling process is between MPI_Win_start and MPI_Win_complete. */
bool ws_exposed(MPI_Win win);

/* Opens an epoch with a group; the number of its processes. */
int ws_start_open(MPI_Win win, MPI_Group group);
int ws_post_open(MPI_Win win, MPI_Group group);
/* The open epoch: its number of processes and their world ranks. */
int ws_start_size(MPI_Win win);
int ws_post_size(MPI_Win win);
int32_t ws_start_rank(MPI_Win win, int i);
int32_t ws_post_rank(MPI_Win win, int i);

/* ---- files ---- */

struct ws_file_info {
    uint32_t id;
    int32_t size;
    struct ws_file_info *next; /* in the list of free ones */
};

/* Makes a newly opened file known; its identity. */
uint32_t ws_file_new(MPI_File fh, MPI_Comm comm);
/* Identity of an open file, the same on all its processes, and their number; 0: not known. */
uint32_t ws_file(MPI_File fh);
int32_t ws_file_size(MPI_File fh);

/* A file has one split collective operation at a time: its handle stands for the request.  No request has its
 * value: both are addresses of live objects, or the request is a small number. */
static inline uint64_t ws_file_request(MPI_File fh)
{
    return (uint64_t)(uintptr_t)fh;
}

#endif
