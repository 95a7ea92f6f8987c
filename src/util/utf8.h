/* Text from traces, command lines and files: anything may be in it. */
#ifndef WS_UTIL_UTF8_H
#define WS_UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* A copy (free()) that is valid UTF-8: what is not becomes U+FFFD.  `printable`: characters that would
 * steer a terminal or turn the direction of writing become '?', except newlines. */
char *ws_utf8_copy(const char *text, bool printable);
/* Whether a text is printable ASCII without any of these characters: what needs no looking at. */
bool ws_is_plain(const char *text, const char *without);
/* The number of characters in valid UTF-8. */
size_t ws_utf8_columns(const char *text, size_t length);
/* The bytes of the first `columns` characters of valid UTF-8, or of all where it has no more. */
size_t ws_utf8_prefix(const char *text, size_t columns);

#endif
