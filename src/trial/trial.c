#include "trial/trial.h"

#include "trial/command.h"
#include "util/file.h"
#include "util/text.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS_MOST 0.05 /* of the planted duration: what any other problem may come to */
#define OUTPUT_MOST ((size_t)64 << 20)
#define TRIES 3

struct attempt {
    const struct ws_trial_setting *setting;
    const struct ws_trial_platform *platform;
    const char *source;
    const struct ws_planted *planted;
    struct ws_trial_outcome *outcome;
    struct ws_text program, trace, output, errors, cluster, hosts; /* paths */
};

/* How a command ended, in words. */
static const char *ending(int code, char words[static 64])
{
    if (code > 128 && strsignal(code - 128))
        snprintf(words, 64, "%s", strsignal(code - 128));
    else
        snprintf(words, 64, "exit code %d", code);
    return words;
}

/* The line of a command's error output that tells most: one that speaks of an error, else the first that is
 * not our own, else the first.  Borrowed from `said`. */
static const char *telling_line(const char *said, int *length)
{
    const char *best = said;
    int rank, best_rank = -1;

    *length = 0;
    while (*said) {
        size_t end = strcspn(said, "\n");
        const char *word = strcasestr(said, "error");
        rank = end == 0 ? -1 : word && word < said + end ? 2 : strncmp(said, "whyslow:", 8) != 0 ? 1 : 0;
        if (rank > best_rank) {
            best_rank = rank;
            best = said;
            *length = end < 400 ? (int)end : 400;
        }
        said += end + (said[end] == '\n');
    }
    return best;
}

/* Says which step failed, and what it said itself. */
static int step_failed(struct attempt *attempt, const char *step, int code)
{
    struct ws_trial_outcome *outcome = attempt->outcome;
    char *said = ws_file_read(attempt->errors.bytes, OUTPUT_MOST, NULL, NULL), words[64];
    int length;
    const char *line = telling_line(said ? said : "", &length);

    if (ws_trial_interrupted())
        snprintf(outcome->message, sizeof outcome->message, "interrupted");
    else if (code == WS_NOT_STARTED)
        snprintf(outcome->message, sizeof outcome->message, "%s: cannot be started", step);
    else if (code == WS_TOO_SLOW)
        snprintf(outcome->message, sizeof outcome->message, "%s: did not end within %d s", step,
                 WS_STEP_SECONDS_MOST);
    else
        snprintf(outcome->message, sizeof outcome->message, "%s: %s%s%.*s", step, ending(code, words),
                 length > 0 ? ": " : "", length, line);
    free(said);
    return -1;
}

static int compile(struct attempt *attempt)
{
    struct ws_command_words words = {0};
    char *link = ws_strdup(attempt->platform->link ? attempt->platform->link : ""), *rest = link, *flag;
    int code;

    for (const char *const *word =
             (const char *const[]){attempt->platform->compiler, "-g", "-O1", "-I", attempt->setting->include,
                                   attempt->source, "-o", attempt->program.bytes, "-lm", NULL};
         *word; word++)
        ws_words_add(&words, *word);
    while ((flag = strtok_r(rest, " ", &rest)))
        ws_words_add(&words, flag);
    code = ws_words_run(&words, attempt->output.bytes, attempt->errors.bytes);
    free(link);
    free(words.items);
    return code == 0 ? 0 : step_failed(attempt, attempt->platform->compiler, code);
}

static void add_kb(struct ws_command_words *words, const struct ws_trial_setting *setting)
{
    for (size_t i = 0; i < setting->kb_count; i++) {
        ws_words_add(words, "--kb");
        ws_words_add(words, setting->kb[i]);
    }
}

/* A cluster with a node for each rank, on which nothing but the program's own sleeping takes time that could
 * be taken for what was planted: the network is quick, and what is computed is not measured. */
static int write_simulation(struct attempt *attempt)
{
    struct ws_text cluster = {0}, hosts = {0};
    struct ws_error error;
    int result;

    ws_text_printf(
        &cluster,
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n  <cluster id=\"cluster\" prefix=\"node-\" suffix=\"\" radical=\"0-%d\" "
        "speed=\"1Gf\" bw=\"10GBps\" lat=\"1us\"/>\n</platform>\n",
        attempt->planted->ranks - 1);
    for (int i = 0; i < attempt->planted->ranks; i++)
        ws_text_printf(&hosts, "node-%d\n", i);
    result = ws_file_write(attempt->cluster.bytes, cluster.bytes, cluster.length, &error);
    if (result == 0)
        result = ws_file_write(attempt->hosts.bytes, hosts.bytes, hosts.length, &error);
    if (result != 0)
        snprintf(attempt->outcome->message, sizeof attempt->outcome->message, "%.500s", error.text);
    ws_text_free(&cluster);
    ws_text_free(&hosts);
    return result;
}

static void add_simulation(struct ws_command_words *words, const struct attempt *attempt)
{
    ws_words_add(words, "-platform");
    ws_words_add(words, attempt->cluster.bytes);
    ws_words_add(words, "-hostfile");
    ws_words_add(words, attempt->hosts.bytes);
    ws_words_add(words, "--cfg=smpi/simulate-computation:no");
    ws_words_add(words, "--log=root.thres:error");
}

static int record(struct attempt *attempt)
{
    struct ws_command_words words = {0};
    char ranks[16];
    int code;

    snprintf(ranks, sizeof ranks, "%d", attempt->planted->ranks);
    ws_words_add(&words, attempt->setting->self);
    ws_words_add(&words, "record");
    ws_words_add(&words, "-o");
    ws_words_add(&words, attempt->trace.bytes);
    add_kb(&words, attempt->setting);
    ws_words_add(&words, "--layer");
    ws_words_add(&words, attempt->setting->runtime);
    ws_words_add(&words, "--");
    if (attempt->platform->launcher) {
        ws_words_add(&words, attempt->platform->launcher);
        ws_words_add(&words, attempt->platform->simulated ? "-np" : "-n");
        ws_words_add(&words, ranks);
        if (attempt->platform->simulated)
            add_simulation(&words, attempt);
    } else if (attempt->platform->count) {
        setenv(attempt->platform->count, ranks, 1);
    }
    ws_words_add(&words, attempt->program.bytes);
    code = ws_words_run(&words, attempt->output.bytes, attempt->errors.bytes);
    free(words.items);
    return code == 0 ? 0 : step_failed(attempt, "record", code);
}

static json_t *diagnose(struct attempt *attempt)
{
    struct ws_command_words words = {0};
    json_error_t damage;
    json_t *root = NULL;
    int code;

    ws_words_add(&words, attempt->setting->self);
    ws_words_add(&words, "diagnose");
    ws_words_add(&words, "--json");
    ws_words_add(&words, "--threshold");
    ws_words_add(&words, "0");
    add_kb(&words, attempt->setting);
    ws_words_add(&words, attempt->trace.bytes);
    code = ws_words_run(&words, attempt->output.bytes, attempt->errors.bytes);
    free(words.items);
    if (code != 0) {
        step_failed(attempt, "diagnose", code);
        return NULL;
    }
    root = json_load_file(attempt->output.bytes, 0, &damage);
    if (!root)
        snprintf(attempt->outcome->message, sizeof attempt->outcome->message,
                 "diagnose: its JSON is damaged: %s", damage.text);
    return root;
}

/* What there is in place of the problem that was planted. */
static void add_other(struct ws_trial_outcome *outcome)
{
    size_t length = strlen(outcome->message);
    char duration[32];

    if (*outcome->other && strstr(outcome->message, outcome->other) != outcome->message)
        snprintf(outcome->message + length, sizeof outcome->message - length, "; %s %s found %s",
                 outcome->other, ws_format_ns((int64_t)(outcome->other_s * 1e9), duration),
                 outcome->found_s > 0 ? "too" : "instead");
}

/* Sums the durations by problem id and compares them with what was planted. */
static void judge(struct attempt *attempt, const json_t *root)
{
    const struct ws_planted *planted = attempt->planted;
    struct ws_trial_outcome *outcome = attempt->outcome;
    json_t *sums = json_object(), *problem, *sum;
    const char *id;
    size_t i;

    outcome->found_s = outcome->other_s = 0;
    outcome->other[0] = '\0';
    json_array_foreach(json_object_get(root, "problems"), i, problem)
    {
        const char *name = json_string_value(json_object_get(problem, "id"));
        double duration_s = json_number_value(json_object_get(problem, "duration_s"));
        if (name)
            json_object_set_new(sums, name,
                                json_real(duration_s + json_number_value(json_object_get(sums, name))));
    }
    json_object_foreach(sums, id, sum)
    {
        double duration_s = json_number_value(sum);
        if (strcmp(id, planted->expect) == 0) {
            outcome->found_s = duration_s;
        } else if (duration_s > outcome->other_s) {
            outcome->other_s = duration_s;
            snprintf(outcome->other, sizeof outcome->other, "%s", id);
        }
    }
    json_decref(sums);
    outcome->message[0] = '\0';
    if (*planted->expect && outcome->found_s == 0)
        snprintf(outcome->message, sizeof outcome->message, "not found");
    else if (*planted->expect &&
             fabs(outcome->found_s - planted->planted_s) > planted->tolerance * planted->planted_s)
        snprintf(outcome->message, sizeof outcome->message, "%.1f %% off",
                 100 * (outcome->found_s / planted->planted_s - 1));
    else if (outcome->other_s >= OTHERS_MOST * planted->planted_s)
        snprintf(outcome->message, sizeof outcome->message, "%s found too", outcome->other);
    outcome->passed = !outcome->message[0];
    if (!outcome->passed && *planted->expect)
        add_other(outcome);
}

/* False where the program did not get as far as a judgement. */
static bool try_once(struct attempt *attempt)
{
    json_t *root;

    if (record(attempt) != 0 || !(root = diagnose(attempt)))
        return false;
    judge(attempt, root);
    json_decref(root);
    return true;
}

static void set_environment(void)
{
    /* Open MPI refuses root, counts cores and spins. */
    static const char *const settings[][2] = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
        {"OMPI_MCA_mpi_yield_when_idle", "1"},
    };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 0);
}

void ws_trial_run(const struct ws_trial_setting *setting, const struct ws_trial_platform *platform,
                  const char *source, const struct ws_planted *planted, struct ws_trial_outcome *outcome)
{
    struct attempt attempt = {
        .setting = setting, .platform = platform, .source = source, .planted = planted, .outcome = outcome};

    memset(outcome, 0, sizeof *outcome);
    ws_text_printf(&attempt.program, "%s/program", setting->folder);
    ws_text_printf(&attempt.trace, "%s/trace", setting->folder);
    ws_text_printf(&attempt.output, "%s/output", setting->folder);
    ws_text_printf(&attempt.errors, "%s/errors", setting->folder);
    ws_text_printf(&attempt.cluster, "%s/cluster.xml", setting->folder);
    ws_text_printf(&attempt.hosts, "%s/hosts", setting->folder);
    set_environment();
    ws_catch_interrupts();
    if (compile(&attempt) == 0 && (!platform->simulated || write_simulation(&attempt) == 0))
        while (outcome->tries < TRIES && !outcome->passed && !ws_trial_interrupted()) {
            outcome->tries++;
            if (!try_once(&attempt))
                break;
        }
    ws_text_free(&attempt.program);
    ws_text_free(&attempt.trace);
    ws_text_free(&attempt.output);
    ws_text_free(&attempt.errors);
    ws_text_free(&attempt.cluster);
    ws_text_free(&attempt.hosts);
}
