/* The findings of an analysis on their way to a report.
 *   collect.c  a finding comes in while its events live: an instance is kept of it
 *   once.c     instances that nothing still to come can touch are settled: each moment of a rank goes to one
 *              of them; what they keep is added up (ledger.c), and they are gone
 *   parcel.c   to and from bytes: parts of an analysis run in several places are brought together
 *   group.c    the sums become the ranked list of a report, with its texts (advice.c)
 * The report is decided by what the findings say, never by the order in which they come, where they are added
 * up, or the numbers that names get on the way. */
#ifndef WS_DIAGNOSIS_FINDINGS_H
#define WS_DIAGNOSIS_FINDINGS_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/ledger.h"
#include "diagnosis/names.h"
#include "diagnosis/reach.h"

/* One finding that is not yet settled, as small as it gets. */
struct ws_instance {
    int64_t from_ns;
    int64_t duration_ns; /* as found; after ws_count_once what it keeps, perhaps 0 */
    size_t values;       /* its first template value in ws_findings.values: numbers for strings and sites */
    uint32_t rank;
    uint32_t cause_rank; /* WS_NO_RANK: no cause */
    uint32_t part;
    uint32_t event; /* mark of the waiting event */
    uint64_t sight; /* equal ones agree in the settled values; 0: not known */
};

/* Where the value of a place comes from in a finding. */
enum ws_reading_from { WS_FROM_COMPOSITE, WS_FROM_WAITING, WS_FROM_CAUSE, WS_FROM_CONSTANT };
struct ws_reading {
    uint32_t place;
    enum ws_reading_from from;
    bool through;            /* from the event that this event's parameter event_slot names */
    bool of_event;           /* an attribute: of a simple event only */
    bool settled;            /* by the call sites of who waits and of the cause */
    uint32_t event_slot, slot;
    enum ws_type type;
    union ws_value constant; /* or what an undefined value is */
};

/* What numbers in the set of a place stand for. */
enum ws_names_of { WS_OF_RANKS, WS_OF_STRINGS, WS_OF_SPOTS };

/* A problem rule with its place in the order of the knowledge base. */
struct ws_ruling {
    const struct ws_problem_rule *rule;
    size_t description_places, place_count; /* values stored for each instance: description, then advice */
    enum ws_fold_kind *kinds;               /* [place_count] */
    enum ws_names_of *names;                /* [place_count]: of a set; else WS_OF_RANKS */
    struct ws_reading *readings;            /* [place_count] */
    struct ws_reading *changing;            /* those that are not settled */
    size_t changing_count;
};

struct ws_call_place { /* a call in a role: numbers in names */
    uint32_t position; /* smaller ones come first: of a role the number of the rule, of others the member */
    uint32_t role, called, spot;
};
#define WS_MOST_OTHERS 8
/* One entry of the report, by problem type and the two call sites. */
struct ws_group {
    uint32_t scope;
    uint32_t phase; /* string: in which the waiting begins; "" where phases are not told apart */
    bool has_cause;
    struct ws_call_place waiting, cause;
    struct ws_call_place others[WS_MOST_OTHERS]; /* distinct calls, the first by position and content */
    size_t other_count;
};
struct ws_part { /* the instances of a group that one rule found */
    uint32_t group, ruling;
};

/* What a finding's part and settled values depend on, as the engine gives it, and these: findings repeat. */
#define WS_SIGHTINGS 256
#define WS_SIGHT_PLACES 24
#define WS_SIGHT_ACTIONS 4
struct ws_sight_call {
    const char *function, *posted_function;
    int64_t site, posted_site;
};
struct ws_sighting {
    const struct ws_problem_rule *rule; /* NULL: nothing was seen here yet */
    uint64_t number;
    uint32_t phase, part;
    bool has_cause;
    struct ws_sight_call waiting, cause;
    size_t action_count;
    struct {
        const char *role;
        bool waits, causes;
        struct ws_sight_call call; /* of one that does neither */
    } actions[WS_SIGHT_ACTIONS];
    union ws_value values[WS_SIGHT_PLACES];
};

struct ws_findings {
    const struct ws_kb *kb;
    struct ws_ruling *rulings; /* in the order of the knowledge base */
    size_t ruling_count;
    size_t *first_ruling; /* [scope] */
    struct ws_reaches reaches;
    /* The phase of a rank at a moment; NULL: phases are not told apart. */
    const char *(*phase)(void *context, uint32_t rank, int64_t ns);
    void *phase_context;
    /* ws_diagnosis_options.waited */
    void (*waited)(const struct ws_waited *waited, void *context);
    void *waited_context;
    struct ws_names names;
    struct ws_interned group_names; /* key -> group */
    struct ws_group *groups;
    size_t group_count, group_capacity;
    struct ws_interned part_names;
    struct ws_sighting *sightings; /* [WS_SIGHTINGS], by hash */
    uint64_t sight_count;
    struct ws_part *parts;
    size_t part_count, part_capacity;
    struct ws_instance *instances; /* not yet settled */
    size_t count, capacity;
    union ws_value *values; /* of these, in their order */
    size_t value_count, value_capacity;
#define WS_FIRST_DUE 1024 /* as many as stay in a core's own cache */
    size_t due; /* number of instances at which to settle */
    struct ws_ledger ledger;
};

/* collect.c */
void ws_findings_init(struct ws_findings *findings, const struct ws_kb *kb, struct ws_site_source sites);
/* The engine's sink; context is the struct ws_findings. */
void ws_findings_add(void *context, const struct ws_finding *finding);
void ws_findings_free(struct ws_findings *findings);

/* ---- settling (once.c) ---- */

/* What is still to come, as seen when it is asked. */
struct ws_horizon {
    /* No event of this rank that the engine has not been fed begins before this moment. */
    int64_t (*low_ns)(void *context, uint32_t rank);
    /* Tells of each simple event from which a finding may still come. */
    void (*held)(void *context, ws_see_held *see, void *to);
    void *context;
};
/* Are there so many instances that settling pays?  It costs a look at all of them and at all held events. */
static inline bool ws_findings_due(const struct ws_findings *findings)
{
    return findings->count >= findings->due;
}
/* Settles what no finding still to come can overlap; horizon NULL: nothing comes any more. */
void ws_findings_settle(struct ws_findings *findings, const struct ws_horizon *horizon);

/* Gives each moment of a rank to one instance: the longest first; of equally long ones the earlier rule in
 * the knowledge base, then by content. */
void ws_count_once(const struct ws_findings *findings, struct ws_instance *instances, size_t count);

/* ---- to and from bytes (parcel.c) ---- */

/* Takes the instances out whose rank is wanted, and adds them to the text. */
void ws_findings_take(struct ws_findings *findings, bool (*wanted)(void *context, uint32_t rank),
                      void *context, struct ws_text *out);
/* Adds all that is there to the text: sums and instances. */
void ws_findings_pack(const struct ws_findings *findings, struct ws_text *out);
/* Takes in what ws_findings_take or _pack wrote (all of the text; of the same knowledge base).  0, or -1 with
 * *error where it is damaged. */
int ws_findings_merge(struct ws_findings *findings, const struct ws_text *in, struct ws_error *error);

/* ---- the report ---- */

/* group.c: a call site in a role, for a report that the arena lives as long as. */
struct ws_place ws_place_at(const struct ws_site *site, const char *role, const char *called,
                            struct ws_arena *arena);
/* group.c: after all is settled; fills problems, small_count, small_ns by the diagnosis' total_ns and
 * threshold_percent. */
void ws_findings_group(const struct ws_findings *findings, struct ws_diagnosis *diagnosis);
/* The same of one phase, into *list: what is below the threshold is left out.  total_ns: the ranks' time in it. */
void ws_findings_group_phase(const struct ws_findings *findings, uint32_t phase, double threshold_percent,
                             struct ws_phase_problems *list, struct ws_arena *arena);

/* ---- between the files of this room ---- */

/* collect.c: an order of groups by what they are. */
int ws_group_compare(const struct ws_names *names, const struct ws_group *a, const struct ws_group *b);
/* once.c: takes out the instances whose rank is WS_NO_RANK. */
void ws_findings_compact(struct ws_findings *findings);

/* collect.c: the number of a group, part; one that is new is entered. */
uint32_t ws_findings_enter_group(struct ws_findings *findings, const struct ws_group *group);
uint32_t ws_findings_enter_part(struct ws_findings *findings, uint32_t group, uint32_t ruling);

/* advice.c: the places to fill in a text: their kinds (kinds NULL: only counted), where
 * their values come from, and these for one finding; and
 * the text over the instances of a part. */
size_t ws_template_places(const struct ws_problem_rule *rule, const struct ws_template *text,
                          enum ws_fold_kind *kinds);
void ws_template_readings(const struct ws_problem_rule *rule, const struct ws_template *text,
                          struct ws_reading *readings);
void ws_template_read(struct ws_names *names, const struct ws_kb *kb, const struct ws_reading *readings,
                      size_t count, const struct ws_finding *finding, union ws_value *values);
const char *ws_template_fill(const struct ws_names *names, const struct ws_problem_rule *rule,
                             const struct ws_template *text, const struct ws_fold *folds,
                             struct ws_arena *arena);
/* What the numbers in the set of a place stand for. */
enum ws_names_of ws_template_names(const struct ws_template *text, size_t place);

#endif
