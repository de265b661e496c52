/** Reads the document out of the page: base64 of gzip of JSON, see `crates/report/src/page/html.rs`. */

import type { CasebookDocument, Report } from "./contract";
import { expand } from "./tables";

/** Why a document cannot be shown, in words for the reader. */
export class UnreadableDocument extends Error {}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64.trim());
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return bytes;
}

/** The document in base64 of gzip. */
export async function decode(base64: string): Promise<CasebookDocument | Report> {
    let text: string;
    try {
        const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
        text = await new Response(stream).text();
    } catch (cause) {
        throw new UnreadableDocument("The data in this file is damaged: write the report again.", { cause });
    }
    const found = expand(JSON.parse(text) as Parameters<typeof expand>[0]) as unknown as Partial<CasebookDocument> | Partial<Report>;
    if ("casebook" in found && found.schema === 1) return found as CasebookDocument;
    const report = found as Partial<Report>;
    if (report.schema !== 1 || report.report !== 1 || report.analysis === undefined) {
        throw new UnreadableDocument("The data in this file is of another version than its page: write the report again.");
    }
    // The missing part may not have been requested.
    return { missing: [], ...report } as Report;
}
