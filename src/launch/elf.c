#include "launch/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif
#if defined __x86_64__
#define OUR_MACHINE EM_X86_64
#elif defined __aarch64__
#define OUR_MACHINE EM_AARCH64
#elif defined __powerpc64__
#define OUR_MACHINE EM_PPC64
#elif defined __riscv
#define OUR_MACHINE EM_RISCV
#else
#define OUR_MACHINE EM_NONE /* not compared */
#endif

/* More than any linker writes; less than what would keep us busy. */
#define MOST_SEGMENTS 1024
#define MOST_DYNAMIC 16384
#define MOST_NEEDED 1024
#define LONGEST_STRING 65536

struct file {
    int fd;
    const char *path;
    uint64_t size;
    Elf64_Ehdr header;
    Elf64_Phdr *segments;
};

static int damaged(const struct file *file, const char *what, struct ws_error *error)
{
    return ws_fail(error, WS_BAD_INPUT, "%s: damaged ELF file: %s", file->path, what);
}

/* Reads exactly `length` bytes at `offset`, or fails. */
static int read_at(const struct file *file, uint64_t offset, void *into, size_t length)
{
    size_t done = 0;

    if (offset > file->size || length > file->size - offset)
        return -1;
    while (done < length) {
        ssize_t got = pread(file->fd, (char *)into + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        done += (size_t)got;
    }
    return 0;
}

static enum ws_elf_kind kind_of(const unsigned char *bytes, size_t length)
{
    uint16_t machine;

    if (length >= 2 && bytes[0] == '#' && bytes[1] == '!')
        return WS_ELF_SCRIPT;
    if (length < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return length >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0 ? WS_ELF_FOREIGN : WS_ELF_OTHER;
    memcpy(&machine, bytes + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != OUR_ORDER ||
        (OUR_MACHINE != EM_NONE && machine != OUR_MACHINE))
        return WS_ELF_FOREIGN;
    return WS_ELF_OURS;
}

static int open_file(const char *path, struct file *file)
{
    struct stat info;

    memset(file, 0, sizeof *file);
    file->path = path;
    /* Not blocking: the path may name a pipe. */
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return -1;
    if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(file->fd);
        errno = EINVAL;
        return -1;
    }
    file->size = (uint64_t)info.st_size;
    return 0;
}

enum ws_elf_kind ws_elf_kind(const char *path)
{
    unsigned char bytes[sizeof(Elf64_Ehdr)];
    struct file file;
    ssize_t got;

    if (open_file(path, &file) != 0)
        return WS_ELF_OTHER;
    got = pread(file.fd, bytes, sizeof bytes, 0);
    close(file.fd);
    return got < 0 ? WS_ELF_OTHER : kind_of(bytes, (size_t)got);
}

static int read_segments(struct file *file, struct ws_error *error)
{
    const Elf64_Ehdr *header = &file->header;

    if (header->e_phnum == 0)
        return 0;
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > MOST_SEGMENTS)
        return damaged(file, "size of the program headers", error);
    file->segments = ws_alloc_array(header->e_phnum, sizeof *file->segments);
    if (read_at(file, header->e_phoff, file->segments, header->e_phnum * sizeof *file->segments) != 0)
        return damaged(file, "program headers beyond the end of the file", error);
    return 0;
}

/* File offset of an address that is loaded from the file; *room is how many bytes follow it there. */
static int offset_of(const struct file *file, uint64_t address, uint64_t *offset, uint64_t *room)
{
    for (size_t i = 0; i < file->header.e_phnum; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        uint64_t within = address - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && within < segment->p_filesz &&
            segment->p_offset <= file->size && within < file->size - segment->p_offset) {
            *offset = segment->p_offset + within;
            *room = segment->p_filesz - within;
            return 0;
        }
    }
    return -1;
}

struct strings { /* the string table of the dynamic segment */
    uint64_t offset, size;
};

static const char *read_string(const struct file *file, const struct strings *strings, uint64_t index,
                               struct ws_arena *arena)
{
    char bytes[1024];
    struct {
        char *text;
        size_t length;
    } out = {NULL, 0};
    uint64_t left;
    const char *copy = NULL;

    if (index >= strings->size)
        return NULL;
    left = strings->size - index;
    while (left > 0 && out.length < LONGEST_STRING && !copy) {
        size_t chunk = left < sizeof bytes ? (size_t)left : sizeof bytes;
        size_t used;
        if (read_at(file, strings->offset + index + out.length, bytes, chunk) != 0)
            break;
        used = strnlen(bytes, chunk);
        out.text = ws_realloc_array(out.text, out.length + used, 1);
        memcpy(out.text + out.length, bytes, used);
        out.length += used;
        left -= chunk;
        if (used < chunk)
            copy = ws_arena_strndup(arena, out.text, out.length);
    }
    free(out.text);
    return copy;
}

static int find_strings(const struct file *file, const Elf64_Dyn *dynamic, size_t count,
                        struct strings *strings, struct ws_error *error)
{
    uint64_t address = 0, size = 0, room;

    for (size_t i = 0; i < count; i++) {
        if (dynamic[i].d_tag == DT_STRTAB)
            address = dynamic[i].d_un.d_ptr;
        else if (dynamic[i].d_tag == DT_STRSZ)
            size = dynamic[i].d_un.d_val;
    }
    if (!address || offset_of(file, address, &strings->offset, &room) != 0)
        return damaged(file, "no string table in its dynamic segment", error);
    strings->size = size < room ? size : room;
    return 0;
}

static int read_entries(const struct file *file, const Elf64_Dyn *dynamic, size_t count, struct ws_elf *elf,
                        struct ws_error *error)
{
    struct strings strings = {0};
    size_t capacity = 0;

    for (size_t i = 0; i < count; i++)
        capacity += dynamic[i].d_tag == DT_NEEDED;
    if (capacity > MOST_NEEDED)
        return damaged(file, "it needs more libraries than any program", error);
    if (find_strings(file, dynamic, count, &strings, error) != 0)
        return -1;
    elf->needed = ws_arena_alloc(&elf->arena, (capacity + 1) * sizeof *elf->needed);
    for (size_t i = 0; i < count; i++) {
        int64_t tag = dynamic[i].d_tag;
        const char *string;
        if (tag != DT_NEEDED && tag != DT_RPATH && tag != DT_RUNPATH)
            continue;
        string = read_string(file, &strings, dynamic[i].d_un.d_val, &elf->arena);
        if (!string)
            return damaged(file, "a name outside its string table", error);
        if (tag == DT_NEEDED)
            elf->needed[elf->needed_count++] = string;
        else if (tag == DT_RPATH)
            elf->rpath = string;
        else
            elf->runpath = string;
    }
    return 0;
}

static int read_dynamic(const struct file *file, const Elf64_Phdr *segment, struct ws_elf *elf,
                        struct ws_error *error)
{
    uint64_t most = segment->p_filesz / sizeof(Elf64_Dyn);
    size_t count = 0;
    Elf64_Dyn *dynamic;
    int result;

    if (most > MOST_DYNAMIC)
        return damaged(file, "size of its dynamic segment", error);
    dynamic = ws_alloc_array((size_t)most, sizeof *dynamic);
    if (read_at(file, segment->p_offset, dynamic, (size_t)most * sizeof *dynamic) != 0) {
        free(dynamic);
        return damaged(file, "its dynamic segment lies beyond the end of the file", error);
    }
    while (count < most && dynamic[count].d_tag != DT_NULL)
        count++;
    elf->dynamic = true;
    result = count ? read_entries(file, dynamic, count, elf, error) : 0;
    free(dynamic);
    return result;
}

static int read_file(struct file *file, struct ws_elf *elf, struct ws_error *error)
{
    unsigned char bytes[sizeof(Elf64_Ehdr)];

    if (read_at(file, 0, bytes, sizeof bytes) != 0 || kind_of(bytes, sizeof bytes) != WS_ELF_OURS)
        return ws_fail(error, WS_BAD_INPUT, "%s: is not a program for this machine", file->path);
    memcpy(&file->header, bytes, sizeof file->header);
    if (read_segments(file, error) != 0)
        return -1;
    for (size_t i = 0; i < file->header.e_phnum; i++)
        if (file->segments[i].p_type == PT_DYNAMIC)
            return read_dynamic(file, &file->segments[i], elf, error);
    return 0;
}

int ws_elf_read(const char *path, struct ws_elf *elf, struct ws_error *error)
{
    struct file file;
    int result;

    *elf = (struct ws_elf){.rpath = "", .runpath = ""};
    if (open_file(path, &file) != 0)
        return ws_fail(error, WS_BAD_INPUT, "%s: cannot read: %s", path, strerror(errno));
    result = read_file(&file, elf, error);
    free(file.segments);
    close(file.fd);
    if (result != 0) {
        ws_elf_free(elf);
        *elf = (struct ws_elf){.rpath = "", .runpath = ""};
    }
    return result;
}

void ws_elf_free(struct ws_elf *elf)
{
    ws_arena_free(&elf->arena);
}

bool ws_elf_contains(const char *path, const char *bytes)
{
    enum { CHUNK = 1 << 20 };
    size_t length = strlen(bytes), kept = 0;
    struct file file;
    bool found = false;
    uint64_t offset = 0;
    char *buffer;

    if (open_file(path, &file) != 0)
        return false;
    buffer = ws_alloc(CHUNK + length);
    while (!found && offset < file.size) {
        ssize_t got = pread(file.fd, buffer + kept, CHUNK, (off_t)offset);
        if (got <= 0)
            break;
        offset += (uint64_t)got;
        kept += (size_t)got;
        found = memmem(buffer, kept, bytes, length) != NULL;
        /* What may be the beginning of the bytes stays for the next round. */
        if (kept >= length) {
            memmove(buffer, buffer + kept - (length - 1), length - 1);
            kept = length - 1;
        }
    }
    free(buffer);
    close(file.fd);
    return found;
}
