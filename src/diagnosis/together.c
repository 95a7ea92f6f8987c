#include "diagnosis/together.h"

#include "diagnosis/rounds.h"
#include "util/alloc.h"
#include "util/pack.h"

#include <stdlib.h>

struct member {
    struct ws_together *together;
    struct ws_team *team;
    struct ws_owners owners;
    struct ws_partition partition;
    struct ws_rounds rounds;
    const char *directory;
    void (*progress)(double share, void *context);
    void *progress_context;
    struct ws_text *parts, *received; /* [member] */
};

/* ---- the trace ---- */

/* Member 0 looks, the others hear of it. */
static int share_ranks(struct member *member, struct ws_error *error)
{
    struct ws_owners *owners = &member->owners;
    size_t count = (size_t)member->team->size + 1;
    struct ws_text bytes = {0};
    int result = 0;

    owners->members = member->team->size;
    owners->first = ws_alloc_array(count, sizeof *owners->first);
    if (member->team->rank == 0)
        result = ws_trace_split(member->directory, owners->members, owners->first, error);
    if (ws_team_agree(member->team, result, error) != 0)
        return -1;
    ws_text_add(&bytes, (const char *)owners->first, count * sizeof *owners->first);
    ws_team_broadcast(member->team, 0, &bytes);
    memcpy(owners->first, bytes.bytes, count * sizeof *owners->first);
    ws_text_free(&bytes);
    return 0;
}

static void pack_facts(void *trace, struct ws_text *out)
{
    ws_trace_pack(trace, out);
}

static int unpack_facts(void *trace, const struct ws_text *in, struct ws_error *error)
{
    return ws_trace_unpack(trace, in, error);
}

static int open_trace(struct member *member, const struct ws_schema *schema, struct ws_error *error)
{
    const uint32_t *first = member->owners.first, rank = member->team->rank;
    struct ws_trace *trace =
        ws_trace_open_part(member->directory, schema, first[rank], first[rank + 1], error);
    int result = trace ? 0 : -1;

    member->together->trace = trace;
    if (ws_team_agree(member->team, result, error) != 0 ||
        ws_team_merge(member->team, pack_facts, unpack_facts, trace, error) != 0)
        return -1;
    if (rank == 0)
        result = ws_trace_conclude(trace, member->directory, error);
    return ws_team_agree(member->team, result, error);
}

/* ---- findings come to the owner of the rank that waits ---- */

struct wanted {
    const struct ws_owners *owners;
    uint32_t member;
};

static bool is_wanted(void *context, uint32_t rank)
{
    const struct wanted *wanted = context;
    return ws_owner(wanted->owners, rank) == wanted->member;
}

static void clear_parts(struct member *member)
{
    for (uint32_t m = 0; m < member->team->size; m++)
        ws_text_clear(&member->parts[m]);
}

static int bring_home(struct member *member, struct ws_error *error)
{
    struct ws_findings *findings = &member->together->findings;
    int result = 0;

    clear_parts(member);
    for (uint32_t m = 0; m < member->team->size; m++) {
        struct wanted wanted = {&member->owners, m};
        if (m != member->team->rank)
            ws_findings_take(findings, is_wanted, &wanted, &member->parts[m]);
    }
    ws_team_exchange(member->team, member->parts, member->received);
    for (uint32_t m = 0; m < member->team->size && result == 0; m++)
        if (member->received[m].length)
            result = ws_findings_merge(findings, &member->received[m], error);
    return result;
}

/* ---- settling while the analysis goes on ---- */

static void see_held(void *context, const struct ws_held *held)
{
    struct member *member = context;
    struct ws_text *part = &member->parts[ws_owner(&member->owners, held->rank)];

    ws_text_add(part, (const char *)held, sizeof *held);
}

/* Each owner gets what engines anywhere hold of its ranks. */
static void tell_held(struct member *member)
{
    clear_parts(member);
    for (size_t u = 0; u < member->partition.unit_count; u++) {
        const struct ws_engine *engine = member->rounds.engines[u];
        if (engine)
            engine->ops->held(engine, see_held, member);
    }
    ws_team_exchange(member->team, member->parts, member->received);
}

struct sight {
    struct member *member;
    int64_t low_ns;
};

static int64_t low_of_rank(void *context, uint32_t rank)
{
    (void)rank;
    return ((const struct sight *)context)->low_ns;
}

static void held_of_ranks(void *context, ws_see_held *see, void *to)
{
    const struct member *member = ((const struct sight *)context)->member;

    for (uint32_t m = 0; m < member->team->size; m++)
        for (size_t at = 0; at + sizeof(struct ws_held) <= member->received[m].length;
             at += sizeof(struct ws_held)) {
            struct ws_held held;
            memcpy(&held, member->received[m].bytes + at, sizeof held);
            see(to, &held);
        }
}

static int settle(struct member *member, int64_t low_ns, struct ws_error *error)
{
    struct sight sight = {member, low_ns};
    const struct ws_horizon horizon = {low_of_rank, held_of_ranks, &sight};
    int result = bring_home(member, error);

    tell_held(member);
    if (result == 0)
        ws_findings_settle(&member->together->findings, &horizon);
    return result;
}

static int after_round(void *context, int64_t low_ns, int64_t until_ns, struct ws_error *error)
{
    struct member *member = context;
    int64_t due = member->rounds.ops->held && ws_findings_due(&member->together->findings) ? -1 : 0;

    if (member->progress && until_ns != INT64_MAX)
        member->progress(ws_share_before(ws_trace_info(member->together->trace), until_ns),
                         member->progress_context);
    ws_team_least(member->team, &due, 1);
    return due < 0 && until_ns != INT64_MAX ? settle(member, low_ns, error) : 0;
}

/* ---- what it comes to ---- */

static void pack_findings(void *findings, struct ws_text *out)
{
    ws_findings_pack(findings, out);
}

static int unpack_findings(void *findings, const struct ws_text *in, struct ws_error *error)
{
    return ws_findings_merge(findings, in, error);
}

static int conclude(struct member *member, struct ws_error *error)
{
    struct ws_together *together = member->together;
    int64_t untranslated = (int64_t)ws_trace_untranslated(together->trace);
    int result = bring_home(member, error);

    if (ws_team_agree(member->team, result, error) != 0)
        return -1;
    ws_findings_settle(&together->findings, NULL);
    ws_team_sum(member->team, &untranslated, 1);
    if (member->team->rank == 0)
        ws_trace_tell_untranslated(together->trace, (uint64_t)untranslated);
    return ws_team_merge(member->team, pack_findings, unpack_findings, &together->findings, error);
}

/* ---- all of it ---- */

static int analyse(struct member *member, const struct ws_kb *kb, const struct ws_engine_ops *ops,
                   struct ws_error *error)
{
    struct ws_together *together = member->together;

    ws_partition_init(&member->partition, kb, false);
    member->rounds = (struct ws_rounds){.team = member->team,
                                        .trace = together->trace,
                                        .owners = &member->owners,
                                        .partition = &member->partition,
                                        .ops = ops,
                                        .sink = {.found = ws_findings_add, .context = &together->findings},
                                        .after = after_round,
                                        .context = member};
    ws_findings_init(&together->findings, kb, ws_sites_of(together->trace));
    return ws_rounds_run(&member->rounds, &together->stats, error);
}

int ws_together_run(struct ws_together *together, const char *directory, const struct ws_kb *kb,
                    const struct ws_schema *schema, const struct ws_engine_ops *ops,
                    const struct ws_diagnosis_options *options, struct ws_error *error)
{
    struct ws_team *team = options->team;
    struct member member = {.together = together,
                            .team = team,
                            .directory = directory,
                            .progress = team->rank == 0 ? options->progress : NULL,
                            .progress_context = options->context};
    int result;

    *together = (struct ws_together){0};
    member.parts = ws_alloc_array(team->size, sizeof *member.parts);
    member.received = ws_alloc_array(team->size, sizeof *member.received);
    result = share_ranks(&member, error);
    if (result == 0)
        result = open_trace(&member, schema, error);
    if (result == 0)
        result = analyse(&member, kb, ops, error);
    if (result == 0)
        result = conclude(&member, error);
    for (uint32_t m = 0; m < team->size; m++) {
        ws_text_free(&member.parts[m]);
        ws_text_free(&member.received[m]);
    }
    free(member.parts);
    free(member.received);
    free(member.owners.first);
    ws_partition_free(&member.partition);
    return result;
}

void ws_together_free(struct ws_together *together)
{
    if (together->findings.kb)
        ws_findings_free(&together->findings);
    ws_trace_close(together->trace);
    *together = (struct ws_together){0};
}
