/** Pictures that a program drew: a scatter plot for each moment, kinds distinguished by shape and colour. */

import { useMemo, useState } from "preact/hooks";
import type { Frame, Pictures } from "../../logic/contract";
import { byKind, frameWords, kindsOf, marks, markSize, KINDS } from "../../logic/casebook/pictures";
import { count, counted } from "../../logic/quantity";
import { Prose } from "../parts/Prose";
import { usePrinting } from "../parts/usePrinting";

/** Length of a plot's side in its own units. */
const SIDE = 220;

interface Drawn {
    ladder: string;
    pictures: Pictures;
}

/** Those of the first ladder; the others compute the same and open on demand. */
export function StagePictures({ drawn }: { drawn: readonly Drawn[] }) {
    const [first, ...others] = drawn;
    if (first === undefined) return null;
    return (
        <div class="pictures">
            <Shots {...first} />
            {others.map((each) => (
                <OtherShots key={each.ladder} {...each} />
            ))}
        </div>
    );
}

/** Drawn once they are wanted: points are many. */
function OtherShots(drawn: Drawn) {
    const [open, setOpen] = useState(false);
    return (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>The same from {drawn.ladder}</summary>
            {open && <Shots {...drawn} />}
        </details>
    );
}

function Shots({ ladder, pictures }: Drawn) {
    const printing = usePrinting();
    const { frames } = pictures;
    const kinds = useMemo(() => kindsOf(frames), [frames]);
    return (
        <figure class={printing ? "shots printing" : "shots"}>
            <figcaption>
                <strong><Prose text={pictures.title} /></strong> <span class="dim">({ladder})</span>
            </figcaption>
            <div class="shot-row">
                {frames.map((frame, at) => (
                    <Shot key={at} frame={frame} kinds={kinds} />
                ))}
            </div>
            {kinds.length > 1 && (
                <ul class="legend" aria-label="Kinds of points">
                    {kinds.map((kind, at) => {
                        const slot = Math.min(at, KINDS - 1);
                        return (
                            <li key={kind}>
                                <svg class={`sign point kind-${slot}`} viewBox="0 0 14 14" width={14} height={14} aria-hidden="true">
                                    <path d={marks([[0.5, 0.5]], slot, 14, 4)} />
                                </svg>{" "}
                                kind {kind}
                            </li>
                        );
                    })}
                </ul>
            )}
        </figure>
    );
}

function Shot({ frame, kinds }: { frame: Frame; kinds: readonly number[] }) {
    const grouped = useMemo(() => byKind(frame, kinds), [frame, kinds]);
    const size = markSize(frame.points.length, SIDE);
    return (
        <div class="shot">
            <svg viewBox={`-6 -6 ${SIDE + 12} ${SIDE + 12}`} role="img" aria-label={frameWords(frame, grouped)}>
                <rect class="shot-frame" x={-5} y={-5} width={SIDE + 10} height={SIDE + 10} />
                {grouped.map(({ kind, slot, points }) => (points.length === 0 ? null : <path key={kind} class={`point kind-${slot}`} d={marks(points, slot, SIDE, size)} />))}
            </svg>
            <span class="dim">
                step {count(frame.step)}, {counted(frame.points.length, "point", "points")}
            </span>
        </div>
    );
}
