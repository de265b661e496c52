/** Where the reports are that `reports.ts` made. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Report } from "../../src/logic/contract";

/** What each is for: the demo with everything known; Fortran; the same with
 * nothing but samples; a library without sources; ranks; threads; two states;
 * the same two the other way round; the demo with
 * what binds its loops; with its advice tried, the best build searched for, the answers of two builds compared and its
 * energy modelled; and messages between ranks. */
export type ReportName = "lbm" | "compare" | "regression" | "bound" | "tried" | "heat" | "sampled" | "numpy" | "mpi" | "messages" | "threads" | "hostile" | "large";

/** Pages that are no reports of a program. */
export type PageName = ReportName | "casebook";

/** Files of a page: itself, the document as JSON, and the same with numbers as the page holds them. */
export interface Files {
    html: string;
    json: string;
    rounded: string;
}

export type Manifest = Partial<Record<PageName, Files | { missing: string }>>;

export function folderOfReports(): string {
    return resolve(process.env.LOOPWRIGHT_REPORTS ?? resolve(import.meta.dirname, "../../test-results/reports"));
}

export function manifestPath(): string {
    return join(folderOfReports(), "manifest.json");
}

/** A page and its document. */
export interface Made<D = Report> extends Files {
    /** Read when it is first asked for: that of a large report takes a while. */
    readonly document: D;
}

/** Numbers as the page holds them: rounded to seven digits, which may turn the last one that is shown. */
const asThePage = (_: string, value: unknown): unknown => (typeof value === "number" && !Number.isInteger(value) ? Number(value.toExponential(6)) : value);

/** A document as the page holds it. Once per report: of long ones it takes many times as long as to read them. */
export const rounded = (document: string): string => JSON.stringify(JSON.parse(document, asThePage));

const read = new Map<PageName, Made<unknown> | { missing: string }>();

/** A report, or why there is none here. */
export function reportOf(name: ReportName): Made | { missing: string } {
    return pageOf(name) as Made | { missing: string };
}

/** A page with its document, or why there is none here. */
export function pageOf(name: PageName): Made<unknown> | { missing: string } {
    let made = read.get(name);
    if (made === undefined) {
        const entry = (JSON.parse(readFileSync(manifestPath(), "utf8")) as Manifest)[name] ?? { missing: "it was not made" };
        made = "missing" in entry ? entry : opened(entry);
        read.set(name, made);
    }
    return made;
}

function opened(files: Files): Made<unknown> {
    let document: unknown;
    return {
        ...files,
        get document() {
            document ??= JSON.parse(readFileSync(files.rounded, "utf8"));
            return document;
        },
    };
}
