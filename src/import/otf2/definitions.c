#include "import/otf2/otf2.h"

#include "trace/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

#define DONE OTF2_CALLBACK_SUCCESS
typedef struct ws_otf2_definitions defs;

const char *ws_otf2_text(const defs *definitions, OTF2_StringRef text)
{
    const char *found = (const char *)(uintptr_t)ws_map_get(&definitions->texts, text);
    return found ? found : "";
}

/* Several ranks may have defined one thing: the last one counts. */
static void enter(struct ws_map *map, uint64_t ref, const void *what)
{
    ws_map_put(map, ref, (uintptr_t)what);
}

static OTF2_CallbackCode see_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length,
                                   uint64_t wall)
{
    defs *definitions = user;

    (void)length;
    (void)wall;
    definitions->resolution = resolution ? resolution : 1;
    definitions->offset = offset;
    return DONE;
}

static OTF2_CallbackCode see_string(void *user, OTF2_StringRef self, const char *text)
{
    defs *definitions = user;

    enter(&definitions->texts, self, ws_strings_get(&definitions->strings, text));
    return DONE;
}

static OTF2_CallbackCode see_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                      OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    defs *definitions = user;

    (void)name;
    if (type == OTF2_LOCATION_TYPE_CPU_THREAD)
        WS_PUSH(definitions->locations, definitions->location_count, definitions->location_capacity) =
            (struct ws_otf2_location){.self = self, .group = group, .events = events, .rank = -1};
    return DONE;
}

static int find_function(const struct ws_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->function_count; i++)
        if (strcmp(schema->functions[i], name) == 0)
            return (int)i;
    return -1;
}

static OTF2_CallbackCode see_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                    OTF2_StringRef canonical, OTF2_StringRef description,
                                    OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                    OTF2_StringRef file, uint32_t begin, uint32_t end)
{
    defs *definitions = user;
    struct ws_otf2_region *region = ws_arena_alloc(&definitions->arena, sizeof *region);

    (void)canonical;
    (void)description;
    (void)role;
    (void)paradigm;
    (void)flags;
    (void)end;
    region->name = ws_otf2_text(definitions, name);
    region->file = ws_otf2_text(definitions, file);
    region->line = begin;
    region->function = find_function(definitions->schema, region->name);
    definitions->is_eztrace |= strncmp(region->name, "EZTrace ", 8) == 0;
    enter(&definitions->regions, self, region);
    return DONE;
}

static OTF2_CallbackCode see_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                   OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t size,
                                   const uint64_t *members)
{
    defs *definitions = user;
    struct ws_otf2_group *group = ws_arena_alloc(&definitions->arena, sizeof *group);
    uint64_t *copy = ws_arena_alloc(&definitions->arena, (size_t)size * sizeof *copy);

    (void)name;
    (void)flags;
    if (size)
        memcpy(copy, members, (size_t)size * sizeof *copy);
    *group = (struct ws_otf2_group){copy, size, type};
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI && !definitions->world.size)
        definitions->world = *group;
    enter(&definitions->groups, self, group);
    return DONE;
}

static OTF2_CallbackCode add_comm(defs *definitions, OTF2_CommRef self, OTF2_GroupRef group,
                                  OTF2_GroupRef other)
{
    struct ws_otf2_comm *comm = ws_arena_alloc(&definitions->arena, sizeof *comm);

    *comm = (struct ws_otf2_comm){.self = self, .group_ref = group, .other_ref = other};
    WS_PUSH(definitions->comm_list, definitions->comm_count, definitions->comm_capacity) = comm;
    return DONE;
}

static OTF2_CallbackCode see_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                  OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)name;
    (void)parent;
    (void)flags;
    return add_comm(user, self, group, OTF2_UNDEFINED_GROUP);
}

static OTF2_CallbackCode see_intercomm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                       OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)name;
    (void)common;
    (void)flags;
    return add_comm(user, self, a, b);
}

static OTF2_CallbackCode see_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                    OTF2_RmaWinFlag flags)
{
    defs *definitions = user;
    struct ws_otf2_window *window = ws_arena_alloc(&definitions->arena, sizeof *window);

    (void)name;
    (void)flags;
    *window = (struct ws_otf2_window){comm, ++definitions->window_count};
    enter(&definitions->windows, self, window);
    return DONE;
}

static OTF2_CallbackCode see_line(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                  uint32_t number)
{
    defs *definitions = user;
    struct ws_otf2_line *line = ws_arena_alloc(&definitions->arena, sizeof *line);

    *line = (struct ws_otf2_line){ws_otf2_text(definitions, file), number};
    enter(&definitions->lines, self, line);
    return DONE;
}

static OTF2_CallbackCode see_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                     OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
    defs *definitions = user;
    struct ws_otf2_context *context = ws_arena_alloc(&definitions->arena, sizeof *context);

    *context = (struct ws_otf2_context){region, place, parent};
    enter(&definitions->contexts, self, context);
    return DONE;
}

static OTF2_CallbackCode see_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                       OTF2_StringRef description, OTF2_Type type)
{
    defs *definitions = user;
    const char *text = ws_otf2_text(definitions, name);
    int field;

    (void)description;
    (void)type;
    if (strcmp(text, WS_OTF2_CALLER) == 0)
        definitions->caller = self;
    else if (strcmp(text, WS_OTF2_CALL_SITE) == 0)
        definitions->call_site = self;
    else if (strncmp(text, WS_OTF2_PARAM, strlen(WS_OTF2_PARAM)) == 0 &&
             (field = ws_field_find(text + strlen(WS_OTF2_PARAM))) >= 0)
        ws_map_put(&definitions->attributes, self, (uint64_t)field + 1);
    return DONE;
}

static OTF2_CallbackCode see_parameter(void *user, OTF2_ParameterRef self, OTF2_StringRef name,
                                       OTF2_ParameterType type)
{
    defs *definitions = user;

    (void)type;
    if (strcmp(ws_otf2_text(definitions, name), WS_OTF2_EVENT) == 0)
        definitions->event = self;
    return DONE;
}

static OTF2_CallbackCode see_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                  OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    defs *definitions = user;
    struct ws_otf2_node *node = ws_arena_alloc(&definitions->arena, sizeof *node);

    *node = (struct ws_otf2_node){ws_otf2_text(definitions, name), ws_otf2_text(definitions, class), parent};
    enter(&definitions->nodes, self, node);
    return DONE;
}

static OTF2_CallbackCode see_process(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                     OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                     OTF2_LocationGroupRef creator)
{
    defs *definitions = user;
    struct ws_otf2_host *process = ws_arena_alloc(&definitions->arena, sizeof *process);

    (void)name;
    (void)type;
    (void)creator;
    process->node = node;
    enter(&definitions->hosts, self, process);
    return DONE;
}

/* ---- communicators, when all groups are known ---- */

static bool has_all_in_order(const defs *definitions, const struct ws_otf2_comm *comm)
{
    if (comm->other || comm->group->size != definitions->world.size)
        return false;
    for (uint32_t i = 0; i < comm->group->size; i++)
        if (ws_otf2_world_rank(definitions, comm->group, i, -1) != i)
            return false;
    return true;
}

static void resolve_comms(defs *definitions)
{
    bool world = false;

    for (size_t i = 0; i < definitions->comm_count; i++) {
        struct ws_otf2_comm *comm = definitions->comm_list[i];
        comm->identity = (uint32_t)i + WS_COMM_SELF_ID + 1;
        comm->group = WS_OTF2_GET(definitions, group, comm->group_ref);
        comm->other = WS_OTF2_GET(definitions, group, comm->other_ref);
        if (!comm->group)
            continue;
        comm->is_world = !world && has_all_in_order(definitions, comm);
        world |= comm->is_world;
        enter(&definitions->comms, comm->self, comm);
    }
}

/* ---- processes ---- */

/* The machine that a process ran on: of the system's tree the part above it that is called a node, or the
 * next one. */
static const char *node_of(const defs *definitions, OTF2_LocationGroupRef group)
{
    const struct ws_otf2_host *process = WS_OTF2_GET(definitions, host, group);
    const struct ws_otf2_node *first = process ? WS_OTF2_GET(definitions, node, process->node) : NULL;
    const struct ws_otf2_node *node = first;

    for (int depth = 0; node && depth < 64 && strcmp(node->class, "node") != 0; depth++)
        node = WS_OTF2_GET(definitions, node, node->parent);
    return node ? node->name : first ? first->name : "";
}

static int by_group_and_self(const void *left, const void *right)
{
    const struct ws_otf2_location *a = left, *b = right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->self > b->self) - (a->self < b->self);
}

/* A process is a location group; its rank is that of the location of it that takes part in MPI, whose thread
 * is 0. */
static void number_threads(defs *definitions, size_t begin, size_t end)
{
    struct ws_otf2_location *locations = definitions->locations;
    uint32_t thread = 1;
    int64_t rank = -1;
    size_t main = begin;

    for (size_t i = begin; i < end && rank < 0; i++)
        if ((rank = (int64_t)ws_map_get(&definitions->ranks, locations[i].self) - 1) >= 0)
            main = i;
    for (size_t i = begin; i < end; i++) {
        locations[i].rank = rank;
        locations[i].node = node_of(definitions, locations[i].group);
        locations[i].thread = i == main ? 0 : thread++;
    }
}

static int find_processes(defs *definitions, struct ws_error *error)
{
    size_t count = definitions->location_count;

    if (!definitions->world.size || !count)
        return ws_fail(error, WS_BAD_INPUT,
                       "it holds no processes of MPI (was it recorded with MPI support?)");
    if (definitions->world.size > (1u << 22))
        return ws_fail(error, WS_BAD_INPUT, "%u processes are more than Whyslow can read",
                       definitions->world.size);
    for (uint32_t r = 0; r < definitions->world.size; r++)
        ws_map_put(&definitions->ranks, definitions->world.members[r], (uint64_t)r + 1);
    qsort(definitions->locations, count, sizeof *definitions->locations, by_group_and_self);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1;
             end < count && definitions->locations[end].group == definitions->locations[begin].group;)
            end++;
        number_threads(definitions, begin, end);
    }
    return 0;
}

int ws_otf2_define(OTF2_Reader *reader, defs *definitions, struct ws_error *error)
{
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *see = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t read;
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;

    definitions->caller = definitions->call_site = OTF2_UNDEFINED_ATTRIBUTE;
    definitions->event = OTF2_UNDEFINED_PARAMETER;
    definitions->resolution = 1000000000;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(see, see_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(see, see_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(see, see_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(see, see_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(see, see_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(see, see_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(see, see_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(see, see_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(see, see_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(see, see_window);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(see, see_line);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(see, see_context);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(see, see_attribute);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(see, see_parameter);
    if (global && OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, see, definitions) == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read);
    OTF2_GlobalDefReaderCallbacks_Delete(see);
    if (code != OTF2_SUCCESS)
        return ws_fail(error, WS_BAD_INPUT, "its definitions cannot be read");
    if (find_processes(definitions, error) != 0)
        return -1;
    resolve_comms(definitions);
    return 0;
}

void ws_otf2_definitions_free(defs *definitions)
{
    ws_strings_free(&definitions->strings);
    ws_arena_free(&definitions->arena);
    ws_map_free(&definitions->texts);
    ws_map_free(&definitions->regions);
    ws_map_free(&definitions->groups);
    ws_map_free(&definitions->comms);
    ws_map_free(&definitions->windows);
    ws_map_free(&definitions->contexts);
    ws_map_free(&definitions->lines);
    ws_map_free(&definitions->attributes);
    ws_map_free(&definitions->ranks);
    ws_map_free(&definitions->nodes);
    ws_map_free(&definitions->hosts);
    free(definitions->comm_list);
    free(definitions->locations);
}

/* ---- what they say ---- */

int64_t ws_otf2_ns(const defs *definitions, OTF2_TimeStamp ticks)
{
    unsigned __int128 ns = ticks < definitions->offset ? 0 : ticks - definitions->offset;

    ns = ns * 1000000000u / definitions->resolution;
    return ns > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)ns;
}

int64_t ws_otf2_world_rank(const defs *definitions, const struct ws_otf2_group *group, uint32_t rank,
                           int64_t own)
{
    if (group->type == OTF2_GROUP_TYPE_COMM_SELF)
        return own;
    if (rank >= group->size)
        return -1;
    if (group->type == OTF2_GROUP_TYPE_COMM_GROUP)
        return group->members[rank] < definitions->world.size ? (int64_t)group->members[rank] : -1;
    return (int64_t)ws_map_get(&definitions->ranks, group->members[rank]) - 1;
}

const struct ws_otf2_group *ws_otf2_peers(const defs *definitions, const struct ws_otf2_comm *comm,
                                          int64_t own)
{
    for (uint32_t i = 0; comm->other && i < comm->group->size; i++)
        if (ws_otf2_world_rank(definitions, comm->group, i, own) == own)
            return comm->other;
    return comm->group;
}
