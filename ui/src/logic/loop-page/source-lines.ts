/** The text of single lines from the sources that a report carries. */

import type { LoopFacts, Report, SourceFile } from "../contract";

const SPLIT = new WeakMap<SourceFile, string[]>();
const BY_FILE = new WeakMap<Report, Map<string, SourceFile>>();

/** A line without the space around it; undefined when the file or the line is not there. */
export function sourceLine(report: Report, file: string | undefined, line: number | undefined): string | undefined {
    if (file === undefined || line === undefined || line < 1) return undefined;
    let files = BY_FILE.get(report);
    if (files === undefined) {
        files = new Map(report.sources.map((each) => [each.file, each]));
        BY_FILE.set(report, files);
    }
    const source = files.get(file);
    if (source?.text === undefined) return undefined;
    let lines = SPLIT.get(source);
    if (lines === undefined) {
        lines = source.text.split(/\r\n|\n|\r/);
        SPLIT.set(source, lines);
    }
    const text = lines[line - 1]?.trim();
    return text === "" ? undefined : text;
}

/** Lines of context around a loop's own. */
const CONTEXT = 2;

/** First and last line to show of a loop: its own, those of its mark, and some around them, within the file. */
export function linesOfLoop(source: SourceFile, { id, line = 1, lines }: Pick<LoopFacts, "id" | "line" | "lines">): [number, number] {
    const mark = source.marks.find((each) => each.loops.includes(id));
    const last = source.text?.split(/\r\n|\n|\r/).length ?? 1;
    const from = Math.min(line, mark?.from ?? line, lines?.[0] ?? line);
    const to = Math.max(line, mark?.to ?? line, lines?.[1] ?? line);
    return [Math.max(from - CONTEXT, 1), Math.min(to + CONTEXT, last)];
}

/** Space that all lines begin with: it says nothing, and takes room. */
export function indentOf(lines: readonly string[]): number {
    const [first, ...rest] = lines.filter((line) => line.trim() !== "");
    let common = /^\s*/.exec(first ?? "")?.[0] ?? "";
    for (const line of rest) while (!line.startsWith(common)) common = common.slice(0, -1);
    return common.length;
}
