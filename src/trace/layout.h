/* Layout of a stream file: shared by the recorder (writes) and the reader.  No other room's header is
 * included here, since the recorder is compiled on its own with the MPI's compiler.
 * A stream is a sequence of packets; a packet is WS_PACKET_BYTES long but for the last, which may be cut.
 * All is little-endian and unaligned (CTF align = 8).
 *
 * packet: struct ws_packet_header, then records up to content_bits.
 * record: struct ws_record_header, then the fields of its kind in order, packed. */
#ifndef WS_TRACE_LAYOUT_H
#define WS_TRACE_LAYOUT_H

#include <stdint.h>

#define WS_CTF_MAGIC UINT32_C(0xC1FC1FC1)
#define WS_TRACE_FORMAT 1            /* version of trace.json and of this layout */
#define WS_PACKET_BYTES (UINT64_C(1) << 18)

struct __attribute__((packed)) ws_packet_header {
    /* CTF packet header */
    uint32_t magic;
    uint8_t uuid[16];
    uint32_t stream_id;        /* 0 */
    /* CTF packet context */
    uint64_t timestamp_begin;  /* ns, end of the first record's call; of the raw monotonic clock */
    uint64_t timestamp_end;    /* ns, of the last record */
    uint64_t content_bits;     /* updated after each record, so that a killed rank's packet is readable */
    uint64_t packet_bits;
    uint64_t events_discarded; /* total so far on this stream */
    uint32_t rank;             /* in MPI_COMM_WORLD */
    uint32_t thread;           /* 0 for the thread that called MPI_Init */
    uint32_t sequence;         /* packet number in the stream */
};

struct __attribute__((packed)) ws_record_header {
    uint16_t id;               /* kind of record */
    uint64_t end_ns;           /* CTF timestamp: the call's end */
    uint64_t duration_ns;
    uint16_t function;         /* index in the schema's functions */
    uint32_t site;             /* defined in this stream by a WS_RECORD_SITE before; 0: unknown */
    uint32_t call;             /* number of the call on its thread; records of one call share it */
};

/* Records that describe the process; their header's duration, function, site and call are 0. */
enum ws_record_id {
    WS_RECORD_BEGIN = 0,   /* after MPI_Init: uint32 pid, uint32 size, uint64 call_cost_ns * 1000 (ps),
                              string host, string library (MPI version), string executable */
    WS_RECORD_END = 1,     /* before MPI_Finalize: uint64 flush_ns (spent changing packets) */
    WS_RECORD_SITE = 2,    /* uint32 site, uint64 offset in module (return address - 1 - load bias, i.e. a
                              link-time virtual address), string module path */
    WS_RECORD_COMM = 3,    /* uint32 comm, uint32 size, then `size` int32 world ranks (CTF sequence);
                              MPI_COMM_WORLD (id 1) and MPI_COMM_SELF (id 2) are not written */
    WS_RECORD_WINDOW = 4,  /* uint32 window, uint32 comm */
    WS_FIRST_RECORD = 8    /* records[0] of the schema */
};
#define WS_COMM_WORLD_ID UINT32_C(1)
#define WS_COMM_SELF_ID UINT32_C(2)

/* Stream files are DIR/ctf/rank-<rank>.thread-<thread>. */

#endif
