"""What every story needs: Whyslow, the MPIs at hand, small programs compiled on the spot.

A story is a Python file with functions whose names begin with `test_`; `story.main()` runs them all and
ends with 0 when all hold.  A story that needs what the machine lacks calls `skip(reason)`.
"""
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WHYSLOW = os.environ.get("WHYSLOW", os.path.join(ROOT, "build", "whyslow"))

# Open MPI refuses root, counts cores and spins: in tests that is in the way.  And a process waits only 2 s for
# mpirun to take note of its MPI_Finalize: on a busy machine that may be too late, and mpirun ends with 1.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_orte_allowed_exit_without_sync": "1",
}
os.environ.update(OPEN_MPI)


class Mpi:
    def __init__(self, name, compiler, launcher):
        self.name, self.compiler, self.launcher = name, compiler, launcher

    def compile(self, source, program, *flags):
        compiler = self.compiler
        if source.endswith(".cpp"):
            compiler = compiler.replace("mpicc", "mpicxx")
        subprocess.run([compiler, "-g", "-O1", source, "-o", program, *flags, "-lm"], check=True)
        return program

    def command(self, ranks, *program):
        return [self.launcher, "-n", str(ranks), *program]


def mpis():
    """Both Debian MPIs; the tests' own installation brings them, so a missing one is a failure."""
    found = [Mpi("openmpi", "mpicc.openmpi", "mpirun.openmpi"), Mpi("mpich", "mpicc.mpich", "mpirun.mpich")]
    for mpi in found:
        assert shutil.which(mpi.compiler), f"{mpi.compiler} is not installed"
    return found


def run(*command, timeout=300, **options):
    """Runs a command and returns it with .returncode, .stdout, .stderr as text."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(word) for word in command], timeout=timeout, errors="replace", text=True, **options)


def whyslow(*words, **options):
    return run(WHYSLOW, *words, **options)


def record(folder, command, *options, **how):
    result = whyslow("record", "-o", folder, *options, "--", *command, **how)
    assert os.path.exists(os.path.join(folder, "trace.json")), result.stderr
    return result


def diagnose(folder, *options):
    result = whyslow("diagnose", folder, "--json", *options)
    assert result.returncode == 0, f"diagnose: {result.returncode}: {result.stderr}"
    return json.loads(result.stdout)


def lines(text):
    """The lines that ranks print.  mpirun passes them on in pieces: the end of a line may come after another rank's
    "rank N ..."."""
    return re.split(r"\n|(?<=\S)(?=rank \d)", text)


def rank_lines(text):
    """Those that are "rank N ..." or "done ...", in one order."""
    return sorted(line for line in lines(text) if line.startswith(("rank", "done")))


def by_id(diagnosis):
    """Seconds lost by problem id."""
    lost = {}
    for problem in diagnosis["problems"]:
        lost[problem["id"]] = lost.get(problem["id"], 0.0) + problem["duration_s"]
    return lost


class Skip(Exception):
    pass


def skip(reason):
    raise Skip(reason)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def main():
    """Runs the test_ functions of the calling file; each gets an empty folder if it takes an argument."""
    caller = inspect.currentframe().f_back.f_globals
    failed = 0
    wanted = sys.argv[1:]
    for name, function in list(caller.items()):
        if not name.startswith("test_") or (wanted and name not in wanted):
            continue
        with tempfile.TemporaryDirectory(prefix="whyslow-test-") as folder:
            try:
                function(folder) if inspect.signature(function).parameters else function()
                print(f"ok      {name}", flush=True)
            except Skip as reason:
                print(f"skipped {name}: {reason}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)
