"""What is recorded when: stopped and started by the program, the clock, ranks, size; phases."""
import os
import re

import story

# Rank 0 comes 20 ms late to each message.  Between, ranks stop and start at different moments, while messages and
# collectives of the same channels go on: had the reader miscounted what it did not see, pairs would be wrong, and the
# waits with them: each odd message is sent 20 ms late, each even one at once after it.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "whyslow.h"

static void late(int rank) {
    if (rank == 0)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void exchange(int rank, int count) {
    for (int i = 0; i < count; i++) {
        late(rank);
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            int got;
            MPI_Request request;
            MPI_Recv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank, 10);
    if (!strcmp(argv[1], "level"))
        MPI_Pcontrol(0);
    else if (!strcmp(argv[1], "header"))
        whyslow_stop();
    exchange(rank, 30);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) { /* later than rank 0, whose two messages more are not recorded there */
        int got;
        for (int i = 0; i < 7; i++)
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Pcontrol(1);
    whyslow_start();
    if (rank == 0)
        for (int i = 0; i < 7; i++)
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    exchange(rank, 10);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def compile_program(mpi, folder):
    source = story.write(folder, "control.c", PROGRAM)
    return mpi.compile(source, os.path.join(folder, mpi.name + ".program"), "-I", os.path.join(story.ROOT, "include"))


def check(report, waits):
    """A busy machine makes waits shorter or longer; but no pair is wrong: then the number of unmatched ones would be, too."""
    late = [p for p in report["problems"] if p["id"] == "late-sender"]
    duration, count = sum(p["duration_s"] for p in late), sum(p["count"] for p in late)
    assert 0.4 * waits * 0.020 < duration < 2 * waits * 0.020, (duration, waits, late)
    assert 0.7 * waits <= count <= 1.5 * waits, (count, waits, late)
    assert report["run"]["recording"]["clock_violations"] == 0


def test_stop_and_start_by_the_program(folder):
    for mpi in story.mpis():
        program = compile_program(mpi, folder)
        for how, waits in (("none", 50), ("level", 20), ("header", 20)):
            trace = os.path.join(folder, f"{mpi.name}.{how}")
            result = story.record(trace, mpi.command(2, program, how))
            assert result.returncode == 0, result.stderr
            report = story.diagnose(trace)
            check(report, waits)
            recording = report["run"]["recording"]
            assert recording["lost"] == 0
            if how == "none":
                assert recording["unmatched"] == 0, report
                assert recording["stopped_s"] == 0
            else:
                # Seven messages left rank 0 after it had started again, and came to rank 1 before.
                assert recording["unmatched"] == 7, report
                assert 1.1 < recording["stopped_s"] < 1.8, report


PHASES = r"""
#include <mpi.h>
#include <time.h>
#include "whyslow.h"

static void exchange(int rank, int count, long late_ms) {
    int got;
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            nanosleep(&(struct timespec){.tv_nsec = late_ms * 1000000}, NULL);
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank, 5, 20);
    whyslow_phase("read");
    exchange(rank, 10, 20);
    MPI_Pcontrol(7);
    exchange(rank, 20, 20);
    whyslow_phase("read");
    exchange(rank, 5, 20);
    MPI_Finalize();
    return 0;
}
"""


def test_phases(folder):
    source = story.write(folder, "phases.c", PHASES)
    for mpi in story.mpis():
        program = mpi.compile(source, os.path.join(folder, mpi.name + ".program"), "-I",
                              os.path.join(story.ROOT, "include"))
        trace = os.path.join(folder, mpi.name)
        story.record(trace, mpi.command(2, program))
        plain, report = story.diagnose(trace), story.diagnose(trace, "--by-phase")
        phases = report.pop("phases")
        assert report == plain, "phases change the whole"
        assert [phase["name"] for phase in phases] == ["", "read", "7"], phases
        waits = [sum(problem["count"] for problem in phase["problems"]) for phase in phases]
        assert 36 <= sum(waits) <= 40 and abs(waits[1] - 15) <= 2 and abs(waits[2] - 20) <= 2, waits
        for phase in phases[1:]:
            found = phase["efficiency"]
            assert abs(found["parallel"] - found["load_balance"] * found["communication"]) < 1e-5, phases
            assert found["parallel"] < found["communication"] <= 1, phases
        text = story.whyslow("diagnose", "--by-phase", trace).stdout
        assert "Phase read, " in text and "Phase 7, " in text, text


def test_by_the_clock(folder):
    for mpi in story.mpis():
        program = compile_program(mpi, folder)
        trace = os.path.join(folder, mpi.name)
        story.record(trace, mpi.command(2, program, "none"), "--after", "300ms", "--for", "0.4s")
        report = story.diagnose(trace)
        check(report, 20)
        total = report["run"]["recording"]["stopped_s"]
        assert 1.0 < total < 1.8, total
        assert report["run"]["recording"]["unmatched"] <= 12, report  # the clocks of ranks begin at their MPI_Init


def test_only_some_ranks(folder):
    mpi = story.mpis()[0]
    program = compile_program(mpi, folder)
    trace = os.path.join(folder, "trace")
    result = story.record(trace, mpi.command(2, program, "none"), "--only", "1")
    assert result.returncode == 0 and "recorded 1 process" in result.stderr, result.stderr
    assert sorted(name for name in os.listdir(os.path.join(trace, "ctf")) if name != "metadata") == ["rank-1.thread-0"]
    diagnosis = story.diagnose(trace)
    assert diagnosis["problems"] == [] and len(diagnosis["warnings"]) == 1, diagnosis
    assert diagnosis["warnings"][0].startswith("rank 0 left out of the recording"), diagnosis["warnings"]


SAMPLED = r"""
#include <mpi.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
    int rank, got = 0;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5000; i++) {
        MPI_Request r[2];
        MPI_Status statuses[2];
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        sum += got;
        if (i % 10 == 0) {
            MPI_Isend(&i, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &r[0]);
            MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &r[1]);
            MPI_Waitall(2, r, statuses);
        }
        if (i % 100 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    /* Other sites of the same channels: their numbers go on where the counted calls end. */
    for (int i = 0; i < 20; i++) {
        if (rank == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("%d %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
"""


def test_the_first_calls_of_each_site(folder):
    source = story.write(folder, "sampled.c", SAMPLED)
    for mpi in story.mpis():
        program = mpi.compile(source, os.path.join(folder, mpi.name + ".sampled"), "-g", "-w")
        sizes = {}
        for share in (None, 40):
            trace = os.path.join(folder, f"{mpi.name}.{share}")
            result = story.record(trace, mpi.command(2, program), *(["--sample", str(share)] if share else []))
            assert sorted(result.stdout.split()) == sorted("0 12497500 1 12497500".split()), result.stdout
            report = story.diagnose(trace)
            recording = report["run"]["recording"]
            sizes[share] = recording["events"]
            late = [p for p in report["problems"] if p["id"] == "late-sender"
                    and any(s["role"] == "receiver" and s["line"] == 37 for s in p["sites"])]
            assert len(late) == 1 and late[0]["count"] == 20, report["problems"]
            assert 0.2 < late[0]["duration_s"] < 1.5, late  # 0.4 s, more on a busy machine
            assert recording["lost"] == 0 and recording["clock_violations"] == 0
            if not share:
                assert recording["unmatched"] == 0 and recording["counted"] == 0 and report["counted"] == []
                continue
            # Both ranks: 4960 of the two sends and two receives, 460 sends that are started, 10 barriers.
            assert recording["counted"] == 4 * 4960 + 2 * 460 + 2 * 10, recording
            assert recording["unmatched"] == 2 * 460, recording  # receives in the background stay recorded
            by_line = {site["line"]: site for site in report["counted"]}
            assert by_line[15]["calls"] == 4960 and by_line[15]["bytes"] == 4 * 4960, by_line
            assert by_line[15]["called"] == "MPI_Send" and by_line[15]["longest_s"] <= by_line[15]["total_s"]
            for options in (("--engine", "clips"), ("--jobs", "2")):
                assert story.diagnose(trace, *options) == report, options
        assert sizes[40] < sizes[None] / 4, sizes


def test_size_of_the_trace(folder):
    source = story.write(folder, "many.c", r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100000; i++)
        MPI_Barrier(MPI_COMM_SELF);
    puts("done");
    MPI_Finalize();
    return 0;
}
""")
    for mpi in story.mpis():
        program = mpi.compile(source, os.path.join(folder, mpi.name + ".many"))
        trace = os.path.join(folder, mpi.name)
        result = story.record(trace, mpi.command(2, program), "--max-size", "800k", "--buffer", "64k")
        assert result.returncode == 0 and result.stdout.count("done") == 2, result.stdout
        assert "--max-size" in result.stderr, result.stderr
        sizes = [os.path.getsize(os.path.join(trace, "ctf", name)) for name in os.listdir(os.path.join(trace, "ctf"))
                 if name != "metadata"]
        assert len(sizes) == 2 and 300000 < min(sizes) and max(sizes) <= 400000, sizes
        text = story.whyslow("diagnose", trace).stdout
        assert re.search(r"Lost +\d+ events lost while recording", text), text


def test_mistakes():
    for words, said in ((("--after", "x"), "--after wants a time above 0: 10s, 500ms, 2min (not 'x')"),
                        (("--only", "1-"), "--only wants ranks: 0-3,7 (not '1-')"),
                        (("--max-size", "0"), "--max-size wants a size: 500M, 2G, 65536 (not '0')"),
                        (("--sample", "-1"), "--sample wants a number above 0: 1000, 10k (not '-1')"),
                        (("--buffer", "1"), "--buffer wants a size from 16384 to 67108864 bytes")):
        for command in ("run", "record"):
            result = story.whyslow(command, *words, "--", "true")
            assert result.returncode == 2 and said in result.stderr, result.stderr


if __name__ == "__main__":
    story.main()
