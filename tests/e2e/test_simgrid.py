"""SimGrid's SMPI as an MPI like the others: hundreds of ranks in one process, in simulated time.

What is planted here is planted in virtual time, so that durations are exact on a busy machine too.
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import story

CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix=".site" radical="0-63" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
"""
QUIET = ["--cfg=smpi/simulate-computation:no", "--log=root.thres:error"]

# Rank 1 computes 100 ms of virtual time longer before each of four messages to rank 0; everybody prints the time.
LATE = """#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 4; i++) {
        if (rank == 1) {
            usleep(100000);
            MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    printf("rank %d of %d at %.9f\\n", rank, size, MPI_Wtime());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("rank %d done at %.9f\\n", rank, MPI_Wtime());
    return ENDS_WITH;
}
"""

# All kinds of calls that the recorder looks at, with ranks that take turns within them: whose statics are whose shows.
MANY = """#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, half, sum, in[4] = {0}, out[4] = {1, 2, 3, 4};
    double memory[4] = {0};
    MPI_Comm part;
    MPI_Win window;
    MPI_Request request[2], persistent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    MPI_Comm_rank(part, &half);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Send_init(out, 4, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &persistent);
    for (int i = 0; i < 5; i++) {
        usleep(1000 * (rank % 3));
        MPI_Irecv(in, 4, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &request[0]);
        MPI_Start(&persistent);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
        MPI_Bcast(out, 4, MPI_INT, 0, part);
        MPI_Win_fence(0, window);
        MPI_Put(&memory[0], 1, MPI_DOUBLE, (rank + 1) % size, 1, 1, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD);
    }
    MPI_Request_free(&persistent);
    MPI_Win_free(&window);
    MPI_Comm_free(&part);
    printf("rank %d: %d at %.9f\\n", rank, sum, MPI_Wtime());
    MPI_Finalize();
    return 0;
}
"""

FORTRAN = """      program late
      include 'mpif.h'
      integer ierr, rank, number, i, status(MPI_STATUS_SIZE)
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      number = 1
      do i = 1, 3
        if (rank .eq. 0) then
          call smpi_execute_flops(1d8)
          call MPI_Send(number, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierr)
        else
          call MPI_Recv(number, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, status, ierr)
        end if
      end do
      call MPI_Finalize(ierr)
      end program
"""


def needed():
    if not shutil.which("smpirun"):
        story.skip("SimGrid (libsimgrid-dev) is not installed")


def platform(folder):
    cluster = story.write(folder, "cluster.xml", CLUSTER)
    hosts = story.write(folder, "hosts", "".join(f"node-{i}.site\n" for i in range(64)))
    return ["-platform", cluster, "-hostfile", hosts, *QUIET]


def compiled(folder, text, name="program", suffix=".c", compiler=("smpicc", "-g", "-O1")):
    source = story.write(folder, name + suffix, text)
    program = os.path.join(folder, name)
    result = story.run(*compiler, source, "-o", program)
    assert result.returncode == 0, result.stderr
    return program


def command(folder, ranks, program):
    return ["smpirun", "-np", ranks, *platform(folder), program]


def test_recording_changes_neither_output_nor_simulated_time():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        for name, text, ranks in (("late", LATE.replace("ENDS_WITH", "0"), 4), ("many", MANY, 12),
                                  ("ends", LATE.replace("ENDS_WITH", "rank == 2 ? 5 : 0"), 4)):
            words = command(folder, ranks, compiled(folder, text, name))
            bare = story.run(*words)
            recorded = story.record(os.path.join(folder, "trace"), words, "-q")
            assert "at 0." in bare.stdout, bare
            assert recorded.stdout == bare.stdout, (name, bare.stdout, recorded.stdout)
            assert recorded.returncode == bare.returncode == (5 if name == "ends" else 0), (bare, recorded)
            assert recorded.stderr == bare.stderr, (name, bare.stderr, recorded.stderr)


def test_the_trace_has_the_simulated_time():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, LATE.replace("ENDS_WITH", "0"), compiler=(story.WHYSLOW, "cc", "-O1"))
        story.record(os.path.join(folder, "trace"), command(folder, 4, program))
        diagnosis = story.diagnose(os.path.join(folder, "trace"))
        assert diagnosis["run"]["mpi"].startswith("SMPI "), diagnosis["run"]
        assert not diagnosis["run"].get("warnings") and not diagnosis.get("warnings"), diagnosis
        late = story.by_id(diagnosis)["late-sender"]
        assert abs(late - 0.4) < 1e-3, late
        text = story.whyslow("diagnose", os.path.join(folder, "trace")).stdout
        assert "program.c:13" in text and "program.c:15" in text, text


def test_all_kinds_of_calls_of_ranks_that_take_turns():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        story.record(os.path.join(folder, "trace"), command(folder, 12, compiled(folder, MANY)))
        diagnosis = story.diagnose(os.path.join(folder, "trace"), "--threshold", "0")
        assert not diagnosis.get("warnings"), diagnosis["warnings"]
        for each in diagnosis.get("unmatched", []):
            assert not each, diagnosis["unmatched"]
        exchange = json.loads(story.whyslow("exchange", "--json", os.path.join(folder, "trace")).stdout)
        pairs = {(pair["from"], pair["to"]): pair for pair in exchange["pairs"]}
        # Each rank gives its neighbour five messages of 16 bytes and five doubles.
        for rank in range(12):
            assert pairs[rank, (rank + 1) % 12]["bytes"] >= 5 * 16 + 5 * 8, pairs


def test_the_planted_problems_in_virtual_time():
    needed()
    result = story.whyslow("kb", "test", "--mpi", "simgrid", "--json", "late-sender", "late-receiver", "early-reduce",
                           "late-broadcast", "wait-at-nxn", "wait-at-barrier", "wait-at-window-create",
                           "mpi/lock-contention", "late-post", "early-wait")
    tests = json.loads(result.stdout)["tests"]
    assert len(tests) > 40, tests
    for test in tests:
        if (test["problem"], test["program"]) == ("wait-at-barrier", "positive_nonblocking.c"):
            continue  # SMPI's MPI_Ibarrier lets all but its root go on before the others have come
        assert test["passed"] and test["tries"] == 1, test
        if test["expect"]:
            assert abs(test["found_s"] / test["planted_s"] - 1) < 0.01, test


def test_hundreds_of_ranks():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, LATE.replace("ENDS_WITH", "0"))
        for ranks, seconds in ((128, 20), (1024, 60)):
            trace = os.path.join(folder, f"trace-{ranks}")
            begin = time.monotonic()
            result = story.record(trace, command(folder, ranks, program))
            diagnosis = story.diagnose(trace)
            assert time.monotonic() - begin < seconds, time.monotonic() - begin
            assert result.returncode == 0 and f"recorded {ranks} processes" in result.stderr, result.stderr
            assert diagnosis["run"]["ranks"] == ranks, diagnosis["run"]
            assert not diagnosis.get("warnings"), diagnosis["warnings"]
            # All but the two that talk wait in the barrier from the beginning on.
            assert abs(story.by_id(diagnosis)["wait-at-barrier"] / ((ranks - 2) * 0.4) - 1) < 0.01, diagnosis["problems"]


def test_the_examples_on_128_ranks():
    """What they compute is not measured here: their messages alone, in the time of the cluster."""
    needed()
    with tempfile.TemporaryDirectory() as folder:
        for name, problem in (("jacobi_before", "wait-at-nxn"), ("heart_before", "wait-at-barrier")):
            program = os.path.join(folder, name)
            source = os.path.join(story.ROOT, "examples", name + ".c")
            assert story.whyslow("cc", "-O2", source, "-o", program, "-lm").returncode == 0
            begin = time.monotonic()
            recorded = story.record(os.path.join(folder, "trace"), command(folder, 128, program))
            diagnosis = story.diagnose(os.path.join(folder, "trace"))
            assert time.monotonic() - begin < 60, time.monotonic() - begin
            assert recorded.returncode == 0 and not diagnosis.get("warnings"), (recorded.stderr, diagnosis["warnings"])
            assert problem in story.by_id(diagnosis), diagnosis["problems"]


def test_programs_that_are_not_copied_for_each_rank():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, MANY)
        words = command(folder, 6, program)
        for way in ("no", "mmap"):
            bare = story.run("env", f"SMPI_PRIVATIZATION={way}", *words)
            result = story.record(os.path.join(folder, "trace"), ["env", f"SMPI_PRIVATIZATION={way}", *words])
            assert result.returncode == bare.returncode == 0 and result.stdout == bare.stdout, (way, bare, result)
            assert story.diagnose(os.path.join(folder, "trace"))["run"]["ranks"] == 6, way


def test_a_thousand_ranks_need_few_open_files():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        words = command(folder, 300, compiled(folder, LATE.replace("ENDS_WITH", "0")))
        result = story.run("sh", "-c", 'ulimit -n 64; exec "$@"', "sh", story.WHYSLOW, "record", "-o",
                           os.path.join(folder, "trace"), "--", *words)
        assert result.returncode == 0 and "recorded 300 processes" in result.stderr, result.stderr


def test_fortran():
    needed()
    if not shutil.which("gfortran"):
        story.skip("gfortran is not installed")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, FORTRAN, suffix=".f90",
                           compiler=(story.WHYSLOW, "cc", "-ffree-form"))
        story.record(os.path.join(folder, "trace"), command(folder, 2, program))
        late = story.by_id(story.diagnose(os.path.join(folder, "trace")))["late-sender"]
        assert abs(late - 0.3) < 1e-2, late


def test_a_run_that_is_killed_or_aborts():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        text = LATE.replace("ENDS_WITH", "0").replace("MPI_Barrier(MPI_COMM_WORLD);", "STOP")
        aborts = compiled(folder, text.replace("STOP", "if (rank == 2) MPI_Abort(MPI_COMM_WORLD, 3);"), "aborts")
        words = command(folder, 4, aborts)
        bare = story.run(*words)
        result = story.record(os.path.join(folder, "aborted"), words)
        assert result.returncode == bare.returncode, (bare, result)
        assert story.diagnose(os.path.join(folder, "aborted"))["run"]["ranks"] == 4
        spins = compiled(folder, text.replace("STOP", "if (rank == 1) for (volatile int i = 0;; i++) ;"), "spins")
        trace = os.path.join(folder, "killed")
        process = subprocess.Popen([story.WHYSLOW, "record", "-o", trace, "--", *map(str, command(folder, 4, spins))],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not os.path.exists(os.path.join(trace, "ctf", "rank-3.thread-0")):
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        diagnosis = story.diagnose(trace)
        # Rank 1 never let rank 0 run again after its fourth message.
        assert abs(story.by_id(diagnosis)["late-sender"] - 0.3) < 1e-3, diagnosis["problems"]


if __name__ == "__main__":
    story.main()
