#include "report/sheet.h"

#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 96 /* where the output is no terminal */
#define LEAST_WIDTH 80
#define MOST_WIDTH 100

static char *current_folder(void)
{
    struct ws_text folder = {0};
    char *path = getcwd(NULL, 0);

    if (path && path[0] == '/' && path[1])
        ws_text_printf(&folder, "%s/", path);
    free(path);
    return folder.bytes ? folder.bytes : ws_strdup("");
}

struct ws_sheet ws_sheet_open(FILE *out)
{
    struct ws_sheet sheet = {out, WIDTH, "", "", "rank", current_folder()};
    const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    struct winsize size = {0};

    if (!isatty(fileno(out)))
        return sheet;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col) {
        sheet.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
        sheet.width = sheet.width > MOST_WIDTH ? MOST_WIDTH : sheet.width;
    }
    if (terminal && strcmp(terminal, "dumb") != 0 && !(no_colour && no_colour[0])) {
        sheet.strong = "\033[1m";
        sheet.plain = "\033[0m";
    }
    return sheet;
}

void ws_sheet_indent(const struct ws_sheet *sheet, size_t columns)
{
    fprintf(sheet->out, "%*s", (int)columns, "");
}

void ws_sheet_wrapped(const struct ws_sheet *sheet, const char *text, size_t left, size_t column)
{
    char *safe = ws_utf8_copy(text, true);
    struct ws_text wrapped = {0};

    ws_wrap(&wrapped, safe, left, column, sheet->width);
    fprintf(sheet->out, "%s\n", ws_text_string(&wrapped));
    ws_text_free(&wrapped);
    free(safe);
}

void ws_sheet_line(const struct ws_sheet *sheet, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = ws_strdup("");
    va_end(args);
    ws_sheet_wrapped(sheet, text, 0, 0);
    free(text);
}

void ws_sheet_labelled(const struct ws_sheet *sheet, size_t left, const char *label, const char *text)
{
    ws_sheet_indent(sheet, left);
    fprintf(sheet->out, "%s%s%s%*s", sheet->strong, label, sheet->plain,
            (int)(WS_SHEET_LABEL - ws_utf8_columns(label, strlen(label))), "");
    ws_sheet_wrapped(sheet, text, left + WS_SHEET_LABEL, left + WS_SHEET_LABEL);
}

void ws_sheet_paragraph(const struct ws_sheet *sheet, size_t left, const char *label, const char *text)
{
    if (!text || !text[0])
        return;
    ws_sheet_indent(sheet, left);
    fprintf(sheet->out, "%s%s:%s ", sheet->strong, label, sheet->plain);
    ws_sheet_wrapped(sheet, text, left, left + strlen(label) + 2);
}

void ws_sheet_close(struct ws_sheet *sheet)
{
    free(sheet->folder);
}
