import type { Change } from "../../logic/compare";
import type { Report } from "../../logic/contract";
import { kindWords } from "../../logic/loop-words";
import { functionName, printable } from "../../logic/names";
import type { Route } from "../../logic/route";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { ChangeLink } from "./ChangeLink";

/** The loops that were vectorised and are not any more, with what the compiler says now. */
export function LostVectors({ changes, report, route }: { changes: readonly Change[]; report: Report; route: Route }) {
    if (changes.length === 0) return null;
    return (
        <Panel title={changes.length === 1 ? "One loop is no longer vectorised" : `${changes.length} loops are no longer vectorised`}>
            <ul class="lost-vectors">
                {changes.map(({ index, change }) => {
                    const why = change.after?.why_not?.[0];
                    const title = why !== undefined && Object.hasOwn(report.reasons, why.reason) ? report.reasons[why.reason]?.title : why?.message;
                    return (
                        <li key={index} data-change={index}>
                            <ChangeLink index={index} route={route}>
                                <Name text={functionName(change.after ?? change.before ?? change)} longest={60} symbol /> <Name text={change.place} longest={60} />
                            </ChangeLink>
                            : {change.before !== undefined && kindWords(change.before)} → {change.after !== undefined && kindWords(change.after)}
                            {title !== undefined && <span class="dim">; {printable(title)}</span>}
                        </li>
                    );
                })}
            </ul>
        </Panel>
    );
}
