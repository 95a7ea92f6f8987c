"""Both engines give the same report, byte for byte, of real programs under both MPIs."""
import os
import re

import story

# One of each way in which events meet: messages, wildcards, several requests at once, probes, collective
# operations, epochs and locks of windows.
PROGRAMS = ("late-sender/positive_any_source.c", "late-sender/positive_waitall.c", "late-sender/positive_probe.c",
            "late-receiver/positive_rendezvous.c", "early-reduce/positive_nonblocking.c",
            "wait-at-barrier/positive_two_communicators.c", "wait-at-nxn/positive_alltoall.c",
            "late-post/positive_two_targets.c", "early-wait/positive.c", "lock-contention/positive_shared.c",
            "wait-at-window-create/positive_allocate.c")
KB = os.path.join(story.ROOT, "kb", "mpi")


def reports(trace):
    return [story.whyslow("diagnose", trace, "--json", "--threshold", "0", "--engine", engine)
            for engine in ("native", "clips")]


def test_same_report(work):
    if "clips" not in story.whyslow("diagnose", "--help").stdout:
        story.skip("this build has no CLIPS engine to compare with")
    for mpi in story.mpis():
        for name in PROGRAMS:
            source = os.path.join(KB, name)
            with open(source, encoding="utf-8") as file:
                ranks = int(re.search(r"ranks=(\d+)", file.readline()).group(1))
            program = mpi.compile(source, os.path.join(work, "program"), "-I" + KB)
            trace = os.path.join(work, mpi.name + "-" + name.replace("/", "-"))
            story.record(trace, mpi.command(ranks, program))
            native, clips = reports(trace)
            assert native.returncode == 0 and clips.returncode == 0, (mpi.name, name, native.stderr, clips.stderr)
            assert '"problems"' in native.stdout
            assert native.stdout == clips.stdout, (mpi.name, name)


story.main()
