/**
 * Pictures of the report for README and docs, from the demo's report: `npm run pictures`. The programs run in full, so that
 * the numbers are those that a reader of the tutorial will see.
 */

import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { hottest } from "./support/facts";
import { test } from "./support/test";

const folder = resolve(import.meta.dirname, "../../docs/picture");

test.use({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });

for (const scheme of ["light", "dark"] as const) {
    test(`pictures in ${scheme} colours`, async ({ open, page }) => {
        test.setTimeout(120_000);
        mkdirSync(folder, { recursive: true });
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        const { report, go } = await open("lbm");
        const loop = hottest(report)[0]?.id ?? 0;
        const advised = hottest(report).find((each) => each.roofline?.kind === "flop" && (each.recommendations ?? []).length > 0)?.id ?? loop;
        const views: Record<string, string> = {
            summary: "#/summary",
            loops: "#/loops",
            accesses: `#/loop/${loop}?at=access`,
            flame: "#/flame",
            code: `#/code/${loop}`,
            roofline: `#/roofline?axis=flop&loop=${advised}&effect=loop`,
        };
        // README shows the one that suits its reader.
        const wanted = scheme === "light" ? Object.keys(views) : ["summary"];
        for (const view of wanted) {
            await go(views[view] ?? "");
            await page.waitForTimeout(300);
            await page.mouse.move(0, 0);
            await page.screenshot({ path: resolve(folder, `report-${view}${scheme === "dark" ? "-dark" : ""}.png`), animations: "disabled" });
        }
    });
}

test("picture of a comparison", async ({ open, page }) => {
    await open("compare", "#/compare");
    await page.waitForTimeout(300);
    await page.screenshot({ path: resolve(folder, "report-compare.png"), animations: "disabled" });
});
