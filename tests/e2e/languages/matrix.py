"""The same calls in Python, through mpi4py."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
next, previous = (rank + 1) % size, (rank - 1) % size
half = world.Split(rank % 2, -rank)
total = 0


def ints(*values):
    return array("i", values)


def blocking():
    global total
    out, into, strided = ints(rank, rank + 1, rank + 2), ints(0, 0, 0), ints(rank, 0, rank, 0, rank)
    real, status = array("d", (rank / 2, rank / 4)), MPI.Status()
    if rank % 2 == 0:
        world.Send(out, next, 7)
        world.Recv(real, next, MPI.ANY_TAG, status)
        total += status.source + status.tag + status.Get_count(MPI.DOUBLE)
    else:
        world.Recv(into, MPI.ANY_SOURCE, MPI.ANY_TAG)
        world.Ssend(real, previous, 8)
        total += into[2]
    one = ints(0)
    world.Sendrecv([out, 1, MPI.INT], next, 9, one, previous, 9)
    into[0] = one[0]
    world.Sendrecv_replace([into, 2, MPI.INT], next, 10, previous, MPI.ANY_TAG, status)
    total += into[0] + status.tag
    world.Send([out, 1, MPI.INT], MPI.PROC_NULL, 11)
    every_other = MPI.INT.Create_vector(3, 1, 2).Commit()
    if rank % 2 == 0:
        world.Send([strided, 1, every_other], next, 12)
    else:
        world.Probe(MPI.ANY_SOURCE, 12, status)
        world.Recv(into, status.source, 12)
        total += into[2]
    every_other.Free()


def non_blocking():
    global total
    out, one, two, status = ints(rank), ints(0), ints(0), MPI.Status()
    MPI.Request.Waitall([world.Irecv(one, MPI.ANY_SOURCE, 20), world.Isend(out, next, 20)])
    peer = 1 - half.rank
    receiving, sending = half.Irecv(two, peer, 21), half.Issend(out, peer, 21)
    receiving.Wait(status)
    sending.Wait()
    total += one[0] + two[0] + status.source
    requests = [half.Irecv(one, peer, 22), half.Isend(out, peer, 22)]
    while not MPI.Request.Testall(requests):
        pass
    total += one[0]


def persistent():
    global total
    out, into = ints(rank), ints(0)
    requests = [world.Recv_init(into, previous, 30), world.Send_init(out, next, 30)]
    for _ in range(3):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        out[0] = into[0]
    for request in requests:
        request.Free()
    total += into[0]


def absolute():
    global total
    numbers = ints(rank, rank)
    kind = MPI.INT.Create_hindexed([2], [MPI.Get_address(numbers)]).Commit()
    if rank % 2 == 0:
        world.Send([MPI.BOTTOM, 1, kind], next, 40)
    else:
        world.Recv([MPI.BOTTOM, 1, kind], previous, 40)
    kind.Free()
    total += numbers[1]


def collective():
    global total
    every, other, one, two = ints(*[rank] * 4), ints(0, 0, 0, 0), ints(rank), ints(rank, rank)
    world.Barrier()
    half.Bcast(two, 1)
    total += two[1]
    world.Reduce(MPI.IN_PLACE if rank == 0 else two, two if rank == 0 else None, MPI.SUM, 0)
    half.Allreduce(MPI.IN_PLACE, one, MPI.MAX)
    total += one[0]
    world.Gather(MPI.IN_PLACE if rank == 2 else one, every if rank == 2 else None, 2)
    world.Allgather(MPI.IN_PLACE, [every, 1, MPI.INT])
    world.Alltoall(every, other)
    world.Allgatherv(one, [other, (1, 1, 1, 1), (0, 1, 2, 3), MPI.INT])
    total += other[3]
    world.Scatter(other if rank == 1 else None, MPI.IN_PLACE if rank == 1 else one, 1)
    world.Scan(one, [two, 1, MPI.INT], MPI.SUM)
    total += two[0]
    world.Iallreduce(MPI.IN_PLACE, every, MPI.SUM).Wait()
    copy = half.Dup()
    copy.Ibarrier().Wait()
    copy.Free()
    total += every[3]


def one_sided():
    global total
    exposed, out = ints(0, 0), ints(rank)
    window = MPI.Win.Create(exposed, 4, MPI.INFO_NULL, world)
    window.Fence()
    window.Put(out, next, 1)
    window.Fence()
    window.Free()
    total += exposed[1]


blocking()
non_blocking()
persistent()
absolute()
collective()
one_sided()
half.Free()
print(f"rank {rank} sum {total}\n", end="", flush=True)
