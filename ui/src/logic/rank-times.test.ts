import { expect, test } from "vitest";
import { messagesFixture, ranksOn } from "./messages.fixture";
import { blockNote, blocksOf } from "./rank-blocks";
import { barWords, rankBars, spreadWords } from "./rank-times";

const job = (count: number) => ({ ...messagesFixture, ranks: ranksOn(count, count).reverse() });

test("a rank is a bar, in the order of ranks", () => {
    const bars = rankBars(job(4));
    expect(bars.map(({ name, mean }) => [name, mean])).toEqual([["0", 1], ["1", 1.1], ["2", 1.2], ["3", 1.3]]);
    expect(bars.map(barWords)[1]).toBe("rank 1: 1.10 s");
    expect(rankBars(job(64))).toHaveLength(64);
    expect(rankBars(job(0))).toEqual([]);
});

test("more than 64 ranks are blocks with their mean, least and most", () => {
    const bars = rankBars(job(100));
    expect(bars).toHaveLength(50);
    expect(bars[49]).toEqual({ name: "98–99", first: 98, ranks: 2, least: 10.8, mean: expect.closeTo(10.85, 12) as number, most: 10.9 });
    expect(barWords(bars[0] ?? { name: "", first: 0, ranks: 0, least: 0, mean: 0, most: 0 })).toBe("ranks 0–1: 1.05 s on average, 1.00 s to 1.10 s");
    const uneven = rankBars(job(130));
    expect(uneven.map(({ ranks }) => ranks)).toEqual([...Array.from({ length: 43 }, () => 3), 1]);
    const whole = uneven.reduce((sum, { mean, ranks }) => sum + mean * ranks, 0);
    expect(whole).toBeCloseTo(job(130).ranks.reduce((sum, { seconds }) => sum + seconds, 0), 9);
});

test("the spread names the ranks at both ends, and one rank has none", () => {
    expect(spreadWords(job(4))).toBe("mean 1.15 s; least in rank 0, 1.00 s; most in rank 3, 1.30 s");
    expect(spreadWords(job(1))).toBeUndefined();
});

test("blocks are mentioned where there are any", () => {
    expect(blockNote(blocksOf(64), "x")).toBeUndefined();
    expect(blockNote(blocksOf(100), "a bar is their mean")).toBe("100 ranks are drawn in blocks of 2: a bar is their mean");
});
