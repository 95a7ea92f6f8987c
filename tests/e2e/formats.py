"""Strict readers of what Whyslow exports, written from the formats' own documents and from nothing of Whyslow's.  Each
raises AssertionError at the first thing that its format does not allow, and gives back what a viewer would see."""
import csv
import json


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
