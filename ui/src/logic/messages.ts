/** What `loopwright comm` counted, in the words of the text output (`crates/report/src/comm.rs`). */

import type { CommFacts, CommSite } from "./contract";
import { COMM_FOREIGN, COMM_IN_MPI, COMM_LOST_CALLS, COMM_LOST_MESSAGES, COMM_LOST_STARTS, COMM_MESSAGES, COMM_NOT_COUNTED, COMM_PART_OF_RANKS, COMM_SIZES, COMM_TORN, COMM_WITHOUT_BYTES, HOST, RANK } from "./contract/words";
import { filled } from "./phrases";
import { amount, bytes, counted, percent, share, time } from "./quantity";
import type { SortColumn } from "./sorted-table";

/** Seconds as a share of the longest rank's. */
const ofRun = ({ elapsed_seconds: elapsed }: CommFacts, seconds: number): number => (elapsed > 0 ? seconds / elapsed : 0);

/** The run in one line. */
export function runWords(comm: CommFacts): string {
    const hosts = new Set(comm.ranks.map(({ host }) => host)).size;
    return filled(COMM_IN_MPI, counted(comm.ranks.length, ...RANK), counted(Math.max(hosts, 1), ...HOST), time(comm.seconds), time(comm.elapsed_seconds), share(ofRun(comm, comm.seconds)));
}

/** What is missing below. */
export function commNotes({ ranks, size = 0, lost, left = [], sites }: CommFacts): string[] {
    const numbers: [number | undefined, string][] = [
        [lost?.calls, COMM_LOST_CALLS],
        [lost?.messages, COMM_LOST_MESSAGES],
        [lost?.starts, COMM_LOST_STARTS],
        [lost?.torn, COMM_TORN],
        [lost?.foreign, COMM_FOREIGN],
        [sites.reduce((sum, { without_bytes: unknown = 0 }) => sum + unknown, 0), COMM_WITHOUT_BYTES],
    ];
    return [
        ...(size > ranks.length ? [filled(COMM_PART_OF_RANKS, size, ranks.length)] : []),
        ...numbers.flatMap(([number = 0, phrase]) => (number > 0 ? [filled(phrase, amount(number))] : [])),
        ...left.map((each) => filled(COMM_NOT_COUNTED, each.function, each.reason)),
    ];
}

/** A column of the table of places. */
export interface SiteColumn extends SortColumn<CommSite> {
    /** Where in the document a row's number is; nothing where it is made of several. */
    key?: (site: CommSite) => string;
}

const words = (id: string, title: string, text: SiteColumn["text"]): SiteColumn => ({ id, title, number: false, value: (site) => text(site).toLowerCase() || undefined, text });

function numbers(id: string, title: string, value: (site: CommSite) => number | undefined, written: (value: number) => string, key: string | undefined = id): SiteColumn {
    const text = (site: CommSite) => {
        const known = value(site);
        return known === undefined ? "" : written(known);
    };
    return { id, title, number: true, value, text, ...(key === "" ? {} : { key: () => key }) };
}

/** Waiting that is timed, or at least known. */
const WAITING: SiteColumn = {
    id: "waiting",
    title: "Waiting",
    number: true,
    value: ({ sync_seconds: timed, sync_at_least: least = 0 }) => timed ?? (least > 0 ? least : undefined),
    text: (site) => {
        const seconds = WAITING.value(site);
        return typeof seconds === "number" ? `${site.sync_seconds === undefined ? ">" : ""}${time(seconds)}` : "";
    },
    key: ({ sync_seconds: timed }) => (timed === undefined ? "sync_at_least" : "sync_seconds"),
};

/** The columns of the table of places; what compares ranks is of several. */
export function siteColumns(comm: CommFacts): SiteColumn[] {
    return [
        words("function", "Function", (site) => site.function),
        words("place", "Where", ({ place }) => place),
        words("caller", "Caller", ({ caller }) => caller),
        words("loop", "Loop", ({ loop, loop_place: place }) => place ?? loop?.toString() ?? ""),
        numbers("calls", "Calls", ({ calls }) => calls, amount),
        numbers("bytes", "Bytes", ({ bytes: sent }) => (sent > 0 ? sent : undefined), bytes),
        numbers("seconds", "Time", ({ seconds }) => seconds, time),
        numbers("share", "% of run", ({ seconds }) => ofRun(comm, seconds), percent, ""),
        ...(comm.ranks.length < 2
            ? []
            : [
                  WAITING,
                  numbers("excess", "Imb. time", ({ imbalance }) => imbalance?.excess, time, "imbalance.excess"),
                  numbers("imbalance", "Imb. %", ({ imbalance }) => imbalance?.share, percent, "imbalance.share"),
                  numbers("worst", "Slowest rank", ({ worst_rank: rank }) => rank, String, "worst_rank"),
              ]),
    ];
}

/** Some waiting is known by its least amount only. */
export function isWaitingEstimated({ ranks, sites }: CommFacts): boolean {
    return ranks.length > 1 && sites.some(({ sync_at_least: least }) => least !== undefined);
}

/** Calls of a function by the sizes of their messages. */
export interface SizeRow {
    name: string;
    bytes: number;
    calls: number;
    /** By the classes of `COMM_SIZES`. */
    bins: number[];
}

/** Functions that hand bytes over, the largest sum first. */
export function sizesByFunction({ sites }: CommFacts): SizeRow[] {
    const rows = new Map<string, SizeRow>();
    for (const site of sites) {
        if (site.bytes <= 0) continue;
        const row = rows.get(site.function) ?? { name: site.function, bytes: 0, calls: 0, bins: COMM_SIZES.map(() => 0) };
        row.bytes += site.bytes;
        row.calls += site.calls;
        row.bins = row.bins.map((sum, at) => sum + (site.bins[at] ?? 0));
        rows.set(site.function, row);
    }
    return [...rows.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

/** The matrix in one line. */
export function matrixWords({ matrix = [] }: CommFacts): string {
    const sum = (of: "messages" | "bytes") => matrix.reduce((all, edge) => all + edge[of], 0);
    return filled(COMM_MESSAGES, amount(sum("messages")), bytes(sum("bytes")), amount(matrix.length));
}

/** Characters of a name in a table. */
export const LONGEST = 40;
