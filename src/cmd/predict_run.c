/* An MPI run predicted for another platform: its script, the replay of that under SimGrid and its recorder,
 * and the ordinary diagnosis of the trace that comes of it. */
#include "cmd/cmd.h"

#include "predict/node.h"
#include "report/report.h"
#include "simulate/simulate.h"
#include "trace/places.h"
#include "trace/run.h"
#include "util/file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    const struct ws_predict_run_choices *choices;
    struct ws_kb kb;
    struct ws_script_summary summary;
    struct ws_text places;
    char folder[PATH_MAX];  /* of what lives no longer than the replay */
    char program[PATH_MAX]; /* that replays */
    char script[PATH_MAX + 16], platform[PATH_MAX + 16], hosts[PATH_MAX + 16];
    bool has_hosts;
    struct ws_error error;
};

static void tell(const char *line)
{
    ws_message("%s", line);
}

/* ---- the platform ---- */

static bool is_json(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '{';
}

static int write_nodes(struct work *w, const struct ws_node *node, const struct ws_link *link)
{
    uint32_t ranks = w->summary.ranks,
             cores = node->cores >= 1 && node->cores < 1e6 ? (uint32_t)node->cores : 1;
    struct ws_text platform = {0}, hosts = {0};
    int result;

    ws_platform_text(&platform, (ranks - 1) / cores + 1, cores, link);
    ws_platform_hosts(&hosts, ranks, cores);
    result = ws_file_write(w->platform, platform.bytes, platform.length, &w->error);
    if (result == 0)
        result = ws_file_write(w->hosts, hosts.bytes, hosts.length, &w->error);
    w->has_hosts = true;
    ws_text_free(&platform);
    ws_text_free(&hosts);
    return result;
}

/* As many such nodes as the ranks fill, with its network between them. */
static int describe_nodes(struct work *w)
{
    struct ws_node node;
    int result = ws_node_read(w->choices->platform, &node, &w->error);
    struct ws_link link = {node.network_latency_s, node.network_bandwidth_Bps, NULL, NULL,
                           node.network_point_count};
    double *points = result == 0 ? ws_arena_alloc(&node.arena, (2 * link.count + 1) * sizeof *points) : NULL;

    for (size_t i = 0; points && i < link.count; i++) {
        points[i] = node.network_points[i].size_bytes;
        points[link.count + i] = node.network_points[i].time_s;
    }
    link.sizes_bytes = points;
    link.times_s = points ? points + link.count : NULL;
    if (result == 0 && !(link.latency_s > 0 && link.bandwidth_Bps > 0))
        result = ws_fail(&w->error, WS_BAD_INPUT,
                         "%s: it tells no network: latency_s and bandwidth_Bps in \"network\" are needed "
                         "(whyslow probe measures them "
                         "where there is an MPI)",
                         w->choices->platform);
    if (result == 0)
        result = write_nodes(w, &node, &link);
    ws_node_free(&node);
    return result;
}

static int find_platform(struct work *w)
{
    char *text = ws_file_read(w->choices->platform, (size_t)256 << 20, NULL, &w->error);
    bool json = text && is_json(text);

    free(text);
    if (!text)
        return -1;
    if (json)
        return describe_nodes(w);
    snprintf(w->platform, sizeof w->platform, "%s", w->choices->platform);
    return 0;
}

/* ---- the replay ---- */

static int find_program(struct work *w)
{
    struct ws_platform *simulator = ws_alloc(sizeof *simulator);
    int result = ws_mpi_installed("simgrid", simulator, &w->error);

    if (result == 0)
        result = ws_replay_program(simulator, w->program, sizeof w->program, w->choices->quiet ? NULL : tell,
                                   &w->error);
    free(simulator);
    return result;
}

static int replay(struct work *w)
{
    const struct ws_predict_run_choices *choices = w->choices;
    char ranks[16];
    const char *command[16] = {"smpirun", "-np", ranks, "-platform", w->platform};
    const struct ws_limits limits = {0};
    int program_code, code;
    size_t count = 5;

    snprintf(ranks, sizeof ranks, "%u", w->summary.ranks);
    if (choices->hosts || w->has_hosts) {
        command[count++] = "-hostfile";
        command[count++] = choices->hosts ? choices->hosts : w->hosts;
    }
    command[count++] = "--cfg=smpi/simulate-computation:no";
    command[count++] = "--log=root.thres:error";
    command[count++] = w->program;
    command[count++] = w->script;
    code = ws_cmd_launch(choices->output, (char *const *)command, &w->kb, true, &limits, NULL, &program_code);
    if (code == 0 && program_code == 0)
        return 0;
    if (program_code > 0)
        ws_message("the replay ended with exit code %d; what SimGrid says of it stands above", program_code);
    return code ? code : WS_BAD_INPUT;
}

/* The trace of the replay becomes that of the program: its places, and what it was. */
static int claim_trace(struct work *w)
{
    const char *output = w->choices->output;
    struct ws_run run;
    const char **notes;
    int result = ws_places_write(&w->places, output, &w->error);

    if (result != 0 || (result = ws_run_read(output, &run, &w->error)) != 0)
        return result;
    notes = ws_arena_alloc(&run.arena, (w->summary.note_count + 1) * sizeof *notes);
    notes[0] = ws_arena_printf(&run.arena, "this is a prediction: the run in %s replayed on %s",
                               w->choices->directory, w->choices->platform);
    for (size_t i = 0; i < w->summary.note_count; i++)
        notes[i + 1] = w->summary.notes[i];
    run.notes = notes;
    run.note_count = w->summary.note_count + 1;
    run.command = ws_arena_printf(&run.arena, "whyslow predict %s --platform %s", w->choices->directory,
                                  w->choices->platform);
    result = ws_run_write(output, &run, &w->error);
    ws_run_free(&run);
    return result;
}

/* ---- what comes out ---- */

static void print_text(const struct work *w, const struct ws_diagnosis *diagnosis)
{
    const struct ws_script_summary *summary = &w->summary;
    char predicted[32], recorded[32];

    printf("Predicted for %s: %s (recorded: %s, %u ranks)\n\n", w->choices->platform,
           ws_format_ns((int64_t)(diagnosis->wall_s * 1e9), predicted),
           ws_format_ns(summary->wall_ns, recorded), summary->ranks);
}

static json_t *diagnosis_json(const struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    json_t *root = NULL;

    if (out && ws_report_write(diagnosis, "json", out, error) == 0 && fflush(out) == 0)
        root = json_loadb(bytes, length, 0, NULL);
    if (out)
        fclose(out);
    free(bytes);
    return root;
}

static int print_json(const struct work *w, const struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    const struct ws_script_summary *summary = &w->summary;
    json_t *root = json_object(), *notes = json_array(), *report = diagnosis_json(diagnosis, error);

    for (size_t i = 0; i < summary->note_count; i++)
        json_array_append_new(notes, json_string(summary->notes[i]));
    json_object_set_new(root, "wall_s", json_real(diagnosis->wall_s));
    json_object_set_new(root, "recorded_wall_s", json_real((double)summary->wall_ns * 1e-9));
    json_object_set_new(root, "recorded_compute_s", json_real((double)summary->compute_ns * 1e-9));
    json_object_set_new(root, "recorded_opaque_s", json_real((double)summary->opaque_ns * 1e-9));
    json_object_set_new(root, "ranks", json_integer(summary->ranks));
    json_object_set_new(root, "operations", json_integer((json_int_t)summary->operations));
    json_object_set_new(root, "platform", json_string(w->choices->platform));
    json_object_set_new(root, "compute_factor", json_real(w->choices->factors[0]));
    json_object_set_new(root, "trace", json_string(w->choices->output));
    json_object_set_new(root, "notes", notes);
    if (report)
        json_object_set_new(root, "diagnosis", report);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(root);
    return report ? WS_DONE : ws_complain(error);
}

static int print_outcome(struct work *w)
{
    struct ws_report_choices choices = {.threshold_percent = w->choices->threshold_percent};
    struct ws_diagnosis diagnosis = {0};
    struct ws_error error = {0};
    int code = ws_cmd_diagnose_trace(w->choices->output, &w->kb, &choices, &diagnosis);

    if (code != 0)
        return code;
    if (w->choices->json) {
        code = print_json(w, &diagnosis, &error);
    } else {
        print_text(w, &diagnosis);
        if (ws_report_write(&diagnosis, "text", stdout, &error) != 0)
            code = ws_complain(&error);
    }
    ws_diagnosis_free(&diagnosis);
    return code;
}

/* ---- all together ---- */

static int write_script(struct work *w, const char *directory)
{
    const struct ws_predict_run_choices *choices = w->choices;

    return ws_script_write(directory, &w->kb, choices->factors, choices->factor_count, w->script, w->program,
                           &w->places, &w->summary, &w->error);
}

static int predict(struct work *w, const char *directory)
{
    int code;

    if (find_program(w) != 0 || write_script(w, directory) != 0 || find_platform(w) != 0)
        return ws_complain(&w->error);
    code = replay(w);
    if (code == 0 && claim_trace(w) != 0)
        code = ws_complain(&w->error);
    return code ? code : print_outcome(w);
}

int ws_cmd_predict_run(const struct ws_predict_run_choices *choices)
{
    struct work *w = ws_alloc(sizeof *w);
    struct ws_named_trace trace = {0};
    int code;

    w->choices = choices;
    code = ws_cmd_load_for_trace(&w->kb, choices->kb, choices->directory);
    if (code != 0) {
        free(w);
        return code;
    }
    snprintf(w->folder, sizeof w->folder, "%s/whyslow-predict-XXXXXX", ws_temporary_folder());
    if (!ws_is_mpi(&w->kb.about)) {
        ws_message("%s: a run of %s; only runs of MPI programs can be replayed", choices->directory,
                   w->kb.about.title);
        code = WS_BAD_INPUT;
    } else if (!mkdtemp(w->folder)) {
        ws_message("%s: cannot create folder: %s", w->folder, strerror(errno));
        code = WS_ENVIRONMENT;
    } else {
        snprintf(w->script, sizeof w->script, "%s/script", w->folder);
        snprintf(w->platform, sizeof w->platform, "%s/platform.xml", w->folder);
        snprintf(w->hosts, sizeof w->hosts, "%s/hosts", w->folder);
        code = ws_cmd_trace_open(&trace, choices->directory, &w->kb);
        if (code == 0)
            code = predict(w, trace.directory);
        ws_cmd_trace_close(&trace);
        ws_remove_all(w->folder);
    }
    ws_script_free(&w->summary);
    ws_text_free(&w->places);
    ws_kb_free(&w->kb);
    free(w);
    return code;
}
