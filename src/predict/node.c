#include "predict/node.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const probe = "whyslow probe";

/* ---- the twelve characteristics ---- */

const char *const ws_characteristic_keys[WS_CHARACTERISTICS] = {
    [WS_CLOCK] = "clock_Hz",
    [WS_INTEGER_OPS] = "integer_ops_per_s",
    [WS_FLOAT_OPS] = "float_ops_per_s",
    [WS_L1_BANDWIDTH] = "l1_bandwidth_Bps",
    [WS_L1_LATENCY] = "l1_latency_s",
    [WS_L2_BANDWIDTH] = "l2_bandwidth_Bps",
    [WS_L2_LATENCY] = "l2_latency_s",
    [WS_MEMORY_BANDWIDTH] = "memory_bandwidth_Bps",
    [WS_MEMORY_LATENCY] = "memory_latency_s",
    [WS_DISK_SEEK] = "disk_seek_s",
    [WS_DISK_READ] = "disk_read_Bps",
    [WS_DISK_WRITE] = "disk_write_Bps",
};

/* A unit in which data sheets give such a quantity. */
struct unit {
    const char *name;
    double factor; /* to SI */
};

/* What a quantity can be on any machine, emulated ones and those of thirty years ago included, and in which
 * other unit a number beyond that was perhaps given. */
struct quantity {
    const char *unit;
    double least, most;
    struct unit others[4];
};

static const struct quantity frequency = {"Hz", 1e6, 2e10, {{"GHz", 1e9}, {"MHz", 1e6}}};
static const struct quantity operations = {
    "operations per second", 1e5, 1e14, {{"Gops/s", 1e9}, {"Mops/s", 1e6}}};
static const struct quantity latency = {"seconds", 1e-11, 1e-4, {{"ns", 1e-9}, {"us", 1e-6}}};
static const struct quantity bandwidth = {"bytes per second", 1e6, 1e15, {{"GB/s", 1e9}, {"MB/s", 1e6}}};
static const struct quantity seek = {"seconds", 1e-8, 1, {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
static const struct quantity disk_rate = {"bytes per second", 1e4, 1e13, {{"MB/s", 1e6}, {"GB/s", 1e9}}};

static const struct quantity *const quantities[WS_CHARACTERISTICS] = {
    [WS_CLOCK] = &frequency,        [WS_INTEGER_OPS] = &operations,     [WS_FLOAT_OPS] = &operations,
    [WS_L1_BANDWIDTH] = &bandwidth, [WS_L1_LATENCY] = &latency,         [WS_L2_BANDWIDTH] = &bandwidth,
    [WS_L2_LATENCY] = &latency,     [WS_MEMORY_BANDWIDTH] = &bandwidth, [WS_MEMORY_LATENCY] = &latency,
    [WS_DISK_SEEK] = &seek,         [WS_DISK_READ] = &disk_rate,        [WS_DISK_WRITE] = &disk_rate,
};

static bool possible(const struct quantity *quantity, double number)
{
    return number >= quantity->least && number <= quantity->most;
}

static int check_quantity(const char *path, const char *key, const struct quantity *quantity, double number,
                          struct ws_error *error)
{
    if (possible(quantity, number))
        return 0;
    if (!(number > 0))
        return ws_fail(error, WS_BAD_INPUT,
                       "%s: characteristics.%s: %g is no possible value; it must be greater than zero, in %s",
                       path, key, number, quantity->unit);
    for (const struct unit *other = quantity->others; other->name; other++)
        if (possible(quantity, number * other->factor))
            return ws_fail(
                error, WS_BAD_INPUT,
                "%s: characteristics.%s: %g is no possible value in %s; were %s meant? Then write %g", path,
                key, number, quantity->unit, other->name, number * other->factor);
    return ws_fail(
        error, WS_BAD_INPUT,
        "%s: characteristics.%s: %g is no possible value in %s: from %g to %g are; measure it with '%s', or "
        "look into the data sheet",
        path, key, number, quantity->unit, quantity->least, quantity->most, probe);
}

static int check_characteristics(const char *path, const double *characteristics, struct ws_error *error)
{
    for (size_t i = 0; i < WS_CHARACTERISTICS; i++)
        if (check_quantity(path, ws_characteristic_keys[i], quantities[i], characteristics[i], error) != 0)
            return -1;
    return 0;
}

static int take_characteristics(const struct ws_fields *fields, const json_t *root, double *characteristics)
{
    const json_t *part;

    if (ws_fields_part(fields, root, "", "characteristics", &part) != 0)
        return -1;
    if (!part)
        return ws_fields_wanted(fields, "", "characteristics", "an object", part);
    for (size_t i = 0; i < WS_CHARACTERISTICS; i++) {
        const char *key = ws_characteristic_keys[i];
        if (!json_object_get(part, key) || json_is_null(json_object_get(part, key)))
            return ws_fail(
                fields->error, WS_BAD_INPUT,
                "%s: characteristics.%s is missing (in %s); measure it with '%s', or look into the data "
                "sheet",
                fields->path, key, quantities[i]->unit, probe);
        if (ws_fields_number(fields, part, "characteristics.", key, -DBL_MAX, DBL_MAX, &characteristics[i]) !=
            0)
            return -1;
    }
    return check_characteristics(fields->path, characteristics, fields->error);
}

/* ---- topology ---- */

static int take_caches(const struct ws_fields *fields, const json_t *topology, struct ws_node *node)
{
    const json_t *list;

    if (ws_fields_list(fields, topology, "topology.", "caches", &list, &node->cache_count) != 0)
        return -1;
    node->caches = ws_arena_alloc(fields->arena, (node->cache_count + 1) * sizeof *node->caches);
    for (size_t i = 0; i < node->cache_count; i++) {
        const json_t *entry = json_array_get(list, i);
        struct ws_cache_level *cache = &node->caches[i];
        double level = 0;
        char at[64];
        snprintf(at, sizeof at, "topology.caches[%zu].", i);
        if (ws_fields_need_number(fields, entry, at, "level", 1, 9, &level) != 0 ||
            ws_fields_need_number(fields, entry, at, "size_bytes", 64, 1e12, &cache->size_bytes) != 0 ||
            ws_fields_number(fields, entry, at, "line_bytes", 0, 65536, &cache->line_bytes) != 0 ||
            ws_fields_number(fields, entry, at, "shared_by", 0, 1e6, &cache->shared_by) != 0)
            return -1;
        cache->level = (unsigned)level;
        if (i && (level <= cache[-1].level || cache->size_bytes < cache[-1].size_bytes))
            return ws_fail(
                fields->error, WS_BAD_INPUT,
                "%s: topology.caches[%zu]: level %g with %g bytes comes after level %u with %g; put the "
                "data caches in their order, from the first level on",
                fields->path, i, level, cache->size_bytes, cache[-1].level, cache[-1].size_bytes);
    }
    return 0;
}

static int take_topology(const struct ws_fields *fields, const json_t *root, struct ws_node *node)
{
    const json_t *topology;

    if (ws_fields_part(fields, root, "", "topology", &topology) != 0 ||
        ws_fields_number(fields, topology, "topology.", "cores", 0, 1e6, &node->cores) != 0 ||
        ws_fields_number(fields, topology, "topology.", "memory_bytes", 0, 1e18, &node->memory_bytes) != 0)
        return -1;
    return take_caches(fields, topology, node);
}

/* ---- what was measured ---- */

static int take_ladder(const struct ws_fields *fields, const json_t *root, struct ws_node *node)
{
    const json_t *list;

    if (ws_fields_list(fields, root, "", "ladder", &list, &node->ladder_count) != 0)
        return -1;
    node->ladder = ws_arena_alloc(fields->arena, (node->ladder_count + 1) * sizeof *node->ladder);
    for (size_t i = 0; i < node->ladder_count; i++) {
        const json_t *entry = json_array_get(list, i);
        struct ws_ladder_step *step = &node->ladder[i];
        const char *pages = "small";
        char at[64];
        snprintf(at, sizeof at, "ladder[%zu].", i);
        if (ws_fields_need_number(fields, entry, at, "size_bytes", 64, 1e15, &step->size_bytes) != 0 ||
            ws_fields_need_number(fields, entry, at, "latency_s", 1e-12, 1e-2, &step->latency_s) != 0 ||
            ws_fields_need_number(fields, entry, at, "bandwidth_Bps", 1e4, 1e15, &step->bandwidth_Bps) != 0 ||
            ws_fields_number(fields, entry, at, "spread", 0, 1e6, &step->spread) != 0 ||
            ws_fields_text(fields, entry, at, "pages", &pages) != 0)
            return -1;
        step->huge_pages = strcmp(pages, "huge") == 0;
        if (!step->huge_pages && strcmp(pages, "small") != 0)
            return ws_fail(fields->error, WS_BAD_INPUT,
                           "%s: %spages: '%.40s' is neither \"small\" nor \"huge\"", fields->path, at, pages);
    }
    return 0;
}

static int take_points(const struct ws_fields *fields, const json_t *network, struct ws_node *node)
{
    const json_t *list;

    if (ws_fields_list(fields, network, "network.", "points", &list, &node->network_point_count) != 0)
        return -1;
    node->network_points =
        ws_arena_alloc(fields->arena, (node->network_point_count + 1) * sizeof *node->network_points);
    for (size_t i = 0; i < node->network_point_count; i++) {
        const json_t *entry = json_array_get(list, i);
        struct ws_network_point *point = &node->network_points[i];
        char at[64];
        snprintf(at, sizeof at, "network.points[%zu].", i);
        if (ws_fields_need_number(fields, entry, at, "size_bytes", 0, 1e15, &point->size_bytes) != 0 ||
            ws_fields_need_number(fields, entry, at, "time_s", 1e-12, 1e6, &point->time_s) != 0)
            return -1;
    }
    return 0;
}

static int take_network(const struct ws_fields *fields, const json_t *root, struct ws_node *node)
{
    const json_t *network;

    if (ws_fields_part(fields, root, "", "network", &network) != 0 ||
        ws_fields_text(fields, network, "network.", "kind", &node->network_kind) != 0 ||
        ws_fields_number(fields, network, "network.", "latency_s", 1e-12, 10, &node->network_latency_s) !=
            0 ||
        ws_fields_number(fields, network, "network.", "bandwidth_Bps", 1, 1e15,
                         &node->network_bandwidth_Bps) != 0)
        return -1;
    return take_points(fields, network, node);
}

static int take_kernels(const struct ws_fields *fields, const json_t *root, struct ws_node *node)
{
    const json_t *list;
    size_t count;

    if (ws_fields_list(fields, root, "", "kernels", &list, &count) != 0)
        return -1;
    node->kernels = ws_arena_alloc(fields->arena, (count + 1) * sizeof *node->kernels);
    for (; node->kernel_count < count; node->kernel_count++) {
        const json_t *entry = json_array_get(list, node->kernel_count);
        struct ws_kernel_time *kernel = &node->kernels[node->kernel_count];
        char at[64];
        snprintf(at, sizeof at, "kernels[%zu].", node->kernel_count);
        if (ws_fields_need_text(fields, entry, at, "name", &kernel->name) != 0 ||
            ws_fields_need_number(fields, entry, at, "time_s", 1e-9, 1e6, &kernel->time_s) != 0 ||
            ws_fields_number(fields, entry, at, "spread", 0, 1e6, &kernel->spread) != 0)
            return -1;
        if (ws_node_kernel(node, kernel->name))
            return ws_fail(fields->error, WS_BAD_INPUT, "%s: %sname: there are two kernels '%.60s'",
                           fields->path, at, kernel->name);
    }
    return 0;
}

static int take(const struct ws_fields *fields, const json_t *root, struct ws_node *node)
{
    if (ws_fields_need_text(fields, root, "", "name", &node->name) != 0 ||
        ws_fields_text(fields, root, "", "architecture", &node->architecture) != 0 ||
        ws_fields_text(fields, root, "", "measured", &node->measured) != 0 ||
        take_characteristics(fields, root, node->characteristics) != 0 ||
        take_topology(fields, root, node) != 0 ||
        ws_fields_named(fields, root, "", "throughput", &node->throughput) != 0 ||
        take_ladder(fields, root, node) != 0 || ws_fields_named(fields, root, "", "disk", &node->disk) != 0 ||
        take_network(fields, root, node) != 0 || take_kernels(fields, root, node) != 0 ||
        ws_fields_named(fields, root, "", "noise", &node->noise) != 0)
        return -1;
    return 0;
}

int ws_node_read(const char *path, struct ws_node *node, struct ws_error *error)
{
    const struct ws_fields fields = {path, &node->arena, error, probe};
    json_t *root;
    int result;

    memset(node, 0, sizeof *node);
    node->path = ws_arena_strdup(&node->arena, path);
    root = ws_fields_load(&fields, WS_NODE_KIND, WS_NODE_FORMAT);
    result = root ? take(&fields, root, node) : -1;
    json_decref(root);
    return result;
}

void ws_node_free(struct ws_node *node)
{
    ws_arena_free(&node->arena);
    memset(node, 0, sizeof *node);
}

const struct ws_kernel_time *ws_node_kernel(const struct ws_node *node, const char *name)
{
    for (size_t i = 0; i < node->kernel_count; i++)
        if (strcmp(node->kernels[i].name, name) == 0)
            return &node->kernels[i];
    return NULL;
}

/* ---- writing ---- */

static void set_known(json_t *object, const char *key, double number)
{
    if (number > 0 && isfinite(number))
        json_object_set_new(object, key, json_real(number));
}

static json_t *topology_tree(const struct ws_node *node)
{
    json_t *topology = json_object(), *caches = json_array();

    set_known(topology, "cores", node->cores);
    for (size_t i = 0; i < node->cache_count; i++) {
        const struct ws_cache_level *cache = &node->caches[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "level", json_integer(cache->level));
        set_known(entry, "size_bytes", cache->size_bytes);
        set_known(entry, "line_bytes", cache->line_bytes);
        set_known(entry, "shared_by", cache->shared_by);
        json_array_append_new(caches, entry);
    }
    json_object_set_new(topology, "caches", caches);
    set_known(topology, "memory_bytes", node->memory_bytes);
    return topology;
}

static json_t *ladder_tree(const struct ws_node *node)
{
    json_t *ladder = json_array();

    for (size_t i = 0; i < node->ladder_count; i++) {
        const struct ws_ladder_step *step = &node->ladder[i];
        json_t *entry = json_object();
        set_known(entry, "size_bytes", step->size_bytes);
        json_object_set_new(entry, "pages", json_string(step->huge_pages ? "huge" : "small"));
        set_known(entry, "latency_s", step->latency_s);
        set_known(entry, "bandwidth_Bps", step->bandwidth_Bps);
        json_object_set_new(entry, "spread", ws_fields_real(step->spread));
        json_array_append_new(ladder, entry);
    }
    return ladder;
}

static json_t *network_tree(const struct ws_node *node)
{
    json_t *network = json_object(), *points = json_array();

    json_object_set_new(network, "kind", ws_fields_string(node->network_kind));
    set_known(network, "latency_s", node->network_latency_s);
    set_known(network, "bandwidth_Bps", node->network_bandwidth_Bps);
    for (size_t i = 0; i < node->network_point_count; i++) {
        json_t *entry = json_object();
        json_object_set_new(entry, "size_bytes", ws_fields_real(node->network_points[i].size_bytes));
        set_known(entry, "time_s", node->network_points[i].time_s);
        json_array_append_new(points, entry);
    }
    json_object_set_new(network, "points", points);
    return network;
}

static json_t *kernels_tree(const struct ws_node *node)
{
    json_t *kernels = json_array();

    for (size_t i = 0; i < node->kernel_count; i++) {
        json_t *entry = json_object();
        json_object_set_new(entry, "name", ws_fields_string(node->kernels[i].name));
        set_known(entry, "time_s", node->kernels[i].time_s);
        json_object_set_new(entry, "spread", ws_fields_real(node->kernels[i].spread));
        json_array_append_new(kernels, entry);
    }
    return kernels;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text && text[0])
        json_object_set_new(object, key, ws_fields_string(text));
}

static json_t *tree(const struct ws_node *node)
{
    json_t *root = json_object(), *characteristics = json_object();

    json_object_set_new(root, "format", json_integer(WS_NODE_FORMAT));
    json_object_set_new(root, "kind", json_string(WS_NODE_KIND));
    set_text(root, "name", node->name);
    set_text(root, "architecture", node->architecture);
    set_text(root, "measured", node->measured);
    for (size_t i = 0; i < WS_CHARACTERISTICS; i++)
        json_object_set_new(characteristics, ws_characteristic_keys[i], json_real(node->characteristics[i]));
    json_object_set_new(root, "characteristics", characteristics);
    json_object_set_new(root, "topology", topology_tree(node));
    if (node->throughput.count)
        json_object_set_new(root, "throughput", ws_named_tree(&node->throughput));
    if (node->ladder_count)
        json_object_set_new(root, "ladder", ladder_tree(node));
    if (node->disk.count)
        json_object_set_new(root, "disk", ws_named_tree(&node->disk));
    if (node->network_kind && node->network_kind[0])
        json_object_set_new(root, "network", network_tree(node));
    if (node->kernel_count)
        json_object_set_new(root, "kernels", kernels_tree(node));
    if (node->noise.count)
        json_object_set_new(root, "noise", ws_named_tree(&node->noise));
    return root;
}

int ws_node_write(const struct ws_node *node, const char *path, struct ws_error *error)
{
    if (check_characteristics(path, node->characteristics, error) != 0)
        return -1;
    return ws_fields_save(path, tree(node), error);
}
