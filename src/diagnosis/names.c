#include "diagnosis/names.h"

#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t ws_names_string(struct ws_names *names, const char *string)
{
    if (!string)
        string = "";
    return ws_intern(&names->strings, string, strlen(string));
}

uint32_t ws_names_learn(struct ws_names *names, const char *string)
{
    size_t at = ws_names_memory(string);

    names->memory[at].number = ws_names_string(names, string);
    names->memory[at].string = string;
    return names->memory[at].number;
}

const char *ws_names_text(const struct ws_names *names, uint32_t string)
{
    return names->strings.items[string].bytes;
}

/* ---- call sites ---- */

static const struct ws_site *site_of_trace(void *trace, int64_t site)
{
    return ws_trace_site(trace, site);
}

struct ws_site_source ws_sites_of(struct ws_trace *trace)
{
    return (struct ws_site_source){site_of_trace, trace};
}

static struct ws_site lasting(struct ws_names *names, const struct ws_site *site)
{
    struct ws_arena *arena = &names->spot_names.arena;
    struct ws_site copy = *site;

    copy.function = ws_arena_strdup(arena, site->function);
    copy.file = ws_arena_strdup(arena, site->file);
    copy.module = ws_arena_strdup(arena, site->module);
    return copy;
}

static bool is_lesser(const struct ws_site *site, const struct ws_site *spot)
{
    int order = strcmp(site->module, spot->module);
    return order ? order < 0 : site->offset < spot->offset;
}

uint32_t ws_names_spot(struct ws_names *names, const struct ws_site *site)
{
    struct ws_text key = {0};
    uint32_t number;

    if (!site || (!site->file[0] && !site->module[0] && !site->function[0]))
        return 0;
    if (site->file[0])
        ws_text_printf(&key, "%s\n%d\n%s", site->file, site->line, site->function);
    else
        ws_text_printf(&key, "\n%s\n%" PRIx64, site->module, site->offset);
    number = ws_intern(&names->spot_names, key.bytes, key.length);
    ws_text_free(&key);
    if (number == names->spot_count) {
        WS_PUSH(names->spots, names->spot_count, names->spot_capacity) = lasting(names, site);
    } else if (is_lesser(site, &names->spots[number])) {
        names->spots[number] = lasting(names, site);
    }
    return number;
}

static uint32_t far_site(struct ws_names *names, int64_t site)
{
    uint32_t number = ws_intern(&names->site_names, &site, sizeof site);

    if (number == names->site_spot_count) {
        uint32_t spot = ws_names_spot(names, names->sites.site(names->sites.context, site));
        WS_PUSH(names->site_spots, names->site_spot_count, names->site_spot_capacity) = spot;
    }
    return names->site_spots[number];
}

#define MOST_NEAR 65536

uint32_t ws_names_new_site(struct ws_names *names, int64_t site)
{
    size_t count = names->near_count ? names->near_count : 64;

    if (site < 0 || site >= MOST_NEAR)
        return far_site(names, site);
    while (count <= (size_t)site)
        count *= 2;
    if (count > names->near_count) {
        names->near_spots = ws_realloc_array(names->near_spots, count, sizeof *names->near_spots);
        memset(names->near_spots + names->near_count, 0,
               (count - names->near_count) * sizeof *names->near_spots);
        names->near_count = count;
    }
    names->near_spots[site] = far_site(names, site) + 1;
    return names->near_spots[site] - 1;
}

/* ---- order ---- */

int ws_names_compare_strings(const struct ws_names *names, uint32_t a, uint32_t b)
{
    return a == b ? 0 : strcmp(ws_names_text(names, a), ws_names_text(names, b));
}

/* By what makes them different spots. */
int ws_names_compare_spots(const struct ws_names *names, uint32_t a, uint32_t b)
{
    const struct ws_site *left = &names->spots[a], *right = &names->spots[b];
    int order;

    if (a == b)
        return 0;
    if ((order = strcmp(left->file, right->file)) != 0)
        return order;
    if (left->file[0]) {
        if (left->line != right->line)
            return left->line < right->line ? -1 : 1;
        return strcmp(left->function, right->function);
    }
    order = strcmp(left->module, right->module);
    return order ? order : ws_three_way(left->offset, right->offset);
}

/* ---- life ---- */

void ws_names_init(struct ws_names *names, struct ws_site_source sites)
{
    memset(names, 0, sizeof *names);
    names->sites = sites;
    ws_intern(&names->spot_names, "", 0);
    WS_PUSH(names->spots, names->spot_count, names->spot_capacity) =
        (struct ws_site){.function = "", .file = "", .module = ""};
}

void ws_names_release(struct ws_names *names)
{
    ws_intern_free(&names->strings);
    ws_intern_free(&names->site_names);
    free(names->site_spots);
    free(names->near_spots);
    ws_intern_free(&names->spot_names);
    free(names->spots);
    memset(names, 0, sizeof *names);
}
