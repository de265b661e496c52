import { symbol, symbolCircle, symbolDiamond2 } from "d3-shape";
import { memo } from "preact/compat";
import { printable, place } from "../../logic/names";
import { rate, ratio, share } from "../../logic/quantity";
import { type Placed, radius, unitOf } from "../../logic/roofline/placed";
import { address } from "../../logic/route";

/** Vectorised loops are diamonds, scalar ones circles: the colour is not needed to tell them apart. */
export function shape(vectorized: boolean, size: number): string {
    return symbol(vectorized ? symbolDiamond2 : symbolCircle, Math.PI * size * size)() ?? "";
}

function spoken({ loop, point, intensity, rate: achieved }: Placed): string {
    const unit = unitOf(point.kind);
    const bound = point.bound === undefined ? "" : `, bound by ${point.bound}`;
    const headroom = point.headroom === undefined ? "" : `, headroom ${ratio(point.headroom)}`;
    return (
        `Loop ${loop.id}, ${printable(loop.function).slice(0, 120)} ${printable(place(loop)).slice(0, 120)}, ` +
        `${loop.vectorized ? "vectorised" : "scalar"}, ${share(loop.self_share)} of the time, ` +
        `${rate(achieved)} ${unit} at ${rate(intensity)} per byte${bound}${headroom}`
    );
}

interface Given {
    place: Placed;
    x: number;
    y: number;
    current: boolean;
    marked: boolean;
}

/** A loop on the roofline. */
export const Dot = memo(function Dot({ place, x, y, current, marked }: Given) {
    const { loop } = place;
    const size = radius(loop.self_share);
    return (
        <g transform={`translate(${x.toFixed(1)},${y.toFixed(1)})`}>
            <a
                href={address("loop", loop.id)}
                class={`dot ${loop.vectorized ? "vectorised" : "scalar"}${marked ? " marked" : ""}`}
                tabIndex={current ? 0 : -1}
                aria-label={spoken(place)}
                data-loop={loop.id}
            >
                {marked && <circle class="ring" r={size + 5} />}
                <path d={shape(loop.vectorized, size)} />
            </a>
        </g>
    );
});
