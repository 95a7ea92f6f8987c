#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "small.h"
#include "trace/layout.h"
#include "tracegen/tracegen.h"

static const struct ws_record *record(const struct ws_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->record_count; i++)
        if (strcmp(schema->records[i].name, name) == 0)
            return &schema->records[i];
    return NULL;
}

static void test_types_are_the_simple_ones_in_order(void **state)
{
    struct ws_schema *schema = *state;

    assert_int_equal(schema->type_count, 3);
    assert_string_equal(schema->types[0].name, "send");
    assert_string_equal(schema->types[1].name, "note");
    assert_string_equal(schema->types[2].name, "tick");
    assert_int_equal(schema->types[0].param_count, 2);
    assert_string_equal(schema->types[0].params[0], "peer");
    assert_string_equal(schema->types[0].params[1], "comm");
    assert_int_equal(schema->types[0].param_types[0], WS_TYPE_INTEGER);
    assert_int_equal(schema->types[1].param_types[0], WS_TYPE_STRING);
    assert_int_equal(schema->types[1].param_types[1], WS_TYPE_BOOLEAN);
}

static void test_numbers_are_carried_over(void **state)
{
    const struct ws_schema *schema = *state;
    const struct ws_schema_number *number = schema->types[0].numbers;

    assert_int_equal(schema->types[0].number_count, 1);
    assert_string_equal(number->name, "n");
    assert_int_equal(number->by_count, 1);
    assert_string_equal(number->by[0], "peer");
    assert_null(number->of);
    assert_int_equal(schema->types[1].number_count, 0);
}

static void test_functions_are_those_that_rules_name(void **state)
{
    const struct ws_schema *schema = *state;
    static const char *const expected[] = {"Send", "Isend", "Wait", "Waitall", "Tick"};

    assert_int_equal(schema->function_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(schema->functions[i], expected[i]);
}

static void test_one_kind_of_record_for_each_role(void **state)
{
    const struct ws_schema *schema = *state;
    const struct ws_record *send = record(schema, "send"), *start = record(schema, "send_start");

    assert_int_equal(schema->record_count, 6);
    assert_non_null(send);
    assert_int_equal(send->role, WS_ROLE_PLAIN);
    assert_int_equal(send->type, 0);
    assert_int_equal(send->field_count, 2);
    assert_non_null(start);
    assert_int_equal(start->role, WS_ROLE_START);
    assert_int_equal(start->type, 0);
    assert_int_equal(start->field_count, 3);
    assert_int_equal(start->fields[2].format, WS_FORMAT_REQUEST);
}

static void test_two_functions_complete_by_one_record(void **state)
{
    const struct ws_schema *schema = *state;
    const struct ws_record *done = record(schema, "done");

    assert_non_null(done);
    assert_int_equal(done->role, WS_ROLE_COMPLETE);
    assert_int_equal(done->type, -1);
    assert_null(record(schema, "done_2"));
}

static void test_a_completion_has_a_twin_for_what_brings_nothing_new(void **state)
{
    const struct ws_schema *schema = *state;
    const struct ws_record *done = record(schema, "done"), *twin = record(schema, "done_as_started");

    assert_ptr_equal(twin, done + 1);
    assert_int_equal(twin->role, WS_ROLE_COMPLETE);
    assert_int_equal(twin->field_count, 1);
    assert_string_equal(twin->fields[0].name, "request");
}

static void test_a_source_that_is_a_number_is_constant(void **state)
{
    const struct ws_record *done = record(*state, "done"), *send = record(*state, "send");

    assert_false(done->fields[0].is_constant);
    assert_true(done->fields[1].is_constant && done->fields[2].is_constant);
    assert_int_equal(done->fields[2].constant, 0);
    assert_false(done->fields[3].is_constant);
    assert_false(send->fields[1].is_constant); /* a communicator's index is not */
}

static void test_final_is_found_in_the_completion(void **state)
{
    const struct ws_schema *schema = *state;
    const struct ws_record *start = record(schema, "send_start");

    assert_string_equal(start->fields[0].final_name, "source");
    assert_int_equal(start->fields[0].final, 1);
    assert_int_equal(start->fields[1].final, -1);
    assert_int_equal(record(schema, "send")->fields[0].final, -1);
}

static void test_it_outlives_the_knowledge_base(void **state)
{
    const struct ws_schema *schema = *state;
    struct ws_text metadata = {0};

    ws_schema_metadata(schema, &metadata);
    assert_non_null(strstr(ws_text_string(&metadata), "send_start"));
    ws_text_free(&metadata);
    assert_string_equal(schema->functions[0], "Send");
}

/* The other way round of test_one_kind_of_record: equal names, unequal fields. */
static void test_unequal_records_get_unequal_names(void **state)
{
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_error error;
    static const char xml[] =
        "<traceRules><function name=\"F\"><argument type=\"int *\" name=\"request\"/><retVal "
        "type=\"int\"/></function>"
        "<function name=\"G\"><argument type=\"int *\" name=\"request\"/><retVal type=\"int\"/></function>"
        "<functionPoint name=\"e\" pattern=\"F\"><event><param name=\"a\" format=\"int\" "
        "kind=\"out\"><source>1</source></param>"
        "</event></functionPoint>"
        "<functionPoint name=\"e\" pattern=\"G\"><event request=\"start\">"
        "<param name=\"a\" format=\"int\" kind=\"out\"><source>1</source></param>"
        "<param name=\"request\" format=\"request\" "
        "kind=\"out\"><source>*request</source></param></event></functionPoint>"
        "<functionPoint name=\"e_start\" pattern=\"F\"><event>"
        "<param name=\"b\" format=\"int\" "
        "kind=\"out\"><source>1</source></param></event></functionPoint></traceRules>";

    (void)state;
    small_load(&kb, xml);
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    assert_int_equal(schema.record_count, 3);
    assert_non_null(record(&schema, "e"));
    assert_non_null(record(&schema, "e_start"));
    assert_non_null(record(&schema, "e_start_2"));
    ws_schema_free(&schema);
    ws_kb_free(&kb);
}

/* The MPI knowledge base that we ship: the event types that the analysis rules build on. */
static void test_the_mpi_knowledge_base(void **state)
{
    static const char *const expected[] = {"send",        "recv",  "probe", "barrier",      "reduce",
                                           "broadcast",   "nxn",   "scan",  "communicator", "window",
                                           "window_free", "fence", "lock",  "unlock",       "flush",
                                           "rma",         "post",  "start", "complete",     "exposure_wait"};
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_text report = {0};
    struct ws_error error;

    (void)state;
    assert_int_equal(ws_kb_load(&kb, SOURCE_DIR "/kb/mpi", NULL, 0, &report, &error), 0);
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t found = 0;
        for (size_t j = 0; j < schema.type_count; j++)
            found += strcmp(schema.types[j].name, expected[i]) == 0;
        if (found != 1)
            fail_msg("event type '%s' is there %zu times", expected[i], found);
    }
    assert_true(schema.record_count <= WS_SHORT_MOST); /* all have short forms */
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    ws_text_free(&report);
}

static int load(void **state)
{
    static struct ws_schema schema;
    struct ws_kb kb = {0};
    struct ws_error error;

    small_load(&kb, small_xml);
    assert_int_equal(ws_schema_from_kb(&kb, &schema, &error), 0);
    ws_kb_free(&kb);
    *state = &schema;
    return 0;
}

static int unload(void **state)
{
    ws_schema_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_are_the_simple_ones_in_order),
        cmocka_unit_test(test_numbers_are_carried_over),
        cmocka_unit_test(test_functions_are_those_that_rules_name),
        cmocka_unit_test(test_one_kind_of_record_for_each_role),
        cmocka_unit_test(test_two_functions_complete_by_one_record),
        cmocka_unit_test(test_a_completion_has_a_twin_for_what_brings_nothing_new),
        cmocka_unit_test(test_a_source_that_is_a_number_is_constant),
        cmocka_unit_test(test_final_is_found_in_the_completion),
        cmocka_unit_test(test_it_outlives_the_knowledge_base),
        cmocka_unit_test(test_unequal_records_get_unequal_names),
        cmocka_unit_test(test_the_mpi_knowledge_base),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
