/* Many processes of a run in one of the operating system, as a simulator has them: contexts that take turns,
 * each within its calls of the runtime.  What a process has for itself (WS_OWN) lies together in one section,
 * some kilobytes; it is copied out and in when another process runs.  So all code addresses its statics as
 * ever. */
#ifdef WS_SIMULATED
#include "recorder/hot.h"

extern unsigned char __start_ws_own[] __attribute__((visibility("hidden")));
extern unsigned char __stop_ws_own[] __attribute__((visibility("hidden")));

/* The place is a number, told as an offset in the program. */
uintptr_t ws_told_place;

void whyslow_place(uint64_t place) WS_EXPORT;
void whyslow_place(uint64_t place)
{
    ws_told_place = (uintptr_t)place + 1;
}

#define NOBODY UINT32_MAX
#define MOST_PROCESSES (UINT32_C(1) << 24)
#define FIRST_PROCESSES 256

uint32_t ws_process = NOBODY;
static unsigned char *initial; /* as it was before any process ran */
static unsigned char *
    *kept;            /* of the processes that do not run, by their numbers; NULL: it has not run yet */
static uint32_t room; /* of `kept` */
static unsigned char *overflow; /* of all for whom there is no memory: they do not record */

static size_t own_bytes(void)
{
    return (size_t)(__stop_ws_own - __start_ws_own);
}

static bool make_room(uint32_t process)
{
    uint32_t wanted = room ? room : FIRST_PROCESSES;
    unsigned char **more;

    if (process < room)
        return true;
    if (process >= MOST_PROCESSES)
        return false;
    while (wanted <= process)
        wanted *= 2;
    more = ws_pages(wanted * sizeof *more);
    if (!more)
        return false;
    if (room)
        memcpy(more, kept, room * sizeof *kept);
    ws_pages_free(kept, room * sizeof *kept);
    kept = more;
    room = wanted;
    return true;
}

/* Where the process's statics are kept; made where it has none yet. */
static unsigned char *statics_of(uint32_t process)
{
    if (!make_room(process))
        return overflow;
    if (!kept[process] && (kept[process] = ws_keep(own_bytes())))
        memcpy(kept[process], initial, own_bytes());
    return kept[process] ? kept[process] : overflow;
}

/* The first process to run finds what the constructors left: so does each later one. */
static bool keep_initial(void)
{
    if (initial)
        return true;
    initial = ws_keep(own_bytes());
    overflow = ws_keep(own_bytes());
    if (!initial || !overflow)
        return false;
    memcpy(initial, __start_ws_own, own_bytes());
    memcpy(overflow, __start_ws_own, own_bytes());
    return true;
}

void ws_switch_process(uint32_t process)
{
    if (!keep_initial())
        return; /* nobody can have begun to record */
    if (ws_process != NOBODY)
        memcpy(statics_of(ws_process), __start_ws_own, own_bytes());
    memcpy(__start_ws_own, statics_of(process), own_bytes());
    ws_process = process;
}
#endif
