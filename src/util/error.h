/* Errors: a function returns 0, or -1 after filling a struct ws_error; the command prints it once. */
#ifndef WS_UTIL_ERROR_H
#define WS_UTIL_ERROR_H

/* The exit codes of the command line; a library function carries the one that fits its error. */
enum ws_code {
    WS_DONE = 0,
    WS_FOUND = 1,       /* a problem was found where asked to fail on it */
    WS_USAGE = 2,       /* the command's words are off */
    WS_BAD_INPUT = 3,   /* a trace, rule file or program is not what it should be */
    WS_ENVIRONMENT = 4, /* something the machine lacks: compiler, MPI, memory, disk */
};

struct ws_error {
    enum ws_code code;
    char text[2048]; /* cause and cure, without a trailing newline */
};

/* Fills *error (which may be NULL) and returns -1, so that callers write `return ws_fail(...)`. */
int ws_fail(struct ws_error *error, enum ws_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
