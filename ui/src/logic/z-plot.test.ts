import { expect, test } from "vitest";
import { energyFixture as counted, modelledFixture as modelled } from "./energy.fixture";
import { along, drawnLine, energyUnit, joined, markText, productLines, zPoints, zScales, zWords } from "./z-plot";

const plot = { x: 50, y: 10, width: 400, height: 200 };
const points = zPoints(counted);
const scales = zScales(points, plot);

test("there is a point for each number of threads whose energy is known", () => {
    expect(points.map(({ threads }) => threads)).toEqual([1, 2, 4, 8, 16]);
    expect(points.filter(({ isLeast }) => isLeast).map(({ threads }) => threads)).toEqual([4]);
    expect(points.filter(({ hasLeastProduct }) => hasLeastProduct).map(({ threads }) => threads)).toEqual([8]);
    expect(points[0]?.interval).toEqual([475, 520]);
    const [first, second] = structuredClone(counted.threads ?? []);
    if (first === undefined || second === undefined) throw new Error("the fixture has threads");
    delete first.joules;
    second.joules_interval = [330, 330];
    const some = zPoints({ ...counted, threads: [first, second] });
    expect(some.map(({ at, threads, interval }) => [at, threads, interval])).toEqual([[1, 2, undefined]]);
    expect(some[0]?.performance).toBeCloseTo(8 / 4.2);
});

test("no number of threads is best where the program does not obey it", () => {
    expect(zPoints(modelled).some(({ isLeast, hasLeastProduct }) => isLeast || hasLeastProduct)).toBe(false);
});

test("both axes begin at zero and hold every interval", () => {
    const { x, y } = scales;
    expect([x(0), y(0)]).toEqual([50, 210]);
    for (const { performance, joules, interval = [] } of points) {
        expect(x(performance)).toBeLessThan(450);
        for (const each of [joules, ...interval]) expect(y(each)).toBeGreaterThan(10);
    }
});

test("lines of equal product go through their points, and lines that would lie on each other are one", () => {
    const lines = productLines(points);
    expect(lines.map(({ product }) => Math.round(product))).toEqual([567, 4000, 897]);
    expect(lines.map(({ isLeast }) => isLeast)).toEqual([true, false, false]);
    const { x, y } = scales;
    lines.forEach((line, at) => {
        const drawn = drawnLine(line, scales);
        const point = [points[3], points[0], points[4]][at];
        if (point === undefined) throw new Error("each line has a point");
        const along = (x(point.performance) - drawn.x1) / (drawn.x2 - drawn.x1);
        expect(drawn.y1 + along * (drawn.y2 - drawn.y1)).toBeCloseTo(y(point.joules));
        // It ends at the top or at the right, and not beyond.
        expect(Math.min(450 - drawn.x2, drawn.y2 - 10)).toBeCloseTo(0);
        expect(drawn.x2).toBeLessThanOrEqual(450.001);
        expect(drawn.y2).toBeGreaterThanOrEqual(9.999);
    });
    expect(productLines(zPoints(modelled))).toHaveLength(1);
    expect(productLines([])).toEqual([]);
});

test("names keep away from all of the line that joins the points", () => {
    const lines = joined(points, scales);
    expect(lines).toHaveLength(4);
    expect([lines[0]?.x1, lines[0]?.y1, lines[3]?.x2, lines[3]?.y2]).toEqual([scales.x(1), scales.y(500), scales.x(8 / 2.3), scales.y(390)]);
    const boxes = along({ x1: 0, y1: 0, x2: 30, y2: 40 });
    expect([boxes[0], boxes.at(-1)]).toEqual([{ x: -1.5, y: -1.5, width: 3, height: 3 }, { x: 28.5, y: 38.5, width: 3, height: 3 }]);
    for (const [at, box] of boxes.slice(1).entries()) expect(Math.hypot(box.x - (boxes[at]?.x ?? 0), box.y - (boxes[at]?.y ?? 0))).toBeLessThanOrEqual(3);
    expect(along({ x1: 5, y1: 5, x2: 5, y2: 5 })).toHaveLength(2);
});

test("an axis of energies has short marks", () => {
    expect([0.4, 999, 999.5, 2e6, 3e12].map(energyUnit)).toEqual([
        { unit: "J", joules: 1 },
        { unit: "J", joules: 1 },
        { unit: "kJ", joules: 1e3 },
        { unit: "MJ", joules: 1e6 },
        { unit: "GJ", joules: 1e9 },
    ]);
    expect([0.1 + 0.2, 0, 1500].map(markText)).toEqual(["0.3", "0", "1500"]);
});

test("the picture is put in words", () => {
    const words = zWords(counted, points);
    expect(words).toContain("1 thread: 1.00×, 500 J, 4000 J s; 2 threads: 1.90×, 330 J, 1386 J s");
    expect(words).toMatch(/; least energy with 4 threads, smallest energy-delay product with 8 threads$/);
    expect(zWords(modelled, zPoints(modelled))).not.toContain("least");
});
