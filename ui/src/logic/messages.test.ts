import { describe, expect, test } from "vitest";
import { COMM_SIZES } from "./contract/words";
import { completeFixture, messagesFixture as comm, ranksOn } from "./messages.fixture";
import { commNotes, isWaitingEstimated, matrixWords, runWords, siteColumns, sizesByFunction } from "./messages";
import { sortOrder, sortedRows } from "./sorted-table";

const columns = siteColumns(comm);

function column(id: string): string[] {
    const found = columns.find((each) => each.id === id);
    if (found === undefined) throw new Error(`there is no column ${id}`);
    return comm.sites.map(found.text);
}

test("the run is one line", () => {
    expect(runWords(comm)).toBe("4 ranks on 2 hosts; one is in MPI for 1.15 s of 20.0 s (5.8 %)");
    expect(runWords({ ...comm, ranks: ranksOn(1, 1), elapsed_seconds: 0 })).toBe("1 rank on 1 host; one is in MPI for 1.15 s of 0 s (0 %)");
});

test("what is missing is said, and nothing where nothing is", () => {
    const notes = commNotes(comm);
    expect(notes).toHaveLength(8);
    expect(notes[0]).toMatch(/^MPI_COMM_WORLD has 8 ranks; the calls of 4 are known/);
    expect(notes.slice(1, 6).map((note) => note.split(" ")[0])).toEqual(["1", "2", "3", "4", "5"]);
    expect(notes[6]).toMatch(/^the bytes of 100 calls are not known/);
    expect(notes[7]).toMatch(/^MPI_Iprobe is not counted: its code/);
    expect(commNotes({ ...completeFixture, size: 4 })).toEqual([]);
    expect(commNotes({ ...completeFixture, size: 4, lost: { calls: 0, messages: 0, starts: 0, torn: 0, foreign: 7 } })).toHaveLength(1);
});

describe("the table of places", () => {
    test("has the columns of the text, with waiting that is timed or at least known", () => {
        expect(columns.map(({ title }) => title)).toEqual(["Function", "Where", "Caller", "Loop", "Calls", "Bytes", "Time", "% of run", "Waiting", "Imb. time", "Imb. %", "Slowest rank"]);
        expect(column("waiting")).toEqual([">500 ms", "125 ms", "", "", ""]);
        expect(column("loop")).toEqual(["halo.c:9", "", "halo.c:9", "", ""]);
        expect(column("share")).toEqual(["4.0", "1.0", "0.5", "0.2", "<0.1"]);
        expect(column("bytes")).toEqual(["3.12 KiB", "6.25 KiB", "78.1 KiB", "3.81 MiB", ""]);
        expect(column("imbalance")[0]).toBe("26.7");
        const waiting = columns.find(({ id }) => id === "waiting");
        expect(comm.sites.slice(0, 2).map((site) => waiting?.key?.(site))).toEqual(["sync_at_least", "sync_seconds"]);
        expect(isWaitingEstimated(comm)).toBe(true);
    });

    test("compares no ranks where there is one", () => {
        const one = { ...comm, ranks: ranksOn(1, 1) };
        expect(siteColumns(one).map(({ id }) => id)).toEqual(["function", "place", "caller", "loop", "calls", "bytes", "seconds", "share"]);
        expect(isWaitingEstimated(one)).toBe(false);
    });

    test("is sorted by any column, with what is not known last", () => {
        const by = (query: string) => sortedRows(comm.sites, columns, sortOrder(columns, new URLSearchParams(query))).map(({ at }) => at);
        expect(by("")).toEqual([0, 1, 2, 3, 4]);
        expect(by("sort=bytes")).toEqual([3, 2, 1, 0, 4]);
        expect(by("sort=bytes&desc=0")).toEqual([0, 1, 2, 3, 4]);
        expect(by("sort=waiting&desc=0")).toEqual([1, 0, 2, 3, 4]);
        expect(by("sort=function&desc=1")).toEqual([4, 2, 3, 1, 0]);
        expect(by("sort=__proto__")).toEqual([0, 1, 2, 3, 4]);
    });
});

test("sizes are summed by function, the most bytes first, without functions that send nothing", () => {
    const rows = sizesByFunction(comm);
    expect(rows).toEqual([
        { name: "MPI_Isend", bytes: 4_080_000, calls: 600, bins: [0, 0, 300, 100, 99, 1] },
        { name: "MPI_Bcast", bytes: 6400, calls: 400, bins: [0, 400, 0, 0, 0, 0] },
        { name: "MPI_Allreduce", bytes: 3200, calls: 400, bins: [400, 0, 0, 0, 0, 0] },
    ]);
    expect(rows.every(({ bins }) => bins.length === COMM_SIZES.length)).toBe(true);
    expect(sizesByFunction({ ...comm, sites: [] })).toEqual([]);
});

test("the matrix is one line", () => {
    expect(matrixWords(comm)).toMatch(/^501 messages with 1.00 MiB between 4 pairs of ranks/);
});
