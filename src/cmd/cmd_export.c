#include "cmd/cmd.h"

#include "export/export.h"
#include "util/file.h"

#include <stdlib.h>
#include <string.h>

struct choices {
    const char *format, *output;
    bool replace;
    struct ws_list kb;
};

/* The folder's name without the path, with what the format adds. */
static const char *default_output(struct ws_text *text, const char *directory,
                                  const struct ws_export_format *format)
{
    size_t length = strlen(directory);

    while (length > 1 && directory[length - 1] == '/')
        length--;
    ws_text_add(text, directory, length);
    if (strcmp(ws_base_name(text->bytes), ".") == 0 || strcmp(ws_base_name(text->bytes), "..") == 0 ||
        strcmp(text->bytes, "/") == 0) {
        ws_text_clear(text);
        ws_text_puts(text, "trace");
    } else {
        char *base = ws_strdup(ws_base_name(text->bytes));
        ws_text_clear(text);
        ws_text_puts(text, base);
        free(base);
    }
    ws_text_puts(text, format->suffix);
    return text->bytes;
}

struct target {
    const char *given; /* the trace, as named */
    const struct choices *choices;
    const struct ws_export_format *format;
};

static int export_to(const struct ws_named_trace *trace, const struct ws_kb *kb, void *context)
{
    const struct target *target = context;
    const struct choices *choices = target->choices;
    struct ws_progress progress = ws_progress_begin("writing");
    struct ws_text name = {0}, warning = {0};
    struct ws_export_options options = {
        .format = target->format,
        .output = choices->output ? choices->output : default_output(&name, target->given, target->format),
        .replace = choices->replace,
        .progress = progress.show,
        .context = &progress,
    };
    struct ws_error error = {0};
    int result = ws_export(trace->directory, kb, &options, &warning, &error);

    ws_progress_end(&progress);
    if (result == 0 && warning.length)
        ws_message("%s", warning.bytes);
    if (result == 0 && !choices->output)
        ws_message("wrote %s", options.output);
    ws_text_free(&name);
    ws_text_free(&warning);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

static int export(const struct ws_usage *usage, const char *directory, const struct choices *choices)
{
    const struct ws_export_format *format;
    struct ws_error error;

    if (!choices->format)
        return ws_usage_mistake(usage, "to which format? Say --to FORMAT");
    if (choices->output && (!*choices->output || (*choices->output == '-' && choices->output[1])))
        return ws_usage_mistake(usage, "-o wants the name of a file, not '%s'%s", choices->output,
                                *choices->output ? " (a name that begins with '-' is written ./-x)" : "");
    format = ws_export_find(choices->format, &error);
    if (!format)
        return ws_usage_mistake(usage, "%s", error.text);
    return ws_cmd_with_trace(directory, &choices->kb, export_to, &(struct target){directory, choices, format});
}

/* The formats, a line each. */
static void describe_formats(struct ws_text *text)
{
    const struct ws_export_format *format;

    ws_text_puts(text, "Writes a trace for other tools. The formats:\n\n");
    for (size_t i = 0; (format = ws_export_nth(i)); i++)
        ws_text_printf(text, "%s: %s (DIR%s).\n\n", format->name, format->line, format->suffix);
    ws_text_puts(text, "Times of waiting are shown in all of them but csv. Whatever reads Common Trace "
                       "Format (babeltrace2, "
                       "Trace Compass) opens the trace's folder DIR/ctf as it is.");
}

int ws_cmd_export(int argc, char **argv)
{
    struct choices choices = {0};
    struct ws_text about = {0};
    const struct ws_option options[] = {
        {"to", 0, WS_OPTION_TEXT, &choices.format, "FORMAT", "the format, one of those above"},
        {"output", 'o', WS_OPTION_TEXT, &choices.output, "FILE",
         "what to write; '-' is standard output, for chrome, csv and perfetto (default: DIR's name with what "
         "the format adds, "
         "in this folder)"},
        {"force", 0, WS_OPTION_FLAG, &choices.replace, NULL, "replace a file of that name"},
        WS_KB_OPTION(&choices.kb),
    };
    struct ws_usage usage = {
        .name = "export",
        .line = "write a trace for other tools: Perfetto, Paraver, Vampir, pandas",
        .synopsis = "--to FORMAT [-o FILE] DIR\n--to FORMAT [-o FILE] TRACE.otf2",
        .examples = "whyslow export --to perfetto whyslow-out\n"
                    "whyslow export --to csv -o - whyslow-out | head",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first;

    describe_formats(&about);
    usage.about = about.bytes;
    first = ws_options_parse(&usage, argc, argv, &code);
    if (first >= 0)
        code = export(&usage, argv[first], &choices);
    free(choices.kb.items);
    ws_text_free(&about);
    return code;
}
