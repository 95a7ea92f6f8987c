/* The report for programs.  docs/report.md describes it; keys are never taken away. */
#include "report/formats.h"
#include "report/origin.h"
#include "report/report.h"
#include "report/tree.h"

#include "util/text.h"
#include "util/utf8.h"

#include <jansson.h>
#include <stdlib.h>

/* Seconds to the nanosecond, percent to a ten-thousandth: the same diagnosis gives the same bytes. */
json_t *ws_tree_seconds(int64_t ns)
{
    return json_real((double)ns / 1e9);
}

json_t *ws_tree_rounded(double number, double unit)
{
    return json_real((double)ws_round(number / unit) * unit);
}

json_t *ws_tree_count(uint64_t number)
{
    return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

json_t *ws_tree_string(const char *text)
{
    char *valid = ws_utf8_copy(text ? text : "", false);
    json_t *value = json_string(valid);
    free(valid);
    return value;
}

static json_t *shares(const struct ws_rank_share *share, size_t share_count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < share_count; i++) {
        json_t *entry = json_object();
        json_object_set_new(entry, "rank", ws_tree_count(share[i].rank));
        json_object_set_new(entry, "duration_s", ws_tree_seconds(share[i].duration_ns));
        json_array_append_new(list, entry);
    }
    return list;
}

json_t *ws_tree_place(const struct ws_place *place)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "called", ws_tree_string(place->called));
    json_object_set_new(entry, "function", ws_tree_string(place->function));
    json_object_set_new(entry, "file", ws_tree_string(place->file));
    json_object_set_new(entry, "line", json_integer(place->line));
    json_object_set_new(entry, "module", ws_tree_string(place->module));
    json_object_set_new(entry, "offset", ws_tree_count(place->offset));
    return entry;
}

static json_t *sites(const struct ws_problem *problem)
{
    json_t *list = json_array();

    for (size_t i = 0; i < problem->place_count; i++) {
        const struct ws_place *place = &problem->places[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "role", ws_tree_string(place->role));
        json_object_update_new(entry, ws_tree_place(place));
        json_object_set_new(entry, "waits", json_boolean(place->waiting));
        json_object_set_new(entry, "causes", json_boolean(place->cause));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *began(const struct ws_problem *problem)
{
    json_t *list = json_array();

    for (size_t i = 0; i < problem->began_count; i++)
        json_array_append_new(list, ws_tree_origin(&problem->began[i], problem->began_ns));
    return list;
}

json_t *ws_tree_problem(const struct ws_problem *problem, const struct ws_gains *gains)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "id", ws_tree_string(problem->id));
    json_object_set_new(entry, "name", ws_tree_string(problem->name));
    json_object_set_new(entry, "severity_percent", ws_tree_rounded(problem->severity_percent, 1e-4));
    json_object_set_new(entry, "duration_s", ws_tree_seconds(problem->duration_ns));
    json_object_set_new(entry, "count", ws_tree_count(problem->count));
    json_object_set_new(entry, "ranks", shares(problem->waiting, problem->waiting_count));
    json_object_set_new(entry, "causes", shares(problem->causing, problem->causing_count));
    json_object_set_new(entry, "sites", sites(problem));
    json_object_set_new(entry, "description", ws_tree_string(problem->description));
    json_object_set_new(entry, "advice", ws_tree_string(problem->advice));
    json_object_set_new(entry, "remedy", ws_tree_string(ws_remedies[problem->remedy]));
    if (problem->began_count)
        json_object_set_new(entry, "began", began(problem));
    if (gains && gains->known) {
        json_object_set_new(entry, "gain_s", ws_tree_seconds(problem->gain_ns));
        json_object_set_new(entry, "gain_if_balanced_s", ws_tree_seconds(problem->balanced_ns));
        json_object_set_new(entry, "gain_if_removed_s", ws_tree_seconds(problem->removed_ns));
    }
    return entry;
}

static json_t *gains_entry(const struct ws_gains *gains)
{
    json_t *entry;

    if (!gains->known)
        return json_null();
    entry = json_object();
    json_object_set_new(entry, "replayed_s", ws_tree_seconds(gains->replayed_ns));
    json_object_set_new(entry, "together_s", ws_tree_seconds(gains->together_ns));
    json_object_set_new(entry, "unmatched", ws_tree_count(gains->unmatched));
    json_object_set_new(entry, "disordered", ws_tree_count(gains->disordered));
    return entry;
}

static json_t *run_entry(const struct ws_diagnosis *diagnosis)
{
    json_t *entry = json_object(), *recording = json_object();

    json_object_set_new(entry, "command", ws_tree_string(diagnosis->command));
    json_object_set_new(entry, "ranks", ws_tree_count(diagnosis->ranks));
    json_object_set_new(entry, "ranks_recorded", ws_tree_count(diagnosis->ranks_recorded));
    json_object_set_new(entry, "wall_s", ws_tree_rounded(diagnosis->wall_s, 1e-9));
    json_object_set_new(entry, "total_s", ws_tree_seconds(diagnosis->total_ns));
    json_object_set_new(entry, "mpi", ws_tree_string(diagnosis->mpi));
    json_object_set_new(entry, "runtime", ws_tree_string(diagnosis->runtime ? diagnosis->runtime : "MPI"));
    json_object_set_new(entry, "process", ws_tree_string(diagnosis->process ? diagnosis->process : "rank"));
    json_object_set_new(entry, "exit_code",
                        diagnosis->exit_code < 0 ? json_null() : json_integer(diagnosis->exit_code));
    json_object_set_new(recording, "events", ws_tree_count(diagnosis->events));
    json_object_set_new(recording, "bytes", ws_tree_count(diagnosis->bytes));
    json_object_set_new(recording, "cost_s", ws_tree_rounded(diagnosis->cost_s, 1e-9));
    json_object_set_new(recording, "stopped_s", ws_tree_seconds(diagnosis->stopped_ns));
    json_object_set_new(recording, "counted", ws_tree_count(diagnosis->counted));
    json_object_set_new(recording, "lost", ws_tree_count(diagnosis->lost));
    json_object_set_new(recording, "unmatched", ws_tree_count(diagnosis->unmatched));
    json_object_set_new(recording, "clock_violations", ws_tree_count(diagnosis->clock_violations));
    json_object_set_new(recording, "clocks", ws_tree_count(diagnosis->clocks));
    json_object_set_new(recording, "clock_error_s", ws_tree_rounded(diagnosis->clock_error_s, 1e-9));
    json_object_set_new(entry, "recording", recording);
    return entry;
}

json_t *ws_tree_efficiency(const struct ws_efficiency *efficiency)
{
    json_t *entry = json_object();

    if (!efficiency->known) {
        json_decref(entry);
        return json_null();
    }
    json_object_set_new(entry, "parallel", ws_tree_rounded(efficiency->parallel, 1e-6));
    json_object_set_new(entry, "load_balance", ws_tree_rounded(efficiency->load_balance, 1e-6));
    json_object_set_new(entry, "communication", ws_tree_rounded(efficiency->communication, 1e-6));
    json_object_set_new(entry, "serialisation",
                        efficiency->replayed ? ws_tree_rounded(efficiency->serialisation, 1e-6) : json_null());
    json_object_set_new(entry, "transfer",
                        efficiency->replayed ? ws_tree_rounded(efficiency->transfer, 1e-6) : json_null());
    return entry;
}

static json_t *phases(const struct ws_diagnosis *diagnosis)
{
    json_t *list = json_array();

    for (size_t i = 0; i < diagnosis->phase_count; i++) {
        const struct ws_phase_problems *phase = &diagnosis->phases[i];
        json_t *entry = json_object(), *problems = json_array();
        for (size_t k = 0; k < phase->problem_count; k++)
            json_array_append_new(problems, ws_tree_problem(&phase->problems[k], NULL));
        json_object_set_new(entry, "name", ws_tree_string(phase->name));
        json_object_set_new(entry, "time_s", ws_tree_seconds(phase->total_ns));
        json_object_set_new(entry, "efficiency", ws_tree_efficiency(&phase->efficiency));
        json_object_set_new(entry, "problems", problems);
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *counted_sites(const struct ws_diagnosis *diagnosis)
{
    json_t *list = json_array();

    for (size_t i = 0; i < diagnosis->counted_site_count; i++) {
        const struct ws_counted_site *site = &diagnosis->counted_sites[i];
        json_t *entry = ws_tree_place(&site->place);
        json_object_set_new(entry, "calls", ws_tree_count(site->calls));
        json_object_set_new(entry, "bytes", ws_tree_count(site->bytes));
        json_object_set_new(entry, "total_s", ws_tree_seconds(site->total_ns));
        json_object_set_new(entry, "longest_s", ws_tree_seconds(site->longest_ns));
        json_array_append_new(list, entry);
    }
    return list;
}

json_t *ws_report_tree(const struct ws_diagnosis *diagnosis)
{
    json_t *root = json_object(), *problems = json_array(), *warnings = json_array(), *small = json_object();

    for (size_t i = 0; i < diagnosis->problem_count; i++)
        json_array_append_new(problems, ws_tree_problem(&diagnosis->problems[i], &diagnosis->gains));
    for (size_t i = 0; i < diagnosis->warning_count; i++)
        json_array_append_new(warnings, ws_tree_string(diagnosis->warnings[i]));
    json_object_set_new(small, "problems", ws_tree_count(diagnosis->small_count));
    json_object_set_new(small, "duration_s", ws_tree_seconds(diagnosis->small_ns));
    json_object_set_new(small, "threshold_percent", json_real(diagnosis->threshold_percent));
    json_object_set_new(root, "format", json_integer(WS_REPORT_JSON_FORMAT));
    json_object_set_new(root, "run", run_entry(diagnosis));
    json_object_set_new(root, "efficiency", ws_tree_efficiency(&diagnosis->efficiency));
    json_object_set_new(root, "gains", gains_entry(&diagnosis->gains));
    json_object_set_new(root, "problems", problems);
    json_object_set_new(root, "counted", counted_sites(diagnosis));
    json_object_set_new(root, "warnings", warnings);
    json_object_set_new(root, "below_threshold", small);
    if (diagnosis->phase_count)
        json_object_set_new(root, "phases", phases(diagnosis));
    return root;
}

int ws_tree_write(json_t *root, FILE *out)
{
    int result = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));

    json_decref(root);
    fputc('\n', out);
    return result;
}

int ws_report_json(const struct ws_diagnosis *diagnosis, FILE *out)
{
    return ws_tree_write(ws_report_tree(diagnosis), out);
}
