/** What became of the program as a whole. */

import { countWords, pace, relative, severityBadge } from "../../logic/compare";
import type { Comparison, CountChange, Finding } from "../../logic/contract";
import { printable } from "../../logic/names";
import { amount, share, time } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { TableRegion } from "../parts/TableRegion";
import { Badge } from "./Badge";

function known(seconds: number, name: string) {
    return seconds > 0 ? <span data-key={name}>{time(seconds)}</span> : <span class="dim">not measured</span>;
}

function TimeRow({ label, name, times }: { label: string; name: string; times: readonly [number, number] }) {
    return (
        <tr>
            <th scope="row">{label}</th>
            <td class="number">{known(times[0], `comparison.${name}.0`)}</td>
            <td class="number">{known(times[1], `comparison.${name}.1`)}</td>
            <td>{pace(times)}</td>
        </tr>
    );
}

function CountRow({ counted }: { counted: CountChange }) {
    return (
        <tr>
            <th scope="row">{countWords(counted.what)}</th>
            <td class="number" data-key={`comparison.counted.${counted.what}.before`} title={String(counted.before)}>
                {amount(counted.before)}
            </td>
            <td class="number" data-key={`comparison.counted.${counted.what}.after`} title={String(counted.after)}>
                {amount(counted.after)}
            </td>
            <td>{relative(counted)}</td>
        </tr>
    );
}

function PackedRow({ comparison }: { comparison: Comparison }) {
    const [before, after] = [comparison.before_counts?.packed_share, comparison.after_counts?.packed_share];
    if (before === undefined && after === undefined) return null;
    return (
        <tr>
            <th scope="row">packed share of the arithmetic</th>
            <td class="number">{before === undefined ? "" : share(before)}</td>
            <td class="number">{after === undefined ? "" : share(after)}</td>
            <td />
        </tr>
    );
}

export function Headline({ comparison }: { comparison: Comparison }) {
    return (
        <Panel title="Program">
            {comparison.other_command === true && <p class="compare-warning">The states ran different commands: what differs may be the input, not the code.</p>}
            {comparison.partial === true && (
                <p class="compare-warning">Totals of counts are not comparable: a run was cut short or counted other modules.</p>
            )}
            <TableRegion label="The program in both states">
                <table class="compare-headline">
                    <thead>
                        <tr>
                            <td />
                            <th scope="col" class="number">
                                before: <Name text={comparison.before} longest={40} />
                            </th>
                            <th scope="col" class="number">
                                after: <Name text={comparison.after} longest={40} />
                            </th>
                            <th scope="col">change</th>
                        </tr>
                    </thead>
                    <tbody>
                        <TimeRow label="elapsed" name="elapsed" times={comparison.elapsed} />
                        <TimeRow label="CPU time" name="cpu" times={comparison.cpu} />
                        {(comparison.counted ?? []).map((counted) => (
                            <CountRow key={counted.what} counted={counted} />
                        ))}
                        <PackedRow comparison={comparison} />
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}

/** What the check says, the gravest first. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
    return (
        <Panel title="Findings" note={<Prose text="What `loopwright check` says of these states." />}>
            {findings.length === 0 ? (
                <p>Nothing got worse, and nothing else is worth a word.</p>
            ) : (
                <ul class="findings">
                    {findings.map((finding, at) => (
                        <li key={at} data-severity={finding.severity}>
                            <Badge badge={severityBadge(finding.severity)} />{" "}
                            {finding.index === undefined ? (
                                printable(finding.text)
                            ) : (
                                <a href={address("compare", undefined, { row: finding.index, all: 1 })}>{printable(finding.text)}</a>
                            )}
                        </li>
                    ))}
                </ul>
            )}
        </Panel>
    );
}
