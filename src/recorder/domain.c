#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/domain.h"

#include "recorder/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "clock-%016" PRIx64 "-%016" PRIx64 /* trace, domain */
#define NAME_LENGTH (strlen("clock-") + 16 + 1 + 16)
#define MOST_BYTES ((size_t)1 << 16) /* of a domain's file: 2 for each process */

bool ws_read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* nor waits, should it be a pipe */
    size_t length = 0;
    ssize_t got = 1;

    if (fd < 0)
        return false;
    while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) != 0)
        if (got > 0)
            length += (size_t)got;
        else if (errno != EINTR)
            break;
    close(fd);
    text[length] = '\0';
    return length > 0;
}

/* ---- the domain ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    return hash;
}

uint64_t ws_domain_id(void)
{
    static uint64_t id;
    char text[256], boot[128];
    struct stat time_namespace = {0};

    if (id)
        return id;
    if (!ws_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot) &&
        gethostname(boot, sizeof boot - 1) != 0)
        boot[0] = '\0';
    if (stat("/proc/self/ns/time", &time_namespace) != 0) /* a kernel without */
        time_namespace.st_ino = 0;
    snprintf(text, sizeof text, "%.120s %ju", boot, (uintmax_t)time_namespace.st_ino);
    id = hash_text(UINT64_C(0xCBF29CE484222325), text);
    id += id == 0;
    return id;
}

/* Where the folder is a node's own, the launcher has not cleared it: files of an earlier trace must not count. */
static uint64_t trace_id(void)
{
    uint64_t id;

    memcpy(&id, ws_recorder_uuid(), sizeof id);
    return id;
}

static bool make_path(char path[PATH_MAX], uint64_t domain, const char *suffix)
{
    int length = snprintf(path, PATH_MAX, "%s/" NAME "%s", ws_recorder_folder(), trace_id(), domain, suffix);

    return length > 0 && length < PATH_MAX && ws_recorder_folder()[0];
}

static void append(const char *line)
{
    char path[PATH_MAX];
    int fd;

    if (!make_path(path, ws_domain_id(), "") || !ws_may_write(MOST_BYTES))
        return;
    fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0)
        return;
    if (write(fd, line, strlen(line)) < 0)
        errno = 0; /* then the others know nothing of us */
    close(fd);
}

/* What a domain's file says. */
struct state {
    uint32_t processes;
    bool has_rank_0, has_scale, has_leader;
    struct ws_clock_scale scale;
    uint32_t leader;
};

static void take_line(struct state *state, const char *line)
{
    struct ws_clock_scale *scale = &state->scale;

    state->processes += line[0] == '+';
    state->has_rank_0 |= line[0] == '0';
    state->has_leader |= line[0] == '!';
    if (line[0] == '=' && !state->has_scale)
        state->has_scale =
            sscanf(line, "= %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx32 " %" SCNx32 ".", &scale->count0,
                   &scale->ns0, &scale->multiplier, &scale->error_ppb, &state->leader) == 5;
}

static struct state read_domain(uint64_t domain)
{
    struct state state = {0};
    char path[PATH_MAX], *text = ws_pages(MOST_BYTES), *end;

    if (text && make_path(path, domain, "") && ws_read_file(path, text, MOST_BYTES))
        for (char *line = text; (end = strchr(line, '\n')); line = end + 1)
            take_line(&state, line);
    ws_pages_free(text, MOST_BYTES);
    return state;
}

void ws_domain_announce(void)
{
    if (!WS_ONE_CLOCK)
        append("+\n");
}

bool ws_domain_scale(struct ws_clock_scale *scale)
{
    struct state state = read_domain(ws_domain_id());

    *scale = state.scale;
    return state.has_scale;
}

bool ws_domain_offer(struct ws_clock_scale offer, uint32_t rank, struct ws_clock_scale *holds)
{
    char line[96];

    snprintf(line, sizeof line, "= %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx32 " %" PRIx32 "\n",
             offer.count0, offer.ns0, offer.multiplier, offer.error_ppb, rank);
    append(line);
    return ws_domain_scale(holds);
}

/* ---- the meeting ---- */

#define TURN_NS UINT64_C(1000000)      /* between two looks */
#define CENSUS_NS UINT64_C(100000000)  /* rank 0 waits so long for ranks that have not announced themselves */
#define LEADERS_NS UINT64_C(500000000) /* ... and for the leaders of domains that it knows */
#define RANK_0_NS UINT64_C(1000000000) /* a leader waits so long for rank 0 */

/* False when `limit_ns` have passed since begin_ns; else some time has. */
static bool wait_a_turn(uint64_t begin_ns, uint64_t limit_ns)
{
    const struct timespec turn = {.tv_nsec = (long)TURN_NS};

    if (ws_clock_kernel_ns() - begin_ns > limit_ns)
        return false;
    nanosleep(&turn, NULL);
    return true;
}

/* Both sides try to make this file, and only one can: rank 0 to say that it will come to the meeting with
 * this domain, a leader to say that it waits no more.  True for the one who made it. */
static bool decide(uint64_t domain)
{
    char path[PATH_MAX];
    int fd;

    if (!make_path(path, domain, ".met"))
        return false;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool is_decided(uint64_t domain)
{
    char path[PATH_MAX];

    return make_path(path, domain, ".met") && access(path, F_OK) == 0;
}

static int meet_rank_0(uint32_t size)
{
    uint64_t begin_ns = ws_clock_kernel_ns(), own = ws_domain_id();

    if (read_domain(own).has_leader)
        return 0; /* that of a world before: what was decided then is not about us */
    append("!\n");
    do {
        struct state state = read_domain(own);
        if (state.processes >= size || state.has_rank_0)
            return 0;
        if (is_decided(own))
            return WS_MEETS_RANK_0;
    } while (wait_a_turn(begin_ns, RANK_0_NS));
    return !decide(own) && is_decided(own) ? WS_MEETS_RANK_0 : 0;
}

struct domains {
    uint64_t *list;
    uint32_t count, processes;
};

/* All domains of the trace's folder; the list has room for as many as there are ranks. */
static void find_domains(struct domains *domains, uint32_t size)
{
    DIR *folder = opendir(ws_recorder_folder());
    struct dirent *entry;
    uint64_t trace, domain;

    domains->count = domains->processes = 0;
    while (folder && (entry = readdir(folder)))
        if (strlen(entry->d_name) == NAME_LENGTH &&
            sscanf(entry->d_name, "clock-%" SCNx64 "-%" SCNx64, &trace, &domain) == 2 &&
            trace == trace_id() && domains->count < size) {
            domains->list[domains->count++] = domain;
            domains->processes += read_domain(domain).processes;
        }
    if (folder)
        closedir(folder);
}

/* Rank 0's count of all processes: true where every rank has the recorder and there are several domains. */
static bool take_census(struct domains *domains, uint32_t size)
{
    uint64_t begin_ns = ws_clock_kernel_ns();

    if (read_domain(ws_domain_id()).processes >= size)
        return false; /* most programs */
    do
        find_domains(domains, size);
    while (domains->processes < size && wait_a_turn(begin_ns, CENSUS_NS));
    return domains->processes == size && domains->count > 1;
}

static int meet_leaders(const struct domains *domains, uint32_t size, int32_t *leaders)
{
    uint64_t begin_ns = ws_clock_kernel_ns();
    int count = 0;

    for (uint32_t i = 0; i < domains->count; i++) {
        struct state state;
        if (domains->list[i] == ws_domain_id())
            continue;
        do
            state = read_domain(domains->list[i]);
        while (!state.has_leader && wait_a_turn(begin_ns, LEADERS_NS));
        if (state.has_leader && state.has_scale && state.leader < size && decide(domains->list[i]))
            leaders[count++] = (int32_t)state.leader;
    }
    return count;
}

int ws_domain_meeting(uint32_t rank, uint32_t size, const int32_t **leaders)
{
    struct domains domains = {0};
    struct state state;
    int32_t *list;
    int count = 0;

    *leaders = NULL;
    if (WS_ONE_CLOCK)
        return 0;
    if (rank != 0) {
        state = read_domain(ws_domain_id());
        return state.has_scale && state.leader == rank ? meet_rank_0(size) : 0;
    }
    if (read_domain(ws_domain_id()).has_rank_0)
        return 0; /* that of a world before */
    append("0\n");
    domains.list = ws_pages(size * sizeof *domains.list);
    list = ws_pages(size * sizeof *list);
    if (domains.list && list && take_census(&domains, size))
        count = meet_leaders(&domains, size, list);
    ws_pages_free(domains.list, size * sizeof *domains.list);
    if (count == 0)
        ws_pages_free(list, size * sizeof *list);
    else
        *leaders = list;
    return count;
}
