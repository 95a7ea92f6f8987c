"""`whyslow run --live`: the ranking so far, on a terminal, while the program runs; and Ctrl-C."""
import json
import os
import pty
import re
import select
import time

import story

# Rank 0 comes 200 ms late to each message: rank 1 waits for it.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
    int rank, steps = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "running\n");
    for (int i = 0; i < steps; i++) {
        if (rank == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
            MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0) {
        puts("the program's last line");
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 3;
}
"""


class Terminal:
    """A command with a pseudo terminal as its standard error and controlling terminal."""

    def __init__(self, *command, stdout):
        self.text, self.times = "", []
        self.process, self.fd = pty.fork()
        if self.process == 0:
            try:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
                os.execvp(command[0], [str(word) for word in command])
            finally:
                os._exit(126)
        self.begin = time.monotonic()

    def read(self, until=None, timeout=120):
        """Reads until the text matches, or until the command ends."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                chunk = os.read(self.fd, 65536)
            except OSError:  # the last one has closed it
                chunk = b""
            if not chunk:
                assert not until, f"nothing like {until!r}: {self.text}"
                return
            self.text += chunk.decode(errors="replace")
            if until and re.search(until, self.text):
                return
        raise AssertionError(f"nothing like {until!r} in {timeout} s: {self.text}")

    def press(self, key):
        os.write(self.fd, key)

    def end(self):
        """The exit code, as a shell tells it."""
        self.read()
        _, status = os.waitpid(self.process, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def compile_program(mpi, folder):
    source = story.write(folder, "late.c", PROGRAM)
    return mpi.compile(source, os.path.join(folder, mpi.name + ".program"))


def test_ranking_appears_before_the_program_ends(folder):
    for mpi in story.mpis():
        program = compile_program(mpi, folder)
        trace, out = os.path.join(folder, mpi.name), os.path.join(folder, mpi.name + ".out")
        run = Terminal(story.WHYSLOW, "run", "--live", "--json", "-o", trace, "--", *mpi.command(2, program, 45),
                       stdout=out)
        run.read(until=r"so far: waiting took \d+ %.*\n  1\. Late sender +\d+ %  MPI_Recv at late.c:18\r\n")
        assert "last line" not in open(out).read(), run.text
        code = run.end()
        said = open(out).read()
        assert code == 3, (code, run.text)
        assert "so far" not in said
        last, report = said.split("\n", 1)
        assert last == "the program's last line", said
        assert abs(story.by_id(json.loads(report))["late-sender"] - 9) < 1.5, said
        assert run.text.count("so far") >= 2, run.text
        assert "running" in run.text
        assert "recorded 2 processes" in run.text.split("so far")[-1], "the ranking goes on after the end"


def bare_interrupted(command, folder):
    run = Terminal(*command, stdout=os.path.join(folder, "bare.out"))
    run.read(until="running")
    time.sleep(3)
    run.press(b"\x03")
    return run.end()


def assert_bare_code(code, command, folder):
    """Hydra's own code after Ctrl-C is now 2, now 0: so it is looked for among several."""
    bare = set()
    for _ in range(12):
        bare.add(bare_interrupted(command, folder))
        if code in bare:
            return
    raise AssertionError(f"{code}, where the command alone ends with {bare}")


def test_ctrl_c_leaves_a_trace_and_a_report(folder):
    for mpi in story.mpis():
        program = compile_program(mpi, folder)
        command = mpi.command(2, program, 600)
        trace, out = os.path.join(folder, mpi.name), os.path.join(folder, mpi.name + ".out")
        run = Terminal(story.WHYSLOW, "run", "--live", "--json", "-o", trace, "--", *command, stdout=out)
        run.read(until=r"1\. Late sender")
        run.press(b"\x03")
        code = run.end()
        assert_bare_code(code, command, folder)
        said = open(out).read()
        report = json.loads(said[said.index("{"):])
        assert story.by_id(report)["late-sender"] > 2, said
        assert report["run"]["exit_code"] == code
        again = story.diagnose(trace)
        assert again["problems"] == report["problems"]


def test_without_a_terminal_only_the_report(folder):
    mpi = story.mpis()[0]
    program = compile_program(mpi, folder)
    result = story.whyslow("run", "--live", "-o", os.path.join(folder, "trace"), "--", *mpi.command(2, program, 20))
    assert result.returncode == 3
    assert "so far" not in result.stderr + result.stdout
    assert "--live: standard error is no terminal: nothing is shown until the program has ended" in result.stderr
    assert "1. Late sender" in result.stdout


if __name__ == "__main__":
    story.main()
