"""Where waiting began: delays followed back to the rank that was late of itself, under real MPIs and in virtual time.

What is planted is slept, far above what a busy machine adds.
"""
import json
import os
import random
import resource
import shutil
import sys

import story

sys.path.insert(0, os.path.join(story.ROOT, "experiments"))
import run  # noqa: E402

CHAIN = """
#include <mpi.h>
#include <unistd.h>
/* The first rank is late; the others pass it on. */
int main(int argc, char **argv)
{
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        usleep(400000);
    else
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < size - 1)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

WAVE = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, row[64] = {0};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int sweep = 0; sweep < 3; sweep++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Recv(row, 64, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(STAGE);
        if (rank < size - 1)
            MPI_Send(row, 64, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    }
    if (argc > 1) {
        MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        MPI_File_write_at(file, rank * sizeof row, row, 64, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0;
}
"""

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-31" speed="1Gf" bw="1.25GBps" lat="1us"/>
  </zone>
</platform>
"""


def path(trace):
    result = story.whyslow("path", "--json", trace)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    # What holds of every run: the path is the whole wall time, and all waiting has a cause.  The file has twelve
    # digits: of the years that a damaged clock makes of a run not the microseconds.
    told = 1e-6 + 1e-11 * found["wall_s"]
    assert abs(sum(part["time_s"] for part in found["critical_path"]["parts"]) - found["wall_s"]) < told, found
    waiting = found["waiting"]
    assert abs(sum(cause["duration_s"] for cause in waiting["began"]) - waiting["duration_s"]) < told, waiting
    return found


def recorded(folder, mpi, source, name, ranks, *flags, words=()):
    program = mpi.compile(story.write(folder, name + ".c", source), os.path.join(folder, f"{mpi.name}.{name}"), *flags)
    story.record(program + ".trace", mpi.command(ranks, program, *words))
    return program + ".trace"


def test_one_cause_for_all_that_wait(folder):
    for mpi in story.mpis():
        trace = recorded(folder, mpi, CHAIN, "chain", 5)
        found = path(trace)
        cause = found["waiting"]["began"][0]
        assert cause["kind"] == "computation" and cause["rank"] == 0 and cause["site"]["called"] == "MPI_Send", cause
        assert 1.4 < cause["duration_s"] < 2.2 and cause["share"] > 0.7, cause  # four ranks wait 0.4 s each
        assert cause["direct_s"] < 0.5 * cause["duration_s"], cause
        assert [stop["rank"] for stop in cause["way"]] == [1, 2, 3, 4], cause
        longest = found["critical_path"]["parts"][0]
        assert longest["kind"] == "computation" and longest["ranks"][0]["rank"] == 0, longest
        assert 0.39 < longest["ranks"][0]["duration_s"], longest
        late = [each for each in story.diagnose(trace)["problems"] if each["id"] == "late-sender"]
        began = [origin for each in late for origin in each["began"][:1]]
        assert began and all(origin["rank"] == 0 and origin["kind"] == "computation" for origin in began), late
        text = story.whyslow("path", trace).stdout
        assert "rank 0 → 1 (MPI_Recv" in text, text


def check_wave(trace, ranks, stage_s, tolerance):
    found = path(trace)
    waves = [cause for cause in found["waiting"]["began"] if cause["kind"] == "wavefront"]
    assert len(waves) == 1, found["waiting"]
    wave = waves[0]["wavefront"]
    assert (wave["ranks"], wave["first_rank"], wave["last_rank"], wave["sweeps"]) == (ranks, 0, ranks - 1, 3), wave
    assert abs(wave["stage_s"] / stage_s - 1) < tolerance, wave
    assert 1 - tolerance < wave["period_s"] / (ranks * stage_s) < 1 + 10 * tolerance, wave
    assert waves[0]["from"]["called"] == "MPI_Recv" and waves[0]["site"]["called"] == "MPI_Send", waves
    assert found["waiting"]["began"][0] == waves[0] and waves[0]["share"] > 0.6, found["waiting"]
    assert abs(found["efficiency"]["serialisation"] * ranks - 1) < 2 * tolerance, found["efficiency"]
    return found


def test_a_wavefront_is_named(folder):
    for mpi in story.mpis():
        trace = recorded(folder, mpi, WAVE, "wave", 4, "-DSTAGE=50000", words=[os.path.join(folder, mpi.name + ".file")])
        found = check_wave(trace, 4, 0.05, 0.3)
        assert found["critical_path"]["by_kind_s"]["io"] > 0, found["critical_path"]["by_kind_s"]
        text = story.whyslow("diagnose", trace).stdout
        assert "Began" in text and "a serialised wavefront from MPI_Send" in text, text
        text = " ".join(story.whyslow("path", trace).stdout.split())
        assert "The ranks work one after another, from rank 0 to rank 3" in text and "red-black" in text, text


def test_in_virtual_time(folder):
    if not shutil.which("smpicc"):
        return
    source, program = story.write(folder, "wave.c", WAVE), os.path.join(folder, "wave")
    platform, hosts = story.write(folder, "p.xml", PLATFORM), os.path.join(folder, "hosts")
    story.write(folder, "hosts", "".join(f"n{i}\n" for i in range(32)))
    result = story.whyslow("cc", "-g", "-DSTAGE=50000", source, "-o", program)
    assert result.returncode == 0, result.stderr
    trace = os.path.join(folder, "trace")
    story.record(trace, ["smpirun", "-np", "32", "-platform", platform, "-hostfile", hosts,
                         "--cfg=smpi/simulate-computation:no", program])
    check_wave(trace, 32, 0.05, 0.001)


def test_the_naive_gauss_seidel_scheme(folder):
    """The thesis's program is one wavefront through all ranks; its red-black scheme has none."""
    if not shutil.which("smpicc"):
        return
    run.build(folder)
    for version in run.VERSIONS:
        trace = os.path.join(folder, version)
        run.checked([story.WHYSLOW, "record", "-q", "-o", trace, "--",
                     *run.smpirun(16, os.path.join(folder, f"gauss_seidel_{version}"), "2000", "20")])
    cause, others = path(os.path.join(folder, "before")), path(os.path.join(folder, "after"))
    wave, efficiency = cause["waiting"]["began"][0], cause["efficiency"]
    assert wave["kind"] == "wavefront" and wave["share"] > 0.98, wave
    assert {**wave["wavefront"], "stage_s": 0, "period_s": 0} == {
        "ranks": 16, "first_rank": 0, "last_rank": 15, "sweeps": 20, "stage_s": 0, "period_s": 0}, wave
    assert abs(efficiency["serialisation"] - 1 / 16) < 1e-4, efficiency  # one rank of 16 works at a time
    assert abs(efficiency["serialisation"] * efficiency["transfer"] - efficiency["communication"]) < 1e-5, efficiency
    assert not [each for each in others["waiting"]["began"] if each["kind"] == "wavefront"], others["waiting"]


def test_the_time_is_that_of_the_calls(folder):
    """Four times the calls take about four times as long: 0.2 and 0.6 s of an idle machine."""
    seconds = []
    for events in ("250000", "1000000"):
        trace = os.path.join(folder, events)
        made = story.run(os.path.join(os.path.dirname(story.WHYSLOW), "bench", "make_trace"), trace,
                         os.path.join(story.ROOT, "kb", "mpi"), "16", events, "all")
        assert made.returncode == 0, made.stderr
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        path(trace)
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    assert seconds[1] < 10 * seconds[0] + 0.5, seconds


def test_damaged_traces(folder):
    """Whatever bytes a stream has: a clear error, or a report that adds up."""
    trace, damaged = recorded(folder, story.mpis()[0], CHAIN, "chain", 4), os.path.join(folder, "damaged")
    numbers = random.Random(1)
    for _ in range(40):
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(trace, damaged)
        stream = os.path.join(damaged, "ctf", f"rank-{numbers.randrange(4)}.thread-0")
        with open(stream, "r+b") as file:
            for _ in range(numbers.choice((1, 3, 30))):
                file.seek(numbers.randrange(1000))
                file.write(bytes([numbers.choice((0, 127, 128, 255, numbers.randrange(256)))]))
            if numbers.random() < 0.3:
                file.truncate(numbers.randrange(1000))
        if story.whyslow("path", damaged).returncode == 3:
            continue
        path(damaged)


def test_mistakes(folder):
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    assert story.whyslow("path", empty).returncode == 3
    assert story.whyslow("path", os.path.join(folder, "nothing")).returncode == 3
    assert story.whyslow("path").returncode == 2
    assert "one cause" in " ".join(story.whyslow("path", "--help").stdout.split())


if __name__ == "__main__":
    story.main()
