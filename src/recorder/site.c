/* Call sites.  An address is named once per thread; the way there is what costs, so it is remembered. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/hot.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_SLOTS_LOG2 8

static struct ws_site_slot *find_site(struct ws_site_slot *slots, unsigned shift, uintptr_t address,
                                      uint16_t function)
{
    size_t mask = ((size_t)1 << (64 - shift)) - 1;

    for (size_t i = (address * WS_HASH) >> shift;; i = (i + 1) & mask)
        if ((slots[i].address == address && slots[i].function == function) || slots[i].address == 0)
            return &slots[i];
}

static bool resize(struct ws_stream *me, unsigned log2)
{
    size_t count = (size_t)1 << log2;
    unsigned shift = 64 - log2;
    struct ws_site_slot *slots = ws_pages(count * sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < me->site_slots; i++)
        if (me->sites[i].address)
            *find_site(slots, shift, me->sites[i].address, me->sites[i].function) = me->sites[i];
    ws_pages_free(me->sites, me->site_slots * sizeof *slots);
    me->sites = slots;
    me->site_slots = (uint32_t)count;
    me->site_shift = shift;
    return true;
}

bool ws_sites_init(struct ws_stream *me)
{
    return resize(me, FIRST_SLOTS_LOG2);
}

/* The file that is mapped at an address, by the kernel: one line is "from-to rwxp offset device inode path".
 */
static void mapped_path(uintptr_t address, char path[PATH_MAX])
{
    char line[PATH_MAX + 128];
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long from, to;

    path[0] = '\0';
    while (maps && fgets(line, sizeof line, maps)) {
        const char *found = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (found && sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= address && address < to)
            snprintf(path, PATH_MAX, "%s", found);
    }
    if (maps)
        fclose(maps);
}

/* The path of a loaded module: the linker knows the program itself by an empty name, and others by the name
 * that they were found under, which the program may have left (chdir). */
static void module_path(const struct link_map *map, uintptr_t address, char path[PATH_MAX])
{
    ssize_t length;

#ifdef WS_SIMULATED
    if (map->l_name && ws_simulated_is_copy(map->l_name)) {
        snprintf(path, PATH_MAX, "%s", ws_simulated_program());
        return;
    }
#endif
    if (map->l_name && map->l_name[0] && map->l_name[0] != '/') {
        mapped_path(address, path);
        return;
    }
    if (map->l_name && map->l_name[0]) {
        if (!realpath(map->l_name, path))
            path[0] = '\0';
        return;
    }
    length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
}

static void describe(struct ws_stream *me, uint32_t id, uintptr_t address, uint16_t function)
{
    unsigned char fields[sizeof id + sizeof function + sizeof(uint64_t) + WS_TEXT_MOST + 1], *at = fields;
    char path[PATH_MAX] = "";
    struct link_map *map = NULL;
    uint64_t offset = address - 1; /* within the call, not after it */
    Dl_info info;

    if (dladdr1((void *)(address - 1), &info, (void **)&map, RTLD_DL_LINKMAP) && map) {
        module_path(map, address - 1, path);
        offset -= map->l_addr;
    }
#ifdef WS_SIMULATED
    else
        snprintf(path, sizeof path, "%s", ws_simulated_program()); /* a place that was told */
#endif
    WS_PUT(at, id);
    WS_PUT(at, function);
    WS_PUT(at, offset);
    at = ws_put_text(at, path, ws_text_length(path));
    ws_describe(me, WS_RECORD_SITE, fields, (size_t)(at - fields));
}

uint32_t ws_site_find(struct ws_stream *me, uintptr_t address, uint16_t function)
{
    struct ws_site_slot *slot = find_site(me->sites, me->site_shift, address, function);

    if (slot->address)
        return slot->id;
    if (me->site_count >= me->site_slots / 2) {
        if (!resize(me, 64 - me->site_shift + 1))
            return function;
        slot = find_site(me->sites, me->site_shift, address, function);
    }
    slot->id = ws_function_count + me->site_count++;
    slot->address = address;
    slot->function = function;
    describe(me, slot->id, address, function);
    return slot->id;
}
