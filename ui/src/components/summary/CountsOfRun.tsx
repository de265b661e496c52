import type { ComponentChildren } from "preact";
import type { CountingFacts, Report } from "../../logic/contract";
import { CUT_SHORT } from "../../logic/contract/words";
import { commandFor } from "../../logic/missing";
import { amount, count, counted, rate, ratio, share, time } from "../../logic/quantity";
import { atMost, byteCount, className, flopByType, mixShares, packedInt } from "../../logic/work-words";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";
import { LeftAlone } from "./LeftAlone";

/** What the whole program executed. */
export function CountsOfRun({ report }: { report: Report }) {
    const { counts } = report.analysis;
    return (
        <Panel title="Counts of the whole run">
            {counts === undefined ? (
                <Absent command={commandFor(report, "tripcounts")}>Nothing was counted in this state.</Absent>
            ) : (
                <Counted counts={counts} />
            )}
        </Panel>
    );
}

function Counted({ counts }: { counts: CountingFacts }) {
    const { work } = counts;
    const fact = (key: string, text: ComponentChildren) => <span data-key={`counts.${key}`}>{text}</span>;
    const bound = atMost(work.flop_is_bound);
    const known = (value: number | undefined, key: string, words: (value: number) => string) => value !== undefined && fact(key, words(value));
    const extent = [
        counted(counts.loops, "loop", "loops"),
        counted(counts.functions, "function", "functions"),
        counted(counts.threads, "thread", "threads"),
        ...(counts.processes > 1 ? [counted(counts.processes, "process", "processes")] : []),
        ...(counts.runs > 1 ? [counted(counts.runs, "counting run", "counting runs")] : []),
    ];
    return (
        <>
            <Facts
                items={[
                    ["Instructions", fact("work.instructions", amount(work.instructions))],
                    ["FLOP", work.flop > 0 && fact("work.flop", bound + amount(work.flop))],
                    ...flopByType(work).map(
                        ({ key, type, flop }) => [`FLOP in ${type}`, fact(`work.${key}`, bound + amount(flop))] as const,
                    ),
                    ["Packed FLOP", known(work.packed_share, "work.packed_share", share)],
                    ["FLOP in FMA", known(work.fma_share, "work.fma_share", share)],
                    ["Integer operations", work.int_ops > 0 && <>{fact("work.int_ops", amount(work.int_ops))}{packedInt(work)}</>],
                    ["Loaded", fact("work.bytes_loaded", bound + byteCount(work.bytes_loaded))],
                    ["Stored", fact("work.bytes_stored", bound + byteCount(work.bytes_stored))],
                    ["Past the caches", work.bytes_streamed > 0 && fact("work.bytes_streamed", byteCount(work.bytes_streamed))],
                    ["FLOP per byte", known(work.intensity, "work.intensity", rate)],
                    ["Mix", mixShares(work).slice(0, 6).map(({ name, share: part }) => `${className(name)} ${share(part)}`).join(", ")],
                    ["Counted", extent.join(", ")],
                    ["In counted code", known(counts.counted_share, "counted_share", (part) => `${share(part)} of the survey's time`)],
                    ["Run", <>{fact("outcome", counts.outcome)} after {fact("elapsed_seconds", time(counts.elapsed_seconds))}</>],
                    ["Against the survey", known(counts.overhead, "overhead", (value) => `${ratio(value)} its elapsed time`)],
                ]}
            />
            {counts.interrupted === true && <p class="caution">{CUT_SHORT}</p>}
            {counts.left_alone !== undefined && counts.left_alone.length > 0 && (
                <LeftAlone summary={`${count(counts.left_alone.length)} left uncounted`} entries={counts.left_alone} />
            )}
        </>
    );
}
