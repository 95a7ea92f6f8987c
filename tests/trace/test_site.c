/* Call sites of real programs: the test compiles small ones, they report where they were called from as the
 * recorder would (module and link-time address of the call), and the reader must name function and line. */
#include "stream_writer.h"

#include "trace/site.h"
#include "trace/strings.h"
#include "util/text.h"

#include <sys/wait.h>

/* here(): prints module, link-time address of the call that led to it, and what is expected there. */
static const char here_c[] =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n"
    "#include <link.h>\n"
    "#include <stdio.h>\n"
    "#include <stdint.h>\n"
    "#include <stdlib.h>\n"
    "__attribute__((noinline, visibility(\"default\"))) void here(int line, const char *function)\n"
    "{\n"
    "    char path[4096];\n"
    "    struct link_map *map;\n"
    "    Dl_info info;\n"
    "    uintptr_t at = (uintptr_t)__builtin_return_address(0);\n"
    "    if (!dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP))\n"
    "        exit(1);\n"
    "    if (!realpath(map->l_name[0] ? map->l_name : \"/proc/self/exe\", path))\n"
    "        exit(1);\n"
    "    printf(\"%s %lu %d %s\\n\", path, (unsigned long)(at - 1 - map->l_addr), line, function);\n"
    "}\n";

static const char main_c[] = "void here(int line, const char *function);\n"
                             "void library(void);\n"
                             "static inline __attribute__((always_inline)) void inlined(void)\n"
                             "{\n"
                             "    here(5, \"inlined\");\n"
                             "    here(6, \"inlined\");\n"
                             "}\n"
                             "__attribute__((noinline)) void outer(void)\n"
                             "{\n"
                             "    inlined();\n"
                             "    here(11, \"outer\");\n"
                             "}\n"
                             "#ifndef LIBRARY\n"
                             "int main(void)\n"
                             "{\n"
                             "    outer();\n"
                             "#ifdef WITH_LIBRARY\n"
                             "    library();\n"
                             "#endif\n"
                             "    here(20, \"main\");\n"
                             "    return 0;\n"
                             "}\n"
                             "#else\n"
                             "void library(void)\n"
                             "{\n"
                             "    outer();\n"
                             "    here(27, \"library\");\n"
                             "}\n"
                             "#endif\n";

static const char main_cpp[] = "extern \"C\" void here(int line, const char *function);\n"
                               "namespace mesh {\n"
                               "struct Halo {\n"
                               "    void exchange();\n"
                               "    template <class T> void both(T) { here(5, \"mesh::Halo::both<int>\"); }\n"
                               "};\n"
                               "void Halo::exchange()\n"
                               "{\n"
                               "    here(9, \"mesh::Halo::exchange\");\n"
                               "}\n"
                               "}\n"
                               "int main()\n"
                               "{\n"
                               "    mesh::Halo halo;\n"
                               "    halo.exchange();\n"
                               "    halo.both(1);\n"
                               "    here(17, \"main\");\n"
                               "}\n";

static const char main_f90[] = "module mesh\n"
                               "    use iso_c_binding\n"
                               "    interface\n"
                               "        subroutine here(line, function) bind(c)\n"
                               "            import :: c_int, c_char\n"
                               "            integer(c_int), value :: line\n"
                               "            character(kind=c_char) :: function(*)\n"
                               "        end subroutine\n"
                               "    end interface\n"
                               "contains\n"
                               "    subroutine exchange()\n"
                               "        call here(12, 'mesh::exchange'//c_null_char)\n"
                               "        call here(13, 'mesh::exchange'//c_null_char)\n"
                               "    end subroutine\n"
                               "end module\n"
                               "use mesh\n"
                               "call exchange\n"
                               "call inner\n"
                               "call here(19, 'main'//c_null_char)\n"
                               "contains\n"
                               "    subroutine inner()\n"
                               "        call here(22, 'inner'//c_null_char)\n"
                               "        call here(23, 'inner'//c_null_char)\n"
                               "    end subroutine\n"
                               "end\n";

static void write_source(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(ws_file_write(path, text, strlen(text), NULL), 0);
}

static bool run(const char *format, ...)
{
    struct ws_text command = {0};
    char inner[1024];
    va_list args;
    int status;

    va_start(args, format);
    vsnprintf(inner, sizeof inner, format, args);
    va_end(args);
    ws_text_printf(&command, "cd %s && { %s; } >log 2>&1", dir, inner);
    status = system(command.bytes);
    ws_text_free(&command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int begin(void **state)
{
    set_up(state);
    write_source("here.c", here_c);
    write_source("main.c", main_c);
    write_source("main.cpp", main_cpp);
    write_source("main.f90", main_f90);
    assert_true(run("cc -O1 -fPIC -shared here.c -o libhere.so -ldl"));
    return 0;
}

enum knowledge { LINES, SYMBOLS, NOTHING };

static void check_site(const struct ws_site *site, const char *source, int line, const char *function,
                       enum knowledge knowledge)
{
    const char *name = strrchr(site->file, '/');

    if (knowledge == LINES) {
        assert_non_null(name);
        assert_string_equal(name + 1, source);
        assert_int_equal(site->file[0], '/');
        assert_int_equal(site->line, line);
        assert_string_equal(site->function, function);
        return;
    }
    assert_string_equal(site->file, "");
    assert_int_equal(site->line, 0);
    if (knowledge == NOTHING)
        assert_string_equal(site->function, "");
    else if (strcmp(function, "inlined") != 0)
        assert_string_equal(site->function, function);
    else
        assert_string_equal(site->function, "outer"); /* the symbol table knows of no inlining */
}

/* Runs the program and resolves each place that it reports. */
static void resolves(const char *program, const char *source, int places, enum knowledge knowledge)
{
    struct ws_strings strings = {0};
    struct ws_sites sites = {0};
    char path[512], module[512], function[128];
    unsigned long offset;
    int line, count = 0;
    FILE *file;

    assert_true(run("LD_LIBRARY_PATH=. ./%s >places", program));
    snprintf(path, sizeof path, "%s/places", dir);
    file = fopen(path, "r");
    assert_non_null(file);
    for (; fscanf(file, "%511s %lu %d %127[^\n]", module, &offset, &line, function) == 4; count++) {
        uint32_t site = ws_sites_add(&sites, ws_strings_get(&strings, module), offset);
        assert_int_equal(site, ws_sites_add(&sites, ws_strings_get(&strings, module), offset));
        assert_string_equal(ws_sites_get(&sites, site)->module, module);
        check_site(ws_sites_get(&sites, site), source, line, function, knowledge);
    }
    fclose(file);
    assert_int_equal(count, places);
    ws_sites_free(&sites);
    ws_strings_free(&strings);
}

static void position_independent(void **state)
{
    (void)state;
    assert_true(run("cc -g -O1 -fPIE -pie main.c -o a -L. -lhere"));
    resolves("a", "main.c", 4, LINES);
}

static void at_a_fixed_address(void **state)
{
    (void)state;
    assert_true(run("cc -g -O2 -fno-optimize-sibling-calls -fno-pie -no-pie main.c -o a -L. -lhere"));
    resolves("a", "main.c", 4, LINES);
}

static void older_debug_information(void **state)
{
    (void)state;
    assert_true(run("cc -gdwarf-4 -O1 main.c -o a -L. -lhere"));
    resolves("a", "main.c", 4, LINES);
    assert_true(run("cc -gdwarf-3 -O0 main.c -o a -L. -lhere"));
    resolves("a", "main.c", 4, LINES);
}

static void shared_library(void **state)
{
    (void)state;
    assert_true(run("cc -g -O1 -fPIC -shared -Wl,-Bsymbolic -DLIBRARY main.c -o liblib.so -L. -lhere"));
    assert_true(run("cc -g -O1 -DWITH_LIBRARY main.c -o a -L. -llib -lhere"));
    resolves("a", "main.c", 8, LINES);
}

static void no_debug_information(void **state)
{
    (void)state;
    assert_true(run("cc -O1 main.c -o a -L. -lhere"));
    resolves("a", "main.c", 4, SYMBOLS);
}

static void stripped(void **state)
{
    (void)state;
    assert_true(run("cc -g -O1 main.c -o a -L. -lhere && strip a"));
    resolves("a", "main.c", 4, NOTHING);
    assert_true(run("cc -g -O1 -rdynamic main.c -o a -L. -lhere && strip a")); /* dynamic symbols stay */
    resolves("a", "main.c", 4, SYMBOLS);
}

static void separate_debug_information(void **state)
{
    (void)state;
    assert_true(run("cc -g -O1 main.c -o a -L. -lhere && objcopy --only-keep-debug a a.debug && strip a && "
                    "objcopy --add-gnu-debuglink=a.debug a"));
    resolves("a", "main.c", 4, LINES);
}

static void by_clang(void **state)
{
    (void)state;
    if (!run("clang --version"))
        skip();
    assert_true(run("clang -g -O1 main.c -o a -L. -lhere"));
    resolves("a", "main.c", 4, LINES);
}

static void cplusplus_names_are_full(void **state)
{
    (void)state;
    if (!run("c++ --version"))
        skip();
    assert_true(run("c++ -g -O1 main.cpp -o a -L. -lhere"));
    resolves("a", "main.cpp", 3, LINES);
    assert_true(run("c++ -O0 main.cpp -o a -L. -lhere"));
    resolves("a", "main.cpp", 3, SYMBOLS);
}

/* With and without debug information: then a symbol's name is not the source's. */
static void fortran_names(void **state)
{
    (void)state;
    if (!run("gfortran --version"))
        skip();
    assert_true(run("gfortran -g -O0 main.f90 -o a -L. -lhere"));
    resolves("a", "main.f90", 5, LINES);
    assert_true(run("gfortran -O0 main.f90 -o a -L. -lhere"));
    resolves("a", "main.f90", 5, SYMBOLS);
}

static void what_is_no_program_stays_unknown(void **state)
{
    static const char *const modules[] = {"/dev/zero", "/dev", "/nowhere", "", "[vdso]", "/etc/passwd"};
    struct ws_strings strings = {0};
    struct ws_sites sites = {0};
    char path[512];

    (void)state;
    for (size_t i = 0; i < COUNT(modules); i++)
        check_site(ws_sites_get(&sites, ws_sites_add(&sites, ws_strings_get(&strings, modules[i]), 64)), "",
                   0, "", NOTHING);
    assert_true(run("cc -g main.c -o a -L. -lhere && head -c 5000 a >b"));
    snprintf(path, sizeof path, "%s/b", dir);
    for (uint64_t offset = 0; offset < 5000; offset += 50)
        ws_sites_get(&sites, ws_sites_add(&sites, ws_strings_get(&strings, path), offset));
    ws_sites_get(&sites, ws_sites_add(&sites, ws_strings_get(&strings, path), UINT64_MAX));
    ws_sites_free(&sites);
    ws_strings_free(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(position_independent, begin, tear_down),
        cmocka_unit_test_setup_teardown(at_a_fixed_address, begin, tear_down),
        cmocka_unit_test_setup_teardown(older_debug_information, begin, tear_down),
        cmocka_unit_test_setup_teardown(shared_library, begin, tear_down),
        cmocka_unit_test_setup_teardown(no_debug_information, begin, tear_down),
        cmocka_unit_test_setup_teardown(stripped, begin, tear_down),
        cmocka_unit_test_setup_teardown(separate_debug_information, begin, tear_down),
        cmocka_unit_test_setup_teardown(by_clang, begin, tear_down),
        cmocka_unit_test_setup_teardown(cplusplus_names_are_full, begin, tear_down),
        cmocka_unit_test_setup_teardown(fortran_names, begin, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_program_stays_unknown, begin, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
