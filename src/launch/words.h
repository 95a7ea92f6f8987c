/* The words of a command as typed: which is the launcher, which the program. */
#ifndef WS_LAUNCH_WORDS_H
#define WS_LAUNCH_WORDS_H

#include "launch/family.h"
#include "rules/kb.h"
#include "util/error.h"

#include <stdbool.h>

/* In order of preference: a later one is the better guess at what the launcher starts. */
enum ws_program_kind {
    WS_PROGRAM_NONE,   /* no word names a program */
    WS_PROGRAM_PLAIN,  /* a program without the runtime's library */
    WS_PROGRAM_STATIC, /* a program that MPI is linked into statically */
    WS_PROGRAM_BROKEN, /* needs a library that is not there, or is damaged: `error` tells */
    WS_PROGRAM_OPEN,   /* a script or an interpreter: what it runs is seen only when it runs */
    WS_PROGRAM_FOUND,  /* needs the runtime's library */
};

struct ws_words {
    int launcher; /* index, or -1 */
    char launcher_path[4096];
    int program; /* index, or -1 */
    char program_path[4096];
    enum ws_program_kind kind;
    bool own_launcher;              /* the launcher is one that starts the runtime's programs only */
    const struct ws_family *family; /* of an MPI program */
    char library[4096];             /* of the runtime's program: the library that it loads */
    char interpreter[4096];         /* of an OPEN one: the program that runs it */
    struct ws_error error;
};

/* Looks at the command's words from left to right.  A launcher is known by its name; the program is the
 * first word after it that is a program of the runtime (NULL: of an MPI), else the first script or interpreter, else
 * the first program at all.  Never fails. */
void ws_words_read(char *const *command, const struct ws_runtime *runtime, struct ws_words *words);

#endif
