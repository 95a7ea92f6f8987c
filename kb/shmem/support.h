/* What the sources of this folder's trace rules may call, and the C types of OpenSHMEM's typed functions.
 * Part of the recorder library for OpenSHMEM, which is linked with no library of it and reads no shmem.h: the
 * functions are the same in all. */
#ifndef WS_KB_SHMEM_SUPPORT_H
#define WS_KB_SHMEM_SUPPORT_H

#include "recorder/hot.h"

#include <stddef.h>

/* A context, whatever it is made of: a pointer or a number no larger than one. */
typedef void *shmem_ctx_t;

/* TYPENAME to TYPE, as in the specification's tables. */
typedef float c_float;
typedef double c_double;
typedef long double c_longdouble;
typedef _Complex float c_complexf;
typedef _Complex double c_complexd;
typedef char c_char;
typedef signed char c_schar;
typedef short c_short;
typedef int c_int;
typedef long c_long;
typedef long long c_longlong;
typedef unsigned char c_uchar;
typedef unsigned short c_ushort;
typedef unsigned int c_uint;
typedef unsigned long c_ulong;
typedef unsigned long long c_ulonglong;
typedef int8_t c_int8;
typedef int16_t c_int16;
typedef int32_t c_int32;
typedef int64_t c_int64;
typedef uint8_t c_uint8;
typedef uint16_t c_uint16;
typedef uint32_t c_uint32;
typedef uint64_t c_uint64;
typedef size_t c_size;
typedef ptrdiff_t c_ptrdiff;

/* Called around F on the program's calls of it. */
void ws_before_shmem_init(void);
void ws_before_shmem_init_thread(int requested, int *provided);
void ws_before_start_pes(int npes);
void ws_after_shmem_init(void);
void ws_after_shmem_init_thread(int result, int requested, int *provided);
void ws_after_start_pes(int npes);
void ws_before_shmem_finalize(void);
void ws_before_shmem_global_exit(int status);
void ws_before_globalexit(int status);

extern int32_t ws_me, ws_all; /* this PE; how many there are */

/* The program's own data lie at one place in its file, wherever that is loaded; memory from the symmetric
 * heap lies at one address on all PEs.  31 bits: what a short record has room for. */
extern uintptr_t ws_image_begin, ws_image_end;
static inline int64_t ws_address(const volatile void *object)
{
    uintptr_t at = (uintptr_t)object;

    return at >= ws_image_begin && at < ws_image_end ? (int64_t)(at - ws_image_begin) & 0x3fffffff
                                                     : ((int64_t)at & 0x3fffffff) | 0x40000000;
}

static inline int32_t ws_pes(void)
{
    return ws_all;
}

static inline bool ws_is_me(int pe)
{
    return pe == ws_me;
}

/* ---- active sets: every 2^log_stride-th PE from `start`, `size` of them ---- */

static inline uint32_t ws_everybody(void)
{
    return WS_COMM_WORLD_ID;
}

/* The set's index on this process, as its stream defines it; 0: none. */
uint32_t ws_set_find(int start, int log_stride, int size);
static inline uint32_t ws_set(int start, int log_stride, int size)
{
    return start == 0 && log_stride == 0 && size == ws_all ? WS_COMM_WORLD_ID
                                                           : ws_set_find(start, log_stride, size);
}

static inline int32_t ws_member(int start, int log_stride, int n)
{
    return start + n * (1 << log_stride);
}

static inline int ws_returned(void)
{
    return ws_self->result;
}

#endif
