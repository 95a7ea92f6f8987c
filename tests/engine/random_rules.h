/* Random knowledge bases and traces.  A rule is written blindly and kept if the checker takes it. */
#ifndef WS_TESTS_RANDOM_RULES_H
#define WS_TESTS_RANDOM_RULES_H

#include "story.h"

struct random {
    uint64_t state;
};

static size_t below(struct random *random, size_t bound)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (size_t)((random->state >> 11) % bound);
}

static bool chance(struct random *random, size_t percent)
{
    return below(random, 100) < percent;
}

/* ---- what expressions can be made of ---- */

struct path {
    char text[64];
    enum ws_type type;
};
struct paths {
    struct path list[96];
    size_t count;
};

static void add_path(struct paths *paths, enum ws_type type, const char *member, const char *slot)
{
    struct path *path = &paths->list[paths->count];

    if (paths->count == sizeof paths->list / sizeof *paths->list)
        return;
    paths->count++;
    path->type = type;
    snprintf(path->text, sizeof path->text, "%.24s%s%.24s", member, *member && *slot ? "." : "", slot);
}

static const char *pick_path(struct random *random, const struct paths *paths, enum ws_type type)
{
    size_t start = below(random, paths->count + 1);

    for (size_t i = 0; i < paths->count; i++) {
        const struct path *path = &paths->list[(start + i) % paths->count];
        if (path->type == type)
            return path->text;
    }
    return NULL;
}

/* ---- expressions, fully parenthesized ---- */

struct writer {
    struct random *random;
    struct ws_text *out;
    const struct paths *paths;
    const struct paths *elements; /* in a group: what aggregates are made of */
    const char *group;
};

static void write_expr(struct writer *w, enum ws_type type, int depth);

/* The pattern's letters I R T B S write an expression of that type, all else is copied. */
static void write_pattern(struct writer *w, const char *pattern, int depth)
{
    for (; *pattern; pattern++) {
        enum ws_type type = *pattern == 'I'   ? WS_TYPE_INTEGER
                            : *pattern == 'R' ? WS_TYPE_REAL
                            : *pattern == 'T' ? WS_TYPE_TIME
                            : *pattern == 'B' ? WS_TYPE_BOOLEAN
                            : *pattern == 'S' ? WS_TYPE_STRING
                                              : WS_TYPE_NONE;
        if (type != WS_TYPE_NONE)
            write_expr(w, type, depth);
        else
            ws_text_add(w->out, pattern, 1);
    }
}

static const char *const patterns[][24] = {
    [WS_TYPE_INTEGER] = {"(I + I)", "(I - I)", "(I * I)", "(I / I)", "(I % I)", "(-I)", "abs(I)", "min(I, I)",
                         "max(I, I, I)", "clamp(I, I, I)", "if(B, I, I)", NULL},
    [WS_TYPE_REAL] = {"(R + R)", "(R - R)", "(R * R)", "(R / R)", "(-R)", "abs(R)", "min(R, R)", "max(R, R)",
                      "clamp(R, R, R)", "if(B, R, R)", "real(I)", "real(T)", "(T / T)", NULL},
    [WS_TYPE_TIME] = {"(T + T)", "(T - T)", "(T * I)", "(I * T)", "(T / I)", "(T * R)", "(T / R)", "(-T)",
                      "abs(T)", "min(T, T)", "max(T, T)", "clamp(T, T, T)", "clamp(T, 0, T)", "if(B, T, T)",
                      NULL},
    [WS_TYPE_BOOLEAN] = {"(I == I)", "(I != I)",    "(I < I)",  "(I <= I)", "(I > I)",   "(I >= I)",
                         "(T == T)", "(T < T)",     "(T >= T)", "(R == R)", "(R < R)",   "(R != R)",
                         "(R > R)",  "(S == S)",    "(S != S)", "(B == B)", "(B and B)", "(B or B)",
                         "(not B)",  "if(B, B, B)", NULL},
    [WS_TYPE_STRING] = {"if(B, S, S)", NULL},
};

static void write_constant(struct writer *w, enum ws_type type)
{
    static const char *const constants[][8] = {
        [WS_TYPE_INTEGER] = {"0", "1", "2", "3", "7", "4611686018427387904", NULL},
        [WS_TYPE_REAL] = {"0.0", "0.5", "1.5", "2.0", "1.0e300", NULL},
        [WS_TYPE_TIME] = {"1 ns", "5 ns", "20 ns", "1 us", "100 s", NULL},
        [WS_TYPE_BOOLEAN] = {"true", "false", NULL},
        [WS_TYPE_STRING] = {"\"\"", "\"a\"", "\"b\"", "\"q\\\"\\\\z\"", NULL},
    };
    size_t count = 0;

    while (constants[type][count])
        count++;
    ws_text_puts(w->out, constants[type][below(w->random, count)]);
}

/* An aggregate of the type over the group's elements. */
static void write_aggregate(struct writer *w, enum ws_type type, int depth)
{
    struct writer inner = {w->random, w->out, w->elements, NULL, NULL};
    bool number = type == WS_TYPE_INTEGER || type == WS_TYPE_REAL || type == WS_TYPE_TIME;
    static const char *const kinds[] = {"min", "max", "sum"};

    if (type == WS_TYPE_INTEGER && chance(w->random, 30)) {
        ws_text_printf(w->out, "count(%s", w->group);
    } else if (number && chance(w->random, 60)) {
        ws_text_printf(w->out, "%s(", kinds[below(w->random, 3)]);
        write_expr(&inner, type, depth - 1);
    } else {
        ws_text_puts(w->out, chance(w->random, 50) ? "at_max(" : "at_min(");
        write_expr(&inner, chance(w->random, 50) ? WS_TYPE_TIME : WS_TYPE_INTEGER, depth - 1);
        ws_text_puts(w->out, ", ");
        if (type == WS_TYPE_EVENT)
            ws_text_puts(w->out, pick_path(w->random, w->elements, WS_TYPE_EVENT));
        else
            write_expr(&inner, type, depth - 1);
    }
    if (chance(w->random, 30)) {
        ws_text_puts(w->out, " where ");
        write_expr(&inner, WS_TYPE_BOOLEAN, depth - 1);
    }
    ws_text_puts(w->out, ")");
}

static void write_leaf(struct writer *w, enum ws_type type, int depth)
{
    const char *path = pick_path(w->random, w->paths, type);

    if (path && chance(w->random, 85))
        ws_text_puts(w->out, path);
    else if (w->elements && chance(w->random, 80))
        write_aggregate(w, type, depth > 0 ? depth : 1);
    else
        write_constant(w, type);
}

static void write_expr(struct writer *w, enum ws_type type, int depth)
{
    size_t count = 0;

    while (patterns[type][count])
        count++;
    if (depth <= 0 || chance(w->random, 45))
        write_leaf(w, type, depth);
    else
        write_pattern(w, patterns[type][below(w->random, count)], depth - 1);
}

/* ---- rules ---- */

struct made_type { /* a composite type that can be a member or have problems */
    char name[16];
    char member[8][16]; /* names of its members with simple types */
    size_t member_count;
    bool group, group_simple;
    struct paths params;
    char events[8][16]; /* parameters that carry simple events */
    size_t event_count;
};
struct scope_text {
    struct ws_text text;
    struct made_type types[8];
    size_t type_count;
};
struct rules {
    struct scope_text scopes[3]; /* common, one, two */
    size_t most_members;
    unsigned names;
};

struct slot {
    const char *name;
    enum ws_type type;
};
static const struct slot common_slots[] = {
    {"t", WS_TYPE_TIME}, {"d", WS_TYPE_TIME}, {"end", WS_TYPE_TIME}, {"process", WS_TYPE_INTEGER}};
static const struct {
    const char *name;
    struct slot slots[8];
} simple_types[] = {
    {"send",
     {{"peer", WS_TYPE_INTEGER},
      {"tag", WS_TYPE_INTEGER},
      {"bytes", WS_TYPE_INTEGER},
      {"eager", WS_TYPE_BOOLEAN},
      {"load", WS_TYPE_REAL},
      {"text", WS_TYPE_STRING},
      {"n", WS_TYPE_INTEGER}}},
    {"recv",
     {{"peer", WS_TYPE_INTEGER},
      {"tag", WS_TYPE_INTEGER},
      {"bytes", WS_TYPE_INTEGER},
      {"load", WS_TYPE_REAL},
      {"text", WS_TYPE_STRING},
      {"n", WS_TYPE_INTEGER}}},
    {"meet",
     {{"comm", WS_TYPE_INTEGER},
      {"size", WS_TYPE_INTEGER},
      {"root", WS_TYPE_BOOLEAN},
      {"load", WS_TYPE_REAL},
      {"work", WS_TYPE_INTEGER},
      {"text", WS_TYPE_STRING},
      {"n", WS_TYPE_INTEGER}}},
    {"lock", {{"window", WS_TYPE_INTEGER}, {"exclusive", WS_TYPE_BOOLEAN}}},
    {"unlock", {{"window", WS_TYPE_INTEGER}}},
};

struct chosen { /* the type of a member */
    const char *name;
    const struct made_type *made; /* NULL: simple */
    size_t simple;
};

static struct chosen choose_type(struct rules *rules, struct random *random, size_t scope)
{
    size_t own = rules->scopes[scope].type_count, common = scope ? rules->scopes[0].type_count : 0;

    if (own + common > 0 && chance(random, 35)) {
        size_t i = below(random, own + common);
        const struct made_type *made =
            i < own ? &rules->scopes[scope].types[i] : &rules->scopes[0].types[i - own];
        return (struct chosen){made->name, made, 0};
    }
    size_t i = chance(random, 70) ? below(random, 3) : below(random, 5);
    return (struct chosen){simple_types[i].name, NULL, i};
}

static void member_paths(struct paths *paths, const struct chosen *type, const char *member)
{
    if (type->made) {
        add_path(paths, WS_TYPE_TIME, member, "begin");
        add_path(paths, WS_TYPE_TIME, member, "end");
        for (size_t i = 0; i < type->made->params.count; i++)
            add_path(paths, type->made->params.list[i].type, member, type->made->params.list[i].text);
        return;
    }
    for (size_t i = 0; i < 4; i++)
        add_path(paths, common_slots[i].type, member, common_slots[i].name);
    for (size_t i = 0; i < 8 && simple_types[type->simple].slots[i].name; i++)
        add_path(paths, simple_types[type->simple].slots[i].type, member,
                 simple_types[type->simple].slots[i].name);
}

/* An equality or overlap of two members. */
static void write_connection(struct writer *w, const struct paths *a, const struct paths *b,
                             const char *name_a, const char *name_b)
{
    static const enum ws_type types[] = {WS_TYPE_INTEGER, WS_TYPE_INTEGER, WS_TYPE_INTEGER,
                                         WS_TYPE_STRING,  WS_TYPE_BOOLEAN, WS_TYPE_TIME};
    enum ws_type type = types[below(w->random, 6)];
    struct writer side_a = *w, side_b = *w;

    side_a.paths = a;
    side_b.paths = b;
    if (chance(w->random, 25) || !pick_path(w->random, a, type) || !pick_path(w->random, b, type)) {
        ws_text_printf(w->out, "overlaps(%s, %s)", name_a, name_b);
        return;
    }
    ws_text_puts(w->out, "(");
    if (chance(w->random, 75))
        ws_text_puts(w->out, pick_path(w->random, a, type));
    else
        write_expr(&side_a, type, 2);
    ws_text_puts(w->out, " == ");
    if (chance(w->random, 75))
        ws_text_puts(w->out, pick_path(w->random, b, type));
    else
        write_expr(&side_b, type, 2);
    ws_text_puts(w->out, ")");
}

/* Two members that meet in channels, by a number that is counted in each (story.h). */
static void write_channel(struct writer *w, const char *a, const char *b)
{
    ws_text_printf(w->out,
                   "%s.process == %s.peer and %s.peer == %s.process and %s.tag == %s.tag and %s.n == %s.n", a,
                   b, a, b, a, b, a, b);
}

static void write_parameters(struct writer *w, struct made_type *made, const char *const *events,
                             size_t event_count)
{
    static const enum ws_type types[] = {WS_TYPE_INTEGER, WS_TYPE_INTEGER, WS_TYPE_TIME,  WS_TYPE_TIME,
                                         WS_TYPE_REAL,    WS_TYPE_BOOLEAN, WS_TYPE_STRING};
    size_t count = 1 + below(w->random, 4);

    ws_text_puts(w->out, "parameters(");
    for (size_t i = 0; i < count; i++) {
        enum ws_type type = types[below(w->random, 7)];
        char name[16];
        snprintf(name, sizeof name, i == 0 && type == WS_TYPE_BOOLEAN ? "clock_violation" : "p%zu", i);
        ws_text_printf(w->out, "%s = ", name);
        write_expr(w, type, 2);
        ws_text_puts(w->out, ", ");
        add_path(&made->params, type, "", name);
    }
    for (size_t i = 0; i < event_count && i < 8; i++) {
        snprintf(made->events[i], sizeof made->events[i], "e%zu", i);
        ws_text_printf(w->out, "e%zu = ", i);
        if (w->elements)
            write_aggregate(w, WS_TYPE_EVENT, 2);
        else
            ws_text_puts(w->out, events[i]);
        ws_text_puts(w->out, ", ");
        made->event_count++;
    }
    ws_text_puts(w->out, ");\n");
}

static void write_tuple_rule(struct rules *rules, struct random *random, size_t scope, struct made_type *made,
                             struct ws_text *out)
{
    static const char *const names[] = {"a", "b", "c"};
    size_t count = chance(random, 10) ? 1 : chance(random, 75) ? 2 : 3, event_count = 0;
    struct paths all = {0}, own[3];
    const char *events[3];
    struct writer w = {random, out, &all, NULL, NULL};
    const bool channel = count > 1 && chance(random, 15);

    memset(own, 0, sizeof own);
    ws_text_printf(out, "declare composite event %s member(", made->name);
    for (size_t m = 0; m < count; m++) {
        struct chosen type = choose_type(rules, random, scope);
        if (channel && m < 2) {
            size_t simple = below(random, 2);
            type = (struct chosen){simple_types[simple].name, NULL, simple};
        }
        ws_text_printf(out, "%s%s%s as %s", m ? ", " : "", chance(random, 35) ? "shared " : "", type.name,
                       names[m]);
        member_paths(&own[m], &type, names[m]);
        member_paths(&all, &type, names[m]);
        if (!type.made) {
            snprintf(made->member[made->member_count++], sizeof made->member[0], "%s", names[m]);
            events[event_count++] = names[m];
        }
    }
    ws_text_puts(out, ")\n");
    for (size_t m = 1; m < count; m++) {
        size_t other = below(random, m);
        ws_text_puts(out, m == 1 ? "when " : " and ");
        if (channel && m == 1)
            write_channel(&w, names[other], names[m]);
        else
            write_connection(&w, &own[other], &own[m], names[other], names[m]);
    }
    for (size_t i = 0; i < 2 && chance(random, 40); i++) {
        ws_text_puts(out, count == 1 && i == 0 ? "when " : " and ");
        write_expr(&w, WS_TYPE_BOOLEAN, 2);
    }
    ws_text_puts(out, "\n");
    write_parameters(&w, made, events, event_count);
    rules->most_members = count > rules->most_members ? count : rules->most_members;
}

static void write_group_rule(struct rules *rules, struct random *random, size_t scope, struct made_type *made,
                             struct ws_text *out)
{
    struct chosen type = choose_type(rules, random, scope);
    struct paths element = {0}, none = {0};
    struct writer w = {random, out, &none, &element, "m"}, inner = {random, out, &element, NULL, NULL};
    static const enum ws_type keys[] = {WS_TYPE_INTEGER, WS_TYPE_INTEGER, WS_TYPE_INTEGER,
                                        WS_TYPE_STRING,  WS_TYPE_BOOLEAN, WS_TYPE_REAL};
    const char *key;

    made->group = true;
    made->group_simple = !type.made;
    member_paths(&element, &type, "m");
    ws_text_printf(out, "declare composite event %s member(%sall %s as m by ", made->name,
                   chance(random, 30) ? "shared " : "", type.name);
    key = pick_path(random, &element, keys[below(random, 6)]);
    ws_text_puts(out, key ? key : type.made ? "m.begin" : "m.process");
    if (chance(random, 30) && (key = pick_path(random, &element, WS_TYPE_INTEGER)))
        ws_text_printf(out, ", %s", key);
    if (chance(random, 40)) {
        ws_text_puts(out, " where ");
        write_expr(&inner, WS_TYPE_BOOLEAN, 2);
    }
    if (chance(random, 70)) {
        ws_text_puts(out, out->length % 4 ? " expect " : " every ");
        if (chance(random, 60))
            ws_text_printf(out, "%zu", 1 + below(random, 3));
        else
            write_expr(&inner, WS_TYPE_INTEGER, 1);
    }
    ws_text_puts(out, ")\n");
    if (chance(random, 40)) {
        ws_text_puts(out, "when ");
        write_expr(&w, WS_TYPE_BOOLEAN, 2);
        ws_text_puts(out, "\n");
    }
    add_path(&element, WS_TYPE_EVENT, "m", "");
    write_parameters(&w, made, NULL, type.made ? 0 : below(random, 3));
}

static const char *pick_event(struct random *random, const struct made_type *made, bool by_element)
{
    size_t members = made->group ? 0 : made->member_count, count = made->event_count + members, i;

    if (by_element)
        return "m";
    if (count == 0)
        return NULL;
    i = below(random, count);
    return i < made->event_count ? made->events[i] : made->member[i - made->event_count];
}

static void write_problem(struct rules *rules, struct random *random, size_t scope, struct ws_text *out)
{
    size_t own = rules->scopes[scope].type_count, common = scope ? rules->scopes[0].type_count : 0;
    const struct made_type *made;
    struct paths paths = {0};
    struct writer w = {random, out, &paths, NULL, NULL};
    const char *waiting, *cause;
    bool by_element;
    size_t i;

    if (own + common == 0)
        return;
    i = below(random, own + common);
    made = i < own ? &rules->scopes[scope].types[i] : &rules->scopes[0].types[i - own];
    by_element = made->group && made->group_simple && chance(random, 50);
    paths = made->params;
    add_path(&paths, WS_TYPE_TIME, "begin", "");
    add_path(&paths, WS_TYPE_TIME, "end", "");
    if (by_element)
        for (size_t s = 0; s < 4; s++)
            add_path(&paths, common_slots[s].type, "m", common_slots[s].name);
    ws_text_printf(out, "declare problem for %s ", made->name);
    if (chance(random, 60)) {
        ws_text_puts(out, "when ");
        write_expr(&w, WS_TYPE_BOOLEAN, 2);
    }
    ws_text_puts(out, "\nparameters(name = \"x\", advice = \"x\", duration = ");
    if (chance(random, 50))
        ws_text_puts(out, "50 ns + ");
    write_expr(&w, WS_TYPE_TIME, 2);
    if (chance(random, 20)) {
        ws_text_puts(out, ", from = ");
        write_expr(&w, WS_TYPE_TIME, 1);
    }
    waiting = pick_event(random, made, by_element);
    if (waiting)
        ws_text_printf(out, ", waiting = %s", waiting);
    cause = chance(random, 60) ? pick_event(random, made, false) : NULL;
    if (cause)
        ws_text_printf(out, ", cause = %s", cause);
    ws_text_puts(out, ");\n");
}

/* ---- knowledge bases ---- */

static bool try_rules(const struct rules *rules, struct ws_kb *kb, size_t scope, const char *more)
{
    static const char *const ids[] = {"one", "two"};
    struct ws_text texts[3] = {{0}}, report = {0};
    const char *problem_types[2];
    bool loaded;

    for (size_t i = 0; i < 3; i++)
        ws_text_printf(&texts[i], "%s%s", ws_text_string(&rules->scopes[i].text), i == scope ? more : "");
    problem_types[0] = ws_text_string(&texts[1]);
    problem_types[1] = ws_text_string(&texts[2]);
    loaded = story_load(kb, ws_text_string(&texts[0]), ids, problem_types, 2, &report);
    if (!loaded && getenv("ENGINE_SHOW"))
        print_message("%s\n%s", more, ws_text_string(&report));
    for (size_t i = 0; i < 3; i++)
        ws_text_free(&texts[i]);
    ws_text_free(&report);
    return loaded;
}

static void add_rule(struct rules *rules, struct random *random, size_t scope)
{
    struct scope_text *text = &rules->scopes[scope];
    struct made_type made = {0};
    size_t most = rules->most_members;
    struct ws_text rule = {0};
    struct ws_kb kb = {0};
    bool problem = text->type_count + (scope ? rules->scopes[0].type_count : 0) > 0 && chance(random, 60);

    /* the first have the names that members have too */
    snprintf(made.name, sizeof made.name, rules->names < 3 ? "%c" : "c%u",
             rules->names < 3 ? (unsigned)"mab"[rules->names] : rules->names);
    rules->names++;
    if (problem)
        write_problem(rules, random, scope, &rule);
    else if (chance(random, 40))
        write_group_rule(rules, random, scope, &made, &rule);
    else
        write_tuple_rule(rules, random, scope, &made, &rule);
    if (rule.length && try_rules(rules, &kb, scope, rule.bytes)) {
        ws_text_puts(&text->text, rule.bytes);
        if (!problem)
            text->types[text->type_count++] = made;
        ws_kb_free(&kb);
    } else {
        rules->most_members = most;
    }
    ws_text_free(&rule);
}

/* Makes rules and loads them; gives the greatest number of members of a rule. */
static size_t rules_make(struct rules *rules, struct random *random, struct ws_kb *kb)
{
    for (size_t scope = 0; scope < 3; scope++)
        for (size_t i = 0, count = 3 + below(random, 7); i < count; i++)
            add_rule(rules, random, scope);
    if (!try_rules(rules, kb, 3, ""))
        fail_msg("what was taken rule by rule is not taken as a whole");
    return rules->most_members;
}

static void rules_free(struct rules *rules)
{
    for (size_t i = 0; i < 3; i++)
        ws_text_free(&rules->scopes[i].text);
}

/* ---- traces ---- */

static void random_slot(struct story *story, struct random *random, enum ws_type type, union ws_value *value)
{
    static const double reals[] = {0.0, -0.0, 0.5, 1.5, 2.0, 1e308, INFINITY, NAN};
    static const char *const texts[] = {"", "a", "b", "q\"\\z"};
    const char *text;

    if (type == WS_TYPE_REAL)
        value->r = reals[chance(random, 85) ? below(random, 5) : below(random, 8)];
    else if (type == WS_TYPE_BOOLEAN)
        value->i = (int64_t)below(random, 2);
    else if (type == WS_TYPE_STRING)
        text = texts[below(random, 4)], value->s = story_string(story, text, strlen(text));
    else if (chance(random, 97))
        value->i = (int64_t)below(random, 4);
    else
        value->i = chance(random, 50) ? INT64_MAX : INT64_MIN;
}

/* The numbers of messages as a reader counts them, but for some that are lost, doubled or far away. */
static void count_message(struct random *random, const struct ws_event_type *type, struct ws_event *event,
                          int64_t numbers[2][3][4][4])
{
    int64_t process = event->value[WS_ATTR_PROCESS].i, *peer = &event->value[ws_type_slot(type, "peer")].i,
            *tag = &event->value[ws_type_slot(type, "tag")].i, *number;

    *peer &= 3;
    *tag &= 3;
    number = &numbers[type->index % 2][process][*peer][*tag];
    *number += chance(random, 95) ? 1 : (int64_t)below(random, 100);
    event->value[ws_type_slot(type, "n")].i = *number;
}

/* Events by their end; low[i] is the least t of those behind. */
static void trace_make(struct story *story, struct random *random, struct ws_event **events, int64_t *low,
                       size_t count)
{
    int64_t now = 0, least = INT64_MAX, numbers[2][3][4][4] = {0};
    const bool counted = chance(random, 50);

    for (size_t i = 0; i < count; i++) {
        size_t kind = chance(random, 70) ? below(random, 3) : below(random, 5);
        int64_t d = (int64_t)below(random, 60);
        const struct ws_event_type *type;
        now += (int64_t)below(random, 8);
        events[i] = story_make(story, simple_types[kind].name, (int64_t)below(random, 3), now - d, d, "");
        type = story->kb.types[events[i]->type];
        for (size_t s = WS_ATTR_COUNT; s < type->slot_count; s++)
            random_slot(story, random, type->slots[s].type, &events[i]->value[s]);
        if (counted && kind < 2)
            count_message(random, type, events[i], numbers);
    }
    for (size_t i = count; i-- > 0;) {
        low[i] = least;
        if (events[i]->value[WS_ATTR_T].i < least)
            least = events[i]->value[WS_ATTR_T].i;
    }
}

#endif
