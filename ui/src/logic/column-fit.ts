/** Widths of a wide table's columns, so that no column is cut by the right edge of what is in sight. */

export interface Wanted {
    /** In pixels. */
    width: number;
    /** Numbers keep their width: a number that is cut says something else. Text may be shortened, and takes what is left over. */
    number?: boolean | undefined;
}

/** How far a column of text may shrink; one that is hardly wider than its heading does not. */
const LEAST = 0.85;
const NARROW = 140;

function least({ width, number }: Wanted): number {
    return number === true || width < NARROW ? width : Math.ceil(width * LEAST);
}

/**
 * The widths of all columns: as many of the first ones as have room fill `room` exactly, those behind are reached by
 * scrolling and are as wide as they want to be.
 */
export function fitted(columns: readonly Wanted[], room: number): number[] {
    const widths = columns.map((column) => column.width);
    let [narrowest, wanted, fitting] = [0, 0, 0];
    for (const column of columns) {
        if (narrowest + least(column) > room) break;
        narrowest += least(column);
        wanted += column.width;
        fitting++;
    }
    if (fitting === 0) return widths;
    const inSight = columns.slice(0, fitting);
    const surplus = room - wanted;
    const gives = surplus < 0 ? (each: Wanted) => each.width - least(each) : (each: Wanted) => (each.number === true ? 0 : each.width);
    const all = inSight.reduce((sum, each) => sum + gives(each), 0);
    for (const [at, each] of inSight.entries()) {
        if (all > 0) widths[at] = Math.floor(each.width + (surplus * gives(each)) / all);
    }
    return widths;
}
