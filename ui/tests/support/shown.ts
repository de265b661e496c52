/**
 * Compares what a page shows with its document, number by number. Elements name the key that they show (`data-key`), and
 * the elements around them what it is a key of: a loop, a loop's pieces together, a recommendation, a node of the tree.
 */

import type { Page } from "@playwright/test";
import type { Report } from "../../src/logic/contract";
import { groupOf, recommendations } from "./facts";
import * as figures from "./figures";

export interface Shown {
    key: string;
    text: string;
    /** Attributes of the elements around, the innermost first. */
    scopes: [name: string, value: string][];
}

/** Every element that names its key. */
export async function shownIn(page: Page, within = "body"): Promise<Shown[]> {
    return await page.locator(within).first().evaluate((root) => {
        const about = ["data-case", "data-stage", "data-busy", "data-node", "data-recommendation", "data-change", "data-prediction", "data-group", "data-loop", "data-function", "data-module"];
        return [...root.querySelectorAll("[data-key]")].map((element) => {
            const scopes: [string, string][] = [];
            for (let at: Element | null = element; at !== null; at = at.parentElement) {
                for (const name of about) {
                    const value = at.getAttribute(name);
                    if (value !== null) scopes.push([name, value]);
                }
            }
            return { key: element.getAttribute("data-key") ?? "", text: element.textContent.replace(/\s+/g, " ").trim(), scopes };
        });
    });
}

type Facts = Record<string, unknown>;

/** The value at a path; undefined when any part is absent. */
export function at(value: unknown, path: string): unknown {
    let here = value;
    for (const part of path.split(".")) {
        if (typeof here !== "object" || here === null) return undefined;
        here = (here as Facts)[part];
    }
    return here;
}

const numbered = new WeakMap<Report, Map<number, Facts>>();

/** Loops by number: a table of 20,000 asks for each of them. */
function loopOf(report: Report, id: number): Facts | undefined {
    let loops = numbered.get(report);
    if (loops === undefined) {
        loops = new Map(report.analysis.loops.map((each) => [each.id, each as unknown as Facts]));
        numbered.set(report, loops);
    }
    return loops.get(id);
}

/** What a scope's number or name represents; several where the name is ambiguous. */
function subjects(report: Report, scopes: Shown["scopes"]): Facts[] {
    const { analysis } = report;
    const [name, value] = scopes[0] ?? ["", ""];
    const loop = scopes.find(([each]) => each === "data-loop")?.[1];
    const found = (): unknown[] => {
        switch (name) {
            case "data-loop":
                return [loopOf(report, Number(value))].filter((each) => each !== undefined);
            case "data-group":
                return [groupOf(analysis, Number(value))].filter((each) => each !== undefined);
            case "data-recommendation":
                // The same advice may be given for several loops.
                return [...recommendations(report), ...(analysis.advice ?? [])].filter((each) => each.id === value && (loop === undefined || each.loop_id === Number(loop)));
            case "data-change":
                return [report.comparison?.loops[Number(value)]].filter((each) => each !== undefined);
            case "data-prediction":
                return [report.comparison?.predictions[Number(value)]].filter((each) => each !== undefined);
            case "data-function":
                return analysis.functions.filter((each) => each.function === value);
            case "data-module":
                return analysis.modules.filter((each) => each.path === value);
            default:
                return [];
        }
    };
    return found() as Facts[];
}

/** Values that the document does not hold but determines, by key; `extra` of a test comes first. */
export type Derived = Record<string, (report: Report, shown: Shown) => unknown>;

export type Verdict = { values: unknown[] } | { unknown: string };

/** The value that an element shows, or those that it may show. */
export function valuesOf(report: Report, shown: Shown, extra: Derived = {}): Verdict {
    const derived = extra[shown.key] ?? extra[shown.key.replace(/\.\d+(?=\.|$)/g, ".#")] ?? extra[shown.key.replace(/\.\w+$/, ".*")];
    if (derived !== undefined) return { values: [derived(report, shown)] };
    const root = shown.key.split(".")[0] ?? "";
    const [inner] = shown.scopes;
    if (inner !== undefined) {
        const facts = subjects(report, shown.scopes);
        if (facts.length === 0) return { unknown: `nothing in the document is ${inner.join("=")}` };
        const values = facts.map((each) => at(each, shown.key));
        if (values.some((each) => each !== undefined) || !(root in report.analysis || root in report)) return { values };
    }
    const value = at(report.analysis, shown.key) ?? at(report, shown.key);
    if (value === undefined && !(root in report.analysis || root in report)) return { unknown: "no such key" };
    return { values: [value] };
}

// Code in sentences is between backticks, which the page shows as code.
const plain = (text: string): string => text.replaceAll("`", "").replace(/\s+/g, " ").trim();

type Format = (value: number) => string;

const { amount, bytes, count, energy, fixed, inUnit, mean, percent, rate, ratio, share, time } = figures;
const decimals = (wanted: number): Format => (value) => fixed(value, wanted);

/** The ways in which the text output may write numbers of this key; whole ones may also be counts. */
function formatsOf(key: string, whole: boolean): Format[] {
    const name = key.replace(/\.\d+/g, "").split(".").at(-1) ?? "";
    if (/time_imbalance\.|^comm\.sites\.\d+\.imbalance\./.test(key) && name !== "threads" && name !== "share") return [time];
    if (key.includes(".mix.")) return [share];
    if (/seconds$|^sync_at_least$|^cpu_usage$|^elapsed$|^cpu$/.test(name)) return [time, (value) => inUnit(value, "s"), (value) => inUnit(value, "ms")];
    if (/share$|^share_of_busy$|^busy$|^miss_rate$|^utilisation$|^efficiency$|^time$|\.time\.\w+$/.test(name) || /(^|\.)time\.\w+$/.test(key)) return [share, (value) => `${percent(value)} %`, percent];
    if (/gain(_likely)?$|headroom|speedup|overhead|measured|predicted/.test(name)) return [ratio, (value) => ratio(value).slice(0, -1)];
    if (/joules$/.test(name)) return [energy];
    if (/^gbytes/.test(name)) return [rate];
    if (/per_iteration$/.test(name)) return whole ? [rate, count] : [rate];
    if (/distribution/.test(key)) return [share];
    if (/stride|strides|offset/.test(key)) return [decimals(0), count, bytes];
    if (key.includes("instruction_imbalance.") && name !== "threads") return [(value) => amount(Math.round(value))];
    if (/bytes/.test(name)) return [bytes, amount, (value) => `${amount(value)} B`, count, mean, (value) => `${amount(value)}B`];
    return whole ? [count, amount, decimals(0), rate, mean, decimals(1)] : [rate, mean, decimals(1), decimals(2)];
}

const formats = (key: string, value: number): string[] => formatsOf(key, Number.isInteger(value)).map((format) => format(value));

/** A range as the page writes it: both ends the same way, also where only one of them is whole. */
function ranges(key: string, [low, high]: readonly [number, number]): string[] {
    const ends = formatsOf(key, Number.isInteger(low) && Number.isInteger(high)).flatMap((format) => {
        const [from, to] = [format(low), format(high)];
        return from === to ? [from] : [`${from}–${to}`, `${from}-${to}`, `${from} – ${to}`, `${from} to ${to}`, `between ${from} and ${to}`];
    });
    return /gain|predicted|interval/.test(key) ? [figures.ratioRange(low, high), ...ends] : [...ends, figures.span(low, high)];
}

const isRange = (value: unknown): value is [number, number] => Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "number");

/** Digits as they may occur within a longer text: not within a longer number. */
function holds(text: string, wanted: string): boolean {
    for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + 1)) {
        const before = text.slice(0, from);
        const after = text.slice(from + wanted.length);
        if (!/[\d.,<]$/.test(before) && !/^(?:\d|[.,]\d)/.test(after)) return true;
    }
    return false;
}

/** Why the text does not show the value; undefined when it does. */
export function mismatch(shown: Shown, value: unknown): string | undefined {
    const { key, text } = shown;
    const says = (wanted: string[]) => (wanted.some((each) => holds(text, each)) ? undefined : `shows "${text.slice(0, 80)}" for ${JSON.stringify(value).slice(0, 120)}, expected ${wanted.slice(0, 3).join(" or ")}`);
    if (value === undefined || value === null) return /\d/.test(text) ? `shows "${text.slice(0, 80)}" although the document has no such value` : undefined;
    // The document has seven digits; the page rounds the number itself, and a tie to the even digit.
    const near = (each: number) => (Number.isInteger(each) ? [] : [each * (1 - 3e-7), each * (1 + 3e-7)]);
    if (typeof value === "number") return says([value, Number(value.toPrecision(7)), ...near(value)].flatMap((each) => formats(key, each)));
    if (isRange(value)) return says(ranges(key, value));
    if (typeof value === "string") {
        // A name may be cut short in its middle; a word of the contract may be put in other words.
        const start = plain(text).replace(/…[\s\S]*$/, "");
        if (text === "") return value === "" ? undefined : "shows nothing";
        if (/^[a-z][a-z-]*$/.test(value) && !/function|name|module|host|file/.test(key)) return undefined;
        const whole = plain(value);
        return whole.includes(start) || plain(text).includes(whole) || plain(text).includes(whole.slice(whole.lastIndexOf("/") + 1)) || /[^\x20-\x7e]/.test(whole) || /started|generated|isa/.test(key)
            ? undefined
            : `shows "${text.slice(0, 80)}" for "${whole.slice(0, 80)}"`;
    }
    // Lists and truths are shown in words.
    return text === "" && !(Array.isArray(value) && value.length === 0) && value !== false ? "shows nothing" : undefined;
}

/** An error in all places is reported for a few of them. */
const MOST = 12;

/** How long a page may take to show what was chosen; a loaded machine takes its time. */
const PATIENCE_MS = 30_000;

interface Compared {
    wrong: string[];
    compared: number;
    numbers: number;
}

/** Every element of the page that does not show what the document holds, once it has settled, and how many were compared. */
export async function compare(page: Page, report: Report, extra: Derived = {}, within = "body"): Promise<Compared> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
        const found = await compareNow(page, report, extra, within);
        if (found.wrong.length === 0 || Date.now() > until) return found;
        await page.waitForTimeout(100);
    }
}

async function compareNow(page: Page, report: Report, extra: Derived, within: string): Promise<Compared> {
    const all = await shownIn(page, within);
    const wrong: string[] = [];
    let numbers = 0;
    for (const each of all) {
        const verdict = valuesOf(report, each, extra);
        const problems = "unknown" in verdict ? [verdict.unknown] : verdict.values.map((value) => mismatch(each, value));
        const problem = problems.includes(undefined) ? undefined : problems[0];
        if ("values" in verdict && verdict.values.some((value) => typeof value === "number" || isRange(value))) numbers++;
        if (problem !== undefined) wrong.push(`${each.scopes[0]?.join("=") ?? "page"} ${each.key}: ${problem}`);
    }
    return { wrong: wrong.slice(0, MOST), compared: all.length, numbers };
}
