import type { ProgramFacts } from "../../logic/contract";
import { binned, cpuUsage } from "../../logic/program";
import { count, share, time } from "../../logic/quantity";
import { Panel } from "../parts/Panel";

/** Bars that fit beside each other on a phone. */
const BARS = 17;

/** How many CPUs were busy for how long. */
export function CpuUsage({ program }: { program: ProgramFacts }) {
    const usage = cpuUsage(program);
    if (usage === undefined) return null;
    const bins = binned(usage, BARS);
    const total = bins.reduce((sum, bin) => sum + bin.seconds, 0);
    const largest = Math.max(...bins.map((bin) => bin.share));
    // Other programs had the CPUs for part of that time: the program was not idle.
    const none = (program.elapsed?.ready_seconds ?? 0) >= 0.01 * total ? "none" : "idle";
    const note = `${usage.average.toFixed(1)} of ${count(program.cpus_allowed)} allowed CPUs were busy on average.`;
    return (
        <Panel title="CPU usage" note={note}>
            <ol class="histogram" aria-label="Elapsed time by number of busy CPUs">
                {bins.map(({ from, to, seconds, share: part }) => (
                    <li key={from} class={from > program.cpus_allowed ? "beyond" : undefined} data-busy={from === to ? from : `${from}-${to}`}>
                        <span class="bar-room" aria-hidden="true">
                            <span class="bar" style={{ height: `${(part / largest) * 100}%` }} />
                        </span>
                        <span class="busy">{from === 0 ? none : from === to ? from : `${from}–${to}`}</span>
                        <span class="value" data-key="program.cpu_usage">
                            {seconds > 0 ? time(seconds) : "0 s"}
                        </span>
                        <span class="unseen">, {share(part)} of the time</span>
                    </li>
                ))}
            </ol>
            <p class="dim">CPUs busy at once, and for how long</p>
        </Panel>
    );
}
