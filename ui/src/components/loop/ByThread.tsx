/** What each thread did of the loop: sampled and counted are two runs. */

import type { ByThread as Threads, Imbalance } from "../../logic/contract";
import { TWO_RUNS } from "../../logic/contract/words";
import { amount, count, counted, share, time } from "../../logic/quantity";
import { Facts } from "../parts/Facts";
import { Fold } from "../parts/Fold";
import { TableRegion } from "../parts/TableRegion";
import { Value } from "./Value";

/** Rows that are shown at once. */
const ROWS = 64;
/** Tables of at most this number of threads are short. */
const FEW = 2;

export function ByThread({ threads }: { threads: Threads }) {
    const { sampled = [], counted: work = [] } = threads;
    return (
        <div data-key="by_thread">
            <h3>By thread</h3>
            <Facts
                items={[
                    ["Time", threads.time_imbalance !== undefined && <Spread at="by_thread.time_imbalance" of={threads.time_imbalance} as={time} />],
                    ["Work", threads.instruction_imbalance !== undefined && <Spread at="by_thread.instruction_imbalance" of={threads.instruction_imbalance} as={(value) => `${amount(Math.round(value))} instructions`} />],
                ]}
            />
            <Fold title="Each thread in numbers" open={Math.max(sampled.length, work.length) <= FEW}>
                <div class="side-by-side">
                    {sampled.length > 0 && <Sampled rows={sampled} />}
                    {work.length > 0 && <Counted rows={work} />}
                </div>
                {sampled.length > 0 && work.length > 0 && <p class="dim">{TWO_RUNS}</p>}
            </Fold>
        </div>
    );
}

function Spread({ at, of, as }: { at: string; of: Imbalance; as: (value: number) => string }) {
    return (
        <>
            imbalance <Value at={`${at}.share`}>{share(of.share)}</Value> (Imb. Time%): <Value at={`${at}.excess`}>{as(of.excess)}</Value> above the mean of{" "}
            <Value at={`${at}.mean`}>{as(of.mean)}</Value>, <Value at={`${at}.max`}>{as(of.max)}</Value> in the busiest of{" "}
            <Value at={`${at}.threads`}>{counted(of.threads, "thread", "threads")}</Value>
        </>
    );
}

function More({ hidden }: { hidden: number }) {
    return hidden > 0 ? <p class="dim">{count(hidden)} more threads are in the JSON.</p> : null;
}

function Meter({ part }: { part: number }) {
    return (
        <span class="bar-track" aria-hidden="true">
            <span class="bar-fill" style={{ width: `${Math.min(Math.max(part, 0), 1) * 100}%` }} />
        </span>
    );
}

function Sampled({ rows }: { rows: NonNullable<Threads["sampled"]> }) {
    const ranked = rows.some((row) => row.rank !== undefined);
    const most = rows.reduce((all, row) => Math.max(all, row.seconds), 0);
    return (
        <TableRegion label="Sampled time of each thread">
            <table>
                <caption>Self time (measured)</caption>
                <thead>
                    <tr>
                        {ranked && <th scope="col">Rank</th>}
                        <th scope="col">Thread</th>
                        <th scope="col">Self time</th>
                        <th scope="col">
                            <span class="unseen">Share of the busiest</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {rows.slice(0, ROWS).map((row, at) => (
                        <tr key={at}>
                            {ranked && <td class="number">{row.rank}</td>}
                            <td class="number">{row.tid}</td>
                            <td class="number" data-key={`by_thread.sampled.${at}.seconds`}>
                                {time(row.seconds)}
                            </td>
                            <td class="meter">
                                <Meter part={most > 0 ? row.seconds / most : 0} />
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <More hidden={rows.length - ROWS} />
        </TableRegion>
    );
}

function Counted({ rows }: { rows: NonNullable<Threads["counted"]> }) {
    const ranked = rows.some((row) => row.rank !== undefined);
    const most = rows.reduce((all, row) => Math.max(all, row.instructions), 0);
    return (
        <TableRegion label="Counted work of each thread">
            <table>
                <caption>Work (counted)</caption>
                <thead>
                    <tr>
                        {ranked && <th scope="col">Rank</th>}
                        <th scope="col">Thread</th>
                        <th scope="col">Entries</th>
                        <th scope="col">Iterations</th>
                        <th scope="col">Instructions</th>
                        <th scope="col">FLOP</th>
                        <th scope="col">
                            <span class="unseen">Share of the busiest</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {rows.slice(0, ROWS).map((row, at) => (
                        <tr key={at}>
                            {ranked && <td class="number">{row.rank}</td>}
                            <td class="number">{row.tid}</td>
                            <td class="number" data-key={row.entries === undefined ? undefined : `by_thread.counted.${at}.entries`}>
                                {row.entries === undefined ? "" : count(row.entries)}
                            </td>
                            <td class="number" data-key={row.iterations === undefined ? undefined : `by_thread.counted.${at}.iterations`}>
                                {row.iterations === undefined ? "" : count(row.iterations)}
                            </td>
                            <td class="number" data-key={`by_thread.counted.${at}.instructions`}>
                                {count(row.instructions)}
                            </td>
                            <td class="number" data-key={`by_thread.counted.${at}.flop`}>
                                {count(row.flop)}
                            </td>
                            <td class="meter">
                                <Meter part={most > 0 ? row.instructions / most : 0} />
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <More hidden={rows.length - ROWS} />
        </TableRegion>
    );
}
