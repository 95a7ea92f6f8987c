/* What an event's record means for the life of a request (docs/language.md, "Requests").  Shared by the rooms
 * that read roles in the trace rules (rules), write records of them (tracegen) and pair them (trace). */
#ifndef WS_UTIL_ROLE_H
#define WS_UTIL_ROLE_H

enum ws_role {
    WS_ROLE_PLAIN,    /* the call is the whole operation */
    WS_ROLE_START,    /* starts an operation: param `request` */
    WS_ROLE_INIT,     /* makes a persistent request, inactive */
    WS_ROLE_RESTART,  /* activates a persistent request */
    WS_ROLE_COMPLETE, /* completes it: the event of the started operation is formed here */
    WS_ROLE_FREE,     /* lets go of it: formed here, without a final status */
    WS_ROLE_CONTINUE, /* moves it from param `from` to param `request` (Mprobe, then Imrecv) */
    WS_ROLE_COUNT
};

/* In trace.json, and but for "plain" the value of request="..." in the trace rules. */
extern const char *const ws_role_names[WS_ROLE_COUNT];

/* The role of this name, or WS_ROLE_COUNT. */
enum ws_role ws_role_find(const char *name);

#endif
