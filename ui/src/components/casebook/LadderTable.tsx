/** Every number of a ladder. */

import type { Estimate, Ladder, StageRecord } from "../../logic/contract";
import { adviceTold, interval, predictionTold, spread, stateOf } from "../../logic/casebook/words";
import { rate, ratio, ratioRange, share, time } from "../../logic/quantity";
import { Badge } from "../parts/Badge";
import { Name } from "../parts/Name";
import { TableRegion } from "../parts/TableRegion";
import { stageId } from "./Stage";

const HEADS = ["Stage", "Time", "Gain", "Of first", "GFLOP/s", "GB/s", "Ceiling", "Program", "Predicted"] as const;

export function LadderTable({ ladder, path, places }: { ladder: Ladder; path: string; places: readonly string[] }) {
    return (
        <TableRegion label="The ladder">
            <table class="stacked ladder">
                <thead>
                    <tr>
                        {HEADS.map((head) => (
                            <th key={head} scope="col" class={head === "Stage" ? "" : "number"}>
                                {head}
                            </th>
                        ))}
                        <th scope="col">Advice</th>
                    </tr>
                </thead>
                <tbody>
                    {ladder.stages.map((stage, at) => (
                        <Row key={stage.name} ladder={ladder} stage={stage} path={`${path}/${at}`} place={places.indexOf(stage.name)} />
                    ))}
                </tbody>
            </table>
        </TableRegion>
    );
}

function Gain({ gain, label, at }: { gain: Estimate | undefined; label: string; at: string }) {
    if (gain === undefined) return <td class="number" />;
    return (
        <td class="number" data-label={label}>
            <span data-key={`measured.${at}.median`}>{ratio(gain.median)}</span>
            <div class="dim" data-key={`measured.${at}.interval`}>{interval(gain)}</div>
        </td>
    );
}

function Rate({ value, label, at }: { value: number | undefined; label: string; at: string }) {
    if (value === undefined) return <td class="number" />;
    return (
        <td class="number" data-label={label}>
            <span data-key={`measured.${at}`}>{rate(value)}</span>
        </td>
    );
}

function Row({ ladder, stage, path, place }: { ladder: Ladder; stage: StageRecord; path: string; place: number }) {
    const { measured, rung } = stage;
    const name = (
        <th scope="row">
            {/* A button: the address names the case, and its stage only where a link led to one. */}
            <button type="button" class="stage-link" onClick={() => document.getElementById(stageId(place))?.focus()}>
                <Name text={stage.name} longest={40} />
            </button>
        </th>
    );
    const state = stateOf(stage);
    if (measured === undefined) {
        return (
            <tr data-stage={path}>
                {name}
                <td class={`state ${state === "wrong" ? "costly" : "dim"}`} colSpan={HEADS.length}>
                    {state}
                </td>
            </tr>
        );
    }
    const { ceiling } = measured;
    const [advice, prediction] = [adviceTold(ladder, stage), predictionTold(stage)];
    return (
        <tr data-stage={path}>
            {name}
            <td class="number" data-label="time">
                <span data-key="measured.seconds.median">{time(measured.seconds.median)}</span>
                <div class="dim" data-key="measured.seconds.spread">{spread(measured.seconds)}</div>
            </td>
            <Gain gain={measured.gain} label="gain" at="gain" />
            <Gain gain={measured.gain_first} label="of first" at="gain_first" />
            <Rate value={measured.gflops} label="GFLOP/s" at="gflops" />
            <Rate value={measured.gbytes} label="GB/s" at="gbytes" />
            {ceiling === undefined ? (
                <td />
            ) : (
                <td class="number" data-label="ceiling">
                    <span data-key="measured.ceiling.share">{share(ceiling.share)}</span>
                    <div class="dim">
                        of <span data-key="measured.ceiling.rate">{rate(ceiling.rate)}</span> {ceiling.unit}
                    </div>
                    <div class="dim ceiling-name">
                        <Name text={ceiling.name} longest={30} />
                    </div>
                </td>
            )}
            <Gain gain={measured.program_gain} label="program" at="program_gain" />
            {rung?.predicted === undefined ? (
                <td />
            ) : (
                <td class="number" data-label="predicted">
                    <span data-key="rung.predicted">{ratioRange(rung.predicted)}</span>
                    <div>{prediction !== undefined && <Badge badge={prediction} name="rung.came_true" />}</div>
                </td>
            )}
            <td data-label="advice" class="ladder-advice">{advice !== undefined && <Badge badge={advice} />}</td>
        </tr>
    );
}
