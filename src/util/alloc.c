#include "util/alloc.h"

#include "util/error.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct ws_arena_block {
    struct ws_arena_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

void ws_out_of(const char *what)
{
    fprintf(stderr, "whyslow: out of %s\n", what);
    exit(WS_ENVIRONMENT);
}

static void *checked(void *memory)
{
    if (!memory)
        ws_out_of("memory");
    return memory;
}

void *ws_alloc(size_t size)
{
    return checked(calloc(1, size ? size : 1));
}

void *ws_alloc_array(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size));
}

void *ws_realloc_array(void *old, size_t count, size_t size)
{
    return checked(reallocarray(old, count ? count : 1, size));
}

char *ws_strdup(const char *text)
{
    return checked(strdup(text));
}

void *ws_arena_alloc(struct ws_arena *arena, size_t size)
{
    struct ws_arena_block *block = arena->blocks;
    const size_t unit = alignof(max_align_t);

    if (size > SIZE_MAX / 2)
        checked(NULL);
    size = (size + unit - 1) / unit * unit;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = ws_alloc(sizeof *block + room);
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    block->used += size;
    return block->bytes + block->used - size;
}

char *ws_arena_strndup(struct ws_arena *arena, const char *text, size_t length)
{
    char *copy = ws_arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *ws_arena_strdup(struct ws_arena *arena, const char *text)
{
    return ws_arena_strndup(arena, text, strlen(text));
}

char *ws_arena_printf(struct ws_arena *arena, const char *format, ...)
{
    va_list args, again;
    char *text;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        length = 0;
    text = ws_arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void ws_arena_free(struct ws_arena *arena)
{
    while (arena->blocks) {
        struct ws_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
