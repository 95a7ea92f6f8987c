"""Programs that we did not write, from Debian: each runs bare and recorded, and its own results must be the same
but for times; nothing is lost, every message finds its end, and no rank is said to wait longer than it was in MPI.

| program | what it is | MPI |
| HPC Challenge | benchmarks: linear algebra, FFT, random access, bandwidth; checks itself | Open MPI |
| NetPIPE | ping-pong of growing messages, counted by time | both |
| ScaLAPACK's test of LU | Fortran over the BLACS in C; checks its residuals | both |
| LAMMPS | molecular dynamics in C++, the MPI calls in a library | Open MPI |
| GROMACS | molecular dynamics, domains and PME ranks, communicators split | Open MPI |
| mpi4py | Python objects and buffers | Open MPI |
| OpenCoarrays | Fortran's own parallelism over one-sided MPI, by a script as launcher | both |
"""
import collections
import os
import re
import shutil

import story
import streams

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PYTHON = "/usr/bin/python3"  # the one that Debian's mpi4py is for


def inputs(folder, run, *files):
    """An own folder for a run, with its input files."""
    place = os.path.join(folder, run)
    os.makedirs(place)
    for name in files:
        shutil.copy(name if os.path.isabs(name) else os.path.join(HERE, name), place)
    return place


def need(*programs):
    for program in programs:
        assert shutil.which(program), f"{program} is not installed: scripts/install-deps.sh"


def waiting_within_mpi(trace, diagnosis):
    """Each moment counts once: so what a rank waited in all is at most its time in MPI."""
    inside, seen = collections.Counter(), set()
    for record in streams.read(trace):
        call = (record["rank"], record["thread"], record["call"])
        if record["function"] and call not in seen:
            seen.add(call)
            inside[record["rank"]] += record["duration"] / 1e9
    waits = collections.Counter()
    for problem in diagnosis["problems"]:
        for share in problem["ranks"]:
            waits[share["rank"]] += share["duration_s"]
    for rank, seconds in waits.items():
        assert seconds <= inside[rank] * 1.0001 + 1e-6, (rank, seconds, inside[rank])


def judge(trace, ranks, unmatched=0):
    """What holds for the record of every program that ended well."""
    assert not [name for name in os.listdir(trace) if name.endswith(".problem")], os.listdir(trace)
    diagnosis = story.diagnose(trace, "--threshold", "0")
    run, books = diagnosis["run"], diagnosis["run"]["recording"]
    assert run["ranks"] == ranks and run["exit_code"] == 0, run
    assert books["lost"] == 0 and books["unmatched"] == unmatched and books["clock_violations"] == 0, books
    assert not [each for each in diagnosis["warnings"] if "shared" not in each], diagnosis["warnings"]
    assert 0 < books["cost_s"] < run["wall_s"] * ranks, run
    waiting_within_mpi(trace, diagnosis)
    report = story.whyslow("diagnose", trace).stdout
    assert re.search(r"Recording +\d+ events, .*; it cost about .* %", report), report
    print(f"        {run['command'].split('/')[-1][:40]}: {books['events']} events, {books['bytes'] / 1e6:.1f} MB, "
          f"cost {100 * books['cost_s'] / (run['wall_s'] * ranks):.2f} %, {len(diagnosis['problems'])} problems")
    return diagnosis


def own_lines(result, but_for, blank):
    """The program's output without lines of times and with times in other lines blanked; ranks write in any order."""
    lines = [re.sub(blank, " #", line) if blank else line for line in story.lines(result.stdout)
             if not re.search(but_for, line)]
    return sorted(line.rstrip() for line in lines)


def compare(folder, command, ranks, files=(), but_for="^$", blank=None, unmatched=0):
    """Runs the command bare and recorded, each in its own folder: gives the bare and the recorded run's output
    and their folders, when all that must hold for every program does."""
    places = [inputs(folder, name, *files) for name in ("bare", "recorded")]
    trace = os.path.join(folder, "trace")
    bare = story.run(*command, cwd=places[0])
    recorded = story.record(trace, command, cwd=places[1])
    assert bare.returncode == recorded.returncode == 0, (bare.returncode, recorded.returncode, recorded.stderr)
    one, other = own_lines(bare, but_for, blank), own_lines(recorded, but_for, blank)
    assert one == other, [line for line in one if line not in other] + [line for line in other if line not in one]
    judge(trace, ranks, unmatched)
    return bare.stdout, recorded.stdout, places


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
    return story.write(folder, "hpccinf.txt", "\n".join(lines) + "\n")


def hpcc_results(place):
    """Its summary without what is measured: sizes, residuals, counts of failures."""
    with open(os.path.join(place, "hpccoutf.txt"), encoding="utf-8") as file:
        output = file.read()
    assert "Success=1" in output and "FAILED" not in output, output[-2000:]
    summary = dict(line.split("=", 1) for line in output.splitlines() if re.match(r"\w+=", line))
    measured = re.compile(r"GB|GUP|flops|STREAM|time|updates|latency|bandwidth|error|residual|version", re.I)
    return {name: value for name, value in summary.items() if not measured.search(name)}, output.count("PASSED")


def test_hpcc(folder):
    need("hpcc")
    _, _, (bare, recorded) = compare(folder, ["mpirun.openmpi", "-n", "4", "hpcc"], 4, [hpcc_input(folder)])
    one, other = hpcc_results(bare), hpcc_results(recorded)
    assert one == other, (set(one[0].items()) ^ set(other[0].items()), one[1], other[1])
    assert one[1] > 3, one


def netpipe(folder, program, launcher):
    """How many messages NetPIPE sends depends on what it measures: only the sizes that it tries are the same."""
    need(program)
    trace, sizes = os.path.join(folder, "trace"), []
    command = [launcher, "-n", "2", program, "-u", "4096", "-n", "20", "-o", "np.out"]
    for name, run in (("bare", story.run), ("recorded", lambda *words, **options: story.record(trace, words, **options))):
        place = inputs(folder, name)
        result = run(*command, cwd=place)
        assert result.returncode == 0, result.stderr
        with open(os.path.join(place, "np.out"), encoding="utf-8") as file:
            sizes.append([line.split()[0] for line in file])
    assert sizes[0] == sizes[1] and len(sizes[0]) > 10, sizes
    judge(trace, 2)


def test_netpipe_under_open_mpi(folder):
    netpipe(folder, "NPopenmpi", "mpirun.openmpi")


def test_netpipe_under_mpich(folder):
    netpipe(folder, "NPmpich2", "mpirun.mpich")


def test_scalapack(folder):
    for mpi in story.mpis():
        program = f"/usr/lib/{os.uname().machine}-linux-gnu/scalapack/{mpi.name}-tests/xdlu"
        need(program)
        output, _, _ = compare(os.path.join(folder, mpi.name), mpi.command(2, program), 2, ["LU.dat"],
                               blank=r" +\d+\.\d\d(?!\d)")
        assert "12 tests completed and passed residual checks" in output, output


def test_lammps(folder):
    need("lmp")
    output, _, _ = compare(folder, ["mpirun.openmpi", "-n", "4", "lmp", "-in", "melt.in"], 4, ["melt.in"],
                           but_for=r"CPU|Loop time|Performance|^\w+ +\|( *\d|  )|wall time")
    assert re.search(r"^ +200 +1\.65496", output, re.M), output


def gromacs_energies(place):
    with open(os.path.join(place, "md.log"), encoding="utf-8", errors="replace") as file:
        log = file.read()
    assert "Finished mdrun" in log, log[-1000:]
    return re.findall(r"Energies \(kJ/mol\)\n(.*?)\n\n", log, re.S)


def test_gromacs(folder):
    need("gmx", "gmx_mpi")
    water = "/usr/share/gromacs/top/spc216.gro"
    made = story.run("gmx", "grompp", "-f", os.path.join(HERE, "water.mdp"), "-c", water, "-p",
                     os.path.join(HERE, "water.top"), "-o", "water.tpr", "-po", "all.mdp", cwd=folder)
    assert made.returncode == 0, made.stderr
    for ranks, options in ((4, ()), (3, ("-npme", "1"))):
        command = ["mpirun.openmpi", "-n", str(ranks), "gmx_mpi", "mdrun", "-s", "water.tpr", "-reprod", "-ntomp", "1",
                   "-dlb", "no", *options]
        place = os.path.join(folder, str(ranks))
        _, _, places = compare(place, command, ranks, [os.path.join(folder, "water.tpr")], but_for=".")
        bare, recorded = (gromacs_energies(each) for each in places)
        assert len(bare) >= 3 and bare == recorded, (bare, recorded)


def test_mpi4py(folder):
    command = ["mpirun.openmpi", "-n", "3", PYTHON, os.path.join(HERE, "objects.py"), "numbers.bin"]
    output, _, places = compare(folder, command, 3)
    assert output.count("rank 2 irecv") == 17 and "rank 1 own operation 6" in output, output
    contents = [open(os.path.join(place, "numbers.bin"), "rb").read() for place in places]
    assert contents[0] == contents[1] and len(contents[0]) == 24


def test_coarrays(folder):
    """OpenCoarrays tells each other image of its end by a message that nobody receives: unmatched are as many."""
    for mpi, launcher in zip(story.mpis(), ("cafrun.openmpi", "mpirun.mpich")):
        need("caf." + mpi.name)
        program = os.path.join(folder, "ring-" + mpi.name)
        built = story.run("caf." + mpi.name, "-g", "-O1", os.path.join(HERE, "ring.f90"), "-o", program)
        assert built.returncode == 0, built.stderr
        output, _, _ = compare(os.path.join(folder, mpi.name), [launcher, "-n", "2", program], 2, unmatched=2,
                               but_for="UCX")
        assert "image 2 of 2 sum 15000.0 total 3825" in output, output


if __name__ == "__main__":
    story.main()
