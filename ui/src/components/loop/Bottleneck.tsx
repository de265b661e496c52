/** What binds the loop: the verdict, what else takes time, and how the loop bore injected operations. */

import { answer, binds, cautions, iterationWords, listed } from "../../logic/bottleneck-words";
import type { Bottleneck as Known, LoopFacts } from "../../logic/contract";
import { CAUSES, CAUSE_FAMILIES, HOW_RESOURCES_BEAR } from "../../logic/contract/words";
import { bottlenecks } from "../../logic/loop-page/commands";
import { provenance } from "../../logic/loop-page/words";
import { share } from "../../logic/quantity";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { Curves } from "./Curves";
import type { PartProps } from "./LoopPage";
import { Section } from "./Section";

export function Bottleneck({ report, loop }: PartProps) {
    const known = loop.bottleneck;
    if (known === undefined) {
        return (
            <Section at="bound" loop={loop}>
                <NotMeasured report={report} loop={loop} />
            </Section>
        );
    }
    return (
        <Section at="bound" loop={loop} how="The loop ran in versions with injected operations: shares of ports and front end are measured, latencies modelled.">
            <p class="bound-answer">
                Bound by <strong data-key={known.verdict.length > 0 ? "bottleneck.verdict.0.share" : undefined}>{answer(known)}</strong>
            </p>
            <Causes known={known} />
            <Facts
                items={[
                    ["Iteration", iterationWords(known).join(", ")],
                    ["Note", cautions(known).join("; ")],
                ]}
            />
            <Curves known={known} />
            <p class="dim">{HOW_RESOURCES_BEAR}</p>
        </Section>
    );
}

function NotMeasured({ report, loop }: PartProps) {
    if (loop.not_injected !== undefined) {
        return (
            <div class="absent">
                <p>
                    Left out: <span data-key="not_injected">{loop.not_injected}</span>
                </p>
            </div>
        );
    }
    const measured = report.analysis.loops.some(asked);
    return (
        <Absent command={bottlenecks(report.analysis, loop.id)}>
            {measured ? "Not measured: this loop was not among those that operations were injected into." : "Not measured: no run with injected operations is in this state."}
        </Absent>
    );
}

function asked(each: LoopFacts): boolean {
    return each.bottleneck !== undefined || each.not_injected !== undefined;
}

/** Every cause that takes a noticeable part of an iteration, with how that is known. */
function Causes({ known }: { known: Known }) {
    const causes = listed(known);
    if (causes.length === 0) return null;
    return (
        <table class="causes">
            <caption class="unseen">Causes by the share of an iteration that each takes by itself</caption>
            <thead>
                <tr>
                    <th scope="col">Cause</th>
                    <th scope="col" class="number">Share</th>
                    <th scope="col">
                        <span class="unseen">Drawn</span>
                    </th>
                    <th scope="col">How</th>
                </tr>
            </thead>
            <tbody>
                {causes.map((cause) => (
                    <tr key={cause.kind} class={binds(known, cause) ? "binds" : undefined}>
                        <th scope="row">
                            {CAUSES[cause.kind]}
                            {binds(known, cause) && " (binds)"}
                        </th>
                        <td class="number" data-key={`bottleneck.causes.${known.causes.indexOf(cause)}.share`}>
                            {share(cause.share)}
                        </td>
                        <td class="drawn">
                            <span class="cause-bar" aria-hidden="true">
                                <span class={`segment ${CAUSE_FAMILIES[cause.kind]} ${binds(known, cause) ? "binds" : ""}`} style={{ width: `${(Math.min(cause.share, 1) * 100).toFixed(1)}%` }} />
                            </span>
                        </td>
                        <td>{provenance(cause.provenance)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
