#include "cmd/cmd.h"

#include "report/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options that need a closer look. */
struct choices {
    struct ws_list by, kinds, extra;
    struct ws_exchange_options options;
    struct ws_exchange_view view;
    bool json, csv, bytes;
};

/* The place of a word among others; told where it is none. */
static int find_word(const struct ws_usage *usage, const char *option, const char *word,
                     const char *const *words, size_t count)
{
    struct ws_text list = {0};
    const char *near;

    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    for (size_t i = 0; i < count; i++)
        ws_text_printf(&list, "%s%s", i ? ", " : "", words[i]);
    near = ws_suggest(word, words, count);
    if (near)
        ws_usage_mistake(usage, "--%s %s: did you mean %s?", option, word, near);
    else
        ws_usage_mistake(usage, "--%s %s: it is one of %s", option, word, list.bytes);
    ws_text_free(&list);
    return -1;
}

/* Calls `take` with each word of "put,get"; -1 after a mistake. */
static int each_word(const struct ws_usage *usage, const char *option, const struct ws_list *given,
                     const char *const *words, size_t count, void (*take)(struct choices *, int),
                     struct choices *choices)
{
    for (size_t i = 0; i < given->count; i++) {
        char *copy = ws_strdup(given->items[i]), *rest = copy, *word;
        int found = 0;
        while (found >= 0 && (word = strsep(&rest, ","))) {
            found = find_word(usage, option, word, words, count);
            if (found >= 0)
                take(choices, found);
        }
        free(copy);
        if (found < 0)
            return -1;
    }
    return 0;
}

static void take_by(struct choices *choices, int by)
{
    choices->view.by[by] = true;
}

static void take_kind(struct choices *choices, int kind)
{
    choices->options.kinds |= 1u << kind;
}

static int check(const struct ws_usage *usage, struct choices *choices)
{
    size_t tables = 0;

    if (each_word(usage, "by", &choices->by, ws_exchange_by_names, WS_BY_COUNT, take_by, choices) != 0 ||
        each_word(usage, "kind", &choices->kinds, ws_transfer_kinds, WS_TRANSFER_KINDS, take_kind, choices) !=
            0)
        return WS_USAGE;
    for (size_t i = 0; i < WS_BY_COUNT; i++)
        tables += choices->view.by[i];
    if (choices->json && choices->csv)
        return ws_usage_mistake(usage, "--json and --csv: choose one");
    if (choices->csv && tables > 1)
        return ws_usage_mistake(usage, "--csv writes one table: give --by once");
    if (choices->bytes && choices->view.messages)
        return ws_usage_mistake(usage, "--bytes and --messages: choose one");
    return 0;
}

static int print(const struct ws_named_trace *trace, const struct ws_kb *kb, void *context)
{
    struct choices *choices = context;
    struct ws_progress progress = ws_progress_begin("reading the trace");
    struct ws_exchange exchange;
    struct ws_error error = {0};
    int result;

    choices->options.progress = progress.show;
    choices->options.context = &progress;
    result = ws_exchange_read(trace->directory, kb, &choices->options, &exchange, &error);
    ws_progress_end(&progress);
    if (result != 0)
        return ws_complain(&error);
    result = ws_exchange_write(&exchange, &choices->view,
                               choices->json  ? "json"
                               : choices->csv ? "csv"
                                              : "text",
                               stdout, &error);
    ws_exchange_free(&exchange);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

static int exchange(const struct ws_usage *usage, const char *directory, struct choices *choices)
{
    int code = check(usage, choices);

    return code == 0 ? ws_cmd_with_trace(directory, &choices->extra, print, choices) : code;
}

int ws_cmd_exchange(int argc, char **argv)
{
    struct choices choices = {.view.top = 10};
    const struct ws_option options[] = {
        {"by", 0, WS_OPTION_LIST, &choices.by, "WHAT",
         "show tables instead of the overview: kind, function, type, site, size, time, phase, node, place "
         "(what each "
         "received) or pair; several with commas"},
        {"kind", 0, WS_OPTION_LIST, &choices.kinds, "KIND",
         "count only this kind: message, put, get, atomic or collective; several with commas"},
        {"function", 0, WS_OPTION_TEXT, &choices.options.function, "NAME",
         "count only what this function moved"},
        {"phase", 0, WS_OPTION_TEXT, &choices.options.phase, "NAME",
         "count only what was moved in phases of this name (whyslow.h, MPI_Pcontrol)"},
        {"messages", 0, WS_OPTION_FLAG, &choices.view.messages, NULL,
         "show and rank by numbers of messages instead of bytes"},
        {"bytes", 0, WS_OPTION_FLAG, &choices.bytes, NULL, "show and rank by bytes, as without it"},
        {"top", 0, WS_OPTION_COUNT, &choices.view.top, "N", "lines of a table that is ranked (default: 10)"},
        {"slots", 0, WS_OPTION_COUNT, &choices.options.slots, "N",
         "divide the run into so many slots of time (default: 20)"},
        {"json", 0, WS_OPTION_FLAG, &choices.json, NULL, "write everything as JSON, for programs"},
        {"csv", 0, WS_OPTION_FLAG, &choices.csv, NULL,
         "write a table for spreadsheets: with --by that one, else a line for each pair, kind, function, "
         "type, call "
         "site and size"},
        WS_KB_OPTION(&choices.extra),
    };
    const struct ws_usage usage = {
        .name = "exchange",
        .line = "show who sent how much to whom in a recorded run",
        .synopsis = "[options] DIR",
        .about =
            "Reads the trace that 'whyslow record' or 'whyslow run' wrote into DIR, and adds up what its "
            "calls "
            "moved from process to process: messages, one-sided puts, gets and atomic operations, and "
            "collective operations as if each member spoke to each directly. A message is counted once, by "
            "who "
            "sends it.\n\n"
            "The overview has the matrix (rows give, columns get), what each process received, the heaviest "
            "pairs, and what the recording cost and left out. Of many processes the matrix has a sign for "
            "each "
            "pair, or for several.",
        .examples = "whyslow exchange whyslow-out\n"
                    "whyslow exchange --by function,site,size whyslow-out\n"
                    "whyslow exchange --kind put,get --by pair --top 50 whyslow-out\n"
                    "whyslow exchange --by time --slots 100 --csv whyslow-out > time.csv",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = exchange(&usage, argv[first], &choices);
    free(choices.by.items);
    free(choices.kinds.items);
    free(choices.extra.items);
    return code;
}
