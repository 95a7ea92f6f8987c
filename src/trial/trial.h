/* Trying a problem type on programs in which the problem was planted, or was not. */
#ifndef WS_TRIAL_TRIAL_H
#define WS_TRIAL_TRIAL_H

#include "rules/kb.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The first line of a test program:
 *     // test: ranks=2 expect=late-sender duration=0.200 s [tolerance=0.10]
 *     // test: ranks=4 expect=none planted=0.200 s                                  */
struct ws_planted {
    int ranks;
    char expect[128]; /* problem id; "" for none */
    double planted_s;
    double tolerance; /* share of planted_s by which the found duration may differ */
};
/* Reads it from a source file.  Fails with WS_BAD_INPUT, saying what such a line looks like. */
int ws_planted_read(const char *path, struct ws_planted *planted, struct ws_error *error);

/* What to try them with: the compiler and the launcher of an MPI or another runtime, found in PATH. */
struct ws_trial_platform {
    const char *id, *compiler;
    const char *launcher; /* NULL: the programs start by themselves, as many processes as `count` says */
    const char *count;    /* an environment variable; NULL */
    const char *link;     /* words for the compiler, separated by spaces; NULL */
    bool simulated;       /* the launcher (SimGrid's) wants a platform */
};
/* Fills `found` with the MPIs at hand but those that simulate, where programs must not sleep or compute in real time, or
 * with the one of that id; or with what another runtime names.  Fails with
 * WS_USAGE for an id that is none and with WS_ENVIRONMENT where there is no such MPI. */
#define WS_TRIAL_PLATFORMS_MOST 4
int ws_trial_platforms(const struct ws_runtime *runtime, const char *id,
                       struct ws_trial_platform found[WS_TRIAL_PLATFORMS_MOST], size_t *count, struct ws_error *error);

/* What all trials share. */
struct ws_trial_setting {
    const char *self;      /* this executable */
    const char *folder;    /* for programs and traces; exists */
    const char *include;   /* a folder of headers for the programs: that of the runtime's rules */
    const char *runtime;   /* whose problem types they are */
    const char *const *kb; /* --kb, passed on */
    size_t kb_count;
};

struct ws_trial_outcome {
    bool passed;
    int tries;       /* more than 1 where one was spoilt, by noise it is hoped */
    double found_s;  /* of the expected problem */
    char other[128]; /* the greatest other problem; "" for none */
    double other_s;
    char message[512]; /* why it failed; "" */
};
/* Compiles, records, diagnoses and judges one program; once more where the judgement is bad. */
void ws_trial_run(const struct ws_trial_setting *setting, const struct ws_trial_platform *platform, const char *source,
                  const struct ws_planted *planted, struct ws_trial_outcome *outcome);

/* True after Ctrl-C: what is running was ended, and nothing more should be begun. */
bool ws_trial_interrupted(void);

#endif
