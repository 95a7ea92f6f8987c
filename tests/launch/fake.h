/* A temporary folder with ELF files made by hand: programs and libraries that need what a test wants. */
#ifndef TESTS_LAUNCH_FAKE_H
#define TESTS_LAUNCH_FAKE_H

#include <elf.h>
#include <ftw.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fake_folder[64];

static inline void fake_begin(void)
{
    strcpy(fake_folder, "/tmp/whyslow-test-XXXXXX");
    assert_non_null(mkdtemp(fake_folder));
}

static inline int fake_delete(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static inline void fake_end(void)
{
    nftw(fake_folder, fake_delete, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of a name in the folder; valid until the eighth next call. */
static inline const char *fake_path(const char *name)
{
    static char paths[8][PATH_MAX + sizeof fake_folder];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", fake_folder, name);
    return path;
}

static inline void fake_file(const char *name, const void *bytes, size_t length)
{
    FILE *file = fopen(fake_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(fake_path(name), 0755), 0);
}

static inline void fake_script(const char *name, const char *text)
{
    fake_file(name, text, strlen(text));
}

struct fake_elf {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2]; /* the whole file, the dynamic segment */
    Elf64_Dyn dynamic[16];
    char strings[512];
};
#define FAKE_BASE UINT64_C(0x400000)

/* An ELF file that needs up to eight libraries (ended by NULL) and has this RUNPATH (or NULL). */
static inline struct fake_elf fake_elf(const char *const *needed, const char *runpath)
{
    struct fake_elf elf = {.header = {.e_type = ET_DYN,
                                      .e_machine = EM_X86_64,
                                      .e_version = EV_CURRENT,
                                      .e_phoff = offsetof(struct fake_elf, segments),
                                      .e_ehsize = sizeof(Elf64_Ehdr),
                                      .e_phentsize = sizeof(Elf64_Phdr),
                                      .e_phnum = 2}};
    size_t used = 1, count = 0;

#ifdef __aarch64__
    elf.header.e_machine = EM_AARCH64;
#endif
    memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
    elf.header.e_ident[EI_CLASS] = ELFCLASS64;
    elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = FAKE_BASE, .p_filesz = sizeof elf};
    elf.segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                   .p_offset = offsetof(struct fake_elf, dynamic),
                                   .p_vaddr = FAKE_BASE + offsetof(struct fake_elf, dynamic),
                                   .p_filesz = sizeof elf.dynamic};
    elf.dynamic[count++] = (Elf64_Dyn){DT_STRTAB, {.d_ptr = FAKE_BASE + offsetof(struct fake_elf, strings)}};
    elf.dynamic[count++] = (Elf64_Dyn){DT_STRSZ, {.d_val = sizeof elf.strings}};
    for (; *needed; needed++) {
        elf.dynamic[count++] = (Elf64_Dyn){DT_NEEDED, {.d_val = used}};
        used += strlen(strcpy(elf.strings + used, *needed)) + 1;
    }
    if (runpath) {
        elf.dynamic[count++] = (Elf64_Dyn){DT_RUNPATH, {.d_val = used}};
        strcpy(elf.strings + used, runpath);
    }
    return elf;
}

static inline void fake_program(const char *name, const char *const *needed, const char *runpath)
{
    struct fake_elf elf = fake_elf(needed, runpath);
    fake_file(name, &elf, sizeof elf);
}

#endif
