/** What trying the advice showed: the confirmed changes together, each change by itself, and what was left alone. */

import type { TrialFacts } from "../../logic/contract";
import { printable } from "../../logic/names";
import { ratio } from "../../logic/quantity";
import { leftAlone, notes, togetherWords } from "../../logic/trials";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { Panel } from "../parts/Panel";
import { PartList } from "../parts/PartList";
import { Prose } from "../parts/Prose";
import { TrialTable } from "./TrialTable";

export function TrialsView({ report: { analysis } }: ViewProps) {
    const { trials } = analysis;
    if (trials === undefined) return <Absent>Nothing was tried in this state.</Absent>;
    return (
        <>
            <Together trials={trials} />
            <TrialTable analysis={analysis} trials={trials} />
            <LeftAlone trials={trials} />
        </>
    );
}

/** The answer: what the faster changes gain together, on runs of their own. */
function Together({ trials }: { trials: TrialFacts }) {
    const { together: best } = trials;
    const median = best?.measured_median;
    return (
        <Panel title="The best changes together" kind="trial-best">
            {median !== undefined && (
                <p class={`trial-gain ${best?.outcome === "faster" ? "good" : "caution"}`}>
                    <strong data-key="trials.together.measured_median">{ratio(median)}</strong>
                </p>
            )}
            <p data-key={best?.measured === undefined ? undefined : "trials.together.measured"}>{togetherWords(trials)}</p>
            {best !== undefined && <PartList parts={best.parts ?? []} />}
            <ul class="plain dim">
                {notes(trials).map((note) => (
                    <li key={note}>{note}</li>
                ))}
            </ul>
        </Panel>
    );
}

function LeftAlone({ trials }: { trials: TrialFacts }) {
    const reasons = leftAlone(trials);
    if (reasons.length === 0) return null;
    return (
        <Panel title="Not tried">
            <dl class="facts trial-left">
                {reasons.map(({ why, changes }) => (
                    <>
                        <dt key={`${why} changes`}>{changes.map((change, at) => <code key={change}>{at > 0 && ", "}{printable(change)}</code>)}</dt>
                        <dd key={why}><Prose text={why} /></dd>
                    </>
                ))}
            </dl>
        </Panel>
    );
}
