"""Strict readers of what Whyslow exports, written from the formats' own documents and from nothing of Whyslow's.  Each
raises AssertionError at the first thing that its format does not allow, and gives back what a viewer would see."""
import csv
import json
import os
import re


def read_csv(path):
    """RFC 4180 in UTF-8: a list of dictionaries, numbers still text, absent values ""."""
    with open(path, encoding="utf-8", errors="strict", newline="") as file:
        text = file.read()
    assert text.endswith("\r\n")
    rows = list(csv.reader(text.splitlines(keepends=True), strict=True))
    header = rows[0]
    assert len(set(header)) == len(header), "two columns of one name"
    for row in rows:
        assert len(row) == len(header), row
    return [dict(zip(header, row)) for row in rows[1:]]


# "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
METADATA = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}


def read_chrome(path):
    """The object form: its events, those of phase X with `end`, and arrows as pairs of slices."""
    with open(path, encoding="utf-8", errors="strict") as file:
        root = json.load(file, parse_constant=lambda word: (_ for _ in ()).throw(AssertionError(word)),
                         object_pairs_hook=no_twins)
    assert root["displayTimeUnit"] in ("ms", "ns")
    slices, starts, finishes, names = [], {}, {}, {}
    for event in root["traceEvents"]:
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int) and isinstance(event["name"], str)
        phase = event["ph"]
        if phase == "M":
            value = event["args"][METADATA[event["name"]]]
            assert isinstance(value, int if event["name"].endswith("index") else str)
            names[event["name"], event["pid"], event["tid"]] = value
            continue
        assert isinstance(event["cat"], str) and isinstance(event["ts"], (int, float))
        if phase == "X":
            assert event["dur"] >= 0 and isinstance(event["args"], dict)
            slices.append(dict(event, end=event["ts"] + event["dur"]))
        elif phase == "s":
            assert event["id"] not in starts, "an arrow leaves twice"
            starts[event["id"]] = event
        else:
            assert phase == "f" and event["bp"] == "e", event
            assert event["id"] not in finishes, "an arrow arrives twice"
            finishes[event["id"]] = event
    tracks = {}
    for one in slices:
        tracks.setdefault((one["pid"], one["tid"]), []).append(one)
    for track, its in tracks.items():
        assert ("thread_name", *track) in names
        its.sort(key=lambda one: (one["ts"], -one["dur"]))
        for before, after in zip(its, its[1:]):
            # As nanoseconds: the sum of two decimal fractions is a little off.
            assert round(after["ts"] * 1000) >= round(before["end"] * 1000), (before, after)
    arrows = [(around(tracks, starts[name]), around(tracks, finish)) for name, finish in finishes.items()]
    return {"slices": slices, "arrows": arrows, "left": len(starts), "names": names, "other": root["otherData"]}


def no_twins(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def around(tracks, arrow):
    """The slice that an arrow's end binds to."""
    its = [one for one in tracks[arrow["pid"], arrow["tid"]] if one["ts"] <= arrow["ts"] + 1e-6
           and (arrow["ts"] < one["end"] - 1e-6 or one["dur"] == 0)]
    assert its, arrow
    return its[-1]


# Protocol buffers, https://protobuf.dev/programming-guides/encoding/
def fields(message):
    """The fields of a message in their order: number, wire type, value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            assert shift <= 70
            if byte < 128:
                return value & (1 << 64) - 1

    while at < len(message):
        key = varint()
        number, wire = key >> 3, key & 7
        assert number > 0
        if wire == 0:
            yield number, wire, varint()
        elif wire == 1:
            yield number, wire, int.from_bytes(message[at:at + 8], "little")
            at += 8
        else:
            assert wire == 2, wire
            length = varint()
            assert at + length <= len(message)
            yield number, wire, message[at:at + length]
            at += length
    assert at == len(message)


WIRE_TYPES = {"int": 0, "signed": 0, "bool": 0, "fixed": 1, "double": 1, "text": 2}


def one_of_each(message, known):
    """A message as a dictionary: `known` gives name and kind by field number; a kind in a list may come several times."""
    found = {}
    for number, wire, value in fields(message):
        name, kind = known[number]
        several = isinstance(kind, list)
        kind = kind[0] if several else kind
        assert wire == (WIRE_TYPES[kind] if isinstance(kind, str) else 2), (name, wire)
        if kind == "text":
            value = value.decode("utf-8", errors="strict")
        elif kind == "signed":
            value -= (value >> 63) << 64
        elif isinstance(kind, dict):
            value = one_of_each(value, kind)
        if several:
            found.setdefault(name, []).append(value)
        else:
            assert name not in found, name
            found[name] = value
    return found


# perfetto/protos/perfetto/trace: trace_packet.proto, track_event/*.proto, interned_data/interned_data.proto
ANNOTATION = {1: ("name", "int"), 2: ("bool", "bool"), 4: ("int", "signed"), 5: ("double", "double"), 6: ("text", "text")}
ANNOTATION[11] = ("entries", [ANNOTATION])
NAMED = [{1: ("iid", "int"), 2: ("name", "text")}]
PACKET = {
    8: ("timestamp", "int"), 10: ("sequence", "int"), 13: ("flags", "int"),
    11: ("event", {3: ("categories", ["int"]), 4: ("annotations", [ANNOTATION]), 9: ("type", "int"), 10: ("name", "int"),
                   11: ("track", "int"), 34: ("location", "int"), 47: ("flows", ["fixed"]), 48: ("ends", ["fixed"])}),
    12: ("interned", {1: ("categories", NAMED), 2: ("names", NAMED), 3: ("annotations", NAMED),
                      4: ("locations", [{1: ("iid", "int"), 2: ("file", "text"), 3: ("function", "text"), 4: ("line", "int")}])}),
    60: ("descriptor", {1: ("uuid", "int"), 2: ("name", "text"), 5: ("parent", "int"),
                        3: ("process", {1: ("pid", "int"), 6: ("name", "text")}),
                        4: ("thread", {1: ("pid", "int"), 2: ("tid", "int"), 5: ("name", "text")})}),
}


def read_perfetto(path):
    """The slices with their tracks, names and annotations resolved, and arrows as pairs of slices."""
    with open(path, "rb") as file:
        packets = [one_of_each(packet, PACKET) for number, wire, packet in fields(file.read()) if number == 1]
    tracks, events = {}, []
    interned = {"categories": {}, "names": {}, "annotations": {}, "locations": {}}
    assert packets[0]["flags"] == 1  # the incremental state begins here
    for packet in packets:
        assert packet["sequence"] == packets[0]["sequence"]
        for kind, entries in packet.get("interned", {}).items():
            for entry in entries:
                assert entry["iid"] > 0 and entry["iid"] not in interned[kind]
                interned[kind][entry["iid"]] = entry
        if "descriptor" in packet:
            track = packet["descriptor"]
            assert track["uuid"] not in tracks and (track.get("parent") is None or track["parent"] in tracks)
            tracks[track["uuid"]] = track
        if "event" in packet:
            events.append(dict(packet["event"], ns=packet["timestamp"], flags=packet["flags"]))
    name = lambda kind, iid: interned[kind][iid]["name"]

    def annotation(entry):
        value = [entry[key] for key in ("bool", "int", "double", "text", "entries") if key in entry]
        assert len(value) <= 1
        value = value[0] if value else []
        return name("annotations", entry["name"]), dict(map(annotation, value)) if isinstance(value, list) else value

    slices, open_slices, starts, arrows = [], {}, {}, []
    # What the importer does: a stable sort by time, then begins and ends of a track pair.
    for event in sorted(events, key=lambda event: event["ns"]):
        assert event["track"] in tracks and event["flags"] in (1, 2)
        stack = open_slices.setdefault(event["track"], [])
        if event["type"] == 1:
            place = interned["locations"].get(event.get("location", 0), {})
            stack.append(dict(track=tracks[event["track"]], ns=event["ns"], name=name("names", event["name"]),
                              category=name("categories", event["categories"][0]), place=place,
                              annotations=[annotation(entry) for entry in event.get("annotations", [])]))
            slices.append(stack[-1])
        else:
            assert event["type"] == 2 and stack, event
            stack[-1]["end"] = event["ns"]
        for flow in event.get("flows", []):
            assert flow not in starts
            starts[flow] = stack[-1]
        for flow in event.get("ends", []):
            arrows.append((starts[flow], stack[-1]))  # it has begun before: else there is no arrow
        if event["type"] == 2:
            stack.pop()
    assert not any(open_slices.values()), "each slice ends"
    pids = [track["process"]["pid"] for track in tracks.values() if "process" in track]
    tids = [track["thread"]["tid"] for track in tracks.values() if "thread" in track]
    assert len(set(pids)) == len(pids) and len(set(tids)) == len(tids) and 0 not in pids
    return {"slices": slices, "arrows": arrows, "left": len(starts), "tracks": tracks}


# "Paraver: parallel program visualization and analysis tool. Traceformat description", BSC
def read_paraver(folder):
    """Header, states, events, messages; labels of the .pcf; lines of the .row.  All in the order of time."""
    (prv,) = [name for name in os.listdir(folder) if name.endswith(".prv")]
    stem = os.path.join(folder, prv[:-4])
    with open(stem + ".prv", encoding="ascii") as file:
        lines = file.read().split("\n")
    assert lines.pop() == ""
    header = re.fullmatch(r"#Paraver \((\d\d/\d\d/\d{4}) at (\d\d:\d\d)\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\),(\d+)",
                          lines[0])
    assert header, lines[0]
    cpus = list(map(int, header[5].split(",")))
    tasks = [tuple(map(int, task.split(":"))) for task in header[7].split(",")]
    assert len(cpus) == int(header[4]) and len(tasks) == int(header[6])
    assert all(threads >= 1 and 1 <= node <= len(cpus) for threads, node in tasks)
    comms = {}
    for line in lines[1:1 + int(header[8])]:
        word, application, number, size, *members = line.split(":")
        assert word == "c" and application == "1" and int(size) == len(members) and int(number) not in comms
        comms[int(number)] = [int(member) - 1 for member in members]
        assert all(1 <= int(member) <= len(tasks) for member in members)
    result = {"end": int(header[3]), "comms": comms, "states": [], "events": [], "messages": [], "tasks": tasks}
    last = 0

    def place(words):
        cpu, application, task, thread = map(int, words)
        assert 1 <= cpu <= sum(cpus) and application == 1 and 1 <= task <= len(tasks) and 1 <= thread <= tasks[task - 1][0]
        return task - 1, thread - 1

    for line in lines[1 + int(header[8]):]:
        words = line.split(":")
        where, moment = place(words[1:5]), int(words[5])
        assert last <= moment <= result["end"], line
        last = moment
        if words[0] == "1":
            assert len(words) == 8 and moment < int(words[6]) <= result["end"]
            result["states"].append((*where, moment, int(words[6]), int(words[7])))
        elif words[0] == "2":
            values = list(map(int, words[6:]))
            assert values and len(values) % 2 == 0
            result["events"].append((*where, moment, dict(zip(values[::2], values[1::2]))))
            assert len(result["events"][-1][3]) == len(values) // 2, line
        else:
            assert words[0] == "3" and len(words) == 15, line
            receiver = place(words[7:11])
            sent, received = (int(words[5]), int(words[6])), (int(words[11]), int(words[12]))
            result["messages"].append((where[0], receiver[0], sent, received, int(words[13]), int(words[14])))
    result["labels"] = read_pcf(stem + ".pcf")
    result["rows"] = read_row(stem + ".row")
    return result


def read_pcf(path):
    """Names by event type and value; those of states have type 0."""
    labels, kind, types = {}, None, []
    with open(path, encoding="utf-8", errors="strict", newline="\n") as file:
        for line in file.read().split("\n"):
            if line in ("STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES", "DEFAULT_OPTIONS", "DEFAULT_SEMANTIC"):
                kind = line
                types = [] if kind == "EVENT_TYPE" else types
            elif not line:
                continue
            elif kind == "STATES":
                number, name = line.split(maxsplit=1)
                labels[0, int(number)] = name
            elif kind == "STATES_COLOR":
                assert re.fullmatch(r"\d+ +\{\d+,\d+,\d+\}", line), line
            elif kind == "EVENT_TYPE":
                gradient, number, name = line.split(maxsplit=2)
                assert gradient == "0" and int(number) not in {one for one, _ in labels}
                types.append(int(number))
                labels[int(number), None] = name
            elif kind == "VALUES":
                number, name = re.fullmatch(r"(\d+) +(.*)", line).groups()
                for one in types:
                    assert (one, int(number)) not in labels
                    labels[one, int(number)] = name
            else:
                assert kind in ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC"), line
    return labels


def read_row(path):
    rows = {}
    with open(path, encoding="utf-8", errors="strict", newline="\n") as file:
        lines = iter(file.read().split("\n"))
    for line in lines:
        if not line:
            continue
        level, size = re.fullmatch(r"LEVEL (CPU|NODE|TASK|THREAD) SIZE (\d+)", line).groups()
        rows[level] = [next(lines) for _ in range(int(size))]
    return rows
