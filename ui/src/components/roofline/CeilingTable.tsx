import { rate } from "../../logic/quantity";
import type { CeilingLine } from "../../logic/roofline/ceilings";
import { TableRegion } from "../parts/TableRegion";

/** The ceilings that are drawn, in numbers. */
export function CeilingTable({ lines }: { lines: readonly CeilingLine[] }) {
    if (lines.length === 0) return null;
    return (
        <details class="ceiling-table">
            <summary>Ceilings in numbers</summary>
            <TableRegion label="Ceilings">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Ceiling</th>
                            <th scope="col">Benchmark</th>
                            <th scope="col" class="number">Cores</th>
                            <th scope="col" class="number">Measured</th>
                        </tr>
                    </thead>
                    <tbody>
                        {lines.map((line) => (
                            <tr key={`${line.name} ${line.cores}`}>
                                <th scope="row">{line.name}</th>
                                <td>{line.kind === "memory" ? line.kernel : ""}</td>
                                <td class="number">{line.cores}</td>
                                {line.kind === "memory" ? <td class="number" data-key="gbytes">{rate(line.gbytes)} GB/s</td> : <td class="number" data-key="gflops">{rate(line.gflops)} GFLOP/s</td>}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </details>
    );
}
