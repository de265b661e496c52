import type { LoopFacts } from "../../logic/contract";
import { counted, rate, share } from "../../logic/quantity";
import { LoopLink } from "../parts/LoopLink";
import { Panel } from "../parts/Panel";

const MOST = 8;

/** Loops that compute nothing have no intensity: they are listed with what they move. */
export function DataMovers({ loops }: { loops: readonly LoopFacts[] }) {
    if (loops.length === 0) return null;
    const more = loops.length - MOST;
    return (
        <Panel title="Loops that only move data" note="They have no place on the axes.">
            <ul class="data-movers">
                {loops.slice(0, MOST).map((loop) => {
                    const { gbytes_per_second: moved, bound } = loop.roofline ?? {};
                    return (
                        <li key={loop.id} data-loop={loop.id}>
                            <LoopLink loop={loop} longest={30} />{" "}
                            <span class="dim">
                                <span data-key="self_share">{share(loop.self_share)}</span>
                                {moved !== undefined && <>, <span data-key="roofline.gbytes_per_second">{rate(moved)} GB/s</span></>}
                                {bound !== undefined && <>, {bound}</>}
                            </span>
                        </li>
                    );
                })}
            </ul>
            {more > 0 && <p class="dim">{counted(more, "more loop is", "more loops are")} in the table.</p>}
        </Panel>
    );
}
