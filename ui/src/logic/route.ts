/** What the address after `#` says: a view, perhaps a loop, and the view's own state. */

export const VIEWS = ["summary", "loops", "functions", "tree", "flame", "code", "roofline", "trials", "tuning", "reproduce", "energy", "messages", "compare", "loop"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
    view: View;
    /** The loop that the view is about. */
    loop?: number;
    /** State of the view: sorting, filter, choice. */
    query: URLSearchParams;
}

/** Reads `#/loop/12?x=y`; anything else leads to the summary. */
export function parse(hash: string): Route {
    const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
    const [name, id] = path.split("/");
    const view = VIEWS.find((each) => each === name) ?? "summary";
    const route: Route = { view, query: new URLSearchParams(query) };
    if (id !== undefined && /^\d{1,9}$/.test(id)) route.loop = Number(id);
    return route;
}

/** The address of a view. Keys with empty values are left out. */
export function address(view: View, loop?: number, query: Record<string, string | number | undefined> = {}): string {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) {
        if (value !== undefined && value !== "") search.set(key, String(value));
    }
    const text = search.toString();
    return `#/${view}${loop === undefined ? "" : `/${loop}`}${text === "" ? "" : `?${text}`}`;
}
