/** What the instructions do with vectors, and what the compilers said they would. */

import type { LoopFacts } from "../../logic/contract";
import { isaName, kindWords } from "../../logic/loop-words";
import { claim, classes, provenance, sentence } from "../../logic/loop-page/words";
import { count, counted, ratio, share } from "../../logic/quantity";
import { className } from "../../logic/work-words";
import { Facts } from "../parts/Facts";
import { Fold } from "../parts/Fold";
import { Prose } from "../parts/Prose";
import { Bars } from "./Bars";
import { Chains } from "./Chains";
import type { PartProps } from "./LoopPage";
import { Section } from "./Section";
import { How, Value } from "./Value";

export function VectorUse({ report, loop }: PartProps) {
    const mix = classes(loop.instruction_mix, loop.instructions);
    return (
        <Section at="vectors" loop={loop} how="Read from the binary, unless it says otherwise.">
            <Facts
                items={[
                    ["Type", <Value key="kind" at="vectorized">{kindWords(loop)}</Value>],
                    ["Vectors", loop.vector !== undefined && <Vectors loop={loop} />],
                    ["Gain", loop.vector?.gain !== undefined && <><Value at="vector.gain">{ratio(loop.vector.gain)}</Value> over scalar code <How words={provenance(loop.vector.provenance)} /></>],
                    ["Efficiency", loop.vector?.efficiency !== undefined && <><Value at="vector.efficiency">{share(loop.vector.efficiency)}</Value> of the gain that {loop.vector.length} lanes could bring <How words={provenance(loop.vector.provenance)} /></>],
                    ["Element types", (loop.types ?? []).length > 0 && <Value at="types">{(loop.types ?? []).join(", ")}</Value>],
                    ["Passes", loop.constant_trips !== undefined && <><Value at="constant_trips">{count(loop.constant_trips)}</Value>, a constant in the code</>],
                    ["Size", <><Value at="instructions">{counted(loop.instructions, "instruction", "instructions")}</Value>, <Value at="exits">{counted(loop.exits, "exit", "exits")}</Value></>],
                    ["Idiom", loop.idiom !== undefined && <><Value at="idiom">{loop.idiom}</Value><Words text={sentence(report, "idiom", loop.idiom)} /></>],
                    ["Compilers", (loop.compilers ?? []).length > 0 && <Claims loop={loop} />],
                ]}
            />
            {(loop.traits ?? []).length > 0 && (
                <>
                    <h3>Traits</h3>
                    <dl class="traits" data-key="traits">
                        {(loop.traits ?? []).map((name) => (
                            <div key={name}>
                                <dt>{name}</dt>
                                <dd>{sentence(report, "trait", name)}</dd>
                            </div>
                        ))}
                    </dl>
                </>
            )}
            {mix.length > 0 && (
                <Fold title="Instructions of one iteration by class">
                    <Bars
                        label="Instructions of one iteration by class"
                        bars={mix.map((each) => ({ name: className(each.name), share: each.share, text: count(each.count), key: `instruction_mix.${each.name}` }))}
                    />
                    <p class="dim">An instruction counts in each class that it belongs to.</p>
                </Fold>
            )}
            <Chains report={report} loop={loop} />
        </Section>
    );
}

function Words({ text }: { text: string | undefined }) {
    return text === undefined ? null : <span class="dim">: <Prose text={text} /></span>;
}

function Vectors({ loop: { vector } }: { loop: LoopFacts }) {
    if (vector === undefined) return null;
    return (
        <>
            <Value at="vector.isa">{isaName(vector.isa)}</Value>, <Value at="vector.bits">{vector.bits}</Value> bits: <Value at="vector.length">{vector.length}</Value> elements of{" "}
            <Value at="vector.types">{vector.types.join("+")}</Value> per vector, unrolled <Value at="vector.unroll">{vector.unroll}</Value>×,{" "}
            <Value at="vector.packed_share">{share(vector.packed_share)}</Value> of the arithmetic packed
        </>
    );
}

function Claims({ loop }: { loop: LoopFacts }) {
    return (
        <ul class="plain">
            {(loop.compilers ?? []).map((each, at) => (
                <li key={at} class={each.vectorized === loop.vectorized ? undefined : "caution"} data-key={`compilers.${at}.vectorized`}>
                    {each.compiler} {claim(each, loop.vectorized)} <How words={provenance("compiler")} />
                </li>
            ))}
        </ul>
    );
}
