/* Reads trace rules.  What may stand where is one table, `elements`; expat does the rest.  A document type
 * is refused before expat reads on, so no entity is ever declared or expanded. */
#include "rules/xml.h"

#include "rules/append.h"
#include "rules/c_expression.h"
#include "rules/xml_for.h"

#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 32
#define ATTRIBUTES_MOST 14
#define VALUE_MOST 4096   /* bytes of an attribute's value or of a source */
#define MISTAKES_MOST 200 /* in one file: then the rest is not read */
#define FUNCTIONS_MOST 4096
#define RULES_MOST 4096
#define ARGUMENTS_MOST 64    /* of a function; also parameters, numbers and transfers of an event */
#define REPEATED_MOST 500000 /* elements and texts that <for> brings again, in one file */

enum kind {
    NOTHING, /* above the root */
    TRACE_RULES,
    FOR,
    RUNTIME,
    PLACES,
    HELPER,
    FUNCTION,
    ARGUMENT,
    RET_VAL,
    FUNCTION_POINT,
    EVENT,
    PARAM,
    SOURCE,
    NUMBER,
    TRANSFER,
    KIND_COUNT
};

struct open_element {
    enum kind kind;
    struct ws_pos pos;
    bool told_text; /* that text does not belong here was said once */
};

struct reader {
    struct ws_kb *kb;
    bool runtime_alone; /* the element <runtime> is wanted, and nothing after it */
    struct ws_diagnostics *diagnostics;
    const struct ws_source *source;
    const char *path; /* lives as long as kb */
    XML_Parser parser;
    struct ws_xml_tag tag;   /* what is being read, now or again */
    struct ws_xml_for *loop; /* the <for> whose elements are being kept */
    size_t repeated;         /* elements and texts that were read again */
    bool again;              /* for a word of <for> that is not its first */
    struct ws_xml_cursor cursor;
    struct open_element stack[DEPTH_MOST];
    size_t depth;                           /* of `stack`, whose first element stands for the file */
    size_t skipping;                        /* depth inside an element that is not read */
    size_t mistakes_before, helpers_before; /* this file */
    bool seen_root;
    bool stopped;                        /* after a mistake that was told */
    const char *values[ATTRIBUTES_MOST]; /* of the element being opened, by the table's order */
    /* What is being read; a list may move when it grows, so the last element is found by its count. */
    struct ws_function *function;
    size_t first_arguments;                     /* those with first="yes" */
    const char *large_name;                     /* of its large-count twin, or NULL */
    const char *point_name, *point_patterns[3]; /* of calls that are the whole operation, start it, make it */
    struct ws_pos point_pos;
    size_t point_events;
    struct ws_trace_rule *rule;
    struct ws_text text;
    bool text_too_long;
};

struct attribute {
    const char *name;
    bool required;
};

struct element {
    const char *name;
    enum kind parent;
    struct attribute attributes[ATTRIBUTES_MOST];
    void (*open)(struct reader *reader, struct ws_pos pos);
    void (*close)(struct reader *reader, struct ws_pos pos);
};

static const struct element elements[KIND_COUNT];

/* ---- places ---- */

static struct ws_pos position(struct reader *reader, size_t offset)
{
    return ws_xml_move_to(&reader->cursor, reader->source, reader->path, offset);
}

static struct ws_pos here(struct reader *reader)
{
    return position(reader, reader->tag.offset);
}

/* What the parser is at. */
static struct ws_xml_tag parsed_tag(struct reader *reader)
{
    XML_Index index = XML_GetCurrentByteIndex(reader->parser);
    int bytes = XML_GetCurrentByteCount(reader->parser);

    return (struct ws_xml_tag){index < 0 ? 0 : (size_t)index, bytes < 0 ? 0 : (size_t)bytes};
}

/* ---- mistakes ---- */

/* True while there is room for one more; the last one says that no more are told. */
static bool may_tell(struct reader *reader)
{
    if (reader->stopped)
        return false;
    if (reader->diagnostics->mistakes - reader->mistakes_before < MISTAKES_MOST)
        return true;
    ws_mistake(reader->diagnostics, here(reader), 1, NULL,
               "more than %d mistakes in this file: the rest is not read", MISTAKES_MOST);
    reader->stopped = true;
    XML_StopParser(reader->parser, XML_FALSE);
    return false;
}

/* Ends the reading after a mistake that makes the rest meaningless. */
static void stop(struct reader *reader)
{
    reader->stopped = true;
    XML_StopParser(reader->parser, XML_FALSE);
}

#define TELL(reader, pos, width, suggestion, ...)                                                            \
    do {                                                                                                     \
        if (may_tell(reader))                                                                                \
            ws_mistake((reader)->diagnostics, (pos), (width), (suggestion), __VA_ARGS__);                    \
    } while (0)

/* The place of an attribute's name, or of its value, in the tag being read. */
static struct ws_pos name_pos(struct reader *reader, const char *attribute)
{
    size_t value;
    return position(reader,
                    ws_xml_find_attribute(reader->source->bytes, reader->tag.offset, attribute, &value));
}

static struct ws_pos value_pos(struct reader *reader, const char *attribute)
{
    size_t value;
    ws_xml_find_attribute(reader->source->bytes, reader->tag.offset, attribute, &value);
    return position(reader, value);
}

/* ---- values ---- */

/* The value at `index` in the table row of `kind`, in the arena; NULL where the attribute is not given. */
static const char *value(struct reader *reader, size_t index)
{
    const char *text = reader->values[index];
    return text ? ws_arena_strdup(&reader->kb->arena, text) : NULL;
}

/* The same for a name: "" after telling that it is none. */
static const char *name_value(struct reader *reader, enum kind kind, size_t index)
{
    const char *attribute = elements[kind].attributes[index].name, *text = reader->values[index];

    if (!text)
        return elements[kind].attributes[index].required ? "" : NULL;
    if (!ws_is_name(text)) {
        TELL(reader, value_pos(reader, attribute), ws_word_width(text), NULL,
             "'%.100s' is not a name: a letter or '_', then letters, digits and '_'", text);
        return "";
    }
    return ws_arena_strdup(&reader->kb->arena, text);
}

/* One of `count` words; -1 after telling that it is none of them. */
static int word_value(struct reader *reader, enum kind kind, size_t index, const char *const *words,
                      size_t count)
{
    const char *attribute = elements[kind].attributes[index].name, *text = reader->values[index];
    struct ws_text list = {0};

    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return (int)i;
    for (size_t i = 0; i < count; i++)
        ws_text_printf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
    TELL(reader, value_pos(reader, attribute), ws_word_width(text), ws_suggest(text, words, count),
         "%s='%.100s': it is %s", attribute, text, list.bytes);
    ws_text_free(&list);
    return -1;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- elements ---- */

/* A text that is printed, or stands in generated C: no control characters, quotes or backslashes. */
static const char *plain_value(struct reader *reader, enum kind kind, size_t index)
{
    const char *attribute = elements[kind].attributes[index].name, *text = reader->values[index];

    for (const char *c = text; c && *c; c++)
        if ((unsigned char)*c < ' ' || strchr("\"\\<>", *c)) {
            TELL(reader, value_pos(reader, attribute), ws_word_width(text), NULL,
                 "%s: letters, digits and spaces are wanted here", attribute);
            return "";
        }
    return value(reader, index);
}

/* "libone.so*|libtwo.so*": the items, ended by NULL; of `usual` where the attribute is not given. */
static const char **list_value(struct reader *reader, enum kind kind, size_t index, const char *usual)
{
    struct ws_arena *arena = &reader->kb->arena;
    const char *attribute = elements[kind].attributes[index].name;
    const char *given = plain_value(reader, kind, index), *text = given ? given : usual, **list = NULL;
    size_t count = 0;

    while (*text) {
        size_t length = strcspn(text, "|"), begin = strspn(text, " "), end = length;
        while (end > begin && text[end - 1] == ' ')
            end--;
        if (begin >= end)
            TELL(reader, value_pos(reader, attribute), 1, NULL, "%s: an alternative is empty", attribute);
        else if (count < ARGUMENTS_MOST)
            WS_APPEND(arena, list, count) = ws_arena_strndup(arena, text + begin, end - begin);
        text += length + (text[length] == '|');
    }
    WS_APPEND(arena, list, count) = NULL;
    return list;
}

static void open_runtime(struct reader *reader, struct ws_pos pos)
{
    struct ws_runtime *about = &reader->kb->about;

    if (about->pos.file) {
        TELL(reader, pos, 8, NULL, "<runtime> is given twice, first in %s:%d", about->pos.file,
             about->pos.line);
        return;
    }
    about->pos = pos;
    about->title = plain_value(reader, RUNTIME, 0);
    if (!about->title)
        about->title = "";
    about->libraries = list_value(reader, RUNTIME, 1, "");
    about->begin = name_value(reader, RUNTIME, 2);
    if (reader->values[3])
        about->process = name_value(reader, RUNTIME, 3);
    if (reader->values[4])
        about->prefix = name_value(reader, RUNTIME, 4);
    about->header = plain_value(reader, RUNTIME, 5);
    about->over = list_value(reader, RUNTIME, 6, "");
    about->compilers = list_value(reader, RUNTIME, 7, WS_USUAL_COMPILERS);
    about->launchers = list_value(reader, RUNTIME, 8, "");
    about->package = plain_value(reader, RUNTIME, 9);
    about->count = name_value(reader, RUNTIME, 10);
    about->link = plain_value(reader, RUNTIME, 11);
    about->wrappers = list_value(reader, RUNTIME, 12, "");
    about->shares = name_value(reader, RUNTIME, 13);
    if (reader->runtime_alone)
        stop(reader);
}

static void open_places(struct reader *reader, struct ws_pos pos)
{
    struct ws_place_naming places = {0};
    const char *first = reader->values[2];

    (void)pos;
    places.name = name_value(reader, PLACES, 0);
    places.function = plain_value(reader, PLACES, 1);
    if (first && strcmp(first, "0") != 0 && strcmp(first, "1") != 0)
        TELL(reader, value_pos(reader, "first"), ws_word_width(first), NULL,
             "first='%.100s': processes are numbered from 0 or from 1", first);
    else if (first)
        places.first = *first == '1';
    if (places.function)
        WS_APPEND(&reader->kb->arena, reader->kb->places, reader->kb->place_count) = places;
}

/* A helper may be declared once in each file that needs it. */
static void open_helper(struct reader *reader, struct ws_pos pos)
{
    struct ws_kb *kb = reader->kb;
    const char *name = name_value(reader, HELPER, 0);

    for (size_t i = 0; i < kb->helper_count; i++)
        if (strcmp(kb->helpers[i], name) == 0) {
            if (i >= reader->helpers_before)
                TELL(reader, value_pos(reader, "name"), ws_word_width(name), NULL,
                     "the helper '%s' is declared twice", name);
            return;
        }
    if (kb->helper_count >= FUNCTIONS_MOST) {
        TELL(reader, pos, 7, NULL, "more than %d helpers", FUNCTIONS_MOST);
        stop(reader);
    } else if (*name) {
        WS_APPEND(&kb->arena, kb->helpers, kb->helper_count) = name;
    }
}

/* What the function takes and returns as another, declared before, does. */
static void take_from(struct reader *reader, struct ws_function *function, const char *name)
{
    struct ws_kb *kb = reader->kb;
    const char **names = ws_alloc_array(kb->function_count + 1, sizeof *names);
    const struct ws_function *other = NULL;

    for (size_t i = 0; i < kb->function_count; i++) {
        names[i] = kb->functions[i]->name;
        if (strcmp(names[i], name) == 0)
            other = kb->functions[i];
    }
    if (other) {
        function->return_type = other->return_type;
        for (size_t i = 0; i < other->argument_count; i++)
            WS_APPEND(&kb->arena, function->arguments, function->argument_count) = other->arguments[i];
    } else if (*name) {
        TELL(reader, value_pos(reader, "like"), ws_word_width(name),
             ws_suggest(name, names, kb->function_count), "no function '%s' is declared before this one",
             name);
        function->return_type = "int";
    }
    free(names);
}

static void open_function(struct reader *reader, struct ws_pos pos)
{
    static const char *const words[] = {"no", "yes"};
    struct ws_function *function = ws_arena_alloc(&reader->kb->arena, sizeof *function);

    function->name = name_value(reader, FUNCTION, 0);
    if (reader->values[1])
        function->optional = word_value(reader, FUNCTION, 1, words, COUNT(words)) == 1;
    if (reader->values[4])
        function->guarded = word_value(reader, FUNCTION, 4, words, COUNT(words)) == 1;
    if (reader->values[5])
        function->calls_back = word_value(reader, FUNCTION, 5, words, COUNT(words)) == 1;
    function->pos = pos;
    reader->function = function;
    reader->first_arguments = 0;
    reader->large_name = name_value(reader, FUNCTION, 3);
    if (reader->values[2])
        take_from(reader, function, name_value(reader, FUNCTION, 2));
}

static bool same_function(const struct ws_function *a, const struct ws_function *b)
{
    if (a->argument_count != b->argument_count || !ws_same_text(a->return_type, b->return_type))
        return false;
    for (size_t i = 0; i < a->argument_count; i++) {
        const struct ws_argument *x = &a->arguments[i], *y = &b->arguments[i];
        if (!ws_same_text(x->type, y->type) || !ws_same_text(x->name, y->name) ||
            !ws_same_text(x->ignore, y->ignore) || !ws_same_text(x->length, y->length) ||
            !ws_same_text(x->large, y->large))
            return false;
    }
    return true;
}

/* A second declaration may stand in another file, where it says the same: so that each problem type's
 * folder can be complete by itself. */
static bool declared_before(struct reader *reader, const struct ws_function *function)
{
    const struct ws_kb *kb = reader->kb;
    const struct ws_function *other = NULL;

    for (size_t i = 0; !other && i < kb->function_count; i++)
        if (strcmp(kb->functions[i]->name, function->name) == 0)
            other = kb->functions[i];
    if (!other)
        return false;
    if (strcmp(other->pos.file, function->pos.file) == 0)
        TELL(reader, function->pos, 9, NULL, "the function '%s' is declared twice, first in line %d",
             function->name, other->pos.line);
    else if (!same_function(other, function))
        TELL(reader, function->pos, 9, NULL, "the function '%s' is declared otherwise in %s:%d",
             function->name, other->pos.file, other->pos.line);
    return true;
}

/* False where it was declared before. */
static bool add_function(struct reader *reader, struct ws_function *function)
{
    struct ws_kb *kb = reader->kb;

    if (!*function->name || declared_before(reader, function))
        return false;
    if (kb->function_count >= FUNCTIONS_MOST) {
        TELL(reader, function->pos, 9, NULL, "more than %d functions", FUNCTIONS_MOST);
        stop(reader);
        return false;
    }
    WS_APPEND(&kb->arena, kb->functions, kb->function_count) = function;
    return true;
}

/* The same function with the large types of its arguments. */
static void add_large(struct reader *reader, const struct ws_function *function, const char *name)
{
    struct ws_arena *arena = &reader->kb->arena;
    struct ws_function *large = ws_arena_alloc(arena, sizeof *large);

    *large = *function;
    large->name = name;
    large->optional = true;
    large->large_of = function;
    large->arguments = NULL;
    large->argument_count = 0;
    for (size_t i = 0; i < function->argument_count; i++) {
        struct ws_argument argument = function->arguments[i];
        argument.type = argument.large ? argument.large : argument.type;
        argument.large = NULL;
        WS_APPEND(arena, large->arguments, large->argument_count) = argument;
    }
    add_function(reader, large);
}

static void close_function(struct reader *reader, struct ws_pos pos)
{
    struct ws_function *function = reader->function;

    (void)pos;
    if (!function->return_type) {
        TELL(reader, function->pos, 9, NULL, "the function '%s' has no <retVal type=\"...\"/>",
             function->name);
        function->return_type = "int";
    }
    if (add_function(reader, function) && reader->large_name)
        add_large(reader, function, reader->large_name);
}

/* Types are copied into generated C: words, '*', brackets and parentheses, nothing else. */
static const char *type_value(struct reader *reader, enum kind kind, size_t index)
{
    const char *attribute = elements[kind].attributes[index].name, *text = reader->values[index];

    if (!text)
        return elements[kind].attributes[index].required ? "int" : NULL;
    for (size_t i = 0; text[i]; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_ *[](),", text[i])) {
            TELL(reader, value_pos(reader, attribute), ws_word_width(text), NULL, "'%.100s' is not a C type",
                 text);
            return "int";
        }
    if (!isalpha((unsigned char)*text) && *text != '_')
        TELL(reader, value_pos(reader, attribute), ws_word_width(text), NULL, "'%.100s' is not a C type",
             text);
    return value(reader, index);
}

/* Behind the others; first: before those that the function has from another. */
static void add_argument(struct reader *reader, struct ws_argument argument, bool first)
{
    struct ws_function *function = reader->function;
    struct ws_argument *place;

    WS_APPEND(&reader->kb->arena, function->arguments, function->argument_count) = argument;
    if (!first)
        return;
    place = &function->arguments[reader->first_arguments++];
    memmove(place + 1, place,
            (size_t)(&function->arguments[function->argument_count - 1] - place) * sizeof *place);
    *place = argument;
}

static void open_argument(struct reader *reader, struct ws_pos pos)
{
    static const char *const words[] = {"no", "yes"};
    struct ws_function *function = reader->function;
    struct ws_argument argument = {.pos = pos};

    argument.type = type_value(reader, ARGUMENT, 0);
    argument.name = name_value(reader, ARGUMENT, 1);
    argument.ignore = name_value(reader, ARGUMENT, 2);
    argument.length = value(reader, 3);
    argument.large = type_value(reader, ARGUMENT, 4);
    if (argument.length && !argument.ignore)
        TELL(reader, name_pos(reader, "length"), 6, NULL,
             "length is that of the buffer that stands in for ignore=\"...\", which is missing");
    for (size_t i = 0; *argument.name && i < function->argument_count; i++)
        if (strcmp(function->arguments[i].name, argument.name) == 0) {
            TELL(reader, value_pos(reader, "name"), ws_word_width(argument.name), NULL,
                 "the argument '%s' is declared twice", argument.name);
            break;
        }
    if (function->argument_count >= ARGUMENTS_MOST)
        TELL(reader, pos, 9, NULL, "more than %d arguments", ARGUMENTS_MOST);
    else
        add_argument(reader, argument,
                     reader->values[5] && word_value(reader, ARGUMENT, 5, words, COUNT(words)) == 1);
}

static void open_ret_val(struct reader *reader, struct ws_pos pos)
{
    if (reader->function->return_type)
        TELL(reader, pos, 7, NULL, "<retVal> is given twice (like=\"...\" gives it too)");
    reader->function->return_type = type_value(reader, RET_VAL, 0);
}

static void open_function_point(struct reader *reader, struct ws_pos pos)
{
    reader->point_name = name_value(reader, FUNCTION_POINT, 0);
    for (size_t i = 0; i < COUNT(reader->point_patterns); i++)
        reader->point_patterns[i] = value(reader, i + 1);
    if (!reader->point_patterns[0])
        reader->point_patterns[0] = "";
    reader->point_pos = pos;
    reader->point_events = 0;
}

static void close_function_point(struct reader *reader, struct ws_pos pos)
{
    (void)pos;
    if (reader->point_events == 0)
        TELL(reader, reader->point_pos, 14, NULL, "the functionPoint '%s' has no <event>",
             reader->point_name);
}

/* An attribute of <event> that is a C expression. */
static const char *expression_value(struct reader *reader, size_t index)
{
    const char *text = value(reader, index);
    const char *attribute = elements[EVENT].attributes[index].name;

    if (text && !text[ws_xml_skip_space(text, 0)]) {
        TELL(reader, name_pos(reader, attribute), ws_word_width(attribute), NULL, "%s is empty", attribute);
        return NULL;
    }
    return text;
}

static void open_event(struct reader *reader, struct ws_pos pos)
{
    const char *const *words = ws_role_names + WS_ROLE_START; /* all but "plain" */
    struct ws_trace_rule *rule = ws_arena_alloc(&reader->kb->arena, sizeof *rule);
    int role;

    rule->event = reader->point_name;
    rule->pattern = reader->point_patterns[0];
    rule->pattern_attribute = elements[FUNCTION_POINT].attributes[1].name;
    rule->pos = reader->point_pos;
    rule->event_pos = pos;
    rule->role = WS_ROLE_PLAIN;
    rule->repeated = reader->again;
    if (reader->values[0] && (role = word_value(reader, EVENT, 0, words, WS_ROLE_COUNT - WS_ROLE_START)) >= 0)
        rule->role = WS_ROLE_START + (enum ws_role)role;
    rule->condition = expression_value(reader, 1);
    rule->each = expression_value(reader, 2);
    rule->of = expression_value(reader, 3);
    rule->index = expression_value(reader, 4);
    rule->despite = expression_value(reader, 5);
    for (size_t i = 3; i <= 4; i++)
        if (reader->values[i] && !reader->values[2])
            TELL(reader, name_pos(reader, elements[EVENT].attributes[i].name), 2, NULL,
                 "%s has a meaning only with each=\"...\"", elements[EVENT].attributes[i].name);
    if (rule->role != WS_ROLE_PLAIN && (reader->point_patterns[1] || reader->point_patterns[2]))
        TELL(reader, name_pos(reader, "request"), 7, NULL,
             "the functionPoint's patterns start and init say what is done to the request");
    reader->point_events++;
    reader->rule = rule;
}

static void add_rule(struct reader *reader, struct ws_trace_rule *rule)
{
    struct ws_kb *kb = reader->kb;

    if (kb->trace_rule_count >= RULES_MOST) {
        TELL(reader, rule->event_pos, 6, NULL, "more than %d trace rules", RULES_MOST);
        stop(reader);
        return;
    }
    WS_APPEND(&kb->arena, kb->trace_rules, kb->trace_rule_count) = rule;
}

/* The rule for the calls that start the operation, or make it persistent. */
static struct ws_trace_rule *started_rule(struct reader *reader, size_t which)
{
    static const enum ws_role started[] = {WS_ROLE_PLAIN, WS_ROLE_START, WS_ROLE_INIT};
    struct ws_arena *arena = &reader->kb->arena;
    struct ws_trace_rule *rule = ws_arena_alloc(arena, sizeof *rule);

    *rule = *reader->rule;
    rule->pattern = reader->point_patterns[which];
    rule->pattern_attribute = elements[FUNCTION_POINT].attributes[which + 1].name;
    rule->role = started[which];
    rule->again = true;
    rule->params = NULL;
    rule->param_count = 0;
    for (size_t i = 0; i < reader->rule->param_count; i++)
        WS_APPEND(arena, rule->params, rule->param_count) = reader->rule->params[i];
    return rule;
}

/* Leaves a rule what a call that is the whole operation knows: no request, and no other final value. */
static void make_whole(struct ws_trace_rule *rule)
{
    size_t kept = 0;

    for (size_t i = 0; i < rule->param_count; i++) {
        struct ws_param param = rule->params[i];
        param.final = NULL;
        if (strcmp(param.name, "request") != 0)
            rule->params[kept++] = param;
    }
    rule->param_count = kept;
}

static void close_event(struct reader *reader, struct ws_pos pos)
{
    struct ws_trace_rule *start = NULL, *init = NULL;

    (void)pos;
    if (reader->point_patterns[1])
        start = started_rule(reader, 1);
    if (reader->point_patterns[2])
        init = started_rule(reader, 2);
    if (start || init)
        make_whole(reader->rule);
    add_rule(reader, reader->rule);
    if (start)
        add_rule(reader, start);
    if (init)
        add_rule(reader, init);
}

/* Parameters and numbers share the names of an event. */
static void check_event_name(struct reader *reader, const char *name)
{
    const struct ws_trace_rule *rule = reader->rule;
    bool twice = false;

    for (size_t i = 0; i < rule->param_count; i++)
        twice |= strcmp(rule->params[i].name, name) == 0;
    for (size_t i = 0; i < rule->number_count; i++)
        twice |= strcmp(rule->numbers[i].name, name) == 0;
    if (*name && twice)
        TELL(reader, value_pos(reader, "name"), ws_word_width(name), NULL,
             "'%s' is declared twice in this event", name);
    for (size_t i = 0; i < WS_ATTR_COUNT; i++)
        if (strcmp(ws_attributes[i].name, name) == 0)
            TELL(reader, value_pos(reader, "name"), ws_word_width(name), NULL,
                 "every event has an attribute '%s' (%s): choose another name", name,
                 ws_attributes[i].meaning);
}

static void open_param(struct reader *reader, struct ws_pos pos)
{
    static const char *const words[] = {"in", "out"};
    struct ws_trace_rule *rule = reader->rule;
    struct ws_param param = {.pos = pos, .kind = WS_PARAM_OUT};

    param.name = name_value(reader, PARAM, 0);
    check_event_name(reader, param.name);
    param.format = reader->values[1] ? value(reader, 1) : "";
    if (reader->values[2] && word_value(reader, PARAM, 2, words, COUNT(words)) == 0)
        param.kind = WS_PARAM_IN;
    param.final = name_value(reader, PARAM, 3);
    if (rule->param_count >= ARGUMENTS_MOST) {
        TELL(reader, pos, 6, NULL, "more than %d parameters", ARGUMENTS_MOST);
        stop(reader);
        return;
    }
    WS_APPEND(&reader->kb->arena, rule->params, rule->param_count) = param;
}

static struct ws_param *last_param(struct reader *reader)
{
    return &reader->rule->params[reader->rule->param_count - 1];
}

static void close_param(struct reader *reader, struct ws_pos pos)
{
    struct ws_param *param = last_param(reader);

    (void)pos;
    if (!param->source) {
        TELL(reader, param->pos, 6, NULL, "the parameter '%s' has no <source>", param->name);
        param->source = "";
    }
}

static void open_source(struct reader *reader, struct ws_pos pos)
{
    struct ws_param *param = last_param(reader);

    if (param->source)
        TELL(reader, pos, 7, NULL, "the parameter '%s' has a second <source>", param->name);
    ws_text_clear(&reader->text);
    reader->text_too_long = false;
    param->source_pos =
        position(reader, ws_xml_skip_space(reader->source->bytes, reader->tag.offset + reader->tag.bytes));
}

static void close_source(struct reader *reader, struct ws_pos pos)
{
    const char *text = ws_text_string(&reader->text);
    size_t begin = ws_xml_skip_space(text, 0), end = strlen(text);
    struct ws_param *param = last_param(reader);

    while (end > begin && strchr(" \t\r\n", text[end - 1]))
        end--;
    if (reader->text_too_long)
        TELL(reader, param->source_pos, 1, NULL, "a source longer than %d bytes", VALUE_MOST);
    else if (begin == end)
        TELL(reader, pos, 1, NULL, "the source of '%s' is empty", param->name);
    param->source = ws_arena_strndup(&reader->kb->arena, text + begin, end - begin);
}

/* number by="peer tag comm": the names, separated by spaces. */
static void split_by(struct reader *reader, struct ws_number *number)
{
    const char *text = reader->values[1] ? reader->values[1] : "";

    for (size_t at = ws_xml_skip_space(text, 0); text[at]; at = ws_xml_skip_space(text, at)) {
        size_t length = strcspn(text + at, " \t\r\n");
        const char *name = ws_arena_strndup(&reader->kb->arena, text + at, length);
        for (size_t i = 0; i < number->by_count; i++)
            if (strcmp(number->by[i], name) == 0)
                TELL(reader, value_pos(reader, "by"), ws_word_width(text), NULL, "by names '%.100s' twice",
                     name);
        if (number->by_count >= ARGUMENTS_MOST)
            return;
        WS_APPEND(&reader->kb->arena, number->by, number->by_count) = name;
        at += length;
    }
    if (reader->values[1] && number->by_count == 0)
        TELL(reader, name_pos(reader, "by"), 2, NULL, "by names no parameter");
}

static void open_number(struct reader *reader, struct ws_pos pos)
{
    struct ws_trace_rule *rule = reader->rule;
    struct ws_number number = {.pos = pos};
    char *end;
    long plus;

    number.name = name_value(reader, NUMBER, 0);
    check_event_name(reader, number.name);
    split_by(reader, &number);
    number.of = name_value(reader, NUMBER, 2);
    if (reader->values[3] && !number.of)
        TELL(reader, name_pos(reader, "plus"), 4, NULL, "plus has a meaning only with of=\"...\"");
    if (reader->values[3]) {
        plus = strtol(reader->values[3], &end, 10);
        if (end == reader->values[3] || *end || plus < -1000000 || plus > 1000000)
            TELL(reader, value_pos(reader, "plus"), ws_word_width(reader->values[3]), NULL,
                 "'%.100s' is not a small whole number", reader->values[3]);
        else
            number.plus = (int)plus;
    }
    if (rule->number_count >= ARGUMENTS_MOST)
        TELL(reader, pos, 7, NULL, "more than %d numbers", ARGUMENTS_MOST);
    else
        WS_APPEND(&reader->kb->arena, rule->numbers, rule->number_count) = number;
}

/* for each="T" in="int long": what it holds is kept, to be read when it ends. */
static void open_for(struct reader *reader, struct ws_pos pos)
{
    struct ws_arena *arena = &reader->kb->arena;
    struct ws_xml_for *loop = ws_arena_alloc(arena, sizeof *loop);
    const char *words = reader->values[1] ? reader->values[1] : "";

    (void)pos;
    loop->name = name_value(reader, FOR, 0);
    for (size_t at = ws_xml_skip_space(words, 0); words[at]; at = ws_xml_skip_space(words, at)) {
        size_t length = strcspn(words + at, " \t\r\n");
        WS_APPEND(arena, loop->words, loop->word_count) = ws_arena_strndup(arena, words + at, length);
        at += length;
    }
    if (reader->values[1] && loop->word_count == 0)
        TELL(reader, name_pos(reader, "in"), 2, NULL, "in names nothing");
    reader->loop = loop;
}

/* The attribute at `index`: a parameter's name, looked up when the event is whole, or a whole number. */
static struct ws_quantity quantity_value(struct reader *reader, size_t index)
{
    const char *attribute = elements[TRANSFER].attributes[index].name, *text = reader->values[index];
    struct ws_quantity quantity = {.given = text != NULL};
    char *end;

    if (!text)
        return quantity;
    if (ws_is_name(text)) {
        quantity.param = ws_arena_strdup(&reader->kb->arena, text);
        return quantity;
    }
    errno = 0;
    quantity.literal = strtoll(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno != 0)
        TELL(reader, value_pos(reader, attribute), ws_word_width(text), NULL,
             "%s='%.100s': neither a parameter's name nor a whole number", attribute, text);
    return quantity;
}

static void open_transfer(struct reader *reader, struct ws_pos pos)
{
    struct ws_trace_rule *rule = reader->rule;
    struct ws_transfer transfer = {.pos = pos};
    int kind = reader->values[0] ? word_value(reader, TRANSFER, 0, ws_transfer_kinds, WS_TRANSFER_KINDS) : -1;

    if (kind >= 0)
        transfer.kind = (enum ws_transfer_kind)kind;
    for (size_t i = 0; i < WS_MOVES_QUANTITIES; i++)
        transfer.quantities[i] = quantity_value(reader, i + 1);
    if (rule->transfer_count >= ARGUMENTS_MOST)
        TELL(reader, pos, 9, NULL, "more than %d transfers", ARGUMENTS_MOST);
    else if (kind >= 0)
        WS_APPEND(&reader->kb->arena, rule->transfers, rule->transfer_count) = transfer;
}

static const struct element elements[KIND_COUNT] = {
    [TRACE_RULES] = {"traceRules", NOTHING, {{0}}, NULL, NULL},
    [FOR] = {"for", TRACE_RULES, {{"each", true}, {"in", true}}, open_for, NULL},
    [RUNTIME] = {"runtime",
                 TRACE_RULES,
                 {{"title", true},
                  {"library", true},
                  {"begin", true},
                  {"process", false},
                  {"prefix", false},
                  {"header", false},
                  {"over", false},
                  {"compiler", false},
                  {"launcher", false},
                  {"package", false},
                  {"count", false},
                  {"link", false},
                  {"wrapper", false},
                  {"shares", false}},
                 open_runtime,
                 NULL},
    [PLACES] =
        {"places", TRACE_RULES, {{"name", true}, {"function", true}, {"first", false}}, open_places, NULL},
    [HELPER] = {"helper", TRACE_RULES, {{"name", true}, {"meaning", false}}, open_helper, NULL},
    [FUNCTION] = {"function",
                  TRACE_RULES,
                  {{"name", true},
                   {"optional", false},
                   {"like", false},
                   {"large", false},
                   {"guarded", false},
                   {"callsBack", false}},
                  open_function,
                  close_function},
    [ARGUMENT] = {"argument",
                  FUNCTION,
                  {{"type", true},
                   {"name", true},
                   {"ignore", false},
                   {"length", false},
                   {"large", false},
                   {"first", false}},
                  open_argument,
                  NULL},
    [RET_VAL] = {"retVal", FUNCTION, {{"type", true}}, open_ret_val, NULL},
    [FUNCTION_POINT] = {"functionPoint",
                        TRACE_RULES,
                        {{"name", true}, {"pattern", true}, {"start", false}, {"init", false}},
                        open_function_point,
                        close_function_point},
    [EVENT] = {"event",
               FUNCTION_POINT,
               {{"request", false},
                {"if", false},
                {"each", false},
                {"of", false},
                {"index", false},
                {"despite", false}},
               open_event,
               close_event},
    [PARAM] = {"param",
               EVENT,
               {{"name", true}, {"format", true}, {"kind", true}, {"final", false}},
               open_param,
               close_param},
    [SOURCE] = {"source", PARAM, {{0}}, open_source, close_source},
    [NUMBER] =
        {"number", EVENT, {{"name", true}, {"by", true}, {"of", false}, {"plus", false}}, open_number, NULL},
    [TRANSFER] = {"transfer",
                  EVENT,
                  {{"kind", true}, /* then the quantities, in their order */
                   {"from", false},
                   {"to", false},
                   {"members", false},
                   {"givers", false},
                   {"first", false},
                   {"count", false},
                   {"bytes", false},
                   {"total", false},
                   {"reply", false},
                   {"messages", false},
                   {"type", false}},
                  open_transfer,
                  NULL},
};

/* ---- the parser's calls ---- */

static enum kind find_kind(const char *name)
{
    for (enum kind kind = TRACE_RULES; kind < KIND_COUNT; kind++)
        if (strcmp(elements[kind].name, name) == 0)
            return kind;
    return NOTHING;
}

static struct open_element *top(struct reader *reader)
{
    return &reader->stack[reader->depth - 1];
}

/* Tells that an element is unknown or stands in the wrong place. */
static void tell_element(struct reader *reader, const char *name, enum kind kind, struct ws_pos pos)
{
    const char *names[KIND_COUNT];
    enum kind above = top(reader)->kind;
    size_t count = 0;
    const char *near;

    pos.column++;
    if (above == NOTHING) {
        TELL(reader, pos, ws_word_width(name), ws_suggest(name, (const char *const[]){"traceRules"}, 1),
             "the root of a trace-rule file is <traceRules>, not <%.100s>", name);
        stop(reader);
        return;
    }
    for (enum kind k = TRACE_RULES; k < KIND_COUNT; k++)
        if (elements[k].parent == above)
            names[count++] = elements[k].name;
    near = ws_suggest(name, names, count);
    if (kind == NOTHING)
        TELL(reader, pos, ws_word_width(name), near, "unknown element <%.100s> in <%s>", name,
             elements[above].name);
    else if (elements[kind].parent == NOTHING)
        TELL(reader, pos, ws_word_width(name), near, "<%s> is the root of the file only", name);
    else
        TELL(reader, pos, ws_word_width(name), near, "<%s> belongs in <%s>, not in <%s>", name,
             elements[elements[kind].parent].name, elements[above].name);
}

/* Tells that an attribute is unknown. */
static void tell_attribute(struct reader *reader, enum kind kind, const char *name)
{
    const char *names[ATTRIBUTES_MOST];
    size_t count = 0;

    for (size_t i = 0; i < ATTRIBUTES_MOST && elements[kind].attributes[i].name; i++)
        names[count++] = elements[kind].attributes[i].name;
    TELL(reader, name_pos(reader, name), ws_word_width(name), ws_suggest(name, names, count),
         "unknown attribute '%.100s' of <%s>", name, elements[kind].name);
}

/* Sorts the attributes by the table's order into `values`. */
static void take_attributes(struct reader *reader, enum kind kind, const char **attributes, struct ws_pos pos)
{
    const struct attribute *known = elements[kind].attributes;
    const char **values = reader->values;
    size_t i;

    memset(reader->values, 0, sizeof reader->values);
    for (; attributes[0]; attributes += 2) {
        for (i = 0; i < ATTRIBUTES_MOST && known[i].name; i++)
            if (strcmp(known[i].name, attributes[0]) == 0)
                break;
        if (i == ATTRIBUTES_MOST || !known[i].name)
            tell_attribute(reader, kind, attributes[0]);
        else if (strlen(attributes[1]) > VALUE_MOST)
            TELL(reader, name_pos(reader, attributes[0]), ws_word_width(attributes[0]), NULL,
                 "'%s' is longer than %d bytes", attributes[0], VALUE_MOST);
        else
            values[i] = attributes[1];
    }
    pos.column++;
    for (i = 0; i < ATTRIBUTES_MOST && known[i].name; i++)
        if (known[i].required && !values[i])
            TELL(reader, pos, ws_word_width(elements[kind].name), NULL, "<%s> needs the attribute '%s'",
                 elements[kind].name, known[i].name);
}

static void open_element(struct reader *reader, const char *name, const char **attributes)
{
    struct ws_pos pos;
    enum kind kind;

    if (reader->stopped)
        return;
    if (reader->skipping) {
        if (reader->skipping++ >= DEPTH_MOST) {
            TELL(reader, here(reader), 1, NULL, "elements are nested deeper than %d", DEPTH_MOST);
            stop(reader);
        }
        return;
    }
    reader->seen_root = true;
    pos = here(reader);
    kind = find_kind(name);
    if (kind == NOTHING || elements[kind].parent != top(reader)->kind) {
        tell_element(reader, name, kind, pos);
        reader->skipping = 1;
        return;
    }
    take_attributes(reader, kind, attributes, pos);
    reader->stack[reader->depth++] = (struct open_element){kind, pos, false};
    if (elements[kind].open)
        elements[kind].open(reader, pos);
}

static void close_element(struct reader *reader)
{
    enum kind kind;

    if (reader->stopped)
        return;
    if (reader->skipping) {
        reader->skipping--;
        return;
    }
    kind = top(reader)->kind;
    if (elements[kind].close)
        elements[kind].close(reader, here(reader));
    reader->depth--;
}

static void take_text(struct reader *reader, const char *text, int length)
{
    struct open_element *element = top(reader);

    if (reader->stopped || reader->skipping)
        return;
    if (element->kind == SOURCE) {
        if (reader->text.length + (size_t)length > VALUE_MOST)
            reader->text_too_long = true;
        else
            ws_text_add(&reader->text, text, (size_t)length);
        return;
    }
    for (int i = 0; i < length; i++)
        if (!strchr(" \t\r\n", text[i]) && !element->told_text) {
            struct ws_pos pos = position(reader, reader->tag.offset + (size_t)i);
            TELL(reader, pos, 1, NULL, "text in <%s>, which holds elements only",
                 elements[element->kind].name);
            element->told_text = true;
        }
}

static void take_piece(struct reader *reader, struct ws_xml_piece piece);

/* Reads what a <for> holds once for each of its words; where there is a mistake in it, once. */
static void read_again(struct reader *reader, const struct ws_xml_for *loop)
{
    size_t mistakes = reader->diagnostics->mistakes;
    bool outer_again = reader->again;

    for (size_t w = 0; w < loop->word_count && reader->diagnostics->mistakes == mistakes; w++) {
        reader->again = outer_again || w > 0;
        for (size_t i = 0; i < loop->piece_count && !reader->stopped; i++) {
            struct ws_xml_piece piece = ws_xml_for_piece(loop, &reader->kb->arena, i, loop->words[w]);
            if (++reader->repeated > REPEATED_MOST) {
                TELL(reader, here(reader), 1, NULL, "<for> brings more than %d elements", REPEATED_MOST);
                stop(reader);
            }
            reader->tag = piece.tag;
            take_piece(reader, piece);
        }
    }
    reader->again = outer_again;
}

/* In a <for>: keeps a piece of it, or, at its end, reads what was kept. */
static void keep_piece(struct reader *reader, struct ws_xml_piece piece)
{
    struct ws_xml_for *loop = reader->loop;

    if (piece.what == WS_XML_CLOSE && loop->depth == 0) {
        reader->loop = NULL;
        reader->depth--;
        read_again(reader, loop);
        return;
    }
    ws_xml_for_keep(loop, &reader->kb->arena, piece);
    loop->depth += piece.what == WS_XML_OPEN;
    loop->depth -= piece.what == WS_XML_CLOSE;
    if (loop->depth > DEPTH_MOST) {
        TELL(reader, here(reader), 1, NULL, "elements are nested deeper than %d", DEPTH_MOST);
        stop(reader);
    }
}

static void take_piece(struct reader *reader, struct ws_xml_piece piece)
{
    if (reader->loop && !reader->stopped)
        keep_piece(reader, piece);
    else if (piece.what == WS_XML_OPEN)
        open_element(reader, piece.text, piece.attributes);
    else if (piece.what == WS_XML_CLOSE)
        close_element(reader);
    else
        take_text(reader, piece.text, (int)strlen(piece.text));
}

static void XMLCALL on_open(void *context, const char *name, const char **attributes)
{
    struct reader *reader = context;

    reader->tag = parsed_tag(reader);
    take_piece(reader, (struct ws_xml_piece){WS_XML_OPEN, reader->tag, name, attributes});
}

static void XMLCALL on_close(void *context, const char *name)
{
    struct reader *reader = context;

    reader->tag = parsed_tag(reader);
    take_piece(reader, (struct ws_xml_piece){WS_XML_CLOSE, reader->tag, name, NULL});
}

static void XMLCALL on_text(void *context, const char *text, int length)
{
    struct reader *reader = context;
    char *kept;

    reader->tag = parsed_tag(reader);
    if (!reader->loop) {
        take_text(reader, text, length);
        return;
    }
    kept = ws_arena_strndup(&reader->kb->arena, text, (size_t)length);
    take_piece(reader, (struct ws_xml_piece){WS_XML_TEXT, reader->tag, kept, NULL});
}

static void XMLCALL refuse_document_type(void *context, const char *name, const char *system_id,
                                         const char *public_id, int has_internal_subset)
{
    struct reader *reader = context;
    const char *bytes = reader->source->bytes, *begin = strstr(bytes, "<!DOCTYPE");

    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    reader->tag = parsed_tag(reader);
    TELL(reader, begin ? position(reader, (size_t)(begin - bytes)) : here(reader), 9, NULL,
         "a trace-rule file has no document type and declares no entities");
    stop(reader);
}

/* ---- reading a file ---- */

/* Why expat gave up, in the words of someone who edits the file. */
static void tell_not_well_formed(struct reader *reader)
{
    enum XML_Error code = XML_GetErrorCode(reader->parser);
    struct ws_pos pos = position(reader, parsed_tag(reader).offset);
    const struct open_element *open = top(reader);
    bool ended = code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
                 code == XML_ERROR_PARTIAL_CHAR || code == XML_ERROR_UNCLOSED_CDATA_SECTION;

    if (!reader->seen_root && ws_xml_skip_space(reader->source->bytes, 0) == reader->source->length)
        TELL(reader, pos, 1, NULL, "the file is empty: a trace-rule file begins with <traceRules>");
    else if (!reader->seen_root)
        TELL(reader, pos, 1, NULL, "this is not XML (%s): a trace-rule file begins with <traceRules>",
             XML_ErrorString(code));
    else if (ended && open->kind != NOTHING)
        TELL(reader, pos, 1, NULL, "the file ends inside <%s>, which begins in line %d",
             elements[open->kind].name, open->pos.line);
    else if (code == XML_ERROR_TAG_MISMATCH && open->kind != NOTHING && !reader->skipping)
        TELL(reader, pos, 1, NULL, "this end tag does not fit <%s>, which begins in line %d",
             elements[open->kind].name, open->pos.line);
    else if (code == XML_ERROR_UNDEFINED_ENTITY)
        TELL(reader, pos, 1, NULL, "unknown entity: there are &lt; &gt; &amp; &quot; and &apos;");
    else
        TELL(reader, pos, 1, NULL, "this is not well-formed XML: %s", XML_ErrorString(code));
}

static bool read_file(struct ws_kb *kb, const char *path, bool runtime_alone,
                      struct ws_diagnostics *diagnostics)
{
    struct reader reader = {.kb = kb,
                            .runtime_alone = runtime_alone,
                            .diagnostics = diagnostics,
                            .cursor = ws_xml_begin,
                            .depth = 1,
                            .mistakes_before = diagnostics->mistakes,
                            .helpers_before = kb->helper_count};
    bool complete;

    reader.path = ws_arena_strdup(&kb->arena, path);
    reader.source = ws_source_read(diagnostics, reader.path);
    if (!reader.source)
        return false;
    reader.parser = XML_ParserCreate("UTF-8");
    if (!reader.parser) {
        ws_mistake(diagnostics, (struct ws_pos){reader.path, 0, 0}, 0, NULL, "out of memory");
        return false;
    }
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, on_open, on_close);
    XML_SetCharacterDataHandler(reader.parser, on_text);
    XML_SetStartDoctypeDeclHandler(reader.parser, refuse_document_type);
    complete = XML_Parse(reader.parser, reader.source->bytes, (int)reader.source->length, 1) == XML_STATUS_OK;
    if (!complete && !reader.stopped)
        tell_not_well_formed(&reader);
    XML_ParserFree(reader.parser);
    ws_text_free(&reader.text);
    return complete;
}

bool ws_xml_read(struct ws_kb *kb, const char *path, struct ws_diagnostics *diagnostics)
{
    return read_file(kb, path, false, diagnostics);
}

bool ws_xml_read_runtime(struct ws_kb *kb, const char *path, struct ws_diagnostics *diagnostics)
{
    return read_file(kb, path, true, diagnostics) || kb->about.pos.file;
}
