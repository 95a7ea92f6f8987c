"""A trace that another tool recorded (OTF2) is diagnosed like one of Whyslow's own, as far as it tells."""
import atexit
import collections
import csv
import io
import json
import os
import shutil
import subprocess
import tempfile

import story

# EZTrace 2.0 records of non-blocking operations their starts only.
PROGRAM = r"""
#include <mpi.h>
#include <time.h>
static void late(int ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL); }
int main(int argc, char **argv)
{
    int rank, size, x = 0, y[8];
    MPI_Comm half, all;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    for (int i = 0; i < 5; i++) {
        if (rank == 0) {
            late(20);
            MPI_Ssend(&x, 1, MPI_INT, 1, 3, all);
        } else if (rank == 1) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, MPI_STATUS_IGNORE);
        }
        MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD, &request);
        MPI_Recv(y, 1, MPI_INT, (rank + size - 1) % size, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(y, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &request);
        MPI_Send(&x, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 2)
            late(30);
        MPI_Barrier(half);
        MPI_Bcast(&x, 1, MPI_INT, 0, half);
        MPI_Reduce(&x, y, 1, MPI_INT, MPI_SUM, 1, all);
        MPI_Allreduce(&x, y, 1, MPI_INT, MPI_SUM, half);
    }
    MPI_Finalize();
    return 0;
}
"""
recorded = []


def eztrace():
    """The archive of the program on four ranks, recorded once: its folder."""
    if not recorded:
        folder = tempfile.mkdtemp(prefix="whyslow-import-")
        atexit.register(shutil.rmtree, folder)
        assert shutil.which("eztrace"), "eztrace is not installed"
        mpi = story.mpis()[0]
        program = mpi.compile(story.write(folder, "program.c", PROGRAM), os.path.join(folder, "program"))
        # Two ranks are started half a second after the others: each process has its own begin of time.
        command = ["eztrace", "-t", "openmpi", program]
        later = ["sh", "-c", 'sleep 0.5; exec "$@"', "sh", *command]
        result = story.run(mpi.launcher, "-n", "2", *command, ":", "-n", "2", *later, cwd=folder)
        assert result.returncode == 0, result.stderr
        recorded.append(os.path.join(folder, "program_trace"))
    return recorded[0]


def table(path):
    result = story.whyslow("export", "--to", "csv", "-o", "-", path)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def leftovers():
    return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("whyslow-") and len(name) == 14]


def test_eztrace_is_diagnosed():
    anchor = os.path.join(eztrace(), "eztrace_log.otf2")
    diagnosis = story.diagnose(anchor, "--threshold", "0")
    assert diagnosis == story.diagnose(eztrace(), "--threshold", "0") | {"run": diagnosis["run"]}
    run = diagnosis["run"]
    assert run["ranks"] == 4 and run["command"] == anchor and "EZTrace" in run["mpi"]
    warnings = " ".join(diagnosis["warnings"])
    assert "EZTrace counts the time of each process from its own start" in warnings
    assert "clocks of the OTF2 trace do not agree" in warnings and "left a barrier or reduction" in warnings
    assert "does not tell where in the source" in warnings
    assert "40 of its operations that were started ended (sends 20, receives 20, collective 0)" in warnings
    # Half a second apart: the later ones' messages seem to arrive before they are sent.
    assert run["recording"]["clock_violations"] >= 5
    text = story.whyslow("diagnose", anchor)
    assert "messages arrived before being sent" in text.stdout and text.returncode == 0


def test_all_that_eztrace_tells_is_there():
    rows = table(eztrace())
    names = collections.Counter(row["type"] for row in rows)
    assert names == {"send": 45, "recv": 25, "barrier": 20, "broadcast": 20, "reduce": 20, "nxn": 20}, names
    printed = subprocess.run(["otf2-print", os.path.join(eztrace(), "eztrace_log.otf2")], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=True).stdout
    assert printed.count("\nMPI_SEND ") + printed.count("\nMPI_ISEND ") == names["send"]
    assert printed.count("\nMPI_RECV ") == names["recv"] and printed.count("\nMPI_COLLECTIVE_END ") == 80
    channel = lambda row, sender, receiver: (row[sender], row[receiver], row["comm"], row["tag"], row["n"])
    receives = {channel(row, "peer", "process") for row in rows if row["type"] == "recv"}
    assert receives <= {channel(row, "process", "peer") for row in rows if row["type"] == "send"}
    assert {row["synchronous"] for row in rows if row["function"] == "MPI_Ssend"} == {"1"}
    assert {(row["size"], row["root"]) for row in rows if row["type"] == "broadcast"} == {("2", "2"), ("2", "3")}
    assert {(row["size"], row["root"], row["is_root"]) for row in rows if row["type"] == "reduce"} == {
        ("4", "1", "0"), ("4", "1", "1")}
    halves = {row["comm"] for row in rows if row["type"] == "barrier"}
    assert len(halves) == 2 and "1" not in halves


def test_import_keeps_the_trace(folder):
    kept = os.path.join(folder, "kept")
    result = story.whyslow("import", "-o", kept, eztrace())
    assert result.returncode == 0 and "whyslow diagnose " + kept in result.stderr, result.stderr
    once, again = story.diagnose(kept, "--threshold", "0"), story.diagnose(eztrace(), "--threshold", "0")
    assert once == again
    # It is a trace like any other: CTF, and diagnosed by several.
    babeltrace = story.run("babeltrace2", kept + "/ctf")
    assert babeltrace.returncode == 0 and babeltrace.stdout.count(" barrier: ") == 20, babeltrace.stderr
    assert once == story.diagnose(kept, "--threshold", "0", "--jobs", "3")
    mpi = story.mpis()[0]
    result = story.run(*mpi.command(2, story.WHYSLOW, "diagnose", "--json", "--threshold", "0", kept))
    assert result.returncode == 0 and json.loads(result.stdout) == once, result.stderr
    result = story.run(*mpi.command(2, story.WHYSLOW, "diagnose", eztrace()))
    assert result.returncode != 0 and result.stderr.count("whyslow import -o DIR") == 1, result.stderr
    result = story.whyslow("import", "-o", kept, eztrace())
    assert result.returncode == 2 and "is there" in result.stderr
    assert sorted(os.listdir(folder)) == ["kept"]


def test_as_score_p_records(folder):
    archive = os.path.join(folder, "scorep")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "write_otf2.py")
    result = story.run("/usr/bin/python3", script, archive)
    assert result.returncode == 0, result.stderr
    diagnosis = story.diagnose(archive, "--threshold", "0")
    found = {}
    for problem in diagnosis["problems"]:
        (waiting,) = [site for site in problem["sites"] if site["waits"]]
        (share,) = problem["ranks"]
        found[problem["id"], waiting["called"], waiting["function"], waiting["file"], waiting["line"], share["rank"]] = round(
            1000 * problem["duration_s"], 3)
    assert found == {
        ("late-sender", "MPI_Recv", "solve", "solve.c", 10, 1): 19,
        ("late-sender", "MPI_Waitall", "solve", "solve.c", 10, 1): 7,
        ("wait-at-barrier", "MPI_Wait", "solve", "solve.c", 10, 0): 9,
        ("wait-at-barrier", "MPI_Barrier", "main", "barrier.c", 77, 0): 5,
        ("lock-contention", "MPI_Win_lock", "main", "main.c", 3, 1): 9,
    }, found
    run = diagnosis["run"]
    # From the end of MPI_Init to the begin of MPI_Finalize.
    assert run["ranks"] == 2 and round(run["wall_s"], 6) == 0.079 and run["recording"]["unmatched"] == 0
    assert run["recording"]["clock_violations"] == 0 and run["recording"]["clocks"] == 1
    assert diagnosis["warnings"] == [], diagnosis["warnings"]
    rows = table(archive)
    assert sum(row["thread"] == "1" for row in rows) == 1
    channels = {(row["process"], row["peer"], row["tag"], row["comm"] == "1", row["bytes"]) for row in rows if row["type"] == "send"}
    assert channels == {("0", "1", "5", False, "64"), ("0", "1", "6", True, "32"), ("0", "1", "99", True, "8")}, channels
    assert sum(row["type"] == "recv" for row in rows) == 3  # the cancelled one is none


def test_damaged_or_no_otf2(folder):
    archive = os.path.join(folder, "archive")
    for name, cut in [("eztrace_log.otf2", 40), ("eztrace_log.def", 100), ("eztrace_log/0.evt", 1000),
                      ("eztrace_log/0.evt", 0)]:
        shutil.copytree(eztrace(), archive)
        with open(os.path.join(archive, name), "r+b") as file:
            file.truncate(cut)
        result = story.whyslow("diagnose", archive)
        assert result.returncode == 3 and "eztrace_log.otf2: no OTF2 trace that can be read" in result.stderr, result
        assert result.stdout == "" and "[OTF2]" not in result.stderr
        shutil.rmtree(archive)
    shutil.copytree(eztrace(), archive)
    os.remove(os.path.join(archive, "eztrace_log/0.evt"))
    result = story.whyslow("diagnose", archive)
    assert result.returncode == 3 and "0.evt" in result.stderr, result.stderr
    foreign = story.write(folder, "foreign.otf2", "no OTF2 at all")
    for words in (["diagnose", foreign], ["export", "--to", "csv", foreign], ["import", foreign], ["report", foreign]):
        result = story.whyslow(*words, cwd=folder)
        assert result.returncode == 3 and "foreign.otf2: no OTF2 trace that can be read" in result.stderr, result.stderr
    result = story.whyslow("import", os.path.join(archive, "eztrace_log"))
    assert result.returncode == 3 and "name its folder, or the file in it that ends in .otf2" in result.stderr
    assert sorted(os.listdir(folder)) == ["archive", "foreign.otf2"]
    assert leftovers() == []


if __name__ == "__main__":
    story.main()
