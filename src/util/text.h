/* Growing text and small helpers on strings. */
#ifndef WS_UTIL_TEXT_H
#define WS_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing, always terminated text.  A zeroed struct is empty; bytes is NULL until something is added. */
struct ws_text {
    char *bytes;
    size_t length, capacity;
};
void ws_text_add(struct ws_text *text, const char *bytes, size_t length);
void ws_text_reserve(struct ws_text *text, size_t more); /* room for as many more bytes and the terminator */
void ws_text_puts(struct ws_text *text, const char *string);
void ws_text_integer(struct ws_text *text, int64_t number); /* decimal */
void ws_text_printf(struct ws_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *ws_text_string(const struct ws_text *text); /* "" when empty; borrowed until the next change */
void ws_text_clear(struct ws_text *text);               /* empty again; keeps its memory */
void ws_text_free(struct ws_text *text);                /* leaves a zeroed struct */

/* Are both NULL, or both the same text? */
bool ws_same_text(const char *a, const char *b);

/* The last part of a path, borrowed; all of it where it ends in '/'. */
const char *ws_base_name(const char *path);

/* The candidate nearest to `word` by edit distance, or NULL where none is near enough to suggest. */
const char *ws_suggest(const char *word, const char *const *candidates, size_t count);

/* 64-bit FNV-1a hash; start with WS_HASH_START and chain. */
#define WS_HASH_START UINT64_C(14695981039346656037)
uint64_t ws_hash(uint64_t seed, const void *bytes, size_t length);

/* The nearest integer, the least or greatest one beyond the range; 0 for no number. */
int64_t ws_round(double number);

/* A duration for people: "1.24 s", "35.2 ms", "410 us", "75 ns".  Returns buffer. */
char *ws_format_ns(int64_t ns, char buffer[static 32]);

#endif
