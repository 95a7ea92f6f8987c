/* An exchange profile in one of its forms: for reading, for programs, for spreadsheets. */
#ifndef WS_REPORT_EXCHANGE_H
#define WS_REPORT_EXCHANGE_H

#include "exchange/rows.h"

#include <jansson.h>
#include <stdio.h>

struct ws_exchange_view {
    bool by[WS_BY_COUNT]; /* the tables to show; none: the overview */
    bool messages;        /* count messages, not bytes */
    unsigned top;         /* rows of a table; 0: all */
};

/* form: "text", "json" or "csv".  Fails with WS_ENVIRONMENT where `out` cannot be written. */
int ws_exchange_write(const struct ws_exchange *exchange, const struct ws_exchange_view *view,
                      const char *form, FILE *out, struct ws_error *error);

/* What "json" writes (docs/exchange.md), for a report that shows it too; json_decref. */
json_t *ws_exchange_tree(const struct ws_exchange *exchange);

/* Between the files that write it: errors of `out` are left to the caller. */
void ws_exchange_text(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out);
void ws_exchange_json(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out);
void ws_exchange_csv(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out);
/* The matrix alone: figures where they have room, else a sign for each cell, or for several places. */
struct ws_sheet;
void ws_exchange_matrix(const struct ws_exchange *exchange, bool messages, const struct ws_sheet *sheet);
/* "1.2K" in at most five columns; K is 1024. */
const char *ws_short_count(uint64_t count, char buffer[static 8]);

#endif
