"""The page of a report in a real browser: built from its sources, typed, and tried in Chromium (src/report/page/test/)."""
import json
import os
import re
import shutil

import story

PAGE = os.path.join(story.ROOT, "src", "report", "page")


def packages():
    """The packages of the lock file, installed where they are not yet."""
    assert shutil.which("npm"), "npm is not installed: scripts/install-deps.sh installs it"
    lock, done = (os.path.join(PAGE, name) for name in ("package-lock.json", "node_modules/.package-lock.json"))
    if not os.path.exists(done) or os.path.getmtime(done) < os.path.getmtime(lock):
        npm("ci", "--no-audit", "--no-fund", "--ignore-scripts")


def npm(*words):
    result = story.run("npm", *words, cwd=PAGE, timeout=600)
    assert result.returncode == 0, f"npm {' '.join(words)}:\n{result.stdout[-6000:]}\n{result.stderr[-2000:]}"
    return result.stdout


def test_the_types_hold():
    packages()
    npm("run", "typecheck")


def test_the_page_in_the_browser():
    packages()
    told = npm("test")
    assert re.search(r"^# fail 0$", told, re.M) and int(re.search(r"^# pass (\d+)$", told, re.M)[1]) > 40, told[-4000:]
    for line in re.findall(r"^# (.*frames/s.*|opened in.*)$", told, re.M):
        print(f"        {line}")


# Rank 1 waits 200 ms for rank 0; names of its file, its phase and its argument are markup.
PROGRAM = r"""
#include <mpi.h>
#include <unistd.h>
#include "whyslow.h"
int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    whyslow_phase("</script><script>window.broken=1</script>");
    if (rank == 0) {
        usleep(200000);
        MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD); /* <b>late</b> */
    } else
        MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def test_a_real_run_with_hostile_names(folder):
    packages()
    mpi = story.mpis()[1]
    source = story.write(folder, "<img src=x onerror=window.broken=2>.c", PROGRAM)
    program = mpi.compile(source, os.path.join(folder, "program"), "-I", os.path.join(story.ROOT, "include"))
    traces = [os.path.join(folder, name) for name in ("before", "after")]
    for trace in traces:
        story.record(trace, mpi.command(2, program, "</script><b>"))
    report = os.path.join(folder, "report.html")
    result = story.whyslow("report", traces[1], "--compare", traces[0], "-o", report)
    assert result.returncode == 0, result.stderr
    diagnosis = story.diagnose(traces[1])

    visit = story.run("node", os.path.join(PAGE, "test", "visit.mjs"), report)
    assert visit.returncode == 0, visit.stderr
    seen = json.loads(visit.stdout)
    assert seen["complaints"] == [] and seen["requests"] == [] and seen["broken"] is None and seen["elements"] == 0, seen
    assert seen["tabs"] == ["Overview", "Problems", "Timeline", "Exchange", "Compare"], seen["tabs"]
    assert re.search(r"4 B in 1 message between 1 pair of 2 ranks", seen["exchange"]), seen["exchange"]
    assert len(seen["problems"]) == len(diagnosis["problems"])
    for text, problem in zip(seen["problems"], diagnosis["problems"]):
        assert problem["name"] in text and problem["advice"].split(".")[0] in text, (text, problem)
    late = next(text for text in seen["problems"] if "Late sender" in text)
    assert "/* <b>late</b> */" in late and "onerror=window.broken=2" in late, late
    assert diagnosis["problems"][0]["name"] in seen["fix"]
    assert re.search(r"ranks 0 to 1: [1-9]\d* events", seen["timeline"]), seen["timeline"]
    assert "MPI_" in seen["event"]
    assert "Late sender" in seen["compare"] and "no clear change" in seen["compare"], seen["compare"]
    assert "</script><b>" in seen["overview"]


story.main()
