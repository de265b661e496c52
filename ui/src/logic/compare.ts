/** Two states of a program side by side: words, order and choice, as the text output has them (`crates/report/src/comparison.rs`). */

import type { ComparisonDocument, CountChange, Finding, LoopChange, Prediction, Verdict } from "./contract";
import { COUNTED, FASTER, NO_CHANGE, NOT_KNOWN, SLOWER, VERDICTS as VERDICT_WORDS } from "./contract/words";
import { baseName, functionName, printable } from "./names";
import { filled } from "./phrases";
import { changeInPercent, ratio } from "./quantity";

/** A loop that takes less of the CPU time than this on both sides is counted with the rest. */
const NOTICEABLE = 0.005;

export type Tone = "good" | "costly" | "caution" | "plain";

export interface Badge {
    word: string;
    /** Says the same as the colour. */
    sign: string;
    tone: Tone;
}

/** The alarming first. */
export const VERDICTS: readonly Verdict[] = ["no-longer-vectorized", "slower", "now-vectorized", "faster", "same", "appeared", "vanished"];

const BADGES: Record<Verdict, Omit<Badge, "word">> = {
    "no-longer-vectorized": { sign: "✗", tone: "costly" },
    slower: { sign: "▼", tone: "costly" },
    "now-vectorized": { sign: "✓", tone: "good" },
    faster: { sign: "▲", tone: "good" },
    same: { sign: "=", tone: "plain" },
    appeared: { sign: "+", tone: "caution" },
    vanished: { sign: "−", tone: "caution" },
};

export function verdictBadge(verdict: Verdict): Badge {
    return { word: VERDICT_WORDS[verdict], ...BADGES[verdict] };
}

const OUTCOMES: Record<Prediction["outcome"], Badge> = {
    "came-true": { word: "came true", sign: "✓", tone: "good" },
    more: { word: "gained more", sign: "▲", tone: "good" },
    less: { word: "gained less", sign: "▼", tone: "costly" },
    "not-followed": { word: "not followed", sign: "–", tone: "plain" },
    unknown: { word: "not known", sign: "?", tone: "caution" },
};

export function outcomeBadge(outcome: Prediction["outcome"]): Badge {
    return OUTCOMES[outcome];
}

const SEVERITIES: Record<Finding["severity"], Badge> = {
    failure: { word: "failure", sign: "✗", tone: "costly" },
    warning: { word: "warning", sign: "!", tone: "caution" },
    note: { word: "note", sign: "ℹ", tone: "plain" },
};

export function severityBadge(severity: Finding["severity"]): Badge {
    return SEVERITIES[severity];
}

/** How many of each, in the order of a list; those that do not occur are left out. */
export function tally<T extends string>(found: readonly T[], order: readonly T[]): [T, number][] {
    const counts = new Map<T, number>();
    for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
    return order.flatMap((each): [T, number][] => (counts.has(each) ? [[each, counts.get(each) ?? 0]] : []));
}

/** `1.32× faster`; near 1 it says that nothing can be said from one run of each. */
export function pace([before, after]: readonly [number, number]): string {
    if (before <= 0 || after <= 0) return NOT_KNOWN;
    const speedup = before / after;
    if (speedup >= 1.005) return filled(FASTER, ratio(speedup));
    return speedup <= 0.995 ? filled(SLOWER, ratio(1 / speedup)) : NO_CHANGE;
}

export function countWords(what: CountChange["what"]): string {
    return COUNTED[what];
}

/** `+12.0 %`, `the same`, `new`. */
export function relative({ before, after }: Pick<CountChange, "before" | "after">): string {
    if (before === after) return NO_CHANGE;
    return before <= 0 ? "new" : changeInPercent(after / before - 1);
}

/** A change with its place among the comparison's loops, which findings name. */
export interface Change {
    index: number;
    change: LoopChange;
}

export type SortKey = "time" | "function" | "before" | "after" | "speedup" | "verdict" | "instructions";

export interface Wanted {
    /** Verdicts to show; all when empty. */
    verdicts: ReadonlySet<Verdict>;
    /** Text that function or place must have. */
    text: string;
    /** Also loops with less time and no change. */
    all: boolean;
    sort: SortKey;
    descending: boolean;
}

/** Whether a loop is worth a row by itself: it takes time, or, in states without times, its counts changed. */
function worth(timed: boolean, { before, after, counted }: LoopChange): boolean {
    const share = Math.max(before?.self_share ?? 0, after?.self_share ?? 0);
    return share >= NOTICEABLE || (!timed && (counted ?? []).some((each) => each.before !== each.after));
}

/** How many times the instructions of before; not known of a loop that executed none. */
function instructions(change: LoopChange): number | undefined {
    const counted = change.counted?.find((each) => each.what === "instructions");
    return counted === undefined || counted.before <= 0 ? undefined : counted.after / counted.before;
}

/** What rows are sorted by; undefined is last whichever way they are sorted. */
function keyOf(sort: SortKey, { index, change }: Change): number | string | undefined {
    switch (sort) {
        case "time":
            return Math.max(change.before?.self_seconds ?? 0, change.after?.self_seconds ?? 0);
        case "function":
            return functionName(change.after ?? change.before ?? change);
        case "before":
            return change.before?.self_seconds;
        case "after":
            return change.after?.self_seconds;
        case "speedup":
            return change.speedup;
        case "verdict":
            return VERDICTS.length - VERDICTS.indexOf(change.verdict);
        case "instructions":
            return instructions(change);
        default:
            return index;
    }
}

function order(a: number | string, b: number | string): number {
    return typeof a === "string" || typeof b === "string" ? (String(a) < String(b) ? -1 : Number(String(a) > String(b))) : a - b;
}

/** Rows of the table, and how many are left out because little happened in them. */
export function rows(comparison: ComparisonDocument, wanted: Wanted): { shown: Change[]; quiet: number } {
    const timed = comparison.cpu[0] > 0 || comparison.cpu[1] > 0;
    const text = wanted.text.toLowerCase();
    const matching = comparison.loops
        .map((change, index) => ({ index, change, key: undefined as number | string | undefined }))
        .filter(({ change }) => wanted.verdicts.size === 0 || wanted.verdicts.has(change.verdict))
        .filter(({ change }) => text === "" || functionName(change.after ?? change.before ?? change).toLowerCase().includes(text) || change.place.toLowerCase().includes(text));
    const shown = wanted.all ? matching : matching.filter(({ change }) => worth(timed, change));
    for (const each of shown) each.key = keyOf(wanted.sort, each);
    shown.sort((a, b) => {
        if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined) || a.index - b.index;
        return (wanted.descending ? order(b.key, a.key) : order(a.key, b.key)) || a.index - b.index;
    });
    return { shown, quiet: matching.length - shown.length };
}

/** Loops that lost their vectors, those with most time first. */
export function lostVectors(comparison: ComparisonDocument): Change[] {
    const all = comparison.loops.map((change, index) => ({ index, change }));
    const lost = all.filter(({ change }) => change.verdict === "no-longer-vectorized");
    return lost.sort((a, b) => (b.change.after?.self_seconds ?? 0) - (a.change.after?.self_seconds ?? 0));
}

/** All the speed-ups that a comparison's table draws. */
export function ratiosOf(loops: readonly LoopChange[]): number[] {
    return loops.flatMap((each) => [...(each.interval ?? []), ...(each.speedup === undefined ? [] : [each.speedup])]);
}

/** Whether a prediction could be compared with a measurement. */
const judged = ({ outcome }: Prediction): boolean => outcome === "came-true" || outcome === "more" || outcome === "less";

/** `3 of 5 predictions came true; 1 gained more; 4 were not followed`. */
export function predictionSummary(predictions: readonly Prediction[]): string {
    const number = (...outcomes: Prediction["outcome"][]): number => predictions.filter((each) => outcomes.includes(each.outcome)).length;
    const held = predictions.filter(judged).length;
    const parts: string[] = [];
    if (held > 0) parts.push(`${number("came-true")} of ${held} ${held === 1 ? "prediction" : "predictions"} came true`);
    else parts.push("No prediction could be compared with a measurement");
    if (number("more") > 0) parts.push(`${number("more")} gained more`);
    if (number("less") > 0) parts.push(`${number("less")} gained less`);
    const left = number("not-followed");
    if (left > 0) parts.push(`${left} ${left === 1 ? "recommendation was" : "recommendations were"} not followed`);
    if (number("unknown") > 0) parts.push(`of ${number("unknown")} the outcome is not known`);
    return parts.join("; ");
}

/** Predictions that were judged, then the others; each with its place among all. The first `most` unless all are wanted, but all judged ones. */
export function predictionRows(predictions: readonly Prediction[], most: number): { index: number; prediction: Prediction }[] {
    const all = predictions.map((prediction, index) => ({ index, prediction }));
    const first = all.filter(({ prediction }) => judged(prediction));
    const rest = all.filter(({ prediction }) => !judged(prediction));
    return [...first, ...rest.slice(0, Math.max(most - first.length, 0))];
}

/** The place of a change, as short as the text output has it. */
export function placeOf(change: LoopChange): string {
    return printable(baseName(change.place));
}
