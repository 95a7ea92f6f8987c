/* Estimates for programs; docs/prediction.md describes the keys. */
#include "predict/predict.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* A number that is not known is null. */
static json_t *known(double number)
{
    return number > 0 ? ws_fields_real(number) : json_null();
}

static json_t *shares_tree(const struct ws_estimate *estimate)
{
    json_t *shares = json_object();

    for (size_t i = 0; i < estimate->share_count; i++)
        json_object_set_new(shares, estimate->shares[i].name, ws_fields_real(estimate->shares[i].share));
    return shares;
}

static json_t *baselines_tree(const struct ws_estimate *estimate)
{
    json_t *baselines = json_object();

    json_object_set_new(baselines, "clock_ratio_s", known(estimate->clock_ratio_s));
    json_object_set_new(baselines, "node_factor_s", known(estimate->node_factor_s));
    json_object_set_new(baselines, "power_law_s", known(estimate->power_law_s));
    json_object_set_new(baselines, "request_s", known(estimate->request_s));
    return baselines;
}

static json_t *size_tree(const struct ws_estimate *estimate)
{
    json_t *followed = json_object();

    if (!estimate->size_form) {
        json_decref(followed);
        return json_null();
    }
    json_object_set_new(followed, "form", json_string(estimate->size_form));
    json_object_set_new(followed, "by_counts", json_boolean(estimate->by_counts));
    json_object_set_new(followed, "extrapolated", json_boolean(estimate->extrapolated));
    json_object_set_new(followed, "left_out_error", ws_fields_real(estimate->size_error));
    return followed;
}

static json_t *estimate_tree(const struct ws_estimate *estimate)
{
    json_t *tree = json_object(), *warnings = json_array();
    bool given = !estimate->refusal;

    json_object_set_new(tree, "program", ws_fields_string(estimate->program));
    json_object_set_new(tree, "node", ws_fields_string(estimate->target));
    json_object_set_new(tree, "reference", ws_fields_string(estimate->reference));
    json_object_set_new(tree, "size", known(estimate->size));
    json_object_set_new(tree, "estimate_s", given ? known(estimate->estimate_s) : json_null());
    json_object_set_new(tree, "low_s", given ? known(estimate->low_s) : json_null());
    json_object_set_new(tree, "high_s", given ? known(estimate->high_s) : json_null());
    json_object_set_new(tree, "coverage", known(estimate->coverage));
    json_object_set_new(tree, "model", estimate->model ? json_string(estimate->model) : json_null());
    json_object_set_new(tree, "refusal", given ? json_null() : json_string(estimate->refusal));
    json_object_set_new(tree, "reference_s", known(estimate->reference_s));
    json_object_set_new(tree, "exponent", ws_fields_real(estimate->exponent));
    json_object_set_new(tree, "correction", known(estimate->correction));
    json_object_set_new(tree, "anchor_factor", ws_fields_real(estimate->anchor_factor));
    json_object_set_new(tree, "outside", ws_fields_real(estimate->outside));
    json_object_set_new(tree, "shares", shares_tree(estimate));
    json_object_set_new(tree, "baselines", baselines_tree(estimate));
    json_object_set_new(tree, "size_followed", size_tree(estimate));
    for (size_t i = 0; i < estimate->warning_count; i++)
        json_array_append_new(warnings, ws_fields_string(estimate->warnings[i]));
    json_object_set_new(tree, "warnings", warnings);
    return tree;
}

static json_t *costs_tree(const struct ws_side *side)
{
    json_t *costs = json_object();

    for (size_t j = 0; j < WS_COLUMNS; j++)
        json_object_set_new(costs, ws_column_names[j], ws_fields_real(side->costs[j]));
    return costs;
}

static json_t *pair_tree(const struct ws_pair *pair)
{
    json_t *tree = json_object();

    json_object_set_new(tree, "reference", ws_fields_string(pair->reference.node->name));
    json_object_set_new(tree, "target", ws_fields_string(pair->target.node->name));
    json_object_set_new(tree, "kernels", json_integer((json_int_t)pair->kernel_count));
    if (pair->kernel_count < WS_LEAST_KERNELS)
        return tree;
    json_object_set_new(tree, "exponent", ws_fields_real(pair->exponent));
    json_object_set_new(tree, "detail", ws_fields_real(pair->detail));
    json_object_set_new(tree, "prior", ws_fields_real(pair->prior));
    json_object_set_new(tree, "node_factor", ws_fields_real(pair->node_factor));
    json_object_set_new(tree, "left_out_error", ws_fields_real(pair->error));
    json_object_set_new(tree, "half_width", ws_fields_real(pair->half_width));
    json_object_set_new(tree, "node_factor_error", ws_fields_real(pair->factor_error));
    json_object_set_new(tree, "node_factor_half_width", ws_fields_real(pair->factor_half_width));
    json_object_set_new(tree, "reference_costs", costs_tree(&pair->reference));
    json_object_set_new(tree, "target_costs", costs_tree(&pair->target));
    return tree;
}

void ws_prediction_write_json(const struct ws_prediction *prediction, FILE *out)
{
    json_t *root = json_object(), *estimates = json_array(), *pairs = json_array();

    json_object_set_new(root, "format", json_integer(1));
    for (size_t i = 0; i < prediction->count; i++)
        json_array_append_new(estimates, estimate_tree(&prediction->estimates[i]));
    for (size_t i = 0; i < prediction->target_count; i++)
        json_array_append_new(pairs, pair_tree(&prediction->pairs[i]));
    json_object_set_new(root, "estimates", estimates);
    json_object_set_new(root, "nodes", pairs);
    json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(root);
}
