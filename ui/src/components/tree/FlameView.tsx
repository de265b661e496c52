/** The flame graph: the top-down tree as boxes, each as wide as its time. */

import { useMemo, useState } from "preact/hooks";
import { address } from "../../logic/route";
import { NODE_KINDS, type NodeKind } from "../../logic/tree/kinds";
import type { TreeNode } from "../../logic/tree/nodes";
import { search } from "../../logic/tree/search";
import type { ViewProps } from "../App";
import { changeQuery } from "../parts/location";
import { Breadcrumb } from "./Breadcrumb";
import { FlameChart } from "./FlameChart";
import { NoTree } from "./NoTree";
import { NodeLine } from "./NodeLine";
import { OriginChoice } from "./OriginChoice";
import { SearchBox } from "./SearchBox";
import { type ShownTree, useTree } from "./useTree";

const HINT = "Click a box to zoom in. With the keyboard: Tab leads to the graph, arrows move, Enter zooms in, Ctrl+Enter leads to a loop, Escape shows everything.";

export function FlameView({ report, route }: ViewProps) {
    const shown = useTree(report, route);
    if (shown === undefined) return <NoTree report={report} />;
    return <Graph key={shown.origin.id} report={report} route={route} shown={shown} />;
}

function Graph({ report, route, shown }: ViewProps & { shown: ShownTree }) {
    const { tree, origin, all, kind } = shown;
    const focus = tree.nodes[Number(route.query.get("at") ?? 0)] ?? tree.root;
    const text = route.query.get("q") ?? "";
    const matches = useMemo(() => search(tree, text), [tree, text]);
    const [looked, setLooked] = useState<TreeNode>();
    const loop = looked?.loop_id ?? focus.loop_id;
    const zoom = (node: TreeNode | undefined) => changeQuery(route, { at: node?.parent === undefined ? undefined : node.index });
    return (
        <>
            <div class="toolbar" role="group" aria-label="What the graph shows">
                <OriginChoice report={report} route={route} all={all} origin={origin} />
                <SearchBox route={route} matches={matches} />
                <button type="button" disabled={focus === tree.root} onClick={() => zoom(undefined)}>Show everything</button>
                {loop !== undefined && <a href={address("loop", loop)}>Open loop {loop}</a>}
                <a href={address("tree", undefined, { of: route.query.get("of") ?? undefined, q: text })}>As a tree with numbers</a>
            </div>
            <Legend />
            <Breadcrumb route={route} focus={focus} />
            <NodeLine node={looked ?? focus} kind={kind(looked ?? focus)} />
            <FlameChart
                nodes={tree.nodes}
                focus={focus}
                label={`Flame graph, ${origin.label}`}
                kind={kind}
                matches={matches}
                onLook={setLooked}
                onZoom={zoom}
            />
            <p class="dim hint">{HINT}</p>
        </>
    );
}

function Legend() {
    const shown: NodeKind[] = ["vectorised", "scalar", "function", "library", "kernel"];
    return (
        <ul class="legend" aria-label="Colours and letters">
            {shown.map((kind) => (
                <li key={kind} class={NODE_KINDS[kind].colour}>
                    <span class="letter" aria-hidden="true">{NODE_KINDS[kind].letter}</span> {NODE_KINDS[kind].words}
                </li>
            ))}
        </ul>
    );
}
