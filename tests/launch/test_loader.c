/* Libraries are found where the dynamic linker would find them. */
#include "fake.h"

#include "launch/loader.h"

static const char *const none[] = {NULL};

static void finds_mpi_through_other_libraries(void **state)
{
    static const char *const app[] = {"libmiddle.so.1", NULL}, *const middle[] = {"libmpi.so.40", NULL};
    const struct ws_family *family;
    char library[PATH_MAX];
    struct ws_error error;

    (void)state;
    mkdir(fake_path("near"), 0755);
    fake_program("app", app, "$ORIGIN/near");
    fake_program("near/libmiddle.so.1", middle, "${ORIGIN}");
    fake_program("near/libmpi.so.40", none, NULL);
    assert_int_equal(ws_loader_mpi(fake_path("app"), &family, library, sizeof library, &error), 1);
    assert_string_equal(family->id, "openmpi");
    assert_string_equal(library, fake_path("near/libmpi.so.40"));
}

static void tells_a_missing_mpi(void **state)
{
    static const char *const app[] = {"libmpich.so.99", NULL};
    const struct ws_family *family;
    char library[PATH_MAX];
    struct ws_error error = {0};

    (void)state;
    fake_program("app", app, NULL);
    assert_int_equal(ws_loader_mpi(fake_path("app"), &family, library, sizeof library, &error), -1);
    assert_int_equal(error.code, WS_ENVIRONMENT);
    assert_non_null(strstr(error.text, "needs libmpich.so.99 (MPICH)"));
    assert_non_null(strstr(error.text, "apt-get install mpich"));
}

static void libraries_that_need_each_other_end(void **state)
{
    static const char *const one[] = {"libtwo.so", NULL}, *const two[] = {"libone.so", NULL};
    const struct ws_family *family;
    char library[PATH_MAX];
    struct ws_error error;

    (void)state;
    fake_program("libone.so", one, "$ORIGIN");
    fake_program("libtwo.so", two, "$ORIGIN");
    assert_int_equal(ws_loader_mpi(fake_path("libone.so"), &family, library, sizeof library, &error), 0);
}

static void knows_families_by_soname(void **state)
{
    (void)state;
    assert_string_equal(ws_family_by_soname("libmpi.so.40")->id, "openmpi");
    assert_string_equal(ws_family_by_soname("libmpi.so.12")->id, "mpich");
    assert_string_equal(ws_family_by_soname("libmpich.so.12")->id, "mpich");
    assert_string_equal(ws_family_by_soname("libmpi_abi.so.1")->id, "abi");
    assert_null(ws_family_by_soname("libmpichfort.so.12"));
    assert_null(ws_family_by_soname("libmpi_mpifh.so.40"));
    assert_null(ws_family_by_soname("libc.so.6"));
}

static void put(unsigned char *bytes, size_t at, uint32_t value)
{
    memcpy(bytes + at, &value, sizeof value);
}

/* The cache file may be anything. */
static void survives_any_cache(void **state)
{
    unsigned char cache[48 + 24 + 32] = "glibc-ld.so.cache1.1";
    uint32_t random = 7;

    (void)state;
    put(cache, 20, 1);      /* entries */
    put(cache, 48, 0x0303); /* flags: this machine's */
#ifdef __aarch64__
    put(cache, 48, 0x0a03);
#endif
    put(cache, 52, 72);
    put(cache, 56, 80);
    strcpy((char *)cache + 72, "libx.so");
    strcpy((char *)cache + 80, "/lib/libx.so");
    assert_string_equal(ws_loader_cache_find((char *)cache, sizeof cache, "libx.so"), "/lib/libx.so");
    assert_null(ws_loader_cache_find((char *)cache, sizeof cache, "liby.so"));
    for (size_t length = 0; length < sizeof cache; length++) {
        char *exact = malloc(length ? length : 1); /* so that reading past the end is seen */
        memcpy(exact, cache, length);
        ws_loader_cache_find(exact, length, "libx.so");
        free(exact);
    }
    for (int round = 0; round < 3000; round++) {
        unsigned char *changed = malloc(sizeof cache);
        memcpy(changed, cache, sizeof cache);
        for (int flips = 0; flips < 3; flips++) {
            random = random * 1664525 + 1013904223;
            changed[20 + (random >> 8) % (sizeof cache - 20)] ^= (unsigned char)(random >> 24);
        }
        ws_loader_cache_find((char *)changed, sizeof cache, "libx.so");
        free(changed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_mpi_through_other_libraries),
        cmocka_unit_test(tells_a_missing_mpi),
        cmocka_unit_test(libraries_that_need_each_other_end),
        cmocka_unit_test(knows_families_by_soname),
        cmocka_unit_test(survives_any_cache),
    };
    int failed;

    fake_begin();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_end();
    return failed;
}
