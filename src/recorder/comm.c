/* Sets of processes, described for the readers of the stream. */
#include "recorder/hot.h"

enum { SCRATCH = 15 }; /* no wrapper and no support code uses it */

/* As many members in a record as fill a quarter of a packet. */
void ws_describe_comm(uint32_t index, uint32_t id, int32_t size,
                      int32_t (*member)(const void *set, int32_t i), const void *set)
{
    const int32_t most = (int32_t)(ws_packet_bytes / WS_LEAST_BUFFER * WS_COMM_PART);
    size_t most_bytes = 4 * sizeof(uint32_t) + (size_t)most * sizeof(int32_t);
    unsigned char *fields = ws_scratch(ws_self, SCRATCH, (int64_t)most_bytes, 1);
    int32_t first = 0;

    if (!fields)
        return;
    do {
        int32_t count = size - first < most ? size - first : most;
        unsigned char *at = fields;
        WS_PUT(at, index);
        WS_PUT(at, id);
        WS_PUT(at, (uint32_t)first);
        WS_PUT(at, (uint32_t)count);
        for (int32_t i = 0; i < count; i++)
            WS_PUT(at, member(set, first + i));
        ws_describe(ws_self, WS_RECORD_COMM, fields, (size_t)(at - fields));
        first += count;
    } while (first < size);
}
