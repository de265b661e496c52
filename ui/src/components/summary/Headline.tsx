import type { Report } from "../../logic/contract";
import { commandFor } from "../../logic/missing";
import { cpuSeconds, cpuUsage } from "../../logic/program";
import { count, time } from "../../logic/quantity";
import { Absent } from "../parts/Absent";

/** The run in four numbers. */
export function Headline({ report }: { report: Report }) {
    const { program } = report.analysis;
    const usage = cpuUsage(program);
    const sampled = program.samples > 0;
    return (
        <>
            <dl class="headline">
                {program.elapsed_seconds > 0 && (
                    <div>
                        <dt>Elapsed</dt>
                        <dd data-key="program.elapsed_seconds">{time(program.elapsed_seconds)}</dd>
                    </div>
                )}
                <div>
                    <dt>CPU time</dt>
                    <dd data-key={sampled ? "program.cpu_seconds" : "cpu_seconds"}>{time(cpuSeconds(program))}</dd>
                </div>
                {usage !== undefined && (
                    <div>
                        <dt>CPUs used</dt>
                        <dd>
                            <span data-key="cpu_usage.average">{usage.average.toFixed(1)}</span> of{" "}
                            <span data-key="program.cpus_allowed">{count(program.cpus_allowed)}</span>
                        </dd>
                    </div>
                )}
                {sampled && (
                    <div>
                        <dt>Samples</dt>
                        <dd data-key="program.samples">{count(program.samples)}</dd>
                    </div>
                )}
            </dl>
            {!sampled && <Absent command={commandFor(report, "survey")}>No time is known: no samples were taken.</Absent>}
        </>
    );
}
