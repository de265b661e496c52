import { elided, baseName } from "../../logic/names";
import type { TableState } from "../../logic/loop-table";
import type { Route } from "../../logic/route";
import { changeQuery } from "../parts/location";

/** What of the table is shown. */
export function Filters({ route, state, modules }: { route: Route; state: TableState; modules: readonly string[] }) {
    const set = (key: string, value: string) => changeQuery(route, { [key]: value });
    return (
        <>
            <label class="field grow">
                <span class="unseen">Filter by function, file, module, reason or trait</span>
                <input
                    type="search"
                    value={state.text}
                    placeholder="function, file, module, reason, trait"
                    spellcheck={false}
                    onInput={(event) => set("q", event.currentTarget.value)}
                />
            </label>
            <label class="field">
                Type
                <select value={state.type} onChange={(event) => set("type", event.currentTarget.value)}>
                    <option value="">all</option>
                    <option value="vectorised">vectorised</option>
                    <option value="scalar">scalar</option>
                </select>
            </label>
            {modules.length > 1 && (
                <>
                    <label class="field">
                        Module
                        <select value={state.module} onChange={(event) => set("module", event.currentTarget.value)}>
                            <option value="">all</option>
                            {modules.map((module) => (
                                <option key={module} value={module}>
                                    {elided(baseName(module), 40)}
                                </option>
                            ))}
                        </select>
                    </label>
                    <label class="field">
                        <input type="checkbox" checked={state.onlyMain} onChange={(event) => set("main", event.currentTarget.checked ? "1" : "")} />
                        only the program itself
                    </label>
                </>
            )}
            <label class="field">
                Self at least
                <input
                    type="number"
                    class="least"
                    min="0"
                    max="100"
                    step="any"
                    value={state.least > 0 ? state.least : ""}
                    placeholder="0"
                    onInput={(event) => set("min", event.currentTarget.value)}
                />
                %
            </label>
        </>
    );
}
