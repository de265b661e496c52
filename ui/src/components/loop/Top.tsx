/** The loop at a glance, and the ways on: to its code, to the roofline, to hotter and cooler loops. */

import type { LoopFacts } from "../../logic/contract";
import { neighbours } from "../../logic/loop-page/neighbours";
import { inShort } from "../../logic/bottleneck-words";
import { isaName } from "../../logic/loop-words";
import { count, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { LoopLink } from "../parts/LoopLink";
import type { PartProps } from "./LoopPage";
import { Value } from "./Value";

export function Top({ report, loop }: PartProps) {
    return (
        <div class="loop-top" data-loop={loop.id}>
            <Badges loop={loop} />
            <p class="loop-ways">
                <a href={address("code", loop.id)}>Source and assembly</a>
                <a href={address("roofline", undefined, { loop: loop.id })}>In the roofline</a>
                <a href={address("loops")}>All loops</a>
            </p>
            <Neighbours {...{ report, loop }} />
        </div>
    );
}

function Badges({ loop }: { loop: LoopFacts }) {
    return (
        <ul class="badges" aria-label="At a glance">
            <li class={loop.vectorized ? "good" : "costly"} data-key="vectorized">
                {loop.vectorized ? "vectorised" : "scalar"}
            </li>
            {loop.vector !== undefined && <li data-key="vector.isa">{isaName(loop.vector.isa)}</li>}
            {loop.vector !== undefined && <li data-key="vector.bits">{loop.vector.bits} bits</li>}
            {(loop.types ?? []).length > 0 && <li data-key="types">{(loop.types ?? []).join(", ")}</li>}
            <li data-key="innermost">{loop.innermost ? "innermost" : "has inner loops"}</li>
            {loop.bottleneck !== undefined && loop.bottleneck.verdict.length > 0 && (
                <li>
                    <a href={address("loop", loop.id, { at: "bound" })}>bound by {inShort(loop.bottleneck)}</a>
                </li>
            )}
            {loop.samples > 0 && (
                <li>
                    <Value at="self_share">{share(loop.self_share)}</Value> self
                </li>
            )}
        </ul>
    );
}

function Neighbours({ report, loop }: PartProps) {
    const { rank, hotter, cooler } = neighbours(report.analysis, loop);
    return (
        <nav class="neighbours" aria-label="Loops by self time">
            <span>{hotter !== undefined && <>‹ hotter: <LoopLink loop={hotter} longest={30} /></>}</span>
            <span class="dim">
                {count(rank)} of {count(report.analysis.loops.length)} by self time
            </span>
            <span>{cooler !== undefined && <>cooler: <LoopLink loop={cooler} longest={30} /> ›</>}</span>
        </nav>
    );
}
