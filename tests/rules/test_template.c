/* Advice templates: how a text is split, and what its places name.  Mistakes in them: mistakes/templates.txt.
 */
#include "language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct language language;

/* The advice of a problem for a pair of send s and recv r, whose recv waits for the send. */
static const struct ws_template *advice_of(const char *advice)
{
    char *text = NULL;
    const struct ws_template *template;

    assert_true(
        asprintf(
            &text,
            "declare composite event pair member(send as s, recv as r) when s.n == r.n\n"
            "parameters(wait = s.t - r.t, sender = s, who = s.function, bytes = s.bytes, place = r.site);\n"
            "declare problem for pair parameters(name = \"x\", duration = wait, waiting = r, cause = "
            "sender,\n"
            "    advice = %s);\n",
            advice) > 0);
    assert_string_equal(language_check(&language, NULL, text, strlen(text)), "");
    free(text);
    template = language.scope.problems[0]->advice;
    for (size_t i = 0; i < template->count; i++)
        assert_true(!template->pieces[i].text != !template->pieces[i].expr);
    return template;
}

static int begin(void **state)
{
    (void)state;
    language_init(&language);
    return 0;
}

static int end(void **state)
{
    (void)state;
    language_free(&language);
    return 0;
}

static void plain_text_is_one_piece(void **state)
{
    const struct ws_template *template = advice_of("\"Post the receive earlier.\"");

    (void)state;
    assert_int_equal(template->count, 1);
    assert_string_equal(template->pieces[0].text, "Post the receive earlier.");
    assert_int_equal(template->pieces[0].attribute, -1);
    assert_string_equal(template->source, "Post the receive earlier.");
}

static void strings_side_by_side_are_one_text(void **state)
{
    const struct ws_template *template =
        advice_of("\"Post {wa\" // a comment\n   \"it} \\\"early\\\"\\n\" \"now\"");

    (void)state;
    assert_int_equal(template->count, 3);
    assert_string_equal(template->pieces[0].text, "Post ");
    assert_null(template->pieces[1].text);
    assert_string_equal(template->pieces[2].text, " \"early\"\nnow");
}

static void doubled_braces_are_braces(void **state)
{
    const struct ws_template *template = advice_of("\"{{a}} {{{wait}}}\"");

    (void)state;
    assert_int_equal(template->count, 3);
    assert_string_equal(template->pieces[0].text, "{a} {");
    assert_int_equal(template->pieces[1].expr->slot, 2);
    assert_string_equal(template->pieces[2].text, "}");
}

static void places_name_parameters_and_their_functions(void **state)
{
    const struct ws_template *template =
        advice_of("\"{wait}{sum wait}{mean bytes}{min wait}{ max  wait }{who}{place}{begin}\"");
    static const struct {
        enum ws_piece_function function;
        uint32_t slot;
        enum ws_type type;
    } wanted[] = {
        {WS_PIECE_RANGE, 2, WS_TYPE_TIME},   {WS_PIECE_SUM, 2, WS_TYPE_TIME},
        {WS_PIECE_MEAN, 5, WS_TYPE_INTEGER}, {WS_PIECE_MIN, 2, WS_TYPE_TIME},
        {WS_PIECE_MAX, 2, WS_TYPE_TIME},     {WS_PIECE_RANGE, 4, WS_TYPE_STRING},
        {WS_PIECE_RANGE, 6, WS_TYPE_SITE},   {WS_PIECE_RANGE, 0, WS_TYPE_TIME},
    };

    (void)state;
    assert_int_equal(template->count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < template->count; i++) {
        assert_int_equal(template->pieces[i].function, wanted[i].function);
        assert_int_equal(template->pieces[i].attribute, -1);
        assert_int_equal(template->pieces[i].expr->op, WS_OP_SLOT);
        assert_int_equal(template->pieces[i].expr->member, 0);
        assert_int_equal(template->pieces[i].expr->slot, wanted[i].slot);
        assert_int_equal(template->pieces[i].expr->type, wanted[i].type);
    }
}

static void places_name_attributes_of_events(void **state)
{
    const struct ws_template *template =
        advice_of("\"{s.process}{r.posted_site}{sender.function}{mean s.compute}{sender}{s.t}\"");
    static const int attributes[] = {WS_ATTR_PROCESS,
                                     WS_ATTR_POSTED_SITE,
                                     WS_ATTR_FUNCTION,
                                     WS_ATTR_COMPUTE,
                                     WS_ATTR_SITE /* an event alone: its call site */,
                                     WS_ATTR_T};

    (void)state;
    assert_int_equal(template->count, sizeof attributes / sizeof *attributes);
    for (size_t i = 0; i < template->count; i++) {
        assert_int_equal(template->pieces[i].attribute, attributes[i]);
        assert_int_equal(template->pieces[i].expr->type, WS_TYPE_EVENT);
        assert_int_equal(template->pieces[i].expr->op, WS_OP_SLOT); /* carried by the composite event */
    }
    assert_int_equal(template->pieces[0].expr->slot, 3); /* sender = s */
    assert_int_equal(template->pieces[2].expr->slot, 3);
}

static void waiting_and_cause_are_those_of_the_problem(void **state)
{
    const struct ws_template *template = advice_of("\"{waiting.process}{cause.posted_function}\"");
    const struct ws_problem_rule *problem = language.scope.problems[0];

    (void)state;
    assert_ptr_equal(template->pieces[0].expr, problem->waiting);
    assert_int_equal(template->pieces[0].attribute, WS_ATTR_PROCESS);
    assert_ptr_equal(template->pieces[1].expr, problem->cause);
    assert_int_equal(template->pieces[1].attribute, WS_ATTR_POSTED_FUNCTION);
}

/* A parameter may be called like one of the special names; then the name alone is the parameter. */
static void a_parameter_called_waiting(void **state)
{
    static const char text[] = "declare composite event lone member(send as s) parameters(waiting = s.d);\n"
                               "declare problem for lone parameters(name = \"x\", duration = waiting, advice "
                               "= \"{waiting}{waiting.site}\");\n";
    const struct ws_template *template;

    (void)state;
    assert_string_equal(language_check(&language, NULL, text, sizeof text - 1), "");
    template = language.scope.problems[0]->advice;
    assert_int_equal(template->pieces[0].expr->type, WS_TYPE_TIME);
    assert_int_equal(template->pieces[0].attribute, -1);
    assert_ptr_equal(template->pieces[1].expr, language.scope.problems[0]->waiting);
    assert_int_equal(template->pieces[1].attribute, WS_ATTR_SITE);
}

static void places_name_the_element_of_a_group(void **state)
{
    static const char text[] =
        "declare composite event all_in member(all barrier as b by b.comm, b.n expect b.size)\n"
        "parameters(last_t = max(b.t));\n"
        "declare problem for all_in parameters(name = \"x\", duration = last_t - b.t, waiting = b,\n"
        "    advice = \"{b.process}{b.size}{waiting.size}\");\n";
    const struct ws_template *template;

    (void)state;
    assert_string_equal(language_check(&language, NULL, text, sizeof text - 1), "");
    template = language.scope.problems[0]->advice;
    assert_int_equal(template->pieces[0].expr->op, WS_OP_MEMBER);
    assert_int_equal(template->pieces[0].expr->member, 1);
    assert_int_equal(template->pieces[0].attribute, WS_ATTR_PROCESS);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(template->pieces[i].expr->op, WS_OP_SLOT);
        assert_int_equal(template->pieces[i].expr->member, 1);
        assert_int_equal(template->pieces[i].expr->slot, WS_ATTR_COUNT + 1);
        assert_int_equal(template->pieces[i].attribute, -1);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(plain_text_is_one_piece),
        TEST(strings_side_by_side_are_one_text),
        TEST(doubled_braces_are_braces),
        TEST(places_name_parameters_and_their_functions),
        TEST(places_name_attributes_of_events),
        TEST(waiting_and_cause_are_those_of_the_problem),
        TEST(a_parameter_called_waiting),
        TEST(places_name_the_element_of_a_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
