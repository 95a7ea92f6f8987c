/* What the recorder knows of MPI.  Inner calls go to PMPI_ functions that neither communicate nor wait. */
#include "support.h"

#include "meeting.h"

#include <stdio.h>
#include <stdlib.h>

static WS_OWN struct ws_table comms = WS_TABLE, windows = WS_TABLE, files = WS_TABLE;
static WS_OWN struct ws_table groups = WS_TABLE, ordinals = WS_TABLE; /* by hash; under comms.lock */
static WS_OWN struct ws_group world_group;
static WS_OWN struct ws_comm_info *free_comms;     /* under comms.lock */
static WS_OWN struct ws_window_info *free_windows; /* under windows.lock */
static WS_OWN struct ws_file_info *free_files;     /* under files.lock */
static WS_OWN MPI_Group mpi_world = MPI_GROUP_NULL;
static WS_OWN bool of_session; /* mpi_world belongs to a session, and lives no longer */
WS_OWN struct ws_comm_info ws_world;

/* Thread scratch that no wrapper uses: the generator gives out the first ones. */
enum { SCRATCH_OWN = 13, SCRATCH_WORLD, SCRATCH_PARTS = 16 }; /* 15: recorder/comm.c */

/* ---- groups ---- */

static uint64_t hash_ranks(const int32_t *world, int32_t size)
{
    uint64_t hash = ws_mix(0, (uint64_t)size);

    for (int32_t i = 0; i < size; i++)
        hash = ws_mix(hash, (uint64_t)(world ? world[i] : i));
    return hash ? hash : 1; /* 0 is no key */
}

int32_t ws_group_peer(const struct ws_group *peers, int rank)
{
    if (rank < 0 || rank >= peers->size)
        return -1;
    return peers->world ? peers->world[rank] : rank;
}

static bool same_ranks(const struct ws_group *group, uint64_t hash, const int32_t *world, int32_t size)
{
    if (group->hash != hash || group->size != size)
        return false;
    if (group->world)
        return memcmp(group->world, world, (size_t)size * sizeof *world) == 0;
    for (int32_t i = 0; i < size; i++)
        if (world[i] != i)
            return false;
    return true;
}

/* The group of these processes: found, or kept for ever, since programs make the same ones again and again.
 */
static struct ws_group *group_of(const int32_t *world, int32_t size)
{
    uint64_t hash = hash_ranks(world, size);
    struct ws_group *others = ws_table_get(&groups, hash), *group;
    int32_t *copy;

    for (group = others; group; group = group->next)
        if (same_ranks(group, hash, world, size))
            return group;
    group = ws_keep(sizeof *group);
    copy = ws_keep((size_t)(size ? size : 1) * sizeof *copy);
    if (!group || !copy)
        return NULL;
    memcpy(copy, world, (size_t)size * sizeof *copy);
    *group = (struct ws_group){.hash = hash, .size = size, .world = copy, .next = others};
    for (int32_t i = 0; i < size; i++)
        group->known += copy[i] >= 0;
    return ws_table_put(&groups, hash, group) ? group : NULL;
}

/* The world ranks of a group's processes in the thread's scratch; -1 for those of another world. */
static int32_t *translate(MPI_Group group, int size)
{
    int *own = ws_scratch(ws_self, SCRATCH_OWN, size, sizeof *own);
    int32_t *world = ws_scratch(ws_self, SCRATCH_WORLD, size, sizeof *world);

    if (!own || !world || mpi_world == MPI_GROUP_NULL)
        return NULL;
    for (int i = 0; i < size; i++)
        own[i] = i;
    if (PMPI_Group_translate_ranks(group, size, own, mpi_world, world) != MPI_SUCCESS)
        return NULL;
    for (int i = 0; i < size; i++)
        if (world[i] < 0)
            world[i] = -1;
    return world;
}

static struct ws_group *group_from_mpi(MPI_Group group)
{
    int32_t *world;
    int size;

    if (PMPI_Group_size(group, &size) != MPI_SUCCESS || !(world = translate(group, size)))
        return NULL;
    return group_of(world, size);
}

/* ---- communicators ---- */

static struct ws_group *local_group(MPI_Comm comm)
{
    struct ws_group *found;
    MPI_Group group;

    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return NULL;
    found = group_from_mpi(group);
    PMPI_Group_free(&group);
    return found;
}

static struct ws_group *remote_group(MPI_Comm comm)
{
    struct ws_group *found;
    MPI_Group group;

    if (PMPI_Comm_remote_group(comm, &group) != MPI_SUCCESS)
        return NULL;
    found = group_from_mpi(group);
    PMPI_Group_free(&group);
    return found;
}

static int32_t peer_of(const void *group, int32_t i)
{
    return ws_group_peer(group, i);
}

/* The how-manieth time this hash is asked for. */
static uint32_t ordinal(uint64_t hash)
{
    uint32_t *count = ws_table_get(&ordinals, hash);

    if (!count && (!(count = ws_keep(sizeof *count)) || !ws_table_put(&ordinals, hash, count)))
        return 0;
    return ++*count;
}

static WS_OWN uint32_t last_index = WS_COMM_SELF_ID; /* of communicators; under comms.lock */

/* The identity is made of the group, the parent and the how-manieth communicator this is of both: the same on
 * all processes of it, since they make communicators of one group and parent in one order. */
static struct ws_comm_info *add_comm(MPI_Comm comm, uint32_t parent, struct ws_group *local,
                                     struct ws_group *remote, int rank)
{
    struct ws_comm_info *info = free_comms ? free_comms : ws_keep(sizeof *info);
    uint64_t hash = remote ? ws_mix(local->hash + remote->hash, 2) : local->hash;

    if (!info)
        return NULL;
    if (free_comms)
        free_comms = free_comms->next;
    hash = ws_mix(hash, parent);
    hash = ws_mix(hash, ordinal(hash));
    *info = (struct ws_comm_info){
        .id = ws_identity(hash),
        .index = ++last_index,
        .rank = rank,
        .size = local->known + (remote ? remote->known : 0),
        .inter = remote != NULL,
        .sources = -1,
        .destinations = -1,
        .peers = remote ? remote : local,
    };
    if (!ws_table_put(&comms, ws_comm_key(comm), info))
        return NULL;
    ws_describe_comm(info->index, info->id, info->peers->size, peer_of, info->peers);
    return info;
}

/* What the handle stood for before it was reused, freed where we did not see it. */
static void forget(MPI_Comm comm)
{
    struct ws_comm_info *info;

    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) /* cannot be freed */
        return;
    info = ws_table_remove(&comms, ws_comm_key(comm));
    if (!info)
        return;
    info->next = free_comms;
    free_comms = info;
}

static struct ws_comm_info *inspect(MPI_Comm comm, uint32_t parent)
{
    struct ws_group *local = local_group(comm), *remote = NULL;
    int inter, rank;

    if (!local || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
        PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || (inter && !(remote = remote_group(comm))))
        return NULL;
    return add_comm(comm, parent, local, remote, rank);
}

struct ws_comm_info *ws_comm_find(MPI_Comm comm)
{
    struct ws_comm_info *info;

    if (comm == MPI_COMM_NULL)
        return NULL;
    if (comm == MPI_COMM_WORLD)
        return &ws_world;
    info = ws_table_get(&comms, ws_comm_key(comm));
    if (info || !ws_self || !ws_self->packet)
        return info;
    /* Made by a function that no rule names. */
    pthread_mutex_lock(&comms.lock);
    info = ws_table_get(&comms, ws_comm_key(comm));
    if (!info)
        info = inspect(comm, 0);
    pthread_mutex_unlock(&comms.lock);
    return info;
}

uint32_t ws_comm_new(MPI_Comm comm, MPI_Comm parent)
{
    const struct ws_comm_info *of = ws_comm_find(parent);
    struct ws_comm_info *info;

    if (comm == MPI_COMM_NULL)
        return 0;
    pthread_mutex_lock(&comms.lock);
    forget(comm);
    info = inspect(comm, of ? of->id : 0);
    pthread_mutex_unlock(&comms.lock);
    return info ? info->index : 0;
}

uint32_t ws_comm_new_like(MPI_Comm comm, MPI_Comm parent)
{
    struct ws_comm_info *like = ws_comm_find(parent), *info = NULL;
    struct ws_group *local;

    if (!like)
        return 0;
    pthread_mutex_lock(&comms.lock);
    forget(comm);
    local = local_group(parent);
    if (local)
        info =
            add_comm(comm, like->id, local, like->inter ? (struct ws_group *)like->peers : NULL, like->rank);
    pthread_mutex_unlock(&comms.lock);
    return info ? info->index : 0;
}

static const struct ws_comm_info *known(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? &ws_world : ws_table_get(&comms, ws_comm_key(comm));
}

uint32_t ws_comm_known(MPI_Comm comm)
{
    const struct ws_comm_info *info = known(comm);

    return info ? info->index : 0;
}

int32_t ws_size_known(MPI_Comm comm)
{
    const struct ws_comm_info *info = known(comm);

    return info ? info->size : 0;
}

/* ---- topologies ---- */

/* How many give to this process, and get from it. */
static void count_neighbours(MPI_Comm comm, int kind, int rank, int *in, int *out)
{
    int dimensions, weighted;

    *in = *out = 0;
    if (kind == MPI_CART && PMPI_Cartdim_get(comm, &dimensions) == MPI_SUCCESS)
        *in = *out = 2 * dimensions;
    else if (kind == MPI_GRAPH && PMPI_Graph_neighbors_count(comm, rank, in) == MPI_SUCCESS)
        *out = *in;
    else if (kind == MPI_DIST_GRAPH &&
             PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted) != MPI_SUCCESS)
        *in = *out = 0;
}

/* Those that get from it, by their ranks in the communicator, in the order of the neighbourhood collectives. */
static bool list_destinations(MPI_Comm comm, int kind, int rank, int in, int out, int *list)
{
    int *others = ws_scratch(ws_self, SCRATCH_WORLD, in + in + out, sizeof *others);

    if (!others)
        return false;
    if (kind == MPI_GRAPH)
        return PMPI_Graph_neighbors(comm, rank, out, list) == MPI_SUCCESS;
    if (kind == MPI_DIST_GRAPH)
        return PMPI_Dist_graph_neighbors(comm, in, others, others + in, out, list, others + in + in) ==
               MPI_SUCCESS;
    for (int i = 0; i < out; i += 2)
        if (PMPI_Cart_shift(comm, i / 2, 1, &list[i], &list[i + 1]) != MPI_SUCCESS)
            return false;
    return true;
}

/* Tells of the destinations as of a communicator of their own; its index.  MPI_PROC_NULL is -2 there: nobody. */
static uint32_t define_destinations(MPI_Comm comm, int kind, const struct ws_comm_info *of, int in, int out)
{
    int32_t *list = ws_scratch(ws_self, SCRATCH_OWN, out, sizeof *list);
    struct ws_comm_info info = {0};

    if (out == 0 || !list || !list_destinations(comm, kind, of->rank, in, out, list))
        return 0;
    for (int i = 0; i < out; i++)
        list[i] = list[i] < 0 ? -2 : ws_group_peer(of->peers, list[i]);
    info.peers = group_of(list, out);
    if (!info.peers)
        return 0;
    info.index = ++last_index;
    info.id = ws_identity(ws_mix(ws_mix(of->id, info.index), (uint64_t)ws_recorder_rank()));
    ws_describe_comm(info.index, info.id, info.peers->size, peer_of, info.peers);
    return info.index;
}

static void find_neighbours(MPI_Comm comm, struct ws_comm_info *info)
{
    int kind = MPI_UNDEFINED, in, out;

    if (ws_has_topologies && PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        kind = MPI_UNDEFINED;
    count_neighbours(comm, kind, info->rank, &in, &out);
    info->destinations = out;
    info->destination_group = define_destinations(comm, kind, info, in, out);
    __atomic_store_n(&info->sources, in, __ATOMIC_RELEASE);
}

static const struct ws_comm_info *neighbours(MPI_Comm comm)
{
    struct ws_comm_info *info = ws_comm_find(comm);

    if (!info || __atomic_load_n(&info->sources, __ATOMIC_ACQUIRE) >= 0)
        return info;
    pthread_mutex_lock(&comms.lock);
    if (info->sources < 0)
        find_neighbours(comm, info);
    pthread_mutex_unlock(&comms.lock);
    return info;
}

uint32_t ws_destination_group(MPI_Comm comm)
{
    const struct ws_comm_info *info = neighbours(comm);

    return info ? info->destination_group : 0;
}

int32_t ws_sources(MPI_Comm comm)
{
    const struct ws_comm_info *info = neighbours(comm);

    return info ? info->sources : 0;
}

int32_t ws_destinations(MPI_Comm comm)
{
    const struct ws_comm_info *info = neighbours(comm);

    return info ? info->destinations : 0;
}

/* ---- the end of communicators ---- */

void ws_before_MPI_Comm_free(MPI_Comm *comm)
{
    if (!comm || !ws_is_recording())
        return;
    pthread_mutex_lock(&comms.lock);
    forget(*comm);
    pthread_mutex_unlock(&comms.lock);
}

void ws_before_MPI_Comm_disconnect(MPI_Comm *comm)
{
    ws_before_MPI_Comm_free(comm);
}

/* An MPI that has no intercommunicators (SMPI) may have a rank's number for it. */
static bool says_root(int root)
{
    return root == MPI_ROOT && root < 0;
}

bool ws_is_root(MPI_Comm comm, int root)
{
    const struct ws_comm_info *info = ws_comm_find(comm);

    return says_root(root) || (info && !info->inter && info->rank == root);
}

int32_t ws_root(MPI_Comm comm, int root)
{
    return says_root(root) ? (int32_t)ws_recorder_rank() : ws_peer(comm, root);
}

/* ---- start and end ---- */

/* "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\n..." and "SMPI Version 3.32. Copyright ..." in a
 * form for people. */
static void tidy(char *version)
{
    char *word = strstr(version, ". ");

    if (word)
        *word = '\0';
    version[strcspn(version, ",\n")] = '\0';
    word = strstr(version, "Version");
    if (word) {
        const char *number = word + strlen("Version");
        number += strspn(number, ":\t ");
        memmove(word, number, strlen(number) + 1);
    }
    word = strstr(version, " v");
    if (word && word[2] >= '0' && word[2] <= '9')
        memmove(word + 1, word + 2, strlen(word + 2) + 1);
}

/* A script that was started under the recorder may start programs of another MPI, whose handles are others.
 */
static bool is_foreign(const char *library)
{
#ifdef OPEN_MPI
    return strstr(library, "MPICH") || strstr(library, "MVAPICH") || strstr(library, "Intel(R) MPI");
#else
    return strstr(library, "Open MPI") != NULL;
#endif
}

/* Larger than any MPI asks for. */
static char library[MPI_MAX_LIBRARY_VERSION_STRING > 16384 ? MPI_MAX_LIBRARY_VERSION_STRING : 16384];

/* Whether the MPI is ours: its handles may be looked at.  Tells where it is not. */
static bool is_ours(void)
{
    int length;

    if (PMPI_Get_library_version(library, &length) != MPI_SUCCESS)
        library[0] = '\0';
    if (!is_foreign(library))
        return true;
    ws_recorder_decline(0, "the program's MPI is not the one that its launcher or script seems to use");
    return false;
}

/* Begins recording of this process, `rank` of `size` in mpi_world; with_world: MPI_COMM_WORLD can be used. */
static void start(int rank, int size, bool with_world)
{
    static WS_OWN struct ws_comm_info self;

    tidy(library);
    world_group = (struct ws_group){.hash = hash_ranks(NULL, size), .size = size, .known = size};
    ws_table_put(&groups, world_group.hash, &world_group);
    ws_world = (struct ws_comm_info){
        .id = WS_COMM_WORLD_ID, .index = WS_COMM_WORLD_ID, .rank = rank, .size = size, .peers = &world_group};
    ws_clock_agree((uint32_t)rank);
    if (with_world)
        ws_meeting_begin(rank, size);
    ws_recorder_start((uint32_t)rank, (uint32_t)size, library);
    if (!ws_is_recording())
        return;
    ws_meeting_write();
    pthread_mutex_lock(&comms.lock);
    self = (struct ws_comm_info){
        .id = WS_COMM_SELF_ID, .index = WS_COMM_SELF_ID, .size = 1, .peers = group_of(&rank, 1)};
    if (self.peers)
        ws_table_put(&comms, ws_comm_key(MPI_COMM_SELF), &self);
    pthread_mutex_unlock(&comms.lock);
}

void ws_before_MPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    ws_recorder_prepare();
}

void ws_before_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    (void)required;
    (void)provided;
    ws_recorder_prepare();
}

static void start_world(int result)
{
    MPI_Comm parent = MPI_COMM_NULL;
    int rank, size;

    if (result != MPI_SUCCESS || !is_ours())
        return;
    if (mpi_world != MPI_GROUP_NULL) /* of a session, which may end before this world */
        PMPI_Group_free(&mpi_world);
    of_session = false;
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS ||
        PMPI_Comm_group(MPI_COMM_WORLD, &mpi_world) != MPI_SUCCESS || ws_is_recording())
        return;
    if (ws_may_be_spawned && PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
        ws_recorder_decline((uint32_t)rank,
                            "processes of another world, started by MPI_Comm_spawn, are not recorded");
    else
        start(rank, size, true);
    ws_bench_resume();
}

/* Of the levels the standard says what 0 to 2 mean: off, on, and on with all that was kept written, which it
 * always is.  The arguments after it, where there are any, are for other tools. */
WS_EXPORT int MPI_Pcontrol(const int level, ...)
{
    static int (*next)(const int level, ...);
    char name[16];

    WS_HERE;
    WS_RESOLVE(next, WS_ORIGINAL("P", "MPI_Pcontrol"));
    if (!ws_inside() && (level == 0 || level == 1)) {
        ws_control_record(level == 1);
    } else if (!ws_inside() && level > 2) {
        snprintf(name, sizeof name, "%d", level);
        ws_control_phase(name);
    }
    return next(level);
}
WS_SECOND_NAME(MPI_Pcontrol, PMPI_Pcontrol)

void ws_after_MPI_Init(int result, int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    start_world(result);
}

void ws_after_MPI_Init_thread(int result, int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    (void)required;
    (void)provided;
    start_world(result);
}

void ws_before_MPI_Finalize(void)
{
    struct ws_stream *me;

    ws_bench_pause();
    me = ws_enter(); /* the meeting's calls are none of the program's */
    ws_meeting_end();
    if (me)
        ws_leave(me);
    ws_meeting_write();
    ws_recorder_finish();
    if (mpi_world != MPI_GROUP_NULL)
        PMPI_Group_free(&mpi_world);
    ws_bench_resume();
}

/* ---- sessions ---- */

#ifdef WS_HAVE_MPI_Session_init

void ws_before_MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    (void)info;
    (void)errhandler;
    (void)session;
    ws_recorder_prepare();
}

static MPI_Session session_of_world;
static int open_sessions;

/* A program without MPI_Init ends when it exits: after its last session another may begin. */
static __attribute__((destructor)) void end_of_sessions(void)
{
    if (open_sessions == 0 && mpi_world == MPI_GROUP_NULL)
        ws_recorder_finish();
}

void ws_after_MPI_Session_init(int result, MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    int rank, size;

    (void)info;
    (void)errhandler;
    if (result != MPI_SUCCESS || !is_ours())
        return;
    __atomic_fetch_add(&open_sessions, 1, __ATOMIC_RELAXED);
    if (mpi_world != MPI_GROUP_NULL ||
        PMPI_Group_from_session_pset(*session, "mpi://WORLD", &mpi_world) != MPI_SUCCESS)
        return;
    session_of_world = *session;
    of_session = true;
    if (!ws_is_recording() && PMPI_Group_rank(mpi_world, &rank) == MPI_SUCCESS &&
        PMPI_Group_size(mpi_world, &size) == MPI_SUCCESS)
        start(rank, size, false);
}

void ws_before_MPI_Session_finalize(MPI_Session *session)
{
    __atomic_fetch_sub(&open_sessions, 1, __ATOMIC_RELAXED);
    if (!session || !of_session || *session != session_of_world)
        return;
    of_session = false;
    PMPI_Group_free(&mpi_world);
}

#endif

/* ---- bytes ---- */

uint64_t ws_bytes(int64_t count, MPI_Datatype type)
{
    MPI_Count size;

    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

int32_t ws_peer_count(MPI_Comm comm)
{
    const struct ws_comm_info *info = ws_comm_find(comm);

    return info ? info->peers->size : 0;
}

int32_t ws_local_size(MPI_Comm comm)
{
    int size;

    return PMPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

static int64_t count_at(struct ws_counts counts, int32_t i)
{
    return counts.each == sizeof(int) ? ((const int *)counts.list)[i] : ((const MPI_Count *)counts.list)[i];
}

uint64_t ws_bytes_all(int64_t count, MPI_Datatype type, MPI_Comm comm)
{
    return ws_bytes(count, type) * (uint64_t)ws_peer_count(comm);
}

/* On an intercommunicator there is no own place among the peers, and no MPI_IN_PLACE that would ask for it.
 */
uint64_t ws_own_bytes(struct ws_counts counts, MPI_Datatype type, MPI_Comm comm)
{
    const struct ws_comm_info *info = ws_comm_find(comm);

    return info && !info->inter ? ws_bytes(count_at(counts, info->rank), type) : 0;
}

uint64_t ws_list_bytes(struct ws_counts counts, MPI_Datatype type, int32_t size)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < size; i++)
        sum += count_at(counts, i);
    return ws_bytes(sum, type);
}

uint64_t ws_lists_bytes(struct ws_counts counts, const MPI_Datatype *types, int32_t size)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i < size; i++)
        sum += ws_bytes(count_at(counts, i), types[i]);
    return sum;
}

/* ---- who gets how much ---- */

/* So many processes that follow each other in a communicator get so many bytes each. */
struct part {
    int32_t first, count;
    uint64_t bytes;
};

/* The parts of the call at hand in the thread's scratch; their number.  `own` is the process's own place in the
 * list, -1 for none: what it gives to itself may be part of any.  A call that is only counted has none. */
static int make_parts(struct ws_counts counts, MPI_Datatype type, const MPI_Datatype *types, int32_t size,
                      int32_t own)
{
    struct part *parts = ws_scratch(ws_self, SCRATCH_PARTS, size, sizeof *parts), *last = NULL;
    uint64_t each = types ? 0 : ws_bytes(1, type);

    if (!parts || ws_self->control == WS_SAMPLED_OUT)
        return 0;
    for (int32_t i = 0; i < size; i++) {
        int64_t count = count_at(counts, i);
        uint64_t bytes = types ? ws_bytes(count, types[i]) : count > 0 ? (uint64_t)count * each : 0;
        if (last && last->first + last->count == i && (i == own || last->bytes == bytes)) {
            last->count++;
        } else if (bytes && i != own) {
            last = last ? last + 1 : parts;
            *last = (struct part){i, 1, bytes};
        }
    }
    return last ? (int)(last - parts) + 1 : 0;
}

static int32_t own_place(MPI_Comm comm)
{
    const struct ws_comm_info *info = ws_comm_find(comm);

    return info && !info->inter ? info->rank : -1;
}

int ws_make_parts_v(struct ws_counts counts, MPI_Datatype type, MPI_Comm comm)
{
    return make_parts(counts, type, NULL, ws_peer_count(comm), own_place(comm));
}

int ws_make_parts_w(struct ws_counts counts, const MPI_Datatype *types, MPI_Comm comm)
{
    return make_parts(counts, MPI_DATATYPE_NULL, types, ws_peer_count(comm), own_place(comm));
}

int ws_make_parts_list(struct ws_counts counts, MPI_Datatype type, int32_t size)
{
    return make_parts(counts, type, NULL, size, -1);
}

int ws_make_parts_lists(struct ws_counts counts, const MPI_Datatype *types, int32_t size)
{
    return make_parts(counts, MPI_DATATYPE_NULL, types, size, -1);
}

static const struct part *part_at(int i)
{
    return (const struct part *)ws_self->scratch[SCRATCH_PARTS].bytes + i;
}

int32_t ws_part_first(int i)
{
    return part_at(i)->first;
}

int32_t ws_part_count(int i)
{
    return part_at(i)->count;
}

uint64_t ws_part_bytes(int i)
{
    return part_at(i)->bytes;
}

/* On an intercommunicator the root's group passes no data of its own: MPI_ROOT and MPI_PROC_NULL are < 0. */
uint64_t ws_bytes_rooted(MPI_Comm comm, int root, bool in_place, int64_t count, MPI_Datatype type,
                         int64_t root_count, MPI_Datatype root_type)
{
    if (root < 0)
        return 0;
    if (!in_place)
        return ws_bytes(count, type);
    return ws_is_root(comm, root) ? ws_bytes(root_count, root_type) : 0;
}

uint64_t ws_rooted_list_bytes(MPI_Comm comm, int root, bool in_place, int64_t count, MPI_Datatype type,
                              struct ws_counts root_counts, MPI_Datatype root_type)
{
    bool is_root = root >= 0 && in_place && ws_is_root(comm, root);

    return ws_bytes_rooted(comm, root, in_place, count, type, is_root ? count_at(root_counts, root) : 0,
                           root_type);
}

uint64_t ws_bytes_from(MPI_Comm comm, int root, int64_t count, MPI_Datatype type)
{
    (void)comm;
    return root == MPI_PROC_NULL ? 0 : ws_bytes(count, type);
}

/* ---- statuses ---- */

static bool is_of_class(int result, int wanted)
{
    int class;

    return PMPI_Error_class(result, &class) == MPI_SUCCESS && class == wanted;
}

bool ws_in_status(int result)
{
    return is_of_class(result, MPI_ERR_IN_STATUS);
}

bool ws_truncated(void)
{
    return is_of_class(ws_self->result, MPI_ERR_TRUNCATE);
}

bool ws_done(const MPI_Status *status)
{
    return ws_self->result == MPI_SUCCESS || status->MPI_ERROR == MPI_SUCCESS ||
           is_of_class(status->MPI_ERROR, MPI_ERR_TRUNCATE);
}

uint64_t ws_received(const MPI_Status *status)
{
    ws_element_count count;

    if (ws_get_elements(status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0)
        return 0;
    return (uint64_t)count;
}

static int cancels; /* whether anything was ever cancelled: few programs do */

void ws_after_MPI_Cancel(int result, MPI_Request *request)
{
    (void)result;
    (void)request;
    __atomic_store_n(&cancels, 1, __ATOMIC_RELAXED);
}

bool ws_cancelled(const MPI_Status *status)
{
    int flag;

    if (!__atomic_load_n(&cancels, __ATOMIC_RELAXED))
        return false;
    return PMPI_Test_cancelled(status, &flag) == MPI_SUCCESS && flag;
}

/* ---- windows ---- */

static uint64_t window_key(MPI_Win win)
{
    return (uint64_t)(uintptr_t)win;
}

struct ws_window_info *ws_window_find(MPI_Win win)
{
    return ws_table_get(&windows, window_key(win));
}

static void forget_window(MPI_Win win)
{
    struct ws_window_info *info = ws_table_remove(&windows, window_key(win));

    if (!info)
        return;
    info->next = free_windows;
    free_windows = info;
}

/* A used one keeps the memory of its epochs' groups. */
static struct ws_window_info *new_window(void)
{
    struct ws_window_info *info = free_windows;

    if (!info)
        return ws_keep(sizeof *info);
    free_windows = info->next;
    info->access.count = info->exposure.count = 0;
    return info;
}

uint32_t ws_window_new(MPI_Win win, MPI_Comm comm)
{
    static WS_OWN uint32_t last_index;
    struct ws_comm_info *parent = ws_comm_find(comm);
    struct ws_window_info *info;
    uint32_t fields[3];

    if (!parent)
        return 0;
    pthread_mutex_lock(&windows.lock);
    forget_window(win);
    info = new_window();
    if (info) {
        info->index = fields[0] = ++last_index;
        fields[1] = ws_identity(ws_mix(ws_mix(parent->id, 3), ++parent->children));
        info->peers = parent->peers;
        if (!ws_table_put(&windows, window_key(win), info))
            info = NULL;
    }
    pthread_mutex_unlock(&windows.lock);
    if (!info)
        return 0;
    fields[2] = parent->index;
    ws_describe(ws_self, WS_RECORD_WINDOW, fields, sizeof fields);
    return info->index;
}

void ws_before_MPI_Win_free(MPI_Win *win)
{
    if (!win || !ws_is_recording())
        return;
    pthread_mutex_lock(&windows.lock);
    forget_window(*win);
    pthread_mutex_unlock(&windows.lock);
}

int32_t ws_window_size(MPI_Win win)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? info->peers->known : 0;
}

int32_t ws_window_peers(MPI_Win win)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? info->peers->size : 0;
}

int32_t ws_target(MPI_Win win, int rank)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? ws_group_peer(info->peers, rank) : -1;
}

bool ws_exposed(MPI_Win win)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info && info->access.count > 0;
}

/* ---- groups of epochs ---- */

static int open_epoch(struct ws_epoch *epoch, MPI_Group group)
{
    int32_t *world;
    int size;

    epoch->count = 0;
    if (PMPI_Group_size(group, &size) != MPI_SUCCESS || size == 0 || !(world = translate(group, size)))
        return 0;
    if (size > epoch->capacity) {
        int32_t *more =
            ws_keep((size_t)size * sizeof *more); /* the old one is lost: groups of a window are few */
        if (!more)
            return 0;
        epoch->world = more;
        epoch->capacity = size;
    }
    memcpy(epoch->world, world, (size_t)size * sizeof *world);
    epoch->count = size;
    return size;
}

static int32_t epoch_rank(const struct ws_epoch *epoch, int i)
{
    return i >= 0 && i < epoch->count ? epoch->world[i] : -1;
}

int ws_start_open(MPI_Win win, MPI_Group group)
{
    struct ws_window_info *info = ws_window_find(win);

    return info ? open_epoch(&info->access, group) : 0;
}

int ws_post_open(MPI_Win win, MPI_Group group)
{
    struct ws_window_info *info = ws_window_find(win);

    return info ? open_epoch(&info->exposure, group) : 0;
}

int ws_start_size(MPI_Win win)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? info->access.count : 0;
}

int ws_post_size(MPI_Win win)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? info->exposure.count : 0;
}

int32_t ws_start_rank(MPI_Win win, int i)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? epoch_rank(&info->access, i) : -1;
}

int32_t ws_post_rank(MPI_Win win, int i)
{
    const struct ws_window_info *info = ws_window_find(win);

    return info ? epoch_rank(&info->exposure, i) : -1;
}

static void close_epoch(MPI_Win win, bool access)
{
    struct ws_window_info *info = ws_window_find(win);

    if (info)
        (access ? &info->access : &info->exposure)->count = 0;
}

void ws_after_MPI_Win_complete(int result, MPI_Win win)
{
    if (result == MPI_SUCCESS)
        close_epoch(win, true);
}

void ws_after_MPI_Win_wait(int result, MPI_Win win)
{
    if (result == MPI_SUCCESS)
        close_epoch(win, false);
}

void ws_after_MPI_Win_test(int result, MPI_Win win, int *flag)
{
    if (result == MPI_SUCCESS && *flag)
        close_epoch(win, false);
}

/* ---- files ---- */

static uint64_t file_key(MPI_File fh)
{
    return (uint64_t)(uintptr_t)fh;
}

static void forget_file(MPI_File fh)
{
    struct ws_file_info *info = ws_table_remove(&files, file_key(fh));

    if (!info)
        return;
    info->next = free_files;
    free_files = info;
}

uint32_t ws_file_new(MPI_File fh, MPI_Comm comm)
{
    struct ws_comm_info *parent = ws_comm_find(comm);
    struct ws_file_info *info;

    if (!parent)
        return 0;
    pthread_mutex_lock(&files.lock);
    forget_file(fh);
    info = free_files ? free_files : ws_keep(sizeof *info);
    if (info) {
        if (free_files)
            free_files = free_files->next;
        info->id = ws_identity(ws_mix(ws_mix(parent->id, 4), ++parent->children));
        info->size = parent->size;
        if (!ws_table_put(&files, file_key(fh), info))
            info = NULL;
    }
    pthread_mutex_unlock(&files.lock);
    return info ? info->id : 0;
}

uint32_t ws_file(MPI_File fh)
{
    const struct ws_file_info *info = ws_table_get(&files, file_key(fh));

    return info ? info->id : 0;
}

int32_t ws_file_size(MPI_File fh)
{
    const struct ws_file_info *info = ws_table_get(&files, file_key(fh));

    return info ? info->size : 0;
}

void ws_before_MPI_File_close(MPI_File *fh)
{
    if (!fh || !ws_is_recording())
        return;
    pthread_mutex_lock(&files.lock);
    forget_file(*fh);
    pthread_mutex_unlock(&files.lock);
}
