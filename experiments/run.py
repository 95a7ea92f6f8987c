#!/usr/bin/python3
"""The thesis's experiments in virtual time (docs/experiments.md): the programs of examples/ before and after the advice,
under SimGrid on the cluster of cluster.xml; a table, pictures and the reports.

    python3 experiments/run.py [--jobs N] [--docs FILE | --no-docs] [WHYSLOW]

Everything printed repeats exactly: time is the simulated clock, and computation is told (examples/work.h).
"""
import argparse
import concurrent.futures
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join("build", "experiments")  # from ROOT, where everything runs: so it stands in the reports
PICTURES = os.path.join(ROOT, "docs", "experiments")
ENVIRONMENT = 4  # the exit code for what the machine lacks

# With numbers for the arguments; average, maximum: the speed-up that the thesis reached, and with how many ranks the latter.
Experiment = namedtuple("Experiment", "name title arguments ranks average maximum at")
EXPERIMENTS = [
    Experiment("jacobi", "Dirichlet problem, Jacobi", ["8000", "20"], (1, 2, 4, 8, 16, 32, 64, 128), 1.64, 2.4, 64),
    Experiment("gauss_seidel", "Dirichlet problem, Gauss-Seidel", ["8000", "20"], (1, 2, 4, 8, 16, 32, 64, 128),
               10, 19, 128),
    Experiment("heart", "Heart", ["808", "100"], (1, 2, 4, 8, 16, 32, 64, 101), 1.34, 1.62, 101),
]
VERSIONS = ("before", "after")

# A run of a program: simulated seconds, the report's waits by problem type (summed over the ranks), all ranks' time.
Point = namedtuple("Point", "ranks time_s waits_s total_s worth_changing report")


def smpirun(ranks, *program):
    """The command line of a program on the cluster."""
    # Collective operations as Open MPI does them, but for a single rank: there SimGrid 3.32 does not survive its MPI_Reduce.
    selector = ["--cfg=smpi/coll-selector:ompi"] if ranks > 1 else []
    return ["smpirun", "-np", str(ranks), "-platform", os.path.relpath(os.path.join(HERE, "cluster.xml"), ROOT),
            "-hostfile", os.path.relpath(os.path.join(HERE, "hosts"), ROOT),
            "--cfg=smpi/simulate-computation:no",  # only what the program tells takes time
            *selector, "--log=root.thres:error", *program]


def build(folder=BUILD):
    """The programs of examples/ for SimGrid, in a folder."""
    flags = f"-O2 -g -include {os.path.join(HERE, 'blocking.h')}"
    subprocess.run(["make", "-s", "-C", os.path.join(ROOT, "examples"), "MPICC=smpicc", f"CFLAGS={flags}",
                    f"BUILD={os.path.join(ROOT, folder)}"], check=True)


def checked(command):
    result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: ended with {result.returncode}: {result.stderr}")
    return result.stdout


def printed_time(output):
    """Seconds, as the program prints them on its last line: time 0.123456 s."""
    return float(output.splitlines()[-1].split()[1])


def measure(whyslow, ranks, program, *arguments):
    """Records and diagnoses one run."""
    with tempfile.TemporaryDirectory(prefix="whyslow-experiment-") as folder:
        trace = os.path.join(folder, "trace")
        time_s = printed_time(checked([whyslow, "record", "-q", "-o", trace, "--",
                                       *smpirun(ranks, program, *arguments)]))
        everything = json.loads(checked([whyslow, "diagnose", "--json", "--threshold", "0", trace]))
        told = json.loads(checked([whyslow, "diagnose", "--json", trace]))
        report = checked([whyslow, "diagnose", trace])
    waits = {}
    for problem in everything["problems"]:
        waits[problem["id"]] = waits.get(problem["id"], 0.0) + problem["duration_s"]
    return Point(ranks, time_s, waits, everything["run"]["total_s"], bool(told["problems"]), report)


def run_all(whyslow, jobs):
    """{experiment name: {version: [Point]}}"""
    points = {}
    wanted = [(experiment, version, ranks) for experiment in EXPERIMENTS for version in VERSIONS
              for ranks in experiment.ranks]

    def one(job):
        experiment, version, ranks = job
        program = os.path.join(BUILD, f"{experiment.name}_{version}")
        point = measure(whyslow, ranks, program, *experiment.arguments)
        print(f"{experiment.name}_{version}, {ranks} ranks: {point.time_s:.6f} s", file=sys.stderr, flush=True)
        return point

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (experiment, version, _), point in zip(wanted, pool.map(one, wanted)):
            points.setdefault(experiment.name, {}).setdefault(version, []).append(point)
    return points


def gains(versions):
    """How many times faster the program is after the advice, for each number of ranks."""
    return [before.time_s / after.time_s for before, after in zip(versions["before"], versions["after"])]


def kinds(versions, least=0.0):
    """The problem types that cost more than a share of the time anywhere, the costliest first."""
    cost = {}
    for point in versions["before"] + versions["after"]:
        for kind, seconds in point.waits_s.items():
            cost[kind] = max(cost.get(kind, 0), seconds / point.total_s)
    return sorted((kind for kind in cost if cost[kind] > least), key=lambda kind: (-cost[kind], kind))


def write_csv(points, folder):
    with open(os.path.join(folder, "times.csv"), "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["program", "ranks", "before_s", "after_s", "gain", "before_parallel_speedup",
                        "after_parallel_speedup"])
        for name, versions in points.items():
            before, after = versions["before"], versions["after"]
            for b, a, gain in zip(before, after, gains(versions)):
                table.writerow([name, b.ranks, f"{b.time_s:.6f}", f"{a.time_s:.6f}", f"{gain:.3f}",
                                f"{before[0].time_s / b.time_s:.3f}", f"{after[0].time_s / a.time_s:.3f}"])
    with open(os.path.join(folder, "problems.csv"), "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["program", "version", "ranks", "problem", "duration_s", "share_of_ranks_time"])
        for name, versions in points.items():
            for version in VERSIONS:
                for point in versions[version]:
                    for kind, seconds in sorted(point.waits_s.items()):
                        table.writerow([name, version, point.ranks, kind, f"{seconds:.6f}",
                                        f"{seconds / point.total_s:.5f}"])


def summary_table(points):
    lines = ["| program | gain on average | of the thesis | | greatest gain | of the thesis | |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for experiment in EXPERIMENTS:
        gained = gains(points[experiment.name])
        average, most = sum(gained) / len(gained), max(gained)
        lines.append(f"| {experiment.title} | {average:.2f} | {experiment.average} | {verdict(average, experiment.average)} "
                     f"| {most:.2f} ({experiment.ranks[gained.index(most)]} ranks) | {experiment.maximum} "
                     f"({experiment.at}) | {verdict(most, experiment.maximum)} |")
    return lines


def verdict(reached, published):
    return "reached" if reached >= published else "**not reached**"


def time_table(versions):
    before, after = versions["before"], versions["after"]
    lines = ["| ranks | before | after | gain | parallel speed-up before | after | waits before, all ranks | after | report on after |",
             "| ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | --- |"]
    for b, a, gain in zip(before, after, gains(versions)):
        lines.append(f"| {b.ranks} | {b.time_s:.4g} s | {a.time_s:.4g} s | {gain:.2f} | {before[0].time_s / b.time_s:.2f} "
                     f"| {after[0].time_s / a.time_s:.2f} | {waits(b)} | {waits(a)} "
                     f"| {'worth changing' if a.worth_changing else 'nothing worth changing'} |")
    return lines


def waits(point):
    """What the problem types cost, the worst first; what is below a thousandth of the time is left out."""
    costs = sorted(point.waits_s.items(), key=lambda item: -item[1])
    shown = [f"{kind} {seconds:.3g} s ({100 * seconds / point.total_s:.1f} %)" for kind, seconds in costs
             if seconds > 0.001 * point.total_s]
    return ", ".join(shown) or "–"


def draw(experiment, versions, folder):
    """Three pictures side by side: time, gain and parallel speed-up, what the problems cost."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import ScalarFormatter, NullFormatter

    plt.rcParams.update({"svg.hashsalt": "whyslow", "svg.fonttype": "none", "font.size": 9, "axes.grid": True,
                         "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False})
    figure, (time, speed, problem) = plt.subplots(1, 3, figsize=(12, 3.8))
    ranks = experiment.ranks
    style = {"before": ("C3", "o", "-"), "after": ("C0", "s", "-")}
    for version in VERSIONS:
        color, marker, line = style[version]
        times = [point.time_s for point in versions[version]]
        time.plot(ranks, times, color=color, marker=marker, linestyle=line, label=version)
        speed.plot(ranks, [times[0] / each for each in times], color=color, marker=marker, linestyle=line,
                   label=f"parallel speed-up {version}")
    time.set(title="Time", ylabel="seconds", xscale="log", yscale="log")
    speed.plot(ranks, gains(versions), color="black", marker="D", linestyle="--", label="gain: before / after")
    speed.plot([experiment.at], [experiment.maximum], color="black", marker="*", markersize=11, linestyle="",
               label="greatest gain of the thesis")
    speed.plot(ranks, ranks, color="grey", linewidth=0.8, linestyle=":", label="ideal")
    speed.set(title="Speed-up", xscale="log", yscale="log")
    for index, kind in enumerate(kinds(versions, 0.005)):
        size = 6 - 2 * min(index, 2)  # one that lies on another shows it
        for version, line, marker in (("before", "-", "o"), ("after", ":", "s")):
            problem.plot(ranks, [100 * point.waits_s.get(kind, 0) / point.total_s for point in versions[version]],
                         color=f"C{index + 1}", linestyle=line, marker=marker, markersize=1 + size, linewidth=size / 2, label=f"{kind}, {version}")
    problem.set(title="Problem durations", ylabel="% of the ranks' time", xscale="log", ylim=(0, None))
    for axes in (time, speed, problem):
        axes.set_xlabel("ranks")
        axes.set_xticks(ranks)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.legend(fontsize=7.5)
    figure.suptitle(experiment.title)
    figure.tight_layout()
    figure.savefig(os.path.join(folder, f"{experiment.name}.svg"), metadata={"Date": None, "Creator": None})
    figure.savefig(os.path.join(folder, f"{experiment.name}.png"), dpi=90, metadata={"Software": None})
    plt.close(figure)


def fill(path, blocks):
    """Puts text between the lines `<!-- name: begin -->` and `<!-- name: end -->` of a file."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, lines in blocks.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        if begin not in text or end not in text:
            raise RuntimeError(f"{path}: no place for {name}: '{begin.strip()}' and '{end}' are missing")
        head, rest = text.split(begin, 1)
        text = head + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def doc_blocks(points):
    blocks = {"summary": summary_table(points)}
    for experiment in EXPERIMENTS:
        versions = points[experiment.name]
        blocks[f"{experiment.name} times"] = time_table(versions)
        worst = versions["before"][experiment.ranks.index(experiment.at)]
        blocks[f"{experiment.name} report"] = ["```", worst.report.rstrip("\n"), "```"]
    return blocks


def needed(pictures=True):
    """Ends with a message when the machine lacks something."""
    missing = []
    if not (shutil.which("smpirun") and shutil.which("smpicc")):
        missing.append("SimGrid's smpicc and smpirun (Debian: apt-get install libsimgrid-dev)")
    if pictures and not importlib.util.find_spec("matplotlib"):
        missing.append("matplotlib, for the pictures (Debian: apt-get install python3-matplotlib)")
    for each in missing:
        print(f"make experiments: not installed: {each}", file=sys.stderr)
    if missing:
        sys.exit(ENVIRONMENT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("whyslow", nargs="?", default=os.path.join(ROOT, "build", "whyslow"))
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), help="runs at a time (1 GB each)")
    parser.add_argument("--docs", default=os.path.join(ROOT, "docs", "experiments.md"), help="file to fill in")
    parser.add_argument("--no-docs", dest="docs", action="store_const", const=None)
    parser.add_argument("--output", default=PICTURES, help="folder of tables and pictures")
    options = parser.parse_args()
    needed()
    build()
    os.makedirs(options.output, exist_ok=True)
    points = run_all(os.path.abspath(options.whyslow), max(options.jobs, 1))
    write_csv(points, options.output)
    for experiment in EXPERIMENTS:
        draw(experiment, points[experiment.name], options.output)
    if options.docs:
        fill(options.docs, doc_blocks(points))
    print("\n".join(summary_table(points)))


def guarded(body):
    """Runs the body of a program; what goes wrong is told in one line."""
    try:
        body()
    except KeyboardInterrupt:
        sys.exit(130)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"make experiments: {error}")


if __name__ == "__main__":
    guarded(main)
