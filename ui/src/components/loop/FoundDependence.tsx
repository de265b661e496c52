/** One dependence between iterations: both ends with their source lines, and arrows from iteration to iteration. */

import type { DependenceEnd, FoundDependence, LoopFacts, Report } from "../../logic/contract";
import { lineOf } from "../../logic/loop-page/access-words";
import { consequences, distance, end, kindWords, occurrences } from "../../logic/loop-page/dependence-words";
import { sourceLine } from "../../logic/loop-page/source-lines";
import { count, counted } from "../../logic/quantity";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import { IterationArrows } from "./IterationArrows";
import { Value } from "./Value";

/** Distances that are named. */
const DISTANCES = 12;

export function Found({ report, loop, found, at }: { report: Report; loop: LoopFacts; found: FoundDependence; at: number }) {
    const key = `dependence.found.${at}`;
    const all = found.distances ?? [];
    return (
        <article class={found.limits_vectors ? "found limits" : "found"}>
            <h3>
                <span data-key={`${key}.kind`}>{found.kind}</span>: {kindWords(found.kind)} through {found.memory ? "memory" : "a register"}, distance{" "}
                <span data-key={`${key}.distance`}>{distance(found)}</span>
            </h3>
            {consequences(found).map(({ costly, text }) => (
                <p key={text} class={costly ? "costly-note" : undefined}>
                    {text}
                </p>
            ))}
            <div class="ends">
                <End which="First" report={report} loop={loop} end={found.source} at={`${key}.source`} />
                <End which="Then" report={report} loop={loop} end={found.sink} at={`${key}.sink`} />
            </div>
            <IterationArrows kind={found.kind} distance={found.distance} limits={found.limits_vectors} />
            <Facts
                items={[
                    ["Occurred", occurrences(found) > 0 && <>{counted(occurrences(found), "time", "times")}</>],
                    ["Distances", all.length > 1 && all.slice(0, DISTANCES).map(([far, times], place) => <span key={far}>{place > 0 && ", "}{count(far)} (<Value at={`${key}.distances.${place}`}>{counted(times, "time", "times")}</Value>)</span>)],
                    ["Example", found.example !== undefined && <>at address <Value at={`${key}.example`}>{found.example}</Value></>],
                ]}
            />
        </article>
    );
}

function End({ which, report, loop, end: each, at }: { which: string; report: Report; loop: LoopFacts; end: DependenceEnd; at: string }) {
    const line = lineOf(loop, each.file, each.line);
    const text = sourceLine(report, each.file, each.line);
    return (
        <div class="end">
            <p>
                <span class="dim">{which}:</span> <code><Name text={end(each)} /></code>
                {line !== undefined && <> in line <Value at={`${at}.line`}>{line}</Value></>}
            </p>
            {text !== undefined && (
                // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
                <pre class="source-line" tabIndex={0}>
                    <code><Name text={text} longest={400} /></code>
                </pre>
            )}
        </div>
    );
}
