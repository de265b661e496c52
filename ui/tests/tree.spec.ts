/** The top-down tree and the flame graph: numbers of the nodes, widths of the boxes, threads, keyboard, search. */

import type { Page } from "@playwright/test";
import type { FlatNode } from "../src/logic/contract";
import { nodes } from "./support/derived";
import { childrenOf } from "./support/facts";
import { inUnit, percent } from "./support/figures";
import { compare } from "./support/shown";
import { expect, test } from "./support/test";

const extra = (tree: readonly FlatNode[]) => ({ ...nodes(tree), threads_left_out: () => undefined, matched_share: () => undefined });

const current = (page: Page) => page.evaluate(() => Number(document.activeElement?.closest("[data-node]")?.getAttribute("data-node") ?? NaN));

test.describe("the tree", () => {
    test.use({ viewport: { width: 1280, height: 2400 } });

    for (const name of ["lbm", "heat", "threads", "compare"] as const) {
        test(`shows the numbers of ${name}`, async ({ open, page }) => {
            const { report } = await open(name, "#/tree?least=0");
            const { tree = [] } = report.analysis;
            expect(tree.length).toBeGreaterThan(5);
            await page.getByRole("button", { name: "Expand all under" }).click();
            const grid = page.getByRole("treegrid");
            await expect(grid).toHaveAttribute("aria-rowcount", String(tree.length + 1));
            const { wrong, numbers } = await compare(page, report, extra(tree), "main#view");
            expect(wrong).toEqual([]);
            expect(numbers).toBeGreaterThan(20);
            // Each row is somewhere below its parent, one level deeper, and has no more time.
            const rows = await grid.locator("[data-node]").evaluateAll((all) => all.map((each) => [Number(each.getAttribute("data-node")), Number(each.getAttribute("aria-level"))] as const));
            const levels = new Map(rows);
            for (const [at, [index, level]] of rows.entries()) {
                const parent = tree[index]?.parent ?? null;
                if (parent === null) continue;
                expect(rows.findIndex(([each]) => each === parent)).toBeLessThan(at);
                expect(level).toBe((levels.get(parent) ?? NaN) + 1);
                expect(tree[index]?.total_seconds).toBeLessThanOrEqual((tree[parent]?.total_seconds ?? 0) + 1e-9);
            }
        });
    }

    test("opens along the hottest way, with the largest first", async ({ open, page }) => {
        const { report } = await open("lbm", "#/tree?least=0");
        const { tree = [] } = report.analysis;
        await page.getByRole("button", { name: "Expand all under" }).click();
        await expect(page.getByRole("treegrid")).toHaveAttribute("aria-rowcount", String(tree.length + 1));
        const shown = await page.getByRole("treegrid").locator("[data-node]").evaluateAll((all) => all.map((each) => Number(each.getAttribute("data-node"))));
        for (const index of shown) {
            const children = childrenOf(tree, index).map((each) => [shown.indexOf(each), tree[each]?.total_seconds ?? 0] as const);
            const totals = children.toSorted(([a], [b]) => a - b).map(([, seconds]) => seconds);
            expect(totals).toEqual(totals.toSorted((a, b) => b - a));
        }
    });

    test("shows each thread by itself", async ({ open, page }) => {
        const { report } = await open("threads", "#/tree");
        const threads = (report.threads ?? []).filter((each) => each.tree.length > 0);
        expect(threads.length).toBeGreaterThan(1);
        const choice = page.getByRole("combobox").first();
        const options = await choice.locator("option").evaluateAll((all) => all.map((each) => [(each as HTMLOptionElement).value, each.textContent] as const));
        let seen = 0;
        for (const thread of threads) {
            const option = options.find(([value]) => value === `${thread.rank ?? ""}-${thread.pid}-${thread.tid}`);
            expect(option, `thread ${thread.tid} can be chosen`).toBeDefined();
            await choice.selectOption(option?.[0] ?? "");
            const root = page.getByRole("treegrid").locator('[data-node="0"]');
            await expect(root.locator('[data-key="total_seconds"]')).toContainText(/\d/);
            const { wrong, numbers } = await compare(page, report, extra(thread.tree), "main#view");
            expect(wrong).toEqual([]);
            seen += numbers;
        }
        expect(seen).toBeGreaterThan(10);
    });

    test("shows each rank by itself", async ({ open, page }) => {
        const { report } = await open("mpi", "#/tree");
        const options = (await page.getByRole("combobox").first().locator("option").allInnerTexts()).join("\n");
        const ranks = new Set((report.threads ?? []).map((each) => each.rank));
        expect(ranks.size).toBe(2);
        for (const rank of ranks) expect(options).toMatch(new RegExp(`rank ${rank ?? "?"}`, "i"));
    });

    test("is walked by keyboard and leads to loops", async ({ open, page }) => {
        const { report } = await open("lbm", "#/tree?least=0");
        const { tree = [] } = report.analysis;
        await page.getByRole("treegrid").locator('[data-node="0"]').focus();
        await page.keyboard.press("*");
        await expect(page.getByRole("treegrid")).toHaveAttribute("aria-rowcount", String(tree.length + 1));
        await page.keyboard.press("ArrowDown");
        await expect.poll(() => current(page)).not.toBe(0);
        const first = await current(page);
        expect(tree[first]?.parent).toBe(0);
        await page.keyboard.press("ArrowLeft");
        await expect(page.locator(`[data-node="${first}"]`)).toHaveAttribute("aria-expanded", "false");
        await page.keyboard.press("ArrowLeft");
        await expect.poll(() => current(page)).toBe(0);
        await page.keyboard.press("*");
        await page.keyboard.press("End");
        await expect.poll(() => current(page)).not.toBe(0);
        const loop = page.getByRole("treegrid").locator("[data-loop]").first();
        const id = await loop.getAttribute("data-loop");
        await loop.locator("a").click();
        await expect(page).toHaveURL(new RegExp(`#/loop/${id ?? "?"}`));
    });

    test("finds names", async ({ open, page }) => {
        const { report } = await open("lbm", "#/tree?least=0");
        const { tree = [] } = report.analysis;
        const [wanted] = tree.filter((each) => each.kind === "loop");
        const text = wanted?.name.slice(0, 8) ?? "?";
        await page.getByRole("searchbox").fill(text);
        const matching = tree.filter((each) => each.name.toLowerCase().includes(text.toLowerCase()));
        await expect(page.locator('[data-key="matched_share"]')).toContainText(new RegExp(`^${matching.length} match`));
        await expect(page).toHaveURL(/q=/);
    });
});

test.describe("the flame graph", () => {
    /** Boxes as drawn: node, left edge, width, level. */
    const boxes = (page: Page) =>
        page.locator("main#view svg [data-node]").evaluateAll((all) =>
            all.map((each) => {
                const [x = NaN, y = NaN] = (/translate\(([^)]*)\)/.exec(each.getAttribute("transform") ?? "")?.[1] ?? "").split(",").map(Number);
                return { node: Number(each.getAttribute("data-node")), x, y, width: Number(each.querySelector("rect")?.getAttribute("width")) };
            }),
        );

    for (const name of ["lbm", "heat", "numpy"] as const) {
        test(`draws boxes of ${name} as wide as their time`, async ({ open, page }) => {
            const { report } = await open(name, "#/flame");
            const { tree = [] } = report.analysis;
            const drawn = await boxes(page);
            expect(drawn.length).toBeGreaterThan(4);
            const known = new Map(drawn.map((each) => [each.node, each]));
            const whole = known.get(0);
            const [root] = tree;
            if (whole === undefined || root === undefined) throw new Error("no box for the whole program");
            for (const { node, x, y, width } of drawn) {
                const facts = tree[node];
                expect(Math.abs(width - (whole.width * (facts?.total_seconds ?? NaN)) / root.total_seconds), `box ${node}`).toBeLessThan(1.5);
                const above = facts?.parent === null || facts === undefined ? undefined : known.get(facts.parent);
                if (above === undefined) continue;
                expect(x).toBeGreaterThanOrEqual(above.x - 0.6);
                expect(x + width).toBeLessThanOrEqual(above.x + above.width + 1.1);
                expect(Math.abs(y - above.y)).toBeGreaterThan(10);
            }
        });
    }

    test("says the numbers of each box to those who do not see it", async ({ open, page }) => {
        const { report } = await open("lbm", "#/flame");
        const { tree = [] } = report.analysis;
        const whole = tree[0]?.total_seconds ?? NaN;
        for (const box of await page.locator("main#view svg [data-node]").all()) {
            const facts = tree[Number(await box.getAttribute("data-node"))];
            const label = (await box.getAttribute("aria-label")) ?? "";
            expect(label).toContain(`total ${percent((facts?.total_seconds ?? NaN) / whole)} %`);
            expect(label).toContain(`self ${percent((facts?.self_seconds ?? NaN) / whole)} %`);
        }
    });

    test("zooms by click and by keyboard, and the address says where", async ({ open, page }) => {
        const { report } = await open("lbm", "#/flame");
        const { tree = [] } = report.analysis;
        const drawn = await boxes(page);
        const small = drawn.filter((each) => each.node !== 0 && each.width > 20).sort((a, b) => a.width - b.width)[0];
        if (small === undefined) throw new Error("no box to zoom into");
        const width = drawn.find((each) => each.node === 0)?.width ?? NaN;
        await page.locator(`main#view svg [data-node="${small.node}"]`).click();
        await expect(page).toHaveURL(new RegExp(`at=${small.node}`));
        await expect.poll(async () => (await boxes(page)).find((each) => each.node === small.node)?.width).toBeCloseTo(width, 0);
        await expect(page.getByRole("navigation", { name: "Way to the box in focus" })).toContainText(tree[small.node]?.name.slice(0, 8) ?? "?");
        await page.locator(`main#view svg [data-node="${small.node}"]`).focus();
        await page.keyboard.press("Escape");
        await expect(page).not.toHaveURL(/at=/);
        await expect.poll(async () => (await boxes(page)).length).toBe(drawn.length);
    });

    test("describes the box that is pointed at", async ({ open, page }) => {
        const { report } = await open("lbm", "#/flame");
        const { tree = [] } = report.analysis;
        const box = page.locator("main#view svg [data-node]").nth(2);
        const facts = tree[Number(await box.getAttribute("data-node"))];
        await box.hover();
        const { wrong, numbers } = await compare(page, report, extra(tree), "main#view");
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(0);
        await expect(page.locator("main#view")).toContainText(percent((facts?.total_seconds ?? NaN) / (tree[0]?.total_seconds ?? NaN)));
        expect(inUnit(facts?.total_seconds ?? NaN, "s")).toMatch(/\d/);
    });
});
