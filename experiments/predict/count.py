"""What a program does, counted: instructions by class, branch misses, misses of caches of eight sizes, input and output.

callgrind counts every instruction of a statically linked x86_64 program; objdump says which class each is of.  The misses
come from its cache simulation, how many of them are in sequence from its simulation of a hardware prefetcher.  Input
and output are what the kernel counted of the process.
"""
import collections
import os
import re
import subprocess
import tempfile

CLASSES = ("integer", "multiply", "divide", "float", "float_divide", "vector", "branches", "calls", "other")
# First level and last level that one run of callgrind simulates.
CACHES = ((8 << 10, 2 << 20), (32 << 10, 8 << 20), (128 << 10, 32 << 20), (512 << 10, 128 << 10))


def disassembled(binary):
    """Mnemonic and operands by address."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], capture_output=True, text=True,
                          check=True).stdout
    lines = (re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(.*)", line) for line in text.splitlines())
    return {int(line.group(1), 16): (line.group(2), line.group(3)) for line in lines if line}


def class_of(mnemonic, operands):
    if mnemonic in ("rep", "repz", "repnz", "lock", "notrack", "bnd", "data16", "cs") and operands:
        mnemonic, _, operands = operands.partition(" ")
    if mnemonic.startswith(("call", "ret")):
        return "calls"
    if mnemonic.startswith("j"):
        return "branches"
    if re.match(r"i?div[bwlq]?$", mnemonic):
        return "divide"
    if re.match(r"i?mul[bwlq]?$|mulx", mnemonic):
        return "multiply"
    if re.match(r"v?(div|sqrt)[sp][sd]$", mnemonic):
        return "float_divide"
    if re.match(r"v?(add|sub|mul|min|max|ucomi|comi)s[sd]$|v?cvt|v?fn?m(add|sub)\w+s[sd]$|f[a-z]+$", mnemonic):
        return "float"
    if re.match(r"v?mov", mnemonic) or mnemonic.startswith(("push", "pop", "nop", "endbr", "cmov", "xchg", "leave")):
        return "other"
    return "vector" if re.search(r"%[xyz]mm", operands) else "integer"


def by_class(executed, binary):
    """Counts by class.  callgrind counts a repeated string instruction once for each piece that it moves: here it is a
    vector instruction for each 32."""
    counts = collections.Counter()
    for address, numbers in executed.items():
        mnemonic, operands = binary.get(address, ("nop", ""))
        share = 1 / 32 if mnemonic.startswith("rep") and operands[:4] in ("movs", "stos") else 1
        for name, number in zip(("instructions", "loads", "stores"), numbers):
            counts[name] += round(number * share)
        counts["vector" if share < 1 else class_of(mnemonic, operands)] += round(numbers[0] * share)
    return counts


def callgrind(command, function, caches, out, *more):
    """Runs it; collects within `function` only (None: everywhere), gives the totals by event."""
    words = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", "--cache-sim=yes",
             f"--D1={caches[0]},8,64", f"--LL={caches[1]},{16 if caches[1] > 1 << 20 else 8},64", *more]
    if function:
        words += ["--collect-atstart=no", f"--toggle-collect={function}"]
    subprocess.run(words + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(out, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    events = next(line.split()[1:] for line in lines if line.startswith("events:"))
    numbers = next(line.split()[1:] for line in lines if line.startswith(("summary:", "totals:")))
    return collections.Counter(dict(zip(events, map(int, numbers)))), lines


def by_address(lines):
    """Instructions executed, loads and stores by address; the costs of callees, which follow a line "calls=", are their
    own."""
    counts = collections.defaultdict(lambda: [0, 0, 0])
    address, callee = 0, False
    for line in lines:
        if line.startswith("calls="):
            callee = True
            continue
        match = re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) \S+((?: \d+)*)", line)
        if not match:
            continue
        if match.group(1).startswith("0x"):
            address = int(match.group(1), 16)
        elif match.group(1) != "*":
            address += int(match.group(1))
        if not callee:
            for i, number in enumerate(match.group(2).split()[:3]):
                counts[address][i] += int(number)
        callee = False
    return counts


def io_of(command):
    """Calls and bytes of reading and writing, as the system counted them."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir())
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{process.pid}/io", encoding="ascii") as file:
        io = dict(line.split(": ") for line in file.read().splitlines())
    assert process.wait() == 0, command
    return {"reads": int(io["syscr"]), "writes": int(io["syscw"]), "read_bytes": int(io["rchar"]),
            "written_bytes": int(io["wchar"])}


def count(command, function=None):
    """The members "counts", "cache" and "io" of a run of PROGRAM.json."""
    binary = disassembled(command[0])
    misses = {}
    with tempfile.TemporaryDirectory(prefix="whyslow-count-") as folder:
        out = os.path.join(folder, "out")
        for first, last in CACHES[:3]:
            more = ["--dump-instr=yes", "--compress-pos=no", "--branch-sim=yes"] if first == CACHES[0][0] else []
            totals, lines = callgrind(command, function, (first, last), out, *more)
            misses[first] = totals["D1mr"] + totals["D1mw"]
            misses[last] = totals["DLmr"] + totals["DLmw"]
            if more:
                counts = by_class(by_address(lines), binary)
                counts["branch_misses"] = totals["Bcm"] + totals["Bim"]
        totals, _ = callgrind(command, function, CACHES[3], out, "--simulate-hwpref=yes")
        misses[CACHES[3][0]] = totals["D1mr"] + totals["D1mw"]
    left = totals["DLmr"] + totals["DLmw"]  # what the prefetcher of the last level did not foresee
    regular = min(max(1 - left / max(misses[128 << 10], 1), 0), 1)
    curve, least = [], None
    for size in sorted(misses):
        least = misses[size] if least is None else min(least, misses[size])
        curve.append({"size_bytes": size, "misses": least, "regular": int(least * regular)})
    names = (*CLASSES, "instructions", "loads", "stores", "branch_misses")
    return {"counts": {name: counts[name] for name in names}, "cache": {"line_bytes": 64, "curve": curve},
            "io": io_of(command)}
