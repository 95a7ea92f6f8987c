"""A second, independent reader of the recorder's stream files: what the tests of the recorder look at.

`read(folder)` gives the records of every stream in their order, as dicts: `kind` (the record's name in
trace.json; process_begin, process_end, define_site, define_comm, define_window), `rank`, `thread`, `end`, `duration`, `function`, `site`, `call`
and the fields.
"""
import glob
import json
import os
import struct

PACKET_BYTES = 1 << 18
HEADER = struct.Struct("<I16sIQQQQQIII")
RECORD = struct.Struct("<HQQHII")
FIRST = 8
FORMATS = {"int": "i", "uint": "I", "long": "q", "bytes": "Q", "real": "d", "time": "q", "bool": "B", "string": "s",
           "rank": "i", "comm_rank": "i", "comm": "I", "window": "I", "request": "Q"}
OWN = [
    ("process_begin", [("pid", "I"), ("size", "I"), ("cost_ps", "Q"), ("host", "s"), ("library", "s"), ("executable", "s")]),
    ("process_end", [("flush_ns", "Q")]),
    ("define_site", [("id", "I"), ("offset", "Q"), ("module", "s")]),
    ("define_comm", [("id", "I"), ("size", "I"), ("members", "*")]),
    ("define_window", [("id", "I"), ("comm", "I")]),
]


def kinds(schema):
    table = dict(enumerate(OWN))
    for index, record in enumerate(schema["records"]):
        fields = [(field["name"], FORMATS[field["format"]]) for field in record["fields"]]
        table[FIRST + index] = (record["name"], fields)
    return table


def field(data, at, code, record):
    if code == "s":
        end = data.index(b"\0", at)
        return data[at:end].decode(errors="replace"), end + 1
    if code == "*":
        end = at + 4 * record["size"]
        return list(struct.unpack(f"<{record['size']}i", data[at:end])), end
    size = struct.calcsize("<" + code)
    return struct.unpack("<" + code, data[at:at + size])[0], at + size


def packet(data, schema, table):
    """The records of one packet, checked against its header."""
    (magic, uuid, stream, begin, last, content, bits, discarded, rank, thread, sequence) = HEADER.unpack_from(data)
    assert magic == 0xC1FC1FC1 and stream == 0, "not a packet"
    assert uuid.hex() == schema["uuid"].replace("-", ""), "of another trace"
    assert content % 8 == 0 and content <= bits, (content, bits)
    at, end, previous = HEADER.size, content // 8, begin
    assert end <= len(data)
    while at < end:
        kind, stamp, duration, function, site, call = RECORD.unpack_from(data, at)
        at += RECORD.size
        name, fields = table[kind]
        record = {"kind": name, "rank": rank, "thread": thread, "end": stamp, "duration": duration,
                  "function": schema["functions"][function] if kind >= FIRST else "", "site": site, "call": call,
                  "lost": discarded}
        for key, code in fields:
            record[key], at = field(data, at, code, record)
        assert begin <= stamp <= last and stamp >= previous, "time runs backwards"
        previous = stamp
        yield record
    assert at == end, "the last record is cut"


def read(folder):
    with open(os.path.join(folder, "trace.json"), encoding="utf-8") as file:
        schema = json.load(file)
    table, records = kinds(schema), []
    for path in sorted(glob.glob(os.path.join(folder, "ctf", "rank-*"))):
        with open(path, "rb") as file:
            data = file.read()
        for sequence, at in enumerate(range(0, len(data), PACKET_BYTES)):
            part = data[at:at + PACKET_BYTES]
            assert HEADER.unpack_from(part)[-1] == sequence, "packets out of order"
            records += packet(part, schema, table)
    return records


if __name__ == "__main__":
    import sys
    for each in read(sys.argv[1]):
        print({key: value for key, value in each.items() if key not in ("lost",)})
