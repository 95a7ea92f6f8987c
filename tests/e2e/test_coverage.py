"""What lies beyond messages, collectives and windows is recorded too: files, neighbourhood and persistent collectives,
other worlds, what MPI-4.0 brought.  And no function of MPI is forgotten: each that an mpi.h declares is recorded, or it
is said why not.
"""
import collections
import os
import re
import subprocess
import sys

import story
from test_recorder import both, count, events

sys.path.insert(0, os.path.join(story.ROOT, "scripts"))
import coverage  # pylint: disable=wrong-import-position


def formed(folder, mpi, records, *arguments):
    """The events of each rank, after a look at the diagnosis: all that belongs together was found."""
    run = story.diagnose(os.path.join(folder, f"{mpi.name}-{'-'.join(arguments)}.trace"))["run"]
    assert run["recording"]["unmatched"] == 0, (mpi.name, run)
    return events(records)


def test_files(folder):
    """16 bytes in each call, of which each is one event: what MPI calls to do it is none."""
    alone = [("", ""), ("_at", ""), ("_shared", ""), ("", "i"), ("_at", "i"), ("_shared", "i")]
    together = [("_all", ""), ("_at_all", ""), ("_ordered", ""), ("_all", "i"), ("_at_all", "i"),
                ("_all_begin", ""), ("_at_all_begin", ""), ("_ordered_begin", "")]
    for mpi, records, _ in both(folder, "files.c", 2):
        for rank, found in formed(folder, mpi, records).items():
            kinds = collections.Counter(kind for kind, _, _ in found)
            assert kinds == {"file_open": 2, "file_close": 2, "file_change": 10, "file_read": 15, "file_write": 15,
                             "barrier": 5}, (mpi.name, rank, kinds)
            file, own = (fields["file"] for kind, _, fields in found if kind == "file_open")
            assert file != own and count(found, "file_close", file=file, size=2) == 1
            assert count(found, "file_change", file=file, size=2) == 10
            for what in ("read", "write"):
                for way, prefix in alone:
                    assert count(found, "file_" + what, f"MPI_File_{prefix}{what}{way}", file=file, bytes=16, size=1,
                                 collective=0) == 1, (mpi.name, what, way, prefix)
                for way, prefix in together:
                    assert count(found, "file_" + what, f"MPI_File_{prefix}{what}{way}", file=file, bytes=16, size=2,
                                 collective=1) == 1, (mpi.name, what, way, prefix)
            assert count(found, "file_read", "MPI_File_read_at", bytes=0) == 1, "behind the end"
            assert count(found, "file_write", "MPI_File_write_all", file=own, size=1) == 1
        files = {fields["file"] for found in events(records).values() for kind, _, fields in found
                 if kind == "file_open" and fields["size"] == 2}
        assert len(files) == 1, (mpi.name, files)


def test_neighbours_and_persistent_collectives(folder):
    for mpi, records, _ in both(folder, "neighbours.c", 3):
        extension, times = ("MPIX", 2) if mpi.name == "openmpi" else ("MPI", 1)
        for rank, found in formed(folder, mpi, records).items():
            # A ring, a pair (rank 2 alone), and a star with rank 0 in its middle.
            degrees = [(2, 2), (1, 1), (0, 2) if rank == 0 else (1, 0)]
            given = {"allgather": lambda out: 8, "allgatherv": lambda out: 4}
            for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"):
                for sources, destinations in degrees:
                    size = given.get(name, lambda out: 4 * out)(destinations)
                    for function, wanted in ((f"MPI_Neighbor_{name}", 1), (f"MPI_Ineighbor_{name}", 1),
                                             (f"{extension}_Neighbor_{name}_init", times)):
                        assert count(found, "neighbour", function, sources=sources, destinations=destinations,
                                     size=3, bytes=size) == wanted, (mpi.name, rank, function, found)
                        if name in ("alltoallv", "alltoallw") and destinations:
                            assert count(found, "part", function, first=0, count=destinations, bytes=4) >= wanted
            for name, kind, size in (("Barrier", "barrier", None), ("Bcast", "broadcast", 8), ("Reduce", "reduce", 8),
                                     ("Gather", "reduce", 4), ("Gatherv", "reduce", 4), ("Scatter", "broadcast", 4),
                                     ("Scatterv", "broadcast", 4), ("Allreduce", "nxn", 12), ("Allgather", "nxn", 4),
                                     ("Allgatherv", "nxn", 4), ("Alltoall", "nxn", 12), ("Alltoallv", "nxn", 12),
                                     ("Alltoallw", "nxn", 12), ("Reduce_scatter", "nxn", 12),
                                     ("Reduce_scatter_block", "nxn", 12), ("Scan", "scan", 4), ("Exscan", "scan", 4)):
                values = {"bytes": size} if size else {}
                assert count(found, kind, f"{extension}_{name}_init", comm=1, size=3, **values) == times, (
                    mpi.name, name, found)


def test_other_worlds_and_operations_of_ones_own(folder):
    """Processes that the program starts run unharmed and are not recorded, which is told; what they share with the
    world that is recorded waits for nobody in the diagnosis."""
    for mpi, records, result in both(folder, "worlds.c", 3, unrecorded=mpi_spawns):
        found = formed(folder, mpi, records)
        assert all(count(each, "generalized", "MPI_Grequest_start") == 1 for each in found.values()), mpi.name
        if not mpi_spawns(mpi):
            continue
        assert "started by MPI_Comm_spawn" in result.stderr, result.stderr
        for rank, each in found.items():
            made = [(function, fields) for kind, function, fields in each if kind == "communicator"]
            for function in ("MPI_Comm_spawn", "MPI_Comm_spawn_multiple"):
                assert [fields["size"] for name, fields in made if name == function] == [3], (rank, function)
            assert sum(name == "MPI_Intercomm_merge" for name, _ in made) == 2
            # With the other world: a message each way of rank 0, three collectives, of three processes.
            foreign = {fields["new_comm"] for name, fields in made if "spawn" in name}
            assert count(each, "send", peer=-1) == count(each, "recv", peer=-1) == (2 if rank == 0 else 0)
            for comm in foreign:
                for kind in ("broadcast", "nxn", "barrier"):
                    assert count(each, kind, comm=comm, size=3) == 1, (rank, kind)
            assert count(each, "communicator_free", "MPI_Comm_disconnect", size=3) == 2
            # Ranks 0 and 1 meet at a port, and by a socket: both sides name what they share alike.
            met = [fields["new_comm"] for name, fields in made
                   if name in ("MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join")]
            assert len(met) == (2 if rank < 2 else 0), (rank, made)
            for comm in met:
                assert count(each, "barrier", comm=comm, size=2) == 1
                assert count(each, "send", comm=comm, peer=1 - rank) == 1
        assert len({fields["new_comm"] for each in found.values() for kind, function, fields in each
                    if function in ("MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join")}) == 2


def mpi_spawns(mpi):
    """Debian's MPICH 4.0 refuses to."""
    return mpi.name == "openmpi"


def more_large_counts(found, rank):
    assert count(found, "nxn", "MPI_Allreduce_init_c", size=4, bytes=8) == 1
    assert count(found, "neighbour", "MPI_Neighbor_alltoallv_c", sources=2, destinations=2, bytes=8) == 1
    assert count(found, "neighbour", "MPI_Ineighbor_allgather_c", sources=2, destinations=2, bytes=8) == 1
    assert count(found, "window", "MPI_Win_create_c", size=4) == 1
    assert count(found, "rma", "MPI_Put_c", target=(rank + 1) % 4, bytes=12) == 1
    assert count(found, "file_write", "MPI_File_write_at_all_c", size=4, bytes=16) == 1
    assert count(found, "file_read", "MPI_File_read_at_c", size=1, bytes=12) == 1
    assert count(found, "communicator", "MPI_Comm_idup_with_info", size=4) == 1


def later(folder, mpi, records, *arguments):
    for rank, found in formed(folder, mpi, records, *arguments).items():
        peer = 3 - rank
        for function, kind, size in (("Isend", "send", 12), ("Recv", "recv", 12), ("Irecv", "recv", 16),
                                     ("Issend", "send", 16), ("Sendrecv", "send", 8), ("Sendrecv", "recv", 8)):
            assert count(found, kind, f"MPI_{function}_c", peer=peer, bytes=size) == 1, (function, found)
        assert count(found, "send", "MPI_Issend_c", synchronous=1) == count(found, "send", synchronous=1) == 1
        for function, kind, size in (("Bcast", "broadcast", 20), ("Allreduce", "nxn", 8), ("Allgatherv", "nxn", 4),
                                     ("Alltoallv", "nxn", 16), ("Ireduce_scatter", "nxn", 16)):
            assert count(found, kind, f"MPI_{function}_c", size=4, bytes=size) == 1, (function, found)
        assert count(found, "buffer_detach", "MPI_Buffer_detach_c", bytes=4096) == 1
        if not arguments:
            more_large_counts(found, rank)
        for function in ("MPI_Isendrecv", "MPI_Isendrecv_replace"):
            assert count(found, "send", function, peer=peer, bytes=4) == 1, (function, found)
            assert count(found, "recv", function, peer=peer, bytes=4) == 1, (function, found)
        made = {0: "partitioned_send", 1: "partitioned_recv"}.get(rank)
        for kind in ("partitioned_send", "partitioned_recv"):
            assert count(found, kind, peer=1 - rank, tag=20, bytes=32, partitions=4) == 2 * (kind == made), found
        assert sum(fields["partitions"] for kind, _, fields in found if kind == "partition_ready") == 8 * (rank == 0)


def test_what_later_standards_brought(folder):
    """With MPI_Init, and with sessions alone: the recording then ends with the process."""
    for arguments in ((), ("sessions",)):
        for mpi, records, _ in both(folder, "later.c", 4, *arguments, only="mpich"):
            later(folder, mpi, records, *arguments)
            assert sum(record["kind"] == "process_end" for record in records) == 4
            made = "MPI_Comm_create_from_group" if arguments else "MPI_Comm_dup"
            assert sum(record["function"] == made for record in records) == 4


# ---- every function ----

def declared(mpi, folder):
    """The functions that the MPI's headers declare; those that are macros too."""
    source = story.write(folder, "all.c", "#include <mpi.h>\n#ifdef OPEN_MPI\n#include <mpi-ext.h>\n#endif\n")
    text = subprocess.run([mpi.compiler, "-E", "-P", "-dD", source], stdout=subprocess.PIPE, check=True, text=True).stdout
    found = re.findall(r"(typedef )?\b(?:int|double|MPI_\w+|define) +(MPIX?_\w+)\(", text)
    return {name for kind, name in found if not kind}


def test_every_function_is_recorded_or_it_is_said_why_not(folder):
    recorded, reasons = coverage.recorded(), coverage.reasons()
    known = set()
    for mpi in story.mpis():
        functions = declared(mpi, folder)
        known |= functions
        missing = functions - set(recorded) - set(reasons)
        assert not missing, f"{mpi.name}: neither recorded nor in kb/mpi/not-recorded: {sorted(missing)}"
    assert not set(recorded) & set(reasons), sorted(set(recorded) & set(reasons))
    unknown = (set(recorded) | set(reasons)) - known
    assert not unknown, f"no mpi.h declares {sorted(unknown)}"


def test_the_table_is_up_to_date():
    with open(os.path.join(story.ROOT, "docs", "coverage.md"), encoding="utf-8") as file:
        assert file.read() == coverage.table(), "run scripts/coverage.py > docs/coverage.md"


PRELOADED = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("%s\\n", getenv("LD_PRELOAD"));
    MPI_Finalize();
    return 0;
}
"""


def test_the_recorder_wraps_what_the_table_says(folder):
    """All of the table that the MPI's header declares, and no more."""
    recorded = set(coverage.recorded())
    for mpi in story.mpis():
        program = mpi.compile(story.write(folder, "preloaded.c", PRELOADED), os.path.join(folder, mpi.name))
        result = story.record(os.path.join(folder, mpi.name + ".trace"), mpi.command(1, program))
        library = re.search(rf"\S*/{mpi.name}-\w+-\w+\.so", result.stdout).group()
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True)
        # The names that Fortran calls are others; MPI_Pcontrol, with its open list of arguments, is support.c's own.
        wrapped = set(re.findall(r" T (MPIX?_[A-Z][a-z]\w+)$", symbols.stdout, re.M))
        wrapped -= (coverage.hooked() | {"MPI_Pcontrol"}) - recorded
        assert wrapped == recorded & declared(mpi, folder), wrapped ^ (recorded & declared(mpi, folder))


if __name__ == "__main__":
    story.main()
