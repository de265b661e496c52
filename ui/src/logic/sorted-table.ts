/** Tables that the reader sorts by the heads of their columns; in the document's order where nothing is chosen. */

export interface SortColumn<T> {
    id: string;
    title: string;
    number: boolean;
    /** What rows are sorted by; undefined comes last. */
    value: (each: T) => number | string | undefined;
    text: (each: T) => string;
}

/** How the reader has the table sorted. */
export interface SortOrder {
    sort: string | undefined;
    descending: boolean;
}

/** A row with its number in the document's list. */
export interface SortedRow<T> {
    at: number;
    facts: T;
}

type Heads = readonly Pick<SortColumn<never>, "id" | "number">[];

/** A head that is chosen first shows the largest numbers, and names from A on. */
export function descendingFirst(columns: Heads, sort: string): boolean {
    return columns.some(({ id, number }) => id === sort && number);
}

/** What the address says; columns that there are not are no choice. */
export function sortOrder(columns: Heads, query: URLSearchParams): SortOrder {
    const sort = columns.find(({ id }) => id === query.get("sort"))?.id;
    return { sort, descending: query.has("desc") ? query.get("desc") === "1" : sort !== undefined && descendingFirst(columns, sort) };
}

/** All rows in the reader's order; what is not known comes last, whichever way. */
export function sortedRows<T>(all: readonly T[], columns: readonly SortColumn<T>[], { sort, descending }: SortOrder): SortedRow<T>[] {
    const rows = all.map((facts, at) => ({ at, facts }));
    const column = columns.find(({ id }) => id === sort);
    if (column === undefined) return rows;
    const way = descending ? -1 : 1;
    return rows.sort((one, other) => {
        const [a, b] = [column.value(one.facts), column.value(other.facts)];
        if (a === b) return 0;
        if (a === undefined) return 1;
        if (b === undefined) return -1;
        return a < b ? -way : way;
    });
}
