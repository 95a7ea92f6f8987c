#include "util/role.h"

#include <string.h>

const char *const ws_role_names[WS_ROLE_COUNT] = {
    [WS_ROLE_PLAIN] = "plain",       [WS_ROLE_START] = "start",       [WS_ROLE_INIT] = "init",
    [WS_ROLE_RESTART] = "restart",   [WS_ROLE_COMPLETE] = "complete", [WS_ROLE_FREE] = "free",
    [WS_ROLE_CONTINUE] = "continue",
};

enum ws_role ws_role_find(const char *name)
{
    enum ws_role role = 0;

    while (role < WS_ROLE_COUNT && strcmp(ws_role_names[role], name) != 0)
        role++;
    return role;
}
