#include "trace/places.h"

#include "util/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "Whyslow places 1\n"
#define MOST_BYTES ((size_t)1 << 30)

static void path_of(struct ws_text *path, const char *directory)
{
    ws_text_printf(path, "%s/places", directory);
}

/* Cuts the bytes into texts; false where they are none. */
static bool split(struct ws_places *places, size_t length)
{
    size_t texts = 0, at = 0;

    if (length < sizeof FIRST_LINE || memcmp(places->bytes, FIRST_LINE, sizeof FIRST_LINE) != 0 ||
        places->bytes[length - 1] != '\0')
        return false;
    for (size_t i = sizeof FIRST_LINE; i < length; i++)
        texts += places->bytes[i] == '\0';
    if (texts % 3 != 1)
        return false;
    places->module = places->bytes + sizeof FIRST_LINE;
    places->count = texts / 3;
    places->texts = ws_alloc_array(texts - 1, sizeof *places->texts);
    for (const char *text = places->module + strlen(places->module) + 1; at < texts - 1;
         text += strlen(text) + 1)
        places->texts[at++] = text;
    return true;
}

void ws_places_read(struct ws_places *places, const char *directory)
{
    struct ws_text path = {0};
    struct ws_error unknown;
    size_t length = 0;

    *places = (struct ws_places){0};
    path_of(&path, directory);
    if (ws_is_file(path.bytes))
        places->bytes = ws_file_read(path.bytes, MOST_BYTES, &length, &unknown);
    if (places->bytes && !split(places, length))
        ws_places_free(places);
    ws_text_free(&path);
}

bool ws_places_find(const struct ws_places *places, struct ws_site *site)
{
    const char **texts;

    if (!places->module || strcmp(places->module, site->module) != 0)
        return false;
    if (site->offset < places->count) {
        texts = places->texts + 3 * site->offset;
        site->function = texts[0];
        site->file = texts[1];
        site->line = atoi(texts[2]);
    }
    return true;
}

void ws_places_free(struct ws_places *places)
{
    free(places->bytes);
    free(places->texts);
    *places = (struct ws_places){0};
}

void ws_places_begin(struct ws_text *file, const char *module)
{
    ws_text_add(file, FIRST_LINE, sizeof FIRST_LINE);
    ws_text_add(file, module, strlen(module) + 1);
}

void ws_places_add(struct ws_text *file, const char *function, const char *source, int line)
{
    char number[16];

    snprintf(number, sizeof number, "%d", line);
    ws_text_add(file, function, strlen(function) + 1);
    ws_text_add(file, source, strlen(source) + 1);
    ws_text_add(file, number, strlen(number) + 1);
}

int ws_places_write(const struct ws_text *file, const char *directory, struct ws_error *error)
{
    struct ws_text path = {0};
    int result;

    path_of(&path, directory);
    result = ws_file_write(path.bytes, file->bytes, file->length, error);
    ws_text_free(&path);
    return result;
}
