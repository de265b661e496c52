import type { ProgramFacts } from "../../logic/contract";
import type { Group } from "../../logic/groups";
import { share } from "../../logic/quantity";
import { timeParts, topShares } from "../../logic/where";
import { Panel } from "../parts/Panel";

/** The time by kind of code, and how much of it the hottest loops hold. */
export function TimeShares({ program, groups }: { program: ProgramFacts; groups: readonly Group[] }) {
    const parts = timeParts(program.time);
    if (parts.length === 0) return null;
    const { libraries } = program.time;
    return (
        <Panel title="Where the time went">
            {/* The list below says the same in words. */}
            <div class="stack" aria-hidden="true">
                {parts.map((part) => (
                    <span key={part.key} class={`part ${part.kind}`} style={{ flexGrow: part.share }} />
                ))}
            </div>
            {libraries > 0 && (
                <div class="stack thin" aria-hidden="true">
                    <span class="part library" style={{ width: `${Math.min(libraries, 1) * 100}%` }} />
                </div>
            )}
            <ul class="legend">
                {parts.map((part) => (
                    <li key={part.key}>
                        <span class={`part ${part.kind}`} aria-hidden="true" /> {part.label}{" "}
                        <strong data-key={`program.time.${part.key}`}>{share(part.share)}</strong>
                    </li>
                ))}
                {libraries > 0 && (
                    <li>
                        <span class="part library" aria-hidden="true" /> in shared libraries, of whatever kind{" "}
                        <strong data-key="program.time.libraries">{share(libraries)}</strong>
                    </li>
                )}
            </ul>
            <TopShares groups={groups} />
        </Panel>
    );
}

function TopShares({ groups }: { groups: readonly Group[] }) {
    const tops = topShares(groups);
    if (tops.length === 0) return null;
    return (
        <dl class="tops">
            {tops.map((top) => (
                <div key={top.loops}>
                    <dt>{top.loops === 1 ? "hottest loop" : `hottest ${top.loops}`}</dt>
                    <dd data-key={`top_share.${top.loops}`}>{share(top.share)}</dd>
                </div>
            ))}
        </dl>
    );
}
