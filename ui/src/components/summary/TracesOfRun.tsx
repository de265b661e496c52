import type { Report } from "../../logic/contract";
import { commandFor } from "../../logic/missing";
import { bytes, count, time } from "../../logic/quantity";
import { tracedExtent, tracedWhat } from "../../logic/work-words";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";

/** The tracing run as a whole. */
export function TracesOfRun({ report }: { report: Report }) {
    const { tracing } = report.analysis;
    if (tracing === undefined) {
        return (
            <Panel title="Traces">
                <Absent command={commandFor(report, "map")}>No memory accesses were traced in this state: strides, cache behaviour and dependences are not known.</Absent>
            </Panel>
        );
    }
    return (
        <Panel title="Traces">
            <Facts
                items={[
                    ["Traced", tracedWhat(tracing)],
                    ["Extent", tracedExtent(tracing)],
                    ["Run", <span data-key="tracing.elapsed_seconds">{time(tracing.elapsed_seconds)}</span>],
                    ["Analysis", <><span data-key="tracing.analysis_seconds">{time(tracing.analysis_seconds)}</span> of CPU time</>],
                    ["Trace at a time", <>at most <span data-key="tracing.trace_bytes">{bytes(tracing.trace_bytes)}</span></>],
                    ["NUMA nodes", tracing.nodes > 1 && <span data-key="tracing.nodes">{count(tracing.nodes)}</span>],
                    ...tracing.hierarchies.map(
                        ({ name, levels }) =>
                            [
                                `Caches of ${name}`,
                                levels.map((level) => `${level.name} ${bytes(level.lines * level.line_bytes)}, ${level.ways} ways`).join("; "),
                            ] as const,
                    ),
                ]}
            />
            {!tracing.dependences && <Absent command={commandFor(report, "dependencies")}>Dependences were not looked for.</Absent>}
        </Panel>
    );
}
