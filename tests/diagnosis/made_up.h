/* A made-up knowledge base of two problem types, events and call sites, for the tests of this room. */
#ifndef TESTS_DIAGNOSIS_MADE_UP_H
#define TESTS_DIAGNOSIS_MADE_UP_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diagnosis/findings.h"

#include <string.h>

#define MS INT64_C(1000000)

/* ---- rules: "late" has two problem rules, "barrier" one ---- */

enum { SIMPLE_TYPE, COMPOSITE_TYPE };
/* The composite's slots: begin, end, then these. */
enum {
    SLOT_LATE = WS_CATTR_COUNT,
    SLOT_BYTES,
    SLOT_RATIO,
    SLOT_ROOT,
    SLOT_RENDEZVOUS,
    SLOT_RECEIVER,
    SLOT_SENDER,
    SLOT_COUNT
};

static struct ws_param simple_slots[WS_ATTR_COUNT];
static struct ws_event_type simple_type = {
    .name = "send", .index = SIMPLE_TYPE, .slots = simple_slots, .slot_count = WS_ATTR_COUNT};
static struct ws_expr root_value = {
    .op = WS_OP_SLOT, .type = WS_TYPE_INTEGER, .member = 1, .slot = WS_ATTR_PROCESS};
static struct ws_param composite_slots[SLOT_COUNT] = {[SLOT_ROOT] = {.name = "root", .value = &root_value}};
static struct ws_member members[2] = {{.name = "receiver", .type = &simple_type},
                                      {.name = "sender", .type = &simple_type}};
static struct ws_composite_rule composite_rule = {.members = members, .member_count = 2};
static struct ws_event_type composite_type = {.name = "message",
                                              .composite = true,
                                              .index = COMPOSITE_TYPE,
                                              .slots = composite_slots,
                                              .slot_count = SLOT_COUNT,
                                              .attribute_count = WS_CATTR_COUNT,
                                              .rule = &composite_rule};

static struct ws_expr waiting_expr = {.op = WS_OP_SLOT, .type = WS_TYPE_EVENT, .slot = SLOT_RECEIVER};
static struct ws_expr cause_expr = {.op = WS_OP_SLOT, .type = WS_TYPE_EVENT, .slot = SLOT_SENDER};

#define SLOT(number, its_type)                                                                               \
    {                                                                                                        \
        .function = WS_PIECE_RANGE, .attribute = -1, .expr = &(struct ws_expr)                               \
        {                                                                                                    \
            .op = WS_OP_SLOT, .type = (its_type), .slot = (number)                                           \
        }                                                                                                    \
    }
#define OF(event_expr, its_attribute)                                                                        \
    {                                                                                                        \
        .function = WS_PIECE_RANGE, .attribute = (its_attribute), .expr = (event_expr)                       \
    }
#define TEXT(literal)                                                                                        \
    {                                                                                                        \
        .text = (literal), .attribute = -1                                                                   \
    }

static struct ws_piece description_pieces[] = {TEXT("late by "), SLOT(SLOT_LATE, WS_TYPE_TIME)};
static struct ws_piece advice_pieces[] = {TEXT("rank "), OF(&cause_expr, WS_ATTR_PROCESS), TEXT(" at "),
                                          OF(&cause_expr, WS_ATTR_SITE)};
static struct ws_piece other_pieces[] = {TEXT("other advice for "), OF(&waiting_expr, WS_ATTR_FUNCTION)};
static struct ws_piece barrier_pieces[] = {
    TEXT("rank "),
    OF(&cause_expr, WS_ATTR_PROCESS),
    TEXT(" at "),
    OF(&cause_expr, WS_ATTR_SITE),
    TEXT(", ratios of "),
    {.function = WS_PIECE_SUM,
     .attribute = -1,
     .expr = &(struct ws_expr){.op = WS_OP_SLOT, .type = WS_TYPE_REAL, .slot = SLOT_RATIO}}};
static struct ws_template description = {.pieces = description_pieces, .count = 2};
static struct ws_template advice = {.pieces = advice_pieces, .count = 4};
static struct ws_template barrier_advice = {.pieces = barrier_pieces, .count = 6};
static struct ws_template other_advice = {.pieces = other_pieces, .count = 2};

static struct ws_scope scopes[2] = {{.id = "late", .index = 0}, {.id = "barrier", .index = 1}};
static struct ws_problem_rule late_rule = {.scope = &scopes[0],
                                           .on = &composite_type,
                                           .group_member = UINT32_MAX,
                                           .name = "Late",
                                           .description = &description,
                                           .advice = &advice,
                                           .waiting = &waiting_expr,
                                           .cause = &cause_expr};
static struct ws_problem_rule late_other_rule = {.scope = &scopes[0],
                                                 .index = 1,
                                                 .on = &composite_type,
                                                 .group_member = UINT32_MAX,
                                                 .name = "Late, otherwise",
                                                 .description = &description,
                                                 .advice = &other_advice,
                                                 .waiting = &waiting_expr,
                                                 .cause = &cause_expr};
static struct ws_problem_rule barrier_rule = {.scope = &scopes[1],
                                              .on = &composite_type,
                                              .group_member = UINT32_MAX,
                                              .name = "Barrier",
                                              .description = &description,
                                              .advice = &barrier_advice,
                                              .waiting = &waiting_expr,
                                              .cause = &cause_expr};
static struct ws_problem_rule *late_rules[] = {&late_rule, &late_other_rule};
static struct ws_problem_rule *barrier_rules[] = {&barrier_rule};
static struct ws_scope *scope_list[] = {&scopes[0], &scopes[1]};
static struct ws_event_type *type_list[] = {&simple_type, &composite_type};
static struct ws_kb kb = {
    .scopes = scope_list, .scope_count = 2, .types = type_list, .type_count = 2, .simple_count = 1};

/* ---- call sites: 1 and 2 are one line seen from two modules, 3 and 6 in one; 4 and 5 have no debug information
 * ---- */

static const struct ws_site *made_up_site(void *context, int64_t index)
{
    static const struct ws_site sites[] = {
        {"", "", 0, "", 0},
        {"exchange", "/src/jacobi.c", 57, "/bin/jacobi", 0x1234},
        {"exchange", "/src/jacobi.c", 57, "/bin/jacobi2", 0x9999},
        {"main", "/src/jacobi.c", 80, "/bin/jacobi", 0x2000},
        {"", "", 0, "/lib/libsolver.so", 0xabc},
        {"", "", 0, "/lib/libsolver.so", 0xdef},
        {"main", "/src/jacobi.c", 80, "/bin/jacobi", 0x1ff8},
    };
    (void)context;
    return &sites[index >= 0 && index < 7 ? index : 0];
}

/* ---- findings ---- */

struct event_room { /* an event and its slots */
    uint32_t type;
    uint64_t order;
    union ws_value value[WS_ATTR_COUNT]; /* there are more of them than of a composite's slots */
};
_Static_assert(offsetof(struct event_room, value) == offsetof(struct ws_event, value), "laid out alike");

struct story { /* one finding to be */
    const struct ws_problem_rule *rule;
    int64_t rank, from_ns, duration_ns;
    int64_t cause_rank; /* -1: no cause */
    int64_t site, cause_site, cause_posted_site;
    const char *function; /* of the waiting call; NULL: MPI_Recv */
    double ratio;
};

static struct event_room made_up_event(int64_t rank, const char *function, int64_t site, int64_t posted_site)
{
    struct event_room event = {.type = SIMPLE_TYPE};

    event.value[WS_ATTR_PROCESS].i = rank;
    event.value[WS_ATTR_FUNCTION].s = function;
    event.value[WS_ATTR_SITE].i = site;
    event.value[WS_ATTR_POSTED_FUNCTION].s = posted_site == site ? function : "MPI_Isend";
    event.value[WS_ATTR_POSTED_SITE].i = posted_site;
    event.value[WS_ATTR_BEFORE].s = "";
    event.value[WS_ATTR_BEFORE_FUNCTION].s = "";
    return event;
}

static void tell(struct ws_findings *findings, const struct story *story)
{
    int64_t posted_site = story->cause_posted_site ? story->cause_posted_site : story->cause_site;
    struct event_room waiting =
        made_up_event(story->rank, story->function ? story->function : "MPI_Recv", story->site, story->site);
    struct event_room cause = made_up_event(story->cause_rank, "MPI_Send", story->cause_site, posted_site);
    struct event_room composite = {.type = COMPOSITE_TYPE};
    struct ws_action actions[] = {{"receiver", (struct ws_event *)&waiting},
                                  {"sender", (struct ws_event *)&cause}};
    struct ws_finding finding = {.rule = story->rule,
                                 .duration_ns = story->duration_ns,
                                 .from_ns = story->from_ns,
                                 .composite = (struct ws_event *)&composite,
                                 .waiting = (struct ws_event *)&waiting,
                                 .actions = actions};

    finding.cause = story->cause_rank < 0 ? NULL : (struct ws_event *)&cause;
    finding.action_count = story->cause_rank < 0 ? 1 : 2;
    composite.value[SLOT_LATE].i = story->duration_ns;
    composite.value[SLOT_RATIO].r = story->ratio;
    composite.value[SLOT_RECEIVER].e = finding.waiting;
    composite.value[SLOT_SENDER].e = finding.cause;
    ws_findings_add(findings, &finding);
}

static inline void begin_findings(struct ws_findings *findings)
{
    scopes[0].problems = late_rules;
    scopes[0].problem_count = 2;
    scopes[1].problems = barrier_rules;
    scopes[1].problem_count = 1;
    ws_findings_init(findings, &kb, (struct ws_site_source){made_up_site, NULL});
    findings->reaches.of_type[SIMPLE_TYPE] = WS_REACH_CALL;
}

static inline void tell_all(struct ws_findings *findings, const struct story *stories, size_t count)
{
    begin_findings(findings);
    for (size_t i = 0; i < count; i++)
        tell(findings, &stories[i]);
}

#define TELL(findings, stories) tell_all(findings, stories, sizeof(stories) / sizeof *(stories))

#endif
