/* Writes the streams of a trace that was not recorded by our recorder, but comes from elsewhere: all records
 * in full, in the layout of trace/layout.h.  Files: those of ws_trace_create, which comes first. */
#ifndef WS_TRACE_WRITER_H
#define WS_TRACE_WRITER_H

#include "trace/schema.h"

struct ws_writer;

/* The stream of a rank's thread, DIR/ctf/rank-R.thread-T.  NULL with *error (WS_ENVIRONMENT) where it cannot
 * be written. */
struct ws_writer *ws_writer_open(const char *directory, const struct ws_schema *schema, uint32_t rank,
                                 uint32_t thread, struct ws_error *error);
/* Fails where something could not be written (WS_ENVIRONMENT).  Frees the writer. */
int ws_writer_close(struct ws_writer *writer, struct ws_error *error);

/* Built-in records; ns: moments of one clock that never decrease on a writer (an earlier one counts as the
 * latest so far). Strings that are longer than a reader takes are cut. */
void ws_writer_begin(struct ws_writer *writer, int64_t ns, uint32_t size, const char *host,
                     const char *library, const char *executable);
void ws_writer_end(struct ws_writer *writer, int64_t ns);
void ws_writer_clock(struct ws_writer *writer, int64_t ns, uint64_t domain);
/* site: from the number of functions on. */
void ws_writer_site(struct ws_writer *writer, int64_t ns, uint32_t site, uint16_t function,
                    const char *module, uint64_t offset);
void ws_writer_comm(struct ws_writer *writer, int64_t ns, uint32_t index, uint32_t identity,
                    const int32_t *ranks, uint32_t size);
void ws_writer_window(struct ws_writer *writer, int64_t ns, uint32_t index, uint32_t identity, uint32_t comm);

/* A call, and then records of it: a value for each field that is not constant, in order (strings not longer
 * than WS_STRING_MOST). */
void ws_writer_call(struct ws_writer *writer, int64_t t_ns, int64_t end_ns, uint32_t site);
void ws_writer_record(struct ws_writer *writer, size_t kind, const union ws_value *values);

#endif
