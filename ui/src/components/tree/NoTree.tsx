import type { Report } from "../../logic/contract";
import { collect } from "../../logic/invocation";
import { Absent } from "../parts/Absent";

/** Without call stacks there is no tree. */
export function NoTree({ report }: { report: Report }) {
    const known = report.missing.find((each) => each.what === "call stacks")?.command;
    return (
        <Absent command={known ?? collect(report.analysis, "survey --call-stacks dwarf")}>
            No call stacks were taken, so it is not known what was called from where.
        </Absent>
    );
}
