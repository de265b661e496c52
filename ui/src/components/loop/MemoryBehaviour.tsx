/** What caches and other threads make of the loop's accesses. */

import type { LoopFacts, MemoryFacts } from "../../logic/contract";
import { map } from "../../logic/loop-page/commands";
import { sharingWords } from "../../logic/loop-page/memory-words";
import { bytes, counted, share } from "../../logic/quantity";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import { Caches } from "./Caches";
import type { PartProps } from "./LoopPage";
import { Aliasing, Nodes, Reuse } from "./MemoryDetails";
import { NotTraced } from "./NotTraced";
import { Section } from "./Section";
import { Value } from "./Value";

export function MemoryBehaviour({ report, loop }: PartProps) {
    const { memory, sharing } = loop;
    const { tracing, machine } = report.analysis;
    if (memory === undefined && sharing === undefined) {
        return (
            <Section at="memory" loop={loop}>
                <NotTraced report={report} loop={loop} looked={tracing?.strides === true} command={map(report.analysis, loop.id)} />
            </Section>
        );
    }
    const line = machine?.line_bytes ?? 64;
    return (
        <Section at="memory" loop={loop} how="Footprint, reuse and sharing are counted in the trace; caches are simulated (modelled).">
            {memory !== undefined && (
                <>
                    <Touched memory={memory} />
                    <Caches memory={memory} hierarchies={tracing?.hierarchies ?? []} />
                    <Reuse memory={memory} line={line} />
                    <Aliasing memory={memory} loop={loop} />
                    <Nodes memory={memory} />
                </>
            )}
            {sharing !== undefined && <SharingOf loop={loop} />}
        </Section>
    );
}

function Touched({ memory }: { memory: MemoryFacts }) {
    const least = memory.footprint_is_bound === true ? "at least " : "";
    return (
        <Facts
            items={[
                ["Touched by one entry", <>{least}<Value at="memory.footprint_bytes">{bytes(memory.footprint_bytes)}</Value>, <Value at="memory.footprint_line_bytes">{bytes(memory.footprint_line_bytes)}</Value> of cache lines, <Value at="memory.footprint_pages">{counted(memory.footprint_pages, "page of 4 KiB", "pages of 4 KiB")}</Value></>],
                ["Lines used", memory.utilisation !== undefined && <><Value at="memory.utilisation">{share(memory.utilisation)}</Value> of the bytes of the touched lines</>],
                ["Seen", <><Value at="memory.traced_iterations">{counted(memory.traced_iterations, "machine iteration", "machine iterations")}</Value>, <Value at="memory.traced_entries">{counted(memory.traced_entries, "entry", "entries")}</Value> from their beginning</>],
            ]}
        />
    );
}

function SharingOf({ loop }: { loop: LoopFacts }) {
    if (loop.sharing === undefined) return null;
    return (
        <>
            <h3>Shared cache lines</h3>
            <div data-key="sharing">
                {sharingWords(loop.sharing).map(({ text, costly }) => (
                    <p key={text} class={costly ? "costly-note" : undefined}>
                        {text}
                    </p>
                ))}
                {(loop.sharing.example ?? []).length > 0 && (
                    <>
                        <p>The worst line:</p>
                        <ul>
                            {(loop.sharing.example ?? []).map((user, at) => (
                                <li key={at}>
                                    <Name text={user} longest={300} />
                                </li>
                            ))}
                        </ul>
                    </>
                )}
            </div>
        </>
    );
}
