/** What a machine can check of accessibility, of the view that is shown. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import { type Page, expect } from "@playwright/test";

declare global {
    interface Window {
        axe?: typeof axe;
    }
}

/** Windows in which every view is checked. */
export const SIZES = { screen: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const RULES = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Every rule of axe that the view breaks, with the first element that breaks it.
 *
 * The rules run in the page, which keeps them from view to view, and only what is broken is described: descriptions of
 * what is right would take longer than the rules.
 */
export async function brokenRules(page: Page): Promise<string[]> {
    if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(RULES);
    const violations = await page.evaluate(async () => (await window.axe?.run(document, { resultTypes: ["violations"] }))?.violations);
    if (violations === undefined) throw new Error("the rules are not in the page");
    return violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.target.join(" ") ?? ""} ${nodes[0]?.any[0]?.message ?? nodes[0]?.failureSummary ?? ""}`);
}

/** The view breaks no rule and is no wider than its window. Softly: other views are checked all the same. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
    expect.soft(await brokenRules(page), view).toEqual([]);
    expect.soft(await sideways(page), `${view} is wider than the window`).toBeLessThanOrEqual(0);
}

/** By how many pixels the page is wider than its window. */
export async function sideways(page: Page): Promise<number> {
    return await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
