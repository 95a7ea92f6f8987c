/* What a page's timeline is made of: columns, levels, waits, events and the messages between them. */
#include "sections.h"

#include "report/timeline/columns.h"
#include "report/timeline/events.h"

#define NOBODY UINT32_MAX
#define NEARLY(a, b) assert_true(fabs((double)(a) - (double)(b)) < 1e-9)

/* ---- columns ---- */

static struct column there_and_back(const int64_t *values, size_t count)
{
    struct ws_zip *zip = ws_alloc(sizeof *zip);
    struct ws_text text = {0};
    struct column column;
    struct bytes bytes;

    ws_zip_begin(zip, &text);
    ws_column_write(zip, "TEST", 5, 7, values, count);
    ws_zip_end(zip);
    bytes = inflated(text.bytes, text.length);
    column = column_of(bytes, "TEST", 0);
    assert_int_equal(column.type, 5);
    assert_int_equal(column.param, 7);
    assert_int_equal(column.count, count);
    free(bytes.at);
    ws_text_free(&text);
    free(zip);
    return column;
}

static void test_columns_are_as_narrow_as_their_span(void **state)
{
    static const struct {
        int64_t values[3];
        uint32_t width;
    } cases[] = {
        {{0, 0, 0}, 0},
        {{-2, -2, -2}, 0},
        {{-2, 253, 0}, 1},
        {{1000000, 1000255, 1000001}, 1},
        {{0, 256, 1}, 2},
        {{INT64_C(1) << 40, (INT64_C(1) << 40) + 65535, INT64_C(1) << 40}, 2},
        {{0, INT64_C(1) << 52, 77}, 7},
        {{INT64_MIN, INT64_MAX, 0}, 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct column column = there_and_back(cases[i].values, 3);
        assert_int_equal(column.width, cases[i].width);
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(column.values[k] - (double)cases[i].values[k]) <=
                        fabs((double)cases[i].values[k]) * 1e-15 + (cases[i].width == 8 ? 4096 : 0));
        free(column.values);
    }
    free(there_and_back(NULL, 0).values);
}

static void test_many_values_of_any_length(void **state)
{
    enum { MOST = 100003 };
    int64_t *values = ws_alloc_array(MOST, sizeof *values);
    static const size_t counts[] = {1, 2, 3, 5, 4096, MOST};
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        values[i] = (int64_t)(seed >> 24);
    }
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct column column = there_and_back(values, counts[c]);
        for (size_t i = 0; i < counts[c]; i++)
            assert_true(column.values[i] == (double)values[i]);
        free(column.values);
    }
    free(values);
}

/* ---- levels ---- */

struct level {
    uint32_t rows, bins;
    const unsigned char *calls, *waits, *problems;
};

static struct level level_of(struct bytes bytes, size_t n)
{
    size_t length = 0, cells;
    const unsigned char *at = section(bytes, "LEVL", n, &length);
    struct level level = {u32(at + 4), u32(at + 8), at + 12, NULL, NULL};

    assert_non_null(at);
    assert_int_equal(u32(at), n);
    cells = (size_t)level.rows * level.bins;
    assert_int_equal(length, 12 + 3 * cells);
    level.waits = level.calls + cells;
    level.problems = level.waits + cells;
    return level;
}

static struct bytes written(const struct ws_levels *levels, const uint8_t *problems, size_t groups)
{
    struct ws_zip *zip = ws_alloc(sizeof *zip);
    struct ws_text text = {0};
    struct bytes bytes;

    ws_zip_begin(zip, &text);
    ws_levels_write(levels, problems, groups, zip);
    ws_zip_end(zip);
    bytes = inflated(text.bytes, text.length);
    ws_text_free(&text);
    free(zip);
    return bytes;
}

/* Time of a row, in shares of the run. */
static double total(const unsigned char *plane, const struct level *level, uint32_t row)
{
    double sum = 0;

    for (uint32_t b = 0; b < level->bins; b++)
        sum += plane[(size_t)row * level->bins + b] / 255.0 / level->bins;
    return sum;
}

static void test_levels_add_up(void **state)
{
    enum { BEGIN = 1000000, SPAN = 16384 * 10000 };
    static const uint8_t problems[] = {1, 0};
    struct ws_levels levels;
    struct bytes bytes;

    (void)state;
    ws_levels_init(&levels, BEGIN, BEGIN + SPAN, 2);
    assert_int_equal(levels.bins, 16384);
    assert_int_equal(ws_levels_count(&levels), 6); /* to 512 bins */
    ws_levels_add_call(&levels, 0, BEGIN + SPAN / 4, BEGIN + SPAN / 2);
    ws_levels_add_call(&levels, 1, BEGIN - 500, BEGIN + SPAN + 500); /* cut to the run */
    ws_levels_add_wait(&levels, 0, 0, BEGIN + SPAN / 4, BEGIN + SPAN * 3 / 8);
    ws_levels_add_wait(&levels, 0, 1, BEGIN + SPAN * 3 / 8, BEGIN + SPAN * 7 / 16);
    ws_levels_add_wait(&levels, 1, 9, BEGIN + 3, BEGIN + 5); /* of no problem in the list; too short to see */
    ws_levels_add_wait(&levels, 1, 0, BEGIN + SPAN + 5, BEGIN + SPAN + 9);
    bytes = written(&levels, problems, 2);
    for (size_t l = 0; l < 6; l++) {
        struct level level = level_of(bytes, l);
        assert_int_equal(level.rows, 2);
        assert_int_equal(level.bins, 16384 >> l);
        NEARLY(total(level.calls, &level, 0), 0.25);
        NEARLY(total(level.calls, &level, 1), 1);
        NEARLY(total(level.waits, &level, 0), 0.1875);
        assert_int_equal(level.waits[level.bins], 1); /* what there is can be seen */
        assert_int_equal(level.problems[level.bins], WS_CELL_SMALL);
        assert_int_equal(level.problems[level.bins / 4], 1);
        assert_int_equal(level.problems[level.bins * 3 / 8 - 1], 1);
        assert_int_equal(level.problems[level.bins * 3 / 8], 0);
        assert_int_equal(level.problems[level.bins * 7 / 16], WS_CELL_NONE);
        assert_int_equal(level.problems[0], WS_CELL_NONE);
    }
    free(bytes.at);
    ws_levels_free(&levels);
}

static void test_a_coarse_cell_has_the_problem_with_most_of_its_waiting(void **state)
{
    static const uint8_t problems[] = {0, 1, WS_CELL_SMALL};
    struct ws_levels levels;
    struct level level;
    struct bytes bytes;

    (void)state;
    ws_levels_init(&levels, 0, 1024000, 1);
    assert_int_equal(levels.bins, 16384); /* 62.5 ns each */
    ws_levels_add_call(&levels, 0, 0, 1024000);
    ws_levels_add_wait(&levels, 0, 0, 0, 40); /* half of one fine bin, and a part of another, are 1's */
    ws_levels_add_wait(&levels, 0, 1, 125, 160);
    ws_levels_add_wait(&levels, 0, 1, 187, 200);
    bytes = written(&levels, problems, 3);
    level = level_of(bytes, 0);
    assert_int_equal(level.problems[0], 0);
    assert_int_equal(level.problems[2], 1);
    level = level_of(bytes, 5); /* 2000 ns */
    assert_int_equal(level.problems[0], 1);
    assert_int_equal(level.waits[0], (40 + 35 + 13) * 255 / 2000);
    free(bytes.at);
    ws_levels_free(&levels);
}

static void test_waiting_is_never_more_than_calls(void **state)
{
    static const uint8_t problems[] = {0};
    struct ws_levels levels;
    struct level level;
    struct bytes bytes;

    (void)state;
    ws_levels_init(&levels, 0, 1 << 20, 1);
    ws_levels_add_wait(&levels, 0, 0, 0, 1 << 19);    /* rules of one's own may find it anywhere */
    ws_levels_add_call(&levels, 0, 1 << 18, 3 << 18); /* two threads */
    ws_levels_add_call(&levels, 0, 1 << 18, 3 << 18);
    bytes = written(&levels, problems, 1);
    level = level_of(bytes, 0);
    NEARLY(total(level.calls, &level, 0), 0.5);
    NEARLY(total(level.waits, &level, 0), 0.25);
    for (size_t i = 0; i < level.bins; i++) {
        assert_true(level.waits[i] <= level.calls[i]);
        assert_int_equal(level.problems[i], level.waits[i] ? 0 : WS_CELL_NONE);
    }
    free(bytes.at);
    ws_levels_free(&levels);
}

static void test_levels_of_any_run(void **state)
{
    static const struct {
        int64_t begin_ns, end_ns;
        uint32_t rows, bins;
    } runs[] = {
        {0, 1, 1, 1},
        {5, 8, 3, 2},
        {0, 1000, 1, 512},
        {INT64_MIN, INT64_MAX, 2, 16384},
        {0, 1000000000, 1024, 2048},
        {0, 1000000000, 9000, 256},
    };

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct ws_levels levels;
        struct bytes bytes;
        ws_levels_init(&levels, runs[i].begin_ns, runs[i].end_ns, runs[i].rows);
        assert_int_equal(levels.bins, runs[i].bins);
        ws_levels_add_call(&levels, 0, INT64_MIN, INT64_MAX);
        ws_levels_add_wait(&levels, 0, 3, INT64_MIN, INT64_MAX);
        ws_levels_add_call(&levels, 0, INT64_MAX, INT64_MIN);
        for (uint32_t b = 0; b < levels.bins; b++)
            assert_int_equal(ws_time_bin(levels.edges, levels.bins, levels.edges[b]), b);
        bytes = written(&levels, NULL, 0);
        assert_int_equal(level_of(bytes, 0).calls[0], 255);
        assert_int_equal(level_of(bytes, 0).waits[0], 255);
        free(bytes.at);
        ws_levels_free(&levels);
    }
}

/* ---- waits ---- */

struct waiting {
    struct ws_levels levels;
    struct ws_waits waits;
    uint32_t row_of[4];
};

static struct waiting *begin_waiting(size_t most_events)
{
    struct waiting *waiting = ws_alloc(sizeof *waiting);

    *waiting = (struct waiting){.row_of = {0, UINT32_MAX, 1, 2}};
    ws_levels_init(&waiting->levels, 1000, 65000, 3);
    ws_waits_init(&waiting->waits, &waiting->levels, waiting->row_of, 4, 1000, 65000, most_events);
    return waiting;
}

static void end_waiting(struct waiting *waiting)
{
    ws_waits_free(&waiting->waits);
    ws_levels_free(&waiting->levels);
    free(waiting);
}

static void wait_for(struct waiting *waiting, uint32_t group, uint32_t rank, uint32_t cause, uint32_t event,
                     int64_t from_ns, int64_t to_ns)
{
    const struct ws_waited waited = {.group = group,
                                     .event = event,
                                     .rank = rank,
                                     .cause_rank = cause,
                                     .from_ns = from_ns,
                                     .to_ns = to_ns};
    ws_waits_add(&waited, &waiting->waits);
}

static int64_t histogram_sum(const struct ws_wait_group *group)
{
    int64_t sum = 0;

    for (size_t i = 0; i < WS_HISTOGRAM_BINS; i++)
        sum += group->histogram_ns[i];
    return sum;
}

static void test_histogram_has_all_waiting_where_it_was(void **state)
{
    struct waiting *waiting = begin_waiting(10);
    const struct ws_wait_group *group;

    (void)state;
    wait_for(waiting, 2, 0, 3, 1, 1000, 1300);   /* bins are 1000 wide */
    wait_for(waiting, 2, 2, 0, 2, 10500, 12200); /* 500 in bin 9, 1000 in bin 10, 200 in bin 11 */
    wait_for(waiting, 2, 3, 0, 3, 0, 1100);      /* before the run: to its first bin */
    wait_for(waiting, 2, 3, 0, 4, 64900, 70000); /* after it: to its last */
    ws_waits_finish(&waiting->waits);
    group = ws_waits_group(&waiting->waits, 2);
    assert_non_null(group);
    assert_null(ws_waits_group(&waiting->waits, 0));
    assert_null(ws_waits_group(&waiting->waits, 100));
    assert_int_equal(group->histogram_ns[0], 300 + 1100);
    assert_int_equal(group->histogram_ns[9], 500);
    assert_int_equal(group->histogram_ns[10], 1000);
    assert_int_equal(group->histogram_ns[11], 200);
    assert_int_equal(group->histogram_ns[63], 5100);
    assert_int_equal(histogram_sum(group), 300 + 1700 + 1100 + 5100);
    assert_int_equal(waiting->waits.rank_ns[0], 300);
    assert_int_equal(waiting->waits.rank_ns[1], 1700);
    assert_int_equal(waiting->waits.rank_ns[2], 6200);
    end_waiting(waiting);
}

static void test_the_longest_instances_and_edges_first(void **state)
{
    struct waiting *waiting = begin_waiting(10);
    const struct ws_wait_group *group;

    (void)state;
    for (int64_t i = 0; i < 1000; i++) /* 37 and 1000 have no common factor: each length once */
        wait_for(waiting, 0, i % 2 ? 2 : 3, i % 3 ? 0 : NOBODY, (uint32_t)i, 2000 + i,
                 2000 + i + 1 + i * 37 % 1000);
    wait_for(waiting, 0, 1, 0, 5000, 2000, 2010); /* a rank without a row waits all the same */
    ws_waits_finish(&waiting->waits);
    group = ws_waits_group(&waiting->waits, 0);
    assert_int_equal(group->instance_count, WS_MOST_INSTANCES);
    for (size_t i = 0; i < group->instance_count; i++)
        assert_int_equal(group->instances[i].duration_ns, 1000 - (int64_t)i);
    assert_int_equal(group->edge_count, 3);
    assert_int_equal(group->edges[2].rank, 1);
    assert_int_equal(group->edges[2].count, 1);
    assert_true(group->edges[0].duration_ns > group->edges[1].duration_ns);
    assert_int_equal(group->edges[0].count + group->edges[1].count, 666); /* the others wait for nobody */
    assert_int_equal(group->edges_left_out, 0);
    end_waiting(waiting);
}

static void test_events_that_waited_longest_are_remembered(void **state)
{
    struct waiting *waiting = begin_waiting(50);

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        wait_for(waiting, i % 3, 0, 2, 7 * i % 1000, 2000, 2000 + 1 + 7 * i % 1000);
    wait_for(waiting, 8, 0, 2, 999, 5000, 5400); /* the same event again, less */
    ws_waits_finish(&waiting->waits);
    assert_in_range(waiting->waits.event_count, 49, 100);
    for (size_t i = 0; i < waiting->waits.event_count; i++) {
        const struct ws_wait_event *event = &waiting->waits.events[i];
        if (i > 0)
            assert_true(event->event > event[-1].event);
        assert_int_equal(event->duration_ns, event->event + 1 + (event->event == 999 ? 400 : 0));
        assert_int_not_equal(event->group, 8);
    }
    for (uint32_t i = 951; i < 1000; i++)
        assert_int_equal(waiting->waits.events[waiting->waits.event_count - 1000 + i].event, i);
    end_waiting(waiting);
}

static void test_times_that_a_damaged_trace_claims(void **state)
{
    struct waiting *waiting = begin_waiting(10);

    (void)state;
    wait_for(waiting, 0, 0, 2, 1, INT64_MIN, INT64_MAX);
    wait_for(waiting, 0, 0, 2, 2, INT64_MIN, 0);
    wait_for(waiting, 0, 9, 2, 3, 0, INT64_MAX);
    ws_waits_finish(&waiting->waits);
    assert_int_equal(waiting->waits.rank_ns[0], INT64_MAX);
    end_waiting(waiting);
}

/* ---- events ---- */

/* Two types, sends and receives, that meet by a common rule; a third by none. */
enum { SEND, RECV, NOTE, TYPES };
enum { PEER = WS_ATTR_COUNT, N, SLOTS };
static struct ws_param message_slots[SLOTS] = {
    [PEER] = {.name = "peer", .type = WS_TYPE_INTEGER}, [N] = {.name = "n", .type = WS_TYPE_INTEGER}};
static struct ws_param note_slots[SLOTS] = {
    [PEER] = {.name = "text", .type = WS_TYPE_STRING}, [N] = {.name = "size", .type = WS_TYPE_REAL}};
static struct ws_event_type types[TYPES] = {
    {.name = "send",
     .index = SEND,
     .slots = message_slots,
     .slot_count = SLOTS,
     .attribute_count = WS_ATTR_COUNT},
    {.name = "recv",
     .index = RECV,
     .slots = message_slots,
     .slot_count = SLOTS,
     .attribute_count = WS_ATTR_COUNT},
    {.name = "note",
     .index = NOTE,
     .slots = note_slots,
     .slot_count = SLOTS,
     .attribute_count = WS_ATTR_COUNT},
};
static struct ws_event_type *type_list[] = {&types[SEND], &types[RECV], &types[NOTE]};
static struct ws_number number = {.name = "n"};
static struct ws_trace_rule trace_rules[] = {
    {.event = "send", .type = &types[SEND], .numbers = &number, .number_count = 1},
    {.event = "recv", .type = &types[RECV], .numbers = &number, .number_count = 1},
};
static struct ws_trace_rule *trace_rule_list[] = {&trace_rules[0], &trace_rules[1]};
#define SLOT_OF(m, s)                                                                                        \
    &(struct ws_expr)                                                                                        \
    {                                                                                                        \
        .op = WS_OP_SLOT, .type = WS_TYPE_INTEGER, .member = (m), .slot = (s)                                \
    }
static struct ws_join joins[] = {
    {SLOT_OF(0, WS_ATTR_PROCESS), SLOT_OF(1, PEER), 0, 1},
    {SLOT_OF(0, PEER), SLOT_OF(1, WS_ATTR_PROCESS), 0, 1},
    {SLOT_OF(0, N), SLOT_OF(1, N), 0, 1},
};
static struct ws_member members[] = {{.name = "sender", .type = &types[SEND]},
                                     {.name = "receiver", .type = &types[RECV]}};
static struct ws_expr not_negative = {
    .op = WS_OP_GREATER_EQUAL,
    .type = WS_TYPE_BOOLEAN,
    .args = (struct ws_expr *[]){SLOT_OF(0, PEER),
                                 &(struct ws_expr){.op = WS_OP_CONSTANT, .type = WS_TYPE_INTEGER}},
    .arg_count = 2};
static struct ws_expr *filters[] = {&not_negative, NULL};
static struct ws_composite_rule message_rule = {.members = members,
                                                .member_count = 2,
                                                .filters = (struct ws_expr * *[]){filters, NULL},
                                                .joins = joins,
                                                .join_count = 3};
static struct ws_scope common = {.id = "common",
                                 .common = true,
                                 .composites = (struct ws_composite_rule *[]){&message_rule},
                                 .composite_count = 1};
static const struct ws_kb kb = {.types = type_list,
                                .type_count = TYPES,
                                .simple_count = TYPES,
                                .scopes = (struct ws_scope *[]){&common},
                                .scope_count = 1,
                                .trace_rules = trace_rule_list,
                                .trace_rule_count = 2};

static int name_attributes(void **state)
{
    (void)state;
    for (size_t i = 0; i < WS_ATTR_COUNT; i++)
        message_slots[i].name = note_slots[i].name = ws_attributes[i].name;
    return 0;
}

struct shown {
    struct waiting *waiting;
    struct ws_shown_events events;
};

static void show(struct shown *shown, uint32_t type, int64_t rank, int64_t t_ns, int64_t d_ns, int64_t peer,
                 union ws_value last)
{
    struct ws_event *event = ws_alloc(sizeof *event + SLOTS * sizeof *event->value);

    event->type = type;
    event->value[WS_ATTR_T].i = event->value[WS_ATTR_POSTED].i = t_ns;
    event->value[WS_ATTR_D].i = d_ns;
    event->value[WS_ATTR_END].i = t_ns + d_ns;
    event->value[WS_ATTR_PROCESS].i = rank;
    event->value[WS_ATTR_SITE].i = 40 + type;
    event->value[WS_ATTR_FUNCTION].s = types[type].name;
    event->value[WS_ATTR_CALL].i = 3;
    event->value[PEER].i = peer;
    event->value[N] = last;
    if (type == NOTE)
        event->value[PEER].s = "a text";
    if (type == RECV) { /* started earlier */
        event->value[WS_ATTR_POSTED].i = t_ns - 100;
        event->value[WS_ATTR_POSTED_FUNCTION].s = types[NOTE].name;
        event->value[WS_ATTR_POSTED_SITE].i = 99;
    }
    ws_shown_add(&shown->events, event);
    free(event);
}

#define INTEGER(n) ((union ws_value){.i = (n)})
#define REAL(n) ((union ws_value){.r = (n)})

static struct bytes columns(const struct shown *shown)
{
    static const uint8_t problems[] = {4};
    struct ws_zip *zip = ws_alloc(sizeof *zip);
    struct ws_text text = {0};
    struct bytes bytes;

    ws_zip_begin(zip, &text);
    ws_shown_write(&shown->events, 3, 1000, problems, 1, zip);
    ws_zip_end(zip);
    bytes = inflated(text.bytes, text.length);
    ws_text_free(&text);
    free(zip);
    return bytes;
}

static void assert_column(struct bytes bytes, const char *tag, size_t n, const double *expected, size_t count)
{
    struct column column = column_of(bytes, tag, n);

    assert_int_equal(column.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(column.values[i] == expected[i]);
    free(column.values);
}
#define COLUMN(bytes, tag, n, ...)                                                                           \
    assert_column(bytes, tag, n, (const double[]){__VA_ARGS__},                                              \
                  sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void test_all_of_few_events(void **state)
{
    struct shown shown = {begin_waiting(10), {0}};
    struct bytes bytes;

    (void)state;
    wait_for(shown.waiting, 0, 2, 0, 1, 5000, 5150);
    wait_for(shown.waiting, 7, 0, 3, 3, 9000, 9005); /* of a problem below the threshold */
    ws_waits_finish(&shown.waiting->waits);
    ws_shown_init(&shown.events, &kb, &shown.waiting->waits, 10);
    show(&shown, SEND, 0, 4000, 10, 2, INTEGER(1));
    show(&shown, RECV, 2, 5000, 200, 0, INTEGER(1));
    show(&shown, NOTE, 1, 5000, 200, 0, REAL(1)); /* of a rank that has no row */
    show(&shown, SEND, 0, 3000, 30, 2, INTEGER(2));
    show(&shown, SEND, 0, 6000, 10, -1, INTEGER(1)); /* meets nobody */
    show(&shown, RECV, 3, 6000, 10, 0, INTEGER(2));  /* nor this */
    show(&shown, NOTE, 3, 500, 10, 0, REAL(0.5));    /* before the begin of the run: there */
    ws_shown_finish(&shown.events);
    assert_int_equal(shown.events.seen, 7);
    assert_int_equal(shown.events.count, 6);
    bytes = columns(&shown);
    COLUMN(bytes, "ROWS", 0, 0, 3, 4, 6);
    COLUMN(bytes, "GAPS", 0, 2000, 1000, 2000, 4000, 0, 5000);
    COLUMN(bytes, "DURA", 0, 30, 10, 10, 200, 10, 10);
    COLUMN(bytes, "TYPE", 0, SEND, SEND, SEND, RECV, NOTE, RECV);
    COLUMN(bytes, "POST", 0, 0, 0, 0, 100, 0, 100);
    COLUMN(bytes, "WAIT", 0, 5, 0, 0, 150, 0, 0);
    COLUMN(bytes, "PROB", 0, WS_CELL_SMALL, WS_CELL_NONE, WS_CELL_NONE, 4, WS_CELL_NONE, WS_CELL_NONE);
    COLUMN(bytes, "ORDR", 0, 3, 3, 3, 3, 3, 3);
    assert_string_equal(shown.events.functions.list[0].s, "send");
    assert_string_equal(shown.events.functions.list[2].s, "note");
    COLUMN(bytes, "FUNC", 0, 0, 0, 0, 1, 2, 1);
    COLUMN(bytes, "PFUN", 0, 0, 0, 0, 2, 2, 2);
    assert_int_equal(shown.events.sites.list[0].i, 0); /* the unknown one, though nobody is there */
    assert_int_equal(shown.events.sites.list[1].i, 40 + SEND);
    COLUMN(bytes, "SITE", 0, 1, 1, 1, 2, 4, 2);
    COLUMN(bytes, "PSIT", 0, 1, 1, 1, 3, 4, 3);
    COLUMN(bytes, "PARM", 0, 2, 2, -1); /* send.peer */
    COLUMN(bytes, "PARM", 1, 2, 1, 1);  /* send.n */
    COLUMN(bytes, "PARM", 4, 0);        /* note.text: the first string */
    COLUMN(bytes, "PARM", 5, 0.5);      /* note.size */
    assert_string_equal(shown.events.strings.list[0].s, "a text");
    COLUMN(bytes, "MSGS", 0, 1);
    COLUMN(bytes, "MSGR", 0, 3);
    free(bytes.at);
    ws_shown_free(&shown.events);
    end_waiting(shown.waiting);
}

/* Of too many those that waited longest, then the longest; of equal ones the first. */
static void test_the_most_important_of_many(void **state)
{
    enum { MOST = 100, ALL = 20000 };
    struct shown shown = {begin_waiting(MOST), {0}};
    size_t waiting = 0;

    (void)state;
    for (uint32_t i = 0; i < 60; i++)
        wait_for(shown.waiting, 0, 0, 2, 300 * i + 17, 2000, 2000 + 10 + i);
    ws_waits_finish(&shown.waiting->waits);
    ws_shown_init(&shown.events, &kb, &shown.waiting->waits, MOST);
    for (int64_t i = 0; i < ALL; i++)
        show(&shown, NOTE, 0, 1000 + i, 1 + i * 7919 % 1000, 0, REAL((double)i));
    ws_shown_finish(&shown.events);
    assert_int_equal(shown.events.count, MOST);
    assert_int_equal(shown.events.seen, ALL);
    for (size_t i = 0; i < MOST; i++) {
        const struct ws_shown *event = &shown.events.list[i];
        assert_true(shown.events.values[event->values + 1].r == (double)event->order);
        assert_int_equal(event->t_ns, 1000 + event->order);
        waiting += event->waited_ns > 0;
        if (event->waited_ns > 0)
            assert_int_equal(event->order % 300, 17);
        else
            assert_true(event->duration_ns >= 998); /* 20 of each length, 60 of these three; 40 are wanted */
        if (event->duration_ns == 998 && event->waited_ns == 0)
            fail();
    }
    assert_int_equal(waiting, 60);
    ws_shown_free(&shown.events);
    end_waiting(shown.waiting);
}

static void test_no_events_at_all(void **state)
{
    struct shown shown = {begin_waiting(0), {0}};
    struct bytes bytes;

    (void)state;
    wait_for(shown.waiting, 0, 2, 0, 1, 5000, 5150);
    ws_waits_finish(&shown.waiting->waits);
    ws_shown_init(&shown.events, &kb, &shown.waiting->waits, 0);
    show(&shown, SEND, 0, 4000, 10, 2, INTEGER(1));
    ws_shown_finish(&shown.events);
    assert_int_equal(shown.events.seen, 1);
    bytes = columns(&shown);
    COLUMN(bytes, "ROWS", 0, 0, 0, 0, 0);
    assert_column(bytes, "GAPS", 0, NULL, 0);
    free(bytes.at);
    ws_shown_free(&shown.events);
    end_waiting(shown.waiting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_as_narrow_as_their_span),
        cmocka_unit_test(test_many_values_of_any_length),
        cmocka_unit_test(test_levels_add_up),
        cmocka_unit_test(test_a_coarse_cell_has_the_problem_with_most_of_its_waiting),
        cmocka_unit_test(test_waiting_is_never_more_than_calls),
        cmocka_unit_test(test_levels_of_any_run),
        cmocka_unit_test(test_histogram_has_all_waiting_where_it_was),
        cmocka_unit_test(test_the_longest_instances_and_edges_first),
        cmocka_unit_test(test_events_that_waited_longest_are_remembered),
        cmocka_unit_test(test_times_that_a_damaged_trace_claims),
        cmocka_unit_test(test_all_of_few_events),
        cmocka_unit_test(test_the_most_important_of_many),
        cmocka_unit_test(test_no_events_at_all),
    };
    return cmocka_run_group_tests(tests, name_attributes, NULL);
}
