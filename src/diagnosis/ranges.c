#include "diagnosis/ranges.h"

/* The number of ranks from `first` on that follow each other without a gap; 1 for a pair. */
static size_t run_length(const uint32_t *ranks, size_t first, size_t count)
{
    size_t length = 1;
    while (first + length < count && ranks[first + length] == ranks[first + length - 1] + 1)
        length++;
    return length == 2 ? 1 : length;
}

void ws_ranges_add(struct ws_text *out, const uint32_t *ranks, size_t count)
{
    size_t shown = 0, length;

    for (size_t i = 0; i < count; i += length, shown++) {
        length = run_length(ranks, i, count);
        if (shown == WS_RANGES_MOST) {
            ws_text_printf(out, ", … (%zu in all)", count);
            return;
        }
        ws_text_printf(out, shown ? ", %u" : "%u", ranks[i]);
        if (length > 1)
            ws_text_printf(out, "–%u", ranks[i + length - 1]);
    }
}
