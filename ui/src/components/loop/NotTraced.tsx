import type { LoopFacts, Report } from "../../logic/contract";
import { Absent } from "../parts/Absent";

/** Why nothing was traced, and the way to traces. `looked`: a tracing run of this kind is in the state. */
export function NotTraced({ report, loop, looked, command }: { report: Report; loop: LoopFacts; looked: boolean; command: string }) {
    if (loop.not_traced !== undefined) {
        return (
            <div class="absent">
                <p>
                    Not traced: <span data-key="not_traced">{loop.not_traced}</span>
                </p>
            </div>
        );
    }
    const why = report.analysis.tracing === undefined ? "no tracing run is in this state" : looked ? "this loop was not among those that were traced, or did not run then" : "the tracing run did not look for this";
    return <Absent command={command}>Not traced: {why}.</Absent>;
}
