/** Two states side by side: every number, findings, loops that lost their vectors, predictions, order, filters, addresses. */

import type { Locator, Page } from "@playwright/test";
import type { ComparisonDocument, CountChange, LoopChange, Prediction, Report, Verdict } from "../src/logic/contract";
import { brokenRules, sideways } from "./support/accessible";
import { amount, count, inUnit, ratio, ratioRange, share, time } from "./support/figures";
import { type Derived, compare } from "./support/shown";
import { expect, test } from "./support/test";

const STATES = ["compare", "regression"] as const;

/** The words of docs/report.md and of the text output. */
const VERDICTS: Record<Verdict, string> = {
    "no-longer-vectorized": "no longer vectorised",
    slower: "slower",
    "now-vectorized": "now vectorised",
    faster: "faster",
    same: "same",
    appeared: "new",
    vanished: "gone",
};
const ALARMING_FIRST = Object.keys(VERDICTS) as Verdict[];

const OUTCOMES: Record<Prediction["outcome"], string> = { "came-true": "came true", more: "gained more", less: "gained less", "not-followed": "not followed", unknown: "not known" };

const COUNTED: Record<CountChange["what"], string> = {
    instructions: "instructions",
    flop: "floating-point operations",
    "integer-operations": "integer operations",
    bytes: "bytes loaded and stored",
    iterations: "iterations",
    entries: "entries",
};

function comparisonOf({ comparison }: Report): ComparisonDocument {
    if (comparison === undefined) throw new Error("the report compares nothing");
    return comparison;
}

function pace([before, after]: readonly [number, number]): string {
    const speedup = before / after;
    return speedup >= 1.005 ? `${ratio(speedup)} faster` : speedup <= 0.995 ? `${ratio(1 / speedup)} slower` : "the same";
}

function relative({ before, after }: CountChange): string {
    if (before === after) return "the same";
    if (before === 0) return "new";
    const part = ((after - before) / before) * 100;
    return `${part < 0 ? "-" : "+"}${Math.abs(part).toFixed(1)} %`;
}

/** Counts are listed in the document, and shown by what was counted. */
function counts(): Derived {
    const derived: Derived = {};
    for (const what of Object.keys(COUNTED) as CountChange["what"][]) {
        for (const side of ["before", "after"] as const) {
            const of = (counted: CountChange[] | undefined) => counted?.find((each) => each.what === what)?.[side];
            derived[`comparison.counted.${what}.${side}`] = (report) => of(report.comparison?.counted);
            derived[`counted.${what}.${side}`] = (report, { scopes }) => of(report.comparison?.loops[Number(scopes.find(([name]) => name === "data-change")?.[1])]?.counted);
        }
    }
    return derived;
}

const panel = (page: Page, name: string | RegExp): Locator => page.getByRole("region", { name, exact: true });
const row = (page: Page, index: number): Locator => page.locator(`tr[data-change="${index}"]`);
const place = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const words = async (of: Locator): Promise<string> => (await of.innerText()).replace(/\s+/g, " ").trim();

async function indices(page: Page): Promise<number[]> {
    return await page.locator("tr[data-change]").evaluateAll((all) => all.map((each) => Number(each.getAttribute("data-change"))));
}

/** The function in which a loop is written. */
function nameOf({ after, before, function: holding }: LoopChange): string {
    const loop = after ?? before;
    return loop?.written_in ?? loop?.function ?? holding;
}

/** Everything that is said of a loop. */
async function expectRow(page: Page, index: number, change: LoopChange, unit: "s" | "ms"): Promise<void> {
    const shown = row(page, index);
    const key = (path: string) => shown.locator(`[data-key="${path}"]`);
    await expect(shown.getByRole("rowheader")).toContainText(nameOf(change).slice(0, 20));
    await expect(shown.getByRole("rowheader")).toContainText(place(change.place));
    await expect(key("verdict")).toContainText(VERDICTS[change.verdict]);
    for (const side of ["before", "after"] as const) {
        const loop = change[side];
        await expect(key(`${side}.self_seconds`)).toHaveCount(loop === undefined ? 0 : 1);
        if (loop === undefined) continue;
        await expect(key(`${side}.self_seconds`)).toHaveText(inUnit(loop.self_seconds, unit));
        await expect(key(`${side}.self_share`)).toHaveText(share(loop.self_share));
    }
    await expect(key("speedup")).toHaveText(change.speedup === undefined ? [] : [ratio(change.speedup)]);
    await expect(key("interval")).toHaveText(change.interval === undefined ? [] : [ratioRange(...change.interval)]);
    const drawn = shown.getByRole("img");
    await expect(drawn).toHaveCount(change.speedup === undefined ? 0 : 1);
    if (change.speedup !== undefined) await expect(drawn).toHaveAccessibleName(new RegExp(ratio(change.speedup).replace(".", "\\.")));
    await expect(key("note")).toHaveText(change.note === undefined ? [] : [change.note.replaceAll("`", "")]);
    const changed = (change.counted ?? []).filter((each) => each.before !== each.after);
    const told = (await shown.locator('[data-label="counts"] li').allInnerTexts()).map((each) => each.replace(/\s+/g, " ").trim());
    expect(told.slice(0, changed.length)).toEqual(changed.map((each) => `${COUNTED[each.what]} ${amount(each.before)} → ${amount(each.after)} ${relative(each)}`));
    const same = (change.counted ?? []).length - changed.length;
    expect(told.slice(changed.length)).toEqual(same === 0 ? [] : [changed.length === 0 ? `${same} counts, all the same` : `${same} the same`]);
}

for (const name of STATES) {
    test(`the program's times and counts in both states of ${name}`, async ({ open, page }) => {
        const comparison = comparisonOf((await open(name, "#/compare")).report);
        const table = panel(page, "Program").getByRole("table");
        const heads = (await table.getByRole("columnheader").allInnerTexts()).map((each) => each.replace(/\s+/g, " "));
        expect(heads).toEqual([`before: ${comparison.before}`, `after: ${comparison.after}`, "change"]);
        const cells = async (label: string) => (await table.getByRole("row").filter({ has: page.getByRole("rowheader", { name: label, exact: true }) }).getByRole("cell").allInnerTexts()).map((each) => each.trim());
        expect(await cells("elapsed")).toEqual([...comparison.elapsed.map(time), pace(comparison.elapsed)]);
        expect(await cells("CPU time")).toEqual([...comparison.cpu.map(time), pace(comparison.cpu)]);
        expect(comparison.counted?.length).toBeGreaterThan(3);
        for (const each of comparison.counted ?? []) expect(await cells(COUNTED[each.what])).toEqual([amount(each.before), amount(each.after), relative(each)]);
        const packed = [comparison.before_counts, comparison.after_counts].map((each) => share(each?.packed_share ?? NaN));
        expect(await cells("packed share of the arithmetic")).toEqual([...packed, ""]);
        await expect(table.getByRole("row")).toHaveCount(4 + (comparison.counted?.length ?? 0));
    });

    test(`every loop in both states of ${name}`, async ({ open, page }) => {
        const { report } = await open(name, "#/compare?all=1&findings=all&predictions=all");
        const { loops } = comparisonOf(report);
        const most = Math.max(...loops.flatMap((each) => [each.before?.self_seconds ?? 0, each.after?.self_seconds ?? 0]));
        await expect(page.locator("tr[data-change]")).toHaveCount(loops.length);
        for (const [index, change] of loops.entries()) await expectRow(page, index, change, most >= 0.9995 ? "s" : "ms");
        const { wrong, numbers } = await compare(page, report, counts(), "main#view");
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(5 * loops.length);
    });

    test(`findings of ${name} come gravest first and lead to their loops`, async ({ open, page }) => {
        const { report } = await open(name, "#/compare");
        const { findings = [], loops } = comparisonOf(report);
        const list = panel(page, "Findings").getByRole("listitem");
        expect(findings.length).toBeGreaterThan(9);
        await expect(list).toHaveCount(8);
        await panel(page, "Findings").getByRole("button", { name: `Show all ${count(findings.length)} findings` }).click();
        await expect(page).toHaveURL(/findings=all/);
        const told = (await list.allInnerTexts()).map((each) => each.replace(/\s+/g, " ").trim());
        expect(told.length).toBe(findings.length);
        for (const [at, { severity, text }] of findings.entries()) {
            expect(told[at]).toContain(severity);
            expect(told[at]?.endsWith(text)).toBe(true);
        }
        const grave = ["failure", "warning", "note"];
        const order = findings.map((each) => grave.indexOf(each.severity));
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        for (const [at, { index }] of findings.entries()) {
            const link = list.nth(at).getByRole("link");
            await expect(link).toHaveCount(index === undefined ? 0 : 1);
            if (index === undefined) continue;
            // Several are about the same loop: each leads there, also when the address says so already.
            await link.click();
            await expect(row(page, index)).toBeInViewport();
            await expect(row(page, index)).toBeFocused();
            await expect(row(page, index)).toHaveClass(/chosen/);
            await expect(row(page, index)).toContainText(place(loops[index]?.place ?? "?"));
        }
        await expect(list).toHaveCount(findings.length);
    });

    test(`predictions of ${name} with measured gains`, async ({ open, page }) => {
        const { report } = await open(name, "#/compare");
        const { predictions } = comparisonOf(report);
        // More than are shown at first; how many there are the other way round depends on where the fast build's time goes.
        expect(predictions.length).toBeGreaterThan(name === "compare" ? 6 : 0);
        const own = panel(page, "Predictions");
        const number = (...outcomes: Prediction["outcome"][]) => predictions.filter((each) => outcomes.includes(each.outcome)).length;
        const held = number("came-true", "more", "less");
        await expect(own).toContainText(held === 0 ? "No prediction could be compared" : `${number("came-true")} of ${held} prediction${held === 1 ? "" : "s"} came true`);
        if (number("not-followed") > 0) await expect(own).toContainText(new RegExp(`\\b${number("not-followed")} recommendations? (was|were) not followed`));
        if (number("unknown") > 0) await expect(own).toContainText(`of ${number("unknown")} the outcome is not known`);
        const all = own.getByRole("button", { name: /Show all/ });
        if ((await all.count()) > 0) {
            await expect(all).toContainText(count(predictions.length));
            await all.click();
        }
        await expect(own.locator("tr[data-prediction]")).toHaveCount(predictions.length);
        for (const [index, each] of predictions.entries()) {
            const shown = own.locator(`tr[data-prediction="${index}"]`);
            const key = (path: string) => shown.locator(`[data-key="${path}"]`);
            await expect(key("title")).toHaveText(each.title.replaceAll("`", ""));
            await expect(key("outcome")).toContainText(OUTCOMES[each.outcome]);
            await expect(key("predicted")).toHaveText([ratioRange(...each.predicted)]);
            await expect(key("measured")).toHaveText(each.measured === undefined ? [] : [ratio(each.measured)]);
            await expect(key("interval")).toHaveText(each.interval === undefined ? [] : [ratioRange(...each.interval)]);
            await expect(key("note")).toHaveText(each.note === undefined ? [] : [each.note.replaceAll("`", "")]);
            if (each.measured === undefined) await expect(shown).toContainText("not measured");
            const said = await words(shown);
            if (each.function !== undefined) expect(said).toContain(each.function.slice(0, 18));
            if (each.place !== undefined) expect(said).toContain(place(each.place));
            for (const other of each.together ?? []) expect(said).toContain(other);
        }
        // Those with a measured gain are first.
        const first = (await own.locator('[data-key="outcome"]').allInnerTexts()).slice(0, held).join();
        expect(first).not.toMatch(/not followed|not known/);
    });
}

for (const name of STATES) {
    test(`the gain of ${name} heads the view, then the loops, and findings come behind them`, async ({ open, page }) => {
        const comparison = comparisonOf((await open(name, "#/compare")).report);
        const first = page.getByRole("region").first();
        await expect(first).toHaveAccessibleName("Time");
        await expect(first.locator(".main strong")).toHaveText(pace(comparison[comparison.judged.by]));
        await expect(first.locator(".main strong")).toBeInViewport();
        const order = await page.getByRole("region").evaluateAll((all) => all.map((each) => each.querySelector("h2")?.textContent ?? ""));
        expect(order.indexOf("Loops")).toBeGreaterThan(0);
        expect(order.indexOf("Findings")).toBeGreaterThan(order.indexOf("Loops"));
        for (const severity of ["failure", "warning"] as const) {
            const found = comparison.findings?.filter((each) => each.severity === severity).length ?? 0;
            if (found > 0) await expect(first).toContainText(`${count(found)} ${severity}`);
        }
        await first.getByRole("button").first().click();
        await expect(panel(page, "Findings").getByRole("listitem").first()).toBeInViewport();
    });
}

test("loops that stopped being vectorised come right behind the gain", async ({ open, page }) => {
    const { report } = await open("regression", "#/compare");
    const lost = comparisonOf(report).loops.flatMap((change, index) => (change.verdict === "no-longer-vectorized" ? [{ change, index }] : []));
    expect(lost.length).toBeGreaterThan(0);
    const own = panel(page, lost.length === 1 ? "One loop is no longer vectorised" : `${lost.length} loops are no longer vectorised`);
    await expect(page.getByRole("region").nth(1)).toHaveAccessibleName(/no longer vectorised/);
    const items = own.getByRole("listitem");
    await expect(items).toHaveCount(lost.length);
    const hottest = lost.toSorted((a, b) => (b.change.after?.self_seconds ?? 0) - (a.change.after?.self_seconds ?? 0) || a.index - b.index);
    for (const [at, { change, index }] of hottest.entries()) {
        await expect(items.nth(at)).toContainText(nameOf(change));
        await expect(items.nth(at)).toContainText(place(change.place));
        await expect(items.nth(at)).toContainText(/→ scalar/);
        const why = change.after?.why_not?.[0];
        if (why !== undefined) await expect(items.nth(at)).toContainText((report.reasons[why.reason]?.title ?? why.message).replaceAll("`", ""));
        await items.nth(at).getByRole("link").click();
        await expect(row(page, index)).toBeInViewport();
        await expect(row(page, index).locator('[data-key="before_counts.packed_share"]')).toHaveText(share(change.before_counts?.packed_share ?? NaN));
        await expect(row(page, index).locator('[data-key="after_counts.packed_share"]')).toHaveText(share(change.after_counts?.packed_share ?? NaN));
    }
});

test("no loop is said to have lost its vectors where none has", async ({ open, page }) => {
    await open("compare", "#/compare");
    await expect(page.getByRole("region").nth(1)).toHaveAccessibleName("Loops");
    await expect(page.locator("main#view")).not.toContainText("no longer vectorised");
});

test("loops of a verdict can be picked out, and the address keeps them", async ({ open, page }) => {
    const { loops } = comparisonOf((await open("regression", "#/compare")).report);
    const having = (...verdicts: Verdict[]) => loops.flatMap((each, index) => (verdicts.includes(each.verdict) ? [index] : []));
    const present = ALARMING_FIRST.filter((each) => having(each).length > 0);
    const buttons = page.getByRole("group", { name: "Show only" }).getByRole("button");
    expect((await buttons.allInnerTexts()).map((each) => each.replace(/^\S+\s+/, ""))).toEqual(present.map((each) => `${having(each).length} ${VERDICTS[each]}`));
    for (const [at, verdict] of present.entries()) {
        await buttons.nth(at).click();
        await expect(buttons.nth(at)).toHaveAttribute("aria-pressed", "true");
        expect((await indices(page)).toSorted((a, b) => a - b)).toEqual(having(verdict));
        await buttons.nth(at).click();
        await expect(buttons.nth(at)).toHaveAttribute("aria-pressed", "false");
    }
    await buttons.nth(0).click();
    await buttons.nth(1).click();
    await page.reload();
    await expect(buttons.nth(1)).toHaveAttribute("aria-pressed", "true");
    const two = having(...present.slice(0, 2));
    expect((await indices(page)).toSorted((a, b) => a - b)).toEqual(two);
    const chosen = loops[two[0] ?? 0];
    const wanted = chosen === undefined ? "?" : nameOf(chosen).toUpperCase();
    await page.getByRole("searchbox").fill(wanted);
    await expect(page).toHaveURL(/q=/);
    expect((await indices(page)).toSorted((a, b) => a - b)).toEqual(two.filter((index) => loops[index] !== undefined && nameOf(loops[index]).toUpperCase().includes(wanted)));
    await page.getByRole("searchbox").fill("no-such-loop");
    await expect(page.locator("main#view")).toContainText("No loop is like that");
});

test("loops with little time are left out until asked for", async ({ open, page }) => {
    const { loops } = comparisonOf((await open("compare", "#/compare")).report);
    const busy = loops.flatMap((each, index) => (Math.max(each.before?.self_share ?? 0, each.after?.self_share ?? 0) >= 0.005 ? [index] : []));
    expect((await indices(page)).toSorted((a, b) => a - b)).toEqual(busy);
    await expect(panel(page, "Loops")).toContainText(`${count(busy.length)} loops, ${count(loops.length - busy.length)} more with less time or no change`);
    await page.getByRole("button", { name: "Show all", exact: true }).click();
    await expect(page.locator("tr[data-change]")).toHaveCount(loops.length);
    await page.getByRole("button", { name: "Leave out loops with little time" }).click();
    await expect(page.locator("tr[data-change]")).toHaveCount(busy.length);
});

test("every column sorts as its values do, by mouse and by keyboard", async ({ open, page }) => {
    const { loops } = comparisonOf((await open("regression", "#/compare?all=1")).report);
    const instructions = (each: LoopChange) => {
        const counted = each.counted?.find(({ what }) => what === "instructions");
        return counted === undefined || counted.before === 0 ? undefined : counted.after / counted.before;
    };
    const values: [RegExp, (each: LoopChange) => number | string | undefined][] = [
        [/^Function/, nameOf],
        [/^Verdict/, (each) => -ALARMING_FIRST.indexOf(each.verdict)],
        [/^Before/, (each) => each.before?.self_seconds],
        [/^After/, (each) => each.after?.self_seconds],
        [/^Speed-up/, (each) => each.speedup],
        [/^Counts/, instructions],
    ];
    for (const [title, value] of values) {
        const head = page.getByRole("columnheader", { name: title }).filter({ has: page.getByRole("button") });
        for (const press of [() => head.getByRole("button").click(), () => page.keyboard.press("Enter")]) {
            await press();
            await expect(head).toHaveAttribute("aria-sort", /ascending|descending/);
            await expect(head.getByRole("button")).toBeFocused();
            const up = (await head.getAttribute("aria-sort")) === "ascending" ? 1 : -1;
            const shown = (await indices(page)).map((index) => loops[index]).map((each) => (each === undefined ? undefined : value(each)));
            expect(shown.length).toBe(loops.length);
            const known = shown.filter((each) => each !== undefined);
            // What is not known comes last, whichever way.
            expect(shown.slice(0, known.length), String(title)).toEqual(known.toSorted((a, b) => up * (a < b ? -1 : Number(a > b))));
        }
    }
    await expect(page).toHaveURL(/sort=instructions/);
    const before = await indices(page);
    await page.reload();
    await expect(page.locator("tr[data-change]")).toHaveCount(loops.length);
    expect(await indices(page)).toEqual(before);
});

test("an address leads to a loop, and sorting leaves the reader where he is", async ({ open, page }) => {
    const { loops } = comparisonOf((await open("compare", "#/compare")).report);
    const index = loops.length - 1;
    await open("compare", `#/compare?row=${index}&all=1&sort=function&desc=0`);
    await page.reload();
    await expect(row(page, index)).toBeInViewport();
    await expect(row(page, index)).toHaveClass(/chosen/);
    const head = page.getByRole("columnheader", { name: /^Before/ }).getByRole("button");
    await head.focus();
    await page.keyboard.press("Enter");
    await expect(head).toBeFocused();
    await expect(head).toBeInViewport();
});

test("loops of the later state lead to their pages", async ({ open, page }) => {
    const { report } = await open("compare", "#/compare?all=1");
    for (const [index, { after }] of comparisonOf(report).loops.entries()) {
        const link = row(page, index).getByRole("rowheader").getByRole("link");
        await expect(link).toHaveCount(after === undefined ? 0 : 1);
        if (after !== undefined) await expect(link).toHaveAttribute("href", `#/loop/${after.id}`);
    }
    await page.locator("tr[data-change] th a").first().click();
    await expect(page).toHaveURL(/#\/loop\/\d+$/);
    await page.goBack();
    await expect(panel(page, "Loops")).toBeVisible();
});

test("a report of one state says how to get two", async ({ open, page }) => {
    const { report } = await open("lbm", "#/compare");
    await expect(page.locator("main#view")).toContainText("This report shows one state");
    const commands = (await page.locator("main#view .absent pre").innerText()).split("\n");
    expect(commands[0]).toBe("loopwright snapshot before");
    expect(commands[1]).toBe(`loopwright advise -- ${report.analysis.program.command.join(" ")}`);
    expect(commands[2]).toMatch(/^loopwright report --against before --html /);
});

for (const colorScheme of ["light", "dark"] as const) {
    test.describe(colorScheme, () => {
        test.use({ colorScheme });
        // The other way round and with everything unfolded; the view as it opens is among those of accessibility.spec.ts.
        test("a regression breaks no rule of accessibility", async ({ open, page }) => {
            await open("regression", "#/compare?row=4&all=1&findings=all&predictions=all");
            expect(await brokenRules(page)).toEqual([]);
        });
    });
}

test.describe("on a phone", () => {
    test.use({ viewport: { width: 390, height: 844 } });
    test("nothing needs to be scrolled sideways", async ({ open, page }) => {
        await open("regression", "#/compare?all=1&findings=all&predictions=all");
        const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".table-region")].map((each) => `${each.ariaLabel ?? "page"}: ${Math.max(each.scrollWidth - each.clientWidth, 0)}`));
        expect(wide).toEqual(["page", "Loops in both states", "The program in both states", "Predicted and measured gains"].map((each) => `${each}: 0`));
    });
});

test.describe("on paper", () => {
    // A4 without its margins.
    test.use({ viewport: { width: 718, height: 1000 } });
    test("everything is there and nothing is cut off", async ({ open, page }) => {
        const { report } = await open("compare", "#/compare");
        const { findings = [], predictions } = comparisonOf(report);
        await page.emulateMedia({ media: "print" });
        await expect(page.locator("[data-finding]")).toHaveCount(findings.length);
        await expect(page.locator("tr[data-prediction]")).toHaveCount(predictions.length);
        expect(await sideways(page)).toBeLessThanOrEqual(0);
    });
});
