/** Runs of the first build under other conditions: what differs in them is the fault of no build. */

import type { ReproductionFacts } from "../../logic/contract";
import { elided } from "../../logic/names";
import { conditionNotes, conditionWords, underCondition } from "../../logic/reproduction";
import { insteadWords } from "../../logic/trials";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";

export function Conditions({ found }: { found: ReproductionFacts }) {
    const firsts = found.conditions.some(({ answer }) => answer.first_difference !== undefined);
    return (
        <Panel title="The first build under other conditions" note="No build is to blame for what changes here.">
            <TableRegion label="Answers under other conditions">
                <table class="conditions">
                    <thead>
                        <tr>
                            <th scope="col">Condition</th>
                            <th scope="col">Answer</th>
                            {firsts && <th scope="col">First difference</th>}
                        </tr>
                    </thead>
                    <tbody>
                        {found.conditions.map((each, at) => {
                            const { text, tone } = underCondition(each);
                            const first = each.answer.first_difference;
                            return (
                                <tr key={at}>
                                    <th scope="row">{conditionWords(each.condition)}</th>
                                    <td class={tone}>{text}</td>
                                    {firsts && <td>{first !== undefined && <code>{elided(insteadWords(first), 500)}</code>}</td>}
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </TableRegion>
            {conditionNotes(found).map((note) => (
                <p key={note} class="caution">{note}</p>
            ))}
        </Panel>
    );
}
