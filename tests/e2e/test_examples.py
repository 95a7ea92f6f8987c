"""The example programs: the same result after the advice as before it, and reports whose advice leads there."""
import os

import story

EXAMPLES = os.path.join(story.ROOT, "examples")


def build(mpi, folder):
    flags = "-O2 -g -Wall -Wextra -Werror"
    result = story.run("make", "-s", "-C", EXAMPLES, f"MPICC={mpi.compiler}", f"CFLAGS={flags}", f"BUILD={folder}")
    assert result.returncode == 0, result.stderr


def results(mpi, folder, program, ranks, *arguments):
    """What the program prints: the first word of each line and its other words."""
    command = mpi.command(ranks, os.path.join(folder, program), *arguments)
    done = story.run(*command)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}


def jacobi(mpi, folder, ranks):
    """To the last bit, whether it stops by convergence or after the given number of iterations."""
    for arguments in (["24", "100000", "1e-5"], ["50", "37"]):
        alone = results(mpi, folder, "jacobi_before", 1, *arguments)
        before = results(mpi, folder, "jacobi_before", ranks, *arguments)
        after = results(mpi, folder, "jacobi_after", ranks, *arguments)
        for line in ("iterations", "change", "error", "checksum"):
            assert alone[line] == before[line] == after[line], (line, alone, before, after)


def gauss_seidel(mpi, folder, ranks):
    """The naive scheme is the sequential program to the last bit; both schemes end at the exact solution."""
    arguments = ["20", "100000", "1e-10"]
    alone = results(mpi, folder, "gauss_seidel_before", 1, *arguments)
    before = results(mpi, folder, "gauss_seidel_before", ranks, *arguments)
    after = results(mpi, folder, "gauss_seidel_after", ranks, *arguments)
    assert alone["checksum"] == before["checksum"], (alone, before)
    for result in (before, after):
        assert float(result["error"][0]) < 1e-7, result


def heart(mpi, folder, ranks):
    """The fields to the last bit, the electrocardiogram to round-off."""
    before = results(mpi, folder, "heart_before", ranks, "48", "60")
    after = results(mpi, folder, "heart_after", ranks, "48", "60")
    assert before["checksum"] == after["checksum"], (before, after)
    for first, second in zip(before["ecg"], after["ecg"]):
        if first[0].isdigit():
            assert abs(float(first.rstrip(",")) - float(second.rstrip(","))) < 1e-5, (before, after)


def test_the_same_result_before_and_after(folder):
    for mpi in story.mpis():
        programs = os.path.join(folder, mpi.name)
        build(mpi, programs)
        for compare in (jacobi, gauss_seidel, heart):
            for ranks in (2, 4):
                compare(mpi, programs, ranks)


# What the report on the first form says that leads to the second: the beginning of the problem type, words of its advice.
ADVICE = {
    "jacobi": (["1000", "60"], [("wait-at-nxn", "MPI_Iallreduce"), ("late-", "MPI_Irecv")]),
    "gauss_seidel": (["480", "100"], [("late-sender", "red-black"), ("wait-at-nxn", "every k-th iteration")]),
    "heart": (["384", "60"], [("wait-at-barrier", "MPI_Reduce instead of MPI_Gather"),
                              ("wait-at-barrier", "The barrier itself can go")]),
}


def missing_advice(command, trace, expected):
    """What the report on the command should say and does not."""
    story.record(trace, command)
    problems = story.diagnose(trace, "--threshold", "0.5")["problems"]
    missing = [(problem_id, words) for problem_id, words in expected
               if not any(problem["id"].startswith(problem_id) and words in problem["advice"] for problem in problems)]
    return missing, "\n".join(f"{problem['id']}: {problem['advice']}" for problem in problems)


def test_the_reports_on_the_first_forms_lead_to_the_second(folder):
    """Four ranks on two cores wait for cores as well, so that now and then another reason outweighs: three tries."""
    for mpi in story.mpis():
        programs = os.path.join(folder, mpi.name)
        build(mpi, programs)
        for name, (arguments, expected) in ADVICE.items():
            command = mpi.command(4, os.path.join(programs, f"{name}_before"), *arguments)
            for _ in range(3):
                missing, said = missing_advice(command, os.path.join(folder, f"{mpi.name}-{name}"), expected)
                if not missing:
                    break
            assert not missing, f"{mpi.name}, {name}: not said: {missing}; but:\n{said}"


story.main()
