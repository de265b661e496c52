/** What is around every view: navigation, colours, paper, keyboard. */

import { hottest } from "./support/facts";
import { expect, test } from "./support/test";

const VIEWS = ["summary", "loops", "functions", "tree", "flame", "roofline"];

test("the navigation leads to every view, and the address names it", async ({ open, page }) => {
    const { report } = await open("lbm");
    const links = page.locator('nav[aria-label="Views"] a');
    const count = await links.count();
    expect(count).toBeGreaterThanOrEqual(6);
    const titles = new Set<string>();
    for (let at = 0; at < count; at++) {
        await links.nth(at).click();
        await expect(links.nth(at)).toHaveAttribute("aria-current", "page");
        await expect(page.locator('nav[aria-label="Views"] [aria-current="page"]')).toHaveCount(1);
        await expect(page.locator("main#view h1")).toBeVisible();
        titles.add(await page.title());
    }
    expect(titles.size).toBe(count);
    expect([...titles].join()).toContain(report.analysis.program.command[0]?.split("/").at(-1) ?? "?");
    await page.goBack();
    await expect(links.nth(count - 2)).toHaveAttribute("aria-current", "page");
});

test("a comparison is offered only where there is one", async ({ open, page }) => {
    await open("lbm");
    await expect(page.locator('nav a[href^="#/compare"]')).toHaveCount(0);
    await open("compare");
    await expect(page.locator('nav a[href^="#/compare"]')).toHaveCount(1);
});

test("the first stop of the keyboard skips to the content", async ({ open, page }) => {
    await open("lbm", "#/loops");
    await page.keyboard.press("Tab");
    const skip = page.locator(":focus");
    await expect(skip).toContainText(/skip/i);
    await expect(skip).toBeVisible();
    await page.keyboard.press("Enter");
    const inside = await page.evaluate(() => document.activeElement?.closest("main#view") !== null);
    expect(inside).toBe(true);
    await expect(page).toHaveURL(/#\/loops/);
});

test("the keyboard goes through a page in the order in which it is read", async ({ open, page }) => {
    const { report, go } = await open("lbm");
    for (const view of ["summary", `loop/${hottest(report)[0]?.id ?? 0}`]) {
        await go(`#/${view}`);
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        const seen: number[] = [];
        const stops = 60;
        for (let at = 0; at < stops; at++) {
            await page.keyboard.press("Tab");
            const place = await page.evaluate(() => {
                const all = [...document.querySelectorAll("*")];
                const { activeElement } = document;
                return activeElement === null || activeElement === document.body ? -1 : all.indexOf(activeElement);
            });
            if (place < 0 || place === seen[0]) break;
            seen.push(place);
        }
        expect(seen.length, view).toBeGreaterThan(10);
        expect(seen, view).toEqual(seen.toSorted((a, b) => a - b));
    }
    expect(await page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count()).toBe(0);
});

test("what has the focus shows it", async ({ open, page }) => {
    await open("lbm");
    for (let at = 0; at < 6; at++) {
        await page.keyboard.press("Tab");
        const marked = await page.evaluate(() => {
            const shown = (element: Element) => {
                const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
                return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
            };
            const { activeElement } = document;
            return activeElement !== null && (shown(activeElement) || [...activeElement.parentElement?.children ?? []].some(shown) || shown(activeElement.parentElement ?? activeElement));
        });
        expect(marked, `stop ${at}`).toBe(true);
    }
});

test("colours follow the system until the reader chooses", async ({ open, page }) => {
    await open("lbm");
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.getByRole("radio", { name: "Light" }).check({ force: true });
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    expect(await background()).toBe(dark);
    await page.getByRole("radio", { name: "Auto" }).check({ force: true });
    expect(await background()).toBe(light);
});

test("paper shows the content without what can only be clicked", async ({ open, page }) => {
    const { go } = await open("lbm");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const view of VIEWS) {
        await go(`#/${view}`);
        await expect(page.locator('nav[aria-label="Views"]'), view).toBeHidden();
        await expect(page.locator("main#view"), view).toBeVisible();
        const white = await page.evaluate(() => {
            const rgb = /(\d+), (\d+), (\d+)/.exec(getComputedStyle(document.body).backgroundColor) ?? [];
            return rgb.slice(1).every((part) => Number(part) > 240) || getComputedStyle(document.body).backgroundColor === "rgba(0, 0, 0, 0)";
        });
        expect(white, `${view} on white`).toBe(true);
    }
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.length).toBeGreaterThan(10_000);
});

test("the page can be read without its colours' scheme being stored", async ({ open, page }) => {
    await open("lbm");
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await page.reload();
    await expect(page.locator("main#view h1")).toBeVisible();
});
