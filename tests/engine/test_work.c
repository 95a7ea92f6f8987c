/* The work of the native engine grows with the events, not with what is there. */
#include "story.h"

#include <time.h>

#define EPOCHS 10000

static const char contention[] =
    "declare composite event epoch member(lock as l, unlock as u)\n"
    "when l.process == u.process and l.window == u.window\n"
    "parameters(process = l.process, window = l.window, asked = l.t, held = l.end, freed = u.end, l = l);\n"
    "declare composite event contention member(shared epoch as h, shared epoch as w)\n"
    "when overlaps(h, w) and h.window == w.window and h.process != w.process\n"
    "    and h.held < w.held and h.freed > w.asked\n"
    "parameters(wait = min(h.freed, w.held) - max(h.held, w.asked), l = w.l);\n"
    "declare problem for contention parameters(name = \"x\", advice = \"x\", duration = wait,\n"
    "    waiting = l);\n";

/* Two processes take turns at the lock of one window, of which nothing is ever let go, since another may
 * still come that began before all of them: seconds of the processor. */
static double cost_of_epochs(int count)
{
    struct story story;
    clock_t start;

    story_begin(&story, NULL, "lock", contention, NULL);
    story.quiet = true;
    start = clock();
    for (int i = 0; i < count; i++) {
        int64_t t = 100 * i;
        story_event(&story, "lock", i % 2, t - 40, 45, "window=1"); /* waits for the epoch before */
        story_event(&story, "unlock", i % 2, t + 70, 10, "window=1");
    }
    story_finish(&story);
    assert_int_equal(story.findings, count - 1);
    assert_true(story.stats.most_live >= 3 * (uint64_t)count);
    story_free(&story);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void test_overlaps_among_many(void **state)
{
    double few = cost_of_epochs(EPOCHS), many = cost_of_epochs(4 * EPOCHS);

    (void)state;
    if (many > 8 * few + 0.1)
        fail_msg("%d epochs take %.3f s, %d take %.3f s", EPOCHS, few, 4 * EPOCHS, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlaps_among_many)};

    story_engine = "native";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
