"""whyslow kb: list, show, check and test, as an expert uses them."""
import json
import os

import story

RULES = """declare composite event lone_send
member( send as s )
when s.peer != s.process
parameters( wait = s.d );
declare problem for lone_send
when wait > 20 ms
parameters( name = "Lone send", description = "Rank {s.process} sends.", advice = "Do not.",
            duration = wait, waiting = s );
"""
PROGRAM = r"""// test: ranks=2 expect=%s
#include <mpi.h>
#include <unistd.h>
/* Rank 1 is 400 ms late for a synchronous send. */
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else {
        usleep(400000);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}
"""


def kb(*words, code=0, **options):
    result = story.whyslow("kb", *words, **options)
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result


def problem_folder(folder, name="lone-send"):
    path = os.path.join(folder, name)
    os.mkdir(path)
    story.write(path, name + ".rules", RULES)
    return path


def test_list_and_show():
    entries = json.loads(kb("list", "--json").stdout)["problems"]
    assert sum(entry["runtime"] == "mpi" for entry in entries) == 10
    assert [entry["id"] for entry in entries if entry["runtime"] == "shmem"] == [
        "small-accesses", "hot-spot", "late-arrival", "long-wait", "lock-contention"]
    assert all(entry["name"] and entry["folder"] for entry in entries)
    text = kb("list").stdout
    has_clips = "clips" in story.whyslow("diagnose", "--help").stdout
    for entry in entries:
        assert entry["id"] in text and entry["name"] in text
        name = entry["runtime"] + "/" + entry["id"]
        card = kb("show", name).stdout
        borrowed = entry["runtime"] == "x10"  # shared rules, which programs of OpenSHMEM try
        for word in (entry["id"], entry["name"], "time lost", "advice", "made of", "calls",
                     *([] if borrowed else ["positive.c"])):
            assert word in card, (entry["id"], word, card)
        assert all(len(line) <= 100 for line in card.splitlines() if " " in line.strip()), card
        if has_clips:
            assert "defrule" in kb("show", "--clips", name).stdout
        plan = kb("show", "--plan", name).stdout
        assert plan.startswith(entry["id"] + ": the plan of the native engine\n") and "warning" not in plan, plan
        assert all(len(line) <= 100 for line in plan.splitlines()), plan


def test_words_that_are_off():
    assert "did you mean 'late-sender'?" in kb("show", "late-sendr", code=2).stderr
    assert "did you mean 'late-sender'?" in kb("test", "late-sendr", code=2).stderr
    assert "did you mean 'check'?" in kb("chek", code=2).stderr
    kb(code=2)
    kb("show", code=2)
    kb("check", code=2)
    kb("list", "--kb", "/nowhere", code=3)
    assert "--mpi is mpich, openmpi, simgrid or abi" in kb("test", "--mpi", "lam", code=2).stderr
    for words in ((), ("list",), ("show",), ("check",), ("test",)):
        assert "Usage" in kb(*words, "--help").stdout


def test_a_problem_type_of_ones_own(folder):
    path = problem_folder(folder)
    assert "lone-send" in kb("list", "--kb", path).stdout
    assert "wait > 20 ms" in kb("show", "--kb", path, "lone-send").stdout
    assert kb("check", path).stdout == f"{path}: no mistakes\n"


def test_check_as_json(folder):
    path = problem_folder(folder)
    story.write(path, "lone-send.rules", RULES.replace("s.peer", "s.pear"))
    text = kb("check", path, code=3).stderr
    assert "lone-send.rules:3:8: error: " in text and "did you mean 'peer'?" in text, text
    (entry,) = json.loads(kb("check", "--json", path, code=3).stdout)
    assert entry["path"] == path and entry["mistakes"] == len([e for e in entry["report"] if e["kind"] == "error"])
    first = entry["report"][0]
    assert first["file"].endswith("lone-send.rules") and first["line"] == 3 and first["column"] == 8, first
    assert "^" in first["shown"] and "pear" in first["message"]
    (entry,) = json.loads(kb("check", "--json", "/nowhere", code=3).stdout)
    assert "No such file" in entry["error"]


def test_kb_test_judges(folder):
    path = problem_folder(folder)
    result = kb("test", "--kb", path, "lone-send", code=1)
    assert "positive*.c" in result.stdout and "there is no such program in the folder" in result.stdout
    story.write(path, "positive.c", PROGRAM % "lone-send duration=0.400 s tolerance=0.5")
    story.write(path, "positive_wrong.c", PROGRAM % "lone-send duration=1.600 s")
    story.write(path, "positive_broken.c", "// test: ranks=2 expect=lone-send duration=0.1 s\nint main(void) {")
    story.write(path, "positive_line.c", "// test: ranks=2 expect=lone-send\n")
    story.write(path, "negative.c", PROGRAM % "none planted=0.400 s")
    result = kb("test", "--json", "--mpi", "mpich", "--kb", path, "lone-send", code=1)
    rows = {row["program"]: row for row in json.loads(result.stdout)["tests"]}
    assert rows["positive.c"]["passed"], rows["positive.c"]
    assert rows["positive_wrong.c"]["tries"] == 3 and "% off" in rows["positive_wrong.c"]["message"]
    assert "mpicc.mpich" in rows["positive_broken.c"]["message"], rows["positive_broken.c"]
    assert "is missing" in rows["positive_line.c"]["message"], rows["positive_line.c"]
    assert "found too" in rows["negative.c"]["message"], rows["negative.c"]
    assert [name for name, row in rows.items() if row["passed"]] == ["positive.c"]
    # What was found in place of the problem, and how to look at it.
    story.write(path, "lone-send.rules", RULES.replace("20 ms", "20 s"))
    for name in ("positive_wrong.c", "positive_broken.c", "positive_line.c", "negative.c"):
        os.remove(os.path.join(path, name))
    result = kb("test", "--mpi", "mpich", "--kb", path, "lone-send", code=1).stdout
    assert "not found; late-receiver " in result and " found instead" in result and "--keep keeps" in result, result


def test_programs_of_ones_own_find_the_timetable(folder):
    path = problem_folder(folder)
    timed = PROGRAM.replace("#include <unistd.h>", '#include "timetable.h"').replace("if (rank == 0)", """timetable_begin();
    if (rank == 0)""").replace("usleep(400000)", "compute_until_ms(400)")
    story.write(path, "positive.c", timed % "lone-send duration=0.400 s tolerance=0.5")
    story.write(path, "negative.c", timed.replace("compute_until_ms(400)", "compute_until_ms(0)") % "none planted=0.400 s")
    kb("test", "--mpi", "mpich", "--kb", path, "lone-send")


story.main()
