/** Which branches run how often, and what a simulated predictor makes of them. */

import type { BranchFacts, LoopFacts } from "../../logic/contract";
import { BRANCHES_COST, BRANCHES_HOW, branchName, judged } from "../../logic/loop-page/branch-words";
import { lineOf } from "../../logic/loop-page/access-words";
import { map } from "../../logic/loop-page/commands";
import { count, rate, share } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { TableRegion } from "../parts/TableRegion";
import type { PartProps } from "./LoopPage";
import { NotTraced } from "./NotTraced";
import { Section } from "./Section";

/** Branches shown. */
const MOST = 40;
/** Above this share of executions, misses are worth a colour. */
const FREQUENT = 0.05;

export function Branches({ report, loop }: PartProps) {
    const branches = loop.branches ?? [];
    const { tracing } = report.analysis;
    if (branches.length === 0) {
        return (
            <Section at="branches" loop={loop}>
                {tracing?.predictor !== undefined && loop.memory !== undefined ? (
                    <p>No conditional branch was seen whose two ways are traced.</p>
                ) : (
                    <NotTraced report={report} loop={loop} looked={tracing?.predictor !== undefined} command={map(report.analysis, loop.id)} />
                )}
            </Section>
        );
    }
    return (
        <Section at="branches" loop={loop} how={BRANCHES_HOW}>
            <p>{judged(branches, tracing).join(", ")}.</p>
            <TableRegion label="Branches in numbers">
                <table>
                    <thead>
                        <tr>
                            <th scope="col" class="number">Line</th>
                            <th scope="col">Branch</th>
                            <th scope="col" class="number">Runs / iteration</th>
                            <th scope="col" class="number">Taken</th>
                            <th scope="col" class="number">Missed</th>
                            <th scope="col" class="number">Cycles / iteration</th>
                            <th scope="col" class="number">Executions</th>
                        </tr>
                    </thead>
                    <tbody>
                        {branches.slice(0, MOST).map((branch, at) => (
                            <Row key={at} loop={loop} branch={branch} at={at} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {branches.length > MOST && <p class="dim">{branches.length - MOST} more are in the JSON.</p>}
            <p class="dim">{BRANCHES_COST}</p>
        </Section>
    );
}

function Row({ loop, branch, at }: { loop: LoopFacts; branch: BranchFacts; at: number }) {
    const key = (name: keyof BranchFacts): string | undefined => (branch[name] === undefined ? undefined : `branches.${at}.${name}`);
    const missed = branch.miss_rate;
    return (
        <tr>
            <td class="number" data-key={key("line")}>
                {lineOf(loop, branch.file, branch.line)}
            </td>
            <th scope="row">
                <Name text={branchName(branch)} longest={60} />
            </th>
            <td class="number" data-key={key("executed_per_iteration")}>
                {rate(branch.executed_per_iteration)}
            </td>
            <td class="number" data-key={key("taken_share")}>
                {share(branch.taken_share)}
            </td>
            <td class={`number ${missed !== undefined && missed > FREQUENT ? "costly" : ""}`} data-key={key("miss_rate")}>
                {missed === undefined ? "" : share(missed)}
            </td>
            <td class="number" data-key={key("cycles_per_iteration")}>
                {branch.cycles_per_iteration === undefined ? "" : rate(branch.cycles_per_iteration)}
            </td>
            <td class="number" data-key={key("executed")}>
                {count(branch.executed)}
            </td>
        </tr>
    );
}
