// An exchange as `exchange --json` writes it (docs/exchange.md, docs/page.md), made up: a ring, and all to place 0.
export function exchange(places, name = "MPI_Send", more = {}) {
    const ring = [], gather = [];
    for (let place = 0; place < places; place++) {
        ring.push([place, (place + 1) % places, 100, 100 * 80000]);
        if (place) gather.push([place, 0, 10, 10 * 8 * (1 + (place % 5))]);
    }
    const parts = [
        { kind: "message", function: name, type: "tag 7", size_from: 65536, size_to: 131071, pairs: ring },
        { kind: "collective", function: "MPI_Reduce", type: "", size_from: 8, size_to: 63, pairs: gather },
    ];
    const sums = new Map(), received = new Array(places).fill(0);
    for (const [from, to, messages, bytes] of [...ring, ...gather]) {
        const pair = sums.get(from * places + to) ?? { from, to, messages: 0, bytes: 0 };
        pair.messages += messages;
        pair.bytes += bytes;
        received[to] += bytes;
        sums.set(from * places + to, pair);
    }
    const slots = [3, 1, 2].map((share, i) => ({ begin_ns: i * 1e6, end_ns: (i + 1) * 1e6, messages: 100 * share, bytes: 1e6 * share }));
    return { runtime: "mpi", places, place: { name: "place", first: 0 }, pairs: [...sums.values()], received, parts, slots, ...more };
}
