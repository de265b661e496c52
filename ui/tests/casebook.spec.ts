/** The casebook: every number, where the advice was wrong, ladders as tables and drawings, pictures, hostile names. */

import type { Locator, Page } from "@playwright/test";
import type { CasebookDocument, Estimate, StageRecord } from "../src/logic/contract";
import { SIZES, expectAccessible, sideways } from "./support/accessible";
import { percent, ratio, ratioRange, share, time } from "./support/figures";
import { at, mismatch, type Shown, shownIn } from "./support/shown";
import { expect, test } from "./support/test";

const words = async (of: Locator): Promise<string> => (await of.innerText()).replace(/\s+/g, " ").trim();
const panel = (page: Page, name: string | RegExp): Locator => page.getByRole("region", { name, exact: true });

/** What the scopes of an element name: a case, or a stage of one of its ladders. */
function subject({ casebook: { cases } }: CasebookDocument, shown: Shown): unknown {
    const [name, value = ""] = shown.scopes[0] ?? [];
    if (name === "data-case") return cases[Number(value)];
    const [c = -1, l = -1, s = -1] = value.split("/").map(Number);
    return name === "data-stage" ? cases[c]?.ladders[l]?.stages[s] : undefined;
}

const OWN: Record<string, (record: CasebookDocument["casebook"]["cases"][number]) => string> = {
    stages: ({ ladders }) => String(new Set(ladders.flatMap(({ stages }) => stages.map(({ name }) => name))).size),
    recommended: ({ ladders }) => ofAll(rungs(ladders.flatMap(({ stages }) => stages)).map(({ rung }) => (rung?.rank ?? 99) <= 3)),
    came_true: ({ ladders }) => ofAll(rungs(ladders.flatMap(({ stages }) => stages)).flatMap(({ rung }) => rung?.came_true ?? [])),
    "best.median": (record) => ratio(largest(record).median),
    "best.interval": (record) => ratioRange(largest(record).low, largest(record).high),
};

const rungs = (stages: readonly StageRecord[]): StageRecord[] => stages.filter(({ rung }) => rung !== undefined);

function ofAll(held: readonly boolean[]): string {
    const good = held.filter(Boolean).length;
    return `${good} of ${held.length} (${share(good / held.length)})`;
}

function largest({ ladders }: CasebookDocument["casebook"]["cases"][number]): Estimate {
    const gains = ladders.flatMap(({ stages }) => stages.flatMap(({ measured }) => measured?.gain_first ?? []));
    return gains.reduce((a, b) => (b.median > a.median ? b : a));
}

/** Why an element does not show what the document holds; undefined when it does. */
function wrongWith(book: CasebookDocument, shown: Shown): string | undefined {
    const { key, text } = shown;
    const says = (wanted: string) => (text === wanted ? undefined : `shows "${text}", expected "${wanted}"`);
    if (key.startsWith("casebook.hit_rate.")) {
        const { rungs: all, recommended, predicted, came_true } = book.casebook.hit_rate;
        return key.endsWith("recommended") ? says(`${recommended} of ${all} (${share(recommended / all)})`) : says(`${came_true} of ${predicted} (${share(came_true / predicted)})`);
    }
    const of = subject(book, shown);
    if (of === undefined) return "nothing in the document is there";
    const own = shown.scopes[0]?.[0] === "data-case" ? OWN[key] : undefined;
    if (own !== undefined) return says(own(of as CasebookDocument["casebook"]["cases"][number]));
    const last = key.slice(key.lastIndexOf(".") + 1);
    const around = at(of, key.slice(0, key.lastIndexOf("."))) as Estimate;
    if (last === "interval") return says(ratioRange(around.low, around.high));
    if (last === "spread") return says(`±${percent((around.high - around.low) / 2 / around.median)} %`);
    if (key === "change") return text.includes(String(at(of, key)).split("\n")[0]?.replaceAll("`", "").slice(0, 12) ?? "?") ? undefined : `shows "${text}"`;
    const value = at(of, key);
    if (value === undefined) return "no such key";
    if (key === "rung.came_true") return says(value === true ? "✓ came true" : "✗ did not come true");
    if (typeof value === "number" && key === "rung.rank") return says(String(value));
    // A median is written as what it is a median of.
    return mismatch({ ...shown, key: key.replace(/\.median$/, "") }, value);
}

/** Holds all that is shown against the document; how many numbers there were. */
async function hold(page: Page, book: CasebookDocument): Promise<number> {
    const all = await shownIn(page);
    const wrong = all.flatMap((shown) => {
        const why = wrongWith(book, shown);
        return why === undefined ? [] : [`${shown.scopes[0]?.join("=") ?? "page"} ${shown.key}: ${why}`];
    });
    expect(wrong).toEqual([]);
    return all.filter(({ text }) => /\d/.test(text)).length;
}

test("the list shows every case with how far it came", async ({ openCasebook, page }) => {
    const { report } = await openCasebook();
    const { cases, hit_rate } = report.casebook;
    expect(hit_rate).toEqual({ rungs: 4, recommended: 2, predicted: 3, came_true: 2 });
    await expect(page).toHaveTitle("Casebook · loopwright");
    await expect(page.locator("tr[data-case]")).toHaveCount(cases.length);
    expect(await hold(page, report)).toBeGreaterThan(12);
    await panel(page, "Cases").getByRole("link", { name: "Cells that pull" }).click();
    await expect(page).toHaveURL(/#\/case\/cells$/);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Cells that pull at each other");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await page.goBack();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Casebook");
});

test("wrong advice and wrong stages are shown and lead to their stages", async ({ openCasebook, page }) => {
    await openCasebook();
    const rows = panel(page, "Where the advice was wrong").locator("tbody tr");
    await expect(rows).toHaveCount(2);
    expect(await words(rows.nth(0))).toContain("the expected advice was not given use-threads or use-tasks");
    expect(await words(rows.nth(1))).toContain("the expected advice came too late; gained more than predicted late 5 1.05–1.20×");
    await expect(panel(page, "Stages that are wrong").getByRole("listitem")).toHaveCount(1);
    await rows.nth(0).getByRole("link").click();
    await expect(page).toHaveURL(/#\/case\/cells\?at=threads$/);
    const stage = page.locator(".case-stage").nth(3);
    await expect(stage).toBeFocused();
    await expect(stage).toBeInViewport();
});

test("every number of every case is the document's", async ({ openCasebook, page }) => {
    const { report, go } = await openCasebook();
    for (const [index, record] of report.casebook.cases.entries()) {
        await go(`#/case/${record.case}`);
        const more = page.getByRole("button", { name: /^Show .* other/ });
        // Each goes when it was clicked.
        for (let left = await more.count(); left > 0; left--) await more.first().click();
        expect(await hold(page, report), record.case).toBeGreaterThan(20);
        for (const [l, ladder] of record.ladders.entries()) {
            for (const [s, stage] of ladder.stages.entries()) {
                const row = page.locator(`tr[data-stage="${index}/${l}/${s}"]`);
                await expect(row).toHaveCount(1);
                const { measured } = stage;
                const state = stage.wrong !== undefined ? "wrong" : stage.left_out !== undefined ? "left out" : "verified";
                await expect(row).toContainText(measured === undefined ? state : time(measured.seconds.median));
                await expect(row.locator('[data-key="measured.gflops"]')).toHaveCount(measured?.gflops === undefined ? 0 : 1);
                const card = page.locator(`article[data-stage="${index}/${l}/${s}"]`);
                for (const [name, value] of Object.entries(stage.results ?? {})) expect(await card.locator(`[data-result=${JSON.stringify(name)}]`).textContent()).toBe(String(value));
                const code = await card.locator(".command code").allTextContents();
                expect(code.join("").split("\n").length).toBe(Math.max((stage.commands ?? []).length + (stage.run === undefined ? 0 : 1), 1));
            }
        }
    }
});

test("each stage shows its source and what it changes", async ({ openCasebook, page }) => {
    const { report } = await openCasebook("#/case/cells");
    const sources = report.casebook.sources?.find((each) => each.case === "cells");
    const [first, second] = sources?.stages ?? [];
    expect(second?.from).toBe(first?.name);
    // The first has its program, its header and the driver; the file that later stages replace is open.
    const one = page.locator(".case-stage").nth(0).locator(".stage-file");
    await expect(one).toHaveCount(first?.files.length ?? 0);
    await expect(one.filter({ hasText: `${first?.name ?? "?"}.c` }).first()).toHaveAttribute("open", "");
    await expect(one.filter({ hasText: `${first?.name ?? "?"}.c` }).first()).toContainText("void step(int n)");
    // The second is a difference in one line.
    const two = page.locator(".case-stage").nth(1);
    await expect(two.locator(".stage-file")).toHaveCount(1);
    await expect(two.locator(".stage-file summary")).toHaveText(new RegExp(`${first?.name ?? "?"}\\.c → ${second?.name ?? "?"}\\.c \\+1 −1`));
    await expect(two.locator(".diff-line.removed code")).toContainText([`${first?.name ?? "?"}(i);`]);
    await expect(two.locator(".diff-line.added code")).toContainText([`${second?.name ?? "?"}(i);`]);
    await expect(two).toContainText("The same: ");
    await two.getByRole("button", { name: "Whole file" }).click();
    await expect(two.locator(".stage-file pre")).toContainText(`${second?.name ?? "?"}(i);`);
    await expect(two.locator(".stage-file pre")).not.toContainText(`${first?.name ?? "?"}(i);`);
});

test("ladders are drawn on common axes", async ({ openCasebook, page }) => {
    const { report } = await openCasebook("#/case/cells");
    const [record] = report.casebook.cases;
    const timed = record?.ladders.map(({ stages }) => stages.flatMap(({ measured }) => measured?.seconds.median ?? [])) ?? [];
    for (const [l, seconds] of timed.entries()) {
        const bars = page.locator(".ladder-chart").nth(l).locator(".time-bar");
        await expect(bars).toHaveCount(seconds.length);
        const widths = await bars.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
        const [first = 0] = timed[0] ?? [];
        const [unit = 0] = await page.locator(".ladder-chart").nth(0).locator(".time-bar").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
        for (const [at_, width] of widths.entries()) expect(Math.abs(width / unit - (seconds[at_] ?? 0) / first)).toBeLessThan(0.02);
    }
    await expect(page.locator(".ladder-chart").nth(0).getByRole("img").first()).toHaveAccessibleName("predicted 1.40–2.9×, measured 1.97×, interval 1.93–2.0×");
    await expect(page.locator(".ladder-chart").nth(0).getByRole("img")).toHaveCount(3);
});

test("advice has the expected recommendation marked, and its place", async ({ openCasebook, page }) => {
    await openCasebook("#/case/cells");
    const list = page.locator('article[data-stage="0/0/1"] ol.fired > li');
    await expect(list).toHaveCount(3);
    await expect(list.filter({ hasText: "expected" })).toHaveCount(1);
    await expect(list.nth(0)).toContainText("expected");
    await expect(list.nth(0)).toContainText("and 1 other place");
    await page.locator('article[data-stage="0/0/1"]').getByRole("button", { name: "Show 1 other recommendation" }).click();
    await expect(list).toHaveCount(4);
    await expect(page.locator('article[data-stage="0/0/3"]')).toContainText("use-threads or use-tasks not given for flat");
});

test("pictures are drawn one beside the other, with words for them", async ({ openCasebook, page }) => {
    await openCasebook("#/case/cells");
    const shots = page.locator(".shots").first().locator(".shot");
    await expect(shots).toHaveCount(3);
    const tops = await shots.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
    expect(new Set(tops).size).toBe(1);
    const plot = shots.nth(1).getByRole("img");
    await expect(plot).toHaveAccessibleName(/^Step 100, 240 points; kind 0: 80 points around \(0\.\d\d, 0\.\d\d\)/);
    const looks = await plot.locator("path").evaluateAll((all) => all.map((each) => [getComputedStyle(each).stroke, each.getAttribute("d")?.replace(/^M[^m]*/, "").split("M")[0]]));
    expect(looks.length).toBe(3);
    for (const part of [0, 1]) expect(new Set(looks.map((look) => look[part])).size).toBe(3);
    await expect(page.locator(".shots")).toHaveCount(1);
    await page.getByText("The same from clang").click();
    await expect(page.locator(".shots")).toHaveCount(2);
});

test("hostile names are text", async ({ openCasebook, page }) => {
    const { go } = await openCasebook();
    for (const hash of ["#/cases", "#/case/hostile", "#/case/%ff", "#/case/<script>alert(1)</script>", "#/case/__proto__?at=constructor", "#/summary"]) {
        await go(hash);
        for (const details of await page.locator("details > summary").all()) await details.click();
        const found = await page.evaluate(() => ({
            elements: document.querySelectorAll("#page :is(script, img, iframe, object, embed, link, meta, base)").length,
            handlers: [...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on"))),
            hidden: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
            wide: Math.max(document.documentElement.scrollWidth - innerWidth, 0),
        }));
        expect(found, hash).toEqual({ elements: 0, handlers: [], hidden: false, wide: 0 });
    }
    await go("#/case/no-such");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("No case is called no-such");
});

test("the keyboard reaches everything in its order", async ({ openCasebook, page }) => {
    await openCasebook("#/case/cells");
    await page.keyboard.press("Tab");
    const seen: number[] = [];
    for (let stop = 0; stop < 80; stop++) {
        await page.keyboard.press("Tab");
        const place = await page.evaluate(() => (document.activeElement === document.body ? -1 : [...document.querySelectorAll("*")].indexOf(document.activeElement ?? document.body)));
        if (place < 0 || place === seen[0]) break;
        seen.push(place);
    }
    expect(seen.length).toBeGreaterThan(25);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    await page.locator(".stage-link").nth(2).focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(".case-stage").nth(2)).toBeFocused();
});

for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
        test.describe(`${colorScheme}, ${size}`, () => {
            test.use({ colorScheme, viewport });
            test("no rule of accessibility is broken", async ({ openCasebook, page }) => {
                const { go } = await openCasebook();
                for (const hash of ["#/cases", "#/case/cells", "#/case/hostile", "#/case/no-such"]) {
                    await go(hash);
                    for (const details of await page.locator("details > summary").all()) await details.click();
                    await expectAccessible(page, hash);
                }
            });
        });
    }
}

test.describe("on paper", () => {
    // A4 without its margins.
    test.use({ viewport: { width: 718, height: 1000 } });
    test("what is folded on the screen is there, and nothing is cut off", async ({ openCasebook, page }) => {
        const { go } = await openCasebook();
        await page.emulateMedia({ media: "print" });
        for (const hash of ["#/cases", "#/case/cells"]) {
            await go(hash);
            expect(await sideways(page), hash).toBeLessThanOrEqual(0);
        }
        await expect(page.locator(".command").first()).toBeVisible();
        await expect(page.locator('article[data-stage="0/0/1"] ol.fired > li')).toHaveCount(4);
    });
});
