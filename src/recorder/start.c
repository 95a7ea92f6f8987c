/* The recorder's life in a process: start, calibration, the end, and what a fork does to it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/hot.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t own_rank;
static char folder[PATH_MAX];

uint32_t ws_recorder_rank(void)
{
    return own_rank;
}

const char *ws_recorder_folder(void)
{
    return folder;
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

/* Looks in the loaded MPI libraries by name: for a program that loaded MPI for itself alone (RTLD_LOCAL, as
 * Python does), where the linker's search order leads nowhere. */
static int look_in_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    void *module;

    (void)size;
    if (!name || strncmp(name, "/libmpi", 7) != 0 || info->dlpi_addr == search->own_base)
        return 0;
    module = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!module)
        return 0;
    search->found = dlsym(module, search->symbol);
    dlclose(module);
    return search->found != NULL;
}

void *ws_next(const char *symbol)
{
    struct search search = {.symbol = symbol};
    struct link_map *map = NULL;
    Dl_info info;

    search.found = dlsym(RTLD_NEXT, symbol);
    if (search.found)
        return search.found;
    if (dladdr1((void *)(uintptr_t)ws_next, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
        search.own_base = map->l_addr;
    dl_iterate_phdr(look_in_module, &search);
    if (search.found)
        return search.found;
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
            at = ws_record(me, WS_FIRST_RECORD, 3 * sizeof i + sizeof(uint64_t) + 1);
            if (at) {
                WS_PUT(at, i);
                WS_PUT(at, i);
                WS_PUT(at, i);
                WS_PUT(at, begin);
                WS_PUT(at, (uint8_t)0);
                ws_record_end(me, at);
            }
            ws_leave(me);
        }
        ps = (ws_clock_ns() - begin) * 1000 / CALLS;
        best_ps = ps < best_ps ? ps : best_ps;
    }
    ws_self = self;
    ws_pages_free(me->packet, WS_PACKET_BYTES);
    ws_pages_free(me->sites, me->site_slots * sizeof *me->sites);
    ws_pages_free(me, sizeof *me);
    return best_ps;
}

static void write_begin(struct ws_stream *me, uint32_t size, uint64_t cost_ps, const char *library)
{
    unsigned char fields[2 * sizeof(uint32_t) + sizeof(uint64_t) + 3 * (WS_TEXT_MOST + 1)], *at = fields;
    char host[WS_TEXT_MOST + 1] = "", executable[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    uint32_t pid = (uint32_t)getpid();

    executable[length > 0 ? length : 0] = '\0';
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    WS_PUT(at, pid);
    WS_PUT(at, size);
    WS_PUT(at, cost_ps);
    at = ws_put_text(at, host, ws_text_length(host));
    at = ws_put_text(at, library, ws_text_length(library));
    at = ws_put_text(at, executable, ws_text_length(executable));
    me->end_ns = ws_clock_ns();
    ws_describe(me, WS_RECORD_BEGIN, fields, (size_t)(at - fields));
}

/* The child shares the mapped packets: one store from it would spoil the parent's trace. */
static void after_fork_in_child(void)
{
    __atomic_store_n(&ws_recording, 0, __ATOMIC_RELAXED);
}

void ws_recorder_start(uint32_t rank, uint32_t size, const char *library)
{
    const char *trace = getenv("WHYSLOW_TRACE");
    struct ws_stream *me;
    uint64_t cost_ps;

    if (!trace || trace[0] != '/' || strlen(trace) >= sizeof folder || ws_recording || ws_self)
        return;
    strcpy(folder, trace);
    own_rank = rank;
    me = ws_stream_open(); /* the first: thread 0 */
    if (!me)
        return;
    if (pthread_atfork(NULL, NULL, after_fork_in_child) != 0) {
        ws_problem("nothing is recorded: a fork could not be made safe");
        ws_stream_close(me);
        return;
    }
    __atomic_store_n(&ws_recording, 1, __ATOMIC_RELEASE);
    cost_ps = calibrate();
    write_begin(me, size, cost_ps, library);
}

void ws_recorder_finish(void)
{
    struct ws_stream *me = ws_self;
    uint64_t flush_ns = ws_stream_flush_ns();

    if (!__atomic_exchange_n(&ws_recording, 0, __ATOMIC_ACQ_REL))
        return;
    if ((!me && !(me = ws_stream_open())) || me->inside == 2)
        return;
    /* Streams of threads that still live stay as they are: they may be writing, and can be read. */
    me->end_ns = ws_clock_ns();
    me->limit = (unsigned char *)me->packet + WS_PACKET_BYTES;
    ws_describe(me, WS_RECORD_END, &flush_ns, sizeof flush_ns);
    ws_stream_close(me);
}
