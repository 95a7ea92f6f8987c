/* Nodes as text, and what every test of the room needs. */
#ifndef WS_TESTS_PREDICT_MADE_UP_H
#define WS_TESTS_PREDICT_MADE_UP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/file.h"

/* The reference node of the methodology's table, in SI units. */
#define CHARACTERISTICS                                                                                      \
    "\"clock_Hz\": 3e9, \"integer_ops_per_s\": 11.99e9, \"float_ops_per_s\": 5.93e9,"                        \
    "\"l1_bandwidth_Bps\": 5.8625e9, \"l1_latency_s\": 1.5e-9,"                                              \
    "\"l2_bandwidth_Bps\": 2.385e9, \"l2_latency_s\": 13.2e-9,"                                              \
    "\"memory_bandwidth_Bps\": 0.50125e9, \"memory_latency_s\": 10.4e-9,"                                    \
    "\"disk_seek_s\": 5e-3, \"disk_read_Bps\": 6.5e6, \"disk_write_Bps\": 4e6"
#define NODE_HEAD "\"format\": 1, \"kind\": \"whyslow-node\", \"name\": \"reference\""

__attribute__((unused)) static void write_file(const char *path, const char *bytes, size_t length)
{
    struct ws_error error;
    assert_int_equal(ws_file_write(path, bytes, length, &error), 0);
}

#endif
