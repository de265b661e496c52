/** Pages whose data was damaged on its way, or is of another version. */

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const DATA = /(<script type="application\/gzip" id="document">)([^<]*)(<\/script>)/;

/** The page with other data. */
export function withData(html: string, change: (base64: string) => string): string {
    return readFileSync(html, "utf8").replace(DATA, (_, open: string, data: string, close: string) => open + change(data) + close);
}

export const packed = (text: string): string => gzipSync(text).toString("base64");
