/** Drives the report in a browser: `npm run browser`, with the binary to test in `LOOPWRIGHT`. */

import { defineConfig } from "@playwright/test";
import { executablePath } from "./tests/support/browser";

export default defineConfig({
    testDir: "tests",
    outputDir: "test-results/browser",
    globalSetup: "./tests/reports.ts",
    fullyParallel: true,
    forbidOnly: process.env.LOOPWRIGHT_REQUIRE_ALL === "1",
    workers: 2,
    // Generous for all: what is tested is what the page shows, and a loaded machine takes its time to show it.
    timeout: 180_000,
    expect: { timeout: 30_000 },
    reporter: [["list"]],
    use: {
        viewport: { width: 1280, height: 800 },
        colorScheme: "light",
        locale: "en-GB",
        trace: "off",
        actionTimeout: 30_000,
        launchOptions: {
            executablePath: executablePath(),
            args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
        },
    },
    projects: process.env.LOOPWRIGHT_PICTURES === "1" ? [{ name: "pictures", testMatch: "pictures.ts" }] : [
        { name: "views", testMatch: "*.spec.ts", testIgnore: "speed.spec.ts" },
        // After the others: it is the page which is measured.
        { name: "speed", testMatch: "speed.spec.ts", dependencies: ["views"], workers: 1, fullyParallel: false },
    ],
});
