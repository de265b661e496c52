// Builds the report page: one file with its script and style inside, and a policy that allows these two and nothing else.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import preact from "@preact/preset-vite";
import type { Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The contents of all elements of a kind that a browser would run or apply. */
function inline(html: string, element: "script" | "style"): string[] {
    const pattern = new RegExp(`<${element}(?![^>]*type="application/)[^>]*>([\\s\\S]*?)</${element}>`, "g");
    return [...html.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** Puts the hashes of what is inlined into the policy; runs after everything else has written the page. */
function policy(): Plugin {
    return {
        name: "content-security-policy",
        enforce: "post",
        apply: "build",
        generateBundle: {
            order: "post",
            handler(_options, bundle) {
                for (const file of Object.values(bundle)) {
                    if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
                    const html = String(file.source);
                    const scripts = inline(html, "script").map(hash).join(" ");
                    const styles = inline(html, "style").map(hash).join(" ");
                    if (scripts === "" || styles === "" || !html.includes("%POLICY%")) {
                        this.error("the page has no inline script, no inline style or no place for its policy");
                    }
                    const rules = [
                        "default-src 'none'",
                        `script-src ${scripts}`,
                        `style-src ${styles}`,
                        "img-src data:",
                        "base-uri 'none'",
                        "form-action 'none'",
                    ];
                    file.source = html.replace("%POLICY%", () => rules.join("; "));
                }
            },
        },
    };
}

/** Where the crate that carries the page looks for it (`crates/report/build.rs`). */
const PACKED = resolve(import.meta.dirname, "../crates/report/page/index.html.gz");
/** Where the document goes; `crates/report/src/page/html.rs` looks for the same line. */
const PLACEHOLDER = "<!--loopwright:document-->";

/** Hands the finished page to the crate, packed: the same bytes for the same page. */
function packed(): Plugin {
    return {
        name: "packed-page",
        enforce: "post",
        apply: "build",
        writeBundle(_options, bundle) {
            const pages = Object.values(bundle).flatMap((file) => (file.type === "asset" && file.fileName.endsWith(".html") ? [String(file.source)] : []));
            const [page] = pages;
            if (page === undefined || pages.length !== 1 || page.split(PLACEHOLDER).length !== 2 || !page.includes("<title>")) {
                this.error(`the page must be one file that holds ${PLACEHOLDER} once, and a title`);
            }
            mkdirSync(resolve(PACKED, ".."), { recursive: true });
            writeFileSync(PACKED, gzipSync(page, { level: 9 }));
        },
    };
}

export default defineConfig({
    plugins: [preact({ devToolsEnabled: false }), viteSingleFile({ removeViteModuleLoader: true }), policy(), packed()],
    // Older than what decompresses the data: nested rules are written out.
    build: { target: "es2022", cssTarget: ["chrome100", "firefox100", "safari15"], modulePreload: false, reportCompressedSize: false },
    test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"], environment: "node" },
});
