"""Writes an OTF2 archive as Score-P does: two ranks, one of them with two threads, regions of the program around MPI's, calls
in a calling context, ticks of 100 ns from a late begin.  Run by Debian's python3, which has OTF2's module."""
import sys

import otf2
from otf2.enums import CollectiveOp, GroupType, LockType, Paradigm, RegionRole, RmaSyncLevel

with otf2.writer.open(sys.argv[1], timer_resolution=10_000_000) as trace:
    define = trace.definitions
    machine = define.system_tree_node("cluster", class_name="machine")
    nodes = [define.system_tree_node(name, class_name="node", parent=machine) for name in ("n01", "n02")]
    processes = [define.location_group(f"MPI Rank {rank}", system_tree_parent=nodes[rank]) for rank in (0, 1)]
    masters = [define.location("Master thread", group=process) for process in processes]
    second = define.location("OMP thread 1", group=processes[0])
    define.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, members=masters)
    world = define.comm("MPI_COMM_WORLD", define.group("", GroupType.COMM_GROUP, Paradigm.MPI, members=masters))
    turned = define.comm("turned", define.group("", GroupType.COMM_GROUP, Paradigm.MPI, members=masters[::-1]))
    window = define.rma_win("window", world)
    main = define.region("main", source_file="main.c", begin_line_number=3, end_line_number=90, paradigm=Paradigm.COMPILER)
    solve = define.region("solve", source_file="solve.c", begin_line_number=10, end_line_number=40, paradigm=Paradigm.COMPILER)
    regions = {}
    place = define.source_code_location("barrier.c", 77)

    def region(name):
        if name not in regions:
            regions[name] = define.region(name, source_file="MPI", paradigm=Paradigm.MPI, region_role=RegionRole.FUNCTION)
        return regions[name]

    in_main = define.calling_context(main, parent=None)
    barrier_there = define.calling_context(region("MPI_Barrier"), place, in_main)
    writers = [trace.event_writer_from_location(location) for location in masters]
    ticks = lambda ms: 5_000_000_000_000 + round(ms * 10_000)

    def call(rank, name, begin, end, *inside):
        """A call of MPI: events at its end, but those that are given a moment."""
        writers[rank].enter(ticks(begin), region(name))
        for event, *arguments in inside:
            getattr(writers[rank], event)(ticks(begin if event in ("mpi_send", "mpi_isend") else end), *arguments)
        writers[rank].leave(ticks(end), region(name))

    for rank in (0, 1):
        writers[rank].enter(ticks(0), main)
        call(rank, "MPI_Init", 0.1, 1)
        writers[rank].enter(ticks(1.5), solve)
    # A message that is 19 ms late, and one that is 7 ms late for the call that waits for it.
    call(0, "MPI_Send", 21, 21.1, ("mpi_send", 0, turned, 5, 64))  # the other rank comes first there
    call(1, "MPI_Recv", 2, 21.2, ("mpi_recv", 1, turned, 5, 64))
    call(1, "MPI_Irecv", 22, 22.1, ("mpi_irecv_request", 7))
    call(1, "MPI_Irecv", 22.2, 22.3, ("mpi_irecv_request", 8))
    call(0, "MPI_Isend", 30, 30.1, ("mpi_isend", 1, world, 6, 32, 3))
    call(1, "MPI_Waitall", 23, 30.2, ("mpi_irecv", 0, world, 6, 32, 7), ("mpi_request_cancelled", 8))
    call(0, "MPI_Wait", 31, 31.1, ("mpi_isend_complete", 3))
    call(1, "MPI_Test", 31, 31.1, ("mpi_request_test", 7))
    # A barrier that is started, and waited for: 9 ms.
    ended = (CollectiveOp.BARRIER, world, 0xFFFFFFFF, 0, 0, 9)
    call(0, "MPI_Ibarrier", 40, 40.1, ("non_blocking_collective_request", 9))
    call(1, "MPI_Ibarrier", 50, 50.1, ("non_blocking_collective_request", 9))
    call(0, "MPI_Wait", 41, 50.2, ("non_blocking_collective_complete", *ended))
    call(1, "MPI_Wait", 50.2, 50.3, ("non_blocking_collective_complete", *ended))
    for rank in (0, 1):
        call(rank, "MPI_Win_create", 52, 53, ("rma_win_create", window),
             ("rma_collective_end", CollectiveOp.CREATE_HANDLE, RmaSyncLevel.PROCESS, window, 0xFFFFFFFF, 0, 0))
        writers[rank].leave(ticks(55), solve)
    # A lock that another holds for 9 ms after it was asked for.
    call(0, "MPI_Win_lock", 60, 60.1, ("rma_acquire_lock", window, 0, 0, LockType.EXCLUSIVE))
    call(0, "MPI_Win_unlock", 69.9, 70, ("rma_release_lock", window, 0, 0))
    call(1, "MPI_Win_lock", 61, 70.1, ("rma_acquire_lock", window, 0, 0, LockType.EXCLUSIVE))
    call(1, "MPI_Win_unlock", 70.2, 70.3, ("rma_release_lock", window, 0, 0))
    # A barrier in a calling context: rank 1 comes 5 ms later.
    for rank, begin in ((0, 72), (1, 77)):
        writers[rank].calling_context_enter(ticks(begin), barrier_there, 2)
        writers[rank].mpi_collective_begin(ticks(begin))
        writers[rank].mpi_collective_end(ticks(77.1), CollectiveOp.BARRIER, world, 0xFFFFFFFF, 0, 0)
        writers[rank].calling_context_leave(ticks(77.1), barrier_there)
    # Another thread of rank 0 sends; what it sends is received by rank 1.
    thread = trace.event_writer_from_location(second)
    thread.enter(ticks(3), region("MPI_Send"))
    thread.mpi_send(ticks(3), 1, world, 99, 8)
    thread.leave(ticks(3.1), region("MPI_Send"))
    call(1, "MPI_Recv", 78, 78.1, ("mpi_recv", 0, world, 99, 8))
    for rank in (0, 1):
        call(rank, "MPI_Comm_rank", 79, 79.1)  # one of those that are of no interest
        call(rank, "MPI_Finalize", 80, 81)
        writers[rank].leave(ticks(82), main)
