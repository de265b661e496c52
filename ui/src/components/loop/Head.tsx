/** What and where the loop is: its place, its pieces, its nest. */

import type { LoopFacts } from "../../logic/contract";
import { NO_SOURCE_POSITION } from "../../logic/contract/words";
import { around, piecesOf, within } from "../../logic/loop-page/neighbours";
import { sentence } from "../../logic/loop-page/words";
import { baseName, functionName } from "../../logic/names";
import { count } from "../../logic/quantity";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import type { PartProps } from "./LoopPage";
import { Nest, Pieces } from "./Nest";
import { Section } from "./Section";
import { Value } from "./Value";

export function Head({ report, loop }: PartProps) {
    const { analysis } = report;
    const pieces = piecesOf(analysis, loop)?.pieces ?? [loop];
    return (
        <Section at="head" loop={loop}>
            <Facts
                items={[
                    ["Function", <FunctionNames key="f" loop={loop} />],
                    ["Position", <Position key="p" loop={loop} />],
                    ["Module", <><Name text={loop.module} longest={100} /> at <Value at="address">{loop.address}</Value>{!loop.main_module && ", a library"}</>],
                    ["Role", <><Value at="role">{loop.role}</Value><Sentence text={sentence(report, "role", loop.role)} /></>],
                    ["Pieces", pieces.length > 1 && <Pieces pieces={pieces} loop={loop} />],
                    ["Nest", <Nest key="n" loop={loop} outer={around(analysis, loop)} inner={within(analysis, loop)} />],
                    ["Inlined from", (loop.inlined_from ?? []).length > 0 && <InlinedFrom loop={loop} />],
                    ["Calls", (loop.calls ?? []).length > 0 && <Calls loop={loop} />],
                    ["Built by", loop.producer !== undefined && <Name text={loop.producer} longest={400} />],
                ]}
            />
        </Section>
    );
}

function Sentence({ text }: { text: string | undefined }) {
    return text === undefined ? null : <span class="dim">: {text}</span>;
}

/** The function in which the loop is written, and the one that holds its code where that is another. */
function FunctionNames({ loop }: { loop: LoopFacts }) {
    return (
        <>
            <Name text={functionName(loop)} longest={160} />
            {loop.written_in !== undefined && <span class="dim">, inlined into <Name text={loop.function} longest={160} /></span>}
        </>
    );
}

function Position({ loop }: { loop: LoopFacts }) {
    if (loop.file === undefined || loop.line === undefined) {
        return <>{NO_SOURCE_POSITION}</>;
    }
    const [from, to] = loop.lines ?? [loop.line, loop.line];
    return (
        <>
            <Name text={loop.file} longest={120} />:<Value at="line">{loop.line}</Value>
            {loop.column !== undefined && loop.column > 0 && <>:<Value at="column">{loop.column}</Value></>}
            {from !== to && <>, lines <Value at="lines">{`${from} to ${to}`}</Value></>}
        </>
    );
}

function InlinedFrom({ loop }: { loop: LoopFacts }) {
    return (
        <ol class="plain">
            {(loop.inlined_from ?? []).map(({ function: name, call_site: site }, at) => (
                <li key={at} data-key={`inlined_from.${at}`}>
                    <Name text={name} longest={120} />
                    {site !== undefined && <>, called at <Name text={`${baseName(site.file)}:${site.line}`} /></>}
                </li>
            ))}
        </ol>
    );
}

/** What the code calls in each iteration, each target once. */
function Calls({ loop }: { loop: LoopFacts }) {
    const sites = new Map<string, number>();
    for (const { target } of loop.calls ?? []) sites.set(target ?? "a pointer", (sites.get(target ?? "a pointer") ?? 0) + 1);
    return (
        <ul class="plain" data-key="calls">
            {[...sites].map(([name, times]) => (
                <li key={name}>
                    <Name text={name} longest={120} />
                    {times > 1 && ` from ${count(times)} places`}
                </li>
            ))}
        </ul>
    );
}
