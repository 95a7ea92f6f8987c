/* An exchange for reading. */
#include "report/exchange.h"
#include "report/formats.h"
#include "report/sheet.h"

#include "util/text.h"
#include "util/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EACH_PLACE 16 /* so many places are told one by one */
#define NAME 34       /* columns of a row's name that is short */

struct page {
    const struct ws_exchange *exchange;
    const struct ws_exchange_view *view;
    struct ws_sheet sheet;
    FILE *out;
};

/* ---- words and figures ---- */

/* "1 234 567" */
static const char *spaced(uint64_t number, char buffer[static 32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            buffer[at++] = ' ';
        buffer[at++] = digits[i];
    }
    buffer[at] = '\0';
    return buffer;
}

/* "37 %" of all that was moved; less than one in a hundred is "<1 %". */
static const char *share(uint64_t part, uint64_t whole, char buffer[static 16])
{
    uint64_t percent = whole ? (uint64_t)((unsigned __int128)part * 100 / whole) : 0;

    snprintf(buffer, 16, part && percent == 0 ? "<1 %%" : "%" PRIu64 " %%", percent);
    return buffer;
}

static uint64_t value_of(const struct page *page, struct ws_sum sum)
{
    return page->view->messages ? sum.messages : sum.bytes;
}

static uint32_t number(const struct page *page, uint32_t place)
{
    return place + page->exchange->first;
}

static const char *capital(const char *word, char buffer[static 64])
{
    snprintf(buffer, 64, "%s", word);
    buffer[0] = (char)toupper((unsigned char)buffer[0]);
    return buffer;
}

static void heading(const struct page *page, const char *text)
{
    fprintf(page->out, "\n%s%s%s\n", page->sheet.strong, text, page->sheet.plain);
}

/* ---- tables ---- */

static void name_place(const struct page *page, uint32_t place, struct ws_text *name)
{
    ws_text_printf(name, "%s %" PRIu32, page->exchange->place, number(page, place));
}

static void name_site(const struct page *page, const struct ws_row *row, struct ws_text *name)
{
    const struct ws_site *site = &page->exchange->sites[row->number];
    const struct ws_place place = {.called = row->name,
                                   .function = site->function,
                                   .file = site->file,
                                   .line = site->line,
                                   .module = site->module,
                                   .offset = site->offset};

    ws_report_site(name, &place, page->sheet.folder);
}

/* Adds what moved most of a pair, where it is known. */
static void name_heaviest(const struct page *page, const struct ws_row *row, struct ws_text *name)
{
    const struct ws_part *most = NULL;
    uint64_t greatest = 0;
    struct ws_row site;

    for (size_t i = 0; i < page->exchange->part_count; i++) {
        const struct ws_part *part = &page->exchange->parts[i];
        const struct ws_pair *pair = ws_part_pair(part, row->number, row->other);
        if (pair && value_of(page, pair->sum) >= greatest) {
            greatest = value_of(page, pair->sum);
            most = part;
        }
    }
    if (!most)
        return;
    site = (struct ws_row){.name = most->function, .number = most->site};
    ws_text_puts(name, greatest == value_of(page, row->sum) ? ", by " : ", most by ");
    name_site(page, &site, name);
}

static void name_size(uint32_t size, struct ws_text *name)
{
    char least[8], most[8];

    if (ws_size_most(size) == ws_size_least(size))
        ws_text_printf(name, "%" PRIu64 " byte%s", ws_size_least(size),
                       ws_report_plural(ws_size_least(size)));
    else if (ws_size_most(size) < 1024)
        ws_text_printf(name, "%" PRIu64 " to %" PRIu64 " bytes", ws_size_least(size), ws_size_most(size));
    else
        ws_text_printf(name, "%s to less than %s bytes", ws_short_count(ws_size_least(size), least),
                       ws_short_count(ws_size_most(size) + 1, most));
}

static void name_slot(const struct page *page, uint32_t slot, struct ws_text *name)
{
    char begin[32], end[32];

    ws_text_printf(name, "%s to %s", ws_format_ns(page->exchange->slots[slot].begin_ns, begin),
                   ws_format_ns(page->exchange->slots[slot].end_ns, end));
}

static const char *host(const char *name)
{
    return *name ? name : "an unknown node";
}

static void name_row(const struct page *page, enum ws_exchange_by by, const struct ws_row *row,
                     struct ws_text *name)
{
    const struct ws_exchange *exchange = page->exchange;

    switch (by) {
    case WS_BY_SITE:
        name_site(page, row, name);
        break;
    case WS_BY_SIZE:
        name_size(row->number, name);
        break;
    case WS_BY_TIME:
        name_slot(page, row->number, name);
        break;
    case WS_BY_NODE:
        ws_text_printf(name, row->number == row->other ? "within %s" : "%s to %s",
                       host(exchange->nodes[row->number]), host(exchange->nodes[row->other]));
        break;
    case WS_BY_PLACE:
        name_place(page, row->number, name);
        break;
    case WS_BY_PAIR:
        name_place(page, row->number, name);
        ws_text_printf(name, " to %s %" PRIu32, exchange->place, number(page, row->other));
        name_heaviest(page, row, name);
        break;
    case WS_BY_TYPE:
        ws_text_puts(name, *row->name ? row->name : "of no type");
        break;
    case WS_BY_PHASE:
        ws_text_puts(name, *row->name ? row->name : "before the first phase");
        break;
    default:
        ws_text_puts(name, row->name);
    }
}

/* "  12 345 678 messages     1.2M bytes   37 %  rank 0 to rank 1" */
static void print_row(const struct page *page, const char *name, struct ws_sum sum)
{
    char messages[32], bytes[8], percent[16];

    fprintf(page->out, "  %15s  %10s  %5s  ", spaced(sum.messages, messages),
            ws_short_count(sum.bytes, bytes),
            share(value_of(page, sum), value_of(page, page->exchange->sum), percent));
    ws_sheet_wrapped(&page->sheet, name, 40, 38);
}

static void print_head(const struct page *page, const char *title)
{
    heading(page, title);
    fprintf(page->out, "  %15s  %10s  %5s\n", "messages", "bytes", "share");
}

static void print_rest(const struct page *page, const struct ws_row *rows, size_t shown, size_t count)
{
    struct ws_sum rest = {0};
    char name[64];

    if (shown == count)
        return;
    for (size_t i = shown; i < count; i++)
        ws_sum_add(&rest, rows[i].sum);
    snprintf(name, sizeof name, "%zu more (--top)", count - shown);
    print_row(page, name, rest);
}

static const struct {
    const char *title;
    bool in_full; /* all rows, in their order */
} tables[WS_BY_COUNT] = {
    [WS_BY_KIND] = {"By kind", true},
    [WS_BY_FUNCTION] = {"By function", false},
    [WS_BY_TYPE] = {"By message type", false},
    [WS_BY_SITE] = {"By call site", false},
    [WS_BY_SIZE] = {"By size of a message", true},
    [WS_BY_TIME] = {"Over time", true},
    [WS_BY_PHASE] = {"By phase", true},
    [WS_BY_NODE] = {"Within and between nodes", false},
    [WS_BY_PLACE] = {"Received", true},
    [WS_BY_PAIR] = {"Heaviest pairs", false},
};

static void print_table(const struct page *page, enum ws_exchange_by by)
{
    size_t count, shown;
    struct ws_row *rows = ws_exchange_rows(page->exchange, by, page->view->messages, &count);

    print_head(page, tables[by].title);
    shown = tables[by].in_full || !page->view->top || page->view->top > count ? count : page->view->top;
    for (size_t i = 0; i < shown; i++) {
        struct ws_text name = {0};
        name_row(page, by, &rows[i], &name);
        print_row(page, ws_text_string(&name), rows[i].sum);
        ws_text_free(&name);
    }
    print_rest(page, rows, shown, count);
    if (count == 0)
        fprintf(page->out, "  nothing\n");
    free(rows);
}

/* ---- the overview ---- */

static void print_run(const struct page *page)
{
    const struct ws_exchange *exchange = page->exchange;
    struct ws_text text = {0};
    char messages[32], bytes[32], buffer[8], word[64];

    ws_text_printf(&text, "Exchange of %s: %" PRIu32 " %s%s",
                   *exchange->command ? exchange->command : "a recorded run", exchange->places,
                   exchange->place, ws_report_plural(exchange->places));
    if (*exchange->library)
        ws_text_printf(&text, ", %s", exchange->library);
    fputs(page->sheet.strong, page->out);
    ws_sheet_wrapped(&page->sheet, ws_text_string(&text), 0, 0);
    fputs(page->sheet.plain, page->out);
    ws_text_free(&text);
    ws_sheet_line(&page->sheet, "%s message%s, %s bytes (%s; K is 1024)",
                  spaced(exchange->sum.messages, messages), ws_report_plural(exchange->sum.messages),
                  spaced(exchange->sum.bytes, bytes), ws_short_count(exchange->sum.bytes, buffer));
    if (exchange->first)
        ws_sheet_line(&page->sheet, "%ss are numbered from %" PRIu32 " here; in --json and --csv from 0.",
                      capital(exchange->place, word), exchange->first);
}

/* "Place 3 received 74 bytes", as the first profiler of X10 said it. */
static void print_received(const struct page *page, uint32_t place)
{
    char word[64];

    fprintf(page->out, "  %s %" PRIu32 " received %" PRIu64 " bytes\n", capital(page->exchange->place, word),
            number(page, place), page->exchange->received[place].bytes);
}

static void print_places(const struct page *page)
{
    const struct ws_exchange *exchange = page->exchange;
    struct ws_imbalance imbalance = ws_exchange_imbalance(exchange);
    char mean[32];

    heading(page, "Received");
    for (uint32_t i = 0; exchange->places <= EACH_PLACE && i < exchange->places; i++)
        print_received(page, i);
    if (exchange->places > EACH_PLACE) {
        print_received(page, imbalance.most);
        print_received(page, imbalance.least);
    }
    if (imbalance.most_percent == 0)
        return;
    ws_sheet_indent(&page->sheet, 2);
    fprintf(page->out,
            "Imbalance: %s %" PRIu32 " received %" PRIu64 " %%, %s %" PRIu32 " %" PRIu64
            " %% of the mean, %s bytes%s\n",
            exchange->place, number(page, imbalance.most), imbalance.most_percent, exchange->place,
            number(page, imbalance.least), imbalance.least_percent, spaced(imbalance.mean_bytes, mean),
            exchange->places > EACH_PLACE ? " (all: --by place)" : "");
}

/* ---- what is missing, and what it cost ---- */

static void print_missing(const struct page *page)
{
    const struct ws_exchange *exchange = page->exchange;
    char messages[32], bytes[32], duration[32];

    if (exchange->elsewhere.messages)
        ws_sheet_labelled(
            &page->sheet, 2, "elsewhere",
            ws_arena_printf((struct ws_arena *)&exchange->arena,
                            "%s messages, %s bytes to or from processes that are none of the run's own",
                            spaced(exchange->elsewhere.messages, messages),
                            spaced(exchange->elsewhere.bytes, bytes)));
    if (exchange->unplaced.messages)
        ws_sheet_labelled(
            &page->sheet, 2, "unplaced",
            ws_arena_printf((struct ws_arena *)&exchange->arena,
                            "%s messages, %s bytes of which it is not recorded between whom: in no sum above",
                            spaced(exchange->unplaced.messages, messages),
                            spaced(exchange->unplaced.bytes, bytes)));
    if (exchange->recording.counted_calls)
        ws_sheet_labelled(
            &page->sheet, 2, "counted",
            ws_arena_printf((struct ws_arena *)&exchange->arena,
                            "%s calls were only counted (--sample): their messages are in the sums, each "
                            "with the size that is their mean",
                            spaced(exchange->recording.counted_calls, messages)));
    if (exchange->recording.lost)
        ws_sheet_labelled(&page->sheet, 2, "lost",
                          ws_arena_printf((struct ws_arena *)&exchange->arena,
                                          "%s records, and what they moved: the sums are too small",
                                          spaced(exchange->recording.lost, messages)));
    if (exchange->recording.incomplete)
        ws_sheet_labelled(&page->sheet, 2, "incomplete",
                          ws_arena_printf((struct ws_arena *)&exchange->arena,
                                          "%s operations were started and not completed: not in the sums",
                                          spaced(exchange->recording.incomplete, messages)));
    if (exchange->recording.stopped_ns)
        ws_sheet_labelled(&page->sheet, 2, "stopped",
                          ws_arena_printf((struct ws_arena *)&exchange->arena,
                                          "for %s, over all %ss, nothing was to be recorded: not in the sums",
                                          ws_format_ns(exchange->recording.stopped_ns, duration),
                                          exchange->place));
}

static void print_recording(const struct page *page)
{
    const struct ws_exchange *exchange = page->exchange;
    char calls[32], cost[32], each[32], total[32], percent[16];
    int64_t cost_ns = exchange->recording.cost_ns;
    uint64_t all = exchange->recording.calls;

    heading(page, "Recording");
    print_missing(page);
    ws_sheet_labelled(
        &page->sheet, 2, "cost",
        ws_arena_printf((struct ws_arena *)&exchange->arena, "%s calls, %s each: %s of the %ss' %s (%s)",
                        spaced(all, calls), ws_format_ns(all ? (int64_t)((uint64_t)cost_ns / all) : 0, each),
                        ws_format_ns(cost_ns, cost), exchange->place,
                        ws_format_ns(exchange->recording.total_ns, total),
                        share((uint64_t)cost_ns, (uint64_t)exchange->recording.total_ns, percent)));
    for (size_t i = 0; i < exchange->warning_count; i++)
        ws_sheet_paragraph(&page->sheet, 2, "warning", exchange->warnings[i]);
}

static void print_overview(const struct page *page)
{
    fputc('\n', page->out);
    ws_exchange_matrix(page->exchange, page->view->messages, &page->sheet);
    print_places(page);
    print_table(page, WS_BY_PAIR);
    print_table(page, WS_BY_KIND);
    print_table(page, WS_BY_FUNCTION);
    if (page->exchange->node_count > 1)
        print_table(page, WS_BY_NODE);
}

void ws_exchange_text(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out)
{
    struct page page = {exchange, view, ws_sheet_open(out), out};
    bool any = false;

    print_run(&page);
    for (size_t by = 0; by < WS_BY_COUNT; by++)
        any |= view->by[by];
    for (size_t by = 0; by < WS_BY_COUNT; by++)
        if (view->by[by])
            print_table(&page, (enum ws_exchange_by)by);
    if (!any && exchange->sum.messages)
        print_overview(&page);
    else if (!any)
        ws_sheet_line(&page.sheet, "Nothing that was recorded and asked for moved anything from %s to %s.",
                      exchange->place, exchange->place);
    print_recording(&page);
    ws_sheet_close(&page.sheet);
}
