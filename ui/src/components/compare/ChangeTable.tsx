/** Source loops side by side, sorted and filtered. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { ratiosOf, rows, type SortKey, tally, verdictBadge, VERDICTS } from "../../logic/compare";
import type { ComparisonDocument, Report, Verdict } from "../../logic/contract";
import { loopsById } from "../../logic/groups";
import { count, timeUnit } from "../../logic/quantity";
import type { Route } from "../../logic/route";
import { ratioScale } from "../../logic/ratio-scale";
import { changeQuery } from "../parts/location";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { usePrinting } from "../parts/usePrinting";
import { reveal } from "./ChangeLink";
import { ChangeRow } from "./ChangeRow";
import { RatioAxis } from "../parts/RatioMark";

/** Rows drawn at first, and more at a time. */
const PAGE = 200;

const SORTS: readonly (readonly [SortKey, string])[] = [
    ["function", "Function and place"],
    ["verdict", "Verdict"],
    ["before", "Before"],
    ["after", "After"],
    ["speedup", "Speed-up"],
];

interface Order {
    sort: SortKey;
    descending: boolean;
}

function orderOf(query: URLSearchParams): Order {
    const wanted = query.get("sort");
    const sort = wanted === "instructions" ? wanted : (SORTS.find(([key]) => key === wanted)?.[0] ?? "time");
    return { sort, descending: query.get("desc") !== "0" };
}

function SortHead({ name, label, order, route, number }: { name: SortKey; label: string; order: Order; route: Route; number?: boolean }) {
    const active = order.sort === name;
    const turn = () => changeQuery(route, { sort: name, desc: active ? (order.descending ? 0 : undefined) : name === "function" ? 0 : undefined });
    return (
        <th scope="col" class={number === true ? "number" : ""} aria-sort={active ? (order.descending ? "descending" : "ascending") : undefined}>
            <button type="button" class="compare-sort" onClick={turn}>
                {label}
                <span aria-hidden="true">{active ? (order.descending ? " ▾" : " ▴") : ""}</span>
            </button>
        </th>
    );
}

function VerdictFilter({ comparison, chosen, route }: { comparison: ComparisonDocument; chosen: ReadonlySet<Verdict>; route: Route }) {
    const counts = useMemo(() => tally(comparison.loops.map((each) => each.verdict), VERDICTS), [comparison]);
    const toggle = (verdict: Verdict) => {
        const next = VERDICTS.filter((each) => chosen.has(each) !== (each === verdict));
        // Whoever asks for a verdict wants to see all loops that have it.
        changeQuery(route, { verdict: next.join(" "), all: next.length > 0 ? 1 : undefined, row: undefined });
    };
    return (
        <div class="compare-verdicts" role="group" aria-label="Show only">
            {counts.map(([verdict, loops]) => (
                <button key={verdict} type="button" aria-pressed={chosen.has(verdict)} onClick={() => toggle(verdict)}>
                    <span aria-hidden="true">{verdictBadge(verdict).sign}</span> {count(loops)} {verdictBadge(verdict).word}
                </button>
            ))}
        </div>
    );
}

export function ChangeTable({ report, comparison, route }: { report: Report; comparison: ComparisonDocument; route: Route }) {
    const { query } = route;
    const order = orderOf(query);
    const [verdicts, text, all, row] = [query.get("verdict") ?? "", query.get("q") ?? "", query.get("all") === "1", Number(query.get("row") ?? Number.NaN)];
    const chosen = useMemo(() => new Set(VERDICTS.filter((each) => verdicts.split(" ").includes(each))), [verdicts]);
    const found = useMemo(() => rows(comparison, { verdicts: chosen, text, all, ...order }), [comparison, chosen, text, all, order.sort, order.descending]);
    const scale = useMemo(() => ratioScale(ratiosOf(found.shown.map(({ change }) => change))), [found]);
    const loops = useMemo(() => loopsById(report.analysis), [report]);
    const unit = useMemo(
        () => timeUnit(comparison.loops.reduce((most, each) => Math.max(most, each.before?.self_seconds ?? 0, each.after?.self_seconds ?? 0), 0)),
        [comparison],
    );
    const counted = useMemo(() => comparison.loops.some((each) => (each.counted ?? []).length > 0), [comparison]);
    const [pages, setPages] = useState(1);
    const printing = usePrinting();
    const at = found.shown.findIndex((each) => each.index === row);
    const drawn = found.shown.slice(0, Math.max(pages * PAGE, at + 1, printing ? 500 : 0));
    // Not when the row moves: whoever sorts the table looks at its head.
    useEffect(() => {
        if (!Number.isNaN(row)) reveal(row);
    }, [row]);

    return (
        <Panel title="Loops">
            <div class="toolbar">
                <VerdictFilter comparison={comparison} chosen={chosen} route={route} />
                <label class="field">
                    <span>Function or place</span>
                    <input type="search" value={text} onInput={(event) => changeQuery(route, { q: event.currentTarget.value, row: undefined })} />
                </label>
            </div>
            <p class="dim" aria-live="polite">
                {count(found.shown.length)} {found.shown.length === 1 ? "loop" : "loops"}
                {found.quiet > 0 && `, ${count(found.quiet)} more with less time or no change`}{" "}
                {(found.quiet > 0 || all) && (
                    <button type="button" class="compare-more" onClick={() => changeQuery(route, { all: all ? undefined : 1, row: undefined })}>
                        {all ? "Leave out loops with little time" : "Show all"}
                    </button>
                )}
            </p>
            <TableRegion label="Loops in both states">
                <table class="compare-loops">
                    <thead>
                        <tr>
                            {SORTS.map(([name, label]) => (
                                <SortHead
                                    key={name}
                                    name={name}
                                    label={name === "before" || name === "after" ? `${label} ${unit}` : label}
                                    order={order}
                                    route={route}
                                    number={name === "before" || name === "after" || name === "speedup"}
                                />
                            ))}
                            <th scope="col">
                                <span class="unseen">Speed-up and its interval, drawn</span>
                                <RatioAxis scale={scale} />
                            </th>
                            <th scope="col">Type</th>
                            {counted && <SortHead name="instructions" label="Counts" order={order} route={route} />}
                        </tr>
                    </thead>
                    <tbody>
                        {drawn.map((each) => {
                            const { after } = each.change;
                            const page = after !== undefined && loops.get(after.id)?.address === after.address ? after.id : undefined;
                            return <ChangeRow key={each.index} row={each} scale={scale} unit={unit} counted={counted} chosen={each.index === row} page={page} />;
                        })}
                    </tbody>
                </table>
            </TableRegion>
            {found.shown.length === 0 && <p>No loop is like that.</p>}
            {drawn.length < found.shown.length && (
                <button type="button" onClick={() => setPages(pages + 1)}>
                    Show {count(Math.min(PAGE, found.shown.length - drawn.length))} more of {count(found.shown.length - drawn.length)}
                </button>
            )}
        </Panel>
    );
}
