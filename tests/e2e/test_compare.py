"""Versions of programs compared, on real runs and on files that are none."""
import json
import os
import re

import story

# Rank 0 computes before it sends, and before the barrier: a late sender and a late barrier of known size.
PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
static void work(long ms)
{
    struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    if (ms > 0)
        nanosleep(&nap, NULL);
}
static void exchange(int rank, long ms)
{
    char data[8] = {0};
    if (rank == 0) {
        work(ms);
        MPI_Send(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(data, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        exchange(rank, atol(argv[1]));
        work(10);
        MPI_Barrier(MPI_COMM_WORLD);
        work(rank == 0 ? atol(argv[2]) : 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def build(mpi, folder, name, source):
    return mpi.compile(story.write(folder, f"{name}.c", source), os.path.join(folder, name))


def traced(mpi, folder, name, program, *arguments, ranks=2):
    trace = os.path.join(folder, name)
    story.record(trace, mpi.command(ranks, program, *arguments))
    return trace


def compared(*words):
    result = story.whyslow("compare", "--json", *words)
    assert result.returncode == 0, (words, result.returncode, result.stderr)
    return json.loads(result.stdout)


def one(comparison, problem_id, called):
    """The problem of this type that waits in this call."""
    found = [problem for problem in comparison["problems"] if problem["id"] == problem_id
             and any(site["waits"] and called in ((site["after"] or site["before"])["called"],) for site in problem["sites"])]
    assert len(found) == 1, (problem_id, called, comparison["problems"])
    return found[0]


def line_of(side):
    return side["line"]


def test_what_was_mended_is_gone_and_what_was_spoilt_is_worse(folder):
    """Lines are inserted above, and in the file's other functions: the same problem is found again."""
    for mpi in story.mpis():
        moved = "/* a comment\n * of three\n * lines */\n" + PROGRAM.replace("    char data", "\n\n    char data")
        before = build(mpi, folder, "app", PROGRAM)
        runs = os.path.join(folder, mpi.name)
        os.mkdir(runs)
        first = traced(mpi, runs, "before", before, "40", "10")
        os.mkdir(os.path.join(runs, "later"))
        after = build(mpi, os.path.join(runs, "later"), "app", moved)
        mended = traced(mpi, runs, "mended", after, "0", "10")
        spoilt = traced(mpi, runs, "spoilt", after, "40", "60")

        gone = one(compared(first, mended), "late-sender", "MPI_Recv")
        assert gone["status"] in ("gone", "better") and 0.1 < gone["gain_s"] < 0.4, gone
        assert not gone["after_s"] or gone["matched"] == "moved", gone

        comparison = compared(first, spoilt)
        kept = one(comparison, "late-sender", "MPI_Recv")
        assert kept["matched"] == "moved" and kept["status"] == "same", kept
        assert [line_of(site["after"]) - line_of(site["before"]) for site in kept["sites"]] == [5, 5], kept
        worse = [problem for problem in comparison["problems"] if problem["id"] == "wait-at-barrier"
                 and problem["status"] == "worse"]
        assert len(worse) == 1 and worse[0]["gain_s"] < -0.15, comparison["problems"]
        assert comparison["wall"]["clear"] and comparison["wall"]["gain_s"] < -0.15, comparison["wall"]
        # Of the two barriers it is the second one that is worse.
        assert line_of(worse[0]["sites"][0]["after"]) - line_of(worse[0]["sites"][0]["before"]) == 5, worse


def test_a_file_does_for_a_trace(folder):
    mpi = story.mpis()[0]
    program = build(mpi, folder, "app", PROGRAM)
    trace = traced(mpi, folder, "trace", program, "30", "10")
    text = story.whyslow("diagnose", "--json", trace).stdout
    file = story.write(folder, "good.json", text)
    comparison = compared(file, trace)
    assert not any(comparison["counts"][status] for status in ("gone", "new", "better", "worse")), comparison
    assert comparison["wall"]["gain_s"] == 0 and comparison["before"]["threshold_percent"] == 1
    assert comparison["before"]["wall_s"] == json.loads(text)["run"]["wall_s"]
    assert compared(trace, file)["counts"] == comparison["counts"]
    shown = story.whyslow("compare", file, trace).stdout
    assert f"Before     {file}: " in shown.replace("\n           ", " ") and "no clear change" in shown, shown
    # Also through a pipe, as a shell makes it of <(whyslow diagnose --json ...).
    piped = story.run("bash", "-c", f"{story.WHYSLOW} compare --json <(cat {file}) {trace}")
    assert piped.returncode == 0 and json.loads(piped.stdout)["counts"] == comparison["counts"], piped


def test_other_ranks_other_mpi_other_command(folder):
    first, second = story.mpis()
    before = traced(first, folder, "before", build(first, folder, "app", PROGRAM), "20", "10")
    after = traced(second, folder, "after", build(second, folder, "app", PROGRAM), "20", "10", ranks=3)
    comparison = compared(before, after)
    assert comparison["per_rank"], comparison
    said = "\n".join(comparison["warnings"])
    for words in ("the commands differ", "the MPIs differ: before \"Open MPI", "the numbers of ranks differ: 2 before, 3 after"):
        assert words in said, said
    total = json.loads(story.whyslow("diagnose", "--json", after).stdout)["run"]["total_s"]
    assert abs(comparison["after"]["total_s"] - total / 3) < 1e-6
    assert "of one rank, " in story.whyslow("compare", before, after).stdout


def test_several_runs_tell_what_chance_makes(folder):
    mpi = story.mpis()[0]
    program = build(mpi, folder, "app", PROGRAM)
    before = [traced(mpi, folder, f"b{i}", program, "40", "10") for i in range(3)]
    after = [traced(mpi, folder, f"a{i}", program, "0", "10") for i in range(3)]
    comparison = compared(before[0], after[0], "--before", before[1], "--before", before[2], "--after", after[1],
                          "--after", after[2])
    assert comparison["noise"] == {"measured": True, "percent": None, "floor_percent": 1.0}
    assert comparison["before"]["runs"] == comparison["after"]["runs"] == 3
    walls = [story.diagnose(trace)["run"]["wall_s"] for trace in before]
    assert abs(comparison["wall"]["before_s"] - sum(walls) / 3) < 1e-6
    assert one(comparison, "late-sender", "MPI_Recv")["status"] in ("gone", "better"), comparison["problems"]
    same = compared(before[0], before[1], "--after", before[2])
    assert one(same, "late-sender", "MPI_Recv")["status"] == "same", same["problems"]


def test_the_examples_after_the_advice(folder):
    """What the reports on the first forms advise takes their worst problem away."""
    mpi = story.mpis()[1]
    result = story.run("make", "-s", "-C", os.path.join(story.ROOT, "examples"), f"MPICC={mpi.compiler}", f"BUILD={folder}")
    assert result.returncode == 0, result.stderr
    for name, arguments in (("jacobi", ["1000", "60"]), ("heart", ["384", "60"])):
        before, after = (traced(mpi, folder, f"{name}-{form}", os.path.join(folder, f"{name}_{form}"), *arguments)
                         for form in ("before", "after"))
        worst = story.diagnose(before)["problems"][0]
        comparison = compared(before, after)
        found = [problem for problem in comparison["problems"] if problem["before_index"] == 0]
        assert len(found) == 1 and found[0]["id"] == worst["id"], comparison["problems"]
        assert abs(found[0]["before_s"] - worst["duration_s"]) < 1e-6
        assert found[0]["status"] in ("gone", "better", "same"), found
        assert sum(comparison["counts"].values()) == len(comparison["problems"])


def test_mistakes_in_the_command(folder):
    file = story.write(folder, "no.json", "{\"run\": {\"ra")
    for words, code, said in (
            ([], 2, "missing: two runs, BEFORE and AFTER"),
            ([file], 2, "missing: two runs"),
            ([file, file, file], 2, "one argument too many"),
            (["--noise", "x", file, file], 2, "--noise wants a number"),
            ([file, file], 3, f"{file}:1:12: not JSON"),
            ([folder, file], 3, "holds no Whyslow trace"),
            ([os.path.join(folder, "none"), file], 3, "none: there is neither a folder of a trace nor a file of"),
            (["/dev/null", file], 3, "/dev/null:1:0: not JSON"),
            (["--engine", "none", file, file], 3, "not JSON")):
        result = story.whyslow("compare", *words)
        assert (result.returncode, result.stdout) == (code, "") and said in result.stderr, (words, result)
        assert not re.search("Sanitizer|runtime error", result.stderr), result.stderr


story.main()
