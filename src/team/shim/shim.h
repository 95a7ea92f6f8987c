/* Between whyslow, which is linked with no MPI, and the small library that is: built once for each MPI by its
 * own compiler.  Nothing of whyslow is needed to compile it. */
#ifndef WS_TEAM_SHIM_H
#define WS_TEAM_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define WS_SHIM_NAME "ws_shim_1" /* counts up with each change of the struct */

/* An error of MPI ends all processes (MPI_ERRORS_ARE_FATAL). */
struct ws_shim {
    void (*start)(uint32_t *rank, uint32_t *size);
    void (*stop)(void);
    void (*least)(int64_t *values, size_t count);
    void (*sum)(int64_t *values, size_t count);
    /* receive_sizes: filled; then the caller makes room, and calls `exchange` with it. */
    void (*exchange_sizes)(const uint64_t *send_sizes, uint64_t *receive_sizes);
    void (*exchange)(const void *const *send, const uint64_t *send_sizes, void *const *receive,
                     const uint64_t *receive_sizes);
    void (*send)(uint32_t to, const void *bytes, uint64_t size);
    void (*receive)(uint32_t from, void *bytes, uint64_t size);
    void (*broadcast)(uint32_t from, void *bytes, uint64_t size);
};

#endif
