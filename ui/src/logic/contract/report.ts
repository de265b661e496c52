/** The document that a report shows; docs/json.md, "A report", describes every key. */

import type { Analysis } from "./analysis";
import type { Comparison } from "./comparison";
import type { FlatNode } from "./tree";

export interface Report {
    schema: 1;
    report: 1;
    tool: { name: string; version: string };
    generated: string;
    state: string;
    analysis: Analysis;
    sources: Source[];
    listings: Listing[];
    listings_left_out?: number;
    threads?: ThreadTree[];
    threads_left_out?: number;
    reasons: Record<string, Reason>;
    /** Words for the contract's names that occur: `trait:gather`, `role:body`, `chain:in-order-sum`, `idiom:memset`. */
    words?: Record<string, string>;
    missing: Missing[];
    /** Only so many of the hottest loops have all their facts here; `--json` has them all. */
    detailed_loops?: number;
    comparison?: Comparison;
}

/** A source file: its text, time by line, loops in the margin, remarks. */
export interface Source {
    file: string;
    text?: string;
    missing?: string;
    outdated?: string;
    /** Pairs of line and self seconds. */
    lines: [number, number][];
    marks: Mark[];
    remarks: SourceRemark[];
}

/** A source loop in the margin, in the manner of loopmark listings. */
export interface Mark {
    from: number;
    to: number;
    letters: string;
    slot: number;
    loops: number[];
}

export interface SourceRemark {
    line: number;
    column?: number;
    compiler: string;
    outcome: "missed" | "vectorized" | "note";
    message: string;
    reason?: string;
}

/** The instructions of a function. */
export interface Listing {
    function: string;
    module: string;
    address: string;
    files: string[];
    loops: number[];
    instructions: Instruction[];
}

/** Address, text, index into the listing's files, line, self seconds, innermost loop. */
export type Instruction = [string, string, number | null, number | null, number, number | null];

/** The top-down tree of one thread. */
export interface ThreadTree {
    rank?: number;
    pid: number;
    tid: number;
    name?: string;
    tree: FlatNode[];
}

/** A class of compilers' reasons, explained as `loopwright explain` does. */
export interface Reason {
    title: string;
    /** Nothing needs to be done. */
    benign: boolean;
    meaning: string;
    cost?: string;
    /** Whom a remedy is for, and what it is. */
    remedies: { by: string; what: string }[];
    caveats?: string;
    examples?: ReasonExample[];
}

export interface ReasonExample {
    language: string;
    before: string;
    /** Absent when flags alone mend it. */
    after?: string;
    flags?: string;
}

/** What a fuller picture needs. */
export interface Missing {
    what: string;
    why: string;
    command?: string;
}
