/** The text of single lines from the sources that a report carries. */

import type { Report, SourceFile } from "../contract";

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
