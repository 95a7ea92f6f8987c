/* The recorder's own parts without any MPI: it is compiled into the test, since in production it is compiled
 * by the MPI's compiler and linked with nothing of ours. */
#include "../../src/recorder/clock.c"
#include "../../src/recorder/control.c"
#include "../../src/recorder/domain.c"
#include "../../src/recorder/memory.c"
#include "../../src/recorder/site.c"
#include "../../src/recorder/start.c"
#include "../../src/recorder/stream.c"
#include "../../src/recorder/table.c"
#include "../../src/recorder/trampoline.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

/* ---- handles ---- */

static void test_a_table_forgets_and_finds_again(void **state)
{
    static struct ws_table table = WS_TABLE;
    static int values[2000];

    (void)state;
    assert_null(ws_table_get(&table, 7));
    for (uint64_t i = 0; i < 2000; i++)
        assert_true(ws_table_put(&table, (i + 1) * 4096, &values[i]));
    for (uint64_t i = 0; i < 2000; i++)
        assert_ptr_equal(ws_table_get(&table, (i + 1) * 4096), &values[i]);
    for (uint64_t i = 0; i < 2000; i += 2)
        assert_ptr_equal(ws_table_remove(&table, (i + 1) * 4096), &values[i]);
    for (uint64_t i = 0; i < 2000; i++)
        assert_ptr_equal(ws_table_get(&table, (i + 1) * 4096), i % 2 ? &values[i] : NULL);
    assert_null(ws_table_remove(&table, 4096));
    assert_false(ws_table_put(&table, 0, &values[0]));
    assert_null(ws_table_get(&table, 0));
}

/* A program that makes and frees a million communicators must not fill the memory. */
static void test_handles_that_come_and_go_need_no_more_room(void **state)
{
    static struct ws_table table = WS_TABLE;
    struct ws_table_slots *slots;
    int value;

    (void)state;
    for (uint64_t i = 1; i <= 16; i++) {
        assert_true(ws_table_put(&table, i, &value));
        ws_table_remove(&table, i);
    }
    slots = table.slots;
    for (int round = 0; round < 100000; round++) {
        uint64_t key = (uint64_t)(round % 16) + 1;
        assert_true(ws_table_put(&table, key, &value));
        assert_ptr_equal(ws_table_remove(&table, key), &value);
    }
    assert_ptr_equal(table.slots, slots);
}

struct reading {
    struct ws_table table;
    int values[64];
    int stop, wrong;
};

static void *read_on(void *context)
{
    struct reading *reading = context;

    while (!__atomic_load_n(&reading->stop, __ATOMIC_ACQUIRE))
        for (uint64_t key = 1; key <= 32; key++)
            if (ws_table_get(&reading->table, key) != &reading->values[key - 1])
                __atomic_store_n(&reading->wrong, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void test_readers_of_a_table_take_no_lock(void **state)
{
    static struct reading reading = {.table = WS_TABLE};
    pthread_t thread;

    (void)state;
    for (uint64_t key = 1; key <= 32; key++)
        assert_true(ws_table_put(&reading.table, key, &reading.values[key - 1]));
    assert_int_equal(pthread_create(&thread, NULL, read_on, &reading), 0);
    for (uint64_t key = 1000; key < 20000; key++) {
        assert_true(ws_table_put(&reading.table, key, &reading.values[40]));
        if (key % 3)
            ws_table_remove(&reading.table, key);
    }
    __atomic_store_n(&reading.stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    assert_int_equal(reading.wrong, 0);
}

/* ---- where a Fortran call was made ---- */

/* As a name of a Fortran layer: the next definition is the C library's. */
WS_TRAMPOLINE(memmem)

/* As a wrapper, called by a layer that lies below a trampoline. */
static __attribute__((noinline)) void *place_of_call(void)
{
    void *place = ws_call_site();

    return place == __builtin_return_address(0) ? NULL : place;
}

static __attribute__((noinline)) void *layer(bool comes_to_its_wrapper)
{
    void *place;

    ws_caller.address = __builtin_return_address(0);
    ws_caller.stack = (uintptr_t)__builtin_frame_address(0) + sizeof(void *);
    place = comes_to_its_wrapper ? place_of_call() : NULL;
    return place == __builtin_return_address(0) ? place : NULL;
}

static void test_a_call_through_a_layer_is_placed_at_its_caller(void **state)
{
    (void)state;
    assert_null(place_of_call());
    assert_non_null(layer(true));
    assert_null(place_of_call()); /* taken once */
}

static void test_a_layer_that_called_nothing_leaves_no_caller(void **state)
{
    (void)state;
    layer(false);
    assert_non_null(ws_caller.address);
    assert_null(place_of_call());
    assert_null(ws_caller.address);
    layer(false);
    ws_caller.stack -= 4096; /* deeper than the wrapper that asks */
    assert_null(place_of_call());
    ws_caller = (struct ws_caller){(void *)1, UINTPTR_MAX}; /* on another stack: not to be read */
    assert_null(place_of_call());
}

static void test_a_trampoline_hands_on_its_arguments(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) { /* looked up by the first call */
        static const char text[] = "left to right";
        ws_caller.address = NULL;
        assert_ptr_equal(memmem(text, sizeof text - 1, "to", 2), text + 5);
#if defined __x86_64__ || defined __aarch64__
        assert_non_null(ws_caller.address);
        assert_true(ws_caller.stack - (uintptr_t)__builtin_frame_address(0) > WS_CALLER_REACH);
#endif
        assert_null(place_of_call());
    }
}

/* ---- streams, each in a process of its own, since recording starts once ---- */

static char trace[] = "/tmp/whyslow-test-XXXXXX";

static void path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", trace, name);
}

static unsigned char *read_stream(const char *name, size_t *length)
{
    unsigned char *bytes = NULL;
    char path[256];
    struct stat info;
    FILE *file;

    path_of(path, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    *length = (size_t)info.st_size;
    bytes = malloc(*length ? *length : 1);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

/* Of a BEGIN record's fields, which end with three texts. */
static size_t begin_bytes(const char *fields)
{
    size_t size = 16;

    for (int text = 0; text < 3; text++)
        size += strlen(fields + size) + 1;
    return size;
}

#define KINDS 2 /* of records in the schema that these tests play: each has one uint */
#define TEST_KIND 0

const uint32_t ws_function_count = 5;
const char *const ws_runtime_libraries[] = {"libmpi*", NULL};

/* A record of any form at `at`: its kind, or -1 - id of a built-in one; and its length. */
static int look_at(const unsigned char *at, size_t *size)
{
    const char *fields = (const char *)at + sizeof(struct ws_built_in_header);
    uint16_t kind;

    switch (*at) {
    case WS_RECORD_BEGIN:
        *size = sizeof(struct ws_built_in_header) + begin_bytes(fields);
        return -1 - *at;
    case WS_RECORD_END:
        *size = sizeof(struct ws_built_in_header) + 8;
        return -1 - *at;
    case WS_RECORD_CLOCK:
        *size = sizeof(struct ws_built_in_header) + sizeof(struct ws_record_clock);
        return -1 - *at;
    case WS_RECORD_SITE:
        *size = sizeof(struct ws_built_in_header) + 14 + strlen(fields + 14) + 1;
        return -1 - *at;
    case WS_FULL_ID:
        memcpy(&kind, at + 1, sizeof kind);
        *size = sizeof(struct ws_full_header) + 4;
        return kind - WS_FIRST_KIND;
    default:
        assert_true(*at >= WS_FIRST_SHORT && *at < WS_FIRST_SHORT + 3 * KINDS);
        *size = 2 + (*at < WS_FIRST_SHORT + KINDS       ? WS_TIGHT_BYTES
                     : *at < WS_FIRST_SHORT + 2 * KINDS ? WS_COMPACT_BYTES
                                                        : WS_MORE_BYTES);
        return (*at - WS_FIRST_SHORT) % KINDS;
    }
}

/* Counts the records of a kind, or of a built-in one (-1 - id), checking that packets follow each other and
 * are filled as they say. */
static size_t count_records(const unsigned char *bytes, size_t length, int kind)
{
    size_t found = 0;
    uint32_t sequence = 0;

    for (size_t at = 0; at < length; at += WS_PACKET_BYTES) {
        struct ws_packet_header header;
        size_t end, record, size;
        memcpy(&header, bytes + at, sizeof header);
        assert_int_equal(header.magic, WS_CTF_MAGIC);
        assert_int_equal(header.sequence, sequence++);
        end = at + header.content_bits / 8;
        assert_true(end <= length);
        for (record = at + sizeof header; record < end; record += size) {
            bool first = record == at + sizeof header;
            found += look_at(bytes + record, &size) == kind;
            assert_true(!first || bytes[record] < WS_FIRST_SHORT || bytes[record] == WS_FULL_ID);
        }
        assert_int_equal(record, end);
    }
    return found;
}

static void put_record(struct ws_stream *me, unsigned kind, uint32_t value)
{
    unsigned char *at = WS_FITS(value, 16) ? ws_record(me, kind, KINDS, 2) : NULL;

    if (at) {
        WS_PUT_NARROW(at, value, 2);
    } else if ((at = ws_record_full(me, kind, sizeof value))) {
        WS_PUT(at, value);
    }
    if (at)
        ws_record_end(me, at);
}

/* What a wrapper does. */
static __attribute__((noinline)) void record_call(uint32_t value)
{
    struct ws_stream *me = ws_enter();
    uint64_t begin;

    if (!me)
        return;
    begin = ws_clock_ns();
    ws_call(me, 0, begin, ws_clock_ns(), __builtin_return_address(0));
    put_record(me, TEST_KIND, value);
    ws_leave(me);
}

/* Runs `work` in a child that records as rank 3; its exit code. */
static int in_process(void (*work)(void))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        setenv("WHYSLOW_TRACE", trace, 1);
        setenv("WHYSLOW_UUID", "00112233-4455-6677-8899-AABBccddeeff", 1);
        ws_recorder_start(3, 8, "a runtime");
        work();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void many_calls(void)
{
    for (uint32_t i = 0; i < 100000; i++)
        record_call(i);
    ws_recorder_finish();
    record_call(0); /* too late: not recorded, no harm */
}

static void test_a_stream_of_packets(void **state)
{
    static const uint8_t uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    struct ws_packet_header header;
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(many_calls), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    memcpy(&header, bytes, sizeof header);
    assert_memory_equal(header.uuid, uuid, 16);
    assert_int_equal(header.rank, 3);
    assert_true(length > 3 * WS_PACKET_BYTES && length % WS_PACKET_BYTES != 0); /* cut to what was written */
    assert_int_equal(count_records(bytes, length, TEST_KIND), 100000);
    assert_int_equal(count_records(bytes, length, -1 - WS_RECORD_BEGIN), 1);
    assert_int_equal(count_records(bytes, length, -1 - WS_RECORD_END), 1);
    assert_int_equal(count_records(bytes, length, -1 - WS_RECORD_SITE), 1);
    free(bytes);
}

static void killed(void)
{
    for (uint32_t i = 0; i < 12345; i++)
        record_call(i);
    raise(SIGKILL);
}

static void test_a_killed_process_leaves_all_its_records(void **state)
{
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(killed), 128 + SIGKILL);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    assert_int_equal(length % WS_PACKET_BYTES, 0);
    assert_int_equal(count_records(bytes, length, TEST_KIND), 12345);
    assert_int_equal(count_records(bytes, length, -1 - WS_RECORD_END), 0);
    free(bytes);
}

static void *thread_calls(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 10000; i++)
        record_call(i);
    return NULL;
}

static void calls_on_threads(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, thread_calls, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    record_call(0);
    ws_recorder_finish();
}

static void test_each_thread_has_its_stream(void **state)
{
    char name[32];

    (void)state;
    assert_int_equal(in_process(calls_on_threads), 0);
    for (int i = 0; i < 5; i++) {
        size_t length;
        unsigned char *bytes;
        snprintf(name, sizeof name, "ctf/rank-3.thread-%d", i);
        bytes = read_stream(name, &length);
        assert_int_equal(count_records(bytes, length, TEST_KIND), i == 0 ? 1 : 10000);
        assert_int_not_equal(length % WS_PACKET_BYTES, 0);
        free(bytes);
    }
}

static void without_room(void)
{
    struct rlimit limit = {3 * WS_PACKET_BYTES, 3 * WS_PACKET_BYTES};

    setrlimit(RLIMIT_FSIZE, &limit);
    many_calls();
}

static void test_without_room_recording_stops_and_the_program_goes_on(void **state)
{
    struct ws_packet_header header;
    unsigned char *bytes;
    char line[256] = "", path[256];
    size_t length, kept;
    FILE *file;

    (void)state;
    assert_int_equal(in_process(without_room), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    kept = count_records(bytes, length, TEST_KIND);
    assert_int_equal(count_records(bytes, length, -1 - WS_RECORD_END), 1);
    memcpy(&header, bytes + 2 * WS_PACKET_BYTES, sizeof header);
    assert_int_equal(kept + header.events_discarded, 100000);
    assert_true(kept > 60000);
    free(bytes);
    path_of(path, "rank-3.problem");
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_non_null(strstr(line, "no room for the trace of thread 0: File too large\n"));
}

/* Every form of a record, as values, times and packets ask for it. */
static void all_forms(void)
{
    struct ws_stream *me = ws_enter();
    static const struct {
        uint64_t after_ns, duration_ns;
        uint32_t value;
        unsigned char expected[2];
    } calls[] = {
        {5, 5, 7, {WS_FIRST_SHORT, WS_FIRST_SHORT + 2 * KINDS + 1}},
        {70000, 65535, 65535, {WS_FIRST_SHORT, WS_FIRST_SHORT + 2 * KINDS + 1}},
        {70000, 65536, 7, {WS_FIRST_SHORT + KINDS, WS_FIRST_SHORT + 2 * KINDS + 1}},
        {(1 << 24) - 1, (1 << 24) - 1, 7, {WS_FIRST_SHORT + KINDS, WS_FIRST_SHORT + 2 * KINDS + 1}},
        {1 << 24, 5, 7, {WS_FULL_ID, WS_FIRST_SHORT + 2 * KINDS + 1}},
        {1 << 25, 1 << 24, 7, {WS_FULL_ID, WS_FIRST_SHORT + 2 * KINDS + 1}},
        {5, 5, 65536, {WS_FULL_ID, WS_FULL_ID}},
    };
    uint64_t now;

    record_call(1);
    ws_call(me, 0, 0, me->end_ns, __builtin_return_address(0)); /* the site is known from now on */
    put_record(me, TEST_KIND, 1);
    now = me->end_ns;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        now += calls[i].after_ns;
        ws_call(me, 0, now - calls[i].duration_ns, now, __builtin_return_address(0));
        for (unsigned k = 0; k < 2; k++) {
            unsigned char *at = me->at;
            put_record(me, k, calls[i].value);
            if (*at != calls[i].expected[k])
                _exit((int)(10 + 2 * i + k));
        }
    }
    if (me->packet->calls != 1 + sizeof calls / sizeof *calls)
        _exit(2);
    /* A packet ends within a call: the record that follows says that it does. */
    ws_call(me, 0, now, now + 1, __builtin_return_address(0));
    put_record(me, 0, 1);
    me->limit = me->at;
    put_record(me, 1, 1);
    if (((struct ws_full_header *)(me->packet + 1))->follows != 1 || me->packet->sequence != 1)
        _exit(3);
    put_record(me, 0, 1);
    if (me->at[-3] != WS_FIRST_SHORT + 2 * KINDS || me->packet->calls != 2 + sizeof calls / sizeof *calls)
        _exit(4);
    ws_leave(me);
    ws_recorder_finish();
}

static void test_a_record_is_as_short_as_it_can_be(void **state)
{
    (void)state;
    assert_int_equal(in_process(all_forms), 0);
}

static void requests(void)
{
    static const uint64_t a = 0x7f0011112222, b = 0x550033334444;
    struct ws_stream *me = ws_enter();

    if (me->packet->request_high != 0 || !ws_fits_request(me, a) || me->packet->request_high != a >> 32 ||
        !ws_fits_request(me, a + 1) || ws_fits_request(me, b))
        _exit(1);
    ws_packet_next(me, 10);
    if (me->packet->request_high != a >> 32 || ws_fits_request(me, b) || !ws_fits_request(me, a))
        _exit(2);
    for (int i = 0; i < 2000; i++)
        ws_fits_request(me, b);
    ws_packet_next(me, 10); /* they have got another half */
    if (!ws_fits_request(me, b) || me->packet->request_high != b >> 32 || ws_fits_request(me, a))
        _exit(3);
    ws_leave(me);
}

static void test_requests_of_a_packet_share_their_upper_half(void **state)
{
    (void)state;
    assert_int_equal(in_process(requests), 0);
}

static void *start_on_a_thread(void *unused)
{
    (void)unused;
    record_call(1);
    return NULL;
}

static void starts(void)
{
    struct ws_stream *me = ws_enter();
    pthread_t thread;

    if (ws_start_of(me, 7))
        _exit(1);
    ws_started(me, 7, WS_START_KNOWN, 1, 2);
    if (!ws_start_of(me, 7) || ws_start_of(me, 7)->value[1] != 2 || ws_start_of(me, 8))
        _exit(2);
    ws_start_moved(me, 7, 9);
    if (!ws_start_of(me, 9) || ws_start_of(me, 9)->value[0] != 1)
        _exit(3);
    ws_start_moved(me, 1000, 9);
    ws_started(me, 7, WS_START_OPEN, 0, 0);
    if (ws_start_of(me, 9) || ws_start_of(me, 7))
        _exit(4);
    ws_started(me, 7, WS_START_SETTLED, 0, 0);
    pthread_create(&thread, NULL, start_on_a_thread, NULL);
    pthread_join(thread, NULL);
    if (ws_start_of(me, 7)) /* the other thread may have got the handle meanwhile */
        _exit(5);
    ws_leave(me);
}

static void test_starts_are_remembered_while_one_thread_records(void **state)
{
    (void)state;
    assert_int_equal(in_process(starts), 0);
}

/* The tally is full in the midst of a call that has written a record already. */
static void tally_within_a_call(void)
{
    struct ws_stream *me = ws_enter();
    struct ws_full_header header;
    unsigned char *before;

    ws_call(me, 0, ws_clock_ns(), ws_clock_ns(), __builtin_return_address(0));
    put_record(me, TEST_KIND, 1);
    before = me->at;
    me->tally = ws_pages(sizeof *me->tally);
    for (uint32_t i = 0; i <= MOST_COUNTED / 2; i++) {
        memcpy(ws_counted(me, TEST_KIND + 1, sizeof i), &i, sizeof i);
        ws_count(me, 1, 0);
    }
    if (me->at == before || me->tally->used != 1 || !me->pending)
        _exit(1);
    before = me->at;
    put_record(me, TEST_KIND, 2);
    memcpy(&header, before, sizeof header);
    if (header.id != WS_FULL_ID || header.kind != WS_FIRST_KIND + TEST_KIND || header.follows != 1)
        _exit(2);
    ws_count_told(me, 1);
    if (me->tally->used || me->pending || me->written != WS_WRITTEN_BEFORE)
        _exit(3);
    ws_leave(me);
}

static void test_a_tally_told_within_a_call_leaves_its_records_together(void **state)
{
    (void)state;
    assert_int_equal(in_process(tally_within_a_call), 0);
}

static void calls_in_a_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        record_call(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    record_call(2);
    ws_recorder_finish();
}

static void test_a_forked_child_writes_nothing(void **state)
{
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(calls_in_a_child), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    assert_int_equal(count_records(bytes, length, TEST_KIND), 1);
    free(bytes);
}

/* A spawned world has the same ranks: the first process keeps its file. */
static void test_a_stream_is_not_written_over(void **state)
{
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(many_calls), 0);
    assert_int_equal(in_process(calls_in_a_child), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    assert_int_equal(count_records(bytes, length, TEST_KIND), 100000);
    free(bytes);
}

/* As the wrapper of a call that MPI makes within a recorded one: deeper in the stack. */
static __attribute__((noinline)) bool inner_call_is_recorded(void)
{
    return !ws_inside() || ws_enter();
}

static void recursion(void)
{
    struct ws_stream *me = ws_enter();

    if (!me || inner_call_is_recorded())
        _exit(1);
    record_call(1); /* made within a call: the runtime's own */
    ws_leave(me);
    record_call(2);
    ws_recorder_finish();
}

static void test_calls_within_calls_are_not_recorded(void **state)
{
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(recursion), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    assert_int_equal(count_records(bytes, length, TEST_KIND), 1);
    free(bytes);
}

static __attribute__((noinline)) void leave_by_a_jump(jmp_buf *back)
{
    if (ws_enter())
        longjmp(*back, 1);
}

static void left_call(void)
{
    jmp_buf back;

    if (setjmp(back) == 0)
        leave_by_a_jump(&back);
    record_call(1);
    ws_recorder_finish();
}

static void test_a_call_that_is_left_by_a_jump_does_not_end_the_recording(void **state)
{
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(left_call), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    assert_int_equal(count_records(bytes, length, TEST_KIND), 1);
    free(bytes);
}

static void long_record(void)
{
    struct ws_stream *me = ws_enter();

    if (ws_record(me, TEST_KIND, KINDS, WS_PACKET_BYTES) != NULL ||
        ws_record_full(me, TEST_KIND, WS_PACKET_BYTES) != NULL || me->packet->events_discarded != 1)
        _exit(1);
    ws_leave(me);
    record_call(1);
    ws_recorder_finish();
}

static void test_a_record_longer_than_a_packet_is_lost_alone(void **state)
{
    unsigned char *bytes;
    size_t length;

    (void)state;
    assert_int_equal(in_process(long_record), 0);
    bytes = read_stream("ctf/rank-3.thread-0", &length);
    assert_int_equal(count_records(bytes, length, TEST_KIND), 1);
    free(bytes);
}

static void scratch(void)
{
    struct ws_stream *me = ws_enter();
    char *few = ws_scratch(me, 2, 10, 8), *many;

    if (!few || ws_scratch(me, 2, 100, 8) != few || ws_scratch(me, 2, -1, 8) ||
        ws_scratch(me, 2, INT64_MAX, 8))
        _exit(1);
    many = ws_scratch(me, 2, 100000, 8);
    if (!many)
        _exit(2);
    memset(many, 1, 800000);
    if (!ws_scratch(me, 3, 0, 8))
        _exit(3);
    ws_leave(me);
}

static void test_scratch_grows(void **state)
{
    (void)state;
    assert_int_equal(in_process(scratch), 0);
}

/* Nowhere to write: the program is none the worse. */
static void test_no_folder(void **state)
{
    (void)state;
    char path[256];

    path_of(path, "ctf");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(in_process(many_calls), 0);
    assert_int_equal(mkdir(path, 0777), 0);
}

static void nothing_recorded(void)
{
    if (ws_recording)
        _exit(1);
    record_call(1);
    ws_recorder_finish();
}

static void test_without_the_environment(void **state)
{
    static const char *const values[] = {"", "relative/path"};
    pid_t child;
    int status;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        child = fork();
        if (child == 0) {
            setenv("WHYSLOW_TRACE", values[i], 1);
            ws_recorder_start(0, 1, "a runtime");
            nothing_recorded();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static int make_trace(void **state)
{
    char path[256];

    (void)state;
    strcpy(trace + strlen(trace) - 6, "XXXXXX");
    if (!mkdtemp(trace))
        return -1;
    path_of(path, "ctf");
    return mkdir(path, 0777);
}

static int remove_trace(void **state)
{
    char path[256], name[32];

    (void)state;
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "ctf/rank-3.thread-%d", i);
        path_of(path, name);
        unlink(path);
    }
    path_of(path, "rank-3.problem");
    unlink(path);
    path_of(path, "ctf");
    rmdir(path);
    return rmdir(trace);
}

#define WITH_TRACE(test) cmocka_unit_test_setup_teardown(test, make_trace, remove_trace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_forgets_and_finds_again),
        cmocka_unit_test(test_handles_that_come_and_go_need_no_more_room),
        cmocka_unit_test(test_readers_of_a_table_take_no_lock),
        cmocka_unit_test(test_a_call_through_a_layer_is_placed_at_its_caller),
        cmocka_unit_test(test_a_layer_that_called_nothing_leaves_no_caller),
        cmocka_unit_test(test_a_trampoline_hands_on_its_arguments),
        WITH_TRACE(test_a_stream_of_packets),
        WITH_TRACE(test_a_killed_process_leaves_all_its_records),
        WITH_TRACE(test_each_thread_has_its_stream),
        WITH_TRACE(test_without_room_recording_stops_and_the_program_goes_on),
        WITH_TRACE(test_a_record_is_as_short_as_it_can_be),
        WITH_TRACE(test_requests_of_a_packet_share_their_upper_half),
        WITH_TRACE(test_starts_are_remembered_while_one_thread_records),
        WITH_TRACE(test_a_tally_told_within_a_call_leaves_its_records_together),
        WITH_TRACE(test_a_forked_child_writes_nothing),
        WITH_TRACE(test_a_stream_is_not_written_over),
        WITH_TRACE(test_calls_within_calls_are_not_recorded),
        WITH_TRACE(test_a_call_that_is_left_by_a_jump_does_not_end_the_recording),
        WITH_TRACE(test_a_record_longer_than_a_packet_is_lost_alone),
        WITH_TRACE(test_scratch_grows),
        WITH_TRACE(test_no_folder),
        cmocka_unit_test(test_without_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
