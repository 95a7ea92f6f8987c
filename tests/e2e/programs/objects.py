"""mpi4py with objects of all kinds, by every way it has to pass them."""
import array
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size
said = []


def say(what, value):
    said.append(f"rank {rank} {what} {value!r}"[:200])


objects = [None, True, 7, 2**200, -1.5, 3 + 4j, "text with ü", b"bytes", [1, [2, {3: "x"}]], (), {"a": {1, 2}},
           range(5), Exception("kept"), "long " * 20000, array.array("d", [1, 2]), frozenset((rank,)), MPI.SUM is not None]

# pickled, one message each
for each in objects:
    say("sendrecv", world.sendrecv(each, dest=right, source=left))
requests = [world.isend(each, dest=right, tag=number) for number, each in enumerate(objects)]
for number in reversed(range(len(objects))):
    request = world.irecv(1 << 20, source=left, tag=number)
    say("irecv", request.wait())
MPI.Request.waitall(requests)
try:
    world.send(lambda: 0, dest=right)
except Exception as error:  # what cannot be pickled is an error before anything is sent
    say("error", type(error).__name__)
request = world.isend({"probed": rank}, dest=right, tag=78)
say("mprobe", world.mprobe(source=left, tag=78).recv())
request.wait()

# collectives of objects
say("bcast", world.bcast({"root": [1, 2, 3]} if rank == 0 else None))
say("gather", world.gather((rank, "x" * rank)))
say("scatter", world.scatter([{"for": other} for other in range(size)] if rank == 0 else None))
say("allgather", world.allgather([rank] * rank))
say("alltoall", world.alltoall([f"{rank}->{other}" for other in range(size)]))
say("reduce", world.reduce(rank + 1))
say("allreduce", world.allreduce([rank], op=MPI.SUM))
say("scan", world.scan(rank + 1))
say("exscan", world.exscan(rank + 1))

# buffers, in place, derived types, persistent and partial
numbers = array.array("d", [rank] * 1000)
total = array.array("d", [0] * 1000)
world.Allreduce(numbers, total)
say("Allreduce", total[:2])
world.Allreduce(MPI.IN_PLACE, total, op=MPI.MAX)
say("in place", total[:2])
column = MPI.DOUBLE.Create_vector(10, 1, 100).Commit()
status = MPI.Status()
world.Sendrecv([numbers, 1, column], dest=right, recvbuf=[total, 10, MPI.DOUBLE], source=left, status=status)
say("vector", (total[:3], status.Get_count(MPI.DOUBLE), status.Get_source() == left))
sending, receiving = world.Send_init(numbers, dest=right), world.Recv_init(total, source=left)
for _ in range(3):
    MPI.Prequest.Startall([sending, receiving])
    MPI.Request.Waitall([sending, receiving])
sending.Free(), receiving.Free()
say("persistent", total[:2])

# communicators, groups, windows, files, attributes, errors
half = world.Split(rank % 2, rank)
say("split", (half.Get_size(), half.allreduce(rank)))
half.Free()
ring = world.Create_cart([size], periods=[True])
say("cart", (ring.Shift(0, 1), ring.neighbor_allgather(rank)))
ring.Free()
window = MPI.Win.Allocate(8 * size, 8, comm=world)
window.Fence()
window.Put(array.array("q", [rank]), right, target=rank)
window.Fence()
window.Lock(left, MPI.LOCK_SHARED)
window.Unlock(left)
say("window", array.array("q", window.tomemory().tobytes())[left])
window.Free()
file = MPI.File.Open(world, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(rank * 8, array.array("q", [rank]))
file.Sync()
world.Barrier()
back = array.array("q", [-1])
file.Read_at(right * 8, back)
file.Close()
say("file", back)
key = MPI.Comm.Create_keyval(copy_fn=lambda comm, keyval, value: value)
world.Set_attr(key, {"attribute": rank})
copy = world.Dup()
say("attribute", copy.Get_attr(key))
copy.Free()
operation = MPI.Op.Create(lambda one, other, kind: None, commute=True)
operation.Free()
say("own operation", world.allreduce(rank + 1, op=lambda one, other: one * other))
try:
    world.Send(numbers, dest=size + 5)
except MPI.Exception as error:
    say("error", error.Get_error_class() == MPI.ERR_RANK)
say("idle", (MPI.REQUEST_NULL == MPI.Request(), MPI.Is_finalized()))
for other in range(size):  # in order, so that the lines can be compared
    world.Barrier()
    if other == rank:
        print("\n".join(said), flush=True)
