/** What and where the loop is: its place, its pieces, its nest, and the loops before and behind it. */

import type { LoopFacts } from "../../logic/contract";
import { around, neighbours, piecesOf, within } from "../../logic/loop-page/neighbours";
import { isaName } from "../../logic/loop-words";
import { sentence } from "../../logic/loop-page/words";
import { baseName } from "../../logic/names";
import { count, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Facts } from "../parts/Facts";
import { LoopLink } from "../parts/LoopLink";
import { Name } from "../parts/Name";
import type { PartProps } from "./LoopPage";
import { Nest, Pieces } from "./Nest";
import { Section } from "./Section";
import { Value } from "./Value";

export function Head({ report, loop }: PartProps) {
    const { analysis } = report;
    const pieces = piecesOf(analysis, loop)?.pieces ?? [loop];
    return (
        <Section at="head" loop={loop} title={`Loop ${loop.id}`}>
            <Badges loop={loop} />
            <p class="loop-ways">
                <a href={address("code", loop.id)}>Source and assembly</a>
                <a href={address("roofline", undefined, { loop: loop.id })}>In the roofline</a>
                <a href={address("loops")}>All loops</a>
            </p>
            <Facts
                items={[
                    ["Function", <Name key="f" text={loop.function} longest={160} />],
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
            <Neighbours {...{ report, loop }} />
        </Section>
    );
}

function Sentence({ text }: { text: string | undefined }) {
    return text === undefined ? null : <span class="dim">: {text}</span>;
}

function Badges({ loop }: { loop: LoopFacts }) {
    return (
        <ul class="badges" aria-label="At a glance">
            <li class={loop.vectorized ? "good" : "costly"} data-key="vectorized">
                {loop.vectorized ? "vectorised" : "scalar"}
            </li>
            {loop.vector !== undefined && <li data-key="vector.isa">{isaName(loop.vector.isa)}</li>}
            {loop.vector !== undefined && <li data-key="vector.bits">{loop.vector.bits} bits</li>}
            {(loop.types ?? []).length > 0 && <li data-key="types">{(loop.types ?? []).join(", ")}</li>}
            <li data-key="innermost">{loop.innermost ? "innermost" : "has inner loops"}</li>
            {loop.samples > 0 && (
                <li>
                    <Value at="self_share">{share(loop.self_share)}</Value> self
                </li>
            )}
        </ul>
    );
}

function Position({ loop }: { loop: LoopFacts }) {
    if (loop.file === undefined || loop.line === undefined) {
        return <>no source position: the module has no line information (build with -g)</>;
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

/** What the code calls in each pass, each target once. */
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

function Neighbours({ report, loop }: PartProps) {
    const { rank, hotter, cooler } = neighbours(report.analysis, loop);
    return (
        <nav class="neighbours" aria-label="Loops by self time">
            <span>{hotter !== undefined && <>‹ hotter: <LoopLink loop={hotter} longest={30} /></>}</span>
            <span class="dim">
                {count(rank)} of {count(report.analysis.loops.length)} by self time
            </span>
            <span>{cooler !== undefined && <>cooler: <LoopLink loop={cooler} longest={30} /> ›</>}</span>
        </nav>
    );
}
