/* Layout of a stream file: shared by the recorder (writes) and the reader.  No other room's header is
 * included here, since the recorder is compiled on its own with the MPI's compiler.
 * A stream is a sequence of packets; a packet is WS_PACKET_BYTES long but for the last, which may be cut.
 * All is little-endian and unaligned (CTF align = 8).
 *
 * packet: struct ws_packet_header, then records up to content_bits.
 * record: a header in one of the forms below, then the fields of its kind in order, packed. */
#ifndef WS_TRACE_LAYOUT_H
#define WS_TRACE_LAYOUT_H

#include <stdint.h>

#define WS_CTF_MAGIC UINT32_C(0xC1FC1FC1)
#define WS_TRACE_FORMAT 2 /* version of trace.json and of this layout */
#define WS_PACKET_BYTES (UINT64_C(1) << 18) /* where nothing else was asked for (--buffer) */
#define WS_LEAST_BUFFER (UINT64_C(1) << 14)
#define WS_MOST_BUFFER (UINT64_C(1) << 26)
#define WS_COMM_PART (WS_LEAST_BUFFER / 16) /* a part of a communicator has a multiple of so many ranks, but the last */

struct __attribute__((packed)) ws_packet_header {
    /* CTF packet header */
    uint32_t magic;
    uint8_t uuid[16];
    uint32_t stream_id; /* 0 */
    /* CTF packet context */
    uint64_t timestamp_begin; /* ns, end of the first record's call; of the raw monotonic clock */
    uint64_t timestamp_end;   /* ns, of the last record */
    uint64_t content_bits;    /* updated after each record, so that a killed rank's packet is readable */
    uint64_t packet_bits;
    uint64_t events_discarded; /* total so far on this stream */
    uint64_t calls;            /* the same: recorded calls, those included that left no record */
    uint32_t rank;             /* in MPI_COMM_WORLD */
    uint32_t thread;           /* 0 for the thread that called MPI_Init */
    uint32_t sequence;         /* packet number in the stream */
    uint32_t request_high;     /* upper half of the requests in this packet's short records */
};

/* What the first byte of a record says, with k the kind's place in the schema's records and K the number of
 * kinds that have short forms: the first WS_SHORT_MOST of them at most. */
enum ws_form {
    WS_FORM_BUILT_IN, /* 0 ... 7: enum ws_record_id */
    WS_FORM_TIGHT,    /* 8 + k */
    WS_FORM_COMPACT,  /* 8 + K + k */
    WS_FORM_MORE,     /* 8 + 2K + k: of the same call as the record before, built-in ones aside */
    WS_FORM_FULL      /* 255 */
};
#define WS_FIRST_SHORT 8
#define WS_SHORT_MOST 82
#define WS_FULL_ID 255
#define WS_FIRST_KIND 256 /* full records name their kind by k + this */
#define WS_SHORT_KINDS(count) ((count) < WS_SHORT_MOST ? (count) : WS_SHORT_MOST)

/* A timestamp is the call's end.  Tight and compact records have its lower 24 bits: it is less than 2^24 ns
 * after the one before in this packet.  In short records (tight, compact, more) fields are as narrow as
 * ws_formats says, in full ones as wide. */
#define WS_SHORT_NS (UINT64_C(1) << 24)
#define WS_TIGHT_BYTES 8   /* id, timestamp: 3, duration: 2, site: 2 */
#define WS_COMPACT_BYTES 9 /* id, timestamp: 3, duration: 3, site: 2 */
#define WS_MORE_BYTES 1

struct __attribute__((packed)) ws_built_in_header {
    uint8_t id;
    uint64_t end_ns;
};
struct __attribute__((packed)) ws_full_header {
    uint8_t id; /* WS_FULL_ID */
    uint16_t kind;
    uint64_t end_ns;
    uint64_t duration_ns;
    uint32_t site;
    uint8_t follows; /* 1: of the same call as the record before */
};

/* A site is a place in the code and the function that is called there.  The schema's F functions, called from
 * an unknown place, are sites 0 ... F-1; others are defined in the stream before they are used. */

/* Records that describe the process. */
enum ws_record_id {
    WS_RECORD_BEGIN = 0, /* after MPI_Init: uint32 pid, uint32 size, uint64 call_cost_ns * 1000 (ps),
                            string host, string library (MPI version), string executable */
    WS_RECORD_END = 1,   /* before MPI_Finalize: uint64 flush_ns (spent changing packets) */
    WS_RECORD_SITE = 2,  /* uint32 site, uint16 function, uint64 offset in module (return address - 1 -
                            load bias, i.e. a link-time virtual address), string module path */
    WS_RECORD_COMM = 3,  /* uint32 index, uint32 identity, uint32 first, uint32 size, then `size` int32 world
                            ranks (CTF sequence) of the communicator's ranks from `first`: a large one has
                            several records, in order; MPI_COMM_WORLD (1) and MPI_COMM_SELF (2) have none */
    WS_RECORD_WINDOW = 4, /* uint32 index, uint32 identity, uint32 index of its communicator */
    WS_RECORD_CLOCK = 5,  /* after BEGIN and before END: struct ws_record_clock */
    WS_RECORD_OFFSET = 6, /* where there are several clocks, after CLOCK: struct ws_record_offset */
    WS_RECORD_CONTROL = 7 /* uint8 enum ws_control_what, uint64 count, string name */
};
enum ws_control_what {
    WS_CONTROL_STOP,    /* recording stops here on this thread */
    WS_CONTROL_GO_ON,   /* it goes on */
    WS_CONTROL_REPEAT,  /* the next record stands for `count` calls that were not recorded one by one */
    WS_CONTROL_PHASE,   /* the phase `name` begins here on this process */
    WS_CONTROL_SAMPLE,  /* from here on calls are missing whose site has had its share of `count` */
    WS_CONTROL_LONGEST, /* for the next record, that of such calls, whose duration is their sum: the longest one's ns */
    WS_CONTROL_BYTES,   /* ... and the sum of their bytes */
    WS_CONTROL_NAME     /* `name` is "PARAM=TEXT": the value `count` of this process's parameters PARAM is called TEXT */
};
/* The clock that this stream's times are of. */
struct __attribute__((packed)) ws_record_clock {
    uint64_t domain;    /* the same for processes that share one clock */
    uint64_t kernel_ns; /* what the kernel's raw monotonic clock showed at the record's time */
    uint64_t wall_ns;   /* ... and the time of day, since 1970 */
    uint32_t error_ppb; /* greatest error of the rate, in 10^-9 */
};
/* How this stream's clock and that of rank 0 were found to differ. */
struct __attribute__((packed)) ws_record_offset {
    uint64_t own_ns;   /* when, by the own clock */
    int64_t offset_ns; /* rank 0's clock less the own one */
    uint64_t bound_ns; /* greatest error of the offset: half the quickest round trip */
};
/* Index and identity at once; 0 is none.  Indexes are those of a process, identities of the trace. */
#define WS_COMM_WORLD_ID UINT32_C(1)
#define WS_COMM_SELF_ID UINT32_C(2)

/* Stream files are DIR/ctf/rank-<rank>.thread-<thread>. */

/* Whether a list of ranks ("0-3,7", of --only) has this one. */
static inline int ws_rank_is_listed(const char *list, uint32_t rank)
{
    for (;;) {
        uint64_t first = 0, last;
        for (; *list >= '0' && *list <= '9'; list++)
            first = 10 * first + (uint64_t)(*list - '0');
        last = first;
        if (*list == '-')
            for (last = 0, list++; *list >= '0' && *list <= '9'; list++)
                last = 10 * last + (uint64_t)(*list - '0');
        if (rank >= first && rank <= last)
            return 1;
        if (*list++ != ',')
            return 0;
    }
}

#endif
