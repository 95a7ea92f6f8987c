/* Where waiting began, as reports tell it. */
#ifndef WS_REPORT_ORIGIN_H
#define WS_REPORT_ORIGIN_H

#include "diagnosis/diagnosis.h"
#include "report/sheet.h"
#include "util/text.h"

#include <jansson.h>

/* "computation between MPI_Recv in main() at a.c:3 and MPI_Send in main() at a.c:9"; NULL: the begin or the
 * end of the recording.  kind: ws_origin.kind or ws_path_part.kind. */
void ws_origin_place(struct ws_text *out, const struct ws_sheet *sheet, const char *kind,
                     const struct ws_place *from, const struct ws_place *to);
/* "ranks 0 (1.2 s), 3 (8 ms)", of many the range and the most. */
void ws_origin_ranks(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_rank_share *ranks,
                     size_t count);
/* "rank 0 → 1 (MPI_Recv, 100 ms) → 2 …": from where it began to those that waited. */
void ws_origin_way(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_origin *origin);
/* What a wavefront is and what to change; only of one. */
void ws_origin_wave(struct ws_text *out, const struct ws_sheet *sheet, const struct ws_origin *origin);

/* For programs; share of `whole_ns`.  Adds `place` to an entry as "from" and "at". */
json_t *ws_tree_origin(const struct ws_origin *origin, int64_t whole_ns);
void ws_tree_add_places(json_t *entry, const struct ws_place *from, const struct ws_place *to, bool between);

#endif
