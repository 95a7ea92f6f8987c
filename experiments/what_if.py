#!/usr/bin/python3
"""How true the gains are that `whyslow what-if` foretells (docs/experiments.md): the programs of what-if/, and the
examples, recorded with their problem; the foretold time beside the time of the program with the problem fixed.

    experiments/what_if.py [--docs FILE | --no-docs] [WHYSLOW]

The time is simulated, and repeats exactly.
"""
import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

import run

PLANTED = os.path.join(run.HERE, "what-if")

# fixed: the type of the problem that is fixed, with "by balance" if that is how, or "together" for all that the report tells.
# remedy: what the replay takes for the fix, or None where the report tells no such problem (which gains nothing).
Case = namedtuple("Case", "name fixed ranks before_s foretold_s after_s remedy")

# The examples, in sizes that take a second, with the ranks at which they are compared.
EXAMPLES = [("jacobi", ["2000", "20"], 16), ("gauss_seidel", ["2000", "20"], 16), ("heart", ["384", "20"], 16)]


def error(case):
    """Of the foretold time: relative to the measured one."""
    return case.foretold_s / case.after_s - 1


def simulated_s(output):
    """How long the simulated run took, as SimGrid says."""
    return float(re.search(r"Simulated time: (\S+) seconds", output).group(1))


def measured(ranks, command):
    words = run.smpirun(ranks, *command)
    words.insert(1, "--cfg=smpi/display-timing:yes")
    words[words.index("--log=root.thres:error")] = "--log=root.thres:error smpi_utils.thres:info"
    result = subprocess.run(words, cwd=run.ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: ended with {result.returncode}: {result.stderr}")
    return simulated_s(result.stderr + result.stdout)


def foretold(whyslow, ranks, command, fixed):
    """The gain that the report on a run tells for the problem, in seconds, and by which remedy."""
    with tempfile.TemporaryDirectory(prefix="whyslow-what-if-") as folder:
        trace = os.path.join(folder, "trace")
        run.checked([whyslow, "record", "-q", "-o", trace, "--", *run.smpirun(ranks, *command)])
        report = json.loads(run.checked([whyslow, "what-if", "--json", trace]))
    if fixed == "together":
        return report["gains"]["together_s"], "all"
    kind, _, remedy = fixed.partition(" by ")
    gains = [(problem["gain_if_balanced_s"], remedy) if remedy else (problem["gain_s"], problem["remedy"])
             for problem in report["problems"] if problem["id"] == kind]
    return max(gains, default=(0.0, None))


def compare(whyslow, name, fixed, ranks, before, after):
    before_s = measured(ranks, before)
    gain_s, remedy = foretold(whyslow, ranks, before, fixed)
    return Case(name, fixed, ranks, before_s, before_s - gain_s, measured(ranks, after), remedy)


def headline(source):
    """What a planted program says of itself: the type of its problem and how it is fixed, and the number of ranks."""
    with open(source, encoding="utf-8") as file:
        found = re.match(r"/\* ([a-z-]+(?: by balance)?), (\d+) ranks: ", file.readline())
    if not found:
        raise RuntimeError(f"{source}:1: '/* PROBLEM TYPE[ by balance], N ranks: ...' is missing")
    return found.group(1), int(found.group(2))


def planted(whyslow, folder, names=None):
    """The cases of the planted programs, all or those of the names, with the programs in a folder."""
    for source in sorted(glob.glob(os.path.join(PLANTED, "*.c"))):
        name = os.path.basename(source)[:-2]
        if names and name not in names:
            continue
        fixed, ranks = headline(source)
        programs = [os.path.join(folder, f"{name}_{version}") for version in run.VERSIONS]
        for program, flags in zip(programs, ([], ["-DFIXED"])):
            subprocess.run(["smpicc", "-O2", "-g", "-Wall", "-Wextra", "-Werror", *flags, source, "-o", program], check=True)
        yield compare(whyslow, name, fixed, ranks, *[[program] for program in programs])


def examples(whyslow, folder):
    run.build(folder)
    for name, arguments, ranks in EXAMPLES:
        yield compare(whyslow, name, "together", ranks,
                      *[[os.path.join(folder, f"{name}_{version}"), *arguments] for version in run.VERSIONS])


def table(cases):
    lines = ["| program | fixed | foretold with | ranks | before | foretold after | measured after | error of the time | gain foretold | gain measured |",
             "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for case in cases:
        lines.append(f"| `{case.name}` | {case.fixed} | {case.remedy or 'not reported'} | {case.ranks} "
                     f"| {1e3 * case.before_s:.2f} ms | {1e3 * case.foretold_s:.2f} ms | {1e3 * case.after_s:.2f} ms "
                     f"| {100 * error(case):+.1f} % | {case.before_s / case.foretold_s:.2f} "
                     f"| {case.before_s / case.after_s:.2f} |")
    return lines


def median_error(cases):
    return statistics.median(abs(error(case)) for case in cases)


def summary(planted_cases, example_cases):
    every = planted_cases + example_cases
    return [f"Median error of the foretold time: {100 * median_error(planted_cases):.1f} % over the {len(planted_cases)} "
            f"planted programs, {100 * median_error(every):.1f} % with the examples; "
            f"{sum(abs(error(case)) <= 0.1 for case in every)} of {len(every)} are within 10 %."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("whyslow", nargs="?", default=os.path.join(run.ROOT, "build", "whyslow"))
    parser.add_argument("--docs", default=os.path.join(run.ROOT, "docs", "experiments.md"), help="file to fill in")
    parser.add_argument("--no-docs", dest="docs", action="store_const", const=None)
    options = parser.parse_args()
    run.needed(pictures=False)
    whyslow = os.path.abspath(options.whyslow)
    with tempfile.TemporaryDirectory(prefix="whyslow-what-if-") as folder:
        planted_cases = list(planted(whyslow, folder))
        example_cases = list(examples(whyslow, folder))
    lines = table(planted_cases + example_cases) + [""] + summary(planted_cases, example_cases)
    if options.docs:
        run.fill(options.docs, {"what-if": lines})
    print("\n".join(lines))


if __name__ == "__main__":
    run.guarded(main)
