"""What other tools get to see of a trace, read by readers that are not Whyslow's (formats.py, otf2-print, python3-otf2)."""
import atexit
import collections
import json
import os
import re
import shutil
import subprocess
import tempfile

import formats
import story

PROGRAM = r"""
#include <mpi.h>
#include <time.h>
static void late(int ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL); }
static void messages(int rank, MPI_Comm comm)
{
    int out = rank, in[2] = {0};
    MPI_Request requests[3];
    MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
    if (rank == 0)
        late(30);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 5, comm, &requests[1]);
    MPI_Issend(&out, 0, MPI_INT, 1 - rank, 6, comm, &requests[2]);
    MPI_Recv(&in[1], 1, MPI_INT, 1 - rank, 6, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 7, &in[0], 1, MPI_INT, 1 - rank, 7, comm, MPI_STATUS_IGNORE);
    if (rank == 1) {
        late(20);
        MPI_Recv(in, 1, MPI_INT, 0, 8, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Ssend(&out, 1, MPI_INT, 1, 8, comm);
    }
}
static void collectives(int rank, MPI_Comm comm)
{
    int one = rank, all[2] = {0};
    MPI_Request request;
    if (rank == 0)
        late(15);
    MPI_Barrier(comm);
    if (rank == 1)
        late(15);
    MPI_Bcast(&one, 1, MPI_INT, 0, comm);
    MPI_Reduce(&rank, all, 1, MPI_INT, MPI_SUM, 0, comm);
    if (rank == 1)
        late(15);
    MPI_Allreduce(&rank, all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Scan(&rank, all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void others(int rank)
{
    int counts[2] = {rank, 1 - rank}, starts[2] = {0, rank}, out[2] = {1, 2}, in[2];
    if (rank == 0) {
        late(15);
        MPI_Send(out, 2, MPI_INT, 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Probe(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 2, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoallv(out, counts, starts, MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD);
}
static void windows(int rank)
{
    int memory = 0, got;
    MPI_Group all, other;
    MPI_Win win;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){1 - rank}, &other);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 2; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        late(5);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Fetch_and_op(&rank, &got, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        late(10);
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(other, 0, win);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        late(10);
        MPI_Win_complete(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Comm turned;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    for (int i = 0; i < 3; i++) {
        messages(rank, MPI_COMM_WORLD);
        collectives(rank, MPI_COMM_WORLD);
        MPI_Comm_rank(turned, &rank);
        messages(rank, turned);
        collectives(rank, turned);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    windows(rank);
    others(rank);
    MPI_Finalize();
    return 0;
}
"""
# A function of 10 kB, a file whose name holds all that a format may take for its own, a program with a bad name.
LONG = "f" * 10000
HOSTILE = r"""
#include <mpi.h>
void %s(int rank)
{
    int x = 0;
#line 77 "evil\",\n</script>:;%%s\xff\\ name.c"
    x = rank == 0 ? MPI_Send(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD) : MPI_Recv(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    %s(rank);
    MPI_Finalize();
    return 0;
}
""" % (LONG, LONG)

recorded = {}


def trace(kind):
    """The folder of a trace that is recorded once for all tests: "all" or "hostile"."""
    if kind not in recorded:
        folder = tempfile.mkdtemp(prefix="whyslow-export-")
        atexit.register(shutil.rmtree, folder)
        mpi = story.mpis()[0]
        name = "program" if kind == "all" else "pro\"gram,\n'<b>"
        program = mpi.compile(story.write(folder, "program.c", PROGRAM if kind == "all" else HOSTILE),
                              os.path.join(folder, name), "-w")
        recorded[kind] = os.path.join(folder, "trace")
        story.record(recorded[kind], mpi.command(2, program))
    return recorded[kind]


def export(kind, form, output, *options):
    result = story.whyslow("export", "--to", form, "-o", output, *options, trace(kind))
    assert result.returncode == 0 and result.stdout == "", result.stderr
    return output


def events(folder, kind="all"):
    """The events as the table has them: what the other formats are compared with."""
    return formats.read_csv(export(kind, "csv", os.path.join(folder, kind + ".csv")))


def waiting(diagnosis):
    """Seconds by problem and rank that waits."""
    lost = collections.Counter()
    for problem in diagnosis["problems"]:
        for share in problem["ranks"]:
            lost[problem["name"], share["rank"]] += share["duration_s"]
    return lost


def test_table_holds_all_events(folder):
    rows = events(folder)
    names = collections.Counter(row["type"] for row in rows)
    assert names["send"] == names["recv"] == 2 * 21 + 1, names
    assert names["barrier"] == 2 * 13 and names["broadcast"] == names["scan"] == 12 and names["nxn"] == 16, names
    # babeltrace2 sees the records: as many complete operations, with as many bytes.
    text = subprocess.run(["babeltrace2", trace("all") + "/ctf"], stdout=subprocess.PIPE, check=True,
                          text=True).stdout
    blocking = sum(row["function"] in ("MPI_Ssend", "MPI_Sendrecv", "MPI_Send") for row in rows if row["type"] == "send")
    assert len(re.findall(r" send(?:_\d+)?: ", text)) == blocking > 0
    for row in rows:
        t, d, end, posted = (int(row[key]) for key in ("t_ns", "d_ns", "end_ns", "posted_ns"))
        assert t + d == end and 0 <= posted <= end
        assert row["site_file"].endswith("/program.c") and int(row["site_line"]) > 4 and row["site_module"], row
        assert row["thread"] == "0" and row["process"] in "01"
    wildcard = [row for row in rows if row["posted_function"] == "MPI_Irecv"]
    assert {row["peer"] for row in wildcard} == {"0", "1"} and {row["tag"] for row in wildcard} == {"5"}
    # Sends and receives of one channel have the same numbers.
    channel = lambda row, sender, receiver: (row[sender], row[receiver], row["comm"], row["tag"], row["n"])
    sends = sorted(channel(row, "process", "peer") for row in rows if row["type"] == "send")
    receives = sorted(channel(row, "peer", "process") for row in rows if row["type"] == "recv")
    assert sends == receives
    ends = [int(row["end_ns"]) for row in rows]
    assert ends == sorted(ends)


def check_slices(slices, arrows, rows, folder):
    """Calls, arrows and times of waiting of a viewer against the table and the diagnosis."""
    calls = {(row["process"], row["thread"], row["call"]) for row in rows}
    shown = {(one["rank"], one["thread"], one["ns"], one["dur"], one["name"]) for one in slices if not one["waiting"]}
    for row in rows:
        assert (int(row["process"]), int(row["thread"]), int(row["t_ns"]), int(row["d_ns"]), row["function"]) in shown, row
    assert len(shown) >= len(calls)
    assert sum(one["name"] == "MPI_Isend" for one in slices) == 12  # starts are calls of their own
    expected = collections.Counter((int(row["peer"]), int(row["process"]), int(row["end_ns"]))
                                   for row in rows if row["type"] == "recv")
    assert collections.Counter(arrows) == expected, (arrows[:3], expected.most_common(3))
    diagnosis = story.diagnose(trace("all"), "--threshold", "0")
    lost = waiting(diagnosis)
    seen = collections.Counter()
    for one in slices:
        if one["waiting"]:
            seen[one["name"], one["rank"]] += one["dur"]
    assert {key: round(seconds * 1e9) for key, seconds in lost.items()} == dict(seen)
    assert len({name for name, _ in seen}) >= 6, seen


def test_chrome(folder):
    shown = formats.read_chrome(export("all", "chrome", os.path.join(folder, "trace.json")))
    slices = [{"rank": one["pid"], "thread": one["tid"], "ns": round(one["ts"] * 1000), "dur": round(one["dur"] * 1000),
               "name": one["name"], "waiting": one["cat"] == "waiting"} for one in shown["slices"]]
    arrows = [(start["pid"], finish["pid"], round(finish["end"] * 1000)) for start, finish in shown["arrows"]]
    assert shown["left"] == len(arrows), "each message arrives"
    check_slices(slices, arrows, events(folder), folder)
    one = next(one for one in shown["slices"] if one["name"] == "MPI_Ssend")
    assert one["args"]["in"] == "messages" and one["args"]["file"].endswith("/program.c") and one["args"]["line"] > 0
    assert one["args"]["events"][0]["type"] == "send" and one["args"]["events"][0]["synchronous"] is True
    assert shown["names"]["process_name", 1, 0].startswith("rank 1 on ")


def test_perfetto(folder):
    shown = formats.read_perfetto(export("all", "perfetto", os.path.join(folder, "trace.pftrace")))
    rank = lambda one: (one["track"]["thread"]["pid"] if "thread" in one["track"] else
                        shown["tracks"][one["track"]["parent"]]["process"]["pid"]) - 1
    slices = [{"rank": rank(one), "thread": 0, "ns": one["ns"], "dur": one["end"] - one["ns"], "name": one["name"],
               "waiting": one["category"] == "waiting"} for one in shown["slices"]]
    arrows = [(rank(start), rank(finish), finish["end"]) for start, finish in shown["arrows"]]
    assert shown["left"] == len(arrows), "each message arrives"
    check_slices(slices, arrows, events(folder), folder)
    one = next(one for one in shown["slices"] if one["name"] == "MPI_Ssend")
    assert one["place"]["function"] == "messages" and one["place"]["file"].endswith("/program.c") and one["place"]["line"] > 0
    assert dict(one["annotations"])["send"]["synchronous"] == 1 and dict(one["annotations"])["send"]["tag"] == 8
    one = next(one for one in shown["slices"] if one["category"] == "waiting")
    assert one["track"]["name"] == "waiting" and dict(one["annotations"])["waits_for"] in (0, 1)


def test_paraver(folder):
    shown = formats.read_paraver(export("all", "paraver", os.path.join(folder, "paraver")))
    rows, labels = events(folder), shown["labels"]
    assert shown["tasks"] == [(1, 1), (1, 1)] and shown["rows"]["THREAD"] == ["rank 0", "rank 1"]
    assert len(shown["rows"]["CPU"]) == 2 and sorted(shown["comms"].values()) == [[0, 1], [1, 0]]
    # Events of a type come in pairs: its begin with a value, its end with 0.
    begun, calls, waits, places = {}, collections.Counter(), collections.Counter(), set()
    for task, thread, ns, values in shown["events"]:
        for kind, value in values.items():
            assert (kind, value) in labels or kind in (50100001, 50100004), (kind, value)
            key = task, thread, kind
            if value == 0 and kind not in (50100001,):
                start, number = begun.pop(key)
                if kind == 90000001:
                    waits[labels[kind, number], task] += ns - start
                elif 50000001 <= kind <= 50000004:
                    calls[task, thread, start, ns, labels[kind, number]] += 1
                elif kind == 80000001:
                    places.add(labels[kind, number])
            elif kind != 50100001:
                assert key not in begun
                begun[key] = ns, value
    assert not begun
    for row in rows:
        assert calls[int(row["process"]), 0, int(row["t_ns"]), int(row["end_ns"]), row["function"]] == 1, row
    assert {f"{row['site_line']} (program.c)" for row in rows} <= places
    lost = waiting(story.diagnose(trace("all"), "--threshold", "0"))
    assert dict(waits) == {key: round(seconds * 1e9) for key, seconds in lost.items()}
    # Each message once, from the send to the receive.
    receives = collections.Counter((int(row["peer"]), int(row["process"]), int(row["posted_ns"]), int(row["end_ns"]),
                                    int(row["bytes"]), int(row["tag"])) for row in rows if row["type"] == "recv")
    assert receives == collections.Counter((sender, receiver, *received, size, tag)
                                           for sender, receiver, _, received, size, tag in shown["messages"])
    sends = {(int(row["process"]), int(row["posted_ns"])) for row in rows if row["type"] == "send"}
    assert {(sender, sent[0]) for sender, _, sent, _, _, _ in shown["messages"]} == sends
    # States fill the time of each thread without gap or overlap.
    for task in (0, 1):
        its = sorted(state[2:] for state in shown["states"] if state[0] == task)
        assert all(before[1] == after[0] for before, after in zip(its, its[1:]))
        assert labels[0, its[0][2]] == labels[0, its[-1][2]] == "Running" and its[-1][1] <= shown["end"]
    states = {labels[0, state[4]] for state in shown["states"]}
    assert {"Running", "Immediate Send", "Immediate Receive", "Wait/WaitAll", "Synchronization", "Group Communication",
            "Blocking Send", "Test/Probe", "Waiting a message", "Send Receive", "Memory transfer"} <= states, states


def read_otf2(archive):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_otf2.py")
    result = story.run("/usr/bin/python3", script, os.path.join(archive, "traces.otf2"))
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_otf2(folder):
    archive = export("all", "otf2", os.path.join(folder, "archive"))
    rows, read = events(folder), read_otf2(archive)
    assert read["ranks"] == [0, 1] and read["resolution"] == 1000000000
    of = lambda *kinds: [event for event in read["events"] if event["kind"] in kinds]
    sends, receives = of("MpiSend", "MpiIsend"), of("MpiRecv", "MpiIrecv")
    key = lambda one: (one["rank"], one["peer"], one["msg_tag"], one["msg_length"], one["ns"])
    ours = lambda row, moment: (int(row["process"]), int(row["peer"]), int(row["tag"]), int(row["bytes"]), int(row[moment]))
    assert sorted(map(key, sends)) == sorted(ours(row, "posted_ns") for row in rows if row["type"] == "send")
    assert sorted(map(key, receives)) == sorted(ours(row, "end_ns") for row in rows if row["type"] == "recv")
    # Each message arrives: as many of each channel, in order.
    channel = lambda one, sender, receiver: (one[sender], one[receiver], one["comm"], one["msg_tag"], one["msg_length"])
    assert collections.Counter(channel(one, "rank", "peer") for one in sends) == collections.Counter(
        channel(one, "peer", "rank") for one in receives)
    for begun, ended in (("MpiIsend", "MpiIsendComplete"), ("MpiIrecvRequest", "MpiIrecv"),
                         ("NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete")):
        requests = lambda kind: collections.Counter((one["rank"], one["request_id"]) for one in of(kind))
        assert requests(begun) == requests(ended) and len(requests(begun)) >= 12, begun
    operations = collections.Counter(one["operation"].lower() for one in of("MpiCollectiveEnd", "NonBlockingCollectiveComplete"))
    assert operations == {"barrier": 26, "bcast": 12, "reduce": 12, "allreduce": 12, "scan": 12,
                          "reduce_scatter_block": 2, "alltoallv": 2}, operations
    assert len(of("RmaAcquireLock")) == len(of("RmaReleaseLock")) == 6 and len(of("RmaPut")) == 5
    assert len(of("RmaGet")) == len(of("RmaAtomic")) == 2
    assert len(of("RmaGroupSync")) == 4 and len(of("RmaWinCreate")) == len(of("RmaWinDestroy")) == 2
    # Calls nest, and each event lies in its call.
    calls, inside = collections.Counter(), {}
    for one in read["events"]:
        if one["kind"] == "Enter":
            assert one["rank"] not in inside, one
            inside[one["rank"]] = one
        elif one["kind"] == "Leave":
            entered = inside.pop(one["rank"])
            assert entered["function"] == one["function"]
            calls[one["rank"], entered["ns"], one["ns"], one["function"]] += 1
        else:
            assert one["rank"] in inside, one
    for row in rows:
        assert calls[int(row["process"]), int(row["t_ns"]), int(row["end_ns"]), row["function"]] == 1, row
    entered = next(one for one in of("Enter") if one["function"] == "MPI_Issend")
    assert entered["attributes"]["Whyslow: caller"] == "messages"
    assert os.path.basename(entered["attributes"]["Whyslow: call site"][0]) == "program.c"
    # Waiting: a marker each.
    printed = subprocess.run(["otf2-marker", archive + "/traces.otf2"], stdout=subprocess.PIPE, check=True, text=True).stdout
    markers, category = collections.Counter(), None
    for line in printed.splitlines():
        defined = re.search(r'MARKER_DEF .*Category: "([^"]+)"', line)
        category = defined[1] if defined else category
        marker = re.search(r"MARKER .*Duration:? (\d+), Scope: LOCATION:(\d+)", line)
        if marker:
            markers[category, int(marker[2])] += int(marker[1])
    lost = waiting(story.diagnose(trace("all"), "--threshold", "0"))
    assert dict(markers) == {name: round(seconds * 1e9) for name, seconds in lost.items()}
    # otf2-print reads all of it without a word of complaint.
    result = story.run("otf2-print", archive + "/traces.otf2")
    assert result.returncode == 0 and result.stderr == "", result.stderr
    assert result.stdout.count("\nMPI_") == sum(one["kind"].startswith("Mpi") for one in read["events"])


FILES = """
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_File file;
    char bytes[64] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, rank * sizeof bytes, bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
"""


def test_otf2_of_files(folder):
    """OTF2 has no records for MPI's files: they are calls with parameters, not access to a window that is not there."""
    mpi = story.mpis()[0]
    program = mpi.compile(story.write(folder, "files.c", FILES), os.path.join(folder, "files"))
    recording, archive = os.path.join(folder, "trace"), os.path.join(folder, "archive")
    story.record(recording, mpi.command(2, program, os.path.join(folder, "file.bin")))
    assert story.whyslow("export", "--to", "otf2", "-o", archive, recording).returncode == 0
    kinds = collections.Counter(event["kind"] for event in read_otf2(archive)["events"])
    assert kinds["ParameterString"] == 6 and not [kind for kind in kinds if kind.startswith("Rma")], kinds
    printed = story.run("otf2-print", archive + "/traces.otf2")
    assert printed.returncode == 0 and printed.stderr == "", printed.stderr


def same_problems(folder, original, archive):
    """What Whyslow finds in its own archive is what it finds in the trace."""
    about = lambda problem: {key: problem[key] for key in ("id", "name", "duration_s", "count", "ranks", "causes",
                                                           "description")} | {
        "sites": [[site[key] for key in ("called", "function", "file", "line", "role")] for site in problem["sites"]]}
    first, second = (story.diagnose(path, "--threshold", "0") for path in (original, archive))
    assert list(map(about, first["problems"])) == list(map(about, second["problems"]))
    assert second["warnings"] == [], second["warnings"]
    for key in ("unmatched", "clock_violations"):
        assert first["run"]["recording"][key] == second["run"]["recording"][key]
    return first


def test_otf2_comes_back(folder):
    found = same_problems(folder, trace("all"), export("all", "otf2", os.path.join(folder, "archive")))
    assert len({problem["id"] for problem in found["problems"]}) >= 8
    # Who sent how much to whom is the same, too.
    first, second = (story.whyslow("exchange", "--json", path) for path in (trace("all"), os.path.join(folder, "archive")))
    assert first.returncode == second.returncode == 0, second.stderr
    first, second = json.loads(first.stdout), json.loads(second.stdout)
    for key in ("places", "pairs", "received", "kinds", "types", "sizes", "functions"):
        assert first[key] == second[key], (key, first[key], second[key])


def test_hostile_names(folder):
    evil = "evil\",\n</script>:;%s\ufffd\\ name.c"
    for row in events(folder, "hostile"):
        assert row["site_function"] == LONG and os.path.basename(row["site_file"]) == "script>:;%s\ufffd\\ name.c", row
        assert row["site_file"].endswith(evil) and row["site_line"] == "77"
        assert row["site_module"].endswith("/pro\"gram,\n'<b>")
    shown = formats.read_chrome(export("hostile", "chrome", os.path.join(folder, "trace.json")))
    assert {one["args"]["in"] for one in shown["slices"] if one["cat"] == "call"} == {LONG}
    assert all(one["args"]["file"].endswith(evil) for one in shown["slices"] if one["cat"] == "call")
    assert "pro\"gram" in shown["other"]["command"]
    shown = formats.read_perfetto(export("hostile", "perfetto", os.path.join(folder, "trace.pftrace")))
    for one in shown["slices"]:
        if one["category"] == "call":
            assert one["place"]["function"] == LONG and one["place"]["file"].endswith(evil) and one["place"]["line"] == 77
    labels = formats.read_paraver(export("hostile", "paraver", os.path.join(folder, "paraver")))["labels"]
    assert LONG in labels.values() and "77 (script>:;%s\ufffd\\ name.c)" in labels.values()
    archive = export("hostile", "otf2", os.path.join(folder, "archive"))
    for one in read_otf2(archive)["events"]:
        if one["kind"] == "Enter" and one["function"] in ("MPI_Send", "MPI_Recv"):
            assert one["attributes"]["Whyslow: caller"] == LONG
            assert one["attributes"]["Whyslow: call site"][0].endswith(evil) and one["attributes"]["Whyslow: call site"][1] == 77


def test_output_is_complete_or_not_there(folder):
    path = story.write(folder, "mine.csv", "precious")
    result = story.whyslow("export", "--to", "csv", "-o", path, trace("all"))
    assert result.returncode == 2 and "--force" in result.stderr
    assert open(path).read() == "precious"
    export("all", "csv", path, "--force")
    assert formats.read_csv(path)
    result = story.whyslow("export", "--to", "chrome", "-o", folder, trace("all"))
    assert result.returncode == 2 and "is there" in result.stderr
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            result = story.whyslow("export", "--to", "csv", "-o", "-", trace("all"), stdout=full)
        assert result.returncode == 4 and "cannot write" in result.stderr, result.stderr
    result = story.whyslow("export", "--to", "csv", "-o", os.path.join(folder, "no", "such"), trace("all"))
    assert result.returncode == 4, result.stderr
    assert sorted(os.listdir(folder)) == ["mine.csv"], "nothing half-done is left"
    # By default beside the user, named after the trace.
    result = story.whyslow("export", "--to", "csv", trace("all"), cwd=folder)
    assert result.returncode == 0 and os.path.exists(os.path.join(folder, "trace.csv"))


def test_memory_does_not_grow_with_the_trace(folder):
    made = os.path.join(folder, "made")
    maker = os.path.join(os.path.dirname(story.WHYSLOW), "bench", "make_trace")
    subprocess.run([maker, made, os.path.join(story.ROOT, "kb", "mpi"), "16", "500000"], check=True,
                   stdout=subprocess.DEVNULL)
    most = {}
    for form in ("chrome", "otf2"):
        output = os.path.join(folder, form)
        process = subprocess.Popen([story.WHYSLOW, "export", "--to", form, "-o", output, made], stderr=subprocess.PIPE,
                                   text=True)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, said
        most[form] = usage.ru_maxrss
        if form == "chrome":
            assert "more than viewers of this format bear" in said and "perfetto has no such limit" in said, said
            assert os.path.getsize(output) > 4 * 1024 * most[form]
    # Times of waiting are sorted: up to 64 MB of them are kept in memory.
    assert max(most.values()) < 150000, most


def test_mistakes(folder):
    for words, code, hint in [(["--to", "chrom", trace("all")], 2, "did you mean 'chrome'"),
                              ([trace("all")], 2, "--to FORMAT"),
                              (["--to", "csv"], 2, "missing"),
                              (["--to", "csv", "-o", "-x", trace("all")], 2, "./-x"),
                              (["--to", "csv", folder], 3, "no Whyslow trace"),
                              (["--to", "chrome", os.path.join(folder, "none")], 3, "no such folder")]:
        result = story.whyslow("export", *words, cwd=folder)
        assert result.returncode == code and hint in result.stderr, (words, result.returncode, result.stderr)
    assert os.listdir(folder) == []


if __name__ == "__main__":
    story.main()
