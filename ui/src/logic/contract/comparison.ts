/** Two states of a program side by side, and what became of the predictions. */

import type { Loop } from "./loop";
import type { Gain } from "./recommendation";

export type Verdict =
    | "faster"
    | "slower"
    | "same"
    | "appeared"
    | "vanished"
    | "now-vectorized"
    | "no-longer-vectorized";

export interface Comparison {
    before: string;
    after: string;
    elapsed: [number, number];
    cpu: [number, number];
    before_counts?: CountSums;
    after_counts?: CountSums;
    counted?: CountChange[];
    other_command?: boolean;
    partial?: boolean;
    loops: LoopChange[];
    functions?: FunctionChange[];
    judged?: { by: "elapsed" | "cpu"; because?: string };
    findings?: Finding[];
    predictions?: Prediction[];
}

/** A function that is judged instead of its loops. */
export interface FunctionChange {
    function: string;
    module: string;
    before_counts?: CountSums;
    after_counts?: CountSums;
}

export interface CountSums {
    instructions: number;
    flop: number;
    int_ops: number;
    bytes: number;
    iterations: number;
    entries?: number;
    packed_share?: number;
}

export interface CountChange {
    what: "instructions" | "flop" | "integer-operations" | "bytes" | "iterations" | "entries";
    before: number;
    after: number;
}

export interface LoopChange {
    function: string;
    place: string;
    before?: Loop;
    after?: Loop;
    speedup?: number;
    interval?: [number, number];
    verdict: Verdict;
    before_counts?: CountSums;
    after_counts?: CountSums;
    counted?: CountChange[];
    note?: string;
}

export interface Finding {
    severity: "failure" | "warning" | "note";
    kind: string;
    index?: number;
    function?: string;
    place?: string;
    change?: CountChange;
    text: string;
}

/** An earlier recommendation held against what was measured after the change. */
export interface Prediction {
    recommendation: string;
    rule?: string;
    title: string;
    /** The loop in the earlier state. */
    loop_id?: number;
    function?: string;
    place?: string;
    /** Whose time is compared. */
    scope?: "loop" | "loop-total" | "program" | "elapsed";
    predicted?: Gain;
    measured?: number;
    interval?: [number, number];
    outcome: "came-true" | "more" | "less" | "not-followed" | "unknown";
    /** Other recommendations for the same loop, which cannot be told apart. */
    together?: string[];
    note?: string;
}
