/* Modules that the simulator loads for one process each look for functions in the libraries that they need
 * before those that are preloaded (RTLD_DEEPBIND), so that names of theirs do not meet others.  So the
 * recorder's functions are put where such a module keeps the addresses of what it calls: for all that the
 * recorder defines and the module does not. */
#ifdef WS_SIMULATED
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/recorder.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __x86_64__
#define IS_ADDRESS(type)                                                                                     \
    ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined __aarch64__
#define IS_ADDRESS(type)                                                                                     \
    ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#else
#define IS_ADDRESS(type) 0
#endif

struct module {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
    struct {
        const ElfW(Rela) * at;
        size_t bytes;
    } tables[2];                /* of data and of calls */
    uintptr_t fixed, fixed_end; /* pages that are read-only once the module is loaded */
};

/* ---- the recorder itself ---- */

static void *self; /* as dlsym wants it */
static uintptr_t own_begin, own_end;

static int find_own(struct dl_phdr_info *info, size_t size, void *context)
{
    uintptr_t begin = UINTPTR_MAX, end = 0;

    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        begin = at < begin ? at : begin;
        end = at + part->p_memsz > end ? at + part->p_memsz : end;
    }
    if ((uintptr_t)find_own < begin || (uintptr_t)find_own >= end)
        return 0;
    own_begin = begin;
    own_end = end;
    self = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 1;
}

/* Our own definition; NULL: there is none. */
static void *own_function(const char *name)
{
    uintptr_t found = self ? (uintptr_t)dlsym(self, name) : 0;

    return found >= own_begin && found < own_end ? (void *)found : NULL;
}

/* ---- a module ---- */

/* The linker has made addresses of most entries. */
static const void *pointer(const struct module *module, ElfW(Addr) value)
{
    return (const void *)(value < module->base ? module->base + value : value);
}

static void read_dynamic(struct module *module, const ElfW(Dyn) * dynamic)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            module->symbols = pointer(module, dynamic->d_un.d_ptr);
            break;
        case DT_STRTAB:
            module->names = pointer(module, dynamic->d_un.d_ptr);
            break;
        case DT_RELA:
            module->tables[0].at = pointer(module, dynamic->d_un.d_ptr);
            break;
        case DT_RELASZ:
            module->tables[0].bytes = dynamic->d_un.d_val;
            break;
        case DT_JMPREL:
            module->tables[1].at = pointer(module, dynamic->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            module->tables[1].bytes = dynamic->d_un.d_val;
            break;
        default:
            break;
        }
}

static void put_address(const struct module *module, void **place, void *address)
{
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)place / page_bytes * page_bytes);
    bool fixed = (uintptr_t)place >= module->fixed && (uintptr_t)place < module->fixed_end;

    if (fixed && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        return;
    *place = address;
    if (fixed)
        mprotect(page, page_bytes, PROT_READ);
}

static void patch_table(const struct module *module, const ElfW(Rela) * table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &module->symbols[ELF64_R_SYM(table[i].r_info)];
        void *own;
        if (IS_ADDRESS(ELF64_R_TYPE(table[i].r_info)) && symbol->st_shndx == SHN_UNDEF &&
            table[i].r_addend == 0 && symbol->st_name &&
            (own = own_function(module->names + symbol->st_name)))
            put_address(module, (void **)(module->base + table[i].r_offset), own);
    }
}

/* Each module once: by the address of what it says of itself, which nothing else has as long as it is loaded.
 */
static int patch_module(struct dl_phdr_info *info, size_t size, void *context)
{
    static struct ws_table done = WS_TABLE;
    struct module module = {.base = info->dlpi_addr};
    const ElfW(Dyn) *dynamic = NULL;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const void *)(module.base + part->p_vaddr);
        if (part->p_type == PT_GNU_RELRO) {
            module.fixed = module.base + part->p_vaddr;
            module.fixed_end = module.fixed + part->p_memsz;
        }
    }
    if (!dynamic || ws_table_get(&done, (uintptr_t)dynamic) ||
        !ws_table_put(&done, (uintptr_t)dynamic, context))
        return 0;
    read_dynamic(&module, dynamic);
    for (size_t i = 0; module.symbols && module.names && i < 2; i++)
        patch_table(&module, module.tables[i].at, module.tables[i].bytes / sizeof(ElfW(Rela)));
    return 0;
}

void ws_patch_modules(void)
{
    static char mark;

    if (!self)
        dl_iterate_phdr(find_own, NULL);
    dl_iterate_phdr(patch_module, &mark);
}
#endif
