"""What was measured, compared with what `whyslow predict` tells: tables and plots for docs/prediction.md."""
import json
import math
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN, END = "<!-- experiment: begin -->", "<!-- experiment: end -->"
LINEAR_ALGEBRA = ("product-double", "product-int", "lu", "sparse")


def save(path, tree):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(tree, file, indent=1)
    return path


# ---- the files of nodes and programs ----

def halves(seconds):
    """The best of every other round, and of the rest."""
    return min(seconds[0::2]), min(seconds[1::2])


def spread(seconds):
    one, other = halves(seconds)
    return abs(one / other - 1)


def step_at(ladder, size):
    return next((step for step in ladder if step[0] >= size), ladder[-1])


def node_file(work, node, measured, kernels):
    """NODE.json of a node: its kernels, its ladder, and the twelve characteristics that follow from both."""
    times = measured["times"][node["name"]]["kernels"]
    ladder = measured["ladders"][node["name"]]
    work_of = {kernel["name"]: kernel for kernel in kernels["kernels"]}
    seek, read, written = measured["disk"]
    first, second, memory = (step_at(ladder, size) for size in (16 << 10, 256 << 10, 64 << 20))
    characteristics = {
        "clock_Hz": measured["machine"]["clock_Hz"],
        "integer_ops_per_s": work_of["count_bits"]["counts"]["instructions"] / min(times["count_bits"]),
        "float_ops_per_s": work_of["fir"]["counts"]["float"] / min(times["fir"]),
        "l1_bandwidth_Bps": first[2], "l1_latency_s": first[1], "l2_bandwidth_Bps": second[2],
        "l2_latency_s": second[1], "memory_bandwidth_Bps": memory[2], "memory_latency_s": memory[1],
        "disk_seek_s": seek, "disk_read_Bps": read, "disk_write_Bps": written}
    return save(os.path.join(work, f"node-{node['name']}.json"), {
        "format": 1, "kind": "whyslow-node", "name": node["name"], "architecture": node["architecture"],
        "characteristics": characteristics,
        "ladder": [{"size_bytes": size, "pages": "huge" if node["huge"] else "small", "latency_s": latency,
                    "bandwidth_Bps": bandwidth} for size, latency, bandwidth in ladder],
        "kernels": [{"name": name, "time_s": min(seconds), "spread": spread(seconds)}
                    for name, seconds in times.items()]})


def program_file(path, name, sizes, counts, times):
    return save(path, {
        "format": 1, "kind": "whyslow-program", "command": name, "architecture": "x86_64",
        "runs": [{"size": size, "source": "callgrind", "uncertainty": 0.01, "cpu_s": min(times[f"{name} {size}"]),
                  "spread": spread(times[f"{name} {size}"]), **counts[f"{name} {size}"]} for size in sizes]})


def predict(whyslow, *words):
    """The estimates; those that were refused are among them (exit code 3)."""
    result = subprocess.run([whyslow, "predict", "--json", *words], capture_output=True, text=True, check=False)
    if not result.stdout:
        sys.exit(result.stderr)
    return json.loads(result.stdout)


# ---- errors ----

class Errors:
    """Relative errors of estimates: estimate / measured - 1."""

    def __init__(self):
        self.errors, self.held, self.refused = [], [], 0

    def add(self, estimate_s, measured_s, low_s=None, high_s=None):
        if estimate_s is None:
            self.refused += 1
            return
        self.errors.append(estimate_s / measured_s - 1)
        if low_s is not None:
            self.held.append(low_s <= measured_s <= high_s)

    def figures(self):
        """Mean, median, largest, standard deviation of the absolute errors in percent; sd of ln."""
        absolute = [100 * abs(error) for error in self.errors]
        if not absolute:
            return dict.fromkeys(("mean", "median", "max", "sd", "log"), float("nan"))
        return {"mean": statistics.mean(absolute), "median": statistics.median(absolute), "max": max(absolute),
                "sd": statistics.pstdev(absolute),
                "log": math.sqrt(statistics.mean(math.log1p(error) ** 2 for error in self.errors))}

    def row(self):
        figures = self.figures()
        return (f"{len(self.errors)} | {figures['median']:.1f} | {figures['mean']:.1f} | {figures['max']:.1f} | "
                f"{figures['sd']:.1f} | {figures['log']:.2f}")

    def coverage(self):
        return f"{100 * sum(self.held) / len(self.held):.0f} %" if self.held else ""


class Comparison:
    """The models side by side over the same runs."""

    NAMES = {"kernels": "kernels", "anchored": "kernels, smallest size run on the target", "paper": "the paper's model",
             "factor": "one factor for the node", "clock": "ratio of the clocks", "floor": "floor: the same program twice"}

    def __init__(self):
        self.models = {name: Errors() for name in self.NAMES}
        self.points = []

    def table(self):
        lines = ["| model | runs | median % | mean % | max % | sd | sd of ln | interval held |",
                 "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        for name, title in self.NAMES.items():
            errors = self.models[name]
            if errors.errors:
                refused = f" ({errors.refused} refused)" if errors.refused else ""
                lines.append(f"| {title}{refused} | {errors.row()} | {errors.coverage()} |")
        return lines


def compare(whyslow, work, target, measured, files, comparisons):
    """All programs at all sizes on a target, into the comparisons that want them."""
    times = measured["times"][target]["programs"]
    nodes = ("-r", os.path.join(work, "node-reference.json"), "-t", os.path.join(work, f"node-{target}.json"))
    kernels = ("--kernels", os.path.join(work, "kernels.json"))
    for name, path in files.items():
        estimates = predict(whyslow, *nodes, *kernels, path)["estimates"]
        paper = predict(whyslow, *nodes, "--model", "paper", path)["estimates"]
        smallest = f"{estimates[0]['size']:.0f}"
        anchor = f"{smallest}={min(times[f'{name} {smallest}'])}"
        anchored = predict(whyslow, *nodes, *kernels, "--anchor", anchor, path)["estimates"]
        for number, estimate in enumerate(estimates):
            seconds = times[f"{name} {estimate['size']:.0f}"]
            best = min(seconds)
            for comparison in (comparison for wants, comparison in comparisons if wants(name)):
                models = comparison.models
                models["kernels"].add(estimate["estimate_s"], best, estimate["low_s"], estimate["high_s"])
                models["paper"].add(paper[number]["estimate_s"], best)
                models["factor"].add(estimate["baselines"]["node_factor_s"], best)
                models["clock"].add(estimate["baselines"]["clock_ratio_s"], best)
                if number:
                    models["anchored"].add(anchored[number]["estimate_s"], best)
                one, other = halves(seconds)
                models["floor"].add(one, other)
                if estimate["estimate_s"] is not None:
                    comparison.points.append((best, estimate["estimate_s"], name))


# ---- sizes and jobs ----

def other_sizes(whyslow, work, measured, counts, sizes):
    """Each size on the reference from the other ones: those within, and the largest from the four below it."""
    times = measured["times"]["reference"]["programs"]
    node = os.path.join(work, "node-reference.json")
    within, beyond = {"chosen": Errors(), "power law": Errors()}, {"chosen": Errors(), "power law": Errors()}
    for name, all_sizes in sizes.items():
        for size in all_sizes[1:]:
            path = program_file(os.path.join(work, "left-out.json"), name, [other for other in all_sizes if other != size],
                                counts, times)
            estimate, = predict(whyslow, "-r", node, "-t", node, "--kernels", os.path.join(work, "kernels.json"), "--size",
                                str(size), path)["estimates"]
            errors, best = beyond if size == all_sizes[-1] else within, min(times[f"{name} {size}"])
            errors["chosen"].add(estimate["estimate_s"], best, estimate["low_s"], estimate["high_s"])
            errors["power law"].add(estimate["baselines"]["power_law_s"], best)
    return within, beyond


def job_stream(whyslow, work, measured, files):
    """The jobs' estimates beside what they took."""
    errors = {"kernels": Errors(), "paper": Errors(), "factor": Errors()}
    points = []
    for job in measured["jobs"]:
        nodes = ("-r", os.path.join(work, "node-reference.json"), "-t", os.path.join(work, f"node-{job['node']}.json"))
        words = (*nodes, "--size", str(job["size"]), files[job["program"]])
        estimate, = predict(whyslow, "--kernels", os.path.join(work, "kernels.json"), *words)["estimates"]
        paper, = predict(whyslow, "--model", "paper", *words)["estimates"]
        errors["kernels"].add(estimate["estimate_s"], job["cpu_s"], estimate["low_s"], estimate["high_s"])
        errors["paper"].add(paper["estimate_s"], job["cpu_s"])
        errors["factor"].add(estimate["baselines"]["node_factor_s"], job["cpu_s"])
        points.append((job["cpu_s"], estimate["estimate_s"], job["program"]))
    return errors, points


# ---- the report ----

def verdicts(goals):
    """Each goal, what was measured, whether it was reached."""
    lines = ["| to reach, held-out | goal | measured | |", "| --- | --- | --- | --- |"]
    for what, figure, limit, value in goals:
        reached = "reached" if value <= limit else "**not reached**"
        lines.append(f"| {what}{figure} | ≤ {limit:g} | {value:.2f} | {reached} |")
    return lines


def describe(measured):
    machine = measured["machine"]
    kind = "virtual machine, " if machine["virtual"] else ""
    lines = [f"{machine['date']}: {machine['processor']}, {kind}{machine['cores']} cores, "
             f"{machine['memory_bytes'] / 2**30:.0f} GiB, Linux {machine['kernel']}, gcc {machine['compiler']}, "
             f"{machine['qemu']}; {measured['rounds']} rounds, load {machine['load']:.1f} at the end.", ""]
    lines += ["| target | what it is |", "| --- | --- |"]
    return lines + [f"| {node['name']} | {node['what']} |" for node in measured["nodes"]]


def plot(path, groups, title):
    """Estimates over measured times, a panel; groups: name -> [(measured, estimated, program)]."""
    try:
        import matplotlib
    except ImportError:
        print("no plots: matplotlib is not installed (Debian: python3-matplotlib)", file=sys.stderr)
        return False
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "whyslow"
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6, 5))
    for marker, (name, points) in zip("os^Dvx+*", groups.items()):
        axes.loglog([point[0] for point in points], [point[1] for point in points], marker, label=name, alpha=0.6,
                    markersize=5)
    ends = [value for points in groups.values() for point in points for value in point[:2]]
    low, high = min(ends) / 1.3, max(ends) * 1.3
    axes.plot([low, high], [low, high], "-", color="black", linewidth=1)
    for off in (1.2, 1 / 1.2):
        axes.plot([low, high], [low * off, high * off], ":", color="grey", linewidth=1)
    axes.set_xlabel("measured, CPU seconds")
    axes.set_ylabel("estimated, CPU seconds")
    axes.set_title(title)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True


def write_docs(lines):
    path = os.path.join(ROOT, "docs", "prediction.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


def report(whyslow, work, measured, counts, sizes, into_docs):
    with open(os.path.join(work, "kernels.json"), encoding="utf-8") as file:
        kernels = json.load(file)
    for node in measured["nodes"]:
        node_file(work, node, measured, kernels)
    times = measured["times"]["reference"]["programs"]
    files = {name: program_file(os.path.join(work, f"program-{name}.json"), name, chosen, counts, times)
             for name, chosen in sizes.items()}
    similar, linear, unlike, by_target = Comparison(), Comparison(), Comparison(), {}
    for node in measured["nodes"]:
        if node["name"] == "reference":
            continue
        by_target[node["name"]] = Comparison()
        wanted = [(lambda name: True, by_target[node["name"]])]
        if node["emulated"]:
            wanted.append((lambda name: True, unlike))
        else:
            wanted += [(lambda name: True, similar), (lambda name: name in LINEAR_ALGEBRA, linear)]
        compare(whyslow, work, node["name"], measured, files, wanted)
    within, beyond = other_sizes(whyslow, work, measured, counts, sizes)
    jobs, job_points = job_stream(whyslow, work, measured, files)

    lines = describe(measured)
    stream, emulated, sized = (errors.figures() for errors in (jobs["kernels"], unlike.models["kernels"],
                                                               within["chosen"]))
    lines += ["", *verdicts([
        (f"similar nodes, linear algebra, {len(measured['jobs'])} jobs: ", "mean %", 5, stream["mean"]),
        ("", "max %", 10, stream["max"]), ("", "sd", 4.31, stream["sd"]),
        ("emulated nodes, all programs, no run there: ", "median %", 12, emulated["median"]),
        ("", "sd", 21.78, emulated["sd"]),
        ("sizes between those measured: ", "median %", 3, sized["median"]), ("", "max %", 15, sized["max"])])]
    lines += ["", "Errors are |estimate / measured - 1|, sd their standard deviation as in the paper's figure 3.", ""]
    for title, comparison in (("Emulated nodes, all programs", unlike), ("Similar nodes, all programs", similar),
                              ("Similar nodes, linear algebra", linear)):
        if comparison.points:
            lines += [f"**{title}**", "", *comparison.table(), ""]
    lines += [f"**Job stream**: {len(measured['jobs'])} jobs of linear algebra on similar nodes", "",
              "| model | jobs | median % | mean % | max % | sd | sd of ln |", "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {Comparison.NAMES[name]} | {errors.row()} |" for name, errors in jobs.items()]
    lines += ["", "**Input sizes**, on the reference", "",
              "| | sizes | median % | mean % | max % | sd | sd of ln | interval held |",
              "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for where, errors in (("between those measured", within), ("the largest, from the four below it", beyond)):
        lines += [f"| {where}: {name} | {errors[name].row()} | {errors[name].coverage()} |" for name in errors]
    lines += ["", "**By target**, kernels' model", ""]
    lines += ["| target | runs | median % | mean % | max % | sd | sd of ln |",
              "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {name} | {comparison.models['kernels'].row()} |" for name, comparison in by_target.items()]
    images = os.path.join(ROOT, "docs", "images") if into_docs else work
    if plot(os.path.join(images, "prediction-targets.svg"),
            {name: comparison.points for name, comparison in by_target.items()}, "Programs that no model was fitted to"):
        lines += ["", "![Estimates over measured times on each target](images/prediction-targets.svg)"]
    if job_points and plot(os.path.join(images, "prediction-jobs.svg"),
                           {name: [point for point in job_points if point[2] == name] for name in LINEAR_ALGEBRA
                            if any(point[2] == name for point in job_points)}, "Job stream, similar nodes"):
        lines += ["![Estimates over measured times of the jobs](images/prediction-jobs.svg)"]
    print("\n".join(lines))
    if into_docs:
        write_docs(lines)
