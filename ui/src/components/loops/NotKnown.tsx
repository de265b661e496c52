import type { Report } from "../../logic/contract";
import { COLUMNS } from "../../logic/loop-columns";
import type { LoopTable } from "../../logic/loop-table";
import { type Collection, commandFor } from "../../logic/missing";
import { Absent } from "../parts/Absent";

/** Columns of which nothing is known, and the commands that would fill them. */
export function NotKnown({ report, table }: { report: Report; table: LoopTable }) {
    const { analysis } = report;
    const lacking: Collection[] = [];
    if (analysis.program.samples === 0) lacking.push("survey");
    if (analysis.counts === undefined) lacking.push("tripcounts");
    if (analysis.tracing?.strides !== true) lacking.push("map");
    if (analysis.tracing?.dependences !== true) lacking.push("dependencies");
    if (analysis.counts !== undefined && analysis.machine?.ceilings === undefined) lacking.push("machine");
    const titles = (collection: Collection): string => {
        // How far a loop is from its ceiling needs counts and ceilings.
        const filled = COLUMNS.filter((column) => (column.from === collection || (collection === "machine" && column.id === "roofline")) && !table.has(column));
        return filled.map((column) => column.title).join(", ");
    };
    const absent = lacking.map((collection) => ({ collection, columns: titles(collection) })).filter(({ columns }) => columns !== "");
    if (absent.length === 0) return null;
    return (
        <section class="not-known" aria-label="Columns without data">
            {absent.map(({ collection, columns }) => (
                <Absent key={collection} command={commandFor(report, collection)}>
                    Not known: {columns}.
                </Absent>
            ))}
        </section>
    );
}
