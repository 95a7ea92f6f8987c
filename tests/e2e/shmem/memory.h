/* What the library and its launcher share: how the memory of a run lies in one file. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

#define PES_MOST 64
#define SETS 256
#define CONTROL_BYTES ((size_t)1 << 20)
#define DATA_BYTES ((ptrdiff_t)1 << 20) /* of a PE: the program's data, */
#define SEGMENT_BYTES ((size_t)16 << 20) /* and behind them the symmetric heap */
#define HEAP_ADDRESS 0x600000000000

struct control {
    unsigned ticket[PES_MOST], served[PES_MOST]; /* accesses that came to a PE, and are done */
    /* What was moved, from whom to whom: by puts, gets and atomic operations. */
    unsigned long messages[PES_MOST][PES_MOST], bytes[PES_MOST][PES_MOST];
    size_t collected[PES_MOST];
    struct set {
        unsigned long key;
        unsigned here, round;
    } sets[SETS];
};

#endif
