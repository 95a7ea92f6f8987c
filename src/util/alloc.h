/* Checked allocation: the one place where memory can run out.  Running out ends the command with
 * WS_ENVIRONMENT and a message; the analyser only reads the trace, so nothing is lost.
 * The recorder (src/recorder) does not use this file: it must never end the traced program. */
#ifndef WS_UTIL_ALLOC_H
#define WS_UTIL_ALLOC_H

#include <stddef.h>

/* What the machine does not give ends the command, as said above. */
void ws_out_of(const char *what) __attribute__((noreturn));

void *ws_alloc(size_t size);                                  /* zeroed; free() */
void *ws_alloc_array(size_t count, size_t size);              /* zeroed, count * size checked; free() */
void *ws_realloc_array(void *old, size_t count, size_t size); /* what is new is not zeroed; free() */
char *ws_strdup(const char *text);                            /* free() */

/* An arena: many allocations, one ws_arena_free.  A zeroed struct is an empty arena. */
struct ws_arena {
    struct ws_arena_block *blocks;
};
void *ws_arena_alloc(struct ws_arena *arena, size_t size); /* zeroed, aligned for any type */
char *ws_arena_strdup(struct ws_arena *arena, const char *text);
char *ws_arena_strndup(struct ws_arena *arena, const char *text, size_t length);
char *ws_arena_printf(struct ws_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ws_arena_free(struct ws_arena *arena);

/* Makes room for one more element in a growing array: WS_PUSH(list, count, capacity) = element; */
#define WS_PUSH(list, count, capacity)                                                                       \
    (*((void)((count) == (capacity) ? ((capacity) = (capacity) ? 2 * (capacity) : 8,                         \
                                       (list) = ws_realloc_array((list), (capacity), sizeof *(list)))        \
                                    : (list)),                                                               \
       &(list)[(count)++]))

#endif
