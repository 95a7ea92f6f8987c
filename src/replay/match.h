/* From what was collected to needs. */
#ifndef WS_REPLAY_MATCH_H
#define WS_REPLAY_MATCH_H

#include "replay/collect.h"

/* Sorts the attendants by meeting and rank, fills the needs and each step's own time. */
void ws_replay_match(struct ws_replay_collected *collected);

#endif
