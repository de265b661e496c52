import type { LoopFacts, Report } from "../../logic/contract";
import { Absent } from "../parts/Absent";

/** Why nothing was counted, and the way to counts. */
export function NotCounted({ report, loop, command }: { report: Report; loop: LoopFacts; command: string }) {
    if (loop.not_counted !== undefined) {
        return (
            <div class="absent">
                <p>
                    Not counted: <span data-key="not_counted">{loop.not_counted}</span>
                </p>
            </div>
        );
    }
    return (
        <Absent command={command}>
            {report.analysis.counts === undefined ? "Not counted: no counting run is in this state." : "Not counted: this loop was not among what was counted, or did not run then."}
        </Absent>
    );
}
