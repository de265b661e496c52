/** A ladder drawn: time as bars on an axis that all ladders of the case share, gains against what was predicted. */

import type { Ladder, StageRecord } from "../../logic/contract";
import type { TimeAxis } from "../../logic/casebook/scales";
import { chartWords, predictionTold, stateOf } from "../../logic/casebook/words";
import type { RatioScale } from "../../logic/ratio-scale";
import { time } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { RatioAxis, RatioMark } from "../parts/RatioMark";

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

export function LadderChart({ ladder, times, gains }: { ladder: Ladder; times: TimeAxis; gains: RatioScale }) {
    if (ladder.stages.every(({ measured }) => measured === undefined)) return null;
    return (
        <figure class="ladder-chart">
            <figcaption class="unseen">{chartWords(ladder)}</figcaption>
            <div class="ladder-rows">
                <div class="ladder-row axis" aria-hidden="true">
                    <span />
                    <span class="time-ticks">
                        {times.ticks.map((tick, at) => (
                            <span key={tick} style={{ left: percent(times.at(tick)) }} class={at === 0 ? "first" : at === times.ticks.length - 1 ? "last" : ""}>
                                {time(tick)}
                            </span>
                        ))}
                    </span>
                    <RatioAxis scale={gains} />
                </div>
                {ladder.stages.map((stage) => (
                    <Row key={stage.name} stage={stage} times={times} gains={gains} />
                ))}
            </div>
            <ul class="legend" aria-label="Signs of the chart">
                <li><span class="sign-bar" aria-hidden="true" /> time of the compared part, with its 95 % interval</li>
                <li><svg class="ratio-mark sign" viewBox="0 0 26 20" aria-hidden="true"><rect class="predicted" x={1} y={3} width={24} height={14} rx={2} /></svg> gain predicted for the program</li>
                <li><svg class="ratio-mark sign" viewBox="0 0 26 20" aria-hidden="true"><g class="interval"><line x1={2} x2={24} y1={10} y2={10} /><line x1={2} x2={2} y1={6} y2={14} /><line x1={24} x2={24} y1={6} y2={14} /></g><circle class="value" cx={13} cy={10} r={4} /></svg> measured, with its 95 % interval</li>
            </ul>
        </figure>
    );
}

function Row({ stage, times, gains }: { stage: StageRecord; times: TimeAxis; gains: RatioScale }) {
    const { measured, rung } = stage;
    const gain = measured?.program_gain;
    return (
        <div class="ladder-row">
            <span class="ladder-name"><Name text={stage.name} longest={40} /></span>
            {measured === undefined ? (
                <span class="dim">{stateOf(stage)}</span>
            ) : (
                <span class="time-track" aria-hidden="true">
                    {times.ticks.map((tick) => (
                        <span key={tick} class="time-tick" style={{ left: percent(times.at(tick)) }} />
                    ))}
                    <span class="time-bar" style={{ width: percent(times.at(measured.seconds.median)) }} />
                    <span
                        class="time-interval"
                        style={{ left: percent(times.at(measured.seconds.low)), width: percent(times.at(measured.seconds.high) - times.at(measured.seconds.low)) }}
                    />
                </span>
            )}
            {gain === undefined && rung?.predicted === undefined ? (
                <span />
            ) : (
                <RatioMark
                    scale={gains}
                    value={gain?.median}
                    interval={gain === undefined ? undefined : [gain.low, gain.high]}
                    predicted={rung?.predicted}
                    tone={predictionTold(stage)?.tone ?? ""}
                />
            )}
        </div>
    );
}
