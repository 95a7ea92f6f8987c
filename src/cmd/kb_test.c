#include "cmd/kb_test.h"

#include "util/alloc.h"
#include "util/file.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TOLERANCE 0.10   /* of the planted duration */
#define OTHERS_MOST 0.05 /* of the planted duration: what any other problem may come to */
#define SECONDS_MOST 180 /* of one step: a program that hangs is ended */
#define JSON_MOST ((size_t)64 << 20)
#define TRIES 2

/* ---- the first line of a test program ---- */

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

/* ---- MPIs ---- */

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    struct ws_text file = {0};
    bool found = false;

    while (path && *path && !found) {
        size_t length = strcspn(path, ":");
        ws_text_clear(&file);
        ws_text_printf(&file, "%.*s/%s", (int)length, path, name);
        found = ws_is_file(file.bytes) && access(file.bytes, X_OK) == 0;
        path += length + (path[length] == ':');
    }
    ws_text_free(&file);
    return found;
}

int ws_test_mpis(const char *id, struct ws_test_mpi found[WS_TEST_MPIS_MOST], size_t *count,
                 struct ws_error *error)
{
    static const struct ws_test_mpi known[] = {
        {"openmpi", "mpicc.openmpi", "mpirun.openmpi"},
        {"mpich", "mpicc.mpich", "mpirun.mpich"},
    };
    static const struct ws_test_mpi other = {"mpi", "mpicc", "mpirun"};
    bool is_known = false;

    *count = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool wanted = !id || strcmp(id, known[i].id) == 0;
        is_known |= wanted;
        if (wanted && in_path(known[i].compiler) && in_path(known[i].launcher))
            found[(*count)++] = known[i];
    }
    if (!is_known)
        return ws_fail(error, WS_USAGE, "kb test: --mpi is openmpi or mpich, not '%s'", id);
    if (*count == 0 && !id && in_path(other.compiler) && in_path(other.launcher))
        found[(*count)++] = other;
    if (*count > 0)
        return 0;
    if (id)
        return ws_fail(error, WS_ENVIRONMENT, "mpicc.%s and mpirun.%s are not installed (Debian: lib%s-dev)",
                       id, id, id);
    return ws_fail(
        error, WS_ENVIRONMENT,
        "no MPI compiler (mpicc) and launcher (mpirun) in PATH: install one, on Debian libopenmpi-dev "
        "or libmpich-dev");
}

/* ---- commands ---- */

static volatile sig_atomic_t interrupted;

static void take_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

bool ws_test_interrupted(void)
{
    return interrupted;
}

struct words {
    const char **items;
    size_t count, capacity;
};

static void add_word(struct words *words, const char *word)
{
    WS_PUSH(words->items, words->count, words->capacity) = word;
}

/* In the child: input from nowhere, output and errors into files. */
static void redirect(const char *output, const char *errors)
{
    static const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int in = open("/dev/null", O_RDONLY), out = open(output, flags, 0666), err = open(errors, flags, 0666);

    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(127);
}

/* Ends a command: politely first, so that a launcher can end its ranks. */
static void end_command(pid_t pid)
{
    kill(-pid, SIGTERM);
    for (int i = 0; i < 150; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            kill(-pid, SIGKILL);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Waits for a command; its exit code, 128 + signal, or -1 after ending it for being too slow. */
static int wait_for(pid_t pid)
{
    struct timespec now, begin;
    int status;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (got < 0 && errno != EINTR)
            return -1;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (interrupted || now.tv_sec - begin.tv_sec > SECONDS_MOST) {
            end_command(pid);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

static int run_command(struct words *words, const char *output, const char *errors)
{
    pid_t pid;

    add_word(words, NULL);
    pid = fork();
    if (pid < 0)
        return -1;
    if (pid == 0) {
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        redirect(output, errors);
        execvp(words->items[0], (char *const *)words->items);
        _exit(127);
    }
    setpgid(pid, pid);
    return wait_for(pid);
}

/* ---- one try ---- */

struct attempt {
    const struct ws_test_run *run;
    const struct ws_test_mpi *mpi;
    const char *source;
    const struct ws_planted *planted;
    struct ws_test_outcome *outcome;
    struct ws_text program, trace, output, errors; /* paths */
};

/* How a command ended, in words. */
static const char *ending(int code, char words[static 64])
{
    if (code > 128 && strsignal(code - 128))
        snprintf(words, 64, "%s", strsignal(code - 128));
    else
        snprintf(words, 64, "exit code %d", code);
    return words;
}

/* The line of a command's error output that tells most: one that speaks of an error, else the first that is
 * not our own, else the first.  Borrowed from `said`. */
static const char *telling_line(const char *said, int *length)
{
    const char *best = said;
    int rank, best_rank = -1;

    *length = 0;
    while (*said) {
        size_t end = strcspn(said, "\n");
        const char *word = strcasestr(said, "error");
        rank = end == 0 ? -1 : word && word < said + end ? 2 : strncmp(said, "whyslow:", 8) != 0 ? 1 : 0;
        if (rank > best_rank) {
            best_rank = rank;
            best = said;
            *length = end < 400 ? (int)end : 400;
        }
        said += end + (said[end] == '\n');
    }
    return best;
}

/* Says which step failed, and what it said itself. */
static int step_failed(struct attempt *attempt, const char *step, int code)
{
    struct ws_test_outcome *outcome = attempt->outcome;
    char *said = ws_file_read(attempt->errors.bytes, JSON_MOST, NULL, NULL), words[64];
    int length;
    const char *line = telling_line(said ? said : "", &length);

    if (interrupted)
        snprintf(outcome->message, sizeof outcome->message, "interrupted");
    else if (code < 0)
        snprintf(outcome->message, sizeof outcome->message, "%s: did not end within %d s", step,
                 SECONDS_MOST);
    else
        snprintf(outcome->message, sizeof outcome->message, "%s: %s%s%.*s", step, ending(code, words),
                 length > 0 ? ": " : "", length, line);
    free(said);
    return -1;
}

static int compile(struct attempt *attempt)
{
    struct words words = {0};
    int code;

    for (const char *const *word = (const char *const[]){attempt->mpi->compiler, "-g", "-O1", attempt->source,
                                                         "-o", attempt->program.bytes, "-lm", NULL};
         *word; word++)
        add_word(&words, *word);
    code = run_command(&words, attempt->output.bytes, attempt->errors.bytes);
    free(words.items);
    return code == 0 ? 0 : step_failed(attempt, attempt->mpi->compiler, code);
}

static void add_kb(struct words *words, const struct ws_test_run *run)
{
    for (size_t i = 0; i < run->kb_count; i++) {
        add_word(words, "--kb");
        add_word(words, run->kb[i]);
    }
}

static int record(struct attempt *attempt)
{
    struct words words = {0};
    char ranks[16];
    int code;

    snprintf(ranks, sizeof ranks, "%d", attempt->planted->ranks);
    add_word(&words, attempt->run->self);
    add_word(&words, "record");
    add_word(&words, "-o");
    add_word(&words, attempt->trace.bytes);
    add_kb(&words, attempt->run);
    add_word(&words, "--");
    add_word(&words, attempt->mpi->launcher);
    add_word(&words, "-n");
    add_word(&words, ranks);
    add_word(&words, attempt->program.bytes);
    code = run_command(&words, attempt->output.bytes, attempt->errors.bytes);
    free(words.items);
    return code == 0 ? 0 : step_failed(attempt, "record", code);
}

static json_t *diagnose(struct attempt *attempt)
{
    struct words words = {0};
    json_error_t damage;
    json_t *root = NULL;
    int code;

    add_word(&words, attempt->run->self);
    add_word(&words, "diagnose");
    add_word(&words, "--json");
    add_word(&words, "--threshold");
    add_word(&words, "0");
    add_kb(&words, attempt->run);
    add_word(&words, attempt->trace.bytes);
    code = run_command(&words, attempt->output.bytes, attempt->errors.bytes);
    free(words.items);
    if (code != 0) {
        step_failed(attempt, "diagnose", code);
        return NULL;
    }
    root = json_load_file(attempt->output.bytes, 0, &damage);
    if (!root)
        snprintf(attempt->outcome->message, sizeof attempt->outcome->message,
                 "diagnose: its JSON is damaged: %s", damage.text);
    return root;
}

/* Sums the durations by problem id and compares them with what was planted. */
static void judge(struct attempt *attempt, const json_t *root)
{
    const struct ws_planted *planted = attempt->planted;
    struct ws_test_outcome *outcome = attempt->outcome;
    json_t *sums = json_object(), *problem, *sum;
    const char *id;
    size_t i;

    outcome->found_s = outcome->other_s = 0;
    outcome->other[0] = '\0';
    json_array_foreach(json_object_get(root, "problems"), i, problem)
    {
        const char *name = json_string_value(json_object_get(problem, "id"));
        double duration_s = json_number_value(json_object_get(problem, "duration_s"));
        if (name)
            json_object_set_new(sums, name,
                                json_real(duration_s + json_number_value(json_object_get(sums, name))));
    }
    json_object_foreach(sums, id, sum)
    {
        double duration_s = json_number_value(sum);
        if (strcmp(id, planted->expect) == 0) {
            outcome->found_s = duration_s;
        } else if (duration_s > outcome->other_s) {
            outcome->other_s = duration_s;
            snprintf(outcome->other, sizeof outcome->other, "%s", id);
        }
    }
    json_decref(sums);
    outcome->message[0] = '\0';
    if (*planted->expect && outcome->found_s == 0)
        snprintf(outcome->message, sizeof outcome->message, "not found");
    else if (*planted->expect &&
             fabs(outcome->found_s - planted->planted_s) > planted->tolerance * planted->planted_s)
        snprintf(outcome->message, sizeof outcome->message, "%.1f %% off",
                 100 * (outcome->found_s / planted->planted_s - 1));
    else if (outcome->other_s >= OTHERS_MOST * planted->planted_s)
        snprintf(outcome->message, sizeof outcome->message, "%s found too", outcome->other);
    outcome->passed = !outcome->message[0];
}

/* False where the program did not get as far as a judgement. */
static bool try_once(struct attempt *attempt)
{
    json_t *root;

    if (record(attempt) != 0 || !(root = diagnose(attempt)))
        return false;
    judge(attempt, root);
    json_decref(root);
    return true;
}

static void set_environment(void)
{
    /* Open MPI refuses root, counts cores and spins. */
    static const char *const settings[][2] = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
        {"OMPI_MCA_mpi_yield_when_idle", "1"},
    };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 0);
    signal(SIGINT, take_interrupt);
    signal(SIGTERM, take_interrupt);
}

void ws_test_program(const struct ws_test_run *run, const struct ws_test_mpi *mpi, const char *source,
                     const struct ws_planted *planted, struct ws_test_outcome *outcome)
{
    struct attempt attempt = {
        .run = run, .mpi = mpi, .source = source, .planted = planted, .outcome = outcome};

    memset(outcome, 0, sizeof *outcome);
    ws_text_printf(&attempt.program, "%s/program", run->folder);
    ws_text_printf(&attempt.trace, "%s/trace", run->folder);
    ws_text_printf(&attempt.output, "%s/output", run->folder);
    ws_text_printf(&attempt.errors, "%s/errors", run->folder);
    set_environment();
    if (compile(&attempt) == 0)
        while (outcome->tries < TRIES && !outcome->passed && !interrupted) {
            outcome->tries++;
            if (!try_once(&attempt))
                break;
        }
    ws_text_free(&attempt.program);
    ws_text_free(&attempt.trace);
    ws_text_free(&attempt.output);
    ws_text_free(&attempt.errors);
}
