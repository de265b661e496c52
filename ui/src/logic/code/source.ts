/** The rows of a source file: its lines with time, and what compilers said. */

import type { SourceFile, LineRemark } from "../contract";
import { printable } from "../names";
import { linesOf } from "./highlight";

/** Longer lines are cut: generated files have lines that would widen the whole page. */
const LONGEST = 2000;

export interface SourceRow {
    line: number;
    /** Absent when the file's text is unknown or has no such line. */
    text?: string;
    seconds: number;
    remarks: LineRemark[];
}

/** A line as it is shown: nothing invisible, nothing that turns its direction around; tabs stay. */
function shown(line: string): string {
    const text = line.split("\t").map(printable).join("\t");
    return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters)`;
}

function byLine<T>(entries: readonly T[], line: (entry: T) => number): Map<number, T[]> {
    const lines = new Map<number, T[]>();
    for (const entry of entries) {
        const here = lines.get(line(entry));
        if (here === undefined) lines.set(line(entry), [entry]);
        else here.push(entry);
    }
    return lines;
}

/** Every line where the text is known; of an unknown text the lines about which something is known, and those that are asked for. */
export function sourceRows(source: SourceFile, more: readonly number[] = []): SourceRow[] {
    const seconds = new Map(source.lines);
    const remarks = byLine(source.remarks, (remark) => remark.line);
    const texts = source.text === undefined ? [] : linesOf(source.text).map(shown);
    const row = (line: number): SourceRow => {
        const text = texts[line - 1];
        const known: SourceRow = { line, seconds: seconds.get(line) ?? 0, remarks: remarks.get(line) ?? [] };
        if (text !== undefined) known.text = text;
        return known;
    };
    const rows = texts.map((_, at) => row(at + 1));
    // Lines behind the end, where the file was changed since; all of them where there is no text.
    const marked = source.marks.flatMap((mark) => [mark.from, mark.to]);
    const beyond = new Set([...seconds.keys(), ...remarks.keys(), ...marked, ...more].filter((line) => line > texts.length));
    return rows.concat([...beyond].sort((a, b) => a - b).map(row));
}

/** The place of a line among rows that are sorted by line; undefined when it has none. */
export function rowOf(rows: readonly SourceRow[], line: number): number | undefined {
    let [from, to] = [0, rows.length];
    while (from < to) {
        const middle = Math.floor((from + to) / 2);
        if ((rows[middle]?.line ?? 0) < line) from = middle + 1;
        else to = middle;
    }
    return rows[from]?.line === line ? from : undefined;
}

/** Seconds of all lines of a file. */
export function secondsOf(source: SourceFile): number {
    return source.lines.reduce((all, [, seconds]) => all + seconds, 0);
}

/** How a row's share of the time is coloured, as the text output does it. */
export type Heat = "none" | "cold" | "warm" | "hot";

export function heat(share: number): Heat {
    if (share >= 0.05) return "hot";
    if (share >= 0.005) return "warm";
    return share > 0 ? "cold" : "none";
}
