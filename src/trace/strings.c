#include "trace/strings.h"

#include "util/text.h"

#include <string.h>

struct string {
    struct string *next; /* of the same hash */
    char text[];
};

const char *ws_strings_get(struct ws_strings *strings, const char *text)
{
    size_t length = strlen(text);
    uint64_t hash = ws_hash(WS_HASH_START, text, length);
    struct string *first = (struct string *)(uintptr_t)ws_map_get(&strings->by_hash, hash), *string;

    for (string = first; string; string = string->next)
        if (strcmp(string->text, text) == 0)
            return string->text;
    string = ws_arena_alloc(&strings->arena, sizeof *string + length + 1);
    string->next = first;
    memcpy(string->text, text, length + 1);
    ws_map_put(&strings->by_hash, hash, (uintptr_t)string);
    return string->text;
}

void ws_strings_free(struct ws_strings *strings)
{
    ws_map_free(&strings->by_hash);
    ws_arena_free(&strings->arena);
}
