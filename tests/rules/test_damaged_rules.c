/* Rule texts damaged at random, always the same way: the checker says something or nothing, and never fails
 * otherwise.  Worth running with -DWHYSLOW_SANITIZE=ON. */
#include "language.h"

#include "util/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUNDS 6000
#define DAMAGES_MOST 6

static const char text[] =
    "// every part of the language\n"
    "declare composite event pair\n"
    "member(send as s, shared recv as r, barrier as b)\n"
    "when s.n == r.n and r.n + 1 == b.n and overlaps(s, r) and (s.bytes > 10 or not s.synchronous)\n"
    "  and s.t - r.t > 20 ms and s.bytes % 3 != 1 and s.function != \"MPI_\\\"Send\\\"\"\n"
    "parameters(wait = clamp(s.t - r.t, 0, r.d), share = real(s.d) / 2.5e3, sender = s, at = s.site,\n"
    "    best = if(s.n > 3, min(s.t, r.t), -abs(r.t)), s = s.posted);\n"
    "declare composite event all_in /* a group */\n"
    "member(shared all barrier as b by b.comm, b.n where b.size > 1 expect b.size)\n"
    "when max(b.t) - min(b.t) > 1 ms\n"
    "parameters(last_t = max(b.t), last = at_max(b.t, b), roots = count(b where b.is_root), comm = b.comm);\n"
    "declare composite event outer\n"
    "member(pair as p, all_in as a) when p.begin == a.begin parameters(wait = p.wait, sender = p.sender);\n"
    "declare problem for outer when wait > 1 ms\n"
    "parameters(name = \"Outer\", advice = \"{sender.site} {{ {sum wait}\", duration = wait, waiting = "
    "sender);\n"
    "declare problem for all_in when b.t < last_t\n"
    "parameters(name = \"Late \" \"one\", description = \"Rank {b.process} waits.\",\n"
    "    advice = \"Move {cause.site} {b.size} {waiting.d} {cause.compute}\", duration = clamp(last_t - b.t, "
    "0, b.d),\n"
    "    from = b.t, waiting = b, cause = last);\n";

/* Bytes that do more harm than others. */
static const char harmful[] = "(){}\"\\;,.=<>+-*/%&|! \n\t_0eE9'#\xc3\xa9";

static uint64_t seed = 20120101;

static size_t random_below(size_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((seed >> 33) % limit);
}

/* The start of a word at or after the place, and its length. */
static size_t find_word(const char *bytes, size_t length, size_t at, size_t *start)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    *start = at + strcspn(bytes + at, letters);
    return *start < length ? strspn(bytes + *start, letters) : 0;
}

/* Puts `count` bytes in the place of `old` at `at`. */
static size_t replace(char *bytes, size_t length, size_t at, size_t old, const char *by, size_t count)
{
    memmove(bytes + at + count, bytes + at + old, length - at - old + 1);
    memcpy(bytes + at, by, count);
    return length - old + count;
}

static size_t damage(char *bytes, size_t length)
{
    size_t at = random_below(length), from, word, other, count;
    char copy[64];

    switch (random_below(6)) {
    case 0: /* a harmful byte for another */
        bytes[at] = harmful[random_below(sizeof harmful - 1)];
        return length;
    case 1: /* one more */
        return replace(bytes, length, at, 0, &harmful[random_below(sizeof harmful - 1)], 1);
    case 2: /* some bytes less */
        count = random_below(length - at < 20 ? length - at : 20);
        return replace(bytes, length, at, count, "", 0);
    case 3: /* a word for another */
    case 4: /* a word twice */
        word = find_word(bytes, length, at, &at);
        other = find_word(bytes, length, random_below(length), &from);
        count = other < sizeof copy ? other : sizeof copy;
        memcpy(copy, bytes + from, count);
        return replace(bytes, length, at, random_below(2) ? word : 0, copy, count);
    default: /* the end is missing */
        if (random_below(10) == 0) {
            bytes[at] = '\0';
            return at;
        }
        return length;
    }
}

static void nothing_crashes(void **state)
{
    size_t room = sizeof text + DAMAGES_MOST * 64 + 1, clean = 0;
    char *bytes = malloc(room);

    (void)state;
    assert_non_null(bytes);
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t length = sizeof text - 1, damages = random_below(DAMAGES_MOST + 1);
        struct language language;
        memcpy(bytes, text, sizeof text);
        for (size_t i = 0; i < damages && length > 0; i++)
            length = damage(bytes, length);
        language_init(&language);
        language_check(&language, NULL, bytes, length);
        clean += language.diagnostics.mistakes == 0;
        /* what has mistakes says so, once each */
        assert_int_equal(language.diagnostics.mistakes + language.diagnostics.warnings == 0,
                         language.report.length == 0);
        language_free(&language);
    }
    assert_in_range(clean, ROUNDS / 20, ROUNDS / 2); /* damage, but not always to the meaning */
    free(bytes);
}

/* Whatever the tokens, in whatever order. */
static void no_order_of_tokens_crashes(void **state)
{
    static const char *const tokens[] = {
        "declare", "composite", "event", "problem", "for",    "pair",     "member",  "(",          ")",
        "(",       ")",         "send",  "as",      "s",      ",",        ";",       "shared",     "all",
        "barrier", "by",        "b",     ".",       "n",      "where",    "expect",  "when",       "and",
        "or",      "not",       "-",     "5 ms",    "3",      "1.5",      "\"{s}\"", "parameters", "=",
        "==",      "max",       "count", "name",    "advice", "duration", "true",
    };
    struct ws_text bytes = {0};

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct language language;
        ws_text_clear(&bytes);
        ws_text_puts(&bytes,
                     random_below(2) ? "declare composite event pair member(" : "declare problem for pair ");
        for (size_t i = random_below(60); i > 0; i--)
            ws_text_printf(&bytes, "%s ", tokens[random_below(sizeof tokens / sizeof *tokens)]);
        language_init(&language);
        language_check(&language, NULL, bytes.bytes, bytes.length);
        assert_true(language.diagnostics.mistakes > 0);
        language_free(&language);
    }
    ws_text_free(&bytes);
}

static void the_text_itself_is_sound(void **state)
{
    struct language language;

    (void)state;
    language_init(&language);
    assert_string_equal(language_check(&language, NULL, text, sizeof text - 1), "");
    language_free(&language);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_itself_is_sound),
        cmocka_unit_test(nothing_crashes),
        cmocka_unit_test(no_order_of_tokens_crashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
