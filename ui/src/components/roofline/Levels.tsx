import { rate } from "../../logic/quantity";
import type { Rectangle } from "../../logic/roofline/labels";
import { type Placed, radius } from "../../logic/roofline/placed";
import type { Scales } from "./scales";

const STEP = 15;

/** The intensity that the marked loop has at each memory level: its estimate as a mark, its range as a line. */
export function Levels({ place, plot, scales }: { place: Placed; plot: Rectangle; scales: Scales }) {
    const y = scales.y(place.rate);
    const [left, right] = [plot.x, plot.x + plot.width];
    const levels = place.point.levels ?? [];
    // Below the dot, or above it where there is no room.
    const first = radius(place.loop.self_share) + STEP;
    const way = y + first + levels.length * STEP > plot.y + plot.height ? -1 : 1;
    const within = (value: number): number => Math.min(Math.max(scales.x(value), left), right);
    return (
        <g class="levels" aria-hidden="true">
            <line class="at" x1={left} x2={right} y1={y} y2={y} />
            {levels.map((level, at) => {
                if (level.intensity === undefined) return null;
                const [low, high] = level.intensity;
                const own = y + way * (first + at * STEP);
                const mark = level.estimated_intensity;
                const atEdge = within(low) - left < 80;
                return (
                    <g key={level.name} class="level">
                        <line x1={within(low)} x2={within(high)} y1={own} y2={own} />
                        <line x1={within(low)} x2={within(low)} y1={own - 3} y2={own + 3} />
                        {scales.x(high) <= right && <line x1={within(high)} x2={within(high)} y1={own - 3} y2={own + 3} />}
                        {mark !== undefined && scales.x(mark) <= right && <circle cx={scales.x(mark)} cy={own} r={4} />}
                        <text x={within(low) + (atEdge ? 6 : -6)} y={atEdge ? own - 5 : own + 4} text-anchor={atEdge ? "start" : "end"}>
                            {level.name} {rate(mark ?? low)}{mark === undefined && high > low ? "…" : ""}
                        </text>
                    </g>
                );
            })}
        </g>
    );
}
