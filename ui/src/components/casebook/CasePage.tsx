/** One case: what is slow, the ladders, what each stage changed, pictures. */

import { useEffect, useMemo } from "preact/hooks";
import type { CaseRecord, CasebookDocument } from "../../logic/contract";
import { hitRate, ladderName, stageNames } from "../../logic/casebook/cases";
import { caseGains, caseTimes, gainScale, timeAxis } from "../../logic/casebook/scales";
import { ladderNote, measuredOn } from "../../logic/casebook/words";
import { printable } from "../../logic/names";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";
import { Paragraphs } from "../parts/Paragraphs";
import { Prose } from "../parts/Prose";
import { HitRates } from "./HitRates";
import { LadderChart } from "./LadderChart";
import { LadderTable } from "./LadderTable";
import { Stage, stageId } from "./Stage";

export function CasePage({ book, record, index, at }: { book: CasebookDocument; record: CaseRecord; index: number; at: string | undefined }) {
    const names = stageNames(record);
    const place = at === undefined ? -1 : names.indexOf(at);
    useEffect(() => {
        if (place < 0) return;
        const section = document.getElementById(stageId(place));
        section?.scrollIntoView({ block: "start", behavior: "instant" });
        section?.focus({ preventScroll: true });
    }, [place]);
    const times = useMemo(() => timeAxis(caseTimes(record)), [record]);
    const gains = useMemo(() => gainScale(caseGains(record)), [record]);
    const rate = hitRate([record]);
    return (
        <>
            <div class="case-top">
                <Panel title="The problem">
                    <Paragraphs text={record.problem} />
                    <Facts
                        items={[
                            ["From", <span key="source" data-case={index} data-key="source"><Prose text={record.source} /></span>],
                            ["Measured", <Prose key="where" text={measuredOn(record)} />],
                        ]}
                    />
                </Panel>
                {rate.rungs > 0 && <HitRates rate={rate} title="The advice" />}
            </div>
            {(record.notes ?? []).length > 0 && (
                <Panel title="What could not be done">
                    <ul class="case-notes">
                        {(record.notes ?? []).map((note, each) => (
                            <li key={each} data-case={index} data-key={`notes.${each}`}>
                                <Prose text={note} />
                            </li>
                        ))}
                    </ul>
                </Panel>
            )}
            {record.ladders.map((ladder, l) => (
                <Panel key={l} title={`Ladder: ${printable(ladderName(ladder))}`} note={<Prose text={ladderNote(ladder)} />}>
                    <LadderTable ladder={ladder} path={`${index}/${l}`} places={names} />
                    <LadderChart ladder={ladder} times={times} gains={gains} />
                </Panel>
            ))}
            {names.map((name, s) => (
                <Stage key={name} book={book} record={record} index={index} name={name} place={s} />
            ))}
        </>
    );
}
