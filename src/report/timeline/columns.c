#include "report/timeline/columns.h"

#include "util/alloc.h"

#include <stdlib.h>

#define COLUMN_HEAD 24
#define REALS 255 /* in place of a width */

void ws_section_begin(struct ws_zip *zip, const char tag[4], size_t bytes)
{
    ws_zip_add(zip, tag, 4);
    ws_zip_u32(zip, (uint32_t)bytes);
}

void ws_section_end(struct ws_zip *zip, size_t bytes)
{
    static const char zero[4];
    ws_zip_add(zip, zero, (4 - bytes % 4) % 4);
}

static void write_head(struct ws_zip *zip, double base, size_t count, uint32_t width, uint32_t type,
                       uint32_t param)
{
    ws_zip_f64(zip, base);
    ws_zip_u32(zip, (uint32_t)count);
    ws_zip_u32(zip, width);
    ws_zip_u32(zip, type);
    ws_zip_u32(zip, param);
}

/* The least value, and how many bytes the others take above it. */
static uint32_t width_of(const int64_t *values, size_t count, int64_t *base)
{
    int64_t least = count ? values[0] : 0, greatest = least;
    uint32_t width = 0;

    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    *base = least;
    for (uint64_t span = (uint64_t)greatest - (uint64_t)least; span > 0; span >>= 8)
        width++;
    return width;
}

void ws_column_write(struct ws_zip *zip, const char tag[4], uint32_t type, uint32_t param,
                     const int64_t *values, size_t count)
{
    int64_t base;
    uint32_t width = width_of(values, count, &base);
    unsigned char *plane = ws_alloc_array(count + 1, 1);

    ws_section_begin(zip, tag, COLUMN_HEAD + width * count);
    write_head(zip, (double)base, count, width, type, param);
    for (uint32_t p = 0; p < width; p++) {
        for (size_t i = 0; i < count; i++)
            plane[i] = (unsigned char)(((uint64_t)values[i] - (uint64_t)base) >> 8 * p);
        ws_zip_add(zip, plane, count);
    }
    ws_section_end(zip, COLUMN_HEAD + width * count);
    free(plane);
}

void ws_column_write_reals(struct ws_zip *zip, const char tag[4], uint32_t type, uint32_t param,
                           const double *values, size_t count)
{
    ws_section_begin(zip, tag, COLUMN_HEAD + 8 * count);
    write_head(zip, 0, count, REALS, type, param);
    for (size_t i = 0; i < count; i++)
        ws_zip_f64(zip, values[i]);
    ws_section_end(zip, COLUMN_HEAD + 8 * count);
}
