"""Starting a program: it runs as it did without Whyslow, whatever the machine has or lacks."""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time

import story

HELLO = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* Copies its input, greets, and does what its argument says. */
int main(int argc, char **argv)
{
    char line[100];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        while (fgets(line, sizeof line, stdin))
            printf("read %s", line);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("hello %d of %d\n", rank, size);
    fprintf(stderr, "error output %d\n", rank);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""

# Waits for a signal, counts what comes, ends with 40 + the count.
COUNTER = """
import signal, sys, time
count = 0
def caught(number, frame):
    global count
    count += 1
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, caught)
open(sys.argv[1], "w").close()
end = time.monotonic() + 20
while count == 0 and time.monotonic() < end:
    time.sleep(0.02)
time.sleep(0.5)
sys.exit(40 + count)
"""

# Rank 1 sends 100 ms late.
LATE = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (usleep(100000) == 0)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

# As many messages to itself as its argument says.
MANY = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int out = 0, in = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < atoi(argv[1]); i++)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""

SUBCOMMANDS = ("run", "record", "diagnose", "compare", "check", "kb", "doctor", "kb list", "kb show", "kb check", "kb test")
SHARED = {}  # one cache and one program of each MPI for the whole file


def hello(mpi):
    if mpi.name not in SHARED:
        source = story.write(SHARED["folder"], "hello.c", HELLO)
        SHARED[mpi.name] = mpi.compile(source, os.path.join(SHARED["folder"], "hello-" + mpi.name))
    return SHARED[mpi.name]


def cache_files(cache):
    folder = os.path.join(cache, "whyslow")
    return sorted(name for name in os.listdir(folder) if name.endswith(".so"))


def path_without_compilers(folder):
    """A PATH that has every program but compilers."""
    path = os.path.join(folder, "bin")
    os.mkdir(path)
    for source in ("/usr/local/bin", "/usr/bin", "/bin"):
        for name in os.listdir(source):
            compiler = any(word in name for word in ("cc", "gcc", "clang", "g++", "c++", "mpicxx"))
            if not compiler and not os.path.lexists(os.path.join(path, name)):
                os.symlink(os.path.join(source, name), os.path.join(path, name))
    return path


def assert_recorded(trace, ranks):
    names = [name for name in os.listdir(os.path.join(trace, "ctf")) if name.endswith(".thread-0")]
    assert len(names) == ranks, names


# ---- the command line ----

def test_help_of_every_subcommand():
    result = story.whyslow("--help")
    assert result.returncode == 0 and "whyslow run -- mpirun" in result.stdout
    for words in SUBCOMMANDS:
        result = story.whyslow(*words.split(), "--help")
        assert result.returncode == 0, (words, result.stderr)
        assert f"whyslow {words} - " in result.stdout and "Usage:" in result.stdout, (words, result.stdout)
        if " " not in words:
            assert story.whyslow("help", words).stdout == result.stdout
    assert story.whyslow("--version").stdout.startswith("whyslow ")


def test_mistakes_in_the_command():
    for words, expected in (
        ([], "no subcommand"),
        (["rnu", "--", "true"], "did you mean 'run'"),
        (["mpirun", "-n", "4", "./app"], "whyslow run --"),
        (["run"], "missing: the command"),
        (["run", "--"], "missing: the command"),
        (["run", "--jsno", "--", "true"], "did you mean --json"),
        (["run", "-Z", "--", "true"], "unknown option '-Z'"),
        (["run", "-o"], "wants a value"),
        (["run", "--quiet=yes", "--", "true"], "takes no value"),
        (["run", "--threshold", "-3", "--", "true"], "not negative"),
        (["run", "--engine", "steam", "--", "true"], "steam"),
        (["diagnose"], "missing: "),
        (["diagnose", "a", "b"], "too many"),
        (["doctor", "all"], "too many"),
        (["record", "--", "./no-such-program"], "./no-such-program"),
        (["help", "reprot"], "no subcommand"),
        (["help", "nope"], "doctor and help"),
        (["help", "docter"], "did you mean 'doctor'"),
        (["diagnose", "--threshold", "101", "x"], "at most 100"),
        (["run", "-o", "--", "true"], "written ./-x"),
        (["record", "-o", "--json", "true"], "written ./-x"),
        (["record", "--output=", "--", "true"], "not an empty name"),
        (["doctor", "--prebuild", ""], "not an empty name"),
    ):
        result = story.whyslow(*words)
        assert result.returncode == 2, (words, result.returncode, result.stderr)
        assert expected in result.stderr, (words, result.stderr)
        assert result.stderr.startswith("whyslow: ") and not result.stdout, (words, result.stdout)


def test_help_and_version_in_other_words():
    for words in (("help", "--help"), ("help", "-h"), ("help",), ("--help",)):
        assert "Subcommands:" in story.whyslow(*words).stdout, words
    assert story.whyslow("version").stdout == story.whyslow("--version").stdout


def test_the_commands_own_options_are_not_ours(folder):
    result = story.whyslow("record", "-o", os.path.join(folder, "t"), "echo", "--quiet", "-o", "x", "--help")
    assert result.stdout == "--quiet -o x --help\n", result


def test_doctor():
    result = story.whyslow("doctor", "--json")
    rows = {row["what"]: row for row in json.loads(result.stdout)}
    assert result.returncode == 0, result.stdout
    for what in ("Open MPI", "compiler of Open MPI", "MPICH", "compiler of MPICH", "cache folder", "processor cores"):
        assert rows[what]["state"] == "ok", rows
    assert "oversubscribe" in rows["processor cores"]["cure"], rows
    table = story.whyslow("doctor")
    assert table.returncode == 0 and "Open MPI 4" in table.stdout, table.stdout
    nothing = story.whyslow("doctor", env={**os.environ, "PATH": "/nonexistent"})
    assert nothing.returncode == 4 and "apt-get install libopenmpi-dev" in nothing.stdout, nothing.stdout


# ---- the program stays itself ----

def test_input_output_and_exit_code_pass_through(folder):
    for mpi in story.mpis():
        for code in (0, 3):
            command = mpi.command(2, hello(mpi), code)
            bare = story.run(*command, stdin=None, input="one\ntwo\n")
            traced = story.whyslow("record", "-q", "-o", os.path.join(folder, mpi.name), "--", *command,
                                   stdin=None, input="one\ntwo\n")
            assert traced.returncode == bare.returncode, (traced, bare)
            assert sorted(traced.stdout.splitlines()) == sorted(bare.stdout.splitlines()), (traced, bare)
            assert "error output 0" in traced.stderr and "whyslow" not in traced.stderr, traced.stderr
            assert_recorded(os.path.join(folder, mpi.name), 2)


def test_ways_to_start_a_program(folder):
    openmpi, mpich = story.mpis()
    script = story.write(folder, "job.sh", f"#!/bin/sh\nexec mpirun.openmpi -n 2 {hello(openmpi)}\n")
    os.chmod(script, 0o755)
    here = {**os.environ, "PATH": os.path.dirname(hello(openmpi)) + ":" + os.environ["PATH"]}
    name = os.path.basename(hello(openmpi))
    for ranks, command in (
        (1, [hello(openmpi)]),
        (1, [hello(mpich)]),
        (2, ["mpirun.openmpi", "-n", "2", name]),
        (2, ["env", "A=b", "mpirun.openmpi", "-n", "2", hello(openmpi)]),
        (2, ["mpiexec.hydra", "-genv", "A", "b", "-n", "2", hello(mpich)]),
        (2, ["timeout", "60", "mpiexec.hydra", "-n", "2", hello(mpich)]),
        (3, ["mpirun.openmpi", "-n", "1", hello(openmpi), ":", "-n", "2", hello(openmpi)]),
        (2, ["mpirun.mpich", "-n", "2", "nice", hello(mpich)]),
        (2, [script]),
    ):
        trace = os.path.join(folder, "trace")
        result = story.whyslow("record", "-o", trace, "--", *command, env=here)
        assert result.returncode == 0, (command, result.stderr)
        assert_recorded(trace, ranks)
        with open(os.path.join(trace, "run.json"), encoding="utf-8") as file:
            run = json.load(file)
        assert run["exit_code"] == 0 and run["wall_s"] > 0 and command[-1] in run["command"], run


def test_other_preloaded_libraries_stay(folder):
    openmpi = story.mpis()[0]
    result = story.whyslow("record", "-o", os.path.join(folder, "t"), "--", "mpirun.openmpi", "-n", "1", "sh",
                           "-c", f'echo "$LD_PRELOAD" && {hello(openmpi)}',
                           env={**os.environ, "LD_PRELOAD": "libdl.so.2", "ASAN_OPTIONS": "verify_asan_link_order=0"})
    assert result.stdout.splitlines()[0].startswith("libdl.so.2:"), result


def test_signals_reach_the_program_once(folder):
    counter = story.write(folder, "counter.py", COUNTER)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        ready = os.path.join(folder, f"ready-{number}")
        process = subprocess.Popen(
            [story.WHYSLOW, "record", "-o", os.path.join(folder, "t"), "--", sys.executable, counter, ready],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(ready)
        process.send_signal(number)
        assert process.wait(timeout=30) == 41, (number, process.returncode)


def test_ctrl_c_on_a_terminal_reaches_the_program_once(folder):
    counter, ready = story.write(folder, "counter.py", COUNTER), os.path.join(folder, "ready")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(story.WHYSLOW, [story.WHYSLOW, "record", "-o", os.path.join(folder, "t"), "--",
                                 sys.executable, counter, ready])
    wait_for(ready)
    os.write(terminal, b"\x03")
    try:
        while os.read(terminal, 1000):
            pass
    except OSError:
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 41


def wait_for(path):
    end = time.monotonic() + 20
    while not os.path.exists(path):
        assert time.monotonic() < end, path
        time.sleep(0.02)


def test_exit_code_of_a_signal(folder):
    result = story.whyslow("record", "-o", os.path.join(folder, "t"), "--", "sh", "-c", "kill -KILL $$")
    assert result.returncode == 128 + signal.SIGKILL, result


# ---- no MPI, the wrong MPI, no compiler ----

def test_a_program_without_mpi_runs_all_the_same(folder):
    trace = os.path.join(folder, "t")
    for command in (["echo", "hello"], ["mpirun.openmpi", "-n", "1", "echo", "hello"]):
        for subcommand, code in (("run", 3), ("record", 0)):
            result = story.whyslow(subcommand, "-o", trace, "--", *command)
            assert result.returncode == code, (command, result)
            assert result.stdout == "hello\n", result
            assert "echo is not an MPI program" in result.stderr, result.stderr
            assert "not recorded" in result.stderr and not os.path.exists(trace)
    result = story.whyslow("run", "-o", trace, "--", "sh", "-c", "exit 9")
    assert result.returncode == 9 and "nothing was recorded" in result.stderr, result


def test_an_earlier_trace_is_not_taken_for_a_new_one(folder):
    openmpi, trace = story.mpis()[0], os.path.join(folder, "t")
    assert story.whyslow("record", "-o", trace, "--", *openmpi.command(2, hello(openmpi))).returncode == 0
    result = story.whyslow("run", "-o", trace, "--", "echo", "hello")
    assert result.returncode == 3 and result.stdout == "hello\n", result
    assert_recorded(trace, 2)
    assert story.whyslow("record", "-o", trace, "--", hello(openmpi)).returncode == 0
    assert_recorded(trace, 1)


def test_a_folder_of_other_things_is_refused(folder):
    openmpi = story.mpis()[0]
    story.write(folder, "thesis.tex", "years of work")
    result = story.whyslow("record", "-o", folder, "--", hello(openmpi))
    assert result.returncode == 2 and "thesis.tex" in result.stderr and not result.stdout, result
    assert os.listdir(folder) == ["thesis.tex"]
    result = story.whyslow("record", "-o", os.path.join(folder, "thesis.tex"), "--", hello(openmpi))
    assert result.returncode == 2 and "not a folder" in result.stderr and not result.stdout, result


def test_a_folder_that_cannot_be_written_is_refused_before_the_program_runs(folder):
    openmpi = story.mpis()[0]
    for subcommand in ("run", "record"):
        result = story.whyslow(subcommand, "-o", "/proc/x", "--", hello(openmpi))
        assert result.returncode == 4 and "/proc/x" in result.stderr and not result.stdout, result


def test_more_ranks_than_cores_are_told(folder):
    cores = os.sysconf("SC_NPROCESSORS_ONLN")
    for ranks, expected in ((cores + 1, True), (1, False)):
        trace = os.path.join(folder, str(ranks))
        for mpi in story.mpis():
            assert story.whyslow("record", "-o", trace, "--", *mpi.command(ranks, hello(mpi))).returncode == 0
            warnings = " ".join(story.diagnose(trace)["warnings"])
            assert (f"{ranks} ranks shared {cores} core" in warnings) == expected, warnings


def test_missing_source_lines_are_told_once(folder):
    mpi = story.mpis()[1]
    source = story.write(folder, "late.c", LATE)
    trace = os.path.join(folder, "trace")
    for flag, expected in (("-g", 0), ("-g0", 1)):
        program = mpi.compile(source, os.path.join(folder, "late"), flag)
        story.record(trace, mpi.command(2, program))
        report = story.whyslow("diagnose", trace).stdout
        assert "Late sender" in report and report.count("compile it with -g") == expected, report


def on_a_terminal(command):
    """Runs it with its error output on a terminal; returns what came there, and the seconds it took."""
    terminal, inner = pty.openpty()
    begin, said = time.monotonic(), b""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=inner)
    os.close(inner)
    try:
        while piece := os.read(terminal, 1000):
            said += piece
    except OSError:
        pass
    os.close(terminal)
    assert process.wait() == 0, said
    return said.decode(), time.monotonic() - begin


def test_progress_is_shown_on_a_terminal_only(folder):
    mpi = story.mpis()[1]
    program = mpi.compile(story.write(folder, "many.c", MANY), os.path.join(folder, "many"))
    trace = os.path.join(folder, "trace")
    story.record(trace, mpi.command(1, program, 800000))
    said, seconds = on_a_terminal([story.WHYSLOW, "diagnose", trace])
    assert not said or said.endswith("\r"), said
    if seconds < 4:
        story.skip(f"the trace is read in {seconds:.1f} s")
    assert "\rwhyslow: reading the trace … " in said and " %" in said, said
    assert story.whyslow("diagnose", trace).stderr == ""


def test_the_launcher_of_another_mpi_is_told(folder):
    mpich = story.mpis()[1]
    result = story.whyslow("record", "-o", os.path.join(folder, "t"), "--", "mpirun.openmpi", "-n", "2", hello(mpich))
    assert "is a program of MPICH" in result.stderr and "launcher of Open MPI" in result.stderr, result.stderr
    assert result.stdout.count("hello 0 of 1") == 2, result


def test_without_a_compiler(folder):
    bare = {**os.environ, "PATH": path_without_compilers(folder), "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    for mpi, package in zip(story.mpis(), ("libopenmpi-dev", "libmpich-dev")):
        command = mpi.command(2, hello(mpi))
        result = story.whyslow("run", "-o", os.path.join(folder, "t"), "--", *command, env=bare)
        assert result.returncode == 4 and package in result.stderr, result
        assert result.stdout.count("hello") == 2, result
        # What was built while there was a compiler serves without one.
        built = {**bare, "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]}
        trace = os.path.join(folder, mpi.name)
        result = story.whyslow("record", "-o", trace, "--", *command, env=built)
        assert result.returncode == 0 and "warning" not in result.stderr, result
        assert_recorded(trace, 2)


def test_an_mpi_library_that_is_not_there(folder):
    source = story.write(folder, "lib.c", "int MPI_Init(void) { return 0; }")
    main = story.write(folder, "main.c", "int MPI_Init(void);\nint main(void) { return MPI_Init(); }")
    library = os.path.join(folder, "libmpich.so.99")
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpich.so.99", source, "-o", library], check=True)
    subprocess.run(["gcc", main, library, "-o", os.path.join(folder, "app")], check=True)
    os.remove(library)
    result = story.whyslow("run", "-o", os.path.join(folder, "t"), "--", os.path.join(folder, "app"))
    assert result.returncode != 0 and "libmpich.so.99 (MPICH), which is not on this machine" in result.stderr, result


# ---- the cache ----

def test_the_recorder_is_built_once(folder):
    openmpi, cache = story.mpis()[0], os.path.join(folder, "cache")
    own = {**os.environ, "XDG_CACHE_HOME": cache}
    command = ["record", "-o", os.path.join(folder, "t"), "--", hello(openmpi)]
    first = story.whyslow(*command, env=own)
    assert "building the recorder for Open MPI" in first.stderr, first.stderr
    built = cache_files(cache)
    second = story.whyslow(*command, env=own)
    assert "building" not in second.stderr and cache_files(cache) == built and len(built) == 1, second.stderr
    # A damaged one is not preloaded but built again.
    path = os.path.join(cache, "whyslow", built[0])
    os.truncate(path, os.path.getsize(path) // 2)
    third = story.whyslow(*command, env=own)
    assert third.returncode == 0 and "building" in third.stderr and cache_files(cache) == built, third.stderr
    assert_recorded(os.path.join(folder, "t"), 1)


def test_two_builds_at_once(folder):
    openmpi, cache = story.mpis()[0], os.path.join(folder, "cache")
    runs = [subprocess.Popen([story.WHYSLOW, "record", "-o", os.path.join(folder, f"t{i}"), "--", hello(openmpi)],
                             env={**os.environ, "XDG_CACHE_HOME": cache}, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(3)]
    for i, process in enumerate(runs):
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0 and b"warning" not in errors, errors
        assert_recorded(os.path.join(folder, f"t{i}"), 1)
    assert len(cache_files(cache)) == 1
    assert not [name for name in os.listdir(os.path.join(cache, "whyslow")) if name.startswith(".build")]


def test_the_text_of_a_script_shows_its_mpi(folder):
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name)
        text = f"# not mpirun.none\ncount=2\n({mpi.launcher} -n $count $program) </dev/null | cat\n"
        script = story.write(folder, "script.sh", text)
        environment = dict(os.environ, program=hello(mpi))
        for command in (["sh", "-c", text], ["sh", script]):
            result = story.whyslow("record", "-o", trace, "--", *command, env=environment)
            assert result.stdout.count("hello") == 2, (mpi.name, result.stdout, result.stderr)
            assert "recorded 2 processes" in result.stderr, (mpi.name, result.stderr)


def test_a_cache_that_cannot_be_written_or_preloaded(folder):
    openmpi = story.mpis()[0]
    blocked = story.write(folder, "file", "")
    for cache in (os.path.join(blocked, "cache"), os.path.join(folder, "with space")):
        result = story.whyslow("run", "-o", os.path.join(folder, "t"), "--", hello(openmpi),
                               env={**os.environ, "XDG_CACHE_HOME": cache})
        assert result.returncode == 4 and "hello 0 of 1" in result.stdout, result
        assert cache in result.stderr, result.stderr


def test_an_installation_brings_its_recorders(folder):
    build, prefix = os.path.dirname(story.WHYSLOW), os.path.join(folder, "prefix")
    result = story.run("cmake", "--install", build, "--prefix", prefix)
    assert result.returncode == 0, result.stderr
    for path in ("bin/whyslow", "share/man/man1/whyslow.1", "share/bash-completion/completions/whyslow",
                 "share/whyslow/trace/layout.h", "share/whyslow/kb/mpi/functions.xml"):
        assert os.path.exists(os.path.join(prefix, path)), path
    bare = {**os.environ, "PATH": path_without_compilers(folder), "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    for mpi in story.mpis():
        trace = os.path.join(folder, mpi.name)
        result = story.run(os.path.join(prefix, "bin/whyslow"), "run", "-o", trace, "--",
                           *mpi.command(2, hello(mpi)), env=bare)
        assert result.returncode == 0 and "building" not in result.stderr, result
        assert_recorded(trace, 2)


def begin():
    SHARED["folder"] = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"whyslow-launch-{os.getpid()}")
    os.makedirs(SHARED["folder"])
    os.environ["XDG_CACHE_HOME"] = os.path.join(SHARED["folder"], "cache")
    # Both recorders are built here, so that no test depends on another.
    for mpi in story.mpis():
        story.whyslow("record", "-o", os.path.join(SHARED["folder"], "first"), "--", hello(mpi))


begin()
try:
    story.main()
finally:
    shutil.rmtree(SHARED["folder"])
