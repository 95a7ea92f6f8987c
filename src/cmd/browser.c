/* A file shown in the user's browser. */
#include "cmd/cmd.h"

#include "launch/process.h"
#include "util/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 3000 /* what has not failed by then shows the page */
#define MOST_WORDS 32

/* "file:///home/ann/whyslow-out/report.html" */
static bool make_url(const char *file, struct ws_text *url)
{
    char *path = realpath(file, NULL);

    if (!path)
        return false;
    ws_text_puts(url, "file://");
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        ws_text_printf(url, isalnum(*at) || strchr("/-_.~+", *at) ? "%c" : "%%%02X", *at);
    free(path);
    return true;
}

/* The command's words; the URL in place of %s, or behind. */
static void make_command(char *text, const char *url, char **words)
{
    size_t count = 0;
    bool placed = false;

    for (char *rest = text, *word; count < MOST_WORDS && (word = strtok_r(NULL, " ", &rest)) != NULL;
         count++) {
        bool here = strcmp(word, "%s") == 0;
        words[count] = here ? (char *)url : word;
        placed |= here;
    }
    if (!placed)
        words[count++] = (char *)url;
    words[count] = NULL;
}

static void become(char **words)
{
    int nothing = open("/dev/null", O_RDWR);

    setsid(); /* it outlives us, and Ctrl-C is not for it */
    for (int i = 0; i <= STDERR_FILENO && nothing >= 0; i++)
        dup2(nothing, i);
    execvp(words[0], words);
    _exit(127);
}

/* False where it ended at once with a failure. */
static bool start(char **words)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        become(words);
    for (int ms = 0; child > 0 && ms < PATIENCE_MS; ms += 20) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        usleep(20000);
    }
    return child > 0;
}

static bool try(const char *command, const char *url)
{
    char *text = ws_strdup(command), *words[MOST_WORDS + 2], path[PATH_MAX];
    bool shown;

    make_command(text, url, words);
    shown = words[0] != url && ws_process_find(words[0], path, sizeof path) && start(words);
    free(text);
    return shown;
}

/* $BROWSER may name several, as xdg-open knows it: firefox:"chromium --new-window %s". */
static bool try_all(const char *commands, const char *url)
{
    char *text = ws_strdup(commands);
    bool shown = false;

    for (char *rest = text, *command; !shown && (command = strtok_r(NULL, ":", &rest)) != NULL;)
        shown = try(command, url);
    free(text);
    return shown;
}

void ws_cmd_open(const char *file)
{
    const char *wanted = getenv("BROWSER");
    struct ws_text url = {0};

    if (make_url(file, &url) && ((wanted && try_all(wanted, url.bytes)) || try("xdg-open", url.bytes)))
        ws_message("opened %s", file);
    else
        ws_message("wrote %s; no browser could be started ($BROWSER, xdg-open): open it yourself", file);
    ws_text_free(&url);
}
