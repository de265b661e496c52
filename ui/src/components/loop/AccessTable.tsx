/** The accesses in numbers. */

import type { AccessFacts, LoopFacts } from "../../logic/contract";
import { distance, kind, lineOf, operand } from "../../logic/loop-page/access-words";
import { bytes, count, share } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { TableRegion } from "../parts/TableRegion";
import { Value } from "./Value";

/** Above this share of executions, misalignment and splits are worth a colour; below this use of lines, waste is. */
const FREQUENT = 0.05;
const WASTEFUL = 0.5;

export function AccessTable({ loop, rows }: { loop: LoopFacts; rows: readonly { access: AccessFacts; at: number }[] }) {
    return (
        <TableRegion label="Memory accesses in numbers">
            <table class="accesses">
                <thead>
                    <tr>
                        <th scope="col">Line</th>
                        <th scope="col">Access</th>
                        <th scope="col">Operand</th>
                        <th scope="col">Pattern</th>
                        <th scope="col">Stride</th>
                        <th scope="col">Machine's stride</th>
                        <th scope="col">Element</th>
                        <th scope="col">Operand of</th>
                        <th scope="col">Lines used</th>
                        <th scope="col">Footprint</th>
                        <th scope="col">Unaligned</th>
                        <th scope="col">Line splits</th>
                        <th scope="col">Page splits</th>
                        <th scope="col">Executions</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map(({ access, at }) => (
                        <Row key={at} loop={loop} access={access} at={at} />
                    ))}
                </tbody>
            </table>
        </TableRegion>
    );
}

function Row({ loop, access, at }: { loop: LoopFacts; access: AccessFacts; at: number }) {
    const key = (name: keyof AccessFacts): string | undefined => (access[name] === undefined ? undefined : `access.${at}.${name}`);
    const rare = (name: "unaligned_share" | "line_split_share" | "page_split_share") => (
        <td class={`number ${access[name] > FREQUENT ? "costly" : ""}`} data-key={key(name)}>
            {share(access[name])}
        </td>
    );
    return (
        <tr class={access.frame === true ? "dim" : undefined} data-access={at}>
            <td class="number" data-key={key("line")}>
                {lineOf(loop, access.file, access.line)}
            </td>
            <td data-key={key("kind")}>{kind(access)}</td>
            <th scope="row">
                <Name text={operand(access)} longest={60} />
                {access.frame === true && " (frame)"}
            </th>
            <td class={access.frame === true ? "" : access.pattern === "unit" || access.pattern === "uniform" ? "good" : "costly"} data-key={key("pattern")}>
                {access.pattern}
            </td>
            <td class="number">
                <Stride access={access} at={at} />
            </td>
            <td class="number" data-key={key("machine_stride_bytes")}>
                {access.machine_stride_bytes === undefined ? "" : `${access.machine_stride_bytes} B`}
            </td>
            <td class="number" data-key={key("element_bytes")}>
                {access.element_bytes} B
            </td>
            <td class="number" data-key={key("operand_bytes")}>
                {access.operand_bytes === 0 ? "varies" : `${access.operand_bytes} B`}
                {access.lanes > 1 && `, ${access.lanes} lanes`}
            </td>
            <td class={`number ${access.utilisation !== undefined && access.utilisation < WASTEFUL ? "costly" : ""}`} data-key={key("utilisation")}>
                {access.utilisation === undefined ? "" : share(access.utilisation)}
            </td>
            <td class="number" data-key={key("footprint_bytes")}>
                {access.footprint_bytes === undefined ? "" : bytes(access.footprint_bytes)}
            </td>
            {rare("unaligned_share")}
            {rare("line_split_share")}
            {rare("page_split_share")}
            <td class="number" data-key={key("executions")}>
                {count(access.executions)}
            </td>
        </tr>
    );
}

/** In elements where it is a whole number of them, and in bytes. */
function Stride({ access, at }: { access: AccessFacts; at: number }) {
    const { stride_bytes: size, stride_elements: elements } = access;
    if (size === undefined) return <>varies</>;
    const inBytes = <Value at={`access.${at}.stride_bytes`}>{size} B</Value>;
    if (elements === undefined) return inBytes;
    return (
        <>
            <Value at={`access.${at}.stride_elements`}>{distance(elements, undefined)}</Value> ({inBytes})
        </>
    );
}
