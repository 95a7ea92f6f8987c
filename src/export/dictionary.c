#include "export/dictionary.h"

#include "trace/map.h"
#include "util/alloc.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    const char *bytes;
    size_t length;
    uint32_t next; /* of the same hash, + 1; 0: none */
};
struct ws_dictionary {
    struct ws_arena arena;
    struct ws_map by_hash;
    struct entry *entries;
    size_t count, capacity;
};

struct ws_dictionary *ws_dictionary_new(void)
{
    return ws_alloc(sizeof(struct ws_dictionary));
}

void ws_dictionary_free(struct ws_dictionary *dictionary)
{
    if (!dictionary)
        return;
    ws_arena_free(&dictionary->arena);
    ws_map_free(&dictionary->by_hash);
    free(dictionary->entries);
    free(dictionary);
}

uint32_t ws_dictionary_put(struct ws_dictionary *dictionary, const void *bytes, size_t length)
{
    uint64_t hash = ws_hash(WS_HASH_START, bytes, length);
    uint32_t first = (uint32_t)ws_map_get(&dictionary->by_hash, hash);
    char *copy;

    for (uint32_t i = first; i; i = dictionary->entries[i - 1].next) {
        const struct entry *entry = &dictionary->entries[i - 1];
        if (entry->length == length && memcmp(entry->bytes, bytes, length) == 0)
            return i - 1;
    }
    copy = ws_arena_alloc(&dictionary->arena, length + 1);
    memcpy(copy, bytes, length);
    WS_PUSH(dictionary->entries, dictionary->count, dictionary->capacity) =
        (struct entry){copy, length, first};
    ws_map_put(&dictionary->by_hash, hash, dictionary->count);
    return (uint32_t)dictionary->count - 1;
}

uint32_t ws_dictionary_text(struct ws_dictionary *dictionary, const char *text)
{
    return ws_dictionary_put(dictionary, text, strlen(text));
}

uint32_t ws_dictionary_count(const struct ws_dictionary *dictionary)
{
    return (uint32_t)dictionary->count;
}

const char *ws_dictionary_get(const struct ws_dictionary *dictionary, uint32_t number, size_t *length)
{
    if (length)
        *length = dictionary->entries[number].length;
    return dictionary->entries[number].bytes;
}
