/** Who sends to whom: a square for each pair of ranks or of blocks of them, the darker the more bytes. */

import { useMemo, useRef, useState } from "preact/hooks";
import type { CommFacts } from "../../logic/contract";
import { COMM_BETWEEN_RANKS } from "../../logic/contract/words";
import { type Cell, type MessageMatrix, cellWords, colourSteps, drawnBoundaries, hostWords, messageMatrix, pictureWords } from "../../logic/message-matrix";
import { matrixWords } from "../../logic/messages";
import { bytes } from "../../logic/quantity";
import { blockNote } from "../../logic/rank-blocks";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { useWidth } from "../parts/useWidth";

const MARGIN = { left: 58, top: 44, end: 8 };
const WIDEST = 560;
/** A square is at most as large as this, so that few ranks do not fill the window. */
const LARGEST = 64;
/** Pixels that the number of a rank needs. */
const LABEL = 30;
/** Squares of fewer pixels touch each other. */
const APART = 8;

export function Matrix({ comm }: { comm: CommFacts }) {
    const frame = useRef<HTMLDivElement>(null);
    const width = useWidth(frame);
    const matrix = useMemo(() => messageMatrix(comm), [comm]);
    const [looked, look] = useState<Cell>();
    if (matrix === undefined) return null;
    const notes = [blockNote(matrix.blocks, "a square is all that one block sends to another"), hostWords(matrix)];
    return (
        <Panel title={COMM_BETWEEN_RANKS} note={<Prose text={matrixWords(comm)} />}>
            {notes.map((note) => note !== undefined && <p key={note} class="of-ranks">{note}</p>)}
            <div class="comm-matrix" ref={frame}>
                {width > 0 && <Drawing matrix={matrix} width={Math.min(width, WIDEST)} look={look} />}
                <p class="looked" role="status">{looked === undefined ? <span class="dim">Point at a square, or move through them by the arrow keys.</span> : cellWords(matrix.blocks, looked)}</p>
                <ul class="legend" aria-label="Colours">
                    {colourSteps(matrix).map(({ level, bytes: sent }) => (
                        <li key={level}>
                            <svg width="14" height="14" aria-hidden="true"><rect class="cell" width="14" height="14" fill-opacity={opacity(level)} /></svg> {bytes(sent)}
                        </li>
                    ))}
                </ul>
            </div>
        </Panel>
    );
}

/** The fewest bytes are still seen. */
const opacity = (level: number): string => (0.25 + 0.75 * level).toFixed(3);

function Drawing({ matrix, width, look }: { matrix: MessageMatrix; width: number; look: (cell: Cell) => void }) {
    const { blocks, cells } = matrix;
    const side = Math.max(Math.min(width - MARGIN.left - MARGIN.end, blocks.count * LARGEST), 1);
    const at = (rank: number) => (Math.min(rank, blocks.ranks) / blocks.ranks) * side;
    const start = (block: number) => at(block * blocks.size);
    const gap = side / blocks.count >= APART ? 1 : 0;
    const [focus, setFocus] = useState(0);
    const drawing = useRef<SVGGElement>(null);
    const chosen = (event: Event) => Number((event.target as Element).getAttribute("data-cell") ?? NaN);
    const onLook = (event: Event) => {
        const cell = cells[chosen(event)];
        if (cell !== undefined) look(cell);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const from = chosen(event);
        const to = neighbour(cells, from, event.key);
        if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        setFocus(to);
        drawing.current?.querySelector<SVGElement>(`[data-cell="${to}"]`)?.focus();
    };
    const height = MARGIN.top + side + MARGIN.end;
    const rows = useMemo(() => byRow(cells), [cells]);
    return (
        <svg width={MARGIN.left + side + MARGIN.end} height={height}>
            <g transform={`translate(${MARGIN.left},${MARGIN.top})`}>
                <Axes matrix={matrix} side={side} start={start} />
                <g ref={drawing} role="grid" tabindex={-1} aria-label={pictureWords(matrix)} aria-rowcount={blocks.count} aria-colcount={blocks.count} onKeyDown={onKeyDown} onPointerOver={onLook} onFocusIn={onLook}>
                    {rows.map((row) => (
                        <g key={row[0]?.cell.from} role="row" aria-rowindex={(row[0]?.cell.from ?? 0) + 1}>
                            {row.map(({ cell, index }) => (
                                <rect
                                    key={cell.to}
                                    class="cell"
                                    role="gridcell"
                                    aria-colindex={cell.to + 1}
                                    aria-label={cellWords(blocks, cell)}
                                    tabindex={index === focus ? 0 : -1}
                                    data-cell={index}
                                    x={start(cell.to).toFixed(1)}
                                    y={start(cell.from).toFixed(1)}
                                    width={(start(cell.to + 1) - start(cell.to) - gap).toFixed(1)}
                                    height={(start(cell.from + 1) - start(cell.from) - gap).toFixed(1)}
                                    fill-opacity={opacity(cell.level)}
                                />
                            ))}
                        </g>
                    ))}
                </g>
                <g class="hosts" aria-hidden="true">
                    {drawnBoundaries(matrix).map((rank) => (
                        <path key={rank} d={`M${at(rank).toFixed(1)} 0V${side}M0 ${at(rank).toFixed(1)}H${side}`} />
                    ))}
                </g>
            </g>
        </svg>
    );
}

/** Numbers of ranks on both sides, a few of many. */
function Axes({ matrix: { blocks }, side, start }: { matrix: MessageMatrix; side: number; start: (block: number) => number }) {
    const every = Math.ceil((blocks.count * LABEL) / side);
    const marks = Array.from({ length: Math.ceil(blocks.count / every) }, (_, at) => at * every);
    return (
        <g class="axes" aria-hidden="true">
            <rect class="plot-frame" x={-0.5} y={-0.5} width={side + 0.5} height={side + 0.5} />
            {marks.map((block) => {
                const middle = (start(block) + start(block + 1)) / 2;
                return (
                    <g key={block}>
                        <text x={middle} y={-6} text-anchor="middle">{block * blocks.size}</text>
                        <text x={-6} y={middle + 4} text-anchor="end">{block * blocks.size}</text>
                    </g>
                );
            })}
            <text class="axis-title" x={side / 2} y={-26} text-anchor="middle">To rank</text>
            <text class="axis-title" transform={`translate(-44,${side / 2}) rotate(-90)`} text-anchor="middle">From rank</text>
        </g>
    );
}

interface Placed {
    cell: Cell;
    /** Its number among all. */
    index: number;
}

function byRow(cells: readonly Cell[]): Placed[][] {
    const rows = new Map<number, Placed[]>();
    cells.forEach((cell, index) => rows.set(cell.from, [...(rows.get(cell.from) ?? []), { cell, index }]));
    return [...rows.values()];
}

/** The square that an arrow leads to: the next one of the row, or of the column. */
function neighbour(cells: readonly Cell[], at: number, key: string): number | undefined {
    const here = cells[at];
    if (here === undefined) return undefined;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
    if (by === undefined) return undefined;
    const isInLine = key === "ArrowDown" || key === "ArrowUp" ? ({ to }: Cell) => to === here.to : ({ from }: Cell) => from === here.from;
    for (let next = at + by; next >= 0 && next < cells.length; next += by) {
        const cell = cells[next];
        if (cell !== undefined && isInLine(cell)) return next;
    }
    return undefined;
}
