/* ELF files are read for what the dynamic linker would see, and hostile ones do no harm. */
#include "fake.h"

#include "launch/elf.h"
#include "launch/loader.h"

static const char *const two[] = {"libone.so.1", "libtwo.so.2", NULL};

static void reads_a_program(void **state)
{
    struct ws_elf elf;
    struct ws_error error;

    (void)state;
    fake_program("app", two, "$ORIGIN/lib");
    assert_int_equal(ws_elf_kind(fake_path("app")), WS_ELF_OURS);
    assert_int_equal(ws_elf_read(fake_path("app"), &elf, &error), 0);
    assert_true(elf.dynamic);
    assert_int_equal(elf.needed_count, 2);
    assert_string_equal(elf.needed[0], "libone.so.1");
    assert_string_equal(elf.needed[1], "libtwo.so.2");
    assert_string_equal(elf.runpath, "$ORIGIN/lib");
    assert_string_equal(elf.rpath, "");
    ws_elf_free(&elf);
}

static void reads_itself(void **state)
{
    struct ws_elf elf;
    struct ws_error error;
    int found = 0;

    (void)state;
    assert_int_equal(ws_elf_read("/proc/self/exe", &elf, &error), 0);
    for (size_t i = 0; i < elf.needed_count; i++)
        found |= strncmp(elf.needed[i], "libc.so.", 8) == 0;
    assert_true(found);
    ws_elf_free(&elf);
}

static void tells_kinds_apart(void **state)
{
    struct fake_elf elf = fake_elf(two, NULL);

    (void)state;
    fake_script("script", "#!/bin/sh\n");
    fake_script("text", "text");
    elf.header.e_ident[EI_CLASS] = ELFCLASS32;
    fake_file("small", &elf, sizeof elf);
    assert_int_equal(ws_elf_kind(fake_path("script")), WS_ELF_SCRIPT);
    assert_int_equal(ws_elf_kind(fake_path("text")), WS_ELF_OTHER);
    assert_int_equal(ws_elf_kind(fake_path("small")), WS_ELF_FOREIGN);
    assert_int_equal(ws_elf_kind(fake_path("absent")), WS_ELF_OTHER);
    assert_int_equal(ws_elf_kind(fake_folder), WS_ELF_OTHER);
}

static void expect_damaged(const struct fake_elf *elf, const char *words)
{
    struct ws_elf read;
    struct ws_error error = {0};

    fake_file("damaged", elf, sizeof *elf);
    assert_int_equal(ws_elf_read(fake_path("damaged"), &read, &error), -1);
    assert_int_equal(error.code, WS_BAD_INPUT);
    assert_non_null(strstr(error.text, words));
    assert_int_equal(read.needed_count, 0);
    ws_elf_free(&read);
}

static void refuses_damage_by_name(void **state)
{
    struct fake_elf elf;

    (void)state;
    elf = fake_elf(two, NULL);
    elf.header.e_phoff = UINT64_MAX - 8;
    expect_damaged(&elf, "program headers beyond the end");
    elf = fake_elf(two, NULL);
    elf.header.e_phnum = UINT16_MAX;
    expect_damaged(&elf, "size of the program headers");
    elf = fake_elf(two, NULL);
    elf.header.e_phentsize = 1;
    expect_damaged(&elf, "size of the program headers");
    elf = fake_elf(two, NULL);
    elf.segments[1].p_filesz = UINT64_MAX;
    expect_damaged(&elf, "size of its dynamic segment");
    elf = fake_elf(two, NULL);
    elf.segments[1].p_offset = UINT64_MAX - 4;
    expect_damaged(&elf, "beyond the end of the file");
    elf = fake_elf(two, NULL);
    elf.dynamic[0].d_un.d_ptr = 12;
    expect_damaged(&elf, "no string table");
    elf = fake_elf(two, NULL);
    elf.dynamic[2].d_un.d_val = UINT64_MAX;
    expect_damaged(&elf, "outside its string table");
    elf = fake_elf(two, NULL);
    memset(elf.strings, 'x', sizeof elf.strings);
    expect_damaged(&elf, "outside its string table");
}

/* Whatever the bytes are, reading ends and stays inside the file (the sanitizers watch). */
static void survives_any_bytes(void **state)
{
    struct fake_elf whole = fake_elf(two, "/lib");
    uint32_t random = 1;

    (void)state;
    for (size_t length = 0; length < sizeof whole; length += 7) {
        struct ws_elf elf;
        fake_file("cut", &whole, length);
        if (ws_elf_read(fake_path("cut"), &elf, NULL) == 0)
            ws_elf_free(&elf);
    }
    for (int round = 0; round < 3000; round++) {
        struct fake_elf changed = whole;
        struct ws_elf elf;
        const struct ws_family *family;
        char library[PATH_MAX];
        for (int flips = 0; flips < 4; flips++) {
            random = random * 1664525 + 1013904223;
            ((unsigned char *)&changed)[(random >> 8) % offsetof(struct fake_elf, strings)] ^=
                (unsigned char)(random >> 24);
        }
        fake_file("changed", &changed, sizeof changed);
        if (ws_elf_read(fake_path("changed"), &elf, NULL) == 0)
            ws_elf_free(&elf);
        ws_loader_mpi(fake_path("changed"), &family, library, sizeof library, NULL);
    }
}

static void finds_bytes_across_chunks(void **state)
{
    size_t chunk = (size_t)1 << 20, length = 2 * chunk + 100;
    char *bytes = calloc(1, length);

    (void)state;
    memcpy(bytes + chunk - 4, "PMPI_Init", 9);
    fake_file("large", bytes, length);
    assert_true(ws_elf_contains(fake_path("large"), "PMPI_Init"));
    assert_false(ws_elf_contains(fake_path("large"), "PMPI_Final"));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_program),    cmocka_unit_test(reads_itself),
        cmocka_unit_test(tells_kinds_apart),  cmocka_unit_test(refuses_damage_by_name),
        cmocka_unit_test(survives_any_bytes), cmocka_unit_test(finds_bytes_across_chunks),
    };
    int failed;

    fake_begin();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_end();
    return failed;
}
