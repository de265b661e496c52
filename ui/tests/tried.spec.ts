/** What binds the loops, and what trying the advice showed: verdicts and curves, the column, the table of trials, cards. */

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { LoopFacts, Report, TriedFacts } from "../src/logic/contract";
import { expectAccessible } from "./support/accessible";
import { packed, withData } from "./support/damaged";
import { loop as loopKeys } from "./support/derived";
import { hottest } from "./support/facts";
import { ratio, ratioRange, share } from "./support/figures";
import { reportOf } from "./support/manifest";
import { compare } from "./support/shown";
import { documentOf, expect, goTo, shown, test } from "./support/test";

const measured = (report: Report): LoopFacts[] => hottest(report).filter((each) => each.bottleneck !== undefined);

test("the reports hold measured loops and trials", () => {
    const bound = documentOf("bound");
    expect(measured(bound).length).toBeGreaterThan(1);
    expect(measured(bound).some((each) => (each.bottleneck?.verdict.length ?? 0) > 0)).toBe(true);
    const report = documentOf("tried");
    expect(report.analysis.trials?.tried.some((each) => each.measured !== undefined)).toBe(true);
    expect(report.analysis.trials?.tried.some((each) => each.predicted !== undefined)).toBe(true);
});

test("a loop's page has the verdict, every cause and every curve", async ({ open, page }) => {
    const { report, go } = await open("bound");
    for (const loop of measured(report).slice(0, 4)) {
        const known = loop.bottleneck;
        if (known === undefined) continue;
        await go(`#/loop/${loop.id}`);
        const section = page.locator('[data-section="bound"]');
        for (const cause of known.verdict) await expect(section.locator(".bound-answer")).toContainText(share(cause.share));
        if (known.verdict.length === 0) await expect(section.locator(".bound-answer")).toContainText("not clear");
        await expect(section.locator("tr.binds")).toHaveCount(known.verdict.length);
        await expect(section.locator(".curve-card")).toHaveCount(known.resources.length);
        await section.locator("details > summary").click();
        await expect(section.locator(".curve-points li")).toHaveCount(known.resources.reduce((sum, each) => sum + each.curve.length, 0));
        const { wrong, numbers } = await compare(page, report, loopKeys, '[data-section="bound"]');
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(known.resources.length);
    }
});

test("points of a curve are where their numbers say", async ({ open, page }) => {
    const { report, go } = await open("bound");
    const loop = measured(report)[0];
    const resources = loop?.bottleneck?.resources ?? [];
    await go(`#/loop/${loop?.id ?? 0}`);
    const top = await page.locator(".curve-card").first().evaluate((card) => {
        // As high as the drawing, without the border of what holds it.
        const plot = card.querySelector("rect.room")?.getBoundingClientRect();
        const one = card.querySelector("line.plain")?.getBoundingClientRect();
        return plot === undefined || one === undefined ? NaN : plot.height / (plot.bottom - one.y);
    });
    expect(top).toBeGreaterThanOrEqual(1.9);
    let points = 0;
    for (const { resource, curve, busy } of resources) {
        const card = page.locator(`.curve-card[data-resource="${resource}"]`);
        const drawn = await card.evaluate((each) => {
            const { x: left, width: wide } = each.querySelector(".curve-plot svg")?.getBoundingClientRect() ?? new DOMRect();
            const { bottom, height: high } = each.querySelector("rect.room")?.getBoundingClientRect() ?? new DOMRect();
            const centre = (circle: Element) => {
                const { x, y, width, height } = circle.getBoundingClientRect();
                return { x: (x + width / 2 - left) / wide, y: (bottom - y - height / 2) / high };
            };
            return { points: [...each.querySelectorAll("circle.point")].map(centre), own: [...each.querySelectorAll("circle.own-share")].map(centre) };
        });
        // A point at the very edge may be on either side of it.
        const inside = curve.filter((point) => point.ratio <= top * (drawn.points.length === curve.filter((each) => each.ratio <= top).length ? 1 : 1.01));
        expect(drawn.points).toHaveLength(inside.length);
        const most = curve.at(-1)?.operations ?? 1;
        for (const [at, place] of drawn.points.entries()) {
            const { operations = NaN, ratio: high = NaN } = inside[at] ?? {};
            expect(Math.abs(place.x - operations / most), resource).toBeLessThan(0.01);
            expect(Math.abs(place.y - high / top), resource).toBeLessThan(0.02);
            points++;
        }
        expect(drawn.own).toHaveLength(busy === undefined ? 0 : 1);
        for (const place of drawn.own) expect(Math.abs(place.y * top - (busy ?? NaN)), resource).toBeLessThan(0.04);
    }
    expect(points).toBeGreaterThan(10);
});

test("the table says what binds, sorts by it, and hides the column where nothing was measured", async ({ open, page }) => {
    const { report, go } = await open("bound");
    await go("#/loops?sort=bound_by&desc=0");
    const cells = page.locator(".grid-body .cell.bound_by");
    const groups = new Set(measured(report).map((each) => each.group));
    await expect(cells.locator(".cause-bar[role=img]")).toHaveCount(groups.size);
    const first = await cells.locator(".lines > span:first-child").allInnerTexts();
    const verdicts = first.filter((text) => text !== "not clear").map((text) => text.split(",")[0] ?? "");
    expect(verdicts).toEqual([...verdicts].sort());
    const names = await cells.locator(".cause-bar").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
    expect(names.every((each) => /\d %|not clear/.test(each ?? ""))).toBe(true);
    await open("tried", "#/loops");
    await expect(page.getByRole("columnheader", { name: "Bound by" })).toHaveCount(0);
});

test("a loop that was not measured says why, or how to measure it", async ({ open, page }) => {
    const { report } = await open("tried");
    const loop = hottest(report)[0];
    await page.goto(`${page.url().replace(/#.*/, "")}#/loop/${loop?.id ?? 0}?at=bound`);
    await expect(page.locator('[data-section="bound"] pre')).toContainText(`loopwright bottlenecks --loops ${loop?.id ?? 0} -- `);
});

test("every trial is a row with its numbers, and the confirmed set is on top", async ({ open, page }) => {
    const { report } = await open("tried", "#/trials");
    const { trials } = report.analysis;
    const done = trials?.tried.filter((each) => each.outcome !== "left-alone") ?? [];
    await expect(page.locator(".trial-table tbody tr:not(.together)")).toHaveCount(done.length);
    const together = trials?.together;
    await expect(page.locator(".trial-table tbody tr.together")).toHaveCount(together === undefined ? 0 : 1);
    if (together?.measured !== undefined) await expect(page.locator(".trial-best")).toContainText(ratioRange(...together.measured));
    for (const each of trials?.tried.filter(({ outcome }) => outcome === "left-alone") ?? []) await expect(page.locator(".trial-left")).toContainText(each.change);
    const { wrong, numbers } = await compare(page, report);
    expect(wrong).toEqual([]);
    expect(numbers).toBeGreaterThan(done.length);
});

test("what was tried is told on its card", async ({ open, page }) => {
    const { report } = await open("tried", "#/summary");
    const card = (report.analysis.advice ?? []).find((each) => each.tried?.measured_median !== undefined);
    if (card?.tried?.measured_median === undefined) throw new Error("no card of the report was tried and measured");
    await page.locator("summary", { hasText: /^All \d+ recommendations/ }).click();
    const shown = page.locator(`[data-recommendation="${card.id}"] .tried`).first();
    await expect(shown).toContainText(`program ${ratio(card.tried.measured_median)}`);
    await shown.locator("a").click();
    await expect(page).toHaveURL(/#\/trials$/);
});

/** One trial of each outcome. */
function outcomes(): TriedFacts[] {
    const measuredAs = (median: number) => ({ measured_median: median, measured: [median * 0.97, median * 1.04] as [number, number], pairs: 7 });
    const same = { answer: "same" } as const;
    return [
        { change: "faster-one", way: "options", outcome: "faster", predicted: [0.9, 2], predicted_likely: 1.4, ...measuredAs(1.3), ...same, parts: [{ kind: "edit", file: "/p/site.c", line: 14, before: "for (;;)\n", after: "#pragma omp simd\nfor (;;)\n" }] },
        { change: "slower-one", way: "environment", outcome: "slower", ...measuredAs(0.6), ...same, parts: [{ kind: "variable", name: "A", value: "1" }] },
        { change: "within-one", way: "options", outcome: "no-difference", ...measuredAs(1.01), answer: "within", largest_difference: 2e-12 },
        { change: "wrong-one", way: "ivdep", outcome: "wrong-answer", ...measuredAs(3.2), answer: "different", largest_difference: 3.1e-9, first_difference: { output: "standard output", line: 3, expected: "sum 1.0", found: "<b>sum 1.1</b>" } },
        { change: "refused-one", way: "simd", outcome: "not-built", note: "site.c:14: error: <script>alert(1)</script> loop nest expected" },
        { change: "same-one", way: "options", outcome: "same-code", note: "the compiler makes the same code" },
        { change: "failed-one", way: "restrict", outcome: "failed", note: "it ended by signal 11" },
        { change: "hung-one", way: "parallel", outcome: "hung" },
        { change: "left-one", way: "several", outcome: "left-alone", note: "only a person can make this change" },
    ];
}

for (const scheme of ["light", "dark"] as const) {
    for (const width of [1280, 720, 390]) {
        test(`every outcome of a trial is told, and nothing is cut or hard to read: ${scheme}, ${width} pixels`, async ({ page }, info) => {
            const made = reportOf("bound");
            if ("missing" in made) {
                test.skip(true, made.missing);
                return;
            }
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme: scheme });
            const report = structuredClone(made.document);
            report.analysis.trials = { claimed_from: 1.02, unsteady: [{ output: "standard output", lines: [9] }], tried: outcomes() };
            const [loop, left] = measured(report);
            if (loop?.bottleneck === undefined || left === undefined) throw new Error("the report has measured loops");
            delete left.bottleneck;
            left.not_injected = "it calls other code";
            const file = info.outputPath("outcomes.html");
            writeFileSync(file, withData(made.html, () => packed(JSON.stringify(report))));
            const to = async (hash: string) => {
                await goTo(page, hash);
                await shown(page);
            };
            await page.goto(`${pathToFileURL(file).href}#/trials`);
            await shown(page);
            for (const { change } of outcomes()) await expect(page.locator("main#view")).toContainText(change);
            for (const text of ["wrong answer", "not built", "same code", "failed", "hung", "different by 3e-9", "within by 2e-12", "instead of sum 1.0", "line 9, where the same words alone were compared", "No change", "loop nest expected"]) {
                if (text === "No change") await expect(page.locator(".trial-best")).toContainText("were not measured together");
                else await expect(page.locator("main#view")).toContainText(text);
            }
            await page.locator(".trial-parts details > summary").first().click();
            await expect(page.locator(".trial-edit")).toContainText("+ #pragma omp simd");
            for (const hash of ["#/trials", `#/loop/${loop.id}`, `#/loop/${left.id}?at=bound`, "#/loops"]) {
                await to(hash);
                await expectAccessible(page, hash);
            }
            await to(`#/loop/${left.id}?at=bound`);
            await expect(page.locator('[data-section="bound"]')).toContainText("Left out: it calls other code");
        });
    }
}
