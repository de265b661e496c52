import type { Group } from "../../logic/groups";
import { headroom, kindOf, kindWords, remarks } from "../../logic/loop-words";
import { count, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { LoopLink } from "../parts/LoopLink";
import { Panel } from "../parts/Panel";
import { ShareBar } from "../parts/ShareBar";
import { TableRegion } from "../parts/TableRegion";

const MOST = 8;
/** A loop below this share is not worth a line here. */
const NOTICEABLE = 0.005;

/** The source loops with most self time. */
export function HottestLoops({ groups, samples }: { groups: readonly Group[]; samples: number }) {
    const shown = groups.filter((group) => group.self_share >= NOTICEABLE).slice(0, MOST);
    const rest = groups.slice(shown.length).reduce((sum, group) => sum + group.self_share, 0);
    // Then "What to do" says why.
    if (samples === 0) return null;
    if (shown.length === 0) {
        return (
            <Panel title="Hottest loops">
                <p class="dim">No loop took a noticeable share of the time.</p>
            </Panel>
        );
    }
    return (
        <Panel title="Hottest loops">
            <TableRegion label="Hottest loops">
                <table class="hottest">
                    <thead>
                        <tr>
                            <th scope="col">Self</th>
                            <th scope="col">Loop</th>
                            <th scope="col">Type</th>
                            <th scope="col">Remarks</th>
                        </tr>
                    </thead>
                    <tbody>
                        {shown.map((group) => (
                            <Row key={group.id} group={group} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {groups.length > shown.length && (
                <p class="dim">
                    <a href={address("loops")}>{count(groups.length - shown.length)} more</a> with {share(rest)} together
                </p>
            )}
        </Panel>
    );
}

function Row({ group }: { group: Group }) {
    const { lead } = group;
    return (
        <tr data-group={group.id} data-loop={group.pieces.length === 1 ? lead.id : undefined} data-lead={lead.id}>
            <td data-key="group_share">
                <ShareBar value={group.self_share} kind={kindOf(lead)} />
            </td>
            <th scope="row">
                <LoopLink loop={lead} longest={24} />
            </th>
            <td>
                <span class={`kind ${kindOf(lead)}`}>{kindWords(lead)}</span>
            </td>
            <td class="dim">{[headroom(lead), ...remarks(group)].filter((part) => part !== undefined).join(", ")}</td>
        </tr>
    );
}
