/** The table of functions: what a sampling profiler shows, with counts where there are any. */

import { useMemo, useRef } from "preact/hooks";
import type { FunctionFacts, InlinedFunction, Report } from "../../logic/contract";
import { type FunctionColumn, type FunctionRow, type FunctionState, NAME, descendingFirst, functionState, knownColumns, modulesOf, selected, valueIn, withInlined } from "../../logic/function-table";
import { baseName, elided } from "../../logic/names";
import { count, share } from "../../logic/quantity";
import { type Route, address } from "../../logic/route";
import type { ViewProps } from "../App";
import { Name } from "../parts/Name";
import { ShareBar } from "../parts/ShareBar";
import { changeQuery } from "../parts/location";
import { MOST_PRINTED, useVirtualRows } from "../parts/useVirtualRows";

/** Height of a row; `styles/functions.css` holds to it. */
const ROW = 44;
const HEAD = 36;

export function FunctionsView({ report, route }: ViewProps) {
    const { analysis } = report;
    const state = useMemo(() => functionState(route.query), [route.query]);
    const functions = useMemo(() => selected(analysis, state), [analysis, state]);
    const rows = useMemo(() => withInlined(functions, state), [functions, state]);
    const columns = useMemo(() => knownColumns(analysis), [analysis]);
    if (analysis.functions.length === 0) return <p>No functions: nothing was sampled or counted in a module that could be read.</p>;
    const part = Math.min(functions.reduce((sum, each) => sum + each.self_share, 0), 1);
    return (
        <>
            <div class="toolbar">
                <Filters route={route} state={state} modules={modulesOf(analysis)} />
                <p class="shown dim" role="status">
                    <span data-key="functions.shown">{count(functions.length)}</span> of <span data-key="functions.all">{count(analysis.functions.length)}</span> functions, {share(part)} of the time
                </p>
            </div>
            <Table report={report} route={route} state={state} rows={rows} columns={columns} />
        </>
    );
}

function Filters({ route, state, modules }: { route: Route; state: FunctionState; modules: readonly string[] }) {
    const set = (key: string, value: string) => changeQuery(route, { [key]: value });
    return (
        <>
            <label class="field grow">
                <span class="unseen">Filter by function, file or module</span>
                <input type="search" value={state.text} placeholder="function, file, module" spellcheck={false} onInput={(event) => set("q", event.currentTarget.value)} />
            </label>
            {modules.length > 1 && (
                <label class="field">
                    Module
                    <select value={state.module} onChange={(event) => set("module", event.currentTarget.value)}>
                        <option value="">all</option>
                        {modules.map((module) => (
                            <option key={module} value={module}>
                                {elided(module, 40)}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            <label class="field">
                Self at least
                <input type="number" class="least" min="0" max="100" step="any" value={state.least > 0 ? state.least : ""} placeholder="0" onInput={(event) => set("min", event.currentTarget.value)} />
                %
            </label>
        </>
    );
}

interface TableProps {
    report: Report;
    route: Route;
    state: FunctionState;
    rows: readonly FunctionRow[];
    columns: readonly FunctionColumn[];
}

function Table({ report, route, state, rows, columns }: TableProps) {
    const frame = useRef<HTMLDivElement>(null);
    const body = useRef<HTMLTableSectionElement>(null);
    const virtual = useVirtualRows({ count: rows.length, rowHeight: ROW, list: body, scroller: frame, covered: HEAD });
    const listed = useMemo(() => new Set(report.listings.map((each) => `${each.module}\0${each.function}`)), [report]);
    const head = (id: string, title: string, hint?: string) => {
        const sorted = state.sort === id;
        const sort = () => changeQuery(route, { sort: id, desc: (sorted ? !state.descending : descendingFirst(id)) ? 1 : 0 });
        return (
            <th key={id} scope="col" class={id === NAME ? "" : "number"} aria-sort={sorted ? (state.descending ? "descending" : "ascending") : "none"}>
                <button type="button" class="sort" title={hint} onClick={sort}>
                    {title}
                    <span aria-hidden="true">{sorted ? (state.descending ? " ▾" : " ▴") : ""}</span>
                </button>
            </th>
        );
    };
    const gap = (rowsLeft: number, key: string) => rowsLeft > 0 && <tr key={key} aria-hidden="true" style={{ height: rowsLeft * ROW }} />;
    return (
        <>
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard */}
            <div class="function-frame" ref={frame} role="group" aria-label="Functions" tabIndex={0}>
                <table class="functions" aria-rowcount={rows.length + 1}>
                    <thead>
                        <tr aria-rowindex={1}>
                            {head(NAME, "Function")}
                            {columns.map((column) => head(column.id, column.title, column.hint))}
                        </tr>
                    </thead>
                    <tbody ref={body}>
                        {virtual.rows.map(({ index, skipped }) => {
                            const row = rows[index];
                            return row === undefined ? null : (
                                <>
                                    {gap(skipped, `gap ${index}`)}
                                    <Row key={`${row.each.module} ${row.each.function} ${index}`} row={row} index={index} columns={columns} listed={listed.has(`${row.each.module}\0${row.each.function}`)} />
                                </>
                            );
                        })}
                        {gap(virtual.after, "after")}
                    </tbody>
                </table>
                {rows.length === 0 && <p class="dim none">No function passes these filters.</p>}
            </div>
            {virtual.printing && rows.length > MOST_PRINTED && <p class="dim">{rows.length - MOST_PRINTED} more rows are not printed.</p>}
        </>
    );
}

function Row({ row, index, columns, listed }: { row: FunctionRow; index: number; columns: readonly FunctionColumn[]; listed: boolean }) {
    const { each, inlined } = row;
    return (
        <tr aria-rowindex={index + 2} class={inlined && "inlined"} data-function={inlined === undefined ? each.function : undefined} data-inlined={inlined?.function}>
            <th scope="row">{inlined === undefined ? <OwnHead each={each} listed={listed} /> : <InlinedHead inlined={inlined} holder={each} />}</th>
            {columns.map((column) => {
                const value = valueIn(column, row);
                const text = value === undefined ? "" : column.text(value, each);
                const key = value === undefined ? undefined : column.key;
                return (
                    <td key={column.id} class="number" data-key={inlined === undefined ? key : undefined} data-inlined-key={inlined === undefined ? undefined : key}>
                        {column.id === "self" ? <ShareBar value={value ?? 0} text={text} kind={each.main_module ? "outside" : "library"} /> : text}
                    </td>
                );
            })}
        </tr>
    );
}

function OwnHead({ each, listed }: { each: FunctionFacts; listed: boolean }) {
    const name = <Name text={each.function} longest={60} symbol />;
    return (
        <>
            <span class="function-name">{listed ? <a href={address("code", undefined, { function: each.function, module: each.module })}>{name}</a> : name}</span>
            <span class="place">
                {each.file !== undefined && <><Name text={`${baseName(each.file)}${each.line === undefined ? "" : `:${each.line}`}`} longest={40} />, </>}
                <span data-key="module"><Name text={each.module} longest={32} /></span>
            </span>
        </>
    );
}

function InlinedHead({ inlined, holder }: { inlined: InlinedFunction; holder: FunctionFacts }) {
    return (
        <>
            <span class="function-name"><Name text={inlined.function} longest={60} symbol /></span>
            <span class="place">inlined into <Name text={holder.function} longest={40} symbol /></span>
        </>
    );
}
