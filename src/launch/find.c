/* Which runtime a command uses, and which MPI: the library that its program loads decides; for scripts the
 * launcher. */
#include "launch/launch.h"

#include "launch/elf.h"
#include "launch/family.h"
#include "launch/loader.h"
#include "launch/process.h"
#include "launch/words.h"
#include "util/file.h"
#include "util/text.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy(char *into, size_t size, const char *text)
{
    snprintf(into, size, "%s", text);
}

/* ---- the library's version ---- */

/* Runs in a child: a library's constructors may do anything. */
static int ask_version(void *context)
{
    void *library = dlopen(context, RTLD_LAZY | RTLD_LOCAL);
    int (*version)(char *, int *);
    static char text[65536];
    int length = 0;

    if (!library)
        return 1;
    *(void **)&version = dlsym(library, "MPI_Get_library_version");
    if (!version || version(text, &length) != 0)
        return 1;
    fputs(text, stdout);
    return 0;
}

/* "Open MPI v4.1.4, package: ..." is "Open MPI 4.1.4"; "MPICH Version:\t4.0.2\n..." is "MPICH 4.0.2"; "SMPI
 * Version 3.32. Copyright ..." is "SMPI 3.32". */
static void tidy_version(const char *text, char *into, size_t size)
{
    char line[256];
    size_t used = 0;
    char *rest = line, *word, *sentence;

    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, ",\n"), text);
    if ((sentence = strstr(line, ". ")))
        *sentence = '\0';
    into[0] = '\0';
    while ((word = strtok_r(rest, " \t\r", &rest)) && used < size) {
        if (strcasecmp(word, "version:") == 0 || strcasecmp(word, "version") == 0 || strcmp(word, ":") == 0)
            continue;
        if (word[0] == 'v' && isdigit((unsigned char)word[1]))
            word++;
        used += (size_t)snprintf(into + used, size - used, "%s%s", used ? " " : "", word);
    }
}

/* Fills version and id; the library knows better than its file name which family it is. */
static void identify(const struct ws_family *family, struct ws_platform *mpi)
{
    struct ws_text answer = {0};
    const struct ws_family *spoken;

    if (ws_process_call(ask_version, mpi->library, &answer) == 0) {
        tidy_version(ws_text_string(&answer), mpi->version, sizeof mpi->version);
        spoken = ws_family_by_words(mpi->version);
        if (spoken && strcmp(family->id, "abi") != 0)
            family = spoken;
    } else {
        copy(mpi->version, sizeof mpi->version, family->name);
    }
    copy(mpi->id, sizeof mpi->id, family->id);
    ws_text_free(&answer);
}

/* ---- its compiler ---- */

enum fit { FITS_NOT, FITS_MAYBE, FITS };

/* A wrapper fits where its mpi.h is the family's; maybe, where it cannot compile at all: then its own
 * message will tell why. */
static enum fit compiler_fit(const char *compiler, const struct ws_family *family)
{
    const char *command[] = {compiler, "-E", "-dM", "-include", "mpi.h", "-x", "c", "/dev/null", NULL};
    struct ws_text output = {0};
    char line[128];
    enum fit fit = FITS_MAYBE;

    snprintf(line, sizeof line, "#define %s ", family->macro);
    if (ws_process_capture(command, &output, NULL) == 0)
        fit = strstr(ws_text_string(&output), line) ? FITS : FITS_NOT;
    ws_text_free(&output);
    return fit;
}

/* Tries one candidate; true when the search is over. */
static bool try_compiler(const char *path, const struct ws_family *family, struct ws_platform *mpi)
{
    char found[PATH_MAX];
    enum fit fit;

    if (!ws_process_find(path, found, sizeof found))
        return false;
    fit = compiler_fit(found, family);
    if (fit == FITS || (fit == FITS_MAYBE && !mpi->compiler[0]))
        copy(mpi->compiler, sizeof mpi->compiler, found);
    return fit == FITS;
}

/* Looks in bin/ of the folders above a file: the prefix it was installed in.  Not in /usr/bin, which
 * holds every MPI of the system: there PATH decides. */
static bool try_above(const char *file, const struct ws_family *family, const char *name,
                      struct ws_platform *mpi)
{
    char folder[PATH_MAX], path[PATH_MAX + 256];
    char *slash;

    copy(folder, sizeof folder, file);
    while ((slash = strrchr(folder, '/')) && slash != folder) {
        *slash = '\0';
        if (strcmp(folder, "/usr") == 0)
            break;
        snprintf(path, sizeof path, "%s/bin/%s", folder, name);
        if (try_compiler(path, family, mpi))
            return true;
    }
    return false;
}

static void find_compiler(struct ws_platform *mpi, const char *launcher)
{
    const struct ws_family *family = ws_family_by_id(mpi->id);

    mpi->compiler[0] = '\0';
    for (size_t i = 0; i < WS_FAMILY_NAMES && family->compilers[i]; i++) {
        const char *name = family->compilers[i];
        if (try_above(mpi->library, family, name, mpi) || try_compiler(name, family, mpi) ||
            try_above(launcher, family, name, mpi))
            return;
    }
}

/* ---- the launcher ---- */

static const struct ws_family *launcher_family(const char *launcher)
{
    const char *command[] = {launcher, "--version", NULL};
    const struct ws_family *family = ws_family_by_launcher(ws_base_name(launcher));
    char *real = realpath(launcher, NULL);
    struct ws_text output = {0};

    if (!family && real)
        family = ws_family_by_launcher(ws_base_name(real));
    if (!family && ws_process_capture(command, &output, NULL) == 0)
        family = ws_family_by_words(ws_text_string(&output));
    ws_text_free(&output);
    free(real);
    return family;
}

/* A library in lib or lib64 of the prefix that the launcher was installed in. */
static bool find_near(const char *launcher, const char *name, char *path, size_t size)
{
    static const char *const folders[] = {"lib", "lib64"};
    const char *end = strrchr(launcher, '/');

    while (end && end > launcher && end[-1] != '/')
        end--;
    for (size_t i = 0; end && i < 2; i++)
        if ((size_t)snprintf(path, size, "%.*s%s/%s", (int)(end - launcher), launcher, folders[i], name) <
                size &&
            ws_elf_kind(path) == WS_ELF_OURS)
            return true;
    return false;
}

/* The library of a family: in the launcher's prefix, else where the linker looks. */
static int find_library(const struct ws_family *family, const char *launcher, struct ws_platform *mpi,
                        struct ws_error *error)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < WS_FAMILY_NAMES && family->files[i]; i++) {
        const char *name = family->files[i];
        if (find_near(launcher, name, path, sizeof path) || ws_loader_find(name, path, sizeof path)) {
            char *real = realpath(path, NULL);
            copy(mpi->library, sizeof mpi->library, real ? real : path);
            free(real);
            return 0;
        }
    }
    return ws_fail(error, WS_ENVIRONMENT,
                   "the library of %s is not on this machine; on Debian: apt-get install %s", family->name,
                   family->launcher_package);
}

/* ---- scripts ---- */

/* Python says itself which MPI its mpi4py is built for. */
static bool find_by_mpi4py(const char *interpreter, const struct ws_family **family, struct ws_platform *mpi)
{
    static const char question[] = "import importlib.util as u\n"
                                   "s = u.find_spec('mpi4py.MPI')\n"
                                   "print(s.origin if s and s.origin else '')";
    const char *command[] = {interpreter, "-c", question, NULL};
    struct ws_text output = {0};
    bool found = false;

    if (fnmatch("*python*", ws_base_name(interpreter), 0) == 0 &&
        ws_process_capture(command, &output, NULL) == 0 && output.length > 1) {
        output.bytes[strcspn(output.bytes, "\n")] = '\0';
        found = ws_loader_mpi(output.bytes, family, mpi->library, sizeof mpi->library, NULL) == 1;
    }
    ws_text_free(&output);
    return found;
}

#define LONGEST_SCRIPT ((size_t)1 << 16)
#define MOST_SCRIPT_WORDS 1024

/* Cuts a shell's text into words at what separates them there; comments are left out. */
static void split_script(char *text, char *words[MOST_SCRIPT_WORDS + 1])
{
    static const char separators[] = " \t\r\n;&|()<>`\"'";
    size_t count = 0;

    while (count < MOST_SCRIPT_WORDS && *(text += strspn(text, separators))) {
        size_t length = strcspn(text, *text == '#' ? "\n" : separators);
        if (*text != '#')
            words[count++] = text;
        text += length;
        if (*text)
            *text++ = '\0';
    }
    words[count] = NULL;
}

/* The launcher, or even the program, that stands in the text of a script. */
static bool find_in_script(char *text, const struct ws_family **family, struct ws_platform *mpi)
{
    char **split = ws_alloc_array(MOST_SCRIPT_WORDS + 1, sizeof *split);
    struct ws_words *words = ws_alloc(sizeof *words);

    split_script(text, split);
    ws_words_read(split, NULL, words);
    if (words->kind == WS_PROGRAM_FOUND) {
        *family = words->family;
        copy(mpi->library, sizeof mpi->library, words->library);
    } else if (words->launcher >= 0 && (*family = launcher_family(words->launcher_path))) {
        struct ws_error ignored;
        if (find_library(*family, words->launcher_path, mpi, &ignored) != 0)
            *family = NULL;
    }
    free(words);
    free(split);
    return *family != NULL;
}

/* The text is in the file itself, or in the arguments (sh -c "...", sh script). */
static bool find_by_text(char *const *command, const struct ws_words *words, const struct ws_family **family,
                         struct ws_platform *mpi)
{
    bool found = false;

    *family = NULL;
    for (int i = words->program; !found && i >= 0 && command[i]; i++) {
        const char *path = i == words->program ? words->program_path : command[i];
        char *text = NULL;
        if (ws_elf_kind(path) == WS_ELF_SCRIPT || (i > words->program && ws_is_file(path)))
            text = ws_file_read(path, LONGEST_SCRIPT, NULL, NULL);
        else if (i > words->program && strchr(command[i], ' '))
            text = ws_strdup(command[i]);
        found = text && find_in_script(text, family, mpi);
        free(text);
    }
    return found;
}

/* Whether the words or the script ask for mpi4py: another may call MPI without it (ctypes, a module in C). */
static bool asks_for_mpi4py(char *const *command, const struct ws_words *words)
{
    bool found = false;

    for (int i = words->program; !found && command[i]; i++) {
        char *text = ws_is_file(command[i]) ? ws_file_read(command[i], LONGEST_SCRIPT, NULL, NULL) : NULL;
        found = text ? strstr(text, "from mpi4py") || strstr(text, "import mpi4py")
                     : strstr(command[i], "mpi4py") != NULL;
        free(text);
    }
    return found;
}

/* The MPI of mpi4py, unless the launcher is of another and nothing says that mpi4py is used. */
static bool find_for_python(char *const *command, const struct ws_words *words,
                            const struct ws_family *launcher, const struct ws_family **family,
                            struct ws_platform *mpi)
{
    return words->interpreter[0] && find_by_mpi4py(words->interpreter, family, mpi) &&
           (!launcher || launcher == *family || asks_for_mpi4py(command, words));
}

/* A script or interpreter does not load MPI itself: what it starts does, or the launcher shows it, or the
 * usual mpirun. */
static int find_for_script(char *const *command, const struct ws_words *words,
                           const struct ws_family **family, struct ws_platform *mpi, struct ws_error *error)
{
    char launcher[PATH_MAX] = "";
    const struct ws_family *shown = NULL;

    if (words->launcher >= 0) {
        copy(launcher, sizeof launcher, words->launcher_path);
        shown = launcher_family(launcher);
    }
    if (find_for_python(command, words, shown, family, mpi))
        return 0;
    if (words->launcher < 0 && find_by_text(command, words, family, mpi))
        return 0;
    *family = shown;
    if (!*family && ws_process_find("mpirun", launcher, sizeof launcher))
        *family = launcher_family(launcher);
    if (!*family)
        return ws_fail(
            error, WS_ENVIRONMENT,
            "no MPI found: %s is a script or interpreter, so the launcher shows its MPI, but there is "
            "neither a known launcher in the command nor mpirun in PATH; on Debian: apt-get "
            "install libopenmpi-dev openmpi-bin",
            command[words->program]);
    return find_library(*family, launcher, mpi, error);
}

/* ---- all together ---- */

static int not_mpi(const struct ws_words *words, const char *program, struct ws_error *error)
{
    switch (words->kind) {
    case WS_PROGRAM_STATIC:
        return ws_fail(error, WS_BAD_INPUT,
                       "%s has MPI linked into it statically, where a recorder that is loaded with it sees "
                       "nothing; link it with the shared MPI library",
                       program);
    case WS_PROGRAM_BROKEN:
        *error = words->error;
        return -1;
    case WS_PROGRAM_NONE:
        return ws_fail(error, WS_BAD_INPUT, "no program found in the command");
    default:
        return ws_fail(error, WS_BAD_INPUT,
                       "%s is not an MPI program: it needs no MPI library (one of another runtime that does "
                       "not show it is "
                       "recorded with --layer NAME)",
                       program);
    }
}

static void warn_of_conflict(const struct ws_words *words, const char *program, const char *launcher_name,
                             const struct ws_family *launcher, struct ws_platform *mpi)
{
    const struct ws_family *family = ws_family_by_id(mpi->id);

    if (!launcher || launcher == family || strcmp(mpi->id, "abi") == 0)
        return;
    snprintf(mpi->warning, sizeof mpi->warning,
             "%.120s is a program of %.100s, but %.60s is the launcher of %s: each process will think it is "
             "alone, "
             "rank 0 of 1; start it with the launcher of %s",
             program, words->kind == WS_PROGRAM_FOUND ? mpi->version : family->name, launcher_name,
             launcher->name, family->name);
}

static int find_mpi(char *const *command, struct ws_platform *mpi, struct ws_error *error)
{
    struct ws_words *words = ws_alloc(sizeof *words);
    const struct ws_family *family = NULL, *launcher = NULL;
    const char *program;
    int result = 0;

    memset(mpi, 0, sizeof *mpi);
    ws_words_read(command, NULL, words);
    program = words->program >= 0 ? command[words->program] : "";
    if (words->kind == WS_PROGRAM_FOUND) {
        family = words->family;
        copy(mpi->library, sizeof mpi->library, words->library);
    } else if (words->kind == WS_PROGRAM_OPEN) {
        result = find_for_script(command, words, &family, mpi, error);
    } else {
        result = not_mpi(words, program, error);
    }
    if (result == 0) {
        identify(family, mpi);
        if (words->launcher >= 0) {
            launcher = launcher_family(words->launcher_path);
            warn_of_conflict(words, program, command[words->launcher], launcher, mpi);
        }
        find_compiler(mpi, words->launcher_path);
    }
    free(words);
    return result;
}

/* ---- another runtime ---- */

static void copy_compiler(const struct ws_runtime *runtime, struct ws_platform *platform)
{
    char found[PATH_MAX];

    for (const char *const *name = runtime->compilers; *name && !platform->compiler[0]; name++)
        if (ws_process_find(*name, found, sizeof found))
            copy(platform->compiler, sizeof platform->compiler, found);
}

/* "X10 (libx10rt_sockets.so)" */
static void name_library(struct ws_platform *platform)
{
    const char *library = ws_base_name(platform->library);

    snprintf(platform->version, sizeof platform->version, *library ? "%.100s (%.100s)" : "%.100s",
             platform->runtime->title, library);
    copy(platform->id, sizeof platform->id, platform->runtime->id);
}

/* A program may load the library only when it runs, so one that shows none is believed. */
static int find_other(char *const *command, const struct ws_runtime *runtime, struct ws_platform *platform,
                      struct ws_error *error)
{
    struct ws_words *words = ws_alloc(sizeof *words);
    int result = 0;

    memset(platform, 0, sizeof *platform);
    platform->runtime = runtime;
    ws_words_read(command, runtime, words);
    if (words->kind == WS_PROGRAM_FOUND) {
        copy(platform->library, sizeof platform->library, words->library);
    } else if (words->kind == WS_PROGRAM_BROKEN) {
        *error = words->error;
        result = -1;
    } else if (words->kind == WS_PROGRAM_NONE) {
        result = ws_fail(error, WS_BAD_INPUT, "no program found in the command");
    }
    name_library(platform);
    copy_compiler(runtime, platform);
    free(words);
    return result;
}

int ws_platform_installed(const struct ws_runtime *runtime, struct ws_platform *platform,
                          struct ws_error *error)
{
    memset(platform, 0, sizeof *platform);
    platform->runtime = runtime;
    name_library(platform);
    copy_compiler(runtime, platform);
    return platform->compiler[0]
               ? 0
               : ws_fail(error, WS_ENVIRONMENT, "no compiler of %s (%s) is in PATH", runtime->title,
                         runtime->compilers[0] ? runtime->compilers[0] : "none is named");
}

/* ---- which runtime ---- */

bool ws_is_mpi(const struct ws_runtime *runtime)
{
    return strcmp(runtime->id, "mpi") == 0;
}

static bool is_over(const struct ws_runtime *upper, const struct ws_runtime *lower)
{
    for (const char *const *id = upper->over; *id; id++)
        if (strcmp(*id, lower->id) == 0)
            return true;
    return false;
}

/* The first word of the command that shows its use of the runtime; INT_MAX: none. */
static int shown_by(char *const *command, const struct ws_runtime *runtime)
{
    struct ws_words *words = ws_alloc(sizeof *words);
    int index;

    ws_words_read(command, ws_is_mpi(runtime) ? NULL : runtime, words);
    index = words->own_launcher               ? words->launcher
            : words->kind == WS_PROGRAM_FOUND ? words->program
                                              : INT_MAX;
    free(words);
    return index;
}

const struct ws_runtime *ws_runtime_choose(char *const *command, const struct ws_runtimes *runtimes)
{
    const struct ws_runtime *chosen = runtimes->items[0];
    int first = INT_MAX;

    for (size_t i = 0; i < runtimes->count; i++) {
        const struct ws_runtime *runtime = runtimes->items[i];
        int index = shown_by(command, runtime);
        if (index < first || (index == first && index < INT_MAX && is_over(runtime, chosen))) {
            chosen = runtime;
            first = index;
        }
    }
    return chosen;
}

int ws_platform_find(char *const *command, const struct ws_runtime *runtime, struct ws_platform *platform,
                     struct ws_error *error)
{
    int result;

    if (!ws_is_mpi(runtime))
        return find_other(command, runtime, platform, error);
    result = find_mpi(command, platform, error);
    platform->runtime = runtime;
    return result;
}

int ws_mpi_installed(const char *id, struct ws_platform *mpi, struct ws_error *error)
{
    const struct ws_family *family = ws_family_by_id(id);

    memset(mpi, 0, sizeof *mpi);
    if (!family)
        return ws_fail(error, WS_USAGE, "no MPI of the name '%s' is known", id);
    if (find_library(family, "", mpi, error) != 0)
        return -1;
    identify(family, mpi);
    if (strcmp(mpi->id, id) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "%s belongs to %s", mpi->library, mpi->version);
    find_compiler(mpi, "");
    return 0;
}
