/* The report for reading: the run, then each problem with who waits for whom, where, why, and what to
 * change. */
#include "report/formats.h"
#include "report/origin.h"
#include "report/sheet.h"

#include "util/utf8.h"

#include "diagnosis/ranges.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define LABEL WS_SHEET_LABEL
#define FEW_RANKS 6 /* up to which each rank is shown with its own time */
#define MOST_BEGAN 3 /* origins of a problem that are told */
#define LEAST_BEGAN_PERCENT 5.0

/* ---- numbers ---- */

static const char *format_bytes(uint64_t bytes, char buffer[static 32])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double size = (double)bytes;
    size_t unit = 0;

    while (size >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1000;
        unit++;
    }
    snprintf(buffer, 32, size >= 100 || unit == 0 ? "%.0f %s" : "%.2g %s", size, units[unit]);
    return buffer;
}

/* ---- the run ---- */

static void write_exit(const struct ws_sheet *sheet, int exit_code)
{
    const char *name = exit_code > 128 ? sigabbrev_np(exit_code - 128) : NULL;
    char text[96];

    if (exit_code <= 0)
        return;
    snprintf(text, sizeof text, name ? "the command ended with %d (SIG%s)" : "the command ended with %d",
             exit_code, name);
    ws_sheet_labelled(sheet, 0, "Exit code", text);
}

#define FEW_SITES 5

/* Which calls were only counted since their site had had its share. */
static void write_counted(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};
    char total[32], longest[32];

    if (diagnosis->counted == 0)
        return;
    ws_text_printf(&text, "%" PRIu64 " call%s only counted, as asked (--sample): in the problems below they are missing",
                   diagnosis->counted, diagnosis->counted == 1 ? " was" : "s were");
    ws_sheet_labelled(sheet, 0, "Counted", text.bytes);
    for (size_t i = 0; i < diagnosis->counted_site_count && i < FEW_SITES; i++) {
        const struct ws_counted_site *site = &diagnosis->counted_sites[i];
        ws_text_clear(&text);
        ws_report_site(&text, &site->place, sheet->folder);
        ws_text_printf(&text, ": %" PRIu64 " call%s, %s in all, the longest %s", site->calls, ws_report_plural(site->calls),
                       ws_format_ns(site->total_ns, total), ws_format_ns(site->longest_ns, longest));
        ws_sheet_labelled(sheet, 0, "", text.bytes);
    }
    ws_text_free(&text);
}

/* Where the ranks' times are of several clocks: how well these were brought to one. */
static void write_clocks(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    char error[32], text[160];

    if (diagnosis->clocks < 2)
        return;
    snprintf(text, sizeof text, "%u, corrected to that of %s 0%s%s", diagnosis->clocks, sheet->process,
             diagnosis->clock_error_s > 0 ? " with an error of at most " : "",
             diagnosis->clock_error_s > 0 ? ws_report_seconds(diagnosis->clock_error_s, error) : "");
    ws_sheet_labelled(sheet, 0, "Clocks", text);
}

/* What the recording did not catch or could not bring into order; nothing in a good run. */
static void write_doubts(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};
    char stopped[32];

    if (diagnosis->stopped_ns) {
        ws_text_printf(&text, "for %s, summed over the %ss, in which nothing was recorded: not part of the time here",
                       ws_format_ns(diagnosis->stopped_ns, stopped), sheet->process);
        ws_sheet_labelled(sheet, 0, "Stopped", text.bytes);
    }
    ws_text_clear(&text);
    if (diagnosis->lost) {
        ws_text_printf(&text, "%" PRIu64 " event%s lost while recording: what follows is incomplete",
                       diagnosis->lost, ws_report_plural(diagnosis->lost));
        ws_sheet_labelled(sheet, 0, "Lost", text.bytes);
    }
    ws_text_clear(&text);
    if (diagnosis->unmatched) {
        ws_text_printf(&text, "%" PRIu64 " operation%s without a counterpart in the recording",
                       diagnosis->unmatched, ws_report_plural(diagnosis->unmatched));
        ws_sheet_labelled(sheet, 0, "Unmatched", text.bytes);
    }
    ws_text_clear(&text);
    if (diagnosis->clock_violations) {
        ws_text_printf(&text,
                       "%" PRIu64 " message%s arrived before being sent: the clocks differ by more than could "
                       "be corrected, and short waits may be wrong",
                       diagnosis->clock_violations, ws_report_plural(diagnosis->clock_violations));
        ws_sheet_labelled(sheet, 0, "Clocks", text.bytes);
    }
    ws_text_free(&text);
}

/* Above this share of the ranks' time the recording itself may be what is seen. */
#define COST_PERCENT_MOST 10.0

static void write_recording(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    double share = ws_report_share(diagnosis->cost_s * 1e9, (double)diagnosis->total_ns);
    char bytes[32], cost[32], percent[32], of[64], text[192];

    if (share < 100)
        snprintf(of, sizeof of, "%s of the %ss' time", ws_report_percent(share, percent), sheet->process);
    else
        snprintf(of, sizeof of, "more than the %ss' recorded time", sheet->process);
    snprintf(text, sizeof text, "%" PRIu64 " event%s, %s; it cost about %s, %s", diagnosis->events,
             ws_report_plural(diagnosis->events), format_bytes(diagnosis->bytes, bytes),
             ws_report_seconds(diagnosis->cost_s, cost), of);
    ws_sheet_labelled(sheet, 0, "Recording", text);
    if (share > COST_PERCENT_MOST)
        ws_sheet_labelled(sheet, 0, "Warning", "recording is a large part of so short a run: its times say little");
}

/* A place that only an offset in its module shows; NULL where the lines of all are known. */
static const struct ws_place *place_without_line(const struct ws_diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->problem_count; i++)
        for (size_t k = 0; k < diagnosis->problems[i].place_count; k++)
            if (!diagnosis->problems[i].places[k].file[0] && diagnosis->problems[i].places[k].module[0])
                return &diagnosis->problems[i].places[k];
    return NULL;
}

static void write_missing_lines(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    const struct ws_place *place = place_without_line(diagnosis);
    struct ws_text text = {0};

    if (!place)
        return;
    ws_text_printf(&text, "source lines of %s are not known: compile it with -g",
                   ws_base_name(place->module));
    ws_sheet_labelled(sheet, 0, "Sources", text.bytes);
    ws_text_free(&text);
}

/* A few lines of the command, cut between characters; JSON has all of it. */
static void write_command(const struct ws_sheet *sheet, const char *command)
{
    enum { MOST = 400 };
    size_t length = strlen(command);
    struct ws_text text = {0};

    if (length > MOST) {
        for (length = MOST; length > 0 && ((unsigned char)command[length] & 0xC0) == 0x80;)
            length--;
        ws_text_printf(&text, "%.*s… (%zu bytes)", (int)length, command, strlen(command));
        command = text.bytes;
    }
    ws_sheet_labelled(sheet, 0, "Program", command[0] ? command : "(unknown)");
    ws_text_free(&text);
}

/* Of an efficiency the user knows the share, not the formula: the factors tell which of the two it is. */
static void write_efficiency(const struct ws_sheet *sheet, size_t left, const struct ws_efficiency *efficiency)
{
    char first[32], second[32], third[32];
    struct ws_text text = {0};

    if (!efficiency->known)
        return;
    ws_text_printf(&text, "%s parallel = %s load balance × %s communication",
                   ws_report_percent(100 * efficiency->parallel, first),
                   ws_report_percent(100 * efficiency->load_balance, second),
                   ws_report_percent(100 * efficiency->communication, third));
    ws_sheet_labelled(sheet, left, "Efficiency", text.bytes);
    ws_text_clear(&text);
    ws_text_printf(&text, "communication = %s serialisation × %s transfer",
                   ws_report_percent(100 * efficiency->serialisation, first),
                   ws_report_percent(100 * efficiency->transfer, second));
    if (efficiency->replayed)
        ws_sheet_labelled(sheet, left, "", text.bytes);
    ws_text_free(&text);
}

static void write_run(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    const char *runtime = diagnosis->runtime ? diagnosis->runtime : "MPI";
    char wall[32], percent[32];
    struct ws_text text = {0};

    write_command(sheet, diagnosis->command);
    ws_text_printf(&text, "%s%s, %u %s%s", diagnosis->mpi[0] ? "" : "unknown ",
                   diagnosis->mpi[0] ? diagnosis->mpi : runtime, diagnosis->ranks, sheet->process,
                   ws_report_plural(diagnosis->ranks));
    if (diagnosis->ranks_recorded != diagnosis->ranks)
        ws_text_printf(&text, ", of which %u recorded", diagnosis->ranks_recorded);
    ws_sheet_labelled(sheet, 0, strlen(runtime) < WS_SHEET_LABEL ? runtime : "Runtime", text.bytes);
    ws_text_clear(&text);
    ws_text_printf(
        &text, "%s, of which the %ss spent %s inside %s", ws_report_seconds(diagnosis->wall_s, wall), sheet->process,
        ws_report_percent(ws_report_share((double)diagnosis->call_ns, (double)diagnosis->total_ns), percent), runtime);
    ws_sheet_labelled(sheet, 0, "Time", text.bytes);
    ws_text_free(&text);
    write_efficiency(sheet, 0, &diagnosis->efficiency);
    write_recording(sheet, diagnosis);
    write_exit(sheet, diagnosis->exit_code);
    write_clocks(sheet, diagnosis);
    write_counted(sheet, diagnosis);
    write_doubts(sheet, diagnosis);
    write_missing_lines(sheet, diagnosis);
    for (size_t i = 0; i < diagnosis->warning_count; i++)
        ws_sheet_labelled(sheet, 0, "Warning", diagnosis->warnings[i]);
}

/* ---- ranks ---- */

/* "ranks 0–62 (0.19 s to 0.24 s each, most: rank 17)" */
static void add_many(const struct ws_sheet *sheet, struct ws_text *out, const struct ws_rank_share *share, size_t count)
{
    uint32_t *ranks = ws_alloc_array(count, sizeof *ranks);
    size_t least = 0, most = 0;
    char low[32], high[32];

    for (size_t i = 0; i < count; i++) {
        ranks[i] = share[i].rank;
        least = share[i].duration_ns < share[least].duration_ns ? i : least;
        most = share[i].duration_ns > share[most].duration_ns ? i : most;
    }
    ws_text_printf(out, "%ss ", sheet->process);
    ws_ranges_add(out, ranks, count);
    ws_text_printf(out, " (%s to %s each, most: %s %u)", ws_format_ns(share[least].duration_ns, low),
                   ws_format_ns(share[most].duration_ns, high), sheet->process, share[most].rank);
    free(ranks);
}

static void add_ranks(const struct ws_sheet *sheet, struct ws_text *out, const struct ws_rank_share *share, size_t count)
{
    char duration[32];

    if (count > FEW_RANKS) {
        add_many(sheet, out, share, count);
        return;
    }
    ws_text_printf(out, "%s%s ", sheet->process, ws_report_plural(count));
    for (size_t i = 0; i < count; i++)
        ws_text_printf(out, "%s%u (%s)", i ? ", " : "", share[i].rank, ws_format_ns(share[i].duration_ns, duration));
}

/* ---- call sites ---- */

/* The length of the part that fits into `room` columns, with one left for the sign that it was cut. */
static size_t fitting(const char *text, size_t room)
{
    size_t length = ws_utf8_prefix(text, room);

    return room && text[length] ? ws_utf8_prefix(text, room - 1) : length;
}

/* The source line below its call site, cut to the sheet. */
static void write_source(const struct ws_sheet *sheet, size_t left, const struct ws_place *place)
{
    char *line = ws_source_line(place->file, place->line), *safe, number[24];
    size_t length;

    if (!line)
        return;
    safe = ws_utf8_copy(line, true);
    snprintf(number, sizeof number, "  %d | ", place->line);
    length = fitting(safe, sheet->width - left - strlen(number));
    ws_sheet_indent(sheet, left);
    fprintf(sheet->out, "%s%.*s%s\n", number, (int)length, safe, safe[length] ? "…" : "");
    free(safe);
    free(line);
}

static void write_place(const struct ws_sheet *sheet, size_t left, const struct ws_place *place)
{
    struct ws_text text = {0};

    ws_report_site(&text, place, sheet->folder);
    ws_sheet_indent(sheet, left + LABEL);
    ws_sheet_wrapped(sheet, text.bytes, left + LABEL + 2, left + LABEL);
    write_source(sheet, left + LABEL, place);
    ws_text_free(&text);
}

/* ---- a problem ---- */

static void write_waiting(const struct ws_sheet *sheet, size_t left, const struct ws_problem *problem)
{
    struct ws_text text = {0};

    add_ranks(sheet, &text, problem->waiting, problem->waiting_count);
    ws_sheet_labelled(sheet, left, "Waiting", ws_text_string(&text));
    for (size_t i = 0; i < problem->place_count; i++)
        if (problem->places[i].waiting)
            write_place(sheet, left, &problem->places[i]);
    ws_text_free(&text);
}

static void write_cause(const struct ws_sheet *sheet, size_t left, const struct ws_problem *problem)
{
    struct ws_text text = {0};
    bool same = false;

    if (problem->causing_count == 0)
        return;
    for (size_t i = 0; i < problem->place_count; i++)
        same |= problem->places[i].waiting && problem->places[i].cause;
    add_ranks(sheet, &text, problem->causing, problem->causing_count);
    if (same)
        ws_text_puts(&text, ", by the same call");
    ws_sheet_labelled(sheet, left, "Cause", text.bytes);
    for (size_t i = 0; i < problem->place_count; i++)
        if (problem->places[i].cause && !problem->places[i].waiting)
            write_place(sheet, left, &problem->places[i]);
    ws_text_free(&text);
}

static void write_others(const struct ws_sheet *sheet, size_t left, const struct ws_problem *problem)
{
    const char *label = "Also";

    for (size_t i = 0; i < problem->place_count; i++) {
        struct ws_text text = {0};
        if (problem->places[i].waiting || problem->places[i].cause)
            continue;
        ws_report_site(&text, &problem->places[i], sheet->folder);
        ws_text_printf(&text, " (%s)", problem->places[i].role);
        ws_sheet_labelled(sheet, left, label, text.bytes);
        write_source(sheet, left + LABEL, &problem->places[i]);
        ws_text_free(&text);
        label = "";
    }
}

/* What the replay of the run tells. */
/* Where the waiting began, as far as that is not said by who caused it: somewhere behind those who passed it on, or one after
 * the other. */
static void write_began(const struct ws_sheet *sheet, size_t left, const struct ws_problem *problem)
{
    const char *label = "Began";
    char percent[32];

    for (size_t i = 0; i < problem->began_count && i < MOST_BEGAN; i++) {
        const struct ws_origin *origin = &problem->began[i];
        double share = ws_report_share((double)origin->duration_ns, (double)problem->began_ns);
        struct ws_text text = {0};
        if (share < LEAST_BEGAN_PERCENT)
            break;
        ws_text_printf(&text, "%s: ", ws_report_percent(share, percent));
        ws_origin_place(&text, sheet, origin->kind, origin->from, origin->to);
        ws_text_puts(&text, ", ");
        if (origin->wave.ranks)
            ws_text_printf(&text, "%ss %u to %u, a stage of %s each", sheet->process, origin->wave.first,
                           origin->wave.last, ws_format_ns(origin->wave.stage_ns, percent));
        else
            ws_origin_ranks(&text, sheet, origin->ranks, origin->rank_count);
        ws_sheet_labelled(sheet, left, label, text.bytes);
        label = "";
        ws_text_free(&text);
    }
}

static void write_gain(const struct ws_sheet *sheet, size_t left, const struct ws_problem *problem,
                       const struct ws_gains *gains)
{
    struct ws_text text = {0};
    char removed[32];

    if (!gains->known)
        return;
    ws_gain_phrase(&text, problem->gain_ns, gains->replayed_ns);
    ws_text_printf(&text, " %s", ws_remedy_phrases[problem->remedy]);
    if (problem->remedy != WS_REMEDY_NONE)
        ws_text_printf(&text, " (%s if only this waiting were not)", ws_format_ns(problem->removed_ns, removed));
    ws_sheet_paragraph(sheet, left, "Gain", text.bytes);
    ws_text_free(&text);
}

static void write_problem(const struct ws_sheet *sheet, size_t number, const struct ws_problem *problem,
                          const struct ws_gains *gains)
{
    char percent[32], duration[32], *name = ws_utf8_copy(problem->name, true);
    size_t left = number < 10 ? 3 : 4;

    fprintf(sheet->out, "\n%s%zu. %s%s: %s of the %ss' time, %s in %" PRIu64 " wait%s\n", sheet->strong,
            number, name, sheet->plain, ws_report_percent(problem->severity_percent, percent), sheet->process,
            ws_format_ns(problem->duration_ns, duration), problem->count, ws_report_plural(problem->count));
    free(name);
    write_waiting(sheet, left, problem);
    write_cause(sheet, left, problem);
    write_others(sheet, left, problem);
    write_began(sheet, left, problem);
    fputc('\n', sheet->out);
    ws_sheet_paragraph(sheet, left, "Why", problem->description);
    ws_sheet_paragraph(sheet, left, "What to change", problem->advice);
    write_gain(sheet, left, problem, gains);
}

/* ---- all problems ---- */

static void write_small(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    char duration[32], percent[32];

    if (diagnosis->small_count == 0)
        return;
    ws_sheet_line(
        sheet, "%zu smaller problem%s, %sbelow %g %% of the %ss' time, cost %s in all (%s).",
        diagnosis->small_count, ws_report_plural(diagnosis->small_count), diagnosis->small_count == 1 ? "" : "each ",
        diagnosis->threshold_percent, sheet->process, ws_format_ns(diagnosis->small_ns, duration),
        ws_report_percent(ws_report_share((double)diagnosis->small_ns, (double)diagnosis->total_ns), percent));
}

static void write_healthy(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    char duration[32], percent[32];

    if (diagnosis->small_count == 0)
        ws_sheet_line(sheet, "No problem worth changing: no %s was found waiting for another.", sheet->process);
    else
        ws_sheet_line(
            sheet, "No problem worth changing: waiting took %s of the %ss' time, %s in all.",
            ws_report_percent(ws_report_share((double)diagnosis->small_ns, (double)diagnosis->total_ns), percent),
            sheet->process,
            ws_format_ns(diagnosis->small_ns, duration));
}

static void write_together(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};

    if (diagnosis->gains.too_long) {
        ws_sheet_line(sheet, "What a fix would gain is not told of so long a run unless asked for: --gain");
        return;
    }
    if (!diagnosis->gains.known || diagnosis->problem_count < 2)
        return;
    ws_gain_phrase(&text, diagnosis->gains.together_ns, diagnosis->gains.replayed_ns);
    ws_sheet_line(sheet, "All fixes together would gain %s.", text.bytes);
    ws_text_free(&text);
}

static void write_problems(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    char duration[32], total[32], percent[32];
    double lost_s = 0;

    for (size_t i = 0; i < diagnosis->problem_count; i++)
        lost_s += (double)diagnosis->problems[i].duration_ns / 1e9;
    ws_sheet_line(sheet, "%zu problem%s cost%s %s of the %ss' time (%s of %s)%s", diagnosis->problem_count,
               ws_report_plural(diagnosis->problem_count), diagnosis->problem_count == 1 ? "s" : "",
               ws_report_percent(ws_report_share(lost_s * 1e9, (double)diagnosis->total_ns), percent), sheet->process,
               ws_report_seconds(lost_s, duration), ws_format_ns(diagnosis->total_ns, total),
               diagnosis->problem_count == 1 ? "." : ", the worst first.");
    for (size_t i = 0; i < diagnosis->problem_count; i++)
        write_problem(sheet, i + 1, &diagnosis->problems[i], &diagnosis->gains);
    if (diagnosis->small_count || (diagnosis->gains.known && diagnosis->problem_count > 1) || diagnosis->gains.too_long)
        fputc('\n', sheet->out);
    write_small(sheet, diagnosis);
    write_together(sheet, diagnosis);
}

/* What waits in each phase, in short: what it is and what to do about it stands above. */
static void write_phases(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    char percent[32], duration[32];

    for (size_t i = 0; i < diagnosis->phase_count; i++) {
        const struct ws_phase_problems *phase = &diagnosis->phases[i];
        char *name = ws_utf8_copy(phase->name[0] ? phase->name : "(before the first)", true);
        fprintf(sheet->out, "\n%sPhase %s%s, %s of the %ss' time\n", sheet->strong, name, sheet->plain,
                ws_format_ns(phase->total_ns, duration), sheet->process);
        free(name);
        write_efficiency(sheet, 3, &phase->efficiency);
        for (size_t k = 0; k < phase->problem_count; k++) {
            struct ws_text line = {0};
            ws_text_printf(&line, "%s: %s of it, %s, ", phase->problems[k].name,
                           ws_report_percent(phase->problems[k].severity_percent, percent),
                           ws_format_ns(phase->problems[k].duration_ns, duration));
            ws_report_site(&line, &phase->problems[k].places[0], sheet->folder);
            ws_sheet_indent(sheet, 3);
            ws_sheet_wrapped(sheet, line.bytes, 5, 3);
            ws_text_free(&line);
        }
        if (phase->problem_count == 0)
            fprintf(sheet->out, "   nothing to tell\n");
    }
}

int ws_report_text(const struct ws_diagnosis *diagnosis, FILE *out)
{
    struct ws_sheet sheet = ws_sheet_open(out);

    sheet.process = diagnosis->process ? diagnosis->process : "rank";
    fprintf(out, "%sWhyslow: where this run waited, and what to change%s\n\n", sheet.strong, sheet.plain);
    write_run(&sheet, diagnosis);
    fputc('\n', out);
    if (diagnosis->problem_count)
        write_problems(&sheet, diagnosis);
    else
        write_healthy(&sheet, diagnosis);
    write_phases(&sheet, diagnosis);
    ws_sheet_close(&sheet);
    return 0;
}
