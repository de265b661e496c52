/** Calls of MPI: where the ranks make them, with which bytes and for how long, who sends to whom, and how even the ranks are. */

import type { CommFacts } from "../../logic/contract";
import { COMM_NO_CALL, NO_COMM } from "../../logic/contract/words";
import { commNotes, runWords } from "../../logic/messages";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { Matrix } from "./Matrix";
import { RankTimes } from "./RankTimes";
import { SiteTable } from "./SiteTable";
import { SizeTable } from "./SizeTable";

export function MessagesView({ report: { analysis }, route }: ViewProps) {
    const { comm } = analysis;
    if (comm === undefined) return <Absent>{NO_COMM}</Absent>;
    return (
        <>
            <Run comm={comm} />
            {comm.sites.length > 0 && (
                <>
                    <RankTimes comm={comm} />
                    <SiteTable comm={comm} route={route} />
                    <SizeTable comm={comm} />
                    <Matrix comm={comm} />
                </>
            )}
        </>
    );
}

/** The answer in one line, and what is missing below. */
function Run({ comm }: { comm: CommFacts }) {
    const notes = commNotes(comm);
    return (
        <Panel title="The run" kind="comm-run">
            <p class="of-run" data-key="comm.seconds">{runWords(comm)}</p>
            {comm.sites.length === 0 && <p class="caution">{COMM_NO_CALL}</p>}
            {notes.length > 0 && (
                <ul class="plain caution">
                    {notes.map((note) => (
                        <li key={note}><Prose text={note} /></li>
                    ))}
                </ul>
            )}
        </Panel>
    );
}
