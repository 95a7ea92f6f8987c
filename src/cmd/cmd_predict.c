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

static int predict(struct choices *choices)
{
    struct ws_prediction prediction = {0};
    struct ws_error error;
    char kernels[PATH_MAX];
    int code = WS_DONE;

    if (ws_data_folder(kernels, sizeof kernels - sizeof "/predict/kernels.json", &error) != 0)
        return ws_complain(&error);
    strcat(kernels, "/predict/kernels.json");
    choices->request.kernels = choices->kernels ? choices->kernels : kernels;
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

int ws_cmd_predict(int argc, char **argv)
{
    struct choices choices = {.model = "default", .coverage_percent = 90};
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
    };
    const struct ws_usage usage = {
        .name = "predict",
        .line = "estimate how long a program takes on another node, or for another input",
        .synopsis = "[options] --reference NODE --target NODE PROGRAM...",
        .about =
            "PROGRAM is a file that 'whyslow profile' wrote on the reference node, NODE one of 'whyslow "
            "probe'. "
            "The estimate is of CPU seconds, with the interval that holds the true time as often as "
            "--coverage "
            "says, judged by how well each calibration kernel is told from the others. Beside it stand what "
            "simpler guesses say: the ratio of the clocks, and one factor for all programs.\n\n"
            "A program that does what no kernel does is told as such, or refused (exit code 3). Nodes that "
            "ran "
            "no kernels are compared by their characteristics alone, within a factor of two.",
        .examples =
            "whyslow predict -r here.json -t there.json product.json\n"
            "whyslow predict -r here.json -t there.json --size 4000 --anchor 500=1.25 product.json\n"
            "whyslow predict -r here.json -t a.json -t b.json --json *.program.json > estimates.json\n"
            "whyslow predict -r here.json -t there.json --model paper product.json",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = -1,
        .argument = "a file that 'whyslow profile' wrote",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0) {
        choices.request.programs = (const char *const *)argv + first;
        choices.request.program_count = (size_t)(argc - first);
        code = take(&usage, &choices);
        if (code == 0)
            code = predict(&choices);
    }
    free((void *)choices.request.sizes);
    free(choices.targets.items);
    free(choices.sizes.items);
    return code;
}
