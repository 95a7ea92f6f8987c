/* The run on an ideal network: messages take no time, and calls none of their own; what is computed, read and
 * written stays as it was, and who waits for whom.  It tells the two parts of communication efficiency
 * (diagnosis/efficiency.h). */
#ifndef WS_REPLAY_IDEAL_H
#define WS_REPLAY_IDEAL_H

#include "diagnosis/diagnosis.h"
#include "replay/replay.h"

/* ws_replayed_free. */
void ws_ideal_replay(const struct ws_graph *graph, struct ws_replayed *ideal);
/* Fills serialisation and transfer of the run and of its phases, where these are told.  Not where some of the
 * run was not recorded call by call. */
void ws_ideal_efficiencies(const struct ws_graph *graph, struct ws_diagnosis *diagnosis);

#endif
