/** How far the loop is from what the machine can do. */

import type { RooflinePoint } from "../../logic/contract";
import { CEILINGS, counts, survey } from "../../logic/loop-page/commands";
import { achieved, operations, unit } from "../../logic/loop-page/roofline-words";
import { provenance } from "../../logic/loop-page/words";
import { counted, rate, ratio } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import type { PartProps } from "./LoopPage";
import { NotCounted } from "./NotCounted";
import { Levels, Roofs } from "./Roofs";
import { Section } from "./Section";
import { Maybe, Value } from "./Value";

export function RooflinePosition({ report, loop }: PartProps) {
    const point = loop.roofline;
    const { analysis } = report;
    if (point === undefined) {
        return (
            <Section at="roofline" loop={loop}>
                <NotCounted report={report} loop={loop} command={counts(analysis)} />
            </Section>
        );
    }
    const how = point.provenance === undefined ? undefined : `The position is ${provenance(point.provenance)}.`;
    return (
        <Section at="roofline" loop={loop} how={how}>
            <Position point={point} />
            {analysis.program.samples === 0 && <Absent command={survey(analysis)}>Without a survey there is no time, and so no rate.</Absent>}
            {analysis.machine?.ceilings === undefined && <Absent command={CEILINGS}>The machine's ceilings were not measured; this does it, once:</Absent>}
            <Roofs point={point} />
            <Levels point={point} />
            <p>
                <a href={address("roofline", undefined, { loop: loop.id })}>Show it among the others in the roofline</a>
            </p>
        </Section>
    );
}

function Position({ point }: { point: RooflinePoint }) {
    const reached = achieved(point);
    const others = ([["gbytes_per_second", "GB/s"], ["ginstructions", "10^9 instructions/s"]] as const).filter(([key]) => key !== reached?.key && point[key] !== undefined);
    return (
        <Facts
            items={[
                ["Intensity", point.intensity !== undefined && <><Value at="roofline.intensity">{rate(point.intensity)}</Value> {operations(point.kind)} per byte</>],
                ["Achieved", reached !== undefined && <><Value at={`roofline.${reached.key}`}>{rate(reached.value)}</Value> {unit(point.kind)}</>],
                ["Also", others.length > 0 && others.map(([key, name], at) => <span key={key}>{at > 0 && ", "}<Maybe at={`roofline.${key}`} of={point[key]} as={rate} /> {name}</span>)],
                ["Cores", point.cores !== undefined && <>on <Value at="roofline.cores">{counted(point.cores, "core", "cores")}</Value></>],
                ["Bound by", point.bound !== undefined && <><Value at="roofline.bound">{point.bound}</Value>{point.bound_kind !== undefined && ` (${point.bound_kind})`}</>],
                ["Ceiling", point.ceiling !== undefined && <><Value at="roofline.ceiling">{rate(point.ceiling)}</Value> {unit(point.kind)}</>],
                ["Headroom", point.headroom !== undefined && <strong class={point.headroom <= 2 ? "good" : "costly"}><Value at="roofline.headroom">{ratio(point.headroom)}</Value></strong>],
                ["Why", point.how],
            ]}
        />
    );
}
