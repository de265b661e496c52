import { memo } from "preact/compat";
import { rate } from "../../logic/quantity";
import { type CeilingLine, course } from "../../logic/roofline/ceilings";
import { type Rectangle, type Segment, clip, placeLabels } from "../../logic/roofline/labels";
import type { Scales } from "./scales";

/** Width of a character of the labels' font; `styles/roofline.css` holds to it. */
const CHARACTER = 6.1;
const HEIGHT = 9;
/** Names keep this far from the edge of the plot: turned letters reach beyond the corners of their boxes. */
const EDGE = 6;

function label(line: CeilingLine, several: boolean): string {
    const value = line.kind === "memory" ? `${rate(line.gbytes)} GB/s` : rate(line.gflops);
    return `${line.name} ${value}${several ? ` · ${line.cores} ${line.cores === 1 ? "core" : "cores"}` : ""}`;
}

interface Given {
    lines: readonly CeilingLine[];
    plot: Rectangle;
    scales: Scales;
    /** What names keep away from. */
    taken: readonly Rectangle[];
}

/** Ceilings with their names; a name that has no place is in the table of ceilings only. */
export const CeilingLines = memo(function CeilingLines({ lines, plot, scales, taken }: Given) {
    const cores = [...new Set(lines.map((line) => line.cores))];
    const most = Math.max(...cores);
    const kind = (line: CeilingLine) => `ceiling ${line.kind}${line.cores < most ? " fewer" : ""}`;
    const shown = lines.flatMap((line) => {
        const way = course(line, lines, scales.x.domain() as [number, number]);
        const segment: Segment | undefined =
            way && clip({ x1: scales.x(way.x1), y1: scales.y(way.y1), x2: scales.x(way.x2), y2: scales.y(way.y2) }, plot);
        return segment === undefined ? [] : [{ line, segment, text: label(line, cores.length > 1) }];
    });
    const places = placeLabels(
        shown.map(({ line, segment, text }) => ({ line: segment, width: text.length * CHARACTER, from: line.kind === "memory" ? "left" : "right" })),
        HEIGHT,
        { x: plot.x + EDGE, y: plot.y + EDGE, width: plot.width - 2 * EDGE, height: plot.height - 2 * EDGE },
        taken,
    );
    return (
        <g class="ceilings" aria-hidden="true">
            {shown.map(({ line, segment }) => (
                <g key={`${line.name} ${line.cores}`} class={kind(line)}>
                    <line {...segment} />
                </g>
            ))}
            {/* After all lines, so that none strikes out a name. */}
            {shown.map(({ line, text }, at) => {
                const place = places[at];
                return place === undefined ? null : (
                    <g key={`name of ${line.name} ${line.cores}`} class={kind(line)}>
                        <text transform={`translate(${place.x.toFixed(1)},${place.y.toFixed(1)}) rotate(${place.degrees.toFixed(2)})`}>{text}</text>
                    </g>
                );
            })}
        </g>
    );
});
