/* Numbers for what outputs define once and refer to. */
#ifndef WS_EXPORT_DICTIONARY_H
#define WS_EXPORT_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

/* Texts and other things by what they are: the number of each is its place. */
struct ws_dictionary;
struct ws_dictionary *ws_dictionary_new(void);
void ws_dictionary_free(struct ws_dictionary *dictionary);
/* The number of these bytes, a new one where they are new. */
uint32_t ws_dictionary_put(struct ws_dictionary *dictionary, const void *bytes, size_t length);
uint32_t ws_dictionary_text(struct ws_dictionary *dictionary, const char *text);
uint32_t ws_dictionary_count(const struct ws_dictionary *dictionary);
const char *ws_dictionary_get(const struct ws_dictionary *dictionary, uint32_t number, size_t *length);

#endif
