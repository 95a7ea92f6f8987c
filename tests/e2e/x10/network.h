/* How a program written in X10 tells its run-time library of the closures that it sends: their classes register a
 * function that makes one of a message, in static constructors; the library gets them all at once.  Written anew, with
 * the names of X10's own, by which Whyslow knows them. */
#ifndef NETWORK_H
#define NETWORK_H

#include "x10rt.h"

namespace x10 { namespace lang {
class Reference {
public:
    virtual ~Reference() {}
    virtual void run() = 0;
};
} }

namespace x10aux {
typedef int16_t serialization_id_t;
typedef int32_t place;
typedef int32_t x10_int;

class deserialization_buffer {
public:
    const char *bytes;
    size_t length;
};

typedef ::x10::lang::Reference *(*Deserializer)(deserialization_buffer &buf);
typedef void (*CUDAPre)(deserialization_buffer &, place, size_t &, size_t &, size_t &, size_t &, char *&, size_t &,
                        char *&);
typedef void (*CUDAPost)(deserialization_buffer &, place, size_t, size_t, size_t, size_t, char *, size_t, char *);
typedef void (*Notifier)(deserialization_buffer &buf, x10_int len);

enum ClosureKind { CLOSURE_KIND_ASYNC_CLOSURE = 1, CLOSURE_KIND_REMOTE_INVOCATION = 2 };

class NetworkDispatcher {
public:
    static serialization_id_t addNetworkDeserializer(Deserializer, ClosureKind, CUDAPre = 0, CUDAPost = 0,
                                                     const char *cubin = 0, const char *kernel = 0);
    static serialization_id_t addPutFunctions(Notifier, Notifier cuda);
    static serialization_id_t addGetFunctions(Notifier, Notifier cuda);
    static void registerHandlers();
    static x10rt_msg_type getMsgType(serialization_id_t);
};
}

#endif
