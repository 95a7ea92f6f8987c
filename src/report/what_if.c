/* What a fix would gain, problem by problem, with what the figure rests on. */
#include "report/formats.h"
#include "report/sheet.h"

#include "report/tree.h"

#include <inttypes.h>

const char *const ws_remedy_phrases[WS_REMEDIES] = {
    [WS_REMEDY_NONE] = "if this waiting were not",
    [WS_REMEDY_BALANCE] = "with the work of the ranks balanced",
    [WS_REMEDY_EARLIER] = "with what is waited for started before the computation that stands before it",
    [WS_REMEDY_LATER] = "with the waiting put off until after the next computation",
    [WS_REMEDY_DROP] = "without this operation",
};

void ws_gain_phrase(struct ws_text *out, int64_t gain_ns, int64_t wall_ns)
{
    char gain[32], wall[32], percent[32];

    ws_text_printf(out, "%s of %s (%s)", ws_format_ns(gain_ns, gain), ws_format_ns(wall_ns, wall),
                   ws_report_percent(ws_report_share((double)gain_ns, (double)wall_ns), percent));
}

static void write_row(const struct ws_sheet *sheet, const char *label, int64_t gain_ns, int64_t wall_ns, const char *how)
{
    struct ws_text text = {0};

    ws_gain_phrase(&text, gain_ns, wall_ns);
    ws_text_printf(&text, " %s", how);
    ws_sheet_labelled(sheet, 3, label, text.bytes);
    ws_text_free(&text);
}

static void write_problem(const struct ws_sheet *sheet, size_t number, const struct ws_problem *problem,
                          const struct ws_gains *gains)
{
    struct ws_text line = {0};
    char waited[32];

    ws_text_printf(&line, "%zu. %s: %s of waiting, in ", number, problem->name, ws_format_ns(problem->duration_ns, waited));
    ws_report_site(&line, &problem->places[0], sheet->folder);
    fputc('\n', sheet->out);
    ws_sheet_wrapped(sheet, line.bytes, 3, 0);
    if (problem->remedy != WS_REMEDY_NONE)
        write_row(sheet, "Cause", problem->gain_ns, gains->replayed_ns, ws_remedy_phrases[problem->remedy]);
    if (problem->remedy != WS_REMEDY_BALANCE)
        write_row(sheet, "Balance", problem->balanced_ns, gains->replayed_ns, ws_remedy_phrases[WS_REMEDY_BALANCE]);
    write_row(sheet, "Waiting", problem->removed_ns, gains->replayed_ns, ws_remedy_phrases[WS_REMEDY_NONE]);
    ws_text_free(&line);
}

static void write_doubts(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};

    ws_text_printf(&text, "%.6g s replayed, of %.6g s recorded", (double)diagnosis->gains.replayed_ns / 1e9,
                   diagnosis->wall_s);
    if (diagnosis->gains.unmatched || diagnosis->gains.disordered)
        ws_text_printf(&text, "; of %" PRIu64 " operations the counterpart is missing, of %" PRIu64
                       " the clocks have the order wrong: these wait for nobody in the replay",
                       diagnosis->gains.unmatched, diagnosis->gains.disordered);
    ws_sheet_labelled(sheet, 0, "Replay", text.bytes);
    ws_text_free(&text);
}

static void write_gains(const struct ws_sheet *sheet, const struct ws_diagnosis *diagnosis)
{
    struct ws_text text = {0};

    ws_sheet_line(sheet, "What the run's time would gain from each fix; waits off the critical path gain nothing:");
    for (size_t i = 0; i < diagnosis->problem_count; i++)
        write_problem(sheet, i + 1, &diagnosis->problems[i], &diagnosis->gains);
    fputc('\n', sheet->out);
    ws_gain_phrase(&text, diagnosis->gains.together_ns, diagnosis->gains.replayed_ns);
    ws_sheet_labelled(sheet, 0, "Together", text.bytes);
    ws_text_free(&text);
    write_doubts(sheet, diagnosis);
}

int ws_what_if_text(const struct ws_diagnosis *diagnosis, FILE *out)
{
    struct ws_sheet sheet = ws_sheet_open(out);

    sheet.process = diagnosis->process ? diagnosis->process : "rank";
    if (diagnosis->problem_count == 0)
        ws_sheet_line(&sheet, "No problem worth changing was found: there is nothing to gain.");
    else if (!diagnosis->gains.known)
        ws_sheet_line(&sheet, "The trace has no recorded calls that could be replayed.");
    else
        write_gains(&sheet, diagnosis);
    ws_sheet_close(&sheet);
    return 0;
}
