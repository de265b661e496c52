/** Speed-ups of several builds on one axis, with a band for what is not claimed; each row opens to what the build is made of. */

import { type ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { TRIED_OUTCOMES, TRIED_TONES } from "../../logic/contract/words";
import { type GainRow, gainScale, gainWords, pictureWords } from "../../logic/gains";
import { elided } from "../../logic/names";
import { ratio } from "../../logic/quantity";
import type { RatioScale } from "../../logic/ratio-scale";
import { Name } from "./Name";
import { Prose } from "./Prose";
import { MarkLegend, TrialAxis, TrialMark } from "./TrialMark";
import { usePrinting } from "./usePrinting";
import { useWidth } from "./useWidth";

/** Pixels below which the drawing has room for fewer labels. */
const NARROW = 460;

interface GainChartProps {
    rows: readonly GainRow[];
    claimedFrom: number;
    /** What is compared with what, for screen readers. */
    label: string;
    /** What a row opens to. */
    more: (row: GainRow) => ComponentChildren;
}

export function GainChart({ rows, claimedFrom, label, more }: GainChartProps) {
    const axis = useRef<HTMLDivElement>(null);
    const narrow = useWidth(axis) < NARROW;
    const scale = useMemo(() => gainScale(rows, claimedFrom, narrow), [rows, claimedFrom, narrow]);
    const printing = usePrinting();
    return (
        <div class="gain-chart">
            <MarkLegend rough={rows.some(({ rough }) => rough)} noise={`no gain is claimed: up to ${ratio(claimedFrom)} the unchanged build differs from itself`} />
            <div class="gain-head" aria-hidden="true">
                <span />
                <div ref={axis}>
                    <TrialAxis scale={scale} />
                </div>
                <span />
            </div>
            <ul class="gain-rows" aria-label={`${label}: ${pictureWords(rows, claimedFrom)}`}>
                {rows.map((row) => (
                    <Row key={row.at} row={row} scale={scale} claimedFrom={claimedFrom} printing={printing} more={more} />
                ))}
            </ul>
            <Claim scale={scale} claimedFrom={claimedFrom} />
        </div>
    );
}

function Row({ row, scale, claimedFrom, printing, more }: Omit<GainChartProps, "rows" | "label"> & { row: GainRow; scale: RatioScale; printing: boolean }) {
    const { at, name, tried, rough, mark } = row;
    const tone = rough ? "" : TRIED_TONES[tried.outcome];
    // A figure alone would look like a gain, and an empty row like a mistake.
    const isOdd = tried.outcome === "wrong-answer" || tried.measured_median === undefined;
    return (
        <li class={mark === undefined ? "gain-row" : "gain-row marked"} data-trial={at}>
            <details open={printing}>
                <summary>
                    <span class="gain-name">
                        <Name text={name} /> {mark !== undefined && <span class={`badge ${tone}`}>{mark}</span>}
                        {isOdd && <span class={`badge ${tone}`}>{TRIED_OUTCOMES[tried.outcome]}</span>}
                    </span>
                    <TrialMark scale={scale} tried={tried} noise={claimedFrom} tone={tone} rough={rough} />
                    <span class="gain-value">
                        {tried.measured_median !== undefined && <span data-key={`${at}.measured_median`}>{ratio(tried.measured_median)}</span>}
                    </span>
                </summary>
                <div class="gain-more">
                    <p class="dim">{gainWords(row)}</p>
                    {tried.note !== undefined && <p><Prose text={elided(tried.note, 500)} /></p>}
                    {more(row)}
                </div>
            </details>
        </li>
    );
}

/** Where gains begin that are claimed, under the drawing; on the side on which there is room. */
function Claim({ scale, claimedFrom }: { scale: RatioScale; claimedFrom: number }) {
    const at = scale.at(claimedFrom);
    return (
        <div class="gain-foot" aria-hidden="true">
            <span />
            <div class="claim">
                <span class={at > 0.5 ? "before" : undefined} style={{ left: `${(100 * at).toFixed(2)}%` }}>
                    claimed from {ratio(claimedFrom)}
                </span>
            </div>
            <span />
        </div>
    );
}
