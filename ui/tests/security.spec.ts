/** Names from binaries are text, whatever is in them; the page needs no network and obeys a strict policy. */

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { packed, withData } from "./support/damaged";
import { reportOf } from "./support/manifest";
import { expect, test } from "./support/test";

const VIEWS = ["summary", "loops", "functions", "tree", "flame", "code", "roofline", "tuning", "reproduce", "energy", "messages", "compare"];

test("hostile names run nothing in any view", async ({ open, page }) => {
    const { report, go } = await open("hostile");
    const loops = report.analysis.loops;
    expect(loops.length).toBeGreaterThan(5);
    expect(loops.some((loop) => loop.function.includes("<script"))).toBe(true);
    expect(loops.some((loop) => loop.function.length >= 10_000)).toBe(true);
    // Each function's name attacks in its own way.
    const each = [...new Map(loops.map((loop) => [loop.function, loop.id])).values()];
    const views = [...VIEWS, ...each.slice(0, 16).map((id) => `loop/${id}`), ...each.slice(0, 6).map((id) => `code/${id}`)];
    for (const view of views) {
        await go(`#/${view}`);
        const found = await page.evaluate(() => {
            const all = [...document.querySelectorAll("*")];
            return {
                // The one script of the page beside its data; no name became an element or an attribute.
                scripts: all.filter((one) => one.matches("script:not([type='application/gzip'])")).length,
                elements: all.filter((one) => one.closest("#page") !== null && one.matches("script, img, iframe, object, embed, link, meta, base")).length,
                handlers: all.flatMap((one) => one.getAttributeNames().filter((name) => name.startsWith("on"))),
                links: all.flatMap((one) => (one.matches("a") && one.getAttribute("href")?.startsWith("#") !== true ? [one.getAttribute("href")] : [])),
                wide: Math.max(document.documentElement.scrollWidth - innerWidth, 0),
            };
        });
        expect(found, view).toEqual({ scripts: 1, elements: 0, handlers: [], links: [], wide: 0 });
    }
});

test("hostile names are shown as they are", async ({ open, page }) => {
    const { report, go } = await open("hostile");
    const script = report.analysis.loops.find((loop) => loop.function.includes("<script"));
    await go(`#/loop/${script?.id ?? 0}`);
    const start = script?.function.slice(0, 12) ?? "?";
    await expect(page.locator("main#view")).toContainText(start);
    const long = report.analysis.loops.find((loop) => loop.function.length >= 10_000);
    await go(`#/loop/${long?.id ?? 0}`);
    // Elided on the page, in full behind it.
    const titles = await page.locator("main#view .name[title]").evaluateAll((all) => all.map((each) => each.getAttribute("title") ?? ""));
    expect(titles.some((title) => title.length >= 10_000 && title.startsWith(long?.function.slice(0, 100) ?? "?"))).toBe(true);
});

test("hostile addresses lead to the summary or say what is wrong", async ({ open, page }) => {
    const { go } = await open("lbm");
    const hashes = [
        "#/<script>alert(1)</script>",
        "#/loop/0",
        "#/loop/999999999",
        "#/code/999999999",
        "#/loops?sort=__proto__&q=%ff%00<img src=x onerror=alert(1)>",
        "#/loops?sort=constructor&desc=maybe",
        "#/roofline?x=NaN&y=Infinity&k=-1&zoom=1e999",
        "#/tree?thread=99&rank=-1&open=toString",
        "#/flame?thread=x&zoom=-5",
        "#/compare?sort=valueOf",
        "#/tuning?sort=__proto__&desc=maybe",
        "#/reproduce/1?sort=x",
        "#/energy/2?sort=__proto__",
        "#/messages?sort=__proto__&desc=2",
        "#/code/1?line=-1&file=99",
        "#/loops?" + "q=" + "x".repeat(20_000),
    ];
    for (const hash of hashes) {
        await go(hash);
        await expect(page.locator("nav a")).not.toHaveCount(0);
    }
});

test("the policy allows the page's own script and style and nothing else", () => {
    for (const name of ["lbm", "hostile", "large"] as const) {
        const made = reportOf(name);
        if ("missing" in made) continue;
        const html = readFileSync(made.html, "utf8");
        const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/i.exec(html)?.[1] ?? "";
        const rules = new Map(policy.split(";").map((rule) => rule.trim().split(/\s+/)).map(([key = "", ...values]) => [key, values]));
        expect(rules.get("default-src")).toEqual(["'none'"]);
        for (const key of ["script-src", "style-src"]) {
            const allowed = rules.get(key) ?? [];
            expect(allowed.length, key).toBeGreaterThan(0);
            for (const each of allowed) expect(each).toMatch(/^'sha256-[A-Za-z0-9+/]{43}='$/);
        }
        expect(policy).not.toMatch(/unsafe|\*|https?:|blob:/);
        expect(rules.get("connect-src") ?? ["'none'"]).toEqual(["'none'"]);
        // The policy comes before anything that it governs.
        expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.search(/<(script|style)\b/));
        // What data brings along cannot end its element: it is base64.
        const data = /<script type="application\/gzip" id="document">([^<]*)<\/script>/.exec(html)?.[1] ?? "";
        expect(data).toMatch(/^\s*[A-Za-z0-9+/=\s]+$/);
    }
});

test("a page whose data is damaged or of another version says so", async ({ page }, info) => {
    const made = reportOf("lbm");
    if ("missing" in made) {
        test.skip(true, made.missing);
        return;
    }
    const damages: Record<string, (data: string) => string> = {
        cut: (data) => data.slice(0, data.length / 2),
        "no base64": () => "%%%",
        empty: () => "",
        "no JSON": () => packed("{"),
        version: () => packed(JSON.stringify({ ...made.document, report: 2 })),
    };
    for (const [name, change] of Object.entries(damages)) {
        const file = info.outputPath(`${name}.html`);
        writeFileSync(file, withData(made.html, change));
        await page.goto(pathToFileURL(file).href);
        await expect(page.getByRole("alert"), name).toContainText(/write the report again|cannot be read|fills it/);
    }
});
