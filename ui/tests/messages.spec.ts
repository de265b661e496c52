/** Calls of MPI and messages between ranks are shown as the document has them. */

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Page, TestInfo } from "@playwright/test";
import type { CommFacts } from "../src/logic/contract";
import { completeFixture, messagesFixture, ranksOn, ringOf } from "../src/logic/messages.fixture";
import { expectAccessible } from "./support/accessible";
import { packed, withData } from "./support/damaged";
import { amount, bytes } from "./support/figures";
import { reportOf } from "./support/manifest";
import { compare } from "./support/shown";
import { expect, shown, test } from "./support/test";

test("every place, every size, every pair and every rank is shown", async ({ open, page }) => {
    const { report } = await open("messages", "#/messages");
    const { comm } = report.analysis;
    if (comm === undefined) throw new Error("the report has calls of MPI");
    await expect(page.locator(".of-run")).toContainText("4 ranks on 1 host");
    await expect(page.locator(".comm-sites tbody tr")).toHaveCount(comm.sites.length);
    const senders = new Set(comm.sites.filter((site) => site.bytes > 0).map((site) => site.function));
    await expect(page.locator(".comm-sizes tbody tr")).toHaveCount(senders.size);
    // The source has five exchanges of ten numbers around the ring.
    const row = page.locator(".comm-sizes tbody tr").filter({ hasText: "MPI_Sendrecv" }).first();
    await expect(row).toContainText(bytes(4 * 5 * 80));
    await expect(page.locator(".comm-matrix [role=gridcell]")).toHaveCount(comm.matrix?.length ?? 0);
    for (const { from, to, messages, bytes: sent } of comm.matrix ?? []) {
        const name = `from rank ${from} to rank ${to}: ${amount(messages)} ${messages === 1 ? "message" : "messages"}, ${bytes(sent)}`;
        await expect(page.getByRole("gridcell", { name, exact: true })).toHaveCount(1);
    }
    await expect(page.locator(".rank-bar")).toHaveCount(4);
    await expect(page.locator(".comm-matrix .hosts path")).toHaveCount(0);
    await page.getByText("Each rank in numbers").click();
    const { wrong, numbers } = await compare(page, report);
    expect(wrong).toEqual([]);
    expect(numbers).toBeGreaterThan(3 * comm.sites.length + 5 * 4);
});

test("the table of places is sorted by its heads, with what is not known last", async ({ open, page }) => {
    const { report } = await open("messages", "#/messages");
    const sent = (report.analysis.comm?.sites ?? []).map((site) => site.bytes);
    const known = sent.filter((each) => each > 0).sort((a, b) => b - a);
    const column = page.locator(".comm-sites tbody tr td:nth-of-type(5)");
    const texts = (all: number[]) => [...all.map(bytes), ...sent.filter((each) => each === 0).map(() => "")];
    const head = page.locator(".comm-sites").getByRole("columnheader", { name: "Bytes" });
    await head.getByRole("button").click();
    await expect(head).toHaveAttribute("aria-sort", "descending");
    await expect(column).toHaveText(texts(known));
    await head.getByRole("button").press("Enter");
    await expect(head).toHaveAttribute("aria-sort", "ascending");
    await expect(column).toHaveText(texts(known.reverse()));
    await expect(page).toHaveURL(/sort=bytes/);
});

test("squares are read by pointer and by keyboard", async ({ open, page }) => {
    await open("messages", "#/messages");
    const squares = page.locator(".comm-matrix [role=gridcell]");
    const line = page.locator(".comm-matrix [role=status]");
    await expect(line).toContainText("Point at a square");
    const name = async (at: number) => (await squares.nth(at).getAttribute("aria-label")) ?? "?";
    await squares.nth(2).hover();
    await expect(line).toHaveText(await name(2));
    await squares.nth(0).focus();
    await expect(line).toHaveText(await name(0));
    await page.keyboard.press("ArrowRight");
    await expect(squares.nth(1)).toBeFocused();
    await expect(line).toHaveText(await name(1));
    await expect(page.locator(".comm-matrix [role=gridcell][tabindex='0']")).toHaveCount(1);
    const outline = await squares.nth(1).evaluate((square) => getComputedStyle(square).strokeWidth);
    expect(outline).toBe("2px");
});

test("a report without calls of MPI has no such view", async ({ open, page }) => {
    await open("mpi", "#/summary");
    await expect(page.locator("nav.views").getByRole("link", { name: "Messages" })).toHaveCount(0);
    await open("mpi", "#/messages");
    await expect(page.locator("main#view")).toContainText("loopwright comm");
});

/** The report of messages with other calls of MPI, and a loop that is in it. */
async function openWith(page: Page, info: TestInfo, comm: CommFacts): Promise<boolean> {
    const made = reportOf("mpi");
    if ("missing" in made) {
        test.skip(true, made.missing);
        return false;
    }
    const document = structuredClone(made.document);
    const [hot] = document.analysis.loops;
    const sites = comm.sites.map((site) => (site.loop === undefined ? site : { ...site, loop: hot?.id ?? 0 }));
    Object.assign(document.analysis, { comm: { ...comm, sites } });
    const file = info.outputPath("messages.html");
    writeFileSync(file, withData(made.html, () => packed(JSON.stringify(document))));
    await page.goto(`${pathToFileURL(file).href}#/messages`);
    await shown(page);
    return true;
}

for (const scheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
        test(`everything that is known is shown, and nothing is cut or hard to read: ${scheme}, ${width} pixels`, async ({ page }, info) => {
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme: scheme });
            if (!(await openWith(page, info, messagesFixture))) return;
            const main = page.locator("main#view");
            for (const text of ["4 ranks on 2 hosts", "MPI_COMM_WORLD has 8 ranks", "5 messages went to processes outside", "MPI_Iprobe is not counted: its code ends in <script>alert(1)</script>", "<img src=x>.c:3", "<b>set</b>up", ">500 ms", "125 ms", "loopwright comm --barriers", "boundaries of hosts", "most in rank 3, 1.30 s"]) {
                await expect(main).toContainText(text);
            }
            await expect(page.locator(".comm-matrix .hosts path")).toHaveCount(1);
            await page.getByText("Each rank in numbers").click();
            await expectAccessible(page, "messages");
            await page.locator(".comm-sites").getByRole("link", { name: "halo.c:9" }).click();
            await expect(page.locator("h1")).toContainText("Loop ");
        });
    }
}

test("many ranks are drawn in blocks that say so", async ({ page }, info) => {
    if (!(await openWith(page, info, { ...messagesFixture, size: 100, ranks: ranksOn(100, 25), matrix: ringOf(100) }))) return;
    await expect(page.locator(".rank-bar")).toHaveCount(50);
    await expect(page.locator(".rank-times [role=img]")).toHaveAttribute("aria-label", /most in rank 99, 10\.9 s/);
    await expect(page.locator(".comm-matrix [role=gridcell]")).toHaveCount(100);
    await expect(page.locator(".comm-matrix .hosts path")).toHaveCount(3);
    for (const text of ["a bar is their mean", "a square is all that one block sends to another", "4.0 % of the bytes go from one host to another"]) await expect(page.locator("main#view")).toContainText(text);
    await expectAccessible(page, "messages of many ranks");
});

test("one rank is compared with none, and a program without calls has a reason", async ({ page }, info) => {
    if (!(await openWith(page, info, { ...completeFixture, size: 1, ranks: ranksOn(1, 1), matrix: [] }))) return;
    await expect(page.locator(".comm-sites tbody tr")).toHaveCount(messagesFixture.sites.length);
    await expect(page.locator(".rank-times, .comm-matrix, .caution")).toHaveCount(0);
    await expect(page.getByRole("columnheader", { name: "Imb. time" })).toHaveCount(0);
    await openWith(page, info, { ...completeFixture, size: 4, sites: [] });
    await page.reload();
    await expect(page.locator("main#view")).toContainText("made no call of MPI");
    await expect(page.locator(".rank-times, .comm-sites")).toHaveCount(0);
});
