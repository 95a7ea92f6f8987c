"""What a fix would gain: foretold from the run before it, seen in the run after it.

Planted are sleeps far above what a busy machine adds. Before: in each of 4 rounds one rank, another each time, sleeps
120 ms and the others 20 ms before a barrier.  Without the barrier each rank sleeps 180 ms in all, with it 480 ms.
"""
import json
import os

import story

ROUNDS = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 4; round++) {
        usleep(round == rank ? 120000 : 20000);
#ifndef FIXED
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

# Rank 1 waits 100 ms for rank 0, but rank 2 works longer than either: nothing is gained.
ELSEWHERE = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        usleep(100000);
        MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        usleep(400000);
    }
    MPI_Finalize();
    return 0;
}
"""


def recorded(folder, mpi, source, name, ranks, *flags):
    program = mpi.compile(story.write(folder, name + ".c", source), os.path.join(folder, f"{mpi.name}.{name}"), *flags)
    trace = program + ".trace"
    story.record(trace, mpi.command(ranks, program))
    return trace


def what_if(trace):
    result = story.whyslow("what-if", trace, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_a_gain_is_foretold(folder):
    for mpi in story.mpis():
        before = recorded(folder, mpi, ROUNDS, "before", 4)
        after = story.diagnose(recorded(folder, mpi, ROUNDS, "after", 4, "-DFIXED"))["run"]["wall_s"]
        foretold = what_if(before)
        barrier = [each for each in foretold["problems"] if each["id"] == "wait-at-barrier" and each["remedy"] == "drop"]
        assert barrier, foretold["problems"]
        assert abs(foretold["gains"]["replayed_s"] - foretold["run"]["wall_s"]) < 1e-6, foretold["gains"]
        predicted = foretold["run"]["wall_s"] - max(each["gain_s"] for each in barrier)
        assert 0.7 < predicted / after < 1.3, (predicted, after)  # 0.18 s on a quiet machine
        assert max(each["gain_s"] for each in barrier) > 0.2, barrier


def test_waits_off_the_critical_path_gain_nothing(folder):
    for mpi in story.mpis():
        foretold = what_if(recorded(folder, mpi, ELSEWHERE, "elsewhere", 3))
        late = [each for each in foretold["problems"] if each["id"] == "late-sender"]
        assert len(late) == 1 and late[0]["duration_s"] > 0.08, foretold["problems"]
        assert late[0]["gain_s"] < 0.02 and late[0]["gain_if_removed_s"] < 0.02, late


def test_what_is_told_where(folder):
    mpi = story.mpis()[0]
    trace = recorded(folder, mpi, ROUNDS, "before", 4)
    text = story.whyslow("diagnose", trace)
    assert "Gain: " in text.stdout and "without this operation" in text.stdout, text.stdout
    assert "Gain: " not in story.whyslow("diagnose", "--no-gain", trace).stdout
    without = story.diagnose(trace, "--no-gain")
    assert without["gains"] is None and "gain_s" not in without["problems"][0], without
    table = story.whyslow("what-if", trace).stdout
    assert "Cause" in table and "Together" in table and "Replay" in table, table
    alone, team = story.whyslow("diagnose", "--json", "--jobs", "1", trace), story.whyslow("diagnose", "--json", "--jobs", "3", trace)
    assert alone.stdout == team.stdout
    page = os.path.join(folder, "page.html")
    assert story.whyslow("report", trace, "-o", page).returncode == 0
    with open(page, encoding="utf-8") as file:
        assert '"gain_s"' in file.read()


def test_bad_input(folder):
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    assert story.whyslow("what-if", empty).returncode == 3
    assert story.whyslow("what-if", os.path.join(folder, "nothing")).returncode == 3
    assert story.whyslow("what-if").returncode == 2
    assert "gains nothing" in " ".join(story.whyslow("what-if", "--help").stdout.split())


if __name__ == "__main__":
    story.main()
