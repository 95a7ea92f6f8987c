"""A runtime that Whyslow has never heard of, made known by a folder of rules alone: examples/runtime, a small library
whose processes send each other parcels and reach into each other's shelves."""
import json
import os
import re
import shutil

from story import ROOT, main, run, whyslow, write

EXAMPLE = os.path.join(ROOT, "examples", "runtime")
RULES = os.path.join(EXAMPLE, "parcel")


def built(folder):
    """The library and the program of the example in a folder of its own, and where the linker finds the library."""
    home = os.path.join(folder, "home")
    shutil.copytree(EXAMPLE, home)
    result = run("make", "-C", home)
    assert result.returncode == 0, result.stderr
    return home, {**os.environ, "LD_LIBRARY_PATH": home, "LIBRARY_PATH": home, "CPATH": home, "PARCEL_COUNT": "3"}


def recorded(folder, *options):
    home, environment = built(folder)
    trace = os.path.join(folder, "trace")
    result = whyslow("record", "-o", trace, *options, "--kb", RULES, "--", os.path.join(home, "ring"),
                     env=environment)
    assert result.returncode == 0, result.stderr
    assert sorted(result.stdout.split("\n"))[1:] == ["done 0", "done 1", "done 2"], result.stdout
    assert "recorded 3 processes" in result.stderr, result.stderr
    return trace, environment


def test_its_calls_are_recorded(folder):
    trace, _ = recorded(folder)
    with open(os.path.join(trace, "run.json"), encoding="utf-8") as file:
        assert json.load(file)["runtime"] == "parcel"
    streams = sorted(os.listdir(os.path.join(trace, "ctf")))
    assert streams == ["metadata", "rank-0.thread-0", "rank-1.thread-0", "rank-2.thread-0"], streams
    # Another reader than ours sees the same.
    text = run("babeltrace2", "--names=payload", trace).stdout
    seen = [tuple(map(int, pair)) for pair in re.findall(r" send: .*?peer = (-?\d+), bytes = (\d+)", text)]
    assert sorted(seen) == sorted([(0, 100), (1, 100), (2, 100)] * 3), text
    result = whyslow("exchange", "--kb", RULES, "--json", trace)
    pairs = {(pair["from"], pair["to"]): (pair["messages"], pair["bytes"]) for pair in json.loads(result.stdout)["pairs"]}
    ring = [(0, 1), (1, 2), (2, 0)]  # three parcels and a put to the next, a get from there
    assert pairs == {**{(i, k): (4, 304) for i, k in ring}, **{(k, i): (1, 8) for i, k in ring}}, pairs
    result = whyslow("diagnose", "--kb", RULES, "--json", trace)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["run"]["recording"]["events"] == 3 * (3 + 3 + 1 + 1), result.stdout


def test_a_trace_needs_its_rules(folder):
    trace, _ = recorded(folder)
    result = whyslow("diagnose", trace)
    assert result.returncode == 3 and "the runtime 'parcel'" in result.stderr and "--kb" in result.stderr, result


def test_without_its_rules_it_is_no_program_to_record(folder):
    home, environment = built(folder)
    result = whyslow("record", "-o", os.path.join(folder, "trace"), "--", os.path.join(home, "ring"), env=environment)
    assert result.returncode == 0 and "done 2" in result.stdout, result
    assert "warning: this run is not recorded" in result.stderr, result.stderr


def test_a_layer_that_nothing_shows(folder):
    """A script may run anything: it is believed, and told when nothing came of it."""
    home, environment = built(folder)
    script = write(folder, "start.sh", f"#!/bin/sh\nexec {home}/ring\n")
    os.chmod(script, 0o755)
    trace = os.path.join(folder, "trace")
    result = whyslow("record", "-o", trace, "--kb", RULES, "--", script, env=environment)
    assert "name it with --layer" in result.stderr, result.stderr
    result = whyslow("record", "-o", trace, "--kb", RULES, "--layer", "parcel", "--", script, env=environment)
    assert "recorded 3 processes" in result.stderr, result.stderr
    result = whyslow("record", "-o", trace, "--kb", RULES, "--runtime", "parcel", "--", "/bin/true")
    assert "none of the command's processes got through parcel_join of Parcel" in result.stderr, result.stderr
    result = whyslow("record", "-o", trace, "--layer", "parcle", "--kb", RULES, "--", "/bin/true")
    assert result.returncode == 2 and "no runtime 'parcle' is known, but" in result.stderr, result


def test_its_problem_types_are_shown_checked_and_tried(folder):
    _, environment = built(folder)
    listed = json.loads(whyslow("kb", "list", "--json", "--kb", RULES).stdout)
    assert {"id": "late-parcel", "name": "Late parcel", "runtime": "parcel",
            "folder": os.path.join(RULES, "late-parcel")} in listed["problems"], listed
    assert "one send (s) and one take (t)" in whyslow("kb", "show", "--kb", RULES, "parcel/late-parcel").stdout
    assert whyslow("kb", "check", RULES).returncode == 0
    assert whyslow("kb", "check", "--kb", RULES, os.path.join(RULES, "late-parcel")).returncode == 0
    result = whyslow("kb", "test", "--json", "--kb", RULES, "late-parcel", env=environment)
    tests = json.loads(result.stdout)
    assert result.returncode == 0 and tests["passed"] == 2, (result.stdout, result.stderr)


def test_a_runtime_that_does_not_say_what_it_is(folder):
    rules = os.path.join(folder, "dumb")
    shutil.copytree(RULES, rules)
    path = os.path.join(rules, "functions.xml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    write(rules, "functions.xml", re.sub(r"<runtime[^>]*/>", "", text))
    result = whyslow("record", "--kb", rules, "--", "/bin/true")
    assert result.returncode == 3 and "no element <runtime>" in result.stderr, result
    assert "no program of this runtime is recognised" in whyslow("kb", "check", rules).stderr
    write(rules, "functions.xml", text.replace('begin="parcel_join"', ""))
    result = whyslow("record", "--kb", rules, "--", "/bin/true")
    assert result.returncode == 3 and "<runtime> needs the attribute 'begin'" in result.stderr, result


def test_two_runtimes_of_one_name(folder):
    result = whyslow("record", "--kb", os.path.join(ROOT, "kb", "mpi"), "--", "/bin/true")
    assert result.returncode == 3 and "there is a runtime 'mpi' already" in result.stderr, result


main()
