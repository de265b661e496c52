/** What to change in this loop, and what that would gain. */

import type { Analysis, LoopFacts, Recommendation } from "../../logic/contract";
import { triedOf } from "../../logic/trials";
import { piecesOf } from "../../logic/loop-page/neighbours";
import type { PartProps } from "./LoopPage";
import { Advice } from "./Advice";
import { Fold } from "../parts/Fold";
import { Prose } from "../parts/Prose";
import { gain } from "../../logic/quantity";
import { Section } from "./Section";

/** Those of the loop, then those of its sister pieces about the same source loop, each once. */
export function adviceOn(analysis: Analysis, loop: LoopFacts): Recommendation[] {
    const seen = new Set<string>();
    return [loop, ...(piecesOf(analysis, loop)?.pieces ?? [])]
        .flatMap((each) => each.recommendations ?? [])
        .filter((each) => {
            const key = `${each.id} ${each.loop_id ?? ""}`;
            return seen.has(key) ? false : (seen.add(key), true);
        });
}

/** A further recommendation in a line: what, and what it would gain. */
function Title({ advice }: { advice: Recommendation }) {
    const { title, program_gain: program, loop_gain: here } = advice;
    const worth =
        here === undefined ? program && `program ${gain(program, advice.program_gain_likely)}` : `${gain(here, advice.loop_gain_likely)} here`;
    return (
        <>
            <Prose text={title} /> {worth !== undefined && <span class="dim">{worth}</span>}
        </>
    );
}

export function Recommendations({ report, loop }: PartProps) {
    const all = adviceOn(report.analysis, loop);
    return (
        <Section at="advice" loop={loop} how={all.length > 0 ? "Gains are predictions; each piece of evidence says how it was obtained." : undefined}>
            {all.length === 0 ? (
                <p>Nothing to recommend: no rule found a change that its facts support.</p>
            ) : (
                <ol class="advice-list">
                    {all.map((advice, at) => (
                        <li key={at}>
                            {at === 0 ? (
                                <Advice advice={advice} loop={loop} tried={triedOf(report.analysis, advice)} open />
                            ) : (
                                <Fold kind="more-advice" title={<Title advice={advice} />}>
                                    <Advice advice={advice} loop={loop} tried={triedOf(report.analysis, advice)} open={false} />
                                </Fold>
                            )}
                        </li>
                    ))}
                </ol>
            )}
        </Section>
    );
}
