import type { Gain } from "../../logic/contract";
import { span } from "../../logic/loop-page/gain-scale";
import { ratio } from "../../logic/quantity";
import { GainText } from "../parts/GainText";

const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;

/** A predicted range of speed-ups as a bar on a logarithmic scale, with its numbers. */
export function GainBar({ what, gain, likely, at }: { what: string; gain: Gain; likely: number | undefined; at: string }) {
    const drawn = span(gain);
    return (
        <div class="gain">
            <span class="gain-what">{what}</span>
            {drawn !== undefined && (
                <span class="gain-track" aria-hidden="true" title={`from 1× to ${ratio(drawn.most)}, logarithmic`}>
                    <span class="gain-range" style={{ left: percent(drawn.from), width: percent(Math.max(drawn.to - drawn.from, 0.01)) }} />
                    <span class="gain-one" style={{ left: percent(drawn.one) }} />
                </span>
            )}
            <span class="gain-text">
                <GainText gain={gain} likely={likely} at={at} />
            </span>
        </div>
    );
}
