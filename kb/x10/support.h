/* What the trace rules of X10 may call, and the types of its run-time library, whose header is on few
 * machines: they are as in x10rt_types.h since 2013. */
#ifndef WS_KB_X10_SUPPORT_H
#define WS_KB_X10_SUPPORT_H

#include "recorder/hot.h"

typedef uint16_t x10rt_msg_type;
typedef void ws_handler(void); /* of any kind: only passed on */

typedef struct {
    uint32_t dest_place;
    x10rt_msg_type type;
    void *msg;
    uint32_t len;
} x10rt_msg_params;

typedef struct {
    unsigned dest, op;
    unsigned long long address, operand;
} x10rt_remote_op_params;

/* ---- places ---- */

extern uint32_t ws_hosts; /* places that are processes; those behind them are accelerators */
int32_t ws_host_of(uint32_t place);

static inline int32_t ws_process_of(uint32_t place)
{
    return place < ws_hosts ? (int32_t)place : ws_host_of(place);
}

/* ---- message types ---- */

extern uint8_t ws_type_named[UINT16_MAX + 1];
void ws_name_type(x10rt_msg_type type);

static inline uint32_t ws_type(x10rt_msg_type type)
{
    if (WS_RARELY(!ws_type_named[type]))
        ws_name_type(type);
    return type;
}

/* ---- teams ---- */

/* Team 0 has all places, each in the role of its number.  Who the members of others are only the library
 * knows. */
uint32_t ws_team(uint32_t team);
int32_t ws_team_size(uint32_t team);

static inline int32_t ws_team_root(uint32_t team, uint32_t role)
{
    return team == 0 ? (int32_t)role : -1;
}

/* Of `count` elements of a type of reductions. */
uint64_t ws_red_bytes(int type, size_t count);

/* ---- hooks ---- */

void ws_after_x10rt_init(int result, int *argc, char ***argv);
void ws_before_x10rt_finalize(void);
void ws_after_x10rt_register_msg_receiver(x10rt_msg_type type, ws_handler *handler, ws_handler *pre,
                                          ws_handler *post, const char *cubin, const char *kernel);
void ws_after_x10rt_register_put_receiver(x10rt_msg_type type, ws_handler *handler, ws_handler *cuda);
void ws_after_x10rt_register_get_receiver(x10rt_msg_type type, ws_handler *handler, ws_handler *cuda);

#endif
