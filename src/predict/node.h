/* NODE.json: what a node can do, measured by `whyslow probe` or filled in by hand from a data sheet.
 * docs/prediction.md describes the file.  SI units: Hz, operations/s, bytes/s, seconds, bytes. */
#ifndef WS_PREDICT_NODE_H
#define WS_PREDICT_NODE_H

#include "fields/fields.h"

#define WS_NODE_FORMAT 1
#define WS_NODE_KIND "whyslow-node"

/* c1..c12 of the methodology (system.md 3); bandwidth before latency, as its text says. */
enum ws_characteristic {
    WS_CLOCK,            /* c1 */
    WS_INTEGER_OPS,      /* c2 */
    WS_FLOAT_OPS,        /* c3 */
    WS_L1_BANDWIDTH,     /* c4 */
    WS_L1_LATENCY,       /* c5 */
    WS_L2_BANDWIDTH,     /* c6 */
    WS_L2_LATENCY,       /* c7 */
    WS_MEMORY_BANDWIDTH, /* c8 */
    WS_MEMORY_LATENCY,   /* c9 */
    WS_DISK_SEEK,        /* c10 */
    WS_DISK_READ,        /* c11 */
    WS_DISK_WRITE,       /* c12 */
    WS_CHARACTERISTICS
};
/* Their keys in the file: "clock_Hz" … */
extern const char *const ws_characteristic_keys[WS_CHARACTERISTICS];

struct ws_cache_level {
    unsigned level;
    double size_bytes, line_bytes, shared_by; /* line and shared_by 0: not known */
};

/* A step of the ladder: dependent loads (latency) and streaming reads (bandwidth) over a block of this size.
 */
struct ws_ladder_step {
    double size_bytes;
    bool huge_pages;
    double latency_s, bandwidth_Bps, spread; /* spread: of the latency, relative */
};

struct ws_network_point {
    double size_bytes, time_s; /* of one message, one way */
};

struct ws_kernel_time {
    const char *name;
    double time_s, spread; /* CPU seconds for the kernel's fixed work; spread relative */
};

/* What the file does not tell is zero, "" or an empty list.  All of it lives in the arena. */
struct ws_node {
    struct ws_arena arena;
    const char *path; /* the file it was read from, for messages */
    const char *name, *architecture, *measured;
    double characteristics[WS_CHARACTERISTICS];
    double cores, memory_bytes;
    struct ws_cache_level *caches; /* from the first level on */
    size_t cache_count;
    struct ws_named_list throughput, disk, noise; /* numbers by name */
    struct ws_ladder_step *ladder;
    size_t ladder_count;
    const char *network_kind; /* "" : none measured */
    double network_latency_s, network_bandwidth_Bps;
    struct ws_network_point *network_points;
    size_t network_point_count;
    struct ws_kernel_time *kernels;
    size_t kernel_count;
};

/* Reads a node.  -1 with *error (WS_BAD_INPUT): no such file, no JSON, of another kind or an unknown format,
 * a characteristic that is missing or absurd (zero, negative, in the wrong unit as far as that can be told),
 * a kernel that took no time.  The message names file, key, value and cure.  ws_node_free, also after an
 * error. */
int ws_node_read(const char *path, struct ws_node *node, struct ws_error *error);
/* Writes it; what is not known is left out.  Refuses (-1, WS_BAD_INPUT) what ws_node_read would refuse among
 * the characteristics, so that nobody is handed a file that cannot be read. */
int ws_node_write(const struct ws_node *node, const char *path, struct ws_error *error);
void ws_node_free(struct ws_node *node);

/* Its kernel of this name, or NULL. */
const struct ws_kernel_time *ws_node_kernel(const struct ws_node *node, const char *name);

#endif
