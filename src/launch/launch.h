/* Running a program under the recorder: which runtime it uses, its recorder library (built once, cached),
 * the environment of the run, and what came of it. */
#ifndef WS_LAUNCH_LAUNCH_H
#define WS_LAUNCH_LAUNCH_H

#include "rules/kb.h"
#include "util/error.h"

/* The library of a runtime as the machine has it, and what builds a recorder for it. */
struct ws_platform {
    const struct ws_runtime *runtime; /* NULL: MPI where nothing is to be recorded, as for a team */
    char id[144];         /* "openmpi", "mpich"; of another runtime than MPI its own */
    char compiler[4096];  /* its C compiler wrapper; "" where there is none */
    char library[4096];   /* path of the library that programs load; "" where it is not known before they run */
    char version[256];    /* "Open MPI 4.1.4" */
    char warning[512];    /* what is odd about the command (launcher of another MPI); "" for nothing */
};
/* Which of the runtimes a command (a launcher and a program, as typed) is to be recorded as using: the uppermost of
 * those whose library its program needs, or whose launcher starts it; the first where nothing is to be seen. */
const struct ws_runtime *ws_runtime_choose(char *const *command, const struct ws_runtimes *runtimes);
/* Finds what `command` uses of the runtime.  Fails with WS_BAD_INPUT where the program is not one of it and none that
 * may turn out to be, WS_ENVIRONMENT where the library that it needs is not on this machine. */
int ws_platform_find(char *const *command, const struct ws_runtime *runtime, struct ws_platform *platform,
                     struct ws_error *error);
/* The MPI of this id as the machine has it ("openmpi", "mpich"): for `doctor` and for prebuilding. */
int ws_mpi_installed(const char *id, struct ws_platform *mpi, struct ws_error *error);
/* The same for another runtime, known by its compiler; its library only where the recorder is linked with it. */
int ws_platform_installed(const struct ws_runtime *runtime, struct ws_platform *platform, struct ws_error *error);
bool ws_is_mpi(const struct ws_runtime *runtime);

/* Tells the user something while it happens: one line without "whyslow: ".  NULL: nothing is told. */
typedef void ws_tell(const char *line);

/* The recorder library for this platform and its knowledge base: path into `path`.  Built with the platform's own
 * compiler where the cache ($XDG_CACHE_HOME/whyslow) and the installation have none; that takes seconds and
 * is told. */
int ws_recorder_library(const struct ws_kb *kb, const struct ws_platform *platform, char *path, size_t size,
                        ws_tell *tell, struct ws_error *error);
/* The same for the library by which the processes of `mpirun whyslow diagnose` speak (team/shim/). */
int ws_team_library(const struct ws_platform *mpi, char *path, size_t size, ws_tell *tell, struct ws_error *error);
/* The same for the program that replays runs under SimGrid (simulate/shim/): smpirun starts it. */
int ws_replay_program(const struct ws_platform *simulator, char *path, size_t size, ws_tell *tell,
                      struct ws_error *error);
/* Builds the library into `folder` under the name that an installation looks for. */
int ws_team_prebuild(const struct ws_platform *mpi, const char *folder, char *path, size_t size,
                     struct ws_error *error);
int ws_replay_prebuild(const struct ws_platform *simulator, const char *folder, char *path, size_t size,
                       struct ws_error *error);
int ws_recorder_prebuild(const struct ws_kb *kb, const struct ws_platform *platform, const char *folder, char *path,
                         size_t size, struct ws_error *error);

/* What is to be recorded of the run; zeros: all. */
struct ws_limits {
    uint64_t after_ns, for_ns; /* recording begins so long after the process joined; ends so long after it began */
    const char *only;          /* "0-3,7": these ranks; NULL: all */
    uint64_t sample;           /* calls of each site of a rank, the others are only counted */
    uint64_t max_bytes;        /* of the trace, shared out equally */
    uint64_t buffer_bytes;     /* memory of a thread */
};

/* Told when the command is about to run and its trace may begin, and when it has ended. */
struct ws_watcher {
    void (*begin)(void *context);
    void (*end)(void *context);
    void *context;
};

struct ws_launch {
    const char *directory; /* of the trace, created; an earlier trace in it is replaced */
    char *const *command;  /* NULL-terminated */
    const struct ws_kb *kb;
    bool quiet;    /* tell warnings only */
    ws_tell *tell; /* NULL: nothing is told */
    const struct ws_watcher *watcher; /* NULL: none */
    struct ws_limits limits;
};
/* Runs the command under the recorder and waits; signals are passed on.  *exit_code is the command's
 * own (128 + signal).  Where recording cannot be set up the command still runs; then the result is 1, and
 * *error has the cause, which was told as a warning.  An earlier trace may then still be in the folder.
 * -1 where the command could not be run at all, or should not: nothing can be written to the
 * folder, or it holds other things. */
int ws_launch(const struct ws_launch *launch, int *exit_code, struct ws_error *error);

/* The folder of kb/ and recorder/: $WHYSLOW_DATA, or share/whyslow beside or one above the executable. */
int ws_data_folder(char *path, size_t size, struct ws_error *error);
/* The folder of built recorders: $XDG_CACHE_HOME/whyslow or ~/.cache/whyslow. */
int ws_cache_path(char *path, size_t size, struct ws_error *error);
/* The same, created and writable.  Where the user names none and has no home that can be written or preloaded
 * from: a private folder in $TMPDIR or /tmp. */
int ws_cache_folder(char *path, size_t size, struct ws_error *error);
/* Whether LD_PRELOAD can name a file of this path. */
bool ws_preloadable(const char *path);

/* What the machine has for Whyslow. */
enum ws_check_state { WS_CHECK_OK, WS_CHECK_NOTE, WS_CHECK_MISSING };
struct ws_check {
    const char *what;          /* "compiler of Open MPI" */
    enum ws_check_state state; /* NOTE: missing or odd, and not needed by everyone */
    char *found;               /* what was found, or what is wrong */
    char *cure;                /* how to get it; "" */
};
struct ws_checks {
    struct ws_arena arena;
    struct ws_check *rows;
    size_t count, capacity;
    size_t mpis; /* that can be recorded */
};
void ws_checks_run(struct ws_checks *checks);
/* Whether programs of another runtime than MPI can be recorded; nothing for MPI. */
void ws_checks_runtime(struct ws_checks *checks, const struct ws_runtime *runtime);
void ws_checks_add(struct ws_checks *checks, const char *what, enum ws_check_state state, const char *found,
                   const char *cure);
void ws_checks_free(struct ws_checks *checks);

#endif
