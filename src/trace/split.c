/* Which member reads which ranks: about as many bytes for each. */
#include "trace/trace.h"

#include "trace/stream.h"
#include "util/alloc.h"
#include "util/file.h"

#include <stdlib.h>
#include <sys/stat.h>

struct sizes {
    uint64_t *bytes; /* [rank] */
    size_t count, capacity;
    uint64_t all;
};

static void add(struct sizes *sizes, uint32_t rank, uint64_t bytes)
{
    while (sizes->count <= rank)
        WS_PUSH(sizes->bytes, sizes->count, sizes->capacity) = 0;
    sizes->bytes[rank] += bytes;
    sizes->all += bytes;
}

static int measure(const char *directory, struct sizes *sizes, struct ws_error *error)
{
    struct ws_text path = {0};
    char **names;

    ws_text_printf(&path, "%s/ctf", directory);
    names = ws_folder_names(path.bytes, "", error);
    for (size_t i = 0; names && names[i]; i++) {
        struct stat info;
        uint32_t rank, thread;
        if (!ws_stream_name_parse(names[i], &rank, &thread))
            continue;
        ws_text_clear(&path);
        ws_text_printf(&path, "%s/ctf/%s", directory, names[i]);
        /* Something to do for a rank even where its stream is empty. */
        add(sizes, rank, 4096 + (stat(path.bytes, &info) == 0 ? (uint64_t)info.st_size : 0));
    }
    ws_text_free(&path);
    ws_names_free(names);
    return names ? 0 : -1;
}

uint64_t ws_trace_bytes(const char *directory, uint32_t *ranks)
{
    struct sizes sizes = {0};

    *ranks = 0;
    measure(directory, &sizes, NULL);
    for (size_t i = 0; i < sizes.count; i++)
        *ranks += sizes.bytes[i] != 0;
    free(sizes.bytes);
    return sizes.all;
}

int ws_trace_split(const char *directory, uint32_t members, uint32_t *first, struct ws_error *error)
{
    struct sizes sizes = {0};
    int result = measure(directory, &sizes, error);
    uint64_t before = 0;
    uint32_t rank = 0;

    for (uint32_t m = 0; m < members; m++) {
        first[m] = rank;
        /* Up to the rank whose middle lies behind this member's share. */
        while (rank < sizes.count &&
               (double)before + (double)sizes.bytes[rank] / 2 < (double)sizes.all * (m + 1) / members)
            before += sizes.bytes[rank++];
    }
    first[0] = 0;
    first[members] = (uint32_t)sizes.count;
    free(sizes.bytes);
    return result;
}
