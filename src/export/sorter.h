/* Any number of records of one size, sorted with a bounded amount of memory: what is too much lies in a file.
 */
#ifndef WS_EXPORT_SORTER_H
#define WS_EXPORT_SORTER_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ws_sorter_run;
struct ws_sorter {
    size_t record_bytes;
    int (*compare)(const void *a, const void *b);
    const char *near;  /* the file is made in this path's folder, without a name there */
    size_t most_bytes; /* of memory; 0: 64 MB */
    char *records;
    size_t count, capacity;
    FILE *file; /* sorted runs, one after the other; NULL: all is in memory */
    struct ws_sorter_run *runs;
    size_t run_count, run_capacity;
    size_t next; /* in memory */
};
/* A sorter with the first three fields set, all else zero, is empty.  Adding fails with WS_ENVIRONMENT. */
int ws_sorter_add(struct ws_sorter *sorter, const void *record, struct ws_error *error);
/* After the last one was added: gives them in order; of equal ones the order is not decided.  1 with *record
 * (borrowed until the next call), 0 at the end, -1. */
int ws_sorter_next(struct ws_sorter *sorter, const void **record, struct ws_error *error);
void ws_sorter_free(struct ws_sorter *sorter);

#endif
