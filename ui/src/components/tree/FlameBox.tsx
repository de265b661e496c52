import { memo } from "preact/compat";
import { elidedNode, printable } from "../../logic/names";
import { percent } from "../../logic/quantity";
import type { Box } from "../../logic/tree/flame";
import { NODE_KINDS, type NodeKind } from "../../logic/tree/kinds";

export const BOX_HEIGHT = 22;
/** Width of a character of the boxes' font; `styles/flame.css` holds to it. */
const CHARACTER = 6.7;
const MARGIN = 5;
/** Narrower boxes have no text: fewer than three characters are unreadable. */
const FEWEST = 3;

interface Given {
    box: Box;
    kind: NodeKind;
    /** Undefined when nothing is searched for. */
    match: boolean | undefined;
    /** The one that the keyboard is on. */
    current: boolean;
}

/** A box. Keys, clicks and the pointer are the chart's. */
export const FlameBox = memo(function FlameBox({ box: { node, x, width, level }, kind, match, current }: Given) {
    const { letter, words, colour } = NODE_KINDS[kind];
    const room = Math.floor((width - 2 * MARGIN) / CHARACTER);
    const text = room < FEWEST ? "" : letter === "" ? elidedNode(node.name, room) : `${letter} ${elidedNode(node.name, room - 2)}`;
    const found = match === undefined ? "" : match ? " match" : " other";
    return (
        // A tree within a drawing: the elements that HTML has for it do not exist in SVG.
        <g
            role="treeitem"
            aria-level={level + 1}
            aria-label={`${printable(node.name).slice(0, 200)}, ${words}, total ${percent(node.total_share)} %, self ${percent(node.self_share)} %`}
            tabindex={current ? 0 : -1}
            class={`flame-box ${colour}${found}`}
            transform={`translate(${x.toFixed(2)},${level * BOX_HEIGHT})`}
            data-node={node.index}
            data-loop={node.loop_id}
        >
            <rect width={Math.max(width - 0.5, 0.5).toFixed(2)} height={BOX_HEIGHT - 1} />
            {text !== "" && <text x={MARGIN} y={15}>{text}</text>}
        </g>
    );
});
