#include "export/paraver/paraver.h"

#include "util/alloc.h"
#include "util/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what functions are ---- */

static bool holds(const char *function, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(function, *parts))
            return true;
    return false;
}

uint32_t ws_paraver_type(const char *function)
{
    static const char *const one_sided[] = {"Win_", "Put",       "put",    "Get_acc",     "MPI_Get",
                                            "Rget", "ccumulate", "Fetch_", "Compare_and", NULL};
    static const char *const collective[] = {"arrier",  "cast", "educe", "ather",    "catter",
                                             "lltoall", "scan", "Scan",  "Neighbor", NULL};
    static const char *const point_to_point[] = {"end", "ecv", "Wait", "Test", "Start", "robe", NULL};

    if (holds(function, one_sided))
        return WS_PRV_ONE_SIDED;
    if (holds(function, collective))
        return WS_PRV_COLLECTIVE;
    return holds(function, point_to_point) ? WS_PRV_POINT_TO_POINT : WS_PRV_OTHER;
}

/* The states that Extrae and Paraver use, by their numbers. */
static const struct {
    const char *name, *colour;
} states[] = {
    {"Idle", "117,195,255"},
    {"Running", "0,0,255"},
    {"Not created", "255,255,255"},
    {"Waiting a message", "255,0,0"},
    {"Blocking Send", "255,0,174"},
    {"Synchronization", "179,0,0"},
    {"Test/Probe", "0,255,0"},
    {"Scheduling and Fork/Join", "255,255,0"},
    {"Wait/WaitAll", "235,0,0"},
    {"Blocked", "0,162,0"},
    {"Immediate Send", "255,0,255"},
    {"Immediate Receive", "100,100,177"},
    {"I/O", "172,174,41"},
    {"Group Communication", "255,144,26"},
    {"Tracing Disabled", "2,255,177"},
    {"Others", "192,224,0"},
    {"Send Receive", "66,66,66"},
    {"Memory transfer", "255,0,96"},
};
#define STATE_COUNT (sizeof states / sizeof *states)
#define OTHERS 15

unsigned ws_paraver_state(const char *function)
{
    static const struct {
        const char *part;
        unsigned state;
    } parts[] = {
        {"File_", 12}, {"endrecv", 16},   {"arrier", 5}, {"Wait", 8},    {"robe", 6},     {"Test", 6},
        {"MPI_I", 0},  {"Win_", 17},      {"Put", 17},   {"ecv", 3},     {"send", 4},     {"Send", 4},
        {"educe", 13}, {"cast", 13},      {"ather", 13}, {"catter", 13}, {"lltoall", 13}, {"scan", 13},
        {"Scan", 13},  {"ccumulate", 17}, {"Get", 17},
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(function, parts[i].part)) {
            if (parts[i].state)
                return parts[i].state;
            return strstr(function, "ecv") ? 11 : strstr(function, "send") ? 10 : 13;
        }
    return OTHERS;
}

/* ---- names on lines ---- */

/* A name of one line, in UTF-8. */
static void put_name(FILE *file, const char *name)
{
    char *valid = ws_utf8_copy(name, false);

    for (char *at = valid; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
    fputs(valid, file);
    free(valid);
}

static void put_labels(FILE *file, const struct ws_dictionary *names, const char *none)
{
    fprintf(file, "VALUES\n0      %s\n", none);
    for (uint32_t i = 0; i < ws_dictionary_count(names); i++) {
        fprintf(file, "%u      ", i + 1);
        put_name(file, ws_dictionary_get(names, i, NULL));
        fputc('\n', file);
    }
    fputs("\n\n", file);
}

static void put_type(FILE *file, uint32_t type, const char *name)
{
    fprintf(file, "EVENT_TYPE\n0    %u    %s\n", type, name);
}

static void put_functions(FILE *file, const struct ws_paraver *paraver, uint32_t type)
{
    fputs("VALUES\n0      Outside MPI\n", file);
    for (uint32_t i = 0; i < ws_dictionary_count(paraver->functions); i++) {
        if (paraver->function_types[i] != type)
            continue;
        fprintf(file, "%u      ", i + 1);
        put_name(file, ws_dictionary_get(paraver->functions, i, NULL));
        fputc('\n', file);
    }
    fputs("\n\n", file);
}

static void write_pcf(FILE *file, const struct ws_paraver *paraver)
{
    static const char *const calls[WS_PRV_CALL_TYPES] = {"MPI Point-to-point", "MPI Collective Comm",
                                                         "MPI Other", "MPI One-sided"};

    fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           "
          "100\n"
          "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          "
          "37\n\n\n"
          "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n",
          file);
    for (unsigned i = 0; i < STATE_COUNT; i++)
        fprintf(file, "%u    %s\n", i, states[i].name);
    fputs("\n\nSTATES_COLOR\n", file);
    for (unsigned i = 0; i < STATE_COUNT; i++)
        fprintf(file, "%u    {%s}\n", i, states[i].colour);
    fputs("\n\n", file);
    for (uint32_t t = 0; t < WS_PRV_CALL_TYPES; t++) {
        put_type(file, WS_PRV_FIRST_CALL + t, calls[t]);
        put_functions(file, paraver, WS_PRV_FIRST_CALL + t);
    }
    put_type(file, WS_PRV_BYTES, "Bytes of a collective operation");
    put_type(file, WS_PRV_COMMUNICATOR, "Communicator of a collective operation");
    fputs("\n\n", file);
    put_type(file, WS_PRV_CALLER, "Caller at level 1");
    put_labels(file, paraver->callers, "End");
    put_type(file, WS_PRV_CALLER_LINE, "Caller line at level 1");
    put_labels(file, paraver->lines, "End");
    put_type(file, WS_PRV_WAITING, "Waiting (Whyslow)");
    put_labels(file, paraver->problems, "None");
}

/* ---- the machine: nodes, and on each a processor for each thread of its ranks ---- */

struct machine {
    struct ws_dictionary *nodes;
    uint32_t *node;      /* [ranks] */
    uint32_t *first_cpu; /* [ranks]: of its thread 0, from 1 */
    uint32_t *cpus;      /* [nodes] */
    uint32_t cpu_count, thread_count;
};

static void find_machine(const struct ws_paraver *paraver, struct machine *machine)
{
    const struct ws_trace_info *info = paraver->out->info;
    uint32_t next = 1;

    machine->nodes = ws_dictionary_new();
    machine->node = ws_alloc_array(info->ranks, sizeof *machine->node);
    machine->first_cpu = ws_alloc_array(info->ranks, sizeof *machine->first_cpu);
    for (uint32_t r = 0; r < info->ranks; r++) {
        machine->node[r] =
            ws_dictionary_text(machine->nodes, *info->rank[r].host ? info->rank[r].host : "unknown");
        machine->thread_count += paraver->thread_counts[r];
    }
    machine->cpus = ws_alloc_array(ws_dictionary_count(machine->nodes), sizeof *machine->cpus);
    for (uint32_t n = 0; n < ws_dictionary_count(machine->nodes); n++)
        for (uint32_t r = 0; r < info->ranks; r++)
            if (machine->node[r] == n) {
                machine->first_cpu[r] = next;
                next += paraver->thread_counts[r];
                machine->cpus[n] += paraver->thread_counts[r];
            }
    machine->cpu_count = next - 1;
}

static void release_machine(struct machine *machine)
{
    ws_dictionary_free(machine->nodes);
    free(machine->node);
    free(machine->first_cpu);
    free(machine->cpus);
}

static void write_row(FILE *file, const struct ws_paraver *paraver, const struct machine *machine)
{
    const struct ws_trace_info *info = paraver->out->info;

    fprintf(file, "LEVEL CPU SIZE %u\n", machine->cpu_count);
    for (uint32_t n = 0, cpu = 1; n < ws_dictionary_count(machine->nodes); n++)
        for (uint32_t c = 0; c < machine->cpus[n]; c++, cpu++) {
            fprintf(file, "%u.", cpu);
            put_name(file, ws_dictionary_get(machine->nodes, n, NULL));
            fputc('\n', file);
        }
    fprintf(file, "\nLEVEL NODE SIZE %u\n", ws_dictionary_count(machine->nodes));
    for (uint32_t n = 0; n < ws_dictionary_count(machine->nodes); n++) {
        put_name(file, ws_dictionary_get(machine->nodes, n, NULL));
        fputc('\n', file);
    }
    fprintf(file, "\nLEVEL TASK SIZE %u\n", info->ranks);
    for (uint32_t r = 0; r < info->ranks; r++)
        fprintf(file, "rank %u\n", r);
    fprintf(file, "\nLEVEL THREAD SIZE %u\n", machine->thread_count);
    for (uint32_t r = 0; r < info->ranks; r++)
        for (uint32_t t = 0; t < paraver->thread_counts[r]; t++)
            fprintf(file, t ? "rank %u, thread %u\n" : "rank %u\n", r, t);
}

/* ---- the records ---- */

static int64_t since(const struct ws_paraver *paraver, int64_t ns)
{
    int64_t time = ws_since(paraver->out, ns);
    return time < 0 ? 0 : time;
}

static void write_header(FILE *file, const struct ws_paraver *paraver, const struct machine *machine)
{
    const struct ws_trace_info *info = paraver->out->info;
    struct tm moment = {.tm_mday = 1};
    char when[32];

    if (*paraver->out->started)
        strptime(paraver->out->started, "%Y-%m-%dT%H:%M:%S", &moment);
    strftime(when, sizeof when, "%d/%m/%Y at %H:%M", &moment);
    fprintf(file, "#Paraver (%s):%" PRId64 "_ns:%u(", when, since(paraver, paraver->last_ns),
            ws_dictionary_count(machine->nodes));
    for (uint32_t n = 0; n < ws_dictionary_count(machine->nodes); n++)
        fprintf(file, "%s%u", n ? "," : "", machine->cpus[n]);
    fprintf(file, "):1:%u(", info->ranks);
    for (uint32_t r = 0; r < info->ranks; r++)
        fprintf(file, "%s%u:%u", r ? "," : "", paraver->thread_counts[r], machine->node[r] + 1);
    fprintf(file, "),%zu\n", paraver->comm_count);
    for (size_t c = 0; c < paraver->comm_count; c++) {
        fprintf(file, "c:1:%zu:%u", c + 1, paraver->comms[c].size);
        for (uint32_t i = 0; i < paraver->comms[c].size; i++)
            fprintf(file, ":%u", paraver->comms[c].ranks[i] + 1);
        fputc('\n', file);
    }
}

static void put_place(FILE *file, const struct machine *machine, uint32_t rank, uint32_t thread)
{
    fprintf(file, ":%u:1:%u:%u", machine->first_cpu[rank] + thread, rank + 1, thread + 1);
}

static void put_end(FILE *file, const struct ws_paraver *paraver, const struct machine *machine,
                    const struct ws_prv_end *end)
{
    put_place(file, machine, end->rank, end->thread);
    fprintf(file, ":%" PRId64 ":%" PRId64, since(paraver, end->logical_ns), since(paraver, end->physical_ns));
}

static void write_record(FILE *file, const struct ws_paraver *paraver, const struct machine *machine,
                         const struct ws_prv_record *record)
{
    fprintf(file, "%d", record->kind);
    if (record->kind == WS_PRV_MESSAGE) {
        put_end(file, paraver, machine, &record->sent);
        put_end(file, paraver, machine, &record->received);
        fprintf(file, ":%" PRIu64 ":%" PRId64 "\n", record->bytes, record->tag);
        return;
    }
    put_place(file, machine, record->rank, record->thread);
    fprintf(file, ":%" PRId64, since(paraver, record->ns));
    if (record->kind == WS_PRV_STATE)
        fprintf(file, ":%" PRId64 ":%u", since(paraver, record->end_ns), record->state);
    else
        for (size_t i = 0; i < record->value_count; i++)
            fprintf(file, ":%u:%u", record->values[i].type, record->values[i].value);
    fputc('\n', file);
}

static int write_records(FILE *file, struct ws_paraver *paraver, const struct machine *machine)
{
    const void *record;
    int got;

    while ((got = ws_sorter_next(&paraver->sorter, &record, paraver->out->error)) > 0)
        write_record(file, paraver, machine, record);
    return got;
}

/* ---- the files ---- */

static FILE *open_file(const struct ws_paraver *paraver, const char *name, struct ws_text *path)
{
    FILE *file;

    ws_text_clear(path);
    ws_text_printf(path, "%s/%s", paraver->out->path, name);
    file = fopen(path->bytes, "wbe");
    if (!file)
        ws_fail(paraver->out->error, WS_ENVIRONMENT, "%s: cannot write: %s", path->bytes, strerror(errno));
    return file;
}

static int close_file(const struct ws_paraver *paraver, FILE *file, const char *path)
{
    bool broken = fflush(file) != 0 || ferror(file);

    broken |= fclose(file) != 0;
    return broken
               ? ws_fail(paraver->out->error, WS_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno))
               : 0;
}

static int write_files(struct ws_paraver *paraver, const struct machine *machine, struct ws_text *path)
{
    FILE *file = open_file(paraver, "trace.prv", path);
    int result = file ? 0 : -1;

    if (file) {
        write_header(file, paraver, machine);
        result = write_records(file, paraver, machine);
        result = close_file(paraver, file, path->bytes) == 0 ? result : -1;
    }
    if (result == 0 && (file = open_file(paraver, "trace.pcf", path))) {
        write_pcf(file, paraver);
        result = close_file(paraver, file, path->bytes);
    }
    if (result == 0 && file && (file = open_file(paraver, "trace.row", path))) {
        write_row(file, paraver, machine);
        result = close_file(paraver, file, path->bytes);
    }
    return file ? result : -1;
}

int ws_paraver_write(struct ws_paraver *paraver)
{
    struct machine machine = {0};
    struct ws_text path = {0};
    int result;

    find_machine(paraver, &machine);
    result = write_files(paraver, &machine, &path);
    release_machine(&machine);
    ws_text_free(&path);
    return result;
}
