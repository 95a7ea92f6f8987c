/* The subcommands, and what several of them share.  A subcommand parses its options, calls the rooms and
 * prints; it returns an exit code (enum ws_code).  argv[0] is the subcommand's name. */
#ifndef WS_CMD_CMD_H
#define WS_CMD_CMD_H

#include "cmd/options.h"
#include "launch/launch.h"
#include "rules/kb.h"

#include <limits.h>
#include <sys/types.h>
#include <time.h>

int ws_cmd_run(int argc, char **argv);
int ws_cmd_record(int argc, char **argv);
int ws_cmd_diagnose(int argc, char **argv);
int ws_cmd_compare(int argc, char **argv);
int ws_cmd_what_if(int argc, char **argv);
int ws_cmd_path(int argc, char **argv);
int ws_cmd_check(int argc, char **argv);
int ws_cmd_page_report(int argc, char **argv);
int ws_cmd_exchange(int argc, char **argv);
int ws_cmd_export(int argc, char **argv);
int ws_cmd_import(int argc, char **argv);
int ws_cmd_predict(int argc, char **argv);
int ws_cmd_kb(int argc, char **argv);
int ws_cmd_kb_test(int argc, char **argv); /* argv[0] = "test" */
int ws_cmd_cc(int argc, char **argv);
int ws_cmd_doctor(int argc, char **argv);

/* knowledge.c: the runtimes at hand and the problem types of the user's own, as --kb gives both.  All these tell what
 * is wrong and return the exit code. */
struct ws_knowledge {
    struct ws_runtimes runtimes;
    struct ws_list problems; /* folders of problem types */
};
int ws_cmd_knowledge(struct ws_knowledge *knowledge, const struct ws_list *extra);
void ws_cmd_knowledge_free(struct ws_knowledge *knowledge);
/* Loads the knowledge base of a runtime with the problem types that fit it best.  Prints every mistake in the
 * rules; 0 when *kb is ready (ws_kb_free). */
int ws_cmd_load_runtime(struct ws_kb *kb, const struct ws_knowledge *knowledge, size_t runtime);
/* The same with all problem types given, for the runtime that a command uses, or that is asked for by its name as
 * `layer` (NULL: by the command); and for the one that a trace was recorded of. */
int ws_cmd_load_for_command(struct ws_kb *kb, const struct ws_list *extra, const char *layer, char *const *command);
/* ... and for the one that has a problem type, named by its id or as RUNTIME/ID; *id is the id then. */
int ws_cmd_load_for_problem(struct ws_kb *kb, const struct ws_knowledge *knowledge, const char *name, const char **id);
int ws_cmd_load_for_trace(struct ws_kb *kb, const struct ws_list *extra, const char *directory);
/* The runtime that a folder of rules belongs to: that it lies in, or in which it has the fewest mistakes. */
size_t ws_cmd_runtime_of(const struct ws_knowledge *knowledge, const char *path);
/* Tells that there is no problem type of this id, with the one perhaps meant, and returns WS_USAGE. */
int ws_cmd_unknown_problem(const struct ws_kb *kb, const char *id);
/* The row for --kb, the same in every subcommand that has it. */
#define WS_KB_OPTION(list)                                                                                   \
    {                                                                                                        \
        "kb", 0, WS_OPTION_LIST, (list), "PATH",                                                             \
            "a folder with a problem type of your own, or with several, or with a runtime; may be repeated"  \
    }
/* The rows for --layer, of which --runtime is another name. */
#define WS_LAYER_OPTIONS(layer)                                                                              \
    {"layer",  0,                                                                                            \
     WS_OPTION_TEXT,                                                                                         \
     (layer),                                                                                                \
     "NAME",                                                                                                 \
     "record the program's use of this runtime (mpi, x10, ...); default: the uppermost that its libraries "  \
     "show"},                                                                                                \
    {                                                                                                        \
        "runtime", 0, WS_OPTION_TEXT, (layer), "NAME", "the same, for where nothing shows it (java, scripts)" \
    }

/* program.c: runs a command under the recorder, as `record` and `run` do.  Prints what happens.  Returns 0,
 * or the code of what went wrong: then *program_code is the command's own, or -1 where it did not run.
 * watcher: NULL for none. */
int ws_cmd_launch(const char *directory, char *const *command, const struct ws_kb *kb, bool quiet,
                  const struct ws_limits *limits, const struct ws_watcher *watcher, int *program_code);
/* The rows of both for what is recorded where. */
#define WS_LAUNCH_OPTIONS(directory, quiet)                                                                  \
    {"output",                                                                                               \
     'o',                                                                                                    \
     WS_OPTION_FOLDER,                                                                                       \
     (directory),                                                                                            \
     "DIR",                                                                                                  \
     "the folder of the trace, created; an earlier trace in it is replaced (default: whyslow-out)"},         \
    {                                                                                                        \
        "quiet", 'q', WS_OPTION_FLAG, (quiet), NULL, "tell nothing but warnings"                             \
    }

/* limits.c: what is recorded of a run, as given; 0, or the code of a mistake, which was told. */
struct ws_limit_choices {
    const char *after, *length, *only, *sample, *max_size, *buffer;
};
int ws_cmd_limits(const struct ws_limit_choices *choices, struct ws_limits *limits);
#define WS_LIMIT_OPTIONS(choices)                                                                            \
    {"after",                                                                                                \
     0,                                                                                                      \
     WS_OPTION_TEXT,                                                                                         \
     &(choices)->after,                                                                                      \
     "TIME",                                                                                                 \
     "record nothing before so long after its start (MPI_Init): 10s, 500ms, 2min"},                                      \
        {"for",  0,                                                                                          \
         WS_OPTION_TEXT, &(choices)->length,                                                                 \
         "TIME", "record for so long, then no more; the program goes on"},                                   \
        {"only",  0,                                                                                         \
         WS_OPTION_TEXT, &(choices)->only,                                                                   \
         "RANKS", "record these ranks: 0-3,7"},                                                              \
        {"sample",  0,                                                                                       \
         WS_OPTION_TEXT, &(choices)->sample,                                                                 \
         "N", "record the first N calls from each place in the source; count the others"},                   \
        {"max-size", 0,                                                                                      \
         WS_OPTION_TEXT, &(choices)->max_size,                                                               \
         "SIZE",     "stop recording when the trace has this size, 2G or 500M; each rank has its share"},    \
    {                                                                                                        \
        "buffer", 0, WS_OPTION_TEXT, &(choices)->buffer, "SIZE",                                             \
            "memory of each thread for its records, 16384 to 67108864 bytes (default: 262144)"               \
    }

/* progress.c: how far a command has come, on a line of the terminal that is standard error. */
struct ws_progress {
    const char *doing; /* "reading the trace" */
    time_t begin_s;
    bool shown;
    void (*show)(double share, void *context); /* context: this struct; NULL: there is no terminal */
};
struct ws_progress ws_progress_begin(const char *doing);
void ws_progress_end(const struct ws_progress *progress);

/* page.c: writes the page of the trace in a folder to `file` (NULL: report.html in that folder), and opens it where
 * asked to.  Prints what happens; returns the exit code. */
struct ws_side;
struct ws_page_choices {
    const char *engine, *file;
    const struct ws_side *before;  /* what the run is compared with; NULL: nothing */
    const struct ws_side *further; /* further runs of this version; NULL: none */
    double noise_percent, threshold_percent;
    size_t events;
    bool no_source, open, quiet;
};
#define WS_PAGE_DEFAULTS                                                                                     \
    {                                                                                                        \
        .noise_percent = -1, .threshold_percent = -1, .events = WS_PAGE_EVENTS                               \
    }
int ws_cmd_page(const char *directory, const struct ws_kb *kb, const struct ws_page_choices *choices);
/* browser.c: opens a file in the user's browser: $BROWSER, or what the desktop has.  Tells where there is none. */
void ws_cmd_open(const char *file);
/* named.c: a trace as the command line names it: the folder of ours, or an OTF2 archive (its folder or anchor file), of which a
 * trace is made in a temporary folder that goes when this process does. */
struct ws_named_trace {
    const char *directory;
    char *temporary; /* NULL: it is ours */
    int janitor;     /* closing it has the folder removed */
    pid_t pid;
};
/* 0, or the exit code of what went wrong, which was told. */
int ws_cmd_trace_open(struct ws_named_trace *trace, const char *path, const struct ws_kb *kb);
void ws_cmd_trace_close(struct ws_named_trace *trace);
/* What most subcommands do with a trace: opens it, with the knowledge base for it and the problem types of --kb, does the
 * work, closes both.  The exit code of what went wrong, or of the work. */
typedef int ws_cmd_work(const struct ws_named_trace *trace, const struct ws_kb *kb, void *context);
int ws_cmd_with_trace(const char *path, const struct ws_list *extra, ws_cmd_work *work, void *context);

/* predict_run.c: how long a recorded MPI run takes on another platform, and where it waits there: replays it under SimGrid,
 * and diagnoses the trace of that.  Prints what comes out; returns the exit code. */
struct ws_predict_run_choices {
    const char *directory;        /* of the trace */
    const char *platform;         /* SimGrid's XML, or NODE.json with a network */
    const char *hosts;            /* the ranks' hosts, a line for each; NULL: those of the platform in order */
    const char *output;           /* the folder of the predicted trace */
    const double *factors;        /* of the computation of each rank; the last one is that of all further ranks */
    size_t factor_count;
    const struct ws_list *kb;     /* --kb */
    double threshold_percent;     /* < 0: the default */
    bool json, quiet;
};
int ws_cmd_predict_run(const struct ws_predict_run_choices *choices);

/* diagnosis.c: diagnoses the trace in a folder and prints the report.  Returns the exit code. */
struct ws_team;
struct ws_report_choices {
    const char *engine;       /* NULL: the default */
    bool by_phase;
    unsigned jobs;            /* threads; 0: by the trace and the machine */
    struct ws_team *team;     /* this process is a member of it (cmd/team.c); NULL: of none */
    double threshold_percent; /* < 0: the default */
    bool json;
    bool gain, no_gain;       /* replay the run however long it is, or not at all; neither: where it is short */
};
#define WS_REPORT_DEFAULTS                                                                                   \
    {                                                                                                        \
        .threshold_percent = -1                                                                              \
    }
int ws_cmd_report(const char *directory, const struct ws_kb *kb, const struct ws_report_choices *choices);
/* The same without printing; ws_diagnosis_free.  Of a team member 0 gets it. */
struct ws_diagnosis;
int ws_cmd_diagnose_trace(const char *directory, const struct ws_kb *kb, const struct ws_report_choices *choices,
                          struct ws_diagnosis *diagnosis);
/* The diagnosis of a trace, with the problem types of --kb, or read again from a file that `diagnose --json` wrote.
 * types: gets the ids of those that were looked for, which live as long as the diagnosis; a file tells none.  NULL: not
 * wanted. */
int ws_cmd_load_diagnosis(const char *path, const struct ws_list *extra, const struct ws_report_choices *choices,
                          struct ws_diagnosis *diagnosis, struct ws_list *types);
/* team.c: where an MPI's launcher started this process with others, as `mpirun -n 4 whyslow diagnose DIR`
 * does, they are a team.  Gives 0 with *team, NULL where there is no other; or an exit code, told. */
int ws_cmd_team_begin(struct ws_team **team);
/* The code of all members: the worst. */
int ws_cmd_team_agree(struct ws_team *team, int code);
/* Leaves the team.  Gives the exit code of this process: member 0 has that of all; a process that ended
 * with an error before it would have the launcher end member 0 while it still speaks. */
int ws_cmd_team_end(struct ws_team *team, int code);
/* live.c: a watcher that shows the ranking so far on the terminal (standard error). */
struct ws_live {
    const char *directory;
    const struct ws_kb *kb;
    const struct ws_report_choices *choices;
    pid_t watching; /* 0: no process does */
};
struct ws_watcher ws_cmd_live(struct ws_live *live);
/* What --help says of --engine: those that this build has. */
const char *ws_cmd_engine_help(void);
/* The rows of those that diagnose traces. */
#define WS_TRACE_OPTIONS(choices)                                                                            \
    {"engine", 0, WS_OPTION_TEXT, &(choices)->engine, "NAME", ws_cmd_engine_help()},                         \
    {                                                                                                        \
        "jobs", 'j', WS_OPTION_COUNT, &(choices)->jobs, "N",                                                 \
            "threads for the diagnosis (default: one, for a long trace as many as there are cores); the "    \
            "report is the same"                                                                             \
    }
/* The rows of both for the report. */
#define WS_REPORT_OPTIONS(choices, json_help)                                                                \
    {"json", 0, WS_OPTION_FLAG, &(choices)->json, NULL, (json_help)},                                        \
        {"threshold",       0,                                                                               \
         WS_OPTION_PERCENT, &(choices)->threshold_percent,                                                   \
         "PERCENT",         "tell problems that cost at least this share of the ranks' time (default: 1)"},  \
        {"gain", 0, WS_OPTION_FLAG, &(choices)->gain, NULL,                                                  \
         "tell what a fix would gain also for a run of more than a million events"},                         \
        {"no-gain", 0, WS_OPTION_FLAG, &(choices)->no_gain, NULL,                                            \
         "do not replay the run to find out what a fix would gain"},                                         \
        {"by-phase", 0, WS_OPTION_FLAG, &(choices)->by_phase, NULL,                                          \
         "tell also what waits in each phase that the program marked (whyslow.h, MPI_Pcontrol)"},            \
        WS_TRACE_OPTIONS(choices)

#endif
