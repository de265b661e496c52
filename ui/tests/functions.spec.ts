/** The table of functions: every number, sorting, filters, the way to the source. */

import type { Page } from "@playwright/test";
import { count, percent, time } from "./support/figures";
import { compare } from "./support/shown";
import { expect, test } from "./support/test";

// Tall enough for all rows of the demo at once.
test.use({ viewport: { width: 1280, height: 2400 } });

const rows = (page: Page) => page.locator(".functions tbody tr[data-function]");

const named = async (page: Page) => await rows(page).evaluateAll((all) => all.map((each) => each.getAttribute("data-function") ?? ""));

for (const name of ["lbm", "heat", "threads", "mpi"] as const) {
    test(`every number of the functions of ${name} is the document's`, async ({ open, page }) => {
        const { report } = await open(name, "#/functions");
        const { functions } = report.analysis;
        await expect(rows(page).first()).toBeVisible();
        const { wrong, numbers } = await compare(page, report, { "functions.shown": () => functions.length, "functions.all": () => functions.length });
        expect(wrong).toEqual([]);
        expect(numbers).toBeGreaterThan(10);
    });
}

test("the hottest function comes first, with self and total time and its calls", async ({ open, page }) => {
    const { report } = await open("lbm", "#/functions");
    const [hottest] = report.analysis.functions.toSorted((a, b) => b.self_seconds - a.self_seconds);
    const first = rows(page).first();
    await expect(first).toHaveAttribute("data-function", hottest?.function ?? "?");
    await expect(first.locator('[data-key="self_share"]')).toHaveText(percent(hottest?.self_share ?? NaN));
    await expect(first.locator('[data-key="total_seconds"]')).toHaveText(time(hottest?.total_seconds ?? NaN));
    await expect(first.locator('[data-key="calls"]')).not.toHaveText("");
});

test("inlined functions follow the one that holds them, with the document's numbers", async ({ open, page }) => {
    const { report } = await open("hostile", "#/functions");
    await expect(rows(page).first()).toBeVisible();
    const noticeable = report.analysis.functions.flatMap((each) => (each.inlined ?? []).filter((inner) => inner.total_share >= 0.01));
    expect(noticeable.length).toBeGreaterThan(3);
    const shown = await page.locator(".functions tr.inlined").evaluateAll((all) =>
        all.map((row) => {
            let holder = row.previousElementSibling;
            while (holder !== null && !holder.hasAttribute("data-function")) holder = holder.previousElementSibling;
            const text = (key: string) => row.querySelector(`[data-inlined-key="${key}"]`)?.textContent.trim() ?? "";
            return { holder: holder?.getAttribute("data-function") ?? "", inlined: row.getAttribute("data-inlined") ?? "", self: text("self_share"), total: text("total_seconds") };
        }),
    );
    expect(shown.length).toBeGreaterThan(3);
    for (const row of shown) {
        const holder = report.analysis.functions.find((each) => each.function === row.holder);
        const inlined = holder?.inlined?.find((inner) => inner.function === row.inlined);
        expect(row.self).toContain(percent(inlined?.self_share ?? NaN));
        expect(row.total).toBe(time(inlined?.total_seconds ?? NaN));
    }
});

test("columns sort both ways and filters keep their place in the address", async ({ open, page }) => {
    const { report } = await open("lbm", "#/functions");
    const { functions } = report.analysis;
    await page.getByRole("button", { name: "Total %" }).click();
    await expect(page).toHaveURL(/sort=total&desc=1/);
    // Two modules may have a function of one name (`_start`): its first row has the share that comes first in this order.
    const totals = (names: string[], order: (a: number, b: number) => number) => {
        const seen = new Map<string, number>();
        return names.map((name) => {
            const shares = functions.filter((each) => each.function === name).map((each) => each.total_share).sort(order);
            const before = seen.get(name) ?? 0;
            seen.set(name, before + 1);
            return shares[before] ?? -1;
        });
    };
    const falling = (a: number, b: number) => b - a;
    const down = totals(await named(page), falling);
    expect(down).not.toContain(-1);
    expect(down).toEqual(down.toSorted(falling));
    await page.getByRole("button", { name: "Total %" }).click();
    const rising = (a: number, b: number) => a - b;
    const up = totals(await named(page), rising);
    expect(up).not.toContain(-1);
    expect(up).toEqual(up.toSorted(rising));
    await page.getByRole("searchbox").fill("COLLIDE_site");
    await expect(page.locator('[data-key="functions.shown"]')).toHaveText(count(functions.filter((each) => each.function.includes("collide_site")).length));
    await page.reload();
    await expect(page.getByRole("searchbox")).toHaveValue("COLLIDE_site");
    await page.getByRole("searchbox").fill("no such function");
    await expect(rows(page)).toHaveCount(0);
    await expect(page.getByText("No function passes these filters.")).toBeVisible();
});

test("a function leads to its source and assembly", async ({ open, page }) => {
    await open("lbm", "#/functions?q=collide_site");
    await rows(page).first().getByRole("link").click();
    await expect(page).toHaveURL(/#\/code\?function=collide_site/);
    await expect(page.getByLabel("Function")).toContainText("collide_site");
});
