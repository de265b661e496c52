/** Reuse, aliasing and NUMA nodes. */

import type { LoopFacts, MemoryFacts } from "../../logic/contract";
import { accessName, carrierWords, remoteNodes, reuseColumns, reuseSizes } from "../../logic/loop-page/memory-words";
import { count, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import { ColumnChart } from "./ColumnChart";
import { Value } from "./Value";

export function Reuse({ memory, line }: { memory: MemoryFacts; line: number }) {
    const columns = reuseColumns(memory, line);
    const sizes = reuseSizes(memory, line);
    const carriers = memory.reuse_carriers ?? [];
    if (columns.length === 0 && carriers.length === 0 && memory.first_use_share === undefined) return null;
    return (
        <>
            <h3>Reuse</h3>
            <ul>
                {sizes.map((each) => (
                    <li key={each}>{each}</li>
                ))}
                {memory.first_use_share !== undefined && (
                    <li>
                        <Value at="memory.first_use_share">{share(memory.first_use_share)}</Value> of the line uses are first uses
                    </li>
                )}
                {carriers.map((carrier, at) => {
                    const { what, distance } = carrierWords(carrier);
                    return (
                        <li key={at}>
                            <Value at={`memory.reuse_carriers.${at}.share`}>{share(carrier.share)}</Value> of the line uses {what}{" "}
                            {carrier.loop_id === undefined ? <Name text={carrier.place} /> : <a href={address("loop", carrier.loop_id)}>loop {carrier.loop_id} (<Name text={carrier.place} />)</a>}
                            {distance}
                        </li>
                    );
                })}
            </ul>
            {columns.length > 1 && <ColumnChart columns={columns} what="Line uses by the cache that would keep the line" axis="cache size needed" value="Share" at="memory.reuse" />}
        </>
    );
}

export function Aliasing({ memory, loop }: { memory: MemoryFacts; loop: LoopFacts }) {
    const pairs = memory.aliasing_4k ?? [];
    if (pairs.length === 0) return null;
    return (
        <>
            <h3>4 KiB aliasing</h3>
            <ul>
                {pairs.map((pair, at) => (
                    <li key={at} class="costly-note">
                        <Value at={`memory.aliasing_4k.${at}.share`}>{share(pair.share)}</Value> of the loads of <Name text={accessName(loop, pair.load)} /> follow a store to{" "}
                        <Name text={accessName(loop, pair.store)} /> by <Value at={`memory.aliasing_4k.${at}.offset`}>{pair.offset}</Value> bytes modulo 4096: they wait for a store that they do not
                        depend on
                    </li>
                ))}
            </ul>
        </>
    );
}

export function Nodes({ memory }: { memory: MemoryFacts }) {
    const nodes = memory.nodes ?? [];
    if (nodes.length === 0) return null;
    const remote = remoteNodes(memory);
    return (
        <>
            <h3>NUMA nodes</h3>
            {remote.pairs.length === 0 ? (
                <p>All accesses go to memory of the thread's own node.</p>
            ) : (
                <>
                    <p class="costly-note">{share(remote.share)} of the accesses go to another node's memory:</p>
                    <ul>
                        {nodes.map(([page, thread, part], at) => (
                            <li key={at}>
                                <Value at={`memory.nodes.${at}`}>{share(part)}</Value> from node {count(thread)} to pages of {page === thread ? "its own node" : `node ${count(page)}`}
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </>
    );
}
