"""The page of a run as a file: `whyslow report` and `run --open`."""
import json
import os
import resource
import signal
import stat
import time

import page
import story

# Rank 1 waits for rank 0 four times for 60 ms, 100 ms apart; rank 2 sends to rank 0 in time and waits for nobody but at
# the barrier, 40 ms for rank 0.
PROGRAM = r"""
#include "timetable.h"
int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(100 * i + 90);
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
            MPI_Recv(&number, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            compute_until_ms(100 * i + 30);
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // a quiet remark
        } else {
            MPI_Isend(&number, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
            compute_until_ms(100 * i + 95);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    compute_until_ms(rank == 0 ? 460 : 420);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
WAIT_S, STEP_S, WAITS = 0.060, 0.100, 4
ATTEMPTS = 3
NEAR_S = 0.015
# A folder and a file whose path is markup: "…/a</script><b>.c".
HOSTILE_FOLDER, HOSTILE_NAME = "a<", "script><b>.c"


def record(folder, mpi, *flags):
    """The trace of the program, compiled below a hostile path; the source file's."""
    os.makedirs(os.path.join(folder, HOSTILE_FOLDER))
    source = story.write(os.path.join(folder, HOSTILE_FOLDER), HOSTILE_NAME, PROGRAM)
    program = mpi.compile(source, os.path.join(folder, "program"), "-I" + os.path.join(story.ROOT, "kb", "mpi"), *flags)
    trace = os.path.join(folder, "trace")
    result = story.record(trace, mpi.command(3, program))
    assert result.returncode == 0, result.stderr
    return trace, source


def report(trace, *options, **how):
    path = os.path.join(os.path.dirname(trace), "page.html")
    result = story.whyslow("report", trace, "-o", path, *options, **how)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "" and path in result.stderr
    return page.Page(path)


def problem(found, name):
    return [entry for entry in found.report["problems"] if entry["id"] == name]


def near(a, b, by=1e-6):
    return abs(a - b) <= by


def assert_adds_up(found):
    """Shares of ranks, of bins, of problems and of events tell the same waiting."""
    waiting_s = sum(entry["duration_s"] for entry in found.report["problems"]) + found.report["below_threshold"]["duration_s"]
    assert near(sum(rank["waiting_s"] for rank in found.report["ranks"]), waiting_s)
    assert near(sum(found.columns["WAIT"]) / 1e9, waiting_s)
    wall_s = found.report["run"]["wall_s"]
    for row, rank in enumerate(found.report["ranks"]):
        assert near(rank["compute_s"] + rank["communication_s"] + rank["waiting_s"], rank["total_s"])
        assert min(rank["compute_s"], rank["communication_s"], rank["waiting_s"]) >= 0
        for level in range(len(found.levels)):
            calls_s = found.share(level, row, 0) * wall_s
            assert near(calls_s, rank["communication_s"] + rank["waiting_s"], 0.02 * wall_s), (level, calls_s, rank)
            assert near(found.share(level, row, 1) * wall_s, rank["waiting_s"], 0.02 * wall_s)
            calls, waits, problems = found.levels[level][row]
            assert all(wait <= call for call, wait in zip(calls, waits))
            assert all((wait == 0) == (number == page.NO_PROBLEM) for wait, number in zip(waits, problems))
    useful = [rank["compute_s"] for rank in found.report["ranks"]]
    efficiency = found.report["efficiency"]
    assert near(efficiency["parallel"], sum(useful) / len(useful) / wall_s)
    assert near(efficiency["load_balance"], sum(useful) / len(useful) / max(useful))
    assert near(efficiency["communication"], max(useful) / wall_s)
    for entry in found.report["problems"]:
        histogram = entry["histogram"]
        assert len(histogram["duration_s"]) == 64 and near(histogram["width_s"] * 64, wall_s)
        assert near(sum(histogram["duration_s"]), entry["duration_s"])
        assert near(sum(pair["duration_s"] for pair in entry["waits_for"]), entry["duration_s"])
        if entry["count"] <= 100:
            assert near(sum(instance["duration_s"] for instance in entry["instances"]), entry["duration_s"])


def assert_histogram_is_of_instances(entry):
    """Each instance's time lies in the bins that it covers, and no other."""
    width, expected = entry["histogram"]["width_s"], [0.0] * 64
    for instance in entry["instances"]:
        begin, end = instance["start_s"], instance["start_s"] + instance["duration_s"]
        for number in range(64):
            expected[number] += max(0.0, min(end, width * (number + 1)) - max(begin, width * number))
    assert all(near(a, b, 1e-5) for a, b in zip(entry["histogram"]["duration_s"], expected)), expected


def is_as_planted(late):
    """On a busy machine a wait may be another: then the run is tried again."""
    if len(late) != 1 or late[0]["count"] < WAITS:
        return False
    instances = sorted(late[0]["instances"][:WAITS], key=lambda instance: instance["start_s"])
    return all(near(instance["duration_s"], WAIT_S, NEAR_S) for instance in instances) and all(
        near(after["start_s"] - before["start_s"], STEP_S, NEAR_S) for before, after in zip(instances, instances[1:])
    )


def assert_late_sender(found, source):
    (late,) = problem(found, "late-sender")
    assert all(instance["rank"] == 1 and instance["for"] == 0 for instance in late["instances"][:WAITS])
    greatest = late["waits_for"][0]
    assert (greatest["rank"], greatest["for"]) == (1, 0) and greatest["count"] >= WAITS
    waits = [site for site in late["sites"] if site["waits"]][0]
    text = waits["source"]
    assert text["language"] == "c" and not text["newer"] and not text["cut"]
    assert text["lines"][waits["line"] - text["first_line"]].strip().startswith("MPI_Recv(&number, 1, MPI_INT, 0")
    assert len(text["lines"]) == 17 and text["line"] == waits["line"]
    assert waits["file"] == source
    assert [site for site in late["sites"] if site["causes"]][0]["source"]["lines"]


def assert_events(found):
    timeline = found.timeline
    count = len(found.columns["TYPE"])
    assert timeline["events"] == timeline["shown"] == count
    for tag, values in found.columns.items():
        if tag not in ("ROWS", "MSGS", "MSGR"):
            assert len(values) == count, tag
    waiting = [event for event in range(count) if found.columns["WAIT"][event] > 0.5 * WAIT_S * 1e9
               and found.type(event) == "recv"]
    assert len(waiting) == WAITS
    for event in waiting:
        assert found.rank(event) == 1 and found.function(event) == "MPI_Recv"
        assert found.param(event, "peer") == 0 and found.param(event, "tag") == 7
        assert found.site(event)["function"] == "main"
        assert found.report["problems"][int(found.columns["PROB"][event])]["id"] == "late-sender"
    messages = list(zip(map(int, found.columns["MSGS"]), map(int, found.columns["MSGR"])))
    assert len(messages) == timeline["messages"] == 8
    assert sorted((found.rank(a), found.rank(b)) for a, b in messages) == [(0, 1)] * 4 + [(2, 0)] * 4
    for send, receive in messages:
        assert found.param(send, "n") == found.param(receive, "n") and found.param(send, "tag") == found.param(receive, "tag")
        assert found.starts[send] - found.columns["POST"][send] < found.starts[receive] + found.columns["DURA"][receive]
    posted = [event for event in range(count) if found.function(event) == "MPI_Wait"]
    assert len(posted) == 4 and all(found.function(event, "PFUN") == "MPI_Isend" for event in posted)
    assert all(found.columns["POST"][event] > 1e6 for event in posted)


def both(folder, check):
    for mpi in story.mpis():
        below = os.path.join(folder, mpi.name)
        os.mkdir(below)
        check(below, mpi)


def test_a_run_as_a_page(folder):
    def check(below, mpi):
        for attempt in range(ATTEMPTS):
            there = os.path.join(below, str(attempt))
            os.mkdir(there)
            trace, source = record(there, mpi)
            found = report(trace)
            assert_adds_up(found)
            if is_as_planted(problem(found, "late-sender")):
                break
        else:
            raise AssertionError(f"{mpi.name}: not as planted: {problem(found, 'late-sender')}")
        assert_late_sender(found, source)
        for entry in found.report["problems"]:
            if entry["count"] <= 100:
                assert_histogram_is_of_instances(entry)
        assert_events(found)
        assert_same_as_diagnosis(found, trace)

    both(folder, check)


def assert_same_as_diagnosis(found, trace):
    told = story.diagnose(trace)
    for key in ("efficiency", "warnings", "counted", "below_threshold"):
        assert found.report[key] == told[key], key
    for mine, others in zip(found.report["problems"], told["problems"]):
        for key in ("id", "name", "duration_s", "count", "ranks", "causes", "description", "advice"):
            assert mine[key] == others[key], key
    assert len(found.report["problems"]) == len(told["problems"])
    exchanged = json.loads(story.whyslow("exchange", "--json", trace).stdout)
    assert found.report["exchange"] == exchanged
    sent = [part["pairs"] for part in exchanged["parts"] if part["function"] in ("MPI_Send", "MPI_Isend")]
    assert sorted(sent) == [[[0, 1, 4, 16]], [[2, 0, 4, 16]]], sent
    run = found.report["run"]
    assert all(run[key] == value for key, value in told["run"].items())
    assert run["program"] == "program" and run["started"].startswith("20") and run["begin_s"] == 0
    assert [rank["rank"] for rank in found.report["ranks"]] == [0, 1, 2]
    assert found.report["format"] == 1 and found.report["compare"] is None


def test_source_lines(folder):
    """Left out where asked to; told where the file has changed; and never read from what is no file.  A relative path is
    looked for where the page is made, and beside the trace."""
    trace, source = record(folder, story.mpis()[0], f"-ffile-prefix-map={folder}/=", f"-ffile-prefix-map={os.getcwd()}=.")
    found = report(trace, "--no-source")
    assert "a quiet remark" not in found.text
    assert not any("source" in site for entry in found.report["problems"] for site in entry["sites"])
    assert "a quiet remark" in report(trace).text

    assert "a quiet remark" in report(trace, cwd="/").text
    moved = os.path.join(folder, "elsewhere", "trace")
    os.makedirs(os.path.dirname(moved))
    os.rename(trace, moved)
    os.symlink(moved, trace) # what is beside it is not there any more
    assert "a quiet remark" not in report(trace, cwd="/").text
    assert "a quiet remark" in report(trace, cwd=folder).text

    def sources():
        return [site["source"] for entry in report(trace, cwd=folder).report["problems"] for site in entry["sites"] if "source" in site]

    later = time.time() + 1000
    os.utime(source, (later, later))
    assert sources() and all(text["newer"] for text in sources())
    os.utime(os.path.join(folder, "program"), (later + 1000, later + 1000)) # built again since
    assert sources() and all(text["newer"] for text in sources())
    os.remove(source)
    assert not sources()
    os.mkfifo(source)
    assert not sources()
    os.remove(source)
    os.symlink("/dev/zero", source)
    assert not sources()


def test_a_number_of_events(folder):
    trace, _ = record(folder, story.mpis()[0])
    everything = report(trace)
    if "clips" in story.whyslow("report", "--help").stdout:
        other = report(trace, "--engine", "clips")
        assert (other.report, other.levels, other.columns) == (everything.report, everything.levels, everything.columns)
    few = report(trace, "--events", "6")
    assert few.timeline["events"] == everything.timeline["events"] and few.timeline["shown"] == 6
    longest = sorted(everything.columns["WAIT"], reverse=True)[:6]
    assert sorted(few.columns["WAIT"], reverse=True) == longest
    assert few.levels == everything.levels
    none = report(trace, "--events", "0")
    assert none.timeline["shown"] == 0 and none.columns["ROWS"] == [0, 0, 0, 0] and none.levels == everything.levels
    for wrong in ("-1", "many", "1e3", "100000001"):
        assert story.whyslow("report", trace, "--events", wrong).returncode == 2


def test_compared_with_an_earlier_run(folder):
    """The page has what `compare` tells of the same two runs; its numbers are those of the problems in the page."""
    trace, _ = record(folder, story.mpis()[0])
    before = story.write(folder, "before.json", story.whyslow("diagnose", "--json", trace).stdout)
    found = report(trace, "--compare", before)
    compared = found.report["compare"]
    told = json.loads(story.whyslow("compare", "--json", before, trace).stdout)
    assert compared["before"] == told["before"] and compared["wall"] == told["wall"]
    assert compared["waiting"]["clear"] is False and compared["after"]["path"] == trace
    assert {entry["status"] for entry in compared["problems"]} == {"same"}
    assert [entry["id"] for entry in compared["problems"]] == [entry["id"] for entry in told["problems"]]
    for entry in compared["problems"]:
        assert found.report["problems"][entry["after_index"]]["id"] == entry["id"]
    fails(3, "nowhere.json", trace=trace, options=["--compare", os.path.join(folder, "nowhere.json")])


def test_what_is_left_of_a_damaged_trace(folder):
    """A rank is missing, another's stream is cut: the page tells it, and what is there still adds up."""
    trace, _ = record(folder, story.mpis()[0])
    os.remove(os.path.join(trace, "ctf", "rank-2.thread-0"))
    os.truncate(os.path.join(trace, "ctf", "rank-0.thread-0"), 600)
    os.remove(os.path.join(trace, "run.json"))
    found = report(trace)
    assert [rank["rank"] for rank in found.report["ranks"]] == [0, 1]
    warnings = " ".join(found.report["warnings"])
    assert "rank 2" in warnings and "rank 0" in warnings and "run.json" in warnings, warnings
    assert found.report["run"]["started"] == "" and found.report["run"]["program"] == "program"
    assert_adds_up(found)
    for row, rank in enumerate(found.report["ranks"]):
        ends = [found.starts[event] + found.columns["DURA"][event] for event in range(len(found.starts)) if found.row(event) == row]
        assert ends and max(ends) / 1e9 <= rank["end_s"] + 1e-6


def fails(code, *words, trace="x", options=(), **how):
    result = story.whyslow("report", trace, *options, **how)
    assert result.returncode == code, (result.returncode, result.stderr)
    for word in words:
        assert word in result.stderr, result.stderr
    return result


def test_what_cannot_be_written_or_read(folder):
    trace, _ = record(folder, story.mpis()[0])
    there = os.path.join(folder, "there.html")
    fails(3, "no such folder", trace=os.path.join(folder, "nowhere"))
    fails(3, "no Whyslow trace", trace=folder)
    fails(3, "name the folder", trace=os.path.join(trace, "trace.json"))
    fails(2, "missing", trace="--no-source")
    fails(2, "not an empty name", trace=trace, options=["-o", ""])
    fails(4, folder, "is a folder", trace=trace, options=["-o", folder])
    fails(4, "there is no folder", trace=trace, options=["-o", os.path.join(folder, "no", "page.html")])
    fails(4, "/dev/full", "No space left", trace=trace, options=["-o", "/dev/full"])

    # A disk that fills up leaves what was there before, and nothing else.
    story.write(folder, "there.html", "the page before")
    names = sorted(os.listdir(folder))

    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    fails(4, there, "cannot write", trace=trace, options=["-o", there], preexec_fn=little_room, restore_signals=False)
    assert open(there).read() == "the page before" and sorted(os.listdir(folder)) == names
    if os.geteuid() != 0:
        os.chmod(trace, 0o500)
        fails(4, "cannot write", trace=trace)
        os.chmod(trace, 0o700)
    assert story.whyslow("report", trace).returncode == 0
    page.Page(os.path.join(trace, "report.html"))
    # Through a link and a pipe.
    os.symlink(there, os.path.join(folder, "link.html"))
    assert story.whyslow("report", trace, "-q", "-o", os.path.join(folder, "link.html")).stderr == ""
    page.Page(there)
    assert os.path.islink(os.path.join(folder, "link.html"))
    assert "ws-report" in story.whyslow("report", trace, "-o", "/dev/stdout").stdout


def test_opened_in_a_browser(folder):
    mpi = story.mpis()[0]
    seen = os.path.join(folder, "seen")
    browser = story.write(folder, "browser", f'#!/bin/sh\necho "$#" "$@" > {seen}\n')
    os.chmod(browser, stat.S_IRWXU)
    trace, _ = record(folder, mpi)
    with_browser = {**os.environ, "BROWSER": f"no-such-browser:{browser} --new %s"}
    result = story.whyslow("report", trace, "--open", env=with_browser)
    assert result.returncode == 0 and "opened" in result.stderr, result.stderr
    assert open(seen).read() == f"2 --new file://{os.path.realpath(trace)}/report.html\n"

    os.remove(seen)
    ran = os.path.join(folder, "a run")
    result = story.whyslow("run", "--open", "-o", ran, "--", *mpi.command(3, os.path.join(folder, "program")),
                           env={**os.environ, "BROWSER": browser})
    assert result.returncode == 0 and "Late sender" in result.stdout, result.stderr
    assert open(seen).read() == f"1 file://{os.path.realpath(folder)}/a%20run/report.html\n"
    assert page.Page(os.path.join(ran, "report.html")).report["run"]["ranks"] == 3

    # Nothing to open it with, or one that fails: told, and the page is there.
    failing = story.write(folder, "failing", "#!/bin/sh\nexit 3\n")
    os.chmod(failing, stat.S_IRWXU)
    for browser in ("", failing):
        nothing = {**os.environ, "BROWSER": browser, "PATH": os.path.join(folder, "nothing")}
        result = story.whyslow("report", trace, "--open", env=nothing)
        assert result.returncode == 0 and "open it yourself" in result.stderr, result.stderr
        page.Page(os.path.join(trace, "report.html"))


if __name__ == "__main__":
    story.main()
