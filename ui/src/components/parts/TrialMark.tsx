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

interface TrialMarkProps {
    scale: RatioScale;
    tried: TriedFacts;
    /** What the program differs from itself: the smallest gain that is claimed. */
    noise: number;
    tone: string;
    /** Measured in a few rounds alone. */
    rough?: boolean;
}

/** A prediction as a band, what was measured as a dot with its interval, and what is not claimed as a band behind both. */
export function TrialMark({ scale, tried, noise, tone, rough = false }: TrialMarkProps) {
    const { predicted, predicted_likely: likely, measured, measured_median: median } = tried;
    // One round has no interval.
    const interval = measured !== undefined && measured[0] !== measured[1] ? measured : undefined;
    const x = (value: number): string => percent(scale.at(value));
    const span = (from: number, to: number): string => percent(scale.at(to) - scale.at(from));
    return (
        <span class={`trial-mark ${tone}`} role="img" aria-label={markWords({ predicted, value: median, interval }) || "nothing measured"}>
            <svg aria-hidden="true">
                <rect class="noise" x={x(1 / noise)} width={span(1 / noise, noise)} y={0} height="100%" />
                {scale.ticks.map((tick) => (
                    <line key={tick} class={tick === 1 ? "one" : "tick"} x1={x(tick)} x2={x(tick)} y1={0} y2="100%" />
                ))}
                {predicted !== undefined && <rect class="predicted" x={x(predicted[0])} width={span(...predicted)} y="20%" height="60%" rx={2} />}
                {likely !== undefined && <line class="likely" x1={x(likely)} x2={x(likely)} y1="20%" y2="80%" />}
                {interval !== undefined && (
                    <g class="interval">
                        <line x1={x(interval[0])} x2={x(interval[1])} y1="50%" y2="50%" />
                        {interval.map((end, at) => (
                            <line key={at} x1={x(end)} x2={x(end)} y1="32%" y2="68%" />
                        ))}
                    </g>
                )}
                {median !== undefined && <circle class={rough ? "value rough" : "value"} cx={x(median)} cy="50%" r={4} />}
            </svg>
        </span>
    );
}

const SIGN = { class: "trial-sign", width: 26, height: 16, "aria-hidden": true } as const;

/** What the signs mean. */
export function MarkLegend({ predicted = false, rough = false, noise }: {
    /** Predictions are drawn. */
    predicted?: boolean;
    /** Rough figures are drawn. */
    rough?: boolean;
    /** What the band is. */
    noise: string;
}) {
    return (
        <ul class="legend" aria-label="Signs of the drawing">
            {predicted && <li><svg {...SIGN}><rect class="predicted" x={1} y={3} width={24} height={10} rx={2} /><line class="likely" x1={14} x2={14} y1={3} y2={13} /></svg> predicted, with its likely value</li>}
            <li><svg {...SIGN}><g class="interval"><line x1={2} x2={24} y1={8} y2={8} /><line x1={2} x2={2} y1={5} y2={11} /><line x1={24} x2={24} y1={5} y2={11} /></g><circle class="value" cx={13} cy={8} r={4} /></svg> measured, with its 95 % interval</li>
            {rough && <li><svg {...SIGN}><circle class="value rough" cx={13} cy={8} r={4} /></svg> given up after a few rounds: a rough figure</li>}
            <li><svg {...SIGN}><rect class="noise" x={1} y={0} width={24} height={16} /></svg> {noise}</li>
        </ul>
    );
}
