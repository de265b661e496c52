import { memo } from "preact/compat";
import { printable } from "../../logic/names";
import { type TimeUnit, percent, timeNumber } from "../../logic/quantity";
import { address } from "../../logic/route";
import { NODE_KINDS, type NodeKind } from "../../logic/tree/kinds";
import type { TreeNode } from "../../logic/tree/nodes";
import { Name } from "../parts/Name";
import { ShareBar } from "../parts/ShareBar";

/** Deeper rows are not moved further to the right; they say their depth instead. */
const DEEPEST_INDENT = 24;
const LONGEST = 160;

interface Given {
    node: TreeNode;
    kind: NodeKind;
    open: boolean | undefined;
    position: number;
    siblings: number;
    /** Place among all rows, from 1, the heading included. */
    row: number;
    current: boolean;
    match: boolean;
    unit: TimeUnit;
    /** Rows left out before this one, as height. */
    skipped: number;
    /** Height left out after the last. */
    after: number;
}

/** A row of the tree. Keys and clicks are the grid's. */
export const TreeRow = memo(function TreeRow(given: Given) {
    const { node, kind, open, position, siblings, row, current, match, unit, skipped, after } = given;
    const { letter, words, colour } = NODE_KINDS[kind];
    const name = <Name text={node.name} longest={LONGEST} />;
    return (
        <div
            role="row"
            class={`tree-row ${colour}${match ? " match" : ""}`}
            aria-level={node.depth + 1}
            aria-expanded={open}
            aria-posinset={position}
            aria-setsize={siblings}
            aria-rowindex={row}
            tabIndex={current ? 0 : -1}
            data-node={node.index}
            data-loop={node.loop_id}
            style={{ marginTop: skipped, marginBottom: after }}
        >
            <span role="gridcell" class="number share" data-key="total_share">
                <ShareBar value={node.total_share} text={percent(node.total_share)} kind={colour} />
            </span>
            <span role="gridcell" class="number" data-key="self_share">{percent(node.self_share)}</span>
            <span role="gridcell" class="number seconds" data-key="total_seconds">{timeNumber(node.total_seconds, unit)}</span>
            <span role="gridcell" class="number seconds" data-key="self_seconds">{timeNumber(node.self_seconds, unit)}</span>
            <span role="gridcell" class="tree-name" style={{ "--depth": Math.min(node.depth, DEEPEST_INDENT) }}>
                <span class="twisty" aria-hidden="true">{open === undefined ? "" : open ? "▾" : "▸"}</span>
                {node.depth > DEEPEST_INDENT && <span class="dim">{node.depth}</span>}
                {letter !== "" && <span class="letter" title={words} aria-hidden="true">{letter}</span>}
                {node.loop_id === undefined ? name : (
                    <a href={address("loop", node.loop_id)} tabIndex={-1} aria-label={`${printable(node.name).slice(0, LONGEST)}, ${words}`}>{name}</a>
                )}
            </span>
            <span role="gridcell" class="dim tree-module" data-key="module"><Name text={node.module} longest={40} /></span>
        </div>
    );
});
