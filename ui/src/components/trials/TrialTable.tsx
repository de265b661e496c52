/** One row for each change: predicted and measured on one axis, the answer, what was changed. */

import { useMemo } from "preact/hooks";
import type { Analysis, TrialFacts, TriedFacts } from "../../logic/contract";
import { ANSWER_TONES, NO_CHANGE_TRIED, TRIED_OUTCOMES, TRIED_TONES, WAYS_OF_CHANGE } from "../../logic/contract/words";
import { printable } from "../../logic/names";
import { ratio, ratioRange } from "../../logic/quantity";
import { answerWords, changeTitle, differenceWords, rows, trialScale } from "../../logic/trials";
import type { RatioScale } from "../../logic/ratio-scale";
import { Panel } from "../parts/Panel";
import { PartList } from "../parts/PartList";
import { Prose } from "../parts/Prose";
import { TableRegion } from "../parts/TableRegion";
import { MarkLegend, TrialAxis, TrialMark } from "../parts/TrialMark";

export function TrialTable({ analysis, trials }: { analysis: Analysis; trials: TrialFacts }) {
    const found = useMemo(() => rows(trials), [trials]);
    const scale = useMemo(() => trialScale(trials), [trials]);
    if (found.length === 0) {
        return (
            <Panel title="Each change by itself">
                <p>{NO_CHANGE_TRIED}</p>
            </Panel>
        );
    }
    return (
        <Panel title="Each change by itself" note="Speed-ups of the program: predicted before the change was made, and measured in pairs of runs with and without it.">
            <MarkLegend predicted noise="what the program differs from itself" />
            <TableRegion label="Predicted and measured speed-ups">
                <table class="trial-table">
                    <thead>
                        <tr>
                            <th scope="col">Change</th>
                            <th scope="col" class="trial-drawn">
                                <span class="unseen">Drawn</span>
                                <TrialAxis scale={scale} />
                            </th>
                            <th scope="col" class="number">Predicted</th>
                            <th scope="col" class="number">Measured</th>
                            <th scope="col">Outcome</th>
                            <th scope="col">Answer</th>
                            <th scope="col">What was changed</th>
                        </tr>
                    </thead>
                    <tbody>
                        {trials.together !== undefined && (
                            <Row at="trials.together" title="The best together, on fresh runs" tried={trials.together} scale={scale} noise={trials.claimed_from} together />
                        )}
                        {found.map(({ at, tried }) => (
                            <Row key={at} at={`trials.tried.${at}`} title={changeTitle(analysis, tried.change)} tried={tried} scale={scale} noise={trials.claimed_from} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}

interface RowProps {
    /** Path of its key in the contract. */
    at: string;
    /** What it is, where the change has more than a name. */
    title: string | undefined;
    tried: TriedFacts;
    scale: RatioScale;
    noise: number;
    /** It is several changes, each of which has a row of its own. */
    together?: boolean;
}

function Row({ at, title, tried, scale, noise, together = false }: RowProps) {
    const { change, way, outcome, predicted, measured, measured_median: median, answer } = tried;
    const key = (name: keyof TriedFacts) => `${at}.${name}`;
    const difference = differenceWords(tried);
    return (
        <tr data-trial={at} class={together ? "together" : undefined}>
            <th scope="row">
                {title === undefined ? <code>{printable(change)}</code> : <Prose text={title} />}
                <div class="dim">
                    {title !== undefined && !together && <><code>{printable(change)}</code> </>}by {WAYS_OF_CHANGE[way]}
                </div>
            </th>
            <td class="trial-drawn">
                {(predicted ?? measured) !== undefined && <TrialMark scale={scale} tried={tried} noise={noise} tone={TRIED_TONES[outcome]} />}
                {tried.note !== undefined && <p class="trial-note" data-key={key("note")}>{printable(tried.note)}</p>}
                {difference !== undefined && <p class="trial-note">{difference}</p>}
            </td>
            <td class="number" data-label="predicted">
                {predicted !== undefined && <span data-key={key("predicted")}>{ratioRange(predicted)}</span>}
            </td>
            <td class="number" data-label="measured">
                {median !== undefined && <span data-key={key("measured_median")}>{ratio(median)}</span>}
                {measured !== undefined && (
                    <div class="dim" data-key={key("measured")}>
                        {ratioRange(measured)}
                    </div>
                )}
            </td>
            <td data-label="outcome">
                <span class={`badge ${TRIED_TONES[outcome]}`}>{TRIED_OUTCOMES[outcome]}</span>
            </td>
            <td data-label="answer">
                {answer !== undefined && <span class={ANSWER_TONES[answer]}>{answerWords(tried)}</span>}
            </td>
            <td class="trial-parts">
                <PartList parts={tried.parts ?? []} />
            </td>
        </tr>
    );
}
