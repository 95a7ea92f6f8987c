/* Who sent how much to whom, as columns: of many places the pairs would be most of a page. */
#ifndef WS_REPORT_TIMELINE_PAIRS_H
#define WS_REPORT_TIMELINE_PAIRS_H

#include "exchange/exchange.h"
#include "report/timeline/zip.h"

/* Up to so many stand in the report's JSON, where they are easier to read. */
#define WS_PAIRS_IN_JSON 20000

bool ws_pairs_are_many(const struct ws_exchange *exchange);
void ws_pairs_write(const struct ws_exchange *exchange, struct ws_zip *zip);

#endif
