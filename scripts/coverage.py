#!/usr/bin/env python3
"""Which functions of MPI and OpenSHMEM are recorded, and as what: prints docs/coverage.md from the knowledge base.

    scripts/coverage.py > docs/coverage.md

What is recorded stands in the trace rules (kb/mpi/*.xml); for every other function kb/mpi/not-recorded gives the reason;
the same in kb/shmem.
"""
import copy
import fnmatch
import glob
import os
import re
import xml.etree.ElementTree as xml

KB = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kb")
TYPES = sorted("""float double longdouble complexf complexd char schar short int long longlong uchar ushort uint ulong
    ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff""".split(), key=len, reverse=True)

ROLES = {  # of events without a type of their own
    "completion": "the end of what a request stands for", "restart": "another start of a persistent request",
    "release": "the end of a request that nobody waits for", "continuation": "a message's receive, by a request",
}
STARTS = {"start": ", started", "init": ", made persistent"}
KINDS = {"pattern": "", **STARTS}


def with_word(element, name, word):
    made = copy.deepcopy(element)
    for each in made.iter():
        each.attrib = {key: value.replace("{" + name + "}", word) for key, value in each.attrib.items()}
        each.text = each.text and each.text.replace("{" + name + "}", word)
    return made


def expanded(element):
    """With what each <for> holds once for each of its words."""
    children = []
    for child in list(element):
        if child.tag == "for":
            for word in child.get("in").split():
                children += expanded(with_word(child, child.get("each"), word))
        else:
            children.append(child)
    return children


def files(runtime="mpi"):
    found = []
    for path in sorted(glob.glob(os.path.join(KB, runtime, "*.xml"))):
        root = xml.parse(path).getroot()
        root[:] = expanded(root)
        found.append(root)
    return found


def prototypes(runtime):
    """Name to the C declaration, as the rules have it."""
    known = {}
    for root in files(runtime):
        for function in root.iter("function"):
            result, arguments = known.get(function.get("like"), ("int", []))
            own = [(each.get("type"), each.get("name"), each.get("first")) for each in function.iter("argument")]
            arguments = ([each for each in own if each[2]] + arguments + [each for each in own if not each[2]])
            result = next((each.get("type") for each in function.iter("retVal")), result)
            known[function.get("name")] = result, [(kind, name, None) for kind, name, _ in arguments]
    return {name: f"{result} {name}({', '.join(f'{kind} {argument}' for kind, argument, _ in arguments) or 'void'});"
            for name, (result, arguments) in known.items()}


def functions(runtime="mpi"):
    """The declared functions: name to (the standard that has it, the function whose large-count twin it is)."""
    found = {}
    for root in files(runtime):
        for function in root.iter("function"):
            name, large = function.get("name"), function.get("large")
            since = "MPI-4.0" if function.get("optional") == "yes" else "MPI-3.1"
            if name.startswith("MPIX_"):
                since = "Open MPI 4.1, as it has " + name.replace("MPIX_", "MPI_", 1)
            found[name] = (since, None)
            if large:
                found[large] = ("MPI-4.0", name)
    return found


def hooked(runtime="mpi"):
    """Functions that are wrapped whether a rule names them or not."""
    names = [helper.get("name") for root in files(runtime) for helper in root.iter("helper")]
    guarded = {function.get("name") for root in files(runtime) for function in root.iter("function")
               if function.get("guarded") == "yes"}
    return guarded | {name.split("_", 2)[2] for name in names if name.startswith(("ws_before_", "ws_after_"))}


def matches(pattern, name):
    return any(fnmatch.fnmatchcase(name, each.strip()) for each in pattern.split("|"))


def recorded(runtime="mpi"):
    """Function to what it is recorded as: a list of words for people."""
    known, found = functions(runtime), {}
    for root in files(runtime):
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


def reasons(runtime="mpi"):
    """Function to the reason for which it is not recorded."""
    found, reason = {}, None
    with open(os.path.join(KB, runtime, "not-recorded"), encoding="utf-8") as file:
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


def family(name):
    """The name with what differs within its family left open, and what this one has there."""
    for pattern, place in ((rf"(?<=_)({'|'.join(TYPES)})(?=_)", "TYPE"), (r"(?<=[a-z])(8|16|32|64|128)(?=$|_nbi)", "SIZE")):
        if re.search(pattern, name):
            return re.sub(pattern, place, name, count=1), re.search(pattern, name).group()
    return name, ""


def not_recorded_lines(not_recorded):
    lines = []
    for reason in dict.fromkeys(not_recorded.values()):
        names = sorted(name for name, why in not_recorded.items() if why == reason)
        lines += ["", f"**{reason}**", "", ", ".join(f"`{name}`" for name in names)]
    return lines


def shmem_lines():
    """By families; those that take a context are told of with those that take none."""
    rules, families = recorded("shmem"), {}
    for name in rules:
        plain = name.replace("shmem_ctx_", "shmem_") if name.replace("shmem_ctx_", "shmem_") in rules else name
        shown, word = family(plain)
        words, contexts = families.setdefault((shown, "; ".join(rules[name])), (set(), set()))
        words.add(word)
        contexts.add(plain != name)
    lines = ["", "# OpenSHMEM", "",
             "TYPE: a type's name as in the specification (`longlong`, `uint32`); SIZE: of an element, in bits. \"ctx\": with a context",
             "(`shmem_ctx_…`) too. `shmemx_`: of Open MPI. The C functions, and with them the generic macros; Fortran's are not recorded.",
             "", "| function | types, sizes | recorded as |", "| --- | --- | --- |"]
    for (shown, what), (words, contexts) in sorted(families.items()):
        every = sorted(words - {""}, key=lambda word: (len(word), word) if word.isdigit() else (0, word))
        lines.append(f"| `{shown}`{', ctx' if len(contexts) > 1 else ''} | {' '.join(every)} | {what} |")
    return lines + ["", "**Not recorded**"] + not_recorded_lines(reasons("shmem"))


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
    lines += ["", "## Not recorded"] + not_recorded_lines(not_recorded) + shmem_lines()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
