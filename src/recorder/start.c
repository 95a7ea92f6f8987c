/* The recorder's life in a process: start, calibration, the end, and what a fork does to it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/domain.h"
#include "recorder/hot.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static WS_OWN uint32_t own_rank;
static char folder[PATH_MAX]; /* "": nothing is to be recorded */
static uint8_t trace_uuid[16];

uint32_t ws_recorder_rank(void)
{
    return own_rank;
}

const char *ws_recorder_folder(void)
{
    return folder;
}

const uint8_t *ws_recorder_uuid(void)
{
    return trace_uuid;
}

uint64_t ws_setting(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : 0;
}

/* The trace's uuid from its text; zeros where that is none. */
static void read_uuid(const char *text)
{
    int count = 0;

    for (; text && *text && count < 32; text++) {
        int digit = *text >= '0' && *text <= '9'   ? *text - '0'
                    : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10
                    : *text >= 'A' && *text <= 'F' ? *text - 'A' + 10
                                                   : -1;
        if (digit >= 0) {
            trace_uuid[count / 2] = (uint8_t)(trace_uuid[count / 2] << 4 | digit);
            count++;
        }
    }
}

/* Programs clear their environment, so it is read when the library is loaded. */
static __attribute__((constructor)) void read_environment(void)
{
    const char *trace = getenv("WHYSLOW_TRACE");

    if (folder[0] || !trace || trace[0] != '/' || strlen(trace) >= sizeof folder)
        return;
    strcpy(folder, trace);
    read_uuid(getenv("WHYSLOW_UUID"));
    ws_control_load();
    ws_stream_load();
    ws_clock_load();
}

void ws_problem(const char *format, ...)
{
    char path[PATH_MAX + 32], line[1024];
    va_list args;
    int length, fd;

    snprintf(path, sizeof path, "%s/rank-%u.problem", folder, own_rank);
    va_start(args, format);
    length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (length < 0)
        return;
    length = length < (int)sizeof line - 1 ? length : (int)sizeof line - 2;
    line[length++] = '\n';
    if (!ws_may_write((uint64_t)length))
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return; /* an earlier one is there, or nothing can be written: nobody to tell */
    if (write(fd, line, (size_t)length) != length)
        unlink(path);
    close(fd);
}

/* ---- the next definition of a symbol ---- */

struct search {
    const char *symbol;
    uintptr_t own_base;
    void *found;
};

static bool is_of_runtime(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    for (size_t i = 0; slash && ws_runtime_libraries[i]; i++)
        if (fnmatch(ws_runtime_libraries[i], slash + 1, 0) == 0)
            return true;
    return false;
}

/* Looks in the runtime's loaded libraries by name: for a program that loaded them for itself alone (RTLD_LOCAL, as
 * Python and Java do), where the linker's search order leads nowhere. */
static int look_in_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    void *module;

    (void)size;
    if (info->dlpi_addr == search->own_base || !is_of_runtime(info->dlpi_name))
        return 0;
    module = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!module)
        return 0;
    search->found = dlsym(module, search->symbol);
    dlclose(module);
    return search->found != NULL;
}

void *ws_look_up(const char *symbol)
{
    struct search search = {.symbol = symbol};
    struct link_map *map = NULL;
    Dl_info info;

    search.found = dlsym(RTLD_NEXT, symbol);
    if (search.found)
        return search.found;
    if (dladdr1((void *)(uintptr_t)ws_look_up, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
        search.own_base = map->l_addr;
    dl_iterate_phdr(look_in_module, &search);
    return search.found;
}

void *ws_next(const char *symbol)
{
    void *found = ws_look_up(symbol);

    if (found)
        return found;
    dprintf(STDERR_FILENO, "whyslow: symbol lookup error: no library defines %s\n", symbol);
    _exit(127);
}

/* ---- start ---- */

/* What one recorded call costs in ps: the best of a few rounds of calls that end in memory. */
static uint64_t calibrate(void)
{
    enum { ROUNDS = 12, CALLS = 256 };
    struct ws_stream *me = ws_stream_scratch(), *self = ws_self;
    uint64_t best_ps = UINT64_MAX;

    if (!me)
        return 0;
    ws_self = me;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = ws_clock_ns(), ps;
        for (uint32_t i = 0; i < CALLS && ws_enter(); i++) {
            uint64_t call_begin = ws_clock_ns();
            unsigned char *at;
            ws_call(me, 0, call_begin, ws_clock_ns(), __builtin_return_address(0));
            at = WS_FITS(i, 16) ? ws_record(me, 0, 1, 8) : NULL;
            if (at) {
                WS_PUT_NARROW(at, i, 2);
                WS_PUT_NARROW(at, i, 2);
                WS_PUT_NARROW(at, 1, 1);
                WS_PUT_NARROW(at, i, 3);
            } else if ((at = ws_record_full(me, 0, sizeof i))) {
                WS_PUT(at, i);
            }
            if (at)
                ws_record_end(me, at);
            ws_leave(me);
        }
        ps = (ws_clock_ns() - begin) * 1000 / CALLS;
        best_ps = ps < best_ps ? ps : best_ps;
    }
    ws_self = self;
    ws_stream_scratch_free(me);
    return best_ps;
}

/* Where this process runs, and what. */
static void find_machine(char *host, size_t size, char executable[PATH_MAX])
{
#ifdef WS_SIMULATED
    snprintf(host, size, "%s", ws_simulated_host());
    snprintf(executable, PATH_MAX, "%s", ws_simulated_program());
#else
    ssize_t length = readlink("/proc/self/exe", executable, PATH_MAX - 1);

    executable[length > 0 ? length : 0] = '\0';
    if (gethostname(host, size - 1) != 0)
        host[0] = '\0';
#endif
}

static void write_begin(struct ws_stream *me, uint32_t size, uint64_t cost_ps, const char *library)
{
    unsigned char fields[2 * sizeof(uint32_t) + sizeof(uint64_t) + 3 * (WS_TEXT_MOST + 1)], *at = fields;
    char host[WS_TEXT_MOST + 1] = "", executable[PATH_MAX] = "";
    uint32_t pid = (uint32_t)getpid();

    find_machine(host, sizeof host, executable);
    WS_PUT(at, pid);
    WS_PUT(at, size);
    WS_PUT(at, cost_ps);
    at = ws_put_text(at, host, ws_text_length(host));
    at = ws_put_text(at, library, ws_text_length(library));
    at = ws_put_text(at, executable, ws_text_length(executable));
    ws_now(me);
    ws_describe(me, WS_RECORD_BEGIN, fields, (size_t)(at - fields));
}

static void write_clock(struct ws_stream *me)
{
    struct ws_record_clock clock = {.domain = ws_domain_id(), .error_ppb = ws_clock_scale.error_ppb};
    struct timespec wall = {0};

    if (me->failed)
        return;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock.wall_ns = (uint64_t)wall.tv_sec * UINT64_C(1000000000) + (uint64_t)wall.tv_nsec;
    clock.kernel_ns = ws_clock_kernel_ns();
    ws_now(me);
    ws_describe(me, WS_RECORD_CLOCK, &clock, sizeof clock);
}

/* The child shares the mapped packets: one store from it would spoil the parent's trace. */
static void after_fork_in_child(void)
{
    __atomic_store_n(&ws_recording, 0, __ATOMIC_RELAXED);
}

static bool prepare_for_fork(void)
{
    static bool done; /* there may be several recorded processes in one */

    done = done || pthread_atfork(NULL, NULL, after_fork_in_child) == 0;
    return done;
}

/* The launcher made the folder; where it is not, it is not shared with the launcher's node: what happens here
 * is recorded here then, to be told of and brought together when the trace is read. */
static void make_folders(void)
{
    char path[PATH_MAX + 8];

    if (!folder[0] || access(folder, F_OK) == 0)
        return;
    strcpy(path, folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0777);
    strcat(path, "/ctf");
    mkdir(path, 0777);
}

void ws_recorder_prepare(void)
{
    read_environment(); /* a constructor of another library may start MPI before ours has run */
    make_folders();
    ws_domain_announce();
}

void ws_recorder_decline(uint32_t rank, const char *why)
{
    if (ws_is_recording())
        return;
    read_environment();
    own_rank = rank;
    ws_problem("nothing is recorded: %s", why);
}

/* Whether rank 0, if it has begun its stream, says that its world has this size.  A command may start two
 * worlds one after the other, and the second may have ranks that the first had not. */
static bool same_world(uint32_t size)
{
    struct {
        struct ws_packet_header packet;
        struct ws_built_in_header record;
        uint32_t pid, size;
    } __attribute__((packed)) first;
    char path[PATH_MAX + 32];
    ssize_t got;
    int fd;

    snprintf(path, sizeof path, "%s/ctf/rank-0.thread-0", folder);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return true;
    got = pread(fd, &first, sizeof first, 0);
    close(fd);
    return got != sizeof first || first.packet.content_bits < 8 * sizeof first || first.size == size;
}

void ws_recorder_start(uint32_t rank, uint32_t size, const char *library)
{
    struct ws_stream *me;
    uint64_t cost_ps;

    read_environment();
    if (!folder[0] || ws_is_recording() || ws_self)
        return;
    own_rank = rank;
    if (!ws_control_wants(rank))
        return;
    if (!same_world(size)) {
        ws_recorder_decline(rank, "the trace has those of another world, which ran before");
        return;
    }
    ws_stream_share(size);
    me = ws_stream_open(); /* the first: thread 0 */
    if (!me)
        return;
    if (!prepare_for_fork()) {
        ws_problem("nothing is recorded: a fork could not be made safe");
        ws_stream_close(me);
        return;
    }
    __atomic_store_n(&ws_recording, 1, __ATOMIC_RELEASE);
    cost_ps = calibrate();
    write_begin(me, size, cost_ps, library);
    write_clock(me);
    ws_control_begin(me->end_ns);
    me->duration_ns = 0;
    if (ws_control)
        ws_control_look(me);
}

void ws_recorder_join(uint32_t rank, uint32_t size, const char *library)
{
    ws_recorder_prepare();
    ws_clock_agree(rank);
    ws_recorder_start(rank, size, library);
}

void ws_recorder_finish(void)
{
    struct ws_stream *me = ws_self;
    uint64_t flush_ns = ws_stream_flush_ns();

    if (!__atomic_exchange_n(&ws_recording, 0, __ATOMIC_ACQ_REL))
        return;
    if ((!me && !(me = ws_stream_open())) || me->inside == 2)
        return;
    ws_control_end(me);
    write_clock(me);
    /* Streams of threads that still live stay as they are: they may be writing, and can be read. */
    ws_now(me);
    me->limit = (unsigned char *)me->packet + ws_packet_bytes;
    ws_describe(me, WS_RECORD_END, &flush_ns, sizeof flush_ns);
    ws_stream_close(me);
}
