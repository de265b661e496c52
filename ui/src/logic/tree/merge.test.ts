import { describe, expect, it } from "vitest";
import type { Report } from "../contract";
import { EXAMPLE, listOf } from "./example";
import { merge } from "./merge";
import { chosen, origins } from "./sources";

const plain = (list: ReturnType<typeof merge>) => list.map(({ parent, name, self_seconds, total_seconds }) => [parent, name, self_seconds, total_seconds]);

describe("merging trees of threads", () => {
    it("adds up nodes with the same names from the root down, and keeps the others apart", () => {
        const one = listOf([[null, "p", 0, 3], [0, "main", 1, 3], [1, "f", 2, 2]]);
        const two = listOf([[null, "p", 0, 9], [0, "start_thread", 0, 9], [1, "f", 4, 9], [2, "g", 5, 5]]);
        const three = listOf([[null, "p", 0, 5], [0, "main", 0, 5], [1, "f", 5, 5]]);
        expect(plain(merge([one, two, three]))).toEqual([
            [null, "p", 0, 17],
            [0, "start_thread", 0, 9],
            [1, "f", 4, 9],
            [2, "g", 5, 5],
            [0, "main", 1, 8],
            [4, "f", 7, 7],
        ]);
    });
    it("does not take functions of two modules, or two loops of one place, for one", () => {
        const tree = (module: string, loop_id: number) =>
            listOf([[null, "p", 0, 2], [0, "f", 1, 1, { module }], [0, "loop at a.c:1", 1, 1, { kind: "loop", loop_id }]]);
        expect(merge([tree("a", 1), tree("b", 2)])).toHaveLength(5);
        expect(merge([tree("a", 1), tree("a", 1)])).toHaveLength(3);
    });
    it("adds nothing to a single tree, and leaves its input as it is", () => {
        const before = JSON.stringify(EXAMPLE);
        expect(merge([EXAMPLE])).toEqual(EXAMPLE);
        merge([EXAMPLE, EXAMPLE]);
        expect(JSON.stringify(EXAMPLE)).toBe(before);
        expect(merge([])).toEqual([]);
    });
});

describe("whose time", () => {
    const small = listOf([[null, "p", 0, 1], [0, "f", 1, 1]]);
    const report = (threads: Report["threads"]) => ({ analysis: { tree: EXAMPLE }, threads }) as unknown as Report;
    it("is that of all, of each rank, of each thread", () => {
        const all = origins(
            report([
                { rank: 1, pid: 4, tid: 4, tree: small },
                { rank: 0, pid: 2, tid: 2, tree: small },
                { rank: 0, pid: 2, tid: 3, name: "worker", tree: small },
            ]),
        );
        expect(all.map(({ id, label }) => [id, label])).toEqual([
            ["all", "all threads"],
            ["rank-0", "rank 0"],
            ["rank-1", "rank 1"],
            ["1-4-4", "rank 1, thread 4"],
            ["0-2-2", "rank 0, thread 2"],
            ["0-2-3", "rank 0, thread 3 (worker)"],
        ]);
        expect(chosen(all, "rank-0")?.list()[0]?.total_seconds).toBe(2);
        expect(chosen(all, "no such")?.id).toBe("all");
    });
    it("is one without threads, none without call stacks", () => {
        expect(origins(report(undefined)).map((each) => each.id)).toEqual(["all"]);
        expect(origins({ analysis: {} } as unknown as Report)).toEqual([]);
    });
});
