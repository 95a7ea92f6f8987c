#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "small.h"
#include "tracegen/tracegen.h"

/* The generated text without its #line directives, whose files are in a folder of the moment. */
static char *without_lines(const char *text)
{
    struct ws_text out = {0};

    while (*text) {
        size_t length = strcspn(text, "\n") + 1;
        if (strncmp(text, "#line", 5) != 0)
            ws_text_add(&out, text, length);
        text += length;
    }
    return out.bytes;
}

static const char *generated, *stripped;

/* The wrapper of one function: from its `ws_next_` line to its second name. */
static char *wrapper(const char *name)
{
    static char buffer[16384];
    char begin[64], end[64];
    const char *from, *to;

    snprintf(begin, sizeof begin, "static __typeof__(&%s) ", name);
    snprintf(end, sizeof end, "WS_SECOND_NAME(%s, P%s)", name, name);
    from = strstr(stripped, begin);
    assert_non_null(from);
    to = strstr(from, end);
    assert_non_null(to);
    snprintf(buffer, sizeof buffer, "%.*s", (int)(to - from), from);
    return buffer;
}

static void test_a_blocking_call(void **state)
{
    (void)state;
    assert_string_equal(
        wrapper("Send"),
        "static __typeof__(&Send) ws_next_Send;\n"
        "WS_EXPORT int Send(const char *text, int to)\n"
        "{\n"
        "    int ws_result;\n"
        "    WS_HERE;\n"
        "    WS_RESOLVE(ws_next_Send, WS_ORIGINAL(\"P\", \"Send\"));\n"
        "    void *const ws_place = ws_call_site();\n"
        "    struct ws_stream *const ws_me = ws_enter();\n"
        "    uint64_t ws_begin, ws_end;\n"
        "    if (!ws_me) {\n"
        "        ws_result = WS_NEXT(ws_next_Send)(text, to);\n"
        "        WS_BACK;\n"
        "        return ws_result;\n"
        "    }\n"
        "    const uint8_t ws_in1_far = (uint8_t)!!(to > 8);\n"
        "    WS_COMPUTED;\n"
        "    ws_begin = ws_clock_ns();\n"
        "    ws_result = WS_NEXT(ws_next_Send)(text, to);\n"
        "    WS_BACK;\n"
        "    ws_end = ws_clock_ns();\n"
        "    ws_me->result = ws_result;\n"
        "    if (WS_SUCCEEDED(ws_result)) {\n"
        "        unsigned char *ws_at;\n"
        "        ws_call(ws_me, 0, ws_begin, ws_end, ws_place);\n"
        "        /* send */\n"
        "        {\n"
        "            const int32_t ws_value_peer = (ws_peer(to));\n"
        "            const uint32_t ws_value_comm = (1);\n"
        "            if (WS_RARELY(ws_me->control) &&\n"
        "                (ws_at = ws_counted(ws_me, 0, 8))) {\n"
        "                WS_PUT(ws_at, ws_value_peer);\n"
        "                ws_at += sizeof ws_value_comm;\n"
        "                ws_count(ws_me, WS_CHANNEL(WS_MIX(UINT64_C(2), ws_value_peer)), 0);\n"
        "            } else {\n"
        "                if (WS_RARELY(ws_me->pending))\n"
        "                    ws_count_told(ws_me, WS_CHANNEL(WS_MIX(UINT64_C(2), ws_value_peer)));\n"
        "                ws_at = WS_FITS_SIGNED(ws_value_peer, 16) &&\n"
        "                    WS_FITS(ws_value_comm, 8)\n"
        "                    ? ws_record(ws_me, 0, 6, 3) : NULL;\n"
        "                if (ws_at) {\n"
        "                    WS_PUT_NARROW(ws_at, ws_value_peer, 2);\n"
        "                    WS_PUT_NARROW(ws_at, ws_value_comm, 1);\n"
        "                } else if ((ws_at = ws_record_full(ws_me, 0, 8))) {\n"
        "                    WS_PUT(ws_at, ws_value_peer);\n"
        "                    WS_PUT(ws_at, ws_value_comm);\n"
        "                }\n"
        "                if (ws_at)\n"
        "                    ws_record_end(ws_me, ws_at);\n"
        "            }\n"
        "        }\n"
        "        /* note */\n"
        "        if (text != NULL)\n"
        "        {\n"
        "            const char *ws_value_words = (text);\n"
        "            const size_t ws_length_words = ws_text_length(ws_value_words);\n"
        "            const uint8_t ws_value_far = ws_in1_far;\n"
        "            ws_at = ws_record(ws_me, 2, 6, 2 + ws_length_words);\n"
        "            if (ws_at) {\n"
        "                ws_at = ws_put_text(ws_at, ws_value_words, ws_length_words);\n"
        "                WS_PUT(ws_at, ws_value_far);\n"
        "            } else if ((ws_at = ws_record_full(ws_me, 2, 2 + ws_length_words))) {\n"
        "                ws_at = ws_put_text(ws_at, ws_value_words, ws_length_words);\n"
        "                WS_PUT(ws_at, ws_value_far);\n"
        "            }\n"
        "            if (ws_at)\n"
        "                ws_record_end(ws_me, ws_at);\n"
        "        }\n"
        "    }\n"
        "    ws_leave(ws_me);\n"
        "    return ws_result;\n"
        "}\n");
}

static void test_a_call_that_completes_many(void **state)
{
    (void)state;
    assert_string_equal(
        wrapper("Waitall"),
        "static __typeof__(&Waitall) ws_next_Waitall;\n"
        "WS_EXPORT int Waitall(int count, Request *requests, Status *statuses)\n"
        "{\n"
        "    int ws_result;\n"
        "    WS_HERE;\n"
        "    WS_RESOLVE(ws_next_Waitall, WS_ORIGINAL(\"P\", \"Waitall\"));\n"
        "    void *const ws_place = ws_call_site();\n"
        "    struct ws_stream *const ws_me = ws_enter();\n"
        "    uint64_t ws_begin, ws_end;\n"
        "    if (!ws_me) {\n"
        "        ws_result = WS_NEXT(ws_next_Waitall)(count, requests, statuses);\n"
        "        WS_BACK;\n"
        "        return ws_result;\n"
        "    }\n"
        "    if (statuses == NO_STATUSES) {\n"
        "        statuses = ws_scratch(ws_me, 0, (count), sizeof *statuses);\n"
        "        if (!statuses) {\n"
        "            statuses = NO_STATUSES;\n"
        "            goto ws_plain;\n"
        "        }\n"
        "    }\n"
        "    const int ws_of0 = (count);\n"
        "    uint64_t *ws_in0_request = ws_scratch(ws_me, 1, ws_of0, sizeof *ws_in0_request);\n"
        "    if (!ws_in0_request)\n"
        "        goto ws_plain;\n"
        "    for (int i = 0; i < ws_of0; i++)\n"
        "        ws_in0_request[i] = (ws_request(requests[i]));\n"
        "    WS_COMPUTED;\n"
        "    ws_begin = ws_clock_ns();\n"
        "    ws_result = WS_NEXT(ws_next_Waitall)(count, requests, statuses);\n"
        "    WS_BACK;\n"
        "    ws_end = ws_clock_ns();\n"
        "    ws_me->result = ws_result;\n"
        "    if (WS_COMPLETED(ws_result)) {\n"
        "        unsigned char *ws_at;\n"
        "        ws_call(ws_me, 3, ws_begin, ws_end, ws_place);\n"
        "        /* done */\n"
        "        const int ws_each0 = (count);\n"
        "        for (int i = 0; i < ws_each0; i++) {\n"
        "            const int ws_from = (i);\n"
        "            if (ws_from < 0 || ws_from >= ws_of0)\n"
        "                continue;\n"
        "            if (ws_in0_request[ws_from] != WS_NO_REQUEST)\n"
        "            {\n"
        "                const uint64_t ws_value_request = ws_in0_request[ws_from];\n"
        "                const struct ws_start *ws_start = ws_start_of(ws_me, ws_value_request);\n"
        "                bool ws_as_started = ws_start != NULL;\n"
        "                const bool ws_told = !ws_start || ws_start->state != WS_START_COUNTED;\n"
        "                if (ws_told && (!ws_as_started || ws_start->state != WS_START_SETTLED)) {\n"
        "                    const uint64_t ws_value_bytes = (ws_received(&statuses[i]));\n"
        "                    if (!ws_as_started) {\n"
        "                        ws_at = ws_fits_request(ws_me, ws_value_request) &&\n"
        "                    WS_FITS(ws_value_bytes, 24)\n"
        "                    ? ws_record(ws_me, 3, 6, 7) : NULL;\n"
        "                        if (ws_at) {\n"
        "                            WS_PUT_NARROW(ws_at, ws_value_request, 4);\n"
        "                            WS_PUT_NARROW(ws_at, ws_value_bytes, 3);\n"
        "                        } else if ((ws_at = ws_record_full(ws_me, 3, 16))) {\n"
        "                            WS_PUT(ws_at, ws_value_request);\n"
        "                            WS_PUT(ws_at, ws_value_bytes);\n"
        "                        }\n"
        "                        if (ws_at)\n"
        "                            ws_record_end(ws_me, ws_at);\n"
        "                    }\n"
        "                }\n"
        "                if (ws_told && ws_as_started) {\n"
        "                    ws_at = ws_fits_request(ws_me, ws_value_request)\n"
        "                    ? ws_record(ws_me, 4, 6, 4) : NULL;\n"
        "                    if (ws_at) {\n"
        "                        WS_PUT_NARROW(ws_at, ws_value_request, 4);\n"
        "                    } else if ((ws_at = ws_record_full(ws_me, 4, 8))) {\n"
        "                        WS_PUT(ws_at, ws_value_request);\n"
        "                    }\n"
        "                    if (ws_at)\n"
        "                        ws_record_end(ws_me, ws_at);\n"
        "                }\n"
        "            }\n"
        "        }\n"
        "    }\n"
        "    ws_leave(ws_me);\n"
        "    return ws_result;\n"
        "ws_plain:\n"
        "    ws_leave(ws_me);\n"
        "    ws_result = WS_NEXT(ws_next_Waitall)(count, requests, statuses);\n"
        "    WS_BACK;\n"
        "    return ws_result;\n"
        "}\n");
}

static void test_a_started_operation_is_remembered(void **state)
{
    (void)state;
    assert_non_null(strstr(
        wrapper("Isend"), "            ws_started(ws_me, ws_value_request, ws_value_peer < 0 ? WS_START_OPEN "
                          ": WS_START_KNOWN, 0, 0);\n"));
}

static void test_a_status_that_the_program_ignores(void **state)
{
    (void)state;
    assert_non_null(strstr(wrapper("Wait"), "    __typeof__(*status) ws_own_status = {0};\n"
                                            "    if (status == NO_STATUS)\n"
                                            "        status = &ws_own_status;\n"));
}

static void test_hooks_wrap_what_no_rule_names(void **state)
{
    (void)state;
    assert_string_equal(wrapper("Open"), "static __typeof__(&Open) ws_next_Open;\n"
                                         "WS_EXPORT int Open(int mode)\n"
                                         "{\n"
                                         "    int ws_result;\n"
                                         "    WS_HERE;\n"
                                         "    const bool ws_outer = !ws_inside();\n"
                                         "    WS_RESOLVE(ws_next_Open, WS_ORIGINAL(\"P\", \"Open\"));\n"
                                         "    struct ws_stream *const ws_me = ws_enter();\n"
                                         "    ws_result = WS_NEXT(ws_next_Open)(mode);\n"
                                         "    WS_BACK;\n"
                                         "    if (ws_outer) ws_after_Open(ws_result, mode);\n"
                                         "    if (ws_me)\n"
                                         "        ws_leave(ws_me);\n"
                                         "    return ws_result;\n"
                                         "}\n");
    assert_non_null(strstr(wrapper("Close"), "    if (ws_outer) ws_before_Close();\n"
                                             "    ws_result = WS_NEXT(ws_next_Close)();\n"
                                             "    WS_BACK;\n"));
    assert_non_null(strstr(stripped, "WS_EXPORT int Close(void)\n"));
}

/* Calls that the runtime makes in it for itself are not the program's. */
static void test_a_guarded_function_is_wrapped(void **state)
{
    (void)state;
    assert_string_equal(wrapper("Guarded"),
                        "static __typeof__(&Guarded) ws_next_Guarded;\n"
                        "WS_EXPORT void Guarded(void)\n"
                        "{\n"
                        "    WS_HERE;\n"
                        "    WS_RESOLVE(ws_next_Guarded, WS_ORIGINAL(\"P\", \"Guarded\"));\n"
                        "    struct ws_stream *const ws_me = ws_enter();\n"
                        "    WS_NEXT(ws_next_Guarded)();\n"
                        "    WS_BACK;\n"
                        "    if (ws_me)\n"
                        "        ws_leave(ws_me);\n"
                        "    return;\n"
                        "}\n");
}

static void test_what_neither_names_is_not_wrapped(void **state)
{
    (void)state;
    assert_null(strstr(stripped, "Unnamed"));
}

static void test_optional_functions_are_wrapped_where_declared(void **state)
{
    (void)state;
    assert_non_null(
        strstr(stripped, "#if WS_HAVE_ALL || defined WS_HAVE_Waitall\nstatic __typeof__(&Waitall)"));
    assert_non_null(
        strstr(stripped, "WS_SECOND_NAME(Waitall, PWaitall)\nWS_FORTRAN_NAMES(waitall, WAITALL)\n#endif\n"));
    assert_null(strstr(stripped, "WS_HAVE_Wait\n"));
}

static void test_functions_that_return_nothing(void **state)
{
    const char *text = wrapper("Tick");

    (void)state;
    assert_null(strstr(text, "ws_result"));
    assert_non_null(strstr(text, "    if (1) {\n"));
    assert_non_null(strstr(text, "        return;\n"));
}

/* Every `#line N "wrappers.c"` stands where line N - 1 is. */
static void test_line_directives(void **state)
{
    int line = 1, own = 0, others = 0;

    (void)state;
    for (const char *text = generated; *text; line++) {
        int number;
        char file[256];
        if (sscanf(text, "#line %d \"%255[^\"]\"", &number, file) == 2) {
            if (strcmp(file, "wrappers.c") == 0) {
                assert_int_equal(number, line + 1);
                own++;
            } else {
                assert_non_null(strstr(file, "rules.xml"));
                others++;
            }
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    assert_int_equal(own, others);
    assert_true(own > 20);
}

static void test_a_large_count_twin_and_a_call_that_may_fail(void **state)
{
    struct ws_text out = {0};
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_error error;

    (void)state;
    small_load(&kb,
               "<traceRules>" SMALL_RUNTIME "<helper name=\"ws_short\"/>"
               "<function name=\"Ring\" large=\"Ring_c\"><argument type=\"const int *\" name=\"counts\" "
               "large=\"const Count *\"/><retVal type=\"int\"/></function>"
               "<function name=\"Iring\" like=\"Ring\" large=\"Iring_c\">"
               "<argument type=\"Request *\" name=\"request\"/></function>"
               "<functionPoint name=\"ring\" pattern=\"Ring\" start=\"Iring\"><event despite=\"ws_short()\">"
               "<param name=\"bytes\" format=\"bytes\" kind=\"out\"><source>counts[0]</source></param>"
               "<param name=\"request\" format=\"request\" kind=\"out\"><source>*request</source></param>"
               "</event></functionPoint></traceRules>");
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    assert_int_equal(schema.function_count, 4);
    assert_int_equal(schema.record_count, 2);
    assert_int_equal(ws_tracegen_wrappers(&kb, &schema, &out, &error), 0);
    free((char *)stripped);
    stripped = without_lines(out.bytes);
    assert_non_null(strstr(stripped, "#if WS_HAVE_ALL || defined WS_HAVE_Iring_c\n"));
    assert_non_null(
        strstr(wrapper("Iring_c"), "WS_EXPORT int Iring_c(const Count *counts, Request *request)\n"));
    assert_non_null(strstr(wrapper("Iring_c"), "/* ring_start */\n"));
    assert_non_null(strstr(wrapper("Ring"), "/* ring */\n"));
    assert_null(strstr(wrapper("Ring"), "request"));
    assert_non_null(strstr(wrapper("Ring"),
                           "    const bool ws_despite0 = !WS_SUCCEEDED(ws_result) && (ws_short());\n"
                           "    if (WS_SUCCEEDED(ws_result) || ws_despite0) {\n"));
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    ws_text_free(&out);
}

static void test_too_many_arrays_are_refused(void **state)
{
    struct ws_text xml = {0}, out = {0};
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_error error;

    (void)state;
    ws_text_puts(&xml, "<traceRules><function name=\"F\"><argument type=\"int *\" name=\"a\"/>"
                       "<argument type=\"int\" name=\"n\"/><retVal type=\"int\"/></function>"
                       "<functionPoint name=\"e\" pattern=\"F\"><event each=\"n\">");
    for (int i = 0; i < 14; i++)
        ws_text_printf(&xml, "<param name=\"p%d\" format=\"int\" kind=\"in\"><source>a[i]</source></param>",
                       i);
    ws_text_puts(&xml, "</event></functionPoint></traceRules>");
    small_load(&kb, ws_text_string(&xml));
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    assert_int_equal(ws_tracegen_wrappers(&kb, &schema, &out, &error), -1);
    assert_non_null(strstr(error.text, "the trace rules of F need more than 13 arrays"));
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    ws_text_free(&xml);
    ws_text_free(&out);
}

/* A runtime without a header and without second names: its functions are declared as the rules say, and the next
 * definition does the work.  What a call that runs the program's code calls itself is recorded too. */
static void test_a_runtime_without_header(void **state)
{
    struct ws_text out = {0};
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_error error;

    (void)state;
    small_load(&kb, "<traceRules><runtime title=\"Plain\" library=\"libplain.so*|libflat.so\" begin=\"Open\"/>"
                    "<function name=\"Poll\" callsBack=\"yes\" optional=\"yes\"><argument type=\"long\" name=\"most\"/>"
                    "<retVal type=\"size_t\"/></function>"
                    "<functionPoint name=\"poll\" pattern=\"Poll\"><event/></functionPoint></traceRules>");
    assert_string_equal(kb.about.title, "Plain");
    assert_string_equal(kb.about.process, "rank");
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    assert_int_equal(ws_tracegen_wrappers(&kb, &schema, &out, &error), 0);
    free((char *)stripped);
    stripped = without_lines(out.bytes);
    assert_non_null(strstr(stripped, "ws_runtime_libraries[] = {\"libplain.so*\", \"libflat.so\", NULL};\n"));
    assert_non_null(strstr(stripped, "WS_EXPORT size_t Poll(long most);\nstatic __typeof__(&Poll) ws_next_Poll;\n"));
    assert_non_null(strstr(stripped, "    WS_RESOLVE(ws_next_Poll, WS_ORIGINAL(\"\", \"Poll\"));\n"));
    assert_non_null(
        strstr(stripped, "    WS_COMPUTED;\n"
                         "    ws_begin = ws_clock_ns();\n"
                         "    const struct ws_outer ws_around = ws_me->outer;\n"
                         "    ws_me->outer = (struct ws_outer){ws_begin, ws_me->frame, ws_place, 0, 1, 0};\n"
                         "    ws_leave(ws_me);\n"
                         "    ws_result = WS_NEXT(ws_next_Poll)(most);\n"
                         "    WS_BACK;\n"
                         "    if (ws_enter() != ws_me) {\n"
                         "        return ws_result;\n"
                         "    }\n"
                         "    ws_begin = ws_me->outer.kinds ? ws_me->outer.since_ns : ws_begin;\n"
                         "    ws_me->outer = ws_around;\n"
                         "    ws_end = ws_clock_ns();\n"
                         "    if (WS_SUCCEEDED(ws_result)) {\n"));
    assert_null(strstr(stripped, "WS_SECOND_NAME(Poll"));
    assert_null(strstr(stripped, "WS_HAVE_Poll"));
    assert_null(strstr(stripped, "ws_me->result"));
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    ws_text_free(&out);
}

/* Many functions whose records are alike: one writes them, after the values were computed in each. */
static void test_many_functions_share_the_writing(void **state)
{
    struct ws_text out = {0}, xml = {0};
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_error error;
    size_t calls = 0;

    (void)state;
    ws_text_puts(&xml, "<traceRules><runtime title=\"Many\" library=\"libmany.so\" begin=\"Put1\"/>"
                       "<for each=\"i\" in=\"");
    for (int i = 1; i <= 64; i++)
        ws_text_printf(&xml, "%d ", i);
    ws_text_puts(&xml, "\"><function name=\"Put{i}\"><argument type=\"int\" name=\"to\"/><retVal type=\"void\"/></function>"
                       "</for><functionPoint name=\"put\" pattern=\"Put*\"><event>"
                       "<param name=\"peer\" format=\"rank\" kind=\"in\"><source>to</source></param>"
                       "<param name=\"comm\" format=\"int\" kind=\"out\"><source>1</source></param>"
                       "</event></functionPoint></traceRules>");
    small_load(&kb, ws_text_string(&xml));
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    assert_int_equal(ws_tracegen_wrappers(&kb, &schema, &out, &error), 0);
    assert_non_null(strstr(out.bytes, "/* put */\n"
                                      "static __attribute__((noinline)) void ws_write_0(struct ws_stream *ws_me, const "
                                      "int32_t ws_value_peer)\n"
                                      "{\n"
                                      "    unsigned char *ws_at;\n"));
    assert_non_null(strstr(out.bytes, "            const int32_t ws_value_peer = ws_in0_peer;\n"
                                      "            ws_write_0(ws_me, ws_value_peer);\n"));
    for (const char *at = out.bytes; (at = strstr(at, "ws_write_0(ws_me, ")); at++)
        calls++;
    assert_int_equal(calls, 64);
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    ws_text_free(&out);
    ws_text_free(&xml);
}

static int generate(void **state)
{
    static struct ws_text out;
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_error error;

    (void)state;
    small_load(&kb, small_xml);
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    assert_int_equal(ws_tracegen_wrappers(&kb, &schema, &out, &error), 0);
    generated = out.bytes;
    stripped = without_lines(out.bytes);
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    return 0;
}

static int release(void **state)
{
    (void)state;
    free((char *)generated);
    free((char *)stripped);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_blocking_call),
        cmocka_unit_test(test_a_call_that_completes_many),
        cmocka_unit_test(test_a_started_operation_is_remembered),
        cmocka_unit_test(test_a_status_that_the_program_ignores),
        cmocka_unit_test(test_hooks_wrap_what_no_rule_names),
        cmocka_unit_test(test_a_guarded_function_is_wrapped),
        cmocka_unit_test(test_what_neither_names_is_not_wrapped),
        cmocka_unit_test(test_optional_functions_are_wrapped_where_declared),
        cmocka_unit_test(test_functions_that_return_nothing),
        cmocka_unit_test(test_line_directives),
        cmocka_unit_test(test_too_many_arrays_are_refused),
        cmocka_unit_test(test_a_large_count_twin_and_a_call_that_may_fail),
        cmocka_unit_test(test_a_runtime_without_header),
        cmocka_unit_test(test_many_functions_share_the_writing),
    };
    return cmocka_run_group_tests(tests, generate, release);
}
