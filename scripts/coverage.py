#!/usr/bin/env python3
"""Which functions of MPI are recorded, and as what: prints docs/coverage.md from the knowledge base.

    scripts/coverage.py > docs/coverage.md

What is recorded stands in the trace rules (kb/mpi/*.xml); for every other function kb/mpi/not-recorded gives the reason.
"""
import fnmatch
import glob
import os
import xml.etree.ElementTree as xml

KB = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kb", "mpi")

ROLES = {  # of events without a type of their own
    "completion": "the end of what a request stands for", "restart": "another start of a persistent request",
    "release": "the end of a request that nobody waits for", "continuation": "a message's receive, by a request",
}
STARTS = {"start": ", started", "init": ", made persistent"}
KINDS = {"pattern": "", **STARTS}


def files():
    return [xml.parse(path).getroot() for path in sorted(glob.glob(os.path.join(KB, "*.xml")))]


def functions():
    """The declared functions: name to (the standard that has it, the function whose large-count twin it is)."""
    found = {}
    for root in files():
        for function in root.iter("function"):
            name, large = function.get("name"), function.get("large")
            since = "MPI-4.0" if function.get("optional") == "yes" else "MPI-3.1"
            if name.startswith("MPIX_"):
                since = "Open MPI 4.1, as it has " + name.replace("MPIX_", "MPI_", 1)
            found[name] = (since, None)
            if large:
                found[large] = ("MPI-4.0", name)
    return found


def hooked():
    """Functions that are wrapped whether a rule names them or not."""
    names = [helper.get("name") for root in files() for helper in root.iter("helper")]
    guarded = {function.get("name") for root in files() for function in root.iter("function")
               if function.get("guarded") == "yes"}
    return guarded | {name.split("_", 2)[2] for name in names if name.startswith(("ws_before_", "ws_after_"))}


def matches(pattern, name):
    return any(fnmatch.fnmatchcase(name, each.strip()) for each in pattern.split("|"))


def recorded():
    """Function to what it is recorded as: a list of words for people."""
    known, found = functions(), {}
    for root in files():
        for point in root.iter("functionPoint"):
            for kind, ending in KINDS.items():
                if point.get(kind) is None:
                    continue
                for event in point.iter("event"):
                    what = ROLES.get(point.get("name")) or f"`{point.get('name')}`" + STARTS.get(
                        event.get("request"), ending)
                    for name, (_, twin_of) in known.items():
                        if matches(point.get(kind), twin_of or name):
                            found.setdefault(name, [])
                            if what not in found[name]:
                                found[name].append(what)
    return found


def reasons():
    """Function to the reason for which it is not recorded."""
    found, reason = {}, None
    with open(os.path.join(KB, "not-recorded"), encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            if line[0] not in " \t":
                reason = line.strip()
                continue
            for name in line.split():
                assert name not in found, f"{name} is listed twice"
                found[name] = reason
    return found


def table():
    known, rules, not_recorded = functions(), recorded(), reasons()
    lines = [
        "# Coverage: which functions of MPI are recorded", "",
        "Made by `scripts/coverage.py` from the knowledge base; the tests compare it with the headers of the MPIs at hand and with",
        "the recorders built for them. The events are described in [language.md](language.md#the-event-types-of-mpi). A function",
        "of a later standard is recorded where the MPI's `mpi.h` declares it. `_c`: the form for large counts, of MPI-4.0.",
        "", "## Recorded", "", "| function | since | recorded as |", "| --- | --- | --- |"]
    twins = {twin_of: name for name, (_, twin_of) in known.items() if twin_of}
    for name in sorted(rules, key=str.lower):
        since, twin_of = known[name]
        if twin_of:
            continue
        also = ", `_c`" if name in twins else ""
        lines.append(f"| `{name}`{also} | {since} | {'; '.join(rules[name])} |")
    lines += ["", "## Not recorded"]
    for reason in dict.fromkeys(not_recorded.values()):
        names = sorted(name for name, why in not_recorded.items() if why == reason)
        lines += ["", f"**{reason}**", "", ", ".join(f"`{name}`" for name in names)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
