"""Ranks whose clocks differ: in time namespaces of their own, and with a network between them.

The kernel knows the true offset of a time namespace, so that what the recorder measured can be judged.
"""
import os
import subprocess

import story
import streams

RING = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, got = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 200; i++) {
        if (rank == 1 && i % 50 == 0)
            usleep(20000); /* others wait for rank 1, 80 ms in all */
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("rank %d got %d\\n", rank, got);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        _exit(0);
    }
    MPI_Finalize();
    return 0;
}
"""
# Rank 0 stays in the namespace of the machine, each other gets one that is 1000 s further ahead.
APART = """#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
test "$rank" = 0 && exec "$@"
exec unshare -T --monotonic $((rank * 1000)) "$@"
"""


def time_namespaces():
    result = story.run("unshare", "-T", "--monotonic", "10", "true")
    if result.returncode != 0:
        story.skip("no time namespaces here: " + result.stderr.strip())


def ring(folder, mpi):
    source = story.write(folder, "ring.c", RING)
    return mpi.compile(source, os.path.join(folder, mpi.name + ".ring"))


def apart(folder):
    script = story.write(folder, "apart", APART)
    os.chmod(script, 0o755)
    return script


def clocks(records, rank):
    return [record for record in records if record["kind"] == "clock" and record["rank"] == rank]


def offsets(records, rank):
    return [record for record in records if record["kind"] == "clock_offset" and record["rank"] == rank]


def assert_order(recording):
    """A message takes 0.3 us: only clocks that are known as well as that can be held to the order of events."""
    assert recording["clock_violations"] < 20 or recording["clock_error_s"] > 5e-7, recording


def test_time_namespaces(folder):
    time_namespaces()
    for mpi, ranks in zip(story.mpis(), (3, 2)):
        trace = os.path.join(folder, mpi.name)
        command = mpi.command(ranks, apart(folder), ring(folder, mpi))
        result = story.record(trace, command)
        assert result.returncode == 0, (mpi.name, result.stderr)
        assert sorted(result.stdout.splitlines()) == [f"rank {rank} got 199" for rank in range(ranks)], result.stdout
        records = streams.read(trace)
        assert len({clocks(records, rank)[0]["domain"] for rank in range(ranks)}) == ranks, mpi.name
        assert not offsets(records, 0)
        for rank in range(1, ranks):
            found = offsets(records, rank)
            assert len(found) == 2, (mpi.name, rank, found)
            for offset in found:
                wrong_ns = abs(offset["offset_ns"] + rank * 1000 * 10**9)
                # The two scales were measured apart: 10 parts in a million of some seconds at the most.
                assert wrong_ns <= offset["bound_ns"] + 2000, (mpi.name, offset)
                assert offset["bound_ns"] < 5_000_000, (mpi.name, offset)
        diagnosis = story.diagnose(trace)
        recording = diagnosis["run"]["recording"]
        assert recording["clocks"] == ranks, recording
        assert_order(recording)
        assert 0 < recording["clock_error_s"] < 0.005, recording
        assert diagnosis["run"]["wall_s"] < 60, diagnosis["run"]
        assert 0.07 < story.by_id(diagnosis)["late-sender"] < 3, (mpi.name, story.by_id(diagnosis))
        assert not [warning for warning in diagnosis["warnings"] if "clock" in warning], diagnosis["warnings"]


def test_one_clock_sends_nothing_and_agrees(folder):
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name)
        story.record(trace, mpi.command(2, ring(folder, mpi)))
        records = streams.read(trace)
        assert clocks(records, 0)[0]["domain"] == clocks(records, 1)[0]["domain"]
        assert clocks(records, 0)[0]["error_ppb"] == clocks(records, 1)[0]["error_ppb"] <= 10000
        assert not offsets(records, 0) and not offsets(records, 1)
        for rank in range(2):  # the scale is that of the kernel's clock
            for record in clocks(records, rank):
                assert abs(record["kernel_ns"] - record["end"]) < 100_000, record
        recording = story.diagnose(trace)["run"]["recording"]
        assert recording["clocks"] == 1 and recording["clock_violations"] == 0, recording


def test_the_kernels_clock_on_request(folder):
    mpi = story.mpis()[1]
    trace = os.path.join(folder, "trace")
    environment = dict(os.environ, WHYSLOW_CLOCK="kernel")
    result = story.whyslow("record", "-o", trace, "--", *mpi.command(2, ring(folder, mpi)), env=environment)
    assert result.returncode == 0, result.stderr
    assert clocks(streams.read(trace), 0)[0]["error_ppb"] == 0


def test_an_end_without_finalize_leaves_one_comparison(folder):
    time_namespaces()
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name)
        command = mpi.command(2, apart(folder), ring(folder, mpi), "exit")
        result = story.record(trace, command)
        assert sorted(result.stdout.splitlines()) == ["rank 0 got 199", "rank 1 got 199"], (mpi.name, result.stdout)
        assert len(offsets(streams.read(trace), 1)) == 1, mpi.name
        diagnosis = story.diagnose(trace)
        assert_order(diagnosis["run"]["recording"])
        assert any("at the start only" in warning for warning in diagnosis["warnings"]), diagnosis["warnings"]


def test_ranks_without_the_recorder_never_wait_in_vain(folder):
    """The recorder on one of two clocks only: neither it nor the bare rank may hang; the run is as long as it is."""
    time_namespaces()
    for mpi in story.mpis():
        for bare in (0, 1):
            script = story.write(folder, "some", "#!/bin/sh\n"
                                 f"test ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} = {bare} && unset LD_PRELOAD\n"
                                 f"exec {apart(folder)} \"$@\"\n")
            os.chmod(script, 0o755)
            trace = os.path.join(folder, f"{mpi.name}-{bare}")
            result = story.record(trace, mpi.command(2, script, ring(folder, mpi)))
            assert result.returncode == 0, (mpi.name, result.stderr)
            assert sorted(result.stdout.splitlines()) == ["rank 0 got 199", "rank 1 got 199"], (mpi.name, result.stdout)
            records = streams.read(trace)
            assert {record["rank"] for record in records} == {1 - bare}, mpi.name
            assert not offsets(records, 1 - bare)


def test_a_second_world_meets_nobody(folder):
    """One command, two worlds: what rank 0 and the leaders agreed on was for the first; nobody waits in the second."""
    time_namespaces()
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name)
        command = " ".join(mpi.command(3, apart(folder), ring(folder, mpi)))
        result = story.record(trace, ["sh", "-c", f"{command}; {command}"], timeout=60)
        assert sorted(result.stdout.splitlines()) == sorted(2 * [f"rank {rank} got 199" for rank in range(3)]), \
            (mpi.name, result.stdout, result.stderr)
        assert len(offsets(streams.read(trace), 1)) == 2, mpi.name


class Nodes:
    """Two network namespaces as nodes, the second with a clock and a host name of its own, and a slow and lopsided
    network between them: netem's delays where the kernel has it, else a limited rate on one side."""

    HOSTS = ("10.77.213.1", "10.77.213.2")

    def __init__(self, folder):
        self.names = [f"whyslow{os.getpid()}{side}" for side in "ab"]
        self.agent = story.write(folder, "agent", "#!/bin/sh\n"
                                 "# A remote shell, as launchers call it: options, host, command.\n"
                                 'while test "${1#-}" != "$1"; do shift; done\nshift\nexport REMOTE="$*"\n'
                                 f"exec ip netns exec {self.names[1]} unshare -u -T --monotonic 1000 "
                                 "sh -c 'hostname node1; exec sh -c \"$REMOTE\"'\n")
        os.chmod(self.agent, 0o755)

    def __enter__(self):
        one, two = self.names
        steps = [f"ip netns add {one}", f"ip netns add {two}",
                 f"ip link add name veth0 netns {one} type veth peer name veth0 netns {two}"]
        for name, address in zip(self.names, self.HOSTS):
            steps += [f"ip -n {name} addr add {address}/24 dev veth0", f"ip -n {name} link set lo up",
                      f"ip -n {name} link set veth0 up"]
        for step in steps:
            result = story.run(*step.split())
            if result.returncode != 0:
                self.__exit__()
                story.skip("no network namespaces here: " + result.stderr.strip())
        self.delayed = all(story.run(*f"tc -n {name} qdisc add dev veth0 root netem delay {delay}".split()).returncode == 0
                           for name, delay in ((one, "3ms"), (two, "1ms")))
        if not self.delayed:
            limit = story.run(*f"tc -n {two} qdisc add dev veth0 root tbf rate 4mbit burst 1600 latency 50ms".split())
            print("        the kernel has no netem: " + ("a limited rate instead" if limit.returncode == 0 else "no delays"))
        return self

    def __exit__(self, *_):
        for name in self.names:
            story.run("ip", "netns", "del", name)

    def command(self, mpi, *program):
        hosts = ",".join(self.HOSTS)
        if mpi.name == "mpich":
            options = ["-launcher", "ssh", "-launcher-exec", self.agent, "-hosts", hosts]
        else:
            options = ["--mca", "plm_rsh_agent", self.agent, "--host", hosts, "--mca", "btl", "tcp,self"]
            for layer in ("oob", "btl"):
                options += ["--mca", layer + "_tcp_if_include", "10.77.213.0/24"]
        return [mpi.launcher, *options, "-n", "2", *program]

    def run(self, *command, **options):
        return story.run("ip", "netns", "exec", self.names[0], *command, **options)


def test_a_network_between_the_clocks(folder):
    time_namespaces()
    with Nodes(folder) as nodes:
        for mpi in story.mpis():
            command = nodes.command(mpi, ring(folder, mpi))
            bare = nodes.run(*command, timeout=60)
            if bare.returncode != 0:
                story.skip(f"{mpi.launcher} does not start ranks in two network namespaces: " + bare.stderr[:300])
            trace = os.path.join(folder, mpi.name)
            result = nodes.run(story.WHYSLOW, "record", "-o", trace, "--", *command)
            assert result.returncode == 0, (mpi.name, result.stderr)
            assert sorted(result.stdout.splitlines()) == sorted(bare.stdout.splitlines()), (mpi.name, result.stdout)
            found = offsets(streams.read(trace), 1)
            assert len(found) == 2, (mpi.name, found)
            for offset in found:
                assert abs(offset["offset_ns"] + 1000 * 10**9) <= offset["bound_ns"] + 2000, (mpi.name, offset)
                assert not nodes.delayed or offset["bound_ns"] >= 2_000_000, (mpi.name, offset)
            diagnosis = story.diagnose(trace)
            recording = diagnosis["run"]["recording"]
            assert recording["clocks"] == 2 and recording["clock_error_s"] < 0.1, recording
            assert_order(recording)
            assert story.by_id(diagnosis)["late-sender"] > 0.07, (mpi.name, story.by_id(diagnosis))


if __name__ == "__main__":
    story.main()
