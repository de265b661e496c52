/** Which iterations depend on each other, and what that forbids. */

import type { CarriedScalar, DependenceFacts } from "../../logic/contract";
import { dependencies } from "../../logic/loop-page/commands";
import { checked, parallelWords, scalarWords, tone, vectorWords } from "../../logic/loop-page/dependence-words";
import { Command } from "../parts/Command";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import { Found } from "./FoundDependence";
import type { PartProps } from "./LoopPage";
import { NotTraced } from "./NotTraced";
import { Section } from "./Section";

/** Dependences shown. */
const MOST = 40;

export function Dependences({ report, loop }: PartProps) {
    const known = loop.dependence;
    const { analysis } = report;
    if (known === undefined) {
        return (
            <Section at="dependences" loop={loop}>
                <NotTraced report={report} loop={loop} looked={analysis.tracing?.dependences === true} command={dependencies(analysis, loop.id)} />
            </Section>
        );
    }
    return (
        <Section at="dependences" loop={loop} how="Counted in the trace of this run, with these inputs: other inputs may bring dependences that did not occur.">
            <Verdict known={known} />
            {known.found.length === 0 ? (
                <p>No iteration used what another one wrote.</p>
            ) : (
                <ol class="dependences">
                    {known.found.slice(0, MOST).map((found, at) => (
                        <li key={at}>
                            <Found report={report} loop={loop} found={found} at={at} />
                        </li>
                    ))}
                </ol>
            )}
            {known.found.length > MOST && <p class="dim">{known.found.length - MOST} more are in the JSON.</p>}
            <Facts
                items={[
                    ["Reductions", scalars(known.reductions, "reductions")],
                    ["Inductions", scalars(known.inductions, "inductions")],
                    ["Private", scalars(known.private, "private")],
                ]}
            />
            {!known.exhaustive && (
                <>
                    <p class="dim">Bursts were checked; this checks everything that the loop executes:</p>
                    <Command text={dependencies(analysis, loop.id, true)} />
                </>
            )}
        </Section>
    );
}

function Verdict({ known }: { known: DependenceFacts }) {
    const { machine, source, entries, horizon, extent } = checked(known);
    return (
        <div class={`verdict ${tone(known.vector)}`}>
            <p class="verdict-words">
                <strong data-key="dependence.vector">{vectorWords(known)}</strong>; <strong data-key="dependence.parallel">{parallelWords(known.parallel)}</strong>
            </p>
            <p data-key="dependence.verdict">{known.verdict}</p>
            <p class="dim">
                Checked:{" "}
                {machine === undefined ? undefined : (
                    <>
                        <span data-key="dependence.checked_machine_iterations">{machine}</span>, taken for{" "}
                    </>
                )}
                <span data-key="dependence.checked_iterations">{source}</span> <span data-key="dependence.checked_entries">{entries}</span>,{" "}
                <span data-key="dependence.horizon">{horizon}</span>, <span data-key="dependence.exhaustive">{extent}</span>
            </p>
            {(known.unknown ?? []).map((why) => (
                <p key={why} class="unsure">
                    Unsure: <Name text={why} longest={400} />
                </p>
            ))}
        </div>
    );
}

function scalars(all: readonly CarriedScalar[] | undefined, key: string) {
    if (all === undefined || all.length === 0) return undefined;
    return (
        <ul class="plain">
            {all.map((each, at) => (
                <li key={at} data-key={`dependence.${key}.${at}.name`}>
                    <code>
                        <Name text={each.name} />
                    </code>
                    {scalarWords(each)}
                </li>
            ))}
        </ul>
    );
}
