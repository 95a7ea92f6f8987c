/* Trace rules: what is read from good XML, and what is said about each class of mistake. */
#include "rules/internal.h"
#include "util/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/whyslow-test-xml-XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/rules.xml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

struct outcome {
    struct ws_kb kb;
    struct ws_text report;
    size_t mistakes;
    bool complete;
};

/* Reads and checks a text as a file of trace rules; the file's folder is cut from the report. */
static void load(struct outcome *outcome, const char *xml, size_t length)
{
    struct ws_text report = {0};
    struct ws_diagnostics diagnostics = {.report = &report};
    const char *at, *next;

    memset(outcome, 0, sizeof *outcome);
    assert_int_equal(ws_file_write(path, xml, length, NULL), 0);
    outcome->complete = ws_xml_read(&outcome->kb, path, &diagnostics);
    if (outcome->complete)
        ws_trace_rules_check(&outcome->kb, &diagnostics);
    outcome->mistakes = diagnostics.mistakes;
    for (at = ws_text_string(&report); (next = strstr(at, folder)); at = next + strlen(folder) + 1)
        ws_text_add(&outcome->report, at, (size_t)(next - at));
    ws_text_puts(&outcome->report, at);
    ws_text_free(&report);
    ws_diagnostics_free(&diagnostics);
}

static void release(struct outcome *outcome)
{
    ws_kb_free(&outcome->kb);
    ws_text_free(&outcome->report);
}

/* ---- good rules ---- */

static const char good[] =
    "<?xml version='1.0'?>\n"
    "<!-- two functions and their completion -->\n"
    "<traceRules>\n"
    "<helper name='ws_peer' meaning='rank of a peer'/>\n"
    "<function name='MPI_Send'><argument type='const void *' name='buf'/><argument type='int' name='dest'/>\n"
    "  <argument type='MPI_Comm' name='comm'/><retVal type='int'/></function>\n"
    "<function name='MPI_Irecv' optional='yes' guarded='yes'><argument type='int' name='source'/>\n"
    "  <argument type='MPI_Comm' name='comm'/><argument type='MPI_Request *' name='request'/>\n"
    "  <retVal type='int'/></function>\n"
    "<function name='MPI_Waitall'><argument type='int' name='count'/>\n"
    "  <argument type='MPI_Request *' name='requests'/>\n"
    "  <argument type='MPI_Status *' name='statuses' ignore='MPI_STATUSES_IGNORE' length='count'/>\n"
    "  <retVal type='int'/></function>\n"
    "<functionPoint name='send' pattern='MPI_S*d|MPI_Send'><event>\n"
    "  <param name='peer' format='rank' kind='in'><source> ws_peer(comm, dest) </source></param>\n"
    "  <param name='comm' format='comm' kind='in'><source>(uint32_t)(long)comm</source></param>\n"
    "  <param name='big' format='bool' kind='in'><source><![CDATA[dest < 3 && dest >= 0]]></source></param>\n"
    "  <number name='n' by='peer  comm'/>\n"
    "</event></functionPoint>\n"
    "<functionPoint name='recv' pattern='MPI_Irecv'><event request='start'>\n"
    "  <param name='peer' format='rank' kind='in' final='source'><source>source</source></param>\n"
    "  <param name='comm' format='comm' kind='in'><source>(long)comm</source></param>\n"
    "  <param name='request' format='request' kind='out'><source>(uint64_t)*request</source></param>\n"
    "  <number name='n' by='peer comm' of='send' plus='-2'/>\n"
    "</event></functionPoint>\n"
    "<functionPoint name='completion' pattern='MPI_Wait?ll'>\n"
    "<event request='complete' each='count' of='count' index='i' if='statuses[i].MPI_TAG &gt;= 0'>\n"
    "  <param name='request' format='request' kind='in'><source>(uint64_t)requests[i]</source></param>\n"
    "  <param name='source' format='comm_rank' kind='out'><source>statuses[i].MPI_SOURCE</source></param>\n"
    "  <param name='tag' format='int' kind='out'><source>statuses[i].MPI_TAG</source></param>\n"
    "  <param name='bytes' format='bytes' kind='out'><source>sizeof(int) * 1.5e+3</source></param>\n"
    "  <param name='cancelled' format='bool' kind='out'><source>0</source></param>\n"
    "</event></functionPoint>\n"
    "</traceRules>\n";

static void test_good_rules(void **state)
{
    struct outcome outcome;
    const struct ws_event_type *send;
    const struct ws_trace_rule *completion;

    (void)state;
    load(&outcome, good, strlen(good));
    assert_string_equal(ws_text_string(&outcome.report), "");
    assert_int_equal(outcome.mistakes, 0);
    assert_int_equal(outcome.kb.function_count, 3);
    assert_true(outcome.kb.functions[1]->optional && outcome.kb.functions[1]->guarded);
    assert_false(outcome.kb.functions[0]->optional || outcome.kb.functions[0]->guarded);
    assert_string_equal(outcome.kb.functions[2]->arguments[2].length, "count");
    assert_int_equal(outcome.kb.simple_count, 2);

    send = ws_kb_type(&outcome.kb, "send");
    assert_int_equal(send->index, 0);
    assert_int_equal(send->slot_count, WS_ATTR_COUNT + 4);
    assert_int_equal(ws_type_slot(send, "t"), WS_ATTR_T);
    assert_int_equal(ws_type_slot(send, "big"), WS_ATTR_COUNT + 2);
    assert_int_equal(send->slots[WS_ATTR_COUNT + 2].type, WS_TYPE_BOOLEAN);
    assert_string_equal(send->slots[WS_ATTR_COUNT + 2].source, "dest < 3 && dest >= 0");
    assert_int_equal(ws_type_slot(send, "n"), WS_ATTR_COUNT + 3);
    assert_int_equal(ws_type_slot(send, "request"), -1);
    assert_int_equal(ws_type_slot(ws_kb_type(&outcome.kb, "recv"), "request"), -1);
    assert_string_equal(outcome.kb.trace_rules[0]->params[0].source, "ws_peer(comm, dest)");
    assert_int_equal(outcome.kb.trace_rules[0]->function_count, 1);
    assert_int_equal(outcome.kb.trace_rules[0]->numbers[0].by_count, 2);
    assert_int_equal(outcome.kb.trace_rules[1]->numbers[0].plus, -2);

    completion = outcome.kb.trace_rules[2];
    assert_null(completion->type);
    assert_null(ws_kb_type(&outcome.kb, "completion"));
    assert_int_equal(completion->role, WS_ROLE_COMPLETE);
    assert_string_equal(completion->condition, "statuses[i].MPI_TAG >= 0");
    release(&outcome);
}

/* One event written for calls that are the whole operation, start it and make it persistent; functions that take
 * what others take, with twins for large counts. */
static void test_several_kinds_of_calls(void **state)
{
    static const char xml[] =
        "<traceRules>\n"
        "<function name='Bcast' large='Bcast_c'><argument type='int' name='count' large='MPI_Count'/>\n"
        "  <argument type='int' name='root'/><retVal type='int'/></function>\n"
        "<function name='Ibcast' like='Bcast' large='Ibcast_c'>\n"
        "  <argument type='MPI_Request *' name='request'/></function>\n"
        "<function name='Bcast_init' like='Ibcast' optional='yes'/>\n"
        "<functionPoint name='broadcast' pattern='Bcast' start='Ibcast' init='Bcast_init'><event>\n"
        "  <param name='bytes' format='bytes' kind='out' final='bytes'><source>count</source></param>\n"
        "  <param name='request' format='request' kind='out'><source>(uint64_t)*request</source></param>\n"
        "</event></functionPoint>\n"
        "<functionPoint name='done' pattern='Bcast'><event request='complete'>\n"
        "  <param name='request' format='request' kind='in'><source>0</source></param>\n"
        "  <param name='source' format='comm_rank' kind='out'><source>0</source></param>\n"
        "  <param name='tag' format='int' kind='out'><source>0</source></param>\n"
        "  <param name='bytes' format='bytes' kind='out'><source>0</source></param>\n"
        "  <param name='cancelled' format='bool' kind='out'><source>0</source></param>\n"
        "</event></functionPoint>\n"
        "</traceRules>\n";
    struct outcome outcome;
    const struct ws_kb *kb = &outcome.kb;

    (void)state;
    load(&outcome, xml, strlen(xml));
    assert_string_equal(ws_text_string(&outcome.report), "");
    assert_int_equal(kb->function_count, 5);
    assert_string_equal(kb->functions[1]->name, "Bcast_c");
    assert_true(kb->functions[1]->optional);
    assert_string_equal(kb->functions[1]->arguments[0].type, "MPI_Count");
    assert_string_equal(kb->functions[1]->arguments[1].type, "int");
    assert_ptr_equal(kb->functions[1]->large_of, kb->functions[0]);
    assert_string_equal(kb->functions[3]->name, "Ibcast_c");
    assert_int_equal(kb->functions[3]->argument_count, 3);
    assert_string_equal(kb->functions[4]->arguments[2].name, "request");
    assert_int_equal(kb->trace_rule_count, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(kb->trace_rules[i]->role, WS_ROLE_PLAIN + i);
        assert_int_equal(kb->trace_rules[i]->param_count, i ? 2 : 1);
        assert_int_equal(kb->trace_rules[i]->function_count, i == 2 ? 1 : 2);
        assert_ptr_equal(kb->trace_rules[i]->type, ws_kb_type(kb, "broadcast"));
    }
    assert_null(kb->trace_rules[0]->params[0].final);
    release(&outcome);
}

/* Functions and events of many types, written once; arguments before those of another function. */
static void test_for_each_word(void **state)
{
    static const char xml[] =
        "<traceRules>\n"
        "<for each='T' in='int  longlong\n'>\n"
        "  <function name='shmem_{T}_put'><argument type='ws_{T} *' name='to'/><argument type='int' name='pe'/>\n"
        "    <retVal type='void'/></function>\n"
        "  <function name='shmem_ctx_{T}_put' like='shmem_{T}_put' optional='yes'>\n"
        "    <argument type='ctx_t' name='ctx' first='yes'/><argument type='int' name='last'/></function>\n"
        "  <for each='op' in='and or xor'><function name='shmem_{T}_{op}' like='shmem_{T}_put'/></for>\n"
        "</for>\n"
        "<for each='bits' in='8 16'>\n"
        "  <function name='shmem_put{bits}' like='shmem_int_put'/>\n"
        "  <functionPoint name='put' pattern='shmem_put{bits}'><event>\n"
        "    <param name='bytes' format='bytes' kind='in'><source>pe * ({bits} / 8)</source></param>\n"
        "  </event></functionPoint>\n"
        "</for>\n"
        "</traceRules>\n";
    static const char *const names[] = {
        "shmem_int_put",      "shmem_ctx_int_put",      "shmem_int_and",      "shmem_int_or",      "shmem_int_xor",
        "shmem_longlong_put", "shmem_ctx_longlong_put", "shmem_longlong_and", "shmem_longlong_or", "shmem_longlong_xor",
        "shmem_put8",         "shmem_put16"};
    struct outcome outcome;
    const struct ws_kb *kb = &outcome.kb;

    (void)state;
    load(&outcome, xml, strlen(xml));
    assert_string_equal(ws_text_string(&outcome.report), "");
    assert_int_equal(kb->function_count, sizeof names / sizeof *names);
    for (size_t i = 0; i < kb->function_count; i++)
        assert_string_equal(kb->functions[i]->name, names[i]);
    assert_string_equal(kb->functions[5]->arguments[0].type, "ws_longlong *");
    assert_int_equal(kb->functions[6]->argument_count, 4);
    assert_string_equal(kb->functions[6]->arguments[0].name, "ctx");
    assert_string_equal(kb->functions[6]->arguments[1].name, "to");
    assert_string_equal(kb->functions[6]->arguments[3].name, "last");
    assert_true(kb->functions[6]->optional);
    assert_int_equal(kb->trace_rule_count, 2);
    assert_string_equal(kb->trace_rules[0]->params[0].source, "pe * (8 / 8)");
    assert_string_equal(kb->trace_rules[1]->params[0].source, "pe * (16 / 8)");
    assert_ptr_equal(kb->trace_rules[0]->type, kb->trace_rules[1]->type);
    release(&outcome);
}

/* Transfers are those of all rules of an event that is written once; in the order of the file. */
static void test_transfers(void **state)
{
    static const char xml[] =
        "<traceRules>\n"
        "<function name='Put'><argument type='int' name='to'/><argument type='int' name='n'/>\n"
        "  <retVal type='int'/></function>\n"
        "<function name='Iput' like='Put'><argument type='void **' name='request'/></function>\n"
        "<functionPoint name='put' pattern='Put' start='Iput'><event>\n"
        "  <param name='peer' format='rank' kind='in'><source>to</source></param>\n"
        "  <param name='group' format='comm' kind='in'><source>0</source></param>\n"
        "  <param name='bytes' format='bytes' kind='in'><source>n</source></param>\n"
        "  <param name='kind' format='uint' kind='in'><source>7</source></param>\n"
        "  <param name='request' format='request' kind='out'><source>(uint64_t)*request</source></param>\n"
        "  <transfer kind='atomic' to='peer' bytes='8' reply='8' messages='2'/>\n"
        "  <transfer kind='collective' from='peer' members='group' first='1' count='bytes' total='bytes' "
        "type='kind'/>\n"
        "  <transfer kind='get' from='peer' bytes='bytes'/>\n"
        "  <transfer kind='collective' givers='group' bytes='bytes'/>\n"
        "</event></functionPoint>\n"
        "</traceRules>\n";
    static const char *const printed[] = {
        "atomic to peer: 8 bytes, back 8, messages 2",
        "collective from peer to each of group from number 1 on, as many as bytes: an equal part of bytes, "
        "type kind",
        "get from peer: bytes",
        "collective from each of group: bytes",
    };
    struct outcome outcome;
    const struct ws_trace_rule *rule;

    (void)state;
    load(&outcome, xml, strlen(xml));
    assert_string_equal(ws_text_string(&outcome.report), "");
    for (size_t i = 0; i < 2; i++) {
        rule = ws_type_rule_of(&outcome.kb, ws_kb_type(&outcome.kb, "put"), i ? "Iput" : "Put");
        assert_ptr_equal(rule, outcome.kb.trace_rules[i]);
        assert_int_equal(rule->transfer_count, 4);
        for (size_t k = 0; k < 4; k++) {
            struct ws_text text = {0};
            ws_transfer_print(&rule->transfers[k], &text);
            assert_string_equal(text.bytes, printed[k]);
            ws_text_free(&text);
        }
        assert_int_equal(rule->transfers[2].kind, WS_TRANSFER_GET);
        assert_int_equal(rule->transfers[2].quantities[WS_MOVES_BYTES].slot, WS_ATTR_COUNT + 2);
    }
    assert_null(ws_type_rule_of(&outcome.kb, rule->type, "Get"));
    release(&outcome);
}

/* ---- one mistake each ---- */

/* What stands before each example; the example begins in line 4. */
#define BEFORE                                                                                               \
    "<traceRules>\n"                                                                                         \
    "<function name='MPI_Send'><argument type='int' name='dest'/><argument type='int' name='tag'/>"          \
    "<retVal type='int'/></function><helper name='ws_peer'/>\n"                                              \
    "<function name='MPI_Recv'><argument type='int' name='source'/><argument type='int' name='tag'/>"        \
    "<retVal type='int'/></function>\n"
#define AFTER "</traceRules>\n"
#define POINT(pattern, event) "<functionPoint name='send' pattern='" pattern "'>" event "</functionPoint>\n"
#define PARAM(source) "<param name='peer' format='rank' kind='in'><source>" source "</source></param>"
#define SOURCE(source) BEFORE POINT("MPI_Send", "<event>\n" PARAM(source) "</event>") AFTER
#define EVENT(event) BEFORE POINT("MPI_Send", "\n" event) AFTER
#define TRANSFER(attributes)                                                                                 \
    EVENT("<event>" PARAM("1") "<param name='comm' format='comm' kind='in'><source>1</source></param>"       \
                               "<param name='name' format='string' kind='in'><source>0</source></param>\n"   \
                               "<transfer " attributes "/></event>")
#define REQUEST(kind) "<param name='request' format='request' kind='" kind "'><source>tag</source></param>"
#define COMPLETION                                                                                           \
    "<functionPoint name='done' pattern='MPI_Recv'><event request='complete'>" REQUEST(                      \
        "in") "<param name='source' format='comm_rank' kind='out'><source>source</source></param>"           \
              "<param name='tag' format='int' kind='out'><source>tag</source></param>"                       \
              "<param name='bytes' format='bytes' kind='out'><source>0</source></param>"                     \
              "<param name='cancelled' format='bool' "                                                       \
              "kind='out'><source>0</source></param></event></functionPoint>\n"

static const struct {
    const char *xml, *says;
} mistakes[] = {
    /* what the runtime is */
    {"<traceRules>\n<runtime title='T' library='libt.so'/></traceRules>", "rules.xml:2:2: error: <runtime> needs the attribute 'begin'"},
    {"<traceRules>\n<runtime title='T' library='libt.so||libu.so' begin='F'/></traceRules>", "library: an alternative is empty"},
    {"<traceRules>\n<runtime title='T' library='libt.so' begin='not a name'/></traceRules>", "'not a name' is not a name"},
    {"<traceRules>\n<runtime title='&quot;;T' library='l' begin='F'/></traceRules>", "title: letters, digits and spaces are wanted here"},
    {"<traceRules>\n<runtime title='T' library='l&quot;' begin='F'/></traceRules>", "library: letters, digits and spaces are wanted here"},
    {"<traceRules>\n<runtime title='T' library='l' begin='F'/>\n<runtime title='T' library='l' begin='F'/></traceRules>", "rules.xml:3:1: error: <runtime> is given twice, first in"},
    {BEFORE "<function name='Poll' callsBack='yes'><retVal type='int'/></function><functionPoint name='p' pattern='Poll'>\n"
            "<event each='2'><param name='x' format='int' kind='in'><source>i</source></param></event></functionPoint>" AFTER,
     "values of each=\"...\" cannot be kept over a call of Poll, which runs code of the program"},
    /* the file as a whole */
    {"", "rules.xml:1:1: error: the file is empty: a trace-rule file begins with <traceRules>"},
    {"# rules\nfunction MPI_Send\n",
     "rules.xml:1:2: error: this is not XML (not well-formed (invalid token))"},
    {"<rules/>", "rules.xml:1:2: error: the root of a trace-rule file is <traceRules>, not <rules>"},
    {"<traceRule/>", "did you mean 'traceRules'?"},
    {"<traceRules>\n<function name='f'>\n<arg",
     "rules.xml:3:1: error: the file ends inside <function>, which begins in line 2"},
    {"<traceRules>\n<function name='f'>\n",
     "rules.xml:3:1: error: the file ends inside <function>, which begins in line 2"},
    {"<traceRules>\n<function name='f'></functio></traceRules>\n",
     "rules.xml:2:22: error: this end tag does not fit <function>, which begins in line 2"},
    {"<traceRules>&nbsp;</traceRules>", "rules.xml:1:13: error: unknown entity"},
    {"<traceRules/>\n<traceRules/>",
     "rules.xml:2:1: error: this is not well-formed XML: junk after document element"},
    {"<traceRules>\n\xff</traceRules>", "rules.xml:2:1: error: not a text file: this byte is not UTF-8"},
    {"<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY lol1 '&lol;&lol;&lol;'>]>\n"
     "<traceRules>&lol1;</traceRules>",
     "rules.xml:2:1: error: a trace-rule file has no document type and declares no entities"},
    {"<!DOCTYPE traceRules SYSTEM 'file:///etc/passwd'><traceRules/>",
     "rules.xml:1:1: error: a trace-rule file has no document type"},
    /* elements and attributes */
    {BEFORE "<functon name='f'/>" AFTER,
     "rules.xml:4:2: error: unknown element <functon> in <traceRules>; did you mean 'function'?"},
    {BEFORE "<param name='f'/>" AFTER,
     "rules.xml:4:2: error: <param> belongs in <event>, not in <traceRules>"},
    {BEFORE "<traceRules/>" AFTER, "rules.xml:4:2: error: <traceRules> is the root of the file only"},
    {BEFORE "<function name='f' opt='yes'><retVal type='int'/></function>" AFTER,
     "rules.xml:4:20: error: unknown attribute 'opt' of <function>"},
    {BEFORE "<function><retVal type='int'/></function>" AFTER,
     "rules.xml:4:2: error: <function> needs the attribute 'name'"},
    {BEFORE "<function name='f' optional='maybe'><retVal type='int'/></function>" AFTER,
     "rules.xml:4:30: error: optional='maybe': it is no or yes"},
    {BEFORE "<function name='f' like='MPI_Sent'/>" AFTER,
     "rules.xml:4:26: error: no function 'MPI_Sent' is declared before this one; did you mean 'MPI_Send'?"},
    {BEFORE "<function name='f' like='MPI_Send'><retVal type='int'/></function>" AFTER,
     "rules.xml:4:36: error: <retVal> is given twice"},
    {BEFORE "<function name='f'><argument type='int' name='n' large='a;b'/><retVal type='int'/></function>" AFTER,
     "rules.xml:4:57: error: 'a;b' is not a C type"},
    {BEFORE "<functionPoint name='send' pattern='MPI_Send' start='MPI_Irecv'><event>" PARAM("dest")
         REQUEST("out") "</event></functionPoint>" AFTER,
     "rules.xml:4:54: error: no declared function matches 'MPI_Irecv'"},
    {BEFORE "<functionPoint name='send' pattern='MPI_Send' start='MPI_Recv'><event request='init'>" PARAM("tag")
         REQUEST("out") "</event></functionPoint>" AFTER,
     "rules.xml:4:71: error: the functionPoint's patterns start and init say what is done to the request"},
    {BEFORE "<functionPoint name='send' pattern='MPI_Send' start='MPI_Send' init='MPI_Send'><event>\n"
            PARAM("destt") REQUEST("out") "</event></functionPoint>" AFTER,
     "rules.xml:5:52: error: source of 'peer': 'destt' is not an argument of MPI_Send"},
    {BEFORE "some text" AFTER, "rules.xml:4:1: error: text in <traceRules>, which holds elements only"},
    {BEFORE "<function name='2f'><retVal type='int'/></function>" AFTER,
     "rules.xml:4:17: error: '2f' is not a name"},
    {BEFORE "<function name='MPI_Send'><retVal type='int'/></function>" AFTER,
     "rules.xml:4:1: error: the function 'MPI_Send' is declared twice, first in line 2"},
    {BEFORE "<function name='f'/>" AFTER, "rules.xml:4:1: error: the function 'f' has no <retVal"},
    {BEFORE "<function name='f'><retVal type='int'/><retVal type='int'/></function>" AFTER,
     "rules.xml:4:40: error: <retVal> is given twice"},
    {BEFORE "<function name='f'><argument type='int' name='a'/><argument type='int' name='a'/>"
            "<retVal type='int'/></function>" AFTER,
     "rules.xml:4:78: error: the argument 'a' is declared twice"},
    {BEFORE "<function name='f'><argument type='int; evil()' name='a'/><retVal type='int'/></function>" AFTER,
     "rules.xml:4:36: error: 'int; evil()' is not a C type"},
    {BEFORE
     "<function name='f'><argument type='int' name='a' length='a'/><retVal type='int'/></function>" AFTER,
     "rules.xml:4:50: error: length is that of the buffer"},
    {BEFORE "<function name='f'><argument type='int' name='a' ignore='MPI_X' length='cuont'/>"
            "<argument type='int' name='count'/><retVal type='int'/></function>" AFTER,
     "rules.xml:4:73: error: length: 'cuont' is not an argument of f, nor a declared helper; did you mean "
     "'count'?"},
    {BEFORE "<helper name='ws_peer'/>" AFTER,
     "rules.xml:4:15: error: the helper 'ws_peer' is declared twice"},
    {BEFORE "<functionPoint name='send' pattern='MPI_Send'/>" AFTER,
     "rules.xml:4:1: error: the functionPoint 'send' has no <event>"},
    {EVENT("<event request='begin'/>"),
     "rules.xml:5:17: error: request='begin': it is start, init, restart, complete, free or continue"},
    {EVENT("<event index='i'/>"), "rules.xml:5:8: error: index has a meaning only with each="},
    {EVENT("<event if=' '/>"), "rules.xml:5:8: error: if is empty"},
    /* parameters */
    {EVENT("<event><param name='a' format='int' kind='in'/></event>"),
     "rules.xml:5:8: error: the parameter 'a' has no <source>"},
    {EVENT("<event><param name='a' format='int' kind='in'><source/></param></event>"),
     "error: the source of 'a' is empty"},
    {EVENT("<event><param name='a' format='int' "
           "kind='in'><source>1</source><source>2</source></param></event>"),
     "rules.xml:5:65: error: the parameter 'a' has a second <source>"},
    {EVENT("<event><param name='a' format='integer' kind='in'><source>1</source></param></event>"),
     "rules.xml:5:32: error: unknown format 'integer'"},
    {EVENT("<event><param name='a' format='byte' kind='in'><source>1</source></param></event>"),
     "unknown format 'byte'; did you mean 'bytes'?"},
    {EVENT("<event><param name='a' format='comm_rank' kind='in'><source>1</source></param></event>"),
     "rules.xml:5:32: error: comm_rank is for the records of completions"},
    {EVENT("<event><param name='a' format='int' kind='inn'><source>1</source></param></event>"),
     "rules.xml:5:43: error: kind='inn': it is in or out; did you mean 'in'?"},
    {EVENT("<event>" PARAM("1") PARAM("2") "</event>"), "error: 'peer' is declared twice in this event"},
    {EVENT("<event><param name='site' format='int' kind='in'><source>1</source></param></event>"),
     "rules.xml:5:21: error: every event has an attribute 'site'"},
    /* patterns */
    {BEFORE POINT("MPI_Sned", "<event/>") AFTER,
     "rules.xml:4:37: error: no declared function matches 'MPI_Sned'; did you mean 'MPI_Send'?"},
    {BEFORE POINT("MPI_Send | MPI_R?d", "<event/>") AFTER,
     "rules.xml:4:48: error: no declared function matches 'MPI_R?d'"},
    {BEFORE POINT("MPI_Pack", "<event/>") AFTER,
     "rules.xml:4:37: error: no declared function matches 'MPI_Pack': declare it with <function>\n"},
    {BEFORE POINT("MPY_Send", "<event/>") AFTER,
     "rules.xml:4:37: error: no declared function matches 'MPY_Send'; did you mean 'MPI_Send'?"},
    {BEFORE POINT("MPI_Send||MPI_Recv", "<event/>") AFTER, "rules.xml:4:46: error: an alternative is empty"},
    {BEFORE POINT("MPI_[SR]*", "<event/>") AFTER,
     "rules.xml:4:41: error: a pattern is made of names with * and ?"},
    {BEFORE POINT("MPI_Send", "<event>" PARAM("1") "</event>")
         POINT("MPI_Send", "<event>" PARAM("1") "</event>") AFTER,
     "rules.xml:5:1: error: this rule stands in line 4 already"},
    /* sources */
    {SOURCE("ws_peer(dset)"), "rules.xml:5:60: error: source of 'peer': 'dset' is not an argument of "
                              "MPI_Send, nor a declared helper; did you mean 'dest'?"},
    {SOURCE("1 +\n  2 &amp; 3 &gt; dst"),
     "rules.xml:6:18: error: source of 'peer': 'dst' is not an argument"},
    {SOURCE("<![CDATA[1 < dst]]>"), "rules.xml:5:65: error: source of 'peer': 'dst' is not an argument"},
    {SOURCE("<!-- x -->dst"), "rules.xml:5:62: error: source of 'peer': 'dst' is not an argument"},
    {SOURCE("ws_pear(dest)"),
     "'ws_pear' is not an argument of MPI_Send, nor a declared helper; did you mean 'ws_peer'?"},
    {SOURCE("system(\"rm\")"), "'system' is not an argument of MPI_Send"},
    {SOURCE("dest + i"), "'i' counts the records of each=\"...\", which is not given"},
    {BEFORE POINT("MPI_*", "<event>\n" PARAM("dest") "</event>") AFTER,
     "rules.xml:5:52: error: source of 'peer': 'dest' is not an argument of MPI_Recv, which the pattern "
     "matches too"},
    {SOURCE("(dest + 1"), "rules.xml:5:52: error: source of 'peer': '(' is not closed"},
    {SOURCE("dest + 1)"), "rules.xml:5:60: error: source of 'peer': ')' closes no '('"},
    {SOURCE("(dest]"), "rules.xml:5:57: error: source of 'peer': ']' closes no '['"},
    {SOURCE("dest; exit(1)"),
     "rules.xml:5:56: error: source of 'peer': an expression is wanted here, not statements"},
    {SOURCE("({ dest; })"),
     "rules.xml:5:53: error: source of 'peer': an expression is wanted here, not statements"},
    {SOURCE("dest = 1"), "this would change the program's data; it may only be read; did you mean '=='?"},
    {SOURCE("dest++"), "this would change the program's data"},
    {SOURCE("dest &lt;&lt;= 1"), "this would change the program's data"},
    {SOURCE("dest, tag"), "one value is wanted, not several"},
    {SOURCE("dest // of it"), "comments belong in the XML"},
    {SOURCE("\"dest"), "this text has no closing quote"},
    {SOURCE("dest # 1"), "no C expression has this character"},
    {SOURCE("dest \\ 1"), "no C expression has this character"},
    {EVENT("<event if='dset == 0'/>"), "rules.xml:5:12: error: if: 'dset' is not an argument of MPI_Send"},
    {EVENT("<event each='dest' of='i'/>"), "rules.xml:5:24: error: of: 'i' counts the records"},
    {EVENT("<event each='dest' index='j'/>"), "rules.xml:5:27: error: index: 'j' is not an argument"},
    /* event types */
    {BEFORE POINT("MPI_Send", "<event>" PARAM("1") "</event>") POINT("MPI_Recv", "<event/>") AFTER,
     "rules.xml:5:47: error: events 'send' have a parameter 'peer' (rules.xml:4), which is missing here"},
    {BEFORE POINT("MPI_Send", "<event/>") POINT("MPI_Recv", "<event>" PARAM("1") "</event>") AFTER,
     "error: events 'send' have no parameter 'peer' (rules.xml:4): all rules of one event type agree"},
    {BEFORE POINT("MPI_Send", "<event>" PARAM("1") "</event>")
         POINT("MPI_Recv",
               "<event><param name='peer' format='int' kind='in'><source>1</source></param></event>") AFTER,
     "rules.xml:5:81: error: the format of 'peer' in events 'send' is rank (rules.xml:4), not int"},
    {BEFORE POINT("MPI_Send", "<event>" PARAM("1") "<number name='n' by='peer'/></event>")
         POINT("MPI_Recv", "<event>" PARAM("1") "</event>") AFTER,
     "error: events 'send' have a number 'n' (rules.xml:4), which is missing here"},
    {BEFORE POINT("MPI_Send", "<event>" PARAM("1") "<number name='n' by='peer'/></event>")
         POINT("MPI_Recv", "<event>" PARAM("1") "<number name='n' by='peer' of='send'/></event>") AFTER,
     "error: the number 'n' of events 'send' is counted otherwise in rules.xml:4"},
    /* numbers */
    {EVENT("<event>" PARAM("1") "<number name='n' by='peer pear'/></event>"),
     "error: events 'send' have no parameter 'pear' to count by; did you mean 'peer'?"},
    {EVENT("<event>" PARAM("1") "<number name='n' by=''/></event>"), "error: by names no parameter"},
    {EVENT("<event>" PARAM("1") "<number name='n' by='peer peer'/></event>"), "error: by names 'peer' twice"},
    {EVENT("<event>" PARAM("1") "<number name='peer' by='peer'/></event>"),
     "'peer' is declared twice in this event"},
    {EVENT("<event>" PARAM("1") "<number name='n' by='peer' of='sent'/></event>"),
     "error: unknown event type 'sent'; did you mean 'send'?"},
    {EVENT("<event>" PARAM("1") "<number name='n' by='peer' of='send'/></event>"),
     "error: events 'send' are not counted by 1 parameter of these types"},
    {EVENT("<event>" PARAM("1") "<number name='n' by='peer' plus='1'/></event>"),
     "error: plus has a meaning only with of="},
    {EVENT("<event>" PARAM("1") "<number name='n' by='peer' of='send' plus='one'/></event>"),
     "error: 'one' is not a small whole number"},
    /* places */
    {BEFORE "<places name='image'/>" AFTER, "rules.xml:4:2: error: <places> needs the attribute 'function'"},
    {BEFORE "<places name='an image' function='caf_*'/>" AFTER, "rules.xml:4:15: error: 'an image' is not a name"},
    {BEFORE "<places name='image' function='caf_*' first='2'/>" AFTER,
     "rules.xml:4:46: error: first='2': processes are numbered from 0 or from 1"},
    /* transfers */
    {TRANSFER("kind='sent' to='peer' bytes='1'"),
     "rules.xml:6:17: error: kind='sent': it is message, put, get, "
     "atomic or collective"},
    {TRANSFER("kind='putt' to='peer' bytes='1'"), "did you mean 'put'?"},
    {TRANSFER("to='peer' bytes='1'"), "rules.xml:6:2: error: <transfer> needs the attribute 'kind'"},
    {TRANSFER("kind='put' too='peer' bytes='1'"),
     "rules.xml:6:22: error: unknown attribute 'too' of <transfer>; did you mean 'to'?"},
    {TRANSFER("kind='put' to='pear' bytes='1'"),
     "rules.xml:6:26: error: events 'send' have no parameter 'pear' "
     "to take to from; did you mean 'peer'?"},
    {TRANSFER("kind='put' to='-1' bytes='1'"),
     "rules.xml:6:26: error: to='-1': neither a parameter's name nor a whole number"},
    {TRANSFER("kind='put' to='peer' bytes='99999999999999999999'"),
     "rules.xml:6:39: error: bytes='99999999999999999999': neither a parameter's name nor a whole number"},
    {TRANSFER("kind='put' to='name' bytes='1'"),
     "rules.xml:6:26: error: to is taken from a parameter that holds a process: 'name' has format string"},
    {TRANSFER("kind='put' to='peer' bytes='peer'"),
     "rules.xml:6:39: error: bytes is taken from a parameter that holds a number: 'peer' has format rank"},
    {TRANSFER("kind='put' to='peer' bytes='1' type='peer'"),
     "rules.xml:6:48: error: type is taken from a parameter that holds a whole number or a string"},
    {TRANSFER("kind='collective' members='1' bytes='1'"),
     "rules.xml:6:38: error: members names a parameter that holds a communicator"},
    {TRANSFER("kind='collective' members='peer' bytes='1'"),
     "rules.xml:6:38: error: members is taken from a parameter that holds a communicator"},
    {TRANSFER("kind='message' bytes='1'"), "rules.xml:6:1: error: a transfer goes to=\"...\" another process "
                                           "or to members=\"...\", or comes from="},
    {TRANSFER("kind='message' to='peer'"),
     "rules.xml:6:1: error: a transfer has either bytes=\"...\", what each receiver gets, or total="},
    {TRANSFER("kind='collective' members='comm' bytes='1' total='1'"),
     "rules.xml:6:1: error: a transfer has either bytes="},
    {TRANSFER("kind='get' to='peer' bytes='1'"),
     "rules.xml:6:1: error: a get brings data from=\"...\" the process whose memory is read"},
    {TRANSFER("kind='collective' members='comm' to='peer' bytes='1'"),
     "rules.xml:6:38: error: the members are the receivers: to=\"...\" names another one"},
    {TRANSFER("kind='collective' members='comm' bytes='1' reply='1'"),
     "rules.xml:6:61: error: a reply goes between two processes, not among members="},
    {TRANSFER("kind='collective' givers='comm' members='comm' bytes='1'"),
     "rules.xml:6:37: error: the givers give to one process: from="},
    {TRANSFER("kind='collective' to='peer' bytes='1' first='1'"),
     "rules.xml:6:56: error: this has a meaning only with members="},
    {TRANSFER("kind='collective' to='peer' total='1'"),
     "rules.xml:6:46: error: this has a meaning only with members="},
    {EVENT("<event request='free'>" REQUEST("in") "\n<transfer kind='put' to='1' bytes='1'/></event>"),
     "rules.xml:6:1: error: an event with request=\"free\" moves nothing"},
    {BEFORE POINT("MPI_Send", "<event>" PARAM("1") "<transfer kind='put' to='peer' bytes='1'/></event>")
         POINT("MPI_*", "<event>" PARAM("2") "</event>") AFTER,
     "rules.xml:5:44: error: MPI_Send makes events 'send' by the rule in rules.xml:4 too, which has other "
     "transfers"},
    /* requests */
    {EVENT("<event request='start'/>"),
     "rules.xml:5:1: error: an event with request=\"start\" needs a parameter 'request' of format request"},
    {EVENT("<event request='start'>" REQUEST("in") "</event>"),
     "error: 'request' of an event with request=\"start\" is known after the call; did you mean 'out'?"},
    {EVENT("<event>" REQUEST("in") "</event>"), "error: 'request' is for events with request="},
    {EVENT("<event request='continue'>" REQUEST("out") "</event>"),
     "error: an event with request=\"continue\" needs a parameter 'from' of format request"},
    {EVENT("<event request='complete'>" REQUEST("in") "</event>"),
     "error: an event with request=\"complete\" needs a parameter 'cancelled' of format bool"},
    {EVENT("<event request='start'><param name='request' format='int' "
           "kind='out'><source>tag</source></param></event>"),
     "error: 'request' of an event with request=\"start\" has format request; did you mean 'request'?"},
    {EVENT("<event request='free'>" REQUEST("in") "<number name='n' by='request'/></event>"),
     "error: an event with request=\"free\" is not counted"},
    {BEFORE POINT("MPI_Send", "<event/>") POINT("MPI_Recv", "<event request='free'>" REQUEST("in") "</event>")
         AFTER,
     "rules.xml:5:22: error: 'send' is an event type (rules.xml:4)"},
    {EVENT("<event><param name='a' format='int' kind='in' final='tag'><source>1</source></param></event>"),
     "rules.xml:5:54: error: final is for operations that another call completes"},
    {EVENT("<event request='start'>" REQUEST(
         "out") "<param name='a' format='int' kind='in' final='tag'><source>1</source></param></event>"),
     "error: no event with request=\"complete\" could give the final value"},
    {BEFORE POINT(
         "MPI_Send",
         "<event request='start'>" REQUEST(
             "out") "<param name='a' format='int' kind='in' final='tga'><source>1</source></param></event>")
         COMPLETION AFTER,
     "error: the completion in rules.xml:5 has no parameter 'tga'; did you mean 'tag'?"},
    {BEFORE POINT("MPI_Send", "<event request='start'>" REQUEST(
                                  "out") "<param name='a' format='rank' kind='in' "
                                         "final='source'><source>1</source></param></event>")
         COMPLETION AFTER,
     "error: 'source' of the completion has format comm_rank: it gives a parameter of format rank, in an "
     "event "
     "with a parameter 'comm'"},
    {BEFORE POINT(
         "MPI_Send",
         "<event request='start'>" REQUEST(
             "out") "<param name='a' format='real' kind='in' final='tag'><source>1</source></param></event>")
         COMPLETION AFTER,
     "error: 'tag' of the completion has format int: it does not fit this parameter"},

    /* what is written once for many words */
    {BEFORE "<for each='T' in=' '><function name='f_{T}'><retVal type='int'/></function></for>" AFTER,
     "rules.xml:4:15: error: in names nothing"},
    {BEFORE "<for each='T'></for>" AFTER, "rules.xml:4:2: error: <for> needs the attribute 'in'"},
    {BEFORE "<for each='T' in='a b'><function name='f_{T'><retVal type='int'/></function></for>" AFTER,
     "rules.xml:4:40: error: 'f_{T' is not a name"},
    {BEFORE "<for each='T' in='a b'>\n<function name='f'><retVal type='int'/></function></for>" AFTER,
     "rules.xml:5:1: error: the function 'f' is declared twice, first in line 5"},
    {BEFORE "<for each='T' in='a b'><event/></for>" AFTER,
     "rules.xml:4:25: error: <event> belongs in <functionPoint>, not in <traceRules>"},
    {BEFORE "<for each='T' in='a b'><function name='f'>" AFTER, "this end tag does not fit <for>"},
    {BEFORE "<for each='T' in='a b'><for each='U' in='c'>" AFTER, "this end tag does not fit <for>"},
};

static void test_each_mistake(void **state)
{
    size_t failed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct outcome outcome;
        load(&outcome, mistakes[i].xml, strlen(mistakes[i].xml));
        if (outcome.mistakes == 0 || !strstr(ws_text_string(&outcome.report), mistakes[i].says)) {
            print_error("expected: %s\nsaid: %s\n", mistakes[i].says, ws_text_string(&outcome.report));
            failed++;
        }
        release(&outcome);
    }
    assert_int_equal(failed, 0);
}

/* The whole form of a report: place, line, caret, suggestion. */
static void test_report_form(void **state)
{
    struct outcome outcome;
    static const char xml[] = SOURCE("ws_peer(dset)");

    (void)state;
    load(&outcome, xml, strlen(xml));
    assert_string_equal(ws_text_string(&outcome.report),
                        "rules.xml:5:60: error: source of 'peer': 'dset' is not an argument of MPI_Send, nor "
                        "a declared helper; "
                        "did you mean 'dest'?\n"
                        "    5 | <param name='peer' format='rank' "
                        "kind='in'><source>ws_peer(dset)</source></param></event></functionPoint>\n"
                        "      |                                                            ^~~~\n");
    release(&outcome);
}

/* A mistake in what is written once is told once. */
static void test_one_mistake_for_many_words(void **state)
{
    static const char read[] = BEFORE "<for each='T' in='a b c'><function nam='f_{T}'/></for>" AFTER;
    static const char checked[] = BEFORE
        "<for each='T' in='dset dest tag'>" POINT("MPI_Send", "<event>" PARAM("ws_peer({T})") "</event>") "</for>"
        "<for each='T' in='a b'>" POINT("MPI_Recv", "<event>" PARAM("0") "</event>") "</for>" AFTER;
    struct outcome outcome;

    (void)state;
    load(&outcome, read, strlen(read));
    assert_int_equal(outcome.mistakes, 3); /* an attribute unknown, one missing, and no <retVal> */
    release(&outcome);
    load(&outcome, checked, strlen(checked));
    assert_int_equal(outcome.mistakes, 2); /* and a rule that stands there twice */
    release(&outcome);
}

static void test_all_mistakes_in_one_run(void **state)
{
    struct outcome outcome;
    static const char xml[] = BEFORE "<functon/>\n<helper nam='x'/>\n" POINT(
        "MPI_Sned", "<event><param name='a' format='intt' kind='i'><source>(</source></param></event>") AFTER;

    (void)state;
    load(&outcome, xml, strlen(xml));
    assert_int_equal(outcome.mistakes, 7);
    release(&outcome);
}

/* ---- hostile files ---- */

static void expect(const char *xml, size_t length, const char *says)
{
    struct outcome outcome;

    load(&outcome, xml, length);
    if (!strstr(ws_text_string(&outcome.report), says))
        fail_msg("expected: %s\nsaid: %.2000s", says, ws_text_string(&outcome.report));
    assert_true(outcome.report.length < 1000000);
    release(&outcome);
}

static struct ws_text repeated(const char *before, const char *again, size_t times, const char *after)
{
    struct ws_text text = {0};

    ws_text_puts(&text, before);
    for (size_t i = 0; i < times; i++)
        ws_text_puts(&text, again);
    ws_text_puts(&text, after);
    return text;
}

static void test_hostile_files(void **state)
{
    static const struct {
        const char *before, *again;
        size_t times;
        const char *after, *says;
    } files[] = {
        {"<traceRules>\n", "<a>", 100000, "", "elements are nested deeper than"},
        {"<traceRules>\n", "<a/>", 1000000, "</traceRules>", "more than 200 mistakes in this file"},
        {"<traceRules>\n<helper name='", "x", 1000000, "'/></traceRules>",
         "'name' is longer than 4096 bytes"},
        {"<traceRules>\n<", "x", 1000000, "/></traceRules>", "unknown element <xxxx"},
        {"<traceRules>\n<helper ", "x", 1000000, "='1'/></traceRules>", "unknown attribute 'xxxx"},
        {BEFORE POINT("MPI_Send", "<event>"), "", 0, "", "this end tag"},
        {BEFORE "<functionPoint name='send' pattern='MPI_Send'><event><param name='a' format='int' "
                "kind='in'><source>",
         "(", 3000, "</source></param></event></functionPoint></traceRules>",
         "parentheses are nested too deep"},
        {BEFORE "<functionPoint name='send' pattern='MPI_Send'><event><param name='a' format='int' "
                "kind='in'><source>",
         "(", 1000000, "</source></param></event></functionPoint></traceRules>",
         "a source longer than 4096 bytes"},
        {BEFORE "<functionPoint name='send' pattern='", "*a", 2000, "'><event/></functionPoint></traceRules>",
         "no declared function matches"},
        {"<traceRules>\n<function name='f'><retVal type='int'/>", "<argument type='int' name='_'/>", 1000,
         "</function></traceRules>", "more than 64 arguments"},
        {"<traceRules>\n", "<!-- -->", 1000000, "<", "the file ends inside <traceRules>"},
        {"<traceRules>\n", "<for each='T' in='a'>", 100000, "", "elements are nested deeper than"},
        {"<traceRules><for each='T' in='", "a ", 1000,
         "'><for each='U' in='a b c d e f g h i j'><for each='V' in='a b c d e f g h i j k l m n o p q r s t u v w x'>"
         "<helper name='h{T}{U}{V}'/></for></for></for></traceRules>",
         "the helper 'haaa' is declared twice"},
        {"<traceRules><for each='T' in='", "a ", 1500,
         "'><for each='U' in='a b c d e f g h i j k l m n o p q r s t u v w x y z'><for each='V' in='a b c d'> <for each="
         "'W' in='a b c d'></for></for></for></for></traceRules>",
         "<for> brings more than 500000 elements"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct ws_text text = repeated(files[i].before, files[i].again, files[i].times, files[i].after);
        expect(text.bytes, text.length, files[i].says);
        ws_text_free(&text);
    }
}

static void test_line_of_100_megabytes(void **state)
{
    size_t length = (size_t)100 << 20;
    char *bytes = malloc(length);

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 'x', length);
    expect(bytes, length, "rules.xml: error: larger than 16777216 bytes");
    free(bytes);
}

/* Every beginning of a good file is either good or told to be cut. */
static void test_truncated_anywhere(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof good - 2; length++) {
        struct outcome outcome;
        load(&outcome, good, length);
        assert_false(outcome.complete);
        assert_int_equal(outcome.mistakes, 1);
        release(&outcome);
    }
}

/* One byte of a good file changed: whatever is said, nothing breaks. */
static void test_changed_anywhere(void **state)
{
    static const char changes[] = "<>&\"'/=x (){};\n";
    char xml[sizeof good];

    (void)state;
    for (size_t i = 0; i < sizeof good - 1; i++) {
        struct outcome outcome;
        memcpy(xml, good, sizeof good);
        xml[i] = changes[i % (sizeof changes - 1)];
        load(&outcome, xml, sizeof good - 1);
        assert_true(outcome.complete || outcome.mistakes > 0);
        release(&outcome);
    }
}

static void test_missing_file(void **state)
{
    struct ws_kb kb = {0};
    struct ws_text report = {0};
    struct ws_diagnostics diagnostics = {.report = &report};

    (void)state;
    assert_false(ws_xml_read(&kb, "/nonexistent/rules.xml", &diagnostics));
    assert_non_null(strstr(report.bytes, "/nonexistent/rules.xml: error: cannot read: No such file"));
    ws_diagnostics_free(&diagnostics);
    ws_text_free(&report);
    ws_kb_free(&kb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_kinds_of_calls),
        cmocka_unit_test(test_transfers), cmocka_unit_test(test_for_each_word),
        cmocka_unit_test(test_one_mistake_for_many_words),
        cmocka_unit_test(test_good_rules),         cmocka_unit_test(test_each_mistake),
        cmocka_unit_test(test_report_form),        cmocka_unit_test(test_all_mistakes_in_one_run),
        cmocka_unit_test(test_hostile_files),      cmocka_unit_test(test_line_of_100_megabytes),
        cmocka_unit_test(test_truncated_anywhere), cmocka_unit_test(test_changed_anywhere),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
