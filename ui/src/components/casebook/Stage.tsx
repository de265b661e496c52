/** A stage: what it changes, the advice that led to it, how it was built and what it computed, for every ladder. */

import type { CaseRecord, CasebookDocument, Ladder, StageRecord } from "../../logic/contract";
import { fromStage, ladderName } from "../../logic/casebook/cases";
import { heldAgainst, resultText, stateOf } from "../../logic/casebook/words";
import { printable } from "../../logic/names";
import { counted, ratio, time } from "../../logic/quantity";
import { Command } from "../parts/Command";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { Paragraphs } from "../parts/Paragraphs";
import { Prose } from "../parts/Prose";
import { TableRegion } from "../parts/TableRegion";
import { usePrinting } from "../parts/usePrinting";
import { FiredList } from "./FiredList";
import { StagePictures } from "./StagePictures";
import { StageSource } from "./StageSource";

export const stageId = (place: number): string => `stage-${place}`;

export function Stage({ book, record, index, name, place }: { book: CasebookDocument; record: CaseRecord; index: number; name: string; place: number }) {
    const found = record.ladders.flatMap((ladder, l) => {
        const s = ladder.stages.findIndex((each) => each.name === name);
        const stage = ladder.stages[s];
        return stage === undefined ? [] : [{ ladder, stage, path: `${index}/${l}/${s}` }];
    });
    const [first] = found;
    if (first === undefined) return null;
    const { stage, ladder } = first;
    const from = fromStage(ladder, stage);
    const drawn = found.flatMap(({ ladder: of, stage: { pictures } }) => (pictures === undefined ? [] : [{ ladder: ladderName(of), pictures }]));
    return (
        <div id={stageId(place)} class="case-stage" tabIndex={-1}>
            <Panel title={`${place + 1}. ${printable(stage.title)}`} note={<Name text={[stage.name, ...(from === undefined ? [] : [`from ${from.name}`]), ...(stage.threads > 1 ? [counted(stage.threads, "thread", "threads")] : [])].join(", ")} />}>
                <div data-stage={first.path} data-key="change" class="stage-change">
                    <Paragraphs text={stage.change} />
                </div>
                {stage.because !== undefined && (
                    <p data-stage={first.path}>
                        <strong>No advice leads here:</strong> <span data-key="because"><Prose text={stage.because} /></span>
                    </p>
                )}
                <StageSource book={book} name={record.case} stage={stage.name} commands={[from?.commands, stage.commands ?? []]} />
                <div class="stage-ladders">
                    {found.map((each) => (
                        <OfLadder key={each.path} record={record} {...each} />
                    ))}
                </div>
                {drawn.length > 0 && <StagePictures drawn={drawn} />}
            </Panel>
        </div>
    );
}

function OfLadder({ record, ladder, stage, path }: { record: CaseRecord; ladder: Ladder; stage: StageRecord; path: string }) {
    const printing = usePrinting();
    const { measured, commands = [], run, results = {} } = stage;
    const all = [...commands, ...(run === undefined ? [] : [run])].join("\n");
    const names = Object.keys(results);
    const state = stateOf(stage);
    return (
        <article class="stage-ladder" data-stage={path}>
            <h3>{ladderName(ladder)}</h3>
            {measured !== undefined && (
                <p>
                    <span data-key="measured.seconds.median">{time(measured.seconds.median)}</span>; the whole program{" "}
                    <span data-key="measured.elapsed.median">{time(measured.elapsed.median)}</span>
                    {measured.gain !== undefined && <>; gain <span data-key="measured.gain.median">{ratio(measured.gain.median)}</span></>}
                </p>
            )}
            {stage.wrong !== undefined && (
                <p class="case-wrong">
                    Wrong: <span data-key="wrong"><Prose text={stage.wrong} /></span>
                </p>
            )}
            {stage.left_out !== undefined && (
                <p class="dim">
                    Left out: it <span data-key="left_out"><Prose text={stage.left_out} /></span>
                </p>
            )}
            {state === "verified" && <p class="dim">Verified, not timed.</p>}
            {stage.left_out === undefined && <FiredList ladder={ladder} stage={stage} path={path} />}
            {names.length > 0 && (
                <details open={printing}>
                    <summary>Results</summary>
                    <TableRegion label="Results">
                        <table>
                            <thead>
                                <tr>
                                    <th scope="col">Result</th>
                                    <th scope="col" class="number">Value</th>
                                    <th scope="col">Held against</th>
                                </tr>
                            </thead>
                            <tbody>
                                {names.map((name) => (
                                    <tr key={name}>
                                        <th scope="row"><Name text={name} longest={40} /></th>
                                        <td class="number" data-result={name}>{resultText(results[name] ?? Number.NaN)}</td>
                                        <td>{record.compare[name] === undefined ? "" : heldAgainst(record.compare[name])}</td>
                                    </tr>
                                ))}
                            </tbody>
                        </table>
                    </TableRegion>
                </details>
            )}
            {all !== "" && (
                <details open={printing}>
                    <summary>How it was built and run</summary>
                    <Command text={all} />
                </details>
            )}
        </article>
    );
}
