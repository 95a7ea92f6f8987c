#include "report/path.h"

#include "report/formats.h"
#include "report/origin.h"
#include "report/tree.h"
#include "util/alloc.h"
#include "util/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LEFT 18 /* columns of share and time */

/* ---- for reading ---- */

static void write_line(const struct ws_sheet *sheet, int64_t ns, int64_t whole_ns, const struct ws_text *text)
{
    char percent[32], duration[32];
    size_t columns;

    ws_report_percent(ws_report_share((double)ns, (double)whole_ns), percent);
    ws_format_ns(ns, duration);
    fprintf(sheet->out, "%7s  %7s", percent, duration);
    columns = (strlen(percent) > 7 ? strlen(percent) : 7) + 2 + (strlen(duration) > 7 ? strlen(duration) : 7);
    ws_sheet_indent(sheet, columns < LEFT ? LEFT - columns : 1);
    ws_sheet_wrapped(sheet, text->bytes, LEFT, columns < LEFT ? LEFT : columns + 1);
}

static void write_below(const struct ws_sheet *sheet, const struct ws_text *text)
{
    ws_sheet_indent(sheet, LEFT);
    ws_sheet_wrapped(sheet, text->bytes, LEFT, LEFT);
}

static void write_rest(const struct ws_sheet *sheet, size_t shown, size_t count)
{
    if (count > shown)
        ws_sheet_line(sheet, "%17s and %zu more: --top %zu, or --json", "", count - shown, count);
}

static void write_part(const struct ws_sheet *sheet, const struct ws_path *path,
                       const struct ws_path_part *part)
{
    bool computes = strcmp(part->kind, "computation") == 0;
    struct ws_text text = {0};
    char duration[32];

    ws_origin_place(&text, sheet, part->kind, part->from, part->to);
    write_line(sheet, part->time_ns, path->wall_ns, &text);
    ws_text_clear(&text);
    ws_origin_ranks(&text, sheet, part->ranks, part->rank_count);
    if (computes && part->time_ns > part->mean_ns && path->ranks > 1)
        ws_text_printf(&text, "; evenly divided among all %ss it would take %s less", sheet->process,
                       ws_format_ns(part->time_ns - part->mean_ns, duration));
    write_below(sheet, &text);
    ws_text_free(&text);
}

static void write_origin(const struct ws_sheet *sheet, const struct ws_path *path,
                         const struct ws_origin *origin)
{
    bool wave = strcmp(origin->kind, "wavefront") == 0;
    struct ws_text text = {0};
    char direct[32];

    ws_origin_place(&text, sheet, origin->kind, origin->from, origin->to);
    write_line(sheet, origin->duration_ns, path->waiting_ns, &text);
    ws_text_clear(&text);
    if (wave) {
        ws_origin_wave(&text, sheet, origin);
        write_below(sheet, &text);
        ws_text_free(&text);
        return;
    }
    ws_origin_ranks(&text, sheet, origin->ranks, origin->rank_count);
    if (origin->direct_ns < origin->duration_ns)
        ws_text_printf(&text, "; %s by those that waited for it, the rest by those that waited for these",
                       ws_format_ns(origin->direct_ns, direct));
    write_below(sheet, &text);
    ws_text_clear(&text);
    ws_text_puts(&text, "most of it: ");
    ws_origin_way(&text, sheet, origin);
    if (origin->way_count > 1)
        write_below(sheet, &text);
    ws_text_free(&text);
}

static void write_efficiency(const struct ws_sheet *sheet, const struct ws_efficiency *efficiency)
{
    char parallel[32], balance[32], serialisation[32], transfer[32];
    struct ws_text text = {0};

    if (!efficiency->replayed)
        return;
    ws_text_printf(&text, "%s parallel = %s load balance × %s serialisation × %s transfer",
                   ws_report_percent(100 * efficiency->parallel, parallel),
                   ws_report_percent(100 * efficiency->load_balance, balance),
                   ws_report_percent(100 * efficiency->serialisation, serialisation),
                   ws_report_percent(100 * efficiency->transfer, transfer));
    ws_sheet_labelled(sheet, 0, "Efficiency", text.bytes);
    ws_text_free(&text);
}

static void write_doubts(const struct ws_sheet *sheet, const struct ws_path *path)
{
    struct ws_text text = {0};

    if (path->unmatched == 0 && path->disordered == 0)
        return;
    ws_text_printf(&text,
                   "of %" PRIu64 " operations the counterpart is missing, of %" PRIu64
                   " the clocks have the order wrong: these wait for nobody here",
                   path->unmatched, path->disordered);
    ws_sheet_labelled(sheet, 0, "Unmatched", text.bytes);
    ws_text_free(&text);
}

static void write_path(const struct ws_sheet *sheet, const struct ws_path *path, size_t top)
{
    fprintf(sheet->out, "\n%sThe critical path%s\n", sheet->strong, sheet->plain);
    ws_sheet_line(sheet, "The one chain of computations, calls and messages that the run's time consists of. "
                         "What is not on it "
                         "may be made faster without the run being faster.");
    fputc('\n', sheet->out);
    for (size_t i = 0; i < path->part_count && i < top; i++)
        write_part(sheet, path, &path->parts[i]);
    write_rest(sheet, top, path->part_count);
}

static void write_origins(const struct ws_sheet *sheet, const struct ws_path *path, size_t top)
{
    char waited[32];

    fprintf(sheet->out, "\n%sWhere waiting began%s\n", sheet->strong, sheet->plain);
    if (path->origin_count == 0) {
        ws_sheet_line(sheet, "No %s waited for another.", sheet->process);
        return;
    }
    ws_sheet_line(sheet,
                  "All %ss together waited %s for others, in %" PRIu64
                  " calls. Each wait counts once, for the %s that was "
                  "late of itself: one that only passed on its own waiting is no cause.",
                  sheet->process, ws_format_ns(path->waiting_ns, waited), path->waits, sheet->process);
    fputc('\n', sheet->out);
    for (size_t i = 0; i < path->origin_count && i < top; i++)
        write_origin(sheet, path, &path->origins[i]);
    write_rest(sheet, top, path->origin_count);
}

static int written(FILE *out, int result, struct ws_error *error)
{
    if (result != 0 || fflush(out) != 0 || ferror(out))
        return ws_fail(error, WS_ENVIRONMENT, "cannot write the report: %s",
                       errno ? strerror(errno) : "the output is broken");
    return 0;
}

int ws_path_write_text(const struct ws_path *path, size_t top, FILE *out, struct ws_error *error)
{
    struct ws_sheet sheet = ws_sheet_open(out);
    char wall[32], text[96];

    errno = 0;
    top = top ? top : SIZE_MAX;
    sheet.process = path->process ? path->process : "rank";
    snprintf(text, sizeof text, "%s of %u %s%s", ws_format_ns(path->wall_ns, wall), path->ranks,
             sheet.process, ws_report_plural(path->ranks));
    ws_sheet_labelled(&sheet, 0, "Time", text);
    write_efficiency(&sheet, &path->efficiency);
    write_doubts(&sheet, path);
    write_path(&sheet, path, top);
    write_origins(&sheet, path, top);
    ws_sheet_close(&sheet);
    return written(out, 0, error);
}

/* ---- for programs ---- */

static json_t *part_tree(const struct ws_path *path, const struct ws_path_part *part)
{
    bool computes = strcmp(part->kind, "computation") == 0;
    json_t *entry = json_object(), *ranks = json_array();

    for (size_t i = 0; i < part->rank_count; i++) {
        json_t *share = json_object();
        json_object_set_new(share, "rank", ws_tree_count(part->ranks[i].rank));
        json_object_set_new(share, "duration_s", ws_tree_seconds(part->ranks[i].duration_ns));
        json_array_append_new(ranks, share);
    }
    json_object_set_new(entry, "kind", ws_tree_string(part->kind));
    ws_tree_add_places(entry, part->from, part->to, computes);
    json_object_set_new(entry, "time_s", ws_tree_seconds(part->time_ns));
    json_object_set_new(
        entry, "share",
        ws_tree_rounded(path->wall_ns > 0 ? (double)part->time_ns / (double)path->wall_ns : 0, 1e-6));
    json_object_set_new(entry, "times", ws_tree_count(part->times));
    json_object_set_new(entry, "ranks", ranks);
    if (computes) {
        int64_t less_ns = part->time_ns > part->mean_ns ? part->time_ns - part->mean_ns : 0;
        json_object_set_new(entry, "mean_s", ws_tree_seconds(part->mean_ns));
        json_object_set_new(entry, "imbalance_s", ws_tree_seconds(less_ns));
    }
    return entry;
}

static json_t *origin_tree(const struct ws_path *path, const struct ws_origin *origin)
{
    json_t *entry = ws_tree_origin(origin, path->waiting_ns);

    json_object_set_new(entry, "direct_s", ws_tree_seconds(origin->direct_ns));
    return entry;
}

int ws_path_write_json(const struct ws_path *path, FILE *out, struct ws_error *error)
{
    json_t *root = json_object(), *parts = json_array(), *origins = json_array(), *kinds = json_object();
    json_t *critical = json_object(), *waiting = json_object();

    errno = 0;
    for (size_t i = 0; i < WS_SEGMENT_KINDS; i++)
        json_object_set_new(kinds, ws_segment_kind_names[i], ws_tree_seconds(path->by_kind_ns[i]));
    for (size_t i = 0; i < path->part_count; i++)
        json_array_append_new(parts, part_tree(path, &path->parts[i]));
    for (size_t i = 0; i < path->origin_count; i++)
        json_array_append_new(origins, origin_tree(path, &path->origins[i]));
    json_object_set_new(critical, "by_kind_s", kinds);
    json_object_set_new(critical, "parts", parts);
    json_object_set_new(waiting, "duration_s", ws_tree_seconds(path->waiting_ns));
    json_object_set_new(waiting, "count", ws_tree_count(path->waits));
    json_object_set_new(waiting, "began", origins);
    json_object_set_new(root, "format", json_integer(1));
    json_object_set_new(root, "ranks", ws_tree_count(path->ranks));
    json_object_set_new(root, "wall_s", ws_tree_seconds(path->wall_ns));
    json_object_set_new(root, "efficiency", ws_tree_efficiency(&path->efficiency));
    json_object_set_new(root, "critical_path", critical);
    json_object_set_new(root, "waiting", waiting);
    json_object_set_new(root, "unmatched", ws_tree_count(path->unmatched));
    json_object_set_new(root, "disordered", ws_tree_count(path->disordered));
    return written(out, ws_tree_write(root, out), error);
}
