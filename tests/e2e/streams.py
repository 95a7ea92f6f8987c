"""A second, independent reader of the recorder's stream files: what the tests of the recorder look at.

`read(folder)` gives the records of every stream in their order, as dicts: `kind` (the type and the role: "send",
"send_start", "recv_init"; for others the record's name in trace.json: "completion", "restart"; process_begin,
process_end, define_site, define_comm, define_window), `rank`, `thread`, `end`, `duration`, `function`, `site`, `call`
(counted from 1) and the fields, with communicators and windows by their identity.
"""
import glob
import json
import os
import struct

PACKET_BYTES = 1 << 18
HEADER = struct.Struct("<I16sIQQQQQQIIII")
BUILT_IN, TIGHT, COMPACT, FULL = (struct.Struct("<" + code) for code in ("BQ", "B3sHH", "B3s3sH", "BHQQIB"))
FIRST_SHORT, MOST_SHORT, FIRST_FULL, FULL_ID = 8, 82, 256, 255
# wide and narrow, or a number of unsigned bytes
FORMATS = {"int": "ih", "uint": "IH", "long": "qi", "bytes": "Q3", "real": "dd", "time": "qq", "bool": "BB", "string": "ss",
           "rank": "ih", "comm_rank": "ih", "comm": "IB", "window": "IB", "request": "QI"}
OWN = [
    ("process_begin", [("pid", "I"), ("size", "I"), ("cost_ps", "Q"), ("host", "s"), ("library", "s"), ("executable", "s")]),
    ("process_end", [("flush_ns", "Q")]),
    ("define_site", [("id", "I"), ("called", "H"), ("offset", "Q"), ("module", "s")]),
    ("define_comm", [("id", "I"), ("identity", "I"), ("first", "I"), ("size", "I"), ("members", "*")]),
    ("define_window", [("id", "I"), ("identity", "I"), ("comm", "I")]),
    ("clock", [("domain", "Q"), ("kernel_ns", "Q"), ("wall_ns", "Q"), ("error_ppb", "I")]),
    ("clock_offset", [("own_ns", "Q"), ("offset_ns", "q"), ("bound_ns", "Q")]),
]


def kind_of(record):
    ending = {"plain": "", "start": "_start", "init": "_init"}.get(record["role"])
    return record["name"] if ending is None else record["type"] + ending


def field(data, at, code, record):
    if code == "s":
        end = data.index(b"\0", at)
        return data[at:end].decode(errors="replace"), end + 1
    if code == "*":
        end = at + 4 * record["size"]
        return list(struct.unpack(f"<{record['size']}i", data[at:end])), end
    if code == "3":
        return int.from_bytes(data[at:at + 3], "little"), at + 3
    size = struct.calcsize("<" + code)
    return struct.unpack("<" + code, data[at:at + size])[0], at + size


class Stream:
    """What one stream has told so far."""

    def __init__(self, schema, known):
        self.schema, self.known = schema, known  # known: of the process's communicators and windows
        self.functions = dict(enumerate(schema["functions"]))  # by site
        self.call, self.previous, self.lost = 0, None, 0

    def head(self, data, at, last):
        """The record's kind (None: a built-in one), its header's values, whether it is short, where its fields are."""
        first, shorts = data[at], min(len(self.schema["records"]), MOST_SHORT)
        if first < FIRST_SHORT:
            _, end = BUILT_IN.unpack_from(data, at)
            return None, {"end": end, "duration": 0, "site": 0}, False, at + BUILT_IN.size
        if first == FULL_ID:
            _, kind, end, duration, site, follows = FULL.unpack_from(data, at)
            self.call += not follows
            return kind - FIRST_FULL, {"end": end, "duration": duration, "site": site}, False, at + FULL.size
        form, kind = divmod(first - FIRST_SHORT, shorts)
        if form == 2:
            return kind, {name: self.previous[name] for name in ("end", "duration", "site")}, True, at + 1
        _, low, duration, site = (TIGHT, COMPACT)[form].unpack_from(data, at)
        end = last + ((int.from_bytes(low, "little") - last) & 0xffffff)
        duration = duration if form == 0 else int.from_bytes(duration, "little")
        self.call += 1
        return kind, {"end": end, "duration": duration, "site": site}, True, at + (TIGHT, COMPACT)[form].size

    def record(self, data, at, last, high):
        first = data[at]
        kind, record, short, at = self.head(data, at, last)
        if kind is None:
            name, fields = OWN[first]
            record.update(kind=name, function="", call=0)
            for key, code in fields:
                record[key], at = field(data, at, code, record)
            if name == "define_site":
                self.functions[record["id"]] = self.schema["functions"][record["called"]]
            elif name in ("define_comm", "define_window"):
                self.known[name[7:], record["id"]] = record["identity"]
            return record, at
        description = self.schema["records"][kind]
        self.previous = record
        record.update(kind=kind_of(description), function=self.functions[record["site"]], call=self.call)
        for each in description["fields"]:
            name, form = each["name"], each["format"]
            if "constant" in each:
                record[name] = each["constant"]
                continue
            record[name], at = field(data, at, FORMATS[form][short], record)
            if form == "request" and short:
                record[name] |= high << 32
            if form in ("comm", "window"):
                record[name] = self.known.get((form, record[name]), record[name])
        return record, at

    def packet(self, data):
        """The records of one packet, checked against its header."""
        (magic, uuid, stream, begin, last, content, bits, discarded, _, rank, thread, _, high) = HEADER.unpack_from(data)
        assert magic == 0xC1FC1FC1 and stream == 0, "not a packet"
        assert uuid.hex() == self.schema["uuid"].replace("-", ""), "of another trace"
        assert content % 8 == 0 and content <= bits, (content, bits)
        at, end, now = HEADER.size, content // 8, begin
        assert end <= len(data)
        while at < end:
            record, at = self.record(data, at, now, high)
            assert begin <= record["end"] <= last and record["end"] >= now, "time runs backwards"
            now = record["end"]
            record.update(rank=rank, thread=thread, lost=discarded)
            yield record
        assert at == end, "the last record is cut"


def read(folder):
    with open(os.path.join(folder, "trace.json"), encoding="utf-8") as file:
        schema = json.load(file)
    records, known = [], {}
    for path in sorted(glob.glob(os.path.join(folder, "ctf", "rank-*"))):
        with open(path, "rb") as file:
            data = file.read()
        stream = Stream(schema, known.setdefault(os.path.basename(path).split(".")[0], {}))
        for sequence, at in enumerate(range(0, len(data), PACKET_BYTES)):
            part = data[at:at + PACKET_BYTES]
            assert HEADER.unpack_from(part)[-2] == sequence, "packets out of order"
            records += stream.packet(part)
    return records


def calls(folder):
    """Recorded calls of each stream, as its last packet counts them: (rank, thread) -> calls."""
    found = {}
    for path in glob.glob(os.path.join(folder, "ctf", "rank-*")):
        with open(path, "rb") as file:
            data = file.read()
        header = HEADER.unpack_from(data, (len(data) - 1) // PACKET_BYTES * PACKET_BYTES)
        found[header[9], header[10]] = header[8]
    return found


if __name__ == "__main__":
    import sys
    for each in read(sys.argv[1]):
        print({key: value for key, value in each.items() if key not in ("lost",)})
