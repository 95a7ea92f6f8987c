/* A clock domain: the processes whose readings are of one clock, those of one boot of one machine in one time
 * namespace.  It has a file in the trace's folder, TRACE/clock-UUID-DOMAIN (half of the trace's uuid: where nobody
 * clears the folder, another trace's files mean nothing), to which its processes append lines:
 *   +                                       a process that is about to call MPI_Init
 *   0                                       rank 0 is one of them
 *   = COUNT0 NS0 MULTIPLIER ERROR RANK      (hexadecimal) a scale; the first one holds for all
 *   !                                       the process whose scale holds can come to a meeting
 * One kernel writes it, so that what is appended stands in one order for all: who agrees waits for nobody.
 *
 * Where there are several domains, their clocks are compared by messages between rank 0 and one process of
 * each, its leader: the one whose scale holds.  That both come to this meeting must be certain before either
 * waits for the other, and cannot be learnt by a collective call: some ranks may run without the recorder.
 * Only the first world of a command meets: what a later one finds was decided for the first. */
#ifndef WS_RECORDER_DOMAIN_H
#define WS_RECORDER_DOMAIN_H

#include "recorder/clock.h"

#include <stddef.h>

/* Before MPI_Init. */
void ws_domain_announce(void);
/* The scale of the domain; false: there is none yet. */
bool ws_domain_scale(struct ws_clock_scale *scale);
/* Offers one and gives the one that holds; false: none, the file cannot be written. */
bool ws_domain_offer(struct ws_clock_scale offer, uint32_t rank, struct ws_clock_scale *holds);
/* The domain's identity. */
uint64_t ws_domain_id(void);

/* After MPI_Init and ws_clock_agree: who meets.  0: nobody, as far as this process is concerned.  At rank 0
 * the number of the leaders that have come, and their ranks, which live until the end; at a leader
 * WS_MEETS_RANK_0.  Looks into a file or two where all processes are in one domain; else, or where ranks run
 * without the recorder, waits for no longer than a second. */
#define WS_MEETS_RANK_0 (-1)
int ws_domain_meeting(uint32_t rank, uint32_t size, const int32_t **leaders);

/* ---- for clock.c ---- */

/* The file's text with an end; false: it is empty or cannot be read. */
bool ws_read_file(const char *path, char *text, size_t size);

#endif
