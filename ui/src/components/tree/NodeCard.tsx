import { percent, time } from "../../logic/quantity";
import { NODE_KINDS, type NodeKind } from "../../logic/tree/kinds";
import type { TreeNode } from "../../logic/tree/nodes";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";

/** What is known of the box under the pointer or in focus. Always there, so that nothing moves when it is filled. */
export function NodeCard({ node, kind, hint }: { node: TreeNode | undefined; kind: NodeKind | undefined; hint: string }) {
    if (node === undefined || kind === undefined) return <div class="node-card dim">{hint}</div>;
    return (
        <div class="node-card" data-node={node.index} data-loop={node.loop_id}>
            <p class="node-card-name"><Name text={node.name} longest={240} /></p>
            <Facts
                items={[
                    ["Kind", NODE_KINDS[kind].words],
                    ["Total", <span data-key="total_seconds">{time(node.total_seconds)} ({percent(node.total_share)} %)</span>],
                    ["Self", <span data-key="self_seconds">{time(node.self_seconds)} ({percent(node.self_share)} %)</span>],
                    ["Module", node.module === "" ? undefined : <Name text={node.module} longest={80} />],
                ]}
            />
        </div>
    );
}
