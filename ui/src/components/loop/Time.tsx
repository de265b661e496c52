/** The loop's time, and who spent it. */

import type { LoopFacts } from "../../logic/contract";
import { survey } from "../../logic/loop-page/commands";
import { counted, share, time } from "../../logic/quantity";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { ShareBar } from "../parts/ShareBar";
import { ByThread } from "./ByThread";
import type { PartProps } from "./LoopPage";
import { Reached } from "./Reached";
import { Section } from "./Section";
import { Value } from "./Value";

export function Time({ report, loop }: PartProps) {
    if (report.analysis.program.samples === 0) {
        return (
            <Section at="time" loop={loop}>
                <Absent command={survey(report.analysis)}>Not measured: this state has counts but no survey.</Absent>
                {loop.by_thread !== undefined && <ByThread threads={loop.by_thread} />}
            </Section>
        );
    }
    return (
        <Section at="time" loop={loop} how="Measured by sampling.">
            {loop.samples > 0 ? <Spent loop={loop} /> : <p>No sample hit this loop: it takes too little time to be seen.</p>}
            {loop.by_thread === undefined ? (
                loop.samples > 0 && loop.threads <= 1 && <p class="dim">One thread did it all.</p>
            ) : (
                <ByThread threads={loop.by_thread} />
            )}
            <Reached report={report} loop={loop} />
        </Section>
    );
}

function Spent({ loop }: { loop: LoopFacts }) {
    const kind = loop.vectorized ? "vectorised" : "scalar";
    return (
        <Facts
            items={[
                ["Self", <><Value at="self_share"><ShareBar value={loop.self_share} kind={kind} /></Value> <Value at="self_seconds">{time(loop.self_seconds)}</Value> in <Value at="samples">{counted(loop.samples, "sample", "samples")}</Value></>],
                ["Total", <><Value at="total_share"><ShareBar value={loop.total_share} kind={kind} /></Value> <Value at="total_seconds">{time(loop.total_seconds)}</Value> with inner loops and what it calls</>],
                ["Threads", <Value key="threads" at="threads">{counted(loop.threads, "thread", "threads")}</Value>],
                ["In callees", loop.callee_share > 0 && <><Value at="callee_share">{share(loop.callee_share)}</Value> of the samples below this loop are in what it calls</>],
                ["Serial", loop.serial_share !== undefined && <><Value at="serial_share">{share(loop.serial_share)}</Value> of the elapsed time it ran with only one CPU busy</>],
            ]}
        />
    );
}
