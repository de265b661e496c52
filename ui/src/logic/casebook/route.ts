/** What the address of a casebook says: all cases, or the one that it names. */

import type { CaseRecord, CasebookDocument } from "../contract";

/** `#/case/lbm`, `#/case/lbm?at=restrict`; anything else is the list of cases. */
export interface CasebookRoute {
    name?: string;
    /** The stage to begin with. */
    at?: string;
}

export function parseCasebook(hash: string): CasebookRoute {
    const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
    const [view, ...rest] = path.split("/");
    if (view !== "case" || rest.length === 0) return {};
    const at = new URLSearchParams(query).get("at");
    try {
        return { name: decodeURIComponent(rest.join("/")), ...(at !== null && { at }) };
    } catch {
        // No text in any encoding.
        return {};
    }
}

export function caseAddress(name?: string, at?: string): string {
    if (name === undefined) return "#/cases";
    return `#/case/${encodeURIComponent(name)}${at === undefined ? "" : `?at=${encodeURIComponent(at)}`}`;
}

/** The case that is shown: of a single one there is no list. */
export function shownCase(book: CasebookDocument, route: CasebookRoute): CaseRecord | undefined {
    const { cases } = book.casebook;
    return cases.find((each) => each.case === route.name) ?? (cases.length === 1 && route.name === undefined ? cases[0] : undefined);
}
