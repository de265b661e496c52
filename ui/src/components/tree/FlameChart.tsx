import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { address } from "../../logic/route";
import { type Step, flame, neighbour } from "../../logic/tree/flame";
import type { NodeKind } from "../../logic/tree/kinds";
import type { TreeNode } from "../../logic/tree/nodes";
import type { Matches } from "../../logic/tree/search";
import { go } from "../parts/location";
import { useWidth } from "../parts/useWidth";
import { BOX_HEIGHT, FlameBox } from "./FlameBox";
import { counted } from "../../logic/quantity";

const STEPS: Record<string, Step> = { ArrowUp: "parent", ArrowDown: "child", ArrowLeft: "previous", ArrowRight: "next" };

interface Given {
    nodes: readonly TreeNode[];
    focus: TreeNode;
    label: string;
    kind: (node: TreeNode) => NodeKind;
    matches: Matches | undefined;
    /** The box under the pointer or in focus. */
    onLook: (node: TreeNode | undefined) => void;
    onZoom: (node: TreeNode | undefined) => void;
}

function nodeOf(event: Event): number | undefined {
    const index = (event.target as Element).closest("[data-node]")?.getAttribute("data-node");
    return index === null || index === undefined ? undefined : Number(index);
}

export function FlameChart({ nodes, focus, label, kind, matches, onLook, onZoom }: Given) {
    const frame = useRef<HTMLDivElement>(null);
    const width = useWidth(frame);
    const { boxes, levels, narrow } = useMemo(() => flame(focus, width), [focus, width]);
    const drawn = useMemo(() => new Set(boxes.map((box) => box.node.index)), [boxes]);
    const [at, setAt] = useState(focus.index);
    const current = drawn.has(at) ? at : focus.index;
    const wanted = useRef<number>();

    // Zooming draws other boxes: the one that is wanted may come only with a later drawing.
    useLayoutEffect(() => {
        if (wanted.current === undefined) return;
        const element = frame.current?.querySelector<SVGGElement>(`[data-node="${wanted.current}"]`);
        if (element === null || element === undefined) return;
        wanted.current = undefined;
        element.focus();
    });

    const move = (to: TreeNode | undefined) => {
        if (to === undefined) return;
        wanted.current = to.index;
        setAt(to.index);
        onLook(to);
    };
    const zoom = (to: TreeNode | undefined) => {
        wanted.current = (to ?? nodes[0])?.index;
        setAt(to?.index ?? 0);
        onZoom(to);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const node = nodes[current];
        if (node === undefined || event.altKey || event.metaKey) return;
        const step = STEPS[event.key];
        if (step !== undefined) move(neighbour(node, step, drawn) ?? (step === "parent" ? undefined : node));
        else if (event.key === "Enter" && event.ctrlKey && node.loop_id !== undefined) go(address("loop", node.loop_id));
        else if (event.key === "Enter" || event.key === " ") zoom(node === focus ? node.parent : node);
        else if (event.key === "Escape") zoom(undefined);
        else return;
        event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
        const node = nodes[nodeOf(event) ?? -1];
        if (node !== undefined) zoom(node === focus ? node.parent : node);
    };
    const look = (event: Event) => onLook(nodes[nodeOf(event) ?? -1]);

    return (
        <div ref={frame} class="flame">
            <svg
                role="tree"
                aria-label={label}
                width={width}
                height={levels * BOX_HEIGHT}
                onKeyDown={onKeyDown}
                onClick={onClick}
                onPointerOver={look}
                onPointerLeave={() => onLook(undefined)}
                onFocusIn={look}
                tabindex={-1}
            >
                {boxes.map((box) => (
                    <FlameBox
                        key={box.node.index}
                        box={box}
                        kind={kind(box.node)}
                        match={matches?.nodes.has(box.node.index)}
                        current={box.node.index === current}
                    />
                ))}
            </svg>
            {narrow > 0 && width > 0 && <p class="dim">{counted(narrow, "box", "boxes")} too narrow to be seen left out, with all below: zoom in.</p>}
        </div>
    );
}
