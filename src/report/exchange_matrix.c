/* The matrix of an exchange for reading: rows give, columns get. */
#include "report/exchange.h"
#include "report/sheet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 64 /* on a side; of more places several share a cell */
#define FIGURE 6      /* columns of a figure */

/* From little to much, each sign four times the one before. */
static const char signs[] = ".:-=+*#%@";
#define SIGNS (sizeof signs - 1)

struct matrix {
    const struct ws_exchange *exchange;
    const struct ws_sheet *sheet;
    bool messages;
    uint32_t share; /* places of a cell */
    uint32_t side;
    uint64_t *cells, most; /* row after row; the greatest */
    bool *moved;           /* a message of 0 bytes has a sign too */
    int label;             /* columns of a row's name */
};

static uint64_t value_of(const struct matrix *matrix, struct ws_sum sum)
{
    return matrix->messages ? sum.messages : sum.bytes;
}

static void fill(struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->exchange->pair_count; i++) {
        const struct ws_pair *pair = &matrix->exchange->pairs[i];
        size_t at = (size_t)(pair->from / matrix->share) * matrix->side + pair->to / matrix->share;
        matrix->cells[at] += value_of(matrix, pair->sum);
        matrix->moved[at] = true;
    }
    for (size_t i = 0; i < (size_t)matrix->side * matrix->side; i++)
        matrix->most = matrix->cells[i] > matrix->most ? matrix->cells[i] : matrix->most;
}

/* The number of the first place in a row. */
static uint32_t number_of(const struct matrix *matrix, uint32_t row)
{
    return row * matrix->share + matrix->exchange->first;
}

static int digits(uint32_t number)
{
    int count = 1;

    for (; number >= 10; number /= 10)
        count++;
    return count;
}

/* ---- figures ---- */

static void print_figure(const struct matrix *matrix, uint64_t value, bool moved)
{
    char buffer[8];

    fprintf(matrix->sheet->out, "%*s", FIGURE, moved ? ws_short_count(value, buffer) : ".");
}

static void print_figures(const struct matrix *matrix)
{
    FILE *out = matrix->sheet->out;

    fprintf(out, "  %*s", matrix->label, "");
    for (uint32_t to = 0; to < matrix->side; to++)
        fprintf(out, "%*" PRIu32, FIGURE, number_of(matrix, to));
    fprintf(out, "\n");
    for (uint32_t from = 0; from < matrix->side; from++) {
        fprintf(out, "  %*" PRIu32, matrix->label, number_of(matrix, from));
        for (uint32_t to = 0; to < matrix->side; to++) {
            size_t at = (size_t)from * matrix->side + to;
            print_figure(matrix, matrix->cells[at], matrix->moved[at]);
        }
        fprintf(out, "\n");
    }
}

/* ---- signs ---- */

static char sign_of(const struct matrix *matrix, size_t at)
{
    uint64_t least = matrix->most;
    size_t sign = SIGNS - 1;

    if (!matrix->moved[at])
        return ' ';
    for (; sign > 0 && matrix->cells[at] <= least / 4; sign--)
        least /= 4;
    return signs[sign];
}

/* The numbers of the columns, every tenth, so that they stand above their columns. */
static void print_columns(const struct matrix *matrix)
{
    FILE *out = matrix->sheet->out;
    uint32_t at = 0;

    fprintf(out, "  %*s  ", matrix->label, "");
    for (uint32_t to = 0; to < matrix->side; to += 10) {
        for (; at < to; at++)
            fputc(' ', out);
        at += (uint32_t)fprintf(out, "%" PRIu32, number_of(matrix, to));
    }
    fprintf(out, "\n");
}

static void print_signs(const struct matrix *matrix)
{
    FILE *out = matrix->sheet->out;

    print_columns(matrix);
    for (uint32_t from = 0; from < matrix->side; from++) {
        fprintf(out, "  %*" PRIu32 " |", matrix->label, number_of(matrix, from));
        for (uint32_t to = 0; to < matrix->side; to++)
            fputc(sign_of(matrix, (size_t)from * matrix->side + to), out);
        fprintf(out, "|\n");
    }
}

/* "@ 1.2M to 4.9M, each sign before it a quarter" */
static void print_scale(const struct matrix *matrix)
{
    char most[8], quarter[8];

    ws_sheet_indent(matrix->sheet, 2);
    fprintf(matrix->sheet->out,
            "'%c' is more than %s, up to %s%s; of the signs '%s' each is a quarter of the next\n",
            signs[SIGNS - 1], ws_short_count(matrix->most / 4, quarter), ws_short_count(matrix->most, most),
            matrix->messages ? " messages" : " bytes", signs);
}

static void print_title(const struct matrix *matrix)
{
    const struct ws_sheet *sheet = matrix->sheet;
    char shared[96] = "";

    if (matrix->share > 1)
        snprintf(shared, sizeof shared, "; each row and column is %" PRIu32 " %ss, named by the first",
                 matrix->share, matrix->exchange->place);
    fprintf(sheet->out, "%s%s from each %s (row) to each (column)%s%s\n", sheet->strong,
            matrix->messages ? "Messages" : "Bytes", matrix->exchange->place, shared, sheet->plain);
}

void ws_exchange_matrix(const struct ws_exchange *exchange, bool messages, const struct ws_sheet *sheet)
{
    struct matrix matrix = {.exchange = exchange, .messages = messages, .sheet = sheet, .share = 1};
    bool figures;

    if (exchange->places == 0 || exchange->pair_count == 0)
        return;
    matrix.share = (exchange->places - 1) / MOST_CELLS + 1;
    matrix.side = (exchange->places - 1) / matrix.share + 1;
    matrix.label = digits(number_of(&matrix, matrix.side - 1));
    matrix.cells = ws_alloc_array((size_t)matrix.side * matrix.side, sizeof *matrix.cells);
    matrix.moved = ws_alloc_array((size_t)matrix.side * matrix.side, sizeof *matrix.moved);
    fill(&matrix);
    figures = matrix.share == 1 && 2 + (size_t)matrix.label + FIGURE * (size_t)matrix.side <= sheet->width;
    print_title(&matrix);
    if (figures) {
        print_figures(&matrix);
    } else {
        print_signs(&matrix);
        print_scale(&matrix);
    }
    free(matrix.cells);
    free(matrix.moved);
}
