/* What a check came to: for reading, for programs, and as JUnit's XML for CI. */
#include "report/formats.h"
#include "report/report.h"
#include "report/sheet.h"
#include "report/tree.h"

#include "util/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a case says, a line each ---- */

static const char *process_of(const struct ws_verdict *verdict)
{
    return verdict->run->process ? verdict->run->process : "rank";
}

static void add_problem(struct ws_text *out, const struct ws_verdict *verdict,
                        const struct ws_problem *problem, const char *folder)
{
    const struct ws_place *waits = ws_problem_waits_at(problem), *cause = ws_problem_caused_at(problem);
    char percent[32], duration[32];

    ws_text_printf(out, "%s: %s of the %ss' time, %s in %" PRIu64 " wait%s", problem->name,
                   ws_report_percent(problem->severity_percent, percent), process_of(verdict),
                   ws_format_ns(problem->duration_ns, duration), problem->count,
                   ws_report_plural(problem->count));
    if (waits) {
        ws_text_puts(out, ", waiting in ");
        ws_report_site(out, waits, folder);
    }
    if (cause && cause != waits) {
        ws_text_puts(out, " for ");
        ws_report_site(out, cause, folder);
    }
}

static void add_change(struct ws_text *out, const struct ws_verdict *verdict,
                       const struct ws_compared_problem *change, const char *folder)
{
    char before[32];

    ws_text_printf(out, "%s", change->status == WS_NEW ? "new: " : "worse: ");
    if (change->after.problem)
        add_problem(out, verdict, change->after.problem, folder);
    ws_text_printf(out, "; before %s",
                   change->change.before_s > 0 ? ws_report_seconds(change->change.before_s, before) : "none");
}

static void add_time(struct ws_text *out, const struct ws_change *wall)
{
    char before[32], after[32], noise[32];

    ws_text_printf(out, "the run took %s, before %s", ws_report_seconds(wall->after_s, after),
                   ws_report_seconds(wall->before_s, before));
    ws_text_printf(out, " (%s may be chance)", ws_report_seconds(wall->noise_s, noise));
}

/* Line `number` of what is to be said of a failed case; false: there are no more. */
static bool case_line(const struct ws_verdict *verdict, const struct ws_verdict_case *of, size_t number,
                      const char *folder, struct ws_text *out)
{
    size_t lines = of->problem_count + of->change_count;

    ws_text_clear(out);
    if (lines == 0 && number == 0 && of->values)
        ws_text_puts(out, of->values);
    else if (lines == 0 && number == 0)
        add_time(out, &verdict->comparison->wall);
    else if (number < of->problem_count)
        add_problem(out, verdict, of->problems[number], folder);
    else if (number < lines)
        add_change(out, verdict, of->changes[number - of->problem_count], folder);
    return out->length > 0;
}

static const char *advice_of(const struct ws_verdict_case *of, size_t number)
{
    const struct ws_problem *problem = NULL;

    if (number < of->problem_count)
        problem = of->problems[number];
    else if (number < of->problem_count + of->change_count)
        problem = of->changes[number - of->problem_count]->after.problem;
    return problem && problem->advice ? problem->advice : "";
}

/* What was not checked: a report that keeps silent of small problems may hide what a condition asks for. */
static void add_untold(const struct ws_verdict *verdict, struct ws_text *out)
{
    if (verdict->run->small_count)
        ws_text_printf(out,
                       "%zu problem%s below %g %% of the %ss' time %s not in this report: no condition was "
                       "asked of %s",
                       verdict->run->small_count, ws_report_plural(verdict->run->small_count),
                       verdict->run->threshold_percent, process_of(verdict),
                       verdict->run->small_count == 1 ? "is" : "are",
                       verdict->run->small_count == 1 ? "it" : "them");
}

/* ---- for reading ---- */

static void write_failed(const struct ws_sheet *sheet, const struct ws_verdict *verdict,
                         const struct ws_verdict_case *of)
{
    struct ws_text line = {0};

    ws_text_printf(&line, "%s, %s", of->rule, of->name);
    ws_sheet_labelled(sheet, 0, "FAILED", line.bytes);
    for (size_t i = 0; case_line(verdict, of, i, sheet->folder, &line); i++) {
        ws_sheet_indent(sheet, WS_SHEET_LABEL);
        ws_sheet_wrapped(sheet, line.bytes, WS_SHEET_LABEL + 2, WS_SHEET_LABEL);
        ws_sheet_paragraph(sheet, WS_SHEET_LABEL + 2, "What to change", advice_of(of, i));
    }
    ws_text_free(&line);
}

/* The cases of one rule stand together. */
static size_t end_of_rule(const struct ws_verdict *verdict, size_t begin)
{
    size_t end = begin;

    while (end < verdict->case_count && strcmp(verdict->cases[end].rule, verdict->cases[begin].rule) == 0)
        end++;
    return end;
}

static void write_rule(const struct ws_sheet *sheet, const struct ws_verdict *verdict, size_t begin,
                       size_t end)
{
    bool passed = true;

    for (size_t i = begin; i < end; i++)
        if (verdict->cases[i].failed) {
            write_failed(sheet, verdict, &verdict->cases[i]);
            passed = false;
        }
    if (passed)
        ws_sheet_labelled(sheet, 0, "passed", verdict->cases[begin].rule);
}

int ws_verdict_text(const struct ws_verdict *verdict, FILE *out)
{
    struct ws_sheet sheet = ws_sheet_open(out);
    struct ws_text text = {0};

    for (size_t begin = 0, end; begin < verdict->case_count; begin = end) {
        end = end_of_rule(verdict, begin);
        write_rule(&sheet, verdict, begin, end);
    }
    for (size_t i = 0; verdict->comparison && i < verdict->comparison->warning_count; i++)
        ws_sheet_labelled(&sheet, 0, "Warning", verdict->comparison->warnings[i]);
    add_untold(verdict, &text);
    if (text.length)
        ws_sheet_labelled(&sheet, 0, "Warning", text.bytes);
    ws_text_clear(&text);
    ws_text_printf(&text, "%s: %zu of %zu checks failed.", verdict->path, verdict->failed_count,
                   verdict->case_count);
    ws_sheet_wrapped(&sheet, text.bytes, 0, 0);
    ws_text_free(&text);
    ws_sheet_close(&sheet);
    return 0;
}

/* ---- for programs ---- */

static json_t *case_entry(const struct ws_verdict *verdict, const struct ws_verdict_case *of)
{
    json_t *entry = json_object(), *said = json_array(), *problems = json_array();
    struct ws_text line = {0};

    for (size_t i = 0; of->failed && case_line(verdict, of, i, "", &line); i++)
        json_array_append_new(said, ws_tree_string(line.bytes));
    for (size_t i = 0; i < of->problem_count; i++)
        json_array_append_new(problems, ws_tree_problem(of->problems[i], NULL));
    json_object_set_new(entry, "rule", ws_tree_string(of->rule));
    json_object_set_new(entry, "name", ws_tree_string(of->name));
    json_object_set_new(entry, "passed", json_boolean(!of->failed));
    json_object_set_new(entry, "said", said);
    json_object_set_new(entry, "problems", problems);
    ws_text_free(&line);
    return entry;
}

int ws_verdict_json(const struct ws_verdict *verdict, FILE *out)
{
    json_t *root = json_object(), *cases = json_array(), *warnings = json_array();
    struct ws_text untold = {0};

    add_untold(verdict, &untold);
    if (untold.length)
        json_array_append_new(warnings, ws_tree_string(untold.bytes));
    ws_text_free(&untold);
    for (size_t i = 0; i < verdict->case_count; i++)
        json_array_append_new(cases, case_entry(verdict, &verdict->cases[i]));
    json_object_set_new(root, "format", json_integer(WS_REPORT_JSON_FORMAT));
    json_object_set_new(root, "path", ws_tree_string(verdict->path));
    json_object_set_new(root, "passed", json_boolean(verdict->failed_count == 0));
    json_object_set_new(root, "checks", ws_tree_count(verdict->case_count));
    json_object_set_new(root, "failed", ws_tree_count(verdict->failed_count));
    json_object_set_new(root, "cases", cases);
    json_object_set_new(root, "warnings", warnings);
    json_object_set_new(root, "comparison",
                        verdict->comparison ? ws_comparison_tree(verdict->comparison) : json_null());
    return ws_tree_write(root, out);
}

/* ---- JUnit ---- */

/* Text in XML 1.0, between tags or in quotes.  What no XML may hold, not even escaped, becomes U+FFFD. */
static void write_xml(FILE *out, const char *text)
{
    char *valid = ws_utf8_copy(text, false);

    for (const char *at = valid; *at; at++) {
        unsigned char c = (unsigned char)*at;
        bool above =
            c == 0xEF && (unsigned char)at[1] == 0xBF && (unsigned char)at[2] >= 0xBE; /* U+FFFE, U+FFFF */
        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' || c == '\n' || c == '\t' || c == '\r')
            fprintf(out, "&#%d;", c);
        else if (c < ' ' || above)
            fputs("\xEF\xBF\xBD", out);
        else
            fputc(c, out);
        at += above ? 2 : 0;
    }
    free(valid);
}

static void write_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    write_xml(out, value);
    fputc('"', out);
}

static void write_failure(const struct ws_verdict *verdict, const struct ws_verdict_case *of, FILE *out)
{
    struct ws_text line = {0};

    case_line(verdict, of, 0, "", &line);
    fputs("      <failure", out);
    write_attribute(out, "type", of->name);
    write_attribute(out, "message", line.bytes);
    fputc('>', out);
    for (size_t i = 0; case_line(verdict, of, i, "", &line); i++) {
        write_xml(out, line.bytes);
        write_xml(out, "\n");
        if (advice_of(of, i)[0]) {
            write_xml(out, advice_of(of, i));
            write_xml(out, "\n");
        }
    }
    fputs("</failure>\n", out);
    ws_text_free(&line);
}

static void write_case(const struct ws_verdict *verdict, const struct ws_verdict_case *of, FILE *out)
{
    fputs("    <testcase", out);
    write_attribute(out, "classname", "whyslow"); /* what has a '.' would be taken for a package */
    fputs(" name=\"", out);
    write_xml(out, of->rule);
    fputs(": ", out);
    write_xml(out, of->name);
    fputc('"', out);
    if (!of->failed) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    write_failure(verdict, of, out);
    fputs("    </testcase>\n", out);
}

static void write_suite(const struct ws_verdict *verdict, size_t begin, size_t end, FILE *out)
{
    size_t failed = 0;

    for (size_t i = begin; i < end; i++)
        failed += verdict->cases[i].failed;
    fputs("  <testsuite", out);
    write_attribute(out, "name", verdict->cases[begin].rule);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n", end - begin, failed);
    for (size_t i = begin; i < end; i++)
        write_case(verdict, &verdict->cases[i], out);
    fputs("  </testsuite>\n", out);
}

int ws_verdict_junit(const struct ws_verdict *verdict, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    write_attribute(out, "name", "whyslow check");
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", verdict->case_count,
            verdict->failed_count);
    for (size_t begin = 0, end; begin < verdict->case_count; begin = end) {
        end = end_of_rule(verdict, begin);
        write_suite(verdict, begin, end, out);
    }
    fputs("</testsuites>\n", out);
    return 0;
}
