/** All cases: how far each came, how often the advice was right, and where it was wrong. */

import type { CaseRecord, CasebookDocument } from "../../logic/contract";
import { best, hitRate, ladderName, missed, stageNames, wrongSteps } from "../../logic/casebook/cases";
import { caseAddress } from "../../logic/casebook/route";
import { interval, ofAll } from "../../logic/casebook/words";
import { ratio } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { TableRegion } from "../parts/TableRegion";
import { HitRates } from "./HitRates";
import { Misses } from "./Misses";
import { WrongStages } from "./WrongStages";

export function CaseList({ book }: { book: CasebookDocument }) {
    const { cases, hit_rate } = book.casebook;
    const [wrong, misses] = [wrongSteps(cases), missed(cases)];
    return (
        <>
            {wrong.length > 0 && <WrongStages wrong={wrong} />}
            <HitRates rate={hit_rate} at="casebook.hit_rate" title="How often the advice was right" />
            <Panel title="Cases">
                <TableRegion label="Cases">
                    <table class="stacked">
                        <thead>
                            <tr>
                                <th scope="col">Case</th>
                                <th scope="col" class="number">Stages</th>
                                <th scope="col">Compilers</th>
                                <th scope="col">Best gain</th>
                                <th scope="col">Advice in the first three</th>
                                <th scope="col">Predictions that came true</th>
                            </tr>
                        </thead>
                        <tbody>
                            {cases.map((record, index) => (
                                <CaseRow key={record.case} record={record} index={index} />
                            ))}
                        </tbody>
                    </table>
                </TableRegion>
            </Panel>
            {misses.length > 0 && <Misses misses={misses} />}
        </>
    );
}

function CaseRow({ record, index }: { record: CaseRecord; index: number }) {
    const [top, rate] = [best([record]), hitRate([record])];
    return (
        <tr data-case={index}>
            <th scope="row">
                <a href={caseAddress(record.case)} data-key="title">
                    <Name text={record.title} longest={120} />
                </a>
                <div class="dim" data-key="source">
                    <Prose text={record.source} />
                </div>
            </th>
            <td class="number" data-label="stages" data-key="stages">
                {stageNames(record).length}
            </td>
            <td data-label="compilers">{record.ladders.map(ladderName).join("; ")}</td>
            <td data-label="best gain">
                {top !== undefined && (
                    <>
                        <strong data-key="best.median">{ratio(top.gain.median)}</strong> <span class="dim nowrap" data-key="best.interval">{interval(top.gain)}</span>
                        <div class="dim">
                            <Name text={`${top.step.stage.name}, ${ladderName(top.step.ladder)}`} longest={40} />
                        </div>
                    </>
                )}
            </td>
            <td data-label="advice" data-key="recommended">{ofAll(rate.recommended, rate.rungs)}</td>
            <td data-label="predictions" data-key="came_true">{ofAll(rate.came_true, rate.predicted)}</td>
        </tr>
    );
}
