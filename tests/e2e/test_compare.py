"""Versions of programs compared, and gates for CI, on real runs and on files that are none."""
import json
import os
import re
import xml.etree.ElementTree

import story

# Rank 0 computes before it sends, and before the barrier: a late sender and a late barrier of known size.
PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
static void work(long ms)
{
    struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    if (ms > 0)
        nanosleep(&nap, NULL);
}
static void exchange(int rank, long ms)
{
    char data[8] = {0};
    if (rank == 0) {
        work(ms);
        MPI_Send(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(data, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        exchange(rank, atol(argv[1]));
        work(10);
        MPI_Barrier(MPI_COMM_WORLD);
        work(rank == 0 ? atol(argv[2]) : 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def build(mpi, folder, name, source):
    return mpi.compile(story.write(folder, f"{name}.c", source), os.path.join(folder, name))


def traced(mpi, folder, name, program, *arguments, ranks=2):
    trace = os.path.join(folder, name)
    story.record(trace, mpi.command(ranks, program, *arguments))
    return trace


def compared(*words):
    result = story.whyslow("compare", "--json", *words)
    assert result.returncode == 0, (words, result.returncode, result.stderr)
    return json.loads(result.stdout)


def one(comparison, problem_id, called):
    """The problem of this type that waits in this call."""
    found = [problem for problem in comparison["problems"] if problem["id"] == problem_id
             and any(site["waits"] and called in ((site["after"] or site["before"])["called"],) for site in problem["sites"])]
    assert len(found) == 1, (problem_id, called, comparison["problems"])
    return found[0]


def line_of(side):
    return side["line"]


def test_what_was_mended_is_gone_and_what_was_spoilt_is_worse(folder):
    """Lines are inserted above and in a function: the same problem is found again."""
    for mpi in story.mpis():
        moved = "/* a comment\n * of three\n * lines */\n" + PROGRAM.replace("    char data", "\n\n    char data")
        before = build(mpi, folder, "app", PROGRAM)
        runs = os.path.join(folder, mpi.name)
        os.mkdir(runs)
        first = traced(mpi, runs, "before", before, "40", "10")
        after = build(mpi, folder, "app", moved) # over the one before: its trace keeps the lines as they were
        mended = traced(mpi, runs, "mended", after, "0", "10")
        spoilt = traced(mpi, runs, "spoilt", after, "40", "60")

        gone = one(compared(first, mended), "late-sender", "MPI_Recv")
        assert gone["status"] in ("gone", "better") and 0.1 < gone["gain_s"] < 0.4, gone
        assert not gone["after_s"] or gone["matched"] == "moved", gone

        comparison = compared(first, spoilt)
        kept = one(comparison, "late-sender", "MPI_Recv")
        assert kept["matched"] == "moved" and kept["status"] not in ("gone", "new"), kept
        assert [line_of(site["after"]) - line_of(site["before"]) for site in kept["sites"]] == [5, 5], kept
        worse = [problem for problem in comparison["problems"] if problem["id"] == "wait-at-barrier"
                 and problem["status"] == "worse"]
        assert worse and worse[0]["gain_s"] < -0.15, comparison["problems"] # a busy machine may spoil the other one a bit
        assert comparison["wall"]["clear"] and comparison["wall"]["gain_s"] < -0.15, comparison["wall"]
        # Of the two barriers it is the second one that is worse.
        assert line_of(worse[0]["sites"][0]["after"]) - line_of(worse[0]["sites"][0]["before"]) == 5, worse


def test_a_file_does_for_a_trace(folder):
    mpi = story.mpis()[0]
    program = build(mpi, folder, "app", PROGRAM)
    trace = traced(mpi, folder, "trace", program, "30", "10")
    text = story.whyslow("diagnose", "--json", trace).stdout
    file = story.write(folder, "good.json", text)
    comparison = compared(file, trace)
    assert not any(comparison["counts"][status] for status in ("gone", "new", "better", "worse")), comparison
    assert comparison["wall"]["gain_s"] == 0 and comparison["before"]["threshold_percent"] == 1
    assert comparison["before"]["wall_s"] == json.loads(text)["run"]["wall_s"]
    assert compared(trace, file)["counts"] == comparison["counts"]
    shown = story.whyslow("compare", file, trace).stdout
    assert f"Before {file}: mpirun" in flat(shown) and "no clear change" in shown, shown
    # Also through a pipe, as a shell makes it of <(whyslow diagnose --json ...).
    piped = story.run("bash", "-c", f"{story.WHYSLOW} compare --json <(cat {file}) {trace}")
    assert piped.returncode == 0 and json.loads(piped.stdout)["counts"] == comparison["counts"], piped


def test_other_ranks_other_mpi_other_command(folder):
    first, second = story.mpis()
    before = traced(first, folder, "before", build(first, folder, "app", PROGRAM), "20", "10")
    after = traced(second, folder, "after", build(second, folder, "app", PROGRAM), "20", "10", ranks=3)
    comparison = compared(before, after)
    assert comparison["per_rank"], comparison
    said = "\n".join(comparison["warnings"])
    for words in ("the commands differ", "the MPIs differ: before \"Open MPI", "the numbers of ranks differ: 2 before, 3 after"):
        assert words in said, said
    total = json.loads(story.whyslow("diagnose", "--json", after).stdout)["run"]["total_s"]
    assert abs(comparison["after"]["total_s"] - total / 3) < 1e-6
    assert "of one rank, " in story.whyslow("compare", before, after).stdout


def test_several_runs_tell_what_chance_makes(folder):
    mpi = story.mpis()[0]
    program = build(mpi, folder, "app", PROGRAM)
    before = [traced(mpi, folder, f"b{i}", program, "40", "10") for i in range(3)]
    after = [traced(mpi, folder, f"a{i}", program, "0", "10") for i in range(3)]
    comparison = compared(before[0], after[0], "--before", before[1], "--before", before[2], "--after", after[1],
                          "--after", after[2])
    assert comparison["noise"]["measured"] and comparison["noise"]["floor_percent"] == 1, comparison["noise"]
    assert abs(comparison["noise"]["percent"] / 100 * comparison["wall"]["before_s"] - comparison["wall"]["noise_s"]) < 1e-4
    assert comparison["before"]["runs"] == comparison["after"]["runs"] == 3
    walls = [story.diagnose(trace)["run"]["wall_s"] for trace in before]
    assert abs(comparison["wall"]["before_s"] - sum(walls) / 3) < 1e-6
    assert one(comparison, "late-sender", "MPI_Recv")["status"] in ("gone", "better"), comparison["problems"]
    same = compared(before[0], before[1], "--after", before[2])
    assert one(same, "late-sender", "MPI_Recv")["status"] == "same", same["problems"]


def worst_problem_compared(before, after):
    """What became of the problem that the report on the first form names first."""
    worst = story.diagnose(before)["problems"][0]
    comparison = compared(before, after)
    found = [problem for problem in comparison["problems"] if problem["before_index"] == 0]
    assert len(found) == 1 and found[0]["id"] == worst["id"], comparison["problems"]
    assert abs(found[0]["before_s"] - worst["duration_s"]) < 1e-6
    assert sum(comparison["counts"].values()) == len(comparison["problems"])
    return found[0]


def test_the_examples_after_the_advice(folder):
    """What the reports on the first forms advise takes their worst problem away; a busy machine gets three tries."""
    mpi = story.mpis()[1]
    result = story.run("make", "-s", "-C", os.path.join(story.ROOT, "examples"), f"MPICC={mpi.compiler}", f"BUILD={folder}")
    assert result.returncode == 0, result.stderr
    for name, arguments in (("jacobi", ["1000", "60"]), ("heart", ["384", "60"])):
        for _ in range(3):
            before, after = (traced(mpi, folder, f"{name}-{form}", os.path.join(folder, f"{name}_{form}"), *arguments)
                             for form in ("before", "after"))
            found = worst_problem_compared(before, after)
            if found["status"] in ("gone", "better"):
                break
        assert found["status"] in ("gone", "better", "same"), found


def page_data(path):
    """What the page embeds for its script."""
    with open(path, encoding="utf-8") as file:
        return json.loads(re.search(r'<script type="application/json" id="ws-report">(.*?)</script>', file.read(), re.S)[1])


def test_the_page_shows_the_comparison(folder):
    mpi = story.mpis()[0]
    program = build(mpi, folder, "app", PROGRAM)
    before, after, more = (traced(mpi, folder, f"t{ms}", program, ms, "10") for ms in ("40", "20", "21"))
    page = os.path.join(folder, "gain.html")
    result = story.whyslow("compare", before, after, "-o", page)
    assert result.returncode == 0 and "gain.html" in result.stderr and result.stdout == "", result
    data = page_data(page)
    shown = one(data["compare"], "late-sender", "MPI_Recv")
    assert abs(shown["gain_s"] - one(compared(before, after), "late-sender", "MPI_Recv")["gain_s"]) < 1e-6
    assert data["problems"][shown["after_index"]]["id"] == "late-sender"
    result = story.whyslow("compare", before, after, "--after", more, "--threshold", "5", "-o", page)
    data = page_data(page)
    assert result.returncode == 0 and data["compare"]["after"]["runs"] == 2 and data["compare"]["noise"]["measured"]
    assert data["compare"]["noise"]["floor_percent"] == 5
    for words, said in ((["--json", "-o", page], "--json does not go with -o"), (["--open"], "--open is for a page")):
        result = story.whyslow("compare", before, after, *words)
        assert result.returncode == 2 and said in result.stderr, result
    file = story.write(folder, "x.json", story.whyslow("diagnose", "--json", after).stdout)
    result = story.whyslow("compare", before, file, "-o", page)
    assert result.returncode == 3 and "x.json" in result.stderr, result


def checked(code, *words):
    result = story.whyslow("check", *words)
    assert result.returncode == code, (words, result)
    assert not re.search("Sanitizer|runtime error", result.stderr), result.stderr
    return result


def flat(text):
    """Without the breaks of lines, which the lengths of paths decide."""
    return " ".join(text.split())


def junit(path):
    """The cases by name: what their failure says, or None; after what JUnit's schema asks for."""
    root = xml.etree.ElementTree.parse(path).getroot()
    cases = {}
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite" and {"name", "tests", "failures", "errors", "skipped"} <= set(suite.keys())
        failures = suite.findall("testcase/failure")
        assert int(suite.get("tests")) == len(suite.findall("testcase")) and int(suite.get("failures")) == len(failures)
        for case in suite:
            assert case.tag == "testcase" and case.get("classname") and case.get("name") not in cases
            cases[case.get("name")] = case.find("failure").text if case.find("failure") is not None else None
    assert int(root.get("tests")) == len(cases)
    assert int(root.get("failures")) == len([said for said in cases.values() if said is not None])
    return cases


def test_a_gate_by_conditions(folder):
    for mpi in story.mpis():
        program = build(mpi, folder, "app", PROGRAM)
        trace = traced(mpi, folder, mpi.name, program, "40", "5")
        result = checked(1, "--fail-on", "severity > 10 %", "--fail-on", "efficiency > 99", "--fail-on", "ranks < 1",
                         "--junit", f"{trace}.xml", trace)
        assert "FAILED severity > 10 %, late-sender Late sender: " in flat(result.stdout), result.stdout
        assert "MPI_Recv in exchange() at" in flat(result.stdout), result.stdout
        assert "passed     efficiency > 99" in result.stdout, result.stdout
        cases = junit(f"{trace}.xml")
        known = [problem["id"] for problem in json.loads(story.whyslow("kb", "list", "--json").stdout)["problems"]
                 if problem["runtime"] == "mpi"]
        assert {f"severity > 10 %: {problem_id}" for problem_id in known} <= set(cases), cases
        assert "MPI_Recv in exchange()" in cases["severity > 10 %: late-sender"]
        assert cases["severity > 10 %: late-post"] is None and cases["ranks < 1: run"] is None
        verdict = json.loads(checked(1, "--json", "--fail-on", "id == \"late-sender\" and duration > 100 ms", trace).stdout)
        assert not verdict["passed"] and verdict["failed"] == 1 and verdict["checks"] == len(known)
        failed = [case for case in verdict["cases"] if not case["passed"]]
        assert [case["name"] for case in failed] == ["late-sender"]
        assert failed[0]["problems"][0]["sites"][0]["called"] == "MPI_Recv" and verdict["comparison"] is None
        assert "0 of " in checked(0, "--fail-on", "duration > 100 s", "--fail-on", "lost > 0 or exit_code != 0", trace).stdout


def test_a_gate_by_a_baseline(folder):
    mpi = story.mpis()[0]
    program = build(mpi, folder, "app", PROGRAM)
    good = traced(mpi, folder, "good", program, "0", "10")
    baseline = story.write(folder, "good.json", story.whyslow("diagnose", "--json", good).stdout)
    report = os.path.join(folder, "junit.xml")
    # The same run passes; one that takes four times as long with its late sender back does not.
    checked(0, "--baseline", baseline, "--junit", report, good)
    assert set(junit(report).values()) == {None} and "baseline: time" in junit(report)
    bad = traced(mpi, folder, "bad", program, "60", "10")
    for reference in (baseline, good):
        result = checked(1, "--baseline", reference, "--junit", report, bad)
        assert "FAILED     baseline, late-sender" in result.stdout, result.stdout
        cases = junit(report)
        assert ": Late sender: " in cases["baseline: late-sender"] and cases["baseline: late-post"] is None
        assert cases["baseline: time"].startswith("the run took ")
    comparison = json.loads(checked(1, "--json", "--baseline", baseline, bad).stdout)["comparison"]
    assert one(comparison, "late-sender", "MPI_Recv")["status"] in ("new", "worse"), comparison
    # What is below the threshold of a file cannot be checked, which is told.
    file = story.write(folder, "bad.json", story.whyslow("diagnose", "--json", "--threshold", "60", bad).stdout)
    assert "not in this report: no condition was asked of" in flat(checked(0, "--fail-on", "severity > 90", file).stdout)


def test_mistakes_in_a_check(folder):
    file = story.write(folder, "old.json", '{"run": {"ranks": 1, "wall_s": 1}, "problems": []}')
    for words, code, said in (
            ([file], 2, "there is nothing to check: give a condition with --fail-on"),
            (["--fail-on", "severity > 10"], 2, "missing: the folder of a trace"),
            (["--fail-on", "sevrity > 10", "--fail-on", "count >", file], 2,
             "--fail-on:1:1: error: unknown value 'sevrity'; 'whyslow check --help' tells what there is; did you mean "
             "'severity'?\n    1 | sevrity > 10\n      | ^~~~~~~\n--fail-on:1:8: error: expected an expression"),
            (["--fail-on", "efficiency < 50", file], 3,
             f"{file}: 'efficiency < 50' cannot be checked: efficiency is not known of this run"),
            (["--fail-on", "severity > 1", "--baseline", os.path.join(folder, "none"), file], 3, "neither a trace"),
            (["--fail-on", "severity > 1", "--junit", "", file], 2, "--junit wants a file"),
            (["--fail-on", "severity > 1", "--junit", os.path.join(folder, "no", "x.xml"), file], 4, "cannot")):
        result = checked(code, *words)
        assert said in result.stderr, (words, result.stderr)
    assert "0 of 1 checks failed" in checked(0, "--fail-on", "severity > 1", file).stdout


def test_mistakes_in_the_command(folder):
    file = story.write(folder, "no.json", "{\"run\": {\"ra")
    for words, code, said in (
            ([], 2, "missing: two runs, BEFORE and AFTER"),
            ([file], 2, "missing: two runs"),
            ([file, file, file], 2, "one argument too many"),
            (["--noise", "x", file, file], 2, "--noise wants a number"),
            ([file, file], 3, f"{file}:1:12: not JSON"),
            ([folder, file], 3, "holds no Whyslow trace"),
            ([os.path.join(folder, "none"), file], 3, "none: there is neither a trace nor a file of"),
            (["/dev/null", file], 3, "/dev/null:1:0: not JSON"),
            (["--engine", "none", file, file], 3, "not JSON")):
        result = story.whyslow("compare", *words)
        assert (result.returncode, result.stdout) == (code, "") and said in result.stderr, (words, result)
        assert not re.search("Sanitizer|runtime error", result.stderr), result.stderr


story.main()
