/** One access: its picture, what it means, and what the table has no room for. */

import { useState } from "preact/hooks";
import type { AccessFacts, OuterStride } from "../../logic/contract";
import { distance, gatherWords, meaning, strideLabel } from "../../logic/loop-page/access-words";
import { mean, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import { Bars } from "./Bars";
import { StridePicture } from "./StridePicture";
import { Maybe, Value } from "./Value";

interface CardProps {
    access: AccessFacts;
    at: number;
    line: number;
    open: boolean;
    name: string;
    where: string | undefined;
    kind: string;
    outer: { what: string; loops: OuterStride[] }[];
}

export function AccessCard({ access, at, line, open, name, where, kind, outer }: CardProps) {
    const [shown, show] = useState(open);
    const stride = distance(access.stride_elements, access.stride_bytes);
    return (
        <details class="access-card" open={open} onToggle={(event) => show(event.currentTarget.open)} data-access={at}>
            <summary>
                <code>
                    <Name text={name} longest={60} />
                </code>{" "}
                <span class="dim">
                    {kind}
                    {where !== undefined && `, line ${where}`}
                </span>{" "}
                <span class={access.pattern === "unit" || access.pattern === "uniform" ? "good" : "costly"}>
                    {access.pattern}
                    {access.pattern === "constant" && stride !== undefined && `: ${stride}`}
                </span>
            </summary>
            {/* Pictures are drawn when they are opened. */}
            {shown && <Inside access={access} at={at} line={line} outer={outer} />}
        </details>
    );
}

function Inside({ access, at, line, outer }: Pick<CardProps, "access" | "at" | "line" | "outer">) {
    return (
        <>
            <p>{meaning(access, line)}</p>
            <StridePicture access={access} line={line} />
            <Facts
                items={[
                    ["One machine iteration does", access.source_factor > 1 && <><Value at={`access.${at}.source_factor`}>{access.source_factor}</Value> iterations of the loop as written</>],
                    ["Steps", <><Value at={`access.${at}.same_line_share`}>{share(access.same_line_share)}</Value> stay on the cache line, <Value at={`access.${at}.same_page_share`}>{share(access.same_page_share)}</Value> on the page, <Value at={`access.${at}.ascending_share`}>{share(access.ascending_share)}</Value> go up</>],
                    ["Offset", access.offset_bytes !== undefined && <><Value at={`access.${at}.offset_bytes`}>{access.offset_bytes}</Value> bytes from the first access of the same array</>],
                    ["Lanes", access.gather !== undefined && <Lanes access={access} at={at} />],
                    ["Over the loops around", outer.length > 0 && <Outer outer={outer} />],
                ]}
            />
            {access.distribution.length > 0 && (access.distribution.length > 1 || access.other_share > 0) && <Distribution access={access} at={at} />}
        </>
    );
}

function Lanes({ access, at }: { access: AccessFacts; at: number }) {
    return (
        <>
            <Maybe at={`access.${at}.gather.active_lanes`} of={access.gather?.active_lanes} as={mean} /> of {access.lanes} active,{" "}
            <Maybe at={`access.${at}.gather.lines_per_execution`} of={access.gather?.lines_per_execution} as={mean} /> cache lines for each execution; {gatherWords(access).join("; ")}
        </>
    );
}

function Outer({ outer }: { outer: CardProps["outer"] }) {
    return (
        <ul class="plain">
            {outer.map(({ what, loops }, place) => (
                <li key={place}>
                    {what} over{" "}
                    {loops.map((each, at) => (
                        <span key={at}>
                            {at > 0 && ", "}
                            {each.loop_id === undefined ? <Name text={each.place} /> : <a href={address("loop", each.loop_id)}><Name text={each.place} /></a>}
                        </span>
                    ))}
                </li>
            ))}
        </ul>
    );
}

/** How often each stride occurred, for accesses that have more than one. */
function Distribution({ access, at }: { access: AccessFacts; at: number }) {
    const bars = access.distribution.map(([size, part], place) => ({ name: strideLabel(size), share: part, text: share(part), key: `access.${at}.distribution.${place}` }));
    const rest = access.other_share > 0 ? [{ name: "other strides", share: access.other_share, text: share(access.other_share), key: `access.${at}.other_share` }] : [];
    return (
        <>
            <h4>Strides of the machine's loop</h4>
            <Bars label="Strides of the machine's loop" bars={[...bars, ...rest]} />
        </>
    );
}
