"""How tools of this kind fail, here or as users report: each is a case to survive.  The program's own result (output,
exit code) is compared with and without recording, and what the diagnosis says where it applies.

| case | test |
| mpi_f08 goes past the wrappers or aborts; sentinels passed on as C addresses | test_fortran_sentinels, test_languages.py |
| C++ and Fortran in one program: undefined symbols | test_cplusplus_with_fortran |
| fork and system in a rank | test_recorder.py: test_a_forked_child_is_not_recorded |
| children of every kind, Python's multiprocessing: empty or double streams | test_children_leave_no_streams |
| MPI_Abort, _exit, exit, KILL: no data | test_recorder.py: test_every_end_leaves_what_was_recorded |
| mpi4py | test_programs.py: test_mpi4py |
| address randomisation: a call site per rank; no source lines | test_recorder.py: test_call_sites_name_the_line |
| callers in a shared library, also by dlopen | test_callers_in_a_library |
| a clock per process: received before sent | test_nothing_is_received_before_it_is_sent |
| Waitall: starts without completions | test_every_request_is_completed |
| Testsome forwarded to Waitsome; null requests after Wait | test_requests_behave |
| handles reused by other threads | test_handles_reused_by_other_threads |
| MPI-IO and calls in Finalize, "MPI is already finalized", calls before Init | test_before_init_and_after_finalize |
| hello world with two ranks | test_launch.py: test_input_output_and_exit_code_pass_through |
| a full disk, no room for files | test_recorder.py: test_no_room, test_no_file_may_grow |
| MPIX symbols | test_mpix_functions |
| no $LOGNAME, no $HOME, a read-only home, no TMPDIR | test_a_poor_environment |
| long command lines | test_a_very_long_command_line |
| blanks, quotes, letters of all the world in names | test_names_of_all_kinds |
"""
import collections
import contextlib
import glob
import os
import pwd
import shutil

import story
import streams

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failures")
PYTHON = "/usr/bin/python3"  # the one that Debian's mpi4py is for


def build(folder, mpi, source, *flags):
    """Without warnings: MPICH's MPI_STATUSES_IGNORE is one to gcc."""
    return mpi.compile(os.path.join(HERE, source), os.path.join(folder, f"{mpi.name}.{source.split('.')[0]}"), "-w", *flags)


def own_lines(result):
    """The program's own lines; ranks write in any order."""
    return story.rank_lines(result.stdout)


def compare(folder, command, name="trace", environment=None, **how):
    """Runs a command bare and recorded, asserts that its results are its own, and gives its lines and the trace."""
    environment = {**os.environ, **(environment or {})}
    bare = story.run(*command, env=environment, **how)
    assert own_lines(bare), (bare.stdout, bare.stderr)
    trace = os.path.join(folder, name)
    recorded = story.record(trace, command, env=environment, **how)
    assert own_lines(recorded) == own_lines(bare), (own_lines(recorded), own_lines(bare), recorded.stderr)
    assert recorded.returncode == bare.returncode, (recorded.returncode, bare.returncode, recorded.stderr)
    problems = glob.glob(os.path.join(trace, "*.problem"))
    assert not problems, open(problems[0], encoding="utf-8").read()
    return own_lines(bare), trace


def complete(trace, ranks=2, **books):
    """The diagnosis of a trace where nothing is missing."""
    diagnosis = story.diagnose(trace)
    found = diagnosis["run"]["recording"]
    assert diagnosis["run"]["ranks"] == ranks, diagnosis["run"]
    assert found["lost"] == found["unmatched"] == found["clock_violations"] == 0, found
    assert not [each for each in diagnosis["warnings"] if "shared" not in each], diagnosis["warnings"]
    return diagnosis


def counted(trace):
    return collections.Counter(record["kind"] for record in streams.read(trace))


# ---- languages ----

def test_fortran_sentinels(folder):
    results = []
    for mpi in story.mpis():
        for binding in (1, 2, 3):
            program = os.path.join(folder, f"{mpi.name}-{binding}")
            built = story.run(mpi.compiler.replace("mpicc", "mpifort"), "-cpp", f"-DBINDING={binding}", "-g",
                              "-ffree-line-length-none", "-fallow-argument-mismatch",
                              os.path.join(HERE, "sentinels.f90"), "-o", program)
            assert built.returncode == 0, built.stderr
            lines, trace = compare(folder, mpi.command(2, program), f"{mpi.name}-{binding}.trace")
            complete(trace)
            results.append(lines)
    assert len(results[0]) == 20 and all(each == results[0] for each in results), results


def test_cplusplus_with_fortran(folder):
    for mpi in story.mpis():
        part = os.path.join(folder, mpi.name + ".part.o")
        built = story.run(mpi.compiler.replace("mpicc", "mpifort"), "-g", "-fallow-argument-mismatch", "-c",
                          os.path.join(HERE, "part.f90"), "-o", part, cwd=folder)
        assert built.returncode == 0, built.stderr
        libraries = {"openmpi": ["-lmpi_mpifh"], "mpich": ["-lmpichfort"]}[mpi.name]
        program = build(folder, mpi, "mixed.cpp", part, *libraries, "-lgfortran")
        lines, trace = compare(folder, mpi.command(3, program), mpi.name)
        assert lines == [f"rank {rank} fortran 3 c++ 3 thrown" for rank in range(3)], lines
        complete(trace, 3)
        kinds = counted(trace)
        assert kinds["nxn"] == 6 and kinds["barrier"] == 6 and kinds["communicator"] == 3, kinds


def test_mpix_functions(folder):
    for mpi in story.mpis():
        _, trace = compare(folder, mpi.command(2, build(folder, mpi, "extensions.c")), mpi.name)
        complete(trace)
        assert counted(trace)["nxn"] == 2


# ---- processes ----

def test_children_leave_no_streams(folder):
    lines, trace = compare(folder, ["mpirun.openmpi", "-n", "2", PYTHON, os.path.join(HERE, "children.py")])
    assert all("('forkserver', [0, 1, 4, 9, 16], 1), '42', 3, 4, 5, [0, 1]]" in line for line in lines), lines
    complete(trace)
    assert sorted(os.listdir(os.path.join(trace, "ctf"))) == ["metadata", "rank-0.thread-0", "rank-1.thread-0"]
    kinds = counted(trace)
    assert kinds["process_begin"] == kinds["process_end"] == 2 and kinds["nxn"] == 4, kinds


def test_before_init_and_after_finalize(folder):
    for mpi in story.mpis():
        program = build(folder, mpi, "around.c")
        lines, trace = compare(folder, mpi.command(2, program, "numbers.bin"), mpi.name, cwd=folder)
        assert len([line for line in lines if "finalized 1" in line]) == 4, lines
        assert "rank 0 in finalize: sum 1 finalized 0" in lines and "rank 1 file wrong 0" in lines, lines
        complete(trace)
        assert counted(trace)["process_end"] == 2
        os.remove(os.path.join(folder, "numbers.bin"))


# ---- call sites ----

def library_call():
    with open(os.path.join(HERE, "library.c"), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if "/* the call */" in line)


def test_callers_in_a_library(folder):
    for mpi in story.mpis():
        library = mpi.compile(os.path.join(HERE, "library.c"), os.path.join(folder, f"lib{mpi.name}.so"), "-shared", "-fPIC")
        for name, flags, arguments in (("linked", [library, "-Wl,-rpath," + folder], []), ("opened", ["-DOPENED"], [library])):
            program = mpi.compile(os.path.join(HERE, "caller.c"), os.path.join(folder, f"{mpi.name}-{name}"), *flags)
            _, trace = compare(folder, mpi.command(3, program, *arguments), f"{mpi.name}-{name}.trace")
            late = [each for each in complete(trace, 3)["problems"] if each["id"] == "late-sender"]
            assert len(late) == 1 and late[0]["count"] == 2, (mpi.name, name, late)  # one site, not one per rank
            place = next(site for site in late[0]["sites"] if site["waits"])
            assert place["function"] == "receive_from" and place["line"] == library_call(), place
            assert place["file"].endswith("failures/library.c"), place
            assert 0.03 < late[0]["duration_s"] < 1, late  # 0.12 s on a quiet machine
            assert [share["rank"] for share in late[0]["causes"]] == [0], late


# ---- messages ----

def test_nothing_is_received_before_it_is_sent(folder):
    """Of 200 000 messages of two processes on one host."""
    for mpi in story.mpis():
        _, trace = compare(folder, mpi.command(2, build(folder, mpi, "many.c"), "blocking"), mpi.name)
        complete(trace)
        begun, early = {0: collections.deque(), 1: collections.deque()}, 0
        records = [record for record in streams.read(trace) if record["kind"] in ("send", "recv")]
        records.sort(key=lambda record: record["kind"] == "recv")  # of a kind, in the order of each stream
        for record in records:
            if record["kind"] == "send":
                begun[record["rank"]].append(record["end"] - record["duration"])
            else:
                early += record["end"] < begun[1 - record["rank"]].popleft()
        assert len(records) == 400000 and early == 0 and not begun[0] and not begun[1], (mpi.name, len(records), early)


def test_every_request_is_completed(folder):
    """400 000 MPI_Isend and MPI_Irecv, ended by MPI_Waitall."""
    for mpi in story.mpis():
        _, trace = compare(folder, mpi.command(2, build(folder, mpi, "many.c"), "waitall"), mpi.name)
        diagnosis = complete(trace)
        kinds = counted(trace)
        assert kinds["send_start"] == kinds["recv_start"] == 200000, (mpi.name, kinds)
        ends = sum(count for kind, count in kinds.items() if kind.startswith("completion"))
        assert ends == 400000, (mpi.name, kinds)
        assert diagnosis["run"]["recording"]["events"] >= 800000, diagnosis["run"]


def test_requests_behave(folder):
    results = []
    for mpi in story.mpis():
        lines, trace = compare(folder, mpi.command(2, build(folder, mpi, "requests.c")), mpi.name)
        complete(trace)
        results.append(lines)
    assert results[0] == results[1] and len(results[0]) == 32, results
    assert "rank 0 testsome 0 nulls 0" in results[0] and "rank 1 waitsome 1 index 3 tag 13 nulls 1" in results[0], results


def test_handles_reused_by_other_threads(folder):
    for mpi in story.mpis():
        lines, trace = compare(folder, mpi.command(2, build(folder, mpi, "reuse.c", "-pthread")), mpi.name)
        assert len(lines) == 8 and all(line.endswith("wrong 0") for line in lines), lines
        complete(trace)
        kinds = counted(trace)
        assert kinds["send_start"] == kinds["recv_start"] == 16000, kinds


# ---- where it runs ----

HELLO = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank;
    size_t length = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < argc; i++)
        length += strlen(argv[i]);
    printf("rank %d of '%s' has %d words of %zu bytes\\n", rank, strrchr(argv[0], '/') + 1, argc, length);
    MPI_Finalize();
    return 0;
}
"""


def hello(folder, mpi, name="hello"):
    return mpi.compile(story.write(folder, "hello.c", HELLO), os.path.join(folder, name))


PRIVATE = f"/tmp/whyslow-{os.geteuid()}"


@contextlib.contextmanager
def own_recorders(folder):
    """The environment for recorders like no other, which are removed from the real places for them afterwards;
    what other runs have there stays."""
    data, cache = os.path.join(folder, "data"), os.path.join(folder, "cache")
    shutil.copytree(os.path.join(os.path.dirname(story.WHYSLOW), "share", "whyslow"), data)
    with open(os.path.join(data, "recorder", "hot.h"), "a", encoding="utf-8") as file:
        file.write(f"/* {folder} */\n")
    own = {"WHYSLOW_DATA": data}
    for mpi in story.mpis():  # to know their names
        story.record(os.path.join(folder, mpi.name + "-own"), mpi.command(1, hello(folder, mpi)),
                     env={**os.environ, **own, "XDG_CACHE_HOME": cache})
    names = [os.path.basename(path) for path in glob.glob(os.path.join(cache, "whyslow", "*.so"))]
    assert len(names) == 2, names
    try:
        yield own
    finally:
        for place in (os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "whyslow"), PRIVATE):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(place, name))


def test_a_poor_environment(folder):
    """What a batch system may leave out.  Without a home that serves, the recorder is kept in a private folder."""
    with own_recorders(folder) as own:
        poor = {"PATH": os.environ["PATH"], **story.OPEN_MPI, **own}
        missing = os.path.join(folder, "missing")
        for mpi in story.mpis():
            program = hello(folder, mpi)
            for name, more in (("nothing", {}), ("home", {"HOME": "/proc/nobody"}), ("empty", {"HOME": "", "XDG_CACHE_HOME": ""}),
                               ("relative", {"HOME": ".", "XDG_CACHE_HOME": "."}), ("blank", {"HOME": os.path.join(folder, "a b")}),
                               ("tmp", {"TMPDIR": missing, "HOME": "/proc/nobody"})):
                trace = os.path.join(folder, f"{mpi.name}-{name}")
                result = story.run(story.WHYSLOW, "run", "-o", trace, "--", *mpi.command(2, program), env={**poor, **more})
                assert result.returncode == 0 and len(own_lines(result)) == 2, (mpi.name, name, result.stderr)
                complete(trace)
        assert os.stat(PRIVATE).st_mode & 0o077 == 0 and os.listdir(PRIVATE), PRIVATE


def test_a_cache_of_others_is_not_loaded(folder):
    """In a folder for all, what somebody else may have put there is not preloaded."""
    with own_recorders(folder) as own:
        mpi = story.mpis()[1]
        program, private = hello(folder, mpi), os.path.join(folder, f"whyslow-{os.geteuid()}")
        poor = {"PATH": os.environ["PATH"], "HOME": "/proc/nobody", "TMPDIR": folder, **own}
        for prepare in (lambda: (os.mkdir(private), os.chmod(private, 0o777)), lambda: os.symlink(folder, private)):
            prepare()
            result = story.run(story.WHYSLOW, "record", "-o", os.path.join(folder, "trace"), "--", program, env=poor)
            assert result.returncode == 0 and "recorded 1 process" in result.stderr, result.stderr
            assert not glob.glob(os.path.join(private, "*.so")), os.listdir(private)
            os.remove(private) if os.path.islink(private) else os.rmdir(private)


def test_a_very_long_command_line(folder):
    """Near what MPICH's launcher bears (Open MPI: 128 kB)."""
    for mpi in story.mpis():
        words = ["y" * 150] * 400
        lines, trace = compare(folder, mpi.command(1, hello(folder, mpi), *words), mpi.name)
        assert "has 401 words of 60000 bytes" in lines[0], lines
        assert len(complete(trace, 1)["run"]["command"]) > 60000
        report = story.whyslow("diagnose", trace)
        assert report.returncode == 0 and len(report.stdout) < 10000, len(report.stdout)


def test_names_of_all_kinds(folder):
    for mpi, names in zip(story.mpis(), (("two words", 'a "quote"', "größe-時間", "$HOME;echo", "-dash", "a:b"),
                                       ("it's a", "back\\slash", "größe-時間", "tab\tand\nline", "%s%n", "*?[x]"))):
        for number, name in enumerate(names):
            place = os.path.join(folder, f"{mpi.name}{number} {name}")
            os.mkdir(place)
            program = hello(place, mpi, name)
            _, trace = compare(place, mpi.command(2, program, name), name + ".trace")
            assert complete(trace)["run"]["mpi"], name
            report = story.whyslow("diagnose", trace)
            assert report.returncode == 0 and "Program    mpirun" in report.stdout, (name, report.stdout, report.stderr)


if __name__ == "__main__":
    story.main()
