/* What the recorder knows of X10.  On sockets the process that is started becomes the launcher in x10rt_init,
 * which does not return there: so a launcher records nothing. */
#include "support.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- start and end ---- */

static uint32_t ask(const char *function, uint32_t otherwise)
{
    uint32_t (*number)(void) = (uint32_t(*)(void))ws_look_up(function);

    return number ? number() : otherwise;
}

void ws_after_x10rt_init(int result, int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (result != 0)
        return;
    ws_hosts = ask("x10rt_nhosts", 0);
    if (ws_hosts == 0)
        ws_hosts = ask("x10rt_nplaces", 1);
    ws_recorder_join(ask("x10rt_here", 0), ws_hosts, "X10");
}

void ws_before_x10rt_finalize(void)
{
    ws_recorder_finish();
}

/* ---- places ---- */

uint32_t ws_hosts;

int32_t ws_host_of(uint32_t place)
{
    uint32_t (*parent)(uint32_t) = (uint32_t(*)(uint32_t))ws_look_up("x10rt_parent");
    uint32_t host = parent ? parent(place) : place;

    return host < ws_hosts ? (int32_t)host : -1;
}

/* ---- message types ---- */

/* The library numbers types in the order in which receivers are registered.  The X10 program's own are
 * registered all together, in the order in which its static constructors added them to the dispatcher: the
 * n-th registered is the n-th added.  Later ones, and all of a program that was not written in X10, are known
 * by their receiver. */
static const void *added[UINT16_MAX + 1], *receivers[UINT16_MAX + 1];
static uint32_t added_count, registered_count;
uint8_t ws_type_named[UINT16_MAX + 1];

static void add(const void *function)
{
    uint32_t index = __atomic_fetch_add(&added_count, 1, __ATOMIC_RELAXED);

    if (index <= UINT16_MAX)
        added[index] = function;
}

static void registered(x10rt_msg_type type, ws_handler *handler)
{
    uint32_t index = __atomic_fetch_add(&registered_count, 1, __ATOMIC_RELAXED);
    bool known = index <= UINT16_MAX && index < __atomic_load_n(&added_count, __ATOMIC_RELAXED);

    receivers[type] = known ? added[index] : (const void *)handler;
}

void ws_after_x10rt_register_msg_receiver(x10rt_msg_type type, ws_handler *handler, ws_handler *pre,
                                          ws_handler *post, const char *cubin, const char *kernel)
{
    (void)pre;
    (void)post;
    (void)cubin;
    (void)kernel;
    registered(type, handler);
}

void ws_after_x10rt_register_put_receiver(x10rt_msg_type type, ws_handler *handler, ws_handler *cuda)
{
    (void)cuda;
    registered(type, handler);
}

void ws_after_x10rt_register_get_receiver(x10rt_msg_type type, ws_handler *handler, ws_handler *cuda)
{
    (void)cuda;
    registered(type, handler);
}

/* The dispatcher of native X10, in C++: functions of the class x10aux::NetworkDispatcher. */
#define DISPATCHER "_ZN6x10aux17NetworkDispatcher"
#define RECEIVER "PFvRNS_22deserialization_bufferEi"
#define ADD_MESSAGE                                                                                          \
    DISPATCHER "22addNetworkDeserializerEPFPN3x104lang9ReferenceERNS_22deserialization_bufferE"              \
               "ENS_11ClosureKindEPFvS6_iRmSA_SA_SA_RPcSA_SC_EPFvS6_immmmSB_mSB_EPKcSI_"
#define ADD_PUT DISPATCHER "15addPutFunctionsE" RECEIVER "ES4_"
#define ADD_GET DISPATCHER "15addGetFunctionsE" RECEIVER "ES4_"

typedef int16_t add_message(const void *, int, const void *, const void *, const char *, const char *);
typedef int16_t add_receiver(const void *, const void *);
WS_EXPORT add_message ws_add_message __asm__(ADD_MESSAGE);
WS_EXPORT add_receiver ws_add_put __asm__(ADD_PUT);
WS_EXPORT add_receiver ws_add_get __asm__(ADD_GET);

int16_t ws_add_message(const void *make, int kind, const void *pre, const void *post, const char *cubin,
                       const char *kernel)
{
    static add_message *next;

    WS_RESOLVE(next, ADD_MESSAGE);
    add(make);
    return next(make, kind, pre, post, cubin, kernel);
}

int16_t ws_add_put(const void *done, const void *cuda)
{
    static add_receiver *next;

    WS_RESOLVE(next, ADD_PUT);
    add(done);
    return next(done, cuda);
}

int16_t ws_add_get(const void *done, const void *cuda)
{
    static add_receiver *next;

    WS_RESOLVE(next, ADD_GET);
    add(done);
    return next(done, cuda);
}

/* Behind the arguments of a template: "I" ... "E", in which others may be. */
static const char *skip_arguments(const char *at)
{
    int depth = 0;

    do {
        if (isdigit((unsigned char)*at)) {
            unsigned long length = strtoul(at, (char **)&at, 10);
            at += strnlen(at, length);
            continue;
        }
        if (*at == 'S') /* a back reference: S_, S0_, St */
            at += at[1] == '_' || islower((unsigned char)at[1]) ? 1 : strcspn(at, "_");
        else
            depth += (strchr("INFXLJ", *at) != NULL) - (*at == 'E');
        at += *at != '\0';
    } while (depth > 0 && *at);
    return at;
}

/* "_ZN4Foo3Bar12_deserializeE..." is "Foo.Bar": what the function belongs to; of a function that belongs to
 * nothing its name, of another symbol itself. */
static void tidy(const char *symbol, char *name, size_t size)
{
    const char *at = symbol + strlen("_ZN");
    size_t used = 0, last = 0;

    snprintf(name, size, "%s", symbol);
    if (strncmp(symbol, "_Z", 2) == 0 && isdigit((unsigned char)symbol[2])) { /* "_Z7receivePK..." */
        unsigned long length = strtoul(symbol + 2, (char **)&at, 10);
        if (strnlen(at, length) == length && length < size)
            snprintf(name, size, "%.*s", (int)length, at);
    }
    if (strncmp(symbol, "_ZN", 3) != 0)
        return;
    while (isdigit((unsigned char)*at) || *at == 'I') {
        if (*at == 'I') {
            at = skip_arguments(at);
            continue;
        }
        unsigned long length = strtoul(at, (char **)&at, 10);
        if (strnlen(at, length) < length || used + length + 2 > size) {
            snprintf(name, size, "%s", symbol);
            return;
        }
        last = used;
        used += (size_t)snprintf(name + used, size - used, "%s%.*s", used ? "." : "", (int)length, at);
        at += length;
    }
    if (last > 0)
        name[last] = '\0';
    else if (used == 0)
        snprintf(name, size, "%s", symbol);
}

void ws_name_type(x10rt_msg_type type)
{
    char name[512];
    Dl_info info;

    ws_type_named[type] = 1;
    if (!ws_is_recording() || !receivers[type] || !dladdr(receivers[type], &info) || !info.dli_sname)
        return;
    tidy(info.dli_sname, name, sizeof name);
    ws_name("type", type, name);
}

/* ---- teams ---- */

#define MOST_TEAMS 1024
static uint8_t team_known[MOST_TEAMS];

/* Team 0 is the world; others get an identity, the same on all places, and no members. */
uint32_t ws_team(uint32_t team)
{
    uint32_t fields[4] = {team + WS_COMM_SELF_ID, UINT32_C(0x10000000) + team, 0, 0};

    if (team == 0)
        return WS_COMM_WORLD_ID;
    if (team < MOST_TEAMS && !__atomic_exchange_n(&team_known[team], 1, __ATOMIC_RELAXED) && ws_self &&
        ws_self->packet)
        ws_describe(ws_self, WS_RECORD_COMM, fields, sizeof fields);
    return team < MOST_TEAMS ? fields[0] : 0;
}

int32_t ws_team_size(uint32_t team)
{
    static uint32_t (*size)(uint32_t);

    if (team == 0)
        return (int32_t)ws_hosts;
    if (!size)
        size = (uint32_t(*)(uint32_t))ws_look_up("x10rt_team_sz");
    return size ? (int32_t)size(team) : 0;
}

uint64_t ws_red_bytes(int type, size_t count)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 8, 4, 16, 16, 1};

    return type >= 0 && type < (int)sizeof bytes ? (uint64_t)bytes[type] * count : 0;
}
