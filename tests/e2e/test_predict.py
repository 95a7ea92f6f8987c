"""Estimates of programs on other nodes and for other inputs, from small committed files whose right answers are known.

predict/reference.json and target.json are the two nodes of the methodology's table, with 24 made-up kernels whose times
follow from these costs (ns): integer 0.2 and 0.4, float 0.3 and 0.9, loads 0.25 and 0.5, stores 0.5 and 0.8,
branches 0.4 and 0.8, divide 5 and 20.  product.json is a matrix product of n = 100, 200, 400, 800.
"""
import json
import math
import os

import story

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "predict")
NODES = ("-r", os.path.join(DATA, "reference.json"), "-t", os.path.join(DATA, "target.json"))
KERNELS = ("--kernels", os.path.join(DATA, "kernels.json"))
PRODUCT = os.path.join(DATA, "product.json")


def estimates(*words):
    result = story.whyslow("predict", *words, "--json")
    assert result.returncode == 0, result.stderr
    # No number that is none, anywhere.
    def refuse(constant):
        raise AssertionError(constant)
    return json.loads(result.stdout, parse_constant=refuse)["estimates"]


def near(found, wanted, tolerance):
    assert abs(math.log(found / wanted)) < tolerance, (found, wanted)


def product_s(n):
    """On the target: 2 n^3 loads, n^2 stores, 2 n^3 + 20 n^2 integer, 2 n^3 float, n^3 branches."""
    return 1e-9 * (2 * n**3 * 0.5 + n**2 * 0.8 + (2 * n**3 + 20 * n**2) * 0.4 + 2 * n**3 * 0.9 + n**3 * 0.8)


def test_the_right_time_at_every_size():
    for estimate, n in zip(estimates(*NODES, *KERNELS, PRODUCT), (100, 200, 400, 800)):
        assert estimate["size"] == n and estimate["model"] == "kernels" and estimate["node"] == "athlon"
        near(estimate["estimate_s"], product_s(n), 0.002)
        assert estimate["low_s"] < product_s(n) < estimate["high_s"]
        near(sum(estimate["shares"].values()), 1, 1e-6)
        near(estimate["shares"]["float"], 2 * n**3 * 0.9e-9 / product_s(n), 0.01)
        near(estimate["baselines"]["clock_ratio_s"], estimate["reference_s"] * 1.5, 1e-6)


def test_sizes_that_were_not_measured():
    within, beyond = estimates(*NODES, *KERNELS, "--size", "300", "--size", "1600", PRODUCT)
    near(within["estimate_s"], product_s(300), 0.01)
    near(beyond["estimate_s"], product_s(1600), 0.02)
    assert not within["size_followed"]["extrapolated"] and beyond["size_followed"]["extrapolated"]
    assert any("extrapolated" in warning for warning in beyond["warnings"])


def test_a_run_on_the_target():
    anchored, = estimates(*NODES, *KERNELS, "--anchor", f"100={1.2 * product_s(100)}", "--size", "800", PRODUCT)
    near(anchored["estimate_s"], 1.2 * product_s(800), 0.005)


def paper_s(c, h):
    """Equations (3)-(9) of the methodology, with its own units: Gips, Gflops; ns and Gbit/s; ms and Mbit/s."""
    gips, gflops, l1, bw1, l2, bw2, m, bwm, seek, read, write = c
    return (h["h1"] * (h["h6"] / gips + h["h7"] / gflops) * 1e-9 + h["h2"] * (16 / bw1 + l1) * 1e-9 +
            (h["h3"] + h["h4"]) * (16 / bw2 + l2) * 1e-9 + h["h5"] * (16 / bwm + m) * 1e-9 +
            seek * 1e-3 * (h["h8"] + h["h9"]) + h["h10"] * 8 / (read * 1e6) + h["h11"] * 8 / (write * 1e6))


def test_the_paper_as_printed():
    with open(PRODUCT, encoding="utf-8") as file:
        runs = json.load(file)["runs"]
    for estimate, run in zip(estimates(*NODES, "--model", "paper", PRODUCT), runs):
        reference = paper_s((11.99, 5.93, 1.5, 46.9, 13.2, 19.08, 10.4, 4.01, 5, 52, 32), run["paper"])
        target = paper_s((7.87, 2.67, 1.6, 31.38, 11.2, 10.4, 83.7, 2.41, 6, 49, 30), run["paper"])
        near(estimate["estimate_s"], run["cpu_s"] * target / reference, 1e-6)
        assert estimate["model"] == "paper"
    times = [estimate["estimate_s"] for estimate in estimates(*NODES, "--model", "paper", PRODUCT)]
    between, = estimates(*NODES, "--model", "paper", "--size", "300", PRODUCT)
    near(between["estimate_s"], times[0] * 3 ** (math.log(times[3] / times[0]) / math.log(8)), 1e-6)


def changed(folder, name, change):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        tree = json.load(file)
    change(tree)
    return story.write(folder, name, json.dumps(tree))


def test_a_node_from_a_data_sheet(folder):
    target = changed(folder, "target.json", lambda node: node.pop("kernels"))
    for estimate in estimates(*NODES[:2], "-t", target, PRODUCT):
        assert estimate["model"] == "characteristics" and estimate["coverage"] is None
        assert any("calibration kernels" in warning for warning in estimate["warnings"])
        near(estimate["high_s"] / estimate["estimate_s"], 2, 1e-6)


def test_the_kernels_that_are_installed():
    """Whyslow's own kernels.json is read, and the nodes' kernels are not among them: their characteristics stand in."""
    for estimate in estimates(*NODES, PRODUCT):
        assert estimate["model"] == "characteristics"


def test_words_for_people():
    result = story.whyslow("predict", *NODES, *KERNELS, "--request", "7200", "--explain", "--size", "400", PRODUCT)
    assert result.returncode == 0, result.stderr
    for words in ("./product, size 400, on athlon: 283 ms, between ", "in 90 of 100 cases (kernels)", "made of float 41 %",
                  "simpler guesses: clock ratio 183 ms, node factor", "the request 2 h", "24 kernels compare it",
                  "divide                        5           20  ns each"):
        assert words in result.stdout, (words, result.stdout)


def assert_fails(code, words, *command):
    result = story.whyslow("predict", *command)
    assert result.returncode == code, (command, result.returncode, result.stderr)
    assert words in result.stderr, (words, result.stderr)
    assert not result.stdout or code == 3


def test_bad_input(folder):
    bad = {
        "disk_seek_s: 5 is no possible value in seconds; were ms meant? Then write 0.005":
            changed(folder, "reference.json", lambda node: node["characteristics"].update(disk_seek_s=5))}
    for words, node in bad.items():
        assert_fails(3, words, "-r", node, *NODES[2:], PRODUCT)
    missing = changed(folder, "target.json", lambda node: node["characteristics"].pop("l2_latency_s"))
    assert_fails(3, f"{missing}: characteristics.l2_latency_s is missing", *NODES[:2], "-t", missing, PRODUCT)
    zero = changed(folder, "target.json", lambda node: node["characteristics"].update(memory_bandwidth_Bps=0))
    assert_fails(3, "memory_bandwidth_Bps: 0 is no possible value; it must be greater than zero", *NODES[:2], "-t", zero,
                 PRODUCT)
    newer = changed(folder, "product.json", lambda program: program.update(format=9))
    assert_fails(3, "this is version 9, this Whyslow reads version 1", *NODES, *KERNELS, newer)
    mixed = changed(folder, "product.json", lambda program: program["runs"].reverse())
    assert_fails(3, "runs[1].size: 400 comes after 800; sizes must increase", *NODES, *KERNELS, "-s", "300", mixed)
    single = changed(folder, "product.json", lambda program: program.update(runs=program["runs"][:1]))
    assert_fails(3, "one size only, 100, was measured", *NODES, *KERNELS, "-s", "300", single)
    arm = changed(folder, "product.json", lambda program: program.update(architecture="aarch64"))
    assert_fails(3, "the program ran on aarch64, but the reference 'pentium'", *NODES, *KERNELS, arm)
    strange = changed(folder, "product.json", lambda program: [run["counts"].update(divide=0, float_divide=1e12)
                                                               for run in program["runs"]])
    result = story.whyslow("predict", *NODES, *KERNELS, strange)
    assert result.returncode == 3 and "no estimate: most of its work is of kinds" in result.stdout, result.stdout
    assert_fails(3, "cannot read", *NODES, *KERNELS, os.path.join(folder, "none.json"))
    assert_fails(3, "whyslow-program', where a 'whyslow-node' is wanted", "-r", PRODUCT, *NODES[2:], PRODUCT)


def test_mistakes_in_the_command():
    assert_fails(2, "--reference is missing", *NODES[2:], PRODUCT)
    assert_fails(2, "--target is missing", *NODES[:2], PRODUCT)
    assert_fails(2, "--size -3: a number greater than 0", *NODES, "--size=-3", PRODUCT)
    assert_fails(2, "--size nan: a number", *NODES, "--size", "nan", PRODUCT)
    assert_fails(2, "--anchor 500: SIZE=SECONDS is wanted", *NODES, "--anchor", "500", PRODUCT)
    assert_fails(2, "--model best: there are default and paper", *NODES, "--model", "best", PRODUCT)
    assert_fails(2, "--coverage 100", *NODES, "--coverage", "100", PRODUCT)


if __name__ == "__main__":
    story.main()
