#include "cmd/options.h"

#include "util/alloc.h"
#include "util/text.h"
#include "util/wrap.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 90
#define COLUMN 23 /* where the explanation of an option begins */

/* ---- messages ---- */

static bool silent;

void ws_messages_off(void)
{
    silent = true;
}

void ws_messages_on(void)
{
    silent = false;
}

void ws_message(const char *format, ...)
{
    va_list args;

    if (silent)
        return;
    fflush(stdout);
    fputs("whyslow: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

int ws_complain(const struct ws_error *error)
{
    ws_message("%s", error->text);
    return error->code;
}

int ws_usage_mistake(const struct ws_usage *usage, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ws_message("%s: %s\nTry 'whyslow %s --help'.", usage->name, text, usage->name);
    return WS_USAGE;
}

/* ---- --help ---- */

static void print_wrapped(const char *text, size_t column)
{
    struct ws_text wrapped = {0};

    ws_wrap(&wrapped, text, column, column, WIDTH);
    puts(ws_text_string(&wrapped));
    ws_text_free(&wrapped);
}

static void print_lines(const char *text, const char *before)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("%s%.*s\n", before, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_option(const struct ws_option *option)
{
    char left[128];
    int length;

    length = snprintf(left, sizeof left, "  %c%c%c --%s%s%s", option->letter ? '-' : ' ',
                      option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
                      option->value ? " " : "", option->value ? option->value : "");
    printf("%s", left);
    if (length < COLUMN)
        printf("%*s", COLUMN - length, "");
    else
        printf("\n%*s", COLUMN, "");
    print_wrapped(option->help, COLUMN);
}

void ws_usage_print(const struct ws_usage *usage)
{
    static const struct ws_option help = {.name = "help", .letter = 'h', .help = "this text"};
    char before[128];

    printf("whyslow %s - %s\n\nUsage:\n", usage->name, usage->line);
    snprintf(before, sizeof before, "  whyslow %s ", usage->name);
    print_lines(usage->synopsis, before);
    if (usage->about) {
        putchar('\n');
        print_wrapped(usage->about, 0);
    }
    puts("\nOptions:");
    for (size_t i = 0; i < usage->option_count; i++)
        print_option(&usage->options[i]);
    print_option(&help);
    if (usage->examples) {
        puts("\nExamples:");
        print_lines(usage->examples, "  ");
    }
}

/* ---- parsing ---- */

/* getopt's tables, made from ours.  getopt's code of row i is FIRST_CODE + i, letters are themselves. */
#define FIRST_CODE 256
#define HELP_CODE 255
struct tables {
    struct option *longs;
    char *shorts;
};

static void make_tables(const struct ws_usage *usage, struct tables *tables)
{
    struct ws_text shorts = {0};
    size_t n = usage->option_count;

    tables->longs = ws_alloc_array(n + 2, sizeof *tables->longs);
    ws_text_puts(&shorts, usage->command ? "+:h" : ":h");
    for (size_t i = 0; i < n; i++) {
        const struct ws_option *option = &usage->options[i];
        int has_value = option->kind == WS_OPTION_FLAG ? no_argument : required_argument;
        tables->longs[i] = (struct option){option->name, has_value, NULL, FIRST_CODE + (int)i};
        if (option->letter)
            ws_text_printf(&shorts, "%c%s", option->letter, has_value ? ":" : "");
    }
    tables->longs[n] = (struct option){"help", no_argument, NULL, HELP_CODE};
    tables->shorts = shorts.bytes;
}

static const struct ws_option *option_of(const struct ws_usage *usage, int code)
{
    if (code >= FIRST_CODE)
        return &usage->options[code - FIRST_CODE];
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].letter && usage->options[i].letter == code)
            return &usage->options[i];
    return NULL;
}

static int store_number(const struct ws_usage *usage, const struct ws_option *option, const char *text)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end || !isfinite(number) || number < 0)
        return ws_usage_mistake(usage, "--%s wants a number that is not negative, not '%s'", option->name,
                                text);
    if (option->kind == WS_OPTION_PERCENT && number > 100)
        return ws_usage_mistake(usage, "--%s wants at most 100 (percent), not '%s'", option->name, text);
    *(double *)option->into = number;
    return 0;
}

static int store_count(const struct ws_usage *usage, const struct ws_option *option, const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || number < 1 || number > 1024)
        return ws_usage_mistake(usage, "--%s wants a number from 1 to 1024, not '%s'", option->name, text);
    *(unsigned *)option->into = (unsigned)number;
    return 0;
}

static int store_whole(const struct ws_usage *usage, const struct ws_option *option, const char *text)
{
    enum { MOST = 100000000 };
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || number > MOST)
        return ws_usage_mistake(usage, "--%s wants a number from 0 to %d, not '%s'", option->name, MOST, text);
    *(size_t *)option->into = number;
    return 0;
}

static int store_folder(const struct ws_usage *usage, const struct ws_option *option, const char *text)
{
    const char *what = option->kind == WS_OPTION_FILE ? "file" : "folder";
    char name[32];

    if (option->letter)
        snprintf(name, sizeof name, "-%c", option->letter);
    else
        snprintf(name, sizeof name, "--%s", option->name);
    if (!*text)
        return ws_usage_mistake(usage, "%s wants a %s, not an empty name", name, what);
    if (*text == '-')
        return ws_usage_mistake(
            usage, "%s wants a %s, not '%s' (a name that begins with '-' is written ./-x)", name, what, text);
    *(const char **)option->into = text;
    return 0;
}

static int store(const struct ws_usage *usage, const struct ws_option *option, char *text)
{
    struct ws_list *list;

    switch (option->kind) {
    case WS_OPTION_FLAG:
        *(bool *)option->into = true;
        return 0;
    case WS_OPTION_TEXT:
        *(const char **)option->into = text;
        return 0;
    case WS_OPTION_FOLDER:
    case WS_OPTION_FILE:
        return store_folder(usage, option, text);
    case WS_OPTION_LIST:
        list = option->into;
        WS_PUSH(list->items, list->count, list->capacity) = text;
        return 0;
    case WS_OPTION_COUNT:
        return store_count(usage, option, text);
    case WS_OPTION_WHOLE:
        return store_whole(usage, option, text);
    case WS_OPTION_NUMBER:
    case WS_OPTION_PERCENT:
        return store_number(usage, option, text);
    }
    return 0;
}

/* getopt returned '?': an unknown or ambiguous option, or a value for a flag. */
static int unknown_option(const struct ws_usage *usage, const char *word)
{
    const char **names, *near;
    char bare[64];

    if (optopt >= HELP_CODE)
        return ws_usage_mistake(usage, "'%s': this option takes no value", word);
    if (optopt)
        return ws_usage_mistake(usage, "unknown option '-%c'", optopt);
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    names = ws_alloc_array(usage->option_count + 1, sizeof *names);
    for (size_t i = 0; i < usage->option_count; i++)
        names[i] = usage->options[i].name;
    names[usage->option_count] = "help";
    near = ws_suggest(bare, names, usage->option_count + 1);
    free(names);
    if (near)
        return ws_usage_mistake(usage, "unknown option '--%s'; did you mean --%s?", bare, near);
    return ws_usage_mistake(usage, "unknown option '--%s'", bare);
}

static int parse_all(const struct ws_usage *usage, int argc, char **argv, const struct tables *tables,
                     int *exit_code)
{
    int code;

    while ((code = getopt_long(argc, argv, tables->shorts, tables->longs, NULL)) != -1) {
        const struct ws_option *option;
        *exit_code = 0;
        if (code == 'h' || code == HELP_CODE) {
            ws_usage_print(usage);
            return -1;
        }
        if (code == '?') {
            *exit_code = unknown_option(usage, argv[optind - 1]);
            return -1;
        }
        if (code == ':') {
            option = option_of(usage, optopt);
            *exit_code = ws_usage_mistake(usage, "%s wants a value: %s", argv[optind - 1],
                                          option && option->value ? option->value : "VALUE");
            return -1;
        }
        option = option_of(usage, code);
        if (option && (*exit_code = store(usage, option, optarg)) != 0)
            return -1;
    }
    return optind;
}

int ws_options_parse(const struct ws_usage *usage, int argc, char **argv, int *exit_code)
{
    struct tables tables;
    int first;

    optind = 0; /* getopt's way to begin anew */
    opterr = 0;
    make_tables(usage, &tables);
    first = parse_all(usage, argc, argv, &tables, exit_code);
    free(tables.longs);
    free(tables.shorts);
    if (first < 0)
        return -1;
    if (argc - first < usage->least)
        *exit_code =
            ws_usage_mistake(usage, "missing: %s", usage->argument ? usage->argument : "an argument");
    else if (usage->most >= 0 && argc - first > usage->most)
        *exit_code = ws_usage_mistake(usage, "'%s' is one argument too many", argv[first + usage->most]);
    else
        return first;
    return -1;
}
