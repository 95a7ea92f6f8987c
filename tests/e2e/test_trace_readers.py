"""The trace is read by others (babeltrace2), and its call sites are found wherever the code lies."""
import os
import subprocess

import story

PROGRAM = r"""
#include <mpi.h>
#include <unistd.h>
void exchange(int rank);
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        exchange(rank);
    MPI_Finalize();
    return 0;
}
"""
EXCHANGE = r"""
#include <mpi.h>
#include <unistd.h>
void exchange(int rank)
{
    int value = 1;
    if (rank == 0) {
        usleep(60000);
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
"""


def build(folder, mpi, kind):
    main = story.write(folder, "main.c", PROGRAM)
    part = story.write(folder, "exchange.c", EXCHANGE)
    binary = os.path.join(folder, "program-" + kind)
    if kind == "pie":
        subprocess.run([mpi.compiler, "-g", "-pie", "-fPIE", main, part, "-o", binary], check=True)
    elif kind == "fixed":
        subprocess.run([mpi.compiler, "-g", "-no-pie", "-fno-pie", main, part, "-o", binary], check=True)
    elif kind == "shared":
        library = os.path.join(folder, "libexchange.so")
        subprocess.run([mpi.compiler, "-g", "-shared", "-fPIC", part, "-o", library], check=True)
        subprocess.run([mpi.compiler, "-g", main, library, "-Wl,-rpath," + folder, "-o", binary], check=True)
    else:
        subprocess.run([mpi.compiler, "-O1", "-s", main, part, "-o", binary], check=True)
    return binary


def test_call_sites(folder):
    for mpi in story.mpis():
        for kind in ("pie", "fixed", "shared", "stripped"):
            trace = os.path.join(folder, kind)
            story.record(trace, mpi.command(2, build(folder, mpi, kind)))
            problems = [p for p in story.diagnose(trace)["problems"] if p["id"] == "late-sender"]
            assert len(problems) == 1, (mpi.name, kind, problems)
            sites = {site["called"]: site for site in problems[0]["sites"]}
            if kind == "stripped":
                assert sites["MPI_Recv"]["module"].endswith("program-stripped")
                assert sites["MPI_Recv"]["offset"] > 0
            else:
                lines = EXCHANGE.splitlines()
                for call in ("MPI_Send", "MPI_Recv"):
                    site = sites[call]
                    assert site["function"] == "exchange", (mpi.name, kind, site)
                    assert os.path.basename(site["file"]) == "exchange.c"
                    assert call in lines[site["line"] - 1], (mpi.name, kind, site)


def test_babeltrace_reads_it_without_a_warning(folder):
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name)
        story.record(trace, mpi.command(2, build(folder, mpi, "pie")))
        result = story.run("babeltrace2", trace)
        assert result.returncode == 0 and result.stderr == "", result.stderr
        sends = [line for line in result.stdout.splitlines() if " send:" in line]
        receives = [line for line in result.stdout.splitlines() if " recv:" in line]
        assert len(sends) == 3 and len(receives) == 3, result.stdout
        assert all("tag = 5" in line for line in sends), sends
        assert result.stdout.count('define_site') >= 2 and '"MPI_Send"' in result.stdout


story.main()
