/** Speed-ups drawn on a logarithmic scale. */

import { type RatioScale, tickLabel } from "../../logic/ratio-scale";
import { ratio, ratioRange } from "../../logic/quantity";

const WIDTH = 200;
const HEIGHT = 20;

const x = (scale: RatioScale, value: number): number => 6 + scale.at(value) * (WIDTH - 12);

/** The scale itself, for the head of a column. */
export function RatioAxis({ scale }: { scale: RatioScale }) {
    const ticks = scale.ticks.filter((tick) => Number.isInteger(Math.log2(tick)) || scale.ticks.length <= 3);
    return (
        <svg class="ratio-mark axis" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
            {ticks.map((tick) => (
                <text key={tick} x={x(scale, tick)} y={13} text-anchor={scale.at(tick) < 0.04 ? "start" : scale.at(tick) > 0.96 ? "end" : "middle"}>
                    {tickLabel(tick)}
                    {tick === 1 && "×"}
                </text>
            ))}
        </svg>
    );
}

interface RatioMarkProps {
    scale: RatioScale;
    value?: number | undefined;
    interval?: readonly [number, number] | undefined;
    predicted?: readonly [number, number] | undefined;
    tone: string;
}

/** In words what the mark shows. */
export function markWords({ value, interval, predicted }: Omit<RatioMarkProps, "scale" | "tone">): string {
    const parts: string[] = [];
    if (predicted !== undefined) parts.push(`predicted ${ratioRange(predicted)}`);
    if (value !== undefined) parts.push(`measured ${ratio(value)}`);
    if (interval !== undefined) parts.push(`interval ${ratioRange(interval)}`);
    return parts.join(", ");
}

/** A measured speed-up as a dot with its interval as a line; a prediction as a band behind them. */
export function RatioMark(props: RatioMarkProps) {
    const { scale, value, interval, predicted, tone } = props;
    const middle = HEIGHT / 2;
    return (
        <svg class={`ratio-mark ${tone}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={markWords(props)}>
            {scale.ticks.map((tick) => (
                <line key={tick} class={tick === 1 ? "one" : "tick"} x1={x(scale, tick)} x2={x(scale, tick)} y1={0} y2={HEIGHT} />
            ))}
            {predicted !== undefined && (
                <rect class="predicted" x={x(scale, predicted[0])} width={Math.max(x(scale, predicted[1]) - x(scale, predicted[0]), 2)} y={3} height={HEIGHT - 6} rx={2} />
            )}
            {interval !== undefined && (
                <g class="interval">
                    <line x1={x(scale, interval[0])} x2={x(scale, interval[1])} y1={middle} y2={middle} />
                    <line x1={x(scale, interval[0])} x2={x(scale, interval[0])} y1={middle - 4} y2={middle + 4} />
                    <line x1={x(scale, interval[1])} x2={x(scale, interval[1])} y1={middle - 4} y2={middle + 4} />
                </g>
            )}
            {value !== undefined && <circle class="value" cx={x(scale, value)} cy={middle} r={4} />}
        </svg>
    );
}
