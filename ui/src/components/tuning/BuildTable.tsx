/** Every build and setting of the search, in the order in which they were tried or by a column. */

import { useMemo } from "preact/hooks";
import type { TuneFacts, TunedFacts } from "../../logic/contract";
import { ANSWER_TONES, GIVEN_UP, TRIED_OUTCOMES, TRIED_TONES } from "../../logic/contract/words";
import { elided } from "../../logic/names";
import type { Route } from "../../logic/route";
import { type TuneColumn, intervalWords, knownTuneColumns, tuneOrder, tuneRows } from "../../logic/tuning";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { SortHeads } from "../parts/SortHeads";
import { TableRegion } from "../parts/TableRegion";
import { UnbrokenWords } from "../parts/UnbrokenWords";

export function BuildTable({ tuning, route }: { tuning: TuneFacts; route: Route }) {
    const order = useMemo(() => tuneOrder(route.query), [route.query]);
    const columns = useMemo(() => knownTuneColumns(tuning), [tuning]);
    const rows = useMemo(() => tuneRows(tuning, order), [tuning, order]);
    return (
        <Panel title="All builds" note={order.sort === undefined ? "In the order in which they were tried." : undefined}>
            <TableRegion label="Builds that were tried">
                <table class="tune-table">
                    <SortHeads columns={columns} order={order} route={route} />
                    <tbody>
                        {rows.map(({ at, facts }) => (
                            <tr key={at} data-trial={`tuning.candidates.${at}.tried`}>
                                {columns.map((column) => (
                                    <Cell key={column.id} column={column} facts={facts} at={`tuning.candidates.${at}`} />
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}

const OF_CODE: readonly string[] = ["compiler", "options", "settings"];

function Cell({ column: { id, number, text }, facts, at }: { column: TuneColumn; facts: TunedFacts; at: string }) {
    const { tried, given_up: rough = false } = facts;
    const said = text(facts);
    if (id === "build") return <th scope="row"><code>{said}</code></th>;
    if (id === "outcome") return <td><Outcome facts={facts} /></td>;
    if (id === "answer") return <td class="answer">{tried.answer !== undefined && <span class={ANSWER_TONES[tried.answer]}>{said}</span>}</td>;
    if (id === "measured") {
        const interval = intervalWords(facts);
        return (
            <td class="number">
                {said !== "" && <span class={rough ? "dim" : TRIED_TONES[tried.outcome]} data-key={`${at}.tried.measured_median`}>{said}</span>}
                {interval !== undefined && <div class="dim" data-key={`${at}.tried.measured`}>{interval}</div>}
            </td>
        );
    }
    if (OF_CODE.includes(id)) return <td class={`of-code ${id}`}>{said !== "" && <code><UnbrokenWords text={said} /></code>}</td>;
    return <td class={number ? "number" : undefined} data-key={id === "seconds" && said !== "" ? `${at}.build_seconds` : undefined}>{said}</td>;
}

/** How it ended, and why where it was rejected; where an answer is wrong, the next column says by how much. */
function Outcome({ facts: { tried, given_up: rough = false } }: { facts: TunedFacts }) {
    const { outcome, note } = tried;
    return (
        <>
            <span class={`badge ${rough ? "" : TRIED_TONES[outcome]}`}>{rough ? GIVEN_UP : TRIED_OUTCOMES[outcome]}</span>
            {note !== undefined && <div class="dim tune-why"><Prose text={elided(note, 500)} /></div>}
        </>
    );
}
