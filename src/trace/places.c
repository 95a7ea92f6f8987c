#include "trace/places.h"

#include "util/file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "Whyslow places 2\n"
#define MOST_BYTES ((size_t)1 << 30)
#define TEXTS 5 /* of a place */

static void path_of(struct ws_text *path, const char *directory)
{
    ws_text_printf(path, "%s/places", directory);
}

static int by_place(const void *left, const void *right)
{
    const struct ws_site *a = left, *b = right;
    int order = strcmp(a->module, b->module);
    return order ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

static const char *after(const char *text)
{
    return text + strlen(text) + 1;
}

/* Reads a place, and gives where the next one begins. */
static const char *read_place(const char *text, struct ws_site *site)
{
    long line;

    site->module = text;
    text = after(text);
    site->offset = strtoull(text, NULL, 10);
    site->function = after(text);
    site->file = after(site->function);
    text = after(site->file);
    line = strtol(text, NULL, 10);
    site->line = line > 0 && line <= INT_MAX ? (int)line : 0;
    return after(text);
}

/* Cuts the bytes into places; false where they are none. */
static bool split(struct ws_places *places, size_t length)
{
    const char *text = places->bytes + sizeof FIRST_LINE;
    size_t texts = 0;

    if (length < sizeof FIRST_LINE || memcmp(places->bytes, FIRST_LINE, sizeof FIRST_LINE) != 0)
        return false;
    for (size_t i = sizeof FIRST_LINE; i < length; i++)
        texts += places->bytes[i] == '\0';
    places->count = texts / TEXTS;
    places->items = ws_alloc_array(places->count, sizeof *places->items);
    for (size_t i = 0; i < places->count; i++)
        text = read_place(text, &places->items[i]);
    if (places->count)
        qsort(places->items, places->count, sizeof *places->items, by_place);
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
    const struct ws_site *found =
        places->count ? bsearch(site, places->items, places->count, sizeof *site, by_place) : NULL;

    if (!found)
        return false;
    site->function = found->function;
    site->file = found->file;
    site->line = found->line;
    return true;
}

void ws_places_free(struct ws_places *places)
{
    free(places->bytes);
    free(places->items);
    *places = (struct ws_places){0};
}

void ws_places_begin(struct ws_text *file)
{
    ws_text_add(file, FIRST_LINE, sizeof FIRST_LINE);
}

static void add_text(struct ws_text *file, const char *text)
{
    ws_text_add(file, text, strlen(text) + 1);
}

void ws_places_add(struct ws_text *file, const struct ws_site *site)
{
    char number[24];

    add_text(file, site->module);
    snprintf(number, sizeof number, "%" PRIu64, site->offset);
    add_text(file, number);
    add_text(file, site->function);
    add_text(file, site->file);
    snprintf(number, sizeof number, "%d", site->line);
    add_text(file, number);
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
