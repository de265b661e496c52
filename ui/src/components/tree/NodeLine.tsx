import { percent, time } from "../../logic/quantity";
import { NODE_KINDS, type NodeKind } from "../../logic/tree/kinds";
import type { TreeNode } from "../../logic/tree/nodes";
import { Name } from "../parts/Name";

/** What is known of the box under the pointer or in focus, on one line above the graph: it covers no box and moves nothing. */
export function NodeLine({ node, kind }: { node: TreeNode; kind: NodeKind }) {
    const { letter, words, colour } = NODE_KINDS[kind];
    return (
        <p class={`node-line ${colour}`} data-node={node.index} data-loop={node.loop_id}>
            {letter !== "" && <span class="letter" title={words}>{letter}</span>}
            <span class="node-name"><Name text={node.name} longest={400} /></span>
            <span>
                total <strong data-key="total_seconds">{time(node.total_seconds)} ({percent(node.total_share)} %)</strong>
            </span>
            <span>
                self <strong data-key="self_seconds">{time(node.self_seconds)} ({percent(node.self_share)} %)</strong>
            </span>
            {node.module !== "" && <span class="dim"><Name text={node.module} longest={32} /></span>}
        </p>
    );
}
