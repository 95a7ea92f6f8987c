/* What `whyslow kb show --plan` prints. */
#include "story.h"

/* The folder of the story is another each time: of a place only the file is left. */
static void cut_places(char *text)
{
    for (char *place = text; (place = strstr(place, "  (")); place++) {
        char *end = strchr(place, ')'), *file = end;
        while (file > place && file[-1] != '/')
            file--;
        if (file > place)
            memmove(place + 3, file, strlen(file) + 1);
    }
}

static void expect_plan(const char *common, const char *rules, const char *plan)
{
    const struct ws_engine_ops *native = ws_engine_find("native", NULL);
    struct ws_text out = {0};
    struct ws_error error;
    struct story story;

    story_engine = "native";
    story_begin(&story, common, "late", rules, NULL);
    assert_int_equal(0, native->print(&story.kb, ws_kb_scope(&story.kb, "late"), &out, &error));
    cut_places(out.bytes);
    assert_string_equal(out.bytes, plan);
    ws_text_free(&out);
    story_free(&story);
}

static void test_tuple(void **state)
{
    (void)state;
    expect_plan(
        "declare composite event pair member(send as s, shared recv as r)\n"
        "when s.process == r.peer and s.n == r.n and s.bytes > 64 and s.t - r.t > 5 ns\n"
        "parameters(wait = s.t - r.t, bytes = s.bytes, r = r);\n",
        "declare problem for pair when bytes > 100 parameters(name = \"x\", advice = \"x\",\n"
        "    duration = wait, waiting = r);\n"
        "declare problem for pair parameters(name = \"x\", advice = \"x\", duration = wait);\n",
        "late: the plan of the native engine\n"
        "    takes           pair only where wait > 0\n"
        "\n"
        "composite event pair  (common.rules:1)\n"
        "    s (send) arrives:\n"
        "        test first      s.bytes > 64\n"
        "        find            r among the recv events that are there, by one hash of r.peer == s.process\n"
        "                        and r.n == s.n\n"
        "        then test       s.t - r.t > 5 ns\n"
        "        kept            until it is used up\n"
        "    r (shared recv) arrives:\n"
        "        find            s among the send events that are there, by one hash of s.process == r.peer\n"
        "                        and s.n == r.n\n"
        "        then test       s.t - r.t > 5 ns\n"
        "        kept            to the end of the trace, or until a rule uses it up\n"
        "    build           4 values: 3 copied, 1 computed\n"
        "\n"
        "problems of pair\n"
        "    try             2 rules, the first that holds counts\n"
        "    line 1          wait > 0 (computed once for all of them), then bytes > 100\n"
        "    line 3          whatever else\n");
}

/* send and recv count n by process, peer and tag; by fewer values events are hashed. */
static void test_queue(void **state)
{
    (void)state;
    expect_plan(
        NULL,
        "declare composite event pair member(send as s, recv as r)\n"
        "when s.n == r.n and s.process == r.peer and s.peer == r.process and s.tag == r.tag parameters();\n"
        "declare composite event same member(shared send as s, shared recv as r)\n"
        "when s.n == r.n and s.process == r.peer and s.tag == r.tag parameters();\n"
        "declare problem for pair parameters(name = \"x\", advice = \"x\", duration = 1 ns);\n",
        "late: the plan of the native engine\n"
        "    takes           send, whatever its values\n"
        "    takes           recv, whatever its values\n"
        "\n"
        "composite event pair  (x.rules:1)\n"
        "    s (send) arrives:\n"
        "        find            r among the recv events that are there, in the queue of r.peer == s.process,\n"
        "                        r.process == s.peer and r.tag == s.tag, by the number r.n == s.n\n"
        "        kept            until it is used up\n"
        "    r (recv) arrives:\n"
        "        find            s among the send events that are there, in the queue of s.process == r.peer,\n"
        "                        s.peer == r.process and s.tag == r.tag, by the number s.n == r.n\n"
        "        kept            until it is used up\n"
        "    build           1 value: 1 copied, 0 computed\n"
        "\n"
        "composite event same  (x.rules:3)\n"
        "    s (shared send) arrives:\n"
        "        find            r among the recv events that are there, by one hash of r.peer == s.process,\n"
        "                        r.tag == s.tag and r.n == s.n\n"
        "        kept            to the end of the trace, or until a rule uses it up\n"
        "    r (shared recv) arrives:\n"
        "        find            s among the send events that are there, by one hash of s.process == r.peer,\n"
        "                        s.tag == r.tag and s.n == r.n\n"
        "        kept            to the end of the trace, or until a rule uses it up\n"
        "\n"
        "problems of pair\n"
        "    try             1 rule, the first that holds counts\n"
        "    line 5          1 ns > 0\n");
}

static void test_scan(void **state)
{
    (void)state;
    expect_plan(
        NULL,
        "declare composite event crowd member(shared lock as a, shared lock as b)\n"
        "when overlaps(a, b) and a.process != b.process parameters(d = a.d, a = a);\n"
        "declare problem for crowd parameters(name = \"x\", advice = \"x\", duration = d, waiting = a);\n",
        "late: the plan of the native engine\n"
        "    takes           lock, whatever its values\n"
        "\n"
        "composite event crowd  (x.rules:1)\n"
        "    a (shared lock) arrives:\n"
        "        scan            b: each lock that is there and ends after a begins is tried\n"
        "        warning:        no equality leads to b: a search takes as long as there are such events; "
        "an\n"
        "                        equality with a value of another member would make it one look into a "
        "table\n"
        "        then test       overlaps(a, b), a.process != b.process\n"
        "        kept            until nothing still to come can overlap it\n"
        "    b (shared lock) arrives:\n"
        "        scan            a: each lock that is there and ends after b begins is tried\n"
        "        warning:        no equality leads to a: a search takes as long as there are such events; "
        "an\n"
        "                        equality with a value of another member would make it one look into a "
        "table\n"
        "        then test       overlaps(a, b), a.process != b.process\n"
        "        kept            until nothing still to come can overlap it\n"
        "    build           2 values: 2 copied, 0 computed\n"
        "\n"
        "problems of crowd\n"
        "    try             1 rule, the first that holds counts\n"
        "    line 3          d > 0\n");
}

/* An overlap leads to fewer events than nothing: so the way from a to b goes by c. */
static void test_overlap(void **state)
{
    (void)state;
    expect_plan(
        NULL,
        "declare composite event chain member(lock as a, unlock as b, shared meet as c)\n"
        "when overlaps(c, a) and overlaps(b, c) and b.window == c.comm parameters();\n"
        "declare problem for chain parameters(name = \"x\", advice = \"x\", duration = 1 ns);\n",
        "late: the plan of the native engine\n"
        "    takes           meet, whatever its values\n"
        "    takes           lock, whatever its values\n"
        "    takes           unlock, whatever its values\n"
        "\n"
        "composite event chain  (x.rules:1)\n"
        "    a (lock) arrives:\n"
        "        scan            c: each meet that is there and ends after a begins is tried\n"
        "        warning:        no equality leads to c: a search takes as long as there are such events; "
        "an\n"
        "                        equality with a value of another member would make it one look into a "
        "table\n"
        "        then test       overlaps(c, a)\n"
        "        find            b among the unlock events that are there and end after c begins, by a hash\n"
        "                        of b.window == c.comm\n"
        "        then test       overlaps(b, c)\n"
        "        kept            until it is used up\n"
        "    b (unlock) arrives:\n"
        "        find            c among the meet events that are there and end after b begins, by a hash "
        "of\n"
        "                        c.comm == b.window\n"
        "        then test       overlaps(b, c)\n"
        "        scan            a: each lock that is there and ends after c begins is tried\n"
        "        warning:        no equality leads to a: a search takes as long as there are such events; "
        "an\n"
        "                        equality with a value of another member would make it one look into a "
        "table\n"
        "        then test       overlaps(c, a)\n"
        "        kept            until it is used up\n"
        "    c (shared meet) arrives:\n"
        "        find            b among the unlock events that are there and end after c begins, by a hash\n"
        "                        of b.window == c.comm\n"
        "        then test       overlaps(b, c)\n"
        "        scan            a: each lock that is there and ends after c begins is tried\n"
        "        warning:        no equality leads to a: a search takes as long as there are such events; "
        "an\n"
        "                        equality with a value of another member would make it one look into a "
        "table\n"
        "        then test       overlaps(c, a)\n"
        "        kept            until nothing still to come can overlap it\n"
        "    build           1 value: 1 copied, 0 computed\n"
        "\n"
        "problems of chain\n"
        "    try             1 rule, the first that holds counts\n"
        "    line 3          1 ns > 0\n");
}

static void test_group(void **state)
{
    (void)state;
    expect_plan(
        NULL,
        "declare composite event round member(all meet as m by m.comm, m.n where m.work > 0 expect m.size)\n"
        "when count(m) > 1\n"
        "parameters(last = at_max(m.t, m), last_t = max(m.t), least = min(m.t where m.root), work = "
        "sum(m.work));\n"
        "declare problem for round when m.t < last_t parameters(name = \"x\", advice = \"x\",\n"
        "    duration = clamp(last_t - m.t, 0, m.d), waiting = m, cause = last);\n",
        "late: the plan of the native engine\n"
        "    takes           meet only where m.work > 0\n"
        "\n"
        "composite event round  (x.rules:1)\n"
        "    group           m (all meet), by one hash of m.comm and m.n\n"
        "    test first      m.work > 0\n"
        "    fold            the number of elements; the element with the greatest m.t; the element with "
        "the\n"
        "                    least m.t where m.root; the sum of m.work\n"
        "    complete        with as many elements as the first one says: m.size\n"
        "    at the end      m of the element with the greatest m.t\n"
        "    then test       count(m) > 1\n"
        "    build           4 values: 0 copied, 4 computed\n"
        "\n"
        "problems of round\n"
        "    try             1 rule, tried for each element of the group, the first that holds counts\n"
        "    line 4          clamp(last_t - m.t, 0 ns, m.d) > 0, then m.t < last_t\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tuple), cmocka_unit_test(test_queue), cmocka_unit_test(test_scan),
                                       cmocka_unit_test(test_overlap), cmocka_unit_test(test_group)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
