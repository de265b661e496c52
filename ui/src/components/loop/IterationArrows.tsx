/** Iterations as boxes in a row, and arrows between those that depend on each other. */

import { useId } from "preact/hooks";
import type { FoundDependence } from "../../logic/contract";
import { arrowWords } from "../../logic/loop-page/dependence-words";
import { arrows } from "../../logic/loop-page/iteration-arrows";

const SLOT = 44;
const BOX = 36;
const TOP = 34;
const HEIGHT = 24;

export function IterationArrows({ kind, distance, limits }: { kind: FoundDependence["kind"]; distance: number; limits: boolean }) {
    const id = useId();
    const drawn = arrows(distance);
    if (drawn === undefined) return null;
    const middle = (slot: number): number => 1 + slot * SLOT + BOX / 2;
    const words = arrowWords(kind, distance);
    return (
        <figure class={limits ? "iteration-arrows limits" : "iteration-arrows"}>
            <svg width={drawn.slots * SLOT} height={TOP + HEIGHT + 2} role="img" aria-label={words}>
                <defs>
                    <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                        <path class="arrow-head" d="M0 0 L8 4 L0 8 z" />
                    </marker>
                </defs>
                {drawn.arrows.map(([from, to]) => (
                    <path key={from} class="arrow" d={`M${middle(from)} ${TOP} C${middle(from)} 4 ${middle(to)} 4 ${middle(to)} ${TOP - 2}`} marker-end={`url(#${id})`} />
                ))}
                {drawn.boxes.map(({ iteration, slot }) => (
                    <g key={iteration}>
                        <rect class="iteration" x={1 + slot * SLOT} y={TOP} width={BOX} height={HEIGHT} rx="3" />
                        <text x={middle(slot)} y={TOP + HEIGHT / 2 + 4} text-anchor="middle">
                            {iteration > 99_999 ? `+${iteration - distance}` : iteration}
                        </text>
                    </g>
                ))}
                {drawn.gap !== undefined && (
                    <text x={middle(drawn.gap)} y={TOP + HEIGHT / 2 + 4} text-anchor="middle">
                        …
                    </text>
                )}
            </svg>
            <figcaption class="dim">{words}</figcaption>
        </figure>
    );
}
