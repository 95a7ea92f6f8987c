#!/usr/bin/env python3
"""`make bench`: the cost of recording a call, beside EZTrace where Debian's package is there, and the speed of
the diagnosis.  Figures of one run belong together; compare between machines only the ratios."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

WHYSLOW = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/whyslow")
HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5
MPIS = (("Open MPI", "mpicc.openmpi", "mpirun.openmpi", "openmpi"), ("MPICH", "mpicc.mpich", "mpirun.mpich", "mpich"))
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1")


def cost(command, folder):
    """ns per call: barrier alone, half a ping-pong; None where the command fails."""
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            stdin=subprocess.DEVNULL, timeout=300)
    for line in result.stdout.splitlines():
        words = line.split()
        if words[:1] == ["cost"]:
            return float(words[2]), float(words[4])
    return None


def call_cost(folder):
    print(f"{'MPI':10} {'recorder':9} {'barrier alone':>15} {'ping-pong':>12}   ns per call, best of {ROUNDS} runs; "
          "in brackets what recording adds")
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
            print(f"{name:10} {way:9} {best[0]:7.0f}{added[0]:8} {best[1]:7.0f}{added[1]:8}", flush=True)


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


with tempfile.TemporaryDirectory(prefix="whyslow-bench-") as work:
    call_cost(work)
    diagnosis_speed(work)
