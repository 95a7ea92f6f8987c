/* Mistakes in rule files: collected, each with file:line:column, source line, caret and suggestion. */
#ifndef WS_RULES_DIAGNOSTICS_H
#define WS_RULES_DIAGNOSTICS_H

#include "rules/kb.h"

/* A rule file's text, kept so that a mistake found late can still show its line. */
struct ws_source {
    const char *path;
    const char *bytes; /* terminated; owned by the diagnostics' arena */
    size_t length;
};

struct ws_reported; /* where a mistake stands in the report */

/* A zeroed struct with `report` set is ready.  The report has the files in the order of their first mistake,
 * and the mistakes of a file in the order of their places. */
struct ws_diagnostics {
    struct ws_arena arena;
    struct ws_text *report;     /* where mistakes go; NULL: counted only */
    struct ws_source **sources; /* each from the arena, so that a borrowed one stays where it is */
    size_t source_count, source_capacity;
    size_t mistakes, warnings;
    const char *first_file; /* where the first mistake was met; NULL: none, or in no file */
    struct ws_reported *reported; /* in the order of the report */
    size_t reported_count, reported_capacity;
};

/* Reads a rule file (at most WS_RULE_FILE_MOST bytes, valid UTF-8, no NUL) and remembers it.
 * NULL after reporting why not. */
#define WS_RULE_FILE_MOST ((size_t)16 << 20)
const struct ws_source *ws_source_read(struct ws_diagnostics *diagnostics, const char *path);
/* The same for a text already in memory (copied). */
const struct ws_source *ws_source_add(struct ws_diagnostics *diagnostics, const char *path, const char *bytes,
                                      size_t length);

/* Adds a mistake (or warning) at pos, `width` columns wide.  Long lines are cut around the caret;
 * control characters are shown as '?'.  `suggestion` (may be NULL) follows as "did you mean 'x'?". */
void ws_mistake(struct ws_diagnostics *diagnostics, struct ws_pos pos, int width, const char *suggestion,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
void ws_warning(struct ws_diagnostics *diagnostics, struct ws_pos pos, int width, const char *suggestion,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
/* How wide to underline a word that stands as it is in the file; of an empty one its place is shown. */
int ws_word_width(const char *word);
/* Copies what was reported, into an empty list. */
void ws_diagnostics_remarks(const struct ws_diagnostics *diagnostics, struct ws_remarks *remarks);
void ws_diagnostics_free(struct ws_diagnostics *diagnostics);

#endif
