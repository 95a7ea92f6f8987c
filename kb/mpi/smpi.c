/* What is different where MPI is simulated: SimGrid's SMPI, all of whose ranks are contexts of one process.
 */
#include "support.h"

#ifndef WS_SIMULATED
void ws_bench_pause(void)
{
}

void ws_bench_resume(void)
{
}
#else
#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdlib.h>
#include <unistd.h>
#include <xbt/config.h>

/* Reading it takes no simulated time and lets nobody else run; MPI_Wtime does both. */
uint64_t ws_simulated_ns(void)
{
    return (uint64_t)llround(simgrid_get_clock() * 1e9);
}

uint32_t ws_simulated_process(void)
{
    const sg_actor_t self = sg_actor_self();

    return self ? (uint32_t)sg_actor_get_pid(self) : 0;
}

const char *ws_simulated_host(void)
{
    return sg_host_self_get_name();
}

/* Whether SMPI measures what the program computes: the same for the whole run. */
static bool measures(void)
{
    static int answer = -1;

    if (answer < 0)
        answer = sg_cfg_get_boolean("smpi/simulate-computation") != 0;
    return answer;
}

/* Others may run while simulated time passes. */
void ws_bench_pause(void)
{
    WS_HERE;

    if (ws_is_recording() && measures())
        smpi_bench_end();
    WS_BACK;
}

void ws_bench_resume(void)
{
    if (ws_self && measures())
        smpi_bench_begin();
}

/* What is measured from here on, until SMPI's own function stops it, is shorter than what it takes notice of
 * (1 us). */
void ws_simulated_compute(void)
{
    if (!measures())
        return;
    smpi_bench_end();
    smpi_bench_begin();
}

/* ---- the program ---- */

static char program[PATH_MAX];

/* SMPI's main program has the name of the user's as its first argument. */
static __attribute__((constructor)) void find_program(void)
{
    char text[2 * PATH_MAX];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    const char *argument;

    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    argument = text + strlen(text) + 1;
    if (argument >= text + length || !realpath(argument, program))
        program[0] = '\0';
}

const char *ws_simulated_program(void)
{
    return program;
}

/* Each rank's copy of the program lies in the folder for temporary files as NAME_PID_RANK.so, and only until
 * it is loaded. */
bool ws_simulated_is_copy(const char *module)
{
    const char *slash = strrchr(module, '/'), *own = strrchr(program, '/');
    const char *name = slash ? slash + 1 : module;
    size_t length = own ? strlen(++own) : 0;

    if (!length || strncmp(name, own, length) != 0 || name[length] != '_')
        return false;
    for (name += length + 1; isdigit((unsigned char)*name) || *name == '_';)
        name++;
    return strcmp(name, ".so") == 0;
}

/* SMPI loads the program, or a copy for each rank, by this function: the preloaded one comes before libc's.
 * All other calls only pass, by a jump: libc's goes by who calls. */
WS_EXPORT void *dlopen(const char *file, int mode)
{
    static void *(*next)(const char *file, int mode);
    char real[PATH_MAX];
    void *module;

    WS_RESOLVE(next, "dlopen");
    if (!file || !ws_recorder_folder()[0] ||
        !(ws_simulated_is_copy(file) || (realpath(file, real) && strcmp(real, program) == 0)))
        return WS_NEXT(next)(file, mode);
    module = WS_NEXT(next)(file, mode);
    ws_patch_modules();
    return module;
}
#endif
