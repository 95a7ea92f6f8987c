/* The page of a trace, written and opened: what `report` and `run --open` have in common. */
#include "cmd/cmd.h"

#include "report/page.h"

#include <stdlib.h>

static void tell(const char *file)
{
    ws_message("wrote %s; open it in a browser", file);
}

int ws_cmd_page(const char *directory, const struct ws_kb *kb, const struct ws_page_choices *choices)
{
    struct ws_progress progress = ws_progress_begin("reading the trace");
    const struct ws_page_options options = {.engine = choices->engine,
                                            .threshold_percent = choices->threshold_percent,
                                            .before = choices->before,
                                            .further = choices->further,
                                            .noise_percent = choices->noise_percent,
                                            .no_source = choices->no_source,
                                            .events = choices->events,
                                            .progress = progress.show,
                                            .context = &progress};
    struct ws_text file = {0};
    struct ws_error error;
    int result;

    if (choices->file)
        ws_text_puts(&file, choices->file);
    else
        ws_text_printf(&file, "%s/report.html", directory);
    result = ws_page_write(directory, kb, &options, file.bytes, &error);
    ws_progress_end(&progress);
    if (result != 0)
        result = ws_complain(&error);
    else if (choices->open)
        ws_cmd_open(file.bytes);
    else if (!choices->quiet)
        tell(file.bytes);
    ws_text_free(&file);
    return result;
}
