#include "rules/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MOST 100
#define NUMBER_MOST 400 /* longer than the longest double written out */

static const struct {
    const char *name;
    uint64_t ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
#define UNIT_COUNT (sizeof units / sizeof *units)

/* What people write who know another language, and the token it stands for. */
static const struct {
    const char *text, *instead;
    enum ws_token_kind kind;
} foreign[] = {
    {"&&", "and", WS_TOKEN_NAME},      {"||", "or", WS_TOKEN_NAME},          {"<>", "!=", WS_TOKEN_UNEQUAL},
    {"=<", "<=", WS_TOKEN_LESS_EQUAL}, {"=>", ">=", WS_TOKEN_GREATER_EQUAL}, {"&", "and", WS_TOKEN_NAME},
    {"|", "or", WS_TOKEN_NAME},        {"!", "not", WS_TOKEN_NAME},
};

static const struct {
    const char *text;
    enum ws_token_kind kind;
} pairs[] = {
    {"==", WS_TOKEN_EQUAL},
    {"!=", WS_TOKEN_UNEQUAL},
    {"<=", WS_TOKEN_LESS_EQUAL},
    {">=", WS_TOKEN_GREATER_EQUAL},
};

/* ---- characters ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The character at at[ahead], 0 past the end. */
static char peek(const struct ws_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static bool starts_with(const struct ws_lexer *lexer, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, text, length) == 0;
}

/* One byte on; columns count characters. */
static void step(struct ws_lexer *lexer)
{
    if (*lexer->at == '\n') {
        lexer->line++;
        lexer->column = 1;
    } else if (!(peek(lexer, 1) && is_continuation(lexer->at[1]))) {
        lexer->column++;
    }
    lexer->at++;
}

static void skip(struct ws_lexer *lexer, size_t bytes)
{
    while (bytes-- > 0 && lexer->at < lexer->end)
        step(lexer);
}

static struct ws_pos here(const struct ws_lexer *lexer)
{
    return (struct ws_pos){lexer->file, lexer->line, lexer->column};
}

/* ---- between tokens ---- */

/* False, after reporting it at its beginning, for a comment that never ends. */
static bool skip_comment(struct ws_lexer *lexer)
{
    struct ws_pos pos = here(lexer);

    skip(lexer, 2);
    while (lexer->at < lexer->end && !starts_with(lexer, "*/"))
        step(lexer);
    if (lexer->at == lexer->end) {
        ws_mistake(lexer->diagnostics, pos, 2, NULL, "this comment never ends: '*/' is missing");
        return false;
    }
    skip(lexer, 2);
    return true;
}

static bool skip_blanks(struct ws_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (strchr(" \t\r\n\f", *lexer->at)) {
            step(lexer);
        } else if (starts_with(lexer, "//")) {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                step(lexer);
        } else if (starts_with(lexer, "/*")) {
            if (!skip_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

/* ---- names ---- */

static size_t word_length(const struct ws_lexer *lexer, size_t from)
{
    size_t length = 0;
    while (is_letter(peek(lexer, from + length)) || is_digit(peek(lexer, from + length)))
        length++;
    return length;
}

static void lex_name(struct ws_lexer *lexer, struct ws_token *token)
{
    size_t length = word_length(lexer, 0);

    token->kind = WS_TOKEN_NAME;
    token->length = length < NAME_MOST ? length : NAME_MOST;
    token->text = ws_arena_strndup(lexer->arena, lexer->at, token->length);
    if (length > NAME_MOST)
        ws_mistake(lexer->diagnostics, token->pos, (int)length, NULL,
                   "this name is longer than %d characters", NAME_MOST);
    skip(lexer, length);
}

/* ---- numbers ---- */

static void bad_number(struct ws_lexer *lexer, struct ws_token *token, size_t length, const char *why)
{
    ws_mistake(lexer->diagnostics, token->pos, (int)length, NULL, "%s", why);
    token->kind = WS_TOKEN_BAD;
}

/* number * unit in whole nanoseconds, from its digits, so that 0.1 s is exact. */
static const char *time_of(const char *digits, size_t length, uint64_t unit_ns, uint64_t *ns)
{
    bool fraction = false;

    *ns = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(digits[i] - '0');
        if (digits[i] == '.') {
            fraction = true;
            continue;
        }
        if (fraction && unit_ns == 1 && digit != 0)
            return "a time is a whole number of nanoseconds";
        if (fraction)
            unit_ns = unit_ns > 1 ? unit_ns / 10 : 1;
        else if (__builtin_mul_overflow(*ns, UINT64_C(10), ns))
            return "this time is out of range: the longest is about 292 years";
        if (__builtin_mul_overflow(digit, unit_ns, &digit) || __builtin_add_overflow(*ns, digit, ns) ||
            *ns > INT64_MAX)
            return "this time is out of range: the longest is about 292 years";
    }
    return NULL;
}

static const char *integer_of(const char *digits, size_t length, uint64_t *magnitude)
{
    *magnitude = 0;
    for (size_t i = 0; i < length; i++)
        if (__builtin_mul_overflow(*magnitude, UINT64_C(10), magnitude) ||
            __builtin_add_overflow(*magnitude, (uint64_t)(digits[i] - '0'), magnitude) ||
            *magnitude > (uint64_t)INT64_MAX + 1)
            return "this integer is out of range: the greatest is 9223372036854775807";
    return NULL;
}

static const char *real_of(const char *digits, size_t length, double *real)
{
    char copy[NUMBER_MOST + 1];

    if (length > NUMBER_MOST)
        return "this number has too many digits";
    memcpy(copy, digits, length);
    copy[length] = '\0';
    *real = strtod(copy, NULL);
    return isfinite(*real) ? NULL : "this real number is out of range";
}

/* Length of the digits, fraction and exponent at the place; *is_real where there is one of the latter. */
static size_t number_length(const struct ws_lexer *lexer, bool *is_real, bool *exponent)
{
    size_t n = 0, sign;

    *is_real = *exponent = false;
    while (is_digit(peek(lexer, n)))
        n++;
    if (peek(lexer, n) == '.' && is_digit(peek(lexer, n + 1))) {
        *is_real = true;
        for (n++; is_digit(peek(lexer, n));)
            n++;
    }
    sign = peek(lexer, n + 1) == '+' || peek(lexer, n + 1) == '-' ? 1 : 0;
    if ((peek(lexer, n) == 'e' || peek(lexer, n) == 'E') && is_digit(peek(lexer, n + 1 + sign))) {
        *is_real = *exponent = true;
        for (n += 1 + sign; is_digit(peek(lexer, n));)
            n++;
    }
    return n;
}

/* The unit written after a number of n bytes: its index, or UNIT_COUNT.  *length: bytes to it and with it;
 * a word that is no unit counts only where no blank parts it from the number. */
static size_t find_unit(const struct ws_lexer *lexer, size_t n, size_t *length)
{
    size_t start = n, word;

    while (peek(lexer, start) == ' ' || peek(lexer, start) == '\t')
        start++;
    word = word_length(lexer, start);
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strlen(units[i].name) == word && memcmp(lexer->at + start, units[i].name, word) == 0) {
            *length = start + word;
            return i;
        }
    *length = start == n ? n + word : n;
    return UNIT_COUNT;
}

static void lex_number(struct ws_lexer *lexer, struct ws_token *token)
{
    bool is_real, exponent;
    size_t length, n = number_length(lexer, &is_real, &exponent), unit = find_unit(lexer, n, &length);
    const char *digits = lexer->at, *wrong;

    if (unit == UNIT_COUNT && length > n) {
        bad_number(lexer, token, length, "a number is followed by nothing or by a unit: ns, us, ms or s");
    } else if (unit < UNIT_COUNT && exponent) {
        bad_number(lexer, token, length, "a time has no exponent: use a unit (ns, us, ms, s)");
    } else {
        token->kind = unit < UNIT_COUNT ? WS_TOKEN_TIME : is_real ? WS_TOKEN_REAL : WS_TOKEN_INTEGER;
        if (token->kind == WS_TOKEN_TIME)
            wrong = time_of(digits, n, units[unit].ns, &token->magnitude);
        else if (is_real)
            wrong = real_of(digits, n, &token->real);
        else
            wrong = integer_of(digits, n, &token->magnitude);
        if (wrong)
            bad_number(lexer, token, length, wrong);
    }
    skip(lexer, length);
}

/* ---- strings ---- */

/* The character that the escape at the place stands for; reports one that stands for nothing. */
static char unescape(struct ws_lexer *lexer)
{
    char c = peek(lexer, 1);

    if (c == 'n')
        return '\n';
    if (c != '"' && c != '\\')
        ws_mistake(lexer->diagnostics, here(lexer), 2, NULL,
                   "unknown escape in a string: there are \\\", \\\\ and \\n");
    return c;
}

static void lex_string(struct ws_lexer *lexer, struct ws_token *token)
{
    const char *close = lexer->at + 1;
    size_t room;
    char *text;

    while (close < lexer->end && *close != '\n' && *close != '"')
        close += *close == '\\' && close + 1 < lexer->end && close[1] != '\n' ? 2 : 1;
    if (close >= lexer->end || *close != '"') {
        ws_mistake(lexer->diagnostics, token->pos, 1, NULL,
                   "this string has no closing '\"' on its line (strings side by side are joined)");
        token->kind = WS_TOKEN_BAD;
        skip(lexer, (size_t)(close - lexer->at));
        return;
    }
    room = (size_t)(close - lexer->at);
    text = ws_arena_alloc(lexer->arena, room);
    token->spots = ws_arena_alloc(lexer->arena, room * sizeof *token->spots);
    for (skip(lexer, 1); lexer->at < close; token->length++) {
        bool escape = *lexer->at == '\\';
        token->spots[token->length] = (struct ws_spot){lexer->line, lexer->column};
        text[token->length] = escape ? unescape(lexer) : *lexer->at;
        skip(lexer, escape ? 2 : 1);
    }
    token->spots[token->length] = (struct ws_spot){lexer->line, lexer->column};
    token->kind = WS_TOKEN_STRING;
    token->text = text;
    skip(lexer, 1);
}

/* ---- operators ---- */

static void lex_foreign(struct ws_lexer *lexer, struct ws_token *token, size_t which)
{
    const char *text = foreign[which].text;

    ws_mistake(lexer->diagnostics, token->pos, (int)strlen(text), foreign[which].instead,
               "'%s' is not part of the language", text);
    token->kind = foreign[which].kind;
    token->text = foreign[which].instead;
    token->length = strlen(token->text);
    skip(lexer, strlen(text));
}

/* Bytes of a run of characters that mean nothing; what stands in single quotes is one. */
static size_t rubbish_length(const struct ws_lexer *lexer)
{
    size_t length = 1;

    if (*lexer->at == '\'') {
        while (peek(lexer, length) && !strchr("'\n", peek(lexer, length)))
            length++;
        return peek(lexer, length) == '\'' ? length + 1 : 1;
    }
    while (peek(lexer, length) &&
           ((unsigned char)peek(lexer, length) >= 0x80 || strchr("@#$^`~?[]{}\\:", peek(lexer, length))))
        length++;
    return length;
}

static void lex_rubbish(struct ws_lexer *lexer, struct ws_token *token)
{
    size_t length = rubbish_length(lexer);
    int shown = (int)(length < 40 ? length : 40);
    const char *start = lexer->at;

    skip(lexer, length);
    token->kind = WS_TOKEN_BAD;
    if (*start == '\'')
        ws_mistake(lexer->diagnostics, token->pos, lexer->column - token->pos.column, NULL,
                   "a string stands in double quotes");
    else
        ws_mistake(lexer->diagnostics, token->pos, lexer->column - token->pos.column, NULL,
                   "'%.*s' is not part of the language", shown, start);
}

static void lex_operator(struct ws_lexer *lexer, struct ws_token *token)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (starts_with(lexer, pairs[i].text)) {
            token->kind = pairs[i].kind;
            skip(lexer, 2);
            return;
        }
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (starts_with(lexer, foreign[i].text)) {
            lex_foreign(lexer, token, i);
            return;
        }
    if (strchr("(),;.=<>+-*/%", *lexer->at)) {
        token->kind = (enum ws_token_kind) * lexer->at;
        skip(lexer, 1);
    } else {
        lex_rubbish(lexer, token);
    }
}

/* ---- the lexer ---- */

void ws_lexer_init(struct ws_lexer *lexer, struct ws_arena *arena, struct ws_diagnostics *diagnostics,
                   const struct ws_source *source, const char *file)
{
    *lexer = (struct ws_lexer){.arena = arena,
                               .diagnostics = diagnostics,
                               .file = file,
                               .at = source->bytes,
                               .end = source->bytes + source->length,
                               .line = 1,
                               .column = 1};
    if (starts_with(lexer, "\xef\xbb\xbf")) /* a byte order mark */
        skip(lexer, 3);
}

struct ws_token ws_lexer_next(struct ws_lexer *lexer)
{
    struct ws_token token = {.kind = WS_TOKEN_END};
    bool complete = skip_blanks(lexer);

    token.pos = here(lexer);
    if (!complete)
        token.kind = WS_TOKEN_BAD;
    else if (lexer->at == lexer->end)
        token.kind = WS_TOKEN_END;
    else if (is_letter(*lexer->at))
        lex_name(lexer, &token);
    else if (is_digit(*lexer->at))
        lex_number(lexer, &token);
    else if (*lexer->at == '"')
        lex_string(lexer, &token);
    else
        lex_operator(lexer, &token);
    token.width = lexer->column - token.pos.column;
    return token;
}
