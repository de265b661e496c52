/** What to change in this loop, and what that would gain. */

import type { LoopFacts, Recommendation } from "../../logic/contract";
import { piecesOf } from "../../logic/loop-page/neighbours";
import type { PartProps } from "./LoopPage";
import { Advice } from "./Advice";
import { Section } from "./Section";

/** Those of the loop, then those of its sister pieces about the same source loop, each once. */
function ofSourceLoop(loop: LoopFacts, pieces: readonly LoopFacts[]): Recommendation[] {
    const seen = new Set<string>();
    return [loop, ...pieces]
        .flatMap((each) => each.recommendations ?? [])
        .filter((each) => {
            const key = `${each.id} ${each.loop_id ?? ""}`;
            return seen.has(key) ? false : (seen.add(key), true);
        });
}

export function Recommendations({ report, loop }: PartProps) {
    const all = ofSourceLoop(loop, piecesOf(report.analysis, loop)?.pieces ?? []);
    return (
        <Section at="advice" loop={loop} how={all.length > 0 ? "Gains are predictions; each piece of evidence says how it was obtained." : undefined}>
            {all.length === 0 ? (
                <p>Nothing to recommend: no rule found a change that its facts support.</p>
            ) : (
                <ol class="advice-list">
                    {all.map((advice, at) => (
                        <li key={at}>
                            <Advice advice={advice} loop={loop} open={at === 0} />
                        </li>
                    ))}
                </ol>
            )}
        </Section>
    );
}
