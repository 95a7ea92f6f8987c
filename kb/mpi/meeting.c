#include "meeting.h"

#include "support.h"

#include "recorder/domain.h"

#include <sched.h>

/* Ranks of `meeting`: 0 is rank 0 of the world, then the leaders. */
static MPI_Comm meeting = MPI_COMM_NULL;
static struct ws_record_offset found; /* own_ns 0: nothing */

#define TAG 22355

/* ---- who is there ---- */

/* Neither has a receive of the program posted yet, so that these messages on MPI_COMM_WORLD meet nobody
 * else: both are still in the program's call of MPI_Init, and have promised to come. */
static bool tell_leaders(int32_t count, const int32_t *leaders)
{
    bool ok = true;

    for (int32_t i = 0; ok && i < count; i++)
        ok = PMPI_Send(&count, 1, MPI_INT32_T, leaders[i], TAG, MPI_COMM_WORLD) == MPI_SUCCESS &&
             PMPI_Send(leaders, count, MPI_INT32_T, leaders[i], TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
    return ok;
}

static int32_t hear_rank_0(const int32_t **leaders)
{
    int32_t count, *list;

    if (PMPI_Recv(&count, 1, MPI_INT32_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        !(list = ws_pages((size_t)count * sizeof *list)) ||
        PMPI_Recv(list, count, MPI_INT32_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return 0;
    *leaders = list;
    return count;
}

static void come_together(int32_t count, const int32_t *leaders)
{
    size_t bytes = (size_t)(count + 1) * sizeof(int32_t);
    MPI_Group world = MPI_GROUP_NULL, group;
    int32_t *all = ws_pages(bytes);

    if (!all)
        return;
    memcpy(all + 1, leaders, (size_t)count * sizeof *all);
    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS &&
        PMPI_Group_incl(world, count + 1, all, &group) == MPI_SUCCESS) {
        if (PMPI_Comm_create_group(MPI_COMM_WORLD, group, TAG, &meeting) != MPI_SUCCESS)
            meeting = MPI_COMM_NULL;
        PMPI_Group_free(&group);
    }
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    ws_pages_free(all, bytes);
    if (meeting != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(meeting, MPI_ERRORS_RETURN);
}

/* ---- what time it is ---- */

/* Each leader asks so often at least, and goes on for its share of the time, but where a trip is quick no
 * longer than is of use. */
enum { LEAST_ROUNDS = 8 };
#define ALL_NS UINT64_C(400000000)
#define USEFUL_NS UINT64_C(10000000)
#define QUICK_NS UINT64_C(20000)

/* A receive that leaves the processor to the other side, should both be on one. */
static bool receive(uint64_t *value, int from)
{
    enum { TRIES = 1000 };
    MPI_Request request;
    int done = 0;

    if (PMPI_Irecv(value, 1, MPI_UINT64_T, from, TAG, meeting, &request) != MPI_SUCCESS)
        return false;
    for (int i = 0; !done; i++) {
        if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (i > TRIES)
            sched_yield();
    }
    return true;
}

static bool send(uint64_t value, int to)
{
    return PMPI_Send(&value, 1, MPI_UINT64_T, to, TAG, meeting) == MPI_SUCCESS;
}

/* Rank 0 tells the time to whoever asks, until it asks no more. */
static bool answer(int leader)
{
    uint64_t more;

    do
        if (!receive(&more, leader) || !send(ws_clock_ns(), leader))
            return false;
    while (more);
    return true;
}

/* Rank 0 read its clock at some moment of the round trip: taken for the middle, it is wrong by half of the
 * trip at the most.  The quickest of all trips is the one that counts. */
static void take_round(uint64_t begin_ns, uint64_t end_ns, uint64_t theirs_ns)
{
    uint64_t bound_ns = (end_ns - begin_ns + 1) / 2, own_ns = begin_ns + bound_ns;

    if (found.own_ns == 0 || bound_ns < found.bound_ns)
        found = (struct ws_record_offset){own_ns, (int64_t)(theirs_ns - own_ns), bound_ns};
}

static bool goes_on(int round, uint64_t so_far_ns, uint64_t share_ns)
{
    return round < LEAST_ROUNDS ||
           so_far_ns < (found.bound_ns < QUICK_NS && share_ns > USEFUL_NS ? USEFUL_NS : share_ns);
}

static void ask(int leaders)
{
    uint64_t first_ns = ws_clock_ns(), more = 1;

    found.own_ns = 0;
    for (int round = 1; more; round++) {
        uint64_t begin_ns = ws_clock_ns(), theirs_ns;
        more = goes_on(round, begin_ns - first_ns, ALL_NS / (uint64_t)leaders);
        if (!send(more, 0) || !receive(&theirs_ns, 0)) {
            found.own_ns = 0;
            return;
        }
        take_round(begin_ns, ws_clock_ns(), theirs_ns);
    }
}

static void compare(void)
{
    int rank, size;

    if (PMPI_Comm_rank(meeting, &rank) != MPI_SUCCESS || PMPI_Comm_size(meeting, &size) != MPI_SUCCESS)
        return;
    if (rank != 0)
        ask(size - 1);
    for (int leader = 1; rank == 0 && leader < size; leader++)
        if (!answer(leader))
            return;
}

/* ---- the meetings ---- */

void ws_meeting_begin(int rank, int size)
{
    const int32_t *leaders = NULL;
    int32_t count = ws_domain_meeting((uint32_t)rank, (uint32_t)size, &leaders);

    if (count == WS_MEETS_RANK_0)
        count = hear_rank_0(&leaders);
    else if (count > 0 && !tell_leaders(count, leaders))
        return;
    if (count > 0)
        come_together(count, leaders);
    if (meeting != MPI_COMM_NULL)
        compare();
}

/* Waits for the others as MPI_Finalize would. */
void ws_meeting_end(void)
{
    if (meeting == MPI_COMM_NULL)
        return;
    compare();
    PMPI_Comm_free(&meeting);
}

void ws_meeting_write(void)
{
    if (found.own_ns && ws_self && ws_self->packet)
        ws_describe(ws_self, WS_RECORD_OFFSET, &found, sizeof found);
}
