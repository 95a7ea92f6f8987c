/* What the dynamic linker reads of an ELF file: which libraries it needs and where it looks for them.
 * Only the program headers are used (stripped files have them); every offset and size is checked. */
#ifndef WS_LAUNCH_ELF_H
#define WS_LAUNCH_ELF_H

#include "util/alloc.h"
#include "util/error.h"

#include <stdbool.h>

struct ws_elf {
    struct ws_arena arena;
    bool dynamic;        /* has a dynamic segment; false: statically linked */
    const char **needed; /* DT_NEEDED, in order */
    size_t needed_count;
    const char *rpath;   /* DT_RPATH; "" */
    const char *runpath; /* DT_RUNPATH; "" */
};

enum ws_elf_kind {
    WS_ELF_OURS,    /* an ELF file of this machine's class and byte order */
    WS_ELF_FOREIGN, /* an ELF file for another machine, or 32-bit */
    WS_ELF_SCRIPT,  /* begins with #! */
    WS_ELF_OTHER,
};
/* By the first bytes of a file; OTHER where it cannot be read. */
enum ws_elf_kind ws_elf_kind(const char *path);

/* Fails with WS_BAD_INPUT where the file is not one of WS_ELF_OURS or damaged; then *elf is empty. */
int ws_elf_read(const char *path, struct ws_elf *elf, struct ws_error *error);
void ws_elf_free(struct ws_elf *elf);

/* Does the file contain these bytes?  (MPI linked statically shows by its function names.) */
bool ws_elf_contains(const char *path, const char *bytes);

#endif
