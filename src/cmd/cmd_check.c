#include "cmd/cmd.h"

#include "report/report.h"
#include "util/file.h"

#include <stdlib.h>

struct choices {
    struct ws_list conditions, baseline, kb;
    const char *junit;
    double noise_percent, threshold_percent;
    struct ws_report_choices report;
};

/* ---- what is checked ---- */

struct gates {
    struct ws_gate **items;
    size_t count;
};

static void free_gates(struct gates *gates)
{
    for (size_t i = 0; i < gates->count; i++)
        ws_gate_free(gates->items[i]);
    free(gates->items);
}

/* All conditions are looked at, so that all mistakes are told. */
static int read_gates(const struct ws_list *conditions, struct gates *gates)
{
    struct ws_text report = {0};
    size_t mistaken = 0;

    gates->items = ws_alloc_array(conditions->count, sizeof *gates->items);
    for (size_t i = 0; i < conditions->count; i++) {
        struct ws_gate *gate = ws_gate_read(conditions->items[i], &report);
        if (gate)
            gates->items[gates->count++] = gate;
        else
            mistaken++;
    }
    fputs(ws_text_string(&report), stderr);
    ws_text_free(&report);
    return mistaken ? WS_USAGE : WS_DONE;
}

/* ---- what is told ---- */

static int write_junit(const struct ws_verdict *verdict, const char *path)
{
    struct ws_error error;
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    int result;

    if (!file)
        ws_out_of("memory");
    result = ws_report_verdict(verdict, "junit", file, &error);
    fclose(file);
    if (result == 0)
        result = ws_file_write(path, bytes, size, &error);
    free(bytes);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

static int tell(const struct ws_verdict *verdict, const struct choices *choices)
{
    struct ws_error error;
    int code = choices->junit ? write_junit(verdict, choices->junit) : WS_DONE;

    if (ws_report_verdict(verdict, choices->report.json ? "json" : "text", stdout, &error) != 0)
        code = ws_complain(&error);
    return code == WS_DONE && verdict->failed_count ? WS_FOUND : code;
}

/* ---- all of it ---- */

static int judge(const char *path, const struct ws_diagnosis *run, const struct ws_list *types,
                 const struct gates *gates, const struct ws_comparison *comparison,
                 const struct choices *choices)
{
    struct ws_verdict verdict;
    struct ws_error error;
    int code = WS_DONE;

    ws_verdict_begin(&verdict, path, run, types->items, types->count);
    for (size_t i = 0; i < gates->count && code == WS_DONE; i++)
        if (ws_verdict_condition(&verdict, gates->items[i], &error) != 0) {
            ws_message("%s: %s", path, error.text);
            code = (int)error.code;
        }
    if (comparison)
        ws_verdict_baseline(&verdict, comparison);
    if (code == WS_DONE)
        code = tell(&verdict, choices);
    ws_verdict_free(&verdict);
    return code;
}

/* With the runs of the baseline, which may be none. */
static int check_beside(const char *path, const struct ws_diagnosis *run, const struct ws_list *types,
                        const struct gates *gates, const struct choices *choices)
{
    const struct ws_list *baseline = &choices->baseline;
    struct ws_diagnosis *earlier = ws_alloc_array(baseline->count, sizeof *earlier);
    const struct ws_side sides[] = {{earlier, baseline->items, baseline->count}, {run, &path, 1}};
    const struct ws_compare_options options = {choices->noise_percent, choices->threshold_percent};
    struct ws_comparison comparison = {0};
    int code = WS_DONE;

    for (size_t i = 0; i < baseline->count && code == WS_DONE; i++)
        code = ws_cmd_load_diagnosis(baseline->items[i], &choices->kb, &choices->report, &earlier[i], NULL);
    if (code == WS_DONE && baseline->count)
        ws_compare_sides(&sides[0], &sides[1], &options, &comparison);
    if (code == WS_DONE)
        code = judge(path, run, types, gates, baseline->count ? &comparison : NULL, choices);
    ws_comparison_free(&comparison);
    for (size_t i = 0; i < baseline->count; i++)
        ws_diagnosis_free(&earlier[i]);
    free(earlier);
    return code;
}

static int check(const char *path, const struct choices *choices)
{
    struct ws_diagnosis run = {0};
    struct ws_list types = {0};
    struct gates gates = {0};
    int code = read_gates(&choices->conditions, &gates);

    if (code == WS_DONE)
        code = ws_cmd_load_diagnosis(path, &choices->kb, &choices->report, &run, &types);
    if (code == WS_DONE)
        code = check_beside(path, &run, &types, &gates, choices);
    free(types.items);
    ws_diagnosis_free(&run);
    free_gates(&gates);
    return code;
}

/* --help tells what may be asked for. */
static const char *examples(struct ws_text *text)
{
    struct ws_text values = {0};

    ws_text_puts(
        text,
        "whyslow check --fail-on 'severity > 10' whyslow-out\n"
        "whyslow check --fail-on 'id == \"late-sender\" and duration > 2 s' --fail-on 'efficiency < 60' out\n"
        "whyslow check --baseline good.json --junit whyslow.xml whyslow-out\n"
        "\nValues of conditions (of each problem, then of the run):\n");
    ws_gate_values(&values);
    ws_text_puts(text, values.bytes);
    ws_text_free(&values);
    return text->bytes;
}

static int check_as_asked(const struct ws_usage *usage, const char *path, const struct choices *choices)
{
    if (choices->conditions.count + choices->baseline.count == 0)
        return ws_usage_mistake(
            usage, "there is nothing to check: give a condition with --fail-on 'severity > 10', or an "
                   "earlier run with --baseline");
    if (choices->junit && !choices->junit[0])
        return ws_usage_mistake(usage, "--junit wants a file, not an empty name");
    return check(path, choices);
}

int ws_cmd_check(int argc, char **argv)
{
    /* A condition may ask for what is below the threshold of a report. */
    struct choices choices = {
        .noise_percent = -1, .threshold_percent = -1, .report = {.threshold_percent = 0, .no_gain = true}};
    const struct ws_option options[] = {
        {"fail-on", 0, WS_OPTION_LIST, &choices.conditions, "CONDITION",
         "fail where this holds, of a problem or of the run; may be repeated"},
        {"baseline", 0, WS_OPTION_LIST, &choices.baseline, "PATH",
         "fail where a problem is new or worse than in this run, or where the run is slower, each by more "
         "than chance; "
         "several runs tell what chance makes"},
        {"junit", 0, WS_OPTION_TEXT, &choices.junit, "FILE",
         "write the result as JUnit's XML too, which CI servers read"},
        {"json", 0, WS_OPTION_FLAG, &choices.report.json, NULL, "write the result as JSON, for programs"},
        {"noise", 0, WS_OPTION_PERCENT, &choices.noise_percent, "PERCENT",
         "with --baseline: what two runs of the same version are taken to differ by (default: 20)"},
        {"threshold", 0, WS_OPTION_PERCENT, &choices.threshold_percent, "PERCENT",
         "with --baseline: the least change of a problem that counts, as a share of the ranks' time "
         "(default: 1)"},
        WS_TRACE_OPTIONS(&choices.report),
        WS_KB_OPTION(&choices.kb),
    };
    struct ws_text text = {0};
    const struct ws_usage usage = {
        .name = "check",
        .line = "a gate for CI: fail where a run has problems that it should not have",
        .synopsis = "[options] RUN",
        .about =
            "RUN is the folder of a trace, or a file that 'whyslow diagnose --json' wrote. The exit code is "
            "1 where a "
            "condition holds or the run is worse than the baseline, 0 where all is well.\n\n"
            "A condition compares values with numbers, times (20 ms, 1.5 s) and texts (\"MPI_Recv\"); there "
            "are < <= > "
            ">= == != + - * / and, or, not. Where it names a value of problems it is asked of each problem, "
            "also of those below the threshold of a report.",
        .examples = examples(&text),
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace, or a file that 'whyslow diagnose --json' wrote",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = check_as_asked(&usage, argv[first], &choices);
    ws_text_free(&text);
    free(choices.conditions.items);
    free(choices.baseline.items);
    free(choices.kb.items);
    return code;
}
