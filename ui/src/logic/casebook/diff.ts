/** Sources of stages as lines, and differences as the pieces around what changed. */

import type { CasebookDocument, StageFile, StageSources, TrackSources } from "../contract";
import { distinct } from "./cases";

export type Mark = " " | "+" | "-";

export interface DiffLine {
    mark: Mark;
    text: string;
    /** Line numbers in the file before and in this one; absent where the line is not in it. */
    before?: number;
    after?: number;
}

/** A run of lines that is shown, or one that is left out because nothing changed in it. */
export interface Hunk {
    lines: DiffLine[];
    hidden: boolean;
}

export function diffLines({ marked }: StageFile): DiffLine[] {
    let [before, after] = [0, 0];
    return marked
        .replace(/\n$/, "")
        .split("\n")
        .map((line): DiffLine => {
            const mark: Mark = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
            const found: DiffLine = { mark, text: line.slice(1) };
            if (mark !== "+") found.before = ++before;
            if (mark !== "-") found.after = ++after;
            return found;
        });
}

const without = (file: StageFile, mark: Mark): string =>
    diffLines(file)
        .filter((line) => line.mark !== mark)
        .map(({ text }) => text)
        .join("\n");

/** The file as it is, without what only the one before has. */
export function textOf(file: StageFile): string {
    return without(file, "-");
}

/** The file before. */
export function beforeOf(file: StageFile): string {
    return without(file, "+");
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** Changes with the lines around them; a run of unchanged lines that is not worth leaving out is shown. */
export function hunks(lines: readonly DiffLine[]): Hunk[] {
    const changed = lines.map(({ mark }) => mark !== " ");
    const near = lines.map((_, at) => changed.slice(Math.max(at - CONTEXT, 0), at + CONTEXT + 1).includes(true));
    const found: Hunk[] = [];
    for (const [at, line] of lines.entries()) {
        const hidden = near[at] !== true;
        const last = found.at(-1);
        if (last !== undefined && last.hidden === hidden) last.lines.push(line);
        else found.push({ hidden, lines: [line] });
    }
    for (const hunk of found) if (hunk.lines.length <= 2) hunk.hidden = false;
    return found;
}

/** How many lines came and went. */
export function changes(lines: readonly DiffLine[]): { added: number; removed: number } {
    const count = (mark: Mark): number => lines.filter((line) => line.mark === mark).length;
    return { added: count("+"), removed: count("-") };
}

export interface StageInTrack {
    track: string | undefined;
    stage: StageSources;
    /** Files that later stages replace or change: what the case is about. */
    changedLater: ReadonlySet<string>;
}

/** The sources of a stage, in each language of its case. */
export function sourcesOf(book: CasebookDocument, name: string, stage: string): StageInTrack[] {
    const tracks = (book.casebook.sources ?? []).filter((each: TrackSources) => each.case === name);
    return tracks.flatMap(({ track, stages }) => {
        const found = stages.find((each) => each.name === stage);
        const changedLater = new Set(stages.flatMap((each) => each.files.flatMap((file) => file.before ?? [])));
        return found === undefined ? [] : [{ track, stage: found, changedLater }];
    });
}

/** Options that a stage's commands have and those of the stage before have not, and the other way round. */
export function optionChanges(before: readonly string[], after: readonly string[]): { added: string[]; removed: string[] } {
    const options = (commands: readonly string[]): string[] =>
        distinct(commands.flatMap((command) => command.split(/\s+/)).filter((word) => word.startsWith("-") && !/^-(o|c)$/.test(word)));
    const [old, now] = [options(before), options(after)];
    return { added: now.filter((each) => !old.includes(each)), removed: old.filter((each) => !now.includes(each)) };
}
