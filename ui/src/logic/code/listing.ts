/** A function's instructions: which loops they are in, where jumps lead, and which source lines they came from. */

import type { Instruction, Listing, LoopFacts, Report } from "../contract";
import { type Bracket, brackets } from "./margin";

/** What is known of a listing beyond its rows. */
export interface ListingFacts {
    listing: Listing;
    /** For each instruction the loops around it that are this function's, outermost first. */
    brackets: Bracket[][];
    /** Columns that the brackets take. */
    slots: number;
    /** Addresses of the first instructions of loops. */
    headers: Map<number, LoopFacts>;
    byAddress: Map<number, number>;
    /** Instructions of each line: file, then line. */
    byLine: Map<string, Map<number, number[]>>;
}

/** The number of an address as the contract writes it, `0x1240`; NaN for what is none. */
export function addressOf(text: string): number {
    return /^0x[0-9a-f]{1,13}$/i.test(text) ? Number.parseInt(text, 16) : Number.NaN;
}

/** The file of an instruction. */
export function fileOf(listing: Listing, [, , file]: Instruction): string | undefined {
    return file === null ? undefined : listing.files[file];
}

/** The loops around an instruction, outermost first. Parents may be another function's after inlining went wrong: all are shown. */
function nestOf(innermost: number | null, loops: ReadonlyMap<number, LoopFacts>, known: Map<number, number[]>): number[] {
    if (innermost === null) return [];
    const ready = known.get(innermost);
    if (ready !== undefined) return ready;
    const nest: number[] = [];
    for (let loop = loops.get(innermost); loop !== undefined && !nest.includes(loop.id); ) {
        nest.unshift(loop.id);
        loop = loop.parent === null ? undefined : loops.get(loop.parent);
    }
    known.set(innermost, nest);
    return nest;
}

export function listingFacts(listing: Listing, loops: ReadonlyMap<number, LoopFacts>): ListingFacts {
    const known = new Map<number, number[]>();
    const nests = listing.instructions.map((each) => nestOf(each[5], loops, known));
    const byAddress = new Map<number, number>();
    const byLine = new Map<string, Map<number, number[]>>();
    listing.instructions.forEach((each, at) => {
        byAddress.set(addressOf(each[0]), at);
        const file = fileOf(listing, each);
        const line = each[3];
        if (file === undefined || line === null) return;
        let lines = byLine.get(file);
        if (lines === undefined) byLine.set(file, (lines = new Map<number, number[]>()));
        const here = lines.get(line);
        if (here === undefined) lines.set(line, [at]);
        else here.push(at);
    });
    const headers = new Map<number, LoopFacts>();
    for (const id of listing.loops) {
        const loop = loops.get(id);
        if (loop !== undefined) headers.set(addressOf(loop.address), loop);
    }
    const slots = nests.reduce((most, nest) => Math.max(most, nest.length), 0);
    return { listing, brackets: brackets(nests), slots, headers, byAddress, byLine };
}

/** An instruction that leads elsewhere: the text before the address, and the address. */
export interface Jump {
    before: string;
    target: string;
    address: number;
}

/** Direct jumps and calls, `jne 1004h` or `call 0x1240`; nothing for indirect ones. */
export function jump(text: string): Jump | undefined {
    const found = /^((?:bnd |notrack )?(?:j[a-z]+|call|loopn?[ez]?|xbegin)\s+(?:(?:short|near|far)\s+)?)(0x[0-9a-f]{1,13}|[0-9][0-9a-f]{0,13}h|[0-9a-f]{1,13})$/i.exec(text.trim());
    const [, before, target] = found ?? [];
    if (before === undefined || target === undefined) return undefined;
    const address = Number.parseInt(target.replace(/^0x/i, "").replace(/h$/i, ""), 16);
    return { before, target, address };
}

/** Where a line's instructions are: the listing in which it has most time, and their places there. */
export interface Counterpart {
    listing: number;
    instructions: number[];
}

/** The instructions of every line over all listings. Built once: a report has hundreds of thousands of instructions at most. */
export class Counterparts {
    private readonly lines = new Map<string, Map<number, Counterpart[]>>();
    private readonly facts: (ListingFacts | undefined)[] = [];
    private readonly loops: ReadonlyMap<number, LoopFacts>;
    private readonly listings: readonly Listing[];
    private indexed = false;

    constructor(report: Report, loops: ReadonlyMap<number, LoopFacts>) {
        this.loops = loops;
        this.listings = report.listings;
    }

    listing(at: number): ListingFacts | undefined {
        const listing = this.listings[at];
        if (listing === undefined) return undefined;
        return (this.facts[at] ??= listingFacts(listing, this.loops));
    }

    /** The instructions of a line, in one listing if it has any there, else in the listing in which the line takes most time. */
    of(file: string, line: number, preferred: number): Counterpart | undefined {
        if (!this.indexed) this.index();
        const all = this.lines.get(file)?.get(line) ?? [];
        const here = all.find((each) => each.listing === preferred);
        if (here !== undefined) return here;
        const seconds = (each: Counterpart): number =>
            each.instructions.reduce((sum, at) => sum + (this.listings[each.listing]?.instructions[at]?.[4] ?? 0), 0);
        let best: [Counterpart, number] | undefined;
        for (const each of all) {
            const own = seconds(each);
            if (best === undefined || own > best[1]) best = [each, own];
        }
        return best?.[0];
    }

    private index(): void {
        this.indexed = true;
        this.listings.forEach((_, listing) => {
            for (const [file, lines] of this.listing(listing)?.byLine ?? []) {
                let known = this.lines.get(file);
                if (known === undefined) this.lines.set(file, (known = new Map<number, Counterpart[]>()));
                for (const [line, instructions] of lines) {
                    const here = known.get(line);
                    if (here === undefined) known.set(line, [{ listing, instructions }]);
                    else here.push({ listing, instructions });
                }
            }
        });
    }
}

/** Of several instructions the one to look at first: that with most time, else the first. */
export function hottest(listing: Listing, instructions: readonly number[]): number | undefined {
    let best = instructions[0];
    for (const at of instructions) {
        if ((listing.instructions[at]?.[4] ?? 0) > (best === undefined ? 0 : (listing.instructions[best]?.[4] ?? 0))) best = at;
    }
    return best;
}
