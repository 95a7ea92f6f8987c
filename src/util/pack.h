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

/* Numbers of few bytes: seven bits each, the lowest first; of a signed one the sign goes into the lowest bit. */
#define WS_MOST_NUMBER_BYTES 10
static inline uint64_t ws_fold_sign(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}
static inline int64_t ws_unfold_sign(uint64_t folded)
{
    return (int64_t)(folded >> 1 ^ -(folded & 1));
}
/* Writes one at `at`, where there is room; gives its length. */
static inline size_t ws_number_bytes(char *at, uint64_t number)
{
    size_t length = 0;

    for (; number > 127; number >>= 7)
        at[length++] = (char)(number | 128);
    at[length++] = (char)number;
    return length;
}
static inline void ws_pack_number(struct ws_text *out, uint64_t number)
{
    char bytes[WS_MOST_NUMBER_BYTES];

    ws_text_add(out, bytes, ws_number_bytes(bytes, number));
}
static inline void ws_pack_signed(struct ws_text *out, int64_t number)
{
    ws_pack_number(out, ws_fold_sign(number));
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
static inline uint64_t ws_unpack_number(struct ws_unpack *in)
{
    uint64_t number = 0;

    for (unsigned shift = 0; !in->broken && in->left && shift < 64; shift += 7) {
        uint8_t byte = (uint8_t)*in->at++;
        in->left--;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
    in->broken = true;
    return 0;
}
static inline int64_t ws_unpack_signed(struct ws_unpack *in)
{
    return ws_unfold_sign(ws_unpack_number(in));
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
