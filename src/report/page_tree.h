/* Between the files of the page: what is known of a run when it is written. */
#ifndef WS_REPORT_PAGE_TREE_H
#define WS_REPORT_PAGE_TREE_H

#include "diagnosis/diagnosis.h"
#include "exchange/exchange.h"
#include "report/page.h"
#include "report/timeline/events.h"

#include <jansson.h>

struct ws_page {
    const char *directory;
    const struct ws_kb *kb;
    const struct ws_page_options *options;
    struct ws_schema schema;
    struct ws_trace *trace;
    const struct ws_trace_info *info; /* of the trace */
    int64_t begin_ns, end_ns;         /* of the run */
    uint32_t *row_of, rows;           /* of each rank; UINT32_MAX: it has no row */
    struct ws_levels levels;
    struct ws_waits waits;
    struct ws_diagnosis diagnosis;
    uint8_t *problems; /* [groups]: place in the diagnosis' list */
    size_t groups;
    struct ws_shown_events events;
    struct ws_exchange exchange;
};

/* page_tree.c: the block ws-report of docs/page.md; json_decref. */
json_t *ws_page_tree(const struct ws_page *page);

#endif
