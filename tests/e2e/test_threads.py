"""Programs that call MPI from several threads at once: same output, every thread's events, the right diagnosis.

What threads share inside the recorder is tested under ThreadSanitizer in tests/tracegen/test_threads.c.
"""
import collections
import os
import subprocess

import story
import streams
from test_recorder import lines

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "threads")


def recorded(folder, mpi, program):
    """The folder of the trace, after comparing the recorded run with the bare one."""
    command, trace = mpi.command(2, program), os.path.join(folder, mpi.name + ".trace")
    bare, result = story.run(*command), story.record(trace, command)
    assert len(lines(bare)) == 2 and lines(result) == lines(bare), (mpi.name, bare.stdout, result.stdout, result.stderr)
    assert result.returncode == bare.returncode == 0, (mpi.name, result.returncode, bare.returncode)
    return trace


def calls(trace):
    """How often each function was called on each thread of each rank."""
    counted = collections.defaultdict(collections.Counter)
    for rank, thread, function, _ in {(record["rank"], record["thread"], record["function"], record["call"])
                                      for record in streams.read(trace) if record["function"]}:
        counted[rank, thread][function] += 1
    return counted


def late_sender(trace, called):
    """The late senders that calls of this function waited for, with the site of the wait and of the cause."""
    for problem in story.diagnose(trace)["problems"]:
        waiting = next(each for each in problem["sites"] if each["waits"])
        if problem["id"] == "late-sender" and waiting["called"] == called:
            return problem, waiting, next(each for each in problem["sites"] if each["causes"])
    raise AssertionError(story.whyslow("diagnose", trace).stdout)


def test_a_request_is_completed_by_another_thread(folder):
    for mpi in story.mpis():
        program = mpi.compile(os.path.join(HERE, "handed_over.c"), os.path.join(folder, mpi.name), "-pthread")
        trace = recorded(folder, mpi, program)
        found = calls(trace)
        by_function = {(rank, function): count for (rank, thread), functions in found.items()
                       for function, count in functions.items()}
        threads = {(rank, function): thread for (rank, thread), functions in found.items() for function in functions}
        assert by_function[1, "MPI_Irecv"] == by_function[1, "MPI_Wait"] == by_function[0, "MPI_Send"] == 10, found
        assert by_function[0, "MPI_Sendrecv"] == by_function[1, "MPI_Sendrecv"] == 50, found
        assert len({threads[1, name] for name in ("MPI_Irecv", "MPI_Wait", "MPI_Sendrecv")}) == 3, found
        problem, waiting, causing = late_sender(trace, "MPI_Wait")
        assert 0.04 < problem["duration_s"], problem
        assert [each["rank"] for each in problem["ranks"]] == [1], problem
        assert [each["rank"] for each in problem["causes"]] == [0], problem
        assert waiting["function"] == "take", waiting
        assert (causing["called"], causing["function"]) == ("MPI_Send", "send_late"), causing


def test_an_openmp_team(folder):
    with open(os.path.join(HERE, "team.f90"), encoding="utf-8") as file:
        source = file.read().splitlines()
    for mpi in story.mpis():
        program = os.path.join(folder, mpi.name)
        subprocess.run([mpi.compiler.replace("mpicc", "mpif90"), "-g", "-O0", "-fopenmp", "-J", folder,
                        os.path.join(HERE, "team.f90"), "-o", program], check=True)
        trace = recorded(folder, mpi, program)
        assert calls(trace) == {(rank, thread): {name: 10} for rank, name in ((0, "MPI_Send"), (1, "MPI_Recv"))
                                for thread in range(3)}, calls(trace)
        problem, waiting, causing = late_sender(trace, "MPI_Recv")
        assert 0.04 < problem["duration_s"], problem
        assert [each["rank"] for each in problem["ranks"]] == [1], problem
        assert [each["rank"] for each in problem["causes"]] == [0], problem
        for each, text in ((waiting, "call MPI_Recv("), (causing, "call MPI_Send(")):
            assert each["file"].endswith("team.f90") and each["function"] == "work", each
            assert text in source[each["line"] - 1], each


if __name__ == "__main__":
    story.main()
