"""Programs that we did not write, from Debian: HPC Challenge and NetPIPE."""
import os
import re
import shutil

import story



def hpcc_input(folder):
    """HPC Challenge's own example input, made small enough for a test."""
    candidates = ["/usr/share/doc/hpcc/examples/_hpccinf.txt", "/usr/share/doc/hpcc/examples/_hpccinf.txt.gz",
                  "/usr/share/doc/hpcc/_hpccinf.txt"]
    for path in candidates:
        if os.path.exists(path):
            text = story.run("gzip", "-dcf", path).stdout
            break
    else:
        raise AssertionError("hpcc's example input is not where Debian puts it")
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.search(r"\bNs\b", line):
            lines[number] = "200          Ns"
        elif re.search(r"\bPs\b", line) or re.search(r"\bQs\b", line):
            lines[number] = "2            " + line.split()[-1]
    story.write(folder, "hpccinf.txt", "\n".join(lines) + "\n")


def test_hpcc_is_recorded_and_its_own_results_are_unharmed(folder):
    assert shutil.which("hpcc"), "hpcc is not installed"
    hpcc_input(folder)
    command = ["mpirun.openmpi", "-n", "4", "hpcc"]
    trace = os.path.join(folder, "trace")
    result = story.whyslow("run", "-o", trace, "--", *command, cwd=folder, timeout=600)
    assert result.returncode == 0, result.stderr
    with open(os.path.join(folder, "hpccoutf.txt"), encoding="utf-8") as file:
        output = file.read()
    assert "Success=1" in output, output[-2000:]
    assert "HPL" in output and "FAILED" not in output
    diagnosis = story.diagnose(trace)
    assert diagnosis["run"]["ranks"] == 4
    assert diagnosis["run"]["recording"]["events"] > 1000
    assert diagnosis["run"]["recording"]["lost"] == 0


def netpipe(folder, program, launcher):
    if not shutil.which(program):
        raise AssertionError(f"{program} is not installed")
    trace = os.path.join(folder, "trace")
    options = ["-u", "4096", "-n", "20", "-o", os.path.join(folder, "np.out")]
    result = story.whyslow("run", "-o", trace, "--", launcher, "-n", "2", program, *options, cwd=folder)
    assert result.returncode == 0, result.stderr
    with open(os.path.join(folder, "np.out"), encoding="utf-8") as file:
        rows = file.read().splitlines()
    assert len(rows) > 10 and all(len(row.split()) >= 3 for row in rows)
    diagnosis = story.diagnose(trace)
    assert diagnosis["run"]["recording"]["events"] > 1000
    assert diagnosis["run"]["recording"]["unmatched"] == 0, diagnosis["run"]


def test_netpipe_under_open_mpi(folder):
    netpipe(folder, "NPopenmpi", "mpirun.openmpi")


def test_netpipe_under_mpich(folder):
    netpipe(folder, "NPmpich2", "mpirun.mpich")


story.main()
