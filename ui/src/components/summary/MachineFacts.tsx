import { type CeilingTable, bandwidthCeilings, flopCeilings, peaks, reads } from "../../logic/ceilings";
import type { Ceilings as Measured, Report } from "../../logic/contract";
import { isaName } from "../../logic/loop-words";
import { commandFor } from "../../logic/missing";
import { bytes, count, rate } from "../../logic/quantity";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { usePrinting } from "../parts/usePrinting";

/** The machine, and what it was measured to be able to do. */
export function MachineFacts({ report }: { report: Report }) {
    const { machine } = report.analysis;
    if (machine === undefined) return null;
    const { ceilings } = machine;
    return (
        <Panel title="Machine">
            <Facts
                items={[
                    ["Processor", machine.name],
                    ["CPUs", <span data-key="machine.cpus">{count(machine.cpus)}</span>],
                    [
                        "Instruction set",
                        machine.isa !== undefined && (
                            <>
                                <span data-key="machine.isa">{isaName(machine.isa)}</span> {machine.fma ? "with" : "without"} FMA,{" "}
                                <span data-key="machine.vector_bits">{machine.vector_bits}</span>-bit vectors
                            </>
                        ),
                    ],
                    ["Caches", machine.cache_bytes.map((size, level) => `L${level + 1} ${bytes(size)}`).join(", ")],
                    ["Cache line", machine.line_bytes > 0 && bytes(machine.line_bytes)],
                ]}
            />
            {ceilings === undefined ? (
                <Absent command={commandFor(report, "machine")}>Ceilings were not measured: how far loops are from them is not known.</Absent>
            ) : (
                <MeasuredCeilings ceilings={ceilings} />
            )}
        </Panel>
    );
}

/** What a reader compares a loop with; all that was measured is one click away. */
function MeasuredCeilings({ ceilings }: { ceilings: Measured }) {
    const printing = usePrinting();
    return (
        <>
            <div class="ceilings">
                <Ceilings title="Reading, GB/s" path="machine.ceilings.bandwidths" unit="gbytes" table={reads(ceilings)} />
                <Ceilings title="Peak arithmetic, GFLOP/s" path="machine.ceilings.flops" unit="gflops" table={peaks(ceilings)} />
            </div>
            <details open={printing || undefined}>
                <summary>All {count(ceilings.flops.length + ceilings.bandwidths.length)} measured ceilings</summary>
                <div class="ceilings">
                    <Ceilings title="Bandwidth, GB/s" path="machine.ceilings.bandwidths" unit="gbytes" table={bandwidthCeilings(ceilings)} />
                    <Ceilings title="Arithmetic, GFLOP/s" path="machine.ceilings.flops" unit="gflops" table={flopCeilings(ceilings)} />
                </div>
            </details>
        </>
    );
}

function Ceilings({ title, path, unit, table }: { title: string; path: string; unit: string; table: CeilingTable }) {
    if (table.rows.length === 0) return null;
    return (
        <TableRegion label={title}>
            <table>
                <caption>{title}</caption>
                <thead>
                    <tr>
                        <th scope="col">Measured</th>
                        {table.cores.map((cores) => (
                            <th key={cores} scope="col" class="number">
                                {cores === 1 ? "1 core" : `${cores} cores`}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {table.rows.map((row) => (
                        <tr key={row.name}>
                            <th scope="row">{row.name}</th>
                            {row.cells.map((cell, at) => (
                                <td key={table.cores[at]} class="number" data-key={cell && `${path}.${cell.index}.${unit}`}>
                                    {cell && rate(cell.value)}
                                    {cell?.by !== undefined && <span class="reached-by"> {cell.by}</span>}
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </TableRegion>
    );
}
