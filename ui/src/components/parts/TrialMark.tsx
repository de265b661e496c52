/** Predicted and measured speed-ups of one change, as wide as there is room: places are shares of the width, so text keeps its size. */

import type { TriedFacts } from "../../logic/contract";
import { type RatioScale, tickLabel } from "../../logic/ratio-scale";
import { markWords } from "./RatioMark";

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

/** The axis, for the head of the column. */
export function TrialAxis({ scale }: { scale: RatioScale }) {
    return (
        <span class="trial-axis" aria-hidden="true">
            {scale.ticks.map((tick) => (
                <span key={tick} class={tick === 1 ? "one" : undefined} style={{ left: percent(scale.at(tick)) }}>
                    {tickLabel(tick)}×
                </span>
            ))}
        </span>
    );
}

/** A prediction as a band, what was measured as a dot with its interval; `noise` is what the program differs from itself. */
export function TrialMark({ scale, tried, noise, tone }: { scale: RatioScale; tried: TriedFacts; noise: number; tone: string }) {
    const { predicted, predicted_likely: likely, measured, measured_median: median } = tried;
    const x = (value: number): string => percent(scale.at(value));
    const span = (from: number, to: number): string => percent(scale.at(to) - scale.at(from));
    return (
        <span class={`trial-mark ${tone}`} role="img" aria-label={markWords({ predicted, value: median, interval: measured }) || "nothing measured"}>
            <svg aria-hidden="true">
                <rect class="noise" x={x(1 / noise)} width={span(1 / noise, noise)} y={0} height="100%" />
                {scale.ticks.map((tick) => (
                    <line key={tick} class={tick === 1 ? "one" : "tick"} x1={x(tick)} x2={x(tick)} y1={0} y2="100%" />
                ))}
                {predicted !== undefined && <rect class="predicted" x={x(predicted[0])} width={span(...predicted)} y="20%" height="60%" rx={2} />}
                {likely !== undefined && <line class="likely" x1={x(likely)} x2={x(likely)} y1="20%" y2="80%" />}
                {measured !== undefined && (
                    <g class="interval">
                        <line x1={x(measured[0])} x2={x(measured[1])} y1="50%" y2="50%" />
                        {measured.map((end, at) => (
                            <line key={at} x1={x(end)} x2={x(end)} y1="32%" y2="68%" />
                        ))}
                    </g>
                )}
                {median !== undefined && <circle class="value" cx={x(median)} cy="50%" r={4} />}
            </svg>
        </span>
    );
}
