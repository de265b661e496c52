/** What became of the program as a whole. */

import { countWords, pace, relative } from "../../logic/compare";
import type { ComparisonDocument, CountChange } from "../../logic/contract";
import { amount, count, share, time } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";

function known(seconds: number, name: string) {
    return seconds > 0 ? <span data-key={name}>{time(seconds)}</span> : <span class="dim">not measured</span>;
}

/** A state's name on a line of its own: columns stay narrow enough for a phone. */
function State({ name }: { name: string }) {
    return (
        <span class="compare-state">
            <Name text={name} longest={40} />
        </span>
    );
}

function TimeRow({ label, name, times }: { label: string; name: string; times: readonly [number, number] }) {
    return (
        <tr>
            <th scope="row">{label}</th>
            <td class="number">{known(times[0], `comparison.${name}.0`)}</td>
            <td class="number">{known(times[1], `comparison.${name}.1`)}</td>
            <td class="nowrap">{pace(times)}</td>
        </tr>
    );
}

function CountRow({ counted }: { counted: CountChange }) {
    return (
        <tr>
            <th scope="row">{countWords(counted.what)}</th>
            <td class="number" data-key={`comparison.counted.${counted.what}.before`} title={count(counted.before)}>
                {amount(counted.before)}
            </td>
            <td class="number" data-key={`comparison.counted.${counted.what}.after`} title={count(counted.after)}>
                {amount(counted.after)}
            </td>
            <td class="nowrap">{relative(counted)}</td>
        </tr>
    );
}

function PackedRow({ comparison }: { comparison: ComparisonDocument }) {
    const [before, after] = [comparison.before_counts?.packed_share, comparison.after_counts?.packed_share];
    if (before === undefined && after === undefined) return null;
    return (
        <tr>
            <th scope="row">packed share of the arithmetic</th>
            <td class="number">{before !== undefined && <span data-key="comparison.before_counts.packed_share">{share(before)}</span>}</td>
            <td class="number">{after !== undefined && <span data-key="comparison.after_counts.packed_share">{share(after)}</span>}</td>
            <td />
        </tr>
    );
}

export function Headline({ comparison }: { comparison: ComparisonDocument }) {
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
                                before: <State name={comparison.before} />
                            </th>
                            <th scope="col" class="number">
                                after: <State name={comparison.after} />
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
