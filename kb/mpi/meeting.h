/* Clocks compared by messages: rank 0 and the leaders of the other clock domains (recorder/domain.h) meet
 * after MPI_Init and before MPI_Finalize.  Where all processes are in one domain, nothing is sent. */
#ifndef WS_KB_MPI_MEETING_H
#define WS_KB_MPI_MEETING_H

/* Each before the first or after the last record of the process; what a leader finds is written by
 * ws_meeting_write, as long as it is recording. */
void ws_meeting_begin(int rank, int size);
void ws_meeting_end(void);
void ws_meeting_write(void);

#endif
