/* The report for reading: the run, then each problem with who waits for whom, where, why, and what to
 * change.  One page wide, no colour unless on a terminal. */
#include "report/formats.h"

#include "util/utf8.h"
#include "util/wrap.h"

#include "diagnosis/ranges.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 96 /* where the output is no terminal */
#define LEAST_WIDTH 80
#define MOST_WIDTH 100
#define LABEL 11    /* columns of a label */
#define FEW_RANKS 6 /* up to which each rank is shown with its own time */

struct page {
    FILE *out;
    size_t width;
    const char *strong, *plain; /* escape sequences, or "" */
    char *folder;               /* the current one with '/' at the end: paths in it are shown from there */
};

/* ---- the page ---- */

static char *current_folder(void)
{
    struct ws_text folder = {0};
    char *path = getcwd(NULL, 0);

    if (path && path[0] == '/' && path[1])
        ws_text_printf(&folder, "%s/", path);
    free(path);
    return folder.bytes ? folder.bytes : ws_strdup("");
}

static struct page open_page(FILE *out)
{
    struct page page = {out, WIDTH, "", "", current_folder()};
    const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    struct winsize size = {0};

    if (!isatty(fileno(out)))
        return page;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col) {
        page.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
        page.width = page.width > MOST_WIDTH ? MOST_WIDTH : page.width;
    }
    if (terminal && strcmp(terminal, "dumb") != 0 && !(no_colour && no_colour[0])) {
        page.strong = "\033[1m";
        page.plain = "\033[0m";
    }
    return page;
}

static void indent(const struct page *page, size_t columns)
{
    fprintf(page->out, "%*s", (int)columns, "");
}

/* Writes text from `column` on, its further lines from `left` on, and ends the line.  The text is made safe
 * to print here, so that every name goes through. */
static void write_wrapped(const struct page *page, const char *text, size_t left, size_t column)
{
    char *safe = ws_utf8_copy(text, true);
    struct ws_text wrapped = {0};

    ws_wrap(&wrapped, safe, left, column, page->width);
    fprintf(page->out, "%s\n", ws_text_string(&wrapped));
    ws_text_free(&wrapped);
    free(safe);
}

static void write_line(const struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void write_line(const struct page *page, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = ws_strdup("");
    va_end(args);
    write_wrapped(page, text, 0, 0);
    free(text);
}

/* "Label      text", the text wrapped beside the label. */
static void write_labelled(const struct page *page, size_t left, const char *label, const char *text)
{
    indent(page, left);
    fprintf(page->out, "%s%s%s%*s", page->strong, label, page->plain,
            (int)(LABEL - ws_utf8_columns(label, strlen(label))), "");
    write_wrapped(page, text, left + LABEL, left + LABEL);
}

/* "Label: text", the text wrapped below the label. */
static void write_paragraph(const struct page *page, size_t left, const char *label, const char *text)
{
    if (!text || !text[0])
        return;
    indent(page, left);
    fprintf(page->out, "%s%s:%s ", page->strong, label, page->plain);
    write_wrapped(page, text, left, left + strlen(label) + 2);
}

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

/* A damaged trace may claim any time: at most what fits. */
static const char *format_seconds(double s, char buffer[static 32])
{
    return ws_format_ns(ws_round(s * 1e9), buffer);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the run ---- */

static void write_exit(const struct page *page, int exit_code)
{
    const char *name = exit_code > 128 ? sigabbrev_np(exit_code - 128) : NULL;
    char text[96];

    if (exit_code <= 0)
        return;
    snprintf(text, sizeof text, name ? "the command ended with %d (SIG%s)" : "the command ended with %d",
             exit_code, name);
    write_labelled(page, 0, "Exit code", text);
}

#define FEW_SITES 5

/* Which calls were only counted since their site had had its share. */
static void write_counted(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};
    char total[32], longest[32];

    if (diagnosis->counted == 0)
        return;
    ws_text_printf(&text, "%" PRIu64 " call%s only counted, as asked (--sample): in the problems below they are missing",
                   diagnosis->counted, diagnosis->counted == 1 ? " was" : "s were");
    write_labelled(page, 0, "Counted", text.bytes);
    for (size_t i = 0; i < diagnosis->counted_site_count && i < FEW_SITES; i++) {
        const struct ws_counted_site *site = &diagnosis->counted_sites[i];
        ws_text_clear(&text);
        ws_report_site(&text, &site->place, page->folder);
        ws_text_printf(&text, ": %" PRIu64 " call%s, %s in all, the longest %s", site->calls, plural(site->calls),
                       ws_format_ns(site->total_ns, total), ws_format_ns(site->longest_ns, longest));
        write_labelled(page, 0, "", text.bytes);
    }
    ws_text_free(&text);
}

/* Where the ranks' times are of several clocks: how well these were brought to one. */
static void write_clocks(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    char error[32], text[160];

    if (diagnosis->clocks < 2)
        return;
    snprintf(text, sizeof text, "%u, corrected to that of rank 0%s%s", diagnosis->clocks,
             diagnosis->clock_error_s > 0 ? " with an error of at most " : "",
             diagnosis->clock_error_s > 0 ? format_seconds(diagnosis->clock_error_s, error) : "");
    write_labelled(page, 0, "Clocks", text);
}

/* What the recording did not catch or could not bring into order; nothing in a good run. */
static void write_doubts(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};
    char stopped[32];

    if (diagnosis->stopped_ns) {
        ws_text_printf(&text, "for %s, summed over the ranks, in which nothing was recorded: not part of the time here",
                       ws_format_ns(diagnosis->stopped_ns, stopped));
        write_labelled(page, 0, "Stopped", text.bytes);
    }
    ws_text_clear(&text);
    if (diagnosis->lost) {
        ws_text_printf(&text, "%" PRIu64 " event%s lost while recording: what follows is incomplete",
                       diagnosis->lost, plural(diagnosis->lost));
        write_labelled(page, 0, "Lost", text.bytes);
    }
    ws_text_clear(&text);
    if (diagnosis->unmatched) {
        ws_text_printf(&text, "%" PRIu64 " operation%s without a counterpart in the recording",
                       diagnosis->unmatched, plural(diagnosis->unmatched));
        write_labelled(page, 0, "Unmatched", text.bytes);
    }
    ws_text_clear(&text);
    if (diagnosis->clock_violations) {
        ws_text_printf(&text,
                       "%" PRIu64 " message%s arrived before being sent: the clocks differ by more than could "
                       "be corrected, and short waits may be wrong",
                       diagnosis->clock_violations, plural(diagnosis->clock_violations));
        write_labelled(page, 0, "Clocks", text.bytes);
    }
    ws_text_free(&text);
}

/* Above this share of the ranks' time the recording itself may be what is seen. */
#define COST_PERCENT_MOST 10.0

static void write_recording(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    double share = ws_report_share(diagnosis->cost_s * 1e9, (double)diagnosis->total_ns);
    char bytes[32], cost[32], percent[32], of[64], text[192];

    if (share < 100)
        snprintf(of, sizeof of, "%s of the ranks' time", ws_report_percent(share, percent));
    else
        snprintf(of, sizeof of, "more than the ranks' recorded time");
    snprintf(text, sizeof text, "%" PRIu64 " event%s, %s; it cost about %s, %s", diagnosis->events,
             plural(diagnosis->events), format_bytes(diagnosis->bytes, bytes),
             format_seconds(diagnosis->cost_s, cost), of);
    write_labelled(page, 0, "Recording", text);
    if (share > COST_PERCENT_MOST)
        write_labelled(page, 0, "Warning", "recording is a large part of so short a run: its times say little");
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

static void write_missing_lines(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    const struct ws_place *place = place_without_line(diagnosis);
    struct ws_text text = {0};

    if (!place)
        return;
    ws_text_printf(&text, "source lines of %s are not known: compile it with -g",
                   ws_base_name(place->module));
    write_labelled(page, 0, "Sources", text.bytes);
    ws_text_free(&text);
}

/* A few lines of the command, cut between characters; JSON has all of it. */
static void write_command(const struct page *page, const char *command)
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
    write_labelled(page, 0, "Program", command[0] ? command : "(unknown)");
    ws_text_free(&text);
}

/* Of an efficiency the user knows the share, not the formula: the factors tell which of the two it is. */
static void write_efficiency(const struct page *page, const struct ws_efficiency *efficiency)
{
    char parallel[32], balance[32], communication[32], text[160];

    if (!efficiency->known)
        return;
    snprintf(text, sizeof text, "%s parallel = %s load balance × %s communication",
             ws_report_percent(100 * efficiency->parallel, parallel),
             ws_report_percent(100 * efficiency->load_balance, balance),
             ws_report_percent(100 * efficiency->communication, communication));
    write_labelled(page, 0, "Efficiency", text);
}

static void write_run(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    char wall[32], percent[32];
    struct ws_text text = {0};

    write_command(page, diagnosis->command);
    ws_text_printf(&text, "%s, %u rank%s", diagnosis->mpi[0] ? diagnosis->mpi : "unknown MPI",
                   diagnosis->ranks, plural(diagnosis->ranks));
    if (diagnosis->ranks_recorded != diagnosis->ranks)
        ws_text_printf(&text, ", of which %u recorded", diagnosis->ranks_recorded);
    write_labelled(page, 0, "MPI", text.bytes);
    ws_text_clear(&text);
    ws_text_printf(
        &text, "%s, of which the ranks spent %s inside MPI", format_seconds(diagnosis->wall_s, wall),
        ws_report_percent(ws_report_share((double)diagnosis->call_ns, (double)diagnosis->total_ns), percent));
    write_labelled(page, 0, "Time", text.bytes);
    ws_text_free(&text);
    write_efficiency(page, &diagnosis->efficiency);
    write_recording(page, diagnosis);
    write_exit(page, diagnosis->exit_code);
    write_clocks(page, diagnosis);
    write_counted(page, diagnosis);
    write_doubts(page, diagnosis);
    write_missing_lines(page, diagnosis);
    for (size_t i = 0; i < diagnosis->warning_count; i++)
        write_labelled(page, 0, "Warning", diagnosis->warnings[i]);
}

/* ---- ranks ---- */

/* "ranks 0–62 (0.19 s to 0.24 s each, most: rank 17)" */
static void add_many(struct ws_text *out, const struct ws_rank_share *share, size_t count)
{
    uint32_t *ranks = ws_alloc_array(count, sizeof *ranks);
    size_t least = 0, most = 0;
    char low[32], high[32];

    for (size_t i = 0; i < count; i++) {
        ranks[i] = share[i].rank;
        least = share[i].duration_ns < share[least].duration_ns ? i : least;
        most = share[i].duration_ns > share[most].duration_ns ? i : most;
    }
    ws_text_puts(out, "ranks ");
    ws_ranges_add(out, ranks, count);
    ws_text_printf(out, " (%s to %s each, most: rank %u)", ws_format_ns(share[least].duration_ns, low),
                   ws_format_ns(share[most].duration_ns, high), share[most].rank);
    free(ranks);
}

static void add_ranks(struct ws_text *out, const struct ws_rank_share *share, size_t count)
{
    char duration[32];

    if (count > FEW_RANKS) {
        add_many(out, share, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        ws_text_printf(out, "%s%u (%s)",
                       i           ? ", "
                       : count > 1 ? "ranks "
                                   : "rank ",
                       share[i].rank, ws_format_ns(share[i].duration_ns, duration));
}

/* ---- call sites ---- */

/* The length of the part that fits into `room` columns, with one left for the sign that it was cut. */
static size_t fitting(const char *text, size_t room)
{
    size_t length = ws_utf8_prefix(text, room);

    return room && text[length] ? ws_utf8_prefix(text, room - 1) : length;
}

/* The source line below its call site, cut to the page. */
static void write_source(const struct page *page, size_t left, const struct ws_place *place)
{
    char *line = ws_source_line(place->file, place->line), *safe, number[24];
    size_t length;

    if (!line)
        return;
    safe = ws_utf8_copy(line, true);
    snprintf(number, sizeof number, "  %d | ", place->line);
    length = fitting(safe, page->width - left - strlen(number));
    indent(page, left);
    fprintf(page->out, "%s%.*s%s\n", number, (int)length, safe, safe[length] ? "…" : "");
    free(safe);
    free(line);
}

static void write_place(const struct page *page, size_t left, const struct ws_place *place)
{
    struct ws_text text = {0};

    ws_report_site(&text, place, page->folder);
    indent(page, left + LABEL);
    write_wrapped(page, text.bytes, left + LABEL + 2, left + LABEL);
    write_source(page, left + LABEL, place);
    ws_text_free(&text);
}

/* ---- a problem ---- */

static void write_waiting(const struct page *page, size_t left, const struct ws_problem *problem)
{
    struct ws_text text = {0};

    add_ranks(&text, problem->waiting, problem->waiting_count);
    write_labelled(page, left, "Waiting", ws_text_string(&text));
    for (size_t i = 0; i < problem->place_count; i++)
        if (problem->places[i].waiting)
            write_place(page, left, &problem->places[i]);
    ws_text_free(&text);
}

static void write_cause(const struct page *page, size_t left, const struct ws_problem *problem)
{
    struct ws_text text = {0};
    bool same = false;

    if (problem->causing_count == 0)
        return;
    for (size_t i = 0; i < problem->place_count; i++)
        same |= problem->places[i].waiting && problem->places[i].cause;
    add_ranks(&text, problem->causing, problem->causing_count);
    if (same)
        ws_text_puts(&text, ", by the same call");
    write_labelled(page, left, "Cause", text.bytes);
    for (size_t i = 0; i < problem->place_count; i++)
        if (problem->places[i].cause && !problem->places[i].waiting)
            write_place(page, left, &problem->places[i]);
    ws_text_free(&text);
}

static void write_others(const struct page *page, size_t left, const struct ws_problem *problem)
{
    const char *label = "Also";

    for (size_t i = 0; i < problem->place_count; i++) {
        struct ws_text text = {0};
        if (problem->places[i].waiting || problem->places[i].cause)
            continue;
        ws_report_site(&text, &problem->places[i], page->folder);
        ws_text_printf(&text, " (%s)", problem->places[i].role);
        write_labelled(page, left, label, text.bytes);
        write_source(page, left + LABEL, &problem->places[i]);
        ws_text_free(&text);
        label = "";
    }
}

static void write_problem(const struct page *page, size_t number, const struct ws_problem *problem)
{
    char percent[32], duration[32], *name = ws_utf8_copy(problem->name, true);
    size_t left = number < 10 ? 3 : 4;

    fprintf(page->out, "\n%s%zu. %s%s: %s of the ranks' time, %s in %" PRIu64 " wait%s\n", page->strong,
            number, name, page->plain, ws_report_percent(problem->severity_percent, percent),
            ws_format_ns(problem->duration_ns, duration), problem->count, plural(problem->count));
    free(name);
    write_waiting(page, left, problem);
    write_cause(page, left, problem);
    write_others(page, left, problem);
    fputc('\n', page->out);
    write_paragraph(page, left, "Why", problem->description);
    write_paragraph(page, left, "What to change", problem->advice);
}

/* ---- all problems ---- */

static void write_small(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    char duration[32], percent[32];

    if (diagnosis->small_count == 0)
        return;
    write_line(
        page, "%zu smaller problem%s, %sbelow %g %% of the ranks' time, cost %s in all (%s).",
        diagnosis->small_count, plural(diagnosis->small_count), diagnosis->small_count == 1 ? "" : "each ",
        diagnosis->threshold_percent, ws_format_ns(diagnosis->small_ns, duration),
        ws_report_percent(ws_report_share((double)diagnosis->small_ns, (double)diagnosis->total_ns), percent));
}

static void write_healthy(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    char duration[32], percent[32];

    if (diagnosis->small_count == 0)
        write_line(page, "No problem worth changing: no rank was found waiting for another.");
    else
        write_line(
            page, "No problem worth changing: waiting took %s of the ranks' time, %s in all.",
            ws_report_percent(ws_report_share((double)diagnosis->small_ns, (double)diagnosis->total_ns), percent),
            ws_format_ns(diagnosis->small_ns, duration));
}

static void write_problems(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    char duration[32], total[32], percent[32];
    double lost_s = 0;

    for (size_t i = 0; i < diagnosis->problem_count; i++)
        lost_s += (double)diagnosis->problems[i].duration_ns / 1e9;
    write_line(page, "%zu problem%s cost%s %s of the ranks' time (%s of %s)%s", diagnosis->problem_count,
               plural(diagnosis->problem_count), diagnosis->problem_count == 1 ? "s" : "",
               ws_report_percent(ws_report_share(lost_s * 1e9, (double)diagnosis->total_ns), percent),
               format_seconds(lost_s, duration), ws_format_ns(diagnosis->total_ns, total),
               diagnosis->problem_count == 1 ? "." : ", the worst first.");
    for (size_t i = 0; i < diagnosis->problem_count; i++)
        write_problem(page, i + 1, &diagnosis->problems[i]);
    if (diagnosis->small_count)
        fputc('\n', page->out);
    write_small(page, diagnosis);
}

/* What waits in each phase, in short: what it is and what to do about it stands above. */
static void write_phases(const struct page *page, const struct ws_diagnosis *diagnosis)
{
    char percent[32], duration[32];

    for (size_t i = 0; i < diagnosis->phase_count; i++) {
        const struct ws_phase_problems *phase = &diagnosis->phases[i];
        char *name = ws_utf8_copy(phase->name[0] ? phase->name : "(before the first)", true);
        fprintf(page->out, "\n%sPhase %s%s, %s of the ranks' time\n", page->strong, name, page->plain,
                ws_format_ns(phase->total_ns, duration));
        free(name);
        for (size_t k = 0; k < phase->problem_count; k++) {
            struct ws_text line = {0};
            ws_text_printf(&line, "%s: %s of it, %s, ", phase->problems[k].name,
                           ws_report_percent(phase->problems[k].severity_percent, percent),
                           ws_format_ns(phase->problems[k].duration_ns, duration));
            ws_report_site(&line, &phase->problems[k].places[0], page->folder);
            indent(page, 3);
            write_wrapped(page, line.bytes, 5, 3);
            ws_text_free(&line);
        }
        if (phase->problem_count == 0)
            fprintf(page->out, "   nothing to tell\n");
    }
}

int ws_report_text(const struct ws_diagnosis *diagnosis, FILE *out)
{
    struct page page = open_page(out);

    fprintf(out, "%sWhyslow: where this run waited, and what to change%s\n\n", page.strong, page.plain);
    write_run(&page, diagnosis);
    fputc('\n', out);
    if (diagnosis->problem_count)
        write_problems(&page, diagnosis);
    else
        write_healthy(&page, diagnosis);
    write_phases(&page, diagnosis);
    free(page.folder);
    return 0;
}
