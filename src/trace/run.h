/* run.json: what was run, when, and how it ended. */
#ifndef WS_TRACE_RUN_H
#define WS_TRACE_RUN_H

#include "util/alloc.h"
#include "util/error.h"

struct ws_run {
    struct ws_arena arena;
    const char *command;    /* as typed, shell-quoted */
    const char *started;    /* ISO 8601, UTC */
    const char *runtime;    /* "mpi" */
    const char *mpi;        /* "Open MPI 4.1.4" */
    const char *host;       /* the machine that it was started on; "" unknown */
    int cores;              /* of that machine; 0 unknown */
    double wall_s;          /* of the whole command; 0 while it runs */
    const char *only;       /* "0-3,7": the ranks that were to be recorded; "" all */
    const char **notes;     /* what a reader must know of the trace, a sentence each; of one that comes from elsewhere */
    size_t note_count;
    int exit_code;          /* 128 + signal where a signal ended it; -1 while it runs */
};
int ws_run_write(const char *directory, const struct ws_run *run, struct ws_error *error);
int ws_run_read(const char *directory, struct ws_run *run, struct ws_error *error);
void ws_run_free(struct ws_run *run);

#endif
