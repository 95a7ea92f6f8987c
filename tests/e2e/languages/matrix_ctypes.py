"""The same calls in Python through ctypes, with MPICH's library: Debian builds mpi4py for Open MPI only."""
import ctypes
from ctypes import byref, c_double, c_int, c_long, c_void_p, sizeof

# By the names that all of the program shares: what is looked up in the library itself passes the recorder by.
ctypes.CDLL("libmpich.so.12", ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(None)
WORLD, INT, DOUBLE, NO_TYPE, NO_INFO = 0x44000000, 0x4C000405, 0x4C00080B, 0x0C000000, 0x1C000000
MAX, SUM = 0x58000001, 0x58000003
ANY_SOURCE, ANY_TAG, PROC_NULL = -2, -1, -1
IGNORE, IN_PLACE, BOTTOM = c_void_p(1), c_void_p(-1), c_void_p(0)


class Status(ctypes.Structure):
    _fields_ = [("count", c_int), ("cancelled", c_int), ("source", c_int), ("tag", c_int), ("error", c_int)]


class Mpi:
    """Mpi().Send(...) calls MPI_Send."""

    def __getattr__(self, name):
        function = getattr(library, "MPI_" + name)

        def call(*arguments):
            assert function(*arguments) == 0, name
        setattr(self, name, call)
        return call


def ints(*values):
    return (c_int * len(values))(*values)


mpi, one, flag, half = Mpi(), c_int(), c_int(), c_int()
mpi.Init(None, None)
mpi.Comm_rank(WORLD, byref(one))
rank = one.value
mpi.Comm_size(WORLD, byref(one))
next, previous = (rank + 1) % one.value, (rank - 1) % one.value
mpi.Comm_split(WORLD, rank % 2, -rank, byref(half))
total = 0


def blocking():
    global total
    out, into, strided = ints(rank, rank + 1, rank + 2), ints(0, 0, 0), ints(rank, 0, rank, 0, rank)
    real, status, every_other = (c_double * 2)(rank / 2, rank / 4), Status(), c_int()
    if rank % 2 == 0:
        mpi.Send(out, 3, INT, next, 7, WORLD)
        mpi.Recv(real, 2, DOUBLE, next, ANY_TAG, WORLD, byref(status))
        mpi.Get_count(byref(status), DOUBLE, byref(one))
        total += status.source + status.tag + one.value
    else:
        mpi.Recv(into, 3, INT, ANY_SOURCE, ANY_TAG, WORLD, IGNORE)
        mpi.Ssend(real, 2, DOUBLE, previous, 8, WORLD)
        total += into[2]
    mpi.Sendrecv(out, 1, INT, next, 9, into, 1, INT, previous, 9, WORLD, IGNORE)
    mpi.Sendrecv_replace(into, 2, INT, next, 10, previous, ANY_TAG, WORLD, byref(status))
    total += into[0] + status.tag
    mpi.Send(out, 1, INT, PROC_NULL, 11, WORLD)
    mpi.Type_vector(3, 1, 2, INT, byref(every_other))
    mpi.Type_commit(byref(every_other))
    if rank % 2 == 0:
        mpi.Send(strided, 1, every_other, next, 12, WORLD)
    else:
        mpi.Probe(ANY_SOURCE, 12, WORLD, byref(status))
        mpi.Recv(into, 3, INT, status.source, 12, WORLD, IGNORE)
        total += into[2]
    mpi.Type_free(byref(every_other))


def non_blocking():
    global total
    out, into, requests, status = ints(rank), ints(0, 0), ints(0, 0), Status()
    second, late = byref(into, sizeof(c_int)), byref(requests, sizeof(c_int))
    mpi.Irecv(into, 1, INT, ANY_SOURCE, 20, WORLD, requests)
    mpi.Isend(out, 1, INT, next, 20, WORLD, late)
    mpi.Waitall(2, requests, IGNORE)
    mpi.Comm_rank(half, byref(one))
    peer = 1 - one.value
    mpi.Irecv(second, 1, INT, peer, 21, half, requests)
    mpi.Issend(out, 1, INT, peer, 21, half, late)
    mpi.Wait(requests, byref(status))
    mpi.Wait(late, IGNORE)
    total += into[0] + into[1] + status.source
    mpi.Irecv(into, 1, INT, peer, 22, half, requests)
    mpi.Isend(out, 1, INT, peer, 22, half, late)
    flag.value = 0
    while not flag.value:
        mpi.Testall(2, requests, byref(flag), IGNORE)
    total += into[0]


def persistent():
    global total
    out, into, requests = ints(rank), ints(0), ints(0, 0)
    late = byref(requests, sizeof(c_int))
    mpi.Recv_init(into, 1, INT, previous, 30, WORLD, requests)
    mpi.Send_init(out, 1, INT, next, 30, WORLD, late)
    for _ in range(3):
        mpi.Startall(2, requests)
        mpi.Waitall(2, requests, IGNORE)
        out[0] = into[0]
    mpi.Request_free(requests)
    mpi.Request_free(late)
    total += into[0]


def absolute():
    global total
    numbers, address, kind = ints(rank, rank), c_long(), c_int()
    mpi.Get_address(numbers, byref(address))
    mpi.Type_create_hindexed(1, ints(2), byref(address), INT, byref(kind))
    mpi.Type_commit(byref(kind))
    if rank % 2 == 0:
        mpi.Send(BOTTOM, 1, kind, next, 40, WORLD)
    else:
        mpi.Recv(BOTTOM, 1, kind, previous, 40, WORLD, IGNORE)
    mpi.Type_free(byref(kind))
    total += numbers[1]


def collective():
    global total
    every, other, one, two = ints(*[rank] * 4), ints(0, 0, 0, 0), ints(rank), ints(rank, rank)
    request, copy = c_int(), c_int()
    mpi.Barrier(WORLD)
    mpi.Bcast(two, 2, INT, 1, half)
    total += two[1]
    mpi.Reduce(IN_PLACE if rank == 0 else two, two if rank == 0 else None, 2, INT, SUM, 0, WORLD)
    mpi.Allreduce(IN_PLACE, one, 1, INT, MAX, half)
    total += one[0]
    if rank == 2:
        mpi.Gather(IN_PLACE, 0, NO_TYPE, every, 1, INT, 2, WORLD)
    else:
        mpi.Gather(one, 1, INT, None, 0, NO_TYPE, 2, WORLD)
    mpi.Allgather(IN_PLACE, 0, NO_TYPE, every, 1, INT, WORLD)
    mpi.Alltoall(every, 1, INT, other, 1, INT, WORLD)
    mpi.Allgatherv(one, 1, INT, other, ints(1, 1, 1, 1), ints(0, 1, 2, 3), INT, WORLD)
    total += other[3]
    if rank == 1:
        mpi.Scatter(other, 1, INT, IN_PLACE, 0, NO_TYPE, 1, WORLD)
    else:
        mpi.Scatter(None, 0, NO_TYPE, one, 1, INT, 1, WORLD)
    mpi.Scan(one, two, 1, INT, SUM, WORLD)
    total += two[0]
    mpi.Iallreduce(IN_PLACE, every, 4, INT, SUM, WORLD, byref(request))
    mpi.Wait(byref(request), IGNORE)
    mpi.Comm_dup(half, byref(copy))
    mpi.Ibarrier(copy, byref(request))
    mpi.Wait(byref(request), IGNORE)
    mpi.Comm_free(byref(copy))
    total += every[3]


def one_sided():
    global total
    exposed, out, window = ints(0, 0), ints(rank), c_int()
    mpi.Win_create(exposed, c_long(8), 4, NO_INFO, WORLD, byref(window))
    mpi.Win_fence(0, window)
    mpi.Put(out, 1, INT, next, c_long(1), 1, INT, window)
    mpi.Win_fence(0, window)
    mpi.Win_free(byref(window))
    total += exposed[1]


blocking()
non_blocking()
persistent()
absolute()
collective()
one_sided()
mpi.Comm_free(byref(half))
print(f"rank {rank} sum {total}\n", end="", flush=True)
mpi.Finalize()
