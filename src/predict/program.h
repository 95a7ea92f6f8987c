/* PROGRAM.json: what a program does, counted by `whyslow profile` on a reference node.  docs/prediction.md
 * describes the file.  SI units: seconds, bytes. */
#ifndef WS_PREDICT_PROGRAM_H
#define WS_PREDICT_PROGRAM_H

#include "fields/fields.h"

#define WS_PROGRAM_FORMAT 1
#define WS_PROGRAM_KIND "whyslow-program"

/* Instructions by their main work; loads and stores are counted beside. */
enum ws_count {
    WS_COUNT_INSTRUCTIONS,
    WS_COUNT_LOADS,
    WS_COUNT_STORES,
    WS_COUNT_INTEGER,
    WS_COUNT_MULTIPLY,
    WS_COUNT_DIVIDE,
    WS_COUNT_FLOAT,
    WS_COUNT_FLOAT_DIVIDE,
    WS_COUNT_VECTOR,
    WS_COUNT_BRANCHES,
    WS_COUNT_BRANCH_MISSES,
    WS_COUNT_CALLS,
    WS_COUNT_OTHER,
    WS_COUNTS
};
extern const char *const ws_count_keys[WS_COUNTS]; /* "instructions" … */

enum ws_io { WS_IO_READS, WS_IO_WRITES, WS_IO_READ_BYTES, WS_IO_WRITTEN_BYTES, WS_IOS };
extern const char *const ws_io_keys[WS_IOS]; /* "reads" … */

/* Misses of a data cache of a size; `regular` of them are sequential or strided. */
struct ws_cache_point {
    double size_bytes, misses, regular;
};

#define WS_PAPER_PARAMETERS 11

struct ws_program_run {
    double size;        /* of the input; 0: not told (null in the file) */
    const char *source; /* "pmu", "callgrind", "tcg", "rusage": where the counts come from; rusage has none */
    double uncertainty; /* of the counts, relative */
    double wall_s, cpu_s, user_s, system_s, spread; /* spread of cpu_s over the repeats, relative */
    double repeats, processes, threads, ranks;
    bool has_counts;
    double counts[WS_COUNTS];
    double line_bytes;
    struct ws_cache_point *curve; /* from the smallest cache on */
    size_t curve_count;
    double io[WS_IOS];
    bool has_paper;
    double paper[WS_PAPER_PARAMETERS]; /* h1..h11 */
};

/* What the file does not tell is zero, "" or an empty list.  All of it lives in the arena. */
struct ws_program {
    struct ws_arena arena;
    const char *path;
    const char *command, *architecture;
    struct ws_program_run *runs;
    size_t run_count;
};

/* Reads a program.  -1 with *error (WS_BAD_INPUT), which names file, key, value and cure.  ws_program_free,
 * also after an error. */
int ws_program_read(const char *path, struct ws_program *program, struct ws_error *error);
int ws_program_write(const struct ws_program *program, const char *path, struct ws_error *error);
void ws_program_free(struct ws_program *program);

/* The members "counts", "cache" and "io" of an object, into a run: programs and calibration kernels have them
 * alike. */
int ws_program_take_work(const struct ws_fields *fields, const json_t *object, const char *where,
                         struct ws_program_run *run);

#endif
