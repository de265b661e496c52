/** The table of loops: what it says, sorting by every column, filters, expansion, keyboard, addresses. */

import type { Locator, Page } from "@playwright/test";
import type { LoopFacts, Report } from "../src/logic/contract";
import { groupOf, total } from "./support/facts";
import { count, percent, time } from "./support/figures";
import { compare } from "./support/shown";
import { expect, test } from "./support/test";

// Tall enough for all rows of the demo at once.
const TALL = { width: 1280, height: 2400 };

/** A source loop: the pieces that the compiler made of it. */
interface Row {
    group: number;
    lead: LoopFacts;
    pieces: LoopFacts[];
}

function rowsOf({ analysis }: Report): Row[] {
    return [...new Set(analysis.loops.map((each) => each.group))].map((group) => {
        const facts = groupOf(analysis, group) as unknown as LoopFacts & { pieces: LoopFacts[] };
        return { group, pieces: facts.pieces, lead: analysis.loops.find((each) => each.id === facts.id) ?? facts };
    });
}

const sumOf = (row: Row, value: (piece: LoopFacts) => number | undefined): number | undefined => {
    const known = row.pieces.map(value).filter((each) => each !== undefined);
    return known.length === 0 ? undefined : total(known);
};
const first = <T>(row: Row, value: (piece: LoopFacts) => T | undefined): T | undefined => row.pieces.map(value).find((each) => each !== undefined);

/** What the columns of numbers sort by. */
const NUMBERS: Record<string, (row: Row) => number | undefined> = {
    "Self %": (row) => sumOf(row, (each) => each.self_share),
    Self: (row) => sumOf(row, (each) => each.self_seconds),
    "Total %": (row) => total(outer(row).map((each) => each.total_share)),
    Total: (row) => total(outer(row).map((each) => each.total_seconds)),
    Headroom: ({ lead }) => lead.roofline?.headroom,
    Vector: ({ lead }) => lead.vector?.bits,
    Efficiency: ({ lead }) => (lead.vectorized ? lead.vector?.efficiency : undefined),
    Gain: ({ lead }) => (lead.vectorized ? lead.vector?.gain : undefined),
    Unroll: ({ lead }) => lead.vector?.unroll,
    Threads: ({ lead }) => lead.threads,
    Instructions: (row) => sumOf(row, (each) => each.work?.instructions),
    FLOP: (row) => sumOf(row, (each) => each.work?.flop) || undefined,
    Entries: (row) => {
        const counted = first(row, (each) => each.trip_count);
        return counted?.source_entries ?? counted?.source_entries_bounds?.[0];
    },
};

function outer({ pieces }: Row): LoopFacts[] {
    return pieces.filter((each) => !pieces.some((other) => other.id === each.parent));
}

const grid = (page: Page): Locator => page.getByRole("treegrid", { name: "Loops" });
const body = (page: Page): Locator => grid(page).locator("[role=row][data-group]");

async function groupsShown(page: Page): Promise<number[]> {
    return (await body(page).evaluateAll((all) => all.map((each) => Number(each.getAttribute("data-group")))));
}

test.use({ viewport: TALL });

for (const name of ["lbm", "heat", "mpi", "threads", "compare", "numpy"] as const) {
    test(`every number of the table of ${name} is the document's`, async ({ open, page }) => {
        const { report } = await open(name, "#/loops?columns=self_share,self_seconds,total_share,total_seconds,roofline,trips,trips_median,entries,width,unroll,instructions,flop,intensity,threads,module,gain,efficiency");
        await expect(body(page).first()).toBeVisible();
        const { wrong, numbers } = await compare(page, report, { shown: () => rowsOf(report).length, all: () => rowsOf(report).length });
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(20);
    });
}

test("the hottest loop is first with its time and its share", async ({ open, page }) => {
    const { report } = await open("lbm", "#/loops?columns=self_share,self_seconds");
    const seconds = (row: Row) => sumOf(row, (each) => each.self_seconds) ?? 0;
    const rows = rowsOf(report).toSorted((a, b) => seconds(b) - seconds(a));
    for (const [at, row] of rows.slice(0, 8).entries()) {
        const shown = body(page).nth(at);
        // Loops with equal numbers of samples are in any order.
        const alone = rows.filter((each) => seconds(each) === seconds(row)).length === 1;
        if (alone) await expect(shown.getByRole("rowheader")).toContainText((row.lead.written_in ?? row.lead.function).slice(0, 20));
        await expect(shown.locator(".cell.self_share")).toHaveText(percent(sumOf(row, (each) => each.self_share) ?? NaN));
        await expect(shown.locator(".cell.self_seconds")).toHaveText(time(seconds(row)));
    }
});

test("every column sorts as its values do", async ({ open, page }) => {
    const { report } = await open("lbm", "#/loops?columns=self_share,self_seconds,total_share,total_seconds,type,why_not,roofline,recommendation,trips,entries,isa,width,gain,efficiency,traits,module,unroll,instructions,flop,threads");
    const rows = new Map(rowsOf(report).map((row) => [row.group, row]));
    const heads = grid(page).getByRole("columnheader");
    const titles = (await heads.locator("button").allInnerTexts()).map((title) => title.replace(/[▾▴]/, "").trim());
    expect(titles.length).toBeGreaterThan(15);
    let checked = 0;
    for (const [at, title] of titles.entries()) {
        for (let turn = 0; turn < 2; turn++) {
            await heads.nth(at).locator("button").click();
            await expect(heads.nth(at)).toHaveAttribute("aria-sort", /ascending|descending/);
            const direction = (await heads.nth(at).getAttribute("aria-sort")) === "ascending" ? 1 : -1;
            const shown = await groupsShown(page);
            expect(new Set(shown).size, title).toBe(rows.size);
            const value = NUMBERS[title];
            if (value !== undefined) {
                const values = shown.map((group) => value(rows.get(group) ?? raise(group)));
                const known = values.filter((each) => each !== undefined);
                // What is not known comes last, whichever way.
                expect(values.slice(0, known.length), title).toEqual(known.toSorted((a, b) => direction * (a - b)));
                if (new Set(known).size > 1) checked++;
            } else if (["Type", "Module", "Instruction set", "Function and loop"].includes(title)) {
                const texts = (await body(page).locator(`> :nth-child(${at + 1})`).allInnerTexts()).map((text) => (text.split("\n").find((line) => !/^[▸▾]$/.test(line.trim())) ?? "").trim().toLowerCase()).filter((text) => text !== "");
                const sorted = texts.toSorted((a, b) => direction * (a < b ? -1 : a > b ? 1 : 0));
                // Long names are cut in their middle: what is left of them may tie.
                expect(texts.map((text) => text.slice(0, 12)), title).toEqual(sorted.map((text) => text.slice(0, 12)));
                checked++;
            }
        }
    }
    expect(checked).toBeGreaterThan(16);
});

function raise(group: number): never {
    throw new Error(`the table shows group ${group}, which the document lacks`);
}

test("filters leave what they say, and the address keeps them", async ({ open, page }) => {
    const { report } = await open("lbm", "#/loops");
    const rows = rowsOf(report);
    const expectRows = async (left: Row[]) => {
        await expect(page.locator('[data-key="shown"]')).toHaveText(count(left.length));
        expect((await groupsShown(page)).toSorted((a, b) => a - b)).toEqual(left.map((row) => row.group).toSorted((a, b) => a - b));
    };
    const name = rows.find((row) => row.lead.main_module)?.lead.function ?? "?";
    await page.getByRole("searchbox").fill(name.toUpperCase());
    const words = (row: Row) => row.pieces.flatMap((each) => [each.function, each.module, `${each.file ?? ""}:${each.line ?? ""}`, ...(each.why_not ?? []).map((why) => why.reason), ...(each.traits ?? [])]).join("\n").toLowerCase();
    const named = rows.filter((row) => words(row).includes(name.toLowerCase()));
    expect(named.length).toBeLessThan(rows.length);
    await expectRows(named);
    await expect(page).toHaveURL(new RegExp(`q=${name.toUpperCase()}`));
    await page.reload();
    await expect(page.getByRole("searchbox")).toHaveValue(name.toUpperCase());
    await expectRows(named);
    await page.getByRole("searchbox").fill("");
    for (const [choice, vectorized] of [["vectorised", true], ["scalar", false]] as const) {
        await page.getByRole("combobox", { name: "Type" }).selectOption(choice);
        await expectRows(rows.filter((row) => row.lead.vectorized === vectorized));
    }
    await page.getByRole("combobox", { name: "Type" }).selectOption("");
    await page.getByLabel("Self at least").fill("5");
    await expectRows(rows.filter((row) => (sumOf(row, (each) => each.self_share) ?? 0) >= 0.05));
    await page.getByLabel("Self at least").fill("");
    await expectRows(rows);
});

test("a filter that nothing passes says so", async ({ open, page }) => {
    await open("lbm", "#/loops?q=no-such-loop-anywhere");
    await expect(page.locator('[data-key="shown"]')).toHaveText("0");
    await expect(body(page)).toHaveCount(0);
    await expect(page.getByRole("status").first()).toBeVisible();
});

test("vectorised source loops expand into their pieces", async ({ open, page }) => {
    const { report } = await open("compare", "#/loops");
    const split = rowsOf(report).filter((row) => row.pieces.length > 1);
    expect(split.length).toBeGreaterThan(0);
    const [row] = split;
    if (row === undefined) return;
    const shown = grid(page).locator(`[role=row][data-group="${row.group}"]`);
    await expect(shown).toHaveAttribute("aria-expanded", "false");
    await shown.getByRole("button", { name: "Expand" }).click();
    await expect(shown).toHaveAttribute("aria-expanded", "true");
    for (const piece of row.pieces) {
        const own = grid(page).locator(`[role=row][aria-level="2"][data-loop="${piece.id}"]`);
        await expect(own).toHaveCount(1);
        await expect(own.getByRole("rowheader")).toContainText(new RegExp(piece.role));
        await expect(own.locator(".cell.self_seconds")).toHaveText(time(piece.self_seconds));
    }
    await expect(page).toHaveURL(new RegExp(`open=${row.group}`));
    const { wrong } = await compare(page, report, { shown: () => rowsOf(report).length, all: () => rowsOf(report).length });
    expect(wrong).toEqual([]);
    await shown.getByRole("button", { name: "Collapse" }).click();
    await expect(grid(page).locator('[role=row][aria-level="2"]')).toHaveCount(0);
});

test("the keyboard moves through the table, expands, and opens a loop", async ({ open, page }) => {
    await open("compare", "#/loops");
    const rows = grid(page).locator("[role=row][tabindex]");
    await rows.first().focus();
    const place = () => page.evaluate(() => document.activeElement?.closest("[role=row]")?.getAttribute("aria-rowindex"));
    expect(await place()).toBe("2");
    await page.keyboard.press("ArrowDown");
    expect(await place()).toBe("3");
    await page.keyboard.press("End");
    const last = Number(await grid(page).getAttribute("aria-rowcount"));
    expect(await place()).toBe(String(last));
    await page.keyboard.press("Home");
    expect(await place()).toBe("2");
    // To the first row that can be expanded.
    const expandable = Number(await grid(page).locator("[role=row][aria-expanded]").first().getAttribute("aria-rowindex"));
    for (let at = 2; at < expandable; at++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect(page.locator(":focus")).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("ArrowRight");
    await expect(page.locator(":focus")).toHaveAttribute("aria-level", "2");
    const loop = await page.locator(":focus").getAttribute("data-loop");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`#/loop/${loop ?? "?"}`));
    await page.goBack();
    await expect(grid(page)).toBeVisible();
});

test("an address brings the table back as it was", async ({ open, page }) => {
    const { report } = await open("lbm", "#/loops?sort=total_seconds&desc=0&columns=total_seconds,type");
    await expect(grid(page).getByRole("columnheader")).toHaveCount(3);
    await expect(grid(page).getByRole("columnheader", { name: /^Total/ })).toHaveAttribute("aria-sort", "ascending");
    const totals = (await groupsShown(page)).map((group) => groupOf(report.analysis, group)?.total_seconds as number);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
});

test("columns can be chosen", async ({ open, page }) => {
    await open("lbm", "#/loops");
    const before = await grid(page).getByRole("columnheader").count();
    await page.locator("summary", { hasText: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Threads" }).check();
    await expect(grid(page).getByRole("columnheader")).toHaveCount(before + 1);
    await expect(page).toHaveURL(/columns=/);
    await page.getByRole("button", { name: "Usual columns" }).click();
    await expect(grid(page).getByRole("columnheader")).toHaveCount(before);
});
