import type { Report } from "../../logic/contract";
import { counted } from "../../logic/quantity";
import type { Route } from "../../logic/route";
import type { Origin } from "../../logic/tree/sources";
import { changeQuery } from "../parts/location";

const GROUPS: [Origin["kind"], string][] = [
    ["rank", "Ranks"],
    ["thread", "Threads"],
];

interface Given {
    report: Report;
    route: Route;
    all: readonly Origin[];
    origin: Origin;
}

/** Chooses whose time is shown. Nodes have other numbers in another tree, so what is open or in focus is forgotten. */
export function OriginChoice({ report, route, all, origin }: Given) {
    if (all.length < 2) return null;
    const left = report.threads_left_out ?? 0;
    return (
        <span class="tree-choice">
            <label class="field">
                Time of
                <select
                    value={origin.id}
                    onChange={(event) => changeQuery(route, { of: event.currentTarget.value, open: undefined, at: undefined })}
                >
                    {all.filter((each) => each.kind === "all").map((each) => <option key={each.id} value={each.id}>{each.label}</option>)}
                    {GROUPS.map(([kind, label]) => {
                        const own = all.filter((each) => each.kind === kind);
                        return own.length === 0 ? null : (
                            <optgroup key={kind} label={label}>
                                {own.map((each) => <option key={each.id} value={each.id}>{each.label}</option>)}
                            </optgroup>
                        );
                    })}
                </select>
            </label>
            {left > 0 && origin.kind !== "all" && (
                <span class="dim" data-key="threads_left_out">
                    {counted(left, "thread", "threads")} with less time left out{origin.kind === "rank" ? ", also from ranks" : ""}
                </span>
            )}
        </span>
    );
}
