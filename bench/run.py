#!/usr/bin/env python3
"""`make bench`: the cost of recording a call and a message of each runtime, beside EZTrace where Debian's package is there, and the speed of
the reader and of the diagnosis.  With --large also a trace of 10^8 events of 64 ranks (2.3 GB on the disk), with --cost the first alone.  Figures of
one run belong together; compare between machines only the ratios."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

LARGE, COST_ONLY = "--large" in sys.argv, "--cost" in sys.argv
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
WHYSLOW = os.path.abspath(WORDS[0] if WORDS else "build/whyslow")
TOOLS = os.path.join(os.path.dirname(WHYSLOW), "bench")
HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5
MPIS = (("Open MPI", "mpicc.openmpi", "mpirun.openmpi", "openmpi"), ("MPICH", "mpicc.mpich", "mpirun.mpich", "mpich"))
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1")


def cost(command, folder):
    """ns per call: barrier alone, probe in vain, half a ping-pong; None where the command fails."""
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            stdin=subprocess.DEVNULL, timeout=300)
    for line in result.stdout.splitlines():
        words = line.split()
        if words[:1] == ["cost"]:
            return tuple(float(word) for word in words[2::2])
    return None


def call_cost(folder):
    print(f"{'MPI':10} {'recorder':9} {'barrier alone':>15} {'Iprobe in vain':>15} {'ping-pong':>15}   ns per call, "
          f"best of {ROUNDS} runs; in brackets what recording adds")
    for name, compiler, launcher, short in MPIS:
        if not shutil.which(compiler):
            continue
        program = os.path.join(folder, "call_cost." + short)
        subprocess.run([compiler, "-O2", os.path.join(HERE, "call_cost.c"), "-o", program], check=True)
        ways = {"bare": [launcher, "-n", "2", program],
                "whyslow": [WHYSLOW, "record", "-q", "-o", os.path.join(folder, "t"), "--", launcher, "-n", "2",
                            program]}
        if shutil.which("eztrace"):
            ways["EZTrace"] = [launcher, "-n", "2", "eztrace", "-t", short, program]
        found = {way: [] for way in ways}
        for _ in range(ROUNDS):  # in turn, so that a drifting machine touches all alike
            for way, command in ways.items():
                figures = cost(command, folder)
                if figures:
                    found[way].append(figures)
        for way, figures in found.items():
            if not figures:
                print(f"{name:10} {way:9} failed")
                continue
            best = [min(column) for column in zip(*figures)]
            bare = [min(column) for column in zip(*found["bare"])]
            added = ["" if way == "bare" else f" (+{value - base:.0f})" for value, base in zip(best, bare)]
            print(f"{name:10} {way:9}", *(f"{value:7.0f}{more:8}" for value, more in zip(best, added)), flush=True)


def message_programs(folder):
    """What there is to measure: a name, the command, what is set for it."""
    here, x10 = os.path.join(HERE, "message_cost"), os.path.join(folder, "x10")
    for name, compiler, launcher, short in MPIS:
        program = os.path.join(folder, "message_cost." + short)
        if shutil.which(compiler):
            subprocess.run([compiler, "-O2", "-w", os.path.join(here, "mpi.c"), "-o", program], check=True)
            yield name, [launcher, "-n", "2", program], {}
    if shutil.which("oshcc"):
        program = os.path.join(folder, "message_cost.shmem")
        subprocess.run(["oshcc", "-O2", os.path.join(here, "shmem.c"), "-o", program], check=True)
        yield "OpenSHMEM", ["oshrun", "--mca", "patcher", "^overwrite", "-n", "2", program], {}
    shutil.copytree(os.path.join(HERE, "..", "tests", "e2e", "x10"), x10)
    subprocess.run(["make", "-s", "-C", x10, "CFLAGS=-O2 -w -fPIC", "sockets/libx10rt_sockets.so"], check=True)
    program, library = os.path.join(folder, "message_cost.x10"), os.path.join(x10, "sockets")
    # Where a place puts something it says by its own address: so data are at the same one everywhere.
    subprocess.run(["cc", "-O2", "-no-pie", "-I", x10, os.path.join(here, "x10.c"), "-o", program, "-L", library, "-lx10rt_sockets",
                    "-Wl,-rpath," + library], check=True)
    yield "X10 (tests' library)", [program], {"X10_NPLACES": "2"}


def messages(command, environment):
    """ns of a message by operation; {} where the command fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300,
                            stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    lines = [line.split() for line in result.stdout.splitlines() if line.startswith("message ")]
    return {what: float(ns) for _, what, ns in lines}


def message_cost(folder):
    print(f"\n{'what':25} {'message':15} {'bare':>8} {'recorded':>9} {'ratio':>6}   ns per message, best of {ROUNDS} runs")
    for name, command, environment in message_programs(folder):
        recorded = [WHYSLOW, "record", "-q", "-o", os.path.join(folder, "t"), "--", *command]
        best = [{}, {}]
        for _ in range(ROUNDS):
            for found, words in zip(best, (command, recorded)):
                for what, ns in messages(words, environment).items():
                    found[what] = min(ns, found.get(what, ns))
        if not best[0] or not best[1]:
            print(f"{name:25} failed {'bare' if not best[0] else 'under the recorder'}")
        for what, ns in best[0].items():
            if what in best[1]:
                print(f"{name:25} {what.replace('_', ' '):15} {ns:8.0f} {best[1][what]:9.0f} {best[1][what] / ns:6.2f}",
                      flush=True)


def diagnosis_speed(folder):
    trace = os.path.join(folder, "t")
    _, compiler, launcher, short = MPIS[0]
    program = os.path.join(folder, "call_cost." + short)
    subprocess.run([WHYSLOW, "record", "-q", "-o", trace, "--", launcher, "-n", "2", program], check=True,
                   stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    report = subprocess.run([WHYSLOW, "diagnose", "--json", trace], check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begin
    recording = json.loads(report.stdout)["run"]["recording"]
    print(f"\ndiagnose: {recording['events']} events in {seconds:.1f} s, {recording['events'] / seconds / 1e6:.2f} M events/s; "
          f"{recording['bytes'] / recording['events']:.0f} bytes per event in the trace")


def engine_run(*words):
    """What bench/engine.c measured: a dictionary for each engine."""
    program = os.path.join(os.path.dirname(WHYSLOW), "engine_speed")
    result = subprocess.run([program, "-k", os.path.join(HERE, "..", "kb", "mpi"), *map(str, words)], check=True,
                            stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def engine_speed():
    print("\nEngines on events in memory (million events per CPU second; messages and collective operations, all "
          "ten problem types; by hand: late senders and barriers only)")
    has_clips = "clips" in subprocess.run([WHYSLOW, "diagnose", "--help"], stdout=subprocess.PIPE, text=True,
                                          check=True).stdout
    print(f"{'ranks':>6} {'by hand':>9} {'native':>9} {'clips':>9} {'500 more types, native':>24} {'held at most':>13}")
    for ranks in (4, 64, 1024):
        hand = max(engine_run("-r", ranks, *["by-hand"] * ROUNDS), key=lambda row: row["million_per_s"])
        native = max(engine_run("-r", ranks, *["native"] * ROUNDS), key=lambda row: row["million_per_s"])
        more = max(engine_run("-r", ranks, "-x", 500, *["native"] * ROUNDS), key=lambda row: row["million_per_s"])
        clips = engine_run("-r", ranks, "-n", 100000, "clips")[0]["million_per_s"] if has_clips else float("nan")
        print(f"{ranks:6} {hand['million_per_s']:9.1f} {native['million_per_s']:9.2f} {clips:9.3f} "
              f"{more['million_per_s']:24.2f} {native['most_held']:13}", flush=True)
    long_run = engine_run("-r", 64, "-n", 1000000, "-t", 10, "native")[0]
    print(f"10^7 events of 64 ranks: {long_run['million_per_s']:.2f} million/s, memory grew by "
          f"{long_run['grown_kb']} KiB")


def sharing(folder):
    """Processor time of a diagnosis by several threads: what sharing adds, whatever else the machine does."""
    build = os.path.dirname(WHYSLOW)
    for ranks in 64, 1024:
        trace = os.path.join(folder, f"made-{ranks}")
        subprocess.run([os.path.join(build, "bench", "make_trace"), trace, os.path.join(HERE, "../kb/mpi"),
                        str(ranks), "4000000", "all"], check=True, stdout=subprocess.DEVNULL)
        for jobs in 1, 2, 4, 8:
            before = os.times()
            subprocess.run([WHYSLOW, "diagnose", "--json", "--jobs", str(jobs), trace], check=True,
                           stdout=subprocess.DEVNULL)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            print(f"{ranks:5} ranks, 4 M events, {jobs} threads: {spent:.2f} s of processor time", flush=True)
    subprocess.run([os.path.join(build, "bench_team"), os.path.join(HERE, "../kb/mpi")], check=True)


def made_up(folder, ranks, events, pattern):
    trace = os.path.join(folder, "made-up")
    subprocess.run([os.path.join(TOOLS, "make_trace"), trace, os.path.join(HERE, "..", "kb", "mpi"), str(ranks),
                    str(events), pattern], check=True, stdout=subprocess.DEVNULL)
    return trace


def reader_speed(folder):
    print("\nThe reader alone, by traces that make_trace made up:")
    for pattern, ranks, events in (("ping-pong", 64, 4000000), ("halo", 64, 4000000), ("collective", 64, 4000000),
                                   ("all", 64, 4000000), ("all", 4096, 4000000)):
        trace = made_up(folder, ranks, events, pattern)
        result = subprocess.run([os.path.join(TOOLS, "read_trace"), trace, os.path.join(HERE, "..", "kb", "mpi")],
                                check=True, stdout=subprocess.PIPE, text=True)
        print(f"{pattern:10} {ranks:5} ranks: {result.stdout.strip()}", flush=True)
        shutil.rmtree(trace)


def large(folder):
    trace = made_up(folder, 64, 100000000, "all")
    begin = time.monotonic()
    process = subprocess.Popen([WHYSLOW, "diagnose", "--json", trace], stdout=subprocess.PIPE)
    report = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    assert status == 0, status
    events = json.loads(report)["run"]["recording"]["events"]
    print(f"\n64 ranks, {events} events: diagnosed in {seconds:.0f} s, {events / seconds / 1e6:.2f} M events/s, "
          f"{usage.ru_maxrss / 1024:.0f} MB at most")


with tempfile.TemporaryDirectory(prefix="whyslow-bench-") as work:
    call_cost(work)
    message_cost(work)
    if COST_ONLY:
        sys.exit()
    diagnosis_speed(work)
    reader_speed(work)
    if LARGE:
        large(work)
    sharing(work)
engine_speed()
