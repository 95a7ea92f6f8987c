/* Loading a knowledge base: which folders are problem types, in which order, and what is said where the
 * folders are not what they should be. */
#include "rules/kb.h"
#include "util/file.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char functions[] =
    "<traceRules>\n"
    "<function name='MPI_Send'><argument type='int' name='dest'/><retVal type='int'/></function>\n"
    "<functionPoint name='send' pattern='MPI_Send'><event>\n"
    "  <param name='peer' format='rank' kind='in'><source>dest</source></param>\n"
    "  <number name='n' by='peer'/><transfer kind='message' to='peer' bytes='8'/></event></functionPoint>\n"
    "</traceRules>\n";
static const char common[] =
    "declare composite event common_send member( send as s ) parameters( wait = s.d, peer = s.peer );\n";
static const char rules[] =
    "declare composite event lone_send\n"
    "member( send as s )\n"
    "when s.peer != s.process\n"
    "parameters( wait = s.d );\n"
    "declare problem for lone_send\n"
    "when wait > 20 ms\n"
    "parameters( name = \"Lone send\", description = \"Rank {s.process} sends.\", advice = \"Do not.\",\n"
    "            duration = wait, waiting = s );\n";

/* ---- a folder for each test ---- */

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/whyslow-test-load-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path below the root; the next four calls keep it. */
static const char *at(const char *name)
{
    static char paths[4][256];
    static size_t next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

/* Writes a file below the root, with its folders. */
static void put(const char *name, const char *text)
{
    char folder[256];

    snprintf(folder, sizeof folder, "%s", at(name));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(ws_make_folder(folder, NULL), 0);
    assert_int_equal(ws_file_write(at(name), text, strlen(text), NULL), 0);
}

static void put_runtime(void)
{
    put("mpi/functions.xml", functions);
    put("mpi/common.rules", common);
    put("mpi/bravo/bravo.rules", rules);
    put("mpi/alpha/alpha.rules", rules);
    put("mpi/order", "# the order of the table\nbravo\n");
}

struct outcome {
    int result;
    struct ws_kb kb;
    struct ws_text report;
    struct ws_error error;
};

static struct outcome load(const char *extra)
{
    struct outcome outcome = {0};

    outcome.result =
        ws_kb_load(&outcome.kb, at("mpi"), &extra, extra ? 1 : 0, &outcome.report, &outcome.error);
    return outcome;
}

static void release(struct outcome *outcome)
{
    ws_kb_free(&outcome->kb);
    ws_text_free(&outcome->report);
}

/* Loading fails, the report or the error saying this. */
static void assert_says(struct outcome outcome, const char *words)
{
    if (outcome.result != -1 ||
        (!strstr(ws_text_string(&outcome.report), words) && !strstr(outcome.error.text, words)))
        fail_msg("expected: %s\nresult %d, report: %s\nerror: %s", words, outcome.result,
                 ws_text_string(&outcome.report), outcome.error.text);
    assert_int_equal(outcome.error.code, WS_BAD_INPUT);
    release(&outcome);
}

static void assert_loads(const struct outcome *outcome)
{
    if (outcome->result != 0)
        fail_msg("%s%s", ws_text_string(&outcome->report), outcome->error.text);
}

/* ---- what is loaded ---- */

static void test_scopes_and_types(void **state)
{
    struct outcome outcome;
    const struct ws_kb *kb = &outcome.kb;

    (void)state;
    put_runtime();
    outcome = load(NULL);
    assert_loads(&outcome);
    assert_string_equal(kb->runtime, "mpi");
    assert_int_equal(kb->scope_count, 3);
    assert_true(kb->scopes[0]->common);
    assert_string_equal(kb->scopes[0]->id, "common");
    assert_string_equal(kb->scopes[1]->id, "bravo"); /* named in `order` */
    assert_string_equal(kb->scopes[2]->id, "alpha");
    for (size_t i = 0; i < kb->scope_count; i++)
        assert_int_equal(kb->scopes[i]->index, i);
    assert_int_equal(kb->simple_count, 1);
    assert_int_equal(kb->type_count, 4);
    for (size_t i = 0; i < kb->type_count; i++) {
        assert_int_equal(kb->types[i]->index, i);
        assert_int_equal(kb->types[i]->composite, i >= kb->simple_count);
    }
    assert_ptr_equal(ws_kb_scope(kb, "alpha"), kb->scopes[2]);
    assert_null(ws_kb_scope(kb, "charlie"));
    assert_null(ws_kb_type(kb, "sent"));
    assert_int_equal(ws_kb_scope(kb, "alpha")->problem_count, 1);
    assert_int_equal(ws_type_slot(ws_kb_type(kb, "common_send"), "begin"), WS_CATTR_BEGIN);
    assert_int_equal(ws_type_slot(ws_kb_type(kb, "common_send"), "peer"), WS_CATTR_COUNT + 1);
    release(&outcome);
}

/* Rules that several runtimes have stand in a folder beside theirs.  A problem type may have rules of both,
 * the runtime's own first; its programs alone; or nothing of its own. */
static void test_shared_rules(void **state)
{
    static const char own[] =
        "<traceRules><runtime title='MPI' library='libmpi.so*' begin='MPI_Send' shares='many'/>";
    static const char *const folders[][2] = {
        {"/mpi/alpha", "/many/alpha"}, {"/mpi/bravo", "/many/bravo"}, {"/many/charlie", NULL}};
    struct outcome outcome;
    char text[1024];

    (void)state;
    snprintf(text, sizeof text, "%s%s", own, functions + strlen("<traceRules>"));
    put("mpi/functions.xml", text);
    put("mpi/alpha/special.rules",
        "declare composite event far member( send as s ) when s.peer > 7 parameters( wait = s.d );\n"
        "declare problem for far parameters( name = \"Far\", advice = \"No.\", duration = wait );\n");
    put("mpi/bravo/positive.c", "");
    assert_says(load(NULL), "functions.xml:1:13: error: the rules that it shares are not there: no folder ");
    put("many/common.rules", common);
    put("many/alpha/alpha.rules", rules);
    put("many/bravo/bravo.rules", rules);
    put("many/charlie/charlie.rules", rules);
    outcome = load(NULL);
    assert_loads(&outcome);
    assert_int_equal(outcome.kb.scope_count, 4);
    assert_non_null(ws_kb_type(&outcome.kb, "common_send"));
    for (size_t i = 0; i < 3; i++) {
        const struct ws_scope *scope = outcome.kb.scopes[i + 1];
        assert_non_null(strstr(scope->folder, folders[i][0]));
        assert_int_equal(scope->shared != NULL, folders[i][1] != NULL);
        assert_true(!scope->shared || strstr(scope->shared, folders[i][1]));
        assert_int_equal(scope->borrowed, i == 2);
        assert_int_equal(scope->problem_count, i == 0 ? 2 : 1);
    }
    assert_string_equal(outcome.kb.scopes[1]->problems[0]->name, "Far");
    release(&outcome);
    outcome = load(at("many/charlie")); /* given again */
    assert_loads(&outcome);
    assert_int_equal(outcome.kb.scope_count, 4);
    release(&outcome);
}

static void test_order_names_what_is_not_there(void **state)
{
    struct ws_text report = {0};
    size_t mistakes = 1;

    (void)state;
    put_runtime();
    put("mpi/order", "alpha\n  bravoo # not here\nalpha\n");
    assert_int_equal(ws_kb_check(at("mpi"), at("mpi"), &report, NULL, &mistakes, NULL), 0);
    assert_int_equal(mistakes, 0);
    assert_non_null(strstr(report.bytes,
                           "order:2:3: warning: 'bravoo' is not a problem type here, or named twice; "
                           "did you mean 'bravo'?"));
    assert_non_null(strstr(report.bytes, "order:3:1: warning: 'alpha'"));
    ws_text_free(&report);
}

static void test_the_mpi_knowledge_base(void **state)
{
    struct ws_text report = {0};
    struct ws_error error = {0};
    struct ws_kb kb;

    (void)state;
    if (ws_kb_load(&kb, SOURCE_DIR "/kb/mpi", NULL, 0, &report, &error) != 0)
        fail_msg("%s%s", ws_text_string(&report), error.text);
    assert_int_equal(kb.scope_count, 11);
    assert_string_equal(kb.scopes[1]->id, "late-sender");
    assert_string_equal(kb.scopes[10]->id, "early-wait");
    assert_non_null(ws_kb_type(&kb, "exposure_wait"));
    for (size_t i = 0; i < kb.type_count; i++)
        assert_int_equal(kb.types[i]->index, i);
    ws_kb_free(&kb);
    ws_text_free(&report);
}

/* ---- --kb ---- */

static void test_extra_folder(void **state)
{
    struct outcome outcome;

    (void)state;
    put_runtime();
    put("mine/charlie/charlie.rules", rules);
    put("mine/delta/delta.rules", rules);
    put("mine/README", "not a problem type");

    outcome = load(at("mine/charlie/")); /* one problem type */
    assert_loads(&outcome);
    assert_int_equal(outcome.kb.scope_count, 4);
    assert_string_equal(outcome.kb.scopes[3]->id, "charlie");
    release(&outcome);

    outcome = load(at("mine")); /* a folder of them */
    assert_loads(&outcome);
    assert_int_equal(outcome.kb.scope_count, 5);
    assert_string_equal(outcome.kb.scopes[4]->id, "delta");
    release(&outcome);
}

static void test_extra_folder_named_by_a_dot(void **state)
{
    struct outcome outcome;
    char *before = realpath(".", NULL);

    (void)state;
    put_runtime();
    put("charlie/charlie.rules", rules);
    assert_int_equal(chdir(at("charlie")), 0);
    outcome = load(".");
    assert_int_equal(chdir(before), 0);
    assert_loads(&outcome);
    assert_string_equal(outcome.kb.scopes[3]->id, "charlie");
    release(&outcome);
    free(before);
}

static void test_extra_folder_brings_trace_rules(void **state)
{
    static const char more[] =
        "<traceRules>\n"
        "<function name='MPI_Recv'><argument type='int' name='source'/><retVal type='int'/></function>\n"
        "<functionPoint name='recv' pattern='MPI_Recv'><event/></functionPoint>\n"
        "</traceRules>\n";
    struct outcome outcome;

    (void)state;
    put_runtime();
    put("charlie/charlie.rules", "declare composite event got member( recv as r ) parameters( wait = r.d );\n"
                                 "declare problem for got parameters( name = \"n\", description = \"d\", "
                                 "advice = \"a\", duration = wait, waiting = r );");
    put("charlie/recv.xml", more);
    put("charlie/send.xml", functions); /* said again, the same: counts once */
    outcome = load(at("charlie"));
    assert_loads(&outcome);
    assert_int_equal(outcome.kb.simple_count, 2);
    assert_int_equal(outcome.kb.function_count, 2);
    assert_int_equal(outcome.kb.trace_rule_count, 2);
    assert_non_null(ws_kb_type(&outcome.kb, "recv"));
    release(&outcome);

    put("charlie/send.xml",
        "<traceRules><function name='MPI_Send'><retVal type='void'/></function></traceRules>");
    assert_says(load(at("charlie")),
                "send.xml:1:13: error: the function 'MPI_Send' is declared otherwise in ");

    put("charlie/send.xml", "<traceRules><functionPoint name='send' pattern='MPI_Send'><event>\n"
                            "<param name='peer' format='rank' kind='in'><source>dest</source></param>\n"
                            "<number name='n' by='peer'/></event></functionPoint></traceRules>");
    assert_says(load(at("charlie")), "send.xml:1:59: error: this rule stands in ");
    assert_says(load(at("charlie")), "too, with other transfers");
}

/* ---- folders that are not what they should be ---- */

static void test_missing_folders(void **state)
{
    (void)state;
    assert_says(load(NULL), "/mpi: no such folder: the rules of a runtime should be there");
    ws_make_folder(at("mpi"), NULL);
    assert_says(load(NULL), "/mpi: no trace rules (*.xml) in this folder");
    put_runtime();
    assert_says(load(at("charlie")), "/charlie: no such folder");
    ws_make_folder(at("charlie"), NULL);
    assert_says(load(at("charlie")), "/charlie: no problem type in this folder");
    ws_make_folder(at("charlie/delta"), NULL);
    assert_says(load(at("charlie")), "/charlie: no problem type in this folder");
    put("charlie/file.rules", rules);
    assert_says(load(at("charlie/file.rules")), "/file.rules: is a file; a folder with the rules");
}

static void test_duplicate_problem_type(void **state)
{
    (void)state;
    put_runtime();
    put("mine/alpha/alpha.rules", rules);
    assert_says(load(at("mine")), "/mine/alpha: error: there is a problem type 'alpha' already, in ");
}

static void test_names_that_are_no_ids(void **state)
{
    (void)state;
    put_runtime();
    put("two words/a.rules", rules);
    assert_says(load(at("two words")),
                "error: 'two words' cannot be the id of a problem type: rename the folder");
    put("mine/common/a.rules", rules);
    assert_says(load(at("mine/common")), "error: 'common' cannot be the id of a problem type");
}

/* A problem type without a problem would be listed without a name. */
static void test_folder_without_a_problem(void **state)
{
    static const char said[] = "/charlie: error: this folder declares no problem";

    (void)state;
    put_runtime();
    put("charlie/charlie.rules", "");
    assert_says(load(at("charlie")), said);
    put("charlie/charlie.rules", "// a problem is still to be declared\n");
    assert_says(load(at("charlie")), said);
    put("charlie/charlie.rules", common);
    assert_says(load(at("charlie")), said);
}

/* A mistaken problem is not a missing one. */
static void test_mistaken_problem_is_one(void **state)
{
    struct outcome outcome;

    (void)state;
    put_runtime();
    put("charlie/charlie.rules", "declare problem for common_sned parameters( name = \"n\" );");
    outcome = load(at("charlie"));
    assert_int_equal(outcome.result, -1);
    assert_null(strstr(outcome.report.bytes, "declares no problem"));
    release(&outcome);
    put("charlie/charlie.rules", "declare proble for common_send parameters( name = \"n\" );");
    outcome = load(at("charlie"));
    assert_int_equal(outcome.result, -1);
    assert_null(strstr(outcome.report.bytes, "declares no problem"));
    release(&outcome);
}

static void test_folder_given_twice(void **state)
{
    const char *extra[4];
    struct outcome outcome = {0};

    (void)state;
    put_runtime();
    put("mine/charlie/charlie.rules", rules);
    put("mine/delta/delta.rules", rules);
    extra[0] = at("mine");
    extra[1] = extra[0];
    extra[2] = at("mine/charlie");
    extra[3] = at("mpi/alpha");
    outcome.result = ws_kb_load(&outcome.kb, at("mpi"), extra, 4, &outcome.report, &outcome.error);
    assert_loads(&outcome);
    assert_int_equal(outcome.kb.scope_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(outcome.kb.scopes[i]->extra, i >= 3);
    release(&outcome);
}

static void test_runtime_where_problems_are_wanted(void **state)
{
    (void)state;
    put_runtime();
    put("own/shmem/functions.xml", functions);
    put("own/tango/functions.xml", functions);
    assert_says(load(at("own")), "/own: this holds runtimes (shmem, tango): give one of them or a problem");
    assert_says(load(at("mpi")), "/mpi: this is a runtime of its own: give a problem folder in it");
}

/* ---- mistakes in files ---- */

/* The summary names the folder in which the mistakes are. */
static void test_mistakes_of_a_given_folder(void **state)
{
    const char *extra[2];
    struct outcome outcome = {0};

    (void)state;
    put_runtime();
    put("mine/charlie/charlie.rules", "declare problem for nothing parameters( name = \"\" );");
    put("mine/delta/delta.rules", rules);
    outcome = load(at("mine/"));
    assert_string_equal(outcome.error.text + strlen(outcome.error.text) - strlen("in the rules of ") -
                            strlen(at("mine/")),
                        strstr(outcome.error.text, "in the rules of "));
    assert_non_null(strstr(outcome.error.text, at("mine/")));
    release(&outcome);

    extra[0] = at("mine/delta");
    extra[1] = at("mine/charlie");
    outcome.result = ws_kb_load(&outcome.kb, at("mpi"), extra, 2, &outcome.report, &outcome.error);
    assert_int_equal(outcome.result, -1);
    assert_non_null(strstr(outcome.error.text, " mistakes, the first in the rules of "));
    assert_non_null(strstr(outcome.error.text, "/mine/charlie"));
    release(&outcome);
}

/* Who writes a function where a type of event is wanted is told the type. */
static void test_function_as_type(void **state)
{
    (void)state;
    put_runtime();
    put("mpi/more.xml",
        "<traceRules>\n"
        "<function name='MPI_Idle'><retVal type='int'/></function>\n"
        "<functionPoint name='post' pattern='MPI_Send'><event/></functionPoint>\n</traceRules>\n");
    put("charlie/charlie.rules",
        "declare composite event x member( MPI_Send as s, MPI_Idle as i, MPI_Sent as t )\n"
        "when s.n == i.n and s.n == t.n parameters( wait = s.d );\n");
    assert_says(load(at("charlie")),
                "'MPI_Send' is a function: calls of it are events of type 'send' or 'post'\n");
    assert_says(load(at("charlie")),
                "'MPI_Idle' is a function, and calls of it are no events of their own\n");
    assert_says(load(at("charlie")), "unknown event type 'MPI_Sent'\n");
}

static void test_mistakes_of_all_files_at_once(void **state)
{
    struct outcome outcome;

    (void)state;
    put_runtime();
    put("mpi/more.xml", "<traceRules><functon/></traceRules>");
    put("mpi/alpha/alpha.rules", "declare composit event x member( send as s ) parameters();");
    put("mpi/bravo/bravo.rules", "declare composite event x member( sent as s ) parameters();");
    outcome = load(NULL);
    assert_int_equal(outcome.result, -1);
    assert_non_null(strstr(outcome.report.bytes, "more.xml:1:14: error: unknown element"));
    assert_non_null(strstr(outcome.report.bytes, "alpha.rules:1:9: error: "));
    assert_non_null(strstr(outcome.report.bytes, "bravo.rules:1:35: error: "));
    assert_non_null(strstr(outcome.error.text, " mistakes in the rules of "));
    release(&outcome);
}

/* Where the trace rules cannot be read, nothing is said about the events that are then unknown. */
static void test_broken_xml_has_no_consequences(void **state)
{
    struct outcome outcome;

    (void)state;
    put_runtime();
    put("mpi/functions.xml", "this is not XML");
    outcome = load(NULL);
    assert_int_equal(outcome.result, -1);
    assert_non_null(strstr(outcome.report.bytes, "functions.xml:1:1: error: this is not XML"));
    assert_null(strstr(outcome.report.bytes, ".rules"));
    assert_non_null(strstr(outcome.error.text, "1 mistake in the rules of "));
    release(&outcome);
}

/* ---- kb check ---- */

static size_t check(const char *path, const char *words)
{
    struct ws_text report = {0};
    struct ws_error error = {0};
    size_t mistakes = 99;
    int result = ws_kb_check(at("mpi"), path, &report, NULL, &mistakes, &error);

    if (words && !strstr(ws_text_string(&report), words) && !strstr(error.text, words))
        fail_msg("expected: %s\nreport: %s\nerror: %s", words, ws_text_string(&report), error.text);
    ws_text_free(&report);
    return result == 0 ? mistakes : 1000;
}

static void test_check_gives_the_remarks_one_by_one(void **state)
{
    struct ws_remarks remarks = {0};
    struct ws_text report = {0}, again = {0};
    struct ws_error error = {0};
    size_t mistakes = 0, found = 0;

    (void)state;
    put_runtime();
    put("charlie/charlie.rules", "declare composite event x\nmember( sned as s ) parameters();\n"
                                 "declare composite event y\nmember( nothing as t ) parameters();\n");
    assert_int_equal(ws_kb_check(at("mpi"), at("charlie"), &report, &remarks, &mistakes, &error), 0);
    assert_true(remarks.count >= 2 && mistakes >= 2);
    for (size_t i = 0; i < remarks.count; i++) {
        const struct ws_remark *remark = &remarks.items[i];
        if (strcmp(remark->kind, "error") == 0 && remark->line == 2 && remark->column == 9) {
            found++;
            assert_non_null(strstr(remark->file, "charlie.rules"));
            assert_non_null(strstr(remark->shown, "    2 | member( sned"));
        }
        ws_text_puts(&again, remark->file);
        if (remark->line)
            ws_text_printf(&again, ":%d:%d", remark->line, remark->column);
        ws_text_printf(&again, ": %s: %s\n%s", remark->kind, remark->message, remark->shown);
    }
    assert_string_equal(report.bytes, again.bytes);
    assert_int_equal(found, 1);
    ws_text_free(&report);
    ws_text_free(&again);
    ws_remarks_free(&remarks);
}

static void test_check(void **state)
{
    (void)state;
    put_runtime();
    put("charlie/charlie.rules", rules);
    put("mine/mpi/functions.xml", functions);
    put("mine/mpi/echo/echo.rules", rules);
    assert_int_equal(check(at("charlie"), NULL), 0);
    assert_int_equal(check(at("charlie/charlie.rules"), NULL), 0);
    assert_int_equal(check(at("mpi"), NULL), 0);
    assert_int_equal(check(at("mpi/alpha"), NULL), 0);
    assert_int_equal(check(at("mpi/alpha/alpha.rules"), NULL), 0);
    assert_int_equal(check(at("mine/mpi"), NULL), 0); /* a knowledge base of its own */
    assert_int_equal(check(at("nothing"), "/nothing: No such file"), 1000);
    put("charlie/positive.c", "int main(void) { return 0; }");
    assert_int_equal(check(at("charlie/positive.c"), "neither a folder nor a *.rules or *.xml file"), 1000);
    put("charlie/charlie.rules", "declare composite event x member( sned as s ) parameters();");
    assert_true(check(at("charlie"), "charlie.rules:1:35: error: ") >= 1);
}

/* ---- kb show ---- */

/* What the card says of the shipped problem type's requests. */
static void assert_requests(const struct ws_kb *kb, const char *id, const char *requests)
{
    struct ws_text out = {0};
    char *begin, *end;

    ws_kb_show(kb, ws_kb_scope(kb, id), &out);
    begin = strstr(out.bytes, "  requests\n");
    end = strstr(out.bytes, "\nFiles\n");
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(begin ? begin : "", requests);
    ws_text_free(&out);
}

static void test_show_requests(void **state)
{
    static const char waits[] =
        "    ended by     MPI_Wait MPI_Test MPI_Waitall MPI_Testall MPI_Waitany MPI_Testany MPI_Waitsome\n"
        "                 MPI_Testsome";
    struct ws_text requests = {0};
    struct ws_error error = {0};
    struct ws_kb kb;

    (void)state;
    assert_int_equal(ws_kb_load(&kb, SOURCE_DIR "/kb/mpi", NULL, 0, NULL, &error), 0);
    ws_text_printf(&requests,
                   "  requests\n    restarted by MPI_Start MPI_Startall\n%s\n"
                   "    freed by     MPI_Request_free\n",
                   waits);
    assert_requests(&kb, "wait-at-barrier", requests.bytes);
    ws_text_clear(&requests);
    ws_text_printf(&requests,
                   "  requests\n    restarted by MPI_Start MPI_Startall\n    received by  MPI_Imrecv\n"
                   "%s MPI_Mrecv\n    freed by     MPI_Request_free\n",
                   waits);
    assert_requests(&kb, "late-sender", requests.bytes);
    assert_requests(&kb, "lock-contention", "");
    ws_text_free(&requests);
    ws_kb_free(&kb);
}

static void test_show(void **state)
{
    static const char card[] =
        "alpha - Lone send\n"
        "\n"
        "Problem\n"
        "  1. Lone send, for each lone_send\n"
        "    when         wait > 20 ms\n"
        "    time lost    wait\n"
        "    waits        s\n"
        "    description  Rank {s.process} sends.\n"
        "    advice       Do not.\n"
        "\n"
        "Composite events\n"
        "  lone_send\n"
        "    made of      one send (s)\n"
        "    when         s.peer != s.process\n"
        "    members      s belongs to this event only\n"
        "    carries      wait = s.d   (time)\n"
        "                 s = s   (event)\n"
        "\n"
        "Recorded events (each with t, d, end, process, site, function and the other attributes)\n"
        "  send\n"
        "    parameters   peer (rank), n (counted)\n"
        "                 n: which send of its process with the same peer, in order of posting\n"
        "    calls        MPI_Send\n"
        "    moves        message to peer: 8 bytes\n"
        "\n"
        "Files\n";
    struct outcome outcome;
    struct ws_text out = {0};

    (void)state;
    put_runtime();
    outcome = load(NULL);
    assert_loads(&outcome);
    ws_kb_show(&outcome.kb, ws_kb_scope(&outcome.kb, "alpha"), &out);
    assert_non_null(strstr(out.bytes, "mpi/alpha\n    alpha.rules\n"));
    *(strstr(out.bytes, "Files\n") + 6) = '\0';
    assert_string_equal(out.bytes, card);
    ws_text_free(&out);
    release(&outcome);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_scopes_and_types),
        TEST(test_shared_rules),
        TEST(test_order_names_what_is_not_there),
        TEST(test_the_mpi_knowledge_base),
        TEST(test_extra_folder),
        TEST(test_extra_folder_named_by_a_dot),
        TEST(test_extra_folder_brings_trace_rules),
        TEST(test_missing_folders),
        TEST(test_duplicate_problem_type),
        TEST(test_names_that_are_no_ids),
        TEST(test_folder_without_a_problem),
        TEST(test_mistaken_problem_is_one),
        TEST(test_folder_given_twice),
        TEST(test_runtime_where_problems_are_wanted),
        TEST(test_mistakes_of_a_given_folder),
        TEST(test_function_as_type),
        TEST(test_mistakes_of_all_files_at_once),
        TEST(test_broken_xml_has_no_consequences),
        TEST(test_check),
        TEST(test_check_gives_the_remarks_one_by_one),
        TEST(test_show_requests),
        TEST(test_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
