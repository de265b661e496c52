/** A source loop in both states. */

import { countWords, type Change, relative, verdictBadge } from "../../logic/compare";
import type { CountChange, LoopFacts, LoopChange } from "../../logic/contract";
import { kindWords } from "../../logic/loop-words";
import { amount, ratio, ratioRange, share, timeNumber, type TimeUnit } from "../../logic/quantity";
import { functionName } from "../../logic/names";
import { address } from "../../logic/route";
import type { RatioScale } from "../../logic/ratio-scale";
import { Name } from "../parts/Name";
import { Prose } from "../parts/Prose";
import { Badge } from "../parts/Badge";
import { RatioMark } from "../parts/RatioMark";

function Seconds({ loop, unit, name }: { loop: LoopFacts | undefined; unit: TimeUnit; name: string }) {
    return (
        <td class="number" data-label={name}>
            {loop !== undefined && (
                <>
                    <span data-key={`${name}.self_seconds`}>{timeNumber(loop.self_seconds, unit)}</span>
                    <span class="dim compare-share" data-key={`${name}.self_share`}>
                        {" "}
                        {share(loop.self_share)}
                    </span>
                </>
            )}
        </td>
    );
}

function Vectors({ change: { before, after, before_counts, after_counts } }: { change: LoopChange }) {
    const [was, is] = [before && kindWords(before), after && kindWords(after)];
    const packed = [before_counts?.packed_share, after_counts?.packed_share];
    return (
        <td data-label="type">
            {was !== undefined && is !== undefined && was !== is ? `${was} → ${is}` : (is ?? was)}
            {packed[0] !== undefined && packed[1] !== undefined && packed[0] !== packed[1] && (
                <div class="dim">
                    packed <span data-key="before_counts.packed_share">{share(packed[0])}</span> → <span data-key="after_counts.packed_share">{share(packed[1])}</span>
                </div>
            )}
        </td>
    );
}

function Counts({ counted }: { counted: readonly CountChange[] }) {
    const changed = counted.filter((each) => each.before !== each.after);
    const same = counted.length - changed.length;
    return (
        <td data-label="counts">
            <ul class="compare-counts">
                {changed.map((each) => (
                    <li key={each.what} title={`${each.before} → ${each.after}`}>
                        {countWords(each.what)}{" "}
                        <span class="nowrap">
                            <span data-key={`counted.${each.what}.before`}>{amount(each.before)}</span> → <span data-key={`counted.${each.what}.after`}>{amount(each.after)}</span>
                        </span>{" "}
                        <strong class="nowrap">{relative(each)}</strong>
                    </li>
                ))}
                {same > 0 && <li class="dim">{changed.length === 0 ? `${same} counts, all the same` : `${same} the same`}</li>}
            </ul>
        </td>
    );
}

interface ChangeRowProps {
    row: Change;
    scale: RatioScale;
    unit: TimeUnit;
    counted: boolean;
    chosen: boolean;
    /** The loop of the state shown, if it has a page. */
    page: number | undefined;
}

export function ChangeRow({ row: { index, change }, scale, unit, counted, chosen, page }: ChangeRowProps) {
    const badge = verdictBadge(change.verdict);
    const name = (
        <>
            <Name text={functionName(change.after ?? change.before ?? change)} longest={40} symbol /> <span class="place"><Name text={change.place} longest={40} /></span>
        </>
    );
    return (
        <tr id={`change-${index}`} class={chosen ? "chosen" : ""} tabIndex={-1} data-change={index} data-loop={page}>
            <th scope="row">
                {page === undefined ? name : <a href={address("loop", page)}>{name}</a>}
                {change.note !== undefined && <div class="compare-note" data-key="note"><Prose text={change.note} /></div>}
            </th>
            <td data-label="verdict">
                <Badge badge={badge} name="verdict" />
            </td>
            <Seconds loop={change.before} unit={unit} name="before" />
            <Seconds loop={change.after} unit={unit} name="after" />
            <td class="number" data-label="speed-up">
                {change.speedup !== undefined && <span data-key="speedup">{ratio(change.speedup)}</span>}
                {change.interval !== undefined && (
                    <div class="dim" data-key="interval">
                        {ratioRange(change.interval)}
                    </div>
                )}
            </td>
            <td class="compare-drawn">{change.speedup !== undefined && <RatioMark scale={scale} value={change.speedup} interval={change.interval} tone={badge.tone} />}</td>
            <Vectors change={change} />
            {counted && <Counts counted={change.counted ?? []} />}
        </tr>
    );
}
