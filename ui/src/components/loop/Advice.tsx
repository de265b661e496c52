/** One recommendation: gains, evidence, the change, how to make it. */

import type { LoopFacts, Recommendation, Tried } from "../../logic/contract";
import { share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Command } from "../parts/Command";
import { Facts } from "../parts/Facts";
import { Prose } from "../parts/Prose";
import { Sureness } from "../parts/Sureness";
import { CodeChanges } from "./CodeChanges";
import { GainBar } from "./GainBar";
import { Paragraphs } from "../parts/Paragraphs";
import { TriedLine } from "../parts/TriedLine";

interface Props {
    advice: Recommendation;
    loop: LoopFacts;
    /** What a trial of the change showed. */
    tried: Tried | undefined;
    open: boolean;
}

export function Advice({ advice, loop, tried, open }: Props) {
    return (
        <article class="advice" data-recommendation={advice.id} data-loop={advice.loop_id}>
            <h3>
                <Prose text={advice.title} />
            </h3>
            <p class="dim">
                <Sureness confidence={advice.confidence} />
                {advice.share !== undefined && <> concerns <span data-key="share">{share(advice.share)}</span> of the time</>}
                {advice.loop_id !== undefined && advice.loop_id !== loop.id && <>, about <a href={address("loop", advice.loop_id)}>loop {advice.loop_id}</a></>}
            </p>
            <div class="gains">
                {advice.loop_gain !== undefined && <GainBar what="This loop" gain={advice.loop_gain} likely={advice.loop_gain_likely} at="loop_gain" />}
                {advice.program_gain !== undefined && <GainBar what="The program" gain={advice.program_gain} likely={advice.program_gain_likely} at="program_gain" />}
            </div>
            {tried !== undefined && <TriedLine tried={tried} />}
            <h4>Why</h4>
            <ul class="evidence">
                {advice.evidence.map((each, at) => (
                    <li key={at}>
                        <Prose text={each} />
                    </li>
                ))}
            </ul>
            <details open={open}>
                <summary>How</summary>
                <Paragraphs text={advice.how} />
                <CodeChanges advice={advice} />
                <Settings advice={advice} />
            </details>
        </article>
    );
}

function Settings({ advice }: { advice: Recommendation }) {
    return (
        <>
            {(advice.flags ?? []).length > 0 && (
                <>
                    <h4>Flags</h4>
                    <Facts items={(advice.flags ?? []).map(({ compiler, flags }) => [compiler, <code key={compiler}>{flags}</code>] as const)} />
                </>
            )}
            {(advice.environment ?? []).length > 0 && (
                <>
                    <h4>Environment</h4>
                    <Facts items={(advice.environment ?? []).map(({ name, value, meaning }) => [`${name}=${value}`, meaning] as const)} />
                </>
            )}
            {advice.next !== undefined && (
                <>
                    <h4>What is missing for a surer answer</h4>
                    <Command text={advice.next} />
                </>
            )}
            <p class="dim sources">
                Rule <code>{advice.rule}</code>
                {advice.case !== undefined && <>; case <code>{advice.case}</code> in the casebook</>}
                {(advice.sources ?? []).length > 0 && <>; from {(advice.sources ?? []).join("; ")}</>}
            </p>
        </>
    );
}
