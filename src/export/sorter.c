#include "export/sorter.h"

#include "util/alloc.h"
#include "util/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)64 << 20)
#define RUN_BYTES ((size_t)64 << 10) /* of each run, read at once */

struct ws_sorter_run {
    off_t at;    /* of what is not yet read */
    size_t left; /* records not yet read */
    char *buffer;
    size_t next, count; /* of the buffer */
};

static size_t most_records(const struct ws_sorter *sorter)
{
    size_t count = (sorter->most_bytes ? sorter->most_bytes : MOST_BYTES) / sorter->record_bytes;

    return count ? count : 1;
}

static int open_file(struct ws_sorter *sorter, struct ws_error *error)
{
    struct ws_text path = {0};
    int file;

    ws_text_printf(&path, "%s.XXXXXX", sorter->near);
    file = mkstemp(path.bytes);
    if (file >= 0)
        unlink(path.bytes);
    sorter->file = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (!sorter->file) {
        ws_fail(error, WS_ENVIRONMENT, "%s: cannot make a temporary file: %s", path.bytes, strerror(errno));
        if (file >= 0)
            close(file);
    }
    ws_text_free(&path);
    return sorter->file ? 0 : -1;
}

static int fail(const struct ws_sorter *sorter, const char *what, struct ws_error *error)
{
    return ws_fail(error, WS_ENVIRONMENT, "the temporary file beside %s: cannot %s: %s", sorter->near, what,
                   strerror(errno));
}

static int spill(struct ws_sorter *sorter, struct ws_error *error)
{
    off_t at;

    if (!sorter->file && open_file(sorter, error) != 0)
        return -1;
    qsort(sorter->records, sorter->count, sorter->record_bytes, sorter->compare);
    at = ftello(sorter->file);
    if (fwrite(sorter->records, sorter->record_bytes, sorter->count, sorter->file) != sorter->count ||
        fflush(sorter->file) != 0)
        return fail(sorter, "write", error);
    WS_PUSH(sorter->runs, sorter->run_count, sorter->run_capacity) =
        (struct ws_sorter_run){.at = at, .left = sorter->count};
    sorter->count = 0;
    return 0;
}

int ws_sorter_add(struct ws_sorter *sorter, const void *record, struct ws_error *error)
{
    if (sorter->count == most_records(sorter) && spill(sorter, error) != 0)
        return -1;
    if (sorter->count == sorter->capacity) {
        size_t larger = sorter->capacity ? 2 * sorter->capacity : 256;
        sorter->capacity = larger < most_records(sorter) ? larger : most_records(sorter);
        sorter->records = ws_realloc_array(sorter->records, sorter->capacity, sorter->record_bytes);
    }
    memcpy(sorter->records + sorter->count++ * sorter->record_bytes, record, sorter->record_bytes);
    return 0;
}

/* ---- merging ---- */

static const char *first_of(const struct ws_sorter *sorter, size_t run)
{
    return sorter->runs[run].buffer + sorter->runs[run].next * sorter->record_bytes;
}

/* Fills the run's empty buffer, if something is left. */
static int fill(struct ws_sorter *sorter, struct ws_sorter_run *run, struct ws_error *error)
{
    size_t count = RUN_BYTES / sorter->record_bytes + 1;

    count = count < run->left ? count : run->left;
    if (!run->buffer)
        run->buffer = ws_alloc_array(RUN_BYTES / sorter->record_bytes + 1, sorter->record_bytes);
    if (count && (fseeko(sorter->file, run->at, SEEK_SET) != 0 ||
                  fread(run->buffer, sorter->record_bytes, count, sorter->file) != count))
        return fail(sorter, "read", error);
    run->at += (off_t)(count * sorter->record_bytes);
    run->left -= count;
    run->next = 0;
    run->count = count;
    return 0;
}

/* The run at the root sinks to its place: runs are a heap by their first record. */
static void sink(struct ws_sorter *sorter, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < sorter->run_count; child++)
            if (sorter->compare(first_of(sorter, child), first_of(sorter, least)) < 0)
                least = child;
        if (least == at)
            return;
        struct ws_sorter_run swapped = sorter->runs[at];
        sorter->runs[at] = sorter->runs[least];
        sorter->runs[least] = swapped;
        at = least;
    }
}

static int begin_merging(struct ws_sorter *sorter, struct ws_error *error)
{
    if (sorter->count && spill(sorter, error) != 0)
        return -1;
    free(sorter->records);
    sorter->records = NULL;
    sorter->capacity = 0;
    for (size_t r = 0; r < sorter->run_count; r++)
        if (fill(sorter, &sorter->runs[r], error) != 0)
            return -1;
    for (size_t r = sorter->run_count; r-- > 0;)
        sink(sorter, r);
    return 0;
}

/* Passes over the record that was given last. */
static int pass(struct ws_sorter *sorter, struct ws_error *error)
{
    struct ws_sorter_run *run = sorter->runs;

    if (!sorter->run_count)
        return 0;
    if (++run->next == run->count && fill(sorter, run, error) != 0)
        return -1;
    if (run->count == 0) {
        free(run->buffer);
        *run = sorter->runs[--sorter->run_count];
    }
    if (sorter->run_count)
        sink(sorter, 0);
    return 0;
}

int ws_sorter_next(struct ws_sorter *sorter, const void **record, struct ws_error *error)
{
    if (!sorter->file) {
        if (sorter->next == 0 && sorter->count)
            qsort(sorter->records, sorter->count, sorter->record_bytes, sorter->compare);
        if (sorter->next == sorter->count)
            return 0;
        *record = sorter->records + sorter->next++ * sorter->record_bytes;
        return 1;
    }
    if ((sorter->next++ == 0 ? begin_merging(sorter, error) : pass(sorter, error)) != 0)
        return -1;
    if (!sorter->run_count)
        return 0;
    *record = first_of(sorter, 0);
    return 1;
}

void ws_sorter_free(struct ws_sorter *sorter)
{
    for (size_t r = 0; r < sorter->run_count; r++)
        free(sorter->runs[r].buffer);
    free(sorter->runs);
    free(sorter->records);
    if (sorter->file)
        fclose(sorter->file);
    *sorter = (struct ws_sorter){0};
}
