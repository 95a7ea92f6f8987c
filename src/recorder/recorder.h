/* What runs inside the traced program: streams of records, call sites, tables of handles.  It knows nothing
 * of MPI or any other runtime: the knowledge base's support.c and the generated wrappers do.  Compiled with the runtime's own
 * compiler, together with them, into one library; depends on libc alone.  It never ends the program, never
 * prints to its output, and where anything fails it stops recording.
 *
 * Environment, read when the library is loaded: WHYSLOW_TRACE, the absolute folder of the trace (unset:
 * nothing is recorded); WHYSLOW_UUID, the trace's uuid as text; WHYSLOW_CLOCK=kernel, for tests, to read the
 * clock by the kernel only.  Run control (control.c): WHYSLOW_AFTER_NS, WHYSLOW_FOR_NS, WHYSLOW_ONLY (ranks);
 * WHYSLOW_SAMPLE (calls of each site);
 * memory and disk (stream.c): WHYSLOW_BUFFER, WHYSLOW_MAX_SIZE in bytes. */
#ifndef WS_RECORDER_RECORDER_H
#define WS_RECORDER_RECORDER_H

#include "trace/layout.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Statics that each process of the run has for itself.  With WS_SIMULATED all processes are contexts of one
 * operating system's process, in simulated time, and take turns: simulated.c then brings the statics of the
 * one that runs into place. */
#ifdef WS_SIMULATED
#define WS_OWN __attribute__((section("ws_own")))
#define WS_OWN_THREAD WS_OWN
#else
#define WS_OWN
#define WS_OWN_THREAD __thread __attribute__((tls_model("initial-exec")))
#endif

/* A call that runs code of the program, and whose event says nothing but how long it took: where that code calls again,
 * what the call took until then is an event of its own. */
struct ws_outer {
    uint64_t since_ns; /* of what is not written yet */
    uintptr_t frame;   /* of its wrapper */
    void *place;
    unsigned kind, kinds; /* of its record; kinds 0: there is no such call */
    uint16_t function;
};

/* One thread's stream and what its present call needs.  The first members are what a call touches. */
struct ws_stream {
    unsigned char *at, *limit; /* where the next record goes; the end of the packet less an END record */
    struct ws_packet_header *packet; /* mapped */
    struct ws_site_slot *sites;      /* return address to site id; open addressing, a power of two */
    struct ws_start *starts;         /* WS_STARTS of them; NULL: completions are written with all values */
    unsigned site_shift;             /* 64 - log2 of the number of slots */
    int inside;                      /* within a recorded call: what MPI calls itself is not recorded */
    uintptr_t frame;                 /* of that call's wrapper, and where it returns to */
    const void *return_address;
    /* the present call */
    uint64_t end_ns, duration_ns;
    uint32_t site;
    uint16_t function;
    uint8_t written; /* enum ws_written: of its records */
    uint32_t control; /* ws_control as it was seen last, without the clock; 0: calls are recorded */
    int result;      /* what the function returned, for helpers of trace rules */
    struct ws_outer outer;
    /* the packet */
    uint64_t last_ns;        /* of its last record; WS_NEVER: it has none */
    uint64_t request_mark;   /* upper half of its requests + 1; 0: there was none yet */
    uint32_t other_requests; /* of another upper half */
    /* the file */
    bool in_memory; /* there is none: scratch memory that is written over and over */
    bool failed;    /* no further packet could be had: records are counted as lost */
    uint64_t device, inode;
    uintptr_t stack; /* of the thread; known where stack_bytes is not 0 */
    size_t stack_bytes;
    uint32_t thread, sequence;
    uint64_t file_bytes;
    uint32_t site_count, site_slots;
    struct ws_tally *tally;   /* of calls that are not recorded one by one */
    uint64_t pending;         /* the channels that they belong to, a bit for each: not yet told */
    uint32_t *site_calls;     /* recorded from each site, where a site has so many at most */
    bool sampled;             /* a call was only counted since its site has had its share */
    struct ws_scratch {
        void *bytes;
        size_t size;
    } scratch[17];
};
enum ws_written { WS_WRITTEN_NONE, WS_WRITTEN_HERE, WS_WRITTEN_BEFORE }; /* ... in an earlier packet */
#define WS_NEVER (UINT64_C(1) << 63)

/* ---- start.c: the recorder's life ---- */

/* Before the process joins (MPI_Init), where a recording may come. */
void ws_recorder_prepare(void);
/* Begins recording in this process where the environment asks for it.  `library` names the runtime. */
void ws_recorder_start(uint32_t rank, uint32_t size, const char *library);
/* Both, for a runtime of which only this is known: which process this is, and how many there are. */
void ws_recorder_join(uint32_t rank, uint32_t size, const char *library);
/* Tells instead why this process is not recorded. */
void ws_recorder_decline(uint32_t rank, const char *why);
/* Writes the END record and closes the calling thread's stream; nothing is recorded after it. */
void ws_recorder_finish(void);
/* The next definition of `symbol` after this library's: the runtime's.  Ends the program like the dynamic
 * linker would (127) where there is none. */
void *ws_next(const char *symbol);
/* The same for what not every library has: NULL where there is none. */
void *ws_look_up(const char *symbol);
/* Globs of the names of the runtime's libraries, ended by NULL; from the rules. */
extern const char *const ws_runtime_libraries[];
/* Gives a value of the parameter `param` a name, for this process, in the stream of the calling thread: to be told
 * once, when the value is first recorded, so that its events need not bring the name.  Within a recorded call. */
void ws_name(const char *param, uint64_t value, const char *name);
/* Leaves one line for the launcher in TRACE/rank-R.problem; only the first one of a process is kept. */
void ws_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The rank that ws_recorder_start was given, and the folder of the trace. */
uint32_t ws_recorder_rank(void);
const char *ws_recorder_folder(void);
const uint8_t *ws_recorder_uuid(void); /* 16 bytes */
/* A number in the environment; 0 where there is none. */
uint64_t ws_setting(const char *name);

/* ---- control.c: what is recorded when ---- */

/* Not 0: recording is stopped, or the clock decides. */
extern uint32_t ws_control;
#define WS_CONTROL_TIMED 4
#define WS_CONTROL_SAMPLED 8 /* sites have a share: each call is looked at */
#define WS_SAMPLED_OUT 16    /* in ws_stream.control: this call's site has had it */
/* Reads the settings from the environment. */
void ws_control_load(void);
bool ws_control_wants(uint32_t rank);
/* Recording begins. */
void ws_control_begin(uint64_t now_ns);
/* The thread sees that something has changed, or may have. */
void ws_control_look(struct ws_stream *me);
/* Room for the fields, in full width and zero, of a record that is only counted; then counts it, which belongs to
 * these channels.  NULL: it is written. */
unsigned char *ws_counted(struct ws_stream *me, unsigned kind, size_t size);
void ws_count(struct ws_stream *me, uint64_t channels, uint64_t bytes);
/* A record of these channels is about to be written: what was counted of them comes before. */
void ws_count_told(struct ws_stream *me, uint64_t channels);
/* An operation that was only counted has been cancelled. */
void ws_count_cancelled(void);
/* Recording ends: writes what is counted. */
void ws_control_end(struct ws_stream *me);
void ws_tally_free(struct ws_tally *tally);
void ws_sampling_free(struct ws_stream *me);
/* The program wants recording to stop or go on, or begins a phase. */
void ws_control_record(bool on);
void ws_control_phase(const char *name);

/* ---- stream.c ---- */

extern int ws_recording; /* read on every call, by any thread: through the function */
static inline bool ws_is_recording(void)
{
    return __atomic_load_n(&ws_recording, __ATOMIC_RELAXED);
}
extern WS_OWN_THREAD struct ws_stream *ws_self;

/* How many bytes of memory a thread has for its records: they are on the disk's way as soon as they are written,
 * and when the memory is full the next piece of the file takes its place: a pause that its size bounds. */
extern size_t ws_packet_bytes;
void ws_stream_load(void); /* settings from the environment */
void ws_stream_share(uint32_t processes); /* each may write its part of WHYSLOW_MAX_SIZE */

/* The calling thread's new stream, or NULL (then the thread never records). */
struct ws_stream *ws_stream_open(void);
/* One in memory, for calibration; and its end. */
struct ws_stream *ws_stream_scratch(void);
void ws_stream_scratch_free(struct ws_stream *me);
/* Writes what the call around the present one, which began and ended then, took until then. */
void ws_outer_piece(struct ws_stream *me, uint64_t begin_ns, uint64_t end_ns);
/* Whether the recorded call that this thread is in was left without returning (longjmp, an exception), as
 * far as it shows in a wrapper with this frame.  Then the thread is no longer inside. */
bool ws_was_left(struct ws_stream *me, uintptr_t frame);
/* Cuts the file to what was written; the thread records no more. */
void ws_stream_close(struct ws_stream *me);
/* Time that all streams of the process spent on changing packets. */
uint64_t ws_stream_flush_ns(void);
/* Whether a file may grow to so many bytes: past the limit for file sizes (RLIMIT_FSIZE) a signal would end
 * the program.  false and errno. */
bool ws_may_write(uint64_t end);
/* Makes room for a record of `size` bytes in a new packet; false: the record is lost. */
bool ws_packet_next(struct ws_stream *me, size_t size);
/* Room for `size` bytes of fields in full width, the record's header written; NULL: it is lost. */
unsigned char *ws_record_full(struct ws_stream *me, unsigned kind, size_t size);
/* Whether a request that is not known to do so has the upper half of this packet's. */
bool ws_request_half(struct ws_stream *me, uint64_t request);
/* A record about the process (WS_RECORD_*): `fields` as they are stored. */
void ws_describe(struct ws_stream *me, enum ws_record_id id, const void *fields, size_t size);
/* Memory of the thread that lives until the same `slot` is asked for again; NULL: there is none. */
void *ws_scratch(struct ws_stream *me, unsigned slot, int64_t count, size_t size);

/* ---- site.c ---- */

struct ws_site_slot {
    uintptr_t address; /* 0: free */
    uint32_t id;
    uint16_t function;
};
#define WS_HASH UINT64_C(0x9E3779B97F4A7C15)
bool ws_sites_init(struct ws_stream *me);
/* The slow way: looks on from the hashed slot, or names the site and writes its record. */
uint32_t ws_site_find(struct ws_stream *me, uintptr_t address, uint16_t function);
/* How many functions there are: their numbers are the sites of calls from unknown places. */
extern const uint32_t ws_function_count;

/* ---- what a thread remembers of the operations that it started ---- */

/* By the hash of their handle, the latest only: a completion that brings nothing new is written without its
 * values.  Of no use as soon as another thread records, which may get a handle that this one had. */
struct ws_start {
    uint64_t handle;
    enum {
        WS_START_OPEN,
        WS_START_SETTLED,
        WS_START_KNOWN,
        WS_START_COUNTED
    } state; /* what its end may change: anything; nothing; values to compare with; it was only counted */
    int64_t value[2];
};
#define WS_STARTS_LOG2 9
extern int ws_several_threads; /* record in this process */

/* ---- comm.c: sets of processes ---- */

/* Names that all processes make alike, without communication: hashes of what they all know. */
static inline uint64_t ws_mix(uint64_t seed, uint64_t value)
{
    seed = (seed ^ value) * WS_HASH;
    return seed ^ (seed >> 29);
}

/* 32 bits of a hash, none of the reserved identities. */
static inline uint32_t ws_identity(uint64_t hash)
{
    uint32_t id = (uint32_t)(hash ^ (hash >> 32));

    return id > WS_COMM_SELF_ID ? id : id + WS_COMM_SELF_ID + 1;
}

/* Tells the readers of this process's stream what the set `index` is: its identity, and the rank of each
 * member. */
void ws_describe_comm(uint32_t index, uint32_t id, int32_t size,
                      int32_t (*member)(const void *set, int32_t i), const void *set);

/* ---- table.c: handle to object; reading takes no lock ---- */

struct ws_table {
    struct ws_table_slots *slots;
    pthread_mutex_t lock; /* held by the caller of put and remove */
};
#define WS_TABLE                                                                                             \
    {                                                                                                        \
        .slots = NULL, .lock = PTHREAD_MUTEX_INITIALIZER                                                     \
    }
void *ws_table_get(const struct ws_table *table, uint64_t key); /* NULL: not there */
bool ws_table_put(struct ws_table *table, uint64_t key, void *value);
void *ws_table_remove(struct ws_table *table, uint64_t key); /* what was there */

/* ---- simulated.c: with WS_SIMULATED, the processes of the simulation ---- */

#ifdef WS_SIMULATED
/* From the runtime's support code: the simulated time; the process that runs, a small number; the program
 * that all processes run, whose copies they are; whether a module is one; the simulated machine's name. */
uint64_t ws_simulated_ns(void);
uint32_t ws_simulated_process(void);
const char *ws_simulated_program(void);
bool ws_simulated_is_copy(const char *module);
const char *ws_simulated_host(void);

/* patch.c: makes the modules that were loaded since the last time call the recorder's functions. */
void ws_patch_modules(void);

extern uint32_t ws_process; /* whose statics are in place */
void ws_switch_process(uint32_t process);

/* Before anything that a process has for itself is touched; then, where others may have run, WS_BACK. */
static inline uint32_t ws_here(void)
{
    uint32_t process = ws_simulated_process();

    if (process != ws_process)
        ws_switch_process(process);
    return process;
}
static inline void ws_back(uint32_t process)
{
    if (process != ws_process)
        ws_switch_process(process);
}
/* Before a call is timed: lets the time pass that the simulator takes the program to have computed until now,
 * where it measures that itself; it would pass within the call. */
void ws_simulated_compute(void);
#define WS_COMPUTED                                                                                          \
    do {                                                                                                     \
        ws_simulated_compute();                                                                              \
        ws_back(ws_own_process);                                                                             \
    } while (0)
#define WS_HERE const uint32_t ws_own_process = ws_here()
#define WS_BACK ws_back(ws_own_process)
#else
#define WS_HERE
#define WS_BACK
#define WS_COMPUTED
#endif

/* ---- memory.c ---- */

/* Zeroed memory from the system, not from the program's allocator; NULL: there is none. */
void *ws_pages(size_t size);
void ws_pages_free(void *pages, size_t size);
/* A small piece that is never given back. */
void *ws_keep(size_t size);

#endif
