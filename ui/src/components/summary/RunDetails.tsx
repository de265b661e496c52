import type { ComponentChildren } from "preact";
import type { ElapsedFacts, KernelFacts, ProgramFacts } from "../../logic/contract";
import { commandLine, moment, threadsAndProcesses, waitName } from "../../logic/program";
import { bytes, count, share, time } from "../../logic/quantity";
import { Command } from "../parts/Command";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";

/** Causes that are named. */
const NAMED = 3;

/** Time in which every thread was blocked, and in what. */
function Blocked({ elapsed }: { elapsed: ElapsedFacts }) {
    const causes = (elapsed.held_up ?? []).slice(0, NAMED).map(waitName);
    return (
        <>
            <span data-key="program.elapsed.blocked_seconds">{time(elapsed.blocked_seconds)}</span>
            {causes.length > 0 && ` in ${causes.join(", ")}`}
        </>
    );
}

/** Who asked the kernel most. */
function callers(kernel: KernelFacts): string {
    const named = (kernel.callers ?? []).slice(0, NAMED);
    const names = named.map((each) => (each.caller === undefined ? each.function : `${each.function} in ${each.caller}`));
    return `called by ${names.join(", ")}`;
}

/** Everything else that is known of the run. */
export function RunDetails({ program }: { program: ProgramFacts }) {
    const fact = (key: keyof ProgramFacts, text: ComponentChildren) => <span data-key={`program.${key}`}>{text}</span>;
    return (
        <Panel title="Run">
            <Command text={commandLine(program.command)} />
            <Facts
                items={[
                    ["Outcome", fact("outcome", program.outcome)],
                    ["Started", fact("started", moment(program.started))],
                    ["Host", fact("host", program.host)],
                    ["Threads", threadsAndProcesses(program)],
                    ["Ranks", (program.ranks > 1 || program.ranks_started !== undefined) && fact("ranks", count(program.ranks))],
                    ["Ranks started", program.ranks_started !== undefined && fact("ranks_started", count(program.ranks_started))],
                    ["User time", fact("user_seconds", time(program.user_seconds))],
                    ["System time", fact("system_seconds", time(program.system_seconds))],
                    ["Kernel", program.kernel !== undefined && program.kernel.callers !== undefined && callers(program.kernel)],
                    ["Blocked", program.elapsed !== undefined && <Blocked elapsed={program.elapsed} />],
                    [
                        "Ready, no CPU",
                        program.elapsed !== undefined && program.elapsed.ready_seconds > 0 && (
                            <span data-key="program.elapsed.ready_seconds">{time(program.elapsed.ready_seconds)}</span>
                        ),
                    ],
                    [
                        "Other programs",
                        program.load?.busy === true && (
                            <>
                                <span data-key="program.load.other_cpus">{program.load.other_cpus.toFixed(1)}</span> CPUs on average: the machine was busy
                            </>
                        ),
                    ],
                    [
                        "Page faults",
                        <>
                            {fact("minor_faults", count(program.minor_faults))} minor, {fact("major_faults", count(program.major_faults))} major
                        </>,
                    ],
                    ["Peak memory", program.peak_resident_bytes > 0 && fact("peak_resident_bytes", bytes(program.peak_resident_bytes))],
                    ["Sampler", program.samples > 0 && fact("sampler", program.sampler)],
                    ["Samples lost", program.lost_samples > 0 && fact("lost_samples", count(program.lost_samples))],
                    ["In unknown code", program.unresolved_share >= 0.001 && fact("unresolved_share", share(program.unresolved_share))],
                    ["Overhead", program.samples > 0 && fact("overhead_share", share(program.overhead_share))],
                ]}
            />
        </Panel>
    );
}
