"""X10 programs: native on sockets, where the process that is started becomes the launcher, and on MPI; managed, where the
library was loaded for Java alone.  The library is the one in tests/e2e/x10: with the interface of X10's own and other
innards.  babeltrace2 counts what is in the traces."""
import collections
import json
import os
import re
import shutil
import tempfile

from story import ROOT, main, run, whyslow

HERE = os.path.join(ROOT, "tests", "e2e", "x10")
HOME = tempfile.mkdtemp(prefix="whyslow-test-x10-")
MESSAGE_TYPE = "HelloWholeWorld__closure__1"


def built():
    """The folder of the libraries and programs, made once."""
    home = os.path.join(HOME, "x10")
    if not os.path.exists(home):
        shutil.copytree(HERE, home)
        result = run("make", "-C", home)
        assert result.returncode == 0, result.stderr
    return home


def sockets(program, places=4):
    return [os.path.join(built(), "sockets", "places"), program], {"X10_NPLACES": str(places)}


def mpi(program, places=4):
    return ["mpirun.openmpi", "-n", str(places), os.path.join(built(), "mpi", "places"), program], {}


def record(folder, command, environment, *options, code=0):
    trace = os.path.join(folder, "trace")
    result = whyslow("record", "-o", trace, *options, "--", *command,
                     env={**os.environ, "X10RT_RXTX": "1", **environment})
    assert result.returncode == code, (result.returncode, result.stderr)
    return trace, result


class Traffic:
    """What went from place to place: {(kind, from, to): [messages, bytes]}; names of types by place and number."""

    def __init__(self, trace):
        self.pairs = collections.defaultdict(lambda: [0, 0])
        self.names, self.types, self.events = {}, collections.Counter(), collections.Counter()
        for line in run("babeltrace2", trace).stdout.splitlines():
            kind = re.search(r"\) (\w+?)(?:_\d+)?: ", line)
            fields = dict(re.findall(r"\b(\w+) = (-?\d+|\"[^\"]*\")", line))
            if not kind:
                continue
            kind, rank = kind[1], int(fields["rank"])
            self.events[kind] += 1
            if kind == "control" and fields["what"] == "7":
                self.names[rank, int(fields["count"])] = fields["name"].strip('"')
            elif "peer" in fields:
                pair = self.pairs[kind, rank, int(fields["peer"])]
                pair[0] += 1
                pair[1] += int(fields.get("bytes", 16))
                if "type" in fields:
                    self.types[kind, rank, int(fields["type"])] += 1

    def of(self, kind):
        return {(giver, taker): tuple(moved) for (what, giver, taker), moved in self.pairs.items() if what == kind}


def runtime_totals(said):
    """Place: (messages, bytes) that it sent, got as messages, as the library itself counted them."""
    found = re.findall(r"Place: (\d+) msg_rx: (\d+)/(\d+) msg_tx: (\d+)/(\d+)", said)
    return {int(place): ((int(tx), int(tx_bytes)), (int(rx), int(rx_bytes)))
            for place, rx_bytes, rx, tx_bytes, tx in found}


def agree_with_the_runtime(messages, said, places):
    totals = runtime_totals(said)
    assert sorted(totals) == list(range(places)), said
    for place, (sent, received) in totals.items():
        for own, side in ((sent, 0), (received, 1)):
            moved = [value for pair, value in messages.items() if pair[side] == place]
            assert own == (sum(count for count, _ in moved), sum(size for _, size in moved)), (place, messages, said)


def exchanged(trace, *options):
    """The pairs as `whyslow exchange` adds them up."""
    result = whyslow("exchange", "--json", *options, trace)
    assert result.returncode == 0, result.stderr
    return {(pair["from"], pair["to"]): (pair["messages"], pair["bytes"]) for pair in json.loads(result.stdout)["pairs"]}


HELLO = {**{(0, k): (3, 74) for k in (1, 2, 3)}, **{(k, 0): (1, 32) for k in (1, 2, 3)}}
QUEENS = {**{(0, k): (6, 392) for k in (1, 2, 3)}, **{(k, 0): (3, 92) for k in (1, 2, 3)}}


def test_known_programs_on_sockets_and_on_mpi(folder):
    for flavour in (sockets, mpi):
        for program, expected, said in (("hello", HELLO, "hello from 3"), ("nqueens", QUEENS, "solutions 92")):
            trace, result = record(folder, *flavour(program))
            assert said in result.stdout, result.stdout
            assert "recorded 4 processes" in result.stderr, result.stderr
            traffic = Traffic(trace)
            assert traffic.of("message") == expected, (flavour, program, traffic.pairs)
            agree_with_the_runtime(traffic.of("message"), result.stderr, 4)
            assert exchanged(trace) == expected, (flavour, program, exchanged(trace))
            with open(os.path.join(trace, "run.json"), encoding="utf-8") as file:
                assert json.load(file)["runtime"] == "x10"


def test_the_launcher_leaves_no_trace(folder):
    trace, _ = record(folder, *sockets("hello", 2))
    assert sorted(os.listdir(os.path.join(trace, "ctf"))) == ["metadata", "rank-0.thread-0", "rank-1.thread-0"]
    result = whyslow("diagnose", "--json", trace)
    assert result.returncode == 0 and json.loads(result.stdout)["run"]["ranks"] == 2, result


def test_on_mpi_it_is_recorded_once(folder):
    """The library's MPI calls are no second traffic; --layer mpi shows them instead."""
    trace, _ = record(folder, *mpi("hello"))
    assert not [kind for kind in Traffic(trace).events if kind in ("send", "send_start", "recv")]
    trace, _ = record(folder, *mpi("hello"), "--layer", "mpi")
    events = Traffic(trace).events
    assert events["recv"] and not events["message"], events
    with open(os.path.join(trace, "run.json"), encoding="utf-8") as file:
        described = json.load(file)
    assert described["runtime"] == "mpi" and described["mpi"].startswith("Open MPI"), described


def test_several_threads_send(folder):
    trace, result = record(folder, *sockets("threads"))
    messages = Traffic(trace).of("message")
    assert messages == {(i, k): (600, 64500) for i in range(4) for k in range(4) if i != k}, messages
    agree_with_the_runtime(messages, result.stderr, 4)
    threads = {name for name in os.listdir(os.path.join(trace, "ctf")) if name.startswith("rank-2.")}
    assert len(threads) == 4, threads


def test_message_types_have_names(folder):
    trace, _ = record(folder, *sockets("hello", 2))
    traffic = Traffic(trace)
    names = {place: {name for (where, _), name in traffic.names.items() if where == place} for place in (0, 1)}
    assert names == {0: {"type=x10.xrx.Finish__count", "type=" + MESSAGE_TYPE}, 1: {"type=x10.xrx.Finish__count"}}
    closure = [number for (place, number), name in traffic.names.items() if name == "type=" + MESSAGE_TYPE]
    assert traffic.types["message", 0, closure[0]] == 1, traffic.types
    types = json.loads(whyslow("exchange", "--json", trace).stdout)["types"]
    assert {each["type"]: (each["messages"], each["bytes"]) for each in types} == {
        MESSAGE_TYPE: (1, 36), "x10.xrx.Finish__count": (3, 70)}, types


def test_puts_gets_and_remote_operations(folder):
    for flavour in (sockets, mpi):
        trace, result = record(folder, *flavour("one-sided", 3))
        assert "place 2: put 1, got 2, added 13" in result.stdout, result.stdout
        traffic, ring = Traffic(trace), [(0, 1), (1, 2), (2, 0)]
        assert traffic.of("put") == {pair: (1, 12 + 256) for pair in ring}, traffic.pairs
        assert traffic.of("get") == {pair: (1, 128) for pair in ring}, traffic.pairs  # to the first of the pair
        assert traffic.of("atomic") == {pair: (8, 128) for pair in ring}, traffic.pairs
        assert exchanged(trace, "--kind", "put") == traffic.of("put")
        assert exchanged(trace, "--kind", "get") == {(k, i): (1, 128) for i, k in ring}  # the data go the other way
        assert exchanged(trace, "--kind", "atomic") == traffic.of("atomic")


def test_waiting_is_told_though_the_answer_is_sent_within_it(folder):
    """A handler that sends runs within x10rt_blocking_probe: what the probe took before it, and between its calls, counts."""
    trace, _ = record(folder, *sockets("question", 2))
    ends, lengths, kinds = [], [], []
    for line in run("babeltrace2", "--clock-seconds", trace).stdout.splitlines():
        found = re.search(r"^\[([\d.]+)\].*\) (wait|message)(?:_\d+)?: .*rank = 1,.*duration = (\d+)", line)
        if found and (int(found[3]) > 20_000_000 or found[2] == "message"):
            kinds.append(found[2])
            ends.append(float(found[1]))
            lengths.append(int(found[3]) / 1e9)
    assert kinds == ["wait", "message", "wait", "message"], kinds
    assert 0.15 < lengths[0] < 0.3 and 0.09 < lengths[2] < 0.2, lengths
    assert all(ends[i] - lengths[i] >= ends[i - 1] - 1e-6 for i in (1, 2, 3)), (ends, lengths)  # none overlaps another


def test_problems_are_found(folder):
    """The problem types that X10 shares with the other PGAS runtimes, in its own words."""
    trace, _ = record(folder, *sockets("question", 2))
    found = [each for each in json.loads(whyslow("diagnose", "--json", trace).stdout)["problems"]
             if each["id"] == "long-wait"]
    waited = sum(share["duration_s"] for each in found for share in each["ranks"] if share["rank"] == 1)
    assert 0.25 < waited < 0.6 and all("lace" in each["description"] for each in found), found
    trace, _ = record(folder, *sockets("pieces", 2))
    found = {each["id"]: each for each in json.loads(
        whyslow("diagnose", "--json", "--threshold", "0", trace).stdout)["problems"]}
    assert [each["rank"] for each in found["small-accesses"]["ranks"]] == [0], found
    assert "Place 0 writes the memory of place 1" in found["small-accesses"]["description"], found


def test_what_was_only_counted_is_in_the_sums(folder):
    trace, _ = record(folder, *sockets("pieces", 2), "--sample", "2")
    assert Traffic(trace).events["put"] < 64
    assert exchanged(trace, "--kind", "put") == {(0, 1): (64, 512)}, exchanged(trace)


def test_collectives(folder):
    trace, result = record(folder, *sockets("collectives"))
    assert "sum 6" in result.stdout, result.stdout
    text = run("babeltrace2", trace).stdout
    found = collections.Counter(re.findall(r"\) (\w+?)(?:_\d+)?: .*rank = 2,.*?(?:root = (\d+).*)?bytes = (\d+)", text))
    assert found == {("broadcast", "1", "32"): 1, ("nxn", "", "24"): 1, ("reduce", "2", "32"): 1,
                     ("nxn", "", "32"): 1}, found


def test_a_place_that_dies_takes_the_others_with_it(folder):
    """What was recorded until then is there, all of it."""
    trace, result = record(folder, *sockets("die", 3), code=134)
    assert "recorded 3 processes" in result.stderr, result.stderr
    assert Traffic(trace).of("message") == {(i, (i + 1) % 3): (1000, 16000) for i in range(3)}
    result = whyslow("diagnose", trace)
    assert result.returncode == 0 and "ended with 134" in result.stdout, result


def test_what_is_found(folder):
    """A place that waits for another, which is named where its message ends the wait (this library's blocking probe also
    returns every 10 ms); and small messages in a loop, 31 of each 32."""
    command, environment = sockets("late", 2)
    trace, _ = record(folder, command, environment)
    problems = json.loads(whyslow("diagnose", "--json", "--threshold", "0", trace).stdout)["problems"]
    waits = [problem for problem in problems if problem["id"] == "long-wait"]
    waited = sum(each["duration_s"] for problem in waits for each in problem["ranks"] if each["rank"] == 1)
    assert 0.36 < waited < 0.5, problems
    assert {each["rank"] for problem in waits for each in problem["causes"]} == {0}, problems
    pieces = [problem for problem in problems if problem["id"] == "small-accesses"]
    assert len(pieces) == 1 and pieces[0]["ranks"][0]["rank"] == 0, pieces
    assert pieces[0]["count"] in (9 * 31, 10 * 31), pieces


def test_managed(folder):
    """The library was loaded by dlopen for its caller alone (RTLD_LOCAL): nothing in the program shows it."""
    program = os.path.join(built(), "sockets", "managed")
    trace, result = record(folder, [program], {"X10_NPLACES": "3"}, "--layer", "x10")
    assert result.stdout.count("managed") == 3, result.stdout
    messages = Traffic(trace).of("message")
    assert messages == {(0, 1): (2, 100), (0, 2): (2, 100), (1, 0): (1, 7), (2, 0): (1, 7)}, messages
    agree_with_the_runtime(messages, result.stderr, 3)


def test_doctor_knows_it():
    rows = {row["what"]: row for row in json.loads(whyslow("doctor", "--json").stdout)}
    assert rows["X10"]["state"] == "ok" and rows["rules of X10"]["state"] == "ok", rows
    assert "for any library of it" in rows["X10"]["found"], rows["X10"]


def test_other_programs_run_untouched(folder):
    """The recorder serves any build of the library, so it is linked with none: shells and launchers start with it."""
    result = whyslow("record", "-o", os.path.join(folder, "trace"), "--layer", "x10", "--", "sh", "-c", "echo $((6 * 7))")
    assert result.stdout == "42\n" and result.returncode == 0, result
    assert "none of the command's processes got through x10rt_init of X10" in result.stderr, result.stderr


try:
    main()
finally:
    shutil.rmtree(HOME, ignore_errors=True)
