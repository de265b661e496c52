/** The roofline: dots where the numbers say, ceilings as measured, zoom, predicted effects, keyboard, links. */

import type { Page } from "@playwright/test";
import type { LoopFacts, Report } from "../src/logic/contract";
import { hottest } from "./support/facts";
import { rate, ratioRange } from "./support/figures";
import { type Shown, compare } from "./support/shown";
import { expect, test } from "./support/test";

/** A logarithmic axis: pixel = a + b * log10(value). */
type Axis = (value: number) => number;

/** The axes as they are drawn: their marks say which value is where. */
async function axes(page: Page): Promise<{ x: Axis; y: Axis }> {
    await settled(page);
    const marks = await page.locator(".axes > g[transform]").evaluateAll((all) =>
        all.map((each) => {
            const [x = NaN, y = NaN] = (/translate\(([^)]*)\)/.exec(each.getAttribute("transform") ?? "")?.[1] ?? "").split(",").map(Number);
            return { x, y, value: Number(each.querySelector("text")?.textContent) };
        }),
    );
    const axis = (points: { at: number; value: number }[]): Axis => {
        const [low, high] = [points[0], points.at(-1)];
        if (low === undefined || high === undefined || low.value === high.value) throw new Error("an axis needs two marks");
        const slope = (high.at - low.at) / Math.log10(high.value / low.value);
        // All marks are on the same logarithmic scale.
        for (const { at, value } of points) expect(Math.abs(low.at + slope * Math.log10(value / low.value) - at)).toBeLessThan(1.5);
        return (value) => low.at + slope * Math.log10(value / low.value);
    };
    return {
        x: axis(marks.filter((each) => each.y === 0).map(({ x, value }) => ({ at: x, value }))),
        y: axis(marks.filter((each) => each.x === 0).map(({ y, value }) => ({ at: y, value }))),
    };
}

async function dots(page: Page): Promise<{ loop: number; x: number; y: number; area: number; vectorised: boolean }[]> {
    await settled(page);
    return await page.locator("a.dot").evaluateAll((all) =>
        all.map((each) => {
            const [x = NaN, y = NaN] = (/translate\(([^)]*)\)/.exec(each.parentElement?.getAttribute("transform") ?? "")?.[1] ?? "").split(",").map(Number);
            const box = (each.querySelector("path:last-of-type") as SVGGraphicsElement).getBBox();
            return { loop: Number(each.getAttribute("data-loop")), x, y, area: box.width * box.height, vectorised: each.classList.contains("vectorised") };
        }),
    );
}

/** What binds a loop, or why that is not known. */
const why = (report: Report, shown: Shown) => {
    const id = Number(shown.scopes.find(([name]) => name === "data-loop")?.[1]);
    const point = report.analysis.loops.find((each) => each.id === id)?.roofline;
    // Commands within sentences are drawn as code.
    return point?.bound ?? point?.how?.replaceAll("`", "");
};

/** When the chart has its final size: it is drawn anew once its frame is measured. */
async function settled(page: Page): Promise<void> {
    await page.locator(".roofline-chart svg[role=group]").waitFor();
    await page.waitForFunction(() => {
        const chart = document.querySelector(".roofline-chart");
        const drawn = Number(chart?.querySelector(":scope > svg")?.getAttribute("width"));
        return chart !== null && Math.abs(drawn - chart.clientWidth) < 1;
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Loops with a place on the axis of floating-point work. */
function counted(report: Report): LoopFacts[] {
    return report.analysis.loops.filter(({ roofline: point }) => point?.kind === "flop" && (point.intensity ?? 0) > 0 && (point.gflops ?? 0) > 0);
}

for (const name of ["lbm", "heat", "threads", "compare"] as const) {
    test(`dots of ${name} are where the numbers say`, async ({ open, page }) => {
        const { report } = await open(name, "#/roofline?axis=flop");
        const wanted = counted(report);
        expect(wanted.length).toBeGreaterThan(0);
        const [shown, { x, y }] = [await dots(page), await axes(page)];
        expect(shown.map((each) => each.loop).toSorted((a, b) => a - b)).toEqual(wanted.map((each) => each.id).toSorted((a, b) => a - b));
        for (const dot of shown) {
            const loop = wanted.find((each) => each.id === dot.loop);
            expect(Math.abs(dot.x - x(loop?.roofline?.intensity ?? NaN)), `loop ${dot.loop} across`).toBeLessThan(2);
            expect(Math.abs(dot.y - y(loop?.roofline?.gflops ?? NaN)), `loop ${dot.loop} up`).toBeLessThan(2);
            expect(dot.vectorised).toBe(loop?.vectorized);
        }
    });
}

test("the area of a dot is the share of the time", async ({ open, page }) => {
    const { report } = await open("lbm", "#/roofline?axis=flop");
    const shown = (await dots(page)).map((dot) => ({ ...dot, share: report.analysis.loops.find((each) => each.id === dot.loop)?.self_share ?? NaN }));
    // Below a twentieth of the time dots stay as large as can be pointed at.
    const large = shown.filter((dot) => dot.share > 0.05 && !dot.vectorised);
    expect(large.length).toBeGreaterThan(1);
    const scale = (large[0]?.area ?? NaN) / (large[0]?.share ?? NaN);
    for (const dot of large) expect(dot.area / dot.share / scale).toBeCloseTo(1, 1);
});

test("ceilings are the measured ones, and are where they were measured", async ({ open, page }) => {
    const { report } = await open("lbm", "#/roofline?axis=flop");
    const ceilings = report.analysis.machine?.ceilings;
    if (ceilings === undefined) throw new Error("the demo's machine has no ceilings");
    await page.locator(".ceiling-table > summary").click();
    const rows = await page.locator(".ceiling-table tbody tr").evaluateAll((all) => all.map((each) => [...each.children].map((cell) => cell.textContent)));
    expect(rows.length).toBeGreaterThan(4);
    const { y } = await axes(page);
    const level = await page.locator(".ceiling.compute line").evaluateAll((all) => all.map((each) => Number(each.getAttribute("y1"))));
    for (const [name = "", kernel = "", cores = "", value = ""] of rows) {
        const memory = value.endsWith("GB/s");
        const known = memory
            ? ceilings.bandwidths.filter((each) => each.cores === Number(cores) && each.kernel === kernel && name.includes(each.level)).map((each) => each.gbytes)
            : ceilings.flops.filter((each) => each.cores === Number(cores)).map((each) => each.gflops);
        const measured = known.find((each) => `${rate(each)} ${memory ? "GB/s" : "GFLOP/s"}` === value);
        expect(measured, `${name} ${kernel} ${value}`).toBeDefined();
        // Of the lines in sight one is at its height.
        if (!memory && level.length > 0 && measured !== undefined) expect(Math.min(...level.map((each) => Math.abs(each - y(measured))))).toBeLessThan(2);
    }
    const sets = new Set(rows.filter((row) => row[3]?.endsWith("GFLOP/s")).map((row) => row[0]));
    expect(sets.size).toBeGreaterThan(2);
});

test("the choice of cores chooses the ceilings", async ({ open, page }) => {
    const { report } = await open("lbm", "#/roofline?axis=flop");
    const measured = [...new Set(report.analysis.machine?.ceilings?.flops.map((each) => each.cores))].sort((a, b) => a - b);
    test.skip(measured.length < 2, "ceilings of one core only");
    await page.locator(".ceiling-table > summary").click();
    const cores = () => page.locator(".ceiling-table tbody td:nth-child(3)").allInnerTexts();
    const before = new Set(await cores());
    const other = measured.find((each) => !before.has(String(each))) ?? 0;
    await page.getByRole("combobox", { name: "Ceilings of" }).selectOption({ value: String(other) });
    await expect.poll(async () => [...new Set(await cores())]).toEqual([String(other)]);
    await expect(page).toHaveURL(new RegExp(`cores=${other}`));
});

test("the table says the same numbers", async ({ open, page }) => {
    for (const name of ["lbm", "threads", "mpi", "large"] as const) {
        const { report } = await open(name, "#/roofline");
        await page.locator(".roofline-table tbody tr[data-loop]").first().waitFor();
        const { wrong, numbers } = await compare(page, report, { "roofline.bound": why }, ".roofline-table");
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(10);
    }
});

/** How many pixels a power of ten is wide and high. */
const decade = ({ x, y }: { x: Axis; y: Axis }): [number, number] => [x(10) - x(1), y(1) - y(10)];

test("zooming moves the dots with their axes, and the address keeps it", async ({ open, page }) => {
    const { report } = await open("lbm", "#/roofline?axis=flop");
    const [before, whole] = [await dots(page), decade(await axes(page))];
    /** The axes are `factor` times as long as at first, and the dots in sight are where the numbers say. */
    const expectZoom = async (factor: number) => {
        const [seen, now] = [await dots(page), await axes(page)];
        for (const [at, pixels] of decade(now).entries()) expect(pixels / (whole[at] ?? NaN) / factor).toBeCloseTo(1, 1);
        for (const dot of seen) {
            const point = report.analysis.loops.find((each) => each.id === dot.loop)?.roofline;
            expect(Math.abs(dot.x - now.x(point?.intensity ?? NaN))).toBeLessThan(2.5);
            expect(Math.abs(dot.y - now.y(point?.gflops ?? NaN))).toBeLessThan(2.5);
        }
        return seen;
    };
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect(page).toHaveURL(/zoom=/);
    await expectZoom(1.5 * 1.5);
    await page.getByRole("button", { name: "Reset" }).click();
    await expect(page).not.toHaveURL(/zoom=/);
    expect((await dots(page)).map((dot) => Math.round(dot.x))).toEqual(before.map((dot) => Math.round(dot.x)));
    // The buttons zoom about the middle, and the machine's ceilings decide how far from it the dots are: all may be out of
    // sight. The wheel zooms about the pointer, which is on a dot.
    const loop = hottest(report).find((each) => counted(report).includes(each));
    const dot = page.locator(`a.dot[data-loop="${loop?.id ?? "?"}"]`);
    await dot.scrollIntoViewIfNeeded();
    const box = await dot.boundingBox();
    if (box === null) throw new Error("the hottest dot is not drawn");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -500);
    await page.keyboard.up("Control");
    await expect(page).toHaveURL(/zoom=/);
    const after = await expectZoom(2);
    expect(after.map((each) => each.loop)).toContain(loop?.id);
    const kept = page.url();
    await page.goto(kept);
    await page.reload();
    await settled(page);
    const again = await dots(page);
    expect(again.map((each) => each.loop)).toEqual(after.map((each) => each.loop));
    // The address has four digits of it.
    for (const [at, { x, y }] of again.entries()) expect(Math.hypot(x - (after[at]?.x ?? NaN), y - (after[at]?.y ?? NaN))).toBeLessThan(1);
});

test("the chart with its axes fits the window, and the wheel alone scrolls the page", async ({ open, page }) => {
    await open("lbm", "#/roofline?axis=flop");
    await settled(page);
    const box = await page.locator(".roofline-chart svg[role=group]").boundingBox();
    expect((box?.y ?? NaN) + (box?.height ?? NaN)).toBeLessThanOrEqual(800);
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await expect(page).not.toHaveURL(/zoom=/);
});

test("the dots with most time have their names beside them", async ({ open, page }) => {
    const { report } = await open("lbm", "#/roofline?axis=flop");
    await settled(page);
    const names = await page.locator(".dot-names text").allTextContents();
    const [first] = hottest(report).filter((each) => counted(report).includes(each));
    expect(names).toContain(`${first?.function ?? "?"}:${first?.line ?? 0}`);
    // None reaches beyond the plot, and marks are written without digits that say nothing.
    const frame = await page.locator(".plot-frame").boundingBox();
    for (const text of await page.locator(".dot-names text, .ceiling text").all()) {
        const box = await text.boundingBox();
        expect(box?.x ?? NaN).toBeGreaterThanOrEqual(frame?.x ?? NaN);
        expect((box?.x ?? NaN) + (box?.width ?? NaN)).toBeLessThanOrEqual((frame?.x ?? NaN) + (frame?.width ?? NaN) + 1);
    }
    for (const mark of await page.locator(".axes g text").allTextContents()) expect(mark).not.toMatch(/\.\d*0$/);
});

test("a dot shows its numbers and leads to its loop", async ({ open, page }) => {
    const { report } = await open("lbm", "#/roofline?axis=flop");
    const loop = hottest(report).find((each) => counted(report).includes(each));
    if (loop === undefined) throw new Error("no loop on the axes");
    const dot = page.locator(`a.dot[data-loop="${loop.id}"]`);
    await expect(dot).toHaveAttribute("aria-label", new RegExp(`Loop ${loop.id}, ${loop.function}.*${rate(loop.roofline?.gflops ?? NaN)} GFLOP/s at ${rate(loop.roofline?.intensity ?? NaN)} per byte`));
    await dot.hover({ force: true });
    const card = page.locator(`.dot-card[data-loop="${loop.id}"]`);
    await expect(card).toBeVisible();
    const { wrong, numbers } = await compare(page, report, {}, ".dot-card");
    expect(wrong).toEqual([]);
    expect(numbers).toBeGreaterThan(2);
    await dot.focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`loop[/=]${loop.id}`));
});

test("arrows show the predicted effect of the chosen advice", async ({ open, page }) => {
    const { report, go } = await open("lbm", "#/roofline?axis=flop");
    const loop = hottest(report).find((each) => counted(report).includes(each) && (each.recommendations ?? []).some((advice) => (advice.loop_gain?.[1] ?? 0) > 1.05));
    if (loop === undefined) throw new Error("no advice for a loop on the axes");
    const advice = loop.recommendations?.find((each) => (each.loop_gain?.[1] ?? 0) > 1.05);
    await go(`#/roofline?axis=flop&loop=${loop.id}&effect=loop`);
    await expect(page.locator(".arrows > g").first()).toBeVisible();
    const [{ x, y }, arrows] = [
        await axes(page),
        await page.locator(".arrows .sure").evaluateAll((all) => all.map((each) => [Number(each.getAttribute("x1")), Number(each.getAttribute("y1"))] as const)),
    ];
    // Those of the loop's other pieces begin at their own dots.
    const beginnings = counted(report).map(({ roofline: point }) => [x(point?.intensity ?? NaN), y(point?.gflops ?? NaN)] as const);
    for (const [left, top] of arrows) expect(Math.min(...beginnings.map(([across, up]) => Math.hypot(across - left, up - top)))).toBeLessThan(2);
    const item = page.locator(`.predictions [data-loop="${loop.id}"]`, { hasText: advice?.title.replaceAll("`", "") ?? "?" }).first();
    await expect(item).toContainText(ratioRange(...(advice?.loop_gain ?? [NaN, NaN])));
    await expect(item).toContainText(`From ${rate(loop.roofline?.gflops ?? NaN)} to ${rate((loop.roofline?.gflops ?? NaN) * (advice?.loop_gain?.[0] ?? NaN))}`);
});

test("without counts the view says how to get them", async ({ open, page }) => {
    await open("sampled", "#/roofline");
    await expect(page.locator("main#view .absent pre").first()).toContainText("loopwright roofline -- ");
});
