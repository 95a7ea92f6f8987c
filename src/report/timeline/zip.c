#include "report/timeline/zip.h"

#include "util/alloc.h"

#include <endian.h>
#include <string.h>

/* ---- base64 ---- */

static void add_base64(struct ws_text *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *to;

    ws_text_reserve(out, (length + 2) / 3 * 4);
    to = out->bytes + out->length;
    for (size_t i = 0; i < length; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < length ? (uint32_t)bytes[i + 2] : 0;
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63];
        *to++ = digits[group >> 6 & 63];
        *to++ = digits[group & 63];
    }
    for (size_t missing = length % 3 ? 3 - length % 3 : 0; missing > 0; missing--)
        to[-(ptrdiff_t)missing] = '=';
    *to = '\0';
    out->length = (size_t)(to - out->bytes);
}

/* ---- deflate ---- */

/* Deflates what is there; the full buffer goes out, so that base64 goes on without a gap. */
static void work(struct ws_zip *zip, int flush)
{
    for (;;) {
        int result = deflate(&zip->stream, flush);
        if (result == Z_STREAM_END || zip->stream.avail_out)
            return;
        add_base64(zip->out, zip->buffer, sizeof zip->buffer);
        zip->stream.next_out = zip->buffer;
        zip->stream.avail_out = sizeof zip->buffer;
    }
}

void ws_zip_begin(struct ws_zip *zip, struct ws_text *out)
{
    memset(&zip->stream, 0, sizeof zip->stream);
    zip->out = out;
    if (deflateInit(&zip->stream, Z_DEFAULT_COMPRESSION) != Z_OK)
        ws_out_of("memory");
    zip->stream.next_out = zip->buffer;
    zip->stream.avail_out = sizeof zip->buffer;
}

void ws_zip_add(struct ws_zip *zip, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;

    while (length > 0) {
        uInt part = length < 1 << 30 ? (uInt)length : 1 << 30;
        zip->stream.next_in = (unsigned char *)from;
        zip->stream.avail_in = part;
        work(zip, Z_NO_FLUSH);
        from += part;
        length -= part;
    }
}

void ws_zip_u32(struct ws_zip *zip, uint32_t number)
{
    uint32_t bytes = htole32(number);
    ws_zip_add(zip, &bytes, sizeof bytes);
}

void ws_zip_f64(struct ws_zip *zip, double number)
{
    uint64_t bytes;

    memcpy(&bytes, &number, sizeof bytes);
    bytes = htole64(bytes);
    ws_zip_add(zip, &bytes, sizeof bytes);
}

void ws_zip_end(struct ws_zip *zip)
{
    work(zip, Z_FINISH);
    add_base64(zip->out, zip->buffer, sizeof zip->buffer - zip->stream.avail_out);
    deflateEnd(&zip->stream);
}
