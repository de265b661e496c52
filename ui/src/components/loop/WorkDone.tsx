/** What the loop executed: instructions, operations, bytes. */

import type { LoopFacts, WorkRow } from "../../logic/contract";
import { counts } from "../../logic/loop-page/commands";
import { classes } from "../../logic/loop-page/words";
import { count, rate, share } from "../../logic/quantity";
import { className } from "../../logic/work-words";
import { TableRegion } from "../parts/TableRegion";
import { Facts } from "../parts/Facts";
import { Fold } from "../parts/Fold";
import { Bars } from "./Bars";
import type { PartProps } from "./LoopPage";
import { NotCounted } from "./NotCounted";
import { Section } from "./Section";
import { Value } from "./Value";

export function WorkDone({ report, loop }: PartProps) {
    const { work, total_work: total } = loop;
    return (
        <Section at="work" loop={loop} how={work === undefined ? undefined : "Counted over the whole run."}>
            {work === undefined ? (
                <NotCounted report={report} loop={loop} command={counts(report.analysis)} />
            ) : (
                <>
                    <Numbers own={work} all={loop.innermost ? undefined : total} />
                    {(work.flop_is_bound === true || total?.flop_is_bound === true) && (
                        <p class="caution-note">
                            FLOP and bytes are upper bounds (≤): {count(work.bound_flop ?? total?.bound_flop ?? 0)} FLOP were counted for all lanes, because the mask was not known.
                        </p>
                    )}
                    <Executed work={work} />
                </>
            )}
            <OnePass loop={loop} />
        </Section>
    );
}

type Row = readonly [label: string, key: keyof WorkRow, value: (work: WorkRow) => string | undefined];

const whole = (key: keyof WorkRow, always = false) => (work: WorkRow) => {
    const value = work[key];
    return typeof value === "number" && (always || value > 0) ? count(value) : undefined;
};
const bounded = (key: keyof WorkRow, always = false) => (work: WorkRow) => {
    const text = whole(key, always)(work);
    return text !== undefined && work.flop_is_bound === true ? `≤ ${text}` : text;
};
const part = (key: keyof WorkRow) => (work: WorkRow) => {
    const value = work[key];
    return typeof value === "number" ? share(value) : undefined;
};
const ratioOf = (key: keyof WorkRow) => (work: WorkRow) => {
    const value = work[key];
    return typeof value === "number" ? rate(value) : undefined;
};

const ROWS: readonly Row[] = [
    ["Instructions", "instructions", whole("instructions", true)],
    ["FLOP", "flop", bounded("flop", true)],
    ["FLOP in f16", "flop_f16", bounded("flop_f16")],
    ["FLOP in bf16", "flop_bf16", bounded("flop_bf16")],
    ["FLOP in f32", "flop_f32", bounded("flop_f32")],
    ["FLOP in f64", "flop_f64", bounded("flop_f64")],
    ["FLOP in x87", "flop_f80", bounded("flop_f80")],
    ["of the FLOP packed", "packed_share", part("packed_share")],
    ["of the FLOP in FMA", "fma_share", part("fma_share")],
    ["Integer operations", "int_ops", whole("int_ops")],
    ["of these packed", "packed_int_share", part("packed_int_share")],
    ["Bytes loaded", "bytes_loaded", bounded("bytes_loaded", true)],
    ["Bytes stored", "bytes_stored", bounded("bytes_stored", true)],
    ["Bytes past the caches", "bytes_streamed", bounded("bytes_streamed")],
    ["FLOP per byte", "intensity", ratioOf("intensity")],
    ["Integer operations per byte", "int_intensity", ratioOf("int_intensity")],
];

function Numbers({ own, all }: { own: WorkRow; all: WorkRow | undefined }) {
    const rows = ROWS.filter(([, , value]) => value(own) !== undefined || (all !== undefined && value(all) !== undefined));
    return (
        <TableRegion label="Work in numbers">
            <table class="work">
                <thead>
                    <tr>
                        <th scope="col">
                            <span class="unseen">What</span>
                        </th>
                        <th scope="col">Own</th>
                        {all !== undefined && <th scope="col">With inner loops</th>}
                    </tr>
                </thead>
                <tbody>
                    {rows.map(([label, key, value]) => (
                        <tr key={key}>
                            <th scope="row">{label}</th>
                            <Cell at={`work.${key}`} text={value(own)} />
                            {all !== undefined && <Cell at={`total_work.${key}`} text={value(all)} />}
                        </tr>
                    ))}
                </tbody>
            </table>
        </TableRegion>
    );
}

function Cell({ at, text }: { at: string; text: string | undefined }) {
    return (
        <td class="number" data-key={text === undefined ? undefined : at}>
            {text ?? ""}
        </td>
    );
}

function Executed({ work }: { work: WorkRow }) {
    const mix = classes(work.mix, work.instructions);
    if (mix.length === 0) return null;
    return (
        <Fold title="Executed instructions by class">
            <Bars
                label="Executed instructions by class"
                bars={mix.map((each) => ({ name: className(each.name), share: each.share, text: share(each.share), key: `work.mix.${each.name}` }))}
            />
        </Fold>
    );
}

/** Static sums, known without a counting run. */
function OnePass({ loop }: { loop: LoopFacts }) {
    const flop = Object.entries(loop.flop_per_iteration ?? {});
    return (
        <Fold title="One machine iteration (read from the binary)">
            <Facts
                items={[
                    ["Loaded", <><Value at="bytes_loaded_per_iteration">{count(loop.bytes_loaded_per_iteration)}</Value> bytes</>],
                    ["Stored", <><Value at="bytes_stored_per_iteration">{count(loop.bytes_stored_per_iteration)}</Value> bytes</>],
                    ...flop.map(([type, number]) => [`FLOP in ${type}`, <Value key={type} at={`flop_per_iteration.${type}`}>{count(number)}</Value>] as const),
                ]}
            />
        </Fold>
    );
}
