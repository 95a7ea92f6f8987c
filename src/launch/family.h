/* The families of MPI libraries, as data: how each is recognised and what builds a recorder for it. */
#ifndef WS_LAUNCH_FAMILY_H
#define WS_LAUNCH_FAMILY_H

#include <stddef.h>

#define WS_FAMILY_NAMES 6

struct ws_family {
    const char *id;                         /* "openmpi" */
    const char *name;                       /* "Open MPI" */
    const char *sonames[WS_FAMILY_NAMES];   /* globs: the library that programs need */
    const char *files[WS_FAMILY_NAMES];     /* its sonames in use, the newest first */
    const char *launchers[WS_FAMILY_NAMES]; /* globs: its launchers, by the real name of the file */
    const char *speaks[WS_FAMILY_NAMES];    /* words in the output of its launcher's --version, or in the
                                               answer of MPI_Get_library_version */
    const char *compilers[WS_FAMILY_NAMES]; /* names of its C compiler wrapper, the surest first */
    const char *launcher;                   /* the one that goes with compilers[0] */
    const char *macro;                      /* defined by its mpi.h, and by no other family's */
    int simulated;                          /* runs in the time of a platform that the launcher gets as a file */
    const char *preamble;                   /* of its recorder's sources; NULL: none */
    const char *package;                    /* Debian's, with compiler and header */
    const char *launcher_package;
};
extern const struct ws_family ws_families[];
extern const size_t ws_family_count;

const struct ws_family *ws_family_by_id(const char *id); /* NULL: none */
const struct ws_family *ws_family_by_soname(const char *soname);
const struct ws_family *ws_family_by_launcher(const char *name); /* name without folder */
const struct ws_family *ws_family_by_words(const char *text);

#endif
