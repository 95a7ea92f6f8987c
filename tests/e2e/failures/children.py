"""A rank that starts processes by every way Python has, before and while it communicates."""
import multiprocessing
import os
import subprocess
import sys


def square(number):
    return number * number


def main():
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    rank = world.Get_rank()
    said = []
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            said.append((way, pool.map(square, range(5)), world.allreduce(rank)))
    said.append(subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True).stdout.strip())
    said.append(os.system("exit 3") >> 8)
    child = os.fork()
    if child == 0:
        os._exit(4)
    said.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    child = os.fork()
    if child == 0:
        os.execvp("sh", ["sh", "-c", "exit 5"])
    said.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    said.append(world.allgather(rank))
    lines = world.gather(f"rank {rank} {said}")
    if rank == 0:  # alone: what several ranks write may be mixed on its way
        print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
