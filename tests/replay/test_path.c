/* Critical paths, root causes and wavefronts of made-up runs, beside values computed by hand. */
#include "made_up.h"

#include "diagnosis/efficiency.h"
#include "replay/critical.h"
#include "replay/delays.h"
#include "replay/ideal.h"

#include <string.h>

static const size_t passed_on[] = {1, 1};

struct found { /* what is found in a run; column 0: direct costs, 1: passed on */
    struct ws_waiting waiting;
    struct ws_wavefronts wavefronts;
    struct ws_delays delays;
    struct ws_critical_path path;
    int64_t waited_ns;
};

static void find(struct found *found, const struct made_up *run)
{
    memset(found, 0, sizeof *found);
    ws_waiting_find(&found->waiting, &run->graph);
    ws_wavefronts_find(&found->wavefronts, &found->waiting);
    ws_delays_init(&found->delays, &found->waiting, &found->wavefronts, 2, passed_on);
    for (uint32_t s = 0; s < run->graph.step_count; s++)
        if (found->waiting.binding[s] != WS_NOTHING) {
            found->delays.wait_costs[2 * found->waiting.binding[s]] = found->waiting.wait_ns[s];
            found->waited_ns += found->waiting.wait_ns[s];
        }
    ws_delays_find(&found->delays);
    ws_critical_path_find(&found->path, &found->waiting);
}

static void release(struct found *found)
{
    ws_critical_path_free(&found->path);
    ws_delays_free(&found->delays);
    ws_wavefronts_free(&found->wavefronts);
    ws_waiting_free(&found->waiting);
}

static int64_t cost_of(const struct found *found, size_t cause)
{
    return found->delays.costs[2 * cause] + found->delays.costs[2 * cause + 1];
}

/* What the causes of a kind on a rank cost, those at the call of this site (0: of any). */
static int64_t cost_ns(const struct found *found, enum ws_cause_kind kind, uint32_t rank, int64_t site)
{
    int64_t sum_ns = 0;

    for (size_t i = 0; i < found->delays.cause_count; i++) {
        const struct ws_cause *cause = &found->delays.causes[i];
        if (cause->kind == kind && cause->rank == rank &&
            (site == 0 || found->waiting.graph->steps[cause->to].site == site))
            sum_ns += cost_of(found, i);
    }
    return sum_ns;
}

static int64_t all_costs_ns(const struct found *found)
{
    int64_t sum_ns = 0;

    for (size_t i = 0; i < found->delays.cause_count; i++)
        sum_ns += cost_of(found, i);
    return sum_ns;
}

/* ---- causes ---- */

/* Rank 0 computes until 100, the others until 10; then each waits for the message of the one before it,
 * receives it for 2 and passes it on. */
static void test_a_delay_that_travels_through_ten_ranks(void **state)
{
    struct made_up run;
    struct found found;
    uint32_t send;

    (void)state;
    made_up_begin(&run, 10, 200);
    send = made_up_call_at(&run, 0, 100, 100, 1);
    for (uint32_t r = 1; r < 10; r++) {
        uint32_t receive = made_up_call_at(&run, r, 10, 100 + 2 * r, 2);
        made_up_message(&run, send, receive, 8);
        send = made_up_call_at(&run, r, 100 + 2 * r, 100 + 2 * r, 1);
    }
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(found.waited_ns, 9 * 90 + 2 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8));
    /* The delay itself is one cause, 9 * 90; what each receiving adds costs the ranks behind it. */
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 0, 1), 810);
    for (uint32_t r = 1; r < 9; r++)
        assert_int_equal(cost_ns(&found, WS_CAUSE_CALL, r, 2), 2 * (9 - r));
    assert_int_equal(all_costs_ns(&found), found.waited_ns);
    assert_int_equal(found.wavefronts.count, 0);
    /* Directly it only costs rank 1. */
    for (size_t i = 0; i < found.delays.cause_count; i++)
        if (found.delays.causes[i].kind == WS_CAUSE_COMPUTATION)
            assert_int_equal(found.delays.costs[2 * i], 90);
    release(&found);
    made_up_end(&run);
}

/* Rank 2 is late to the barrier by two computations: 40 longer before a call of all, 20 longer after it. */
static void test_two_causes_share(void **state)
{
    struct made_up run;
    struct found found;
    uint32_t steps[3];

    (void)state;
    made_up_begin(&run, 3, 150);
    made_up_call_at(&run, 0, 20, 20, 5);
    made_up_call_at(&run, 1, 20, 20, 5);
    made_up_call_at(&run, 2, 60, 60, 5);
    for (uint32_t r = 0; r < 3; r++)
        steps[r] = made_up_call_at(&run, r, r == 2 ? 100 : 40, 101, 6);
    made_up_meeting(&run, WS_FLOW_ALL, steps, 3);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(found.waited_ns, 120);
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 2, 5), 80);
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 2, 6), 40);
    assert_int_equal(all_costs_ns(&found), 120);
    release(&found);
    made_up_end(&run);
}

/* What was settled at a barrier is no cause behind it: rank 0 computes more before it, rank 1 after. */
static void test_only_since_they_met(void **state)
{
    struct made_up run;
    struct found found;
    uint32_t first[2], second[2];

    (void)state;
    made_up_begin(&run, 2, 150);
    first[1] = made_up_call_at(&run, 1, 10, 50, 3);
    first[0] = made_up_call_at(&run, 0, 50, 50, 3);
    second[0] = made_up_call_at(&run, 0, 60, 120, 4);
    second[1] = made_up_call_at(&run, 1, 120, 120, 4);
    made_up_meeting(&run, WS_FLOW_ALL, first, 2);
    made_up_meeting(&run, WS_FLOW_ALL, second, 2);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 0, 3), 40);
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 1, 4), 60);
    assert_int_equal(found.delays.cause_count, 2);
    release(&found);
    made_up_end(&run);
}

/* Rank 1 reads a file from 10 to 50 and sends what it has read; rank 0 has started to receive at 5, waits
 * from 10. */
static void test_files_and_operations_that_were_started(void **state)
{
    struct made_up run;
    struct found found;
    uint32_t start, file, wait, send;

    (void)state;
    made_up_begin(&run, 2, 100);
    start = made_up_call_at(&run, 0, 5, 5, 1);
    file = made_up_call_at(&run, 1, 10, 50, 2);
    run.graph.steps[file].io = true;
    send = made_up_call_at(&run, 1, 50, 50, 3);
    wait = made_up_call_at(&run, 0, 10, 52, 4);
    run.key++;
    made_up_side(&run, WS_MEANS_SEND, send, send, 8);
    made_up_side(&run, WS_MEANS_RECV, start, wait, 8);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(cost_ns(&found, WS_CAUSE_IO, 1, 2), 40);
    assert_int_equal(all_costs_ns(&found), 40);
    release(&found);
    made_up_end(&run);
}

/* The root of a broadcast waited itself, for rank 1: all others wait for that. */
static void test_a_root_that_waited(void **state)
{
    struct made_up run;
    struct found found;
    uint32_t send, receive, steps[4];

    (void)state;
    made_up_begin(&run, 4, 150);
    send = made_up_call_at(&run, 1, 80, 80, 1);
    receive = made_up_call_at(&run, 0, 10, 80, 2);
    made_up_message(&run, send, receive, 8);
    steps[0] = made_up_call_at(&run, 0, 80, 80, 3);
    steps[1] = made_up_call_at(&run, 1, 80, 81, 3);
    steps[2] = made_up_call_at(&run, 2, 10, 82, 3);
    steps[3] = made_up_call_at(&run, 3, 30, 82, 3);
    made_up_meeting(&run, WS_FLOW_FROM_ROOT, steps, 4);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(found.waited_ns, 70 + 70 + 50);
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 1, 1), 190);
    assert_int_equal(found.delays.cause_count, 1);
    /* Most of it came by rank 0's wait, which had most from rank 2's. */
    assert_int_equal(run.graph.needs[found.delays.causes[0].through].event, receive);
    assert_int_equal(run.graph.needs[found.delays.through[found.delays.causes[0].through]].event, steps[2]);
    release(&found);
    made_up_end(&run);
}

/* ---- wavefronts ---- */

/* Each rank computes for 10 when it has what the one before it sends; then all meet. */
static void sweep(struct made_up *run, uint32_t ranks, int64_t t, int64_t stage)
{
    uint32_t steps[MADE_UP_RANKS], send = WS_NOTHING;

    for (uint32_t r = 0; r < ranks; r++) {
        if (r > 0)
            made_up_message(run, send, made_up_call_at(run, r, t, t + stage * r, 2), 8);
        if (r + 1 < ranks)
            send = made_up_call_at(run, r, t + stage * (r + 1), t + stage * (r + 1), 1);
    }
    for (uint32_t r = 0; r < ranks; r++)
        steps[r] = made_up_call_at(run, r, t + stage * (r + 1), t + stage * ranks, 3);
    made_up_meeting(run, WS_FLOW_ALL, steps, ranks);
}

static void test_a_wavefront_is_one_cause(void **state)
{
    struct made_up run;
    struct found found;
    const struct ws_wavefront *wavefront;

    (void)state;
    made_up_begin(&run, 4, 80);
    sweep(&run, 4, 0, 10);
    sweep(&run, 4, 40, 10);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(found.wavefronts.count, 1);
    wavefront = found.wavefronts.list;
    assert_int_equal(wavefront->ranks, 4);
    assert_int_equal(wavefront->sweeps, 2);
    assert_int_equal(wavefront->waits, 6);
    assert_int_equal(wavefront->wait_ns, 2 * (10 + 20 + 30));
    assert_int_equal(wavefront->stage_ns, 10);
    assert_int_equal(wavefront->period_ns, 40);
    assert_int_equal(run.graph.lanes[wavefront->first_lane].rank, 0);
    assert_int_equal(run.graph.lanes[wavefront->last_lane].rank, 3);
    /* And what ranks 0 and 1 wait in the barrier is for it too; rank 2 waits for the last stage alone. */
    assert_int_equal(found.waited_ns, 2 * (60 + 60));
    assert_int_equal(cost_ns(&found, WS_CAUSE_WAVEFRONT, 0, 0), 2 * (60 + 30 + 20));
    assert_int_equal(cost_ns(&found, WS_CAUSE_COMPUTATION, 3, 3), 2 * 10);
    assert_int_equal(found.delays.cause_count, 2);
    release(&found);
    made_up_end(&run);
}

/* ---- the critical path ---- */

static int64_t on_path_ns(const struct found *found, enum ws_segment_kind kind, uint32_t rank)
{
    int64_t sum_ns = 0;

    for (size_t i = 0; i < found->path.count; i++)
        if (found->path.segments[i].kind == kind &&
            found->waiting.graph->lanes[found->path.segments[i].lane].rank == rank)
            sum_ns += found->path.segments[i].end_ns - found->path.segments[i].begin_ns;
    return sum_ns;
}

static void test_the_path_of_a_wavefront(void **state)
{
    struct made_up run;
    struct found found;

    (void)state;
    made_up_begin(&run, 4, 85);
    sweep(&run, 4, 0, 10);
    sweep(&run, 4, 40, 10);
    made_up_match(&run);
    find(&found, &run);
    for (uint32_t r = 1; r < 4; r++) /* rank 0 has the rest until 85 too */
        assert_int_equal(on_path_ns(&found, WS_SEGMENT_COMPUTATION, r), 20);
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_COMPUTATION, 0), 25);
    release(&found);
    made_up_end(&run);
}

/* Rank 1 begins at 5, sends at 30, in 40 ms the message is there; rank 0 ends at 95, rank 1 at 80. */
static void test_a_path_with_all_parts(void **state)
{
    struct made_up run;
    struct found found;
    uint32_t send, receive, file;

    (void)state;
    made_up_begin(&run, 2, 95);
    run.graph.lanes[1].begin_ns = 5;
    run.graph.lanes[1].end_ns = 80;
    send = made_up_call_at(&run, 1, 30, 31, 1);
    receive = made_up_call_at(&run, 0, 10, 70, 2);
    file = made_up_call_at(&run, 0, 75, 90, 3);
    run.graph.steps[file].io = true;
    made_up_message(&run, send, receive, 8);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_OUTSIDE, 1), 5);
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_COMPUTATION, 1), 25);
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_CALL, 0), 40); /* of 60, 20 waited */
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_IO, 0), 15);
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_COMPUTATION, 0), 10);
    release(&found);
    made_up_end(&run);
}

/* ---- efficiencies ---- */

static void assert_near(double a, double b)
{
    assert_true(a > b - 1e-12 && a < b + 1e-12);
}

/* Rank 0 computes 30, sends for 2, computes 8; rank 1 computes 10, waits 20, receives for 10, computes 50. */
static void test_efficiencies(void **state)
{
    static const struct ws_phase second[] = {{32, "second"}}, later[] = {{40, "second"}};
    struct ws_phase_problems phases[] = {{.name = ""}, {.name = "second"}};
    struct ws_diagnosis diagnosis = {.phases = phases, .phase_count = 2};
    struct made_up run;
    uint32_t send, receive;

    (void)state;
    made_up_begin(&run, 2, 90);
    run.graph.lanes[0].end_ns = run.ranks[0].end_ns = 40;
    run.ranks[0].call_ns = 2;
    run.ranks[1].call_ns = 30;
    run.ranks[0].phases = second;
    run.ranks[1].phases = later;
    run.ranks[0].phase_count = run.ranks[1].phase_count = 1;
    send = made_up_call(&run, 0, 30, 32);
    receive = made_up_call(&run, 1, 10, 40);
    made_up_message(&run, send, receive, 8);
    made_up_match(&run);
    diagnosis.efficiency = ws_efficiency_of_run(&run.info);
    ws_ideal_efficiencies(&run.graph, &diagnosis);
    /* Useful 38 and 60 of 90; ideally rank 1 has the message at 30 and ends at 80. */
    assert_near(diagnosis.efficiency.parallel, 49. / 90);
    assert_near(diagnosis.efficiency.load_balance, 49. / 60);
    assert_near(diagnosis.efficiency.communication, 60. / 90);
    assert_near(diagnosis.efficiency.serialisation, 60. / 80);
    assert_near(diagnosis.efficiency.transfer, 80. / 90);
    /* Before the mark: 30 of 32, 10 of 40; ideally both are there at 30. */
    assert_near(phases[0].efficiency.parallel, 0.5);
    assert_near(phases[0].efficiency.load_balance, 20. / 30);
    assert_near(phases[0].efficiency.communication, 0.75);
    assert_near(phases[0].efficiency.serialisation, 1);
    assert_near(phases[0].efficiency.transfer, 0.75);
    /* Then 8 and 50, and nothing that waits. */
    assert_near(phases[1].efficiency.parallel, 29. / 50);
    assert_near(phases[1].efficiency.load_balance, 29. / 50);
    assert_near(phases[1].efficiency.serialisation, 1);
    assert_near(phases[1].efficiency.transfer, 1);
    made_up_end(&run);
}

/* ---- any run ---- */

#define MOST_CALLS 4000

struct planned { /* a call, and what it has to do with others: the partner of a message, or a meeting's number
                  */
    uint32_t rank;
    int64_t enter_ns, exit_ns, site;
    int32_t message, meeting;
    uint32_t step;
    bool sends, io;
};
struct plan {
    struct planned calls[MOST_CALLS];
    size_t count;
    int64_t now_ns[MADE_UP_RANKS];
    uint64_t seed;
    int32_t messages, meetings;
};

static uint32_t below(struct plan *plan, uint32_t most)
{
    plan->seed = plan->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(plan->seed >> 33) % most;
}

static struct planned *call(struct plan *plan, uint32_t rank, int64_t until_ns, int64_t site)
{
    struct planned *planned = &plan->calls[plan->count++];
    int64_t enter_ns = plan->now_ns[rank] + below(plan, 100);

    *planned =
        (struct planned){.rank = rank, .enter_ns = enter_ns, .site = site, .message = -1, .meeting = -1};
    planned->exit_ns = (until_ns > enter_ns ? until_ns : enter_ns) + below(plan, 20);
    plan->now_ns[rank] = planned->exit_ns;
    return planned;
}

static void plan_message(struct plan *plan, uint32_t ranks)
{
    uint32_t from = below(plan, ranks), to = (from + 1 + below(plan, ranks - 1)) % ranks;
    struct planned *send = call(plan, from, 0, 1 + below(plan, 3)), *receive;

    send->sends = true;
    receive = call(plan, to, send->enter_ns, 4 + below(plan, 3));
    send->message = receive->message = plan->messages++;
}

static void plan_meeting(struct plan *plan, uint32_t ranks)
{
    int64_t latest_ns = 0;
    size_t first = plan->count;

    for (uint32_t r = 0; r < ranks; r++) {
        struct planned *planned = call(plan, r, 0, 7);
        planned->meeting = plan->meetings;
        latest_ns = planned->enter_ns > latest_ns ? planned->enter_ns : latest_ns;
    }
    for (size_t i = first; i < plan->count; i++) {
        plan->calls[i].exit_ns = latest_ns + below(plan, 10);
        plan->now_ns[plan->calls[i].rank] = plan->calls[i].exit_ns;
    }
    plan->meetings++;
}

static int by_exit(const void *left, const void *right)
{
    const struct planned *a = left, *b = right;

    if (a->exit_ns != b->exit_ns)
        return a->exit_ns < b->exit_ns ? -1 : 1;
    return a->rank != b->rank          ? (a->rank < b->rank ? -1 : 1)
           : a->enter_ns < b->enter_ns ? -1
                                       : a->enter_ns > b->enter_ns;
}

static void join(struct made_up *run, const struct plan *plan)
{
    static uint32_t sends[MOST_CALLS], receives[MOST_CALLS], steps[MADE_UP_RANKS];

    for (size_t i = 0; i < plan->count; i++)
        if (plan->calls[i].message >= 0)
            (plan->calls[i].sends ? sends : receives)[plan->calls[i].message] = plan->calls[i].step;
    for (int32_t m = 0; m < plan->messages; m++)
        made_up_message(run, sends[m], receives[m], 8);
    for (int32_t m = 0; m < plan->meetings; m++) {
        uint32_t count = 0;
        for (size_t i = 0; i < plan->count; i++)
            if (plan->calls[i].meeting == m)
                steps[count++] = plan->calls[i].step;
        made_up_meeting(run,
                        m % 3 == 0   ? WS_FLOW_TO_ROOT
                        : m % 3 == 1 ? WS_FLOW_PREFIX
                                     : WS_FLOW_ALL,
                        steps, count);
    }
}

static void make_any(struct made_up *run, uint64_t seed)
{
    static struct plan plan;
    uint32_t ranks;
    int64_t end_ns = 0;

    memset(&plan, 0, sizeof plan);
    plan.seed = seed;
    ranks = 2 + below(&plan, 14);
    for (size_t i = 0; i < 300; i++) {
        uint32_t what = below(&plan, 20);
        if (what == 0)
            plan_meeting(&plan, ranks);
        else if (what < 3)
            call(&plan, below(&plan, ranks), 0, 8)->io = true;
        else
            plan_message(&plan, ranks);
    }
    qsort(plan.calls, plan.count, sizeof *plan.calls, by_exit);
    for (uint32_t r = 0; r < ranks; r++)
        end_ns = plan.now_ns[r] > end_ns ? plan.now_ns[r] : end_ns;
    made_up_begin(run, ranks, end_ns + 50);
    for (size_t i = 0; i < plan.count; i++) {
        struct planned *planned = &plan.calls[i];
        planned->step =
            made_up_call_at(run, planned->rank, planned->enter_ns, planned->exit_ns, planned->site);
        run->graph.steps[planned->step].io = planned->io;
    }
    join(run, &plan);
    made_up_match(run);
}

static void test_any_run(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct made_up run;
        struct found found;
        int64_t at_ns = 0;
        make_any(&run, seed);
        find(&found, &run);
        assert_true(found.waited_ns > 0);
        /* Every nanosecond of waiting has one cause. */
        assert_int_equal(all_costs_ns(&found), found.waited_ns);
        for (size_t i = 0; i < 2 * run.graph.need_count; i++)
            assert_int_equal(found.delays.wait_costs[i], 0);
        for (size_t i = 0; i < found.delays.cause_count; i++)
            assert_true(cost_of(&found, i) >= 0);
        /* The path is whole, and nobody waits on it. */
        for (size_t i = 0; i < found.path.count; i++) {
            const struct ws_segment *segment = &found.path.segments[i];
            assert_int_equal(segment->begin_ns, at_ns);
            assert_true(segment->end_ns > segment->begin_ns);
            at_ns = segment->end_ns;
            if (segment->kind == WS_SEGMENT_CALL || segment->kind == WS_SEGMENT_IO)
                assert_true(segment->begin_ns >=
                            run.graph.steps[segment->to].enter_ns + found.waiting.wait_ns[segment->to]);
        }
        assert_int_equal(at_ns, run.graph.end_ns);
        release(&found);
        made_up_end(&run);
    }
}

static void test_nothing(void **state)
{
    struct made_up run;
    struct found found;

    (void)state;
    made_up_begin(&run, 2, 100);
    made_up_match(&run);
    find(&found, &run);
    assert_int_equal(found.delays.cause_count, 0);
    assert_int_equal(found.path.count, 1);
    assert_int_equal(on_path_ns(&found, WS_SEGMENT_COMPUTATION, 0), 100);
    release(&found);
    made_up_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_delay_that_travels_through_ten_ranks),
        cmocka_unit_test(test_two_causes_share),
        cmocka_unit_test(test_only_since_they_met),
        cmocka_unit_test(test_files_and_operations_that_were_started),
        cmocka_unit_test(test_a_root_that_waited),
        cmocka_unit_test(test_a_wavefront_is_one_cause),
        cmocka_unit_test(test_the_path_of_a_wavefront),
        cmocka_unit_test(test_a_path_with_all_parts),
        cmocka_unit_test(test_efficiencies),
        cmocka_unit_test(test_any_run),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
