"""Bad input: a clear message, the right exit code, and nothing lost."""
import json
import os
import shutil
import signal
import subprocess
import time

import story

LATE_SENDER = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
/* Rank 0 sends 50 ms late, five times; then what argv[1] says. */
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++) {
        if (rank == 0) {
            usleep(50000);
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && argv[1][0] == 'a')
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (argc > 1 && argv[1][0] == 'k' && rank == 0)
        kill(getpid(), SIGKILL);
    if (argc > 1 && argv[1][0] == 'x')
        _exit(5);
    if (argc > 1)
        usleep(300000);
    MPI_Finalize();
    printf("rank %d done\n", rank);
    return argc > 1 ? 3 : 0;
}
"""


def program(folder, mpi):
    return mpi.compile(story.write(folder, "late.c", LATE_SENDER), os.path.join(folder, "late-" + mpi.name))


def trace_of(folder):
    mpi = story.mpis()[0]
    trace = os.path.join(folder, "trace")
    story.record(trace, mpi.command(2, program(folder, mpi)))
    return trace


def assert_fails(result, code, *words):
    assert result.returncode == code, (result.returncode, result.stderr)
    for word in words:
        assert word in result.stderr, f"{word!r} is not in: {result.stderr}"


def streams(trace):
    folder = os.path.join(trace, "ctf")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith("rank-")]


def run_as_bare(trace, command, tries=4):
    """`whyslow run` on a command whose ranks end badly.  The launcher's own exit code may depend on which rank it
    sees end first, with and without Whyslow: one of the codes that bare runs give must come."""
    bare = set()
    for _ in range(tries):
        bare.add(story.run(*command).returncode)
        result = story.whyslow("run", "-o", trace, "--", *command)
        if result.returncode in bare:
            return result
    raise AssertionError((command, result.returncode, bare))


def test_a_program_that_aborts_or_is_killed_is_diagnosed_up_to_there(folder):
    for mpi in story.mpis():
        binary = program(folder, mpi)
        for way in ("abort", "kill", "x"):
            trace = os.path.join(folder, mpi.name + way)
            result = run_as_bare(trace, mpi.command(2, binary, way))
            assert result.returncode != 0, (mpi.name, way)
            diagnosis = story.diagnose(trace)
            lost = story.by_id(diagnosis).get("late-sender", 0)
            assert 0.20 < lost < 0.40, (mpi.name, way, diagnosis)
            assert diagnosis["run"]["exit_code"] == result.returncode


def test_output_and_exit_code_stay_the_programs_own(folder):
    for mpi in story.mpis():
        binary = program(folder, mpi)
        for arguments in ([], ["end"]):
            bare = story.run(*mpi.command(2, binary, *arguments))
            traced = story.whyslow("record", "-o", os.path.join(folder, "t"), "--",
                                   *mpi.command(2, binary, *arguments))
            assert traced.returncode == bare.returncode == (3 if arguments else 0)
            # Where a rank ends with an error, the launcher may end the other before it has printed.
            if bare.returncode == 0:
                assert sorted(traced.stdout.splitlines()) == sorted(bare.stdout.splitlines())
                assert sorted(bare.stdout.splitlines()) == ["rank 0 done", "rank 1 done"]


def test_ctrl_c_loses_nothing(folder):
    mpi = story.mpis()[0]
    source = story.write(folder, "long.c", LATE_SENDER.replace("usleep(300000)", "sleep(60)"))
    binary = mpi.compile(source, os.path.join(folder, "long"))
    trace = os.path.join(folder, "trace")
    process = subprocess.Popen([story.WHYSLOW, "record", "-o", trace, "--", *mpi.command(2, binary, "wait")],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode not in (0, None)
    lost = story.by_id(story.diagnose(trace)).get("late-sender", 0)
    assert 0.20 < lost < 0.40, lost


def test_not_an_mpi_program(folder):
    result = story.whyslow("run", "-o", os.path.join(folder, "t"), "--", "echo", "hello")
    assert result.stdout.startswith("hello\n")
    assert_fails(result, 3, "MPI")


def test_command_that_does_not_exist(folder):
    result = story.whyslow("run", "-o", os.path.join(folder, "t"), "--", "mpirun.openmpi", "-n", "2", "./no-such")
    assert result.returncode != 0
    assert "no-such" in result.stderr


def test_trace_directory_missing_or_foreign(folder):
    assert_fails(story.whyslow("diagnose", os.path.join(folder, "nowhere")), 3, "nowhere")
    assert_fails(story.whyslow("diagnose", folder), 3, folder)
    story.write(folder, "trace.json", "{not json")
    assert_fails(story.whyslow("diagnose", folder), 3, "trace.json")


def test_trace_of_another_version(folder):
    trace = trace_of(folder)
    path = os.path.join(trace, "trace.json")
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    for key, value, word in (("format", 999, "999"), ("requires", ["time-travel"], "time-travel")):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**schema, key: value}, file)
        assert_fails(story.whyslow("diagnose", trace), 3, word)


def test_a_ranks_file_is_missing(folder):
    trace = trace_of(folder)
    os.remove(streams(trace)[0])
    result = story.whyslow("diagnose", trace)
    assert result.returncode == 0, result.stderr
    assert "rank 0" in result.stdout + result.stderr
    os.remove(streams(trace)[0])
    assert_fails(story.whyslow("diagnose", trace), 3, "no process left a stream")


def test_truncated_in_the_middle_of_an_event(folder):
    trace = trace_of(folder)
    path = streams(trace)[1]
    size = os.path.getsize(path)
    for cut in (size - 7, size // 2, 100, 20, 3, 0):
        copy = os.path.join(folder, f"cut-{cut}")
        shutil.copytree(trace, copy)
        os.truncate(streams(copy)[1], cut)
        result = story.whyslow("diagnose", copy)
        assert result.returncode == 0, result.stderr
        assert "rank 1" in result.stdout + result.stderr, (cut, result.stdout, result.stderr)


def test_rule_files_that_are_none(folder):
    kind = os.path.join(folder, "mine")
    os.mkdir(kind)
    rules = story.write(kind, "mine.rules", "x" * 100_000_000)
    assert_fails_check(kind, "mine.rules")
    with open(rules, "wb") as file:
        file.write(os.urandom(10_000))
    assert_fails_check(kind, "mine.rules")
    story.write(kind, "mine.rules", "declare composit event x member( send as s ) parameters();")
    assert_fails_check(kind, "mine.rules:1:9", "composite")
    story.write(kind, "mine.rules", "")
    story.write(kind, "mine.xml", "this is not XML")
    assert_fails_check(kind, "mine.xml:1")


def assert_fails_check(path, *words):
    result = story.whyslow("kb", "check", path)
    assert result.returncode == 3, (result.returncode, result.stdout, result.stderr)
    for word in words:
        assert word in result.stdout + result.stderr, (word, (result.stdout + result.stderr)[:2000])
    assert len(result.stdout + result.stderr) < 20_000


story.main()
