#include "import/otf2/otf2.h"

#include "trace/run.h"
#include "tracegen/tracegen.h"
#include "util/alloc.h"
#include "util/file.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct archive {
    OTF2_Reader *reader;
    const char *anchor, *directory;
    char *creator;
    struct ws_schema schema;
    struct ws_otf2_definitions definitions;
    struct ws_fields *fields;
    struct ws_otf2_places places;
    struct ws_otf2_gaps gaps;
    struct ws_otf2_meetings meetings;
    const struct ws_import_options *options;
};

/* ---- OTF2's own words on what is wrong ---- */

static OTF2_ErrorCode keep_first_word(void *user, const char *file, uint64_t line, const char *function,
                                      OTF2_ErrorCode code, const char *format, va_list arguments)
{
    struct ws_text *first = user;
    char text[256];

    (void)file;
    (void)line;
    (void)function;
    if (format && !first->length && code != OTF2_SUCCESS) {
        vsnprintf(text, sizeof text, format, arguments);
        ws_text_printf(first, "%s%s%s", OTF2_Error_GetDescription(code), *text ? ": " : "", text);
    }
    return code;
}

/* ---- a process ---- */

static void tell_progress(const struct archive *archive, size_t location)
{
    if (archive->options->progress)
        archive->options->progress((double)location / (double)archive->definitions.location_count,
                                   archive->options->context);
}

static int64_t begin_of(const struct archive *archive, const struct ws_otf2_outcomes *outcomes)
{
    return ws_otf2_ns(&archive->definitions, outcomes->begin ? outcomes->begin : outcomes->first);
}

static int64_t end_of(const struct archive *archive, const struct ws_otf2_outcomes *outcomes)
{
    return ws_otf2_ns(&archive->definitions, outcomes->end ? outcomes->end : outcomes->last);
}

/* Who recorded it. */
static const char *recorder(const struct archive *archive)
{
    if (archive->creator && *archive->creator)
        return archive->creator;
    return archive->definitions.is_eztrace ? "not told (recorded by EZTrace)" : "not told (recorded as OTF2)";
}

/* What a stream holds around its calls. */
static void frame(struct archive *archive, const struct ws_otf2_location *location, struct ws_writer *writer,
                  const struct ws_otf2_outcomes *outcomes, bool begins)
{
    int64_t ns = begins ? begin_of(archive, outcomes) : end_of(archive, outcomes);

    if (location->thread != 0)
        return;
    if (begins)
        ws_writer_begin(writer, ns, archive->definitions.world.size, location->node, recorder(archive),
                        archive->anchor);
    ws_writer_clock(writer, ns, 1);
    if (!begins)
        ws_writer_end(writer, ns);
}

static int write_location(struct archive *archive, const struct ws_otf2_location *location,
                          struct ws_otf2_target *target, struct ws_error *error)
{
    struct ws_map sites = {0};
    int result;

    target->sites = &sites;
    target->writer = ws_writer_open(archive->directory, &archive->schema, (uint32_t)location->rank,
                                    location->thread, error);
    if (!target->writer)
        return -1;
    frame(archive, location, target->writer, target->outcomes, true);
    result = ws_otf2_write(archive->reader, location, target, error);
    frame(archive, location, target->writer, target->outcomes, false);
    ws_map_free(&sites);
    return ws_writer_close(target->writer, result == 0 ? error : NULL) == 0 ? result : -1;
}

static int write_process(struct archive *archive, size_t begin, size_t end, struct ws_error *error)
{
    const struct ws_otf2_location *locations = archive->definitions.locations;
    struct ws_otf2_outcomes outcomes = {.first = UINT64_MAX, .several = end - begin > 1};
    struct ws_map comms = {0}, windows = {0}, epochs = {0};
    struct ws_otf2_target target = {.definitions = &archive->definitions,
                                    .fields = archive->fields,
                                    .outcomes = &outcomes,
                                    .places = &archive->places,
                                    .gaps = &archive->gaps,
                                    .meetings = &archive->meetings,
                                    .comms = &comms,
                                    .windows = &windows,
                                    .epochs = &epochs};
    int result = 0;

    for (size_t i = begin; i < end && result == 0; i++)
        result =
            ws_otf2_find_outcomes(archive->reader, &archive->definitions, &locations[i], &outcomes, error);
    if (outcomes.first == UINT64_MAX)
        outcomes.first = outcomes.last = 0;
    for (size_t i = begin; i < end && result == 0; i++) {
        tell_progress(archive, i);
        result = write_location(archive, &locations[i], &target, error);
    }
    ws_otf2_outcomes_free(&outcomes);
    ws_map_free(&comms);
    ws_map_free(&windows);
    ws_map_free(&epochs);
    return result;
}

static int write_processes(struct archive *archive, struct ws_error *error)
{
    const struct ws_otf2_definitions *definitions = &archive->definitions;

    for (size_t begin = 0, end; begin < definitions->location_count; begin = end) {
        const struct ws_otf2_location *first = &definitions->locations[begin];
        for (end = begin + 1;
             end < definitions->location_count && definitions->locations[end].group == first->group;)
            end++;
        if (first->rank >= 0 && write_process(archive, begin, end, error) != 0)
            return -1;
    }
    return 0;
}

/* ---- what the archive does not tell ---- */

struct notes {
    struct ws_arena arena;
    const char **list;
    size_t count, capacity;
};
#define NOTE(notes, ...)                                                                                     \
    (WS_PUSH((notes)->list, (notes)->count, (notes)->capacity) =                                             \
         ws_arena_printf(&(notes)->arena, __VA_ARGS__))

static void take_notes(const struct archive *archive, struct notes *notes)
{
    const struct ws_otf2_gaps *gaps = &archive->gaps;
    char off[32];

    if (!gaps->has_sites && !gaps->has_callers)
        NOTE(notes, "the OTF2 trace does not tell where in the source calls were made");
    else if (!gaps->has_sites)
        NOTE(notes,
             "the OTF2 trace tells of calls only the function around them: lines are where that begins");
    if (gaps->receives + gaps->sends + gaps->collectives)
        NOTE(notes,
             "the OTF2 trace does not tell when %llu of its operations that were started ended (sends %llu, "
             "receives "
             "%llu, collective %llu): what waited for them is not found",
             (unsigned long long)(gaps->receives + gaps->sends + gaps->collectives),
             (unsigned long long)gaps->sends, (unsigned long long)gaps->receives,
             (unsigned long long)gaps->collectives);
    if (gaps->homeless)
        NOTE(notes,
             "%llu communication records of the OTF2 trace lie in no MPI function that Whyslow knows: left "
             "out",
             (unsigned long long)gaps->homeless);
    if (archive->definitions.is_eztrace)
        NOTE(notes,
             "EZTrace counts the time of each process from its own start: waits between ranks are off by the "
             "difference of these starts");
    if (archive->meetings.off_ns > 0)
        NOTE(notes,
             "the clocks of the OTF2 trace do not agree: rank %u left a barrier or reduction %s before rank "
             "%u came to it; "
             "waits between ranks are off by as much",
             archive->meetings.left, ws_format_ns(archive->meetings.off_ns, off), archive->meetings.came);
}

static int write_run(struct archive *archive, struct ws_error *error)
{
    struct notes notes = {0};
    struct ws_run run = {.command = archive->anchor,
                         .started = "",
                         .runtime = "mpi",
                         .mpi = recorder(archive),
                         .host = "",
                         .only = "",
                         .exit_code = -1};
    int result;

    take_notes(archive, &notes);
    run.notes = notes.list;
    run.note_count = notes.count;
    result = ws_run_write(archive->directory, &run, error);
    free(notes.list);
    ws_arena_free(&notes.arena);
    return result;
}

/* ---- the archive ---- */

/* Local definitions say how the numbers in a location's events are to be read, and how its clock goes. */
static int prepare_locations(struct archive *archive, struct ws_error *error)
{
    const struct ws_otf2_definitions *definitions = &archive->definitions;
    OTF2_ErrorCode code;
    uint64_t read;

    for (size_t i = 0; i < definitions->location_count; i++)
        OTF2_Reader_SelectLocation(archive->reader, definitions->locations[i].self);
    if (OTF2_Reader_OpenDefFiles(archive->reader) == OTF2_SUCCESS) {
        for (size_t i = 0; i < definitions->location_count; i++) {
            OTF2_DefReader *local = OTF2_Reader_GetDefReader(archive->reader, definitions->locations[i].self);
            if (!local)
                continue;
            code = OTF2_Reader_ReadAllLocalDefinitions(archive->reader, local, &read);
            OTF2_Reader_CloseDefReader(archive->reader, local);
            if (code != OTF2_SUCCESS)
                return ws_fail(error, WS_BAD_INPUT, "the definitions of location %llu cannot be read",
                               (unsigned long long)definitions->locations[i].self);
        }
        OTF2_Reader_CloseDefFiles(archive->reader);
    }
    code = OTF2_Reader_OpenEvtFiles(archive->reader);
    return code == OTF2_SUCCESS ? 0 : ws_fail(error, WS_BAD_INPUT, "its events cannot be read");
}

static int convert(struct archive *archive, struct ws_error *error)
{
    int result;

    archive->definitions.schema = &archive->schema;
    result = ws_otf2_define(archive->reader, &archive->definitions, error);
    if (result == 0)
        result = prepare_locations(archive, error);
    if (result == 0)
        result = ws_trace_create(archive->directory, &archive->schema, error);
    if (result != 0)
        return -1;
    archive->fields = ws_fields_new(&archive->schema);
    archive->places.module = ws_base_name(archive->anchor);
    ws_places_begin(&archive->places.file);
    result = write_processes(archive, error);
    OTF2_Reader_CloseEvtFiles(archive->reader);
    if (result == 0)
        result = ws_places_write(&archive->places.file, archive->directory, error);
    return result == 0 ? write_run(archive, error) : -1;
}

static int open_archive(struct archive *archive, struct ws_error *error)
{
    archive->reader = OTF2_Reader_Open(archive->anchor);
    if (!archive->reader)
        return ws_fail(error, WS_BAD_INPUT, "it cannot be opened");
    OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader);
    if (OTF2_Reader_GetCreator(archive->reader, &archive->creator) != OTF2_SUCCESS)
        archive->creator = NULL;
    return 0;
}

int ws_otf2_import(const char *anchor, const struct ws_kb *kb, const char *directory,
                   const struct ws_import_options *options, struct ws_error *error)
{
    struct archive archive = {.anchor = anchor, .directory = directory, .options = options};
    struct ws_text words = {0};
    struct ws_error cause = {0};
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep_first_word, &words);
    int result = ws_schema_from_kb(kb, &archive.schema, &cause);

    if (result == 0)
        result = open_archive(&archive, &cause);
    if (result == 0)
        result = convert(&archive, &cause);
    if (result != 0 && cause.code == WS_BAD_INPUT)
        ws_fail(error, cause.code, "%s: no OTF2 trace that can be read: %s%s%s", anchor, cause.text,
                words.length ? "; OTF2: " : "", ws_text_string(&words));
    else if (result != 0)
        *error = cause;
    if (archive.reader)
        OTF2_Reader_Close(archive.reader);
    OTF2_Error_RegisterCallback(before, NULL);
    if (archive.fields)
        ws_fields_free(archive.fields);
    free(archive.creator);
    ws_otf2_places_free(&archive.places);
    ws_otf2_meetings_free(&archive.meetings);
    ws_otf2_definitions_free(&archive.definitions);
    ws_schema_free(&archive.schema);
    ws_text_free(&words);
    return result;
}
