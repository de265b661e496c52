/** What the address chooses to show: a file with a line, a function with an instruction, a loop. */

import type { LoopFacts, Report } from "../contract";
import type { Route } from "../route";
import { addressOf, fileOf, hottest } from "./listing";

export interface Choice {
    /** Places in the report's lists; -1 when there is none. */
    source: number;
    listing: number;
    loop?: LoopFacts;
    line?: number;
    /** Place of an instruction in the listing. */
    instruction?: number;
}

function hottestLoop(report: Report): LoopFacts | undefined {
    let best: LoopFacts | undefined;
    for (const each of report.analysis.loops) {
        if (best === undefined || each.self_seconds > best.self_seconds) best = each;
    }
    return best;
}

function sourceOf(report: Report, file: string | undefined): number {
    return file === undefined ? -1 : report.sources.findIndex((source) => source.file === file);
}

/** The listing with a loop; loops are numbered over the whole program. */
function listingOfLoop(report: Report, loop: LoopFacts | undefined): number {
    return loop === undefined ? -1 : report.listings.findIndex((listing) => listing.loops.includes(loop.id));
}

/** The file of a listing's hottest instruction. */
function fileOfListing(report: Report, at: number): string | undefined {
    const listing = report.listings[at];
    if (listing === undefined) return undefined;
    const placed = listing.instructions.map((_, row) => row).filter((row) => listing.instructions[row]?.[2] !== null);
    const row = hottest(listing, placed);
    const file = row === undefined ? undefined : listing.instructions[row]?.[2];
    return listing.files[file ?? 0];
}

/** The listing with most time in a file; listings are sorted hottest first. */
function listingOfFile(report: Report, file: string | undefined): number {
    return file === undefined ? -1 : report.listings.findIndex((listing) => listing.files.includes(file));
}

function fileOfInstruction(report: Report, listing: number, instruction: number): string | undefined {
    const known = report.listings[listing];
    const row = known?.instructions[instruction];
    return known === undefined || row === undefined ? undefined : fileOf(known, row);
}

function number(text: string | null): number | undefined {
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The line of a listing's instruction. */
function lineOf(report: Report, listing: number, instruction: number | undefined): number | undefined {
    return instruction === undefined ? undefined : (report.listings[listing]?.instructions[instruction]?.[3] ?? undefined);
}

/** `#/code/ID`, `?file=F&line=N`, `?function=F&module=M&at=0x1240`, or the hottest loop. What is named but unknown is left open. */
export function choice(report: Report, route: Pick<Route, "loop" | "query">): Choice {
    const { query } = route;
    const [file, wanted, module] = [query.get("file") ?? undefined, query.get("function"), query.get("module")];
    const named = route.loop === undefined ? undefined : report.analysis.loops.find((each) => each.id === route.loop);
    const nothing = route.loop === undefined && file === undefined && wanted === null;
    const loop = named ?? (nothing ? hottestLoop(report) : undefined);

    let listing = -1;
    if (wanted !== null) {
        listing = report.listings.findIndex((each) => each.function === wanted && (module === null || each.module === module));
    }
    if (listing < 0) listing = listingOfLoop(report, loop);
    if (listing < 0 && wanted === null && loop === undefined) listing = listingOfFile(report, file);
    // Without loops the hottest function and file are where to look.
    if (nothing && loop === undefined && listing < 0 && report.listings.length > 0) listing = 0;
    const at = addressOf(query.get("at") ?? "");
    const instruction = report.listings[listing]?.instructions.findIndex((each) => addressOf(each[0]) === at) ?? -1;
    let source = sourceOf(report, file ?? fileOfInstruction(report, listing, instruction) ?? loop?.file);
    if (source < 0 && file === undefined) source = sourceOf(report, fileOfListing(report, listing));
    if (nothing && loop === undefined && source < 0 && report.sources.length > 0) source = 0;

    const found: Choice = { source, listing };
    if (loop !== undefined) found.loop = loop;
    if (instruction >= 0) found.instruction = instruction;
    const line = number(query.get("line")) ?? lineOf(report, listing, found.instruction) ?? (file === undefined ? loop?.line : undefined);
    if (line !== undefined) found.line = line;
    return found;
}
