"""whyslow exchange: matrices that are known by hand, under both MPIs; what was only counted or not recorded; tables of many
places; images of coarrays; what is told of a mistaken call."""
import collections
import csv
import io
import json
import os
import shutil

import story

HERE = os.path.dirname(os.path.abspath(__file__))
FOUR = range(4)
INT = 4


def exchange(folder, *options, code=0):
    result = story.whyslow("exchange", *options, folder)
    assert result.returncode == code, (result.returncode, result.stderr)
    return result.stdout if code == 0 else result.stderr


def tree(folder, *options):
    return json.loads(exchange(folder, "--json", *options))


def matrix(found):
    """Of each pair the messages and bytes; and what holds of every profile."""
    pairs = {(each["from"], each["to"]): (each["messages"], each["bytes"]) for each in found["pairs"]}
    for key, index in (("received", 1), ("sent", 0)):
        sums = [sum(b for pair, (_, b) in pairs.items() if pair[index] == place) for place in range(found["places"])]
        assert found[key] == sums, (key, found[key], sums)
    parts = collections.Counter()
    for part in found["parts"]:
        for from_, to, messages, moved in part["pairs"]:
            parts[from_, to, "m"] += messages
            parts[from_, to, "b"] += moved
            assert part["size_from"] * messages <= moved <= part["size_to"] * messages
    assert all(parts[(*pair, "m")] == m and parts[(*pair, "b")] == b for pair, (m, b) in pairs.items())
    for key in ("kinds", "functions", "types", "sites", "sizes", "slots"):
        for what in ("messages", "bytes"):
            assert sum(each[what] for each in found[key]) == found[what], (key, what)
    return pairs


class Expected:
    """A matrix by hand: ints from one to another, a message each."""

    def __init__(self):
        self.pairs = collections.defaultdict(lambda: (0, 0))

    def move(self, from_, to, ints, messages=1):
        count, moved = self.pairs[from_, to]
        self.pairs[from_, to] = (count + messages, moved + ints * INT)
        return self

    def among(self, members, ints):
        """From each to each other what the function says."""
        for from_ in members:
            for to in members:
                if from_ != to and ints(from_, to):
                    self.move(from_, to, ints(from_, to))
        return self


def given(from_, to):
    return 0 if to == 0 else from_ + to


def messages():
    wanted = Expected()
    for rank in FOUR:
        right = (rank + 1) % 4
        wanted.move(rank, right, rank + 1).move(rank, right, 10).move(rank, right, 4 * 3, messages=4)
        wanted.move(rank, rank, 2)
    return wanted


def one_to_all():
    wanted = Expected()
    for rank in FOUR:
        for root, ints in ((1, 10), (0, 5), (3, 2), (2, rank + 1)):
            if rank != root:
                wanted.move(root, rank, ints)
    return wanted


def all_to_one():
    wanted = Expected()
    for rank in FOUR:
        for root, ints in ((3, 3), (0, rank + 1), (0, 5), (2, 1)):
            if rank != root:
                wanted.move(rank, root, ints)
    return wanted


def all_to_all():
    wanted = Expected()
    for ints in (lambda from_, to: 4, lambda from_, to: 2, lambda from_, to: from_ + 1, lambda from_, to: 3):
        wanted.among(FOUR, ints)
    return wanted


def vectors():
    wanted = Expected()
    for _ in ("Alltoallv", "Ialltoallv", "Alltoallw"):
        wanted.among(FOUR, given)
    return wanted.among(FOUR, lambda from_, to: from_ + to)


def scattered_and_prefixes():
    wanted = Expected()
    for ints in (lambda from_, to: to + 1, lambda from_, to: 2, lambda from_, to: to + 1):
        wanted.among(FOUR, ints)
    for ints in (6, 1):
        wanted.among(FOUR, lambda from_, to, n=ints: n if to > from_ else 0)
    return wanted


def halves():
    wanted = Expected()
    for first, second in ((3, 1), (2, 0)):
        wanted.move(first, second, 2)
        wanted.among((first, second), lambda from_, to: 3)
        wanted.move(first, second, 7).move(second, first, 5)
        wanted.move(first, second, 4)
    return wanted


def two_groups():
    wanted = Expected()
    for rank in (1, 2, 3):
        wanted.move(0, rank, 5)                          # broadcast
        wanted.move(rank, 0, 2)                          # gathered
        wanted.move(0, rank, 1).move(rank, 0, 4)         # gathered by all
        wanted.move(0, rank, rank).move(rank, 0, rank)   # a vector
        wanted.move(0, rank, 1).move(rank, 0, 3)         # what each takes of the other group's sum
    return wanted


def neighbours():
    wanted = Expected()
    for rank in (0, 1, 2):
        for ints in (2, 3):
            wanted.move(rank, rank + 1, ints).move(rank + 1, rank, ints)
        wanted.move(rank, rank + 1, 2).move(rank + 1, rank, 1)
        wanted.move(0, rank + 1, 6).move(0, rank + 1, rank + 1)
    return wanted


def one_sided():
    wanted = Expected()
    for rank in FOUR:
        right, left = (rank + 1) % 4, (rank + 3) % 4
        wanted.move(rank, right, 10).move(rank, right, 1)   # put
        wanted.move(left, rank, 20)                         # got
        wanted.move(rank, right, 3)                         # accumulated
        wanted.move(rank, right, 4).move(right, rank, 4)    # and fetched
        wanted.move(right, rank, 5)                         # fetched only
        wanted.move(rank, right, 1).move(right, rank, 1)
        wanted.move(rank, right, 2).move(right, rank, 1)    # compared and swapped
    return wanted


def persistent():
    wanted = Expected().among(FOUR, given)
    for rank in (0, 1, 3):
        wanted.move(2, rank, 8)
    return wanted


PHASES = [messages, one_to_all, all_to_one, all_to_all, vectors, scattered_and_prefixes, halves, two_groups, neighbours,
          one_sided, persistent, Expected]
KINDS = {messages: {"message"}, one_sided: {"put", "get", "atomic"}, Expected: set()}


def traces(folder):
    for mpi in story.mpis():
        program = mpi.compile(os.path.join(HERE, "exchange", "traffic.c"), os.path.join(folder, mpi.name), "-w")
        yield mpi, program


def test_matrices_known_by_hand(folder):
    for mpi, program in traces(folder):
        trace = os.path.join(folder, f"{mpi.name}.trace")
        run = story.record(trace, mpi.command(4, program))
        assert run.returncode == 0, run.stderr
        whole = collections.Counter()
        for number, family in enumerate(PHASES):
            found = tree(trace, "--phase", str(number + 10))
            wanted = dict(family().pairs)
            assert matrix(found) == wanted, (mpi.name, family.__name__, set(matrix(found).items()) ^ set(wanted.items()))
            assert {each["kind"] for each in found["kinds"]} == KINDS.get(family, {"collective"}), family.__name__
            whole.update({pair: moved for pair, (_, moved) in wanted.items()})
            for key in ("lost", "counted", "incomplete", "stopped_ns"):
                assert found["recording"][key] == 0, (mpi.name, key)
            assert not found["elsewhere"]["messages"] and not found["recording"]["unplaced"]["messages"], family.__name__
        found = tree(trace)
        assert {pair: moved for pair, (_, moved) in matrix(found).items()} == whole, mpi.name
        assert not found["warnings"], found["warnings"]
        by_phase = {each["name"]: each for each in found["phases"]}
        assert by_phase["10"]["received"] == [sum(b for (_, to), (_, b) in messages().pairs.items() if to == place)
                                              for place in FOUR]
        by_kind = {each["kind"]: each["bytes"] for each in found["kinds"]}
        assert by_kind["put"] == 4 * 11 * INT and by_kind["get"] == 4 * 20 * INT
        assert by_kind["atomic"] == 4 * (3 + 4 + 4 + 5 + 1 + 1 + 2 + 1) * INT
        assert {each["type"] for each in found["types"]} == {"", "tag 1", "tag 2", "tag 3", "tag 4"}
        names = {each["function"] for each in found["functions"]}
        assert {"MPI_Send_init", "MPI_Ssend", "MPI_Sendrecv", "MPI_Rput", "MPI_Scatterv"} <= names
        assert all(each["file"].endswith("traffic.c") and each["line"] > 0 for each in found["sites"]), found["sites"]
        recording = found["recording"]
        assert recording["recorded"] == 4 and 0 < recording["cost_ns"] < recording["total_ns"]
        look_at_text(trace, found)
        look_at_csv(trace, found)


def look_at_text(trace, found):
    text = exchange(trace)
    assert "4 ranks" in text and "Bytes from each rank (row) to each (column)" in text
    for place, moved in enumerate(found["received"]):
        assert f"Rank {place} received {moved} bytes\n" in text, text
    for words in ("Imbalance: rank ", "Heaviest pairs", "at ", "traffic.c:", "  cost ", " each: "):
        assert words in text, (words, text)
    pairs = {(each["from"], each["to"]): each["messages"] for each in found["pairs"]}
    rows = exchange(trace, "--messages").split("Messages from each rank (row) to each (column)\n")[1].splitlines()[1:5]
    figures = [[int(figure) if figure != "." else 0 for figure in row.split()[1:]] for row in rows]
    assert figures == [[pairs.get((from_, to), 0) for to in FOUR] for from_ in FOUR], figures
    tables = exchange(trace, "--by", "size,time", "--by", "phase", "--slots", "3")
    assert "By size of a message" in tables and "Over time" in tables and "By phase" in tables
    assert len(tables.split("Over time\n")[1].split("\n\n")[0].splitlines()) == 1 + 3
    assert "Received" not in tables


def look_at_csv(trace, found):
    rows = list(csv.DictReader(io.StringIO(exchange(trace, "--csv"))))
    assert sum(int(row["bytes"]) for row in rows) == found["bytes"]
    assert sum(int(row["messages"]) for row in rows if row["kind"] == "get") == 4
    assert {row["called"] for row in rows} == {each["function"] for each in found["functions"]}
    rows = list(csv.DictReader(io.StringIO(exchange(trace, "--csv", "--by", "place"))))
    assert [int(row["bytes"]) for row in rows] == found["received"]
    for by in ("kind", "function", "type", "site", "size", "time", "phase", "node", "pair"):
        rows = list(csv.DictReader(io.StringIO(exchange(trace, "--csv", "--by", by))))
        assert sum(int(row["bytes"]) for row in rows) == found["bytes"], by


def test_what_was_not_recorded_is_told(folder):
    source = story.write(folder, "many.c", """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, data[1024] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 500; i++) {
        if (rank == 0)
            MPI_Send(data, 1 + i % 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Reduce(data, data + 512, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Pcontrol(0);
    MPI_Bcast(data, 1024, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Finalize();
}
""")
    for mpi in story.mpis():
        program = mpi.compile(source, os.path.join(folder, mpi.name))
        whole, sampled = (os.path.join(folder, mpi.name + name) for name in (".whole", ".sampled"))
        story.record(whole, mpi.command(2, program))
        story.record(sampled, mpi.command(2, program), "--sample", "10")
        found = tree(whole)
        assert matrix(found) == {(0, 1): (500, 250 * INT + 250 * 2 * INT), (1, 0): (500, 500 * INT)}, mpi.name
        assert found["recording"]["stopped_ns"] > 0 and "stopped" in exchange(whole)
        found = tree(sampled)
        # Who got the messages is known of all; of the reductions not who was the root.
        assert matrix(found) == {(0, 1): (500, 250 * INT + 250 * 2 * INT), (1, 0): (10, 10 * INT)}, (mpi.name, matrix(found))
        assert found["recording"]["unplaced"] == {"messages": 2 * 490, "bytes": 2 * 490 * INT}, found["recording"]
        text = exchange(sampled)
        assert "unplaced" in text and "--sample" in text, text


def test_coarrays(folder):
    """Image 1 puts 200 bytes into image 2, which gets 80 from image 3, which puts 4 into image 1; a sum of all."""
    source = story.write(folder, "images.f90", """
program images
  implicit none
  integer :: field(100)[*], copy(100), total
  field = this_image()
  sync all
  if (this_image() == 1) field(1:50)[2] = 7
  sync all
  if (this_image() == 2) copy(1:20) = field(1:20)[3]
  sync all
  if (this_image() == 3) field(1)[1] = 9
  total = this_image()
  call co_sum(total)
  sync all
end program
""")
    for mpi, launcher in zip(story.mpis(), ("cafrun.openmpi", "mpirun.mpich")):
        assert shutil.which("caf." + mpi.name), "OpenCoarrays is not installed: scripts/install-deps.sh"
        program = os.path.join(folder, mpi.name)
        built = story.run("caf." + mpi.name, "-g", "-O1", source, "-o", program)
        assert built.returncode == 0, built.stderr
        trace = os.path.join(folder, mpi.name + ".trace")
        story.record(trace, [launcher, "-n", "3", program])
        found = tree(trace, "--kind", "put,get")
        assert matrix(found) == {(0, 1): (1, 200), (2, 1): (1, 80), (2, 0): (1, 4)}, (mpi.name, matrix(found))
        assert found["place"] == {"name": "image", "first": 1}
        found = tree(trace, "--function", "MPI_Allreduce")
        assert matrix(found) == {(a, b): (1, 4) for a in range(3) for b in range(3) if a != b}, mpi.name
        text = exchange(trace, "--kind", "put,get")
        assert "3 images" in text and "Images are numbered from 1" in text
        for words in ("Image 1 received 4 bytes", "Image 2 received 280 bytes", "Image 3 received 0 bytes"):
            assert words in text, text


def made(folder, ranks, events):
    """A trace of as many ranks, made without MPI."""
    trace = os.path.join(folder, f"made-{ranks}")
    build = os.path.dirname(os.path.abspath(story.WHYSLOW))
    knowledge = os.path.join(story.ROOT, "kb", "mpi")
    result = story.run(os.path.join(build, "bench", "make_trace"), trace, knowledge, ranks, events, "halo")
    assert result.returncode == 0, result.stderr
    return trace


def test_many_places(folder):
    text = exchange(made(folder, 64, 20000))
    title, rest = text.split("to each (column)\n", 1)
    rows = [line for line in rest.splitlines() if line.endswith("|")]
    assert len(rows) == 64 and all(len(row.split("|")[1]) == 64 for row in rows), rows[:3]
    # Halos with four neighbours: the same for all, so one sign, around the diagonal.
    assert all(set(row.split("|")[1]) == {" ", "@"} and row.count("@") == 4 for row in rows), rows[:3]
    assert "'@' is more than" in text and text.count(" received ") == 3 and "--by place" in text
    trace = made(folder, 1024, 50000)
    text = exchange(trace)
    rows = [line for line in text.splitlines() if line.endswith("|")]
    assert len(rows) == 64 and "each row and column is 16 ranks" in text, len(rows)
    assert rows[1].split()[0] == "16" and all(len(row.split("|")[1]) == 64 for row in rows)
    assert len(text.splitlines()) < 120 and max(map(len, text.splitlines())) <= 100
    found = tree(trace)
    assert found["places"] == 1024 and len(found["pairs"]) == 4096 and len(found["received"]) == 1024
    assert len(exchange(trace, "--by", "place").splitlines()) > 1024


def test_mistakes(folder):
    trace = made(folder, 4, 1000)
    for words, says in ((("--by", "functions"), "--by functions: did you mean function?"),
                        (("--by", "weather"), "it is one of kind, function, type"),
                        (("--kind", "put,gett"), "--kind gett: did you mean get?"),
                        (("--json", "--csv"), "--json and --csv: choose one"),
                        (("--csv", "--by", "kind,site"), "--csv writes one table"),
                        (("--bytes", "--messages"), "--bytes and --messages"),
                        (("--slots", "0"), "--slots wants a number from 1")):
        assert says in exchange(trace, *words, code=2), words
    assert "missing: the folder of a trace" in story.whyslow("exchange").stderr
    assert "nothing-there" in exchange(os.path.join(folder, "nothing-there"), code=3)
    foreign = os.path.join(folder, "foreign")
    os.makedirs(os.path.join(foreign, "ctf"))
    assert "trace.json" in exchange(foreign, code=3)
    story.write(foreign, "trace.json", '{"format": 2, "runtime": "weather", "uuid": "x"}')
    assert exchange(foreign, code=3)
    story.write(foreign, "trace.json", "{")
    assert "trace.json" in exchange(foreign, code=3)
    # A stream that ends in the midst of a record is read up to there, which is told.
    stream = os.path.join(trace, "ctf", "rank-1.thread-0")
    with open(stream, "r+b") as file:
        file.truncate(os.path.getsize(stream) // 2)
    text = exchange(trace)
    assert "warning: " in text and "rank 1" in text, text
    os.remove(stream)
    found = tree(trace)
    assert any("rank 1" in warning for warning in found["warnings"]) and found["recording"]["recorded"] == 3
    assert found["sent"][1] == 0 and found["sent"][0] > 0
    assert "moved anything" in exchange(trace, "--kind", "get")
    assert story.whyslow("exchange", "--help").stdout.startswith("whyslow exchange - show who sent how much to whom")
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert story.whyslow("exchange", trace, stdout=full).returncode == 4


if __name__ == "__main__":
    story.main()
