/* Whole files and paths. */
#ifndef WS_UTIL_FILE_H
#define WS_UTIL_FILE_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a file of at most `most` bytes into a terminated buffer (free()); *length may be NULL.
 * Fails with WS_BAD_INPUT, naming the path and the cause. */
char *ws_file_read(const char *path, size_t most, size_t *length, struct ws_error *error);
/* Writes through a temporary file in the same folder and renames it: readers see all or nothing.  Fails with
 * WS_ENVIRONMENT. */
int ws_file_write(const char *path, const char *bytes, size_t length, struct ws_error *error);
/* Creates a folder and its parents; fine where they are there.  Fails with WS_ENVIRONMENT. */
int ws_make_folder(const char *path, struct ws_error *error);
/* The folder for temporary files: $TMPDIR, or /tmp. */
const char *ws_temporary_folder(void);
/* Removes a file, or a folder with all that is in it; what cannot be removed stays. */
void ws_remove_all(const char *path);
bool ws_is_folder(const char *path);
bool ws_is_file(const char *path);
/* The sorted names in a folder that end in `suffix` ("" for all), without "." entries; a NULL-terminated
 * list (ws_names_free).  NULL with *error (WS_BAD_INPUT) where the folder cannot be read. */
char **ws_folder_names(const char *path, const char *suffix, struct ws_error *error);
void ws_names_free(char **names);

#endif
