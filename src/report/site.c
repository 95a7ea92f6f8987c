#include "report/formats.h"

#include "util/text.h"

#include <inttypes.h>
#include <string.h>

void ws_report_site(struct ws_text *out, const struct ws_place *place, const char *folder)
{
    size_t prefix = strlen(folder);
    const char *file = place->file;

    if (prefix && strncmp(file, folder, prefix) == 0)
        file += prefix;
    ws_text_puts(out, place->called[0] ? place->called : "a call");
    if (place->function[0])
        ws_text_printf(out, " in %s%s", place->function, strchr(place->function, '(') ? "" : "()");
    if (file[0] && place->line > 0)
        ws_text_printf(out, " at %s:%d", file, place->line);
    else if (file[0])
        ws_text_printf(out, " in %s", file);
    else if (place->module[0])
        ws_text_printf(out, " at %s+0x%" PRIx64, ws_base_name(place->module), place->offset);
    else if (!place->function[0])
        ws_text_puts(out, " at an unknown place");
}
