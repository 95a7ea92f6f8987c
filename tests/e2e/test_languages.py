"""One program in every language: C, C++, Fortran through mpif.h, `use mpi` and `use mpi_f08`, Python.

The programs are in languages/.  Each runs bare and recorded under both MPIs, by mpirun and by mpiexec: the same
output and exit code, and all of them give the same events.
"""
import os
import re
import shutil
import subprocess

import story
import streams
from test_recorder import comparable, events, lines

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "languages")
PYTHON = "/usr/bin/python3"  # the system's, for which Debian builds mpi4py
RANKS = 4
OLD = ["-fallow-argument-mismatch"]  # without interfaces MPI's arguments of any type are a mismatch
BINDINGS = {"mpif.h": OLD, "mpi": ["-DUSE_MPI"] + OLD, "mpi_f08": ["-DUSE_MPI_F08"]}
RECORDED = ["MPI_" + name for name in (
    "Send Ssend Recv Sendrecv Sendrecv_replace Probe Isend Issend Irecv Send_init Recv_init Barrier Bcast Reduce Allreduce "
    "Gather Allgather Allgatherv Alltoall Scatter Scan Iallreduce Ibarrier Comm_split Comm_dup Win_create Win_fence Put "
    "Win_free").split()]


def fortran(mpi, program, *flags, source="matrix.F90"):
    compiler = mpi.compiler.replace("mpicc", "mpif90")
    folder = program + ".modules"
    os.makedirs(folder, exist_ok=True)
    subprocess.run([compiler, "-g", "-w", "-J", folder, os.path.join(HERE, source), "-o", program, *flags], check=True)
    return program


def programs(mpi, folder):
    """Name of a language, command of its program."""
    source = os.path.join(HERE, "matrix.c")
    yield "C", [mpi.compile(source, os.path.join(folder, mpi.name + ".c"), "-w")]
    plus = shutil.copy(source, os.path.join(folder, "matrix.cpp"))
    yield "C++", [mpi.compile(plus, os.path.join(folder, mpi.name + ".cpp"), "-w")]
    for binding, flags in BINDINGS.items():
        yield binding, [fortran(mpi, os.path.join(folder, f"{mpi.name}.{binding}"), *flags)]
    if mpi.name == "openmpi":  # whose mpi4py Debian has
        yield "mpi4py", [PYTHON, os.path.join(HERE, "matrix.py")]
    else:
        yield "ctypes", [PYTHON, os.path.join(HERE, "matrix_ctypes.py")]


def recorded(folder, mpi, launcher, program, name):
    """The formed events, after comparing the recorded run with the bare one."""
    command = [launcher, "-n", str(RANKS), *program]
    trace = os.path.join(folder, f"{mpi.name}.{name}.trace")
    bare, result = story.run(*command), story.record(trace, command)
    assert len(lines(bare)) == RANKS, (mpi.name, name, bare.stdout, bare.stderr)
    assert lines(result) == lines(bare), (mpi.name, name, result.stdout, result.stderr)
    assert (result.returncode, bare.returncode) == (0, 0), (mpi.name, name, result.returncode, bare.returncode)
    assert not [each for each in os.listdir(trace) if each.endswith(".problem")], (mpi.name, name, result.stderr)
    return comparable(events(streams.read(trace)))


def test_every_language_gives_the_same_events(folder):
    first = None
    for mpi in story.mpis():
        launchers = [mpi.launcher, mpi.launcher.replace("mpirun", "mpiexec")]
        for number, (name, program) in enumerate(programs(mpi, folder)):
            found = recorded(folder, mpi, launchers[number % 2], program, name)
            first = first or found
            for rank in range(RANKS):
                one, other = first[rank], found[rank]
                assert one == other, (mpi.name, name, rank, "missing", [each for each in one if each not in other],
                                      "more", [each for each in other if each not in one])
    seen = {function for found in first.values() for _, function, _ in found}
    assert seen >= set(RECORDED), set(RECORDED) - seen


def test_sites_of_fortran_calls_are_the_programs_lines(folder):
    """Each MPI call of the source is named by its own line, whatever layers the binding has."""
    with open(os.path.join(HERE, "matrix.F90"), encoding="utf-8") as file:
        source = file.read().splitlines()
    for mpi in story.mpis():
        for binding, flags in BINDINGS.items():
            program = fortran(mpi, os.path.join(folder, mpi.name), *flags)
            trace = os.path.join(folder, f"{mpi.name}.{binding}.trace")
            story.record(trace, mpi.command(RANKS, program))
            records = streams.read(trace)
            modules = {record["id"]: record["module"] for record in records if record["kind"] == "define_site"}
            assert set(modules.values()) == {os.path.realpath(program)}, (mpi.name, binding, modules)
            sites = {(record["rank"], record["id"]): record["offset"] for record in records
                     if record["kind"] == "define_site"}
            calls = {(sites[(record["rank"], record["site"])], record["function"]) for record in records
                     if record["site"]}
            shown = subprocess.run(["addr2line", "-f", "-e", program], input="".join(f"{at:#x}\n" for at, _ in calls),
                                   stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
            for (_, function), place in zip(calls, shown[1::2]):
                line = int(re.search(r"matrix\.F90:(\d+)", place).group(1))
                while source[line - 2].endswith("&"):  # the statement begins above
                    line -= 1
                # gfortran 12 gives a few calls through `use mpi` the line where their subroutine ends.
                known = (f"call {function}(", "end subroutine") if binding == "mpi" else (f"call {function}(",)
                assert any(text in source[line - 1] for text in known), (mpi.name, binding, function, place)


LATE = """
program heat
    use mpi_f08
    implicit none
    integer :: rank, turn
    real(8) :: value, until
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    do turn = 1, 10
        if (rank == 0) then
            until = MPI_Wtime() + 0.02d0
            do while (MPI_Wtime() < until)
            end do
            call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 1, 3, MPI_COMM_WORLD)
        else
            call take()
        end if
    end do
    call MPI_Finalize()
contains
    subroutine take()
        call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine
end program
"""


def test_a_report_names_fortran_functions_and_lines(folder):
    source = story.write(folder, "heat.f90", LATE)
    for mpi in story.mpis():
        program, trace = os.path.join(folder, mpi.name), os.path.join(folder, mpi.name + ".trace")
        fortran(mpi, program, source=source)
        story.record(trace, mpi.command(2, program))
        text = story.whyslow("diagnose", trace).stdout
        assert re.search(r"MPI_Recv in take\(\) at \S*heat\.f90:22\n", text), text
        assert re.search(r"MPI_Send in heat\(\) at \S*heat\.f90:14\n", text), text


if __name__ == "__main__":
    story.main()
