/* A small runtime to show how Whyslow learns a new one: the processes of a program on one machine send each
 * other parcels and reach into each other's shelves. */
#ifndef PARCEL_H
#define PARCEL_H

#include <stddef.h>

#define PARCEL_MOST 4096        /* bytes of a parcel */
#define PARCEL_SHELF (1 << 20)  /* bytes of a process that the others reach */

/* Makes PARCEL_COUNT processes of this one (an environment variable, default 2); 0, or -1. */
int parcel_join(void);
int parcel_me(void);
int parcel_count(void);

void parcel_send(int to, const void *bytes, size_t length); /* waits until the parcel before it is taken */
size_t parcel_take(int from, void *bytes, size_t most);     /* waits until there is one */
void parcel_put(int on, size_t offset, const void *bytes, size_t length);
void parcel_get(int on, size_t offset, void *bytes, size_t length);

/* Ends the process's part: the first waits for all others. */
void parcel_leave(void);

#endif
