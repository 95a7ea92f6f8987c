#include "rules/c_expression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MOST 64

bool ws_is_name(const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length > WS_NAME_MOST || isdigit((unsigned char)*text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

/* ---- names ---- */

static const char *const c_words[] = {
    "NULL",     "_Bool",    "bool",    "char",      "const",   "double",   "false", "float",
    "int",      "int16_t",  "int32_t", "int64_t",   "int8_t",  "intptr_t", "long",  "ptrdiff_t",
    "short",    "signed",   "size_t",  "sizeof",    "ssize_t", "struct",   "true",  "uint16_t",
    "uint32_t", "uint64_t", "uint8_t", "uintptr_t", "union",   "unsigned", "void",  "volatile",
};

static bool is_c_word(const char *name)
{
    for (size_t i = 0; i < sizeof c_words / sizeof *c_words; i++)
        if (strcmp(c_words[i], name) == 0)
            return true;
    return false;
}

/* MPI_COMM_WORLD, MPI_Aint, and macros of any runtime's header. */
static bool is_runtime_name(const char *name)
{
    if (strncmp(name, "MPI_", 4) == 0)
        return true;
    for (size_t i = 0; name[i]; i++)
        if (islower((unsigned char)name[i]))
            return false;
    return isupper((unsigned char)name[0]);
}

static bool has_argument(const struct ws_function *function, const char *name)
{
    for (size_t i = 0; i < function->argument_count; i++)
        if (strcmp(function->arguments[i].name, name) == 0)
            return true;
    return false;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    return false;
}

/* A type that a function's declaration names can be named in a source too. */
static bool names_type(const struct ws_function *function, const char *name)
{
    if (has_word(function->return_type, name))
        return true;
    for (size_t i = 0; i < function->argument_count; i++)
        if (has_word(function->arguments[i].type, name))
            return true;
    return false;
}

static bool is_helper(const struct ws_kb *kb, const char *name)
{
    for (size_t i = 0; i < kb->helper_count; i++)
        if (strcmp(kb->helpers[i], name) == 0)
            return true;
    return false;
}

/* The nearest helper or argument; NULL for none. */
static const char *nearest(const struct ws_c_context *context, const char *name)
{
    const struct ws_function *function = context->function_count ? context->functions[0] : NULL;
    size_t count = context->kb->helper_count, arguments = function ? function->argument_count : 0;
    const char **names = ws_alloc_array(count + arguments, sizeof *names);
    const char *near;

    for (size_t i = 0; i < count; i++)
        names[i] = context->kb->helpers[i];
    for (size_t i = 0; i < arguments; i++)
        names[count + i] = function->arguments[i].name;
    near = ws_suggest(name, names, count + arguments);
    free(names);
    return near;
}

/* ---- tokens ---- */

enum token_kind { END, NAME, NUMBER, STRING, SIGN };

struct token {
    enum token_kind kind;
    size_t begin, length;
};

struct scan {
    struct ws_diagnostics *diagnostics;
    const struct ws_c_context *context;
    const char *text;
    size_t at;
    size_t open[NESTING_MOST]; /* offsets of what is open */
    size_t depth;
    bool failed; /* something that makes further tokens meaningless was told */
};

static void tell(struct scan *scan, size_t offset, size_t length, const char *suggestion, const char *message)
{
    struct ws_pos pos = ws_xml_pos(scan->diagnostics, scan->context->place, offset);
    ws_mistake(scan->diagnostics, pos, length > 0 ? (int)length : 1, suggestion, "%s: %s",
               scan->context->what, message);
}

static size_t number_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '.' || text[n] == '_' ||
           (n > 0 && (text[n] == '+' || text[n] == '-') && strchr("eEpP", text[n - 1])))
        n++;
    return n;
}

/* The length of a string or character with its quotes; 0 where it does not end. */
static size_t string_length(const char *text)
{
    for (size_t n = 1; text[n] && text[n] != '\n'; n++) {
        if (text[n] == *text)
            return n + 1;
        if (text[n] == '\\' && text[n + 1])
            n++;
    }
    return 0;
}

static size_t sign_length(const char *text)
{
    static const char *const signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=", "|=", "^=", "//", "/*"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 1;
}

static struct token next_token(struct scan *scan)
{
    struct token token;
    const char *text;

    while (scan->text[scan->at] && strchr(" \t\r\n", scan->text[scan->at]))
        scan->at++;
    token.begin = scan->at;
    text = scan->text + scan->at;
    if (!*text) {
        token.kind = END;
        token.length = 0;
    } else if (isalpha((unsigned char)*text) || *text == '_') {
        token.kind = NAME;
        for (token.length = 1; isalnum((unsigned char)text[token.length]) || text[token.length] == '_';)
            token.length++;
    } else if (isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]))) {
        token.kind = NUMBER;
        token.length = number_length(text);
    } else if (*text == '"' || *text == '\'') {
        token.kind = STRING;
        token.length = string_length(text);
    } else {
        token.kind = SIGN;
        token.length = sign_length(text);
    }
    scan->at += token.length;
    return token;
}

/* ---- checks ---- */

static void check_name(struct scan *scan, struct token token)
{
    const struct ws_c_context *context = scan->context;
    char name[WS_NAME_MOST + 1], message[2 * WS_NAME_MOST + 200];
    const struct ws_function *without = NULL;
    size_t having = 0;

    if (token.length > WS_NAME_MOST) {
        tell(scan, token.begin, token.length, NULL, "a name that long is none");
        return;
    }
    memcpy(name, scan->text + token.begin, token.length);
    name[token.length] = '\0';
    if (is_helper(context->kb, name) || is_c_word(name) || (context->index && strcmp(name, "i") == 0))
        return;
    for (size_t i = 0; i < context->function_count; i++) {
        if (has_argument(context->functions[i], name))
            having++;
        else if (!without)
            without = context->functions[i];
    }
    if (!without || (having == 0 && (is_runtime_name(name) || names_type(without, name))))
        return;
    if (strcmp(name, "i") == 0 && having == 0)
        snprintf(message, sizeof message, "'i' counts the records of each=\"...\", which is not given");
    else if (having)
        snprintf(message, sizeof message, "'%s' is not an argument of %s, which the pattern matches too",
                 name, without->name);
    else
        snprintf(message, sizeof message, "'%s' is not an argument of %s, nor a declared helper", name,
                 without->name);
    tell(scan, token.begin, token.length, having ? NULL : nearest(context, name), message);
}

static void check_bracket(struct scan *scan, struct token token)
{
    char sign = scan->text[token.begin];

    if (sign == '(' || sign == '[') {
        if (scan->depth == NESTING_MOST) {
            tell(scan, token.begin, 1, NULL, "parentheses are nested too deep");
            scan->failed = true;
        } else {
            scan->open[scan->depth++] = token.begin;
        }
        return;
    }
    if (scan->depth > 0 && scan->text[scan->open[scan->depth - 1]] == (sign == ')' ? '(' : '[')) {
        scan->depth--;
        return;
    }
    tell(scan, token.begin, 1, NULL, sign == ')' ? "')' closes no '('" : "']' closes no '['");
    scan->failed = true;
}

static void check_sign(struct scan *scan, struct token token)
{
    const char *text = scan->text + token.begin;
    bool two = token.length > 1;

    if (!two && strchr("()[]", *text)) {
        check_bracket(scan, token);
    } else if (!two && strchr(";{}", *text)) {
        tell(scan, token.begin, 1, NULL, "an expression is wanted here, not statements");
        scan->failed = true;
    } else if (strncmp(text, "//", 2) == 0 || strncmp(text, "/*", 2) == 0) {
        tell(scan, token.begin, 2, NULL, "comments belong in the XML: <!-- -->");
        scan->failed = true;
    } else if (strncmp(text, "++", 2) == 0 || strncmp(text, "--", 2) == 0 || (!two && *text == '=') ||
               (two && text[token.length - 1] == '=' && !strchr("=!", *text) &&
                !(token.length == 2 && strchr("<>", *text)))) {
        tell(scan, token.begin, token.length, !two ? "==" : NULL,
             "this would change the program's data; it may only be read");
    } else if (!two && *text == ',' && scan->depth == 0) {
        tell(scan, token.begin, 1, NULL, "one value is wanted, not several");
    } else if (!two && !strchr("+-*/%&|^~!<>?:,.", *text)) {
        tell(scan, token.begin, 1, NULL, "no C expression has this character");
        scan->failed = true;
    }
}

void ws_c_expression_check(struct ws_diagnostics *diagnostics, const struct ws_c_context *context,
                           const char *text)
{
    struct scan scan = {.diagnostics = diagnostics, .context = context, .text = text};
    bool after_member = false; /* what follows '.' or '->' is a field's name */

    while (!scan.failed) {
        struct token token = next_token(&scan);
        if (token.kind == END)
            break;
        if (token.kind == NAME && !after_member)
            check_name(&scan, token);
        if (token.kind == STRING && token.length == 0) {
            tell(&scan, token.begin, 1, NULL, "this text has no closing quote");
            return;
        }
        if (token.kind == SIGN)
            check_sign(&scan, token);
        after_member = token.kind == SIGN && (strncmp(text + token.begin, "->", 2) == 0 ||
                                              (token.length == 1 && text[token.begin] == '.'));
    }
    if (!scan.failed && scan.depth > 0)
        tell(&scan, scan.open[scan.depth - 1], 1, NULL,
             text[scan.open[scan.depth - 1]] == '(' ? "'(' is not closed" : "'[' is not closed");
}
