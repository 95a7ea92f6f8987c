"""Traces larger than what a reader may hold: many ranks with few open files, many events in little memory."""
import os
import re
import resource
import subprocess

import page
import story

TOOLS = os.path.join(os.path.dirname(os.path.abspath(story.WHYSLOW)), "bench")
KB = os.path.join(story.ROOT, "kb", "mpi")


def make(folder, ranks, events, pattern="all"):
    trace = os.path.join(folder, f"{pattern}-{ranks}-{events}")
    result = story.run(os.path.join(TOOLS, "make_trace"), trace, KB, ranks, events, pattern)
    assert result.returncode == 0, result.stderr
    return trace, int(result.stdout.split()[0])


def read(trace):
    """Events, and the greatest resident memory in MB."""
    result = story.run(os.path.join(TOOLS, "read_trace"), trace, KB)
    assert result.returncode == 0, result.stderr
    print("        " + result.stdout.strip())
    found = re.match(r"(\d+) events.* (\d+) MB at most", result.stdout)
    return int(found[1]), int(found[2])


def test_thousands_of_ranks_with_few_files_open(folder):
    trace, events = make(folder, 4096, 300000)
    few = 64

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))

    result = story.run(os.path.join(TOOLS, "read_trace"), trace, KB, preexec_fn=limit)
    assert result.returncode == 0 and int(result.stdout.split()[0]) == events, (result.stdout, result.stderr)
    assert int(re.search(r"(\d+) MB at most", result.stdout)[1]) < 400, result.stdout
    result = story.run(story.WHYSLOW, "diagnose", trace, "--json", preexec_fn=limit)
    assert result.returncode == 0, result.stderr


def test_memory_does_not_grow_with_the_trace(folder):
    """What is read is given back: a trace eight times as long takes no more."""
    short, long = (read(make(folder, 8, events)[0]) for events in (500000, 4000000))
    assert long[0] > 7 * short[0]
    assert long[1] < short[1] + 8, (short, long)


def report(trace, events):
    """The page, and the greatest resident memory of its making in MB."""
    path = trace + ".html"
    command = [story.WHYSLOW, "report", trace, "-q", "-o", path, "--events", str(events)]
    process = subprocess.Popen(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    print(f"        a page in {usage.ru_utime:.1f} s and {usage.ru_maxrss >> 10} MB, {os.path.getsize(path) >> 10} kB")
    return page.Page(path), usage.ru_maxrss >> 10


def test_a_page_of_a_thousand_ranks_and_a_million_events(folder):
    trace, events = make(folder, 1024, 1000000)
    found, megabytes = report(trace, 50000)
    assert megabytes < 250
    assert found.timeline["events"] == events and found.timeline["shown"] == len(found.columns["TYPE"]) == 50000
    assert all(len(level) == 1024 for level in found.levels) and len(found.levels) >= 3
    # All pairs of ranks meet in MPI_Allreduce: too many for the JSON.
    pairs = [found.columns[tag] for tag in ("FROM", "INTO", "MESS", "BYTS")]
    exchange = found.report["exchange"]
    assert exchange["pairs_in_timeline"] == len(pairs[0]) == 1024 * 1023 and exchange["pairs"] == []
    assert all(a < b for a, b in zip(zip(pairs[0], pairs[1]), zip(pairs[0][1:], pairs[1][1:])))
    assert sum(pairs[2]) == exchange["messages"] and sum(pairs[3]) == exchange["bytes"]
    told = story.diagnose(trace)
    for mine, others in zip(found.report["problems"], told["problems"]):
        assert abs(sum(mine["histogram"]["duration_s"]) - others["duration_s"]) < 1e-6
        assert mine["count"] == others["count"] and len(mine["instances"]) == 100
    # The events are those that waited longest: what waited longer than the least of them is there.
    waits = set(found.columns["WAIT"])
    longest = [round(instance["duration_s"] * 1e9) for entry in found.report["problems"] for instance in entry["instances"]]
    assert 0 < min(waits) < max(longest) and all(wait in waits for wait in longest if wait > min(waits))


def test_memory_of_a_page_does_not_grow_with_the_trace(folder):
    short, long = (report(make(folder, 8, events)[0], 1000)[1] for events in (500000, 4000000))
    assert long < short + 40, (short, long)


def test_a_made_up_trace_is_a_legal_one(folder):
    """No warning but of what make_trace leaves out, every message met its receive."""
    trace, events = make(folder, 16, 60000)
    diagnosis = story.diagnose(trace)
    recording = diagnosis["run"]["recording"]
    assert recording["unmatched"] == 0 and recording["clock_violations"] == 0 and recording["lost"] == 0, recording
    assert all("run.json" in warning for warning in diagnosis["warnings"]), diagnosis["warnings"]
    assert story.by_id(diagnosis).get("late-sender", 0) > 0, diagnosis["problems"]


story.main()
