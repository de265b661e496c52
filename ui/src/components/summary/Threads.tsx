import type { Analysis } from "../../logic/contract";
import { count, ratio, share, time } from "../../logic/quantity";
import { type ThreadTime, spread, threadTimes, unevenLoops } from "../../logic/threads";
import { LoopLink } from "../parts/LoopLink";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { usePrinting } from "../parts/usePrinting";

/** Threads at once, and in all; the JSON has them all. */
const SHOWN = 8;
const MOST = 128;
const UNEVEN = 4;

/** What the threads of a parallel run did, and where their work was uneven. */
export function Threads({ analysis }: { analysis: Analysis }) {
    const printing = usePrinting();
    const uneven = spread(analysis.threads);
    if (uneven === undefined) return null;
    const all = threadTimes(analysis);
    const rest = all.slice(SHOWN, MOST);
    const ratioToMean = uneven.max / uneven.mean;
    return (
        <Panel
            title="Threads"
            note={<>The busiest of {count(all.length)} threads used {time(uneven.max)} of CPU time, {ratioToMean < 1.005 ? "as much as" : ratio(ratioToMean)} the mean.</>}
        >
            <Table label="Threads" threads={all.slice(0, SHOWN)} />
            {rest.length > 0 && (
                <details open={printing || undefined}>
                    <summary>{count(rest.length)} more threads</summary>
                    <Table label="More threads" threads={rest} />
                </details>
            )}
            {all.length > MOST && <p class="dim">{count(all.length - MOST)} threads with less time are in the JSON.</p>}
            <ul class="legend" aria-label="Parts of the bars">
                <li><span class="part cpu" aria-hidden="true" /> on a CPU</li>
                <li><span class="part ready" aria-hidden="true" /> ready, no CPU</li>
                <li><span class="part blocked" aria-hidden="true" /> blocked</li>
            </ul>
            <Uneven analysis={analysis} />
        </Panel>
    );
}

function Table({ label, threads }: { label: string; threads: readonly ThreadTime[] }) {
    const ranked = threads.some(({ thread }) => thread.rank !== undefined);
    return (
        <TableRegion label={label}>
            <table class="threads">
                <thead>
                    <tr>
                        {ranked && <th scope="col" class="number">Rank</th>}
                        <th scope="col">Thread</th>
                        <th scope="col" class="number">CPU time</th>
                        <th scope="col" class="number">Blocked</th>
                        <th scope="col"><span class="unseen">Time, drawn</span></th>
                    </tr>
                </thead>
                <tbody>
                    {threads.map(({ thread, at, parts }) => (
                        <tr key={at}>
                            {ranked && <td class="number">{thread.rank}</td>}
                            <th scope="row"><Name text={thread.name} longest={24} /> <span class="dim">{thread.tid}</span></th>
                            <td class="number" data-key={`threads.${at}.cpu_seconds`}>{time(thread.cpu_seconds)}</td>
                            <td class="number" data-key={thread.blocked_seconds === undefined ? undefined : `threads.${at}.blocked_seconds`}>
                                {thread.blocked_seconds !== undefined && time(thread.blocked_seconds)}
                            </td>
                            <td class="drawn" aria-hidden="true">
                                <span class="thread-bar">
                                    {parts.map(({ kind, part }) => part > 0 && <span key={kind} class={`part ${kind}`} style={{ width: `${part * 100}%` }} />)}
                                </span>
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </TableRegion>
    );
}

/** Loops that would gain by even work. */
function Uneven({ analysis }: { analysis: Analysis }) {
    const loops = unevenLoops(analysis);
    if (loops.length === 0) return null;
    return (
        <>
            <h3>Imbalance</h3>
            <ul class="uneven">
                {loops.slice(0, UNEVEN).map(({ loop, imbalance }) => (
                    <li key={loop.id} data-loop={loop.id}>
                        <LoopLink loop={loop} longest={40} />: the busiest thread needs{" "}
                        <strong data-key="by_thread.time_imbalance.excess">{time(imbalance.excess)}</strong> more than the mean,{" "}
                        <span data-key="by_thread.time_imbalance.share">{share(imbalance.share)}</span> imbalance
                    </li>
                ))}
            </ul>
        </>
    );
}
