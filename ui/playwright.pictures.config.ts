/** Takes the pictures of README.md and docs/: `npm run pictures`, with the report to picture in `LOOPWRIGHT_PICTURED`. */

import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

export default defineConfig({
    testDir: "tests",
    testMatch: "pictures.ts",
    outputDir: "test-results/pictures",
    reporter: [["list"]],
    use: { ...tests.use, viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
});
