#include "cmd/cmd.h"

#include "engine/engine.h"
#include "import/import.h"
#include "launch/family.h"
#include "launch/launch.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const state_names[] = {
    [WS_CHECK_OK] = "ok", [WS_CHECK_NOTE] = "note", [WS_CHECK_MISSING] = "missing"};

/* The rules of a runtime. */
static void check_rules(struct ws_checks *checks, const struct ws_knowledge *knowledge, size_t runtime)
{
    const char *what = ws_arena_printf(&checks->arena, "rules of %s", knowledge->runtimes.items[runtime]->title);
    struct ws_kb kb;

    if (ws_cmd_load_runtime(&kb, knowledge, runtime) != 0) {
        ws_checks_add(checks, what, WS_CHECK_MISSING, "they do not load; see the messages", "");
        return;
    }
    ws_checks_add(checks, what, WS_CHECK_OK,
                  ws_arena_printf(&checks->arena, "%zu problem types",
                                  kb.scope_count - (kb.scope_count && kb.scopes[0]->common)),
                  "");
    ws_kb_free(&kb);
}

/* What other rooms have: the engine and the knowledge base. */
static void check_analysis(struct ws_checks *checks)
{
    const struct ws_list none = {0};
    struct ws_error error;
    struct ws_knowledge knowledge;
    struct ws_text engines = {0};
    bool has_clips = ws_engine_find("clips", &error) != NULL;

    ws_engine_names(&engines);
    ws_checks_add(checks, "analysis engines", WS_CHECK_OK,
                  ws_arena_strdup(&checks->arena, ws_text_string(&engines)),
                  has_clips ? "" : "CLIPS, a second engine to compare with, needs a build with libclips-dev");
    ws_text_free(&engines);
    ws_checks_add(checks, "OTF2", ws_import_has_otf2() ? WS_CHECK_OK : WS_CHECK_NOTE,
                  ws_import_has_otf2() ? "traces of Score-P, EZTrace, Vampir are read and written"
                                       : "this build has no OTF2",
                  ws_import_has_otf2() ? "" : "install libotf2-trace-dev and build again");
    if (ws_cmd_knowledge(&knowledge, &none) != 0) {
        ws_checks_add(checks, "knowledge base", WS_CHECK_MISSING, "it does not load; see the messages", "");
        return;
    }
    for (size_t i = 0; i < knowledge.runtimes.count; i++) {
        ws_checks_runtime(checks, knowledge.runtimes.items[i]);
        check_rules(checks, &knowledge, i);
    }
    ws_cmd_knowledge_free(&knowledge);
}

static void print_table(const struct ws_checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        const struct ws_check *row = &checks->rows[i];
        printf("%-8s %-22s %s\n", state_names[row->state], row->what, row->found);
        if (row->cure[0])
            printf("%-8s %-22s -> %s\n", "", "", row->cure);
    }
}

static void print_json(const struct ws_checks *checks)
{
    json_t *list = json_array();
    char *text;

    for (size_t i = 0; i < checks->count; i++) {
        const struct ws_check *row = &checks->rows[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s}", "what", row->what, "state",
                                        state_names[row->state], "found", row->found, "cure", row->cure));
    }
    text = json_dumps(list, JSON_INDENT(2));
    if (text)
        puts(text);
    free(text);
    json_decref(list);
}

/* The recorders of each MPI here, and the libraries of teams. */
/* What goes with an MPI's recorder: the library of teams; with a simulator's the program that replays runs. */
static int prebuild_companion(const struct ws_family *family, const struct ws_platform *mpi, const char *folder,
                              struct ws_error *error)
{
    char path[PATH_MAX];
    int result = family->simulated ? ws_replay_prebuild(mpi, folder, path, sizeof path, error)
                                   : ws_team_prebuild(mpi, folder, path, sizeof path, error);

    if (result == 0)
        puts(path);
    return result;
}

static int prebuild_mpis(const struct ws_kb *kb, const char *folder)
{
    struct ws_platform *mpi = ws_alloc(sizeof *mpi);
    struct ws_error error;
    int code = WS_DONE;

    for (size_t i = 0; code == 0 && i < ws_family_count; i++) {
        const char *id = ws_families[i].id;
        char path[PATH_MAX];
        if (ws_mpi_installed(id, mpi, &error) != 0 || !mpi->compiler[0])
            ws_message("no recorder for %s: it is not on this machine, or its compiler is not", id);
        else if (ws_recorder_prebuild(kb, mpi, folder, path, sizeof path, &error) != 0)
            code = ws_complain(&error);
        else if (puts(path), prebuild_companion(&ws_families[i], mpi, folder, &error) != 0)
            code = ws_complain(&error);
    }
    free(mpi);
    return code;
}

static int prebuild_other(const struct ws_kb *kb, const char *folder)
{
    struct ws_platform *platform = ws_alloc(sizeof *platform);
    struct ws_error error;
    char path[PATH_MAX];
    int code = WS_DONE;

    if (ws_platform_installed(&kb->about, platform, &error) != 0)
        ws_message("no recorder for %s: %s", kb->about.title, error.text);
    else if (ws_recorder_prebuild(kb, platform, folder, path, sizeof path, &error) != 0)
        code = ws_complain(&error);
    else
        puts(path);
    free(platform);
    return code;
}

static int prebuild(const char *folder)
{
    const struct ws_list none = {0};
    struct ws_knowledge knowledge;
    int code = ws_cmd_knowledge(&knowledge, &none);

    if (code != 0)
        return code;
    for (size_t i = 0; code == 0 && i < knowledge.runtimes.count; i++) {
        struct ws_kb kb;
        code = ws_cmd_load_runtime(&kb, &knowledge, i);
        if (code != 0)
            break;
        code = ws_is_mpi(&kb.about) ? prebuild_mpis(&kb, folder) : prebuild_other(&kb, folder);
        ws_kb_free(&kb);
    }
    ws_cmd_knowledge_free(&knowledge);
    return code;
}

static int examine(bool json)
{
    struct ws_checks checks = {0};
    int code = WS_DONE;

    ws_checks_run(&checks);
    check_analysis(&checks);
    for (size_t i = 0; i < checks.count; i++)
        if (checks.rows[i].state == WS_CHECK_MISSING)
            code = WS_ENVIRONMENT;
    if (json)
        print_json(&checks);
    else
        print_table(&checks);
    if (!json)
        puts(code ? "\nSomething that every run needs is missing." : "\nAll that a run needs is here.");
    ws_checks_free(&checks);
    return code;
}

int ws_cmd_doctor(int argc, char **argv)
{
    bool json = false;
    const char *folder = NULL;
    const struct ws_option options[] = {
        {"json", 0, WS_OPTION_FLAG, &json, NULL, "write the table as JSON, for programs"},
        {"prebuild", 0, WS_OPTION_FOLDER, &folder, "DIR",
         "for packagers: build the recorder of each MPI and other runtime on this machine into DIR (share/whyslow/recorders of "
         "the installation), so that users need no compiler"},
    };
    const struct ws_usage usage = {
        .name = "doctor",
        .line = "look at what this machine has for Whyslow and what is missing",
        .synopsis = "[options]",
        .about = "Prints one line for each thing that a run needs or can use: compilers, MPIs, launchers, "
                 "folders. "
                 "'missing' stops every run and makes the exit code 4; 'note' matters to some.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 0,
        .most = 0,
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first < 0)
        return code;
    return folder ? prebuild(folder) : examine(json);
}
