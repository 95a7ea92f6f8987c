/* The first line of a test program. */
#include "trial/trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 0.10 /* of the planted duration */

static int bad_line(const char *path, const char *why, struct ws_error *error)
{
    return ws_fail(
        error, WS_BAD_INPUT,
        "%s:1: %s; a test program begins with '// test: ranks=2 expect=late-sender duration=0.200 s' "
        "or '// test: ranks=2 expect=none planted=0.200 s'",
        path, why);
}

/* "0.200" followed by "s" in the next word or at once. */
static int read_seconds(const char *text, double *seconds)
{
    char *end;

    *seconds = strtod(text, &end);
    return end != text && (*end == '\0' || strcmp(end, "s") == 0) && isfinite(*seconds) && *seconds > 0 ? 0
                                                                                                        : -1;
}

static int read_word(const char *word, struct ws_planted *planted)
{
    const char *value = strchr(word, '=');
    char *end;

    if (strcmp(word, "s") == 0)
        return 0;
    if (!value)
        return -1;
    value++;
    if (strncmp(word, "ranks=", 6) == 0) {
        long ranks = strtol(value, &end, 10);
        planted->ranks = (int)ranks;
        return end != value && !*end && ranks > 0 && ranks <= 1024 ? 0 : -1;
    }
    if (strncmp(word, "expect=", 7) == 0) {
        if (!*value || strlen(value) >= sizeof planted->expect)
            return -1;
        strcpy(planted->expect, value);
        return 0;
    }
    if (strncmp(word, "duration=", 9) == 0 || strncmp(word, "planted=", 8) == 0)
        return read_seconds(value, &planted->planted_s);
    if (strncmp(word, "tolerance=", 10) == 0) {
        planted->tolerance = strtod(value, &end);
        return end != value && !*end && planted->tolerance > 0 && planted->tolerance < 1 ? 0 : -1;
    }
    return -1;
}

int ws_planted_read(const char *path, struct ws_planted *planted, struct ws_error *error)
{
    static const char begin[] = "// test:";
    char line[512], why[600], *rest = NULL;
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, sizeof line, file);

    if (file)
        fclose(file);
    if (!read)
        return ws_fail(error, WS_BAD_INPUT, "%s: cannot read: %s", path,
                       file ? "it is empty" : strerror(errno));
    if (strncmp(line, begin, sizeof begin - 1) != 0)
        return bad_line(path, "no test line", error);
    *planted = (struct ws_planted){.tolerance = TOLERANCE};
    for (char *word = strtok_r(line + sizeof begin - 1, " \t\r\n", &rest); word;
         word = strtok_r(NULL, " \t\r\n", &rest))
        if (read_word(word, planted) != 0) {
            snprintf(why, sizeof why, "'%s' is not understood", word);
            return bad_line(path, why, error);
        }
    if (!planted->ranks || !*planted->expect || planted->planted_s <= 0)
        return bad_line(path, "ranks, expect or the planted duration is missing", error);
    if (strcmp(planted->expect, "none") == 0)
        planted->expect[0] = '\0';
    return 0;
}
