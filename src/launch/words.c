#include "launch/words.h"

#include "launch/elf.h"
#include "launch/loader.h"
#include "launch/process.h"
#include "util/text.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS 1024 /* further words are arguments of the program */

static const char *const launcher_names[] = {
    "mpirun",  "mpirun.*", "mpirun-*", "mpiexec", "mpiexec.*", "mpiexec-*", "orterun", "prterun",
    "smpirun", "prun",     "mpirun_*", "srun",    "aprun",     "jsrun",     "ibrun",   "mprun",
};

static const char *const interpreter_names[] = {
    "python*", "ipython*", "bash", "sh",      "dash", "zsh",  "ksh",     "csh",  "tcsh",    "perl*",
    "ruby*",   "julia*",   "java", "Rscript", "R",    "lua*", "octave*", "node", "busybox", "pypy*",
};

/* Options of launchers whose values may look like programs (`-launcher ssh`). */
static const struct {
    const char *name;
    int values;
} launcher_options[] = {
    {"--mca", 2},
    {"-mca", 2},
    {"--gmca", 2},
    {"-gmca", 2},
    {"--prtemca", 2},
    {"-genv", 2},
    {"-env", 2},
    {"-launcher", 1},
    {"-launcher-exec", 1},
    {"-bootstrap", 1},
    {"-bootstrap-exec", 1},
    {"-rmk", 1},
    {"-x", 1},
    {"-n", 1},
    {"-np", 1},
    {"--np", 1},
    {"-c", 1},
    {"--n", 1},
    {"-host", 1},
    {"--host", 1},
    {"-H", 1},
    {"-hosts", 1},
    {"-f", 1},
    {"-machinefile", 1},
    {"--machinefile", 1},
    {"-hostfile", 1},
    {"--hostfile", 1},
    {"-ppn", 1},
    {"-wdir", 1},
    {"--wdir", 1},
    {"-wd", 1},
    {"--map-by", 1},
    {"-map-by", 1},
    {"--bind-to", 1},
    {"-bind-to", 1},
    {"--rank-by", 1},
    {"-genvlist", 1},
    {"-envlist", 1},
    {"-configfile", 1},
    {"--prefix", 1},
    {"-prefix", 1},
    {"-iface", 1},
    {"-path", 1},
    {"--path", 1},
    {"-u", 1},
    {"-platform", 1},
    {"-wrapper", 1},
    {"-replay", 1},
    {"-trace-file", 1},
    {"-trace-comment", 1},
    {"-trace-comment-file", 1},
    {"-bandwidth", 1},
    {"-latency", 1},
};

static bool any_glob(const char *const *globs, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], name, 0) == 0)
            return true;
    return false;
}
#define ANY_GLOB(globs, name) any_glob(globs, sizeof(globs) / sizeof *(globs), name)

static int values_of(const char *option)
{
    for (size_t i = 0; i < sizeof launcher_options / sizeof *launcher_options; i++)
        if (strcmp(launcher_options[i].name, option) == 0)
            return launcher_options[i].values;
    return 0;
}

static bool is_assignment(const char *word)
{
    const char *equals = strchr(word, '=');
    const char *slash = strchr(word, '/');
    return equals && equals != word && (!slash || slash > equals);
}

/* The library of the runtime, or of an MPI, that a program needs: as ws_loader_mpi. */
static int find_library(const char *path, const struct ws_runtime *runtime, struct ws_words *words,
                        struct ws_error *error)
{
    if (runtime)
        return ws_loader_runtime(path, runtime, words->library, sizeof words->library, error);
    return ws_loader_mpi(path, &words->family, words->library, sizeof words->library, error);
}

static bool is_own_launcher(const struct ws_runtime *runtime, const char *word)
{
    for (const char *const *glob = runtime ? runtime->launchers : NULL; glob && *glob; glob++)
        if (fnmatch(*glob, ws_base_name(word), 0) == 0)
            return true;
    return false;
}

/* By its name; but a program may have such a name too (mpirun_test), and only a program needs MPI itself. */
static bool is_launcher(const char *word, const char *path, const struct ws_runtime *runtime)
{
    static struct ws_words seen; /* large */

    return (ANY_GLOB(launcher_names, ws_base_name(word)) || is_own_launcher(runtime, word)) &&
           (ws_elf_kind(path) != WS_ELF_OURS || find_library(path, runtime, &seen, NULL) != 1);
}

/* A launcher also looks in the current folder for a word that PATH does not know. */
static bool find_word(const char *word, bool launched, char *path, size_t size)
{
    char here[4096];

    if (ws_process_find(word, path, size))
        return true;
    return launched && !strchr(word, '/') &&
           (size_t)snprintf(here, sizeof here, "./%s", word) < sizeof here &&
           ws_process_find(here, path, size);
}

/* "#!/usr/bin/env python3" names python3, "#!/bin/sh -e" names /bin/sh. */
static void script_interpreter(const char *path, char *interpreter, size_t size)
{
    char line[512] = "";
    char *rest = line + 2, *word;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof line - 1);

    if (fd >= 0)
        close(fd);
    line[got > 0 ? got : 0] = '\0';
    interpreter[0] = '\0';
    if (got < 3)
        return;
    line[strcspn(line, "\n")] = '\0';
    word = strtok_r(rest, " \t\r", &rest);
    if (word && strcmp(ws_base_name(word), "env") == 0)
        do
            word = strtok_r(rest, " \t\r", &rest);
        while (word && (*word == '-' || is_assignment(word)));
    if (!word || !ws_process_find(word, interpreter, size))
        interpreter[0] = '\0';
}

static enum ws_program_kind classify(const char *path, const struct ws_runtime *runtime, struct ws_words *words)
{
    enum ws_elf_kind kind = ws_elf_kind(path);
    int found;

    words->interpreter[0] = '\0';
    if (kind == WS_ELF_SCRIPT) {
        script_interpreter(path, words->interpreter, sizeof words->interpreter);
        return WS_PROGRAM_OPEN;
    }
    if (kind != WS_ELF_OURS)
        return WS_PROGRAM_PLAIN;
    found = find_library(path, runtime, words, &words->error);
    if (found != 0)
        return found > 0 ? WS_PROGRAM_FOUND : WS_PROGRAM_BROKEN;
    if (ANY_GLOB(interpreter_names, ws_base_name(path))) {
        snprintf(words->interpreter, sizeof words->interpreter, "%s", path);
        return WS_PROGRAM_OPEN;
    }
    return !runtime && ws_elf_contains(path, "PMPI_Init") ? WS_PROGRAM_STATIC : WS_PROGRAM_PLAIN;
}

/* Takes the word as the program where it is a better guess than the one so far. */
static void consider(int index, const char *path, const struct ws_runtime *runtime, struct ws_words *words)
{
    static struct ws_words seen; /* large; only its results are used */
    enum ws_program_kind kind = classify(path, runtime, &seen);

    if (kind <= words->kind)
        return;
    words->kind = kind;
    words->program = index;
    words->family = seen.family;
    words->error = seen.error;
    snprintf(words->program_path, sizeof words->program_path, "%s", path);
    memcpy(words->library, seen.library, sizeof words->library);
    memcpy(words->interpreter, seen.interpreter, sizeof words->interpreter);
}

void ws_words_read(char *const *command, const struct ws_runtime *runtime, struct ws_words *words)
{
    char path[4096];

    memset(words, 0, sizeof *words);
    words->launcher = words->program = -1;
    for (int i = 0; command[i] && i < MOST_WORDS && words->kind < WS_PROGRAM_FOUND; i++) {
        const char *word = command[i];
        if (word[0] == '-') {
            for (int skip = words->launcher >= 0 && words->program < 0 ? values_of(word) : 0;
                 skip > 0 && command[i + 1]; skip--)
                i++;
            continue;
        }
        if (is_assignment(word) || !find_word(word, words->launcher >= 0, path, sizeof path))
            continue;
        if (words->launcher < 0 && is_launcher(word, path, runtime)) {
            /* What stood before it (env, nice, timeout) only starts it. */
            words->launcher = i;
            words->own_launcher = is_own_launcher(runtime, word);
            words->program = -1;
            words->kind = WS_PROGRAM_NONE;
            snprintf(words->launcher_path, sizeof words->launcher_path, "%s", path);
        } else {
            consider(i, path, runtime, words);
        }
    }
}
