/* The options of a subcommand as a table: parsed by getopt_long, explained by --help.
 *
 *     const char *directory = "whyslow-out"; bool json = false;
 *     const struct ws_option options[] = {
 *         {"output", 'o', WS_OPTION_TEXT, &directory, "DIR", "where the trace goes (default: whyslow-out)"},
 *         {"json", 0, WS_OPTION_FLAG, &json, NULL, "write the report as JSON"},
 *     };
 *     const struct ws_usage usage = {
 *         .name = "diagnose", .line = "find the problems in a trace", .synopsis = "[options] DIR", ...
 *         .options = options, .option_count = sizeof options / sizeof *options, .most = 1,
 *     };
 *     int code, first = ws_options_parse(&usage, argc, argv, &code);
 *     if (first < 0)
 *         return code;
 *     argv[first] ... argv[argc - 1] are the arguments */
#ifndef WS_CMD_OPTIONS_H
#define WS_CMD_OPTIONS_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ws_list { /* of an option that may be repeated; items borrowed from argv, free(items) if you like */
    const char **items;
    size_t count, capacity;
};

enum ws_option_kind {
    WS_OPTION_FLAG,    /* bool */
    WS_OPTION_TEXT,    /* const char * */
    WS_OPTION_FOLDER,  /* const char *, the folder to write to: not empty, and no option come too early */
    WS_OPTION_FILE,    /* the same of a file to write */
    WS_OPTION_LIST,    /* struct ws_list: may be given several times */
    WS_OPTION_COUNT,   /* unsigned: a whole number from 1 to 1024 */
    WS_OPTION_WHOLE,   /* size_t: a whole number from 0 to 100000000 */
    WS_OPTION_NUMBER,  /* double, not negative, finite */
    WS_OPTION_PERCENT, /* the same, at most 100 */
};

struct ws_option {
    const char *name; /* "output": --output */
    char letter;      /* 'o': -o; 0 for none */
    enum ws_option_kind kind;
    void *into;        /* the variable of that kind; keeps its default where the option is not given */
    const char *value; /* name of the value in --help: "DIR"; NULL for a flag */
    const char *help;  /* wrapped by --help */
};

/* --help is always there and needs no row. */
struct ws_usage {
    const char *name;     /* "record", "kb check" */
    const char *line;     /* what it does, in one line */
    const char *synopsis; /* "[options] -- COMMAND..."; one line for each form */
    const char *about;    /* paragraphs, separated by an empty line; wrapped; may be NULL */
    const char *examples; /* as they are, each line indented; may be NULL */
    const struct ws_option *options;
    size_t option_count;
    int least, most;      /* number of arguments besides the options; most < 0: any number */
    const char *argument; /* what is missing where there are too few: "a trace folder" */
    bool command;         /* the first argument begins a command of its own: its options are not ours */
};

/* Fills the variables.  Returns the index in argv of the first argument (options are moved before it),
 * or -1 with *exit_code where --help was printed (0) or a mistake was told (2). */
int ws_options_parse(const struct ws_usage *usage, int argc, char **argv, int *exit_code);

/* The text of --help, to standard output. */
void ws_usage_print(const struct ws_usage *usage);

/* Tells a mistake in the use of a subcommand, points to --help, and returns WS_USAGE. */
int ws_usage_mistake(const struct ws_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "whyslow: ..." to standard error; nothing after ws_messages_off. */
void ws_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ws_messages_off(void);
void ws_messages_on(void);
/* Prints the error and returns its exit code. */
int ws_complain(const struct ws_error *error);

#endif
