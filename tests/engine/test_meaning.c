/* The meaning of the analysis rules, one story for each sentence of docs/language.md, "Meaning". */
#include "story.h"

#define PAIR                                                                                                 \
    "member(send as s, recv as r)\n"                                                                         \
    "when s.process == r.peer and s.peer == r.process and s.tag == r.tag and s.n == r.n\n"
#define WAITS(type, duration)                                                                                \
    "declare problem for " type " parameters(name = \"x\", advice = \"x\", duration = " duration             \
    ", waiting = r, cause = s);\n"

/* ---- order of construction ---- */

static void test_pair(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR
                "parameters(wait = clamp(s.t - r.t, 0, r.d));\n" WAITS("pair", "wait"),
                NULL);
    story_event(&story, "send", 0, 30, 5, "peer=1 n=1");
    story_event(&story, "recv", 1, 10, 30, "peer=0 n=1");
    story_expect(&story, "late#0 20 from 10 waits 1/10 cause 0/30 in s@0/30 r@1/10\n");
    story_event(&story, "recv", 1, 50, 10, "peer=0 n=3"); /* its send never comes */
    story_event(&story, "send", 0, 45, 20, "peer=1 n=2");
    story_event(&story, "recv", 1, 60, 10, "peer=0 n=2"); /* comes late itself: no problem */
    story_end(&story, "", 1);
}

/* Where several tuples hold, the one that is first in the order of arrival of its first member, then of its
 * second ... is built, and takes its members away from the rest. */
static void test_first_come(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "late",
        "declare composite event pair member(send as s, recv as r) when s.tag == r.tag parameters();\n" WAITS(
            "pair", "1 ns"),
        NULL);
    story_event(&story, "send", 0, 1, 1, "");
    story_event(&story, "send", 1, 2, 1, "");
    story_event(&story, "send", 2, 3, 1, "");
    story_event(&story, "recv", 3, 4, 1, "");
    story_event(&story, "recv", 4, 5, 1, "");
    story_expect(&story, "late#0 1 from 4 waits 3/4 cause 0/1 in s@0/1 r@3/4\n"
                         "late#0 1 from 5 waits 4/5 cause 1/2 in s@1/2 r@4/5\n");
    story_end(&story, "", 1);
}

/* The rules of a scope are tried in order of declaration: the first takes what it needs. */
static void test_competition(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event large " PAIR "and s.bytes > 100 parameters();\n"
                "declare composite event any " PAIR "parameters();\n" WAITS("large", "2 ns")
                    WAITS("any", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1 bytes=500");
    story_event(&story, "recv", 1, 2, 1, "peer=0 n=1");
    story_event(&story, "send", 0, 3, 1, "peer=1 n=2 bytes=5");
    story_event(&story, "recv", 1, 4, 1, "peer=0 n=2");
    story_end(&story,
              "late#0 2 from 2 waits 1/2 cause 0/1 in s@0/1 r@1/2\n"
              "late#1 1 from 4 waits 1/4 cause 0/3 in s@0/3 r@1/4\n",
              0);
}

/* A shared member stays and may enter any number of composite events. */
static void test_shared(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair member(shared send as s, recv as r) when s.tag == r.tag\n"
                "parameters();\n" WAITS("pair", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 1, "");
    story_event(&story, "send", 1, 2, 1, "");
    story_event(&story, "recv", 2, 3, 1, ""); /* taken by the first send: the second has nothing */
    story_event(&story, "recv", 3, 4, 1, "");
    story_end(&story,
              "late#0 1 from 3 waits 2/3 cause 0/1 in s@0/1 r@2/3\n"
              "late#0 1 from 4 waits 3/4 cause 0/1 in s@0/1 r@3/4\n",
              0);
}

/* One event fills one place only; two of a type make a tuple in either order. */
static void test_one_place(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair member(shared send as s, shared send as r)\n"
                "when s.tag == r.tag parameters();\n" WAITS("pair", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 1, "");
    story_expect(&story, "");
    story_event(&story, "send", 1, 2, 1, "");
    story_end(&story,
              "late#0 1 from 2 waits 1/2 cause 0/1 in s@0/1 r@1/2\n"
              "late#0 1 from 1 waits 0/1 cause 1/2 in s@1/2 r@0/1\n",
              0);
}

/* An event that is used up in one place of a rule cannot be the other's in the next tuple: there is one
 * behind it. */
static void test_used_up_in_the_other_place(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair member(send as s, shared send as r)\n"
                "when s.tag == r.n parameters();\n" WAITS("pair", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 1, "tag=1 n=5");
    story_event(&story, "send", 1, 2, 1, "tag=3 n=5");
    story_event(&story, "send", 2, 3, 1, "tag=5 n=1");
    story_end(&story,
              "late#0 1 from 3 waits 2/3 cause 0/1 in s@0/1 r@2/3\n"
              "late#0 1 from 2 waits 1/2 cause 2/3 in s@2/3 r@1/2\n",
              1);
}

/* A tuple whose members end at one moment is decided by the order of arrival, which is that of feeding. */
static void test_ties(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "late",
        "declare composite event pair member(send as s, recv as r) when s.tag == r.tag parameters();\n" WAITS(
            "pair", "1 ns"),
        NULL);
    story_event(&story, "send", 0, 1, 1, "");
    story_event(&story, "send", 1, 1, 1, "");
    story_event(&story, "recv", 2, 1, 1, "");
    story_end(&story, "late#0 1 from 1 waits 2/1 cause 0/1 in s@0/1 r@2/1\n", 1);
}

/* ---- scopes ---- */

/* Each problem type has events of its own: what one consumes the other still sees. */
static void test_scopes_do_not_compete(void **state)
{
    const char *rules = "declare composite event pair " PAIR "parameters();\n" WAITS("pair", "1 ns");
    struct story story;

    (void)state;
    story_begin(&story, NULL, "one", rules, "two", rules, NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1");
    story_event(&story, "recv", 1, 2, 1, "peer=0 n=1");
    story_end(&story,
              "one#0 1 from 2 waits 1/2 cause 0/1 in s@0/1 r@1/2\n"
              "two#0 1 from 2 waits 1/2 cause 0/1 in s@0/1 r@1/2\n",
              0);
}

/* What the common scope builds arrives in every scope, and each may consume it. */
static void test_common_scope(void **state)
{
    const char *rules =
        "declare composite event doubled member(pair as a, pair as b)\n"
        "when a.tag == b.tag and a.end < b.end parameters(r = b.r, s = a.s);\n" WAITS("doubled", "1 ns");
    struct story story;

    (void)state;
    story_begin(&story, "declare composite event pair " PAIR "parameters(tag = s.tag, s = s, r = r);\n",
                "one", rules, "two", rules, NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1");
    story_event(&story, "recv", 1, 2, 1, "peer=0 n=1");
    story_event(&story, "send", 0, 3, 1, "peer=1 n=2");
    story_event(&story, "recv", 1, 4, 1, "peer=0 n=2");
    story_finish(&story);
    assert_int_equal(story.stats.composites, 4);
    story_expect(&story, "one#0 1 from 4 waits 1/4 cause 0/1 in s@0/1 r@1/2 s@0/3 r@1/4\n"
                         "two#0 1 from 4 waits 1/4 cause 0/1 in s@0/1 r@1/2 s@0/3 r@1/4\n");
    story_free(&story);
}

/* A composite event arrives after the event that completed it has been offered to all rules. */
static void test_composites_arrive_after(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR "parameters(tag = s.tag, s = s, r = r);\n"
                "declare composite event both member(pair as p, shared send as q)\n"
                "when p.tag == q.tag parameters(r = p.r, s = q);\n"
                "declare composite event other member(shared send as s, shared recv as r)\n"
                "when s.tag == r.tag and s.n != r.n parameters();\n" WAITS("both", "2 ns")
                    WAITS("other", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1");
    story_event(&story, "send", 0, 2, 1, "peer=1 n=2");
    story_event(&story, "recv", 1, 3, 1, "peer=0 n=1");
    /* `pair` takes the receive, so `other` has none; then the pair arrives and meets the second send. */
    story_expect(&story, "late#0 2 from 3 waits 1/3 cause 0/2 in s@0/1 r@1/3 q@0/2\n");
    story_end(&story, "", 1);
}

/* ---- groups ---- */

#define MEETING                                                                                              \
    "declare composite event meeting member(all meet as m by m.comm, m.n expect m.size)\n"                   \
    "parameters(last = at_max(m.t, m), last_t = max(m.t), first_t = min(m.t), number = count(m),\n"          \
    "           work = sum(m.work));\n"
#define EACH_WAITS                                                                                           \
    "declare problem for meeting parameters(name = \"x\", advice = \"x\",\n"                                 \
    "    duration = clamp(last_t - m.t, 0, m.d), waiting = m, cause = last);\n"

static void test_group(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "meet", MEETING EACH_WAITS, NULL);
    story_event(&story, "meet", 0, 10, 30, "comm=1 size=3 n=1");
    story_event(&story, "meet", 1, 20, 20, "comm=1 size=3 n=1");
    story_event(&story, "meet", 0, 5, 40, "comm=2 size=2 n=1"); /* another communicator, never complete */
    story_expect(&story, "");
    story_event(&story, "meet", 2, 35, 10, "comm=1 size=3 n=1");
    story_expect(&story, "meet#0 25 from 10 waits 0/10 cause 2/35 in m@0/10 last@2/35\n"
                         "meet#0 15 from 20 waits 1/20 cause 2/35 in m@1/20 last@2/35\n");
    story_end(&story, "", 1);
}

/* A complete group goes; a later event of the same keys opens a new one. */
static void test_group_opens_again(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "meet", MEETING EACH_WAITS, NULL);
    for (int i = 0; i < 2; i++) {
        story_event(&story, "meet", 0, 10, 30, "comm=1 size=2 n=1");
        story_event(&story, "meet", 1, 20, 20, "comm=1 size=2 n=1");
        story_expect(&story, "meet#0 10 from 10 waits 0/10 cause 1/20 in m@0/10 last@1/20\n");
    }
    story_event(&story, "meet", 0, 10, 30, "comm=1 size=0 n=1"); /* never complete, whatever comes */
    story_event(&story, "meet", 1, 20, 20, "comm=1 size=1 n=1");
    story_event(&story, "meet", 2, 20, 20, "comm=2 size=1 n=1"); /* complete with the first */
    story_end(&story, "", 2);
}

static void test_group_at_the_end(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "small",
        "declare composite event burst member(all send as s by s.process, s.peer where s.bytes < 64)\n"
        "when count(s) >= 3 parameters(first = at_min(s.t, s), number = count(s),\n"
        "    cost = sum(s.d where s.n > 1));\n"
        "declare problem for burst parameters(name = \"x\", advice = \"x\", duration = cost,\n"
        "    waiting = first);\n",
        NULL);
    for (int i = 1; i <= 4; i++) {
        char params[64];
        snprintf(params, sizeof params, "peer=2 bytes=%d n=%d", i, i);
        story_event(&story, "send", 1, i, 10, params);
        snprintf(params, sizeof params, "peer=%d bytes=8 n=%d", 1 + i % 2, i);
        story_event(&story, "send", 0, i, 1, params);
        story_event(&story, "send", 3, i, 10, "peer=0 bytes=64");
    }
    story_expect(&story, "");
    story_end(&story, "small#0 30 from 1 waits 1/1 in first@1/1\n", 0);
}

/* Elements of a shared group stay for the rules behind it. */
static void test_shared_group(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "small",
                "declare composite event all_sends member(shared all send as x by x.process)\n"
                "parameters(first = at_min(x.t, x), cost = sum(x.d));\n"
                "declare composite event pair " PAIR "parameters(s = s, r = r);\n"
                "declare problem for all_sends parameters(name = \"x\", advice = \"x\", duration = cost,\n"
                "    waiting = first);\n" WAITS("pair", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 5, "peer=1 n=1");
    story_event(&story, "recv", 1, 2, 9, "peer=0 n=1");
    story_event(&story, "send", 0, 3, 6, "peer=1 n=2");
    story_expect(&story, "small#1 1 from 2 waits 1/2 cause 0/1 in s@0/1 r@1/2\n");
    story_end(&story, "small#0 11 from 1 waits 0/1 in first@0/1\n", 1);
}

static void test_at_max(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "meet",
        "declare composite event meeting member(all meet as m by m.comm, m.n expect m.size)\n"
        "parameters(last = at_max(m.work, m), first = at_min(m.work, m where not m.root),\n"
        "    load = at_max(m.work, m.load), text = at_min(m.work, m.text), root = at_max(m.t, m.root));\n"
        "declare problem for meeting when load == 0.25 and text == \"b\" and root\n"
        "parameters(name = \"x\", advice = \"x\", duration = 1 ns, waiting = first, cause = last);\n",
        NULL);
    story_event(&story, "meet", 0, 1, 1,
                "comm=1 size=4 work=7 load=0.25 text=a root=0"); /* first of the 7s */
    story_event(&story, "meet", 1, 2, 1, "comm=1 size=4 work=3 load=0.5 text=b root=1");
    story_event(&story, "meet", 2, 3, 1, "comm=1 size=4 work=7 load=0.75 text=c root=1");
    story_event(&story, "meet", 3, 3, 1, "comm=1 size=4 work=3 load=0.75 text=d root=0");
    story_end(&story, "meet#0 1 from 3 waits 3/3 cause 0/1 in first@3/3 last@0/1\n", 0);
}

/* ---- composite events of composite events ---- */

static void test_nested(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR "parameters(who = s.process, s = s, r = r);\n"
                "declare composite event round member(all pair as p by p.who)\n"
                "parameters(first = at_min(p.begin, p.s), last = at_max(p.end, p.r), number = count(p));\n"
                "declare problem for round when number == 2\n"
                "parameters(name = \"x\", advice = \"x\", duration = 1 ns, waiting = last, cause = first);\n",
                NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1");
    story_event(&story, "recv", 1, 2, 1, "peer=0 n=1");
    story_event(&story, "send", 0, 3, 1, "peer=2 n=1");
    story_event(&story, "recv", 2, 4, 1, "peer=0 n=1");
    story_event(&story, "send", 5, 5, 1, "peer=2 n=1");
    story_event(&story, "recv", 2, 6, 1, "peer=5 n=1");
    story_expect(&story, "");
    story_end(&story, "late#0 1 from 4 waits 2/4 cause 0/1 in last@2/4 first@0/1\n", 0);
}

/* ---- problem rules ---- */

static void test_first_problem_rule(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR "parameters(bytes = s.bytes, s = s, r = r);\n"
                "declare problem for pair when bytes > 100 parameters(name = \"x\", advice = \"x\",\n"
                "    duration = 1 ns * (bytes - 200), waiting = r, from = 7 ns);\n" WAITS(
                    "pair", "2 ns * bytes") WAITS("pair", "1 s"),
                NULL);
    for (int i = 1; i <= 3; i++) {
        char params[64];
        snprintf(params, sizeof params, "peer=1 n=%d bytes=%d", i, i * 100 + 1);
        story_event(&story, "send", 0, i, 1, params);
        snprintf(params, sizeof params, "peer=0 n=%d", i);
        story_event(&story, "recv", 1, i, 1, params);
    }
    /* of the first the first rule gives no time, so the second applies */
    story_end(&story,
              "late#1 202 from 1 waits 1/1 cause 0/1 in s@0/1 r@1/1\n"
              "late#0 1 from 7 waits 1/2 in s@0/2 r@1/2\n"
              "late#0 101 from 7 waits 1/3 in s@0/3 r@1/3\n",
              0);
}

/* With a group member the rules are alternatives for each element. */
static void test_first_problem_rule_by_element(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "meet",
                MEETING
                "declare problem for meeting when m.work > 5 parameters(name = \"x\", advice = \"x\",\n"
                "    duration = clamp(last_t - m.t, 0, m.d), waiting = m, cause = last);\n" EACH_WAITS
                "declare problem for meeting when work > 10 parameters(name = \"x\", advice = \"x\",\n"
                "    duration = last_t - first_t, waiting = last);\n",
                NULL);
    story_event(&story, "meet", 0, 10, 30, "comm=1 size=3 n=1 work=6");
    story_event(&story, "meet", 1, 20, 20, "comm=1 size=3 n=1 work=5");
    story_event(&story, "meet", 2, 35, 10, "comm=1 size=3 n=1 work=9");
    story_end(&story,
              "meet#2 25 from 35 waits 2/35 in last@2/35\n"
              "meet#0 25 from 10 waits 0/10 cause 2/35 in m@0/10 last@2/35\n"
              "meet#1 15 from 20 waits 1/20 cause 2/35 in m@1/20 last@2/35\n",
              0);
}

/* A composite event may have the name of its member. */
static void test_same_names(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "meet",
                "declare composite event m member(all meet as m by m.comm expect m.size)\n"
                "parameters(t = max(m.t), process = at_max(m.t, m));\n"
                "declare problem for m when m.t < t parameters(name = \"x\", advice = \"x\",\n"
                "    duration = t - m.t, waiting = m, cause = process);\n",
                NULL);
    story_event(&story, "meet", 0, 10, 30, "comm=1 size=2");
    story_event(&story, "meet", 1, 20, 20, "comm=1 size=2");
    story_end(&story, "meet#0 10 from 10 waits 0/10 cause 1/20 in m@0/10 process@1/20\n", 0);
}

/* ---- undefined ---- */

static void test_undefined(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR "and s.bytes / r.bytes > 1\n"
                "parameters(twice = 4000000000000000000 + s.bytes, s = s, r = r);\n" WAITS(
                    "pair", "1 ns * twice * (twice % 7)") WAITS("pair", "1 ns"),
                NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1 bytes=9");
    story_event(&story, "recv", 1, 2, 1, "peer=0 n=1 bytes=0"); /* the condition is undefined: false */
    story_event(&story, "send", 0, 3, 1, "peer=1 n=2 bytes=8000000000000000000");
    story_event(&story, "recv", 1, 4, 1, "peer=0 n=2 bytes=1"); /* a parameter is undefined: not built */
    story_event(&story, "send", 0, 5, 1, "peer=1 n=3 bytes=10");
    story_event(&story, "recv", 1, 6, 1, "peer=0 n=3 bytes=1"); /* a duration is: the next rule applies */
    story_end(&story, "late#1 1 from 6 waits 1/6 cause 0/5 in s@0/5 r@1/6\n", 4);
}

static void test_undefined_aggregates(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "meet",
                "declare composite event meeting member(all meet as m by m.comm, m.n expect m.size)\n"
                "when count(m where m.root) == 0 or max(m.work where m.root) > 3\n"
                "parameters(total = sum(m.work), r = at_max(m.t, m));\n"
                "declare problem for meeting parameters(name = \"x\", advice = \"x\", duration = 1 ns,\n"
                "    waiting = r);\n",
                NULL);
    story_event(&story, "meet", 0, 1, 1, "comm=1 size=1 work=5 root=0");
    story_event(&story, "meet", 0, 2, 1, "comm=1 size=1 work=5 root=1");
    story_event(&story, "meet", 0, 3, 1, "comm=1 size=1 work=2 root=1"); /* the condition does not hold */
    story_event(&story, "meet", 0, 4, 1, "comm=1 size=2 work=9223372036854775807 root=1");
    story_event(&story, "meet", 1, 4, 1, "comm=1 size=2 work=1 root=1"); /* the sum overflows */
    story_end(&story, "meet#0 1 from 1 waits 0/1 in r@0/1\nmeet#0 1 from 2 waits 0/2 in r@0/2\n", 0);
}

/* What is left of `and`, `or` and `if` decides; what they do not look at may be undefined. */
static void test_short_circuit(void **state)
{
    struct story story;

    (void)state;
    story_begin(
        &story, NULL, "late",
        "declare composite event pair " PAIR
        "and (r.bytes == 0 or s.bytes / r.bytes > 2) and if(r.bytes == 0, s.tag, s.bytes / r.bytes) != 9\n"
        "parameters();\n" WAITS("pair", "1 ns"),
        NULL);
    story_event(&story, "send", 0, 1, 1, "peer=1 n=1 bytes=9");
    story_event(&story, "recv", 1, 2, 1, "peer=0 n=1 bytes=0");
    story_event(&story, "send", 0, 3, 1, "peer=1 n=2 bytes=9");
    story_event(&story, "recv", 1, 4, 1, "peer=0 n=2 bytes=1");
    story_event(&story, "send", 0, 5, 1, "peer=1 n=3 bytes=9");
    story_event(&story, "recv", 1, 6, 1, "peer=0 n=3 bytes=3");
    story_end(&story,
              "late#0 1 from 2 waits 1/2 cause 0/1 in s@0/1 r@1/2\n"
              "late#0 1 from 6 waits 1/6 cause 0/5 in s@0/5 r@1/6\n",
              2);
}

/* ---- letting go ---- */

#define CONTENTION                                                                                           \
    "declare composite event holding member(lock as l, unlock as u)\n"                                       \
    "when l.process == u.process and l.window == u.window\n"                                                 \
    "parameters(process = l.process, window = l.window, held = l.end, freed = u.t);\n"                       \
    "declare composite event contention member(shared holding as h, shared lock as r)\n"                     \
    "when overlaps(h, r) and h.window == r.window and h.process != r.process and h.held < r.end\n"           \
    "parameters(wait = min(h.freed, r.end) - max(h.held, r.t));\n"                                           \
    "declare problem for contention parameters(name = \"x\", advice = \"x\", duration = wait, waiting = "    \
    "r);\n"

/* Locks and epochs that nothing to come can overlap go; the findings are the same as if they stayed. */
static void test_forgets_what_cannot_overlap(void **state)
{
    struct story story, other;

    (void)state;
    story_begin(&story, NULL, "lock", CONTENTION, NULL);
    story_begin(&other, NULL, "lock", CONTENTION, NULL);
    for (int i = 0; i < 3000; i++) {
        int64_t t = 100 * i;
        story_event(&other, "lock", 0, t, 5, "window=1");
        story_event(&other, "lock", 1, t, 60, "window=1");
        story_event(&other, "unlock", 0, t + 50, 1, "window=1");
        story_event(&other, "unlock", 1, t + 80, 1, "window=1");
        story_feed(&story, story_make(&story, "lock", 0, t, 5, "window=1"), t);
        story_feed(&story, story_make(&story, "lock", 1, t, 60, "window=1"), t + 50);
        story_feed(&story, story_make(&story, "unlock", 0, t + 50, 1, "window=1"), t + 80);
        story_feed(&story, story_make(&story, "unlock", 1, t + 80, 1, "window=1"), t + 100);
        if (i == 200)
            break; /* the one that forgets nothing gets slow */
    }
    story_finish(&other);
    story_finish(&story);
    assert_int_equal(201, story.findings);
    assert_string_equal(story.log.bytes, other.log.bytes);
    assert_int_equal(story.stats.unmatched, other.stats.unmatched);
    assert_true(other.stats.most_live > 1200);
    assert_true(story.stats.most_live < 400);
    story_free(&story);
    story_free(&other);
}

/* What no place of a rule can take is not kept. */
static void test_keeps_what_may_match(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story, NULL, "late",
                "declare composite event pair " PAIR
                "and s.eager and s.bytes > 10 parameters();\n" WAITS("pair", "1 ns"),
                NULL);
    for (int i = 0; i < 1000; i++)
        story_event(&story, "send", 0, i, 1,
                    i % 100 ? "peer=1 n=1 bytes=5 eager=1" : "peer=1 n=1 bytes=50 eager=1");
    story_finish(&story);
    assert_int_equal(10, story.stats.unmatched);
    assert_in_range(story.stats.most_live, 10, 12);
    story_free(&story);
}

/* What the rules of one's own leave over is not counted as unmatched. */
static void test_unmatched_of_own_rules(void **state)
{
    for (int extra = 0; extra < 2; extra++) {
        struct story story;

        (void)state;
        story_begin(
            &story, "declare composite event message " PAIR "parameters(s = s);\n", "own",
            "declare composite event pair member(send as s, send as r) when s.n == r.n + 1\n"
            "parameters();\n" WAITS(
                "pair",
                "1 ns") "declare composite event all_recv member(all recv as r by r.process expect 3)\n"
                        "parameters(first = min(r.t), least = at_min(r.t, r));\n"
                        "declare problem for all_recv parameters(name = \"x\", advice = \"x\",\n"
                        "    duration = first, waiting = least);\n",
            NULL);
        story.kb.scopes[1]->extra = extra;
        story_event(&story, "send", 0, 10, 1, "peer=1 n=1");
        story_event(&story, "recv", 1, 20, 1, "peer=0 n=1");
        story_event(&story, "send", 0, 30, 1, "peer=1 n=5");
        story_finish(&story);
        assert_int_equal(extra ? 1 : 3, story.stats.unmatched);
        story_free(&story);
    }
}

/* A stream cut into pieces: the last piece may stay short, and misses nothing. */
static void test_every(void **state)
{
    static const char *const rules[] = {"expect", "every"};
    static const uint64_t unmatched[] = {1, 0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct story story;
        char text[512];
        snprintf(text, sizeof text,
                 "declare composite event pieces member(all send as s by s.process %s 2)\n"
                 "parameters(cost = sum(s.d), first = at_min(s.t, s));\n"
                 "declare problem for pieces parameters(name = \"x\", advice = \"x\",\n"
                 "    duration = cost, waiting = first);\n",
                 rules[i]);
        story_begin(&story, "", "small", text, NULL);
        for (int t = 10; t <= 50; t += 10)
            story_event(&story, "send", 0, t, 3, "peer=1");
        story_finish(&story);
        story_expect(&story, "small#0 6 from 10 waits 0/10 in first@0/10\n"
                             "small#0 6 from 30 waits 0/30 in first@0/30\n");
        assert_int_equal(unmatched[i], story.stats.unmatched);
        story_free(&story);
    }
}

static void test_many_messages(void **state)
{
    struct story story;

    (void)state;
    story_begin(&story,
                "declare composite event message " PAIR
                "parameters(s = s, r = r, wait = s.t - r.t, clock_violation = s.t > r.end);\n",
                "late",
                "declare problem for message when wait > 0 parameters(name = \"x\", advice = \"x\",\n"
                "    duration = min(wait, 1 s), waiting = r, cause = s);\n",
                NULL);
    story.quiet = true;
    for (int i = 0; i < 50000; i++) {
        char params[64];
        snprintf(params, sizeof params, "peer=1 n=%d", i + 1);
        story_event(&story, "send", 0, 10 * i + i % 2 * 20, 5, params);
        snprintf(params, sizeof params, "peer=0 n=%d", i + 1);
        story_event(&story, "recv", 1, 10 * i + 10, 5, params);
    }
    story_finish(&story);
    assert_int_equal(100000, story.stats.events);
    assert_int_equal(50000, story.stats.composites);
    assert_int_equal(25000, story.findings);
    assert_int_equal(25000, story.stats.clock_violations);
    assert_int_equal(0, story.stats.unmatched);
    assert_in_range(story.stats.most_live, 3, 3);
    story_free(&story);
}

/* Messages by a number that is counted in their channel, which comes out of order, doubled, far away or
 * never. */
#define CHANNEL_RULES                                                                                        \
    "declare composite event message member(send as s, recv as r)\n"                                         \
    "when s.process == r.peer and s.peer == r.process and s.tag == r.tag and s.n == r.n\n"                   \
    "parameters(s = s, r = r, n = s.n);\n"                                                                   \
    "declare problem for message parameters(name = \"x\", advice = \"x\", duration = 1 ns * n + 1 ns,\n"     \
    "    waiting = r, cause = s);\n"

static void send_numbered(struct story *story, int64_t t, int64_t n)
{
    char params[64];
    snprintf(params, sizeof params, "peer=1 n=%" PRId64, n);
    story_event(story, "send", 0, t, 1, params);
}

static void receive_numbered(struct story *story, int64_t t, int64_t n)
{
    char params[64];
    snprintf(params, sizeof params, "peer=0 n=%" PRId64, n);
    story_event(story, "recv", 1, t, 1, params);
}

static void test_numbers_in_disorder(void **state)
{
    static const int64_t sent[] = {5, 3, 4, 4, 9, 1, 2, INT64_MAX - 5, 4, 700, 0, INT64_MIN, -1};
    static const int64_t received[] = {4, 2, 1, 4, INT64_MAX - 5, 700, 4, 5, 4, 3, -1, 0, 8, INT64_MIN};
    static const size_t partner[] = {2, 6, 5, 3, 7, 9, 8, 0, SIZE_MAX, 1, 12, 10, SIZE_MAX, 11};
    struct story story;
    struct ws_text expected = {0};

    (void)state;
    story_begin(&story, NULL, "late", CHANNEL_RULES, NULL);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        send_numbered(&story, 10 * (int64_t)i, sent[i]);
    for (size_t i = 0; i < sizeof received / sizeof *received; i++) {
        receive_numbered(&story, 1000 + 10 * (int64_t)i, received[i]);
        if (partner[i] < SIZE_MAX && received[i] >= 0)
            ws_text_printf(&expected,
                           "late#0 %" PRId64 " from %zu waits 1/%zu cause 0/%zu in s@0/%zu r@1/%zu\n",
                           received[i] + 1, 1000 + 10 * i, 1000 + 10 * i, 10 * partner[i], 10 * partner[i],
                           1000 + 10 * i);
    }
    story_finish(&story);
    assert_string_equal(ws_text_string(&story.log), ws_text_string(&expected));
    assert_int_equal(12, story.stats.composites);
    assert_int_equal(3, story.stats.unmatched);
    ws_text_free(&expected);
    story_free(&story);
}

/* Many are under way, which the other side takes from the first, from the last, or in a jumble; then the
 * channel goes on. */
static void test_many_under_way(void **state)
{
    enum { COUNT = 1000 };
    struct story story;
    int64_t n = 0;

    (void)state;
    story_begin(&story, NULL, "late", CHANNEL_RULES, NULL);
    story.quiet = true;
    for (int way = 0; way < 6; way++, n += COUNT) {
        for (int64_t i = 0; i < COUNT; i++)
            send_numbered(&story, n + i, n + (way < 3 ? i : i * 7 % COUNT));
        for (int64_t i = 0; i < COUNT; i++)
            receive_numbered(&story, n + COUNT + i,
                             n + (way % 3 == 0   ? i
                                  : way % 3 == 1 ? COUNT - 1 - i
                                                 : i * 13 % COUNT));
    }
    story_finish(&story);
    assert_int_equal(6 * COUNT, story.stats.composites);
    assert_int_equal(6 * COUNT, story.findings);
    assert_int_equal(0, story.stats.unmatched);
    assert_in_range(story.stats.most_live, COUNT, COUNT + 2);
    story_free(&story);
}

/* An engine that works for some scopes only finds and counts what is theirs. */
static void test_wanted_scopes(void **state)
{
    static const bool wanted[][3] = {{true, true, false}, {false, true, false}, {false, false, true}};
    static const char *const found[] = {"one#0 20 from 10 waits 1/10 cause 0/30 in s@0/30 r@1/10\n",
                                        "one#0 20 from 10 waits 1/10 cause 0/30 in s@0/30 r@1/10\n",
                                        "two#0 30 from 30 waits 0/30 in s@0/30\n"};
    static const uint64_t built[] = {1, 0, 1}, unmatched[] = {1, 0, 0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct story story;
        story_begin(&story, "declare composite event message " PAIR "parameters(wait = s.t - r.t);\n", "one",
                    "declare problem for message parameters(name = \"x\", advice = \"x\", duration = wait,\n"
                    "    waiting = r, cause = s);\n",
                    "two",
                    "declare composite event alone member(send as s) parameters();\n"
                    "declare problem for alone parameters(name = \"x\", advice = \"x\",\n"
                    "    duration = 30 ns, waiting = s);\n",
                    NULL);
        story.engine->ops->destroy(story.engine);
        story.wanted = wanted[i];
        story_start_engine(&story);
        story_event(&story, "send", 0, 30, 5, "peer=1 n=1");
        story_event(&story, "recv", 1, 10, 30, "peer=0 n=1");
        story_event(&story, "recv", 1, 50, 10, "peer=0 n=2");
        story_finish(&story);
        story_expect(&story, found[i]);
        assert_int_equal(story.stats.composites, built[i]);
        assert_int_equal(story.stats.unmatched, unmatched[i]);
        story_free(&story);
    }
}

/* Many problem types that ask the same of an event but for a number or a text: each finds what it would
 * alone. */
static void test_many_scopes(void **state)
{
#define ASKS(condition, duration)                                                                            \
    "declare problem for pair when " condition                                                               \
    " parameters(name = \"x\", advice = \"x\", duration = " duration ", waiting = r);\n"
    static const char *const texts[] = {"", "a", "b", "bc"};
    struct ws_text expected = {0};
    struct story story;

    (void)state;
    story_begin(&story,
                "declare composite event pair " PAIR
                "parameters(r = r, bytes = s.bytes, more = r.bytes, text = s.text, load = s.load);\n",
                "p0", ASKS("bytes - more > 10", "1 ns"), "p1", ASKS("bytes >= more + 20", "1 ns"), "p2",
                ASKS("30 < bytes - more", "1 ns"), "p3", ASKS("bytes - 20 == more", "1 ns"), "p4",
                ASKS("more + 30 == bytes", "1 ns"), "p5", ASKS("text == \"a\"", "1 ns"), "p6",
                ASKS("\"b\" == text and bytes > 0", "1 ns"), "p7",
                ASKS("true", "1 ns * min(bytes - more - 15, 9)"), "p8",
                ASKS("text == \"bc\" or load > 0.5", "1 ns"), "p9",
                ASKS("bytes < more", "clamp(1 ns * (bytes - 1), 0, 7 ns)"), NULL);
    for (int i = 0; i < 40; i++) {
        const int bytes = i, more = i * 7 % 11, over = bytes - more;
        const char *text = texts[i % 4];
        const int durations[] = {over > 10,
                                 over >= 20,
                                 over > 30,
                                 over == 20,
                                 over == 30,
                                 i % 4 == 1,
                                 i % 4 == 2 && bytes > 0,
                                 over - 15 < 9 ? over - 15 : 9,
                                 i % 4 == 3,
                                 over >= 0       ? 0
                                 : bytes - 1 < 7 ? bytes - 1
                                                 : 7};
        char params[96];
        snprintf(params, sizeof params, "peer=1 n=%d bytes=%d text=%s", i + 1, bytes, text);
        story_event(&story, "send", 0, 10 * i, 5, params);
        snprintf(params, sizeof params, "peer=0 n=%d bytes=%d", i + 1, more);
        story_event(&story, "recv", 1, 10 * i + 1, 5, params);
        for (int p = 0; p < 10; p++)
            if (durations[p] > 0)
                ws_text_printf(&expected, "p%d#0 %d from %d waits 1/%d in s@0/%d r@1/%d\n", p, durations[p],
                               10 * i + 1, 10 * i + 1, 10 * i, 10 * i + 1);
    }
    story_end(&story, ws_text_string(&expected), 0);
    ws_text_free(&expected);
#undef ASKS
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_first_come),
        cmocka_unit_test(test_competition),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_one_place),
        cmocka_unit_test(test_used_up_in_the_other_place),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_scopes_do_not_compete),
        cmocka_unit_test(test_common_scope),
        cmocka_unit_test(test_composites_arrive_after),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_group_opens_again),
        cmocka_unit_test(test_group_at_the_end),
        cmocka_unit_test(test_shared_group),
        cmocka_unit_test(test_at_max),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_first_problem_rule),
        cmocka_unit_test(test_first_problem_rule_by_element),
        cmocka_unit_test(test_same_names),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_undefined_aggregates),
        cmocka_unit_test(test_short_circuit),
        cmocka_unit_test(test_forgets_what_cannot_overlap),
        cmocka_unit_test(test_keeps_what_may_match),
        cmocka_unit_test(test_unmatched_of_own_rules),
        cmocka_unit_test(test_every),
        cmocka_unit_test(test_many_messages),
        cmocka_unit_test(test_numbers_in_disorder),
        cmocka_unit_test(test_many_under_way),
        cmocka_unit_test(test_wanted_scopes),
        cmocka_unit_test(test_many_scopes),
    };
    return STORY_RUN(tests);
}
