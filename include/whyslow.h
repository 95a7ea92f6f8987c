/* For programs that tell Whyslow what to record: from C and C++, without linking to anything.  Where the program
 * runs without Whyslow these functions do nothing.
 *
 *     whyslow_stop();           nothing is recorded from here on, in this process
 *     whyslow_start();          recording goes on
 *     whyslow_phase("solve");   a phase begins; it ends where the process begins its next one
 *
 * MPI_Pcontrol(0) and MPI_Pcontrol(1) do the same as the first two, from every language; MPI_Pcontrol(N) with N
 * above 2 begins the phase "N". */
#ifndef WHYSLOW_H
#define WHYSLOW_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void whyslow_tell(int what, const char *name)
{
    static void (*control)(int, const char *);
    static int looked;

    if (!looked) {
        void *found = dlsym(NULL, "whyslow_control"); /* NULL: in all libraries that are loaded */
        __builtin_memcpy(&control, &found, sizeof control);
        looked = 1;
    }
    if (control)
        control(what, name);
}

static inline void whyslow_stop(void)
{
    whyslow_tell(0, NULL);
}

static inline void whyslow_start(void)
{
    whyslow_tell(1, NULL);
}

static inline void whyslow_phase(const char *name)
{
    whyslow_tell(2, name);
}

#ifdef __cplusplus
}
#endif

#endif
