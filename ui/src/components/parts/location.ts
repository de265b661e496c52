/** The address as state: which view is shown, and the view's own state in the query. */

import { useEffect, useState } from "preact/hooks";
import { type Route, address, parse } from "../../logic/route";

const CHANGED = "loopwright:address";

/** What the address says, followed as it changes; `read` is the same function for ever. */
export function useAddress<T>(read: (hash: string) => T): T {
    const [said, setSaid] = useState(() => read(location.hash));
    useEffect(() => {
        const follow = () => setSaid(read(location.hash));
        const changed = (event: Event) => setSaid(read((event as CustomEvent<string>).detail));
        addEventListener("hashchange", follow);
        addEventListener(CHANGED, changed);
        return () => {
            removeEventListener("hashchange", follow);
            removeEventListener(CHANGED, changed);
        };
    }, [read]);
    return said;
}

/** The route of the address, followed as it changes. */
export function useRoute(): Route {
    return useAddress(parse);
}

/** Goes to another address; the browser's "back" leads here again. */
export function go(to: string): void {
    location.hash = to;
}

/** Changes keys of the view's query in place: sorting and filtering are no steps to go back over. Undefined and empty remove a key. */
export function changeQuery(route: Route, changes: Record<string, string | number | undefined>): void {
    const to = address(route.view, route.loop, { ...Object.fromEntries(route.query), ...changes });
    try {
        history.replaceState(history.state, "", to);
    } catch {
        // Browsers refuse after many changes in a short time: the view changes all the same, only the address lags behind.
    }
    dispatchEvent(new CustomEvent(CHANGED, { detail: to }));
}
