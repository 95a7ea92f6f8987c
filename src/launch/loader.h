/* Where the dynamic linker would find a library, worked out from the files alone. */
#ifndef WS_LAUNCH_LOADER_H
#define WS_LAUNCH_LOADER_H

#include "launch/family.h"
#include "rules/kb.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

/* By LD_LIBRARY_PATH, the linker's cache and the usual folders.  False: not there. */
bool ws_loader_find(const char *soname, char *path, size_t size);

/* The MPI library that a program or library needs, directly or through others.  Returns 1 with its
 * family and real path, 0 where it needs none, -1 where it is not readable (WS_BAD_INPUT) or needs an
 * MPI that is not there (WS_ENVIRONMENT). */
int ws_loader_mpi(const char *program, const struct ws_family **family, char *library, size_t size,
                  struct ws_error *error);

/* The same for the library of a runtime that is none of the MPIs. */
int ws_loader_runtime(const char *program, const struct ws_runtime *runtime, char *library, size_t size,
                      struct ws_error *error);

/* Looks a soname up in the bytes of an ld.so.cache; NULL: not in it.  Points into the bytes. */
const char *ws_loader_cache_find(const char *bytes, size_t length, const char *soname);

#endif
