/* The ranking while the program runs: a line for each of the worst problems, and nothing that steers the
 * terminal: it is the program's. */
#include "report/formats.h"

#include "util/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PROBLEMS 5
#define MOST_COLUMNS 79
#define NAME_COLUMNS 28

/* Adds at most so many columns of the text. */
static size_t add_cut(struct ws_text *out, const char *text, size_t columns)
{
    char *safe = ws_utf8_copy(text, true);
    size_t length = ws_utf8_prefix(safe, columns), shown = ws_utf8_columns(safe, length);

    ws_text_add(out, safe, length);
    free(safe);
    return shown;
}

/* Where it waits; as short as it gets. */
static void add_site(struct ws_text *out, const struct ws_problem *problem, size_t columns)
{
    struct ws_text site = {0};

    if (problem->place_count) {
        struct ws_place place = problem->places[0];
        place.file = ws_base_name(place.file);
        if (place.line > 0)
            place.function = "";
        ws_report_site(&site, &place, "");
        add_cut(out, site.bytes, columns);
    }
    ws_text_free(&site);
}

static void write_problem(FILE *out, size_t number, const struct ws_problem *problem)
{
    struct ws_text line = {0};
    char percent[32];
    size_t columns;

    ws_text_printf(&line, "  %zu. ", number);
    columns = add_cut(&line, problem->name, NAME_COLUMNS);
    ws_text_printf(&line, "%*s %6s  ", (int)(NAME_COLUMNS - columns), "",
                   ws_report_percent(problem->severity_percent, percent));
    add_site(&line, problem, MOST_COLUMNS - ws_utf8_columns(line.bytes, line.length));
    fprintf(out, "%s\n", line.bytes);
    ws_text_free(&line);
}

int ws_report_brief(const struct ws_diagnosis *diagnosis, FILE *out)
{
    char wall[32], lost[32];
    const char *process = diagnosis->process ? diagnosis->process : "rank";
    int64_t lost_ns = diagnosis->small_ns;

    for (size_t i = 0; i < diagnosis->problem_count; i++)
        lost_ns += diagnosis->problems[i].duration_ns;
    fprintf(out, "%s of %u %s%s so far: waiting took %s of the %ss' time%s\n",
            ws_format_ns(ws_round(diagnosis->wall_s * 1e9), wall), diagnosis->ranks_recorded, process,
            diagnosis->ranks_recorded == 1 ? "" : "s",
            ws_report_percent(ws_report_share((double)lost_ns, (double)diagnosis->total_ns), lost), process,
            diagnosis->problem_count ? "" : ", no problem stands out");
    for (size_t i = 0; i < diagnosis->problem_count && i < MOST_PROBLEMS; i++)
        write_problem(out, i + 1, &diagnosis->problems[i]);
    if (diagnosis->problem_count > MOST_PROBLEMS)
        fprintf(out, "  and %zu more\n", diagnosis->problem_count - MOST_PROBLEMS);
    return 0;
}
