import { describe, expect, it } from "vitest";
import { byPlace, byWorth, firstEvidence, ordered, worth } from "./advice";
import type { Confidence, Evidence, Gain, Recommendation } from "./contract";

function advice(id: string, confidence: Confidence, gain?: Gain, more: Partial<Recommendation> = {}): Recommendation {
    const base: Recommendation = { id, rule: id, title: id, confidence, evidence: [], facts: [], how: "", ...more };
    return gain === undefined ? base : { ...base, program_gain: gain };
}

describe("the order of recommendations", () => {
    it("puts a sure gain before a wide hint", () => {
        const wide = advice("wide", "low", [1, 2]);
        const sure = advice("sure", "high", [1.2, 1.3]);
        const none = advice("none", "high");
        expect([none, wide, sure].sort(byWorth).map((each) => each.id)).toEqual(["sure", "wide", "none"]);
        expect(worth(none)).toBe(0);
    });
    it("does not begin with a hint while something surer is worth making", () => {
        const hint = advice("hint", "low", [1, 30]);
        const sure = advice("sure", "high", [1, 1.3]);
        const small = advice("small", "high", [1, 1.01]);
        const ids = (...all: Recommendation[]) => ordered(all).map((each) => each.id);
        expect(ids(small, hint, sure)).toEqual(["sure", "hint", "small"]);
        expect(ids(small, hint)).toEqual(["hint", "small"]);
        expect(ids()).toEqual([]);
    });
    it("breaks ties by confidence, share, loop and name", () => {
        const same: Gain = [1, 1];
        const order = [
            advice("b", "high", same, { share: 0.1, loop_id: 2 }),
            advice("a", "high", same, { share: 0.1, loop_id: 2 }),
            advice("c", "high", same, { share: 0.1, loop_id: 1 }),
            advice("d", "high", same, { share: 0.2, loop_id: 9 }),
            advice("e", "medium", same, { share: 0.9 }),
        ];
        expect(order.sort(byWorth).map((each) => each.id).join("")).toBe("dcabe");
    });
    it("takes one place together, at its best", () => {
        const list = [advice("a", "high", [1, 2], { group: 1 }), advice("b", "high", [1, 1.9]), advice("c", "high", [1, 1.8], { group: 1 })];
        const places = byPlace(list);
        expect(places.map(({ best, others }) => [best.id, others.map((other) => other.id)])).toEqual([["a", ["c"]], ["b", []]]);
    });
});

describe("evidence", () => {
    it("does not repeat the loop's share", () => {
        const share: Evidence = { provenance: "measured", kind: "loop-share", share: 0.5, samples: 100, pieces: 1 };
        const other: Evidence = { provenance: "binary", kind: "scalar-arithmetic" };
        const first = (evidence: string[], facts: Evidence[], most?: number) =>
            firstEvidence(advice("a", "high", undefined, { loop_id: 1, evidence, facts }), most);
        expect(first(["share", "why", "more"], [share, other, other])).toEqual(["why"]);
        expect(first(["why", "share"], [other, share], 2)).toEqual(["why"]);
        expect(first(["only"], [share])).toEqual(["only"]);
        expect(first(["x", "y"], [other, other], 2)).toEqual(["x", "y"]);
    });
});
