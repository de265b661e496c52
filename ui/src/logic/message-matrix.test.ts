import { describe, expect, test } from "vitest";
import type { CommFacts } from "./contract";
import { bytesOf, cellWords, colourSteps, drawnBoundaries, hostWords, level, messageMatrix, pictureWords } from "./message-matrix";
import { completeFixture, messagesFixture as fixture, ranksOn, ringOf } from "./messages.fixture";

const job = (count: number, ofHost: number, bytes?: number): CommFacts => ({ ...fixture, size: count, ranks: ranksOn(count, ofHost), matrix: ringOf(count, bytes) });

function made(comm: CommFacts) {
    const matrix = messageMatrix(comm);
    if (matrix === undefined) throw new Error("there are messages");
    return matrix;
}

const sum = (all: readonly { messages: number; bytes: number }[], of: "messages" | "bytes") => all.reduce((total, each) => total + each[of], 0);

describe("squares", () => {
    test("without messages there are none", () => {
        expect(messageMatrix({ ...fixture, matrix: [] })).toBeUndefined();
    });

    test("up to 64 ranks have their own, also ranks that were only sent to", () => {
        const { blocks, cells } = made(completeFixture);
        expect(blocks).toEqual({ ranks: 8, size: 1, count: 8 });
        expect(cells.map(({ from, to, bytes }) => [from, to, bytes])).toEqual([[0, 1, 1_048_576], [1, 2, 2048], [2, 2, 0], [3, 7, 64]]);
        expect(made(job(64, 64)).blocks).toEqual({ ranks: 64, size: 1, count: 64 });
    });

    test("one rank that sends to itself is one square", () => {
        const { blocks, cells, range } = made(job(1, 1, 5));
        expect([blocks.count, cells.length, range]).toEqual([1, 1, [5, 5]]);
        expect(cellWords(blocks, cells[0] ?? { from: 9, to: 9, messages: 0, bytes: 0, level: 0 })).toBe("from rank 0 to rank 0: 2 messages, 5 B");
    });

    test("100 ranks are 50 blocks of two whose sums are exact", () => {
        const comm = job(100, 100);
        const { blocks, cells } = made(comm);
        expect(blocks).toEqual({ ranks: 100, size: 2, count: 50 });
        // Within a block, and to the next one.
        expect(cells).toHaveLength(100);
        expect(cells.every(({ messages, bytes }) => messages === 2 && bytes === 1000)).toBe(true);
        const all = Array.from({ length: 100 * 100 }, (_, at) => ({ from: Math.floor(at / 100), to: at % 100, messages: 1 + (at % 7), bytes: at * at }));
        const dense = made({ ...comm, matrix: all });
        expect(dense.cells).toHaveLength(50 * 50);
        for (const of of ["messages", "bytes"] as const) expect(sum(dense.cells, of)).toBe(sum(all, of));
        const some = all.filter(({ from, to }) => from >= 6 && from < 8 && to >= 2 && to < 4);
        expect(dense.cells.find(({ from, to }) => from === 3 && to === 1)).toMatchObject({ messages: sum(some, "messages"), bytes: sum(some, "bytes") });
        expect(cellWords(blocks, { from: 3, to: 49, messages: 1, bytes: 2048, level: 0 })).toBe("from ranks 6–7 to ranks 98–99: 1 message, 2 KiB");
    });

    test("the last block has the ranks that remain, and no number of ranks makes more than 64", () => {
        const { blocks } = made(job(130, 130));
        expect(blocks).toEqual({ ranks: 130, size: 3, count: 44 });
        expect(cellWords(blocks, { from: 43, to: 0, messages: 5, bytes: 5, level: 0 })).toBe("from ranks 129 to ranks 0–2: 5 messages, 5 B");
        for (const count of [65, 127, 4096, 100_000]) expect(made({ ...fixture, size: count }).blocks.count).toBeLessThanOrEqual(64);
        expect(made({ ...fixture, size: 4_294_967_295 }).cells).toHaveLength(1);
    });
});

describe("colours", () => {
    test("are by the logarithm of bytes, from the fewest to the most", () => {
        const range = [1, 1_000_000] as const;
        expect([1, 1000, 1_000_000].map((bytes) => level(bytes, range))).toEqual([0, 0.5, 1].map((each) => expect.closeTo(each, 12) as number));
        expect([0, 0.5, 1].map((at) => bytesOf(at, range))).toEqual([1, 1000, 1_000_000]);
        expect([level(0, range), level(7, [7, 7])]).toEqual([0, 1]);
        const { cells, range: found } = made(fixture);
        expect(found).toEqual([64, 1_048_576]);
        expect(cells.map((cell) => cell.level)).toEqual([1, expect.closeTo(5 / 14, 12), 0, 0]);
    });

    test("are not far apart where bytes hardly differ", () => {
        const { range, cells } = made({ ...job(2, 2), matrix: [{ from: 0, to: 1, messages: 1, bytes: 1500 }, { from: 1, to: 0, messages: 1, bytes: 1600 }] });
        expect(range).toEqual([100, 1600]);
        expect(cells[0]?.level).toBeGreaterThan(0.97);
    });

    test("have a legend, of one colour where all are the same", () => {
        expect(colourSteps(made(fixture)).map(({ bytes }) => bytes)).toEqual([64, 724, 8192, 92_682, 1_048_576]);
        expect(colourSteps(made(job(4, 4)))).toEqual([{ level: 1, bytes: 1000 }]);
        expect(colourSteps(made({ ...job(2, 2), matrix: [{ from: 0, to: 1, messages: 1, bytes: 1 }, { from: 1, to: 0, messages: 1, bytes: 2 }] })).map(({ bytes }) => bytes)).toEqual([1, 2]);
        const silent = made(job(3, 3, 0));
        expect([silent.range, silent.cells.map((cell) => cell.level)]).toEqual([[1, 1], [0, 0, 0]]);
    });
});

describe("hosts", () => {
    test("one host has no boundary and no share", () => {
        const matrix = made(job(8, 8));
        expect([matrix.boundaries, matrix.betweenHosts, hostWords(matrix)]).toEqual([[], undefined, undefined]);
    });

    test("boundaries are where the host changes, and the share is of bytes between known ranks", () => {
        const matrix = made(job(8, 2));
        expect(matrix.boundaries).toEqual([2, 4, 6]);
        expect(matrix.betweenHosts).toBe(0.5);
        expect(hostWords(matrix)).toBe("50 % of the bytes go from one host to another; lines are boundaries of hosts");
        // Rank 7 has no host that is known: what it receives counts for neither.
        expect(made(fixture).betweenHosts).toBeCloseTo(2048 / (1_048_576 + 2048), 12);
    });

    test("ranks that go around hosts in turn have no lines", () => {
        const comm = job(40, 1);
        const matrix = made({ ...comm, ranks: comm.ranks.map((rank) => ({ ...rank, host: `n${rank.rank % 2}` })) });
        expect([matrix.boundaries.length, drawnBoundaries(matrix)]).toEqual([39, []]);
        expect(hostWords(matrix)).toMatch(/^100 % of the bytes .* not drawn$/);
    });

    test("nothing that was sent has no share", () => {
        expect(hostWords(made(job(4, 2, 0)))).toBe("lines are boundaries of hosts");
    });
});

test("the picture is described by its pairs and the largest of them", () => {
    expect(pictureWords(made(fixture))).toBe("Bytes from rank to rank: 4 pairs of ranks with messages; most from rank 0 to rank 1: 300 messages, 1 MiB");
    expect(pictureWords(made(job(100, 100)))).toMatch(/: 100 pairs of blocks of ranks with messages; most from ranks 0–1 to ranks 0–1/);
});
