/* How fast the reader alone is: read_trace DIR KB reads all events and says how many a second, of the
 * processor's time, and how much memory that took. */
#include "rules/kb.h"
#include "trace/trace.h"
#include "tracegen/tracegen.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const struct ws_event *event;
    struct ws_schema want = {0};
    struct ws_error error = {0};
    struct ws_trace *trace = NULL;
    struct ws_kb kb = {0};
    struct rusage usage;
    double begin, opened, end;
    uint64_t events = 0, sum = 0;

    if (argc != 3)
        return fprintf(stderr, "read_trace DIR KB\n"), 2;
    if (ws_kb_load(&kb, argv[2], NULL, 0, NULL, &error) != 0 || ws_schema_from_kb(&kb, &want, &error) != 0)
        return fprintf(stderr, "read_trace: %s\n", error.text), 1;
    begin = seconds();
    if (!(trace = ws_trace_open(argv[1], &want, &error)))
        return fprintf(stderr, "read_trace: %s\n", error.text), 1;
    opened = seconds();
    for (; ws_trace_next(trace, &event, &error) == 1; events++)
        sum = sum * 31 + (uint64_t)event->value[WS_ATTR_END].i + (uint64_t)event->value[WS_ATTR_COUNT].i;
    end = seconds();
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64
           " events, %.2f M events/s (first reading %.2f s, second %.2f s), %ld MB at most, check %016" PRIx64
           "\n",
           events, (double)events / (end - begin) / 1e6, opened - begin, end - opened, usage.ru_maxrss / 1024,
           sum);
    ws_trace_close(trace);
    ws_schema_free(&want);
    ws_kb_free(&kb);
    return 0;
}
