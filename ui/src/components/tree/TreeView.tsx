/** The top-down tree of functions and loops. */

import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { counted, share, timeUnit } from "../../logic/quantity";
import { readRanges, writeRanges } from "../../logic/tree/ranges";
import { openAtFirst, seen } from "../../logic/tree/rows";
import { search } from "../../logic/tree/search";
import type { ViewProps } from "../App";
import { changeQuery } from "../parts/location";
import { useVirtualRows } from "../parts/useVirtualRows";
import { NoTree } from "./NoTree";
import { OriginChoice } from "./OriginChoice";
import { SearchBox } from "./SearchBox";
import { TreeControls, leastShare } from "./TreeControls";
import { TreeRow } from "./TreeRow";
import { useTreeGrid } from "./useTreeGrid";
import { type ShownTree, useTree } from "./useTree";

/** Height of a row; `styles/tree.css` holds to it. */
const ROW_HEIGHT = 28;

export function TreeView({ report, route }: ViewProps) {
    const shown = useTree(report, route);
    if (shown === undefined) return <NoTree report={report} />;
    return <Grid key={shown.origin.id} report={report} route={route} shown={shown} />;
}

function Grid({ report, route, shown }: ViewProps & { shown: ShownTree }) {
    const { tree, origin, all, kind } = shown;
    const [at, setAt] = useState(0);
    const openText = route.query.get("open");
    const open = useMemo(() => (openText === null ? openAtFirst(tree) : readRanges(openText, tree.nodes.length)), [tree, openText]);
    const setOpen = useCallback((next: ReadonlySet<number>) => changeQuery(route, { open: next.size === 0 ? "none" : writeRanges(next) }), [route]);
    const text = route.query.get("q") ?? "";
    const matches = useMemo(() => search(tree, text), [tree, text]);
    const least = leastShare(route);
    const { rows, small } = useMemo(() => seen(tree, { open, least, only: matches }), [tree, open, least, matches]);

    const grid = useRef<HTMLDivElement>(null);
    const list = useRef<HTMLDivElement>(null);
    const keep = rows.findIndex((row) => row.node.index === at);
    const virtual = useVirtualRows({ count: rows.length, rowHeight: ROW_HEIGHT, list, keep });
    const page = Math.max(Math.floor(innerHeight / ROW_HEIGHT) - 4, 1);
    const keys = useTreeGrid({ rows, page, open, setOpen, reveal: virtual.reveal }, grid, [at, setAt]);
    const unit = timeUnit(tree.root.total_seconds);
    const last = virtual.rows.at(-1)?.index;

    return (
        <>
            <div class="toolbar" role="group" aria-label="What the tree shows">
                <OriginChoice report={report} route={route} all={all} origin={origin} />
                <SearchBox route={route} matches={matches} />
                <TreeControls route={route} onHotPath={keys.expandHotPath} onExpand={keys.expandAll} onCollapse={() => setOpen(new Set())} />
            </div>
            <div class="tree-region">
                <div
                    class="tree-grid"
                    role="treegrid"
                    aria-label={`Functions and loops, ${origin.label}`}
                    aria-rowcount={rows.length + 1}
                    tabIndex={-1}
                    ref={grid}
                    onKeyDown={keys.onKeyDown}
                    onClick={keys.onClick}
                >
                    <div role="rowgroup">
                        <div role="row" class="tree-row heading" aria-rowindex={1}>
                            <span role="columnheader" class="number">Total %</span>
                            <span role="columnheader" class="number">Self %</span>
                            <span role="columnheader" class="number seconds">Total {unit}</span>
                            <span role="columnheader" class="number seconds">Self {unit}</span>
                            <span role="columnheader">Function or loop</span>
                            <span role="columnheader" class="tree-module">Module</span>
                        </div>
                    </div>
                    <div role="rowgroup" ref={list}>
                        {virtual.rows.map(({ index, skipped }) => {
                            const row = rows[index];
                            return row === undefined ? null : (
                                <TreeRow
                                    key={row.node.index}
                                    {...row}
                                    kind={kind(row.node)}
                                    row={index + 2}
                                    current={index === keys.current}
                                    match={matches?.nodes.has(row.node.index) ?? false}
                                    unit={unit}
                                    skipped={skipped * ROW_HEIGHT}
                                    after={index === last ? virtual.after * ROW_HEIGHT : 0}
                                />
                            );
                        })}
                    </div>
                </div>
            </div>
            {rows.length === 0 && <p>No name contains what is searched for.</p>}
            {small > 0 && <p class="dim">{counted(small, "branch", "branches")} below {share(least)} of the time left out.</p>}
            <p class="dim">
                Keys: arrows move, open and close; * opens everything under a row; Enter leads to a loop.
            </p>
        </>
    );
}
