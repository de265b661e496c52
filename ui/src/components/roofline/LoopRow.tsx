import type { LoopFacts } from "../../logic/contract";
import { percent, rate, ratio } from "../../logic/quantity";
import { achieved, unitOf } from "../../logic/roofline/placed";
import { LoopLink } from "../parts/LoopLink";
import { shape } from "./Dots";

/** The mark of a loop's type, as the chart draws it. */
export function TypeMark({ vectorized }: { vectorized: boolean }) {
    const type = vectorized ? "vectorised" : "scalar";
    return (
        <svg class={`type-mark ${type}`} viewBox="-8 -8 16 16" width={14} height={14} role="img" aria-label={type}>
            <path d={shape(vectorized, 6)} />
        </svg>
    );
}

function number(value: number | undefined): string {
    return value === undefined ? "" : rate(value);
}

interface Given {
    loop: LoopFacts;
    row: number;
    marked: boolean;
    onMark: () => void;
}

export function LoopRow({ loop, row, marked, onMark }: Given) {
    const point = loop.roofline;
    if (point === undefined) return null;
    const unit = unitOf(point.kind);
    const value = achieved(point);
    const rateKey = { flop: "gflops", integer: "gintops", bytes: "gbytes_per_second" }[point.kind];
    return (
        <tr data-loop={loop.id} aria-rowindex={row} class={marked ? "marked" : ""}>
            <td>
                <button type="button" class="mark" aria-pressed={marked} aria-label={`Mark loop ${loop.id} in the chart`} onClick={onMark}>
                    <TypeMark vectorized={loop.vectorized} />
                </button>
            </td>
            <td class="number" data-key="id">{loop.id}</td>
            <td class="number" data-key="self_share">{percent(loop.self_share)}</td>
            <td class="named"><LoopLink loop={loop} longest={36} /></td>
            <td data-key="roofline.kind">{point.kind}</td>
            <td class="number" data-key="roofline.intensity">{number(point.intensity)}</td>
            <td class="number" data-key={`roofline.${rateKey}`} title={point.how}>
                {loop.work?.flop_is_bound === true && point.kind === "flop" && value !== undefined ? "≤ " : ""}
                {value === undefined ? "" : `${rate(value)} ${unit}`}
            </td>
            <td class="number" data-key="roofline.gbytes_per_second">{number(point.gbytes_per_second)}</td>
            <td data-key="roofline.bound">{point.bound ?? <span class="dim how" title={point.how}>{point.how?.replaceAll("`", "")}</span>}</td>
            <td class="number" data-key="roofline.ceiling">{number(point.ceiling)}</td>
            <td class="number" data-key="roofline.headroom">{point.headroom === undefined ? "" : ratio(point.headroom)}</td>
            <td class="number" data-key="roofline.cores">{point.cores}</td>
        </tr>
    );
}
