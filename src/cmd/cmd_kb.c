/* whyslow kb: what is known about problem types. */
#include "cmd/cmd.h"
#include "cmd/commands.h"

#include "engine/engine.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

/* The names that a problem type gives its problems, each once: "Late sender". */
static void add_names(const struct ws_scope *scope, struct ws_text *out)
{
    for (size_t i = 0; i < scope->problem_count; i++) {
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= strcmp(scope->problems[k]->name, scope->problems[i]->name) == 0;
        if (!before)
            ws_text_printf(out, "%s%s", out->length ? " / " : "", scope->problems[i]->name);
    }
}

/* The problem types of a runtime, under its title where there are several. */
static void print_list(const struct ws_kb *kb, bool titled)
{
    if (titled && kb->scope_count > 1)
        printf("%s (%s)\n", kb->about.title, kb->runtime);
    for (size_t i = 0; i < kb->scope_count; i++) {
        struct ws_text names = {0};
        if (kb->scopes[i]->common)
            continue;
        add_names(kb->scopes[i], &names);
        printf("%s%-24s %s\n", titled ? "  " : "", kb->scopes[i]->id, ws_text_string(&names));
        ws_text_free(&names);
    }
}

static void print_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
}

static void add_list_json(const struct ws_kb *kb, json_t *list)
{
    for (size_t i = 0; i < kb->scope_count; i++) {
        const struct ws_scope *scope = kb->scopes[i];
        struct ws_text names = {0};
        json_t *entry;
        if (scope->common)
            continue;
        add_names(scope, &names);
        entry = json_object();
        json_object_set_new(entry, "id", json_string(scope->id));
        json_object_set_new(entry, "name", json_string(ws_text_string(&names)));
        json_object_set_new(entry, "runtime", json_string(kb->runtime));
        json_object_set_new(entry, "folder", json_string(scope->folder));
        json_array_append_new(list, entry);
        ws_text_free(&names);
    }
}

/* json: as JSON, and the runtimes too. */
static int list(const struct ws_knowledge *knowledge, bool json)
{
    json_t *problems = json_array(), *runtimes = json_array();
    size_t with_types = 0;
    struct ws_kb *kbs = ws_alloc_array(knowledge->runtimes.count, sizeof *kbs);
    int code = WS_DONE;

    for (size_t i = 0; code == 0 && i < knowledge->runtimes.count; i++) {
        code = ws_cmd_load_runtime(&kbs[i], knowledge, i);
        with_types += code == 0 && kbs[i].scope_count > 1;
    }
    for (size_t i = 0; code == 0 && i < knowledge->runtimes.count; i++) {
        if (!json)
            print_list(&kbs[i], with_types > 1);
        add_list_json(&kbs[i], problems);
        json_array_append_new(runtimes, json_pack("{s:s, s:s, s:s}", "id", kbs[i].runtime, "title",
                                                  kbs[i].about.title, "folder", kbs[i].folder));
    }
    if (json && code == 0)
        print_json(json_pack("{s:O, s:O}", "problems", problems, "runtimes", runtimes));
    json_decref(problems);
    json_decref(runtimes);
    for (size_t i = 0; i < knowledge->runtimes.count; i++)
        ws_kb_free(&kbs[i]);
    free(kbs);
    return code;
}

static int cmd_list(int argc, char **argv)
{
    struct ws_list extra = {0};
    bool json = false;
    struct ws_knowledge knowledge;
    const struct ws_option options[] = {
        {"json", 0, WS_OPTION_FLAG, &json, NULL, "write the list as JSON"},
        WS_KB_OPTION(&extra),
    };
    const struct ws_usage usage = {
        .name = "kb list",
        .line = "the problem types that Whyslow knows, in the order in which they are tried",
        .synopsis = "[options]",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0 && (code = ws_cmd_knowledge(&knowledge, &extra)) == 0) {
        code = list(&knowledge, json);
        ws_cmd_knowledge_free(&knowledge);
    }
    free(extra.items);
    return code;
}

/* ---- show ---- */

/* What an engine makes of the rules. */
static int print_engine(const char *name, const struct ws_kb *kb, const struct ws_scope *scope,
                        struct ws_text *out)
{
    struct ws_error error = {0};
    const struct ws_engine_ops *engine = ws_engine_find(name, &error);

    return engine && engine->print(kb, scope, out, &error) == 0 ? WS_DONE : ws_complain(&error);
}

/* engine: whose view of the rules; NULL: all that is known. */
static int show(const struct ws_kb *kb, const char *id, const char *engine)
{
    const struct ws_scope *scope = ws_kb_scope(kb, id);
    struct ws_text out = {0};
    int code = WS_DONE;

    if (!scope)
        return ws_cmd_unknown_problem(kb, id);
    if (engine)
        code = print_engine(engine, kb, scope, &out);
    else
        ws_kb_show(kb, scope, &out);
    fputs(ws_text_string(&out), stdout);
    ws_text_free(&out);
    return code;
}

static int cmd_show(int argc, char **argv)
{
    struct ws_list extra = {0};
    bool clips = false, plan = false;
    struct ws_knowledge knowledge;
    const char *id;
    struct ws_kb kb;
    const struct ws_option options[] = {
        {"plan", 0, WS_OPTION_FLAG, &plan, NULL, "the plan that the native engine makes of the rules"},
        {"clips", 0, WS_OPTION_FLAG, &clips, NULL, "the CLIPS constructs that the rules are converted to"},
        WS_KB_OPTION(&extra),
    };
    const struct ws_usage usage = {
        .name = "kb show",
        .line = "all that is known about a problem type",
        .synopsis = "[options] ID",
        .examples = "whyslow kb show late-sender\nwhyslow kb show --plan late-sender\n"
                    "whyslow kb show --kb my-problem my-problem",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the id of a problem type ('whyslow kb list'), or RUNTIME/ID",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0 && (code = ws_cmd_knowledge(&knowledge, &extra)) == 0) {
        code = ws_cmd_load_for_problem(&kb, &knowledge, argv[first], &id);
        if (code == 0) {
            code = show(&kb, id, plan ? "native" : clips ? "clips" : NULL);
            ws_kb_free(&kb);
        }
        ws_cmd_knowledge_free(&knowledge);
    }
    free(extra.items);
    return code;
}

/* ---- check ---- */

static json_t *remarks_json(const struct ws_remarks *remarks)
{
    json_t *list = json_array();

    for (size_t i = 0; i < remarks->count; i++) {
        const struct ws_remark *remark = &remarks->items[i];
        json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:s, s:s, s:s}", "file", remark->file, "line",
                                              remark->line, "column", remark->column, "kind", remark->kind,
                                              "message", remark->message, "shown", remark->shown));
    }
    return list;
}

/* Checks one path; adds to *list for JSON, else prints. */
static int check_path(const struct ws_knowledge *knowledge, const char *path, json_t *list)
{
    const char *runtime = knowledge->runtimes.folders[ws_cmd_runtime_of(knowledge, path)];
    struct ws_text report = {0};
    struct ws_remarks remarks = {0};
    struct ws_error error = {0};
    size_t mistakes = 0;
    int result = ws_kb_check(runtime, path, &report, &remarks, &mistakes, &error), code = WS_DONE;

    if (result != 0)
        code = (int)error.code;
    else if (mistakes)
        code = WS_BAD_INPUT;
    if (list) {
        json_t *entry = json_object();
        json_object_set_new(entry, "path", json_string(path));
        json_object_set_new(entry, "mistakes", json_integer((json_int_t)mistakes));
        json_object_set_new(entry, "report", remarks_json(&remarks));
        if (result != 0)
            json_object_set_new(entry, "error", json_string(error.text));
        json_array_append_new(list, entry);
    } else {
        fflush(stdout);
        fputs(ws_text_string(&report), stderr);
        if (result != 0)
            ws_complain(&error);
        else if (mistakes)
            ws_message("%s: %zu mistake%s", path, mistakes, mistakes == 1 ? "" : "s");
        else
            printf("%s: no mistakes\n", path);
    }
    ws_text_free(&report);
    ws_remarks_free(&remarks);
    return code;
}

static int cmd_check(int argc, char **argv)
{
    struct ws_list extra = {0};
    struct ws_knowledge knowledge;
    bool json = false;
    const struct ws_option options[] = {
        {"json", 0, WS_OPTION_FLAG, &json, NULL, "write the mistakes as JSON"},
        {"kb", 0, WS_OPTION_LIST, &extra, "PATH", "the folder of a runtime that the rules may be of; may be repeated"},
    };
    const struct ws_usage usage = {
        .name = "kb check",
        .line = "look for mistakes in rules",
        .synopsis = "[options] PATH...",
        .about =
            "Reads the problem types in each PATH (a folder with the rules of a problem type, a file in it, "
            "a folder of such folders, or that of a runtime) together with those that Whyslow knows, and tells every mistake with "
            "its place and, where possible, what was meant.",
        .examples = "whyslow kb check my-problem",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = -1,
        .argument = "the folder of a problem type",
    };
    int code, worst = WS_DONE, first = ws_options_parse(&usage, argc, argv, &code);
    json_t *list;

    if (first < 0 || (code = ws_cmd_knowledge(&knowledge, &extra)) != 0) {
        free(extra.items);
        return code;
    }
    list = json ? json_array() : NULL;
    for (int i = first; i < argc; i++) {
        code = check_path(&knowledge, argv[i], list);
        worst = code > worst ? code : worst;
    }
    if (list)
        print_json(list);
    ws_cmd_knowledge_free(&knowledge);
    free(extra.items);
    return worst;
}

/* ---- the subcommands of kb ---- */

static const struct ws_command commands[] = {
    {"list", cmd_list, "the problem types that Whyslow knows"},
    {"show", cmd_show, "all that is known about a problem type"},
    {"check", cmd_check, "look for mistakes in rules"},
    {"test", ws_cmd_kb_test, "try problem types on programs in which they were planted"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(void)
{
    puts("whyslow kb - the knowledge base: what Whyslow knows about problems\n\nUsage:\n"
         "  whyslow kb list [--json] [--kb PATH]\n"
         "  whyslow kb show [--plan | --clips] [--kb PATH] ID\n"
         "  whyslow kb check [--json] [--kb PATH] PATH...\n"
         "  whyslow kb test [--json] [--mpi NAME] [--keep] [--kb PATH] [ID]...\n");
    ws_commands_print(commands, COMMAND_COUNT, 6);
    puts("\n'whyslow kb SUBCOMMAND --help' tells more.");
}

int ws_cmd_kb(int argc, char **argv)
{
    const struct ws_command *command;
    const char *near;

    if (argc < 2) {
        ws_message("kb: list, show, check or test?\nTry 'whyslow kb --help'.");
        return WS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return WS_DONE;
    }
    command = ws_command_find(commands, COMMAND_COUNT, argv[1]);
    if (command)
        return command->run(argc - 1, argv + 1);
    near = ws_command_nearest(commands, COMMAND_COUNT, argv[1]);
    ws_message("kb: '%s' is no subcommand%s%s%s\nTry 'whyslow kb --help'.", argv[1],
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return WS_USAGE;
}
