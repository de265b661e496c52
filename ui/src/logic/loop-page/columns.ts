/** A chart of columns beside each other: what each is called, how high it is, what it says. */

export interface Column {
    label: string;
    value: number;
    text: string;
}

/** Height of each column as a share of the highest. What is not zero is seen. */
export function heights(columns: readonly Column[]): number[] {
    const highest = columns.reduce((most, { value }) => Math.max(most, value), 0);
    return columns.map(({ value }) => (value > 0 && highest > 0 ? Math.max(value / highest, 0.01) : 0));
}

/** The columns in a sentence: the highest of them. */
export function summary(columns: readonly Column[], what: string): string {
    const highest = columns.reduce<Column | undefined>((most, each) => (most === undefined || each.value > most.value ? each : most), undefined);
    return highest === undefined ? what : `${what}: most at ${highest.label}, ${highest.text}.`;
}
