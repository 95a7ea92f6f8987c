/* The front level of X10's run-time library as far as the stories need it, written anew: places are processes that send
 * each other real messages, by sockets (sockets.c) or by MPI (mpi.c). */
#ifndef X10RT_H
#define X10RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t x10rt_msg_type;
typedef struct {
    uint32_t dest_place;
    x10rt_msg_type type;
    void *msg;
    uint32_t len;
} x10rt_msg_params;
typedef struct {
    unsigned dest, op;
    unsigned long long dest_buf, value;
} x10rt_remote_op_params;

typedef void x10rt_handler(const x10rt_msg_params *);
typedef void x10rt_notifier(const x10rt_msg_params *, uint32_t length);
typedef void x10rt_done(void *arg);

/* Where nothing says which place this is, on sockets, the process becomes the launcher and never returns from it. */
int x10rt_init(int *argc, char ***argv);
void x10rt_finalize(void);
x10rt_msg_type x10rt_register_msg_receiver(x10rt_handler *, void *, void *, const char *, const char *);
x10rt_msg_type x10rt_register_put_receiver(x10rt_notifier *, void *); /* told at the place put to */
x10rt_msg_type x10rt_register_get_receiver(x10rt_notifier *, void *); /* told at the place that gets */
void x10rt_registration_complete(void);
uint32_t x10rt_here(void);
uint32_t x10rt_nplaces(void);
uint32_t x10rt_nhosts(void);

void x10rt_send_msg(x10rt_msg_params *);
void x10rt_send_put(x10rt_msg_params *, void *from, void *to, uint32_t length);
void x10rt_send_get(x10rt_msg_params *, void *from, void *to, uint32_t length);
void x10rt_remote_op(uint32_t place, uint64_t address, int op, unsigned long long value); /* op 0: add */
void x10rt_remote_ops(x10rt_remote_op_params *, size_t count);
/* Runs the handlers of what has come; the second waits for something. */
int x10rt_probe(void);
int x10rt_blocking_probe(void);

/* Team 0, the only one, is of all places; a member's role is its place. */
uint32_t x10rt_team_sz(uint32_t team);
void x10rt_barrier(uint32_t team, uint32_t role, x10rt_done *, void *arg);
bool x10rt_bcast(uint32_t team, uint32_t role, uint32_t root, const void *, void *, size_t el, size_t count,
                 x10rt_done *failed, x10rt_done *, void *arg);
void x10rt_scatter(uint32_t team, uint32_t role, uint32_t root, const void *, void *, size_t el, size_t count,
                   x10rt_done *, void *arg);
void x10rt_gather(uint32_t team, uint32_t role, uint32_t root, const void *, void *, size_t el, size_t count,
                  x10rt_done *, void *arg);
void x10rt_alltoall(uint32_t team, uint32_t role, const void *, void *, size_t el, size_t count, x10rt_done *,
                    void *arg);
/* op 0: sum; dtype 6: int64_t. */
void x10rt_reduce(uint32_t team, uint32_t role, uint32_t root, const void *, void *, int op, int dtype, size_t count,
                  x10rt_done *, void *arg);
bool x10rt_allreduce(uint32_t team, uint32_t role, const void *, void *, int op, int dtype, size_t count,
                     x10rt_done *failed, x10rt_done *, void *arg);
void x10rt_one_setter(void *arg); /* *(int *)arg = 1 */

#ifdef __cplusplus
}
#endif
#endif
