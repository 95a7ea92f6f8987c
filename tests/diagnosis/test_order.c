/* The report is decided by what is found, not by the order in which it is found, when it is settled, and in how
 * many places it is added up. */
#include "made_up.h"

#include <stdlib.h>

enum { COUNT = 300 };

/* ---- findings at random, with many ties ---- */

static uint32_t seed;

static int64_t below(int64_t limit)
{
    seed = seed * 1103515245 + 12345;
    return (int64_t)((uint64_t)(seed >> 8) % (uint64_t)limit);
}

static const char *some_function(void)
{
    static const char *const names[] = {"MPI_Recv", "MPI_Wait", "MPI_Waitall", "MPI_Send"};
    return names[below(4)];
}

static void make_up(struct story *stories)
{
    static const struct ws_problem_rule *const rules[] = {&late_rule, &late_other_rule, &barrier_rule};

    for (size_t i = 0; i < COUNT; i++) {
        struct story *story = &stories[i];
        *story = (struct story){.rule = rules[below(3)],
                                .rank = below(3),
                                .from_ns = below(200),
                                .duration_ns = 1 + below(4),
                                .cause_rank = below(4) - 1,
                                .site = below(7),
                                .cause_site = below(7),
                                .cause_posted_site = below(2) ? below(7) : 0,
                                .function = some_function(),
                                .ratio = (double)below(1000) / 7 - 70};
    }
}

static void shuffle(struct story *stories)
{
    for (size_t i = COUNT - 1; i > 0; i--) {
        size_t other = (size_t)below((int64_t)i + 1);
        struct story story = stories[i];
        stories[i] = stories[other];
        stories[other] = story;
    }
}

/* ---- a report, with all that it says ---- */

static void print_shares(struct ws_text *out, const struct ws_rank_share *shares, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ws_text_printf(out, " %u:%lld/%llu", shares[i].rank, (long long)shares[i].duration_ns,
                       (unsigned long long)shares[i].count);
    ws_text_puts(out, "\n");
}

static void print_problem(struct ws_text *out, const struct ws_problem *problem)
{
    ws_text_printf(out, "%s %s %.17g %lld %llu\n%s\n%s\n", problem->id, problem->name,
                   problem->severity_percent, (long long)problem->duration_ns,
                   (unsigned long long)problem->count, problem->description, problem->advice);
    print_shares(out, problem->waiting, problem->waiting_count);
    print_shares(out, problem->causing, problem->causing_count);
    for (size_t i = 0; i < problem->place_count; i++) {
        const struct ws_place *place = &problem->places[i];
        ws_text_printf(out, " %s %s %s %s %s %d %llx %d %d\n", place->role, place->called, place->function,
                       place->file, place->module, place->line, (unsigned long long)place->offset,
                       place->waiting, place->cause);
    }
}

/* Settles what is left, and gives the report (free()). */
static char *report(struct ws_findings *findings)
{
    struct ws_diagnosis diagnosis = {.total_ns = 1000, .threshold_percent = 0.5};
    struct ws_text out = {0};

    ws_findings_settle(findings, NULL);
    ws_findings_group(findings, &diagnosis);
    ws_text_printf(&out, "%zu %zu %lld\n", diagnosis.problem_count, diagnosis.small_count,
                   (long long)diagnosis.small_ns);
    for (size_t i = 0; i < diagnosis.problem_count; i++)
        print_problem(&out, &diagnosis.problems[i]);
    ws_diagnosis_free(&diagnosis);
    ws_findings_free(findings);
    return out.bytes;
}

static char *report_of(const struct story *stories)
{
    struct ws_findings findings;

    tell_all(&findings, stories, COUNT);
    return report(&findings);
}

static void assert_report(struct ws_findings *findings, const char *expected)
{
    char *text = report(findings);

    assert_string_equal(text, expected);
    free(text);
}

/* ---- the order of arrival ---- */

static void test_shuffled_findings_make_the_same_report(void **state)
{
    struct story stories[COUNT];

    (void)state;
    for (seed = 1; seed < 20; seed++) {
        char *expected;
        make_up(stories);
        expected = report_of(stories);
        for (int i = 0; i < 5; i++) {
            struct ws_findings findings;
            shuffle(stories);
            tell_all(&findings, stories, COUNT);
            assert_report(&findings, expected);
        }
        free(expected);
    }
}

/* ---- settling on the way ---- */

/* A run of an engine: findings come by the end of their waiting, and until then their event is held. */
struct run {
    const struct story *stories;
    size_t count, told;
};

static int by_end(const void *left, const void *right)
{
    const struct story *a = left, *b = right;
    int64_t end_a = a->from_ns + a->duration_ns, end_b = b->from_ns + b->duration_ns;
    return (end_a > end_b) - (end_a < end_b);
}

static int64_t run_low_ns(void *context, uint32_t rank)
{
    const struct run *run = context;
    int64_t low_ns = INT64_MAX;

    for (size_t i = run->told + 5; i < run->count; i++) /* the next 5 are held */
        if (run->stories[i].rank == rank && run->stories[i].from_ns < low_ns)
            low_ns = run->stories[i].from_ns;
    return low_ns;
}

static void run_held(void *context, ws_see_held *see, void *to)
{
    const struct run *run = context;

    for (size_t i = run->told; i < run->told + 5 && i < run->count; i++) {
        const struct story *story = &run->stories[i];
        see(to, &(struct ws_held){SIMPLE_TYPE, story->rank, story->from_ns,
                                  story->from_ns + story->duration_ns});
    }
}

static void test_settled_on_the_way(void **state)
{
    struct story stories[COUNT];

    (void)state;
    for (seed = 1; seed < 10; seed++) {
        struct run run = {.stories = stories, .count = COUNT};
        const struct ws_horizon horizon = {run_low_ns, run_held, &run};
        struct ws_findings findings;
        size_t most = 0;
        char *expected;
        make_up(stories);
        qsort(stories, COUNT, sizeof *stories, by_end);
        expected = report_of(stories);
        begin_findings(&findings);
        while (run.told < COUNT) {
            tell(&findings, &stories[run.told++]);
            ws_findings_settle(&findings, &horizon);
            most = findings.count > most ? findings.count : most;
        }
        assert_in_range(most, 1, COUNT / 3); /* only what may still change is kept */
        assert_report(&findings, expected);
        free(expected);
    }
}

/* An event of the rank that is held in the middle keeps its cluster only. */
static void test_only_what_is_touched_is_kept(void **state)
{
    const struct story held[] = {{.rank = 0, .from_ns = 20, .duration_ns = 10}};
    const struct story stories[] = {
        {&late_rule, 0, 0, 10, 1, 1, 3, 0, NULL, 0},  {&late_rule, 0, 25, 10, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 12, 8, 1, 1, 3, 0, NULL, 0}, /* ends where the held one begins */
        {&late_rule, 0, 34, 2, 1, 1, 3, 0, NULL, 0}, /* hangs on the second */
        {&late_rule, 0, 40, 10, 1, 1, 3, 0, NULL, 0}, {&late_rule, 1, 22, 1, 1, 1, 3, 0, NULL, 0},
    };
    struct run run = {.stories = held, .count = 1};
    struct ws_horizon horizon = {run_low_ns, run_held, &run};
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    ws_findings_settle(&findings, &horizon);
    assert_int_equal(findings.count, 2);
    assert_int_equal(findings.instances[0].from_ns, 25);
    assert_int_equal(findings.instances[1].from_ns, 34);
    findings.reaches.of_type[SIMPLE_TYPE] = WS_REACH_NOTHING;
    ws_findings_settle(&findings, &horizon);
    assert_int_equal(findings.count, 0);
    ws_findings_free(&findings);
}

/* ---- in several places ---- */

static bool is_of(void *context, uint32_t rank)
{
    return rank == *(uint32_t *)context;
}

static void merge(struct ws_findings *into, struct ws_text *parcel)
{
    struct ws_error error = {0};

    assert_int_equal(ws_findings_merge(into, parcel, &error), 0);
    ws_text_free(parcel);
}

/* The stories are found by K members at random; each settles the ranks that are its own. */
static void test_split_and_merged(void **state)
{
    struct story stories[COUNT];

    (void)state;
    for (size_t members = 1; members <= 5; members++) {
        struct ws_findings finder[5], whole;
        struct ws_text parcel = {0};
        char *expected;
        seed = (uint32_t)members;
        make_up(stories);
        expected = report_of(stories);
        for (size_t m = 0; m < members; m++)
            begin_findings(&finder[m]);
        for (size_t i = 0; i < COUNT; i++)
            tell(&finder[below((int64_t)members)], &stories[i]);
        for (size_t m = 0; m < members; m++)
            for (uint32_t rank = 0; rank < 3; rank++)
                if (rank % members != m) {
                    ws_findings_take(&finder[m], is_of, &rank, &parcel);
                    merge(&finder[rank % members], &parcel);
                }
        begin_findings(&whole);
        for (size_t m = 0; m < members; m++) {
            if (m % 2 == 0)
                ws_findings_settle(&finder[m], NULL); /* the others' go as they are */
            ws_findings_pack(&finder[m], &parcel);
            merge(&whole, &parcel);
            ws_findings_free(&finder[m]);
        }
        assert_report(&whole, expected);
        free(expected);
    }
}

static void test_damaged_parcels(void **state)
{
    struct story stories[COUNT];
    struct ws_findings findings;
    struct ws_text parcel = {0};
    struct ws_error error = {0};
    size_t length;

    (void)state;
    seed = 7;
    make_up(stories);
    tell_all(&findings, stories, 20);
    ws_findings_settle(&findings, NULL);
    for (size_t i = 20; i < 30; i++)
        tell(&findings, &stories[i]);
    ws_findings_pack(&findings, &parcel);
    ws_findings_free(&findings);
    for (length = 0; length < parcel.length; length++) { /* cut off */
        struct ws_text part = {parcel.bytes, length, 0};
        begin_findings(&findings);
        assert_int_equal(ws_findings_merge(&findings, &part, &error), -1);
        ws_findings_free(&findings);
    }
    for (size_t i = 0; i < 2000; i++) { /* changed: whatever it says, it says it without harm */
        size_t at = (size_t)below((int64_t)parcel.length);
        char was = parcel.bytes[at];
        parcel.bytes[at] = (char)below(256);
        begin_findings(&findings);
        ws_findings_merge(&findings, &parcel, &error);
        free(report(&findings));
        parcel.bytes[at] = was;
    }
    ws_text_free(&parcel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffled_findings_make_the_same_report),
        cmocka_unit_test(test_settled_on_the_way),
        cmocka_unit_test(test_only_what_is_touched_is_kept),
        cmocka_unit_test(test_split_and_merged),
        cmocka_unit_test(test_damaged_parcels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
