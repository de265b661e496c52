/** What is selected in the two panes, and what a choice in one does to the other. */

import type { Report } from "../contract";
import type { Choice } from "./choice";
import { type Counterparts, fileOf, hottest } from "./listing";


export interface Selection {
    source: number;
    listing: number;
    loop: number | undefined;
    line: number | undefined;
    instruction: number | undefined;
    /** Counts up when the pane shall bring its selected row into view. */
    showSource: number;
    showAssembly: number;
}

export function begin(choice: Choice, before?: Selection): Selection {
    return {
        source: choice.source,
        listing: choice.listing,
        loop: choice.loop?.id,
        line: choice.line,
        instruction: choice.instruction,
        showSource: (before?.showSource ?? 0) + 1,
        showAssembly: (before?.showAssembly ?? 0) + 1,
    };
}

/** A line was chosen. Unless it was merely walked over, the assembly shows its instructions, of another function if need be. */
export function chooseLine(report: Report, counterparts: Counterparts, now: Selection, line: number, lead: boolean): Selection {
    const next = { ...now, line, instruction: undefined };
    const file = report.sources[now.source]?.file;
    const counterpart = file === undefined ? undefined : counterparts.of(file, line, now.listing);
    if (!lead || counterpart === undefined) return next;
    const listing = report.listings[counterpart.listing];
    const instruction = listing === undefined ? undefined : hottest(listing, counterpart.instructions);
    return { ...next, listing: counterpart.listing, instruction, showAssembly: now.showAssembly + 1 };
}

/** An instruction was chosen. Its line is selected; unless it was merely walked over, the source shows it, of another file if need be. */
export function chooseInstruction(report: Report, now: Selection, instruction: number, lead: boolean): Selection {
    const next = { ...now, instruction };
    const listing = report.listings[now.listing];
    const row = listing?.instructions[instruction];
    if (listing === undefined || row === undefined) return next;
    const file = fileOf(listing, row);
    const source = report.sources.findIndex((each) => each.file === file);
    const line = row[3] ?? undefined;
    if (source < 0 || line === undefined) return { ...next, line: undefined };
    if (source === now.source && !lead) return { ...next, line };
    if (!lead) return { ...next, line: undefined };
    return { ...next, source, line, showSource: now.showSource + 1 };
}

/** Instructions of a line of the shown file in the shown listing. */
export function linked(report: Report, counterparts: Counterparts, now: Selection, line: number | undefined): readonly number[] {
    const file = report.sources[now.source]?.file;
    if (file === undefined || line === undefined) return [];
    return counterparts.listing(now.listing)?.byLine.get(file)?.get(line) ?? [];
}
