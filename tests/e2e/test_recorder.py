"""What the recorder writes for every family of calls, and that the program does not notice it.

The programs are in recorder/.  Each runs bare and recorded under both MPIs: same output, same exit code, and
both MPIs give the same events.
"""
import collections
import os
import re
import shutil
import subprocess

import story
import streams

HERE = os.path.dirname(os.path.abspath(__file__))


def lines(result):
    """The program's own lines; ranks write in any order."""
    return story.rank_lines(result.stdout)


def both(folder, name, ranks, *arguments, same_code=True, only=None, unrecorded=lambda mpi: False):
    """Yields (mpi, records, result) for each MPI, or the `only` one, after comparing the recorded run with the bare one.
    `unrecorded(mpi)`: whether some processes are not, which is told."""
    source = os.path.join(HERE, "recorder", name)
    for mpi in story.mpis():
        if only not in (None, mpi.name):
            continue
        program = mpi.compile(source, os.path.join(folder, f"{mpi.name}.program"), "-w", "-pthread")
        command = mpi.command(ranks, program, *arguments)
        bare = story.run(*command)
        trace = os.path.join(folder, f"{mpi.name}-{'-'.join(arguments)}.trace")
        result = story.record(trace, command)
        assert lines(result) == lines(bare), (mpi.name, lines(result), lines(bare), result.stderr)
        assert lines(bare), bare.stderr
        if same_code:
            assert result.returncode == bare.returncode, (mpi.name, result.returncode, bare.returncode)
        problems = [each for each in os.listdir(trace) if each.endswith(".problem")]
        assert bool(problems) == unrecorded(mpi), problems
        yield mpi, streams.read(trace), result


def join(together, kind, record, fields):
    """Adds to the operations of a request what one more record of the call makes of it, or begins anew."""
    if not together or together[0][1]["call"] != record["call"]:
        together = []
    return together + [(kind, record, fields)]


def events(records):
    """Operations as the reader forms them: a list for each rank of (type, function, fields).  What one call makes of
    one request lives together.  What happens to requests that no record started (to MPI_PROC_NULL) is of no interest."""
    formed = collections.defaultdict(list)
    open_requests, persistent = collections.defaultdict(list), {}
    own = {"process_begin", "process_end", "define_site", "define_comm", "define_window", "clock", "clock_offset"}
    for record in records:
        kind, rank = re.sub(r"_\d+$", "", record["kind"]), record["rank"]  # recv_start_2: with other fields
        key = (rank, record.get("request"))
        fields = {name: value for name, value in record.items() if name not in HEADER}
        if kind in own:
            continue
        if kind.endswith("_init"):
            persistent[key] = join(persistent.get(key), kind[:-5], record, fields)
        elif kind.endswith("_start"):
            last = open_requests[key][-1] if open_requests[key] else None
            joined = join(last, kind[:-6], record, fields)
            open_requests[key][-1 if len(joined) > 1 else len(open_requests[key]):] = [joined]
        elif kind == "restart":
            if key in persistent:
                open_requests[key].append(persistent[key])
        elif kind == "continuation":
            open_requests[key].append(open_requests[(rank, record["from"])].pop(0))
        elif kind in ("completion", "completion_as_started"):
            if not open_requests[key]:
                continue
            for made, start, values in open_requests[key].pop(0):
                if made == "recv" and kind == "completion" and "Isendrecv" not in start["function"]:
                    if record["cancelled"]:
                        continue
                    values = dict(values, tag=record["tag"], bytes=record["bytes"])
                if made in ("file_read", "file_write"):
                    values = dict(values, bytes=record["bytes"])
                formed[rank].append((made, start["function"], values))
        elif kind == "release":
            for made, start, values in sum(open_requests.pop(key, []), []):
                formed[rank].append((made, start["function"], values))
            persistent.pop(key, None)
        else:
            formed[rank].append((kind, record["function"], fields))
    left = [entry for entries in open_requests.values() for entry in entries]
    assert not left, ("never completed", left)
    return formed


HEADER = {"kind", "rank", "thread", "end", "duration", "function", "site", "call", "lost", "request"}


def comparable(formed):
    return {rank: sorted((made, function, sorted(values.items())) for made, function, values in found)
            for rank, found in formed.items()}


def same_on_both(runs):
    """The events of the first run, after comparing all."""
    found = [(mpi.name, events(records)) for mpi, records, _ in runs]
    assert len(found) == 2
    for rank in found[0][1]:
        one, other = comparable(found[0][1])[rank], comparable(found[1][1])[rank]
        assert one == other, (rank, [each for each in one if each not in other],
                              [each for each in other if each not in one])
    return found[0][1]


def count(found, made, function=None, **values):
    return sum(1 for kind, called, fields in found if kind == made and function in (None, called)
               and all(fields[name] == value for name, value in values.items()))


def test_messages(folder):
    formed = same_on_both(both(folder, "messages.c", 4))
    lower, higher = formed[1], formed[0]  # ranks of the communicator are reversed
    for function, number, synchronous in (("MPI_Send", 1, 0), ("MPI_Bsend", 2, 0), ("MPI_Ssend", 3, 1), ("MPI_Rsend", 4, 0)):
        assert count(lower, "send", function, tag=number, bytes=4 * number, peer=0, synchronous=synchronous) == 1
        assert count(higher, "recv", tag=number, bytes=4 * number, peer=1 if number < 4 else -2) == 1
    for rank, peer in ((0, 1), (1, 0), (2, 3), (3, 2)):
        found = formed[rank]
        for made in ("send", "recv", "probe"):
            assert count(found, made, peer=-1) == 0  # MPI_PROC_NULL: there is no message
        for tag, function in ((10, "MPI_Sendrecv"), (11, "MPI_Sendrecv_replace")):
            assert count(found, "send", function, peer=peer, tag=tag, bytes=4) == 1
            assert count(found, "recv", function, peer=peer, tag=tag, bytes=4) == 1
        for tag in range(20, 27):
            assert count(found, "send", "MPI_Isend", peer=peer, tag=tag) == 4, tag
            assert count(found, "recv", "MPI_Irecv", peer=peer, tag=tag) == 4, tag
        assert count(found, "send", "MPI_Send_init", peer=peer, tag=40) == 4
        assert count(found, "recv", "MPI_Recv_init", peer=peer, tag=40) == 4
        assert count(found, "recv", tag=60) == 0  # cancelled
        assert count(found, "barrier", size=2) == 1
    assert count(lower, "send", "MPI_Issend", tag=61, synchronous=1) == 1  # freed
    assert count(higher, "probe", "MPI_Probe", peer=1, tag=50) == 1
    assert count(higher, "probe", "MPI_Mprobe", peer=1, tag=51) == 1
    assert count(higher, "recv", "MPI_Mprobe", peer=1, tag=51, bytes=4) == 1
    assert count(higher, "recv", "MPI_Improbe", peer=1, tag=52, bytes=4) == 1
    assert count(higher, "recv", "MPI_Recv", peer=1, tag=53) == 1


def test_collectives(folder):
    formed = same_on_both(both(folder, "collectives.c", 4))
    for rank in range(4):
        found = formed[rank]
        world = [each for each in found if each[2].get("comm") == 1]
        for function, made, size in (("Bcast", "broadcast", 8), ("Scatter", "broadcast", 4), ("Scatterv", "broadcast", 4),
                                     ("Reduce", "reduce", 8), ("Gather", "reduce", 4), ("Gatherv", "reduce", 4),
                                     ("Allreduce", "nxn", 12), ("Allgather", "nxn", 4), ("Allgatherv", "nxn", 4),
                                     ("Alltoall", "nxn", 16), ("Alltoallv", "nxn", 16), ("Alltoallw", "nxn", 16),
                                     ("Reduce_scatter", "nxn", 16), ("Reduce_scatter_block", "nxn", 16),
                                     ("Scan", "scan", 4), ("Exscan", "scan", 4)):
            for name in ("MPI_" + function, "MPI_I" + function.lower()):
                total = count(world, made, name)
                assert total >= 1 and count(world, made, name, bytes=size, size=4) == total, (rank, name)
                if made in ("broadcast", "reduce"):
                    assert count(world, made, name, root=1, is_root=int(rank == 1)) == total, (rank, name)
        assert count(world, "barrier", "MPI_Barrier") == count(world, "barrier", "MPI_Ibarrier") == 1
        assert count(found, "nxn", comm=2, size=1) == 1
        # On the intercommunicator both groups take part; rank 0 is the root, and rank 1 its bystander.
        inter = {fields["comm"] for kind, called, fields in found if called == "MPI_Reduce" and fields["comm"] != 1}
        assert len(inter) == 1
        inter = inter.pop()
        assert count(found, "barrier", comm=inter, size=4) == 1
        root = {0: (0, 1), 1: (-1, 0), 2: (0, 0), 3: (0, 0)}[rank]
        assert count(found, "broadcast", "MPI_Bcast", comm=inter, root=root[0], is_root=root[1]) == 1
        assert count(found, "communicator", "MPI_Intercomm_create", comm=inter, size=4) == 1
        if rank % 2 == 0:
            assert count(found, "send", "MPI_Sendrecv_replace", comm=inter, peer=2 - rank) == 1
            assert count(found, "recv", "MPI_Sendrecv_replace", comm=inter, peer=2 - rank) == 1


def test_communicators_have_one_identity(folder):
    for mpi, records, _ in both(folder, "communicators.c", 4):
        members, made, used = {}, collections.Counter(), collections.defaultdict(set)
        for record in records:
            if record["kind"] == "define_comm":
                members.setdefault(record["identity"], record["members"])
                assert members[record["identity"]] == record["members"], mpi.name
                assert record["rank"] in record["members"]
                made[record["identity"]] += 1
            if record["kind"] == "barrier":
                used[record["comm"]].add(record["rank"])
        for comm, ranks in members.items():
            assert comm > 2 and made[comm] == len(ranks), (mpi.name, comm, ranks, made[comm])
        for comm, ranks in used.items():
            assert ranks == set(members[comm]), (mpi.name, comm, ranks)
        constructions = collections.Counter(
            (fields["comm"], function, fields["size"])
            for found in events(records).values() for kind, function, fields in found if kind == "communicator")
        for (_, function, size), times in constructions.items():
            assert times % size == 0, (mpi.name, function, size, times)


def test_windows(folder):
    formed = same_on_both(both(folder, "windows.c", 3))
    windows = {fields["window"] for kind, _, fields in formed[0] if kind == "window"}
    assert len(windows) == 4
    for rank, found in formed.items():
        assert {fields["window"] for kind, _, fields in found if kind == "window"} == windows
        assert count(found, "window_free", size=3) == 4 and count(found, "window_change", size=3) == 2
        assert count(found, "fence", size=3) == 10
        following = (rank + 1) % 3
        assert count(found, "lock", "MPI_Win_lock", target=0, exclusive=1) == 2
        assert count(found, "lock", "MPI_Win_lock", target=following, exclusive=0) == 2
        for target in range(3):
            assert count(found, "lock", "MPI_Win_lock_all", target=target, exclusive=0) == 3
            assert count(found, "unlock", "MPI_Win_unlock_all", target=target) == 3
        assert count(found, "unlock", "MPI_Win_unlock") == 4
        assert count(found, "flush", "MPI_Win_flush", target=0) == 2
        assert count(found, "flush", "MPI_Win_flush_all") == count(found, "flush", "MPI_Win_flush_local_all") == 6
        assert count(found, "rma", target=-1) == 0, "to MPI_PROC_NULL"
        for function in ("Get", "Accumulate", "Fetch_and_op", "Get_accumulate", "Compare_and_swap", "Rput", "Rget",
                         "Raccumulate", "Rget_accumulate"):
            assert count(found, "rma", "MPI_" + function, bytes=4, exposed=0) == 2, function
        assert count(found, "rma", "MPI_Put", exposed=1, target=0) == (4 if rank else 0)
        assert count(found, "start", target=0) == count(found, "complete", target=0) == (4 if rank else 0)
        for origin in (1, 2):
            assert count(found, "post", origin=origin) == (0 if rank else 4)
            assert count(found, "exposure_wait", "MPI_Win_wait", origin=origin) == (0 if rank else 2)
            assert count(found, "exposure_wait", "MPI_Win_test", origin=origin) == (0 if rank else 2)


def bytes_per_call(trace):
    """Of the streams of all ranks, without what a stream holds once (it is short against the rest)."""
    folder = os.path.join(trace, "ctf")
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name != "metadata")
    return size / sum(streams.calls(trace).values())


def test_a_record_is_short(folder):
    for traffic, ranks, rounds, most in (("ping-pong", 2, 20000, 17), ("halo", 4, 4000, 24)):
        for mpi, records, _ in both(folder, "traffic.c", ranks, traffic, str(rounds)):
            size = bytes_per_call(os.path.join(folder, f"{mpi.name}-{traffic}-{rounds}.trace"))
            print(f"        {traffic} under {mpi.name}: {size:.1f} bytes per call")
            assert size <= most, (mpi.name, traffic, size)
            if traffic == "halo":
                ended = collections.Counter(record["kind"] for record in records if record["kind"].startswith("compl"))
                assert ended["completion_as_started"] == 8 * rounds * ranks and not ended["completion"], ended


def test_calls_without_a_record_are_counted(folder):
    for mpi, records, _ in both(folder, "traffic.c", 2, "tests", "3000"):
        assert sum(record["call"] > 0 for record in records) < 10, mpi.name
        trace = os.path.join(folder, f"{mpi.name}-tests-3000.trace")
        assert all(3000 <= calls < 3010 for calls in streams.calls(trace).values()), streams.calls(trace)
        assert story.diagnose(trace)["run"]["recording"]["cost_s"] > 0, mpi.name


def test_errors_that_are_returned(folder):
    for mpi, records, _ in both(folder, "errors.c", 2):
        for rank in range(2):
            mine = [record for record in records if record["rank"] == rank]
            kinds = collections.Counter(record["kind"] for record in mine)
            assert kinds["send"] == 6 and kinds["recv_start"] == 3 and kinds["recv"] == 3, (mpi.name, kinds)
            channel = [record for record in mine if record["kind"] == "recv"]
            assert {(record["tag"], record["peer"]) for record in channel} == {(3, rank)}, channel
            assert kinds["broadcast"] == kinds["reduce"] == kinds["send_start"] == 0, (mpi.name, kinds)
            # MPICH gives up at the first failure, Open MPI does not notice it; a message that was cut was received.
            ended = kinds["completion"] + kinds["completion_as_started"]
            assert ended == {"openmpi": 3, "mpich": 2}[mpi.name], (mpi.name, kinds)
            assert kinds["barrier"] == 1 and kinds["process_end"] == 1, (mpi.name, kinds)
        diagnosis = story.diagnose(os.path.join(folder, f"{mpi.name}-.trace"))
        # Of MPICH the second receive of MPI_Waitall was never completed.
        assert diagnosis["run"]["recording"]["unmatched"] == {"openmpi": 0, "mpich": 2}[mpi.name], diagnosis["run"]


def test_threads_have_streams(folder):
    for mpi, records, _ in both(folder, "threads.c", 2):
        per_thread = collections.Counter((record["rank"], record["thread"]) for record in records
                                         if record["kind"] == "send_start")
        assert per_thread == {(rank, thread): 500 for rank in range(2) for thread in range(4)}, (mpi.name, per_thread)
        assert all(record["thread"] == 0 for record in records if record["kind"] in ("process_begin", "process_end"))


def test_what_mpi_calls_itself_is_not_recorded(folder):
    for parts in ("ompio", "romio321"):  # Open MPI has ROMIO too
        os.environ.update(OMPI_MCA_io=parts, OWN_FILE=os.path.join(folder, "file"))
        for mpi, records, _ in both(folder, "own.c", 2, parts):
            found = collections.Counter(record["function"] for record in records if record["function"])
            assert found == {"MPI_File_open": 2, "MPI_Barrier": 4, "MPI_File_close": 2}, (mpi.name, parts, found)
    del os.environ["OMPI_MCA_io"], os.environ["OWN_FILE"]


def test_cplusplus(folder):
    for mpi, records, _ in both(folder, "classes.cpp", 3):
        kinds = collections.Counter(record["kind"] for record in records)
        assert kinds["nxn"] == 3 and kinds["barrier"] == 3 and kinds["communicator"] == 3, (mpi.name, kinds)


def sendrecvs(records):
    return collections.Counter(record["rank"] for record in records
                               if record["kind"] == "recv" and record["function"] == "MPI_Sendrecv_replace")


def test_every_end_leaves_what_was_recorded(folder):
    for way in ("finalize", "exit", "_exit", "exec", "abort", "kill", "term", "segv"):
        for mpi, records, result in both(folder, "ends.c", 2, way, same_code=way in ("finalize", "abort")):
            assert sendrecvs(records) == {0: 20000, 1: 20000}, (mpi.name, way, sendrecvs(records))
            finished = {record["rank"] for record in records if record["kind"] == "process_end"}
            assert finished == ({0, 1} if way == "finalize" else set()), (mpi.name, way, finished)
            diagnosis = story.diagnose(os.path.join(folder, f"{mpi.name}-{way}.trace"))
            assert diagnosis["run"]["exit_code"] == result.returncode, (mpi.name, way, diagnosis["run"])
            assert any("did not reach MPI_Finalize" in each for each in diagnosis["warnings"]) == (way != "finalize"), (
                mpi.name, way, diagnosis["warnings"])


def test_a_forked_child_is_not_recorded(folder):
    for mpi, records, _ in both(folder, "ends.c", 2, "fork"):
        assert sendrecvs(records) == {0: 20000, 1: 20000}, mpi.name
        lone = [record["rank"] for record in records if record["kind"] == "barrier" and record["comm"] == 2]
        assert sorted(lone) == [0, 1], (mpi.name, lone)


def test_the_header_of_the_process(folder):
    for mpi, records, _ in both(folder, "classes.cpp", 1):
        begin = records[0]
        assert begin["kind"] == "process_begin" and begin["size"] == 1
        assert begin["executable"] == os.path.realpath(os.path.join(folder, f"{mpi.name}.program"))
        assert re.match({"openmpi": r"Open MPI \d", "mpich": r"MPICH \d"}[mpi.name], begin["library"]), begin
        assert 10_000 < begin["cost_ps"] < 10_000_000, begin
        assert records[-1]["kind"] == "process_end"


def test_call_sites_name_the_line(folder):
    source = os.path.join(HERE, "recorder", "ends.c")
    with open(source, encoding="utf-8") as file:
        wanted = [number for number, line in enumerate(file, 1) if "MPI_Sendrecv_replace" in line]
    for mpi, records, _ in both(folder, "ends.c", 2):
        sites = {(record["rank"], record["id"]): record for record in records if record["kind"] == "define_site"}
        used = {sites[(record["rank"], record["site"])]["offset"] for record in records
                if record["function"] == "MPI_Sendrecv_replace"}
        assert len(used) == 1, used  # one place, whatever the address the program was loaded at
        module = next(iter(sites.values()))["module"]
        shown = subprocess.run(["addr2line", "-e", module, hex(used.pop())], stdout=subprocess.PIPE, text=True)
        assert re.search(rf"ends\.c:{wanted[0]}\b", shown.stdout), (mpi.name, shown.stdout)


def test_no_room(folder):
    """A limit for file sizes, which a write across would answer with a signal: recording stops, the program not."""
    for mpi in story.mpis():
        program = mpi.compile(os.path.join(HERE, "recorder", "ends.c"), os.path.join(folder, mpi.name), "-w")
        trace = os.path.join(folder, mpi.name + ".trace")
        result = story.record(trace, mpi.command(2, program, "limit"))
        assert result.returncode == 0, (mpi.name, result.returncode, result.stderr)
        assert len(lines(result)) == 2, result.stdout
        records = streams.read(trace)
        assert {record["rank"] for record in records if record["kind"] == "process_end"} == {0, 1}
        lost = {record["rank"]: record["lost"] for record in records if record["kind"] == "process_end"}
        assert all(value > 1000 for value in lost.values()), lost
        for rank in range(2):
            kept = sendrecvs(records)[rank]
            assert 2000 < kept < 20000, kept
            path = os.path.join(trace, f"rank-{rank}.problem")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    assert "no room" in file.read()


def test_a_full_disk(folder):
    """A small file system: recording stops when it is full, the line about it still fits, and all is diagnosed."""
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    mounted = story.run("mount", "-t", "tmpfs", "-o", "size=900k", "tmpfs", disk)
    if mounted.returncode != 0:
        story.skip("no file system can be mounted here: " + mounted.stderr.strip())
    try:
        for mpi in story.mpis():
            program = mpi.compile(os.path.join(HERE, "recorder", "ends.c"), os.path.join(folder, mpi.name), "-w")
            bare = story.run(*mpi.command(2, program))
            trace = os.path.join(disk, mpi.name)
            result = story.record(trace, mpi.command(2, program))
            assert result.returncode == bare.returncode and lines(result) == lines(bare), (mpi.name, result.stderr)
            assert "no room for the trace" in result.stderr, (mpi.name, result.stderr)
            diagnosis = story.diagnose(trace)
            assert diagnosis["run"]["recording"]["lost"] > 1000, (mpi.name, diagnosis["run"])
            assert diagnosis["run"]["recording"]["events"] > 2000, (mpi.name, diagnosis["run"])
            assert any("discard" in warning for warning in diagnosis["warnings"]), diagnosis["warnings"]
            shutil.rmtree(trace)
    finally:
        story.run("umount", disk)


def test_a_folder_that_is_not_shared(folder):
    """Rank 1 sees another folder under the trace's name, first none at all and then one with an older trace: it
    records there, the launcher's folder tells who is missing, and a copy makes the trace whole."""
    for mpi in story.mpis():
        trace, elsewhere = os.path.join(folder, mpi.name), os.path.join(folder, mpi.name + ".node", "deep")
        script = story.write(folder, "node", "#!/bin/sh\n"
                             f"test ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} = 1 && export WHYSLOW_TRACE={elsewhere}\n"
                             "exec \"$@\"\n")
        os.chmod(script, 0o755)
        for _ in range(2):
            result = story.record(trace, mpi.command(2, script, barriers(folder, mpi)))
            assert result.returncode == 0 and len(lines(result)) == 2, (mpi.name, result.stderr)
            assert os.listdir(os.path.join(elsewhere, "ctf")) == ["rank-1.thread-0"], mpi.name
            told = [warning for warning in story.diagnose(trace)["warnings"] if warning.startswith("rank 1 left no")]
            assert told and "copy" in told[0], told
            alone = story.whyslow("diagnose", elsewhere)
            assert alone.returncode != 0 and "copy" in alone.stderr, (mpi.name, alone.stderr)
            shutil.copy(os.path.join(elsewhere, "ctf", "rank-1.thread-0"), os.path.join(trace, "ctf"))
            diagnosis = story.diagnose(trace)
            assert not [warning for warning in diagnosis["warnings"] if "left no" in warning], diagnosis["warnings"]
            assert diagnosis["run"]["recording"]["events"] == 10, (mpi.name, diagnosis["run"])


def test_what_programs_do_to_their_own_process(folder):
    """They close descriptors, clear the environment, leave calls by longjmp, pass NULL: nothing is lost."""
    for way in ("descriptors", "unset", "clearenv", "jump", "null"):
        for mpi, records, _ in both(folder, "hostile.c", 2, way):
            assert sendrecvs(records) == {0: 12010, 1: 12010}, (mpi.name, way, sendrecvs(records))
            assert sum(record["kind"] == "process_end" for record in records) == 2, (mpi.name, way)


def test_no_file_may_grow(folder):
    """With a limit of 0 even a line about the trouble would end the program."""
    for mpi, records, _ in both(folder, "hostile.c", 2, "nofiles"):
        lost = {record["rank"]: record["lost"] for record in records if record["kind"] == "process_end"}
        assert sorted(lost) == [0, 1] and all(value > 1000 for value in lost.values()), (mpi.name, lost)


TOOL = """
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Barrier(MPI_Comm comm) { calls++; return PMPI_Barrier(comm); }
int MPI_Finalize(void) { printf("rank tool: %d\\n", calls); return PMPI_Finalize(); }
"""
BARRIERS = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d\\n", rank, size);
    MPI_Finalize();
    return 0;
}
"""


def barriers(folder, mpi, *flags):
    source = story.write(folder, "barriers.c", BARRIERS)
    return mpi.compile(source, os.path.join(folder, f"{mpi.name}.barriers"), *flags)


def test_a_preloaded_tool_still_works(folder):
    for mpi in story.mpis():
        tool = mpi.compile(story.write(folder, "tool.c", TOOL), os.path.join(folder, mpi.name + ".so"), "-shared", "-fPIC")
        command = ["env", "LD_PRELOAD=" + tool] + mpi.command(2, barriers(folder, mpi))
        trace = os.path.join(folder, mpi.name + ".trace")
        result = story.run("env", "LD_PRELOAD=" + tool, story.WHYSLOW, "record", "-o", trace, "--", *command[2:])
        assert lines(result) == lines(story.run(*command)) and "rank tool: 5" in lines(result), result.stdout
        found = collections.Counter(record["kind"] for record in streams.read(trace))
        assert found["barrier"] == 10 and found["process_end"] == 2, (mpi.name, found)


def test_a_program_with_the_address_sanitizer(folder):
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name + ".trace")
        result = story.record(trace, mpi.command(2, barriers(folder, mpi, "-fsanitize=address")))
        assert result.returncode == 0 and len(lines(result)) == 2, (mpi.name, result.stderr)
        assert len(streams.read(trace)) > 10, mpi.name
    del os.environ["ASAN_OPTIONS"]


def test_a_second_world_is_told_and_not_mixed_in(folder):
    for mpi in story.mpis():
        program, trace = barriers(folder, mpi), os.path.join(folder, mpi.name + ".trace")
        result = story.record(trace, ["sh", "-c", " ".join(mpi.command(2, program) + [";"] + mpi.command(3, program))])
        assert len(lines(result)) == 5 and "another world" in result.stderr, (mpi.name, result.stderr)
        assert {record["rank"] for record in streams.read(trace)} == {0, 1}, mpi.name


def test_a_program_of_another_mpi_than_it_seems(folder):
    """The program's name is hidden, and the usual mpirun is of one MPI: that of the other runs unharmed."""
    for mpi in story.mpis():
        hidden = f"launch={mpi.launcher}; $launch -n 2 {barriers(folder, mpi)[:-1]}*"
        trace = os.path.join(folder, mpi.name + ".trace")
        result = story.record(trace, ["sh", "-c", hidden])
        assert result.returncode in (0, 1) and len(lines(result)) == 2, (mpi.name, result.stdout, result.stderr)
        assert "is not the one" in result.stderr or len(streams.read(trace)) > 10, (mpi.name, result.stderr)


def test_nothing_is_printed_or_left_without_a_trace(folder):
    """The library without its environment passes calls through."""
    mpi = story.mpis()[1]
    program = mpi.compile(os.path.join(HERE, "recorder", "ends.c"), os.path.join(folder, "program"), "-w")
    trace = os.path.join(folder, "trace")
    hide = f"unset WHYSLOW_TRACE; exec {program}"
    result = story.record(trace, mpi.command(2, "sh", "-c", hide))
    assert result.returncode == 0 and len(lines(result)) == 2, result.stderr
    assert not [name for name in os.listdir(os.path.join(trace, "ctf")) if name.startswith("rank-")]


if __name__ == "__main__":
    story.main()
