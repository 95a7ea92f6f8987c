/* The source line of a call site.  The path comes out of the traced program's debug information, so
 * nothing is believed of it: it may name a device, a pipe or a file without end. */
#include "report/formats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((off_t)64 << 20)
#define LONGEST_LINE 1024

static FILE *open_regular(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    FILE *file;

    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) {
        close(descriptor);
        return NULL;
    }
    file = fdopen(descriptor, "r");
    if (!file)
        close(descriptor);
    return file;
}

/* Leaves the file at the beginning of the line; false where there is none. */
static bool skip_to(FILE *file, int line)
{
    int character;

    while (line > 1 && (character = getc_unlocked(file)) != EOF)
        line -= character == '\n';
    return line == 1;
}

char *ws_source_line(const char *path, int line)
{
    char buffer[LONGEST_LINE], *begin = buffer, *end;
    FILE *file;
    bool found;

    if (line <= 0 || !path[0])
        return NULL;
    file = open_regular(path);
    if (!file)
        return NULL;
    found = skip_to(file, line) && fgets(buffer, sizeof buffer, file) != NULL;
    fclose(file);
    if (!found)
        return NULL;
    begin += strspn(begin, " \t");
    end = begin + strlen(begin);
    while (end > begin && strchr(" \t\r\n", end[-1]))
        end--;
    *end = '\0';
    return *begin ? ws_strdup(begin) : NULL;
}
