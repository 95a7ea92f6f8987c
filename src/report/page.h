/* The page: one HTML file that shows a run, its problems and its timeline (docs/page.md). */
#ifndef WS_REPORT_PAGE_H
#define WS_REPORT_PAGE_H

#include "diagnosis/compare.h"

#define WS_PAGE_EVENTS 1000000 /* shown one by one unless told otherwise */

struct ws_page_options {
    const char *engine;           /* NULL: the default */
    double threshold_percent;     /* < 0: the default */
    const struct ws_side *before; /* what the run is compared with (borrowed); NULL: nothing */
    const struct ws_side *further; /* with `before`: further runs of this version (borrowed); NULL: none */
    double noise_percent;         /* as of a comparison */
    bool no_source;               /* leave the source lines out */
    size_t events;                /* show so many one by one, at most */
    /* Called now and then with the share of the work that is done, 0 to 1.  NULL: not called. */
    void (*progress)(double share, void *context);
    void *context;
};

/* Diagnoses the trace in the folder and writes the page. */
int ws_page_write(const char *directory, const struct ws_kb *kb, const struct ws_page_options *options,
                  const char *file, struct ws_error *error);

#endif
