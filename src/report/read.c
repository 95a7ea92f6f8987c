/* A report for programs (json.c), read again: so that CI keeps a small file of a good run instead of its
 * trace. Anything may be in the file; what is not as it should be is named by its place:
 * "problems[3].sites[0].line". */
#include "report/report.h"

#include "fields/fields.h"
#include "util/file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)256 << 20)
#define MOST_SECONDS 9e9 /* what a number of nanoseconds holds, nearly */

/* ---- members of objects ---- */

/* A member that is not there leaves the default. */
static int take_text(const struct ws_fields *reader, const json_t *object, const char *where, const char *key,
                     const char **text)
{
    const json_t *member = json_object_get(object, key);

    if (!*text)
        *text = "";
    if (!member)
        return 0;
    if (!json_is_string(member))
        return ws_fields_wanted(reader, where, key, "a text", member);
    *text = ws_arena_strdup(reader->arena, json_string_value(member));
    return 0;
}

static int take_number(const struct ws_fields *reader, const json_t *object, const char *where,
                       const char *key, double most, double *number)
{
    const json_t *member = json_object_get(object, key);

    if (!member)
        return 0;
    if (!json_is_number(member))
        return ws_fields_wanted(reader, where, key, "a number", member);
    *number = json_number_value(member);
    if (!(*number >= 0 && *number <= most))
        return ws_fail(reader->error, WS_BAD_INPUT, "%s: %s%s: %g is not in the range from 0 to %g",
                       reader->path, where, key, *number, most);
    return 0;
}

static int take_seconds(const struct ws_fields *reader, const json_t *object, const char *where,
                        const char *key, int64_t *ns)
{
    double s = (double)*ns / 1e9;

    if (take_number(reader, object, where, key, MOST_SECONDS, &s) != 0)
        return -1;
    *ns = ws_round(s * 1e9);
    return 0;
}

static int take_count(const struct ws_fields *reader, const json_t *object, const char *where,
                      const char *key, uint64_t most, uint64_t *count)
{
    const json_t *member = json_object_get(object, key);

    if (!member)
        return 0;
    if (!json_is_integer(member))
        return ws_fields_wanted(reader, where, key, "a whole number", member);
    if (json_integer_value(member) < 0 || (uint64_t)json_integer_value(member) > most)
        return ws_fail(reader->error, WS_BAD_INPUT, "%s: %s%s: %lld is not in the range from 0 to %llu",
                       reader->path, where, key, (long long)json_integer_value(member),
                       (unsigned long long)most);
    *count = (uint64_t)json_integer_value(member);
    return 0;
}

static int take_flag(const struct ws_fields *reader, const json_t *object, const char *where, const char *key,
                     bool *flag)
{
    const json_t *member = json_object_get(object, key);

    if (member && !json_is_boolean(member))
        return ws_fields_wanted(reader, where, key, "true or false", member);
    *flag = json_is_true(member);
    return 0;
}

/* An object or list that must be there; NULL: it is not, which is told. */
static const json_t *need(const struct ws_fields *reader, const json_t *object, const char *where,
                          const char *key, json_type type)
{
    const json_t *member = json_object_get(object, key);

    if (member && json_typeof(member) == type)
        return member;
    ws_fields_wanted(reader, where, key, type == JSON_ARRAY ? "a list" : "an object", member);
    return NULL;
}

/* An object that may be missing: then *part is NULL. */
static int take_part(const struct ws_fields *reader, const json_t *object, const char *where, const char *key,
                     const json_t **part)
{
    *part = json_object_get(object, key);
    return *part && !json_is_object(*part) ? ws_fields_wanted(reader, where, key, "an object", *part) : 0;
}

/* The same of a list: its length, 0 where it is missing. */
static const json_t *list_or_none(const struct ws_fields *reader, const json_t *object, const char *where,
                                  const char *key, size_t *count, int *result)
{
    const json_t *list = json_object_get(object, key);

    *count = json_array_size(list);
    if (list && !json_is_array(list))
        *result = ws_fields_wanted(reader, where, key, "a list", list);
    return list;
}

/* ---- problems ---- */

static int take_shares(const struct ws_fields *reader, const json_t *problem, const char *where,
                       const char *key, struct ws_rank_share **shares, size_t *count)
{
    int result = 0;
    const json_t *list = list_or_none(reader, problem, where, key, count, &result);

    *shares = ws_arena_alloc(reader->arena, (*count + 1) * sizeof **shares);
    for (size_t i = 0; result == 0 && i < *count; i++) {
        const json_t *entry = json_array_get(list, i);
        uint64_t rank = 0;
        char at[96];
        snprintf(at, sizeof at, "%s%s[%zu].", where, key, i);
        if (!json_is_object(entry))
            return ws_fields_wanted(reader, at, "", "an object", entry);
        if (take_count(reader, entry, at, "rank", UINT32_MAX - 1, &rank) != 0 ||
            take_seconds(reader, entry, at, "duration_s", &(*shares)[i].duration_ns) != 0)
            return -1;
        (*shares)[i].rank = (uint32_t)rank;
    }
    return result;
}

static int take_place(const struct ws_fields *reader, const json_t *site, const char *where,
                      struct ws_place *place)
{
    uint64_t line = 0;

    if (!json_is_object(site))
        return ws_fields_wanted(reader, where, "", "an object", site);
    if (take_text(reader, site, where, "role", &place->role) != 0 ||
        take_text(reader, site, where, "called", &place->called) != 0 ||
        take_text(reader, site, where, "function", &place->function) != 0 ||
        take_text(reader, site, where, "file", &place->file) != 0 ||
        take_text(reader, site, where, "module", &place->module) != 0 ||
        take_count(reader, site, where, "line", INT32_MAX, &line) != 0 ||
        take_count(reader, site, where, "offset", INT64_MAX, &place->offset) != 0 ||
        take_flag(reader, site, where, "waits", &place->waiting) != 0 ||
        take_flag(reader, site, where, "causes", &place->cause) != 0)
        return -1;
    place->line = (int)line;
    return 0;
}

static int take_places(const struct ws_fields *reader, const json_t *problem, const char *where,
                       struct ws_problem *into)
{
    int result = 0;
    const json_t *list = list_or_none(reader, problem, where, "sites", &into->place_count, &result);

    into->places = ws_arena_alloc(reader->arena, (into->place_count + 1) * sizeof *into->places);
    for (size_t i = 0; result == 0 && i < into->place_count; i++) {
        char at[96];
        snprintf(at, sizeof at, "%ssites[%zu].", where, i);
        result = take_place(reader, json_array_get(list, i), at, &into->places[i]);
    }
    return result;
}

static int take_problem(const struct ws_fields *reader, const json_t *problem, size_t number,
                        struct ws_problem *into)
{
    char where[64];

    snprintf(where, sizeof where, "problems[%zu].", number);
    if (!json_is_string(json_object_get(problem, "id")))
        return ws_fields_wanted(reader, where, "id", "a text", json_object_get(problem, "id"));
    if (!json_is_number(json_object_get(problem, "duration_s")))
        return ws_fields_wanted(reader, where, "duration_s", "a number",
                                json_object_get(problem, "duration_s"));
    if (take_text(reader, problem, where, "id", &into->id) != 0 ||
        take_text(reader, problem, where, "name", &into->name) != 0 ||
        take_text(reader, problem, where, "description", &into->description) != 0 ||
        take_text(reader, problem, where, "advice", &into->advice) != 0 ||
        take_number(reader, problem, where, "severity_percent", 100.001, &into->severity_percent) != 0 ||
        take_seconds(reader, problem, where, "duration_s", &into->duration_ns) != 0 ||
        take_count(reader, problem, where, "count", INT64_MAX, &into->count) != 0 ||
        take_shares(reader, problem, where, "ranks", &into->waiting, &into->waiting_count) != 0 ||
        take_shares(reader, problem, where, "causes", &into->causing, &into->causing_count) != 0 ||
        take_places(reader, problem, where, into) != 0)
        return -1;
    if (!into->name[0])
        into->name = into->id;
    return 0;
}

/* The greatest first, as a diagnosis has them. */
static int worst_first(const void *left, const void *right)
{
    int64_t a = ((const struct ws_problem *)left)->duration_ns,
            b = ((const struct ws_problem *)right)->duration_ns;
    return (a < b) - (a > b);
}

static int take_problems(const struct ws_fields *reader, const json_t *root, struct ws_diagnosis *diagnosis)
{
    const json_t *list = need(reader, root, "", "problems", JSON_ARRAY);
    size_t count = json_array_size(list);

    if (!list)
        return -1;
    diagnosis->problems = ws_arena_alloc(reader->arena, (count + 1) * sizeof *diagnosis->problems);
    for (size_t i = 0; i < count; i++)
        if (take_problem(reader, json_array_get(list, i), i, &diagnosis->problems[i]) != 0)
            return -1;
    diagnosis->problem_count = count;
    if (count)
        qsort(diagnosis->problems, count, sizeof *diagnosis->problems, worst_first);
    return 0;
}

/* ---- the run ---- */

static int take_recording(const struct ws_fields *reader, const json_t *run, struct ws_diagnosis *into)
{
    const json_t *recording;
    const char *where = "run.recording.";

    if (take_part(reader, run, "run.", "recording", &recording) != 0 ||
        take_count(reader, recording, where, "events", INT64_MAX, &into->events) != 0 ||
        take_count(reader, recording, where, "bytes", INT64_MAX, &into->bytes) != 0 ||
        take_count(reader, recording, where, "lost", INT64_MAX, &into->lost) != 0 ||
        take_count(reader, recording, where, "unmatched", INT64_MAX, &into->unmatched) != 0 ||
        take_count(reader, recording, where, "counted", INT64_MAX, &into->counted) != 0 ||
        take_count(reader, recording, where, "clock_violations", INT64_MAX, &into->clock_violations) != 0 ||
        take_number(reader, recording, where, "cost_s", MOST_SECONDS, &into->cost_s) != 0 ||
        take_seconds(reader, recording, where, "stopped_s", &into->stopped_ns) != 0)
        return -1;
    return 0;
}

static int take_exit_code(const struct ws_fields *reader, const json_t *run, struct ws_diagnosis *into)
{
    uint64_t code = 0;

    into->exit_code = -1;
    if (json_is_null(json_object_get(run, "exit_code")) || !json_object_get(run, "exit_code"))
        return 0;
    if (take_count(reader, run, "run.", "exit_code", 65535, &code) != 0)
        return -1;
    into->exit_code = (int)code;
    return 0;
}

/* Files of before there was `total_s`: the shares tell it; where there are none, nearly. */
static int64_t total_of(const struct ws_diagnosis *diagnosis)
{
    const struct ws_problem *worst = diagnosis->problems;

    if (diagnosis->problem_count && worst->severity_percent > 0)
        return ws_round((double)worst->duration_ns * 100 / worst->severity_percent);
    return ws_round(diagnosis->wall_s * 1e9 * diagnosis->ranks_recorded);
}

static int take_run(const struct ws_fields *reader, const json_t *root, struct ws_diagnosis *into)
{
    const json_t *run = need(reader, root, "", "run", JSON_OBJECT);
    uint64_t ranks = 0, recorded;

    if (!run || take_count(reader, run, "run.", "ranks", UINT32_MAX - 1, &ranks) != 0)
        return -1;
    recorded = ranks;
    if (!json_is_number(json_object_get(run, "wall_s")))
        return ws_fields_wanted(reader, "run.", "wall_s", "a number", json_object_get(run, "wall_s"));
    into->runtime = "MPI";
    into->process = "rank";
    if (take_text(reader, run, "run.", "command", &into->command) != 0 ||
        take_text(reader, run, "run.", "mpi", &into->mpi) != 0 ||
        take_text(reader, run, "run.", "runtime", &into->runtime) != 0 ||
        take_text(reader, run, "run.", "process", &into->process) != 0 ||
        take_number(reader, run, "run.", "wall_s", MOST_SECONDS, &into->wall_s) != 0 ||
        take_count(reader, run, "run.", "ranks_recorded", ranks, &recorded) != 0 ||
        take_exit_code(reader, run, into) != 0 || take_recording(reader, run, into) != 0)
        return -1;
    into->ranks = (uint32_t)ranks;
    into->ranks_recorded = (uint32_t)recorded;
    into->total_ns = total_of(into);
    return take_seconds(reader, run, "run.", "total_s", &into->total_ns);
}

static int take_warnings(const struct ws_fields *reader, const json_t *root, struct ws_diagnosis *into)
{
    int result = 0;
    const json_t *list = list_or_none(reader, root, "", "warnings", &into->warning_count, &result);

    into->warnings = ws_arena_alloc(reader->arena, (into->warning_count + 1) * sizeof *into->warnings);
    for (size_t i = 0; i < into->warning_count; i++) {
        const json_t *warning = json_array_get(list, i);
        char where[64];
        snprintf(where, sizeof where, "warnings[%zu].", i);
        if (!json_is_string(warning))
            return ws_fields_wanted(reader, where, "", "a text", warning);
        into->warnings[i] = ws_arena_strdup(reader->arena, json_string_value(warning));
    }
    return result;
}

static int take_small(const struct ws_fields *reader, const json_t *root, struct ws_diagnosis *into)
{
    const json_t *small;
    uint64_t count = 0;

    into->threshold_percent = WS_THRESHOLD_PERCENT; /* of files that do not tell */
    if (take_part(reader, root, "", "below_threshold", &small) != 0 ||
        take_count(reader, small, "below_threshold.", "problems", INT64_MAX, &count) != 0 ||
        take_seconds(reader, small, "below_threshold.", "duration_s", &into->small_ns) != 0 ||
        take_number(reader, small, "below_threshold.", "threshold_percent", 100, &into->threshold_percent) !=
            0)
        return -1;
    into->small_count = count;
    return 0;
}

static int take_efficiency(const struct ws_fields *reader, const json_t *root, struct ws_efficiency *into)
{
    const json_t *efficiency = json_object_get(root, "efficiency");

    if (!efficiency || json_is_null(efficiency))
        return 0;
    into->known = true;
    if (take_part(reader, root, "", "efficiency", &efficiency) != 0 ||
        take_number(reader, efficiency, "efficiency.", "parallel", 1, &into->parallel) != 0 ||
        take_number(reader, efficiency, "efficiency.", "load_balance", 1, &into->load_balance) != 0 ||
        take_number(reader, efficiency, "efficiency.", "communication", 1, &into->communication) != 0)
        return -1;
    if (!json_is_number(json_object_get(efficiency, "transfer")))
        return 0; /* null, or a file of before */
    into->replayed = true;
    if (take_number(reader, efficiency, "efficiency.", "serialisation", 1, &into->serialisation) != 0 ||
        take_number(reader, efficiency, "efficiency.", "transfer", 1, &into->transfer) != 0)
        return -1;
    return 0;
}

static int take_format(const struct ws_fields *reader, const json_t *root)
{
    uint64_t format = WS_REPORT_JSON_FORMAT;

    if (!json_is_object(root))
        return ws_fail(reader->error, WS_BAD_INPUT, "%s: is JSON, but no report: an object is wanted, not %s",
                       reader->path, ws_fields_kind_of(root));
    if (take_count(reader, root, "", "format", INT64_MAX, &format) != 0)
        return -1;
    if (format != WS_REPORT_JSON_FORMAT)
        return ws_fail(reader->error, WS_BAD_INPUT, "%s: format %llu, this Whyslow reads format %d",
                       reader->path, (unsigned long long)format, WS_REPORT_JSON_FORMAT);
    return 0;
}

/* ---- the file ---- */

static int take(const struct ws_fields *reader, const json_t *root, struct ws_diagnosis *diagnosis)
{
    if (take_format(reader, root) != 0 || take_problems(reader, root, diagnosis) != 0 ||
        take_run(reader, root, diagnosis) != 0 || take_warnings(reader, root, diagnosis) != 0 ||
        take_efficiency(reader, root, &diagnosis->efficiency) != 0 ||
        take_small(reader, root, diagnosis) != 0)
        return -1;
    return 0;
}

int ws_report_read(const char *path, struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    const struct ws_fields reader = {path, &diagnosis->arena, error, "diagnose --json"};
    json_error_t cause;
    size_t length;
    char *text;
    json_t *root;
    int result;

    memset(diagnosis, 0, sizeof *diagnosis);
    text = ws_file_read(path, MOST_BYTES, &length, error);
    if (!text)
        return -1;
    root = json_loadb(text, length, 0, &cause);
    free(text);
    result = root ? take(&reader, root, diagnosis)
                  : ws_fail(error, WS_BAD_INPUT, "%s:%d:%d: not JSON: %s", path, cause.line, cause.column,
                            cause.text);
    json_decref(root);
    if (result != 0)
        ws_diagnosis_free(diagnosis);
    return result;
}
