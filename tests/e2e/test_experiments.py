"""The experiments of docs/experiments.md, at points that take seconds: they repeat, the advice gains what it should, the red-black
scheme is judged clean, and what-if foretells what fixes gain.  All in simulated time, so that figures are exact on a busy machine."""
import csv
import os
import shutil
import sys

import story

sys.path.insert(0, os.path.join(story.ROOT, "experiments"))
import run  # noqa: E402
import what_if  # noqa: E402

# Programs whose fix is foretold: of each kind of dependency one, and two whose waits lie off the critical path.
FORETOLD = ["allreduce_one_heavy", "barrier_superfluous", "bcast_order", "complete_order", "off_path_group",
            "off_path_message", "receiver_synchronous", "sender_heavy", "sender_order", "window_create"]


def needed():
    if not shutil.which("smpirun"):
        story.skip("SimGrid (libsimgrid-dev) is not installed")


def published():
    """The times that the docs show: {(program, ranks): {"before": seconds, "after": seconds}}."""
    with open(os.path.join(run.PICTURES, "times.csv"), encoding="utf-8") as file:
        return {(row["program"], int(row["ranks"])): {version: float(row[f"{version}_s"]) for version in run.VERSIONS}
                for row in csv.DictReader(file)}


def test_the_published_times_are_those_of_today(folder):
    """Bare and recorded, so this also shows that recording takes no simulated time."""
    needed()
    run.build(folder)
    arguments = {experiment.name: experiment.arguments for experiment in run.EXPERIMENTS}
    for name, ranks in (("heart", 2), ("heart", 16), ("jacobi", 2)):
        for version in run.VERSIONS:
            program = [os.path.join(folder, f"{name}_{version}"), *arguments[name]]
            time_s = run.printed_time(run.checked(run.smpirun(ranks, *program)))
            expected = published()[name, ranks][version]
            assert abs(time_s / expected - 1) < 0.01, (name, ranks, version, time_s, expected)
    point = run.measure(story.WHYSLOW, 2, *program)
    assert point.time_s == time_s, (point.time_s, time_s)


def test_the_advice_gains_at_small_sizes(folder):
    needed()
    run.build(folder)
    for name, arguments, ranks, least in (("jacobi", ["2000", "20"], 8, 1.64), ("gauss_seidel", ["2000", "20"], 16, 10),
                                          ("heart", ["192", "10"], 16, 1.62)):
        before, after = (run.measure(story.WHYSLOW, ranks, os.path.join(folder, f"{name}_{version}"), *arguments)
                         for version in run.VERSIONS)
        assert before.time_s / after.time_s > least, (name, before.time_s, after.time_s)
        assert before.worth_changing, before.report


def test_red_black_is_judged_not_worth_changing(folder):
    needed()
    run.build(folder)
    point = run.measure(story.WHYSLOW, 16, os.path.join(folder, "gauss_seidel_after"), "2000", "20")
    assert not point.worth_changing and "No problem worth changing" in point.report, point.report
    assert point.waits_s, "it has problems, of very small duration"


def test_what_fixes_gain_is_foretold(folder):
    needed()
    cases = list(what_if.planted(story.WHYSLOW, folder, FORETOLD))
    assert [case.name for case in cases] == FORETOLD, cases
    for case in cases:
        assert case.remedy and abs(what_if.error(case)) < 0.1, case


story.main()
