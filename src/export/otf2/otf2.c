#include "export/otf2/otf2.h"

#include "util/alloc.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define ARCHIVE_NAME "traces"

/* ---- OTF2's callbacks ---- */

static OTF2_FlushType always_flush(void *user, OTF2_FileType file, OTF2_LocationRef location, void *caller,
                                   bool final)
{
    (void)user;
    (void)file;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

/* 0: no record of the flush, which is none of the program's. */
static OTF2_TimeStamp no_record(void *user, OTF2_FileType file, OTF2_LocationRef location)
{
    (void)user;
    (void)file;
    (void)location;
    return 0;
}

/* Memory of a buffer: a list of chunks. */
struct chunk {
    struct chunk *next;
    max_align_t bytes[];
};

/* OTF2 writes a buffer to its file when it gets no more memory for it: events get one chunk for each
 * location, so that memory does not grow with the trace. */
static void *give_chunk(void *user, OTF2_FileType file, OTF2_LocationRef location, void **buffer,
                        uint64_t size)
{
    struct chunk *chunk;

    (void)user;
    (void)location;
    if (*buffer && file == OTF2_FILETYPE_EVENTS)
        return NULL;
    chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->next = *buffer;
    *buffer = chunk;
    return chunk->bytes;
}

static void take_chunks(void *user, OTF2_FileType file, OTF2_LocationRef location, void **buffer, bool final)
{
    (void)user;
    (void)file;
    (void)location;
    (void) final;
    for (struct chunk *chunk = *buffer, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *buffer = NULL;
}

static OTF2_ErrorCode keep_first_word(void *user, const char *file, uint64_t line, const char *function,
                                      OTF2_ErrorCode code, const char *format, va_list arguments)
{
    struct ws_otf2_archive *archive = user;
    char text[256];

    (void)file;
    (void)line;
    (void)function;
    if (format && !archive->words.length && code != OTF2_SUCCESS) {
        vsnprintf(text, sizeof text, format, arguments);
        ws_text_printf(&archive->words, "%s%s%s", OTF2_Error_GetDescription(code), *text ? ": " : "", text);
    }
    return code;
}

static int fail(struct ws_otf2_archive *archive)
{
    return ws_fail(archive->out->error, WS_ENVIRONMENT, "%s: cannot write: OTF2: %s", archive->out->path,
                   archive->words.length ? archive->words.bytes : "error");
}

/* ---- locations ---- */

/* OTF2 keeps a file open for each location. */
static void allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static struct ws_otf2_location *location_of(struct ws_otf2_archive *archive, uint32_t rank, uint32_t thread)
{
    struct ws_otf2_location **threads = &archive->ranks[rank];

    if (thread >= archive->threads[rank]) {
        *threads = ws_realloc_array(*threads, (size_t)thread + 1, sizeof **threads);
        for (uint32_t t = archive->threads[rank]; t <= thread; t++)
            (*threads)[t] = (struct ws_otf2_location){
                .writer = OTF2_Archive_GetEvtWriter(archive->archive, ws_otf2_location_ref(rank, t))};
        archive->threads[rank] = thread + 1;
    }
    archive->failed |= !(*threads)[thread].writer;
    return &(*threads)[thread];
}

/* A call of MPI's begin or end, of which no more is known than the moment. */
static void mark(struct ws_otf2_archive *archive, struct ws_otf2_location *location, const char *function,
                 int64_t ns)
{
    OTF2_RegionRef region = ws_otf2_region(archive, function);
    OTF2_TimeStamp tick = ws_otf2_tick(archive, location, ns);

    ws_otf2_check(archive, OTF2_EvtWriter_Enter(location->writer, NULL, tick, region));
    ws_otf2_check(archive, OTF2_EvtWriter_Leave(location->writer, NULL, tick, region));
}

/* ---- the archive ---- */

static int open_archive(struct ws_otf2_archive *archive)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush, .otf2_post_flush = no_record};
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = give_chunk, .otf2_free_all = take_chunks};
    OTF2_Archive *opened =
        OTF2_Archive_Open(archive->out->path, ARCHIVE_NAME, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

    archive->archive = opened;
    if (!opened)
        return fail(archive);
    ws_otf2_check(archive, OTF2_Archive_SetFlushCallbacks(opened, &flush, NULL));
    ws_otf2_check(archive, OTF2_Archive_SetMemoryCallbacks(opened, &memory, NULL));
    ws_otf2_check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(opened));
    ws_otf2_check(archive, OTF2_Archive_SetCreator(opened, "Whyslow " WHYSLOW_VERSION));
    ws_otf2_check(archive, OTF2_Archive_OpenEvtFiles(opened));
    archive->markers = OTF2_Archive_GetMarkerWriter(opened);
    archive->failed |= !archive->markers;
    return archive->failed ? fail(archive) : 0;
}

static int begin(struct ws_export *out)
{
    struct ws_otf2_archive *archive = out->state = ws_alloc(sizeof *archive);
    struct ws_dictionary **dictionaries[] = {&archive->texts,        &archive->regions,  &archive->places,
                                             &archive->groups,       &archive->problems, &archive->comm_names,
                                             &archive->window_names, &archive->params};

    archive->out = out;
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++)
        *dictionaries[i] = ws_dictionary_new();
    archive->attributes = OTF2_AttributeList_New();
    archive->ranks = ws_alloc_array(out->info->ranks, sizeof *archive->ranks);
    archive->threads = ws_alloc_array(out->info->ranks, sizeof *archive->threads);
    archive->callback_before = OTF2_Error_RegisterCallback(keep_first_word, archive);
    allow_many_files();
    if (open_archive(archive) != 0)
        return -1;
    for (uint32_t r = 0; r < out->info->ranks; r++) {
        struct ws_otf2_location *location = location_of(archive, r, 0);
        if (!archive->failed && out->info->rank[r].present)
            mark(archive, location, "MPI_Init", out->info->rank[r].begin_ns);
    }
    return archive->failed ? fail(archive) : 0;
}

/* Where the call was made, as attributes of its Enter. */
static void add_site(struct ws_otf2_archive *archive, int64_t site)
{
    const struct ws_site *at = ws_trace_site(archive->out->trace, site);

    if (*at->function)
        OTF2_AttributeList_AddStringRef(archive->attributes, WS_OTF2_CALLER_ATTRIBUTE,
                                        ws_otf2_string(archive, at->function));
    if (*at->file)
        OTF2_AttributeList_AddSourceCodeLocationRef(archive->attributes, WS_OTF2_CALL_SITE_ATTRIBUTE,
                                                    ws_otf2_place(archive, at->file, at->line));
}

static int write_call(struct ws_export *out, const struct ws_shown_call *call)
{
    struct ws_otf2_archive *archive = out->state;
    struct ws_otf2_location *location = location_of(archive, call->rank, call->thread);
    OTF2_RegionRef region = ws_otf2_region(archive, call->function);

    if (archive->failed)
        return fail(archive);
    add_site(archive, call->site);
    ws_otf2_check(archive, OTF2_EvtWriter_Enter(location->writer, archive->attributes,
                                                ws_otf2_tick(archive, location, call->t_ns), region));
    ws_otf2_write_events(archive, location, call, true);
    ws_otf2_write_events(archive, location, call, false);
    ws_otf2_check(archive, OTF2_EvtWriter_Leave(location->writer, NULL,
                                                ws_otf2_tick(archive, location, call->end_ns), region));
    return archive->failed ? fail(archive) : 0;
}

/* ---- waiting ---- */

static int write_waited(struct ws_export *out, const struct ws_waited *waited)
{
    struct ws_otf2_archive *archive = out->state;
    uint32_t known = ws_dictionary_count(archive->problems),
             number = ws_dictionary_text(archive->problems, waited->name);
    int64_t from_ns = ws_since(out, waited->from_ns);
    char text[64] = "waits";

    if (number == known)
        ws_otf2_check(archive, OTF2_MarkerWriter_WriteDefMarker(archive->markers, number, "Whyslow: waiting",
                                                                waited->name, OTF2_SEVERITY_MEDIUM));
    if (waited->cause_rank != UINT32_MAX)
        snprintf(text, sizeof text, "waits for rank %u", waited->cause_rank);
    ws_otf2_check(archive, OTF2_MarkerWriter_WriteMarker(
                               archive->markers, (OTF2_TimeStamp)(from_ns < 0 ? 0 : from_ns),
                               (OTF2_TimeStamp)(waited->to_ns - waited->from_ns), number,
                               OTF2_MARKER_SCOPE_LOCATION, ws_otf2_location_ref(waited->rank, 0), text));
    return archive->failed ? fail(archive) : 0;
}

/* ---- the end ---- */

static void end_locations(struct ws_otf2_archive *archive)
{
    const struct ws_trace_info *info = archive->out->info;

    for (uint32_t r = 0; r < info->ranks; r++)
        if (info->rank[r].present)
            mark(archive, &archive->ranks[r][0],
                 info->rank[r].finished ? "MPI_Finalize" : "end of the recording", info->rank[r].end_ns);
}

/* Readers expect a file of definitions for each location, which has none of its own. */
static void write_local_definitions(struct ws_otf2_archive *archive)
{
    ws_otf2_check(archive, OTF2_Archive_OpenDefFiles(archive->archive));
    for (uint32_t r = 0; r < archive->out->info->ranks; r++)
        for (uint32_t t = 0; t < archive->threads[r]; t++) {
            OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->archive, ws_otf2_location_ref(r, t));
            archive->failed |= !writer;
            if (writer)
                ws_otf2_check(archive, OTF2_Archive_CloseDefWriter(archive->archive, writer));
        }
    ws_otf2_check(archive, OTF2_Archive_CloseDefFiles(archive->archive));
}

static void close_locations(struct ws_otf2_archive *archive)
{
    for (uint32_t r = 0; r < archive->out->info->ranks; r++)
        for (uint32_t t = 0; t < archive->threads[r]; t++)
            if (archive->ranks[r][t].writer)
                ws_otf2_check(archive,
                              OTF2_Archive_CloseEvtWriter(archive->archive, archive->ranks[r][t].writer));
    ws_otf2_check(archive, OTF2_Archive_CloseEvtFiles(archive->archive));
}

static void finish(struct ws_otf2_archive *archive)
{
    end_locations(archive);
    ws_otf2_write_definitions(archive);
    close_locations(archive);
    write_local_definitions(archive);
    ws_otf2_check(archive, OTF2_Archive_CloseMarkerWriter(archive->archive, archive->markers));
}

static void release(struct ws_otf2_archive *archive)
{
    struct ws_dictionary *dictionaries[] = {archive->texts,        archive->regions,  archive->places,
                                            archive->groups,       archive->problems, archive->comm_names,
                                            archive->window_names, archive->params};

    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++)
        ws_dictionary_free(dictionaries[i]);
    for (uint32_t r = 0; r < archive->out->info->ranks; r++)
        free(archive->ranks[r]);
    free(archive->ranks);
    free(archive->threads);
    free(archive->comms);
    free(archive->windows);
    OTF2_AttributeList_Delete(archive->attributes);
    ws_text_free(&archive->words);
    free(archive);
}

static int end(struct ws_export *out, bool failed)
{
    struct ws_otf2_archive *archive = out->state;
    int result = 0;

    if (!failed && archive->archive)
        finish(archive);
    if (archive->archive)
        ws_otf2_check(archive, OTF2_Archive_Close(archive->archive));
    if (!failed && archive->failed)
        result = fail(archive);
    OTF2_Error_RegisterCallback(archive->callback_before, NULL);
    release(archive);
    return result;
}

const struct ws_export_ops ws_export_otf2 = {
    .format = {.name = "otf2",
               .line = "an OTF2 archive for Vampir, Scalasca, Pipit",
               .suffix = "-otf2",
               .folder = true},
    .begin = begin,
    .call = write_call,
    .waited = write_waited,
    .end = end,
};
