/** Pictures of the views for README.md and docs/, of the report that `LOOPWRIGHT_PICTURED` names. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";

const FOLDER = join(import.meta.dirname, "../../docs/picture");

const report = process.env.LOOPWRIGHT_PICTURED;

interface Picture {
    name: string;
    address: string;
}

const PICTURES: readonly Picture[] = [
    { name: "summary", address: "#/summary" },
    { name: "loops", address: "#/loops" },
    { name: "flame", address: "#/flame" },
    { name: "code", address: "#/code" },
    { name: "roofline", address: "#/roofline" },
    { name: "accesses", address: "#/loop?at=access" },
];

for (const { name, address } of PICTURES) {
    test(name, async ({ page }) => {
        if (report === undefined) throw new Error("LOOPWRIGHT_PICTURED names no report");
        await page.goto(pathToFileURL(report).href + address);
        await expect(page.locator("main h1")).toBeVisible();
        await page.waitForTimeout(500);
        await page.screenshot({ path: join(FOLDER, `report-${name}.png`) });
    });
}
