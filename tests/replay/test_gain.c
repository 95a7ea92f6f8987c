/* Runs replayed, as they were and with something changed. */
#include "made_up.h"

static int64_t replayed_ns(const struct made_up *run)
{
    return ws_replay_wall_ns(&run->graph, &(struct ws_replay_change){0});
}

/* What a remedy gains where these steps waited, each from its begin for so long. */
static int64_t gained_ns(const struct made_up *run, enum ws_remedy remedy, const uint32_t *steps, size_t count)
{
    struct ws_waited waits[8];
    struct ws_scenario scenario;
    int64_t wall_ns;

    for (size_t i = 0; i < count; i++)
        waits[i] = (struct ws_waited){.event = steps[i], .from_ns = run->graph.steps[steps[i]].enter_ns,
                                      .to_ns = run->graph.steps[steps[i]].enter_ns +
                                               ws_step_wait_ns(&run->graph, steps[i])};
    ws_scenario_init(&scenario, &run->graph);
    ws_scenario_remedy(&scenario, remedy, waits, count);
    wall_ns = ws_scenario_wall_ns(&scenario);
    ws_scenario_free(&scenario);
    return replayed_ns(run) - wall_ns;
}

/* Rank 0 computes until 30 and sends; rank 1 waits from 10, and computes from 32 to the end. */
static void test_late_sender(void **state)
{
    struct made_up run;
    uint32_t send, receive;

    (void)state;
    made_up_begin(&run, 2, 100);
    send = made_up_call(&run, 0, 30, 31);
    receive = made_up_call(&run, 1, 10, 32);
    made_up_message(&run, send, receive, 8);
    made_up_match(&run);
    assert_int_equal(run.graph.need_count, 1);
    assert_int_equal(run.graph.needs[0].kind, WS_NEED_MESSAGE);
    assert_int_equal(ws_step_wait_ns(&run.graph, receive), 20);
    assert_int_equal(run.graph.steps[receive].own_ns, 2);
    assert_int_equal(run.graph.steps[receive].local_ns, 0); /* it travelled meanwhile */
    assert_int_equal(replayed_ns(&run), 100);
    /* Rank 0 is not changed by it and ends at 100 as before. */
    assert_int_equal(gained_ns(&run, WS_REMEDY_NONE, &receive, 1), 0);
    made_up_end(&run);
}

/* The same, but rank 0 has nothing to do afterwards: what rank 1 waits is the run's. */
static void test_late_sender_on_the_critical_path(void **state)
{
    struct made_up run;
    uint32_t send, receive;

    (void)state;
    made_up_begin(&run, 2, 100);
    run.graph.lanes[0].end_ns = 40;
    send = made_up_call(&run, 0, 30, 31);
    receive = made_up_call(&run, 1, 10, 32);
    made_up_message(&run, send, receive, 8);
    made_up_match(&run);
    assert_int_equal(gained_ns(&run, WS_REMEDY_NONE, &receive, 1), 22);
    assert_int_equal(gained_ns(&run, WS_REMEDY_EARLIER, &receive, 1), 22); /* sent at 0 */
    assert_int_equal(gained_ns(&run, WS_REMEDY_LATER, &receive, 1), 22);   /* computed from 10, the end is at 78 */
    assert_int_equal(gained_ns(&run, WS_REMEDY_BALANCE, &receive, 1), 12); /* 20 each before they meet */
    made_up_end(&run);
}

/* Two barriers; rank 1 comes late to the first, rank 0 to the second. */
static void two_barriers(struct made_up *run, uint32_t *steps)
{
    made_up_begin(run, 2, 100);
    steps[0] = made_up_call(run, 0, 10, 41);
    steps[1] = made_up_call(run, 1, 40, 41);
    steps[2] = made_up_call(run, 1, 51, 82);
    steps[3] = made_up_call(run, 0, 81, 82);
    made_up_meeting(run, WS_FLOW_ALL, (uint32_t[]){steps[0], steps[1]}, 2);
    made_up_meeting(run, WS_FLOW_ALL, (uint32_t[]){steps[2], steps[3]}, 2);
    made_up_match(run);
}

static void test_barriers(void **state)
{
    struct made_up run;
    uint32_t steps[4];

    (void)state;
    two_barriers(&run, steps);
    assert_int_equal(replayed_ns(&run), 100);
    assert_int_equal(ws_step_wait_ns(&run.graph, steps[0]), 30);
    assert_int_equal(ws_step_wait_ns(&run.graph, steps[1]), 0);
    /* Without the barriers either rank computes 50, then 18. */
    assert_int_equal(gained_ns(&run, WS_REMEDY_DROP, (uint32_t[]){steps[0], steps[2]}, 2), 32);
    /* Both compute 25 before each: 25 + 1 + 25 + 1 + 18. */
    assert_int_equal(gained_ns(&run, WS_REMEDY_BALANCE, (uint32_t[]){steps[0], steps[2]}, 2), 30);
    /* Each goes on as if the other were there: 10 + 1 + 40 + 1 + 18. */
    assert_int_equal(gained_ns(&run, WS_REMEDY_NONE, (uint32_t[]){steps[0], steps[2]}, 2), 30);
    made_up_end(&run);
}

/* Waiting that another takes the place of gains nothing: rank 2 is the slowest everywhere. */
static void test_off_the_critical_path(void **state)
{
    struct made_up run;
    uint32_t send, receive, steps[3];

    (void)state;
    made_up_begin(&run, 3, 100);
    send = made_up_call_at(&run, 0, 30, 31, 1);
    receive = made_up_call_at(&run, 1, 10, 32, 2);
    steps[0] = made_up_call_at(&run, 0, 35, 91, 3);
    steps[1] = made_up_call_at(&run, 1, 40, 91, 3);
    steps[2] = made_up_call_at(&run, 2, 90, 91, 3);
    made_up_message(&run, send, receive, 8);
    made_up_meeting(&run, WS_FLOW_ALL, steps, 3);
    made_up_match(&run);
    assert_int_equal(gained_ns(&run, WS_REMEDY_NONE, &receive, 1), 0);
    assert_int_equal(gained_ns(&run, WS_REMEDY_BALANCE, steps, 2), 26); /* rank 1 now comes last, at 64 */
    made_up_end(&run);
}

static void test_rooted(void **state)
{
    struct made_up run;
    uint32_t steps[3];

    (void)state;
    made_up_begin(&run, 3, 60);
    steps[1] = made_up_call(&run, 1, 20, 21);
    steps[0] = made_up_call(&run, 0, 10, 41); /* the root waits for rank 2 */
    steps[2] = made_up_call(&run, 2, 40, 41);
    made_up_meeting(&run, WS_FLOW_TO_ROOT, steps, 3);
    made_up_match(&run);
    assert_int_equal(run.graph.need_count, 1);
    assert_int_equal(ws_step_wait_ns(&run.graph, steps[0]), 30);
    assert_int_equal(ws_step_wait_ns(&run.graph, steps[1]), 0);
    made_up_end(&run);

    made_up_begin(&run, 3, 60);
    steps[1] = made_up_call(&run, 1, 10, 31);
    steps[0] = made_up_call(&run, 0, 30, 32);
    steps[2] = made_up_call(&run, 2, 35, 36);
    made_up_meeting(&run, WS_FLOW_FROM_ROOT, steps, 3);
    made_up_match(&run);
    assert_int_equal(run.graph.need_count, 2);
    assert_int_equal(ws_step_wait_ns(&run.graph, steps[1]), 20);
    assert_int_equal(ws_step_wait_ns(&run.graph, steps[2]), 0);
    made_up_end(&run);
}

/* A message that ends before its receive is posted shows that those of its size are buffered: then the time behind
 * a wait is that of travelling, and a message that is there takes what others took. */
static void test_travel(void **state)
{
    struct made_up run;
    uint32_t send, receive, early, at_once;

    (void)state;
    made_up_begin(&run, 2, 100);
    early = made_up_call(&run, 0, 5, 6);
    at_once = made_up_call(&run, 1, 10, 11);
    send = made_up_call(&run, 0, 30, 31);
    receive = made_up_call(&run, 1, 12, 40);
    made_up_message(&run, early, at_once, 8);
    made_up_message(&run, send, receive, 8);
    made_up_match(&run);
    assert_int_equal(run.graph.steps[receive].own_ns, 10);
    assert_int_equal(run.graph.steps[receive].local_ns, 1);
    assert_int_equal(replayed_ns(&run), 100);
    made_up_end(&run);
}

/* What the clocks have in the wrong order is left out, and counted. */
static void test_disorder(void **state)
{
    struct made_up run;
    uint32_t send, receive;

    (void)state;
    made_up_begin(&run, 2, 100000);
    receive = made_up_call(&run, 1, 10, 20);
    send = made_up_call(&run, 0, 50000, 50010);
    made_up_message(&run, send, receive, 8);
    made_up_match(&run);
    assert_int_equal(run.graph.need_count, 0);
    assert_int_equal(run.graph.disordered, 1);
    assert_int_equal(replayed_ns(&run), 100000);
    made_up_end(&run);
}

/* Whatever the calls and their needs are, the replay of the unchanged run gives each its recorded times. */
static void test_random_runs(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct made_up run;
        struct ws_replayed replayed;
        uint32_t last[8] = {0}, ranks, made[8];
        int64_t now_ns = 0, end_ns[8] = {0};
        srand(seed);
        ranks = 2 + (uint32_t)rand() % 7;
        made_up_begin(&run, ranks, INT64_C(1000000000));
        for (int i = 0; i < 60; i++) {
            uint32_t a = (uint32_t)rand() % ranks, b = (a + 1 + (uint32_t)rand() % (ranks - 1)) % ranks;
            now_ns += rand() % 50;
            if (rand() % 3) {
                int64_t enter_ns = end_ns[a] + rand() % (now_ns - end_ns[a] + 1);
                last[a] = made_up_call_at(&run, a, enter_ns, end_ns[a] = now_ns, rand() % 4);
                now_ns += rand() % 20;
                enter_ns = end_ns[b] + rand() % (now_ns - end_ns[b] + 1);
                last[b] = made_up_call_at(&run, b, enter_ns, end_ns[b] = now_ns, rand() % 4);
                made_up_message(&run, last[a], last[b], (uint64_t)rand() % 3);
            } else {
                for (uint32_t r = 0; r < ranks; r++) {
                    int64_t enter_ns = end_ns[r] + rand() % (now_ns - end_ns[r] + 1);
                    made[r] = made_up_call_at(&run, r, enter_ns, end_ns[r] = now_ns, 5);
                }
                made_up_meeting(&run, (enum ws_flow)(1 + rand() % 4), made, ranks);
            }
        }
        made_up_match(&run);
        ws_replay(&run.graph, &(struct ws_replay_change){0}, &replayed);
        for (uint32_t s = 0; s < run.graph.step_count; s++) {
            assert_int_equal(replayed.enter_ns[s], run.graph.steps[s].enter_ns);
            assert_int_equal(replayed.exit_ns[s], run.graph.steps[s].exit_ns);
            assert_true(run.graph.steps[s].own_ns >= 0);
        }
        assert_int_equal(replayed.wall_ns, 1000000000);
        ws_replayed_free(&replayed);
        made_up_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_sender),
        cmocka_unit_test(test_late_sender_on_the_critical_path),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_off_the_critical_path),
        cmocka_unit_test(test_rooted),
        cmocka_unit_test(test_travel),
        cmocka_unit_test(test_disorder),
        cmocka_unit_test(test_random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
