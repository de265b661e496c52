/** The page of a loop: every number, advice with its code, reasons, dependences, the picture of strides, addresses. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Report } from "../src/logic/contract";
import { packed, withData } from "./support/damaged";
import { loop as loopKeys } from "./support/derived";
import { hottest, loopOf } from "./support/facts";
import { amount, count, mean, percent, rate, ratio, ratioRange, share, time } from "./support/figures";
import { type ReportName, reportOf } from "./support/manifest";
import { compare } from "./support/shown";
import { expect, test } from "./support/test";

/** Loops worth looking at: the hottest, and for each kind of fact one that has it. */
function interesting(report: Report): number[] {
    const all = hottest(report);
    const has = [
        all.find((each) => (each.dependence?.found.length ?? 0) > 0),
        all.find((each) => each.vector !== undefined),
        all.find((each) => each.not_counted !== undefined),
        all.find((each) => (each.access ?? []).some((access) => access.pattern === "variable" || access.gather !== undefined)),
        all.find((each) => each.role === "remainder" || each.role === "peel"),
        all.find((each) => each.by_thread?.counted !== undefined),
        all.find((each) => each.inlined_from !== undefined),
        all.find((each) => each.parent !== null),
        all.find((each) => each.sharing !== undefined),
        all.find((each) => each.memory?.caches !== undefined),
        all.find((each) => each.branches !== undefined),
        ...all.slice(0, 4),
    ];
    return [...new Set(has.flatMap((each) => (each === undefined ? [] : [each.id])))];
}

for (const name of ["lbm", "heat", "numpy", "mpi", "threads", "compare"] satisfies ReportName[]) {
    test(`every number of pages of loops of ${name} is the document's`, async ({ open, page }) => {
        const { report, go } = await open(name);
        const loops = interesting(report);
        expect(loops.length).toBeGreaterThan(1);
        const wrong: string[] = [];
        let numbers = 0;
        for (const id of loops) {
            await go(`#/loop/${id}`);
            await expect(page.locator("main#view")).toContainText(loopOf(report, id).function.slice(0, 10));
            await page.locator("main#view details:not([open]) > summary").evaluateAll((all) => all.forEach((each) => (each as HTMLElement).click()));
            const found = await compare(page, report, loopKeys, "main#view");
            wrong.push(...found.wrong);
            numbers += found.numbers;
        }
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(8 * loops.length);
    });
}

test("what is recommended for another piece of the same source loop says which piece", async ({ page }, info) => {
    const made = reportOf("lbm");
    if ("missing" in made) {
        test.skip(true, made.missing);
        return;
    }
    const report = structuredClone(made.document);
    const all = hottest(report);
    const advised = all.find((each) => (each.recommendations ?? []).length > 0);
    const piece = all.find((each) => each.group !== advised?.group);
    if (advised === undefined || piece === undefined) throw new Error("the demo has one loop, or no advice");
    piece.group = advised.group;
    delete piece.recommendations;
    const file = info.outputPath("pieces.html");
    writeFileSync(file, withData(made.html, () => packed(JSON.stringify(report))));
    await page.goto(`${pathToFileURL(file).href}#/loop/${piece.id}`);
    const articles = page.locator("main#view article.advice");
    await expect(articles.first()).toContainText(`about loop ${advised.id}`);
    const found = await compare(page, report, loopKeys, "main#view .advice-list");
    expect(found.wrong).toEqual([]);
    expect(found.numbers).toBeGreaterThan(0);
});

test("the page of the demo's hottest loop says what is known of it", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const loop = hottest(report).find((each) => each.access !== undefined && each.trip_count !== undefined && each.roofline?.headroom !== undefined);
    if (loop === undefined) throw new Error("no loop of the demo was counted and traced");
    await go(`#/loop/${loop.id}`);
    const key = (path: string) => page.locator(`main#view [data-key="${path}"]`).first();
    await expect(key("self_seconds")).toContainText(time(loop.self_seconds));
    await expect(key("self_share")).toContainText(new RegExp(`${percent(loop.self_share)}|${share(loop.self_share)}`.replaceAll(".", "\\.")));
    const { trip_count: trips, work, roofline } = loop;
    if (trips?.mean !== undefined) await expect(key("trip_count.mean")).toContainText(mean(trips.mean));
    if (trips?.entries !== undefined) await expect(key("trip_count.entries")).toContainText(new RegExp(`^(${count(trips.entries)}|${amount(trips.entries)})`));
    if (work !== undefined) await expect(key("work.instructions")).toContainText(new RegExp(`${count(work.instructions)}|${amount(work.instructions)}`));
    if (roofline?.headroom !== undefined) await expect(key("roofline.headroom")).toContainText(ratio(roofline.headroom));
    if (roofline?.gflops !== undefined) await expect(key("roofline.gflops")).toContainText(rate(roofline.gflops));
    for (const advice of loop.recommendations ?? []) {
        const card = page.locator(`main#view [data-recommendation="${advice.id}"]`).first();
        await expect(card).toContainText(advice.title.replaceAll("`", ""));
        if (advice.program_gain !== undefined) await expect(card).toContainText(ratioRange(...advice.program_gain));
        const change = advice.c ?? advice.fortran;
        if (change === undefined) continue;
        const text = (await card.textContent()) ?? "";
        const squeezed = (code: string) => code.replace(/\s+/g, "");
        for (const code of [change.before, change.after]) expect(squeezed(text)).toContain(squeezed(code));
    }
    for (const why of loop.why_not ?? []) {
        const reason = report.reasons[why.reason];
        if (reason !== undefined) await expect(page.locator("main#view")).toContainText(reason.title.replaceAll("`", ""));
        await expect(page.locator("main#view")).toContainText(why.message.replaceAll("`", ""));
    }
    for (const chain of loop.dependence?.found ?? []) await expect(page.locator("main#view")).toContainText(chain.kind);
});

test("strides and cache lines are drawn, and given in words", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const loop = hottest(report).find((each) => (each.access ?? []).some((access) => access.pattern === "constant"));
    if (loop === undefined) throw new Error("no loop of the demo walks with a constant stride");
    await go(`#/loop/${loop.id}`);
    await page.locator("main#view details:not([open]) > summary").evaluateAll((all) => all.forEach((each) => (each as HTMLElement).click()));
    const pictures = page.locator("main#view [data-access] svg[role=img], main#view svg[role=img]");
    expect(await pictures.count()).toBeGreaterThan(0);
    for (const picture of await pictures.all()) {
        const named = (await picture.getAttribute("aria-label")) ?? (await picture.getAttribute("aria-labelledby")) ?? "";
        expect(named.length).toBeGreaterThan(0);
    }
});

test("the nest leads from loop to loop", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const inner = hottest(report).find((each) => each.parent !== null);
    if (inner === undefined) throw new Error("no loop of the demo is in another");
    await go(`#/loop/${inner.id}`);
    await page.locator(`main#view a[href="#/loop/${inner.parent ?? 0}"]`).first().click();
    await expect(page).toHaveURL(new RegExp(`#/loop/${inner.parent ?? 0}$`));
    await expect(page.locator(`main#view a[href="#/loop/${inner.id}"]`).first()).toBeVisible();
});

test("the first screen of a loop has advice and its own source", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const loop = hottest(report).find((each) => (each.recommendations ?? []).length > 0 && each.lines !== undefined);
    if (loop === undefined) throw new Error("no loop of the demo has advice and lines");
    await go(`#/loop/${loop.id}`);
    await expect(page.locator("article.advice h3").first()).toBeInViewport();
    const line = page.locator(`.loop-line[data-line="${loop.line ?? 0}"]`);
    await expect(line).toBeInViewport();
    const text = report.sources.find((each) => each.file === loop.file)?.text?.split("\n")[(loop.line ?? 0) - 1] ?? "?";
    await expect(line.locator("code")).toHaveText(text.trim());
    // Metadata is behind.
    const sections = await page.locator("[data-section]").evaluateAll((all) => all.map((each) => each.getAttribute("data-section")));
    expect(sections[0]).toBe("advice");
    expect(sections.at(-1)).toBe("head");
});

test("contents lead to the sections, and the address keeps the section", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    const id = hottest(report)[0]?.id ?? 0;
    await go(`#/loop/${id}`);
    const links = page.locator(`main#view nav a[href^="#/loop/${id}?at="]`);
    const count = await links.count();
    expect(count).toBeGreaterThan(5);
    await links.nth(count - 1).click();
    await expect(page).toHaveURL(new RegExp(`#/loop/${id}\\?at=`));
    await page.reload();
    const section = new URL(page.url()).hash.replace(/.*at=/, "");
    await expect(page.locator(`[data-section="${section}"]`)).toBeInViewport();
});

test("what is not known comes with the command that gets it", async ({ open, page }) => {
    const { report, go } = await open("sampled");
    await go(`#/loop/${hottest(report)[0]?.id ?? 0}`);
    const commands = await page.locator("main#view .absent pre").allInnerTexts();
    for (const verb of ["tripcounts", "map", "dependencies"]) expect(commands.join("\n")).toContain(`loopwright ${verb}`);
    expect(commands.every((each) => each.startsWith("loopwright "))).toBe(true);
});

test("a command can be typed as it is shown", async ({ open, page }) => {
    const { report, go } = await open("numpy");
    const { command } = report.analysis.program;
    expect(command.some((word) => word.includes("\n"))).toBe(true);
    for (const view of ["summary", `loop/${hottest(report)[0]?.id ?? 0}`]) {
        await go(`#/${view}`);
        const shown = (await page.locator("main#view .command pre").evaluateAll((all) => all.map((each) => each.textContent))).filter((each) => each.includes(" -- "));
        expect(shown.length, view).toBeGreaterThan(0);
        for (const text of shown) {
            // The shell itself says which words it reads.
            const words = execFileSync("bash", ["-c", `printf '%s\\0' ${text}`], { encoding: "utf8" }).split("\0").slice(0, -1);
            expect(words.slice(words.indexOf("--") + 1)).toEqual(command);
        }
    }
});

test("a loop that does not exist is said not to", async ({ open, page }) => {
    await open("lbm", "#/loop/999999");
    await expect(page.locator("main#view")).toContainText("no loop 999999");
    await expect(page.locator("main#view a[href^='#/loop/']").first()).toBeVisible();
});
