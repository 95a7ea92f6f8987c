/* The libraries that are built for a runtime: the recorder (generated wrappers, the knowledge base's
 * support.c and src/recorder) and, for an MPI, the analysers' team (src/team/shim).  Compiled by the
 * runtime's own compiler, kept under a name that changes when anything they are made of changes. */
#include "launch/launch.h"

#include "launch/family.h"
#include "launch/loader.h"
#include "launch/process.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SOURCE ((size_t)64 << 20)

/* Everything that one library is made of. */
struct recipe {
    const char *what; /* "recorder" */
    const struct ws_platform *platform;
    const struct ws_kb *kb; /* NULL: needs none */
    struct ws_arena arena;
    char data[PATH_MAX - 256];
    struct ws_text wrappers;
    const char **sources; /* C files to compile besides the wrappers */
    size_t source_count, source_capacity;
    char rules_key[192]; /* "openmpi-0123456789abcdef": by sources, MPI and its version */
    char full_key[256];  /* and its library and compiler */
};

/* Whether what is built is linked with the runtime's library; else it serves all that have its functions. */
static bool is_linked(const struct ws_platform *platform)
{
    return !platform->runtime || platform->runtime->header;
}

/* ---- keys ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return ws_hash(hash, text, strlen(text) + 1);
}

/* Where a rule stands does not change the library: lines like `#line 12 "functions.xml"` are left out. */
static uint64_t hash_wrappers(uint64_t hash, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        length += text[length] == '\n';
        if (strncmp(text, "#line", 5) != 0)
            hash = ws_hash(hash, text, length);
        text += length;
    }
    return hash;
}

static int hash_file(uint64_t *hash, const char *path, struct ws_error *error)
{
    size_t length;
    char *bytes = ws_file_read(path, MOST_SOURCE, &length, error);

    if (!bytes)
        return -1;
    *hash = ws_hash(*hash, bytes, length);
    free(bytes);
    return 0;
}

/* Hashes the C files and headers of a folder; the C files are sources. */
static int take_folder(struct recipe *recipe, const char *folder, const char *suffix, uint64_t *hash,
                       struct ws_error *error)
{
    char **names = ws_folder_names(folder, suffix, error);
    int result = names ? 0 : -1;

    for (size_t i = 0; result == 0 && names[i]; i++) {
        const char *path = ws_arena_printf(&recipe->arena, "%s/%s", folder, names[i]);
        *hash = hash_text(*hash, names[i]);
        result = hash_file(hash, path, error);
        if (strcmp(suffix, ".c") == 0)
            WS_PUSH(recipe->sources, recipe->source_count, recipe->source_capacity) = path;
    }
    ws_names_free(names);
    return result;
}

static int take_sources(struct recipe *recipe, uint64_t *hash, struct ws_error *error)
{
    const char *folder = ws_arena_printf(&recipe->arena, "%s/recorder", recipe->data);
    const char *layout = ws_arena_printf(&recipe->arena, "%s/trace/layout.h", recipe->data);

    if (take_folder(recipe, folder, ".c", hash, error) != 0 ||
        take_folder(recipe, folder, ".h", hash, error) != 0 ||
        take_folder(recipe, recipe->kb->folder, ".c", hash, error) != 0 ||
        take_folder(recipe, recipe->kb->folder, ".h", hash, error) != 0)
        return -1;
    return hash_file(hash, layout, error);
}

/* Which library, and with which options the compiler links it. */
static uint64_t hash_library(uint64_t hash, const struct ws_platform *platform)
{
    static const char *const questions[] = {"--showme", "-show"};
    struct stat info = {0};

    hash = hash_text(hash, platform->library);
    if (stat(platform->library, &info) == 0) {
        hash = ws_hash(hash, &info.st_mtim, sizeof info.st_mtim);
        hash = ws_hash(hash, &info.st_size, sizeof info.st_size);
    }
    for (size_t i = 0; i < 2; i++) {
        const char *command[] = {platform->compiler, questions[i], NULL};
        struct ws_text answer = {0};
        if (ws_process_capture(command, &answer, NULL) == 0) {
            hash = hash_text(hash, ws_text_string(&answer));
            ws_text_free(&answer);
            break;
        }
        ws_text_free(&answer);
    }
    return hash;
}

/* The key of this very machine. */
static void make_full_key(struct recipe *recipe)
{
    uint64_t hash = hash_text(WS_HASH_START, recipe->platform->compiler);

    if (is_linked(recipe->platform))
        hash = hash_library(hash, recipe->platform);
    snprintf(recipe->full_key, sizeof recipe->full_key, "%s-%016" PRIx64, recipe->rules_key, hash);
}

/* Lines that the sources begin with. */
static const char *preamble(const struct ws_platform *platform)
{
    const struct ws_family *family = ws_family_by_id(platform->id);

    return family && family->preamble ? family->preamble : "";
}

static int make_recipe(struct recipe *recipe, const struct ws_kb *kb, const struct ws_platform *platform,
                       struct ws_error *error)
{
    struct ws_schema schema = {0};
    uint64_t hash = WS_HASH_START;
    int result;

    *recipe = (struct recipe){.what = "recorder", .platform = platform, .kb = kb};
    if (ws_data_folder(recipe->data, sizeof recipe->data, error) != 0 ||
        ws_schema_from_kb(kb, &schema, error) != 0)
        return -1;
    result = ws_tracegen_wrappers(kb, &schema, &recipe->wrappers, error);
    ws_schema_free(&schema);
    if (result != 0)
        return -1;
    hash = hash_wrappers(hash, ws_text_string(&recipe->wrappers));
    if (take_sources(recipe, &hash, error) != 0)
        return -1;
    if (ws_is_mpi(&kb->about))
        hash = hash_text(hash_text(hash, platform->version), preamble(platform));
    snprintf(recipe->rules_key, sizeof recipe->rules_key, "%s-%016" PRIx64, platform->id, hash);
    if (platform->compiler[0])
        make_full_key(recipe);
    return 0;
}

/* What lies in the folder shim/ of a room, and is made of nothing else. */
struct shim {
    const char *room; /* of the same name in the cache */
    const char *what; /* the messages call it */
};
static const struct shim team_shim = {"team", "team library"};
static const struct shim replay_shim = {"simulate", "program that replays runs"};

static int make_shim_recipe(struct recipe *recipe, const struct ws_platform *platform, const struct shim *shim,
                            struct ws_error *error)
{
    uint64_t hash = WS_HASH_START;
    const char *folder;

    *recipe = (struct recipe){.what = shim->what, .platform = platform};
    if (ws_data_folder(recipe->data, sizeof recipe->data, error) != 0)
        return -1;
    folder = ws_arena_printf(&recipe->arena, "%s/%s/shim", recipe->data, shim->room);
    if (take_folder(recipe, folder, ".c", &hash, error) != 0 ||
        take_folder(recipe, folder, ".h", &hash, error) != 0)
        return -1;
    hash = hash_text(hash, platform->version);
    snprintf(recipe->rules_key, sizeof recipe->rules_key, "%.16s-%s-%016" PRIx64, shim->room, platform->id, hash);
    if (platform->compiler[0])
        make_full_key(recipe);
    return 0;
}

static void drop_recipe(struct recipe *recipe)
{
    ws_arena_free(&recipe->arena);
    ws_text_free(&recipe->wrappers);
    free(recipe->sources);
}

/* ---- a library that is there ---- */

struct trial {
    const char *path, *symbol;
};

/* Runs in a child: loading runs code of the library. */
static int try_load(void *context)
{
    const struct trial *trial = context;
    void *library = dlopen(trial->path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        fputs(dlerror(), stdout);
        return 1;
    }
    if (!dlsym(library, trial->symbol)) {
        printf("it does not record %s", trial->symbol);
        return 1;
    }
    return 0;
}

/* Is it linked with the library that the program uses? */
static int check_link(const struct ws_platform *platform, const char *path, struct ws_error *error)
{
    const struct ws_runtime *runtime = platform->runtime;
    const struct ws_family *family;
    char library[PATH_MAX];
    int found = !runtime || ws_is_mpi(runtime)
                    ? ws_loader_mpi(path, &family, library, sizeof library, error)
                    : ws_loader_runtime(path, runtime, library, sizeof library, error);

    if (found != 1)
        return ws_fail(error, WS_ENVIRONMENT, "the library %s is not linked with any %s", path,
                       runtime ? runtime->title : "MPI");
    if (platform->library[0] && strcmp(library, platform->library) != 0)
        return ws_fail(error, WS_ENVIRONMENT,
                       "%s builds for %s, but the program loads %s; put the compiler wrapper (%s) of the "
                       "program's %s first in PATH",
                       platform->compiler, library, platform->library,
                       runtime && !ws_is_mpi(runtime) ? ws_base_name(platform->compiler) : "mpicc",
                       runtime ? runtime->title : "MPI");
    return 0;
}

/* Does the library load, and with the one that the program uses? */
static int check_library(const struct ws_platform *platform, char *path, struct ws_error *error)
{
    struct trial trial = {path, platform->runtime ? platform->runtime->begin : "MPI_Init"};
    struct ws_text trouble = {0};
    int result = is_linked(platform) ? check_link(platform, path, error) : 0;

    if (result == 0 && ws_process_call(try_load, &trial, &trouble) != 0)
        result = ws_fail(error, WS_ENVIRONMENT, "the library %s does not load: %s", path,
                         trouble.length ? trouble.bytes : "it crashes");
    ws_text_free(&trouble);
    return result;
}

static bool usable(const struct ws_platform *platform, char *path)
{
    struct ws_error ignored;
    return ws_is_file(path) && check_library(platform, path, &ignored) == 0;
}

/* The first usable library of a folder whose name begins with the key. */
static bool find_in_folder(const struct ws_platform *platform, const char *folder, const char *key,
                           char *path, size_t size)
{
    char **names = ws_folder_names(folder, ".so", NULL);
    bool found = false;

    for (size_t i = 0; !found && names && names[i]; i++)
        found = strncmp(names[i], key, strlen(key)) == 0 &&
                (size_t)snprintf(path, size, "%s/%s", folder, names[i]) < size && usable(platform, path);
    ws_names_free(names);
    return found;
}

/* Shipped with the installation, or built before.  Without a compiler any that was built from these
 * rules for this version will do: compute nodes often have none. */
static bool find_built(struct recipe *recipe, const char *cache, char *path, size_t size)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s/recorders", recipe->data);
    if (find_in_folder(recipe->platform, folder, recipe->rules_key, path, size))
        return true;
    if (!recipe->full_key[0])
        return find_in_folder(recipe->platform, cache, recipe->rules_key, path, size);
    return (size_t)snprintf(path, size, "%s/%s.so", cache, recipe->full_key) < size &&
           usable(recipe->platform, path);
}

/* ---- building ---- */

static int no_compiler(const struct recipe *recipe, struct ws_error *error)
{
    const struct ws_platform *platform = recipe->platform;
    const struct ws_family *family = ws_family_by_id(platform->id);
    const struct ws_runtime *runtime = platform->runtime;

    if (runtime && !ws_is_mpi(runtime))
        return ws_fail(
            error, WS_ENVIRONMENT,
            "a C compiler for %s (%s) is missing; it is needed once, to build the %s; on Debian: apt-get "
            "install %s",
            runtime->title, runtime->compilers[0] ? runtime->compilers[0] : "none is named", recipe->what,
            runtime->header && runtime->package ? runtime->package : "gcc");
    return ws_fail(error, WS_ENVIRONMENT,
                   "the C compiler wrapper of %s (%s) is missing; it is needed once, to build the %s; on "
                   "Debian: apt-get install %s gcc",
                   platform->version, family->compilers[0], recipe->what, family->package);
}

/* The first lines of what a compiler said. */
static int compile_failed(const struct recipe *recipe, const char *said, struct ws_error *error)
{
    size_t length = 0;

    for (int lines = 0; lines < 12 && said[length]; lines++)
        length += strcspn(said + length, "\n") + (said[length + strcspn(said + length, "\n")] == '\n');
    while (length && said[length - 1] == '\n')
        length--;
    return ws_fail(error, WS_ENVIRONMENT, "the %s does not compile with %s:\n%.*s", recipe->what,
                   recipe->platform->compiler, (int)(length < 1500 ? length : 1500), said);
}

/* Is the function declared (or a macro's expansion called) in the preprocessed header? */
static bool is_declared(const char *header, const char *function)
{
    size_t length = strlen(function);

    for (const char *at = header; (at = strstr(at, function)); at += length) {
        const char *behind = at + length + strspn(at + length, " ");
        if (*behind == '(' && at > header && !isalnum((unsigned char)at[-1]) && at[-1] != '_')
            return true;
    }
    return false;
}

/* Tells, as macros for support.h, which of the optional functions the runtime's own headers declare. */
static int probe(struct recipe *recipe, struct ws_text *told, struct ws_error *error)
{
    const char *support = ws_arena_printf(&recipe->arena, "%s/support.h", recipe->kb->folder);
    const char *command[] = {
        recipe->platform->compiler, "-E",    "-P", "-std=gnu11", "-D_GNU_SOURCE", "-I", recipe->data, "-I",
        recipe->kb->folder,         support, NULL};
    struct ws_text header = {0};
    int result = ws_process_capture(command, &header, error);

    if (result > 0)
        result = compile_failed(recipe, ws_text_string(&header), error);
    ws_text_printf(told, "#define WS_PROBED 1\n%s", preamble(recipe->platform));
    for (size_t i = 0; result == 0 && i < recipe->kb->function_count; i++) {
        const struct ws_function *function = recipe->kb->functions[i];
        if (function->optional && is_declared(ws_text_string(&header), function->name))
            ws_text_printf(told, "#define WS_HAVE_%s 1\n", function->name);
    }
    ws_text_free(&header);
    return result;
}

static int compile(struct recipe *recipe, const char *declared, const char *wrappers, const char *library,
                   struct ws_error *error)
{
    struct ws_arena *arena = &recipe->arena;
    const char *library_path = recipe->platform->library, *slash = strrchr(library_path, '/');
    const char *const before[] = {recipe->platform->compiler,
                                  "-O2",
                                  "-std=gnu11",
                                  "-D_GNU_SOURCE",
                                  "-shared",
                                  "-fPIC",
                                  "-fvisibility=hidden",
                                  "-Wl,--no-as-needed",
                                  "-include",
                                  declared,
                                  "-o",
                                  library,
                                  wrappers};
    const char *const after[] = {
        "-I", recipe->data, "-I", recipe->kb ? recipe->kb->folder : recipe->data,
        /* The program's library is found first even where the wrapper names no place.  What is linked with
         * none must not need it either: it is loaded into launchers and shells too. */
        !is_linked(recipe->platform) ? "-Wl,-z,defs"
        : slash ? ws_arena_printf(arena, "-Wl,-rpath,%.*s", (int)(slash - library_path), library_path)
                : "-O2",
        "-ldl", "-lpthread"};
    const char **command = NULL;
    size_t count = 0, capacity = 0;
    struct ws_text said = {0};
    int result;

    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        WS_PUSH(command, count, capacity) = before[i];
    for (size_t i = 0; i < recipe->source_count; i++)
        WS_PUSH(command, count, capacity) = recipe->sources[i];
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        WS_PUSH(command, count, capacity) = after[i];
    WS_PUSH(command, count, capacity) = NULL;
    result = ws_process_capture(command, &said, error);
    if (result > 0)
        result = compile_failed(recipe, ws_text_string(&said), error);
    ws_text_free(&said);
    free(command);
    return result;
}

/* Builds in a folder of its own and moves the result: two runs at once do not meet. */
static int build_into(struct recipe *recipe, const char *folder, const char *path, struct ws_error *error)
{
    struct ws_arena *arena = &recipe->arena;
    char *work = ws_arena_printf(arena, "%s/.build-XXXXXX", folder);
    struct ws_text told = {0};
    char *declared, *wrappers, *library;
    int result;

    if (!mkdtemp(work))
        return ws_fail(error, WS_ENVIRONMENT, "%s: cannot create a folder in it: %s", folder,
                       strerror(errno));
    declared = ws_arena_printf(arena, "%s/declared.h", work);
    wrappers = ws_arena_printf(arena, "%s/wrappers.c", work);
    library = ws_arena_printf(arena, "%s/recorder.so", work);
    result = ws_file_write(wrappers, ws_text_string(&recipe->wrappers), recipe->wrappers.length, error);
    if (result == 0 && recipe->kb && recipe->kb->about.header)
        result = probe(recipe, &told, error);
    if (result == 0)
        result = ws_file_write(declared, ws_text_string(&told), told.length, error);
    if (result == 0)
        result = compile(recipe, declared, wrappers, library, error);
    if (result == 0)
        result = check_library(recipe->platform, library, error);
    if (result == 0 && rename(library, path) != 0)
        result = ws_fail(error, WS_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
    unlink(library);
    unlink(wrappers);
    unlink(declared);
    rmdir(work);
    ws_text_free(&told);
    return result;
}

/* One build of a user at a time: the second finds what the first made.  Where the file system has no
 * locks both build. */
static int lock_folder(const char *folder)
{
    char path[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s/.lock", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0)
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
            continue;
    return fd;
}

static int build_cached(struct recipe *recipe, const char *cache, char *path, size_t size, ws_tell *tell,
                        struct ws_error *error)
{
    int lock = lock_folder(cache), result = 0;

    if (!find_built(recipe, cache, path, size)) {
        if (tell) {
            char line[1024];
            snprintf(line, sizeof line, "building the %s for %s (once; kept in %.300s)", recipe->what,
                     recipe->platform->version, cache);
            tell(line);
        }
        if ((size_t)snprintf(path, size, "%s/%s.so", cache, recipe->full_key) >= size)
            result = ws_fail(error, WS_ENVIRONMENT, "the path of the cache folder is too long");
        else
            result = build_into(recipe, cache, path, error);
    }
    if (lock >= 0)
        close(lock);
    return result;
}

/* Shipped, or built before, or built now.  One that is there needs no folder to write to. */
static int find_or_build(struct recipe *recipe, char *path, size_t size, ws_tell *tell,
                         struct ws_error *error)
{
    char cache[PATH_MAX - 256];

    if (ws_cache_path(cache, sizeof cache, error) != 0)
        return -1;
    if (find_built(recipe, cache, path, size) && ws_preloadable(path))
        return 0;
    if (!recipe->platform->compiler[0])
        return no_compiler(recipe, error);
    if (ws_cache_folder(cache, sizeof cache, error) != 0)
        return -1;
    return build_cached(recipe, cache, path, size, tell, error);
}

int ws_recorder_library(const struct ws_kb *kb, const struct ws_platform *platform, char *path, size_t size,
                        ws_tell *tell, struct ws_error *error)
{
    struct recipe recipe;
    int result = make_recipe(&recipe, kb, platform, error);

    if (result == 0)
        result = find_or_build(&recipe, path, size, tell, error);
    drop_recipe(&recipe);
    return result;
}

static int shim_library(const struct shim *shim, const struct ws_platform *platform, char *path, size_t size,
                        ws_tell *tell, struct ws_error *error)
{
    struct recipe recipe;
    int result = make_shim_recipe(&recipe, platform, shim, error);

    if (result == 0)
        result = find_or_build(&recipe, path, size, tell, error);
    drop_recipe(&recipe);
    return result;
}

int ws_team_library(const struct ws_platform *mpi, char *path, size_t size, ws_tell *tell,
                    struct ws_error *error)
{
    return shim_library(&team_shim, mpi, path, size, tell, error);
}

int ws_replay_program(const struct ws_platform *simulator, char *path, size_t size, ws_tell *tell,
                      struct ws_error *error)
{
    return shim_library(&replay_shim, simulator, path, size, tell, error);
}

/* Under the name that an installation looks for. */
static int prebuild(struct recipe *recipe, const char *folder, char *path, size_t size,
                    struct ws_error *error)
{
    if (!recipe->platform->compiler[0])
        return no_compiler(recipe, error);
    if (ws_make_folder(folder, error) != 0)
        return -1;
    if ((size_t)snprintf(path, size, "%s/%s.so", folder, recipe->rules_key) >= size)
        return ws_fail(error, WS_ENVIRONMENT, "%s: path too long", folder);
    return build_into(recipe, folder, path, error);
}

int ws_recorder_prebuild(const struct ws_kb *kb, const struct ws_platform *platform, const char *folder,
                         char *path, size_t size, struct ws_error *error)
{
    struct recipe recipe;
    int result = make_recipe(&recipe, kb, platform, error);

    if (result == 0)
        result = prebuild(&recipe, folder, path, size, error);
    drop_recipe(&recipe);
    return result;
}

static int shim_prebuild(const struct shim *shim, const struct ws_platform *platform, const char *folder,
                         char *path, size_t size, struct ws_error *error)
{
    struct recipe recipe;
    int result = make_shim_recipe(&recipe, platform, shim, error);

    if (result == 0)
        result = prebuild(&recipe, folder, path, size, error);
    drop_recipe(&recipe);
    return result;
}

int ws_replay_prebuild(const struct ws_platform *simulator, const char *folder, char *path, size_t size,
                       struct ws_error *error)
{
    return shim_prebuild(&replay_shim, simulator, folder, path, size, error);
}

int ws_team_prebuild(const struct ws_platform *mpi, const char *folder, char *path, size_t size,
                     struct ws_error *error)
{
    return shim_prebuild(&team_shim, mpi, folder, path, size, error);
}
