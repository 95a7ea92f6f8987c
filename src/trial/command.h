/* A step of a trial: a command in a process group of its own, ended when it takes too long. */
#ifndef WS_TRIAL_COMMAND_H
#define WS_TRIAL_COMMAND_H

#include <stddef.h>

#define WS_STEP_SECONDS_MOST 180

struct ws_command_words { /* a zeroed struct is empty; free(items) */
    const char **items;   /* borrowed words */
    size_t count, capacity;
};
void ws_words_add(struct ws_command_words *words, const char *word);

/* What a command comes to that gives no exit code. */
enum { WS_TOO_SLOW = -1, WS_NOT_STARTED = -2 };
/* Runs the words without input, output and errors into these files.  Its exit code, 128 + signal, or one of
 * the above; WS_TOO_SLOW also after an interrupt. */
int ws_words_run(struct ws_command_words *words, const char *output, const char *errors);

/* From here on SIGINT and SIGTERM end the step that runs (ws_trial_interrupted). */
void ws_catch_interrupts(void);

#endif
