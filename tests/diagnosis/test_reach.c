/* Where findings can lie, as the rules show it. */
#include "made_up.h"

#include "diagnosis/reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum ws_reach reach_of(const char *declarations)
{
    char folder[] = "/tmp/whyslow-reach-XXXXXX";
    struct ws_error error = {0};
    struct ws_text report = {0}, path = {0};
    struct ws_kb rules = {0};
    enum ws_reach reach;
    const char *extra;
    FILE *file;

    assert_non_null(mkdtemp(folder));
    ws_text_printf(&path, "%s/mine.rules", folder);
    file = fopen(path.bytes, "w");
    assert_non_null(file);
    fputs(declarations, file);
    fclose(file);
    extra = folder;
    if (ws_kb_load(&rules, SOURCE_DIR "/kb/mpi", &extra, 1, &report, &error) != 0)
        fail_msg("%s", ws_text_string(&report));
    reach = ws_reach_of(rules.scopes[rules.scope_count - 1]->problems[0]);
    ws_kb_free(&rules);
    unlink(path.bytes);
    rmdir(folder);
    ws_text_free(&path);
    ws_text_free(&report);
    return reach;
}

#define PAIR(parameters, problem)                                                                            \
    "declare composite event pair member(message as m, send as s) when s.n == m.bytes and "                  \
    "s.end <= m.receive_posted parameters(waits = m.recv, " parameters ");\n"                                \
    "declare problem for pair parameters(name = \"x\", advice = \"x\", waiting = waits, " problem ");\n"
#define EACH(problem)                                                                                        \
    "declare composite event meet member(all nxn as a by a.comm, a.n expect a.size) "                        \
    "parameters(last = max(a.posted));\n"                                                                    \
    "declare problem for meet parameters(name = \"x\", advice = \"x\", waiting = a, " problem ");\n"

static void test_in_the_call(void **state)
{
    (void)state;
    assert_int_equal(reach_of(EACH("duration = a.d")), WS_REACH_CALL);
    assert_int_equal(reach_of(EACH("duration = clamp(last - a.t, 0 ns, a.d)")), WS_REACH_CALL);
    assert_int_equal(reach_of(EACH("duration = min(last - a.t, a.d)")), WS_REACH_CALL);
    assert_int_equal(reach_of(EACH("from = max(a.t, a.posted), duration = a.end - max(a.t, a.posted)")),
                     WS_REACH_CALL);
    assert_int_equal(reach_of(EACH("duration = min(a.end, last) - a.t")), WS_REACH_CALL);
    assert_int_equal(reach_of(PAIR("w = clamp(s.t - m.receive_t, 0 ns, m.receive_d)", "duration = w")),
                     WS_REACH_CALL);
}

static void test_not_seen_to_be_in_the_call(void **state)
{
    (void)state;
    assert_int_equal(reach_of(EACH("duration = last - a.t")), WS_REACH_AFTER);
    assert_int_equal(reach_of(EACH("duration = clamp(last - a.t, 1 ns, a.d)")), WS_REACH_AFTER);
    assert_int_equal(reach_of(EACH("from = a.end, duration = a.d")), WS_REACH_AFTER);
    assert_int_equal(reach_of(EACH("from = a.posted, duration = a.d")), WS_REACH_ANY);
    assert_int_equal(reach_of(PAIR("w = s.d", "duration = w")), WS_REACH_AFTER); /* another's call */
    assert_int_equal(reach_of(PAIR("w = s.end - m.receive_t", "duration = w")), WS_REACH_AFTER);
}

/* So memory does not grow with the findings of the problem types that Whyslow brings. */
static void test_shipped_rules_stay_in_the_call(void **state)
{
    const char *const extra[] = {SOURCE_DIR "/examples/kb/many-small-sends"};
    struct ws_error error = {0};
    struct ws_kb rules = {0};

    (void)state;
    assert_int_equal(ws_kb_load(&rules, SOURCE_DIR "/kb/mpi", extra, 1, NULL, &error), 0);
    for (size_t s = 0; s < rules.scope_count; s++)
        for (size_t p = 0; p < rules.scopes[s]->problem_count; p++)
            if (ws_reach_of(rules.scopes[s]->problems[p]) != WS_REACH_CALL)
                fail_msg("%s, problem %zu", rules.scopes[s]->id, p + 1);
    ws_kb_free(&rules);
}

static void test_types_that_wait(void **state)
{
    struct ws_reaches reaches;
    struct ws_error error = {0};
    struct ws_kb rules = {0};

    (void)state;
    assert_int_equal(ws_kb_load(&rules, SOURCE_DIR "/kb/mpi", NULL, 0, NULL, &error), 0);
    ws_reaches_init(&reaches, &rules);
    assert_int_equal(reaches.of_type[ws_kb_type(&rules, "recv")->index], WS_REACH_CALL);
    assert_int_equal(reaches.of_type[ws_kb_type(&rules, "nxn")->index], WS_REACH_CALL);
    assert_int_equal(reaches.of_type[ws_kb_type(&rules, "communicator")->index], WS_REACH_NOTHING);
    ws_reaches_free(&reaches);
    ws_kb_free(&rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_the_call),
        cmocka_unit_test(test_not_seen_to_be_in_the_call),
        cmocka_unit_test(test_shipped_rules_stay_in_the_call),
        cmocka_unit_test(test_types_that_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
