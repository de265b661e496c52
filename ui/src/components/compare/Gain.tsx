/** The answer: how much faster or slower the program became, and what to look at next. */

import { pace, severityBadge, tally, VERDICTS, verdictBadge } from "../../logic/compare";
import type { ComparisonDocument, Finding } from "../../logic/contract";
import { count, time } from "../../logic/quantity";
import { Badge } from "../parts/Badge";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";

const SEVERITIES: readonly Finding["severity"][] = ["failure", "warning", "note"];
const NAMES: Record<Finding["severity"], [one: string, many: string]> = { failure: ["failure", "failures"], warning: ["warning", "warnings"], note: ["note", "notes"] };
/** Verdicts that say nothing about a gain. */
const SILENT = new Set(["same", "appeared", "vanished"]);

function tone([before, after]: readonly [number, number]): string {
    if (before <= 0 || after <= 0) return "";
    const speedup = before / after;
    return speedup >= 1.005 ? "good" : speedup <= 0.995 ? "costly" : "";
}

function Pace({ label, name, times, main }: { label: string; name: string; times: readonly [number, number]; main: boolean }) {
    if (times[0] <= 0 && times[1] <= 0) return null;
    return (
        <div class={main ? "main" : ""}>
            <dt>{label}</dt>
            <dd>
                <strong class={tone(times)}>{pace(times)}</strong>{" "}
                <span class="nowrap">
                    <span data-key={`comparison.${name}.0`}>{time(times[0])}</span> → <span data-key={`comparison.${name}.1`}>{time(times[1])}</span>
                </span>
            </dd>
        </div>
    );
}

export function Gain({ comparison }: { comparison: ComparisonDocument }) {
    const { judged, findings = [], before, after } = comparison;
    const elapsed = <Pace key="elapsed" label="Elapsed time" name="elapsed" times={comparison.elapsed} main={judged.by === "elapsed"} />;
    const cpu = <Pace key="cpu" label="CPU time" name="cpu" times={comparison.cpu} main={judged.by === "cpu"} />;
    const verdicts = tally(comparison.loops.map((each) => each.verdict), VERDICTS).filter(([verdict]) => !SILENT.has(verdict));
    const grave = tally(findings.map((each) => each.severity), SEVERITIES);
    const reveal = () => document.getElementById("findings")?.scrollIntoView();
    return (
        <Panel title="Time" note={<>From <Name text={before} longest={40} /> to <Name text={after} longest={40} />.</>}>
            <dl class="compare-gain">{judged.by === "cpu" ? [cpu, elapsed] : [elapsed, cpu]}</dl>
            {judged.because !== undefined && (
                <p class="dim">
                    Judge by CPU time: <span data-key="comparison.judged.because">{judged.because}</span>
                </p>
            )}
            <ul class="compare-tally">
                {verdicts.map(([verdict, loops]) => (
                    <li key={verdict}>
                        <Badge badge={verdictBadge(verdict)} /> {count(loops)} {loops === 1 ? "loop" : "loops"}
                    </li>
                ))}
                {grave.map(([severity, found]) => (
                    <li key={severity}>
                        <button type="button" class="compare-more" onClick={reveal}>
                            <span aria-hidden="true">{severityBadge(severity).sign}</span> {count(found)} {NAMES[severity][found === 1 ? 0 : 1]}
                        </button>
                    </li>
                ))}
            </ul>
        </Panel>
    );
}
