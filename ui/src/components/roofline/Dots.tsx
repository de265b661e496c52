import { symbol, symbolCircle, symbolDiamond2 } from "d3-shape";
import { memo } from "preact/compat";
import { functionName, printable, place } from "../../logic/names";
import { rate, ratio, share } from "../../logic/quantity";
import { type Placed, radius, unitOf } from "../../logic/roofline/placed";
import type { Rectangle } from "../../logic/roofline/labels";
import { address } from "../../logic/route";
import type { Scales } from "./scales";

/** Vectorised loops are diamonds, scalar ones circles: the colour is not needed to distinguish them. */
export function shape(vectorized: boolean, size: number): string {
    return symbol(vectorized ? symbolDiamond2 : symbolCircle, Math.PI * size * size)() ?? "";
}

function spoken({ loop, point, intensity, rate: achieved }: Placed): string {
    const unit = unitOf(point.kind);
    const bound = point.bound === undefined ? "" : `, bound by ${point.bound}`;
    const headroom = point.headroom === undefined ? "" : `, headroom ${ratio(point.headroom)}`;
    return (
        `Loop ${loop.id}, ${printable(functionName(loop)).slice(0, 120)} ${printable(place(loop)).slice(0, 120)}, ` +
        `${loop.vectorized ? "vectorised" : "scalar"}, ${share(loop.self_share)} of the time, ` +
        `${rate(achieved)} ${unit} at ${rate(intensity)} per byte${bound}${headroom}`
    );
}

interface DotGiven {
    place: Placed;
    x: number;
    y: number;
    current: boolean;
    marked: boolean;
}

/** A loop on the roofline. */
const Dot = memo(function Dot({ place, x, y, current, marked }: DotGiven) {
    const { loop } = place;
    const size = radius(loop.self_share);
    return (
        <g transform={`translate(${x.toFixed(1)},${y.toFixed(1)})`}>
            <a
                href={address("loop", loop.id)}
                class={`dot ${loop.vectorized ? "vectorised" : "scalar"}${marked ? " marked" : ""}`}
                tabindex={current ? 0 : -1}
                aria-label={spoken(place)}
                data-loop={loop.id}
            >
                {marked && <circle class="ring" r={size + 5} />}
                <path d={shape(loop.vectorized, size)} />
            </a>
        </g>
    );
});

/** Dots so far beyond the plot are not drawn; in pixels, more than the largest radius. */
const BEYOND = 25;

interface Given {
    dots: readonly Placed[];
    plot: Rectangle;
    scales: Scales;
    /** The loop that the keyboard is on. */
    current: number | undefined;
    marked: number | undefined;
}

/** All loops, that with most time at the bottom, so that small dots are not hidden. */
export const Dots = memo(function Dots({ dots, plot, scales, current, marked }: Given) {
    const seen = (x: number, y: number): boolean =>
        x >= plot.x - BEYOND && x <= plot.x + plot.width + BEYOND && y >= plot.y - BEYOND && y <= plot.y + plot.height + BEYOND;
    return (
        <g>
            {dots.map((dot) => {
                const [x, y] = [scales.x(dot.intensity), scales.y(dot.rate)];
                const { id } = dot.loop;
                return seen(x, y) ? <Dot key={id} place={dot} x={x} y={y} current={id === current} marked={id === marked} /> : null;
            })}
        </g>
    );
});
