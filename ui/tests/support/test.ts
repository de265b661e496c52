/**
 * The tests' own `test`: every page that it opens must load nothing but its own file, keep its policy, log no error and ask
 * nothing of the reader.
 */

import { pathToFileURL } from "node:url";
import { type Page, test as base, expect } from "@playwright/test";
import type { CasebookDocument, Report } from "../../src/logic/contract";
import { type PageName, pageOf, type ReportName } from "./manifest";

/** An open report. */
export interface Opened<D = Report> {
    report: D;
    /** Goes to a view of the same page, as a link does. */
    go: (hash: string) => Promise<void>;
}

interface Fixtures {
    /** Opens a report at a view. */
    open: (name: ReportName, hash?: string) => Promise<Opened>;
    /** Opens the casebook at a case. */
    openCasebook: (hash?: string) => Promise<Opened<CasebookDocument>>;
    /** Opens any page, and holds it to what every page must keep. */
    openPage: (name: PageName, hash?: string) => Promise<Opened<unknown>>;
}

declare global {
    interface Window {
        violations?: string[];
    }
}

/** The document of a report; the test is skipped where it cannot be made. */
export function documentOf(name: ReportName): Report {
    return pageDocument(name) as Report;
}

function pageDocument(name: PageName): unknown {
    const made = pageOf(name);
    if ("missing" in made) base.skip(true, `no report of ${name}: ${made.missing}`);
    return (made as { document: unknown }).document;
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
    open: async ({ openPage }, use) => {
        await use(async (name, hash) => (await openPage(name, hash)) as Opened);
    },
    openCasebook: async ({ openPage }, use) => {
        await use(async (hash) => (await openPage("casebook", hash)) as Opened<CasebookDocument>);
    },
    openPage: async ({ page, context }, use) => {
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
            const report = pageDocument(name);
            own = pathToFileURL((pageOf(name) as { html: string }).html).href;
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
