#!/usr/bin/env python3
"""The experiment of docs/prediction.md: programs that no model was fitted to, estimated on targets that really differ.

    run.py WHYSLOW [--work DIR] [--quick] [STEP...]      steps: build counts times report (default: these)

The step kernels-data writes src/predict/data/kernels.json anew, which `whyslow predict` reads.

Targets that anyone can set up: the same machine without huge pages, under a CPU quota, and QEMU's user emulation of x86_64,
aarch64 and riscv64.  `counts` takes long but bears any load, since it counts; what was counted of the same binaries is
kept.  `times` wants the machine for itself.
"""
import argparse
import hashlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import subprocess
import sys
import time

import count
import evaluate

HERE = os.path.dirname(os.path.abspath(__file__))

# Five sizes each; the inner ones are left out in turn where other sizes are estimated.
PROGRAMS = {
    "product-double": (150, 210, 290, 380, 480),
    "product-int": (150, 210, 290, 380, 480),
    "lu": (180, 260, 370, 500, 680),
    "fft": (16384, 32768, 65536, 131072, 262144),
    "sort": (100000, 200000, 400000, 700000, 1200000),
    "join": (30000, 70000, 150000, 300000, 600000),
    "stencil": (40, 55, 75, 100, 130),
    "sparse": (10000, 25000, 50000, 100000, 200000),
    "text": (300000, 600000, 1000000, 1800000, 3000000),
    "compress": (300000, 600000, 1000000, 1800000, 3000000),
    "copy": (4000000, 8000000, 15000000, 25000000, 40000000),
}
# Compilers do not find the same loops fit for vectors on every architecture, and fuse multiplication and addition on some: then the
# counts of the one would not be those of the other.
FLAGS = ("-O2", "-fno-tree-vectorize", "-ffp-contract=off", "-static")
ARCHITECTURES = {"x86_64": "gcc", "aarch64": "aarch64-linux-gnu-gcc", "riscv64": "riscv64-linux-gnu-gcc"}


def log(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


# ---- build ----

def build(work):
    for architecture, compiler in ARCHITECTURES.items():
        if not shutil.which(compiler):
            log(f"{compiler} is missing: no {architecture} target")
            continue
        for name, source in (("kernels", "kernels.c"), ("programs", "programs/programs.c")):
            subprocess.run([compiler, *FLAGS, os.path.join(HERE, source), "-o",
                            os.path.join(work, f"{name}.{architecture}"), "-lm"], check=True)


def binary(work, name, architecture="x86_64"):
    return os.path.join(work, f"{name}.{architecture}")


# ---- counts ----

def count_one(task):
    key, command, function = task
    return key, count.count(command, function)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def counted(work, name, tasks):
    """The counts of these tasks by key; those of the same binary are kept in counts-NAME.json."""
    path = os.path.join(work, f"counts-{name}.json")
    kept = {"digest": digest(binary(work, name)), "counts": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            old = json.load(file)
        if old["digest"] == kept["digest"]:
            kept = old
    left = [task for task in tasks if task[0] not in kept["counts"]]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for number, (key, counts) in enumerate(pool.imap_unordered(count_one, left), 1):
            kept["counts"][key] = counts
            with open(path + ".tmp", "w", encoding="utf-8") as file:
                json.dump(kept, file)
            os.replace(path + ".tmp", path)
            log(f"{name}: {number} of {len(left)} counted ({key})")
    return {task[0]: kept["counts"][task[0]] for task in tasks}


def kernel_names(work):
    return subprocess.run([binary(work, "kernels")], capture_output=True, text=True, check=True).stdout.split()


def count_kernels(work):
    """kernels.json: what the kernels do, as `whyslow predict --kernels` wants it."""
    tasks = [(name, [binary(work, "kernels"), name], name) for name in kernel_names(work)]
    counts = counted(work, "kernels", tasks)
    write_kernels(os.path.join(work, "kernels.json"), counts)


def write_kernels(path, counts):
    lines = [json.dumps({"name": name, **counts[name]}) for name in counts]
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"format": 1, "kind": "whyslow-kernels", "kernels": [\n' + ",\n".join(lines) + "\n]}\n")


def count_programs(work, sizes):
    tasks = [(f"{name} {size}", [binary(work, "programs"), name, str(size)], None)
             for name, chosen in sizes.items() for size in chosen]
    return counted(work, "programs", sorted(tasks, key=lambda task: int(task[0].split()[1])))


# ---- nodes ----

HUGE = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}  # malloc asks for huge pages where the system gives them on demand


class Node:
    def __init__(self, name, what, architecture="x86_64", emulator=None, huge=False, quota=False):
        self.name, self.what, self.architecture = name, what, architecture
        self.emulator, self.huge, self.quota = emulator, huge, quota

    def missing(self, work):
        """What this machine lacks for it; None: nothing."""
        if self.emulator and not shutil.which(self.emulator):
            return self.emulator
        if not os.path.exists(binary(work, "kernels", self.architecture)):
            return ARCHITECTURES[self.architecture]
        if self.quota and not quota_group():
            return "a control group with a quota (root)"
        return None

    def run(self, work, program, *words):
        command = [binary(work, program, self.architecture), *words]
        if self.emulator:
            command.insert(0, self.emulator)
        environment = dict(os.environ, **HUGE) if self.huge else os.environ
        groups = quota_group() if self.quota else None
        if groups:
            enter_group(groups[0])
        try:
            return subprocess.run(command, env=environment, cwd=work, capture_output=True, text=True, check=True).stdout
        finally:
            if groups:
                enter_group(groups[1])


NODES = [
    Node("reference", "this machine, huge pages on", huge=True),
    Node("small-pages", "the same, huge pages off"),
    Node("quota", "the same, half a core's time (CPU quota)", huge=True, quota=True),
    Node("quota-small-pages", "both", quota=True),
    Node("qemu-x86_64", "QEMU user emulation of x86_64", "x86_64", "qemu-x86_64"),
    Node("qemu-aarch64", "QEMU user emulation of aarch64", "aarch64", "qemu-aarch64"),
    Node("qemu-riscv64", "QEMU user emulation of riscv64", "riscv64", "qemu-riscv64"),
]


# Where control groups lie, with the file and the words of half a core's time: version 2, and version 1.
GROUPS = (("/sys/fs/cgroup", "cpu.max", "50000 100000"), ("/sys/fs/cgroup/unified", "cpu.max", "50000 100000"),
          ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "50000"))


def quota_group():
    """The folder of a group with the quota and the one that this process is in; None where there can be none.  The system makes
    the files of a group: where it made none, this is no place for groups."""
    for root, name, words in GROUPS:
        group = os.path.join(root, "whyslow-experiment")
        if not os.path.exists(os.path.join(root, "cgroup.procs")):
            continue
        try:
            os.makedirs(group, exist_ok=True)
            if os.path.exists(os.path.join(group, name)):
                with open(os.path.join(group, name), "w", encoding="ascii") as file:
                    file.write(words)
                return group, root
            os.rmdir(group)
        except OSError:
            pass
    return None


def enter_group(path):
    """Moves this process, from which children inherit: what a child did before its program began would be counted as its
    program's time."""
    with open(os.path.join(path, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write(str(os.getpid()))


# ---- times ----

def cpu_of_starting(node, work):
    """CPU seconds of a process that lists the kernels and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    node.run(work, "kernels")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure_round(work, node, sizes, times):
    """One more time of everything on a node."""
    kernels = times.setdefault(node.name, {}).setdefault("kernels", {})
    programs = times[node.name].setdefault("programs", {})
    for line in node.run(work, "kernels", "all", "1" if node.emulator else "2").splitlines():
        name, seconds, _ = line.split()
        kernels.setdefault(name, []).append(max(float(seconds), 1e-6))
    kernels.setdefault("process_start", []).append(
        max(min(cpu_of_starting(node, work) for _ in range(5)), 1e-4))
    for name, chosen in sizes.items():
        for size in chosen:
            programs.setdefault(f"{name} {size}", []).append(
                float(node.run(work, "programs", name, str(size)).split()[-1]))


def measure_ladder(work, node):
    return [[float(word) for word in line.split()]
            for line in node.run(work, "kernels", "ladder").splitlines() if line[0].isdigit() and " 0.0" in line]


def measure_disk(work):
    """Seconds of a synchronised small write; bytes per second read and written past the page cache."""
    path = os.path.join(work, "disk.tmp")
    block = os.urandom(1 << 20)
    with open(path, "wb", buffering=0) as file:
        begin = time.monotonic()
        for _ in range(64):
            file.write(block)
        os.fsync(file.fileno())
        written = 64 * len(block) / (time.monotonic() - begin)
        begin = time.monotonic()
        for _ in range(20):
            file.write(b"x")
            os.fsync(file.fileno())
        seek = (time.monotonic() - begin) / 20
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        begin = time.monotonic()
        while file.read(1 << 20):
            pass
        read = 64 * len(block) / (time.monotonic() - begin)
    os.remove(path)
    return seek, read, written


def save(work, name, tree):
    with open(os.path.join(work, name), "w", encoding="utf-8") as file:
        json.dump(tree, file, indent=1)


def load(work, name):
    with open(os.path.join(work, name), encoding="utf-8") as file:
        return json.load(file)


JOBS = 110
LINEAR_ALGEBRA = ("product-double", "product-int", "lu", "sparse")


def measure_jobs(work, nodes, sizes):
    """A stream of jobs of linear algebra on similar nodes, at random as in the methodology's own experiment."""
    chance = random.Random(110)
    similar = [node for node in nodes if not node.emulator and node.name != "reference"]
    jobs = []
    for _ in range(JOBS if similar else 0):
        node, name = chance.choice(similar), chance.choice([name for name in LINEAR_ALGEBRA if name in sizes])
        size = chance.choice(sizes[name][1:])
        seconds = [float(node.run(work, "programs", name, str(size)).split()[-1]) for _ in range(3)]
        jobs.append({"node": node.name, "program": name, "size": size, "cpu_s": min(seconds)})
    return jobs


def measure(work, sizes, budget):
    """Rounds over all nodes until the budget of seconds is used up, three at least; in rounds, so that what disturbs the machine
    for a while disturbs all alike."""
    nodes, times, begin = [], {}, time.monotonic()
    for node in NODES:
        lack = node.missing(work)
        log(f"{node.name}: {'left out, missing: ' + lack if lack else node.what}")
        if not lack:
            nodes.append(node)
    disk = measure_disk(work)
    ladders = {node.name: measure_ladder(work, node) for node in nodes}
    rounds, longest = 0, 0
    while rounds < 3 or time.monotonic() - begin + longest < budget:
        start = time.monotonic()
        for node in nodes:
            measure_round(work, node, sizes, times)
        rounds += 1
        longest = max(longest, time.monotonic() - start)
        log(f"round {rounds}: {time.monotonic() - start:.0f} s")
    jobs = measure_jobs(work, nodes, sizes)
    save(work, "times.json", {"times": times, "ladders": ladders, "disk": disk, "jobs": jobs, "rounds": rounds,
                              "machine": machine(),
                              "nodes": [{"name": node.name, "what": node.what, "architecture": node.architecture,
                                         "emulated": bool(node.emulator), "huge": node.huge} for node in nodes]})


def machine():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    qemu = shutil.which("qemu-x86_64")
    version = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=False).stdout if qemu else ""
    return {"processor": fields.get("model name", "unknown"), "clock_Hz": 1e6 * float(fields.get("cpu MHz", 2000)),
            "cores": os.cpu_count(), "memory_bytes": memory, "kernel": os.uname().release,
            "virtual": "hypervisor" in fields.get("flags", ""),
            "compiler": subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True,
                                       check=False).stdout.strip(),
            "qemu": version.split("\n")[0], "load": os.getloadavg()[0], "date": time.strftime("%Y-%m-%d")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("whyslow")
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--work", default=os.path.join(HERE, "work"), help="folder for binaries, counts and times")
    parser.add_argument("--budget", type=float, default=720, help="seconds for the times (720)")
    parser.add_argument("--quick", action="store_true", help="two programs only, to see that it works")
    options = parser.parse_intermixed_args()
    steps = options.steps or ["build", "counts", "times", "report"]
    sizes = {name: PROGRAMS[name] for name in ("lu", "sort")} if options.quick else PROGRAMS
    os.makedirs(options.work, exist_ok=True)
    if "build" in steps:
        build(options.work)
    if "kernels-data" in steps:
        build(options.work)
        count_kernels(options.work)
        shutil.copy(os.path.join(options.work, "kernels.json"), os.path.join(HERE, "../../src/predict/data/kernels.json"))
    if "counts" in steps:
        count_kernels(options.work)
        count_programs(options.work, sizes)
    if "times" in steps:
        measure(options.work, sizes, 0 if options.quick else options.budget)
    if "report" in steps:
        programs = load(options.work, "counts-programs.json")["counts"]
        evaluate.report(options.whyslow, options.work, load(options.work, "times.json"), programs, sizes,
                        not options.quick)


if __name__ == "__main__":
    main()
