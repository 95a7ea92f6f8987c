#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>

int ws_fail(struct ws_error *error, enum ws_code code, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        error->code = code;
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return -1;
}
