/** The best build that was searched for, the builds whose answers were compared, and energies are shown as the document has them. */

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { agreeingBits } from "../src/logic/digits";
import { energyFixture, modelledFixture } from "../src/logic/energy.fixture";
import { reproductionFixture, tuningFixture } from "../src/logic/searches.fixture";
import { expectAccessible } from "./support/accessible";
import { packed, withData } from "./support/damaged";
import { ratio, ratioRange } from "./support/figures";
import { reportOf } from "./support/manifest";
import { compare } from "./support/shown";
import { expect, goTo, shown, test } from "./support/test";

test("every build of a search is in the picture or has a reason, and is a row of the table", async ({ open, page }) => {
    const { report } = await open("tried", "#/tuning");
    const { tuning } = report.analysis;
    if (tuning === undefined) throw new Error("the report has a search");
    const measured = tuning.candidates.filter(({ tried }) => tried.measured_median !== undefined);
    await expect(page.locator('.gain-row[data-trial^="tuning.candidates"]')).toHaveCount(measured.length);
    for (const { tried } of tuning.candidates.filter((each) => !measured.includes(each))) await expect(page.locator(".tune-rejected")).toContainText(tried.change);
    await expect(page.locator(".tune-table tbody tr")).toHaveCount(tuning.candidates.length);
    if (tuning.best?.measured !== undefined) await expect(page.locator(".trial-best")).toContainText(ratioRange(...tuning.best.measured));
    const { wrong, numbers } = await compare(page, report);
    expect(wrong).toEqual([]);
    expect(numbers).toBeGreaterThanOrEqual(2 * measured.length);
});

test("the table of builds is sorted by its heads, with what is not known last", async ({ open, page }) => {
    const { report } = await open("tried", "#/tuning");
    const medians = (report.analysis.tuning?.candidates ?? []).flatMap(({ tried }) => tried.measured_median ?? []).sort((a, b) => b - a);
    const head = page.getByRole("columnheader", { name: "Measured" });
    const cells = page.locator(".tune-table tbody tr td:nth-of-type(1) > span");
    await head.getByRole("button").click();
    await expect(head).toHaveAttribute("aria-sort", "descending");
    await expect(cells).toHaveText(medians.map(ratio));
    await head.getByRole("button").press("Enter");
    await expect(head).toHaveAttribute("aria-sort", "ascending");
    await expect(cells).toHaveText(medians.reverse().map(ratio));
});

test("a comparison of answers is shown with its sources, its options and what keeps the answer", async ({ open, page }) => {
    const { report } = await open("tried", "#/reproduce");
    const found = report.analysis.reproduction;
    if (found === undefined) throw new Error("the report has a comparison");
    await expect(page.locator(".reproduce-verdict")).toContainText((found.bad.options ?? []).join(" "));
    await expect(page.locator(".conditions tbody tr")).toHaveCount(found.conditions.length);
    await expect(page.locator(".culprit")).toHaveCount((found.culprits ?? []).flat().length);
    await expect(page.locator(".gain-row")).toHaveCount((found.repairs ?? []).length);
    await expect(page.locator(".gain-row.marked")).toHaveCount(found.cheapest === undefined ? 0 : 1);
    const bits = found.answer.verdict === "same" ? undefined : agreeingBits(found.answer.significant_bits);
    await expect(page.locator(".bit-bar .agrees")).toHaveCount(bits ?? 0);
    expect((await compare(page, report)).wrong).toEqual([]);
});

test("energy is shown with its source, its loops and its numbers of threads", async ({ open, page }) => {
    const { report } = await open("tried", "#/energy");
    const { energy, loops } = report.analysis;
    if (energy?.source.kind !== "model") throw new Error("the report has the energy of a model");
    const main = page.locator("main#view");
    await expect(main).toContainText("a model, not measured: 60.0 W and 5.00 W more for each busy core, as you gave them");
    await expect(page.locator(".energy-run .badge")).toHaveText("modelled");
    await expect(page.getByRole("columnheader", { name: "Energy, modelled" })).toHaveCount(2);
    await expect(page.locator(".energy-threads tbody tr")).toHaveCount(energy.threads?.length ?? 0);
    await expect(page.locator(".z-plot [data-threads]")).toHaveCount(2);
    const worth = loops.filter((each) => each.self_share >= 0.005).map(({ id }) => id);
    expect(worth.length).toBeGreaterThan(0);
    await expect(page.locator(".energy-loops tbody tr")).toHaveCount(worth.length);
    // Joules of a run, of loops and of each number of threads.
    const { wrong, numbers } = await compare(page, report);
    expect(wrong).toEqual([]);
    expect(numbers).toBeGreaterThanOrEqual(1 + worth.length + 4);
    await page.locator(".energy-loops tbody a").first().click();
    await expect(page.locator("h1")).toContainText(`Loop ${energy.loops?.[0]?.id ?? 0}`);
});

test("reports without a search, a comparison and energy have no such views", async ({ open, page }) => {
    await open("bound", "#/summary");
    for (const name of ["Tuning", "Reproduce", "Energy"]) await expect(page.locator("nav.views").getByRole("link", { name })).toHaveCount(0);
    await open("bound", "#/tuning");
    await expect(page.locator("main#view")).toContainText("loopwright tune");
    await open("bound", "#/reproduce");
    await expect(page.locator("main#view")).toContainText("loopwright reproduce");
    await open("bound", "#/energy");
    await expect(page.locator("main#view")).toContainText("loopwright energy");
});

for (const scheme of ["light", "dark"] as const) {
    for (const width of [1280, 720, 390]) {
        test(`every outcome is told, and nothing is cut or hard to read: ${scheme}, ${width} pixels`, async ({ page }, info) => {
            const made = reportOf("bound");
            if ("missing" in made) {
                test.skip(true, made.missing);
                return;
            }
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme: scheme });
            const document = structuredClone(made.document);
            const [hot] = document.analysis.loops;
            Object.assign(document.analysis, { tuning: tuningFixture, reproduction: reproductionFixture, energy: { ...energyFixture, loops: [{ id: hot?.id ?? 0, joules: 200 }] } });
            const file = info.outputPath("searched.html");
            writeFileSync(file, withData(made.html, () => packed(JSON.stringify(document))));
            expect(readFileSync(file, "utf8")).not.toContain("<script>alert");
            const to = async (hash: string) => {
                await goTo(page, hash);
                await shown(page);
            };
            await page.goto(`${pathToFileURL(file).href}#/tuning`);
            await shown(page);
            await expect(page.locator(".gain-row")).toHaveCount(4);
            await expect(page.locator(".gain-row").first()).toContainText("best, confirmed on fresh runs");
            for (const text of ["wrong answer", "not built", "same code", "failed", "hung", "left alone", "given up", "instead of sum 1.000 at <b>7</b>", "<script>alert(1)</script>", "claimed from 1.05×", "clang-19", "<i>Xeon</i> 8480", "<b>MLUPS</b>", "41.0 times a second", "AVX2 256b ×4, 2 at a time", "AVX-512 512b ×8", "<img src=x>.c:9"]) {
                await expect(page.locator("main#view")).toContainText(text);
            }
            await expect(page.locator(".command").first()).toContainText("-O3 -march=native");
            // Rows open by the keyboard.
            const row = page.locator(".gain-row").nth(1);
            await row.locator("summary").focus();
            await page.keyboard.press("Enter");
            await expect(row.locator(".gain-more")).toContainText("GLIBC_TUNABLES=glibc.malloc.hugetlb=1");
            await expect(row.locator("[role=img]")).toHaveAttribute("aria-label", "measured 1.70×, interval 1.65–1.77×");
            await expectAccessible(page, "tuning");

            await to("#/reproduce");
            for (const text of ["sum.c, <img src=x>.c change the answer", "varies, not compared", "OMP_NUM_THREADS=3", "30 of 53 bits", "calls _ZGVdN4v_exp, line 12", "-O3 together with -fassociative-math", "only together with link line", "cheapest that keeps the answer", "the time was used up"]) {
                await expect(page.locator("main#view")).toContainText(text);
            }
            await expect(page.locator(".digit-lines mark")).toHaveText(["1234", "5678"]);
            await expect(page.getByRole("img", { name: "30 of 53 bits" })).toHaveCount(1);
            await page.locator(".gain-row summary").first().click();
            await expectAccessible(page, "reproduce");

            await to("#/energy");
            for (const text of ["312 J in 4.00 s: 78.0 W", "read through powercap", "had 70 % of the CPU time", "cores of socket 0 (a part of it)", "board (with the sockets)", "could not be read any more", "least energy with 4 threads, smallest energy-delay product with 8 threads"]) {
                await expect(page.locator("main#view")).toContainText(text);
            }
            const plot = page.locator(".z-plot [role=img]");
            await expect(plot).toHaveAttribute("aria-label", /2 threads: 1\.90×, 330 J, 1386 J s; .*least energy with 4 threads/);
            await expect(plot.locator(".names text")).toHaveText(["1", "2", "4", "8", "16"]);
            await expect(plot.locator(".least-energy")).toHaveCount(1);
            await expect(plot.locator(".least-product")).toHaveCount(1);
            await expect(page.locator(".energy-loops a")).toHaveText(String(hot?.id));
            await expectAccessible(page, "energy");
        });
    }
}

test("a program that ignores its number of threads has no best one, and a model is called one", async ({ page }, info) => {
    const made = reportOf("bound");
    if ("missing" in made) {
        test.skip(true, made.missing);
        return;
    }
    const document = structuredClone(made.document);
    Object.assign(document.analysis, { energy: modelledFixture });
    const file = info.outputPath("modelled.html");
    writeFileSync(file, withData(made.html, () => packed(JSON.stringify(document))));
    await page.goto(`${pathToFileURL(file).href}#/energy`);
    await shown(page);
    const main = page.locator("main#view");
    for (const text of ["a model, not measured", "elsewhere than OMP_NUM_THREADS", "Energy, modelled"]) await expect(main).toContainText(text);
    await expect(main).not.toContainText("least energy");
    await expect(main.locator(".best, .sign")).toHaveCount(0);
    await expect(main).not.toContainText("CPU time that this machine used");
});

test("on paper each row of a picture is open", async ({ page }, info) => {
    const made = reportOf("bound");
    if ("missing" in made) {
        test.skip(true, made.missing);
        return;
    }
    const document = structuredClone(made.document);
    Object.assign(document.analysis, { tuning: tuningFixture, reproduction: reproductionFixture });
    const file = info.outputPath("paper.html");
    writeFileSync(file, withData(made.html, () => packed(JSON.stringify(document))));
    await page.emulateMedia({ media: "print" });
    await page.goto(`${pathToFileURL(file).href}#/tuning`);
    await shown(page);
    await expect(page.locator(".gain-row details[open]")).toHaveCount(4);
});
