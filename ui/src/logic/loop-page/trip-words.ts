/** Trip counts in words, and their histogram ready to draw. */

import type { TripCount } from "../contract";
import { ENTRY } from "../contract/words";
import { amount, count, counted, mean, share } from "../quantity";
import type { Column } from "./columns";

/** Entries of the loop as written, exact or between bounds. */
export function sourceEntries(trips: TripCount): string | undefined {
    if (trips.source_entries !== undefined) return count(trips.source_entries);
    const bounds = trips.source_entries_bounds;
    return bounds === undefined ? undefined : `between ${count(bounds[0])} and ${count(bounds[1])}`;
}

/** Mean iterations of an entry of the loop as written, exact or between bounds. */
export function sourceMean(trips: TripCount): string | undefined {
    if (trips.source_mean !== undefined) return mean(trips.source_mean);
    const bounds = trips.source_mean_bounds;
    return bounds === undefined ? undefined : `between ${mean(bounds[0])} and ${mean(bounds[1])}`;
}

/** The median, or what it is between. */
export function median(trips: TripCount): string | undefined {
    const about = trips.approximate === true ? "about " : "";
    if (trips.median !== undefined) return about + count(trips.median);
    const bounds = trips.median_bounds;
    return bounds === undefined ? undefined : `${about}between ${count(bounds[0])} and ${count(bounds[1])}`;
}

/** What a reader must know to take the numbers for no more than they are. */
export function cautions(trips: TripCount): string[] {
    const notes: string[] = [];
    if (trips.approximate === true) {
        notes.push(
            "Entries were nested (recursion, signal handlers, exceptions): minimum, median, maximum and the distribution are approximate; entries and sums are exact.",
        );
    }
    if (trips.median === undefined && trips.median_bounds !== undefined) {
        notes.push("The median is within one bin of the histogram: only its bounds are known.");
    }
    if (trips.source_unknown !== undefined) notes.push(`Iterations of the loop as written are not known: ${trips.source_unknown}.`);
    if (!trips.group_complete) notes.push("Some pieces of this source loop were not counted: its own numbers are those of the others.");
    return notes;
}

/** How iterations of the loop as written are known. */
export function sourceHow(trips: TripCount): string | undefined {
    if (trips.source_provenance === "inferred") return "Iterations of the loop as written are inferred: from counts, and from what all pieces do for each place in the source.";
    if (trips.source_provenance === "counted") return "Iterations of the loop as written are counted: each machine iteration is one of them.";
    return undefined;
}

/** `17`, `17–24`. */
export function range(low: number, high: number): string {
    return low === high ? amount(low) : `${amount(low)}–${amount(high)}`;
}

/** Entries by their number of iterations, in the bins that were counted. */
export function histogram(trips: TripCount): Column[] {
    const bins = (trips.histogram ?? []).filter(([, , entries]) => entries > 0);
    const all = bins.reduce((sum, [, , entries]) => sum + entries, 0);
    return bins.map(([low, high, entries]) => ({
        label: range(low, high),
        value: entries,
        text: `${counted(entries, ...ENTRY)} (${share(entries / all)})`,
    }));
}
