/* Reads what a page's timeline holds (docs/page.md), in a way of its own. */
#ifndef TESTS_REPORT_SECTIONS_H
#define TESTS_REPORT_SECTIONS_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/alloc.h"
#include "util/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define UNUSED __attribute__((unused))

struct bytes {
    unsigned char *at;
    size_t length;
};

static UNUSED struct bytes from_base64(const char *text, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct bytes bytes = {ws_alloc(length + 1), 0};

    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        uint32_t group = 0;
        size_t count = 3;
        for (size_t k = 0; k < 4; k++) {
            const char *digit = strchr(digits, text[i + k]);
            if (text[i + k] == '=') {
                assert_true(i + 4 == length && k >= 2);
                count--;
                digit = digits;
            }
            assert_non_null(digit);
            group = group << 6 | (uint32_t)(digit - digits);
        }
        for (size_t k = 0; k < count; k++)
            bytes.at[bytes.length++] = (unsigned char)(group >> (16 - 8 * k));
    }
    return bytes;
}

static UNUSED struct bytes inflated(const char *base64, size_t length)
{
    struct bytes deflated = from_base64(base64, length);
    uLongf size = 1 << 26;
    struct bytes bytes = {ws_alloc(size), 0};

    assert_int_equal(uncompress(bytes.at, &size, deflated.at, deflated.length), Z_OK);
    bytes.length = size;
    free(deflated.at);
    return bytes;
}

static UNUSED uint32_t u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static UNUSED double f64(const unsigned char *at)
{
    uint64_t bits = u32(at) | (uint64_t)u32(at + 4) << 32;
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The n-th section of this tag, whose length goes to *length; NULL where there is none.  All sections must
 * fit. */
static UNUSED const unsigned char *section(struct bytes bytes, const char *tag, size_t n, size_t *length)
{
    const unsigned char *found = NULL;
    size_t at = 0;

    while (at < bytes.length) {
        assert_true(at + 8 <= bytes.length && at % 4 == 0);
        *length = u32(bytes.at + at + 4);
        assert_true(at + 8 + *length <= bytes.length);
        if (memcmp(bytes.at + at, tag, 4) == 0 && n-- == 0) {
            found = bytes.at + at + 8;
            break;
        }
        at += 8 + (*length + 3) / 4 * 4;
    }
    return found;
}

struct column {
    double *values;
    size_t count;
    uint32_t type, param, width;
};

static UNUSED struct column column_at(const unsigned char *at, size_t length)
{
    struct column column = {
        .count = u32(at + 8), .width = u32(at + 12), .type = u32(at + 16), .param = u32(at + 20)};

    column.values = ws_alloc_array(column.count + 1, sizeof *column.values);
    for (size_t i = 0; i < column.count; i++) {
        if (column.width == 255) {
            column.values[i] = f64(at + 24 + 8 * i);
            continue;
        }
        column.values[i] = f64(at);
        assert_true(isfinite(column.values[i]));
        for (size_t p = 0; p < column.width; p++)
            column.values[i] += at[24 + p * column.count + i] * pow(256, (double)p);
    }
    assert_int_equal(length, 24 + (column.width == 255 ? 8 : column.width) * column.count);
    return column;
}

static UNUSED struct column column_of(struct bytes bytes, const char *tag, size_t n)
{
    size_t length = 0;
    const unsigned char *at = section(bytes, tag, n, &length);

    assert_non_null(at);
    return column_at(at, length);
}

#endif
