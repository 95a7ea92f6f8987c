#include "trace/module.h"

#include "util/alloc.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEEPEST_NAME 16 /* namespaces and classes around a function */

struct ws_module {
    struct ws_arena arena;
    const char *path;
    bool opened;
    Dwfl *dwfl;          /* with this module alone: no two modules compete for an address */
    Dwfl_Module *module; /* NULL: no such file, or no ELF */
};

struct ws_module *ws_module_new(const char *path)
{
    struct ws_module *module = ws_alloc(sizeof *module);
    module->path = path;
    return module;
}

void ws_module_free(struct ws_module *module)
{
    if (module->dwfl)
        dwfl_end(module->dwfl);
    ws_arena_free(&module->arena);
    free(module);
}

static void open_module(struct ws_module *module)
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo, /* the file itself, .debug, /usr/lib/debug */
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &no_path,
    };
    struct stat info;

    module->opened = true;
    if (stat(module->path, &info) != 0 || !S_ISREG(info.st_mode) || !(module->dwfl = dwfl_begin(&callbacks)))
        return;
    dwfl_report_begin(module->dwfl);
    module->module = dwfl_report_offline(module->dwfl, module->path, module->path, -1);
    dwfl_report_end(module->dwfl, NULL, NULL);
}

/* ---- the function ---- */

/* The declaration inside of its class or namespace, to which a definition refers. */
static Dwarf_Die *declaration(Dwarf_Die *die, Dwarf_Die *memory)
{
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Attribute attribute;

    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (dwarf_attr(die, links[i], &attribute) && dwarf_formref_die(&attribute, memory))
            die = memory;
    return die;
}

static bool names_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* "Mesh::exchange": the name with those of the classes and namespaces around it. */
static const char *qualified_name(struct ws_module *module, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die), *full;
    Dwarf_Die memory, *scopes = NULL;
    int count;

    if (!name)
        return "";
    full = ws_arena_strdup(&module->arena, name);
    count = dwarf_getscopes_die(declaration(die, &memory), &scopes);
    for (int i = 1; i < count && i < DEEPEST_NAME; i++)
        if (names_scope(dwarf_tag(&scopes[i])) && (name = dwarf_diename(&scopes[i])))
            full = ws_arena_printf(&module->arena, "%s::%s", name, full);
    free(scopes);
    return full;
}

/* The innermost function around an address of a compilation unit. */
static const char *function_of_unit(struct ws_module *module, Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    const char *name = "";

    for (int i = 0; i < count && !*name; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram)
            name = qualified_name(module, &scopes[i]);
    }
    free(scopes);
    return name;
}

/* The symbol that spans an address; a mere neighbour would name the wrong function. */
static const char *function_of_symbols(struct ws_module *module, GElf_Addr address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module->module, address, &offset, &symbol, NULL, NULL, NULL);

    if (!name || !*name || offset >= symbol.st_size || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
        return "";
    return ws_arena_strdup(&module->arena, name);
}

/* The demangler of the C++ run-time library, by the name that all its compilers agree on: gives malloc'd text. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Cuts the parameters off a full name of C++, and gives where in it the name begins after a return type. */
static char *without_types(char *full)
{
    char *end = strrchr(full, ')'), *name = full;
    int depth = 0;

    for (; end && end > full; end--) {
        depth += (*end == ')') - (*end == '(');
        if (depth == 0) {
            *end = '\0';
            break;
        }
    }
    if (strstr(full, "operator"))
        return full;
    for (char *at = full; *at; at++) {
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
        if (*at == ' ' && depth == 0)
            name = at + 1;
    }
    return name;
}

/* "_ZN4mesh8exchangeEi" is mesh::exchange(int): that as debug information has it.  NULL: no name of C++. */
static const char *name_in_cplusplus(struct ws_module *module, const char *symbol)
{
    char *full = strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
    const char *name = full ? ws_arena_strdup(&module->arena, without_types(full)) : NULL;

    free(full);
    return name;
}

/* What compilers make of a name, undone: "solve.constprop.0" is a copy of solve and "solve._omp_fn.0" a part,
 * "__mesh_MOD_exchange" is gfortran's exchange of the module mesh, MAIN__ a program without a name. */
static const char *name_in_source(struct ws_module *module, const char *symbol)
{
    size_t length = strcspn(symbol, ".");
    const char *name = length ? ws_arena_printf(&module->arena, "%.*s", (int)length, symbol) : symbol;
    const char *of = strncmp(name, "__", 2) == 0 ? strstr(name, "_MOD_") : NULL;
    const char *cplusplus = name_in_cplusplus(module, name);

    if (cplusplus)
        return cplusplus;
    if (of)
        return ws_arena_printf(&module->arena, "%.*s::%s", (int)(of - name - 2), name + 2, of + 5);
    return strcmp(name, "MAIN__") == 0 ? "main" : name;
}

/* ---- file and line ---- */

/* The compilation unit of an address.  Compilers that write no address table (clang) make it a search. */
static Dwarf_Die *find_unit(Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

static void file_of_unit(struct ws_module *module, Dwarf_Die *unit, Dwarf_Addr address, struct ws_site *site)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    Dwarf_Attribute attribute;
    const char *file, *folder;

    if (!line || !(file = dwarf_linesrc(line, NULL, NULL)) || dwarf_lineno(line, &site->line) != 0)
        return;
    folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    site->file = *file != '/' && folder ? ws_arena_printf(&module->arena, "%s/%s", folder, file)
                                        : ws_arena_strdup(&module->arena, file);
}

static void resolve(struct ws_module *module, uint64_t address, struct ws_site *site)
{
    GElf_Addr elf_bias;
    Dwarf_Addr bias;
    Dwarf_Die *unit;

    if (!module->opened)
        open_module(module);
    if (!module->module || !dwfl_module_getelf(module->module, &elf_bias))
        return;
    address += elf_bias;
    unit = find_unit(module->module, address, &bias);
    if (unit) {
        file_of_unit(module, unit, address - bias, site);
        site->function = function_of_unit(module, unit, address - bias);
    }
    if (!*site->function)
        site->function = function_of_symbols(module, address);
    site->function = name_in_source(module, site->function);
}

/* elfutils is not made for several threads; sites are resolved once each. */
void ws_module_resolve(struct ws_module *module, uint64_t address, struct ws_site *site)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    resolve(module, address, site);
    pthread_mutex_unlock(&lock);
}
