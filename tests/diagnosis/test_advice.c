/* Places in texts, filled over the instances of a group. */
#include "made_up.h"

#include <math.h>

/* The text over rows of values, as its places want them: strings as texts, sites as numbers of the trace. */
static const char *fill(struct ws_findings *findings, const struct ws_template *text,
                        const union ws_value *const *rows, size_t count, struct ws_arena *arena)
{
    enum ws_fold_kind kinds[8];
    struct ws_fold folds[8] = {{0}};
    size_t places = ws_template_places(&late_rule, text, kinds);
    const char *filled;

    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < places; p++) {
            union ws_value value = rows[i][p];
            if (ws_template_names(text, p) == WS_OF_STRINGS && kinds[p] == WS_FOLD_SET)
                value.i = ws_names_string(&findings->names, value.s);
            if (ws_template_names(text, p) == WS_OF_SPOTS && kinds[p] == WS_FOLD_SET)
                value.i = ws_names_site(&findings->names, value.i);
            ws_fold_add(&folds[p], kinds[p], value);
        }
    filled = ws_template_fill(&findings->names, &late_rule, text, folds, arena);
    for (size_t p = 0; p < places; p++)
        ws_fold_free(&folds[p]);
    return filled;
}

/* Fills "{place}" over rows of one column. */
static void assert_filled(struct ws_piece piece, const union ws_value *values, size_t count,
                          const char *expected)
{
    struct ws_template text = {.pieces = &piece, .count = 1};
    const union ws_value *rows[512];
    struct ws_findings findings;
    struct ws_arena arena = {0};

    begin_findings(&findings);
    for (size_t i = 0; i < count; i++)
        rows[i] = &values[i];
    assert_string_equal(fill(&findings, &text, rows, count, &arena), expected);
    ws_arena_free(&arena);
    ws_findings_free(&findings);
}
#define VALUES(...)                                                                                          \
    (const union ws_value[]){__VA_ARGS__}, sizeof((union ws_value[]){__VA_ARGS__}) / sizeof(union ws_value)
#define FUNCTION(its_function, number, its_type)                                                             \
    (struct ws_piece)                                                                                        \
    {                                                                                                        \
        .function = (its_function), .attribute = -1, .expr = &(struct ws_expr)                               \
        {                                                                                                    \
            .op = WS_OP_SLOT, .type = (its_type), .slot = (number)                                           \
        }                                                                                                    \
    }
#define RANGE(number, its_type) FUNCTION(WS_PIECE_RANGE, number, its_type)
#define ATTRIBUTE(its_attribute)                                                                             \
    (struct ws_piece)                                                                                        \
    {                                                                                                        \
        .function = WS_PIECE_RANGE, .attribute = (its_attribute), .expr = &cause_expr                        \
    }

static void test_times(void **state)
{
    (void)state;
    assert_filled(RANGE(SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 20 * MS}), "20 ms");
    assert_filled(RANGE(SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 40 * MS}, {.i = 20 * MS}), "20–40 ms");
    assert_filled(RANGE(SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 20 * MS}, {.i = 20 * MS + 3}), "20 ms");
    assert_filled(RANGE(SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 900000}, {.i = 1200000}), "900 us–1.2 ms");
    assert_filled(FUNCTION(WS_PIECE_SUM, SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 20 * MS}, {.i = 40 * MS}),
                  "60 ms");
    assert_filled(FUNCTION(WS_PIECE_MEAN, SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 20 * MS}, {.i = 40 * MS}),
                  "30 ms");
    assert_filled(FUNCTION(WS_PIECE_MIN, SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 20 * MS}, {.i = 40 * MS}),
                  "20 ms");
    assert_filled(FUNCTION(WS_PIECE_MAX, SLOT_LATE, WS_TYPE_TIME), VALUES({.i = 20 * MS}, {.i = 40 * MS}),
                  "40 ms");
    assert_filled(FUNCTION(WS_PIECE_SUM, SLOT_LATE, WS_TYPE_TIME), VALUES({.i = INT64_MAX}, {.i = INT64_MAX}),
                  "9223372037 s");
}

static void test_numbers(void **state)
{
    (void)state;
    assert_filled(RANGE(SLOT_BYTES, WS_TYPE_INTEGER), VALUES({.i = 8}), "8");
    assert_filled(RANGE(SLOT_BYTES, WS_TYPE_INTEGER), VALUES({.i = 8}, {.i = 4096}, {.i = -1}), "-1–4096");
    assert_filled(RANGE(SLOT_BYTES, WS_TYPE_INTEGER), VALUES({.i = INT64_MAX}, {.i = INT64_MAX - 1}),
                  "9223372036854775806–9223372036854775807");
    assert_filled(FUNCTION(WS_PIECE_MEAN, SLOT_BYTES, WS_TYPE_INTEGER), VALUES({.i = 1}, {.i = 2}), "1.5");
    assert_filled(RANGE(SLOT_RATIO, WS_TYPE_REAL), VALUES({.r = 0.5}, {.r = 1.25}), "0.5–1.25");
    assert_filled(RANGE(SLOT_RENDEZVOUS, WS_TYPE_BOOLEAN), VALUES({.i = 1}), "yes");
    assert_filled(RANGE(SLOT_RENDEZVOUS, WS_TYPE_BOOLEAN), VALUES({.i = 0}, {.i = 0}), "no");
    assert_filled(RANGE(SLOT_RENDEZVOUS, WS_TYPE_BOOLEAN), VALUES({.i = 0}, {.i = 1}), "partly");
}

static void test_ranks_are_a_set(void **state)
{
    (void)state;
    assert_filled(ATTRIBUTE(WS_ATTR_PROCESS),
                  VALUES({.i = 5}, {.i = 2}, {.i = 0}, {.i = 3}, {.i = 4}, {.i = 2}), "0, 2–5");
    assert_filled(RANGE(SLOT_ROOT, WS_TYPE_INTEGER), VALUES({.i = 7}, {.i = 0}, {.i = 1}), "0, 1, 7");
    assert_filled(RANGE(SLOT_ROOT, WS_TYPE_INTEGER), VALUES({.i = -1}), "?");
}

/* "Rank {waiting.process} waits for rank {cause.process}." over two findings. */
static void test_sentences_about_a_rank_stay_sentences(void **state)
{
    struct ws_piece pieces[] = {TEXT("Rank "),
                                OF(&waiting_expr, WS_ATTR_PROCESS),
                                TEXT(" waits for rank "),
                                OF(&cause_expr, WS_ATTR_PROCESS),
                                TEXT("; Frank "),
                                OF(&cause_expr, WS_ATTR_PROCESS)};
    struct ws_template text = {.pieces = pieces, .count = sizeof pieces / sizeof *pieces};
    const union ws_value first[] = {{.i = 0}, {.i = 3}, {.i = 3}}, second[] = {{.i = 1}, {.i = 4}, {.i = 3}};
    const union ws_value *rows[] = {first, second};
    struct ws_findings findings;
    struct ws_arena arena = {0};

    (void)state;
    begin_findings(&findings);
    assert_string_equal(fill(&findings, &text, rows, 1, &arena),
                        "Rank 0 waits for rank 3; Frank 3");
    assert_string_equal(fill(&findings, &text, rows, 2, &arena),
                        "Each of ranks 0, 1 waits for one of ranks 3, 4; Frank 3");
    ws_arena_free(&arena);
    ws_findings_free(&findings);
}

/* "Process {waiting.process} waits. It waits for process {cause.process}.": rules that several runtimes share. */
static void test_a_process_is_called_as_its_runtime_does(void **state)
{
    struct ws_piece pieces[] = {TEXT("Process "), OF(&waiting_expr, WS_ATTR_PROCESS),
                                TEXT(" waits. Process "), OF(&cause_expr, WS_ATTR_PROCESS),
                                TEXT(" keeps process "), OF(&waiting_expr, WS_ATTR_PROCESS)};
    struct ws_template text = {.pieces = pieces, .count = sizeof pieces / sizeof *pieces};
    const union ws_value first[] = {{.i = 0}, {.i = 3}, {.i = 0}}, second[] = {{.i = 1}, {.i = 4}, {.i = 1}};
    const union ws_value *rows[] = {first, second};
    static const struct {
        const char *process, *one, *two;
    } said[] = {
        {"place", "Place 0 waits. Place 3 keeps place 0",
         "Each of places 0, 1 waits. One of places 3, 4 keeps each of places 0, 1"},
        {"PE", "PE 0 waits. PE 3 keeps PE 0", "Each of PEs 0, 1 waits. One of PEs 3, 4 keeps each of PEs 0, 1"},
    };
    struct ws_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct ws_findings findings;
        begin_findings(&findings);
        findings.names.process = said[i].process;
        assert_string_equal(fill(&findings, &text, rows, 1, &arena), said[i].one);
        assert_string_equal(fill(&findings, &text, rows, 2, &arena), said[i].two);
        ws_findings_free(&findings);
    }
    ws_arena_free(&arena);
}

static void test_strings_are_a_set(void **state)
{
    (void)state;
    assert_filled(ATTRIBUTE(WS_ATTR_FUNCTION), VALUES({.s = "MPI_Send"}), "MPI_Send");
    assert_filled(ATTRIBUTE(WS_ATTR_FUNCTION),
                  VALUES({.s = "MPI_Send"}, {.s = "MPI_Isend"}, {.s = "MPI_Send"}), "MPI_Isend and MPI_Send");
    assert_filled(ATTRIBUTE(WS_ATTR_FUNCTION), VALUES({.s = "c"}, {.s = "b"}, {.s = "a"}), "a, b and c");
    assert_filled(ATTRIBUTE(WS_ATTR_FUNCTION), VALUES({.s = "d"}, {.s = "c"}, {.s = "b"}, {.s = "a"}),
                  "a, b, c and d");
    assert_filled(ATTRIBUTE(WS_ATTR_FUNCTION),
                  VALUES({.s = "e"}, {.s = "d"}, {.s = "c"}, {.s = "b"}, {.s = "a"}), "a, b, c and 2 more");
    assert_filled(ATTRIBUTE(WS_ATTR_BEFORE), VALUES({.s = ""}), "nothing");
}

static void test_sites_are_a_set(void **state)
{
    (void)state;
    assert_filled(ATTRIBUTE(WS_ATTR_SITE), VALUES({.i = 1}), "jacobi.c:57");
    assert_filled(ATTRIBUTE(WS_ATTR_SITE), VALUES({.i = 3}, {.i = 1}, {.i = 2}), "jacobi.c:57 and jacobi.c:80");
    assert_filled(ATTRIBUTE(WS_ATTR_SITE), VALUES({.i = 4}), "libsolver.so+0xabc");
    assert_filled(ATTRIBUTE(WS_ATTR_SITE), VALUES({.i = 0}), "an unknown place");
    assert_filled(ATTRIBUTE(WS_ATTR_SITE), VALUES({.i = 99}), "an unknown place");
    assert_filled(ATTRIBUTE(-1), VALUES({.i = 1}), "jacobi.c:57"); /* an event stands for its call site */
}

static void test_undefined_values_do_not_count(void **state)
{
    (void)state;
    assert_filled(RANGE(SLOT_LATE, WS_TYPE_TIME), VALUES({.i = INT64_MIN}), "?");
    assert_filled(RANGE(SLOT_LATE, WS_TYPE_TIME), VALUES({.i = INT64_MIN}, {.i = MS}), "1 ms");
    assert_filled(RANGE(SLOT_RATIO, WS_TYPE_REAL), VALUES({.r = NAN}, {.r = 2}), "2");
}

static void test_many_values(void **state)
{
    union ws_value values[512];

    (void)state;
    for (size_t i = 0; i < 512; i++)
        values[i].i = (int64_t)((i * 37) % 512);
    assert_filled(ATTRIBUTE(WS_ATTR_PROCESS), values, 512, "0–511");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_ranks_are_a_set),
        cmocka_unit_test(test_sentences_about_a_rank_stay_sentences),
        cmocka_unit_test(test_a_process_is_called_as_its_runtime_does),
        cmocka_unit_test(test_strings_are_a_set),
        cmocka_unit_test(test_sites_are_a_set),
        cmocka_unit_test(test_undefined_values_do_not_count),
        cmocka_unit_test(test_many_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
