/** The table of functions: its columns, its state in the address, filtering and sorting. */

import type { Analysis, FunctionFacts, InlinedFunction } from "./contract";
import { amount, percent, share, time } from "./quantity";

export interface FunctionColumn {
    id: string;
    title: string;
    hint?: string;
    /** Path of the key in the contract. */
    key: string;
    value: (each: FunctionFacts) => number | undefined;
    text: (value: number, each: FunctionFacts) => string;
}

const bound = (text: (value: number) => string) => (value: number, { work }: FunctionFacts): string => (work?.flop_is_bound === true ? `≤ ${text(value)}` : text(value));

/** Columns of what is known of inlined functions, too. */
const TIMES: readonly (FunctionColumn & { value: (each: InlinedFunction) => number })[] = [
    { id: "self", title: "Self %", key: "self_share", value: (each) => each.self_share, text: percent },
    { id: "self_seconds", title: "Self", key: "self_seconds", value: (each) => each.self_seconds, text: time },
    { id: "total", title: "Total %", hint: "with all that it calls", key: "total_share", value: (each) => each.total_share, text: percent },
    { id: "total_seconds", title: "Total", key: "total_seconds", value: (each) => each.total_seconds, text: time },
    { id: "samples", title: "Samples", key: "samples", value: (each) => each.samples, text: amount },
];

/** Columns of numbers; name, place and module are the row's head. */
export const FUNCTION_COLUMNS: readonly FunctionColumn[] = [
    ...TIMES,
    { id: "calls", title: "Calls", hint: "counted", key: "calls", value: (each) => each.calls, text: amount },
    { id: "instructions", title: "Instructions", hint: "of its own code, counted", key: "work.instructions", value: (each) => each.work?.instructions, text: amount },
    { id: "flop", title: "FLOP", key: "work.flop", value: (each) => each.work?.flop || undefined, text: bound(amount) },
    { id: "packed", title: "Packed", hint: "share of the FLOP in vector instructions", key: "work.packed_share", value: (each) => each.work?.packed_share, text: share },
    { id: "imbalance", title: "Imbalance", hint: "of the self time over threads: 100 % when one does everything", key: "by_thread.time_imbalance.share", value: (each) => each.by_thread?.time_imbalance?.share, text: share },
];

export const NAME = "name";

export interface FunctionState {
    sort: string;
    descending: boolean;
    /** Words that all must occur. */
    text: string;
    module: string;
    /** Least self share, in percent. */
    least: number;
}

export function descendingFirst(sort: string): boolean {
    return sort !== NAME;
}

export function functionState(query: URLSearchParams): FunctionState {
    const wanted = query.get("sort") ?? "";
    const sort = [NAME, ...FUNCTION_COLUMNS.map((column) => column.id)].includes(wanted) ? wanted : "self";
    const least = Number(query.get("min"));
    return {
        sort,
        descending: query.has("desc") ? query.get("desc") === "1" : descendingFirst(sort),
        text: query.get("q") ?? "",
        module: query.get("module") ?? "",
        least: Number.isFinite(least) && least > 0 ? least : 0,
    };
}

/** Columns of which anything is known. */
export function knownColumns({ functions }: Analysis): FunctionColumn[] {
    return FUNCTION_COLUMNS.filter((column) => functions.some((each) => column.value(each) !== undefined));
}

export function modulesOf({ functions }: Analysis): string[] {
    return [...new Set(functions.map((each) => each.module))];
}

function keyOf(sort: string): (each: FunctionFacts) => number | string | undefined {
    return FUNCTION_COLUMNS.find((column) => column.id === sort)?.value ?? ((each) => each.function.toLowerCase());
}

/** The functions that the filters leave, in order; what is not known comes last, whichever way. */
export function selected({ functions }: Analysis, { sort, descending, text, module, least }: FunctionState): FunctionFacts[] {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const rows = functions.filter((each) => {
        if (each.self_share < least / 100 || (module !== "" && each.module !== module)) return false;
        const inlined = (each.inlined ?? []).map((inner) => inner.function).join("\n");
        const about = `${each.function}\n${inlined}\n${each.module}\n${each.file ?? ""}`.toLowerCase();
        return words.every((word) => about.includes(word));
    });
    const key = keyOf(sort);
    const way = descending ? -1 : 1;
    // The sort is stable: ties stay in the document's order, the hottest first.
    return rows.sort((one, other) => {
        const [a, b] = [key(one), key(other)];
        if (a === b) return 0;
        if (a === undefined) return 1;
        if (b === undefined) return -1;
        return a < b ? -way : way;
    });
}

/** A row: a function, or one that was inlined into it. */
export interface FunctionRow {
    each: FunctionFacts;
    inlined?: InlinedFunction;
}

/** Inlined functions with a smaller share are not shown: code of C++ and Rust holds dozens. */
const NOTICEABLE = 0.01;

/** Each function with those inlined into it: as in the document, where one comes before those that it holds, or by the reader's column. */
export function withInlined(functions: readonly FunctionFacts[], { sort, descending, least }: FunctionState): FunctionRow[] {
    const key = sort === "self" && descending ? undefined : TIMES.find((column) => column.id === sort)?.value;
    const way = descending ? -1 : 1;
    return functions.flatMap((each) => {
        const inlined = (each.inlined ?? []).filter((inner) => inner.total_share >= NOTICEABLE && inner.self_share >= least / 100);
        if (key !== undefined) inlined.sort((one, other) => way * (key(one) - key(other)));
        return [{ each }, ...inlined.map((inner) => ({ each, inlined: inner }))];
    });
}

/** What a row has in a column. */
export function valueIn(column: FunctionColumn, { each, inlined }: FunctionRow): number | undefined {
    return inlined === undefined ? column.value(each) : TIMES.find(({ id }) => id === column.id)?.value(inlined);
}
