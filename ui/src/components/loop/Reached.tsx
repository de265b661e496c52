/** On which ways through the program the loop was reached. */

import { useMemo } from "preact/hooks";
import { waysTo } from "../../logic/loop-page/ways";
import { counted, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import type { PartProps } from "./LoopPage";

/** Ways that are shown, and how many of the nearest nodes of each. */
const WAYS = 5;
const NODES = 8;

export function Reached({ report, loop }: PartProps) {
    const { analysis } = report;
    const ways = useMemo(() => waysTo(analysis, loop.id), [analysis, loop.id]);
    if (ways.length === 0) return null;
    const all = analysis.program.cpu_seconds;
    return (
        <>
            <h3>Reached through</h3>
            <ul class="ways">
                {ways.slice(0, WAYS).map(({ nodes, seconds }, at) => (
                    <li key={at}>
                        <span class="number">{share(all > 0 ? seconds / all : 0)}</span>
                        <ol>
                            {nodes.length > NODES && <li class="dim">…</li>}
                            {nodes.slice(-NODES).map((node, step) => (
                                <li key={step}>
                                    {node.loop_id === undefined ? <Name text={node.name} longest={40} /> : <a href={address("loop", node.loop_id)}><Name text={node.name} longest={40} /></a>}
                                </li>
                            ))}
                            <li>this loop</li>
                        </ol>
                    </li>
                ))}
            </ul>
            {ways.length > WAYS && <p class="dim">{counted(ways.length - WAYS, "more way is", "more ways are")} in the <a href={address("tree")}>top-down tree</a>.</p>}
        </>
    );
}
