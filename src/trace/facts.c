#include "trace/facts.h"

#include "trace/layout.h"
#include "trace/map.h"
#include "util/alloc.h"
#include "util/pack.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- collecting ---- */

void ws_facts_add_file(struct ws_facts *facts, struct ws_file_facts file)
{
    if (facts->file_count <= WS_MOST_WARNINGS)
        WS_PUSH(facts->files, facts->file_count, facts->file_capacity) = file;
}

void ws_facts_add_damage(struct ws_facts *facts, const char *text)
{
    if (facts->damage_count <= WS_MOST_WARNINGS)
        WS_PUSH(facts->damages, facts->damage_count, facts->damage_capacity) = text;
}

void ws_facts_add_module(struct ws_facts *facts, const char *path)
{
    for (size_t i = 0; i < facts->module_count; i++)
        if (facts->modules[i] == path)
            return;
    WS_PUSH(facts->modules, facts->module_count, facts->module_capacity) = path;
}

/* One entry for each place and function, wherever it was called. */
void ws_facts_add_counted(struct ws_facts *facts, const struct ws_counted *counted)
{
    struct ws_counted *found;
    size_t i = 0;

    for (; i < facts->counted_count; i++)
        if (facts->counted[i].function == counted->function && facts->counted[i].module == counted->module &&
            facts->counted[i].offset == counted->offset)
            break;
    if (i == facts->counted_count) {
        WS_PUSH(facts->counted, facts->counted_count, facts->counted_capacity) = *counted;
        return;
    }
    found = &facts->counted[i];
    found->calls += counted->calls;
    found->bytes += counted->bytes;
    found->total_ns += counted->total_ns;
    if (counted->longest_ns > found->longest_ns)
        found->longest_ns = counted->longest_ns;
}

void ws_facts_free(struct ws_facts *facts)
{
    free(facts->counted);
    for (size_t i = 0; i < facts->rank_count; i++)
        free((void *)facts->ranks[i].rank.phases);
    free(facts->ranks);
    free(facts->files);
    free(facts->damages);
    free(facts->modules);
    *facts = (struct ws_facts){0};
}

/* ---- packing; texts that many ranks share are packed once ---- */

struct texts {
    struct ws_map by_address; /* -> number + 1 */
    const char **list;
    size_t count, capacity;
};

static uint64_t number_of(struct texts *texts, const char *text)
{
    uint64_t number = ws_map_get(&texts->by_address, (uintptr_t)text);

    if (!number) {
        WS_PUSH(texts->list, texts->count, texts->capacity) = text;
        number = texts->count;
        ws_map_put(&texts->by_address, (uintptr_t)text, number);
    }
    return number - 1;
}

static void pack_rank(struct texts *texts, const struct ws_rank_facts *facts, struct ws_text *out)
{
    struct ws_rank_facts copy = *facts;

    copy.rank.host = copy.library = copy.executable = NULL;
    copy.rank.phases = NULL;
    ws_text_add(out, (const char *)&copy, sizeof copy);
    ws_pack_u64(out, number_of(texts, facts->rank.host));
    ws_pack_u64(out, number_of(texts, facts->library ? facts->library : ""));
    ws_pack_u64(out, number_of(texts, facts->executable ? facts->executable : ""));
    for (size_t i = 0; i < facts->rank.phase_count; i++) {
        ws_pack_u64(out, (uint64_t)facts->rank.phases[i].begin_ns);
        ws_pack_u64(out, number_of(texts, facts->rank.phases[i].name));
    }
}

static void pack_counted(const struct ws_counted *counted, struct ws_text *out)
{
    ws_pack_text(out, counted->function);
    ws_pack_text(out, counted->module);
    ws_pack_u64(out, counted->offset);
    ws_pack_u64(out, counted->calls);
    ws_pack_u64(out, counted->bytes);
    ws_pack_u64(out, counted->total_ns);
    ws_pack_u64(out, counted->longest_ns);
}

void ws_facts_pack(const struct ws_facts *facts, struct ws_text *out)
{
    struct texts texts = {0};
    struct ws_text ranks = {0};

    for (size_t i = 0; i < facts->rank_count; i++)
        pack_rank(&texts, &facts->ranks[i], &ranks);
    ws_pack_u64(out, texts.count);
    for (size_t i = 0; i < texts.count; i++)
        ws_pack_text(out, texts.list[i]);
    ws_pack_u64(out, facts->rank_count);
    ws_text_add(out, ws_text_string(&ranks), ranks.length);
    ws_pack_u64(out, facts->file_count);
    for (size_t i = 0; i < facts->file_count; i++) {
        ws_pack_text(out, facts->files[i].name);
        ws_pack_text(out, facts->files[i].text);
        ws_pack_u64(out, facts->files[i].stream);
    }
    ws_pack_u64(out, facts->damage_count);
    for (size_t i = 0; i < facts->damage_count; i++)
        ws_pack_text(out, facts->damages[i]);
    ws_pack_u64(out, facts->module_count);
    for (size_t i = 0; i < facts->module_count; i++)
        ws_pack_text(out, facts->modules[i]);
    ws_pack_u64(out, facts->counted_count);
    for (size_t i = 0; i < facts->counted_count; i++)
        pack_counted(&facts->counted[i], out);
    ws_pack_u64(out, facts->untranslated);
    ws_pack_u64(out, facts->overlaps);
    ws_text_free(&ranks);
    ws_map_free(&texts.by_address);
    free(texts.list);
}

static const char *text_of(const char *const *texts, size_t count, struct ws_unpack *in)
{
    uint64_t number = ws_unpack_u64(in);

    return number < count ? texts[number] : "";
}

static void unpack_phases(struct ws_trace_rank *rank, const char *const *texts, size_t count,
                          struct ws_unpack *in)
{
    size_t left = rank->phase_count;
    struct ws_phase *phases = NULL;
    size_t capacity = 0;

    for (rank->phase_count = 0; left > 0 && !in->broken; left--) {
        struct ws_phase phase = {.begin_ns = (int64_t)ws_unpack_u64(in)};
        phase.name = text_of(texts, count, in);
        WS_PUSH(phases, rank->phase_count, capacity) = phase;
    }
    rank->phases = phases;
}

static void unpack_ranks(struct ws_facts *facts, const char *const *texts, size_t count, struct ws_unpack *in)
{
    for (uint64_t i = ws_unpack_u64(in); i > 0 && !in->broken; i--) {
        struct ws_rank_facts rank;
        const char *bytes = ws_unpack_bytes(in, sizeof rank);
        if (!bytes)
            return;
        memcpy(&rank, bytes, sizeof rank);
        rank.rank.host = text_of(texts, count, in);
        rank.library = text_of(texts, count, in);
        rank.executable = text_of(texts, count, in);
        unpack_phases(&rank.rank, texts, count, in);
        WS_PUSH(facts->ranks, facts->rank_count, facts->rank_capacity) = rank;
    }
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct ws_file_facts *)left)->name, ((const struct ws_file_facts *)right)->name);
}

static void unpack_files(struct ws_facts *facts, struct ws_unpack *in)
{
    for (uint64_t i = ws_unpack_u64(in); i > 0 && !in->broken; i--) {
        struct ws_file_facts file;
        file.name = ws_strings_get(facts->strings, ws_unpack_text(in));
        file.text = ws_strings_get(facts->strings, ws_unpack_text(in));
        file.stream = ws_unpack_u64(in) != 0;
        WS_PUSH(facts->files, facts->file_count, facts->file_capacity) = file;
    }
    if (facts->file_count)
        qsort(facts->files, facts->file_count, sizeof *facts->files, by_name);
}

static void unpack_counted(struct ws_facts *facts, struct ws_unpack *in)
{
    struct ws_counted counted;

    counted.function = ws_strings_get(facts->strings, ws_unpack_text(in));
    counted.module = ws_strings_get(facts->strings, ws_unpack_text(in));
    counted.offset = ws_unpack_u64(in);
    counted.calls = ws_unpack_u64(in);
    counted.bytes = ws_unpack_u64(in);
    counted.total_ns = ws_unpack_u64(in);
    counted.longest_ns = ws_unpack_u64(in);
    if (!in->broken)
        ws_facts_add_counted(facts, &counted);
}

int ws_facts_unpack(struct ws_facts *facts, const struct ws_text *bytes, struct ws_error *error)
{
    struct ws_unpack in = ws_unpack_begin(bytes);
    uint64_t count = ws_unpack_u64(&in);
    const char **texts = ws_alloc_array(count <= in.left ? count : 0, sizeof *texts);

    for (uint64_t i = 0; i < count && !in.broken; i++)
        texts[i] = ws_strings_get(facts->strings, ws_unpack_text(&in));
    unpack_ranks(facts, texts, in.broken ? 0 : count, &in);
    unpack_files(facts, &in);
    for (uint64_t i = ws_unpack_u64(&in); i > 0 && !in.broken; i--)
        ws_facts_add_damage(facts, ws_strings_get(facts->strings, ws_unpack_text(&in)));
    for (uint64_t i = ws_unpack_u64(&in); i > 0 && !in.broken; i--)
        ws_facts_add_module(facts, ws_strings_get(facts->strings, ws_unpack_text(&in)));
    for (uint64_t i = ws_unpack_u64(&in); i > 0 && !in.broken; i--)
        unpack_counted(facts, &in);
    facts->untranslated += ws_unpack_u64(&in);
    facts->overlaps += ws_unpack_u64(&in);
    free(texts);
    return in.broken ? ws_fail(error, WS_ENVIRONMENT, "what a member tells of its ranks is cut off") : 0;
}

/* ---- what is known about the trace ---- */

/* The longest first, then by content: no order that the number of readers decides. */
static int by_time(const void *left, const void *right)
{
    const struct ws_counted *a = left, *b = right;
    int order = ws_three_way(b->total_ns, a->total_ns);

    if (order == 0)
        order = strcmp(a->module, b->module);
    if (order == 0)
        order = ws_three_way(a->offset, b->offset);
    return order ? order : strcmp(a->function, b->function);
}

void ws_facts_describe(struct ws_facts *facts, struct ws_trace_info *info)
{
    struct ws_trace_rank *ranks;

    if (facts->counted_count)
        qsort(facts->counted, facts->counted_count, sizeof *facts->counted, by_time);
    info->counted = facts->counted;
    info->counted_count = facts->counted_count;

    info->library = info->executable = "";
    for (size_t i = 0; i < facts->rank_count; i++) {
        const struct ws_rank_facts *rank = &facts->ranks[i];
        info->ranks = rank->size > info->ranks ? rank->size : info->ranks;
        info->ranks = rank->rank.rank + 1 > info->ranks ? rank->rank.rank + 1 : info->ranks;
        info->incomplete += rank->incomplete;
        info->clocks = rank->clock > info->clocks ? rank->clock : info->clocks;
        if (rank->clock_error_ns > info->clock_error_ns)
            info->clock_error_ns = rank->clock_error_ns;
        if (rank->begun && !*info->library && !*info->executable) {
            info->library = rank->library;
            info->executable = rank->executable;
        }
    }
    info->rank = ranks = ws_alloc_array(info->ranks, sizeof *ranks);
    for (uint32_t r = 0; r < info->ranks; r++) {
        ranks[r].rank = r;
        ranks[r].host = "";
    }
    for (size_t i = 0; i < facts->rank_count; i++)
        ranks[facts->ranks[i].rank.rank] = facts->ranks[i].rank;
}

/* ---- what is wrong with it ---- */

/* Ranks without a stream, and which were to have one. */
struct absence {
    const struct ws_trace_rank *ranks;
    const char *only;
};

static bool was_wanted(const struct absence *absence, uint32_t rank)
{
    return !*absence->only || ws_rank_is_listed(absence->only, rank);
}

static int is_missing(const void *absence, uint32_t rank)
{
    const struct absence *of = absence;
    return !of->ranks[rank].present && was_wanted(of, rank);
}

static int is_left_out(const void *absence, uint32_t rank)
{
    const struct absence *of = absence;
    return !of->ranks[rank].present && !was_wanted(of, rank);
}

static int is_unfinished(const void *ranks, uint32_t rank)
{
    const struct ws_trace_rank *entry = (const struct ws_trace_rank *)ranks + rank;
    return entry->present && !entry->finished;
}

static int has_lost(const void *ranks, uint32_t rank)
{
    return ((const struct ws_trace_rank *)ranks)[rank].lost != 0;
}

static void warn_ranks(const struct ws_facts *facts, const struct ws_trace_info *info, const char *only,
                       struct ws_warnings *warnings)
{
    struct ws_arena *arena = &warnings->arena;
    const bool growing = facts->growing;
    const struct absence absence = {info->rank, only};
    const char *missing = growing ? NULL : ws_rank_list(arena, facts->process, info->ranks, is_missing, &absence);
    const char *left_out = ws_rank_list(arena, facts->process, info->ranks, is_left_out, &absence);
    const char *unfinished = growing ? NULL : ws_rank_list(arena, facts->process, info->ranks, is_unfinished, info->rank);
    const char *losers = ws_rank_list(arena, facts->process, info->ranks, has_lost, info->rank);

    if (missing)
        ws_warn(warnings,
                "%s left no readable stream: what the others waited for there is not known; if they ran on a "
                "node that sees another folder under this name, copy what is in its ctf/ to ctf/ here",
                missing);
    if (left_out)
        ws_warn(warnings, "%s left out of the recording (--only): what the others waited for there is not known",
                left_out);
    if (unfinished)
        ws_warn(warnings, "%s did not reach %s: read up to the last recorded call", unfinished, facts->end);
    if (losers)
        ws_warn(warnings, "the recorder had to discard records of %s", losers);
}

/* A question about the facts of a rank. */
struct about_rank {
    const struct ws_facts *facts;
    bool (*holds)(const struct ws_rank_facts *rank);
};

static int compare_rank(const void *rank, const void *facts)
{
    return ws_three_way(*(const uint32_t *)rank, ((const struct ws_rank_facts *)facts)->rank.rank);
}

static int holds_for(const void *context, uint32_t rank)
{
    const struct about_rank *about = context;
    const struct ws_rank_facts *found = bsearch(&rank, about->facts->ranks, about->facts->rank_count,
                                                sizeof *about->facts->ranks, compare_rank);

    return found && about->holds(found);
}

static bool is_aligned_by_wall(const struct ws_rank_facts *rank)
{
    return rank->clock && rank->alignment == WS_ALIGNED_BY_WALL;
}

static bool is_aligned_once(const struct ws_rank_facts *rank)
{
    return rank->clock && rank->alignment == WS_ALIGNED_ONCE;
}

/* Then the durations themselves are doubtful: good counters stay below 10 parts in a million. */
#define UNEVEN_PPM 100

static bool is_uneven(const struct ws_rank_facts *rank)
{
    int64_t span_ns = rank->rank.end_ns - rank->rank.begin_ns;

    return llabs(rank->clock_off_ns) > 20000 + span_ns / (1000000 / UNEVEN_PPM);
}

static void warn_clocks(const struct ws_facts *facts, const struct ws_trace_info *info,
                        struct ws_warnings *warnings)
{
    static const struct {
        bool (*holds)(const struct ws_rank_facts *rank);
        const char *sentence;
    } doubts[] = {
        {is_aligned_by_wall,
         "the clock of %s was not compared with rank 0's, only the time of day: waits of a few milliseconds "
         "between them are not to be trusted"},
        {is_aligned_once,
         "the clock of %s was compared with rank 0's at the start only: how it drifted is not known"},
        {is_uneven,
         "the processor's counter and the kernel's clock disagree on how long %s ran: record again with "
         "WHYSLOW_CLOCK=kernel"},
    };

    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        const struct about_rank about = {facts, doubts[i].holds};
        const char *ranks = ws_rank_list(&warnings->arena, facts->process, info->ranks, holds_for, &about);
        if (ranks && !(facts->growing && doubts[i].holds == is_aligned_once))
            ws_warn(warnings, doubts[i].sentence, ranks);
    }
}

static void warn_types(const char *const *missing, size_t count, struct ws_warnings *warnings)
{
    struct ws_text list = {0};

    for (size_t i = 0; i < count; i++)
        ws_text_printf(&list, "%s%s", i ? ", " : "", missing[i]);
    if (list.length)
        ws_warn(
            warnings,
            "not recorded in this trace: %s (it was made with other rules): problems that need them are not "
            "found",
            list.bytes);
    ws_text_free(&list);
}

/* A module that is newer than the trace: what is found in it may be wrong. */
static void warn_modules(const struct ws_facts *facts, int64_t made_s, struct ws_warnings *warnings)
{
    for (size_t i = 0; made_s >= 0 && i < facts->module_count; i++) {
        struct stat info;
        if (stat(facts->modules[i], &info) == 0 && info.st_mtime > made_s) {
            ws_warn(warnings, "%s was changed after the recording: its source lines may be wrong",
                    facts->modules[i]);
            return;
        }
    }
}

void ws_facts_warn(const struct ws_facts *facts, const struct ws_trace_info *info, const char *only,
                   const char *const *missing, size_t missing_count, int64_t made_s, struct ws_warnings *warnings)
{
    for (size_t i = 0; i < facts->file_count; i++)
        ws_warn(warnings, "%s", facts->files[i].text);
    for (size_t i = 0; i < facts->damage_count; i++)
        ws_warn(warnings, "%s", facts->damages[i]);
    warn_ranks(facts, info, only, warnings);
    warn_clocks(facts, info, warnings);
    warn_types(missing, missing_count, warnings);
    warn_modules(facts, made_s, warnings);
}
