import { counted, share } from "../../logic/quantity";
import type { Route } from "../../logic/route";
import type { Matches } from "../../logic/tree/search";
import { changeQuery } from "../parts/location";

/** Searches names, and says how many nodes match and how much of the time they are. */
export function SearchBox({ route, matches }: { route: Route; matches: Matches | undefined }) {
    return (
        <span class="tree-choice">
            <label class="field">
                Search
                <input
                    type="search"
                    value={route.query.get("q") ?? ""}
                    onInput={(event) => changeQuery(route, { q: event.currentTarget.value })}
                    spellcheck={false}
                />
            </label>
            <span class="dim" role="status" data-key="matched_share">
                {matches !== undefined && `${counted(matches.nodes.size, "match", "matches")}, ${share(matches.total_share)} of the time`}
            </span>
        </span>
    );
}
