/* Numbers and texts as bytes, for another member of a team: both ends are the same program, so the machine's
 * own order of bytes will do.  What arrives is only checked to be long enough. */
#ifndef WS_UTIL_PACK_H
#define WS_UTIL_PACK_H

#include "util/text.h"

#include <string.h>

static inline void ws_pack_u64(struct ws_text *out, uint64_t value)
{
    ws_text_add(out, (const char *)&value, sizeof value);
}
static inline void ws_pack_text(struct ws_text *out, const char *text)
{
    size_t length = strlen(text);

    ws_pack_u64(out, length);
    ws_text_add(out, text, length + 1);
}

/* Reading: at the first thing that is not there `broken` is set, and all else reads as 0 or "". */
struct ws_unpack {
    const char *at;
    size_t left;
    bool broken;
};
static inline struct ws_unpack ws_unpack_begin(const struct ws_text *in)
{
    return (struct ws_unpack){.at = ws_text_string(in), .left = in->length};
}
/* The next bytes, borrowed; NULL where there are not as many. */
static inline const char *ws_unpack_bytes(struct ws_unpack *in, size_t count)
{
    const char *bytes = in->at;

    if (in->broken || count > in->left) {
        in->broken = true;
        return NULL;
    }
    in->at += count;
    in->left -= count;
    return bytes;
}
static inline uint64_t ws_unpack_u64(struct ws_unpack *in)
{
    const char *bytes = ws_unpack_bytes(in, sizeof(uint64_t));
    uint64_t value = 0;

    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return value;
}
/* Borrowed. */
static inline const char *ws_unpack_text(struct ws_unpack *in)
{
    uint64_t length = ws_unpack_u64(in);
    const char *bytes = length < in->left ? ws_unpack_bytes(in, (size_t)length + 1) : NULL;

    if (!bytes || bytes[length] != '\0') {
        in->broken = true;
        return "";
    }
    return bytes;
}

#endif
