/* A set of ranks as people write it: "0, 2–5, 9". */
#ifndef WS_DIAGNOSIS_RANGES_H
#define WS_DIAGNOSIS_RANGES_H

#include "util/text.h"

/* `ranks` sorted and distinct.  Two neighbours stay apart ("2, 3"); of more than WS_RANGES_MOST ranges the
 * first ones are shown and the number of all: "0, 2, 4, 6, … (128 in all)". */
#define WS_RANGES_MOST 8
void ws_ranges_add(struct ws_text *out, const uint32_t *ranks, size_t count);

#endif
