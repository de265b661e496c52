/** Source and assembly side by side: text, time, marks, remarks, and the way between the two. */

import type { Page } from "@playwright/test";
import type { Report, SourceFile } from "../src/logic/contract";
import { hottest, total } from "./support/facts";
import { percent } from "./support/figures";
import { expect, test } from "./support/test";

test.use({ viewport: { width: 1600, height: 1400 } });

const source = (page: Page) => page.locator("#code-source");
const assembly = (page: Page) => page.locator("#code-assembly");

/** The demo's hottest loop that has both. */
function chosen(report: Report): { id: number; from: number; to: number; file: SourceFile } {
    for (const loop of hottest(report)) {
        const file = report.sources.find((each) => each.file === loop.file && each.text !== undefined);
        const listed = report.listings.some((each) => each.loops.includes(loop.id));
        if (file !== undefined && loop.lines !== undefined && listed) return { id: loop.id, from: loop.lines[0], to: loop.lines[1], file };
    }
    throw new Error("no loop with source and assembly");
}

/** Rows as drawn: their key and their cells. */
async function rows(page: Page, pane: "#code-source" | "#code-assembly", key: string): Promise<Map<string, string[]>> {
    const all = await page.locator(`${pane} [${key}]`).evaluateAll(
        (found, name) => found.map((row) => [row.getAttribute(name) ?? "", [...row.children].map((cell) => (cell.querySelector(":scope > .number") ?? cell).textContent)] as const),
        key,
    );
    return new Map(all.map(([name, cells]) => [name, [...cells]]));
}

for (const name of ["lbm", "heat", "threads", "compare"] as const) {
    test(`lines of ${name} have their text and their time`, async ({ open, page }) => {
        const { report, go } = await open(name);
        const { id, file } = chosen(report);
        await go(`#/code/${id}`);
        await expect(source(page).locator("[data-line]").first()).toBeVisible();
        const text = (file.text ?? "").split("\n");
        const shown = await rows(page, "#code-source", "data-line");
        expect(shown.size).toBeGreaterThan(10);
        const times = new Map(file.lines);
        for (const [line, cells] of shown) {
            const code = (text[Number(line) - 1] ?? "").replace(/\s+/g, " ").trim();
            expect(cells.join(" ").replace(/\s+/g, " "), `line ${line}`).toContain(code);
            const seconds = times.get(Number(line));
            const number = cells[1] ?? "";
            if (seconds === undefined || seconds === 0) expect(number, `time of line ${line}`).toBe("");
            else expect(number, `time of line ${line}`).toBe(percent(seconds / report.analysis.program.cpu_seconds));
        }
        // The loop that was asked for is in sight, with its mark.
        const mark = file.marks.find((each) => each.loops.includes(id));
        if (mark !== undefined) await expect(source(page).locator(`[data-key="marks.letters"]`, { hasText: mark.letters }).first()).toBeVisible();
    });

    test(`instructions of ${name} have their text and their time`, async ({ open, page }) => {
        const { report, go } = await open(name);
        const { id } = chosen(report);
        await go(`#/code/${id}`);
        await expect(assembly(page).locator("[data-address]").first()).toBeVisible();
        const listing = report.listings.find((each) => each.loops.includes(id));
        const known = new Map(listing?.instructions.map((each) => [each[0], each]));
        const shown = await rows(page, "#code-assembly", "data-address");
        expect(shown.size).toBeGreaterThan(10);
        let inLoop = 0;
        for (const [address, cells] of shown) {
            const [, text = "", file = null, line = null, seconds = 0, loop = null] = known.get(address) ?? [];
            const squeezed = cells.join(" ").replace(/\s+/g, " ");
            expect(squeezed).toContain(address);
            expect(squeezed).toContain(text.replace(/\s+/g, " ").trim());
            expect(cells[0], `time of ${address}`).toBe(seconds > 0 ? percent(seconds / report.analysis.program.cpu_seconds) : "");
            if (file !== null && line !== null) expect(cells[2], `place of ${address}`).toContain(`:${line}`);
            if (loop === id) inLoop++;
        }
        expect(inLoop).toBeGreaterThan(0);
    });
}

test("a line leads to its instructions and an instruction to its line", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const { id, file } = chosen(report);
    await go(`#/code/${id}`);
    const listing = report.listings.find((each) => each.loops.includes(id));
    const index = listing?.files.indexOf(file.file);
    const row = listing?.instructions.find((each) => each[5] === id && each[2] === index && each[3] !== null);
    const line = row?.[3] ?? 0;
    await source(page).locator(`[data-line="${line}"]`).click();
    const wanted = (listing?.instructions ?? []).filter((each) => each[2] === index && each[3] === line).map((each) => each[0]);
    await expect(assembly(page).locator(".linked").first()).toBeVisible();
    const linked = await assembly(page).locator(".linked").evaluateAll((all) => all.map((each) => each.getAttribute("data-address") ?? ""));
    expect(linked.length).toBeGreaterThan(0);
    for (const each of linked) expect(wanted).toContain(each);
    await expect(page).toHaveURL(new RegExp(`line=${line}`));
    const other = listing?.instructions.find((each) => each[5] === id && each[2] === index && each[3] !== null && each[3] !== line);
    if (other === undefined) return;
    await assembly(page).locator(`[data-address="${other[0]}"]`).click();
    await expect(source(page).locator(`[data-line="${other[3] ?? 0}"][aria-selected="true"]`)).toBeVisible();
});

test("remarks are under their lines", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const { id, file } = chosen(report);
    await go(`#/code/${id}?remarks=all`);
    const missed = file.remarks.filter((each) => each.outcome === "missed");
    expect(missed.length).toBeGreaterThan(0);
    let seen = 0;
    for (const remark of missed) {
        const line = source(page).locator(`[data-line="${remark.line}"]`);
        if ((await line.count()) === 0) continue;
        await expect(line).toContainText(remark.message);
        seen++;
    }
    expect(seen).toBeGreaterThan(0);
});

test("the panes are walked by keyboard, and Enter changes sides", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const { id, from } = chosen(report);
    await go(`#/code/${id}?line=${from}`);
    await source(page).focus();
    const cursor = () => source(page).locator('[aria-selected="true"]').first().getAttribute("data-line");
    await page.keyboard.press("ArrowDown");
    await expect.poll(cursor).not.toBe(String(from));
    const there = await cursor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await expect.poll(cursor).toBe(there);
    await page.keyboard.press("Enter");
    await expect(assembly(page)).toBeFocused();
});

test("files can be chosen, with the time that is in each", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    await go(`#/code/${chosen(report).id}`);
    const choice = page.getByRole("combobox", { name: "File" });
    const options = await choice.locator("option").allInnerTexts();
    for (const [at, file] of report.sources.entries()) {
        const share = total(file.lines.map(([, seconds]) => seconds)) / report.analysis.program.cpu_seconds;
        expect(options[at]).toContain(file.file.split("/").at(-1) ?? "?");
        expect(options[at]).toContain(`${percent(share)} %`);
    }
    const other = report.sources.findIndex((each) => each.text !== undefined && each.file !== chosen(report).file.file);
    await choice.selectOption(String(other));
    const [, first = ""] = (report.sources[other]?.text ?? "").split("\n");
    await expect(source(page)).toContainText(first.trim());
});

test("a library without sources shows its instructions", async ({ open, page }) => {
    const { report, go } = await open("numpy");
    const loop = hottest(report).find((each) => each.file === undefined && report.listings.some((listing) => listing.loops.includes(each.id)));
    if (loop === undefined) throw new Error("no loop without source has a listing");
    await go(`#/code/${loop.id}`);
    await expect(assembly(page).locator(`[data-address]`).first()).toBeVisible();
    await expect(assembly(page).locator(`a[data-loop="${loop.id}"]`)).toBeVisible();
});
