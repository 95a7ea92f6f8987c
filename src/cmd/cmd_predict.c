#include "cmd/cmd.h"

#include "predict/predict.h"
#include "util/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choices {
    struct ws_prediction_request request;
    struct ws_list targets, sizes;
    const char *model, *anchor, *kernels;
    double request_s, coverage_percent;
    bool json, explain;
    /* of a run that is replayed */
    struct ws_predict_run_choices run;
    double factor; /* of its computation; 0: by the nodes */
    struct ws_list kb;
};

/* A number > 0 up to `end`; false where it is none. */
static bool positive(const char *text, char end, double *number, const char **rest)
{
    char *after;

    errno = 0;
    *number = strtod(text, &after);
    *rest = after;
    return after != text && *after == end && isfinite(*number) && *number > 0 && errno == 0;
}

static int take_model(const struct ws_usage *usage, struct choices *choices)
{
    static const char *const names[] = {[WS_MODEL_DEFAULT] = "default", [WS_MODEL_PAPER] = "paper"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(choices->model, names[i]) == 0) {
            choices->request.options.model = (enum ws_model)i;
            return 0;
        }
    return ws_usage_mistake(usage, "--model %s: there are default and paper", choices->model);
}

static int take_sizes(const struct ws_usage *usage, struct choices *choices)
{
    double *sizes = ws_alloc_array(choices->sizes.count + 1, sizeof *sizes);
    const char *rest;

    choices->request.sizes = sizes;
    choices->request.size_count = choices->sizes.count;
    for (size_t i = 0; i < choices->sizes.count; i++)
        if (!positive(choices->sizes.items[i], '\0', &sizes[i], &rest))
            return ws_usage_mistake(usage, "--size %s: a number greater than 0 is wanted",
                                    choices->sizes.items[i]);
    return 0;
}

static int take_anchor(const struct ws_usage *usage, struct choices *choices)
{
    struct ws_estimate_options *options = &choices->request.options;
    const char *rest;

    if (!choices->anchor)
        return 0;
    if (!positive(choices->anchor, '=', &options->anchor_size, &rest) ||
        !positive(rest + 1, '\0', &options->anchor_s, &rest))
        return ws_usage_mistake(usage, "--anchor %s: SIZE=SECONDS is wanted, as 500=1.25", choices->anchor);
    if (choices->targets.count > 1 || choices->request.program_count > 1)
        return ws_usage_mistake(usage, "--anchor is a run of one program on one target");
    return 0;
}

static int take(const struct ws_usage *usage, struct choices *choices)
{
    struct ws_prediction_request *request = &choices->request;

    if (!request->reference)
        return ws_usage_mistake(usage, "--reference is missing: the node that the program was profiled on");
    if (!choices->targets.count)
        return ws_usage_mistake(usage, "--target is missing: the node that is asked for");
    if (!(choices->coverage_percent >= 50 && choices->coverage_percent <= 99))
        return ws_usage_mistake(usage, "--coverage %g: from 50 to 99 percent", choices->coverage_percent);
    request->options.coverage = choices->coverage_percent / 100;
    request->options.request_s = choices->request_s;
    request->targets = choices->targets.items;
    request->target_count = choices->targets.count;
    if (take_model(usage, choices) != 0 || take_sizes(usage, choices) != 0 ||
        take_anchor(usage, choices) != 0)
        return WS_USAGE;
    return 0;
}

/* What the calibration kernels do: the file asked for, or Whyslow's own, whose path goes into `path`. */
static int find_kernels(struct choices *choices, char path[PATH_MAX], struct ws_error *error)
{
    if (ws_data_folder(path, PATH_MAX - sizeof "/predict/kernels.json", error) != 0)
        return -1;
    strcat(path, "/predict/kernels.json");
    choices->request.kernels = choices->kernels ? choices->kernels : path;
    return 0;
}

static int predict(struct choices *choices)
{
    struct ws_prediction prediction = {0};
    struct ws_error error;
    char kernels[PATH_MAX];
    int code = WS_DONE;

    if (find_kernels(choices, kernels, &error) != 0)
        return ws_complain(&error);
    if (ws_predict(&choices->request, &prediction, &error) != 0) {
        code = ws_complain(&error);
    } else {
        if (choices->json)
            ws_prediction_write_json(&prediction, stdout);
        else
            ws_prediction_write_text(&prediction, choices->explain, stdout);
        if (ws_prediction_refused(&prediction))
            code = WS_BAD_INPUT;
    }
    ws_prediction_free(&prediction);
    return code;
}

/* ---- a run that is replayed ---- */

/* How many times as long the target takes for the programs profiled, or for the calibration kernels, or by the clocks. */
static int factor_of(const struct ws_prediction *prediction, double *factor)
{
    double target_s = 0, reference_s = 0;

    for (size_t i = 0; i < prediction->count; i++)
        if (!prediction->estimates[i].refusal && prediction->estimates[i].reference_s > 0) {
            target_s += prediction->estimates[i].estimate_s;
            reference_s += prediction->estimates[i].reference_s;
        }
    if (prediction->count && !(target_s > 0 && reference_s > 0)) {
        ws_message("the model refuses an estimate for the program; say --compute-factor");
        return WS_BAD_INPUT;
    }
    *factor = prediction->count                                    ? target_s / reference_s
              : prediction->pairs[0].kernel_count >= WS_LEAST_KERNELS ? prediction->pairs[0].node_factor
              : prediction->reference.characteristics[WS_CLOCK] / prediction->targets[0].characteristics[WS_CLOCK];
    return 0;
}

static int find_factor(const struct ws_usage *usage, struct choices *choices, double *factor)
{
    struct ws_prediction prediction = {0};
    struct ws_error error;
    char kernels[PATH_MAX];
    int code = 0;

    *factor = choices->factor > 0 ? choices->factor : 1;
    if (choices->factor > 0 || (!choices->request.reference && !choices->targets.count))
        return 0;
    if (choices->targets.count > 1)
        return ws_usage_mistake(usage, "--platform goes with one --target: the node that the platform is made of");
    if ((code = take(usage, choices)) != 0)
        return code;
    if (find_kernels(choices, kernels, &error) != 0)
        return ws_complain(&error);
    code = ws_predict(&choices->request, &prediction, &error) == 0 ? factor_of(&prediction, factor) : ws_complain(&error);
    ws_prediction_free(&prediction);
    return code;
}

static int predict_run(const struct ws_usage *usage, struct choices *choices, const char *directory)
{
    double factor;
    int code = find_factor(usage, choices, &factor);

    if (code != 0)
        return code;
    choices->run.directory = directory;
    choices->run.factors = &factor;
    choices->run.factor_count = 1;
    choices->run.kb = &choices->kb;
    choices->run.json = choices->json;
    return ws_cmd_predict_run(&choices->run);
}

int ws_cmd_predict(int argc, char **argv)
{
    struct choices choices = {.model = "default",
                              .coverage_percent = 90,
                              .run = {.output = "whyslow-predicted", .threshold_percent = -1}};
    const struct ws_option options[] = {
        {"reference", 'r', WS_OPTION_TEXT, &choices.request.reference, "NODE",
         "the node that the programs were profiled on: a file of 'whyslow probe'"},
        {"target", 't', WS_OPTION_LIST, &choices.targets, "NODE",
         "the node that is asked for; may be repeated. A file with nothing but the twelve characteristics, "
         "from a "
         "data sheet, will do"},
        {"size", 's', WS_OPTION_LIST, &choices.sizes, "X",
         "estimate this size of the input, measured or not; may be repeated (default: all that were "
         "measured)"},
        {"model", 0, WS_OPTION_TEXT, &choices.model, "MODEL",
         "default: costs fitted to the calibration kernels of both nodes; paper: the methodology of "
         "Feoktistov and "
         "Basharina (2018), equations as printed"},
        {"anchor", 0, WS_OPTION_TEXT, &choices.anchor, "SIZE=SECONDS",
         "what a run of this size took on the target (CPU seconds): a short run there makes all estimates of "
         "the "
         "program better"},
        {"request", 0, WS_OPTION_NUMBER, &choices.request_s, "SECONDS",
         "what the user asked of the scheduler, shown beside the estimate"},
        {"coverage", 0, WS_OPTION_PERCENT, &choices.coverage_percent, "PERCENT",
         "how often the interval is to hold the true time (default: 90)"},
        {"kernels", 0, WS_OPTION_TEXT, &choices.kernels, "FILE",
         "what the calibration kernels do (default: Whyslow's own)"},
        {"explain", 0, WS_OPTION_FLAG, &choices.explain, NULL,
         "tell also what each kind of work costs on both nodes"},
        {"json", 0, WS_OPTION_FLAG, &choices.json, NULL, "write the estimates as JSON, for programs"},
        {"platform", 'p', WS_OPTION_TEXT, &choices.run.platform, "FILE",
         "replay the MPI run in DIR on this platform: a file of SimGrid (XML), or NODE.json with a network"},
        {"hostfile", 0, WS_OPTION_TEXT, &choices.run.hosts, "FILE",
         "of a replay: the hosts of the ranks, one a line (default: those of the platform, in order)"},
        {"compute-factor", 0, WS_OPTION_NUMBER, &choices.factor, "X",
         "of a replay: computation takes so many times as long there (default: by --reference and --target, else 1)"},
        {"output", 'o', WS_OPTION_FOLDER, &choices.run.output, "DIR",
         "of a replay: the folder of its trace (default: whyslow-predicted)"},
        {"threshold", 0, WS_OPTION_PERCENT, &choices.run.threshold_percent, "PERCENT",
         "of a replay: tell problems that cost at least this share of the ranks' time (default: 1)"},
        {"quiet", 'q', WS_OPTION_FLAG, &choices.run.quiet, NULL, "tell nothing but warnings"},
        WS_KB_OPTION(&choices.kb),
    };
    const struct ws_usage usage = {
        .name = "predict",
        .line = "estimate how long a program takes on another node, or for another input",
        .synopsis = "[options] --reference NODE --target NODE PROGRAM...\n"
                    "[options] --platform FILE [--reference NODE --target NODE] DIR [PROGRAM...]",
        .about =
            "PROGRAM is a file that 'whyslow profile' wrote on the reference node, NODE one of 'whyslow "
            "probe'. "
            "The estimate is of CPU seconds, with the interval that holds the true time as often as "
            "--coverage "
            "says, judged by how well each calibration kernel is told from the others. Beside it stand what "
            "simpler guesses say: the ratio of the clocks, and one factor for all programs.\n\n"
            "A program that does what no kernel does is told as such, or refused (exit code 3). Nodes that "
            "ran "
            "no kernels are compared by their characteristics alone, within a factor of two.\n\n"
            "With --platform an MPI run that was recorded in DIR is replayed under SimGrid: its computation as recorded, "
            "times a factor (the model's for PROGRAM, else that of the nodes, else 1), its messages and collective "
            "operations as the platform's network takes them. The replay is recorded: the report is an ordinary one, "
            "with the program's own lines, and its trace is diagnosed, compared and exported like any other.",
        .examples =
            "whyslow predict -r here.json -t there.json product.json\n"
            "whyslow predict -r here.json -t there.json --size 4000 --anchor 500=1.25 product.json\n"
            "whyslow predict -r here.json -t a.json -t b.json --json *.program.json > estimates.json\n"
            "whyslow predict -r here.json -t there.json --model paper product.json\n"
            "whyslow predict --platform cluster.xml whyslow-out\n"
            "whyslow predict --platform cluster.xml -r here.json -t there.json -o there whyslow-out app.json",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = -1,
        .argument = "a file that 'whyslow profile' wrote, or with --platform a trace folder",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0) {
        bool replays = choices.run.platform != NULL;
        choices.request.programs = (const char *const *)argv + first + replays;
        choices.request.program_count = (size_t)(argc - first - replays);
        code = replays ? predict_run(&usage, &choices, argv[first]) : take(&usage, &choices);
        if (code == 0 && !replays)
            code = predict(&choices);
    }
    free(choices.kb.items);
    free((void *)choices.request.sizes);
    free(choices.targets.items);
    free(choices.sizes.items);
    return code;
}
