#include "trace/warnings.h"

#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LONGEST_LIST 200

void ws_warn(struct ws_warnings *warnings, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (warnings->count > WS_MOST_WARNINGS)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (warnings->count == WS_MOST_WARNINGS)
        snprintf(text, sizeof text, "there is more of the kind");
    WS_PUSH(warnings->list, warnings->count, warnings->capacity) = ws_arena_strdup(&warnings->arena, text);
}

void ws_warnings_free(struct ws_warnings *warnings)
{
    free(warnings->list);
    ws_arena_free(&warnings->arena);
    *warnings = (struct ws_warnings){0};
}

const char *ws_rank_list(struct ws_arena *arena, const char *process, uint32_t count,
                         int (*is)(const void *context, uint32_t rank), const void *context)
{
    struct ws_text text = {0};
    uint32_t found = 0, last;
    const char *list = NULL;

    for (uint32_t first = 0; first < count; first = last + 1) {
        last = first;
        if (!is(context, first))
            continue;
        while (last + 1 < count && is(context, last + 1))
            last++;
        found += last - first + 1;
        if (text.length > LONGEST_LIST)
            continue;
        ws_text_puts(&text, text.length ? ", " : "");
        if (text.length > LONGEST_LIST)
            ws_text_puts(&text, "...");
        else
            ws_text_printf(&text, last > first ? "%u-%u" : "%u", first, last);
    }
    if (found)
        list = ws_arena_printf(arena, "%s%s %s", process, found == 1 ? "" : "s", ws_text_string(&text));
    ws_text_free(&text);
    return list;
}
