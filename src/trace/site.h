/* Call sites of a trace: each module and offset once, over all ranks; function, file and line are looked up
 * in the module's debug information when they are first asked for. */
#ifndef WS_TRACE_SITE_H
#define WS_TRACE_SITE_H

#include "trace/map.h"
#include "trace/places.h"
#include "trace/trace.h"

struct ws_module;

struct ws_site_entry {
    struct ws_site site;
    struct ws_module *module;
    bool resolved;
    uint32_t next; /* of the same hash; 0: none */
};
/* A zeroed struct is empty. */
struct ws_sites {
    struct ws_map by_hash, modules; /* modules: by the address of the path */
    struct ws_site_entry *entries;  /* [0]: the unknown site */
    size_t count, capacity;
    struct ws_places places; /* owned */
};

/* The index of a site.  module: a string that lives as long as the sites, equal paths at one address. */
uint32_t ws_sites_add(struct ws_sites *sites, const char *module, uint64_t offset);
const struct ws_site *ws_sites_get(struct ws_sites *sites, int64_t site);
void ws_sites_free(struct ws_sites *sites);

#endif
