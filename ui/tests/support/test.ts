/**
 * The tests' own `test`: every page that it opens must load nothing but its own file, keep its policy, log no error and ask
 * nothing of the reader.
 */

import { pathToFileURL } from "node:url";
import { type Page, test as base, expect } from "@playwright/test";
import type { Report } from "../../src/logic/contract";
import { type ReportName, reportOf } from "./manifest";

/** An open report. */
export interface Opened {
    report: Report;
    /** Goes to a view of the same page, as a link does. */
    go: (hash: string) => Promise<void>;
}

interface Fixtures {
    /** Opens a report at a view. */
    open: (name: ReportName, hash?: string) => Promise<Opened>;
}

declare global {
    interface Window {
        violations?: string[];
    }
}

/** The document of a report; the test is skipped where it cannot be made. */
export function documentOf(name: ReportName): Report {
    const made = reportOf(name);
    if ("missing" in made) base.skip(true, `no report of ${name}: ${made.missing}`);
    return (made as { document: Report }).document;
}

/** Changes the address and waits until the page has drawn what it names. */
export async function goTo(page: Page, hash: string): Promise<void> {
    await page.evaluate(async (to) => {
        const before = location.hash;
        const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
        location.hash = to;
        if (location.hash !== before) await changed;
        // The page draws in the task after; the frame after that has it.
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }, hash);
}

/** When a view is there. */
export async function shown(page: Page): Promise<void> {
    await expect(page.locator("main#view h1")).toBeVisible();
}

export const test = base.extend<Fixtures>({
    open: async ({ page, context }, use) => {
        const wrong: string[] = [];
        let own = "";
        page.on("console", (message) => {
            if (["error", "warning"].includes(message.type())) wrong.push(`console: ${message.text()}`);
        });
        page.on("pageerror", (error) => wrong.push(`exception: ${error.message}`));
        page.on("dialog", (dialog) => {
            wrong.push(`dialog: ${dialog.message()}`);
            void dialog.dismiss();
        });
        context.on("request", (request) => {
            const url = request.url().replace(/#.*$/, "");
            if (url !== own && !url.startsWith("data:") && url !== "about:blank") wrong.push(`request: ${url.slice(0, 200)}`);
        });
        context.on("page", () => wrong.push("another page was opened"));
        await context.setOffline(true);
        await page.addInitScript(() => {
            window.violations = [];
            document.addEventListener("securitypolicyviolation", (event) => {
                window.violations?.push(`${event.violatedDirective}: ${event.blockedURI}`);
            });
        });
        await use(async (name, hash = "") => {
            const report = documentOf(name);
            own = pathToFileURL((reportOf(name) as { html: string }).html).href;
            await page.goto(own + hash);
            await shown(page);
            return {
                report,
                go: async (next) => {
                    await goTo(page, next);
                    await shown(page);
                },
            };
        });
        const violations = await page.evaluate(() => window.violations ?? []).catch(() => []);
        expect([...wrong, ...violations]).toEqual([]);
    },
});

export { expect };
