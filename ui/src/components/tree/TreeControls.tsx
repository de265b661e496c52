import { share } from "../../logic/quantity";
import type { Route } from "../../logic/route";
import { changeQuery } from "../parts/location";

export const LEAST_AT_FIRST = 0.005;
const LEAST = [0, 0.001, 0.005, 0.01, 0.05, 0.1];

/** The smallest share that is shown; addresses say it in percent. */
export function leastShare(route: Route): number {
    const text = route.query.get("least");
    const percent = text === null ? NaN : Number(text);
    return Number.isFinite(percent) && percent >= 0 ? percent / 100 : LEAST_AT_FIRST;
}

interface Given {
    route: Route;
    onHotPath: () => void;
    onExpand: () => void;
    onCollapse: () => void;
}

/** What is open, and how small a share is shown. */
export function TreeControls({ route, onHotPath, onExpand, onCollapse }: Given) {
    const least = leastShare(route);
    return (
        <>
            <label class="field">
                At least
                <select value={String(least)} onChange={(event) => changeQuery(route, { least: Number(event.currentTarget.value) * 100 })}>
                    {[...new Set([...LEAST, least])].sort((a, b) => a - b).map((each) => (
                        <option key={each} value={String(each)}>
                            {each === 0 ? "everything" : `${share(each)} of the time`}
                        </option>
                    ))}
                </select>
            </label>
            <span class="tree-choice">
                <button type="button" onClick={onHotPath}>Expand hot path</button>
                <button type="button" onClick={onExpand}>Expand all under</button>
                <button type="button" onClick={onCollapse}>Collapse</button>
            </span>
        </>
    );
}
