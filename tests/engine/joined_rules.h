/* Rules that join as people write them, put together by chance. */
#ifndef WS_TESTS_JOINED_RULES_H
#define WS_TESTS_JOINED_RULES_H

#include "random_rules.h"

static const char *const joined[] = {
    "declare composite event pair member(send as s, recv as r) when s.process == r.peer and s.peer == "
    "r.process and s.tag == r.tag and s.n == r.n\nparameters(from = s.process, to = r.process, tag = r.tag, "
    "s = s, r = r, clock_violation = s.t > r.end);\n",
    "declare composite event seen member(shared send as s, recv as r) when s.peer == r.process and s.n == "
    "r.n\nparameters(to = s.peer, n = s.n, s = s, r = r);\n",
    "declare composite event meeting member(all meet as m by m.comm, m.n expect 3)\n"
    "parameters(comm = m.comm, n = m.n, last = at_max(m.t, m), sum = sum(m.d));\n",
    "declare composite event held member(lock as l, unlock as u) when l.process == u.process and l.window == "
    "u.window\nparameters(window = l.window, process = u.process, l = l, u = u);\n",
    "declare composite event many member(all send as s by s.process, s.peer where s.bytes < 3)\n"
    "when count(s) > 2 parameters(who = s.process, first = at_min(s.t, s), cost = sum(s.d));\n",
    "declare composite event everything member(all recv as s by s.tag)\n"
    "when count(s) > 2 parameters(tag = s.tag, first = at_min(s.t, s));\n",
};
static const char *const built[] = {
    "declare composite event next_pair member(shared pair as a, pair as b) when a.to == b.from and a.tag == "
    "b.tag\nparameters(s = a.s, r = b.r, d = 5 ns);\n",
    "declare composite event answered member(pair as a, meet as m) when a.to == m.process\n"
    "parameters(s = a.s, r = m, d = 6 ns);\n",
    "declare composite event contended member(shared held as a, shared held as b) when a.window == b.window "
    "and a.process != b.process and overlaps(a, b)\nparameters(s = a.l, r = b.l, d = 7 ns);\n",
    "declare composite event alike member(meeting as a, meeting as b) when a.sum == b.sum and a.comm == "
    "b.comm\nparameters(s = a.last, r = b.last, d = 8 ns);\n",
    "declare composite event by_sender member(all pair as p by p.from expect 2)\n"
    "parameters(s = at_min(p.begin, p.s), r = at_max(p.begin, p.r), d = 9 ns);\n",
    "declare composite event once member(pair as a) when a.tag < 2 parameters(s = a.s, r = a.r, d = 10 "
    "ns);\n",
    "declare composite event twice member(seen as a, unlock as u) when a.to == u.process and a.n == "
    "u.window\n"
    "parameters(s = a.s, r = u, d = 11 ns);\n",
};
static const char *const names[] = {"next_pair", "answered", "contended", "alike",
                                    "by_sender", "once",     "twice"};

static void write_scope(struct random *random, struct ws_text *out)
{
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (chance(random, 50))
            ws_text_puts(out, joined[i]);
    ws_text_puts(out, "");
}

/* Only what has its members is taken. */
static void write_built(struct random *random, const char *common, struct ws_text *out)
{
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        struct ws_text rule = {0}, report = {0}, all = {0};
        const char *ids[] = {"one"};
        struct ws_kb kb;
        ws_text_printf(&rule,
                       "%sdeclare problem for %s parameters(name = \"x\", advice = \"x\", duration = d, "
                       "waiting = r, cause = s);\n",
                       built[i], names[i]);
        ws_text_printf(&all, "%s%s", ws_text_string(out), rule.bytes);
        if (chance(random, 60) && story_load(&kb, common, ids, (const char *[]){all.bytes}, 1, &report)) {
            ws_text_puts(out, rule.bytes);
            ws_kb_free(&kb);
        }
        ws_text_free(&rule);
        ws_text_free(&report);
        ws_text_free(&all);
    }
}

/* Loads a knowledge base of them. */
static void load_joined(struct random *random, struct ws_kb *kb)
{
    struct ws_text common = {0}, scopes[2] = {{0}}, report = {0};
    const char *ids[] = {"one", "two"}, *texts[2];

    write_scope(random, &common);
    for (size_t i = 0; i < 2; i++) {
        if (chance(random, 30) && !common.length)
            write_scope(random, &scopes[i]);
        write_built(random, ws_text_string(&common), &scopes[i]);
        texts[i] = ws_text_string(&scopes[i]);
    }
    if (!story_load(kb, ws_text_string(&common), ids, texts, 2, &report))
        fail_msg("%s", report.bytes);
    for (size_t i = 0; i < 2; i++)
        ws_text_free(&scopes[i]);
    ws_text_free(&common);
    ws_text_free(&report);
}

#endif
