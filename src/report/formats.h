/* Between the files of this room: the formats of report.c's table, and what they share. */
#ifndef WS_REPORT_FORMATS_H
#define WS_REPORT_FORMATS_H

#include "diagnosis/verdict.h"

#include <stdio.h>

/* text.c, json.c, brief.c: the diagnosis as a report; errors of `out` are left to the caller; -1 only where the report
 * cannot be made. */
int ws_report_text(const struct ws_diagnosis *diagnosis, FILE *out);
int ws_report_json(const struct ws_diagnosis *diagnosis, FILE *out);
int ws_report_brief(const struct ws_diagnosis *diagnosis, FILE *out);

/* what_if.c: likewise what fixes would gain; and how it is said: "0.42 s of 1.33 s (31 %)", "without this operation". */
int ws_what_if_text(const struct ws_diagnosis *diagnosis, FILE *out);
void ws_gain_phrase(struct ws_text *out, int64_t gain_ns, int64_t wall_ns);
extern const char *const ws_remedy_phrases[WS_REMEDIES];
/* compare_text.c, compare_json.c: likewise of a comparison. */
int ws_compare_text(const struct ws_comparison *comparison, FILE *out);
int ws_compare_json(const struct ws_comparison *comparison, FILE *out);
/* verdict.c: likewise of a check. */
int ws_verdict_text(const struct ws_verdict *verdict, FILE *out);
int ws_verdict_json(const struct ws_verdict *verdict, FILE *out);
int ws_verdict_junit(const struct ws_verdict *verdict, FILE *out);

/* numbers.c: "21 %" */
const char *ws_report_percent(double percent, char buffer[static 32]);
const char *ws_report_seconds(double s, char buffer[static 32]); /* "1.24 s"; at most what a time can be */
const char *ws_report_plural(uint64_t count);                    /* "s" but of one */
double ws_report_share(double part, double whole); /* in percent; 0 of nothing */
/* site.c: adds where a call is: "MPI_Recv in exchange() at jacobi.c:57"; without `folder` at the front of
 * paths. */
void ws_report_site(struct ws_text *out, const struct ws_place *place, const char *folder);

/* source.c: the text of one source line without the space around it (free()); NULL where the file is
 * not there, is not a regular file, or has no such line. */
char *ws_source_line(const char *path, int line);
/* The line with those around it, of the same kind of file, where its name is that of a source. */
#define WS_EXCERPT_AROUND 8
struct ws_excerpt {
    const char *language; /* by the file's name: "c", "fortran" ...; "" unknown */
    int first_line;
    char *lines[2 * WS_EXCERPT_AROUND + 1]; /* without their ends, as they are in the file */
    size_t count;
    bool cut;          /* a line was too long */
    int64_t changed_s; /* when the file was last changed */
};
bool ws_source_excerpt(const char *path, int line, struct ws_excerpt *excerpt); /* ws_excerpt_free */
void ws_excerpt_free(struct ws_excerpt *excerpt);

#endif
