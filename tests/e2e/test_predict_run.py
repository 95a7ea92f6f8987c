"""whyslow predict DIR --platform: a run recorded on one platform, replayed on another, against the run itself there.

All is virtual time: the direct run on the second platform is what the prediction is held against.
"""
import json
import os
import shutil
import tempfile

import story

# Works as long as it is told to, whatever the network does: the planted programs with sleeps between their calls.
TIMETABLE = """#include <mpi.h>
#include <unistd.h>
static int at_ms;
static inline void compute_until_ms(int ms)
{
    if (ms > at_ms)
        usleep(1000 * (ms - at_ms));
    at_ms = ms > at_ms ? ms : at_ms;
}
static inline void timetable_begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    at_ms = 0;
}
static inline void serve_until_ms(int ms)
{
    compute_until_ms(ms);
}
"""

PROGRAMS = ["late-sender/positive_any_source.c", "late-sender/positive_persistent.c", "late-sender/positive_probe.c",
            "late-receiver/positive_rendezvous.c", "early-reduce/positive_gather.c",
            "late-broadcast/positive_nonblocking.c", "wait-at-barrier/positive_two_communicators.c",
            "lock-contention/positive.c", "late-post/positive.c"]

# What the planted programs do not call: vectors, splits by key, duplicates, prefixes, messages of many sizes and tags.
MANY = """#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, half, part_size, flag = 0;
    MPI_Comm part, twin, grid;
    MPI_Request request[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    MPI_Comm_dup(part, &twin);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &flag, 0, &grid);
    MPI_Comm_rank(part, &half);
    MPI_Comm_size(part, &part_size);
    char *in = malloc(1 << 22), *out = calloc(1 << 22, 1);
    int *counts = malloc(3 * size * sizeof *counts), *takes = counts + size, *places = takes + size;
    for (int i = 0; i < size; i++)
        places[i] = 40000 * i;
    for (int round = 0; round < 3; round++) {
        usleep(500 * (1 + (rank * 7 + round) % 5));
        MPI_Irecv(in, 1 << 20, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &request[0]);
        MPI_Isend(out, 1000 << (3 * round), MPI_BYTE, (half + 1) % part_size, round, twin, &request[1]);
        usleep(300);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(out, 5000, MPI_BYTE, (rank + 1) % size, 1, in, 5000, MPI_BYTE, (rank + size - 1) % size, 1, grid,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++)
            counts[i] = 100 + 1000 * i;
        MPI_Gatherv(out, counts[rank], MPI_BYTE, in, counts, places, MPI_BYTE, 1, MPI_COMM_WORLD);
        MPI_Scatterv(out, counts, places, MPI_BYTE, in, counts[rank], MPI_BYTE, 1, MPI_COMM_WORLD);
        MPI_Allgatherv(out, counts[rank], MPI_BYTE, in, counts, places, MPI_BYTE, MPI_COMM_WORLD);
        for (int i = 0; i < size; i++) {
            counts[i] = 10 * (rank + 1) * (i + 2);
            takes[i] = 10 * (i + 1) * (rank + 2);
        }
        MPI_Alltoallv(out, counts, places, MPI_BYTE, in, takes, places, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Scan(out, in, 300, MPI_INT, MPI_SUM, part);
        MPI_Reduce(out, in, 3000, MPI_INT, MPI_SUM, 1, part);
        MPI_Reduce_scatter_block(out, in, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(out, in, 20000, MPI_INT, MPI_SUM, twin);
        MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[2]);
        MPI_Ssend(out, rank % 2 ? 0 : 100, MPI_BYTE, rank % 2 ? MPI_PROC_NULL : rank + 1, 5, MPI_COMM_WORLD);
        MPI_Recv(in, 100, MPI_BYTE, rank % 2 ? rank - 1 : MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&twin);
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
"""


def cluster(folder, name, bandwidth, latency, speed="1Gf", hosts=32):
    return story.write(folder, name, f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{hosts - 1}" speed="{speed}" bw="{bandwidth}" lat="{latency}"/>
</platform>
""")


def simulated(folder, platform, ranks, program):
    hosts = story.write(folder, "hosts", "".join(f"node-{i}\n" for i in range(32)))
    return ["smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts, "--cfg=smpi/simulate-computation:no",
            "--log=root.thres:error", program]


def compiled(folder, source):
    program = os.path.join(folder, "program")
    result = story.run("smpicc", "-g", "-O1", source, "-o", program, "-lm")
    assert result.returncode == 0, result.stderr
    return program


def needed():
    if not shutil.which("smpirun"):
        story.skip("SimGrid (libsimgrid-dev) is not installed")


def predict(folder, *words):
    return story.whyslow("predict", "-q", "-o", os.path.join(folder, "predicted"), "--threshold", "0", *words)


def compare(folder, ranks, program, name, factor=1):
    """Recorded on a quick network, predicted for a slow one whose nodes are so many times as slow, against the run there."""
    quick = cluster(folder, "quick.xml", "1GBps", "1us")
    slow = cluster(folder, "slow.xml", "12MBps", "500us", f"{1e9 / factor}f")
    story.record(os.path.join(folder, "here"), simulated(folder, quick, ranks, program))
    story.record(os.path.join(folder, "there"), simulated(folder, slow, ranks, program))
    here, there = (story.diagnose(os.path.join(folder, where), "--threshold", "0") for where in ("here", "there"))
    result = predict(folder, "--json", "--platform", slow, "--hostfile", os.path.join(folder, "hosts"),
                     "--compute-factor", str(factor), os.path.join(folder, "here"))
    assert result.returncode == 0, (name, result.stderr)
    found = json.loads(result.stdout)
    assert abs(found["wall_s"] / there["run"]["wall_s"] - 1) < 0.01, (name, found["wall_s"], there["run"])
    assert abs(found["recorded_wall_s"] / here["run"]["wall_s"] - 1) < 1e-6, (name, found, here["run"])
    wanted, got = story.by_id(there), story.by_id(found["diagnosis"])
    for problem in set(wanted) | set(got):
        difference = abs(wanted.get(problem, 0) - got.get(problem, 0))
        assert difference < 0.05 * wanted.get(problem, 0) + 2e-3, (name, problem, wanted, got)
    lines = {(site["file"], site["line"]) for each in found["diagnosis"]["problems"] for site in each["sites"]}
    assert all(file.endswith((".c", ".h")) and line > 0 for file, line in lines), lines
    return found


def test_planted_programs_on_a_slower_network():
    needed()
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "one"))
            story.write(folder, "timetable.h", TIMETABLE)
            source = os.path.join(folder, "one", "program.c")
            shutil.copy(os.path.join(story.ROOT, "kb", "mpi", name), source)
            with open(source, encoding="utf-8") as file:
                ranks = int(file.readline().split("ranks=")[1].split()[0])
            compare(folder, ranks, compiled(folder, source), name)


def test_all_kinds_of_calls():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        found = compare(folder, 8, compiled(folder, story.write(folder, "many.c", MANY)), "many")
        assert found["notes"] == [], found["notes"]


def test_an_example_on_many_ranks():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(story.ROOT, "examples", "heart_before.c")
        compare(folder, 32, compiled(folder, source), "heart", factor=3)


def node(folder, name, clock, points):
    return story.write(folder, name, json.dumps({
        "format": 1, "kind": "whyslow-node", "name": name, "topology": {"cores": 1},
        "characteristics": {"clock_Hz": clock, "integer_ops_per_s": 12e9, "float_ops_per_s": 6e9,
                            "l1_bandwidth_Bps": 46e9, "l1_latency_s": 1.5e-9, "l2_bandwidth_Bps": 19e9,
                            "l2_latency_s": 13e-9, "memory_bandwidth_Bps": 4e9, "memory_latency_s": 80e-9,
                            "disk_seek_s": 5e-3, "disk_read_Bps": 52e6, "disk_write_Bps": 49e6},
        "network": {"kind": "ethernet", "latency_s": 1e-4, "bandwidth_Bps": 125e6, "points": points}}))


def test_a_run_of_an_ordinary_mpi():
    """What is replayed may come from any MPI; computation is scaled, and a node's network will do as a platform."""
    needed()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(story.ROOT, "kb", "mpi", "late-sender", "positive.c")
        mpi = story.mpis()[0]
        program = mpi.compile(source, os.path.join(folder, "program"), "-I", os.path.join(story.ROOT, "kb", "mpi"))
        trace = os.path.join(folder, "trace")
        story.record(trace, mpi.command(2, program))
        there = node(folder, "node.json", 3e9, [])
        result = predict(folder, "--json", "--platform", there, "--compute-factor", "3", trace)
        assert result.returncode == 0, result.stderr
        found = json.loads(result.stdout)
        # 500 ms of computation three times as long; it waits three times as long.
        assert 1.3 < found["wall_s"] < 2, found["wall_s"]
        assert abs(story.by_id(found["diagnosis"])["late-sender"] - 1.2) < 0.15, found["diagnosis"]["problems"]
        text = predict(folder, "--platform", there, trace).stdout
        assert text.startswith("Predicted for ") and "positive.c:17" in text, text


PING_PONG = """#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char bytes[2000000];
    int rank, sizes[] = {8, 20000, 2000000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(200000);
    for (int i = 0; i < 300; i++)
        if (rank == i % 2)
            MPI_Send(bytes, sizes[i / 100], MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD);
        else
            MPI_Recv(bytes, sizes[i / 100], MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def test_the_network_and_the_speed_of_a_node():
    """A message takes the latency and bandwidth that the node tells, or the time of its size; computation goes by the
    clocks where the nodes have run no kernels."""
    needed()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, story.write(folder, "ping.c", PING_PONG))
        trace = os.path.join(folder, "trace")
        story.record(trace, simulated(folder, cluster(folder, "quick.xml", "1GBps", "1us"), 2, program))
        here, there = (node(folder, name, clock, points) for name, clock, points in
                       (("here.json", 3e9, []), ("there.json", 1.5e9, [{"size_bytes": 20000, "time_s": 5e-4}])))
        messages = 100 * 3 * 1e-4 + 100 * (8 + 20000 + 2000000) / 125e6
        for words, expected in (((here,), 0.2 + messages),
                                ((here, "-r", here, "-t", there), 0.4 + messages),
                                # 20 000 bytes took 5e-4 s there; longer ones have the same bandwidth: 20 000 bytes in 4e-4 s.
                                ((there,), 0.2 + 100 * (1e-4 + 8 / 125e6 + 5e-4 + 1e-4 + 2000000 / 50e6))):
            result = predict(folder, "--json", "--platform", *words, trace)
            assert result.returncode == 0, result.stderr
            assert abs(json.loads(result.stdout)["wall_s"] / expected - 1) < 0.01, (words, expected, result.stdout[:300])


def test_what_cannot_be_predicted():
    needed()
    with tempfile.TemporaryDirectory() as folder:
        platform = cluster(folder, "p.xml", "1GBps", "1us")
        ranks = compiled(folder, story.write(folder, "many.c", MANY))
        trace = os.path.join(folder, "trace")
        story.record(trace, simulated(folder, platform, 4, ranks), "--only", "0-2")
        result = predict(folder, "--platform", platform, trace)
        assert result.returncode == 3 and "rank 3 was not recorded" in result.stderr, result.stderr
        story.record(trace, simulated(folder, platform, 4, ranks))
        result = predict(folder, "--platform", os.path.join(folder, "none.xml"), trace)
        assert result.returncode == 3 and "none.xml" in result.stderr, result
        damaged = story.write(folder, "damaged.xml", "<platform version='4.1'><zone")
        result = predict(folder, "--platform", damaged, trace)
        assert result.returncode == 3 and "the replay ended" in result.stderr, result
        empty = story.write(folder, "node.json", "{}")
        result = predict(folder, "--platform", empty, trace)
        assert result.returncode == 3 and "node.json" in result.stderr, result
        assert predict(folder, "--platform", platform, folder).returncode == 3
        assert predict(folder, "--platform", platform, "--compute-factor", "-1", trace).returncode == 2


if __name__ == "__main__":
    story.main()
