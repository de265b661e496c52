/** The summary: the run in numbers, what to do, what is missing. */

import type { Recommendation } from "../src/logic/contract";
import { summary } from "./support/derived";
import { total } from "./support/facts";
import { amount, bytes, count, ratioRange, share, time } from "./support/figures";
import type { ReportName } from "./support/manifest";
import { compare } from "./support/shown";
import { expect, test } from "./support/test";

const REAL: ReportName[] = ["lbm", "heat", "numpy", "mpi", "threads", "compare"];

for (const name of REAL) {
    test(`every number of the summary of ${name} is the document's`, async ({ open, page }) => {
        const { report } = await open(name, "#/summary");
        await page.locator("details summary").evaluateAll((all) => all.forEach((each) => (each as HTMLElement).click()));
        const { wrong, numbers } = await compare(page, report, summary);
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(15);
    });

    test(`the summary of ${name} says how long and where`, async ({ open, page }) => {
        const { program, counts } = (await open(name, "#/summary")).report.analysis;
        const key = (path: string) => page.locator(`[data-key="${path}"]`).first();
        await expect(key("program.elapsed_seconds")).toHaveText(time(program.elapsed_seconds));
        await expect(key("program.cpu_seconds")).toHaveText(time(program.cpu_seconds));
        await expect(key("program.samples")).toHaveText(count(program.samples));
        await expect(key("program.peak_resident_bytes")).toHaveText(bytes(program.peak_resident_bytes));
        expect(program.samples).toBeGreaterThan(50);
        const parts = ["vectorized", "scalar", "outside_loops", "kernel"] as const;
        expect(total(parts.map((part) => program.time[part]))).toBeCloseTo(1, 5);
        for (const part of parts) {
            if (program.time[part] > 0) await expect(key(`program.time.${part}`)).toHaveText(share(program.time[part]));
            else await expect(key(`program.time.${part}`)).toHaveCount(0);
        }
        if (counts !== undefined) await expect(key("counts.work.instructions")).toHaveText(amount(counts.work.instructions));
        else await expect(key("counts.work.instructions")).toHaveCount(0);
    });
}

test("the three places with the most valuable advice come first", async ({ open, page }) => {
    const { report } = await open("lbm", "#/summary");
    const best = new Map<number | Recommendation, Recommendation>();
    for (const each of report.analysis.advice ?? []) {
        if (each.minor === true) continue;
        // What is about no loop has a place of its own.
        const place = each.group ?? each;
        if (!best.has(place)) best.set(place, each);
    }
    const wanted = [...best.values()].slice(0, 3);
    expect(wanted).toHaveLength(3);
    const cards = page.locator(".what-to-do ol").first().locator("> [data-recommendation]");
    await expect(cards).toHaveCount(3);
    for (const [at, each] of wanted.entries()) {
        const card = cards.nth(at);
        if (each.loop_id === undefined) await expect(card).not.toHaveAttribute("data-loop");
        else await expect(card).toHaveAttribute("data-loop", String(each.loop_id));
        if (each.program_gain !== undefined) await expect(card.locator('[data-key="program_gain"]')).toHaveText(ratioRange(...each.program_gain));
        await expect(card.locator("h3")).toHaveText(each.title.replaceAll("`", ""));
    }
});

test("what is missing comes with the command that gets it", async ({ open, page }) => {
    for (const name of ["sampled", "mpi"] as const) {
        const { report } = await open(name, "#/summary");
        expect(report.missing.length).toBeGreaterThan(0);
        for (const { what, command } of report.missing) {
            const item = page.locator("ul.missing > li").filter({ has: page.locator("strong", { hasText: new RegExp(`^${what}$`) }) });
            await expect(item).toHaveCount(1);
            if (command !== undefined) await expect(item.locator("pre")).toHaveText(command);
        }
    }
});

test("advice leads to its loop", async ({ open, page }) => {
    await open("lbm", "#/summary");
    const card = page.locator("[data-recommendation][data-loop]").first();
    const loop = await card.getAttribute("data-loop");
    await card.locator("a").first().click();
    await expect(page).toHaveURL(new RegExp(`#/loop/${loop ?? "?"}$`));
});

for (const name of ["lbm", "hostile"] as const) {
    test(`no table of the summary of ${name} is cut at 1280 pixels`, async ({ open, page }) => {
        await open(name, "#/summary");
        for (const label of ["Hottest loops", "Reading, GB/s", "Peak arithmetic, GFLOP/s"]) {
            const table = page.getByRole("group", { name: label, exact: true });
            if ((await table.count()) === 0) continue;
            const { wide, seen } = await table.evaluate((each) => ({ wide: each.scrollWidth, seen: each.clientWidth }));
            expect(wide, label).toBeLessThanOrEqual(seen);
        }
    });
}
