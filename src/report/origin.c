#include "report/origin.h"

#include "diagnosis/ranges.h"
#include "report/formats.h"
#include "report/tree.h"
#include "util/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FEW_RANKS 6 /* that are told one by one */
#define FEW_STOPS 10

/* ---- for reading ---- */

static void add_end(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_place *place,
                    const char *otherwise)
{
    if (place)
        ws_report_site(out, place, sheet->folder);
    else
        ws_text_puts(out, otherwise);
}

void ws_origin_place(struct ws_text *out, const struct ws_sheet *sheet, const char *kind,
                     const struct ws_place *from, const struct ws_place *to)
{
    if (strcmp(kind, "computation") == 0) {
        ws_text_puts(out, "computation between ");
        add_end(out, sheet, from, "the begin of the recording");
        ws_text_puts(out, " and ");
        add_end(out, sheet, to, "its end");
    } else if (strcmp(kind, "wavefront") == 0) {
        ws_text_puts(out, "a serialised wavefront from ");
        add_end(out, sheet, to, "");
        ws_text_puts(out, " to ");
        add_end(out, sheet, from, "");
    } else if (strcmp(kind, "outside") == 0) {
        ws_text_printf(out, "before a %s's recording began, or after it ended", sheet->process);
    } else {
        ws_text_puts(out, strcmp(kind, "io") == 0 ? "file access, " : "the call itself, ");
        add_end(out, sheet, to, "");
    }
}

static int by_rank(const void *left, const void *right)
{
    return ws_three_way(*(const uint32_t *)left, *(const uint32_t *)right);
}

void ws_origin_ranks(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_rank_share *ranks,
                     size_t count)
{
    uint32_t *numbers;
    char duration[32];

    ws_text_printf(out, "%s%s ", sheet->process, ws_report_plural(count));
    for (size_t i = 0; i < count && count <= FEW_RANKS; i++)
        ws_text_printf(out, "%s%u (%s)", i ? ", " : "", ranks[i].rank,
                       ws_format_ns(ranks[i].duration_ns, duration));
    if (count <= FEW_RANKS)
        return;
    numbers = ws_alloc_array(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = ranks[i].rank;
    qsort(numbers, count, sizeof *numbers, by_rank);
    ws_ranges_add(out, numbers, count);
    ws_text_printf(out, " (most: %s %u, %s)", sheet->process, ranks[0].rank,
                   ws_format_ns(ranks[0].duration_ns, duration));
    free(numbers);
}

void ws_origin_way(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_origin *origin)
{
    char duration[32];

    ws_text_printf(out, "%s %u", sheet->process, origin->ranks[0].rank);
    for (size_t i = 0; i < origin->way_count; i++) {
        const struct ws_way *way = &origin->way[i];
        if (origin->way_count > FEW_STOPS && i == FEW_STOPS / 2)
            ws_text_printf(out, " → … %zu more …", origin->way_count - FEW_STOPS);
        if (origin->way_count > FEW_STOPS && i >= FEW_STOPS / 2 && i < origin->way_count - FEW_STOPS / 2)
            continue;
        ws_text_printf(out, " → %u (%s, %s)", way->rank, way->place.called,
                       ws_format_ns(way->wait_ns, duration));
    }
}

void ws_origin_wave(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_origin *origin)
{
    char stage[32], period[32];

    ws_text_printf(out,
                   "The %ss work one after another, from %s %u to %s %u: each waits in %s for what the one "
                   "before it sends "
                   "in %s, a stage of %s later.",
                   sheet->process, sheet->process, origin->wave.first, sheet->process, origin->wave.last,
                   origin->from->called, origin->to->called, ws_format_ns(origin->wave.stage_ns, stage));
    if (origin->wave.sweeps > 1)
        ws_text_printf(out, " %" PRIu64 " such sweeps, one every %s.", origin->wave.sweeps,
                       ws_format_ns(origin->wave.period_ns, period));
    ws_text_printf(
        out,
        " So the waits are one cause, not %u. Break the dependency: an order of the work in which no %s "
        "needs the "
        "newest values of another (two colours, as red-black); or send each part of the border as soon as it "
        "is "
        "computed, so that the next %s begins after the first part; or begin the next sweep before the "
        "last one has ended.",
        origin->wave.ranks - 1, sheet->process, sheet->process);
}

/* ---- for programs ---- */

void ws_tree_add_places(json_t *entry, const struct ws_place *from, const struct ws_place *to, bool between)
{
    if (between)
        json_object_set_new(entry, "from", from ? ws_tree_place(from) : json_null());
    json_object_set_new(entry, "site", to ? ws_tree_place(to) : json_null());
}

static json_t *way_tree(const struct ws_origin *origin)
{
    json_t *list = json_array();

    for (size_t i = 0; i < origin->way_count; i++) {
        json_t *stop = json_object();
        json_object_set_new(stop, "rank", ws_tree_count(origin->way[i].rank));
        json_object_set_new(stop, "wait_s", ws_tree_seconds(origin->way[i].wait_ns));
        json_object_set_new(stop, "site", ws_tree_place(&origin->way[i].place));
        json_array_append_new(list, stop);
    }
    return list;
}

static json_t *wave_tree(const struct ws_origin *origin)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "ranks", ws_tree_count(origin->wave.ranks));
    json_object_set_new(entry, "first_rank", ws_tree_count(origin->wave.first));
    json_object_set_new(entry, "last_rank", ws_tree_count(origin->wave.last));
    json_object_set_new(entry, "sweeps", ws_tree_count(origin->wave.sweeps));
    json_object_set_new(entry, "stage_s", ws_tree_seconds(origin->wave.stage_ns));
    json_object_set_new(entry, "period_s", ws_tree_seconds(origin->wave.period_ns));
    return entry;
}

json_t *ws_tree_origin(const struct ws_origin *origin, int64_t whole_ns)
{
    bool wave = strcmp(origin->kind, "wavefront") == 0;
    json_t *entry = json_object(), *ranks = json_array();

    for (size_t i = 0; i < origin->rank_count; i++) {
        json_t *share = json_object();
        json_object_set_new(share, "rank", ws_tree_count(origin->ranks[i].rank));
        json_object_set_new(share, "duration_s", ws_tree_seconds(origin->ranks[i].duration_ns));
        json_array_append_new(ranks, share);
    }
    json_object_set_new(entry, "kind", ws_tree_string(origin->kind));
    json_object_set_new(entry, "rank",
                        origin->rank_count ? ws_tree_count(origin->ranks[0].rank) : json_null());
    ws_tree_add_places(entry, origin->from, origin->to, wave || strcmp(origin->kind, "computation") == 0);
    json_object_set_new(
        entry, "share",
        ws_tree_rounded(whole_ns > 0 ? (double)origin->duration_ns / (double)whole_ns : 0, 1e-6));
    json_object_set_new(entry, "duration_s", ws_tree_seconds(origin->duration_ns));
    json_object_set_new(entry, "ranks", ranks);
    json_object_set_new(entry, "way", way_tree(origin));
    if (wave)
        json_object_set_new(entry, "wavefront", wave_tree(origin));
    return entry;
}
