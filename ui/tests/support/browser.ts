/** The browser that the tests drive: the system's. Playwright's own download is not needed. */

import { existsSync } from "node:fs";

const KNOWN = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** `LOOPWRIGHT_CHROMIUM`, else where systems put it. */
export function executablePath(): string {
    const chosen = process.env.LOOPWRIGHT_CHROMIUM ?? KNOWN.find((path) => existsSync(path));
    if (chosen === undefined || !existsSync(chosen)) {
        throw new Error(`no browser at ${chosen ?? KNOWN.join(", ")}: install chromium, or name one in LOOPWRIGHT_CHROMIUM`);
    }
    return chosen;
}
