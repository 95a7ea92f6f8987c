/* A program or shared library and its debug information. */
#ifndef WS_TRACE_MODULE_H
#define WS_TRACE_MODULE_H

#include "trace/trace.h"

struct ws_module;

/* path: borrowed.  The file is opened at the first question. */
struct ws_module *ws_module_new(const char *path);
/* Fills function, file and line as far as they are known for the link-time address; strings live as long as
 * the module.  Within an inlined function it is the inlined one that the source line is in.  Without debug
 * information the function is that of the symbol table, where it has the address. */
void ws_module_resolve(struct ws_module *module, uint64_t address, struct ws_site *site);
void ws_module_free(struct ws_module *module);

#endif
