/** The table of loops: its state in the address, filtering, sorting, and the rows in order. Fast with 20,000 loops. */

import { byWorth } from "./advice";
import type { Analysis, Recommendation } from "./contract";
import { type Group, groups } from "./groups";
import { COLUMNS, type Column, type LoopRow } from "./loop-columns";
import { kindOf } from "./loop-words";
import { functionName } from "./names";

/** The reader's choices. */
export interface TableState {
    sort: string;
    descending: boolean;
    /** Words that all must occur. */
    text: string;
    type: "" | "vectorised" | "scalar";
    module: string;
    onlyMain: boolean;
    /** Least self share, in percent. */
    least: number;
    /** Groups that are expanded. */
    open: ReadonlySet<number>;
    /** Columns chosen; nothing chosen means the usual ones that have data. */
    columns: readonly string[] | undefined;
}

/** The column of names is always there, first. */
export const NAME = "name";

function sortable(id: string): boolean {
    return id === NAME || COLUMNS.some((column) => column.id === id);
}

/** Numbers are looked at from the largest, names from A. */
export function descendingFirst(id: string): boolean {
    return id === "recommendation" || COLUMNS.some((column) => column.id === id && column.number === true);
}

/** Reads the query; `sort=self` is short for the self share. */
export function tableState(query: URLSearchParams): TableState {
    const wanted = query.get("sort") ?? "";
    const sort = sortable(wanted) ? wanted : "self_share";
    const type = query.get("type");
    const least = Number(query.get("min"));
    const columns = query.get("columns");
    const numbers = (query.get("open") ?? "").split(",").filter((text) => /^\d{1,9}$/.test(text));
    return {
        sort,
        descending: query.has("desc") ? query.get("desc") === "1" : descendingFirst(sort),
        text: query.get("q") ?? "",
        type: type === "vectorised" || type === "scalar" ? type : "",
        module: query.get("module") ?? "",
        onlyMain: query.get("main") === "1",
        least: Number.isFinite(least) && least > 0 ? least : 0,
        open: new Set(numbers.map(Number)),
        columns: columns === null ? undefined : columns.split(","),
    };
}

/** What is needed for each source loop, whatever the reader chooses. */
interface Entry {
    row: LoopRow;
    /** Place in the order of the groups, which breaks ties. */
    at: number;
    /** What the free text is looked for in. */
    words: string;
}

function bestOf(group: Group): Recommendation | undefined {
    let best: Recommendation | undefined;
    for (const piece of group.pieces) {
        for (const advice of piece.recommendations ?? []) {
            if (best === undefined || byWorth(advice, best) < 0) best = advice;
        }
    }
    return best;
}

function wordsOf(group: Group): string {
    const words = new Set<string>();
    for (const piece of group.pieces) {
        words.add(piece.function).add(functionName(piece)).add(piece.module);
        if (piece.file !== undefined) words.add(piece.line === undefined ? piece.file : `${piece.file}:${piece.line}`);
        for (const why of piece.why_not ?? []) words.add(why.reason);
        for (const property of piece.traits ?? []) words.add(property);
    }
    return [...words].join("\n").toLowerCase();
}

type Key = number | string | undefined;

/** Absent values come last, whichever way the others go. */
function compare(a: Key, b: Key, direction: number): number {
    if (a === b) return 0;
    if (a === undefined) return 1;
    if (b === undefined) return -1;
    return a < b ? -direction : direction;
}

export class LoopTable {
    readonly modules: readonly string[];
    private readonly entries: readonly Entry[];
    private readonly orders = new Map<string, readonly Entry[]>();
    private readonly filled = new Map<string, boolean>();

    constructor(analysis: Analysis) {
        this.entries = groups(analysis).map((group, at) => ({
            row: { group, loop: group.lead, piece: false, best: bestOf(group) },
            at,
            words: wordsOf(group),
        }));
        this.modules = [...new Set(this.entries.map((entry) => entry.row.loop.module))];
    }

    get size(): number {
        return this.entries.length;
    }

    /** Whether any loop has something in this column. */
    has(column: Column): boolean {
        const known = this.filled.get(column.id) ?? this.entries.some(({ row }) => column.fact(row) !== undefined);
        this.filled.set(column.id, known);
        return known;
    }

    columns(chosen: readonly string[] | undefined): Column[] {
        return COLUMNS.filter((column) => (chosen === undefined ? column.usual && this.has(column) : chosen.includes(column.id)));
    }

    /** Source loops that the filters leave, in order. */
    select(state: Omit<TableState, "open" | "columns">): LoopRow[] {
        const words = state.text.toLowerCase().split(/\s+/).filter((word) => word !== "");
        const least = state.least / 100;
        const rows: LoopRow[] = [];
        for (const { row, words: text } of this.order(state.sort, state.descending)) {
            const { group, loop } = row;
            if (group.self_share < least) continue;
            if (state.type !== "" && kindOf(loop) !== state.type) continue;
            if (state.module !== "" && loop.module !== state.module) continue;
            if (state.onlyMain && !loop.main_module) continue;
            if (words.every((word) => text.includes(word))) rows.push(row);
        }
        return rows;
    }

    /** All entries in order; each order is found once, so that filtering and coming back to an order sort nothing. */
    private order(sort: string, descending: boolean): readonly Entry[] {
        const name = `${sort} ${descending ? "down" : "up"}`;
        const known = this.orders.get(name);
        if (known !== undefined) return known;
        const keys = this.keysOf(sort);
        const direction = descending ? -1 : 1;
        const order = [...this.entries].sort((a, b) => compare(keys[a.at], keys[b.at], direction) || a.at - b.at);
        this.orders.set(name, order);
        return order;
    }

    private keysOf(sort: string): Key[] {
        const column = COLUMNS.find((each) => each.id === sort);
        const name = ({ loop }: LoopRow) => `${functionName(loop)}\0${loop.file ?? ""}\0${String(loop.line ?? 0).padStart(9, "0")}`;
        const raw = this.entries.map(({ row }): Key => (column === undefined ? name(row) : column.fact(row)?.value));
        return raw.map((key) => (typeof key === "string" ? key.toLowerCase() : key));
    }
}

const tables = new WeakMap<Analysis, LoopTable>();

/** The table of an analysis; it is made once. */
export function loopTable(analysis: Analysis): LoopTable {
    const table = tables.get(analysis) ?? new LoopTable(analysis);
    tables.set(analysis, table);
    return table;
}

/** A row as it is drawn: where it is in the tree of source loops and pieces. */
export interface TreeRow extends LoopRow {
    /** Names the row within the table. */
    id: string;
    position: number;
    siblings: number;
    expanded?: boolean;
}

/** Pieces as rows: the same object for the same piece, for the focus follows it. */
const pieceRows = new WeakMap<Group, LoopRow[]>();

function piecesOf(group: Group): LoopRow[] {
    const known = pieceRows.get(group) ?? group.pieces.map((loop) => ({ group, loop, piece: true }));
    pieceRows.set(group, known);
    return known;
}

/** Source loops, the expanded ones followed by their pieces. Made for each keystroke in a filter: only rows that are drawn are described. */
export class TreeRows {
    private readonly rows: readonly LoopRow[];
    /** For each row its place among its siblings; without expanded rows that is its index. */
    private readonly positions: readonly number[] | undefined;

    constructor(
        private readonly loops: readonly LoopRow[],
        private readonly open: ReadonlySet<number>,
    ) {
        if (!loops.some((row) => this.isExpanded(row))) {
            this.rows = loops;
            return;
        }
        const rows: LoopRow[] = [];
        const positions: number[] = [];
        for (const [at, row] of loops.entries()) {
            rows.push(row);
            positions.push(at + 1);
            if (!this.isExpanded(row)) continue;
            for (const [place, piece] of piecesOf(row.group).entries()) {
                rows.push(piece);
                positions.push(place + 1);
            }
        }
        this.rows = rows;
        this.positions = positions;
    }

    get length(): number {
        return this.rows.length;
    }

    at(index: number): TreeRow | undefined {
        const row = this.rows[index];
        if (row === undefined) return undefined;
        const { group, piece, loop } = row;
        const position = this.positions?.[index] ?? index + 1;
        if (piece) return { ...row, id: `l${loop.id}`, position, siblings: group.pieces.length };
        const here = { ...row, id: `g${group.id}`, position, siblings: this.loops.length };
        return group.pieces.length > 1 ? { ...here, expanded: this.isExpanded(row) } : here;
    }

    /** The row at an index as an object that stays the same however rows are ordered. */
    row(index: number): LoopRow | undefined {
        return this.rows[index];
    }

    indexOf(row: LoopRow | undefined): number | undefined {
        const index = row === undefined ? -1 : this.rows.indexOf(row);
        return index < 0 ? undefined : index;
    }

    private isExpanded({ group }: LoopRow): boolean {
        return group.pieces.length > 1 && this.open.has(group.id);
    }
}

/** Where a key leads within rows: another row, or a change of what is expanded. */
export type Move = { to: number } | { expand: number } | { collapse: number } | { open: number };

/** What a key means at a row; `page` is how many rows are in sight. */
export function move(key: string, at: number, rows: TreeRows, page: number): Move | undefined {
    const row = rows.at(at);
    if (row === undefined) return undefined;
    const to = (index: number): Move => ({ to: Math.min(Math.max(index, 0), rows.length - 1) });
    switch (key) {
        case "ArrowDown":
        case "j":
            return to(at + 1);
        case "ArrowUp":
        case "k":
            return to(at - 1);
        case "Home":
            return to(0);
        case "End":
            return to(rows.length - 1);
        case "PageDown":
            return to(at + page);
        case "PageUp":
            return to(at - page);
        case "ArrowRight":
            if (row.expanded === undefined) return undefined;
            return row.expanded ? to(at + 1) : { expand: row.group.id };
        case "ArrowLeft":
            if (row.piece) return to(at - row.position);
            return row.expanded === true ? { collapse: row.group.id } : undefined;
        case "Enter":
            return { open: row.loop.id };
        default:
            return undefined;
    }
}
