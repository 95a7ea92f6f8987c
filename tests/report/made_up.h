/* A made-up diagnosis, and what a report makes of it. */
#ifndef TESTS_REPORT_MADE_UP_H
#define TESTS_REPORT_MADE_UP_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report.h"
#include "util/file.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define SOURCE SOURCE_DIR "/tests/report/jacobi.c"

static struct ws_rank_share receivers[] = {{1, 1030 * MS, 2000}, {2, 990 * MS, 1990}, {3, 40 * MS, 10}};
static struct ws_rank_share senders[] = {{0, 2060 * MS, 4000}};
static struct ws_place message_places[] = {
    {"receiver", "MPI_Waitall", "exchange", SOURCE, "/home/ann/jacobi", 9, 0x1234, true, false},
    {"sender", "MPI_Send", "exchange", "/elsewhere/border.c", "/home/ann/jacobi", 63, 0x1260, false, true},
    {"receiver", "MPI_Irecv", "exchange", SOURCE, "/home/ann/jacobi", 7, 0x1200, false, false},
};
static struct ws_rank_share everyone[] = {{0, 10 * MS, 5}, {1, 20 * MS, 5}, {2, 30 * MS, 5}, {3, 40 * MS, 5},
                                          {4, 50 * MS, 5}, {5, 60 * MS, 5}, {6, 70 * MS, 5}, {8, 80 * MS, 5}};
static struct ws_rank_share last[] = {{7, 360 * MS, 40}};
static struct ws_place barrier_places[] = {
    {"rank", "MPI_Barrier", "", "", "/usr/lib/libsolver.so.2", 0, 0xabc, true, true},
};
/* Where the late messages began: one after another, and in what rank 0 computes after a barrier. */
static struct ws_rank_share made_up_first[] = {{0, 1648 * MS, 1}}, made_up_second[] = {{0, 400 * MS, 1}, {3, 12 * MS, 1}};
static struct ws_way made_up_way[] = {
    {1, {.called = "MPI_Waitall", .function = "exchange", .file = "tests/report/jacobi.c", .line = 9}, 30 * MS}};
static struct ws_origin made_up_began[] = {
    {.kind = "wavefront", .from = &message_places[0], .to = &message_places[1], .ranks = made_up_first, .rank_count = 1,
     .duration_ns = 1648 * MS, .wave = {4, 0, 3, 1000, 250000, 1071000}},
    {.kind = "computation", .from = &barrier_places[0], .to = &message_places[1], .ranks = made_up_second, .rank_count = 2,
     .duration_ns = 412 * MS, .way = made_up_way, .way_count = 1},
};
static struct ws_problem made_up_problems[] = {
    {"late-sender", "Late sender",
     "The receiver waits for a message that has not been sent yet: rank 0 sends it 0.4–0.7 ms after the "
     "receive began, since it computes for 0.5–0.8 ms before.",
     "Move the MPI_Send at border.c:63 before the computation that precedes it, or post MPI_Irecv at "
     "jacobi.c:7 earlier and wait for it after the inner points.\nWhat does not depend on the border can be "
     "computed meanwhile.",
     21.37, 2060 * MS, 4000, receivers, 3, senders, 1, message_places, 3, 0, made_up_began, 2, 2060 * MS, WS_REMEDY_NONE, 0, 0, 0},
    {"wait-at-barrier", "Delay before a barrier", "Rank 7 comes last to the barrier.",
     "Give rank 7 less work.", 3.7344, 360 * MS, 40, everyone, 8, last, 1, barrier_places, 1, 1, NULL, 0, 0, WS_REMEDY_NONE, 0, 0, 0},
};
static const char *made_up_warnings[] = {
    "rank 4: its stream ends in the middle of a record; what was before is used"};

static inline struct ws_diagnosis made_up_slow_run(void)
{
    return (struct ws_diagnosis){
        .problems = made_up_problems,
        .problem_count = 2,
        .small_count = 3,
        .small_ns = 21 * MS,
        .threshold_percent = 1,
        .command = "mpirun -n 9 ./jacobi 2000",
        .mpi = "Open MPI 4.1.4",
        .ranks = 9,
        .ranks_recorded = 9,
        .wall_s = 1.0711,
        .total_ns = 9640 * MS,
        .call_ns = 3664 * MS,
        .efficiency = {true, 0.62, 0.775, 0.8, true, 0.94, 0.851064},
        .events = 12034,
        .bytes = 524288,
        .cost_s = 0.0121,
        .warnings = made_up_warnings,
        .warning_count = 1,
    };
}

/* free() */
static inline char *written(const struct ws_diagnosis *diagnosis, const char *format)
{
    struct ws_error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);

    assert_int_equal(ws_report_write(diagnosis, format, file, &error), 0);
    fclose(file);
    return bytes;
}

/* The report is, byte for byte, what stands in the file beside this test; "(SOURCE)" there is the folder.  Frees it. */
static inline void assert_shown(char *report, const char *file)
{
    char *expected, *at, path[1024];
    struct ws_text shown = {0};

    for (at = report; strstr(at, SOURCE_DIR); at = strstr(at, SOURCE_DIR) + strlen(SOURCE_DIR)) {
        ws_text_add(&shown, at, (size_t)(strstr(at, SOURCE_DIR) - at));
        ws_text_puts(&shown, "(SOURCE)");
    }
    ws_text_puts(&shown, at);
    snprintf(path, sizeof path, "%s/tests/report/%s", SOURCE_DIR, file);
    expected = ws_file_read(path, 1 << 20, NULL, NULL);
    assert_non_null(expected);
    assert_string_equal(shown.bytes, expected);
    free(expected);
    free(report);
    ws_text_free(&shown);
}

static inline void assert_report(const struct ws_diagnosis *diagnosis, const char *format, const char *file)
{
    assert_shown(written(diagnosis, format), file);
}

#endif
