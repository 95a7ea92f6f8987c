/* A thread's stream: a file that grows by mapped packets.  Every record is in the file (in the page cache)
 * the moment it is written, so nothing is lost with the process. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/hot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

int ws_recording;
__thread struct ws_stream *ws_self __attribute__((tls_model("initial-exec")));

static struct ws_stream nowhere = {.inside = 2, .fd = -1}; /* of threads that cannot or no longer record */
static struct ws_stream *streams;
static uint32_t thread_count;
static uint64_t flush_ns;

/* Kept free at the end of each packet, so that END can always be written. */
#define END_BYTES (sizeof(struct ws_record_header) + sizeof(uint64_t))

/* ---- packets ---- */

/* The trace's uuid from its text; zeros where that is none. */
static void read_uuid(uint8_t uuid[16])
{
    const char *text = getenv("WHYSLOW_UUID");
    int count = 0;

    memset(uuid, 0, 16);
    for (; text && *text && count < 32; text++) {
        int digit = *text >= '0' && *text <= '9'   ? *text - '0'
                    : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10
                    : *text >= 'A' && *text <= 'F' ? *text - 'A' + 10
                                                   : -1;
        if (digit >= 0) {
            uuid[count / 2] = (uint8_t)(uuid[count / 2] << 4 | digit);
            count++;
        }
    }
}

static void begin_packet(struct ws_stream *me, struct ws_packet_header *packet)
{
    struct ws_packet_header header = {
        .magic = WS_CTF_MAGIC,
        .timestamp_begin = me->end_ns,
        .timestamp_end = me->end_ns,
        .content_bits = 8 * sizeof header,
        .packet_bits = 8 * WS_PACKET_BYTES,
        .events_discarded = me->packet ? me->packet->events_discarded : 0,
        .rank = ws_recorder_rank(),
        .thread = me->thread,
        .sequence = me->sequence++,
    };

    read_uuid(header.uuid);
    *packet = header;
    me->packet = packet;
    me->at = (unsigned char *)(packet + 1);
    me->limit = (unsigned char *)packet + WS_PACKET_BYTES - END_BYTES;
}

/* Writes zeros where the next packet will be, so that its blocks are on the disk and its pages in memory: a
 * full disk shows here and not as a signal when a record is written.  (posix_fallocate reserves the blocks
 * too, but then every page's first store costs the file system 4 us instead of 0.2.)  false and errno. */
static bool write_zeros(const struct ws_stream *me)
{
    static const unsigned char zeros[WS_PACKET_BYTES];
    struct rlimit limit;
    size_t done = 0;

    /* Past the limit for file sizes a signal would end the program. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < me->file_bytes + sizeof zeros) {
        errno = EFBIG;
        return false;
    }
    while (done < sizeof zeros) {
        ssize_t wrote = pwrite(me->fd, zeros + done, sizeof zeros - done, (off_t)(me->file_bytes + done));
        if (wrote == 0)
            errno = ENOSPC;
        if (wrote <= 0 && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* The next WS_PACKET_BYTES of the file; NULL and errno. */
static void *map_packet(const struct ws_stream *me)
{
    void *bytes;

    if (!write_zeros(me))
        return NULL;
    bytes = mmap(NULL, WS_PACKET_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, me->fd, (off_t)me->file_bytes);
    if (bytes == MAP_FAILED)
        return NULL;
    /* MAP_POPULATE would map shared pages for reading only.  EINVAL: a kernel before 5.14. */
    if (madvise(bytes, WS_PACKET_BYTES, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
        int error = errno;
        munmap(bytes, WS_PACKET_BYTES);
        errno = error;
        return NULL;
    }
    return bytes;
}

static bool next_file_packet(struct ws_stream *me)
{
    uint64_t begin = ws_clock_ns();
    struct ws_packet_header *old = me->packet, *packet = map_packet(me);

    if (!packet) {
        ws_problem("recording stopped: no room for the trace of thread %u: %s", me->thread, strerror(errno));
        if (ftruncate(me->fd, (off_t)me->file_bytes) != 0)
            errno = 0; /* then the file ends with empty bytes, which readers skip */
        return false;
    }
    begin_packet(me, packet);
    if (old)
        munmap(old, WS_PACKET_BYTES);
    me->file_bytes += WS_PACKET_BYTES;
    __atomic_fetch_add(&flush_ns, ws_clock_ns() - begin, __ATOMIC_RELAXED);
    return true;
}

bool ws_packet_next(struct ws_stream *me, size_t size)
{
    if (size > WS_PACKET_BYTES - sizeof(struct ws_packet_header) - END_BYTES) {
        me->packet->events_discarded++;
        return false;
    }
    if (me->fd < 0) {
        begin_packet(me, me->packet);
        return true;
    }
    if (!me->failed && next_file_packet(me))
        return true;
    me->failed = true;
    me->limit = me->at;
    me->packet->events_discarded++;
    return false;
}

void ws_describe(struct ws_stream *me, enum ws_record_id id, const void *fields, size_t size)
{
    uint64_t duration_ns = me->duration_ns;
    uint32_t site = me->site, call = me->call;
    uint16_t function = me->function;
    unsigned char *at;

    me->duration_ns = 0;
    me->site = me->call = me->function = 0;
    at = ws_record(me, (uint16_t)id, size);
    if (at) {
        memcpy(at, fields, size);
        ws_record_end(me, at + size);
    }
    me->duration_ns = duration_ns;
    me->site = site;
    me->call = call;
    me->function = function;
}

/* ---- streams ---- */

uint64_t ws_stream_flush_ns(void)
{
    return __atomic_load_n(&flush_ns, __ATOMIC_RELAXED);
}

static pthread_key_t exit_key;

static void thread_exits(void *stream)
{
    if (__atomic_load_n(&ws_recording, __ATOMIC_RELAXED))
        ws_stream_close(stream);
}

static void make_exit_key(void)
{
    if (pthread_key_create(&exit_key, thread_exits) != 0)
        ws_problem("the streams of threads that end early are cut when the trace is read");
}

/* Creates the file; an existing one belongs to another process (a spawned world) and is left alone. */
static int create_file(uint32_t thread)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/ctf/rank-%u.thread-%u", ws_recorder_folder(),
                          ws_recorder_rank(), thread);

    if (length < 0 || length >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static struct ws_stream *new_stream(void)
{
    struct ws_stream *me = ws_pages(sizeof *me);

    if (me && !ws_sites_init(me)) {
        ws_pages_free(me, sizeof *me);
        me = NULL;
    }
    if (me)
        me->fd = -1;
    return me;
}

static struct ws_stream *no_stream(const char *why)
{
    ws_problem("nothing is recorded on a thread: %s", why);
    ws_self = &nowhere;
    return NULL;
}

struct ws_stream *ws_stream_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct ws_stream *me = new_stream();

    if (!me)
        return no_stream("out of memory");
    me->thread = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    me->end_ns = ws_clock_ns();
    me->fd = create_file(me->thread);
    if (me->fd < 0)
        return no_stream(errno == EEXIST ? "another process has this rank's trace" : strerror(errno));
    if (!next_file_packet(me)) {
        close(me->fd);
        return no_stream("no room for its trace");
    }
    pthread_once(&once, make_exit_key);
    pthread_setspecific(exit_key, me);
    me->next = __atomic_load_n(&streams, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&streams, &me->next, me, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    ws_self = me;
    return me;
}

struct ws_stream *ws_stream_scratch(void)
{
    struct ws_stream *me = new_stream();

    if (!me)
        return NULL;
    me->packet = ws_pages(WS_PACKET_BYTES);
    if (!me->packet)
        return NULL;
    memset(me->packet, 1, WS_PACKET_BYTES); /* its pages are there before anything is measured */
    begin_packet(me, me->packet);
    me->packet->events_discarded = 0;
    return me;
}

void ws_stream_close(struct ws_stream *me)
{
    uint64_t bytes = me->file_bytes - WS_PACKET_BYTES + me->packet->content_bits / 8;

    ws_self = &nowhere;
    me->inside = 2;
    me->packet->packet_bits = me->packet->content_bits;
    munmap(me->packet, WS_PACKET_BYTES);
    if (ftruncate(me->fd, (off_t)bytes) != 0)
        ws_problem("the trace of thread %u keeps an empty tail: %s", me->thread, strerror(errno));
    close(me->fd);
    me->fd = -1;
    me->packet = NULL;
}

void *ws_scratch(struct ws_stream *me, unsigned slot, int64_t count, size_t size)
{
    struct ws_scratch *scratch = &me->scratch[slot];
    size_t wanted = 4096;

    if (count < 0 || (uint64_t)count > SIZE_MAX / 4 / size)
        return NULL;
    if (!scratch->bytes || (uint64_t)count * size > scratch->size) {
        while (wanted < (uint64_t)count * size)
            wanted *= 2;
        ws_pages_free(scratch->bytes, scratch->size);
        scratch->bytes = ws_pages(wanted);
        scratch->size = scratch->bytes ? wanted : 0;
    }
    return scratch->bytes;
}
