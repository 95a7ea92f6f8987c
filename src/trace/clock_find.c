/* What the streams say about their clocks, looked up before they are read. */
#include "trace/stream.h"

#include "trace/layout.h"

/* The records about the clock follow the one about the process; a leader's second comparison stands at the
 * end.
 */
struct ws_clock *ws_clock_find(struct ws_clocks *clocks, const struct ws_stream *stream,
                               const struct ws_binding *binding)
{
    struct ws_cursor cursor = {.stream = stream, .binding = binding};
    struct ws_record_offset offset;
    struct ws_record_clock record;
    struct ws_clock *clock = NULL;
    bool leads = false;

    while (ws_cursor_next(&cursor, WS_READ_VALUES) && (leads || !cursor.record)) {
        if (cursor.id == WS_RECORD_CLOCK && !cursor.record && !clock) {
            ws_cursor_clock(&cursor, &record);
            clock = ws_clocks_get(clocks, record.domain, stream->rank);
            if (clock->rank == stream->rank) {
                clock->begin_ns = (uint64_t)cursor.own_ns;
                clock->wall_ns = record.wall_ns;
            }
        } else if (cursor.id == WS_RECORD_OFFSET && !cursor.record && clock) {
            ws_cursor_offset(&cursor, &offset);
            ws_clock_compared(clock, &offset);
            leads = true;
        }
    }
    return clock;
}
