/** Seconds in MPI of each rank, drawn and in numbers. */

import { scaleLinear } from "d3-scale";
import { useMemo, useRef } from "preact/hooks";
import type { CommFacts } from "../../logic/contract";
import { amount, bytes, count, time, timeNumber, timeUnit } from "../../logic/quantity";
import { blockNote, blocksOf } from "../../logic/rank-blocks";
import { type RankBar, barWords, rankBars, spreadWords } from "../../logic/rank-times";
import { Fold } from "../parts/Fold";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { useWidth } from "../parts/useWidth";

const MARGIN = { left: 52, right: 8, top: 10, bottom: 34 };
const WIDEST = 760;
const HEIGHT = 190;
/** A bar is at most as wide as this. */
const BROADEST = 48;
/** Pixels that the number of a rank needs. */
const LABEL = 30;
/** Rows of the table; the JSON has all. */
const SHOWN = 128;

export function RankTimes({ comm }: { comm: CommFacts }) {
    const frame = useRef<HTMLDivElement>(null);
    const width = Math.min(useWidth(frame), WIDEST);
    const bars = useMemo(() => rankBars(comm), [comm]);
    const spread = spreadWords(comm);
    if (spread === undefined) return null;
    const note = blockNote(blocksOf(comm.ranks.length), "a bar is their mean, a line leads from the least to the most");
    return (
        <Panel title="Time in MPI by rank" note={spread}>
            {note !== undefined && <p class="of-ranks">{note}</p>}
            <div class="rank-times" ref={frame}>{width > 0 && <Drawing comm={comm} bars={bars} width={width} words={spread} />}</div>
            <Fold title="Each rank in numbers"><RankTable comm={comm} /></Fold>
        </Panel>
    );
}

function Drawing({ comm, bars, width, words }: { comm: CommFacts; bars: readonly RankBar[]; width: number; words: string }) {
    const right = Math.min(width - MARGIN.right, MARGIN.left + bars.length * BROADEST * 1.5);
    const bottom = HEIGHT - MARGIN.bottom;
    const most = bars.reduce((all, each) => Math.max(all, each.most), 0);
    const unit = timeUnit(most);
    const y = scaleLinear([0, Math.max(most, Number.MIN_VALUE)], [bottom, MARGIN.top]);
    const step = (right - MARGIN.left) / bars.length;
    const broad = Math.min(step * 0.8, BROADEST);
    const every = Math.ceil(LABEL / step);
    return (
        <svg width={width} height={HEIGHT} role="img" aria-label={`Time in MPI by rank: ${words}`}>
            <g class="axes">
                {y.ticks(4).map((value) => (
                    <g key={value} transform={`translate(0,${y(value).toFixed(1)})`}>
                        <line x1={MARGIN.left} x2={right} />
                        <text x={MARGIN.left - 5} y={4} text-anchor="end">{timeNumber(value, unit)}</text>
                    </g>
                ))}
                <text class="axis-title" x={(MARGIN.left + right) / 2} y={HEIGHT - 2} text-anchor="middle">Rank</text>
                <text class="axis-title" transform={`translate(11,${(MARGIN.top + bottom) / 2}) rotate(-90)`} text-anchor="middle">In MPI ({unit})</text>
            </g>
            {bars.map((bar, at) => {
                const middle = MARGIN.left + (at + 0.5) * step;
                return (
                    <g key={bar.first} class="rank-bar">
                        <title>{barWords(bar)}</title>
                        <rect x={(middle - broad / 2).toFixed(1)} y={y(bar.mean).toFixed(1)} width={broad.toFixed(1)} height={(bottom - y(bar.mean)).toFixed(1)} />
                        {bar.ranks > 1 && <line x1={middle} x2={middle} y1={y(bar.least)} y2={y(bar.most)} />}
                        {at % every === 0 && <text x={middle} y={bottom + 14} text-anchor="middle">{bar.first}</text>}
                    </g>
                );
            })}
            <line class="mean" x1={MARGIN.left} x2={right} y1={y(comm.seconds)} y2={y(comm.seconds)} />
        </svg>
    );
}

function RankTable({ comm: { ranks } }: { comm: CommFacts }) {
    return (
        <>
            <TableRegion label="Each rank in numbers">
                <table>
                    <thead>
                        <tr>
                            <th scope="col" class="number">Rank</th>
                            <th scope="col">Host</th>
                            {["Ran for", "In MPI", "Calls", "Messages", "Bytes"].map((title) => (
                                <th key={title} scope="col" class="number">{title}</th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {ranks.slice(0, SHOWN).map((each, at) => (
                            <tr key={at}>
                                <th scope="row" class="number">{each.rank}</th>
                                <td><Name text={each.host} longest={40} /></td>
                                <td class="number" data-key={`comm.ranks.${at}.elapsed_seconds`}>{time(each.elapsed_seconds)}</td>
                                <td class="number" data-key={`comm.ranks.${at}.seconds`}>{time(each.seconds)}</td>
                                <td class="number" data-key={`comm.ranks.${at}.calls`}>{amount(each.calls)}</td>
                                <td class="number" data-key={`comm.ranks.${at}.messages`}>{amount(each.messages)}</td>
                                <td class="number" data-key={`comm.ranks.${at}.bytes`}>{bytes(each.bytes)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {ranks.length > SHOWN && <p class="dim">{count(ranks.length - SHOWN)} more ranks are in the JSON.</p>}
        </>
    );
}
