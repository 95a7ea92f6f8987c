/* What carries packets from place to place. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#define PACKET_MOST 65536

void transport_begin(char **argv, int *here, int *count);
/* False: the way is full, try again. */
bool transport_send(int to, const void *bytes, size_t length);
/* Takes one packet that has come; its length, 0: none has. */
size_t transport_take(void *bytes);
/* Waits a while for one. */
void transport_wait(void);
void transport_end(void);

#endif
