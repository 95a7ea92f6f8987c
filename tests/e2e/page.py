"""Reads a page that `whyslow report` wrote (docs/page.md), as a browser would find its data."""
import base64
import bisect
import json
import re
import struct
import zlib

NO_PROBLEM, SMALL_PROBLEM = 255, 254


def block(text, tag):
    """The text of a script element: up to the first "</script", whatever stands around it."""
    begins = [found.end() for found in re.finditer(r"<script [^>]*%s[^>]*>" % re.escape(tag), text)]
    assert len(begins) == 1, f"{len(begins)} elements with {tag}"
    return text[begins[0] : re.compile("</script", re.IGNORECASE).search(text, begins[0]).start()]


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8", errors="strict", newline="") as file:
            self.text = file.read()
        data = block(self.text, 'id="ws-report"')
        assert not re.search("[<>&\u2028\u2029]", data)
        self.report = json.loads(data, parse_constant=self.no_number)
        self.timeline = self.report["timeline"]
        self.levels, self.columns, self.params = [], {}, {}
        self.read_sections(zlib.decompress(base64.b64decode(block(self.text, 'id="ws-timeline"'), validate=True)))
        self.starts = self.sum_gaps()

    @staticmethod
    def no_number(name):
        raise AssertionError(f"{name} in the page")

    def read_sections(self, data):
        at = 0
        while at < len(data):
            tag, length = data[at : at + 4].decode("ascii"), struct.unpack_from("<I", data, at + 4)[0]
            body = data[at + 8 : at + 8 + length]
            assert len(body) == length
            at += 8 + (length + 3) // 4 * 4
            if tag == "LEVL":
                self.add_level(body)
                continue
            values, kind, param = self.read_column(body)
            if tag == "PARM":
                self.params[kind, param] = values
            else:
                self.columns[tag] = values
        assert at == len(data)

    def add_level(self, body):
        level, rows, bins = struct.unpack_from("<III", body)
        assert level == len(self.levels) and bins == self.timeline["levels"][level]["bins"]
        cells = rows * bins
        planes = [body[12 + i * cells : 12 + (i + 1) * cells] for i in range(3)]
        assert all(len(plane) == cells for plane in planes)
        self.levels.append([[plane[row * bins : (row + 1) * bins] for plane in planes] for row in range(rows)])

    @staticmethod
    def read_column(body):
        base, count, width, kind, param = struct.unpack_from("<dIIII", body)
        if width == 255:
            return list(struct.unpack_from(f"<{count}d", body, 24)), kind, param
        planes = [body[24 + i * count : 24 + (i + 1) * count] for i in range(width)]
        values = [base + sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(count)]
        return values, kind, param

    def sum_gaps(self):
        starts, rows = [], [int(row) for row in self.columns["ROWS"]]
        for begin, end in zip(rows, rows[1:]):
            now = 0
            for gap in self.columns["GAPS"][begin:end]:
                now += gap
                starts.append(now)
        return starts

    def row(self, event):
        return bisect.bisect_right(self.columns["ROWS"], event) - 1

    def rank(self, event):
        return self.report["ranks"][self.row(event)]["rank"]

    def type(self, event):
        return self.timeline["types"][int(self.columns["TYPE"][event])]["name"]

    def function(self, event, tag="FUNC"):
        return self.timeline["functions"][int(self.columns[tag][event])]

    def site(self, event, tag="SITE"):
        return self.timeline["sites"][int(self.columns[tag][event])]

    def param(self, event, name):
        """The value of an event's parameter."""
        kind = int(self.columns["TYPE"][event])
        number = [param["name"] for param in self.timeline["types"][kind]["params"]].index(name)
        return self.params[kind, number][self.columns["TYPE"][:event].count(kind)]

    def share(self, level, row, plane):
        """Of the run, spent in calls (plane 0) or waiting (1)."""
        cells = self.levels[level][row][plane]
        return sum(cells) / 255 / len(cells)
