/* What is particular to the CLIPS engine: the constructs that rules become, and that nothing of a rule's text
 * can become anything else. */
#include "story.h"

#include "engine/clips/clips_print.h"

#define PAIR                                                                                                 \
    "member(send as s, shared recv as r)\n"                                                                  \
    "when s.process == r.peer and s.n + 1 == r.n and s.bytes > 64 and s.t - r.t > 5 ns\n"

static const char printed[] =
    "; functions.xml:3  event send\n"
    "(deftemplate late.send\n"
    "  (slot ws-order)\n"
    "  (slot ws-join-0-1-0)\n"
    "  (slot t)\n"
    "  (slot process)\n"
    "  (slot bytes))\n"
    "\n"
    "; functions.xml:4  event recv\n"
    "(deftemplate late.recv\n"
    "  (slot ws-order)\n"
    "  (slot t)\n"
    "  (slot d)\n"
    "  (slot peer)\n"
    "  (slot load)\n"
    "  (slot n))\n"
    "\n"
    "; late/x.rules:1  composite event pair\n"
    "(deftemplate late.pair\n"
    "  (slot ws-order)\n"
    "  (slot wait)\n"
    "  (slot text)\n"
    "  (slot s))\n"
    "\n"
    "; late/x.rules:1  declare composite event pair\n"
    "(defrule late.pair\n"
    "  (late.send (ws-order ?s) (t ?s.t) (process ?s.process) (bytes ?s.bytes)\n"
    "    (ws-join-0-1-0 ?ws-join-0-1-0&~undefined&:(> ?s.bytes 64)))\n"
    "  (late.recv (ws-order ?r) (t ?r.t) (d ?r.d) (peer ?s.process) (load ?r.load) (n ?ws-join-0-1-0))\n"
    "  (test (ws-true (> (ws-subtract ?s.t ?r.t) 5)))\n"
    "  =>\n"
    "  (ws-tuple 0 ?s ?r\n"
    "    (ws-value (ws-multiply ?r.d (ws-defined ?r.load 0.0)))\n"
    "    \"a \\\"b\\\" \\\\\"\n"
    "    ?s))\n"
    "\n"
    "; late/x.rules:1  events that may become its member stay\n"
    "(defrule late.pair.keep-0\n"
    "  (late.send (ws-order ?s) (bytes ?s.bytes&:(> ?s.bytes 64)))\n"
    "  =>\n"
    "  (ws-keep TRUE))\n"
    "\n"
    "; late/x.rules:4  declare problem for pair\n"
    "(defrule late.problem-0\n"
    "  (late.pair (ws-order ?pair) (wait ?pair.wait) (text ?pair.text) (s ?pair.s))\n"
    "  (test (neq ?pair.text \"\"))\n"
    "  =>\n"
    "  (ws-problem 0\n"
    "    ?pair.wait\n"
    "    nil\n"
    "    ?pair.s\n"
    "    nil))\n";

/* The rules were in a folder with a name of its own each time: "tmp/story.Abc123/" or a part of it. */
static char *without_folder(const char *text)
{
    struct ws_text out = {0};

    for (const char *line = text, *next; *line; line = next) {
        const char *end = line + strcspn(line, "\n"), *folder = strstr(line, "story.");
        next = *end ? end + 1 : end;
        if (folder && folder < end) {
            ws_text_puts(&out, "; ");
            line = strchr(folder, '/') + 1;
        }
        ws_text_add(&out, line, (size_t)(next - line));
    }
    return out.bytes;
}

static void test_print(void **state)
{
    struct ws_error error = {0};
    struct ws_text out = {0};
    struct story story;
    char *text;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR
                "parameters(wait = r.d * r.load, text = \"a \\\"b\\\" \\\\\");\n"
                "declare problem for pair when text != \"\"\n"
                "parameters(name = \"x\", advice = \"x\", duration = wait, waiting = s);\n",
                NULL);
    assert_int_equal(0, ws_clips_print(&story.kb, ws_kb_scope(&story.kb, "late"), &out, &error));
    text = without_folder(out.bytes);
    assert_string_equal(printed, text);
    free(text);
    ws_text_free(&out);
    story_free(&story);
}

/* Strings that would be CLIPS code are strings; names that mean something to CLIPS are names. */
static void test_nothing_passes_raw(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "a.b-c",
        "declare composite event defrule member(send as test, recv as logical)\n"
        "when test.n == logical.n and test.text == \"\\\") (exit) (\\\"\" and logical.text != \"(exit)\"\n"
        "parameters(declare = test.n, object = test.text, initial = \"\\\\\", multislot = \"ü\\n;\", "
        "salience = 1);\n"
        "declare problem for defrule when object == \"\\\") (exit) (\\\"\" and initial == \"\\\\\"\n"
        "    and multislot == \"ü\\n;\"\n"
        "parameters(name = \"x\", advice = \"x\", duration = 1 ns * salience, waiting = logical);\n"
        "declare composite event exists member(all meet as forall by forall.comm expect 1)\n"
        "parameters(not_me = max(forall.work), nil = at_max(forall.t, forall));\n"
        "declare problem for exists parameters(name = \"x\", advice = \"x\", duration = 1 ns * not_me,\n"
        "    waiting = nil);\n",
        NULL);
    story_event(&story, "send", 0, 1, 1, "n=1 text=x");
    ws_text_clear(&story.log);
    struct ws_event *event = story_make(&story, "send", 0, 2, 1, "n=2");
    event->value[ws_type_slot(ws_kb_type(&story.kb, "send"), "text")].s = "\") (exit) (\"";
    story_feed(&story, event, INT64_MIN);
    story_event(&story, "recv", 1, 3, 1, "n=2 text=(halt)");
    story_event(&story, "meet", 1, 4, 1, "work=3");
    story_expect(
        &story,
        "a.b-c#0 1 from 3 waits 1/3 in test@0/2 logical@1/3\na.b-c#1 3 from 4 waits 1/4 in nil@1/4\n");
    story_end(&story, "", 0);
}

static void test_greatest_numbers(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "late",
        "declare composite event pair member(send as s, recv as r) when s.n == r.n\n"
        "parameters(least = -9223372036854775807 - 1, sum = s.bytes + r.bytes, quotient = s.bytes / "
        "r.bytes,\n"
        "    rest = s.bytes % r.bytes, exact = s.bytes - 9223372036854775806, small = 1.0e-300 * s.load);\n"
        "declare problem for pair when least == -9223372036854775807 - 1 and exact == 1 and sum == "
        "9223372036854775806\n"
        "    and quotient == -9223372036854775807 and rest == 0\n"
        "parameters(name = \"x\", advice = \"x\", duration = 1 ns, waiting = s);\n",
        NULL);
    story_event(&story, "send", 0, 1, 1, "n=1 bytes=9223372036854775807 load=0.5");
    story_event(&story, "recv", 1, 2, 1, "n=1 bytes=-1");
    story_expect(&story, "late#0 1 from 1 waits 0/1 in s@0/1 r@1/2\n");
    story_event(&story, "send", 0, 1, 1, "n=2 bytes=-9223372036854775808 load=0.5");
    story_event(&story, "recv", 1, 2, 1, "n=2 bytes=-1"); /* the quotient is out of range */
    story_end(&story, "", 2);
}

/* A hundred thousand events that a computed equality joins: hashed, or this test would not end. */
static void test_joins_are_hashed(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair member(send as s, recv as r)\n"
                "when s.n + 1 == r.n and s.process == r.peer parameters(s = s, r = r);\n",
                NULL);
    for (int i = 0; i < 20000; i++) {
        struct ws_event *event = story_make(&story, "send", 0, i, 1, "");
        event->value[ws_type_slot(ws_kb_type(&story.kb, "send"), "n")].i = i;
        story_feed(&story, event, INT64_MIN);
    }
    for (int i = 0; i < 20000; i++) {
        struct ws_event *event = story_make(&story, "recv", 0, i, 1, "");
        event->value[ws_type_slot(ws_kb_type(&story.kb, "recv"), "n")].i = 20000 - i;
        story_feed(&story, event, INT64_MIN);
    }
    story_finish(&story);
    assert_int_equal(20000, story.stats.composites);
    story_free(&story);
}

/* A rule that CLIPS does not take is our fault; the message names the place of the rule. */
static void test_fault_names_the_rule(void **state)
{
    const struct ws_sink sink = {.found = story_found, .context = NULL};
    struct ws_error error = {0};
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair member(send as s, recv as r)\n"
                "when s.n == r.n and s.eager parameters(s = s, r = r);\n",
                NULL);
    story.kb.types[1]->name = "send"; /* its facts take the place of the others, which have a slot `eager` */
    assert_null(ws_engine_find("clips", &error)->create(&story.kb, NULL, &sink, &error));
    assert_int_equal(WS_ENVIRONMENT, error.code);
    assert_non_null(strstr(error.text, "/late/x.rules:1: this rule fails in the CLIPS engine, as late.pair"));
    assert_null(strchr(error.text, '\n'));
    story_free(&story);
}

static void test_fault_while_running(void **state)
{
    struct ws_error error = {0};
    struct story story;
    struct ws_expr *side;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair member(send as s, recv as r)\n"
                "when s.n == r.n and s.tag < r.tag parameters(t = s.text);\n",
                NULL);
    story.engine->ops->destroy(story.engine);
    side = ws_kb_scope(&story.kb, "late")->composites[0]->residual[0]->args[0];
    side->slot = (uint32_t)ws_type_slot(ws_kb_type(&story.kb, "send"), "text");
    story_start_engine(&story);
    story_event(&story, "send", 0, 1, 1, "n=1");
    for (int i = 0; i < 2; i++) { /* it is not forgotten that something went wrong, and not more than that */
        struct ws_event *event = story_make(&story, "recv", 0, 2, 1, "n=1");
        assert_int_equal(-1, story.engine->ops->feed(story.engine, event, INT64_MIN, &error));
        assert_int_equal(WS_ENVIRONMENT, error.code);
        assert_non_null(
            strstr(error.text, "/late/x.rules:1: this rule fails in the CLIPS engine, as late.pair"));
        free(event);
    }
    story_free(&story);
}

static void test_find(void **state)
{
    struct ws_error error = {0};

    (void)state;
    assert_string_equal("native", ws_engine_find(NULL, &error)->name);
    assert_string_equal("clips", ws_engine_find("clips", &error)->name);
    assert_null(ws_engine_find("clisp", &error));
    assert_int_equal(WS_USAGE, error.code);
    assert_string_equal("no engine \"clisp\": this build has native, clips", error.text);
}

/* CLIPS takes every rule that is shipped, and an empty trace. */
static void test_shipped_rules(void **state)
{
    const struct ws_sink sink = {.found = story_found, .context = NULL};
    struct ws_engine_stats stats;
    struct ws_text report = {0};
    struct ws_error error = {0};
    struct ws_engine *engine;
    struct ws_kb kb;

    (void)state;
    if (ws_kb_load(&kb, SOURCE_DIR "/kb/mpi", NULL, 0, &report, &error) != 0)
        fail_msg("%s", ws_text_string(&report));
    engine = ws_engine_find("clips", &error)->create(&kb, NULL, &sink, &error);
    if (!engine)
        fail_msg("%s", error.text);
    assert_int_equal(0, engine->ops->finish(engine, &stats, &error));
    assert_int_equal(0, stats.most_live);
    engine->ops->destroy(engine);
    ws_text_free(&report);
    ws_kb_free(&kb);
}

int main(void)
{
    story_engine = "clips";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_nothing_passes_raw),
        cmocka_unit_test(test_greatest_numbers),
        cmocka_unit_test(test_joins_are_hashed),
        cmocka_unit_test(test_fault_names_the_rule),
        cmocka_unit_test(test_fault_while_running),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_shipped_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
