/* A comparison for reading: the two sides, what was gained, then each problem that is gone, new or changed.
 */
#include "report/formats.h"
#include "report/sheet.h"

#include "util/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 3

/* ---- the sides ---- */

static void write_side(const struct ws_sheet *sheet, const char *label, const struct ws_side *side)
{
    const struct ws_diagnosis *first = &side->runs[0];
    struct ws_text text = {0};

    ws_text_printf(&text, "%s: ", side->paths[0]);
    if (side->count > 1)
        ws_text_printf(&text, "the first of %zu runs of ", side->count);
    ws_text_printf(&text, "%.400s; %s, %u %s%s", first->command[0] ? first->command : "(unknown)",
                   first->mpi[0] ? first->mpi : "unknown MPI", first->ranks, sheet->process,
                   ws_report_plural(first->ranks));
    ws_sheet_labelled(sheet, 0, label, text.bytes);
    ws_text_free(&text);
}

/* "258 ms less", "no clear change" */
static void add_difference(struct ws_text *text, const struct ws_change *change)
{
    char seconds[32], percent[32];

    if (!change->clear) {
        ws_text_puts(text, "no clear change");
        return;
    }
    ws_text_printf(text, "%s %s", ws_report_seconds(fabs(change->gain_s), seconds),
                   change->gain_s > 0 ? "less" : "more");
    if (change->before_s > 0)
        ws_text_printf(text, " (%s)",
                       ws_report_percent(ws_report_share(fabs(change->gain_s), change->before_s), percent));
}

static void write_times(const struct ws_sheet *sheet, const struct ws_comparison *comparison)
{
    char before[32], after[32], before_percent[32], after_percent[32];
    struct ws_text text = {0};

    ws_text_printf(&text, "%s before, %s after: ", ws_report_seconds(comparison->wall.before_s, before),
                   ws_report_seconds(comparison->wall.after_s, after));
    add_difference(&text, &comparison->wall);
    ws_sheet_labelled(sheet, 0, "Time", text.bytes);
    ws_text_clear(&text);
    ws_text_printf(
        &text,
        "%s%s%s%s before (%s of the %ss' time), %s after (%s): ", comparison->per_rank ? "of one " : "",
        comparison->per_rank ? sheet->process : "", comparison->per_rank ? ", " : "",
        ws_report_seconds(comparison->waiting.before_s, before),
        ws_report_percent(ws_report_share(comparison->before_sum.waiting_s, comparison->before_sum.total_s),
                          before_percent),
        sheet->process, ws_report_seconds(comparison->waiting.after_s, after),
        ws_report_percent(ws_report_share(comparison->after_sum.waiting_s, comparison->after_sum.total_s),
                          after_percent));
    add_difference(&text, &comparison->waiting);
    ws_sheet_labelled(sheet, 0, "Waiting", text.bytes);
    ws_text_free(&text);
}

/* When a change is clear. */
static void write_noise(const struct ws_sheet *sheet, const struct ws_comparison *comparison)
{
    struct ws_text text = {0};
    char wall[32];

    if (comparison->measured)
        ws_text_printf(
            &text,
            "by the spread of %zu and %zu runs, chance makes a change of the time of up to %s (in 19 of 20 "
            "cases); of a problem, changes below %g %% of the %ss' time are not told as such",
            comparison->before.count, comparison->after.count,
            ws_report_seconds(comparison->wall.noise_s, wall), comparison->threshold_percent, sheet->process);
    else
        ws_text_printf(
            &text,
            "one run of each: changes by less than %g %% (--noise), and of a problem by less than %g %% of "
            "the "
            "%ss' time, may be chance and are not told as such; more runs (--before, --after) would show "
            "what two runs differ by",
            comparison->noise_percent, comparison->threshold_percent, sheet->process);
    ws_sheet_labelled(sheet, 0, "Chance", text.bytes);
    ws_text_free(&text);
}

static void write_warnings(const struct ws_sheet *sheet, const struct ws_comparison *comparison)
{
    for (size_t i = 0; i < comparison->warning_count; i++)
        ws_sheet_labelled(sheet, 0, "Warning", comparison->warnings[i]);
}

/* ---- a problem ---- */

/* "1.24 s (47 %) in 600 waits", "at most 6 ms", "none" */
static void add_side(struct ws_text *text, const struct ws_problem_side *side, double s)
{
    char seconds[32], percent[32];

    if (side->problem)
        ws_text_printf(text, "%s (%s) in %" PRIu64 " wait%s", ws_report_seconds(s, seconds),
                       ws_report_percent(side->percent, percent), side->problem->count,
                       ws_report_plural(side->problem->count));
    else if (side->at_most_s > 0)
        ws_text_printf(text, "at most %s", ws_report_seconds(side->at_most_s, seconds));
    else
        ws_text_puts(text, "none");
}

static void write_time(const struct ws_sheet *sheet, const struct ws_compared_problem *problem)
{
    struct ws_text text = {0};

    add_side(&text, &problem->before, problem->change.before_s);
    ws_text_puts(&text, " before, ");
    add_side(&text, &problem->after, problem->change.after_s);
    ws_text_puts(&text, " after: ");
    add_difference(&text, &problem->change);
    ws_sheet_labelled(sheet, LEFT, "Time", text.bytes);
    ws_text_free(&text);
}

static bool is_same_place(const struct ws_place *a, const struct ws_place *b)
{
    return a->line == b->line && strcmp(a->called, b->called) == 0 && strcmp(a->function, b->function) == 0 &&
           strcmp(a->file, b->file) == 0 && (a->line > 0 || a->offset == b->offset);
}

static void write_place(const struct ws_sheet *sheet, const char *label, const struct ws_place *before,
                        const struct ws_place *after)
{
    struct ws_text text = {0};

    if (!before && !after)
        return;
    ws_report_site(&text, after ? after : before, sheet->folder);
    if (before && after && !is_same_place(before, after)) {
        ws_text_puts(&text, ", before: ");
        ws_report_site(&text, before, sheet->folder);
    }
    ws_sheet_labelled(sheet, LEFT, label, text.bytes);
    ws_text_free(&text);
}

static void write_places(const struct ws_sheet *sheet, const struct ws_compared_problem *problem)
{
    const struct ws_problem *before = problem->before.problem, *after = problem->after.problem;
    const struct ws_place *waits[] = {before ? ws_problem_waits_at(before) : NULL,
                                      after ? ws_problem_waits_at(after) : NULL};
    const struct ws_place *causes[] = {before ? ws_problem_caused_at(before) : NULL,
                                       after ? ws_problem_caused_at(after) : NULL};

    write_place(sheet, "Waiting", waits[0], waits[1]);
    if (waits[0] != causes[0] || waits[1] != causes[1])
        write_place(sheet, "Cause", causes[0], causes[1]);
}

/* What is new or worse is told with what to do about it. */
static void write_problem(const struct ws_sheet *sheet, size_t number,
                          const struct ws_compared_problem *problem)
{
    static const char *const titles[WS_STATUS_COUNT] = {[WS_GONE] = "Gone",
                                                        [WS_NEW] = "New",
                                                        [WS_BETTER] = "Better",
                                                        [WS_WORSE] = "Worse",
                                                        [WS_SAME] = "No clear change"};
    char *name = ws_utf8_copy(problem->name, true);

    fprintf(sheet->out, "\n%s%zu. %s: %s%s\n", sheet->strong, number, titles[problem->status], name,
            sheet->plain);
    free(name);
    write_time(sheet, problem);
    write_places(sheet, problem);
    if ((problem->status == WS_NEW || problem->status == WS_WORSE) && problem->after.problem)
        ws_sheet_paragraph(sheet, LEFT, "What to change", problem->after.problem->advice);
}

/* ---- all of it ---- */

static void write_counts(const struct ws_sheet *sheet, const struct ws_comparison *comparison)
{
    const size_t *counts = comparison->counts;

    if (comparison->problem_count == 0)
        ws_sheet_line(sheet, "Neither has a problem that costs %g %% of the %ss' time.",
                      comparison->threshold_percent, sheet->process);
    else
        ws_sheet_line(sheet,
                      "Problems: %zu gone, %zu new, %zu better, %zu worse, %zu without a clear change.",
                      counts[WS_GONE], counts[WS_NEW], counts[WS_BETTER], counts[WS_WORSE], counts[WS_SAME]);
}

int ws_compare_text(const struct ws_comparison *comparison, FILE *out)
{
    struct ws_sheet sheet = ws_sheet_open(out);
    const char *process = comparison->before.count ? comparison->before.runs[0].process : NULL;

    sheet.process = process ? process : "rank";
    fprintf(out, "%sWhyslow: what changed between two versions%s\n\n", sheet.strong, sheet.plain);
    write_side(&sheet, "Before", &comparison->before);
    write_side(&sheet, "After", &comparison->after);
    write_times(&sheet, comparison);
    write_noise(&sheet, comparison);
    write_warnings(&sheet, comparison);
    fputc('\n', out);
    write_counts(&sheet, comparison);
    for (size_t i = 0; i < comparison->problem_count; i++)
        write_problem(&sheet, i + 1, &comparison->problems[i]);
    if (comparison->small_count) {
        fputc('\n', out);
        ws_sheet_line(
            &sheet, "%zu smaller problem%s, below %g %% of the %ss' time on both sides, %s not compared.",
            comparison->small_count, ws_report_plural(comparison->small_count), comparison->threshold_percent,
            sheet.process, comparison->small_count == 1 ? "is" : "are");
    }
    ws_sheet_close(&sheet);
    return 0;
}
