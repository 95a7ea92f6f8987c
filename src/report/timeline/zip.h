/* Bytes on their way into a page: deflated (zlib), then written as base64, piece by piece. */
#ifndef WS_REPORT_TIMELINE_ZIP_H
#define WS_REPORT_TIMELINE_ZIP_H

#include "util/text.h"

#include <zlib.h>

#define WS_ZIP_BUFFER (3 * 16384)

struct ws_zip {
    struct ws_text *out;
    z_stream stream;
    unsigned char buffer[WS_ZIP_BUFFER]; /* deflated */
};

void ws_zip_begin(struct ws_zip *zip, struct ws_text *out); /* adds to `out` until ws_zip_end */
void ws_zip_add(struct ws_zip *zip, const void *bytes, size_t length);
void ws_zip_u32(struct ws_zip *zip, uint32_t number);
void ws_zip_f64(struct ws_zip *zip, double number);
void ws_zip_end(struct ws_zip *zip);

#endif
