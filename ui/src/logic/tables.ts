/** Turns the tables of a page back into lists of objects: the other half of `crates/report/src/page/table.rs`, which says how they are written. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Columns = Record<string, Json>;

const isObject = (value: Json | undefined): value is Record<string, Json> =>
    typeof value === "object" && value !== null && !Array.isArray(value);

/** The same value with every table as the list that it represents. */
export function expand(value: Json): Json {
    if (Array.isArray(value)) return value.map(expand);
    if (!isObject(value)) return value;
    if ("$table" in value) return listOf(value["$table"]);
    const expanded: Record<string, Json> = {};
    for (const key of Object.keys(value)) expanded[key] = expand(value[key] ?? null);
    return expanded;
}

/** The values of a column. */
function listOf(column: Json | undefined): Json[] {
    if (Array.isArray(column)) return column;
    if (!isObject(column)) throw new TypeError("a column is a list or an object");
    if (isObject(column["columns"])) return objects(Number(column["rows"]), column["columns"], column["present"]);
    if (Array.isArray(column["tuples"])) return tuples(Number(column["rows"]), column["tuples"]);
    return lists(column["lengths"], listOf(column["items"]));
}

function objects(rows: number, columns: Columns, present: Json | undefined): Json[] {
    const all: Record<string, Json>[] = Array.from({ length: rows }, () => ({}));
    for (const key of Object.keys(columns)) {
        // Each object gets values of its own, so that none is shared by two places of the document.
        const values = columnValues(columns, key);
        for (let row = 0; row < rows; row++) {
            const value = values[row] ?? null;
            const object = all[row];
            if (object !== undefined && (value !== null || key === "parent")) object[key] = value;
        }
    }
    if (typeof present !== "string") return all;
    return all.map((object, row) => (present.charCodeAt(row) === 49 ? object : null));
}

function columnValues(columns: Columns, key: string): Json[] {
    const column = columns[key];
    const same = isObject(column) ? column["same"] : undefined;
    return listOf(typeof same === "string" ? columns[same] : column);
}

function tuples(rows: number, columns: Json[]): Json[] {
    const places = columns.map(listOf);
    return Array.from({ length: rows }, (_, row) => places.map((place) => place[row] ?? null));
}

function lists(lengths: Json | undefined, items: Json[]): Json[] {
    if (!Array.isArray(lengths)) throw new TypeError("a column of lists has lengths");
    let at = 0;
    return lengths.map((length) => {
        if (length === -1) return null;
        const list = items.slice(at, at + Number(length));
        at += Number(length);
        return list;
    });
}
