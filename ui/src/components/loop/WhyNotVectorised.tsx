/** Why compilers left the loop scalar, in their words and explained. */

import type { LoopFacts, Explanation, WhyNot } from "../../logic/contract";
import { NOTHING_TO_DO } from "../../logic/contract/words";
import { REMARKS } from "../../logic/loop-page/commands";
import { provenance } from "../../logic/loop-page/words";
import { baseName } from "../../logic/names";
import { Absent } from "../parts/Absent";
import { Name } from "../parts/Name";
import { Prose } from "../parts/Prose";
import type { PartProps } from "./LoopPage";
import { Paragraphs } from "../parts/Paragraphs";
import { Example } from "./ReasonExample";
import { Section } from "./Section";

export function WhyNotVectorised({ report, loop }: PartProps) {
    const reasons = loop.why_not ?? [];
    const title = loop.vectorized ? "What compilers said of it" : "Why not vectorised";
    if (reasons.length === 0) {
        return (
            <Section at="why" loop={loop} title={title}>
                <Silence loop={loop} />
            </Section>
        );
    }
    const explained = new Set<string>();
    // Advice says what to do about it.
    const advised = (loop.recommendations ?? []).length > 0;
    return (
        <Section at="why" loop={loop} title={title}>
            <ol class="reasons">
                {reasons.map((why, at) => {
                    const known = explained.has(why.reason) || !Object.hasOwn(report.reasons, why.reason) ? undefined : report.reasons[why.reason];
                    explained.add(why.reason);
                    return (
                        <li key={at} data-key={`why_not.${at}.reason`}>
                            <Said why={why} />
                            {known !== undefined && <Explanation reason={known} open={at === 0 && !advised} />}
                        </li>
                    );
                })}
            </ol>
        </Section>
    );
}

function Silence({ loop }: { loop: LoopFacts }) {
    if (loop.vectorized) return <p>It is vectorised; no compiler had anything to add.</p>;
    return <Absent command={REMARKS}>No compiler has said why it is scalar, and the instructions show no reason. Ask the compilers again:</Absent>;
}

function Said({ why }: { why: WhyNot }) {
    return (
        <>
            <p class="reason">
                <strong>
                    <Name text={why.reason} />
                </strong>{" "}
                <span class="dim">
                    {why.compiler !== undefined && <><Name text={why.compiler} />, </>}
                    {why.file !== undefined && why.line !== undefined && <><Name text={`${baseName(why.file)}:${why.line}`} />, </>}
                    {provenance(why.provenance)}
                </span>
            </p>
            {why.provenance === "compiler" ? <blockquote><Name text={why.message} longest={2000} /></blockquote> : <p><Name text={why.message} longest={2000} /></p>}
        </>
    );
}

function Explanation({ reason, open }: { reason: Explanation; open: boolean }) {
    return (
        <details open={open}>
            <summary>
                <Prose text={reason.title} />
            </summary>
            {reason.benign && <p>{NOTHING_TO_DO}</p>}
            <Paragraphs text={reason.meaning} />
            {reason.remedies.length > 0 && (
                <>
                    <h3>What helps</h3>
                    <ul>
                        {reason.remedies.map((remedy) => (
                            <li key={remedy.what}>
                                <Prose text={`${remedy.by}: ${remedy.what}`} />
                            </li>
                        ))}
                    </ul>
                </>
            )}
            {reason.cost !== undefined && (
                <>
                    <h3>What it costs</h3>
                    <Paragraphs text={reason.cost} />
                </>
            )}
            {reason.caveats !== undefined && (
                <>
                    <h3>When to take care</h3>
                    <Paragraphs text={reason.caveats} />
                </>
            )}
            {(reason.examples ?? []).map((example) => (
                <Example key={example.language} example={example} title={reason.title} />
            ))}
        </details>
    );
}
