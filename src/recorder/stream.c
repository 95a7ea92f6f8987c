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
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

WS_OWN int ws_recording;
WS_OWN_THREAD struct ws_stream *ws_self;
WS_OWN int ws_several_threads;

size_t ws_packet_bytes = WS_PACKET_BYTES;
static WS_OWN uint64_t most_bytes,
    taken_bytes; /* of this process's streams; 0: as many as there is room for */

static WS_OWN struct ws_stream nowhere = {.inside = 2}; /* of threads that cannot or no longer record */
static WS_OWN uint32_t thread_count;
static WS_OWN uint64_t flush_ns;

/* Kept free at the end of each packet, so that END can always be written. */
#define END_BYTES (sizeof(struct ws_built_in_header) + sizeof(uint64_t))

/* With more requests of another upper half than that in a packet, the next one begins without any. */
#define MANY_REQUESTS 1000

/* ---- packets ---- */

static void begin_packet(struct ws_stream *me, struct ws_packet_header *packet)
{
    struct ws_packet_header header = {
        .magic = WS_CTF_MAGIC,
        .timestamp_begin = me->end_ns,
        .timestamp_end = me->end_ns,
        .content_bits = 8 * sizeof header,
        .packet_bits = 8 * ws_packet_bytes,
        .events_discarded = me->packet ? me->packet->events_discarded : 0,
        .calls = me->packet ? me->packet->calls : 0,
        .rank = ws_recorder_rank(),
        .thread = me->thread,
        .sequence = me->sequence++,
    };

    if (me->request_mark == 0 || me->other_requests > MANY_REQUESTS)
        me->request_mark = 0;
    else
        header.request_high = (uint32_t)(me->request_mark - 1);
    me->other_requests = 0;
    me->last_ns = WS_NEVER;
    me->written = me->written == WS_WRITTEN_NONE ? WS_WRITTEN_NONE : WS_WRITTEN_BEFORE;
    memcpy(header.uuid, ws_recorder_uuid(), sizeof header.uuid);
    *packet = header;
    me->packet = packet;
    me->at = (unsigned char *)(packet + 1);
    me->limit = (unsigned char *)packet + ws_packet_bytes - END_BYTES;
}

static bool stream_path(const struct ws_stream *me, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/ctf/rank-%u.thread-%u", ws_recorder_folder(),
                          ws_recorder_rank(), me->thread);

    return length > 0 && length < PATH_MAX;
}

/* The stream's file, opened anew each time: a descriptor that is kept would be closed by programs that close
 * all of theirs, and our bytes would then go into whatever file of the program got its number.  -1 and errno.
 */
static int open_file(const struct ws_stream *me, int flags)
{
    char path[PATH_MAX];

    if (!stream_path(me, path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
}

/* Whether the file is a stream of another trace.  The launcher clears the folder of such, but where the ranks
 * of another node see a folder of their own, only we can. */
static bool is_of_another_trace(const struct ws_stream *me)
{
    struct ws_packet_header header;
    int fd = open_file(me, 0);
    bool other;

    if (fd < 0)
        return false;
    other = pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header && header.magic == WS_CTF_MAGIC &&
            memcmp(header.uuid, ws_recorder_uuid(), sizeof header.uuid) != 0;
    close(fd);
    return other;
}

/* An existing file of this trace belongs to another process (of a spawned world, of a second run) and is left
 * alone. */
static int create_file(struct ws_stream *me)
{
    int fd = open_file(me, O_CREAT | O_EXCL);
    char path[PATH_MAX];
    struct stat info;

    if (fd < 0 && errno == EEXIST) {
        if (is_of_another_trace(me) && stream_path(me, path))
            unlink(path);
        fd = open_file(me, O_CREAT | O_EXCL);
    }

    if (fd >= 0 && fstat(fd, &info) == 0) {
        me->device = info.st_dev;
        me->inode = info.st_ino;
    }
    return fd;
}

static int reopen_file(const struct ws_stream *me)
{
    int fd = open_file(me, 0);
    struct stat info;

    if (fd < 0 || (fstat(fd, &info) == 0 && info.st_dev == me->device && info.st_ino == me->inode))
        return fd;
    close(fd);
    errno = ESTALE; /* another run has taken the folder */
    return -1;
}

bool ws_may_write(uint64_t end)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur)
        return true;
    errno = EFBIG;
    return false;
}

/* Numbers that are none, or out of range, are as if they were not there. */
void ws_stream_load(void)
{
    uint64_t bytes = ws_setting("WHYSLOW_BUFFER");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (bytes >= WS_LEAST_BUFFER && bytes <= WS_MOST_BUFFER)
        ws_packet_bytes = (bytes + page - 1) / page * page;
    most_bytes = ws_setting("WHYSLOW_MAX_SIZE");
}

#ifdef WS_SIMULATED
/* The packets of all processes are this machine's memory. */
#define ALL_PACKETS (UINT64_C(64) << 20)
#define LEAST_PACKET (UINT64_C(64) << 10)

static void share_memory(uint32_t processes)
{
    uint64_t bytes = ALL_PACKETS / processes / LEAST_PACKET * LEAST_PACKET;

    if (!ws_setting("WHYSLOW_BUFFER"))
        ws_packet_bytes = bytes < LEAST_PACKET      ? LEAST_PACKET
                          : bytes < WS_PACKET_BYTES ? bytes
                                                    : WS_PACKET_BYTES;
}
#endif

void ws_stream_share(uint32_t processes)
{
#ifdef WS_SIMULATED
    share_memory(processes);
#endif
    most_bytes = most_bytes && most_bytes / processes == 0 ? 1 : most_bytes / processes;
}

/* A packet more of what this process may write; each thread gets its first one. */
static bool take_share(void)
{
    uint64_t taken = __atomic_add_fetch(&taken_bytes, ws_packet_bytes, __ATOMIC_RELAXED);

    if (most_bytes == 0 || taken <= most_bytes || taken == ws_packet_bytes)
        return true;
    errno = EDQUOT;
    return false;
}

/* Writes zeros where the next packet will be, so that its blocks are on the disk and its pages in memory: a
 * full disk shows here and not as a signal when a record is written.  (posix_fallocate reserves the blocks
 * too, but then every page's first store costs the file system 4 us instead of 0.2.)  false and errno. */
static bool write_zeros(const struct ws_stream *me, int fd)
{
    static const unsigned char zeros[1 << 16];
    size_t done = 0;

    if (!ws_may_write(me->file_bytes + ws_packet_bytes) || !take_share())
        return false;
    while (done < ws_packet_bytes) {
        size_t left = ws_packet_bytes - done;
        ssize_t wrote = pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros,
                               (off_t)(me->file_bytes + done));
        if (wrote == 0)
            errno = ENOSPC;
        if (wrote <= 0 && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* The next ws_packet_bytes of the file; NULL and errno. */
static void *map_packet(const struct ws_stream *me, int fd)
{
    void *bytes;

    if (!write_zeros(me, fd))
        return NULL;
    bytes = mmap(NULL, ws_packet_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)me->file_bytes);
    if (bytes == MAP_FAILED)
        return NULL;
    /* MAP_POPULATE would map shared pages for reading only.  EINVAL: a kernel before 5.14. */
    if (madvise(bytes, ws_packet_bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
        int error = errno;
        munmap(bytes, ws_packet_bytes);
        errno = error;
        return NULL;
    }
    return bytes;
}

/* `fd` is the stream's file, or -1 and errno; closed in either case. */
static bool next_file_packet(struct ws_stream *me, int fd)
{
    uint64_t begin = ws_clock_ns();
    struct ws_packet_header *old = me->packet, *packet = fd < 0 ? NULL : map_packet(me, fd);
    int why = errno;

    /* First given back, so that a full disk has room for the line about it; where that fails, the file ends
     * with empty bytes, which readers skip. */
    if (!packet && fd >= 0 && ftruncate(fd, (off_t)me->file_bytes) != 0)
        errno = 0;
    if (fd >= 0)
        close(fd);
    if (!packet) {
        if (why == EDQUOT && most_bytes)
            ws_problem("recording stopped: the trace has its size (--max-size)");
        else
            ws_problem("recording stopped: no room for the trace of thread %u: %s", me->thread, strerror(why));
        return false;
    }
    begin_packet(me, packet);
    if (old)
        munmap(old, ws_packet_bytes);
    me->file_bytes += ws_packet_bytes;
    __atomic_fetch_add(&flush_ns, ws_clock_ns() - begin, __ATOMIC_RELAXED);
    return true;
}

bool ws_packet_next(struct ws_stream *me, size_t size)
{
    if (size > ws_packet_bytes - sizeof(struct ws_packet_header) - END_BYTES) {
        me->packet->events_discarded++;
        return false;
    }
    if (me->in_memory) {
        begin_packet(me, me->packet);
        return true;
    }
    if (!me->failed && next_file_packet(me, reopen_file(me)))
        return true;
    me->failed = true;
    me->limit = me->at;
    me->packet->events_discarded++;
    return false;
}

/* ---- records ---- */

unsigned char *ws_record_full(struct ws_stream *me, unsigned kind, size_t size)
{
    struct ws_full_header *header;

    size += sizeof *header;
    if (size > (size_t)(me->limit - me->at) && !ws_packet_next(me, size))
        return NULL;
    header = (struct ws_full_header *)me->at;
    *header = (struct ws_full_header){
        .id = WS_FULL_ID,
        .kind = (uint16_t)(WS_FIRST_KIND + kind),
        .end_ns = me->end_ns,
        .duration_ns = me->duration_ns,
        .site = me->site,
        .follows = me->written != WS_WRITTEN_NONE,
    };
    return me->at + sizeof *header;
}

bool ws_request_half(struct ws_stream *me, uint64_t request)
{
    if (me->request_mark != 0) {
        me->other_requests++;
        return false;
    }
    me->request_mark = (request >> 32) + 1;
    me->packet->request_high = (uint32_t)(request >> 32);
    return true;
}

void ws_describe(struct ws_stream *me, enum ws_record_id id, const void *fields, size_t size)
{
    struct ws_built_in_header header = {.id = (uint8_t)id, .end_ns = me->end_ns};
    uint8_t written;

    if (sizeof header + size > (size_t)(me->limit - me->at) && !ws_packet_next(me, sizeof header + size))
        return;
    written = me->written;
    memcpy(me->at, &header, sizeof header);
    memcpy(me->at + sizeof header, fields, size);
    ws_record_end(me, me->at + sizeof header + size);
    me->written = written;
}

/* ---- streams ---- */

uint64_t ws_stream_flush_ns(void)
{
    return __atomic_load_n(&flush_ns, __ATOMIC_RELAXED);
}

static struct ws_stream *new_stream(void)
{
    struct ws_stream *me = ws_pages(sizeof *me);

    if (me && !ws_sites_init(me)) {
        ws_pages_free(me, sizeof *me);
        me = NULL;
    }
    return me;
}

static void free_stream(struct ws_stream *me)
{
    for (size_t i = 0; i < sizeof me->scratch / sizeof *me->scratch; i++)
        ws_pages_free(me->scratch[i].bytes, me->scratch[i].size);
    ws_pages_free(me->sites, me->site_slots * sizeof *me->sites);
    ws_pages_free(me->starts, sizeof *me->starts << WS_STARTS_LOG2);
    ws_tally_free(me->tally);
    ws_sampling_free(me);
    ws_pages_free(me, sizeof *me);
}

#ifdef WS_SIMULATED
static void watch_thread(struct ws_stream *me)
{
    (void)me; /* a process of a simulation has no thread of its own */
}
#else
static pthread_key_t exit_key;

static void thread_exits(void *stream)
{
    if (!ws_is_recording())
        return;
    ws_control_end(stream);
    ws_stream_close(stream);
    free_stream(stream);
}

static void make_exit_key(void)
{
    if (pthread_key_create(&exit_key, thread_exits) != 0)
        ws_problem("the streams of threads that end early are cut when the trace is read");
}

/* The stream ends with the thread. */
static void watch_thread(struct ws_stream *me)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_exit_key);
    pthread_setspecific(exit_key, me);
}
#endif

static struct ws_stream *no_stream(const char *why)
{
    ws_problem("nothing is recorded on a thread: %s", why);
    ws_self = &nowhere;
    return NULL;
}

struct ws_stream *ws_stream_open(void)
{
    struct ws_stream *me = new_stream();
    int fd;

    if (!me)
        return no_stream("out of memory");
    me->thread = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    if (me->thread == 0)
        me->starts = ws_pages(sizeof *me->starts << WS_STARTS_LOG2);
    else
        __atomic_store_n(&ws_several_threads, 1, __ATOMIC_RELAXED);
    me->end_ns = ws_clock_ns();
    fd = create_file(me);
    if (fd < 0) {
        const char *why = errno == EEXIST ? "another process has this rank's trace" : strerror(errno);
        free_stream(me);
        return no_stream(why);
    }
    if (!next_file_packet(me, fd)) {
        free_stream(me);
        return no_stream("no room for its trace");
    }
    watch_thread(me);
    ws_self = me;
    return me;
}

struct ws_stream *ws_stream_scratch(void)
{
    struct ws_stream *me = new_stream();

    if (!me)
        return NULL;
    me->packet = ws_pages(ws_packet_bytes);
    if (!me->packet) {
        free_stream(me);
        return NULL;
    }
    me->in_memory = true;
    memset(me->packet, 1, ws_packet_bytes); /* its pages are there before anything is measured */
    begin_packet(me, me->packet);
    me->packet->events_discarded = 0;
    return me;
}

void ws_stream_scratch_free(struct ws_stream *me)
{
    ws_pages_free(me->packet, ws_packet_bytes);
    free_stream(me);
}

#ifdef WS_SIMULATED
/* All calls of a process are on one stack, which is its own. */
static bool on_its_stack(struct ws_stream *me, uintptr_t frame)
{
    (void)me;
    (void)frame;
    return true;
}
#else
static void find_stack(struct ws_stream *me)
{
    pthread_attr_t attributes;
    void *stack;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &stack, &me->stack_bytes) == 0)
        me->stack = (uintptr_t)stack;
    else
        me->stack_bytes = 0;
    pthread_attr_destroy(&attributes);
}

/* On another stack (of a coroutine) the call may still be going on. */
static bool on_its_stack(struct ws_stream *me, uintptr_t frame)
{
    if (!me->stack_bytes)
        find_stack(me);
    return frame - me->stack < me->stack_bytes && me->frame - me->stack < me->stack_bytes;
}
#endif

bool ws_was_left(struct ws_stream *me, uintptr_t frame)
{
    if (me->inside != 1 || !on_its_stack(me, frame))
        return false;
    /* A call within it is deeper in the stack, and finds the return address untouched: above the frame
     * pointer, on all machines whose frames we know. */
    if (frame < me->frame && ((const void *const *)me->frame)[1] == me->return_address)
        return false;
    me->inside = 0;
    return true;
}

#define LEAST_PIECE_NS 1000 /* shorter ones are not worth a record */

void ws_outer_piece(struct ws_stream *me, uint64_t begin_ns, uint64_t end_ns)
{
    struct ws_outer outer = me->outer;
    unsigned char *at;

    me->outer.kinds = 0;
    if (me->frame >= outer.frame) /* it was left without returning */
        return;
    if (begin_ns > outer.since_ns + LEAST_PIECE_NS) {
        ws_call(me, outer.function, outer.since_ns, begin_ns, outer.place);
        at = me->control ? NULL : ws_record(me, outer.kind, outer.kinds, 0);
        if (!at && !me->control)
            at = ws_record_full(me, outer.kind, 0);
        if (at)
            ws_record_end(me, at);
    }
    me->outer = outer;
    me->outer.since_ns = end_ns;
}

void ws_stream_close(struct ws_stream *me)
{
    uint64_t bytes = me->file_bytes - ws_packet_bytes + me->packet->content_bits / 8;
    int fd = reopen_file(me);

    ws_self = &nowhere;
    me->inside = 2;
    me->packet->packet_bits = me->packet->content_bits;
    munmap(me->packet, ws_packet_bytes);
    me->packet = NULL;
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        ws_problem("the trace of thread %u keeps an empty tail: %s", me->thread, strerror(errno));
    if (fd >= 0)
        close(fd);
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
