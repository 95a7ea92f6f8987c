"""OpenSHMEM: what is recorded, what is found, who sent how much; with a small library of our own (tests/e2e/shmem: processes
that share memory), whose accesses take a planned time and which counts what it moves, and with Open MPI's OSHMEM.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import story
import streams
from test_recorder import count, events

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shmem")
KB = os.path.join(story.ROOT, "kb", "shmem")
sys.path.insert(0, os.path.join(story.ROOT, "scripts"))
import coverage  # pylint: disable=wrong-import-position


class Small:
    """The small library, its compiler and its launcher, in a folder of their own."""
    name = "small"

    def __init__(self, folder):
        self.home = os.path.join(folder, "sma")
        os.mkdir(self.home)
        library = os.path.join(self.home, "libsma.so")
        for words in (["-shared", "-fPIC", "-Wl,-soname,libsma.so", f"{HERE}/shmem.c", "-o", library],
                      [f"{HERE}/oshrun.c", "-o", os.path.join(self.home, "oshrun")]):
            subprocess.run(["cc", "-g", "-O1", "-I", HERE, *words], check=True)
        compiler = story.write(self.home, "oshcc",
                               f'#!/bin/sh\nexec cc -I {HERE} -L {self.home} "$@" -lsma -Wl,-rpath,{self.home}\n')
        os.chmod(compiler, 0o755)
        self.environment = {**os.environ, "PATH": self.home + ":" + os.environ["PATH"]}

    def compile(self, source, program):
        subprocess.run(["oshcc", "-g", "-O1", source, "-o", program], check=True, env=self.environment)
        return program

    def command(self, pes, *program):
        return [os.path.join(self.home, "oshrun"), "-n", str(pes), *program]


class OpenMpi:
    """Debian's, which is part of what the tests install; it crashes in shmem_finalize unless told otherwise."""
    name = "openmpi"

    def __init__(self):
        assert shutil.which("oshcc") and shutil.which("oshrun"), "Open MPI's oshcc and oshrun are not installed"
        self.environment = {**os.environ, "OMPI_MCA_patcher": "^overwrite"}

    def compile(self, source, program):
        subprocess.run(["oshcc", "-g", "-O1", "-w", source, "-o", program], check=True)
        return program

    def command(self, pes, *program):
        return ["oshrun", "-n", str(pes), *program]


def recorded(shmem, folder, source, pes, *arguments, code=0, environment=None):
    """(trace, records, result), after a look at the bare run: the program does and says the same."""
    program = shmem.compile(os.path.join(HERE, source), os.path.join(folder, shmem.name + "-" + source[:-2]))
    command = shmem.command(pes, program, *arguments)
    trace = os.path.join(folder, f"{shmem.name}-{source}-{'-'.join(arguments)}.trace")
    environment = {**shmem.environment, **(environment or {})}
    bare = story.run(*command, env=environment)
    result = story.record(trace, command, env=environment)
    assert result.returncode == bare.returncode == code, (bare, result)
    assert story.rank_lines(result.stdout) == story.rank_lines(bare.stdout), (bare.stdout, result.stdout, result.stderr)
    return trace, streams.read(trace), result


# ---- what is recorded ----

ACCESSES = [
    ("put", "shmem_double_p", 8), ("get", "shmem_float_g", 4), ("put", "shmem_long_put", 80),
    ("get", "shmem_short_get", 14), ("put", "shmem_int_iput", 16), ("get", "shmem_int_iget", 20),
    ("put", "shmem_char_put_nbi", 100), ("get", "shmem_int16_get_nbi", 18), ("put", "shmem_put32", 24),
    ("get", "shmem_iget64", 24), ("get", "shmem_getmem", 33), ("put", "shmem_putmem_nbi", 17),
    ("put", "shmem_ctx_int_put", 32), ("get", "shmem_ctx_double_g", 8), ("put", "shmem_long_p", 8)]
ATOMICS = [
    ("shmem_long_atomic_inc", 8, 0), ("shmem_long_atomic_fetch_inc", 8, 8), ("shmem_longlong_atomic_add", 8, 0),
    ("shmem_uint_atomic_fetch_add", 4, 4), ("shmem_ulong_atomic_and", 8, 0), ("shmem_uint64_atomic_fetch_or", 8, 8),
    ("shmem_ulonglong_atomic_xor", 8, 0), ("shmem_int_atomic_swap", 4, 4), ("shmem_double_atomic_swap", 8, 8),
    ("shmem_float_atomic_set", 4, 0), ("shmem_uint_atomic_compare_swap", 8, 4), ("shmem_long_atomic_fetch", 0, 8),
    ("shmem_int_finc", 4, 4), ("shmem_long_cswap", 16, 8)]
COLLECTIVES = [
    ("shmem_collect64", lambda me: 8 * (me + 1)), ("shmem_fcollect32", lambda me: 8), ("shmem_alltoall64", lambda me: 48),
    ("shmem_alltoalls32", lambda me: 12), ("shmem_int_sum_to_all", lambda me: 12), ("shmem_short_and_to_all", lambda me: 10),
    ("shmem_complexd_prod_to_all", lambda me: 32)]


def check_accesses(found, me, pes):
    for kind, function, size in ACCESSES:
        assert count(found, kind, function, peer=(me + 1) % pes, bytes=size) == 1, (me, function, found)
    assert count(found, "quiet", "shmem_quiet") == count(found, "quiet", "shmem_ctx_quiet") == 1
    assert count(found, "order", "shmem_fence") == 1
    address, = {fields["address"] for kind, _, fields in found if kind == "wait"}
    assert count(found, "put", "shmem_long_p", address=address) == 1, "the flag lies at one place everywhere"
    assert count(found, "test", address=address, met=1) == count(found, "test", address=address, met=0) == 1


def check_atomics(found, me, pes):
    for function, size, back in ATOMICS:
        assert count(found, "atomic", function, peer=(me + 1) % pes, bytes=size, reply=back) == 1, (me, function, found)
    assert count(found, "lock", "shmem_set_lock") == count(found, "lock", "shmem_test_lock") == 1
    assert count(found, "unlock", "shmem_clear_lock") == 2


def check_collectives(found, me, sets):
    for function, size in COLLECTIVES:
        assert count(found, "nxn", function, comm=1, size=3, bytes=size(me)) == 1, (me, function, found)
    assert count(found, "broadcast", comm=1, size=3, root=1, is_root=int(me == 1), bytes=24) == 1
    assert count(found, "barrier", comm=1, size=3) == 6
    own = [fields for kind, _, fields in found if kind == "barrier" and fields["comm"] != 1]
    assert [fields["size"] for fields in own] == ([2] if me % 2 == 0 else []), own
    sets.update(fields["comm"] for fields in own)
    assert [fields["bytes"] for kind, _, fields in found if kind == "allocation"] == [100, 200, 300, 0, 0], found


def check_kinds(shmem, folder, besides):
    """No event more than there are calls."""
    trace, records, _ = recorded(shmem, folder, "kinds.c", 3, besides, code=3)
    sets, addresses = set(), set()
    for me, found in sorted(events(records).items()):
        check_accesses(found, me, 3)
        check_collectives(found, me, sets)
        if "a" in besides:
            check_atomics(found, me, 3)
        addresses.update(fields["address"] for kind, _, fields in found if kind == "wait")
        others = len(ATOMICS) + 4 if "a" in besides else 0
        assert len(found) == len(ACCESSES) + others + len(COLLECTIVES) + 18 + (me % 2 == 0), (me, found)
    assert len(sets) == 1, "PEs 0 and 2 name their set alike"
    assert len(addresses) == 1, "and all the flag that they wait for"
    run = story.diagnose(trace)["run"]
    assert run["recording"]["unmatched"] == 0 and run["mpi"].startswith("OpenSHMEM"), run
    assert all("OpenSHMEM 1.4" in record["library"] for record in records if record["kind"] == "process_begin"), records


def test_every_family_is_recorded(folder):
    check_kinds(Small(folder), folder, "ac")


def test_on_open_mpi(folder):
    """And nothing of the MPI that liboshmem calls, nor of what it calls of itself."""
    check_kinds(OpenMpi(), folder, "c")


def test_the_exchange_is_what_the_library_counted(folder):
    shmem, counts = Small(folder), os.path.join(folder, "counts")
    trace, _, _ = recorded(shmem, folder, "kinds.c", 4, "a", code=3, environment={"SMA_COUNTS": counts})
    result = story.whyslow("exchange", "--json", trace)
    assert result.returncode == 0, result.stderr
    exchange = json.loads(result.stdout)
    with open(counts, encoding="utf-8") as file:
        wanted = {tuple(map(int, line.split())) for line in file}
    pairs = {(pair["from"], pair["to"], pair["messages"], pair["bytes"]) for pair in exchange["pairs"]}
    assert len(wanted) == 8 and pairs == wanted, (sorted(pairs), sorted(wanted))
    assert exchange["runtime"] == "shmem" and exchange["places"] == 4, exchange


SAMPLED = """
#include <shmem.h>
static long cells[100];
int main(void)
{
    int me, pes;
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    for (int i = 0; i < 3000; i++)
        if (i % pes != me)
            shmem_long_p(&cells[i % 100], i, i % pes);
    shmem_finalize();
    return 0;
}
"""


def test_what_is_only_counted_is_in_the_exchange(folder):
    shmem = Small(folder)
    program = shmem.compile(story.write(folder, "sampled.c", SAMPLED), os.path.join(folder, "sampled"))
    trace = os.path.join(folder, "trace")
    story.record(trace, shmem.command(3, program), "--sample", "10", env=shmem.environment)
    exchange = json.loads(story.whyslow("exchange", "--json", trace).stdout)
    pairs = {(pair["from"], pair["to"]): (pair["messages"], pair["bytes"]) for pair in exchange["pairs"]}
    assert pairs == {(a, b): (1000, 8000) for a in range(3) for b in range(3) if a != b}, exchange


def test_programs_of_before_and_ends_without_finalize(folder):
    shmem = Small(folder)
    trace, records, _ = recorded(shmem, folder, "old.c", 3)
    assert all(count(found, "put") == count(found, "barrier") == 1 for found in events(records).values()), records
    assert sum(record["kind"] == "process_end" for record in records) == 3
    trace, records, _ = recorded(shmem, folder, "ended.c", 3, code=5)
    assert story.diagnose(trace)["run"]["ranks"] == 3
    assert all(count(found, "barrier") == 1 for found in events(records).values()), records


# ---- what is found ----

def test_problem_types(folder):
    """Planted programs on the small library, whose remote accesses take 200 us, one after the other at each PE.  The story
    about all problem types (test_problems.py) tries them, and the others, on Open MPI."""
    shmem = Small(folder)
    ids = ["shmem/small-accesses", "shmem/hot-spot", "shmem/lock-contention"]
    result = story.whyslow("kb", "test", "--json", *ids, env={**shmem.environment, "SMA_DELAY_US": "200"})
    tests = json.loads(result.stdout)["tests"]
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(tests) == sum(len(glob.glob(os.path.join(KB, each.split("/")[1], "*.c"))) for each in ids), tests


def test_engines_and_teams_agree(folder):
    """On accesses of many to one, whose rules gather them from all PEs."""
    shmem = Small(folder)
    program = shmem.compile(os.path.join(KB, "hot-spot", "positive.c"), os.path.join(folder, "hot"))
    trace = os.path.join(folder, "trace")
    story.record(trace, shmem.command(4, program), env={**shmem.environment, "SMA_DELAY_US": "200"})
    texts = {story.whyslow("diagnose", "--threshold", "0", *options, trace).stdout
             for options in (("--engine", "native"), ("--jobs", "3"), *(
                 [("--engine", "clips")] if "clips" in story.whyslow("diagnose", "--help").stdout else []))}
    assert len(texts) == 1 and "1. Hot spot" in texts.pop(), texts


def test_who_ended_a_wait(folder):
    """The cause is the call that signalled, and the advice speaks of what its PE did before."""
    shmem = Small(folder)
    program = shmem.compile(os.path.join(KB, "long-wait", "positive_wave.c"), os.path.join(folder, "wave"))
    trace = os.path.join(folder, "trace")
    story.record(trace, shmem.command(3, program), env=shmem.environment)
    problems = story.diagnose(trace)["problems"]
    assert {problem["id"] for problem in problems if problem["duration_s"] > 0.02} == {"long-wait"}, problems
    causes = {}
    for each in (each for problem in problems for each in problem["causes"]):
        causes[each["rank"]] = causes.get(each["rank"], 0) + each["duration_s"]
    assert round(causes[0], 1) == 0.2 and round(causes[1], 1) == 0.4, problems
    assert any("which waited itself just before" in problem["description"] for problem in problems), problems


# ---- every function ----

def declared(folder):
    """The functions that Open MPI's headers declare."""
    source = story.write(folder, "all.c", "#include <shmem.h>\n#include <shmemx.h>\n")
    text = subprocess.run(["oshcc", "-E", "-P", source], stdout=subprocess.PIPE, check=True, text=True).stdout
    return set(re.findall(r"(?:\w|\*) *\b((?:shmemx?_|_?my_pe|_?num_pes|sh|start_pes|globalexit)\w*)\([^()]*\);", text))


def exported():
    """The functions of its library that a program may call: they have a name for profiling too."""
    linked = subprocess.run(["oshcc", "--showme:libdirs"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    library = next(path for each in linked for path in glob.glob(os.path.join(each, "liboshmem.so")))
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True)
    names = set(re.findall(r" [TW] (\w+)", symbols.stdout))
    return {name for name in names if "p" + name in names}


def test_every_function_is_recorded_or_it_is_said_why_not(folder):
    rules, reasons = coverage.recorded("shmem"), coverage.reasons("shmem")
    header, library = declared(folder), exported()
    assert len(header) > 850 and len(library) > 800, (len(header), len(library))
    missing = (header | library) - set(rules) - set(reasons)
    assert not missing, f"neither recorded nor in kb/shmem/not-recorded: {sorted(missing)}"
    assert not set(rules) & set(reasons), sorted(set(rules) & set(reasons))
    unknown = {name for name in set(reasons) | {name for name in rules if name.startswith("shmemx_")} if name not in header}
    assert not unknown, f"no header declares {sorted(unknown)}"
    twice = {name: what for name, what in rules.items() if len(what) > 1}
    assert not twice, f"recorded as two things: {twice}"


def test_the_declarations_are_those_of_the_header(folder):
    """The recorder is built without a header, for all libraries: so its declarations must be right."""
    header = declared(folder)
    with open(os.path.join(KB, "support.h"), encoding="utf-8") as file:
        types = re.findall(r"^typedef .* c_\w+;$", file.read(), re.M)
    same = [text for name, text in coverage.prototypes("shmem").items() if name in header]
    assert len(same) > 850, len(same)
    source = story.write(folder, "same.c", "\n".join(["#include <shmem.h>", "#include <shmemx.h>", *types, *same, ""]))
    result = story.run("oshcc", "-std=gnu99", "-fsyntax-only", source)
    assert result.returncode == 0, result.stderr


def test_the_recorder_wraps_what_the_table_says(folder):
    shmem = Small(folder)
    program = shmem.compile(story.write(folder, "preloaded.c", PRELOADED), os.path.join(folder, "preloaded"))
    result = story.record(os.path.join(folder, "trace"), shmem.command(1, program), env=shmem.environment)
    library = re.search(r"\S*/shmem-\w+-\w+\.so", result.stdout).group()
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True)
    wrapped = set(re.findall(r" T (\w+)$", symbols.stdout, re.M))
    known = set(coverage.recorded("shmem")) | coverage.hooked("shmem") | {"whyslow_control"}
    assert wrapped == known, wrapped ^ known
    needed = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert not re.search(r"NEEDED.*(shmem|sma|mpi)", needed), needed


PRELOADED = """
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    shmem_init();
    printf("%s\\n", getenv("LD_PRELOAD"));
    shmem_finalize();
    return 0;
}
"""

if __name__ == "__main__":
    story.main()
