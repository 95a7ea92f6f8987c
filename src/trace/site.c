#include "trace/site.h"

#include "trace/module.h"
#include "util/alloc.h"
#include "util/text.h"

#include <stdlib.h>

static const struct ws_site unknown = {.function = "", .file = "", .module = ""};

static struct ws_module *find_module(struct ws_sites *sites, const char *path)
{
    struct ws_module *module = (struct ws_module *)(uintptr_t)ws_map_get(&sites->modules, (uintptr_t)path);

    if (!module) {
        module = ws_module_new(path);
        ws_map_put(&sites->modules, (uintptr_t)path, (uintptr_t)module);
    }
    return module;
}

uint32_t ws_sites_add(struct ws_sites *sites, const char *path, uint64_t offset)
{
    struct ws_site_entry entry = {.site = unknown};
    uint64_t hash = ws_hash(ws_hash(WS_HASH_START, &offset, sizeof offset), &path, sizeof path);
    uint32_t found = (uint32_t)ws_map_get(&sites->by_hash, hash);

    entry.next = found;
    for (; found; found = sites->entries[found].next)
        if (sites->entries[found].site.module == path && sites->entries[found].site.offset == offset)
            return found;
    if (!sites->count)
        WS_PUSH(sites->entries, sites->count, sites->capacity) =
            (struct ws_site_entry){.site = unknown, .resolved = true};
    if (sites->count == UINT32_MAX)
        return 0;
    entry.site.module = path;
    entry.site.offset = offset;
    entry.module = find_module(sites, path);
    WS_PUSH(sites->entries, sites->count, sites->capacity) = entry;
    ws_map_put(&sites->by_hash, hash, sites->count - 1);
    return (uint32_t)(sites->count - 1);
}

const struct ws_site *ws_sites_get(struct ws_sites *sites, int64_t site)
{
    struct ws_site_entry *entry;

    if (site <= 0 || (uint64_t)site >= sites->count)
        return &unknown;
    entry = &sites->entries[site];
    if (!entry->resolved) {
        entry->resolved = true;
        if (!ws_places_find(&sites->places, &entry->site))
            ws_module_resolve(entry->module, entry->site.offset, &entry->site);
    }
    return &entry->site;
}

void ws_sites_free(struct ws_sites *sites)
{
    for (size_t i = 0; i < sites->modules.capacity; i++)
        if (sites->modules.entries[i].value)
            ws_module_free((struct ws_module *)(uintptr_t)sites->modules.entries[i].value);
    ws_map_free(&sites->modules);
    ws_map_free(&sites->by_hash);
    free(sites->entries);
    ws_places_free(&sites->places);
    *sites = (struct ws_sites){0};
}
