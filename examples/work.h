/* Tells a simulator of clusters what the programs compute.  Under SimGrid (docs/simgrid.md) a rank's
 * computation takes the time that its node needs for so many operations; on a real machine it takes the time
 * that it takes, and nothing is told. */
#ifndef WORK_H
#define WORK_H

#include <mpi.h>

/* `operations` of floating point are computed here. */
static inline void work(double operations)
{
#ifdef SMPI_H
    smpi_execute_flops(operations);
#else
    (void)operations;
#endif
}

#endif
