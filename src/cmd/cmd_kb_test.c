/* whyslow kb test: every problem type on its own planted programs. */
#include "cmd/cmd.h"

#include "trial/trial.h"
#include "util/file.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
    struct ws_trial_setting setting;
    struct ws_trial_platform platforms[WS_TRIAL_PLATFORMS_MOST];
    size_t platform_count;
    const char *mpi; /* the one to test with; NULL: all */
    size_t passed, failed, again;
    json_t *rows; /* NULL: a table */
};

/* ---- the table ---- */

static void print_head(void)
{
    printf("%-24s %-29s %-8s %9s %9s  %s\n", "problem", "program", "runtime", "planted", "found", "verdict");
}

static const char *duration(double seconds, char buffer[static 32])
{
    return seconds > 0 ? ws_format_ns((int64_t)(seconds * 1e9), buffer) : "-";
}

static void add_json(struct session *session, const char *id, const char *program, const char *mpi,
                     const struct ws_planted *planted, const struct ws_trial_outcome *outcome)
{
    json_t *row = json_object();

    json_object_set_new(row, "problem", json_string(id));
    json_object_set_new(row, "program", json_string(program));
    json_object_set_new(row, "mpi", json_string(mpi));
    json_object_set_new(row, "ranks", json_integer(planted->ranks));
    json_object_set_new(row, "expect", *planted->expect ? json_string(planted->expect) : json_null());
    json_object_set_new(row, "planted_s", json_real(planted->planted_s));
    json_object_set_new(row, "found_s", json_real(outcome->found_s));
    json_object_set_new(row, "other", *outcome->other ? json_string(outcome->other) : json_null());
    json_object_set_new(row, "other_s", json_real(outcome->other_s));
    json_object_set_new(row, "tries", json_integer(outcome->tries));
    json_object_set_new(row, "passed", json_boolean(outcome->passed));
    json_object_set_new(row, "message", json_string(outcome->message));
    json_array_append_new(session->rows, row);
}

static void tell_row(struct session *session, const char *id, const char *program, const char *mpi,
                     const struct ws_planted *planted, const struct ws_trial_outcome *outcome)
{
    bool positive = *planted->expect != '\0';
    char expected[32], found[32];

    session->passed += outcome->passed;
    session->failed += !outcome->passed;
    session->again += outcome->passed && outcome->tries > 1;
    if (session->rows) {
        add_json(session, id, program, mpi, planted, outcome);
        return;
    }
    printf("%-24s %-29s %-8s %9s %9s  %s%s%s", id, program, mpi,
           positive ? duration(planted->planted_s, expected) : "none",
           duration(positive ? outcome->found_s : outcome->other_s, found),
           outcome->passed ? "passed" : "FAILED", outcome->passed ? "" : ": ", outcome->message);
    if (outcome->tries > 1)
        printf(outcome->passed ? " at try %d (noise)" : " (%d tries)", outcome->tries);
    putchar('\n');
    fflush(stdout);
}

/* A row for what could not be tried at all. */
static void tell_trouble(struct session *session, const char *id, const char *program, const char *message)
{
    struct ws_trial_outcome outcome = {0};
    struct ws_planted planted = {0};

    snprintf(outcome.message, sizeof outcome.message, "%s", message);
    tell_row(session, id, program, "-", &planted, &outcome);
}

/* ---- the programs of a problem type ---- */

/* A positive program expects the problem type of its folder, a negative one none. */
static int check_expectation(const struct ws_scope *scope, const struct ws_planted *planted, bool positive,
                             struct ws_error *error)
{
    const char *wanted = positive ? scope->id : "";

    if (strcmp(planted->expect, wanted) == 0)
        return 0;
    return ws_fail(error, WS_BAD_INPUT, "its first line should say expect=%s", positive ? wanted : "none");
}

static void test_source(struct session *session, const struct ws_scope *scope, const char *name,
                        bool positive)
{
    struct ws_text path = {0};
    struct ws_planted planted;
    struct ws_trial_outcome outcome;
    struct ws_error error = {0};

    ws_text_printf(&path, "%s/%s", scope->folder, name);
    if (ws_planted_read(path.bytes, &planted, &error) != 0 ||
        check_expectation(scope, &planted, positive, &error) != 0)
        tell_trouble(session, scope->id, name, error.text);
    else
        for (size_t i = 0; i < session->platform_count && !ws_trial_interrupted(); i++) {
            ws_trial_run(&session->setting, &session->platforms[i], path.bytes, &planted, &outcome);
            tell_row(session, scope->id, name, session->platforms[i].id, &planted, &outcome);
        }
    ws_text_free(&path);
}

static size_t test_sources(struct session *session, const struct ws_scope *scope, const char *prefix,
                           bool positive)
{
    char **names = ws_folder_names(scope->folder, ".c", NULL);
    size_t count = 0;

    for (size_t i = 0; names && names[i]; i++)
        if (strncmp(names[i], prefix, strlen(prefix)) == 0) {
            count++;
            if (!ws_trial_interrupted())
                test_source(session, scope, names[i], positive);
        }
    ws_names_free(names);
    return count;
}

static void test_scope(struct session *session, const struct ws_scope *scope)
{
    static const char *const prefixes[] = {"positive", "negative"};

    for (size_t i = 0; i < 2; i++)
        if (test_sources(session, scope, prefixes[i], i == 0) == 0 && !ws_trial_interrupted()) {
            char name[32];
            snprintf(name, sizeof name, "%s*.c", prefixes[i]);
            tell_trouble(session, scope->id, name, "there is no such program in the folder");
        }
}

/* ---- the session ---- */

/* By its id, or RUNTIME/ID. */
static bool is_meant(const struct ws_kb *kb, const struct ws_scope *scope, const char *name)
{
    size_t length = strlen(kb->runtime);

    return strcmp(scope->id, name) == 0 ||
           (strncmp(name, kb->runtime, length) == 0 && name[length] == '/' && strcmp(scope->id, name + length + 1) == 0);
}

/* Rules that several runtimes share have programs in one of them at least. */
static bool is_tried_elsewhere(const struct ws_scope *scope)
{
    char **names = ws_folder_names(scope->folder, ".c", NULL);
    bool none = !names || !names[0];

    ws_names_free(names);
    return none && (scope->borrowed || scope->shared);
}

/* All programs of the problem types of a runtime that were asked for: by no id, all; by their ids, which are then
 * ticked off.  *kb stays with the session until its end. */
static int test_runtime(struct session *session, const struct ws_kb *kb, int count, const char *const *ids)
{
    bool prepared = false;

    for (size_t i = 0; i < kb->scope_count && !ws_trial_interrupted(); i++) {
        const struct ws_scope *scope = kb->scopes[i];
        bool wanted = count == 0 && !scope->common;
        struct ws_error error = {0};
        for (int k = 0; k < count; k++)
            wanted |= !scope->common && is_meant(kb, scope, ids[k]);
        if (!wanted)
            continue;
        if (is_tried_elsewhere(scope)) {
            ws_message("no programs of %s try %s: its rules are those of several runtimes", kb->about.title,
                       scope->id);
            continue;
        }
        if (!prepared && ws_trial_platforms(&kb->about, session->mpi, session->platforms,
                                            &session->platform_count, &error) != 0) {
            if (count > 0 || ws_is_mpi(&kb->about))
                return ws_complain(&error);
            ws_message("no problem types of %s are tried: %s", kb->about.title, error.text);
            return WS_DONE;
        }
        prepared = true;
        session->setting.include = kb->folder;
        session->setting.runtime = kb->runtime;
        test_scope(session, scope);
    }
    return WS_DONE;
}

/* Whether each id is that of some problem type; tells of one that is not. */
static int check_ids(const struct ws_kb *kbs, size_t kb_count, int count, const char *const *ids)
{
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < kb_count; k++)
            for (size_t j = 0; j < kbs[k].scope_count; j++)
                known |= !kbs[k].scopes[j]->common && is_meant(&kbs[k], kbs[k].scopes[j], ids[i]);
        if (!known)
            return ws_cmd_unknown_problem(&kbs[0], ids[i]);
    }
    return WS_DONE;
}

static void finish(struct session *session, bool keep)
{
    if (session->rows) {
        json_t *root = json_object();
        json_object_set(root, "tests", session->rows);
        json_object_set_new(root, "passed", json_integer((json_int_t)session->passed));
        json_object_set_new(root, "failed", json_integer((json_int_t)session->failed));
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(root);
        return;
    }
    printf("\n%zu passed, %zu failed", session->passed, session->failed);
    if (session->again)
        printf("; %zu passed only at a later try: the machine was busy", session->again);
    if (session->failed && !keep)
        printf("; --keep keeps the last program and its trace, for 'whyslow diagnose'");
    putchar('\n');
}

static int run_session(struct session *session, const struct ws_kb *kbs, size_t kb_count, int count,
                       const char *const *ids, bool keep)
{
    int code = WS_DONE;
    char folder[PATH_MAX], self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length < 0) {
        ws_message("cannot find this program by /proc/self/exe: %s", strerror(errno));
        return WS_ENVIRONMENT;
    }
    self[length] = '\0';
    snprintf(folder, sizeof folder, "%s/whyslow-kb-test-XXXXXX", ws_temporary_folder());
    if (!mkdtemp(folder)) {
        ws_message("%s: cannot create folder: %s", folder, strerror(errno));
        return WS_ENVIRONMENT;
    }
    session->setting.self = self;
    session->setting.folder = folder;
    if (!session->rows)
        print_head();
    for (size_t i = 0; code == WS_DONE && i < kb_count && !ws_trial_interrupted(); i++)
        code = test_runtime(session, &kbs[i], count, ids);
    finish(session, keep);
    if (keep)
        ws_message("the last program and its trace are in %s", folder);
    else
        ws_remove_all(folder);
    if (ws_trial_interrupted())
        return 130;
    return session->failed && code == WS_DONE ? WS_FOUND : code;
}

struct choices {
    struct ws_list kb;
    const char *mpi;
    bool json, keep;
};

static int test(int argc, char **argv, const struct choices *choices)
{
    struct session session = {.setting = {.kb = choices->kb.items, .kb_count = choices->kb.count},
                              .mpi = choices->mpi};
    struct ws_knowledge knowledge;
    struct ws_kb *kbs;
    int code = ws_cmd_knowledge(&knowledge, &choices->kb);
    size_t loaded = 0;

    if (code != 0)
        return code;
    kbs = ws_alloc_array(knowledge.runtimes.count, sizeof *kbs);
    for (; code == 0 && loaded < knowledge.runtimes.count; loaded++)
        code = ws_cmd_load_runtime(&kbs[loaded], &knowledge, loaded);
    if (code == 0)
        code = check_ids(kbs, loaded, argc, (const char *const *)argv);
    session.rows = choices->json ? json_array() : NULL;
    if (code == 0)
        code = run_session(&session, kbs, loaded, argc, (const char *const *)argv, choices->keep);
    json_decref(session.rows);
    for (size_t i = 0; i < loaded; i++)
        ws_kb_free(&kbs[i]);
    free(kbs);
    ws_cmd_knowledge_free(&knowledge);
    return code;
}

int ws_cmd_kb_test(int argc, char **argv)
{
    struct choices choices = {0};
    const struct ws_option options[] = {
        WS_KB_OPTION(&choices.kb),
        {"mpi", 0, WS_OPTION_TEXT, &choices.mpi, "NAME", "with this MPI: openmpi, mpich, simgrid (default: every one found but simgrid)"},
        {"json", 0, WS_OPTION_FLAG, &choices.json, NULL, "write the results as JSON"},
        {"keep", 0, WS_OPTION_FLAG, &choices.keep, NULL,
         "keep the last program and its trace, and tell where"},
    };
    const struct ws_usage usage = {
        .name = "kb test",
        .line = "try problem types on programs in which they were planted",
        .synopsis = "[options] [ID]...",
        .about =
            "Compiles the programs positive*.c and negative*.c of each problem type, records and diagnoses "
            "them, and compares the result with the first line of each program: the problem is found, its "
            "duration is that which was planted (10 %), and no other problem comes to 5 % of it. In a "
            "negative program nothing does. A program that fails is tried once more, since other work on "
            "the machine looks like waiting.",
        .examples = "whyslow kb test late-sender\nwhyslow kb test --kb my-problem my-problem",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .most = -1,
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = test(argc - first, argv + first, &choices);
    free(choices.kb.items);
    return code;
}
