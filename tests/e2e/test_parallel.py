"""One report, whoever works on it: threads, or the processes of either MPI, fewer and more than ranks."""
import os
import shutil

import story

# Messages to neighbours and across, a wildcard receiver, collectives, locks; so many short waits that they
# are settled on the way.
MIXED = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 100;
    double value[400] = {0}, sum;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Comm half;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    if (size > 1)
        MPI_Win_create(value, sizeof value, sizeof *value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < rounds; i++) {
        int right = (rank + 1) % size, left = (rank + size - 1) % size;
        for (volatile int spin = 0; spin < (rank * 7 + i) % 5 * 2000; spin++)
            continue;
        MPI_Irecv(value, 100, MPI_DOUBLE, left, i % 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(value + 100, 100, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(value + 200, 100, MPI_DOUBLE, right, i % 3, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(value + 300, 100, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, statuses);
        if (i % 10 == 0) {
            if (rank == 0)
                for (int r = 1; r < size; r++)
                    MPI_Recv(value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Send(value, 1, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
            MPI_Bcast(value, 1, MPI_DOUBLE, 0, half);
        }
        if (i == 4 && rank > 0) /* rank 0 waits once at least, whatever the machine does */
            usleep(5000);
        MPI_Allreduce(value, &sum, 1, MPI_DOUBLE, MPI_SUM, i % 4 ? half : MPI_COMM_WORLD);
        if (size > 1 && i % 20 == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            MPI_Put(value + 1, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
            MPI_Win_unlock(0, window);
        }
    }
    if (argc > 2 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    if (size > 1)
        MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
"""

# No equality ties these events: one member must have them all.  Groups of all ranks' sends by place do the
# same; the third is a problem type like those that Whyslow has.
RULES = {
    "scan": """
declare composite event crossing
member(shared nxn as a, shared nxn as b)
when overlaps(a, b) and a.process == 0 and b.process > 0
parameters(late = clamp(b.t - a.t, 0, a.d));
declare problem for crossing
parameters(name = "Crossing", advice = "{b.process} at {b.site}", duration = late, waiting = a, cause = b);
""",
    "by-place": """
declare composite event place
member(all send as s by s.posted_site)
parameters(count = count(s), first = at_min(s.t, s), d = sum(s.d));
declare problem for place
parameters(name = "Place", advice = "{count} sends at {s.posted_site}", duration = s.d, waiting = s, cause = first);
""",
    "by-rank": """
declare composite event busy
member(all recv as r by r.process, r.peer)
when count(r) > 20
parameters(count = count(r), last = at_max(r.t, r));
declare problem for busy
parameters(name = "Busy", advice = "{count} receives by {r.function}", duration = r.d, waiting = r, cause = last);
""",
}


def rules(folder):
    for name, text in RULES.items():
        os.makedirs(os.path.join(folder, name))
        story.write(os.path.join(folder, name), name + ".rules", text)
    return folder


def report(trace, *options, mpi=None, count=1):
    command = [story.WHYSLOW, "diagnose", "--json", "--threshold", "0", *options, trace]
    return story.run(*(mpi.command(count, *command) if mpi else command))


def assert_same(trace, *options, mpis=(), counts=(1, 2, 3, 5)):
    alone = report(trace, "--jobs", "1", *options)
    for jobs in counts:
        result = report(trace, "--jobs", jobs, *options)
        assert result.stdout == alone.stdout, f"{trace}: --jobs {jobs} tells something else"
        assert result.stderr == alone.stderr and result.returncode == alone.returncode, result.stderr
    for mpi in mpis:
        for count in counts:
            result = report(trace, *options, mpi=mpi, count=count)
            assert result.stdout == alone.stdout, f"{trace}: {mpi.name} -n {count}: {result.stderr}"
            assert result.returncode == alone.returncode, (result.returncode, result.stderr)
    return alone


def record_mixed(folder, mpi, ranks, *words):
    program = os.path.join(folder, "mixed-" + mpi.name)
    if not os.path.exists(program):
        mpi.compile(story.write(folder, "mixed.c", MIXED), program)
    trace = os.path.join(folder, f"trace-{mpi.name}-{ranks}" + "-".join(words))
    result = story.record(trace, mpi.command(ranks, program, *words))
    assert result.returncode == 0 or len(words) > 1, result.stderr
    return trace


def test_many_findings(folder):
    mpi = story.mpis()[0]
    trace = record_mixed(folder, mpi, 4, "2000")
    assert '"late-sender"' in assert_same(trace, mpis=story.mpis()).stdout


def test_one_and_sixteen_ranks(folder):
    for mpi in story.mpis():
        assert_same(record_mixed(folder, mpi, 1, "20"), mpis=[mpi], counts=(2,))
        assert_same(record_mixed(folder, mpi, 16, "30"), mpis=[mpi], counts=(3, 5))


def test_rules_without_keys(folder):
    mpi = story.mpis()[1]
    trace = record_mixed(folder, mpi, 4, "60")
    kb = rules(os.path.join(folder, "kb"))
    options = [word for name in RULES for word in ("--kb", os.path.join(kb, name))]
    alone = assert_same(trace, *options, mpis=[mpi], counts=(2, 3, 5))
    for name in RULES:
        assert f'"{name}"' in alone.stdout, name


def test_damage(folder):
    mpi = story.mpis()[0]
    trace = record_mixed(folder, mpi, 4, "300", "abort")
    streams = os.path.join(trace, "ctf")
    assert_same(trace)
    with open(os.path.join(streams, "rank-1.thread-0"), "r+b") as file:
        file.seek(9000)
        file.write(b"\xff" * 64)
    assert "damaged" in assert_same(trace, mpis=[mpi], counts=(3,)).stdout
    shutil.copy(os.path.join(streams, "rank-1.thread-0"), os.path.join(streams, "rank-9.thread-0"))
    story.write(streams, "notes", "not a stream")
    os.remove(os.path.join(streams, "rank-2.thread-0"))
    alone = assert_same(trace, mpis=[mpi], counts=(5,)).stdout
    for text in "rank-9.thread-0 was not read", "notes is not part of", "rank 2 left no readable stream":
        assert text in alone, alone
    for rank in 0, 1, 3, 9:
        story.write(streams, f"rank-{rank}.thread-0", "")
    assert assert_same(trace, mpis=[mpi], counts=(2, 3)).returncode == 3


def test_mistakes_are_told_once(folder):
    for mpi in story.mpis():
        for words, code, text in [
            (["--frob", folder], 2, "unknown option '--frob'"),
            ([folder, "--engine", "none"], 2, 'no engine "none"'),
            ([folder, "--jobs", "2"], 2, "--jobs does not go with an MPI's launcher"),
            ([folder], 3, "holds no Whyslow trace"),
            ([folder, "--kb", folder + "/none"], 3, "no such folder"),
        ]:
            result = story.run(*mpi.command(3, story.WHYSLOW, "diagnose", *words), timeout=60)
            assert result.returncode == code, (words, result.returncode, result.stderr)
            assert result.stderr.count("whyslow: ") == 1 and text in result.stderr, (words, result.stderr)
            assert result.stdout == "" or mpi.name == "openmpi", result.stdout


def test_no_library_for_the_team(folder):
    environment = dict(os.environ, XDG_CACHE_HOME="/proc/nowhere")
    for mpi in story.mpis():
        result = story.run(*mpi.command(3, story.WHYSLOW, "diagnose", folder), env=environment, timeout=60)
        assert result.returncode == 4, (result.returncode, result.stderr)
        assert result.stderr.count("whyslow: ") == 1 and "/proc/nowhere" in result.stderr, result.stderr


def test_not_the_launchers_mpi(folder):
    """A launcher whose MPI is another than its environment tells: each process would think it is alone."""
    environment = dict(os.environ, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
    result = story.run(story.WHYSLOW, "diagnose", folder, env=environment, timeout=60)
    assert result.returncode == 4 and "it is not the MPI of the launcher" in result.stderr, result.stderr


if __name__ == "__main__":
    story.main()
