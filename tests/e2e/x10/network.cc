#include "network.h"

using namespace x10aux;

static struct entry {
    Deserializer make;
    Notifier put, get;
    x10rt_msg_type type;
} entries[1024];
static serialization_id_t entry_count, entry_of_type[1024];

serialization_id_t NetworkDispatcher::addNetworkDeserializer(Deserializer make, ClosureKind, CUDAPre, CUDAPost,
                                                             const char *, const char *)
{
    entries[entry_count].make = make;
    return entry_count++;
}

serialization_id_t NetworkDispatcher::addPutFunctions(Notifier put, Notifier)
{
    entries[entry_count].put = put;
    return entry_count++;
}

serialization_id_t NetworkDispatcher::addGetFunctions(Notifier get, Notifier)
{
    entries[entry_count].get = get;
    return entry_count++;
}

static void receive(const x10rt_msg_params *p)
{
    deserialization_buffer buffer = {static_cast<const char *>(p->msg), p->len};
    x10::lang::Reference *closure = entries[entry_of_type[p->type]].make(buffer);

    closure->run();
    delete closure;
}

static void finished_put(const x10rt_msg_params *p, uint32_t length)
{
    deserialization_buffer buffer = {static_cast<const char *>(p->msg), p->len};
    entries[entry_of_type[p->type]].put(buffer, static_cast<x10_int>(length));
}

static void finished_get(const x10rt_msg_params *p, uint32_t length)
{
    deserialization_buffer buffer = {static_cast<const char *>(p->msg), p->len};
    entries[entry_of_type[p->type]].get(buffer, static_cast<x10_int>(length));
}

void NetworkDispatcher::registerHandlers()
{
    for (serialization_id_t i = 0; i < entry_count; i++) {
        entry &e = entries[i];
        e.type = e.make  ? x10rt_register_msg_receiver(receive, 0, 0, 0, 0)
                 : e.put ? x10rt_register_put_receiver(finished_put, 0)
                         : x10rt_register_get_receiver(finished_get, 0);
        entry_of_type[e.type] = i;
    }
    x10rt_registration_complete();
}

x10rt_msg_type NetworkDispatcher::getMsgType(serialization_id_t id)
{
    return entries[id].type;
}
